// SPDX-License-Identifier: MIT
#include "app/tx_part.h"

#include <stddef.h>

#include "coradio/app_tx.h"
#include "coradio/assert.h"
#include "coradio/datagram.h"

void cor_app_tx_init(struct cor_app_tx *app, const struct cor_app_tx_config *config) {
    COR_ASSERT((config->tcp != NULL) != (config->udp != NULL));
    COR_ASSERT(config->source != NULL);
    *app = (struct cor_app_tx){.config = *config, .stop_us = UINT64_MAX};
    if (config->udp != NULL) {
        COR_ASSERT(config->payload_bytes > COR_DATAGRAM_BYTES);
        COR_ASSERT(config->payload_bytes % 4 == 0);
        if (config->offered_bps != 0) {
            app->interval_ns =
                (uint64_t)config->payload_bytes * 8 * 1000000000u / config->offered_bps;
        }
    }
}

void cor_app_tx_fail(struct cor_app_tx *app, enum cor_status status) {
    app->state = COR_APP_TX_FAILED;
    app->status = status;
}

void cor_app_tx_start(struct cor_app_tx *app, uint64_t now_us) {
    const struct cor_app_tx_config *config = &app->config;
    enum cor_status status;

    if (config->tcp != NULL) {
        status = cor_tcp_connect(config->tcp, config->address, config->port, now_us);
        app->state = COR_APP_TX_CONNECTING;
    } else {
        status = cor_udp_connect(config->udp, config->address, config->port, now_us);
        app->state = COR_APP_TX_SENDING;
        app->due_ns = now_us * 1000;
    }
    if (status != COR_OK) {
        cor_app_tx_fail(app, status);
    }
}

void cor_app_tx_first_payload(struct cor_app_tx *app, uint64_t now_us) {
    if (app->config.duration_us != 0 && app->stop_us == UINT64_MAX) {
        app->stop_us = now_us + app->config.duration_us;
    }
}

void cor_app_tx_stop(struct cor_app_tx *app, uint64_t now_us) {
    app->stop_us = now_us;
}

bool cor_app_tx_over(const struct cor_app_tx *app) {
    return app->state == COR_APP_TX_DONE || app->state == COR_APP_TX_FAILED;
}

uint64_t cor_app_tx_poll(struct cor_app_tx *app, uint64_t now_us) {
    if (app->state == COR_APP_TX_IDLE || cor_app_tx_over(app)) {
        return UINT64_MAX;
    }
    return app->config.tcp != NULL ? cor_app_tx_poll_tcp(app, now_us)
                                   : cor_app_tx_poll_udp(app, now_us);
}

// ---- TCP

enum fill { FILL_FULL, FILL_MORE, FILL_WAIT, FILL_END };

// From the source into the ring until the ring is full, the source has nothing, or the bound.
static enum fill fill_ring(struct cor_app_tx *app, uint64_t now_us) {
    struct cor_source *source = app->config.source;
    uint32_t taken = 0;

    while (taken < COR_APP_TX_POLL_BYTES_MAX) {
        uint8_t *room = NULL;
        int32_t room_bytes = cor_tcp_send_buf(app->config.tcp, &room);
        int32_t got;

        if (room_bytes <= 0) {
            return FILL_FULL;
        }
        if (room_bytes > COR_APP_TX_POLL_BYTES_MAX) {
            room_bytes = COR_APP_TX_POLL_BYTES_MAX;
        }
        got = source->ops->read(source, room, (uint32_t)room_bytes);
        cor_tcp_send_ack(app->config.tcp, got > 0 ? (uint32_t)got : 0, now_us);
        if (got == COR_AGAIN) {
            return FILL_WAIT;
        }
        if (got <= 0) {
            app->status = got < 0 ? (enum cor_status)got : app->status;
            return FILL_END;
        }
        taken += (uint32_t)got;
        app->source_bytes += (uint32_t)got;
        app->payload_bytes += (uint32_t)got;
    }
    return FILL_MORE;
}

static uint64_t send_tcp(struct cor_app_tx *app, uint64_t now_us) {
    enum fill fill = now_us >= app->stop_us ? FILL_END : fill_ring(app, now_us);

    switch (fill) {
    case FILL_MORE:
        return now_us;
    case FILL_WAIT:
        return now_us + COR_APP_TX_SOURCE_RETRY_US;
    case FILL_END:
        app->state = COR_APP_TX_CLOSING;
        (void)cor_tcp_close(app->config.tcp, now_us);  // an error shows in the state
        return UINT64_MAX;
    default:
        return app->stop_us;
    }
}

uint64_t cor_app_tx_poll_tcp(struct cor_app_tx *app, uint64_t now_us) {
    enum cor_tcp_state state = cor_tcp_state(app->config.tcp);
    enum cor_status error = cor_tcp_error(app->config.tcp);

    if (state == COR_TCP_CLOSED && error != COR_OK) {
        cor_app_tx_fail(app, error);
        return UINT64_MAX;
    }
    switch (app->state) {
    case COR_APP_TX_CONNECTING:
        if (state != COR_TCP_ESTABLISHED) {
            return app->stop_us;
        }
        app->state = COR_APP_TX_SENDING;
        return send_tcp(app, now_us);
    case COR_APP_TX_SENDING:
        return send_tcp(app, now_us);
    case COR_APP_TX_CLOSING:
        // Our FIN is acknowledged, and with it every byte.
        if (state == COR_TCP_FIN_WAIT_2 || state == COR_TCP_TIME_WAIT || state == COR_TCP_CLOSED) {
            app->state = COR_APP_TX_DONE;
        }
        return UINT64_MAX;
    default:
        return UINT64_MAX;
    }
}
