// SPDX-License-Identifier: MIT
// Our TCP against lwIP's over a virtual wire: one transfer in one direction, and what came of it.
//
// The radio here is ideal: a link of 34 Mbit/s in each direction that takes a frame whenever it is
// idle, so that the figures are those of the two stacks and the wire alone.
#ifndef CORADIO_TESTS_LWIP_PATH_H
#define CORADIO_TESTS_LWIP_PATH_H

#include "coradio_twin/peer.h"
#include "test.h"

#include "coradio/ip4.h"
#include "coradio/net.h"
#include "coradio/tcp.h"
#include "coradio/tcp_listen.h"

#define LWIP_RING_MAX    65536
#define LWIP_SEGMENTS    COR_TCP_SEGMENTS_FOR(LWIP_RING_MAX)
#define LWIP_PORT        5001
#define LWIP_BITS_PER_US 34
#define LWIP_QUEUE       512
#define LWIP_OUR_IP      COR_IP4(192, 168, 4, 2)
#define LWIP_ITS_IP      COR_IP4(192, 168, 4, 1)

struct lwip_plan {
    uint64_t seed;
    uint64_t delay_ns;  // each way
    uint64_t total;     // bytes; the sender then closes
    uint64_t until_ns;  // or so long after the first byte; 0: no bound
    double loss;        // in both directions
    uint32_t ring_bytes;
    bool receive;  // lwIP sends
    bool sack_off;
    uint64_t connect_timeout_us;
    const struct cor_tcp_controller *controller;
};

static struct lwip_path {
    struct lwip_plan plan;
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_wire *wire;
    struct twin_peer *peer;
    struct twin_peer_sender *sender;
    struct cor_net net;
    struct cor_tcp tcp;
    struct cor_tcp *block;
    struct cor_tcp_listener listener;
    struct cor_tcp_segment segments[LWIP_SEGMENTS];
    uint32_t ring[LWIP_RING_MAX / 4];
    uint8_t receive_ring[LWIP_RING_MAX];
    struct twin_event idle;             // the link has sent a frame
    struct twin_event taken;            // and received one
    struct twin_event timer;            // the stack's deadline
    struct twin_frame *in[LWIP_QUEUE];  // what the link has to receive
    uint32_t in_head;
    uint32_t in_tail;
    uint32_t token;
    bool busy;
    uint64_t written;
    uint64_t arrived;
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t gap_ns;    // longest time between two arrivals at the application
    uint64_t wrong_at;  // first byte that was wrong, or UINT64_MAX
    uint32_t closed_orderly;
    uint32_t closed_by_reset;
} w;

static inline uint8_t stream_byte(uint64_t i) {
    return (uint8_t)(i * 7 + (i >> 8) * 13 + (i >> 16) * 31);
}

static inline uint64_t now_us(void) {
    return twin_now_ns(w.sim) / 1000;
}

static inline void note_arrival(const uint8_t *data, uint32_t size_bytes) {
    for (uint32_t i = 0; i < size_bytes && w.wrong_at == UINT64_MAX; i++) {
        if (data[i] != stream_byte(w.arrived + i)) {
            w.wrong_at = w.arrived + i;
        }
    }
    uint64_t gap_ns = w.arrived != 0 ? twin_now_ns(w.sim) - w.last_ns : 0;
    w.gap_ns = gap_ns > w.gap_ns ? gap_ns : w.gap_ns;
    w.arrived += size_bytes;
    w.last_ns = twin_now_ns(w.sim);
}

// --- Our application ---

// Writes what fits, in place.
static inline void write_stream(void) {
    uint8_t *room;
    int32_t size = cor_tcp_send_buf(&w.tcp, &room);

    while (size > 0 && w.written < w.plan.total) {
        uint64_t left = w.plan.total - w.written;
        uint32_t take = left < (uint64_t)size ? (uint32_t)left : (uint32_t)size;

        for (uint32_t i = 0; i < take; i++) {
            room[i] = stream_byte(w.written + i);
        }
        cor_tcp_send_ack(&w.tcp, take, now_us());
        w.written += take;
        if (w.written == w.plan.total) {
            CHECK_EQ(cor_tcp_close(&w.tcp, now_us()), COR_OK);
            return;
        }
        size = cor_tcp_send_buf(&w.tcp, &room);
    }
    if (size == 0) {
        cor_tcp_send_ack(&w.tcp, 0, now_us());
    }
}

