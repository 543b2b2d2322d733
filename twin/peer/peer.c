// SPDX-License-Identifier: MIT
// The host inside the twin. Frames reach lwIP by reference: a pbuf that points at the frame, given
// back to the pool when lwIP or the application is done with it. Frames it sends are copied once.
#include "coradio_twin/peer.h"

#include "peer/lwip_port.h"
#include "peer/peer_part.h"
#include "sim/alloc.h"

#include <lwip/etharp.h>
#include <lwip/netif.h>
#include <lwip/pbuf.h>
#include <lwip/stats.h>
#include <lwip/tcp.h>
#include <lwip/timeouts.h>
#include <lwip/udp.h>
#include <netif/ethernet.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_DEFAULT_BYTES 65535u
#define MTU_BYTES            1500u
#define ADDRESS_BYTES        6u
#define TYPE_OFFSET          12u
#define HEADER_BYTES         14u
#define SLAB_CARRIERS        64u

// Carries one received frame through lwIP.
struct carrier {
    struct pbuf_custom pbuf;   // first: lwIP hands back a pointer to it
    struct twin_frame *frame;  // NULL while not in use
    struct carrier *next;      // while not in use
    struct twin_peer *peer;
};

struct carrier_slab {
    struct carrier_slab *next;
    struct carrier carriers[SLAB_CARRIERS];
};

struct connection {
    struct connection *next;
    struct twin_peer *peer;
    struct tcp_pcb *pcb;
    struct pbuf **unread;  // arrived in order, not yet read by the application
    size_t unread_count;
    size_t unread_room;
    bool fin;  // comes after the unread pieces
    bool in_read;
};

struct twin_peer {
    struct twin_peer_config config;
    struct netif netif;
    struct twin_event timer;
    struct carrier_slab *slabs;
    struct carrier *carriers;  // not in use
    struct connection *connections;
    struct twin_peer_counters counters;
    bool reading;
    bool started;
};

// ---- lwIP's timers: one event, due when the earliest of them is

static void timer_arm(struct twin_peer *peer) {
    uint32_t sleep_ms = sys_timeouts_sleeptime();
    uint64_t due_ns = (twin_lwip_now_ms() + sleep_ms) * 1000000u;

    if (sleep_ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE) {
        twin_cancel(peer->config.sim, &peer->timer);
    } else if (!twin_event_queued(&peer->timer) || peer->timer.at_ns != due_ns) {
        twin_at(peer->config.sim, &peer->timer, due_ns);
    }
}

static void timer_run(void *context) {
    struct twin_peer *peer = context;

    sys_check_timeouts();
    timer_arm(peer);
}

// ---- frames

static void carrier_free(struct pbuf *pbuf) {
    struct carrier *carrier = (struct carrier *)(void *)pbuf;

    twin_frame_put(carrier->peer->config.frames, carrier->frame);
    carrier->frame = NULL;
    carrier->next = carrier->peer->carriers;
    carrier->peer->carriers = carrier;
}

static void carriers_grow(struct twin_peer *peer) {
    struct carrier_slab *slab = twin_alloc(1, sizeof(*slab));

    slab->next = peer->slabs;
    peer->slabs = slab;
    for (size_t i = 0; i < SLAB_CARRIERS; i++) {
        struct carrier *carrier = &slab->carriers[i];
        carrier->pbuf.custom_free_function = carrier_free;
        carrier->peer = peer;
        carrier->next = peer->carriers;
        peer->carriers = carrier;
    }
}

// Gives back every frame that lwIP or a connection still holds. lwIP's own state is of no use after
// that and is put back at the next start.
static void carriers_release(struct twin_peer *peer) {
    while (peer->slabs != NULL) {
        struct carrier_slab *slab = peer->slabs;

        peer->slabs = slab->next;
        for (size_t i = 0; i < SLAB_CARRIERS; i++) {
            if (slab->carriers[i].frame != NULL) {
                twin_frame_put(peer->config.frames, slab->carriers[i].frame);
            }
        }
        free(slab);
    }
}

static bool frame_is_welcome(struct twin_peer *peer, const struct twin_frame *frame) {
    bool group;

    if (frame->size_bytes < HEADER_BYTES || frame->size_bytes > HEADER_BYTES + MTU_BYTES) {
        peer->counters.bad_frames++;
        return false;
    }
    // What a network card sorts out before the host sees it; lwIP does not.
    group = (frame->data[0] & 1) != 0;
    if (!group && memcmp(frame->data, peer->config.address, ADDRESS_BYTES) != 0) {
        peer->counters.not_for_us++;
        return false;
    }
    return !peer->config.silent || frame->data[TYPE_OFFSET] != 0x08 ||
           frame->data[TYPE_OFFSET + 1] != 0x00;
}

