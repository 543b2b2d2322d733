// SPDX-License-Identifier: MIT
// Ethernet to TCP: the vectors of a real kernel, read and written.
#include "golden.h"
#include "test.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/ipv4.h"
#include "wire/tcp.h"
#include "wire/udp.h"

#include <stdlib.h>

#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/ip4.h"

static const uint8_t kernel_mac[6] = {0x02, 0, 0, 0, 0, 0x01};
static const uint8_t board_mac[6] = {0x02, 0, 0, 0, 0, 0x02};
static const uint8_t no_mac[6];

static const char *const names[] = {
    "arp_request",
    "icmp_echo",
    "arp_reply",
    "icmp_echo_reply",
    "udp_odd",
    "udp_empty",
    "icmp_port_unreachable",
    "tcp_syn",
    "tcp_ack",
    "tcp_data",
    "tcp_sack",
    "tcp_sack2",
    "tcp_fin",
    "tcp_syn_ack",
    "tcp_rst",
    "ip_record_route",
    "ip_last_fragment",
};

// A frame with its IP header read.
struct vector {
    uint8_t bytes[GOLDEN_BYTES_MAX];
    uint32_t size;
    struct cor_ipv4 ip;
    const uint8_t *data;  // payload of the packet
    uint32_t data_bytes;
};

static struct vector v_;

static struct vector *read_ip(const char *name) {
    struct vector *v = &v_;

    v->size = golden_read("net.vec", name, v->bytes);
    CHECK(v->size > 14);
    CHECK_EQ(cor_get_be16(v->bytes + COR_ETHERNET_TYPE), COR_ETHERNET_TYPE_IPV4);
    CHECK_EQ(cor_ipv4_parse(&v->ip, v->bytes + 14, v->size - 14), COR_OK);
    CHECK_EQ(v->ip.from, COR_IP4(10, 0, 0, 1));
    CHECK_EQ(v->ip.to, COR_IP4(10, 0, 0, 2));
    CHECK_EQ(v->ip.total_bytes, v->size - 14);
    v->data = v->bytes + 14 + v->ip.header_bytes;
    v->data_bytes = v->size - 14 - v->ip.header_bytes;
    return v;
}

static struct cor_tcp_header read_tcp(const char *name) {
    struct cor_tcp_header header;
    struct vector *v = read_ip(name);

    CHECK_EQ(v->ip.protocol, COR_IPV4_TCP);
    CHECK_EQ(cor_tcp_parse(&header, &v->ip, v->data, v->data_bytes), COR_OK);
    return header;
}

TEST(arp_is_read_and_written) {
    uint8_t bytes[GOLDEN_BYTES_MAX];
    uint8_t again[COR_ETHERNET_BYTES + COR_ARP_BYTES];
    struct cor_arp arp;

    CHECK_EQ(golden_read("net.vec", "arp_request", bytes), sizeof(again));
    CHECK_EQ(cor_arp_parse(&arp, bytes + 14, COR_ARP_BYTES), COR_OK);
    CHECK_EQ(arp.operation, COR_ARP_REQUEST);
    CHECK_BYTES(arp.sender_mac, kernel_mac, 6);
    CHECK_EQ(arp.sender_address, COR_IP4(10, 0, 0, 1));
    CHECK_BYTES(arp.target_mac, no_mac, 6);
    CHECK_EQ(arp.target_address, COR_IP4(10, 0, 0, 2));
    cor_ethernet_emit(again, bytes, kernel_mac, COR_ETHERNET_TYPE_ARP);
    cor_arp_emit(&arp, again + 14);
    CHECK_BYTES(again, bytes, sizeof(again));

    CHECK_EQ(golden_read("net.vec", "arp_reply", bytes), sizeof(again));
    CHECK_EQ(cor_arp_parse(&arp, bytes + 14, COR_ARP_BYTES), COR_OK);
    CHECK_EQ(arp.operation, COR_ARP_REPLY);
    CHECK_BYTES(arp.target_mac, board_mac, 6);
    cor_arp_emit(&arp, again + 14);
    CHECK_BYTES(again + 14, bytes + 14, COR_ARP_BYTES);
}

