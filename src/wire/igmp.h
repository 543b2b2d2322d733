// SPDX-License-Identifier: MIT
// IGMP: who wants which multicast group (RFC 2236 version 2; RFC 1112 version 1), specified.
//
//     0      1                 2          4
//     | type | max response    | checksum | group |     8 bytes; version 3 queries are longer
#ifndef CORADIO_WIRE_IGMP_H
#define CORADIO_WIRE_IGMP_H

#include <stdint.h>

#include "coradio/status.h"

#define COR_IGMP_BYTES 8
// IP protocol number, specified (RFC 1112 appendix I).
#define COR_IPV4_IGMP 2

// Types, specified (RFC 2236 2.1).
#define COR_IGMP_QUERY     0x11
#define COR_IGMP_REPORT_V1 0x12
#define COR_IGMP_REPORT    0x16
#define COR_IGMP_LEAVE     0x17

struct cor_igmp_message {
    uint8_t type;
    uint8_t response_100ms;  // of a query: the longest wait; 0: a query of version 1
    uint32_t group;          // of a query: 0 asks for all groups
};

// The checksum counts all bytes there are (RFC 2236 2.3, 2.5). A maximum response code of 128 or
// more in a longer query is a number with exponent (RFC 3376 4.1.1), and is cut to 255.
// COR_E_PROTO: too short or a wrong checksum.
COR_MUST_CHECK enum cor_status cor_igmp_parse(
    struct cor_igmp_message *message, const uint8_t *data, uint32_t size_bytes);

// Writes COR_IGMP_BYTES bytes.
void cor_igmp_emit(const struct cor_igmp_message *message, uint8_t *at);

#endif