static inline void read_stream(void) {
    const uint8_t *data;
    int32_t size;

    (void)cor_tcp_accept(&w.listener);
    while ((size = cor_tcp_receive_buf(&w.tcp, &data)) > 0) {
        note_arrival(data, (uint32_t)size);
        cor_tcp_receive_ack(&w.tcp, (uint32_t)size, now_us());
    }
    if (size == COR_E_CLOSED) {
        (void)cor_tcp_close(&w.tcp, now_us());
    }
}

// --- The link ---

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
    w.first_ns = w.first_ns == 0 && tx.payload_bytes != 0 ? twin_now_ns(w.sim) : w.first_ns;
    twin_after(w.sim, &w.idle, (uint64_t)frame->size_bytes * 8 * 1000 / LWIP_BITS_PER_US);
    struct twin_port port = twin_wire_near(w.wire);
    port.input(port.context, frame);
}

// After anything that happened: the application first, then the radio, then the deadline.
static inline void go_on(void) {
    uint64_t deadline_us = cor_net_poll(&w.net, now_us());

    if (w.plan.receive) {
        read_stream();
    } else {
        write_stream();
    }
    pull_frame();
    deadline_us = cor_net_poll(&w.net, now_us());
    if (deadline_us == COR_NET_NEVER) {
        twin_cancel(w.sim, &w.timer);
    } else {
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

static inline void start_taking(void) {
    uint64_t bits = (uint64_t)w.in[w.in_head % LWIP_QUEUE]->size_bytes * 8;

    twin_after(w.sim, &w.taken, bits * 1000 / LWIP_BITS_PER_US);
}

static inline void link_took(void *context) {
    struct cor_frame_source *source = cor_net_frames(&w.net);
    static uint32_t aligned[(2 + TWIN_FRAME_BYTES_MAX) / 4 + 1];
    uint8_t *at = (uint8_t *)aligned + 2;
    struct twin_frame *frame = w.in[w.in_head++ % LWIP_QUEUE];

    (void)context;
    if (w.in_head != w.in_tail) {
        start_taking();
    }
    memcpy(at, frame->data, frame->size_bytes);
    (void)source->ops->input(source, now_us(), at, frame->size_bytes);
    twin_frame_put(w.frames, frame);
    go_on();
}

// The other direction of the link takes as long for a frame; what comes meanwhile waits.
static inline void input(void *context, struct twin_frame *frame) {
    (void)context;
    CHECK(w.in_tail - w.in_head < LWIP_QUEUE);
    w.in[w.in_tail++ % LWIP_QUEUE] = frame;
    if (w.in_tail - w.in_head == 1) {
        start_taking();
    }
}

// --- Its application ---

static inline void received(void *context, const uint8_t *data, uint32_t size_bytes) {
    (void)context;
    note_arrival(data, size_bytes);
}

static inline uint32_t fill_stream(void *context, uint8_t *into, uint32_t room_bytes) {
    uint64_t left = w.plan.total - w.written;
    uint32_t size = left < room_bytes ? (uint32_t)left : room_bytes;

    (void)context;
    for (uint32_t i = 0; i < size; i++) {
        into[i] = stream_byte(w.written + i);
    }
    w.first_ns = w.first_ns == 0 ? twin_now_ns(w.sim) : w.first_ns;
    w.written += size;
    return size;
}

static inline void closed(void *context, bool orderly) {
    (void)context;
    w.closed_orderly += orderly;
    w.closed_by_reset += !orderly;
}

// --- The world ---

static inline struct twin_peer_config its_config(void) {
    return (struct twin_peer_config){
        .sim = w.sim,
        .frames = w.frames,
        .wire = twin_wire_far(w.wire),
        .address = {2, 0, 0, 0, 0, 1},
        .ip = LWIP_ITS_IP,
        .netmask = 0xFFFFFF00,
        .port = LWIP_PORT,
        .received = received,
        .closed = closed,
    };
}

static inline void close_path(void) {
    if (w.sim == NULL) {
        return;
    }
    if (w.sender != NULL) {
        twin_peer_sender_free(w.sender);
    }
    while (w.in_head != w.in_tail) {
        twin_frame_put(w.frames, w.in[w.in_head++ % LWIP_QUEUE]);
    }
    twin_peer_free(w.peer);
    twin_wire_free(w.wire);
    twin_frames_free(w.frames);
    twin_sim_free(w.sim);
    w.sim = NULL;
}

static inline void open_tcp(void) {
    struct cor_tcp_config tcp = {
        .ring = (uint8_t *)w.ring,
        .ring_bytes = w.plan.receive ? LWIP_RING_MAX : w.plan.ring_bytes,
        .segments = w.segments,
        .segment_count = LWIP_SEGMENTS,
        .sack_off = w.plan.sack_off,
        .controller = w.plan.controller,
        .connect_timeout_us = w.plan.connect_timeout_us,
        .receive_ring = w.plan.receive ? w.receive_ring : NULL,
        .receive_ring_bytes = w.plan.receive ? w.plan.ring_bytes : 0,
    };
    struct cor_tcp_listen_config listen = {.port = LWIP_PORT, .blocks = &w.block, .block_count = 1};
    struct twin_peer_send_config send = {
        .ip = LWIP_OUR_IP, .port = LWIP_PORT, .fill = fill_stream, .closed = closed};

    cor_tcp_init(&w.tcp, &w.net, &tcp);
    w.block = &w.tcp;
    if (w.plan.receive) {
        CHECK_EQ(cor_tcp_listen(&w.listener, &w.net, &listen), COR_OK);
        w.sender = twin_peer_send(w.peer, &send);
        CHECK(w.sender != NULL);
    } else {
        CHECK_EQ(cor_tcp_connect(&w.tcp, LWIP_ITS_IP, LWIP_PORT, now_us()), COR_OK);
    }
    go_on();
}

static inline void open_path(const struct lwip_plan *plan) {
    struct cor_net_config net = {
        .mac = {2, 0, 0, 0, 0, 2},
        .address = LWIP_OUR_IP,
        .netmask = 0xFFFFFF00,
        .secret = {1, 2},
    };

    close_path();  // of a case that failed
    memset(&w, 0, sizeof(w));
    w.plan = *plan;
    w.wrong_at = UINT64_MAX;
    w.sim = twin_sim_new(plan->seed, 1000000);
    w.frames = twin_frames_new();
    w.wire = twin_wire_new(&(struct twin_wire_config){
        .sim = w.sim,
        .frames = w.frames,
        .delay_ns = plan->delay_ns,
        .loss = twin_chance(plan->loss),
    });
    struct twin_peer_config peer = its_config();
    w.peer = twin_peer_new(&peer);
    CHECK(w.peer != NULL);
    twin_wire_connect_far(w.wire, twin_peer_port(w.peer));
    twin_wire_connect_near(w.wire, (struct twin_port){.input = input});
    twin_event_init(&w.idle, link_idle, NULL);
    twin_event_init(&w.taken, link_took, NULL);
    twin_event_init(&w.timer, timer_due, NULL);
    cor_net_init(&w.net, &net, now_us());
}

// Until everything has arrived, or the time is over. Goodput in kbit/s since the first byte.
static inline uint32_t run_transfer(void) {
    uint64_t end_ns = UINT64_MAX;

    while (w.arrived < w.plan.total && twin_now_ns(w.sim) < end_ns) {
        CHECK(twin_now_ns(w.sim) < 600000000000ULL);
        CHECK(twin_step(w.sim));
        if (w.first_ns != 0 && w.plan.until_ns != 0) {
            end_ns = w.first_ns + w.plan.until_ns;
        }
    }
    CHECK(w.wrong_at == UINT64_MAX);
    uint64_t last_ns = w.plan.until_ns != 0 ? end_ns : w.last_ns;
    return (uint32_t)(w.arrived * 8000000 / (last_ns - w.first_ns));
}

#endif
