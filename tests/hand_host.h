// SPDX-License-Identifier: MIT
// A host played by hand: builds single ARP, ICMP, UDP and TCP frames and takes apart what comes
// back, so that a test says segment by segment what happens. Own code, neither the core's nor the
// twin's nor lwIP's; every checksum that comes in is checked here.
//
// Layouts: RFC 826 (ARP), RFC 791 3.1 (IPv4), RFC 792 (ICMP), RFC 768 (UDP), RFC 9293 3.1 (TCP),
// RFC 7323 2.2 (window scale), RFC 2018 2 and 3 (SACK).
#ifndef CORADIO_TESTS_HAND_HOST_H
#define CORADIO_TESTS_HAND_HOST_H

#include "coradio_twin/frame.h"
#include "coradio_twin/sim.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HAND_FRAMES_MAX 256u

enum { HAND_FIN = 0x01, HAND_SYN = 0x02, HAND_RST = 0x04, HAND_PSH = 0x08, HAND_ACK = 0x10 };

struct hand_host {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_port out;
    uint8_t mac[6];
    uint8_t peer_mac[6];
    uint32_t ip;
    uint32_t peer_ip;
    // What came in, oldest first; at_ns beside it.
    struct twin_frame *in[HAND_FRAMES_MAX];
    uint64_t in_ns[HAND_FRAMES_MAX];
    uint32_t in_head;
    uint32_t in_tail;
    uint32_t bad_checksums;
};

struct hand_segment {
    uint16_t source_port;
    uint16_t target_port;
    uint32_t seq;
    uint32_t ack;
    uint8_t flags;
    uint16_t window;
    uint16_t mss;         // 0: no option
    bool sack_ok;         // SACK permitted
    bool scale;           // window scale option...
    uint8_t shift;        // ...and its shift
    uint32_t sack[4][2];  // left and right edges
    uint32_t sack_count;
    const uint8_t *payload;
    uint32_t payload_bytes;
    uint64_t at_ns;  // received: when
};

static inline void hand_put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void hand_put32(uint8_t *at, uint32_t value) {
    hand_put16(at, value >> 16);
    hand_put16(at + 2, value & 0xFFFF);
}

static inline uint16_t hand_get16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t hand_get32(const uint8_t *at) {
    return (uint32_t)hand_get16(at) << 16 | hand_get16(at + 2);
}

// RFC 1071, 16 bits at a time.
static inline uint32_t hand_sum(const uint8_t *data, uint32_t size_bytes, uint32_t sum) {
    for (uint32_t i = 0; i < size_bytes; i++) {
        sum += (i & 1) != 0 ? data[i] : (uint32_t)data[i] << 8;
    }
    return sum;
}

