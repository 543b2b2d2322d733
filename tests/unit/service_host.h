// SPDX-License-Identifier: MIT
// Service host: a stack without an address yet, or with one, and UDP datagrams built and taken
// apart by hand. On top of net_host.h.
#ifndef CORADIO_TESTS_SERVICE_HOST_H
#define CORADIO_TESTS_SERVICE_HOST_H

#include "net_host.h"

#define ALL_ADDRESS 0xFFFFFFFF

// The service under test: returns its deadline.
typedef uint64_t (*poll_fn)(struct host *h);

// A datagram of the peer, in a frame to `mac`.
struct dgram {
    const uint8_t *mac;  // NULL: our_mac
    uint32_t from;
    uint32_t to;
    uint16_t from_port;
    uint16_t to_port;
    const uint8_t *data;
    uint32_t size;
};

static inline void put_udp(uint8_t *frame, const struct dgram *d) {
    uint8_t *ip = frame + 14;
    uint8_t *udp = ip + 20;

    put_ip(frame, 17, 8 + d->size);
    memcpy(frame, d->mac != NULL ? d->mac : our_mac, 6);
    put32(ip + 12, d->from);
    put32(ip + 16, d->to);
    put16(ip + 10, 0);
    put16(ip + 10, ~plain_sum(ip, 20, 0));
    put16(udp, d->from_port);
    put16(udp + 2, d->to_port);
    put16(udp + 4, 8 + d->size);
    put16(udp + 6, 0);
    if (d->size != 0) {
        memcpy(udp + 8, d->data, d->size);
    }
    uint32_t sum = ~transport_sum(ip, 8 + d->size) & 0xFFFF;
    put16(udp + 6, sum == 0 ? 0xFFFF : sum);
}

static inline void give_udp(struct host *h, const struct dgram *d) {
    uint8_t *frame = new_frame(42 + d->size);

    put_udp(frame, d);
    (void)give(h, frame, 42 + d->size);
}

// The datagram in the frame pulled last; checks what must hold for every datagram.
static inline struct dgram read_udp(const struct host *h) {
    const uint8_t *ip = h->frame + 14;
    const uint8_t *udp = ip + 20;
    struct dgram d = {
        .mac = h->frame,
        .from = get32(ip + 12),
        .to = get32(ip + 16),
        .from_port = (uint16_t)get16(udp),
        .to_port = (uint16_t)get16(udp + 2),
        .data = udp + 8,
        .size = get16(udp + 4) - 8,
    };

    CHECK_BYTES(h->frame + 6, our_mac, 6);
    CHECK_EQ(get16(h->frame + 12), 0x0800);
    CHECK_EQ(ip[0], 0x45);
    CHECK_EQ(get16(ip + 2), h->frame_bytes - 14);
    CHECK_EQ(plain_sum(ip, 20, 0), 0xFFFF);
    CHECK_EQ(ip[9], 17);
    CHECK_EQ(d.size, h->frame_bytes - 42);
    CHECK_EQ(transport_sum(ip, 8 + d.size), 0xFFFF);
    return d;
}

// Moves time forward to `until_us`, or to the first frame there is to pull before; the frame is
// then in h->frame. False: no frame came.
static inline bool next_frame(struct host *h, poll_fn poll, uint64_t until_us) {
    for (uint32_t i = 0; i < 10000; i++) {
        uint64_t service_us = poll(h);
        uint64_t net_us = cor_net_poll(&h->net, h->now_us);
        uint64_t due_us = service_us < net_us ? service_us : net_us;

        if (pull(h)) {
            return true;
        }
        // What is due now has been done, so that no loop spins.
        CHECK(due_us > h->now_us);
        if (due_us > until_us) {
            h->now_us = until_us;
            return false;
        }
        h->now_us = due_us;
    }
    CHECK(false);
    return false;
}

static inline bool next_frame_within(struct host *h, poll_fn poll, uint64_t wait_us) {
    return next_frame(h, poll, h->now_us + wait_us);
}

static inline bool is_arp(const struct host *h) {
    return h->frame_bytes == 42 && get16(h->frame + 12) == 0x0806;
}

// The frame pulled last is an ARP request from `sender` about `target`, to all.
static inline void check_arp(const struct host *h, uint32_t sender, uint32_t target) {
    CHECK(is_arp(h));
    CHECK_BYTES(h->frame, all_mac, 6);
    CHECK_BYTES(h->frame + 14, "\0\1\x08\0\6\4\0\1", 8);
    CHECK_BYTES(h->frame + 22, our_mac, 6);
    CHECK_EQ(get32(h->frame + 28), sender);
    CHECK_EQ(get32(h->frame + 38), target);
}

// An ARP packet of another host.
static inline void give_arp(
    struct host *h, uint8_t operation, const uint8_t *mac, uint32_t sender, uint32_t target) {
    uint8_t *frame = new_frame(42);

    memcpy(frame, operation == 1 ? all_mac : our_mac, 6);
    memcpy(frame + 6, mac, 6);
    put16(frame + 12, 0x0806);
    memcpy(frame + 14, "\0\1\x08\0\6\4\0", 7);
    frame[21] = operation;
    memcpy(frame + 22, mac, 6);
    put32(frame + 28, sender);
    memset(frame + 32, 0, 6);
    put32(frame + 38, target);
    (void)give(h, frame, 42);
}

// Link down and up, as the driver tells it.
static inline void set_link(struct host *h, bool up) {
    struct cor_frame_source *source = cor_net_frames(&h->net);

    source->ops->link(source, h->now_us, up);
}

// A net without an address.
static inline void start_bare_net(struct host *h) {
    struct cor_net_config config = {.secret = {0x0706050403020100, 0x0F0E0D0C0B0A0908}};

    memset(h, 0, sizeof(*h));
    h->now_us = 1000 * SECOND;
    memcpy(config.mac, our_mac, 6);
    cor_net_init(&h->net, &config, h->now_us);
}

#endif
