// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "coradio/app_rx.h"
#include "coradio/assert.h"
#include "coradio/datagram.h"

void cor_app_rx_init(struct cor_app_rx *app, const struct cor_app_rx_config *config) {
    COR_ASSERT(config->tcp != NULL || config->udp != NULL);
    COR_ASSERT(config->iperf || config->tcp == NULL || config->udp == NULL);
    COR_ASSERT(config->source == NULL || config->tcp != NULL);
    *app = (struct cor_app_rx){.config = *config, .damaged_at = UINT64_MAX};
    app->source_ended = config->source == NULL;
    cor_pattern_init(&app->pattern, UINT64_MAX);
    cor_iperf_init(&app->iperf);
}

static void fail(struct cor_app_rx *app, enum cor_status status) {
    app->state = COR_APP_RX_FAILED;
    app->status = status;
}

void cor_app_rx_start(struct cor_app_rx *app, uint64_t now_us) {
    enum cor_status status = COR_OK;

    (void)now_us;
    if (app->config.udp != NULL) {
        status = cor_udp_bind(app->config.udp, app->config.port);
    }
    if (app->config.tcp != NULL && status == COR_OK) {
        struct cor_tcp_listen_config listen = {
            .port = app->config.port,
            .blocks = app->blocks,
            .block_count = 1,
        };

        app->blocks[0] = app->config.tcp;
        status = cor_tcp_listen(&app->listener, app->config.net, &listen);
    }
    app->state = COR_APP_RX_LISTENING;
    if (status != COR_OK) {
        fail(app, status);
    }
}

bool cor_app_rx_over(const struct cor_app_rx *app) {
    return app->state == COR_APP_RX_DONE || app->state == COR_APP_RX_FAILED;
}

static void look(struct cor_app_rx *app, const uint8_t *data, uint32_t size_bytes) {
    if (app->config.verify && !cor_pattern_check(&app->pattern, data, size_bytes) &&
        app->damaged_at == UINT64_MAX) {
        app->damaged_at = app->received_bytes;
    }
    app->received_bytes += size_bytes;
}

// ---- TCP

// COR_AGAIN: nothing more now. COR_OK: the bound of a poll. Else the end, one way or the other.
static enum cor_status take(struct cor_app_rx *app, uint64_t now_us) {
    uint32_t taken = 0;

    while (taken < COR_APP_RX_POLL_BYTES_MAX) {
        const uint8_t *data;
        int32_t there = cor_tcp_receive_buf(app->config.tcp, &data);

        if (there <= 0) {
            return there == 0 ? COR_AGAIN : (enum cor_status)there;
        }
        look(app, data, (uint32_t)there);
        if (app->config.iperf) {
            cor_iperf_stream(&app->iperf, app->config.tcp, data, (uint32_t)there, now_us);
        }
        cor_tcp_receive_ack(app->config.tcp, (uint32_t)there, now_us);
        taken += (uint32_t)there;
        if (app->iperf.declined) {
            cor_tcp_abort(app->config.tcp, now_us);
            return COR_E_UNSUPPORTED;
        }
    }
    return COR_OK;
}

// COR_AGAIN: the ring is full or the source at its end. COR_OK: the bound of a poll, or the source
// had nothing.
static enum cor_status give(struct cor_app_rx *app, uint64_t now_us) {
    struct cor_source *source = app->config.source;
    uint32_t given = 0;

    while (given < COR_APP_RX_POLL_BYTES_MAX && !app->source_ended) {
        uint8_t *room;
        int32_t size = cor_tcp_send_buf(app->config.tcp, &room);

        if (size <= 0) {
            return COR_AGAIN;
        }
        int32_t got = source->ops->read(source, room, (uint32_t)size);
        cor_tcp_send_ack(app->config.tcp, got > 0 ? (uint32_t)got : 0, now_us);
        if (got == COR_AGAIN) {
            return COR_OK;
        }
        if (got <= 0) {
            app->status = got < 0 ? (enum cor_status)got : app->status;
            app->source_ended = true;
            (void)cor_tcp_close(app->config.tcp, now_us);  // an error shows in the state
            return COR_AGAIN;
        }
        given += (uint32_t)got;
        app->source_bytes += (uint32_t)got;
    }
    return app->source_ended ? COR_AGAIN : COR_OK;
}

static uint64_t receive_tcp(struct cor_app_rx *app, uint64_t now_us) {
    enum cor_status given = give(app, now_us);
    enum cor_status taken = take(app, now_us);

    if (taken == COR_E_CLOSED) {
        app->state = COR_APP_RX_CLOSING;
        if (app->source_ended) {
            (void)cor_tcp_close(app->config.tcp, now_us);  // an error shows in the state
        }
        return now_us;
    }
    if (taken != COR_OK && taken != COR_AGAIN) {
        fail(app, taken);
        return UINT64_MAX;
    }
    if (taken == COR_OK) {
        return now_us;
    }
    return given == COR_OK ? now_us + COR_APP_RX_SOURCE_RETRY_US : UINT64_MAX;
}

