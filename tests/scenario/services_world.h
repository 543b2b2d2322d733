// SPDX-License-Identifier: MIT
// A world in which our stack stands on a virtual wire without a radio between, and the peer's DHCP
// and DNS servers on the other end. A hash of all frames tells two runs apart.
#ifndef CORADIO_TESTS_SERVICES_WORLD_H
#define CORADIO_TESTS_SERVICES_WORLD_H

#include "coradio_twin/peer.h"
#include "coradio_twin/services.h"
#include "test.h"

#include "coradio/dhcp.h"
#include "coradio/dns.h"
#include "coradio/ip4.h"
#include "coradio/net.h"
#include "coradio/tcp.h"

#define PEER_IP    COR_IP4(192, 168, 1, 1)
#define FIRST_IP   COR_IP4(192, 168, 1, 100)
#define PEER_PORT  5001
#define FRAME_NS   50000u
#define DELAY_NS   1000000u
#define SECOND_NS  1000000000ull
#define RING_BYTES 8192

static const uint8_t board_mac[6] = {2, 0, 0, 0, 0, 1};

static struct services_world {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_wire *wire;
    struct twin_peer *peer;
    struct twin_services *services;
    struct cor_net net;
    struct cor_dhcp dhcp;
    struct cor_dns dns;
    struct cor_dns_query queries[3];
    struct cor_dns_entry entries[4];
    struct cor_tcp tcp;
    struct cor_tcp_segment segments[COR_TCP_SEGMENTS_FOR(RING_BYTES)];
    uint32_t ring[RING_BYTES / 4];
    bool use_dhcp;
    struct twin_event idle;
    struct twin_event timer;
    uint32_t token;
    bool busy;
    uint64_t hash;
    uint32_t frames_sent;
    // What the stack told.
    uint32_t leases;
    uint64_t leased_ns;
    uint32_t results;
    struct cor_dns_result result;
    uint64_t received_bytes;
} w;

static inline uint64_t now_us(void) {
    return twin_now_ns(w.sim) / 1000;
}

static inline void mix(const uint8_t *data, uint32_t size_bytes) {
    w.hash = (w.hash ^ twin_now_ns(w.sim)) * 0x100000001B3u;
    for (uint32_t i = 0; i < size_bytes; i++) {
        w.hash = (w.hash ^ data[i]) * 0x100000001B3u;
    }
}

