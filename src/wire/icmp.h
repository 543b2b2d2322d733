// SPDX-License-Identifier: MIT
// ICMP: echo and error messages (RFC 792), specified.
//
//     0      1      2          4            6          8
//     | type | code | checksum | identifier | sequence | payload ...       echo
//     | type | code | checksum | unused     | next MTU | IP header, 8 bytes ...   unreachable
#ifndef CORADIO_WIRE_ICMP_H
#define CORADIO_WIRE_ICMP_H

#include <stdint.h>

#include "coradio/span.h"
#include "coradio/status.h"

#define COR_ICMP_BYTES 8

// Types, specified (RFC 792).
#define COR_ICMP_ECHO_REPLY    0
#define COR_ICMP_UNREACHABLE   3
#define COR_ICMP_ECHO          8
#define COR_ICMP_TIME_EXCEEDED 11
#define COR_ICMP_PARAMETER     12

// Codes of unreachable, specified (RFC 792; RFC 1191 for the last).
#define COR_ICMP_UNREACHABLE_PROTOCOL 2
#define COR_ICMP_UNREACHABLE_PORT     3
#define COR_ICMP_UNREACHABLE_TOO_BIG  4
// The code of time exceeded that a host sends, specified (RFC 792).
#define COR_ICMP_TIME_REASSEMBLY 1

struct cor_icmp {
    uint8_t type;
    uint8_t code;
    uint16_t identifier;
    uint16_t sequence;
    struct cor_span payload;
};

// COR_E_PROTO: too short or a wrong checksum.
COR_MUST_CHECK enum cor_status cor_icmp_parse(
    struct cor_icmp *icmp, const uint8_t *data, uint32_t size_bytes);

// Writes COR_ICMP_BYTES bytes; payload_sum is the sum of the payload that follows.
void cor_icmp_emit(const struct cor_icmp *icmp, uint16_t payload_sum, uint8_t *at);

#endif