static void frame_input(void *context, struct twin_frame *frame) {
    struct twin_peer *peer = context;
    struct carrier *carrier;
    struct pbuf *pbuf;

    if (!frame_is_welcome(peer, frame)) {
        twin_frame_put(peer->config.frames, frame);
        return;
    }
    if (peer->carriers == NULL) {
        carriers_grow(peer);
    }
    carrier = peer->carriers;
    peer->carriers = carrier->next;
    carrier->frame = frame;
    pbuf = pbuf_alloced_custom(
        PBUF_RAW,
        (uint16_t)frame->size_bytes,
        PBUF_REF,
        &carrier->pbuf,
        frame->data,
        sizeof(frame->data));
    if (peer->netif.input(pbuf, &peer->netif) != ERR_OK) {
        pbuf_free(pbuf);
    }
    timer_arm(peer);
}

static err_t frame_output(struct netif *netif, struct pbuf *pbuf) {
    struct twin_peer *peer = netif->state;
    struct twin_frame *frame;

    if (!peer->started) {
        return ERR_OK;  // its own announcement: this host has been up for long
    }
    frame = twin_frame_get(peer->config.frames);
    frame->size_bytes = pbuf_copy_partial(pbuf, frame->data, pbuf->tot_len, 0);
    peer->config.wire.input(peer->config.wire.context, frame);
    return ERR_OK;
}

static err_t netif_setup(struct netif *netif) {
    struct twin_peer *peer = netif->state;

    netif->name[0] = 'p';
    netif->name[1] = 'r';
    netif->mtu = MTU_BYTES;
    netif->hwaddr_len = ADDRESS_BYTES;
    memcpy(netif->hwaddr, peer->config.address, ADDRESS_BYTES);
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    netif->output = etharp_output;
    netif->linkoutput = frame_output;
    return ERR_OK;
}

static void deliver(struct twin_peer *peer, const struct pbuf *pbuf) {
    if (peer->config.received == NULL) {
        return;
    }
    for (const struct pbuf *piece = pbuf; piece != NULL; piece = piece->next) {
        peer->config.received(peer->config.context, piece->payload, piece->len);
    }
}

// ---- TCP

static void connection_free(struct connection *connection) {
    struct connection **link = &connection->peer->connections;

    while (*link != connection) {
        link = &(*link)->next;
    }
    *link = connection->next;
    for (size_t i = 0; i < connection->unread_count; i++) {
        pbuf_free(connection->unread[i]);
    }
    free(connection->unread);
    free(connection);
}

static void connection_finish(struct connection *connection) {
    struct twin_peer *peer = connection->peer;
    struct tcp_pcb *pcb = connection->pcb;

    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_err(pcb, NULL);
    // Without memory for the FIN lwIP tries again by itself, so there is nothing to do here.
    (void)tcp_close(pcb);
    connection_free(connection);
    if (peer->config.closed != NULL) {
        peer->config.closed(peer->config.context, true);
    }
}

// Lets the application read what there is. It may stop reading in the middle.
static void connection_read(struct connection *connection) {
    struct twin_peer *peer = connection->peer;
    uint64_t read_bytes = 0;
    size_t read_count = 0;

    if (connection->in_read) {
        return;  // the application reads on from within a read; the loop below sees it
    }
    connection->in_read = true;
    while (peer->reading && read_count < connection->unread_count) {
        struct pbuf *pbuf = connection->unread[read_count++];
        peer->counters.tcp_bytes += pbuf->tot_len;
        read_bytes += pbuf->tot_len;
        deliver(peer, pbuf);
        pbuf_free(pbuf);
    }
    connection->in_read = false;
    connection->unread_count -= read_count;
    if (connection->unread_count != 0) {
        memmove(
            connection->unread,
            connection->unread + read_count,
            connection->unread_count * sizeof(connection->unread[0]));
    }
    while (read_bytes != 0) {
        uint16_t step_bytes = (uint16_t)(read_bytes > UINT16_MAX ? UINT16_MAX : read_bytes);
        tcp_recved(connection->pcb, step_bytes);
        read_bytes -= step_bytes;
    }
    if (peer->reading && connection->fin && connection->unread_count == 0) {
        connection_finish(connection);
    }
}

static err_t connection_received(void *arg, struct tcp_pcb *pcb, struct pbuf *pbuf, err_t err) {
    struct connection *connection = arg;

    (void)pcb;
    (void)err;  // always ERR_OK in this version of lwIP
    if (pbuf == NULL) {
        connection->fin = true;
    } else {
        if (connection->unread_count == connection->unread_room) {
            connection->unread_room = connection->unread_room * 2 + 8;
            connection->unread = twin_realloc(
                connection->unread, connection->unread_room, sizeof(connection->unread[0]));
        }
        connection->unread[connection->unread_count++] = pbuf;
    }
    connection_read(connection);
    return ERR_OK;
}