static uint64_t close_tcp(struct cor_app_rx *app, uint64_t now_us) {
    enum cor_tcp_state state = cor_tcp_state(app->config.tcp);

    if (!app->source_ended && give(app, now_us) == COR_OK) {
        return now_us + COR_APP_RX_SOURCE_RETRY_US;
    }
    if (state == COR_TCP_CLOSED && cor_tcp_error(app->config.tcp) != COR_OK) {
        fail(app, cor_tcp_error(app->config.tcp));
    } else if (state == COR_TCP_CLOSED || state == COR_TCP_TIME_WAIT) {
        app->state = COR_APP_RX_DONE;
    }
    return UINT64_MAX;
}

// ---- UDP

// The report goes back to where the last datagram came from; it is lost without a second try, as
// the client then repeats the last one.
static void answer_iperf(struct cor_app_rx *app, const struct cor_udp_datagram *datagram) {
    struct cor_udp *udp = app->config.udp;
    uint8_t *room;

    if ((udp->socket.remote_address != datagram->address ||
         udp->socket.remote_port != datagram->port) &&
        cor_udp_connect(udp, datagram->address, datagram->port, datagram->now_us) != COR_OK) {
        return;
    }
    int32_t size = cor_udp_send_buf(udp, &room);
    if (size >= COR_IPERF_REPORT_BYTES) {
        cor_iperf_report(&app->iperf, datagram->data, room);
        cor_udp_send_ack(udp, COR_IPERF_REPORT_BYTES, datagram->now_us);
    }
}

static void take_iperf(struct cor_app_rx *app, const struct cor_udp_datagram *datagram) {
    bool before = app->iperf.over;
    bool last = cor_iperf_datagram(&app->iperf, datagram);

    if (!app->iperf.begun) {
        return;
    }
    app->datagrams = app->iperf.datagrams;
    app->missing = app->iperf.lost;
    if (!before) {
        app->state = COR_APP_RX_RECEIVING;
        app->received_bytes = app->iperf.bytes;
    }
    if (last) {
        answer_iperf(app, datagram);
        app->state = COR_APP_RX_CLOSING;
        app->close_us = datagram->now_us + COR_APP_RX_SILENCE_US;
    }
}

void cor_app_rx_datagram(void *context, const struct cor_udp_datagram *datagram) {
    struct cor_app_rx *app = context;
    struct cor_datagram header;

    if (app->config.iperf && !cor_app_rx_over(app)) {
        take_iperf(app, datagram);
        return;
    }
    if (cor_app_rx_over(app) || app->state == COR_APP_RX_IDLE ||
        !cor_datagram_parse(&header, datagram->data, datagram->size_bytes)) {
        return;
    }
    if (!app->stream_known) {
        app->stream_known = true;
        app->stream = header.stream;
        app->state = COR_APP_RX_RECEIVING;
    }
    if (header.stream != app->stream) {
        return;
    }
    if (header.last) {
        app->last_total = header.sequence;
        app->missing = header.sequence > app->datagrams ? header.sequence - app->datagrams : 0;
        app->state = COR_APP_RX_DONE;
        return;
    }
    uint32_t part = datagram->size_bytes - COR_DATAGRAM_BYTES;
    // All but the last are of one size.
    app->part_bytes = part > app->part_bytes ? part : app->part_bytes;
    app->datagrams++;
    app->received_bytes += COR_DATAGRAM_BYTES;
    // Datagrams may be lost, so each is checked at the place its number gives it.
    app->pattern.phase =
        (uint32_t)((uint64_t)header.sequence * app->part_bytes % COR_PATTERN_PERIOD_BYTES);
    look(app, datagram->data + COR_DATAGRAM_BYTES, part);
    if (header.sequence >= app->expected) {
        app->missing += header.sequence - app->expected;
        app->expected = header.sequence + 1;
    } else if (app->missing > 0) {
        app->missing--;
    }
}

// iperf repeats its last datagram until it has heard the report: silence ends the test.
static uint64_t poll_udp(struct cor_app_rx *app, uint64_t now_us) {
    if (!app->config.iperf || app->state != COR_APP_RX_CLOSING) {
        return UINT64_MAX;
    }
    if (now_us >= app->close_us) {
        app->state = COR_APP_RX_DONE;
    }
    return app->close_us;
}

// ---- both

uint64_t cor_app_rx_poll(struct cor_app_rx *app, uint64_t now_us) {
    if (app->config.udp != NULL && (!app->config.iperf || app->iperf.begun)) {
        return poll_udp(app, now_us);
    }
    switch (app->state) {
    case COR_APP_RX_LISTENING:
        if (cor_tcp_accept(&app->listener) == NULL) {
            return UINT64_MAX;
        }
        app->state = COR_APP_RX_RECEIVING;
        return receive_tcp(app, now_us);
    case COR_APP_RX_RECEIVING:
        return receive_tcp(app, now_us);
    case COR_APP_RX_CLOSING:
        return close_tcp(app, now_us);
    default:
        return UINT64_MAX;
    }
}
