// SPDX-License-Identifier: MIT
// The applications on lwIP's raw API. TCP is given pieces of one segment by copy, as lwIP's own
// iperf does it; what it does not take is kept and offered again.
#include "stack.h"

#include <lwip/etharp.h>
#include <string.h>

#include "coradio/app_pattern.h"
#include "coradio/datagram.h"

#define ARP_TRIES       4u
#define ARP_INTERVAL_US 1000000u

static void fail(struct cor_app_tx *app, enum cor_status status) {
    app->state = COR_APP_TX_FAILED;
    app->status = status;
}

// --- A connection of either kind ---

static void connection_gone(void *context, err_t error) {
    struct run_lwip *lwip = context;

    lwip->pcb = NULL;
    // Before it was open a reset is a refusal.
    lwip->ended = !lwip->connected && error == ERR_RST ? COR_E_REFUSED : run_lwip_status(error);
}

static err_t bytes_acked(void *context, struct tcp_pcb *pcb, u16_t size_bytes) {
    struct run_lwip *lwip = context;

    (void)pcb;
    lwip->tcp.bytes_acked += size_bytes;
    return ERR_OK;
}

static void adopt(struct run_lwip *lwip, struct tcp_pcb *pcb) {
    lwip->pcb = pcb;
    tcp_arg(pcb, lwip);
    tcp_err(pcb, connection_gone);
    tcp_sent(pcb, bytes_acked);
}

// --- TCP that sends ---

static err_t opened(void *context, struct tcp_pcb *pcb, err_t error) {
    struct run_lwip *lwip = context;

    (void)pcb;
    lwip->connected = error == ERR_OK;
    return ERR_OK;
}

static err_t nothing_received(void *context, struct tcp_pcb *pcb, struct pbuf *data, err_t error) {
    (void)context;
    (void)error;
    if (data != NULL) {
        tcp_recved(pcb, data->tot_len);
        pbuf_free(data);
    }
    return ERR_OK;
}

// The next piece of the source, where none waits. False: there is none now.
static bool next_piece(struct run_lwip *lwip, struct cor_app_tx *app) {
    struct cor_source *source = app->config.source;

    if (lwip->piece_bytes != 0) {
        return true;
    }
    if (lwip->source_ended) {
        return false;
    }
    int32_t got = source->ops->read(source, lwip->piece, sizeof(lwip->piece));
    app->source_waits = got == COR_AGAIN;
    if (got == COR_AGAIN) {
        return false;
    }
    if (got <= 0) {
        app->status = got < 0 ? (enum cor_status)got : app->status;
        lwip->source_ended = true;
        return false;
    }
    lwip->piece_bytes = (uint32_t)got;
    app->source_bytes += (uint32_t)got;
    return true;
}

// Gives TCP as much as it takes, a bounded number of bytes at a time.
static void give_pieces(struct run_lwip *lwip, struct cor_app_tx *app) {
    uint32_t given = 0;

    while (given < COR_APP_TX_POLL_BYTES_MAX && next_piece(lwip, app)) {
        uint16_t size = (uint16_t)lwip->piece_bytes;

        if (tcp_sndbuf(lwip->pcb) < size ||
            tcp_write(lwip->pcb, lwip->piece, size, TCP_WRITE_FLAG_COPY) != ERR_OK) {
            break;
        }
        lwip->work.copied_bytes += size;
        lwip->piece_bytes = 0;
        app->payload_bytes += size;
        given += size;
    }
    (void)tcp_output(lwip->pcb);  // what it cannot send now it sends later
}

static uint64_t send_tcp(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us) {
    if (now_us >= app->stop_us) {
        lwip->source_ended = true;
    }
    give_pieces(lwip, app);
    if (lwip->source_ended && lwip->piece_bytes == 0 && tcp_close(lwip->pcb) == ERR_OK) {
        app->state = COR_APP_TX_CLOSING;
    }
    if (app->source_waits) {
        return now_us + COR_APP_TX_SOURCE_RETRY_US;
    }
    return app->stop_us;
}

static uint64_t poll_tcp(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us) {
    if (app->state == COR_APP_TX_CLOSING && lwip->tcp.bytes_acked >= app->payload_bytes) {
        app->state = COR_APP_TX_DONE;
        return UINT64_MAX;
    }
    if (lwip->pcb == NULL) {
        fail(app, lwip->ended);
        return UINT64_MAX;
    }
    if (app->state == COR_APP_TX_CONNECTING && lwip->connected) {
        app->state = COR_APP_TX_SENDING;
    }
    return app->state == COR_APP_TX_SENDING ? send_tcp(lwip, app, now_us) : app->stop_us;
}