// The connection is gone already when lwIP calls this.
static void connection_failed(void *arg, err_t err) {
    struct connection *connection = arg;
    struct twin_peer *peer = connection->peer;

    (void)err;
    connection_free(connection);
    if (peer->config.closed != NULL) {
        peer->config.closed(peer->config.context, false);
    }
}

static err_t connection_accepted(void *arg, struct tcp_pcb *pcb, err_t err) {
    struct twin_peer *peer = arg;
    struct connection *connection;

    if (err != ERR_OK || pcb == NULL) {
        return ERR_VAL;
    }
    connection = twin_alloc(1, sizeof(*connection));
    connection->peer = peer;
    connection->pcb = pcb;
    connection->next = peer->connections;
    peer->connections = connection;
    peer->counters.connections++;
    tcp_arg(pcb, connection);
    tcp_recv(pcb, connection_received);
    tcp_err(pcb, connection_failed);
    return ERR_OK;
}

// ---- UDP

static void udp_received(
    void *arg, struct udp_pcb *pcb, struct pbuf *pbuf, const ip_addr_t *address, uint16_t port) {
    struct twin_peer *peer = arg;

    (void)pcb;
    (void)address;
    (void)port;
    peer->counters.udp_datagrams++;
    peer->counters.udp_bytes += pbuf->tot_len;
    deliver(peer, pbuf);
    pbuf_free(pbuf);
}

// ---- the peer

static void serve(struct twin_peer *peer) {
    struct tcp_pcb *listener = tcp_new();
    struct udp_pcb *datagrams = udp_new();

    TWIN_CHECK(listener != NULL && datagrams != NULL);
    TWIN_CHECK(tcp_bind(listener, IP_ADDR_ANY, peer->config.port) == ERR_OK);
    listener = tcp_listen(listener);
    TWIN_CHECK(listener != NULL);
    tcp_arg(listener, peer);
    tcp_accept(listener, connection_accepted);
    TWIN_CHECK(udp_bind(datagrams, IP_ADDR_ANY, peer->config.port) == ERR_OK);
    udp_recv(datagrams, udp_received, peer);
}

struct twin_peer *twin_peer_new(const struct twin_peer_config *config) {
    uint32_t window_bytes =
        config->receive_window != 0 ? config->receive_window : WINDOW_DEFAULT_BYTES;
    struct twin_peer *peer;
    ip4_addr_t ip = {lwip_htonl(config->ip)};
    ip4_addr_t netmask = {lwip_htonl(config->netmask)};
    ip4_addr_t gateway = {0};

    if (!twin_lwip_start(config->sim, window_bytes)) {
        return NULL;
    }
    peer = twin_alloc(1, sizeof(*peer));
    peer->config = *config;
    peer->reading = true;
    twin_event_init(&peer->timer, timer_run, peer);
    TWIN_CHECK(
        netif_add(&peer->netif, &ip, &netmask, &gateway, peer, netif_setup, ethernet_input) !=
        NULL);
    netif_set_default(&peer->netif);
    netif_set_link_up(&peer->netif);
    netif_set_up(&peer->netif);
    if (!config->refuse) {
        serve(peer);
    }
    peer->started = true;
    timer_arm(peer);
    return peer;
}

void twin_peer_free(struct twin_peer *peer) {
    if (peer == NULL) {
        return;
    }
    twin_cancel(peer->config.sim, &peer->timer);
    while (peer->connections != NULL) {
        connection_free(peer->connections);
    }
    carriers_release(peer);
    twin_lwip_stop();
    free(peer);
}

void twin_peer_rearm(struct twin_peer *peer) {
    timer_arm(peer);
}

struct twin_sim *twin_peer_sim(const struct twin_peer *peer) {
    return peer->config.sim;
}

struct twin_port twin_peer_port(struct twin_peer *peer) {
    return (struct twin_port){.input = frame_input, .context = peer};
}

void twin_peer_get_counters(const struct twin_peer *peer, struct twin_peer_counters *counters) {
    *counters = peer->counters;
    counters->bad_checksums = (uint64_t)lwip_stats.ip.chkerr + lwip_stats.icmp.chkerr +
                              lwip_stats.udp.chkerr + lwip_stats.tcp.chkerr;
}

void twin_peer_set_reading(struct twin_peer *peer, bool reading) {
    struct connection *next;

    peer->reading = reading;
    if (!reading) {
        return;
    }
    for (struct connection *connection = peer->connections; connection != NULL; connection = next) {
        next = connection->next;
        connection_read(connection);
    }
    timer_arm(peer);
}
