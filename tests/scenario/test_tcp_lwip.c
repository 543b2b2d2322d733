// SPDX-License-Identifier: MIT
// Our TCP against lwIP's over a virtual wire with loss in both directions: what arrives is exact,
// and a table of goodputs.
//
// The radio here is ideal: a link of 34 Mbit/s that takes a frame whenever it is idle, so that the
// figures are those of the two stacks and the wire alone.
#include "coradio_twin/peer.h"
#include "test.h"

#include <stdlib.h>

#include "coradio/ip4.h"
#include "coradio/net.h"
#include "coradio/tcp.h"

#define RING_BYTES  65536
#define SEGMENTS    COR_TCP_SEGMENTS_FOR(RING_BYTES)
#define PEER_PORT   5001
#define BITS_PER_US 34
#define DELAY_NS    2000000ULL  // each way

static struct world {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_wire *wire;
    struct twin_peer *peer;
    struct cor_net net;
    struct cor_tcp tcp;
    struct cor_tcp_segment segments[SEGMENTS];
    uint32_t ring[RING_BYTES / 4];
    struct twin_event idle;   // the link has sent a frame
    struct twin_event timer;  // the stack's deadline
    uint32_t token;
    bool busy;
    // The application: a stream of `total` bytes, then it closes.
    uint64_t total;
    uint64_t written;
    uint64_t arrived;
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t gap_ns;    // longest time between two arrivals at the application
    uint64_t wrong_at;  // first byte that was wrong, or UINT64_MAX
    uint32_t closed_orderly;
    uint32_t closed_by_reset;
} w;

static uint8_t pattern(uint64_t i) {
    return (uint8_t)(i * 7 + (i >> 8) * 13 + (i >> 16) * 31);
}

static uint64_t now_us(void) {
    return twin_now_ns(w.sim) / 1000;
}

// Writes what fits, in place.
static void write_stream(void) {
    uint8_t *room;
    int32_t size = cor_tcp_send_buf(&w.tcp, &room);

    while (size > 0 && w.written < w.total) {
        uint64_t left = w.total - w.written;
        uint32_t take = left < (uint64_t)size ? (uint32_t)left : (uint32_t)size;

        for (uint32_t i = 0; i < take; i++) {
            room[i] = pattern(w.written + i);
        }
        cor_tcp_send_ack(&w.tcp, take, now_us());
        w.written += take;
        if (w.written == w.total) {
            CHECK_EQ(cor_tcp_close(&w.tcp, now_us()), COR_OK);
            return;
        }
        size = cor_tcp_send_buf(&w.tcp, &room);
    }
    if (size == 0) {
        cor_tcp_send_ack(&w.tcp, 0, now_us());
    }
}

static void pull_frame(void) {
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
    twin_after(w.sim, &w.idle, (uint64_t)frame->size_bytes * 8 * 1000 / BITS_PER_US);
    struct twin_port port = twin_wire_near(w.wire);
    port.input(port.context, frame);
}

// After anything that happened: the application first, then the radio, then the deadline.
static void go_on(void) {
    uint64_t deadline_us = cor_net_poll(&w.net, now_us());

    write_stream();
    pull_frame();
    deadline_us = cor_net_poll(&w.net, now_us());
    if (deadline_us == COR_NET_NEVER) {
        twin_cancel(w.sim, &w.timer);
    } else {
        twin_at(w.sim, &w.timer, deadline_us * 1000);
    }
}

static void link_idle(void *context) {
    struct cor_frame_source *source = cor_net_frames(&w.net);

    (void)context;
    w.busy = false;
    source->ops->sent(source, now_us(), w.token);
    go_on();
}

static void timer_due(void *context) {
    (void)context;
    go_on();
}

static void input(void *context, struct twin_frame *frame) {
    struct cor_frame_source *source = cor_net_frames(&w.net);
    static uint32_t aligned[(2 + TWIN_FRAME_BYTES_MAX) / 4 + 1];
    uint8_t *at = (uint8_t *)aligned + 2;

    (void)context;
    memcpy(at, frame->data, frame->size_bytes);
    (void)source->ops->input(source, now_us(), at, frame->size_bytes);
    twin_frame_put(w.frames, frame);
    go_on();
}

