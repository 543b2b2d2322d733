// SPDX-License-Identifier: MIT
// Net host: a stack under test with nothing around it. A test injects one frame, pulls one and says
// what it must be, at a time it sets itself.
//
// The frames of the peer are built and ours are taken apart by code of its own, byte by byte, so
// that a mistake of the stack cannot agree with itself.
#ifndef CORADIO_TESTS_NET_HOST_H
#define CORADIO_TESTS_NET_HOST_H

#include "test.h"

#include <stdlib.h>

#include "coradio/ip4.h"
#include "coradio/net.h"
#include "coradio/tcp.h"

#define OUR_ADDRESS  COR_IP4(10, 0, 0, 2)
#define PEER_ADDRESS COR_IP4(10, 0, 0, 1)
#define PEER_PORT    5001
#define MS           1000ULL
#define SECOND       1000000ULL

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16, URG = 32, ECE = 64, CWR = 128 };

static const uint8_t our_mac[6] = {0x02, 0, 0, 0, 0, 0x02};
static const uint8_t peer_mac[6] = {0x02, 0, 0, 0, 0, 0x01};
static const uint8_t all_mac[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

// As a window or segment size: nothing, where 0 means the usual.
#define NONE 0x10000

#define HOST_RING_BYTES 65536
#define HOST_SEGMENTS   64

struct host {
    struct cor_net net;
    struct cor_tcp tcp;
    struct cor_tcp_segment segments[HOST_SEGMENTS];
    uint32_t ring[HOST_RING_BYTES / 4];
    uint64_t now_us;
    uint32_t iss;   // ours, learned from the SYN
    uint32_t irs;   // the peer's
    uint16_t port;  // ours
    bool hold;      // frames stay in the queue of the bus
    uint32_t held[256];
    uint32_t held_count;
    enum cor_meter_state blocked;
    // The last frame pulled, in one piece.
    uint8_t frame[2048];
    uint32_t frame_bytes;
    uint32_t payload_bytes;
    // What a receive callback got.
    uint8_t received[4096];
    uint32_t received_bytes;
};

// Sequence numbers are relative to each side's first.
struct seg {
    uint32_t seq;
    uint32_t ack;
    uint32_t len;
    uint32_t win;  // 0: 65535; NONE: a closed window
    uint32_t flags;
    const uint8_t *data;  // NULL: a pattern
    uint32_t mss;         // of a SYN; 0: 1460; NONE: no option
    int shift;            // 0: no option, else shift + 1
    bool sack_ok;
    uint32_t sacks[6];  // pairs, relative to our first; 0 ends
    const uint8_t *options;
    uint32_t options_bytes;
};

static inline void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value);
}

static inline uint32_t get16(const uint8_t *at) {
    return (uint32_t)at[0] * 256 + at[1];
}

static inline uint32_t get32(const uint8_t *at) {
    return get16(at) * 65536 + get16(at + 2);
}

// RFC 1071 as it is written: one 16-bit word after the other.
static inline uint32_t plain_sum(const uint8_t *data, uint32_t size, uint32_t sum) {
    for (uint32_t i = 0; i + 1 < size; i += 2) {
        sum += get16(data + i);
    }
    if (size % 2 != 0) {
        sum += (uint32_t)data[size - 1] * 256;
    }
    while (sum > 0xFFFF) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return sum;
}

static inline uint32_t transport_sum(const uint8_t *ip, uint32_t size) {
    return plain_sum(ip + 20, size, plain_sum(ip + 12, 8, ip[9] + size));
}

// A peer's frame in memory of just its size, at 2 modulo 4, so that the sanitizer sees each byte
// too far. Freed by give().
static inline uint8_t *new_frame(uint32_t size) {
    return (uint8_t *)malloc(size + 2) + 2;
}

static inline uint32_t give(struct host *h, uint8_t *frame, uint32_t size) {
    struct cor_frame_source *source = cor_net_frames(&h->net);
    uint32_t taken = source->ops->input(source, h->now_us, frame, size);

    free(frame - 2);
    return taken;
}

