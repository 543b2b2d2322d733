// SPDX-License-Identifier: MIT
// ARP: packets that ask for and tell hardware addresses (RFC 826), Ethernet and IPv4 only.
//
//     0        2        4      5      6           8       14      18      24
//     | space  | proto  | hlen | plen | operation | s.mac | s.ip  | t.mac | t.ip |  28 bytes
#ifndef CORADIO_WIRE_ARP_H
#define CORADIO_WIRE_ARP_H

#include <stdint.h>

#include "coradio/status.h"

#define COR_ARP_BYTES 28

// Operations, specified (RFC 826).
#define COR_ARP_REQUEST 1
#define COR_ARP_REPLY   2

struct cor_arp {
    uint16_t operation;
    uint8_t sender_mac[6];
    uint32_t sender_address;
    uint8_t target_mac[6];
    uint32_t target_address;
};

// COR_E_PROTO: too short, or not Ethernet and IPv4, or an operation that is neither of the two.
COR_MUST_CHECK enum cor_status cor_arp_parse(
    struct cor_arp *arp, const uint8_t *data, uint32_t size_bytes);

// Writes COR_ARP_BYTES bytes.
void cor_arp_emit(const struct cor_arp *arp, uint8_t *at);

#endif