static void received(void *context, const uint8_t *data, uint32_t size_bytes) {
    (void)context;
    for (uint32_t i = 0; i < size_bytes && w.wrong_at == UINT64_MAX; i++) {
        if (data[i] != pattern(w.arrived + i)) {
            w.wrong_at = w.arrived + i;
        }
    }
    uint64_t gap_ns = w.arrived != 0 ? twin_now_ns(w.sim) - w.last_ns : 0;
    w.gap_ns = gap_ns > w.gap_ns ? gap_ns : w.gap_ns;
    w.arrived += size_bytes;
    w.last_ns = twin_now_ns(w.sim);
}

static void closed(void *context, bool orderly) {
    (void)context;
    w.closed_orderly += orderly;
    w.closed_by_reset += !orderly;
}

static void open_world(uint64_t seed, double loss, bool sack_off) {
    struct cor_net_config net = {
        .mac = {2, 0, 0, 0, 0, 2},
        .address = COR_IP4(192, 168, 4, 2),
        .netmask = 0xFFFFFF00,
        .secret = {1, 2},
    };

    memset(&w, 0, sizeof(w));
    w.wrong_at = UINT64_MAX;
    w.sim = twin_sim_new(seed, 1000000);
    w.frames = twin_frames_new();
    w.wire = twin_wire_new(&(struct twin_wire_config){
        .sim = w.sim,
        .frames = w.frames,
        .delay_ns = DELAY_NS,
        .loss = twin_chance(loss),
    });
    w.peer = twin_peer_new(&(struct twin_peer_config){
        .sim = w.sim,
        .frames = w.frames,
        .wire = twin_wire_far(w.wire),
        .address = {2, 0, 0, 0, 0, 1},
        .ip = COR_IP4(192, 168, 4, 1),
        .netmask = 0xFFFFFF00,
        .port = PEER_PORT,
        .received = received,
        .closed = closed,
    });
    CHECK(w.peer != NULL);
    twin_wire_connect_far(w.wire, twin_peer_port(w.peer));
    twin_wire_connect_near(w.wire, (struct twin_port){.input = input});
    twin_event_init(&w.idle, link_idle, NULL);
    twin_event_init(&w.timer, timer_due, NULL);
    cor_net_init(&w.net, &net, now_us());
    struct cor_tcp_config tcp = {
        .ring = (uint8_t *)w.ring,
        .ring_bytes = RING_BYTES,
        .segments = w.segments,
        .segment_count = SEGMENTS,
        .sack_off = sack_off,
    };
    cor_tcp_init(&w.tcp, &w.net, &tcp);
}

static void close_world(void) {
    twin_peer_free(w.peer);
    twin_wire_free(w.wire);
    twin_frames_free(w.frames);
    twin_sim_free(w.sim);
}

// Sends total bytes and closes; the goodput in kbit/s from the first frame with payload to the last
// byte at the peer's application.
static uint32_t transfer(uint64_t seed, uint64_t total, double loss, bool sack_off) {
    open_world(seed, loss, sack_off);
    w.total = total;
    CHECK_EQ(cor_tcp_connect(&w.tcp, COR_IP4(192, 168, 4, 1), PEER_PORT, now_us()), COR_OK);
    go_on();
    while (w.arrived < total && twin_now_ns(w.sim) < 600000000000ULL) {
        CHECK(twin_step(w.sim));
    }
    CHECK_EQ(w.arrived, total);
    CHECK(w.wrong_at == UINT64_MAX);
    uint64_t took_us = (w.last_ns - w.first_ns) / 1000;
    // The peer closes when it has seen our FIN; then both are done.
    twin_run_until(w.sim, twin_now_ns(w.sim) + 20000000000ULL);
    CHECK_EQ(w.closed_orderly, 1);
    CHECK_EQ(w.closed_by_reset, 0);
    CHECK_EQ(cor_tcp_error(&w.tcp), COR_OK);
    CHECK_EQ(cor_tcp_pending_bytes(&w.tcp), 0);
    CHECK_EQ(w.tcp.counters.bytes_acked, total);
    uint32_t kbit_s = (uint32_t)(total * 8000 / took_us);
    const struct cor_tcp_counters *c = cor_tcp_get_counters(&w.tcp);
    printf(
        "     seed %u loss %.1f %% %-7s %6u kbit/s  again: fast %u partial %u sack %u rto %u  "
        "timeouts %u, longest gap %u ms\n",
        (unsigned)seed,
        loss * 100,
        sack_off ? "NewReno" : "SACK",
        kbit_s,
        (unsigned)c->retransmit_fast,
        (unsigned)c->retransmit_partial,
        (unsigned)c->retransmit_sack,
        (unsigned)c->retransmit_rto,
        (unsigned)c->timeouts,
        (unsigned)(w.gap_ns / 1000000));
    close_world();
    return kbit_s;
}

