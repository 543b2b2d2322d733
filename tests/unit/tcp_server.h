// SPDX-License-Identifier: MIT
// TCP server: a listener under test with three blocks, and a peer with as many ports as it likes.
#ifndef CORADIO_TESTS_TCP_SERVER_H
#define CORADIO_TESTS_TCP_SERVER_H

#include "net_host.h"

#include "coradio/tcp_listen.h"
#include "coradio/tcp_receive.h"

#define PORT   80
#define BLOCKS 3
#define RING   8192

static struct server {
    struct host h;  // its own connection is not used
    struct cor_tcp_listener listener;
    struct cor_tcp tcp[BLOCKS];
    struct cor_tcp *blocks[BLOCKS];
    struct cor_tcp_segment segments[BLOCKS][16];
    uint32_t rings[BLOCKS][RING / 4];
    uint8_t receive_rings[BLOCKS][RING];
    uint32_t address;  // of the peer that sends next
    struct cor_tcp *told;
    uint32_t told_events;
    uint32_t told_count;
} s_;

static inline struct server *listening(
    const struct cor_tcp_listen_config *plan, uint32_t block_count) {
    struct server *s = &s_;
    struct cor_tcp_listen_config config = *plan;

    memset(s, 0, sizeof(*s));
    start_net(&s->h);
    s->h.port = PORT;
    for (uint32_t i = 0; i < block_count; i++) {
        struct cor_tcp_config tcp = {
            .ring = (uint8_t *)s->rings[i],
            .ring_bytes = RING,
            .segments = s->segments[i],
            .segment_count = 16,
            .receive_ring = s->receive_rings[i],
            .receive_ring_bytes = RING,
        };

        cor_tcp_init(&s->tcp[i], &s->h.net, &tcp);
        s->blocks[i] = &s->tcp[i];
    }
    config.port = PORT;
    config.blocks = s->blocks;
    config.block_count = (uint16_t)block_count;
    CHECK_EQ(cor_tcp_listen(&s->listener, &s->h.net, &config), COR_OK);
    return s;
}

#define LISTENING(...) listening(&(struct cor_tcp_listen_config){__VA_ARGS__}, BLOCKS)

// A segment of the peer's port `from`.
static inline void send_from(struct server *s, uint32_t from, const struct seg *seg) {
    uint32_t size;
    uint8_t *frame = build_segment(&s->h, seg, &size);

    put16(frame + 34, from);
    put16(frame + 34 + 16, 0);
    put16(frame + 34 + 16, ~transport_sum(frame + 14, size - 34));
    (void)give(&s->h, frame, size);
}

#define SEND_FROM(s, from, ...) send_from(s, from, &(struct seg){__VA_ARGS__})

// The next frame goes to this port of the peer's; learns our first number from a SYN.
static inline void expect_to(struct server *s, uint32_t to, const struct seg *seg) {
    struct host *h = &s->h;
    const uint8_t *at = h->frame + 34;

    CHECK(pull(h));
    if (get16(h->frame + 12) == 0x0806) {  // an open connection asks who the peer is
        answer_arp(h);
        CHECK(pull(h));
    }
    uint32_t size = check_ip(h, 6);
    CHECK_EQ(transport_sum(h->frame + 14, size), 0xFFFF);
    CHECK_EQ(get16(at), PORT);
    CHECK_EQ(get16(at + 2), to);
    CHECK_EQ(at[13], seg->flags);
    if ((seg->flags & SYN) != 0) {
        h->iss = get32(at + 4);
    }
    CHECK_EQ(get32(at + 4) - h->iss, seg->seq);
    if ((seg->flags & ACK) != 0) {
        CHECK_EQ(get32(at + 8) - h->irs, seg->ack);
    }
    CHECK_EQ(size - at[12] / 16U * 4, seg->len);
}

#define EXPECT_TO(s, to, ...) expect_to(s, to, &(struct seg){__VA_ARGS__})

// The handshake of a peer's port; h->iss is then that of this connection.
static inline void shake_hands(struct server *s, uint32_t from) {
    SEND_FROM(s, from, .flags = SYN, .seq = 0);
    EXPECT_TO(s, from, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND_FROM(s, from, .flags = ACK, .seq = 1, .ack = 1);
}

static inline struct cor_tcp *accepted(struct server *s, uint32_t from) {
    shake_hands(s, from);
    struct cor_tcp *tcp = cor_tcp_accept(&s->listener);

    CHECK(tcp != NULL);
    CHECK_EQ(tcp->socket.remote_port, from);
    return tcp;
}

static inline void quiet(struct server *s) {
    while (pull(&s->h)) {
        if (get16(s->h.frame + 12) == 0x0806) {
            answer_arp(&s->h);
        }
    }
}

#endif
