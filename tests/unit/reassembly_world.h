// SPDX-License-Identifier: MIT
// Datagrams cut into fragments and given to the stack in any order, for the tests of reassembly.
#ifndef TESTS_REASSEMBLY_WORLD_H
#define TESTS_REASSEMBLY_WORLD_H

#include "net_host.h"

#include "coradio/reassembly.h"
#include "coradio/udp.h"

#define SLOTS      3
#define SLOT_BYTES 8192
#define PORT       4000
#define PIECES     512
#define MORE       0x2000

static struct host h_;
static struct cor_udp udp_;
static uint32_t udp_memory_[16];
static struct cor_udp_slot udp_slots_[1];
static struct cor_reassembly reassembly_;
static struct cor_reassembly_slot slots_[SLOTS];
static uint32_t memory_[COR_REASSEMBLY_BYTES(SLOTS, SLOT_BYTES) / 4];
static uint32_t random_;
// The datagram received last.
static uint8_t got_[65536];
static uint32_t got_bytes_;
static uint32_t got_count_;

// A datagram as the payload of a packet, and how it is cut.
struct piece {
    uint32_t first;
    uint32_t size;
    bool last;
};
static uint8_t payload_[65536 + 1480];
static uint32_t payload_bytes_;
static uint16_t id_;
static struct piece pieces_[PIECES];
static uint32_t piece_count_;

static uint32_t next_random(uint32_t below) {
    random_ = random_ * 1664525 + 1013904223;
    return (random_ >> 8) % below;
}

static inline void receive(void *context, const struct cor_udp_datagram *datagram) {
    (void)context;
    CHECK_EQ((uintptr_t)datagram->data % 4, 0);
    memcpy(got_, datagram->data, datagram->size_bytes);
    got_bytes_ = datagram->size_bytes;
    got_count_++;
}

static inline struct host *begin_with(uint32_t slot_count, uint32_t slot_bytes) {
    struct host *h = &h_;
    const struct cor_reassembly_config config = {
        .memory = (uint8_t *)memory_,
        .slots = slots_,
        .slot_count = (uint16_t)slot_count,
        .slot_bytes = (uint16_t)slot_bytes,
    };
    const struct cor_udp_config udp = {
        .memory = (uint8_t *)udp_memory_,
        .slot_bytes = 64,
        .slot_count = 1,
        .slots = udp_slots_,
        .local_port = PORT,
        .receive = receive,
    };
    struct cor_net_config net;

    memset(memory_, 0xEE, sizeof(memory_));
    cor_reassembly_init(&reassembly_, &config);
    start_net(h);
    net = h->net.config;
    net.reassembly = &reassembly_;
    cor_net_init(&h->net, &net, h->now_us);
    cor_udp_init(&udp_, &h->net, &udp);
    got_count_ = 0;
    got_bytes_ = 0;
    return h;
}

static inline struct host *begin(void) {
    return begin_with(SLOTS, SLOT_BYTES);
}

// Every fragment is in one counter, or waits.
static inline void check_counted(void) {
    const struct cor_reassembly_counters *c = cor_reassembly_get_counters(&reassembly_);

    CHECK_EQ(
        c->fragments_received,
        c->fragments_used + c->fragments_repeated + c->drop_length + c->drop_overlap +
            c->drop_size + c->drop_timeout + c->drop_evicted +
            cor_reassembly_waiting(&reassembly_));
}

// A datagram of this payload, with another identification than the last.
static inline void make(uint32_t size) {
    uint8_t ip[20 + 65536];

    id_++;
    payload_bytes_ = 8 + size;
    put16(payload_, 777);
    put16(payload_ + 2, PORT);
    put16(payload_ + 4, payload_bytes_);
    put16(payload_ + 6, 0);
    for (uint32_t i = 0; i < size; i++) {
        payload_[8 + i] = pattern(i + id_);
    }
    memset(ip, 0, 20);
    ip[9] = 17;
    put32(ip + 12, PEER_ADDRESS);
    put32(ip + 16, OUR_ADDRESS);
    memcpy(ip + 20, payload_, payload_bytes_);
    uint32_t sum = ~transport_sum(ip, payload_bytes_) & 0xFFFF;
    put16(payload_ + 6, sum == 0 ? 0xFFFF : sum);
}

// Cut as a router with this MTU does.
static inline void cut(uint32_t mtu) {
    uint32_t most = (mtu - 20) / 8 * 8;

    piece_count_ = 0;
    for (uint32_t at = 0; at < payload_bytes_; at += most) {
        struct piece *piece = &pieces_[piece_count_++];

        piece->first = at;
        piece->last = at + most >= payload_bytes_;
        piece->size = piece->last ? payload_bytes_ - at : most;
    }
}

static inline void shuffle(void) {
    for (uint32_t i = piece_count_; i > 1; i--) {
        uint32_t k = next_random(i);
        struct piece piece = pieces_[k];

        pieces_[k] = pieces_[i - 1];
        pieces_[i - 1] = piece;
    }
}

static inline uint8_t *build(const struct piece *piece, const uint8_t *data) {
    uint8_t *frame = new_frame(34 + piece->size);

    put_ip(frame, 17, piece->size);
    put16(frame + 18, id_);
    put16(frame + 20, piece->first / 8 + (piece->last ? 0 : MORE));
    put16(frame + 24, 0);
    put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
    memcpy(frame + 34, data, piece->size);
    return frame;
}

static uint32_t give_piece(struct host *h, const struct piece *piece) {
    return give(h, build(piece, payload_ + piece->first), 34 + piece->size);
}

static inline void give_all(struct host *h) {
    for (uint32_t i = 0; i < piece_count_; i++) {
        (void)give_piece(h, &pieces_[i]);
    }
}

static inline void expect_datagram(uint32_t count) {
    CHECK_EQ(got_count_, count);
    CHECK_EQ(got_bytes_, payload_bytes_ - 8);
    CHECK_BYTES(got_, payload_ + 8, got_bytes_);
    check_counted();
}

#endif
