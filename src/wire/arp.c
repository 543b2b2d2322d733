// SPDX-License-Identifier: MIT
#include "wire/arp.h"

#include <string.h>

#include "coradio/bytes.h"

// Hardware space 1 is Ethernet with addresses of 6 bytes, the protocol is IPv4 with 4: specified
// (RFC 826; RFC 5494 for the registry).
static const uint8_t ethernet_ipv4[6] = {0x00, 0x01, 0x08, 0x00, 6, 4};

// Offsets, specified (RFC 826 with these lengths).
enum { OPERATION = 6, SENDER_MAC = 8, SENDER = 14, TARGET_MAC = 18, TARGET = 24 };

enum cor_status cor_arp_parse(struct cor_arp *arp, const uint8_t *data, uint32_t size_bytes) {
    if (size_bytes < COR_ARP_BYTES || memcmp(data, ethernet_ipv4, sizeof(ethernet_ipv4)) != 0) {
        return COR_E_PROTO;
    }
    arp->operation = cor_get_be16(data + OPERATION);
    memcpy(arp->sender_mac, data + SENDER_MAC, sizeof(arp->sender_mac));
    arp->sender_address = cor_get_be32(data + SENDER);
    memcpy(arp->target_mac, data + TARGET_MAC, sizeof(arp->target_mac));
    arp->target_address = cor_get_be32(data + TARGET);
    return arp->operation == COR_ARP_REQUEST || arp->operation == COR_ARP_REPLY ? COR_OK
                                                                                : COR_E_PROTO;
}

void cor_arp_emit(const struct cor_arp *arp, uint8_t *at) {
    memcpy(at, ethernet_ipv4, sizeof(ethernet_ipv4));
    cor_put_be16(at + OPERATION, arp->operation);
    memcpy(at + SENDER_MAC, arp->sender_mac, sizeof(arp->sender_mac));
    cor_put_be32(at + SENDER, arp->sender_address);
    memcpy(at + TARGET_MAC, arp->target_mac, sizeof(arp->target_mac));
    cor_put_be32(at + TARGET, arp->target_address);
}
