// SPDX-License-Identifier: MIT
#include "app/tx_part.h"

#include <stddef.h>

#include "coradio/datagram.h"

static void put_header(const struct cor_app_tx *app, uint8_t *at, bool last) {
    struct cor_datagram datagram = {
        .stream = app->config.stream, .sequence = app->sequence, .last = last};

    cor_datagram_emit(&datagram, at);
}

enum fill { FILL_FULL, FILL_MORE, FILL_PACED, FILL_WAIT, FILL_END };

// Fills one slot. A datagram is as full as the source allows; only the last may be shorter.
static enum fill fill_slot(struct cor_app_tx *app, uint64_t now_us) {
    struct cor_source *source = app->config.source;
    uint8_t *slot = NULL;
    int32_t got;

    if (app->interval_ns != 0 && now_us * 1000 < app->due_ns) {
        return FILL_PACED;
    }
    if (cor_udp_send_buf(app->config.udp, &slot) <= 0) {
        return FILL_FULL;
    }
    got = source->ops->read(
        source, slot + COR_DATAGRAM_BYTES, app->config.payload_bytes - COR_DATAGRAM_BYTES);
    if (got == COR_AGAIN) {
        return FILL_WAIT;
    }
    if (got <= 0) {
        app->status = got < 0 ? (enum cor_status)got : app->status;
        return FILL_END;
    }
    put_header(app, slot, false);
    cor_udp_send_ack(app->config.udp, COR_DATAGRAM_BYTES + (uint32_t)got, now_us);
    app->sequence++;
    app->source_bytes += (uint32_t)got;
    app->payload_bytes += COR_DATAGRAM_BYTES + (uint32_t)got;
    app->due_ns += app->interval_ns;
    return FILL_MORE;
}

static uint64_t send_udp(struct cor_app_tx *app, uint64_t now_us) {
    enum fill fill = FILL_END;

    for (uint32_t taken = 0; taken < COR_APP_TX_POLL_BYTES_MAX;
         taken += app->config.payload_bytes) {
        fill = now_us >= app->stop_us ? FILL_END : fill_slot(app, now_us);
        if (fill != FILL_MORE) {
            break;
        }
    }
    switch (fill) {
    case FILL_MORE:
        return now_us;
    case FILL_PACED:
        return (app->due_ns + 999) / 1000;
    case FILL_WAIT:
        return now_us + COR_APP_TX_SOURCE_RETRY_US;
    case FILL_END:
        app->state = COR_APP_TX_CLOSING;
        app->last_due_us = now_us;
        return now_us;
    default:
        return app->stop_us;
    }
}

// Nothing answers a datagram, so the end is told several times, with gaps that a short
// disturbance does not cover. The first of them goes when all data has left.
static uint64_t close_udp(struct cor_app_tx *app, uint64_t now_us) {
    uint8_t *slot = NULL;

    if (app->last_count == 0 && cor_udp_pending(app->config.udp) != 0) {
        return UINT64_MAX;
    }
    if (now_us < app->last_due_us) {
        return app->last_due_us;
    }
    if (app->last_count == COR_DATAGRAM_LAST_COUNT) {
        app->state = COR_APP_TX_DONE;
        return UINT64_MAX;
    }
    if (cor_udp_send_buf(app->config.udp, &slot) <= 0) {
        return UINT64_MAX;
    }
    put_header(app, slot, true);
    cor_udp_send_ack(app->config.udp, COR_DATAGRAM_BYTES, now_us);
    app->last_count++;
    app->last_due_us = now_us + COR_APP_TX_LAST_INTERVAL_US;
    return app->last_due_us;
}

uint64_t cor_app_tx_poll_udp(struct cor_app_tx *app, uint64_t now_us) {
    const struct cor_udp_counters *counters = cor_udp_get_counters(app->config.udp);

    if (counters->drop_unreachable != 0) {
        cor_app_tx_fail(app, COR_E_UNREACHABLE);
        return UINT64_MAX;
    }
    if (counters->unreachable != 0) {
        cor_app_tx_fail(app, COR_E_REFUSED);
        return UINT64_MAX;
    }
    return app->state == COR_APP_TX_SENDING ? send_udp(app, now_us) : close_udp(app, now_us);
}