// The median of three seeds.
static uint32_t median(double loss, bool sack_off) {
    uint32_t k[3];

    for (uint32_t i = 0; i < 3; i++) {
        k[i] = transfer(i + 1, 8 << 20, loss, sack_off);
    }
    uint32_t low = k[0] < k[1] ? k[0] : k[1];
    uint32_t high = k[0] < k[1] ? k[1] : k[0];
    return k[2] < low ? low : k[2] > high ? high : k[2];
}

TEST(without_loss_the_link_is_full) {
    // 1460 of 1514 bytes are payload: 32.8 Mbit/s at best.
    CHECK(median(0, false) >= 32000);
    CHECK(median(0, true) >= 32000);
}

// On such a pipe with 1 and 2 % of loss lwIP as a sender keeps 16 and 4 Mbit/s, Linux with Reno,
// SACK and RACK-TLP 23 and 17 (measured by others of this project, data frames lost only).
TEST(one_percent_of_loss_keeps_22_mbit_s) {
    CHECK(median(0.01, false) >= 22000);
    CHECK(w.gap_ns <= 300000000);
    CHECK(median(0.01, true) >= 18000);
}

TEST(two_percent_of_loss_keeps_16_mbit_s) {
    CHECK(median(0.02, false) >= 16000);
    CHECK(w.gap_ns <= 300000000);
    CHECK(median(0.02, true) >= 9000);
}

TEST(the_same_seed_gives_the_same_run) {
    uint32_t first = transfer(9, 1 << 20, 0.02, false);
    uint64_t sent = w.tcp.counters.segments_sent;

    CHECK_EQ(transfer(9, 1 << 20, 0.02, false), first);
    CHECK_EQ(w.tcp.counters.segments_sent, sent);
}

TEST(a_peer_that_refuses_is_told_from_one_that_is_silent) {
    for (uint32_t i = 0; i < 2; i++) {
        open_world(1, 0, false);
        twin_peer_free(w.peer);
        w.peer = twin_peer_new(&(struct twin_peer_config){
            .sim = w.sim,
            .frames = w.frames,
            .wire = twin_wire_far(w.wire),
            .address = {2, 0, 0, 0, 0, 1},
            .ip = COR_IP4(192, 168, 4, 1),
            .netmask = 0xFFFFFF00,
            .port = PEER_PORT,
            .refuse = i == 0,
            .silent = i == 1,
        });
        twin_wire_connect_far(w.wire, twin_peer_port(w.peer));
        w.tcp.config.connect_timeout_us = 5000000;
        CHECK_EQ(cor_tcp_connect(&w.tcp, COR_IP4(192, 168, 4, 1), PEER_PORT, now_us()), COR_OK);
        go_on();
        twin_run_until(w.sim, twin_now_ns(w.sim) + 6000000000ULL);
        CHECK_EQ(cor_tcp_error(&w.tcp), i == 0 ? COR_E_REFUSED : COR_E_TIMEOUT);
        close_world();
    }
}

TEST_MAIN(
    CASE(without_loss_the_link_is_full),
    CASE(one_percent_of_loss_keeps_22_mbit_s),
    CASE(two_percent_of_loss_keeps_16_mbit_s),
    CASE(the_same_seed_gives_the_same_run),
    CASE(a_peer_that_refuses_is_told_from_one_that_is_silent))
