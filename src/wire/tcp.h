// SPDX-License-Identifier: MIT
// TCP: the header of a segment (RFC 9293 3.1), specified.
//
//     0      2    4     8     12       13      14       16         18       20
//     | from | to | seq | ack | offset | flags | window | checksum | urgent | options ...
#ifndef CORADIO_WIRE_TCP_H
#define CORADIO_WIRE_TCP_H

#include "wire/ipv4.h"

#include <stdbool.h>
#include <stdint.h>

#include "coradio/span.h"
#include "coradio/status.h"

#define COR_TCP_BYTES 20

// Flags, specified (RFC 9293 3.1). The two of ECN (RFC 3168) are not looked at.
#define COR_TCP_FIN 0x01
#define COR_TCP_SYN 0x02
#define COR_TCP_RST 0x04
#define COR_TCP_PSH 0x08
#define COR_TCP_ACK 0x10
#define COR_TCP_URG 0x20

// Offsets.
#define COR_TCP_SEQ      4
#define COR_TCP_ACKED    8
#define COR_TCP_OFFSET   12
#define COR_TCP_FLAGS    13
#define COR_TCP_WINDOW   14
#define COR_TCP_CHECKSUM 16
#define COR_TCP_URGENT   18

// Most SACK blocks that fit into the options (RFC 2018 3).
#define COR_TCP_SACKS_MAX 4
// The timestamps option with its padding (RFC 7323 appendix A).
#define COR_TCP_TIMES_BYTES 12U
// No shift is larger (RFC 7323 2.3).
#define COR_TCP_SHIFT_MAX 14

struct cor_tcp_sack {
    uint32_t left;
    uint32_t right;
};

struct cor_tcp_header {
    uint16_t from_port;
    uint16_t to_port;
    uint32_t seq;
    uint32_t ack;
    uint16_t window;
    uint16_t urgent;  // with COR_TCP_URG
    uint8_t flags;
    // Options.
    bool has_shift;
    bool sack_permitted;
    bool has_times;
    uint8_t shift;  // at most COR_TCP_SHIFT_MAX
    uint8_t sack_count;
    uint16_t mss_bytes;  // 0: not given
    uint32_t times_value;
    uint32_t times_echo;
    struct cor_tcp_sack sacks[COR_TCP_SACKS_MAX];
    struct cor_span payload;
};

// data is the payload of the packet that `ip` heads. COR_E_PROTO: too short, an offset beyond what
// is there, an option with an impossible length, or a wrong checksum.
COR_MUST_CHECK enum cor_status cor_tcp_parse(
    struct cor_tcp_header *header,
    const struct cor_ipv4 *ip,
    const uint8_t *data,
    uint32_t size_bytes);

// Writes header and options (MSS, SACK permitted, window scale and timestamps where asked for; no
// SACK blocks) and returns how many bytes: 20..44, a multiple of 4. payload_sum is the sum of
// header->payload.size_bytes of payload.
uint32_t cor_tcp_emit(
    const struct cor_tcp_header *header,
    const struct cor_ipv4 *ip,
    uint16_t payload_sum,
    uint8_t *at);

#endif
