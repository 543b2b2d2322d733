// SPDX-License-Identifier: MIT
// The peer of the two programs: builds its frames byte by byte (RFC 826, RFC 791, RFC 9293 3.1) and
// reads of ours what it must know. It loses nothing and takes part in no measurement.
#include "cost.h"

#include <string.h>

enum { FLAG_FIN = 1, FLAG_SYN = 2, FLAG_PSH = 8, FLAG_ACK = 16 };

const uint8_t cost_our_mac[6] = {0x02, 0, 0, 0, 0, 0x02};
const uint8_t cost_peer_mac[6] = {0x02, 0, 0, 0, 0, 0x01};
struct cost_peer cost_peer;

static uint32_t room[(2 + 1514 + 2) / 4];
uint8_t *const cost_frame = (uint8_t *)room + 2;
uint32_t cost_frame_bytes;

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value);
}

static uint32_t get16(const uint8_t *at) {
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at) {
    return get16(at) << 16 | get16(at + 2);
}

static uint32_t sum(const uint8_t *at, uint32_t bytes, uint32_t total) {
    for (uint32_t i = 0; i < bytes; i++) {
        total += (i & 1) != 0 ? at[i] : (uint32_t)at[i] << 8;
    }
    while (total > 0xFFFF) {
        total = (total & 0xFFFF) + (total >> 16);
    }
    return total;
}

static void put_ethernet(uint32_t type) {
    memcpy(cost_frame, cost_our_mac, 6);
    memcpy(cost_frame + 6, cost_peer_mac, 6);
    put16(cost_frame + 12, type);
}

void cost_peer_arp(void) {
    uint8_t *at = cost_frame + 14;

    put_ethernet(0x0806);
    memcpy(at, "\0\1\x08\0\6\4\0\2", 8);
    memcpy(at + 8, cost_peer_mac, 6);
    put32(at + 14, COST_PEER_ADDRESS);
    memcpy(at + 18, cost_our_mac, 6);
    put32(at + 24, COST_OUR_ADDRESS);
    cost_frame_bytes = 42;
}

static void put_segment(uint32_t flags, uint32_t options_bytes, uint32_t payload_bytes) {
    uint8_t *ip = cost_frame + 14;
    uint8_t *tcp = ip + 20;
    uint32_t size = 20 + options_bytes + payload_bytes;

    put_ethernet(0x0800);
    memset(ip, 0, 40);
    ip[0] = 0x45;
    put16(ip + 2, 20 + size);
    put16(ip + 6, 0x4000);
    ip[8] = 64;
    ip[9] = 6;
    put32(ip + 12, COST_PEER_ADDRESS);
    put32(ip + 16, COST_OUR_ADDRESS);
    put16(ip + 10, ~sum(ip, 20, 0));
    put16(tcp, COST_PEER_PORT);
    put16(tcp + 2, cost_peer.port);
    put32(tcp + 4, cost_peer.seq);
    put32(tcp + 8, cost_peer.ack - cost_peer.held_bytes);
    tcp[12] = (uint8_t)((20 + options_bytes) / 4 << 4);
    tcp[13] = (uint8_t)flags;
    put16(tcp + 14, 0xFFFF);
    put16(tcp + 16, ~sum(tcp, size, sum(ip + 12, 8, 6 + size)));
    cost_frame_bytes = 34 + size;
    cost_peer.seq += payload_bytes + (flags & FLAG_SYN) / FLAG_SYN;
}

void cost_peer_syn(void) {
    // Largest segment 1460; SACK permitted, as every peer of today says.
    memcpy(cost_frame + 54, "\2\4\x05\xB4\4\2\1\1", 8);
    put_segment(FLAG_SYN | FLAG_ACK, 8, 0);
}

void cost_peer_ack(void) {
    put_segment(FLAG_ACK, 0, 0);
}

void cost_peer_data(void) {
    memset(cost_frame + 54, (int)cost_peer.seq, COST_SEGMENT_BYTES);
    put_segment(FLAG_ACK, 0, COST_SEGMENT_BYTES);
}

void cost_peer_take(const uint8_t *head, uint32_t size_bytes) {
    const uint8_t *tcp = head + 34;

    if (get16(head + 12) != 0x0800 || head[23] != 6) {
        return;
    }
    uint32_t payload = size_bytes - 34 - (uint32_t)(tcp[12] >> 4) * 4;
    if ((tcp[13] & FLAG_SYN) != 0) {
        cost_peer.port = (uint16_t)get16(tcp);
        cost_peer.seq = COST_PEER_FIRST;
        cost_peer.ack = get32(tcp + 4) + 1;
    } else if (payload > 0) {
        COST_CHECK(get32(tcp + 4) == cost_peer.ack);
        cost_peer.ack += payload;
        cost_peer.bytes += payload;
    }
}
