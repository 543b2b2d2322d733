// SPDX-License-Identifier: MIT
// The steps of our stack.
#include "cost.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/checksum.h"
#include "coradio/net.h"
#include "coradio/tcp.h"

// A whole number of segments: room for one is then always in one piece.
#define RING_BYTES (44u * COST_SEGMENT_BYTES)
#define IN_FLIGHT  20u
#define SEGMENTS   COR_TCP_SEGMENTS_FOR(RING_BYTES)

static struct cor_net net;
static struct cor_tcp tcp;
static struct cor_tcp_segment segments[SEGMENTS];
static uint32_t ring[RING_BYTES / 4];
static uint32_t data[COST_SEGMENT_BYTES / 4];
static uint32_t head[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
static struct cor_frame_tx tx;
static enum cor_status pulled;
static uint64_t now_us = 1000000;
static uint32_t received_bytes;
static int32_t written_bytes;

_Noreturn void cor_panic(const char *file, int line, const char *what) {
    cost_failed(file, line, what);
}

static void receive(void *context, const uint8_t *bytes, uint32_t size_bytes) {
    (void)context;
    (void)bytes;
    received_bytes += size_bytes;
}

// ---- the steps

// What a call through the seam costs by itself.
static enum cor_status pull_nothing(
    struct cor_frame_source *source, uint64_t at_us, struct cor_frame_tx *to) {
    (void)source;
    (void)at_us;
    (void)to;
    return COR_OK;
}

static const struct cor_frame_source_ops nothing_ops = {.pull = pull_nothing};
static struct cor_frame_source nothing = {&nothing_ops};

static void step_nothing(void) {
    pulled = nothing.ops->pull(&nothing, now_us, &tx);
}

static void step_commit(void) {
    uint8_t *room;

    if (cor_tcp_send_buf(&tcp, &room) >= (int32_t)COST_SEGMENT_BYTES) {
        cor_tcp_send_ack(&tcp, COST_SEGMENT_BYTES, now_us);
    }
}

static void step_write(void) {
    written_bytes = cor_tcp_write(&tcp, (const uint8_t *)data, COST_SEGMENT_BYTES, now_us);
}

static void step_send(void) {
    pulled = net.frames.ops->pull(&net.frames, now_us, &tx);
}

static void step_sent(void) {
    net.frames.ops->sent(&net.frames, now_us, tx.token);
}

static void step_input(void) {
    (void)net.frames.ops->input(&net.frames, now_us, cost_frame, cost_frame_bytes);
}

static void step_poll(void) {
    (void)cor_net_poll(&net, now_us);
}

// ---- the sum, which a port may have in assembly, against the plain one

static uint16_t plain_sum(const uint8_t *at, uint32_t bytes) {
    uint32_t sum = 0;

    for (uint32_t i = 0; i < bytes; i++) {
        sum += (i & 1) != 0 ? at[i] : (uint32_t)at[i] << 8;
    }
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)(sum + (sum >> 16));
}

static void fill(uint8_t *at, uint32_t bytes, uint32_t seed) {
    for (uint32_t i = 0; i < bytes; i++) {
        seed = seed * 1664525u + 1013904223u;
        // Rows of ones now and then: they make carries.
        at[i] = (seed >> 29) == 0 ? (uint8_t)(seed >> 16) : 0xFF;
    }
}

static void check_sums(void) {
    uint8_t *source = (uint8_t *)ring;
    uint8_t *target = source + 4096;

    for (uint32_t bytes = 0; bytes < 600; bytes++) {
        uint32_t offset = bytes * 7 % 4;

        fill(source, bytes + 8, bytes);
        COST_CHECK(cor_sum_bytes(source + offset, bytes) == plain_sum(source + offset, bytes));
        memset(target, 0x55, bytes + 8);
        COST_CHECK(cor_sum_copy(target, source, bytes) == plain_sum(source, bytes));
        COST_CHECK(memcmp(target, source, bytes) == 0 && target[bytes] == 0x55);
    }
    memset(ring, 0, sizeof(ring));
}

// ---- the run

static void prepare(void) {
    tx = (struct cor_frame_tx){
        .head = (uint8_t *)head + 2,
        .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX,
    };
}