static inline void put_ip(uint8_t *frame, uint8_t protocol, uint32_t payload_bytes) {
    memcpy(frame, our_mac, 6);
    memcpy(frame + 6, peer_mac, 6);
    put16(frame + 12, 0x0800);
    uint8_t *ip = frame + 14;
    memset(ip, 0, 20);
    ip[0] = 0x45;
    put16(ip + 2, 20 + payload_bytes);
    put16(ip + 4, 0x1234);
    ip[8] = 64;
    ip[9] = protocol;
    put32(ip + 12, PEER_ADDRESS);
    put32(ip + 16, OUR_ADDRESS);
    put16(ip + 10, ~plain_sum(ip, 20, 0));
}

static inline uint32_t put_options(const struct host *h, const struct seg *seg, uint8_t *at) {
    uint32_t n = 0;

    if ((seg->flags & SYN) != 0 && seg->mss != NONE) {
        at[n] = 2;
        at[n + 1] = 4;
        put16(at + n + 2, seg->mss != 0 ? seg->mss : 1460);
        n += 4;
    }
    if (seg->shift != 0) {
        at[n] = 1;
        at[n + 1] = 3;
        at[n + 2] = 3;
        at[n + 3] = (uint8_t)(seg->shift - 1);
        n += 4;
    }
    if (seg->sack_ok) {
        memcpy(at + n, "\1\1\4\2", 4);
        n += 4;
    }
    uint32_t pairs = 0;
    while (pairs < 3 && seg->sacks[2 * pairs + 1] != 0) {
        pairs++;
    }
    if (pairs != 0) {
        at[n] = 1;
        at[n + 1] = 1;
        at[n + 2] = 5;
        at[n + 3] = (uint8_t)(2 + 8 * pairs);
        for (uint32_t i = 0; i < 2 * pairs; i++) {
            put32(at + n + 4 + 4 * i, h->iss + seg->sacks[i]);
        }
        n += 4 + 8 * pairs;
    }
    memcpy(at + n, seg->options, seg->options_bytes);
    return n + seg->options_bytes;
}

static inline uint8_t pattern(uint32_t i) {
    return (uint8_t)(i * 7 + (i >> 8) * 13);
}

// The peer's segment as a frame of *size bytes.
static inline uint8_t *build_segment(const struct host *h, const struct seg *seg, uint32_t *size) {
    uint8_t options[64];
    static const uint8_t none[1];
    struct seg copy = *seg;

    copy.options = seg->options != NULL ? seg->options : none;
    uint32_t header = 20 + put_options(h, &copy, options);
    uint8_t *frame = new_frame(34 + header + seg->len);
    uint8_t *at = frame + 34;
    put_ip(frame, 6, header + seg->len);
    memset(at, 0, 20);
    put16(at, PEER_PORT);
    put16(at + 2, h->port);
    put32(at + 4, h->irs + seg->seq);
    put32(at + 8, (seg->flags & ACK) != 0 ? h->iss + seg->ack : 0);
    at[12] = (uint8_t)(header / 4 << 4);
    at[13] = (uint8_t)seg->flags;
    put16(at + 14, seg->win != 0 ? seg->win : 0xFFFF);
    memcpy(at + 20, options, header - 20);
    for (uint32_t i = 0; i < seg->len; i++) {
        at[header + i] = seg->data != NULL ? seg->data[i] : pattern(seg->seq + i);
    }
    put16(at + 16, ~transport_sum(frame + 14, header + seg->len));
    *size = 34 + header + seg->len;
    return frame;
}

static inline uint32_t send_segment(struct host *h, const struct seg *seg) {
    uint32_t size;
    uint8_t *frame = build_segment(h, seg, &size);

    return give(h, frame, size);
}

#define SEND(h, ...) (void)send_segment(h, &(struct seg){__VA_ARGS__})