// --- Datagrams ---

// One datagram of a pbuf of its own. False: lwIP has no room for it now.
static bool send_datagram(
    struct run_lwip *lwip, const struct cor_datagram *header, uint32_t body_bytes) {
    uint16_t size = (uint16_t)(COR_DATAGRAM_BYTES + body_bytes);
    struct pbuf *pbuf = pbuf_alloc(PBUF_TRANSPORT, size, PBUF_RAM);
    err_t error;

    if (pbuf == NULL) {
        return false;
    }
    cor_datagram_emit(header, pbuf->payload);
    memcpy((uint8_t *)pbuf->payload + COR_DATAGRAM_BYTES, lwip->piece, body_bytes);
    lwip->work.copied_bytes += body_bytes;
    error = udp_send(lwip->datagrams, pbuf);
    pbuf_free(pbuf);
    return error == ERR_OK;
}

static bool next_body(struct run_lwip *lwip, struct cor_app_tx *app) {
    struct cor_source *source = app->config.source;
    uint32_t room = app->config.payload_bytes - COR_DATAGRAM_BYTES;

    if (lwip->piece_bytes != 0) {
        return true;
    }
    int32_t got = source->ops->read(source, lwip->piece, room);
    app->source_waits = got == COR_AGAIN;
    if (got <= 0 && got != COR_AGAIN) {
        app->status = got < 0 ? (enum cor_status)got : app->status;
        lwip->source_ended = true;
    }
    lwip->piece_bytes = got > 0 ? (uint32_t)got : 0;
    app->source_bytes += lwip->piece_bytes;
    return lwip->piece_bytes != 0;
}

static uint64_t send_udp(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us) {
    for (uint32_t taken = 0; taken < COR_APP_TX_POLL_BYTES_MAX;
         taken += app->config.payload_bytes) {
        struct cor_datagram header = {.stream = app->config.stream, .sequence = app->sequence};

        if (app->interval_ns != 0 && now_us * 1000 < app->due_ns) {
            return (app->due_ns + 999) / 1000;
        }
        if (now_us >= app->stop_us || !next_body(lwip, app)) {
            break;
        }
        if (!send_datagram(lwip, &header, lwip->piece_bytes)) {
            return app->stop_us;  // until a frame has left
        }
        app->sequence++;
        app->payload_bytes += COR_DATAGRAM_BYTES + lwip->piece_bytes;
        app->due_ns += app->interval_ns;
        lwip->piece_bytes = 0;
    }
    if (lwip->source_ended || now_us >= app->stop_us) {
        app->state = COR_APP_TX_CLOSING;
        app->last_due_us = now_us;
    }
    return app->source_waits ? now_us + COR_APP_TX_SOURCE_RETRY_US : now_us;
}

static uint64_t close_udp(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us) {
    struct cor_datagram header = {
        .stream = app->config.stream, .sequence = app->sequence, .last = true};

    if (app->last_count == 0 && lwip->port.count != 0) {
        return UINT64_MAX;  // data goes first
    }
    if (now_us < app->last_due_us) {
        return app->last_due_us;
    }
    if (app->last_count == COR_DATAGRAM_LAST_COUNT) {
        app->state = COR_APP_TX_DONE;
        return UINT64_MAX;
    }
    if (send_datagram(lwip, &header, 0)) {
        app->last_count++;
        app->last_due_us = now_us + COR_APP_TX_LAST_INTERVAL_US;
    }
    return app->last_due_us > now_us ? app->last_due_us : UINT64_MAX;
}

// lwIP keeps one datagram for a host whose hardware address it does not know, and drops it for the
// next one; so none is given before.
static uint64_t resolve(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us) {
    struct netif *netif = &lwip->port.netif;
    const ip4_addr_t *target = ip_2_ip4(&lwip->datagrams->remote_ip);
    const ip4_addr_t *hop = target;
    const ip4_addr_t *found;
    struct eth_addr *hardware;

    if (!ip4_addr_netcmp(target, netif_ip4_addr(netif), netif_ip4_netmask(netif))) {
        hop = netif_ip4_gw(netif);
    }
    if (etharp_find_addr(netif, hop, &hardware, &found) >= 0) {
        app->state = COR_APP_TX_SENDING;
        app->due_ns = now_us * 1000;
        app->last_count = 0;
        return now_us;
    }
    if (now_us >= app->last_due_us) {
        if (app->last_count == ARP_TRIES) {
            fail(app, COR_E_UNREACHABLE);
            return UINT64_MAX;
        }
        (void)etharp_request(netif, hop);  // without room it is asked again
        app->last_count++;
        app->last_due_us = now_us + ARP_INTERVAL_US;
    }
    return app->last_due_us;
}