// Pulls and gives back everything that may go, unmeasured.
static void drain(void) {
    for (;;) {
        prepare();
        step_send();
        if (pulled != COR_OK) {
            return;
        }
        cost_peer_take(tx.head, tx.head_bytes + (uint32_t)tx.payload_bytes);
        step_sent();
    }
}

static void start(void) {
    struct cor_net_config config = {
        .address = COST_OUR_ADDRESS,
        .netmask = 0xFFFFFF00u,
        .secret = {1, 2},
    };
    struct cor_tcp_config tcp_config = {
        .ring = (uint8_t *)ring,
        .ring_bytes = RING_BYTES,
        .segments = segments,
        .segment_count = SEGMENTS,
        .receive = receive,
    };

    memcpy(config.mac, cost_our_mac, 6);
    cor_net_init(&net, &config, now_us);
    cor_tcp_init(&tcp, &net, &tcp_config);
    COST_CHECK(cor_tcp_connect(&tcp, COST_PEER_ADDRESS, COST_PEER_PORT, now_us) == COR_OK);
    drain();
    cost_peer_arp();
    step_input();
    drain();
    now_us += 1000;
    cost_peer_syn();
    step_input();
    drain();
    COST_CHECK(cor_tcp_state(&tcp) == COR_TCP_ESTABLISHED);
}

static void send_one(void) {
    prepare();
    cost_run(COST_SEND, step_send);
    COST_CHECK(pulled == COR_OK && tx.payload_bytes == COST_SEGMENT_BYTES);
    cost_peer_take(tx.head, tx.head_bytes + (uint32_t)tx.payload_bytes);
    now_us += 300;
    cost_run(COST_SENT, step_sent);
}

static void acknowledge(enum cost_step step) {
    cost_peer_ack();
    now_us += 1000;
    cost_run(step, step_input);
    COST_CHECK(cor_tcp_pending_bytes(&tcp) % COST_SEGMENT_BYTES == 0);
}

// Goes through slow start until the congestion window has room for half a ring and more.
static void open_window(void) {
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t j = 0; j < 40; j++) {
            step_commit();
        }
        drain();
        now_us += 1000;
        cost_peer_ack();
        step_input();
        drain();
        cost_peer_ack();
        step_input();
    }
    while (cor_tcp_pending_bytes(&tcp) != 0) {
        drain();
        now_us += 1000;
        cost_peer_ack();
        step_input();
    }
}

int main(void) {
    check_sums();
    start();
    open_window();
    // As in a long transfer over a ring of 64 KiB: half of it is in flight, and others wait.
    for (uint32_t i = 0; i < 38; i++) {
        step_commit();
    }
    for (uint32_t i = 0; i < IN_FLIGHT; i++) {
        prepare();
        step_send();
        COST_CHECK(pulled == COR_OK);
        cost_peer_take(tx.head, tx.head_bytes + (uint32_t)tx.payload_bytes);
        step_sent();
    }
    cost_peer.held_bytes = IN_FLIGHT * COST_SEGMENT_BYTES;
    for (uint32_t i = 0; i < COST_ROUNDS; i++) {
        uint32_t pending = cor_tcp_pending_bytes(&tcp);

        cost_run(COST_NOTHING, step_nothing);
        cost_run(COST_COMMIT, step_commit);
        cost_run(COST_COMMIT, step_commit);
        send_one();
        send_one();
        cost_run(COST_POLL, step_poll);
        acknowledge(COST_ACK_TWO);
        cost_run(COST_WRITE, step_write);
        COST_CHECK(written_bytes == (int32_t)COST_SEGMENT_BYTES);
        send_one();
        acknowledge(COST_ACK_ONE);
        COST_CHECK(cor_tcp_pending_bytes(&tcp) == pending);
    }
    for (uint32_t i = 0; i < COST_ROUNDS; i++) {
        cost_peer_data();
        now_us += 1000;
        cost_run(COST_RECEIVE, step_input);
        drain();
        cost_peer.held_bytes = 0;
        cost_peer_ack();  // of what drain() sent
        step_input();
        step_write();
    }
    COST_CHECK(received_bytes == COST_ROUNDS * COST_SEGMENT_BYTES);
    COST_CHECK(cor_tcp_get_counters(&tcp)->timeouts == 0);
    cost_report();
    return 0;
}