TEST(icmp_is_read_and_written) {
    struct vector *v = read_ip("icmp_echo_reply");
    struct cor_icmp icmp;
    uint8_t again[COR_ICMP_BYTES];

    CHECK_EQ(cor_icmp_parse(&icmp, v->data, v->data_bytes), COR_OK);
    CHECK_EQ(icmp.type, COR_ICMP_ECHO_REPLY);
    CHECK_EQ(icmp.identifier, 0x1234);
    CHECK_EQ(icmp.sequence, 7);
    CHECK_EQ(icmp.payload.size_bytes, 7);
    CHECK_BYTES(icmp.payload.data, "coradio", 7);
    cor_icmp_emit(&icmp, cor_sum_bytes(icmp.payload.data, 7), again);
    CHECK_BYTES(again, v->data, COR_ICMP_BYTES);

    v = read_ip("icmp_echo");
    CHECK_EQ(cor_icmp_parse(&icmp, v->data, v->data_bytes), COR_OK);
    CHECK_EQ(icmp.type, COR_ICMP_ECHO);
    CHECK_EQ(icmp.payload.size_bytes, 13);
    cor_icmp_emit(&icmp, cor_sum_bytes(icmp.payload.data, 13), again);
    CHECK_BYTES(again, v->data, COR_ICMP_BYTES);
}

TEST(an_icmp_error_quotes_what_it_is_about) {
    struct vector *v = read_ip("icmp_port_unreachable");
    struct cor_icmp icmp;
    struct cor_ipv4 quoted;

    CHECK_EQ(cor_icmp_parse(&icmp, v->data, v->data_bytes), COR_OK);
    CHECK_EQ(icmp.type, COR_ICMP_UNREACHABLE);
    CHECK_EQ(icmp.code, COR_ICMP_UNREACHABLE_PORT);
    CHECK_EQ(cor_ipv4_parse_quoted(&quoted, icmp.payload.data, icmp.payload.size_bytes), COR_OK);
    CHECK_EQ(quoted.from, COR_IP4(10, 0, 0, 2));
    CHECK_EQ(quoted.protocol, COR_IPV4_UDP);
    CHECK_EQ(cor_get_be16(icmp.payload.data + quoted.header_bytes), 50000);
    CHECK_EQ(cor_get_be16(icmp.payload.data + quoted.header_bytes + 2), 9);
}

static void check_udp(const char *name, const char *payload) {
    struct vector *v = read_ip(name);
    struct cor_udp_header header;
    uint8_t again[COR_UDP_BYTES];
    uint32_t size = (uint32_t)strlen(payload);

    CHECK_EQ(cor_udp_parse(&header, &v->ip, v->data, v->data_bytes), COR_OK);
    CHECK_EQ(header.from_port, 40000);
    CHECK_EQ(header.to_port, 50000);
    CHECK_EQ(header.payload.size_bytes, size);
    CHECK_BYTES(header.payload.data, payload, size);
    cor_udp_emit(&header, &v->ip, cor_sum_bytes(header.payload.data, size), again);
    CHECK_BYTES(again, v->data, COR_UDP_BYTES);
    // Without a checksum it is accepted, with a wrong one not.
    uint8_t copy[64];
    memcpy(copy, v->data, v->data_bytes);
    copy[7] ^= 1;
    CHECK_EQ(cor_udp_parse(&header, &v->ip, copy, v->data_bytes), COR_E_PROTO);
    copy[6] = 0;
    copy[7] = 0;
    CHECK_EQ(cor_udp_parse(&header, &v->ip, copy, v->data_bytes), COR_OK);
}

TEST(udp_is_read_and_written) {
    check_udp("udp_odd", "odd");
    check_udp("udp_empty", "");
}