static inline void pull_frame(void) {
    static uint32_t room[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
    struct cor_frame_source *source = cor_net_frames(&w.net);
    struct cor_frame_tx tx = {
        .head = (uint8_t *)room + 2,
        .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX,
    };

    if (w.busy || source->ops->pull(source, now_us(), &tx) != COR_OK) {
        return;
    }
    struct twin_frame *frame = twin_frame_get(w.frames);
    memcpy(frame->data, tx.head, tx.head_bytes);
    frame->size_bytes = tx.head_bytes;
    for (uint32_t i = 0; i < tx.piece_count; i++) {
        memcpy(frame->data + frame->size_bytes, tx.pieces[i].data, tx.pieces[i].size_bytes);
        frame->size_bytes += tx.pieces[i].size_bytes;
    }
    w.token = tx.token;
    w.busy = true;
    w.frames_sent++;
    mix(frame->data, frame->size_bytes);
    twin_after(w.sim, &w.idle, FRAME_NS);
    struct twin_port port = twin_wire_near(w.wire);
    port.input(port.context, frame);
}

static inline uint64_t sooner(uint64_t left, uint64_t right) {
    return left < right ? left : right;
}

// As a main loop does it: services and timers, then the radio, then the deadline.
static inline void go_on(void) {
    uint64_t deadline_us = w.use_dhcp ? cor_dhcp_poll(&w.dhcp, now_us()) : COR_NET_NEVER;

    deadline_us = sooner(deadline_us, cor_dns_poll(&w.dns, now_us()));
    (void)cor_net_poll(&w.net, now_us());
    pull_frame();
    deadline_us = sooner(deadline_us, cor_net_poll(&w.net, now_us()));
    if (deadline_us == COR_NET_NEVER) {
        twin_cancel(w.sim, &w.timer);
    } else {
        CHECK(deadline_us > now_us());
        twin_at(w.sim, &w.timer, deadline_us * 1000);
    }
}

static inline void link_idle(void *context) {
    struct cor_frame_source *source = cor_net_frames(&w.net);

    (void)context;
    w.busy = false;
    source->ops->sent(source, now_us(), w.token);
    go_on();
}

static inline void timer_due(void *context) {
    (void)context;
    go_on();
}

static inline void frame_input(void *context, struct twin_frame *frame) {
    struct cor_frame_source *source = cor_net_frames(&w.net);
    static uint32_t aligned[(2 + TWIN_FRAME_BYTES_MAX) / 4 + 1];
    uint8_t *at = (uint8_t *)aligned + 2;

    (void)context;
    memcpy(at, frame->data, frame->size_bytes);
    mix(at, frame->size_bytes);
    (void)source->ops->input(source, now_us(), at, frame->size_bytes);
    twin_frame_put(w.frames, frame);
    go_on();
}

static inline void lease_changed(void *context, const struct cor_dhcp_lease *lease) {
    (void)context;
    if (lease == NULL) {
        cor_dns_set_servers(&w.dns, NULL, 0);
        return;
    }
    w.leases++;
    w.leased_ns = twin_now_ns(w.sim);
    cor_dns_set_servers(&w.dns, lease->dns, lease->dns_count);
}

static inline void peer_received(void *context, const uint8_t *data, uint32_t size_bytes) {
    (void)context;
    (void)data;
    w.received_bytes += size_bytes;
}

static inline struct twin_dhcp_script dhcp_script(void) {
    return (struct twin_dhcp_script){
        .first = FIRST_IP,
        .count = 50,
        .netmask = 0xFFFFFF00u,
        .gateway = PEER_IP,
        .dns = {PEER_IP},
        .domain = "example",
        .lease_s = 7200,
    };
}

static inline void open_stack(void) {
    struct cor_net_config net = {.secret = {0x1122334455667788, 0x99AABBCCDDEEFF00}};
    struct cor_tcp_config tcp = {
        .ring = (uint8_t *)w.ring,
        .ring_bytes = RING_BYTES,
        .segments = w.segments,
        .segment_count = COR_TCP_SEGMENTS_FOR(RING_BYTES),
    };
    struct cor_dns_config dns = {
        .queries = w.queries, .query_count = 3, .entries = w.entries, .entry_count = 4};
    struct cor_dhcp_config dhcp = {.host_name = "pico", .changed = lease_changed};

    memcpy(net.mac, board_mac, 6);
    if (!w.use_dhcp) {
        net.address = FIRST_IP;
        net.netmask = 0xFFFFFF00u;
    }
    cor_net_init(&w.net, &net, now_us());
    cor_tcp_init(&w.tcp, &w.net, &tcp);
    cor_dns_init(&w.dns, &w.net, &dns);
    if (w.use_dhcp) {
        cor_dhcp_init(&w.dhcp, &w.net, &dhcp);
        cor_dhcp_start(&w.dhcp, now_us());
    } else {
        cor_dns_set_servers(&w.dns, (const uint32_t[]){PEER_IP}, 1);
    }
}

static inline void world_open(
    const struct twin_dhcp_script *dhcp, const struct twin_dns_script *dns) {
    struct twin_peer_config peer = {
        .address = {2, 0, 0, 0, 0, 2},
        .ip = PEER_IP,
        .netmask = 0xFFFFFF00u,
        .port = PEER_PORT,
        .received = peer_received,
    };

    memset(&w, 0, sizeof(w));
    w.use_dhcp = dhcp != NULL;
    w.sim = twin_sim_new(5, 7 * SECOND_NS);
    w.frames = twin_frames_new();
    w.wire = twin_wire_new(
        &(struct twin_wire_config){.sim = w.sim, .frames = w.frames, .delay_ns = DELAY_NS});
    peer.sim = w.sim;
    peer.frames = w.frames;
    peer.wire = twin_wire_far(w.wire);
    w.peer = twin_peer_new(&peer);
    CHECK(w.peer != NULL);
    w.services = twin_services_new(&peer, dhcp, dns);
    twin_wire_connect_far(w.wire, twin_peer_port(w.peer));
    twin_wire_connect_near(w.wire, (struct twin_port){.input = frame_input});
    twin_event_init(&w.idle, link_idle, NULL);
    twin_event_init(&w.timer, timer_due, NULL);
    open_stack();
    go_on();
}

static inline void world_close(void) {
    struct twin_peer_counters counters;

    twin_peer_get_counters(w.peer, &counters);
    CHECK_EQ(counters.bad_checksums, 0);
    twin_cancel(w.sim, &w.idle);
    twin_cancel(w.sim, &w.timer);
    twin_services_free(w.services);
    twin_peer_free(w.peer);
    twin_wire_free(w.wire);
    CHECK_EQ(twin_frames_out(w.frames), 0);
    twin_frames_free(w.frames);
    twin_sim_free(w.sim);
}

static inline void run_s(uint64_t seconds) {
    twin_run_until(w.sim, twin_now_ns(w.sim) + seconds * SECOND_NS);
}

static inline struct twin_services_counters counters(void) {
    struct twin_services_counters now;

    twin_services_get_counters(w.services, &now);
    return now;
}

#endif
