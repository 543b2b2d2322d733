// SPDX-License-Identifier: MIT
// IPv4: the header of a packet (RFC 791), specified.
//
//     0         1     2              4    6               8     9       10         12    16
//     | ver,len | TOS | total length | id | flags, offset | TTL | proto | checksum | from | to |
//
// followed by options up to header_bytes.
#ifndef CORADIO_WIRE_IPV4_H
#define CORADIO_WIRE_IPV4_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/status.h"

#define COR_IPV4_BYTES 20

// Protocol numbers, specified (RFC 792, 793, 768).
#define COR_IPV4_ICMP 1
#define COR_IPV4_TCP  6
#define COR_IPV4_UDP  17

// Offsets.
#define COR_IPV4_LENGTH   2
#define COR_IPV4_ID       4
#define COR_IPV4_FRAGMENT 6
#define COR_IPV4_TTL      8
#define COR_IPV4_PROTOCOL 9
#define COR_IPV4_CHECKSUM 10
#define COR_IPV4_FROM     12
#define COR_IPV4_TO       16

struct cor_ipv4 {
    uint32_t from;
    uint32_t to;
    uint16_t total_bytes;  // header and payload; at most what was there
    uint8_t header_bytes;  // with options
    uint8_t protocol;
    uint16_t id;            // the same in all fragments of a packet
    uint16_t offset_bytes;  // where the payload stands in the packet
    bool fragment;          // a part of a packet, the first included
    bool more_fragments;    // not the last of them
    bool source_route;      // a loose or strict source route is asked for
    bool checksum_wrong;    // the only fault; the rest is filled in
    // Only to emit:
    uint8_t ttl;      // 0: 64
    uint8_t service;  // DSCP in the upper six bits
};

// COR_E_PROTO: too short, not version 4, lengths that contradict each other, an option that does
// not end within the header, or a wrong checksum. Bytes beyond the total length are padding.
COR_MUST_CHECK enum cor_status cor_ipv4_parse(
    struct cor_ipv4 *header, const uint8_t *data, uint32_t size_bytes);

// As much of a header as an ICMP error quotes: no checksum, and the payload may be cut.
COR_MUST_CHECK enum cor_status cor_ipv4_parse_quoted(
    struct cor_ipv4 *header, const uint8_t *data, uint32_t size_bytes);

// Writes a header of COR_IPV4_BYTES with DF set, identification 0 (RFC 6864 4.1), for
// payload_bytes behind it. Uses from, to, protocol, ttl and service.
void cor_ipv4_emit(const struct cor_ipv4 *header, uint16_t payload_bytes, uint8_t *at);

// The unfolded sum of the pseudo header of TCP and UDP (RFC 9293 3.1, RFC 768).
uint32_t cor_ipv4_pseudo_sum(uint32_t from, uint32_t to, uint8_t protocol, uint32_t size_bytes);

#endif