static void check_written(const char *name, const struct cor_tcp_header *header) {
    struct vector *v = read_ip(name);
    uint8_t again[64];
    struct cor_span payload = header->payload;
    uint32_t size =
        cor_tcp_emit(header, &v->ip, cor_sum_bytes(payload.data, payload.size_bytes), again);

    CHECK_EQ(size + payload.size_bytes, v->data_bytes);
    CHECK_BYTES(again, v->data, size);
}

TEST(tcp_is_read_and_written) {
    struct cor_tcp_header header = read_tcp("tcp_syn");

    CHECK_EQ(header.from_port, 40001);
    CHECK_EQ(header.to_port, 5001);
    CHECK_EQ(header.flags, COR_TCP_SYN);
    CHECK_EQ(header.mss_bytes, 1460);
    CHECK(header.has_shift && header.sack_permitted);
    CHECK_EQ(header.shift, 10);
    CHECK_EQ(header.window, 64240);
    check_written("tcp_syn", &header);

    header = read_tcp("tcp_syn_ack");
    CHECK_EQ(header.flags, COR_TCP_SYN | COR_TCP_ACK);
    CHECK_EQ(header.ack, 5001);
    check_written("tcp_syn_ack", &header);

    header = read_tcp("tcp_ack");
    CHECK_EQ(header.ack, 1001);
    CHECK_EQ(header.window, 63);
    CHECK_EQ(header.payload.size_bytes, 0);
    check_written("tcp_ack", &header);

    header = read_tcp("tcp_data");
    CHECK_EQ(header.flags, COR_TCP_PSH | COR_TCP_ACK);
    CHECK_EQ(header.payload.size_bytes, 5);
    CHECK_BYTES(header.payload.data, "five5", 5);
    check_written("tcp_data", &header);

    header = read_tcp("tcp_rst");
    CHECK_EQ(header.flags, COR_TCP_RST | COR_TCP_ACK);
    check_written("tcp_rst", &header);
}

TEST(sack_blocks_are_read) {
    struct cor_tcp_header header = read_tcp("tcp_sack2");

    CHECK_EQ(header.sack_count, 2);
    CHECK_EQ(header.sacks[0].left, 1031);
    CHECK_EQ(header.sacks[0].right, 1041);
    CHECK_EQ(header.sacks[1].left, 1011);
    CHECK_EQ(header.sacks[1].right, 1021);
    header = read_tcp("tcp_sack");
    CHECK_EQ(header.sack_count, 1);
    CHECK_EQ(header.ack, 1001);
    header = read_tcp("tcp_fin");
    CHECK_EQ(header.flags, COR_TCP_FIN | COR_TCP_ACK);
    CHECK_EQ(header.ack, 1021);
}

// The kernel's SYN-ACK and reset have DF set and identification 0, as all our packets.
TEST(an_ip_header_is_written) {
    static const char *const same[] = {"tcp_syn_ack", "tcp_rst"};

    for (uint32_t i = 0; i < 2; i++) {
        struct vector *v = read_ip(same[i]);
        uint8_t again[COR_IPV4_BYTES];

        cor_ipv4_emit(&v->ip, (uint16_t)v->data_bytes, again);
        CHECK_BYTES(again, v->bytes + 14, COR_IPV4_BYTES);
    }
}

TEST(ip_options_and_fragments_are_seen) {
    struct vector *v = read_ip("ip_record_route");
    struct cor_icmp icmp;

    CHECK_EQ(v->ip.header_bytes, 60);
    CHECK(!v->ip.source_route && !v->ip.fragment);
    CHECK_EQ(cor_icmp_parse(&icmp, v->data, v->data_bytes), COR_OK);
    // The same option as a loose source route.
    v->bytes[14 + 21] = 131;
    memset(v->bytes + 14 + 10, 0, 2);
    cor_put_be16(v->bytes + 14 + 10, (uint16_t)~cor_sum_bytes(v->bytes + 14, 60));
    CHECK_EQ(cor_ipv4_parse(&v->ip, v->bytes + 14, v->size - 14), COR_OK);
    CHECK(v->ip.source_route);
    v = read_ip("ip_last_fragment");
    CHECK(v->ip.fragment);
}