static inline uint16_t hand_fold(uint32_t sum) {
    while (sum > 0xFFFF) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

// The sum over pseudo header, header and data of a packet whose IP header is at ip.
static inline uint16_t hand_transport_sum(const uint8_t *ip) {
    uint32_t size_bytes = hand_get16(ip + 2) - 20u;
    uint32_t sum = hand_sum(ip + 12, 8, ip[9] + size_bytes);

    return hand_fold(hand_sum(ip + 20, size_bytes, sum));
}

static inline void hand_input(void *context, struct twin_frame *frame) {
    struct hand_host *host = context;

    if (host->in_tail - host->in_head == HAND_FRAMES_MAX) {
        abort();
    }
    host->in[host->in_tail % HAND_FRAMES_MAX] = frame;
    host->in_ns[host->in_tail % HAND_FRAMES_MAX] = twin_now_ns(host->sim);
    host->in_tail++;
}

static inline struct twin_port hand_port(struct hand_host *host) {
    return (struct twin_port){.input = hand_input, .context = host};
}

static inline uint32_t hand_waiting(const struct hand_host *host) {
    return host->in_tail - host->in_head;
}

// The oldest frame, which the caller gives back with hand_done(); NULL when there is none.
static inline struct twin_frame *hand_next(struct hand_host *host, uint64_t *at_ns) {
    uint32_t slot = host->in_head % HAND_FRAMES_MAX;

    if (hand_waiting(host) == 0) {
        return NULL;
    }
    host->in_head++;
    if (at_ns != NULL) {
        *at_ns = host->in_ns[slot];
    }
    return host->in[slot];
}

static inline void hand_done(struct hand_host *host, struct twin_frame *frame) {
    twin_frame_put(host->frames, frame);
}

static inline void hand_drop_all(struct hand_host *host) {
    while (hand_waiting(host) != 0) {
        hand_done(host, hand_next(host, NULL));
    }
}

static inline struct twin_frame *hand_ethernet(struct hand_host *host, uint16_t type) {
    struct twin_frame *frame = twin_frame_get(host->frames);

    memcpy(frame->data, host->peer_mac, 6);
    memcpy(frame->data + 6, host->mac, 6);
    hand_put16(frame->data + 12, type);
    return frame;
}

static inline void hand_send(struct hand_host *host, struct twin_frame *frame) {
    host->out.input(host->out.context, frame);
}

// Who has `ip`? To all.
static inline void hand_send_arp(struct hand_host *host, uint32_t ip) {
    struct twin_frame *frame = hand_ethernet(host, 0x0806);
    uint8_t *arp = frame->data + 14;

    memset(frame->data, 0xFF, 6);
    hand_put16(arp, 1);
    hand_put16(arp + 2, 0x0800);
    arp[4] = 6;
    arp[5] = 4;
    hand_put16(arp + 6, 1);
    memcpy(arp + 8, host->mac, 6);
    hand_put32(arp + 14, host->ip);
    memset(arp + 18, 0, 6);
    hand_put32(arp + 24, ip);
    frame->size_bytes = 14 + 28;
    hand_send(host, frame);
}

// An IPv4 packet with room for size_bytes after the header.
static inline struct twin_frame *hand_ipv4(
    struct hand_host *host, uint8_t protocol, uint32_t size_bytes) {
    struct twin_frame *frame = hand_ethernet(host, 0x0800);
    uint8_t *ip = frame->data + 14;

    memset(ip, 0, 20);
    ip[0] = 0x45;
    hand_put16(ip + 2, 20 + size_bytes);
    hand_put16(ip + 6, 0x4000);  // do not fragment
    ip[8] = 64;
    ip[9] = protocol;
    hand_put32(ip + 12, host->ip);
    hand_put32(ip + 16, host->peer_ip);
    hand_put16(ip + 10, hand_fold(hand_sum(ip, 20, 0)));
    frame->size_bytes = 14 + 20 + size_bytes;
    return frame;
}

static inline void hand_send_ping(struct hand_host *host, uint16_t seq, uint32_t size_bytes) {
    struct twin_frame *frame = hand_ipv4(host, 1, 8 + size_bytes);
    uint8_t *icmp = frame->data + 34;

    memset(icmp, 0, 8);
    icmp[0] = 8;
    hand_put16(icmp + 4, 0x4321);
    hand_put16(icmp + 6, seq);
    for (uint32_t i = 0; i < size_bytes; i++) {
        icmp[8 + i] = (uint8_t)(i * 7 + seq);
    }
    hand_put16(icmp + 2, hand_fold(hand_sum(icmp, 8 + size_bytes, 0)));
    hand_send(host, frame);
}

static inline void hand_send_udp(
    struct hand_host *host,
    uint16_t source_port,
    uint16_t target_port,
    const void *data,
    uint32_t size_bytes) {
    struct twin_frame *frame = hand_ipv4(host, 17, 8 + size_bytes);
    uint8_t *udp = frame->data + 34;
    uint16_t sum;

    hand_put16(udp, source_port);
    hand_put16(udp + 2, target_port);
    hand_put16(udp + 4, 8 + size_bytes);
    hand_put16(udp + 6, 0);
    memcpy(udp + 8, data, size_bytes);
    sum = hand_transport_sum(frame->data + 14);
    hand_put16(udp + 6, sum == 0 ? 0xFFFF : sum);
    hand_send(host, frame);
}

static inline uint32_t hand_tcp_options(uint8_t *at, const struct hand_segment *segment) {
    uint32_t used = 0;

    if (segment->mss != 0) {
        hand_put16(at + used, 0x0204);
        hand_put16(at + used + 2, segment->mss);
        used += 4;
    }
    if (segment->scale) {
        hand_put32(at + used, 0x01030300u | segment->shift);
        used += 4;
    }
    if (segment->sack_ok) {
        hand_put32(at + used, 0x01010402);
        used += 4;
    }
    return used;
}

static inline struct twin_frame *hand_tcp(
    struct hand_host *host, const struct hand_segment *segment) {
    uint8_t options[40];
    uint32_t options_bytes = hand_tcp_options(options, segment);
    struct twin_frame *frame = hand_ipv4(host, 6, 20 + options_bytes + segment->payload_bytes);
    uint8_t *tcp = frame->data + 34;

    hand_put16(tcp, segment->source_port);
    hand_put16(tcp + 2, segment->target_port);
    hand_put32(tcp + 4, segment->seq);
    hand_put32(tcp + 8, segment->ack);
    tcp[12] = (uint8_t)((20 + options_bytes) / 4 << 4);
    tcp[13] = segment->flags;
    hand_put16(tcp + 14, segment->window);
    hand_put32(tcp + 16, 0);
    memcpy(tcp + 20, options, options_bytes);
    if (segment->payload_bytes != 0) {
        memcpy(tcp + 20 + options_bytes, segment->payload, segment->payload_bytes);
    }
    hand_put16(tcp + 16, hand_transport_sum(frame->data + 14));
    return frame;
}

static inline void hand_send_tcp(struct hand_host *host, const struct hand_segment *segment) {
    hand_send(host, hand_tcp(host, segment));
}

// ---- taking apart

static inline void hand_parse_options(
    const uint8_t *at, uint32_t size_bytes, struct hand_segment *segment) {
    for (uint32_t i = 0; i + 1 < size_bytes && at[i] != 0;) {
        uint8_t length = at[i + 1];

        if (at[i] == 1) {
            i++;
            continue;
        }
        if (length < 2 || i + length > size_bytes) {
            return;
        }
        if (at[i] == 2) {
            segment->mss = hand_get16(at + i + 2);
        } else if (at[i] == 3) {
            segment->scale = true;
            segment->shift = at[i + 2];
        } else if (at[i] == 4) {
            segment->sack_ok = true;
        } else if (at[i] == 5) {
            segment->sack_count = (length - 2u) / 8;
            for (uint32_t block = 0; block < segment->sack_count && block < 4; block++) {
                segment->sack[block][0] = hand_get32(at + i + 2 + 8 * block);
                segment->sack[block][1] = hand_get32(at + i + 6 + 8 * block);
            }
        }
        i += length;
    }
}

// True when the frame is a sound IPv4 packet of the protocol; wrong checksums are counted.
static inline bool hand_is_ipv4(
    struct hand_host *host, const struct twin_frame *frame, uint8_t protocol) {
    const uint8_t *ip = frame->data + 14;

    if (frame->size_bytes < 34 || hand_get16(frame->data + 12) != 0x0800 || ip[9] != protocol) {
        return false;
    }
    if (hand_fold(hand_sum(ip, 20, 0)) != 0 || hand_get16(ip + 2) > frame->size_bytes - 14) {
        host->bad_checksums++;
        return false;
    }
    return true;
}

// Takes frames until one is TCP; everything else is dropped. The payload is not kept, only its
// size. False: none.
static inline bool hand_receive_tcp(struct hand_host *host, struct hand_segment *segment) {
    struct twin_frame *frame;

    memset(segment, 0, sizeof(*segment));
    while ((frame = hand_next(host, &segment->at_ns)) != NULL) {
        const uint8_t *ip = frame->data + 14;
        const uint8_t *tcp = ip + 20;
        bool found = hand_is_ipv4(host, frame, 6);

        if (found) {
            uint32_t header_bytes = (uint32_t)(tcp[12] >> 4) * 4;
            host->bad_checksums += hand_transport_sum(ip) != 0;
            segment->source_port = hand_get16(tcp);
            segment->target_port = hand_get16(tcp + 2);
            segment->seq = hand_get32(tcp + 4);
            segment->ack = hand_get32(tcp + 8);
            segment->flags = tcp[13];
            segment->window = hand_get16(tcp + 14);
            segment->payload_bytes = hand_get16(ip + 2) - 20u - header_bytes;
            hand_parse_options(tcp + 20, header_bytes - 20, segment);
        }
        hand_done(host, frame);
        if (found) {
            return true;
        }
    }
    return false;
}

#endif