static uint64_t poll_udp(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us) {
    switch (app->state) {
    case COR_APP_TX_CONNECTING:
        return resolve(lwip, app, now_us);
    case COR_APP_TX_SENDING:
        return send_udp(lwip, app, now_us);
    default:
        return close_udp(lwip, app, now_us);
    }
}

// --- Either ---

void run_lwip_tx_start(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us) {
    ip_addr_t address = {lwip_htonl(app->config.address)};
    err_t error = ERR_MEM;

    lwip->now_us = now_us;
    if (app->config.udp != NULL) {
        lwip->datagrams = udp_new();
        if (lwip->datagrams != NULL) {
            error = udp_connect(lwip->datagrams, &address, app->config.port);
        }
    } else {
        struct tcp_pcb *pcb = tcp_new();

        if (pcb != NULL) {
            adopt(lwip, pcb);
            tcp_recv(pcb, nothing_received);
            error = tcp_connect(pcb, &address, app->config.port, opened);
        }
    }
    app->state = COR_APP_TX_CONNECTING;
    if (error != ERR_OK) {
        fail(app, run_lwip_status(error));
    }
}

uint64_t run_lwip_tx_poll(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us) {
    lwip->now_us = now_us;
    if (app->state == COR_APP_TX_IDLE || cor_app_tx_over(app)) {
        return UINT64_MAX;
    }
    return app->config.udp == NULL ? poll_tcp(lwip, app, now_us) : poll_udp(lwip, app, now_us);
}

// --- TCP that receives ---

static void look(struct cor_app_rx *app, const uint8_t *data, uint32_t size_bytes) {
    if (app->config.verify && !cor_pattern_check(&app->pattern, data, size_bytes) &&
        app->damaged_at == UINT64_MAX) {
        app->damaged_at = app->received_bytes;
    }
    app->received_bytes += size_bytes;
}

static err_t received(void *context, struct tcp_pcb *pcb, struct pbuf *data, err_t error) {
    struct run_lwip *lwip = context;
    struct cor_app_rx *app = lwip->receiver;

    (void)error;
    if (data == NULL) {
        if (tcp_close(pcb) != ERR_OK) {
            return ERR_MEM;  // asked again
        }
        lwip->pcb = NULL;
        app->state = COR_APP_RX_DONE;
        return ERR_OK;
    }
    for (const struct pbuf *part = data; part != NULL; part = part->next) {
        look(app, part->payload, part->len);
    }
    lwip->tcp.bytes_received += data->tot_len;
    tcp_recved(pcb, data->tot_len);
    pbuf_free(data);
    return ERR_OK;
}

static err_t accepted(void *context, struct tcp_pcb *pcb, err_t error) {
    struct run_lwip *lwip = context;

    if (error != ERR_OK || pcb == NULL || lwip->pcb != NULL) {
        return ERR_VAL;
    }
    adopt(lwip, pcb);
    tcp_recv(pcb, received);
    lwip->connected = true;
    lwip->receiver->state = COR_APP_RX_RECEIVING;
    return ERR_OK;
}

void run_lwip_rx_start(struct run_lwip *lwip, struct cor_app_rx *app, uint64_t now_us) {
    struct tcp_pcb *pcb = tcp_new();
    err_t error = pcb != NULL ? tcp_bind(pcb, IP4_ADDR_ANY, app->config.port) : ERR_MEM;

    lwip->now_us = now_us;
    lwip->receiver = app;
    lwip->listener = error == ERR_OK ? tcp_listen(pcb) : NULL;
    app->state = COR_APP_RX_LISTENING;
    if (lwip->listener == NULL) {
        app->state = COR_APP_RX_FAILED;
        app->status = COR_E_NOMEM;
        return;
    }
    tcp_arg(lwip->listener, lwip);
    tcp_accept(lwip->listener, accepted);
}

// Everything happens as frames come in; a connection that broke is told here.
uint64_t run_lwip_rx_poll(struct run_lwip *lwip, struct cor_app_rx *app, uint64_t now_us) {
    lwip->now_us = now_us;
    if (app->state == COR_APP_RX_RECEIVING && lwip->pcb == NULL) {
        app->state = COR_APP_RX_FAILED;
        app->status = lwip->ended;
    }
    return UINT64_MAX;
}