static enum cor_status parse_transport(
    const struct cor_ipv4 *ip, const uint8_t *data, uint32_t size) {
    struct cor_icmp icmp;
    struct cor_udp_header udp;
    struct cor_tcp_header tcp;

    switch (ip->protocol) {
    case COR_IPV4_ICMP:
        return cor_icmp_parse(&icmp, data, size);
    case COR_IPV4_UDP:
        return cor_udp_parse(&udp, ip, data, size);
    default:
        return cor_tcp_parse(&tcp, ip, data, size);
    }
}

// Each prefix lies in memory of just its size: the sanitizer sees a byte too far.
TEST(every_prefix_of_every_vector_fails_cleanly) {
    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint8_t bytes[GOLDEN_BYTES_MAX];
        uint32_t size = golden_read("net.vec", names[i], bytes);
        bool arp = cor_get_be16(bytes + COR_ETHERNET_TYPE) == COR_ETHERNET_TYPE_ARP;
        struct cor_ipv4 whole = {0};

        CHECK(size > 14);
        if (!arp) {
            CHECK_EQ(cor_ipv4_parse(&whole, bytes + 14, size - 14), COR_OK);
        }
        for (uint32_t cut = 0; cut < size - 14; cut++) {
            uint8_t *exact = malloc(cut != 0 ? cut : 1);
            struct cor_ipv4 ip;
            struct cor_arp packet;

            memcpy(exact, bytes + 14, cut);
            CHECK_EQ(
                arp ? cor_arp_parse(&packet, exact, cut) : cor_ipv4_parse(&ip, exact, cut),
                COR_E_PROTO);
            free(exact);
        }
        for (uint32_t cut = 0;
             !arp && !whole.fragment && cut < (uint32_t)whole.total_bytes - whole.header_bytes;
             cut++) {
            uint8_t *exact = malloc(cut != 0 ? cut : 1);

            memcpy(exact, bytes + 14 + whole.header_bytes, cut);
            CHECK_EQ(parse_transport(&whole, exact, cut), COR_E_PROTO);
            free(exact);
        }
    }
}

TEST(every_flipped_bit_of_a_checked_packet_is_noticed) {
    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint8_t bytes[GOLDEN_BYTES_MAX];
        uint32_t size = golden_read("net.vec", names[i], bytes);
        struct cor_ipv4 ip;

        if (cor_get_be16(bytes + COR_ETHERNET_TYPE) == COR_ETHERNET_TYPE_ARP ||
            cor_ipv4_parse(&ip, bytes + 14, size - 14) != COR_OK || ip.fragment) {
            continue;
        }
        for (uint32_t bit = 0; bit < (size - 14) * 8; bit++) {
            bytes[14 + bit / 8] ^= (uint8_t)(1U << (bit % 8));
            enum cor_status status = cor_ipv4_parse(&ip, bytes + 14, size - 14);

            if (status == COR_OK) {
                status = parse_transport(
                    &ip, bytes + 14 + ip.header_bytes, (uint32_t)ip.total_bytes - ip.header_bytes);
            }
            CHECK_EQ(status, COR_E_PROTO);
            bytes[14 + bit / 8] ^= (uint8_t)(1U << (bit % 8));
        }
    }
}

// Options of a segment with nothing else, with a right checksum.
static enum cor_status parse_options(
    const uint8_t *options, uint32_t size, struct cor_tcp_header *header) {
    struct cor_ipv4 ip = {.from = 1, .to = 2, .protocol = COR_IPV4_TCP};
    uint8_t *segment = calloc(1, 20 + size);

    segment[12] = (uint8_t)((20 + size) << 2);
    memcpy(segment + 20, options, size);
    uint32_t sum = cor_ipv4_pseudo_sum(1, 2, COR_IPV4_TCP, 20 + size);
    cor_put_be16(segment + 16, (uint16_t)~cor_sum_fold(sum + cor_sum_bytes(segment, 20 + size)));
    enum cor_status status = cor_tcp_parse(header, &ip, segment, 20 + size);
    free(segment);
    return status;
}

