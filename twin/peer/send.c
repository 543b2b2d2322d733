// SPDX-License-Identifier: MIT
// The sending application of the peer: one TCP connection it opens, or a train of datagrams.
#include "peer/peer_part.h"
#include "sim/alloc.h"

#include <lwip/pbuf.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/tcp.h>
#include <lwip/udp.h>
#include <stdlib.h>

// Bytes asked of the application at a time.
#define CHUNK_BYTES 1460u

struct twin_peer_sender {
    struct twin_peer *peer;
    struct twin_peer_send_config config;
    struct tcp_pcb *tcp;  // NULL: not open, or over
    struct udp_pcb *udp;
    struct twin_event next;  // datagram
    struct twin_peer_sender_counters counters;
    uint8_t chunk[CHUNK_BYTES];
    uint16_t chunk_bytes;  // taken from the application, not yet by lwIP
    bool ended;            // the application has no more
    bool fin;              // the other side has no more
    bool reading;
};

// ---- TCP

static void tell_closed(struct twin_peer_sender *sender, bool orderly) {
    sender->tcp = NULL;
    if (sender->config.closed != NULL) {
        sender->config.closed(sender->config.context, orderly);
    }
}

// Both directions have ended.
static void finish(struct twin_peer_sender *sender) {
    struct tcp_pcb *pcb = sender->tcp;

    tcp_arg(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_err(pcb, NULL);
    (void)tcp_close(pcb);  // without memory lwIP tries again by itself
    tell_closed(sender, true);
}

// As much as lwIP takes; the FIN behind the last byte.
static void push(struct twin_peer_sender *sender) {
    struct tcp_pcb *pcb = sender->tcp;

    while (!sender->ended) {
        if (sender->chunk_bytes == 0) {
            sender->chunk_bytes = (uint16_t)sender->config.fill(
                sender->config.context, sender->chunk, sizeof(sender->chunk));
        }
        if (sender->chunk_bytes == 0) {
            sender->ended = true;
            if (sender->fin) {
                finish(sender);
                return;
            }
            (void)tcp_shutdown(pcb, 0, 1);
            break;
        }
        if (tcp_sndbuf(pcb) < sender->chunk_bytes ||
            tcp_write(pcb, sender->chunk, sender->chunk_bytes, TCP_WRITE_FLAG_COPY) != ERR_OK) {
            break;
        }
        sender->counters.bytes += sender->chunk_bytes;
        sender->chunk_bytes = 0;
    }
    (void)tcp_output(pcb);
}

static err_t tcp_room(void *arg, struct tcp_pcb *pcb, uint16_t size_bytes) {
    struct twin_peer_sender *sender = arg;

    (void)pcb;
    sender->counters.acked_bytes += size_bytes;
    push(sender);
    return ERR_OK;
}

static err_t tcp_arrived(void *arg, struct tcp_pcb *pcb, struct pbuf *pbuf, err_t err) {
    struct twin_peer_sender *sender = arg;

    (void)err;  // always ERR_OK in this version of lwIP
    if (pbuf == NULL) {
        sender->fin = true;
        if (sender->ended) {
            finish(sender);
        }
        return ERR_OK;
    }
    if (!sender->reading) {
        return ERR_MEM;  // lwIP keeps it and offers it again
    }
    for (const struct pbuf *piece = pbuf; piece != NULL; piece = piece->next) {
        sender->counters.received_bytes += piece->len;
        if (sender->config.received != NULL) {
            sender->config.received(sender->config.context, piece->payload, piece->len);
        }
    }
    tcp_recved(pcb, pbuf->tot_len);
    pbuf_free(pbuf);
    return ERR_OK;
}

static err_t tcp_opened(void *arg, struct tcp_pcb *pcb, err_t err) {
    struct twin_peer_sender *sender = arg;

    (void)pcb;
    (void)err;
    sender->counters.opened = true;
    push(sender);
    return ERR_OK;
}

static void tcp_failed(void *arg, err_t err) {
    (void)err;
    tell_closed(arg, false);
}

static void open_tcp(struct twin_peer_sender *sender) {
    ip4_addr_t ip = {lwip_htonl(sender->config.ip)};

    sender->tcp = tcp_new();
    TWIN_CHECK(sender->tcp != NULL);
    tcp_arg(sender->tcp, sender);
    tcp_sent(sender->tcp, tcp_room);
    tcp_recv(sender->tcp, tcp_arrived);
    tcp_err(sender->tcp, tcp_failed);
    TWIN_CHECK(tcp_connect(sender->tcp, &ip, sender->config.port, tcp_opened) == ERR_OK);
}

// ---- UDP

static void next_datagram(void *context) {
    struct twin_peer_sender *sender = context;
    ip4_addr_t ip = {lwip_htonl(sender->config.ip)};
    struct pbuf *pbuf =
        pbuf_alloc(PBUF_TRANSPORT, (uint16_t)sender->config.datagram_bytes, PBUF_RAM);
    uint32_t size_bytes;

    TWIN_CHECK(pbuf != NULL && pbuf->next == NULL);
    size_bytes =
        sender->config.fill(sender->config.context, pbuf->payload, sender->config.datagram_bytes);
    if (size_bytes == 0) {
        sender->ended = true;
        pbuf_free(pbuf);
        return;
    }
    pbuf_realloc(pbuf, (uint16_t)size_bytes);
    if (udp_sendto(sender->udp, pbuf, &ip, sender->config.port) == ERR_OK) {
        sender->counters.bytes += size_bytes;
        sender->counters.datagrams++;
    }
    pbuf_free(pbuf);
    twin_after(twin_peer_sim(sender->peer), &sender->next, sender->config.interval_ns);
    twin_peer_rearm(sender->peer);
}

static void udp_arrived(
    void *arg, struct udp_pcb *pcb, struct pbuf *pbuf, const ip_addr_t *address, uint16_t port) {
    struct twin_peer_sender *sender = arg;

    (void)pcb;
    (void)address;
    (void)port;
    sender->counters.received_bytes += pbuf->tot_len;
    if (sender->config.received != NULL) {
        sender->config.received(sender->config.context, pbuf->payload, pbuf->len);
    }
    pbuf_free(pbuf);
}

// ---- both

struct twin_peer_sender *twin_peer_send(
    struct twin_peer *peer, const struct twin_peer_send_config *config) {
    struct twin_peer_sender *sender = twin_alloc(1, sizeof(*sender));

    sender->peer = peer;
    sender->config = *config;
    sender->reading = true;
    twin_event_init(&sender->next, next_datagram, sender);
    if (config->datagram_bytes != 0) {
        sender->udp = udp_new();
        TWIN_CHECK(sender->udp != NULL);
        TWIN_CHECK(udp_bind(sender->udp, IP_ADDR_ANY, 0) == ERR_OK);
        udp_recv(sender->udp, udp_arrived, sender);
        twin_after(twin_peer_sim(peer), &sender->next, config->interval_ns);
    } else {
        open_tcp(sender);
    }
    twin_peer_rearm(peer);
    return sender;
}

void twin_peer_sender_set_reading(struct twin_peer_sender *sender, bool reading) {
    sender->reading = reading;
    if (reading && sender->tcp != NULL && sender->tcp->refused_data != NULL) {
        (void)tcp_process_refused_data(sender->tcp);  // it may have ended; that is told elsewhere
    }
    twin_peer_rearm(sender->peer);
}

void twin_peer_sender_free(struct twin_peer_sender *sender) {
    if (sender == NULL) {
        return;
    }
    twin_cancel(twin_peer_sim(sender->peer), &sender->next);
    if (sender->tcp != NULL) {
        tcp_arg(sender->tcp, NULL);
        tcp_err(sender->tcp, NULL);
        tcp_abort(sender->tcp);
    }
    if (sender->udp != NULL) {
        udp_remove(sender->udp);
    }
    free(sender);
}

void twin_peer_sender_get_counters(
    const struct twin_peer_sender *sender, struct twin_peer_sender_counters *counters) {
    *counters = sender->counters;
}
