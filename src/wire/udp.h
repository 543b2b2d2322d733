// SPDX-License-Identifier: MIT
// UDP: the header of a datagram (RFC 768), specified.
//
//     0      2    4        6          8
//     | from | to | length | checksum | payload ...
#ifndef CORADIO_WIRE_UDP_H
#define CORADIO_WIRE_UDP_H

#include "wire/ipv4.h"

#include <stdint.h>

#include "coradio/span.h"
#include "coradio/status.h"

#define COR_UDP_BYTES 8

struct cor_udp_header {
    uint16_t from_port;
    uint16_t to_port;
    struct cor_span payload;
};

// data is the payload of the packet that `ip` heads. COR_E_PROTO: too short, a length beyond what
// is there, or a wrong checksum; a checksum of zero means none was computed.
COR_MUST_CHECK enum cor_status cor_udp_parse(
    struct cor_udp_header *header,
    const struct cor_ipv4 *ip,
    const uint8_t *data,
    uint32_t size_bytes);

// Writes COR_UDP_BYTES bytes for header->payload.size_bytes of payload, whose sum is payload_sum.
void cor_udp_emit(
    const struct cor_udp_header *header,
    const struct cor_ipv4 *ip,
    uint16_t payload_sum,
    uint8_t *at);

#endif