TEST(tcp_options_of_every_shape) {
    struct cor_tcp_header header;

    // Unknown ones are skipped by length, at any alignment (RFC 9293 MUST-6, MUST-64).
    CHECK_EQ(parse_options((const uint8_t *)"\xFD\5abc\1\2\4\1\2\0\0", 12, &header), COR_OK);
    CHECK_EQ(header.mss_bytes, 0x0102);
    // Behind the end nothing counts.
    CHECK_EQ(parse_options((const uint8_t *)"\0\2\4\1\2\0\0\0", 8, &header), COR_OK);
    CHECK_EQ(header.mss_bytes, 0);
    // Impossible lengths (MUST-7).
    CHECK_EQ(parse_options((const uint8_t *)"\2\0\0\0", 4, &header), COR_E_PROTO);
    CHECK_EQ(parse_options((const uint8_t *)"\2\1\0\0", 4, &header), COR_E_PROTO);
    CHECK_EQ(parse_options((const uint8_t *)"\1\1\2\4", 4, &header), COR_E_PROTO);
    CHECK_EQ(parse_options((const uint8_t *)"\1\1\1\2", 4, &header), COR_E_PROTO);
    // A known option with another length is not believed.
    CHECK_EQ(parse_options((const uint8_t *)"\2\3\1\1\3\2\4\3\7\0\0\0", 12, &header), COR_OK);
    CHECK_EQ(header.mss_bytes, 0);
    CHECK(!header.has_shift && !header.sack_permitted);
    // Half a SACK block is none.
    CHECK_EQ(parse_options((const uint8_t *)"\5\x0C\0\0\0\1\0\0\0\2\0\0", 12, &header), COR_OK);
    CHECK_EQ(header.sack_count, 1);
    CHECK_EQ(parse_options((const uint8_t *)"\5\2\1\1", 4, &header), COR_OK);
    CHECK_EQ(header.sack_count, 0);
}

TEST(addresses_are_read_and_written) {
    static const char *const bad[] = {
        "",
        "1",
        "1.2.3",
        "1.2.3.",
        "1.2.3.4.",
        "1.2.3.4x",
        "1..2.3",
        "256.1.1.1",
        "1.2.3.1000",
        " 1.2.3.4",
        "-1.2.3.4",
        "1.2.3.4 ",
    };
    char text[COR_IP4_TEXT_BYTES];
    uint32_t address = 7;

    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!cor_ip4_parse(bad[i], &address));
        CHECK_EQ(address, 7);
    }
    CHECK(cor_ip4_parse("192.168.4.1", &address));
    CHECK_EQ(address, COR_IP4(192, 168, 4, 1));
    CHECK_TEXT(cor_ip4_text(address, text), "192.168.4.1");
    CHECK_TEXT(cor_ip4_text(0, text), "0.0.0.0");
    CHECK_TEXT(cor_ip4_text(0xFFFFFFFF, text), "255.255.255.255");
    CHECK_TEXT(cor_ip4_text(COR_IP4(10, 99, 100, 201), text), "10.99.100.201");
}

TEST_MAIN(
    CASE(arp_is_read_and_written),
    CASE(icmp_is_read_and_written),
    CASE(an_icmp_error_quotes_what_it_is_about),
    CASE(udp_is_read_and_written),
    CASE(tcp_is_read_and_written),
    CASE(sack_blocks_are_read),
    CASE(an_ip_header_is_written),
    CASE(ip_options_and_fragments_are_seen),
    CASE(every_prefix_of_every_vector_fails_cleanly),
    CASE(every_flipped_bit_of_a_checked_packet_is_noticed),
    CASE(tcp_options_of_every_shape),
    CASE(addresses_are_read_and_written))