// Pulls one frame into h->frame, and checks the rules that all frames obey. False: nothing to send.
static inline bool pull(struct host *h) {
    static uint32_t room[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
    struct cor_frame_source *source = cor_net_frames(&h->net);
    struct cor_frame_tx tx = {
        .head = (uint8_t *)room + 2,
        .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX,
    };

    if (source->ops->pull(source, h->now_us, &tx) != COR_OK) {
        h->blocked = tx.blocked;
        return false;
    }
    CHECK(tx.head_bytes >= 14 && tx.head_bytes <= COR_FRAME_HEAD_BYTES_MAX);
    memcpy(h->frame, tx.head, tx.head_bytes);
    h->frame_bytes = tx.head_bytes;
    for (uint32_t i = 0; i < tx.piece_count; i++) {
        CHECK_EQ((uintptr_t)tx.pieces[i].data % 4, 0);
        CHECK(i + 1U == tx.piece_count || tx.pieces[i].size_bytes % 4 == 0);
        CHECK(tx.pieces[i].size_bytes > 0);
        memcpy(h->frame + h->frame_bytes, tx.pieces[i].data, tx.pieces[i].size_bytes);
        h->frame_bytes += tx.pieces[i].size_bytes;
    }
    // Pieces follow the head word by word only if the head ends at a word.
    CHECK(tx.piece_count == 0 || (2 + tx.head_bytes) % 4 == 0);
    CHECK(h->frame_bytes <= COR_FRAME_BYTES_MAX);
    h->payload_bytes = tx.payload_bytes;
    if (h->hold) {
        CHECK(h->held_count < 256);
        h->held[h->held_count++] = tx.token;
    } else {
        source->ops->sent(source, h->now_us, tx.token);
    }
    return true;
}

static inline void sent_all(struct host *h) {
    struct cor_frame_source *source = cor_net_frames(&h->net);

    for (uint32_t i = 0; i < h->held_count; i++) {
        source->ops->sent(source, h->now_us, h->held[i]);
    }
    h->held_count = 0;
}

// A pulled IPv4 frame to the peer is well formed; returns its payload's size.
static inline uint32_t check_ip(const struct host *h, uint8_t protocol) {
    const uint8_t *ip = h->frame + 14;

    CHECK_BYTES(h->frame, peer_mac, 6);
    CHECK_BYTES(h->frame + 6, our_mac, 6);
    CHECK_EQ(get16(h->frame + 12), 0x0800);
    CHECK_EQ(ip[0], 0x45);
    CHECK_EQ(get16(ip + 2), h->frame_bytes - 14);
    CHECK_EQ(get16(ip + 6), 0x4000);
    CHECK_EQ(plain_sum(ip, 20, 0), 0xFFFF);
    CHECK_EQ(ip[9], protocol);
    CHECK_EQ(get32(ip + 12), OUR_ADDRESS);
    CHECK_EQ(get32(ip + 16), PEER_ADDRESS);
    return h->frame_bytes - 34;
}

// The next frame is this segment: flags, seq and len always count, ack where ACK is set, win and
// data where given.
static inline void expect_segment(struct host *h, const struct seg *seg) {
    const uint8_t *at = h->frame + 34;

    CHECK(pull(h));
    uint32_t size = check_ip(h, 6);
    uint32_t header = at[12] / 16U * 4;
    CHECK_EQ(transport_sum(h->frame + 14, size), 0xFFFF);
    CHECK_EQ(at[13], seg->flags);
    if ((seg->flags & SYN) != 0 && (seg->flags & ACK) == 0) {
        h->iss = get32(at + 4);
        h->port = (uint16_t)get16(at);
    }
    CHECK_EQ(get16(at), h->port);
    CHECK_EQ(get16(at + 2), PEER_PORT);
    CHECK_EQ(get32(at + 4) - h->iss, seg->seq);
    if ((seg->flags & ACK) != 0) {
        CHECK_EQ(get32(at + 8) - h->irs, seg->ack);
    }
    CHECK_EQ(size - header, seg->len);
    if (seg->win != 0) {
        CHECK_EQ(get16(at + 14), seg->win);
    }
    for (uint32_t i = 0; i < seg->len; i++) {
        CHECK_EQ(at[header + i], pattern(seg->seq + i));
    }
}

#define EXPECT(h, ...) expect_segment(h, &(struct seg){__VA_ARGS__})

static inline void expect_nothing(struct host *h) {
    CHECK(!pull(h));
}

// Moves time forward, running what is due on the way at its time.
static inline void at(struct host *h, uint64_t now_us) {
    uint64_t due_us = cor_net_poll(&h->net, h->now_us);

    while (due_us <= now_us) {
        CHECK(due_us > h->now_us);
        h->now_us = due_us;
        due_us = cor_net_poll(&h->net, h->now_us);
    }
    h->now_us = now_us;
}

static inline void after(struct host *h, uint64_t wait_us) {
    at(h, h->now_us + wait_us);
}

// The stream's byte at sequence number n (relative; the first is 1) is pattern(n).
static inline uint32_t fill(struct host *h, uint32_t size) {
    static uint8_t data[1 << 20];
    uint32_t start = h->tcp.snd_end - h->iss;

    for (uint32_t i = 0; i < size; i++) {
        data[i] = pattern(start + i);
    }
    int32_t taken = cor_tcp_write(&h->tcp, data, size, h->now_us);
    CHECK(taken >= 0);
    return (uint32_t)taken;
}

static inline void take(void *context, const uint8_t *data, uint32_t size) {
    struct host *h = context;

    CHECK(h->received_bytes + size <= sizeof(h->received));
    memcpy(h->received + h->received_bytes, data, size);
    h->received_bytes += size;
}

static inline void answer_arp(struct host *h) {
    uint8_t *frame = new_frame(42);

    memcpy(frame, our_mac, 6);
    memcpy(frame + 6, peer_mac, 6);
    put16(frame + 12, 0x0806);
    memcpy(frame + 14, "\0\1\x08\0\6\4\0\2", 8);
    memcpy(frame + 22, peer_mac, 6);
    put32(frame + 28, PEER_ADDRESS);
    memcpy(frame + 32, our_mac, 6);
    put32(frame + 38, OUR_ADDRESS);
    (void)give(h, frame, 42);
}

static inline void expect_arp_request(struct host *h, uint32_t address) {
    CHECK(pull(h));
    CHECK_EQ(h->frame_bytes, 42);
    CHECK_EQ(get16(h->frame + 12), 0x0806);
    CHECK_BYTES(h->frame + 14, "\0\1\x08\0\6\4\0\1", 8);
    CHECK_BYTES(h->frame + 22, our_mac, 6);
    CHECK_EQ(get32(h->frame + 28), OUR_ADDRESS);
    CHECK_EQ(get32(h->frame + 38), address);
}

static inline void start_net(struct host *h) {
    struct cor_net_config config = {
        .address = OUR_ADDRESS,
        .netmask = 0xFFFFFF00,
        .gateway = COR_IP4(10, 0, 0, 254),
        .secret = {0x0706050403020100, 0x0F0E0D0C0B0A0908},
    };

    memset(h, 0, sizeof(*h));
    h->now_us = 1000 * SECOND;
    h->irs = 0xFFFFF000;  // the peer's numbers wrap soon
    memcpy(config.mac, our_mac, 6);
    cor_net_init(&h->net, &config, h->now_us);
}

static inline struct cor_tcp_config default_tcp(struct host *h) {
    return (struct cor_tcp_config){
        .ring = (uint8_t *)h->ring,
        .ring_bytes = HOST_RING_BYTES,
        .segments = h->segments,
        .segment_count = HOST_SEGMENTS,
        .nagle_off = true,
        .receive = take,
        .context = h,
    };
}

// With a SYN sent.
static inline void start_connect(struct host *h, const struct cor_tcp_config *config) {
    cor_tcp_init(&h->tcp, &h->net, config);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    EXPECT(h, .flags = SYN, .seq = 0);
}

// Open, over a peer with the options of syn_ack.
static inline void start_open(
    struct host *h, const struct cor_tcp_config *config, const struct seg *syn_ack) {
    start_connect(h, config);
    after(h, 10 * MS);
    (void)send_segment(h, syn_ack);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    expect_nothing(h);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
}

#define SYN_ACK(...) (&(struct seg){.flags = SYN | ACK, .ack = 1, __VA_ARGS__})

// Open in the usual way: MSS 1460, a window of 65535, 10 ms of round trip, no SACK.
static inline void start(struct host *h) {
    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK());
}

#endif
