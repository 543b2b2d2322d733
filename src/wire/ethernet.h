// SPDX-License-Identifier: MIT
// Ethernet: the header of a frame (Ethernet II; IEEE 802.3 clause 3, RFC 894), specified.
//
//     0            6            12     14
//     | to         | from       | type | payload ...
#ifndef CORADIO_WIRE_ETHERNET_H
#define CORADIO_WIRE_ETHERNET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "coradio/bytes.h"

#define COR_ETHERNET_BYTES     14
#define COR_ETHERNET_MAC_BYTES 6

// IEEE 802 numbers, specified (RFC 9542 appendix B).
#define COR_ETHERNET_TYPE_IPV4 0x0800
#define COR_ETHERNET_TYPE_ARP  0x0806

// Offsets.
#define COR_ETHERNET_TO   0
#define COR_ETHERNET_FROM 6
#define COR_ETHERNET_TYPE 12

// Individual or group: the lowest bit of the first byte, specified (IEEE 802.3 3.2.3).
static inline bool cor_ethernet_is_group(const uint8_t *mac) {
    return (mac[0] & 1) != 0;
}

static inline void cor_ethernet_emit(
    uint8_t *at, const uint8_t *to, const uint8_t *from, uint16_t type) {
    memcpy(at + COR_ETHERNET_TO, to, COR_ETHERNET_MAC_BYTES);
    memcpy(at + COR_ETHERNET_FROM, from, COR_ETHERNET_MAC_BYTES);
    cor_put_be16(at + COR_ETHERNET_TYPE, type);
}

#endif
