// SPDX-License-Identifier: MIT
// What iperf 2 says, and what is answered. The bytes are those of iperf 2.1.8 as seen on a wire.
#include "test.h"

#include "coradio/app_iperf.h"
#include "coradio/ip4.h"

static struct cor_iperf iperf;

static void put32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static uint32_t get32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// A datagram of iperf 2.1.8: its number in 64 bits, sent and received at these times.
static bool feed(int64_t number, uint64_t sent_us, uint64_t now_us) {
    uint8_t data[100] = {0};
    struct cor_udp_datagram datagram = {
        .address = COR_IP4(10, 0, 0, 1),
        .port = 4000,
        .data = data,
        .size_bytes = sizeof(data),
        .now_us = now_us,
    };

    put32(data, (uint32_t)number);
    put32(data + 4, (uint32_t)(sent_us / 1000000));
    put32(data + 8, (uint32_t)(sent_us % 1000000));
    put32(data + 12, (uint32_t)((uint64_t)number >> 32));
    put32(data + 16, 0x48010098);
    return cor_iperf_datagram(&iperf, &datagram);
}

TEST(a_stream_without_a_header_is_data) {
    cor_iperf_init(&iperf);
    cor_iperf_stream(&iperf, NULL, (const uint8_t *)"0123456789", 10, 0);
    CHECK(iperf.head_known);
    CHECK(!iperf.declined);
    CHECK_EQ(iperf.bytes, 10);
}

// The 60 bytes of `iperf -c HOST -t 1`, byte by byte.
TEST(a_header_may_come_in_pieces) {
    uint8_t header[60] = {0};

    put32(header, 0x40010078);
    put32(header + 4, 1);
    put32(header + 20, 0xFFFFFF9C);
    cor_iperf_init(&iperf);
    for (uint32_t i = 0; i < sizeof(header); i++) {
        CHECK(!iperf.head_known);
        cor_iperf_stream(&iperf, NULL, header + i, 1, 0);
    }
    CHECK(iperf.head_known);
    CHECK(!iperf.declined);
    CHECK_EQ(iperf.bytes, 60);
}

TEST(reverse_two_way_and_keys_are_declined) {
    static const struct {
        uint32_t flags;
        uint32_t upper;
    } asks[] = {
        {0x44010078, 0x0400},
        {0x44010078, 0x0800},
        {0x50010078, 0},
        {0x40810078, 0},
    };

    for (uint32_t i = 0; i < 4; i++) {
        uint8_t header[60] = {0};

        put32(header, asks[i].flags);
        put32(header + 32, asks[i].upper << 16);
        cor_iperf_init(&iperf);
        cor_iperf_stream(&iperf, NULL, header, sizeof(header), 0);
        CHECK(iperf.declined);
    }
}

TEST(a_length_of_zero_is_read_as_the_shortest_header) {
    uint8_t header[24] = {0};

    put32(header, 0x40010000);
    cor_iperf_init(&iperf);
    cor_iperf_stream(&iperf, NULL, header, sizeof(header), 0);
    CHECK(iperf.head_known);
}

TEST(datagrams_are_counted_and_the_last_is_answered) {
    uint8_t last[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    uint8_t report[COR_IPERF_REPORT_BYTES];

    cor_iperf_init(&iperf);
    CHECK(!feed(-7, 0, 0));  // of an earlier test
    CHECK(!iperf.begun);
    CHECK(!feed(1, 0, 1000));
    CHECK(!feed(2, 1000, 2000));
    CHECK(!feed(5, 2000, 3160));  // 3 and 4 are missing, and it came 160 us late
    CHECK(!feed(4, 2000, 3160));  // late, not lost
    CHECK(feed(-6, 4000, 2001000));
    CHECK(feed(-7, 5000, 2011000));  // once more
    CHECK_EQ(iperf.datagrams, 5);
    CHECK_EQ(iperf.lost, 1);
    CHECK_EQ(iperf.out_of_order, 1);
    cor_iperf_report(&iperf, last, report);
    CHECK_BYTES(report, last, 16);
    CHECK_EQ(get32(report + 16), 0x88000000);
    CHECK_EQ(get32(report + 24), 500);
    CHECK_EQ(get32(report + 28), 2);
    CHECK_EQ(get32(report + 32), 0);
    CHECK_EQ(get32(report + 36), 1);
    CHECK_EQ(get32(report + 40), 1);
    CHECK_EQ(get32(report + 44), 5);
}

TEST(a_short_datagram_is_nobodys) {
    uint8_t data[15] = {0};
    struct cor_udp_datagram datagram = {.data = data, .size_bytes = sizeof(data)};

    cor_iperf_init(&iperf);
    CHECK(!cor_iperf_datagram(&iperf, &datagram));
}

TEST(the_clients_stream_begins_with_24_bytes) {
    struct cor_iperf_source source;
    uint8_t data[40];

    cor_iperf_source_init(&source, 34);
    CHECK_EQ(source.source.ops->read(&source.source, data, 30), 30);
    CHECK_EQ(source.source.ops->read(&source.source, data + 30, 10), 4);
    CHECK_EQ(source.source.ops->read(&source.source, data, 10), 0);
    CHECK_EQ(get32(data), 0);
    CHECK_EQ(get32(data + 4), 1);
    CHECK_EQ(get32(data + 20), 34);
    CHECK_BYTES(data + 24, "4567890123", 10);
}

TEST_MAIN(
    CASE(a_stream_without_a_header_is_data),
    CASE(a_header_may_come_in_pieces),
    CASE(reverse_two_way_and_keys_are_declined),
    CASE(a_length_of_zero_is_read_as_the_shortest_header),
    CASE(datagrams_are_counted_and_the_last_is_answered),
    CASE(a_short_datagram_is_nobodys),
    CASE(the_clients_stream_begins_with_24_bytes))
