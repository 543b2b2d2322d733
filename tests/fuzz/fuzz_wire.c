// SPDX-License-Identifier: MIT
// Fuzz: any bytes as each header from ARP to TCP. The first byte says which; for those under IPv4
// the packet is given a right checksum, so that what stands behind it is looked at.
#include "fuzz.h"
#include "wire/arp.h"
#include "wire/icmp.h"
#include "wire/igmp.h"
#include "wire/ipv4.h"
#include "wire/tcp.h"
#include "wire/udp.h"

#include <string.h>

#include "coradio/bytes.h"
#include "coradio/checksum.h"

static const struct cor_ipv4 packet = {.from = 0x0A000001, .to = 0x0A000002};

// Makes the sum over pseudo header and data right, if there is room for it.
static void set_sum(uint8_t *data, uint32_t size, uint32_t at, uint8_t protocol) {
    if (size < at + 2) {
        return;
    }
    cor_put_be16(data + at, 0);
    uint32_t sum = protocol != 0 ? cor_ipv4_pseudo_sum(packet.from, packet.to, protocol, size) : 0;
    uint16_t right = (uint16_t)~cor_sum_fold(sum + cor_sum_bytes(data, size));
    cor_put_be16(data + at, right);
}

static void check_arp(const uint8_t *data, uint32_t size) {
    uint8_t again[COR_ARP_BYTES];
    struct cor_arp arp;

    if (cor_arp_parse(&arp, data, size) == COR_OK) {
        cor_arp_emit(&arp, again);
        FUZZ_CHECK(size >= COR_ARP_BYTES && memcmp(data, again, COR_ARP_BYTES) == 0);
    }
}

static void check_ipv4(uint8_t *data, uint32_t size) {
    struct cor_ipv4 ip;

    if (cor_ipv4_parse(&ip, data, size) != COR_OK && ip.checksum_wrong) {
        cor_put_be16(data + COR_IPV4_CHECKSUM, 0);
        uint32_t header = (data[0] & 15U) * 4;
        cor_put_be16(data + COR_IPV4_CHECKSUM, (uint16_t)~cor_sum_bytes(data, header));
        FUZZ_CHECK(cor_ipv4_parse(&ip, data, size) == COR_OK || !ip.checksum_wrong);
    }
    if (cor_ipv4_parse(&ip, data, size) == COR_OK) {
        FUZZ_CHECK(ip.header_bytes >= COR_IPV4_BYTES && ip.header_bytes <= ip.total_bytes);
        FUZZ_CHECK(ip.total_bytes <= size);
    }
    if (cor_ipv4_parse_quoted(&ip, data, size) == COR_OK) {
        FUZZ_CHECK(ip.header_bytes >= COR_IPV4_BYTES && ip.header_bytes <= size);
    }
}

static void check_icmp(uint8_t *data, uint32_t size) {
    struct cor_igmp_message igmp;
    struct cor_icmp icmp;

    set_sum(data, size, 2, 0);
    if (cor_icmp_parse(&icmp, data, size) == COR_OK) {
        FUZZ_CHECK(icmp.payload.data + icmp.payload.size_bytes == data + size);
        fuzz_touch(icmp.payload.data, icmp.payload.size_bytes);
    }
    (void)!cor_igmp_parse(&igmp, data, size);
}

static void check_udp(uint8_t *data, uint32_t size) {
    struct cor_udp_header udp;

    set_sum(data, size, 6, COR_IPV4_UDP);
    if (cor_udp_parse(&udp, &packet, data, size) == COR_OK) {
        FUZZ_CHECK(udp.payload.size_bytes + COR_UDP_BYTES <= size);
        fuzz_touch(udp.payload.data, udp.payload.size_bytes);
    }
}

static void check_tcp(uint8_t *data, uint32_t size) {
    struct cor_tcp_header tcp;

    set_sum(data, size, COR_TCP_CHECKSUM, COR_IPV4_TCP);
    if (cor_tcp_parse(&tcp, &packet, data, size) == COR_OK) {
        FUZZ_CHECK(tcp.payload.data + tcp.payload.size_bytes == data + size);
        FUZZ_CHECK(tcp.sack_count <= COR_TCP_SACKS_MAX && tcp.shift <= COR_TCP_SHIFT_MAX);
        fuzz_touch(tcp.payload.data, tcp.payload.size_bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > 1600) {
        return 0;
    }
    // At each of the four offsets from a word, in memory of just its size.
    uint32_t offset = data[0] >> 4 & 3U;
    uint32_t count = (uint32_t)size - 1;
    uint8_t *memory = malloc(offset + size);
    uint8_t *copy = memory + offset;
    memcpy(copy, data + 1, count);
    switch (data[0] & 7) {
    case 0:
        check_arp(copy, count);
        break;
    case 1:
        check_ipv4(copy, count);
        break;
    case 2:
        check_icmp(copy, count);
        break;
    case 3:
        check_udp(copy, count);
        break;
    default:
        check_tcp(copy, count);
        break;
    }
    free(memory);
    return 0;
}
