// SPDX-License-Identifier: MIT
// The whole path where the bus is the limit: the headline figures, in virtual time.
#include "path.h"

#include "coradio/datagram.h"

static struct path path;

TEST(tcp_at_37_5_mhz_fills_the_bus) {
    path_run(&path, "--bytes=8MiB");
    CHECK(path.result.goodput_bps >= 33500000);
    CHECK_BETWEEN(path.result.bound_bps, 34.6e6, 34.62e6);
    CHECK(path.result.utilization >= 0.97);
    CHECK_TEXT(path.result.limit, "bus");
    CHECK_EQ(path.result.counts.retransmissions, 0);
}

TEST(udp_at_37_5_mhz_reaches_97_percent_of_its_bound) {
    path_run(&path, "--app=udp-tx --duration=1s");
    CHECK((double)path.result.goodput_bps >= 0.97 * (double)path.result.bound_bps);
    CHECK(path.result.utilization >= 0.97);
    CHECK_TEXT(path.result.limit, "bus");
    CHECK_EQ(path.result.loss.host, 0);
    CHECK_EQ(path.result.loss.chip, 0);
    CHECK_EQ(path.result.loss.peer, 0);
}

TEST(tcp_at_25_mhz_fills_the_bus) {
    path_run(&path, "--bytes=4MiB --bus-mhz=25");
    CHECK((double)path.result.goodput_bps >= 0.965 * 23.07e6);
    CHECK_TEXT(path.result.limit, "bus");
}

TEST(tcp_at_50_mhz_passes_40_with_a_window_of_8) {
    path_run(&path, "--bytes=8MiB --bus-mhz=50");
    CHECK(path.result.goodput_bps >= 40000000);
}

TEST(tcp_at_50_mhz_passes_44_with_a_window_of_16) {
    path_run(&path, "--bytes=8MiB --bus-mhz=50 --credit-window=16");
    CHECK(path.result.goodput_bps >= 44000000);
}

// Source of the figure: the fact sheet of the CYW43439, 6.5.
TEST(a_tcp_segment_costs_12656_bits) {
    path_run(&path, "--bytes=4MiB");
    CHECK_BETWEEN(path.result.bits_per_segment, 12656 * 0.99, 12656 * 1.01);
}

TEST(datagrams_go_no_faster_than_they_are_offered) {
    path_run(&path, "--app=udp-tx --duration=1s --offered=10M");
    CHECK_BETWEEN(path.result.goodput_bps, 9.9e6, 10.1e6);
    CHECK_TEXT(path.result.limit, "source");
    CHECK_EQ(path.result.loss.path, 0);
}

TEST(the_duration_counts_from_the_first_payload_bit) {
    path_run(&path, "--duration=500ms");
    // What stands in the ring at the end of it is still delivered.
    CHECK_BETWEEN((double)path.result.interval_ns, 0.5e9, 0.53e9);
    CHECK(path.result.bringup_s > 0.05);
}

TEST(shorter_datagrams_keep_to_their_own_bound) {
    path_run(&path, "--app=udp-tx --duration=500ms --payload-bytes=512");
    CHECK((double)path.result.goodput_bps >= 0.90 * (double)path.result.bound_bps);
}

// The interval holds the transfers whose first clock lies in it: from the first segment, which
// counts, to the last byte's arrival. path_run() holds the purposes to the bits clocked.
static void tcp_is_counted_whole(const char *words, uint64_t size_bytes) {
    path_run(&path, words);
    CHECK_EQ(path.result.counts.retransmissions, 0);
    CHECK_EQ(path.result.counts.segments, (size_bytes + 1459) / 1460);
    CHECK_EQ(path.result.bits[COR_METER_PURPOSE_payload], 8 * size_bytes);
}

static void udp_is_counted_whole(const char *words) {
    path_run(&path, words);
    // Last markers may have begun when the last datagram arrives.
    CHECK_BETWEEN(
        path.result.counts.segments,
        path.result.datagrams_sent,
        path.result.datagrams_sent + COR_DATAGRAM_LAST_COUNT);
}

TEST(segments_and_bits_are_counted_from_first_clock_to_last_byte) {
    tcp_is_counted_whole("--bytes=1MiB", 1048576);
    tcp_is_counted_whole("--bytes=1MiB --engine=serial", 1048576);
    tcp_is_counted_whole("--bytes=1460", 1460);
    tcp_is_counted_whole("--bytes=1460 --engine=serial", 1460);
    udp_is_counted_whole("--app=udp-tx --bytes=1MiB");
    udp_is_counted_whole("--app=udp-tx --bytes=1MiB --engine=serial");
}

TEST_MAIN(
    CASE(segments_and_bits_are_counted_from_first_clock_to_last_byte),
    CASE(tcp_at_37_5_mhz_fills_the_bus),
    CASE(udp_at_37_5_mhz_reaches_97_percent_of_its_bound),
    CASE(tcp_at_25_mhz_fills_the_bus),
    CASE(tcp_at_50_mhz_passes_40_with_a_window_of_8),
    CASE(tcp_at_50_mhz_passes_44_with_a_window_of_16),
    CASE(a_tcp_segment_costs_12656_bits),
    CASE(datagrams_go_no_faster_than_they_are_offered),
    CASE(the_duration_counts_from_the_first_payload_bit),
    CASE(shorter_datagrams_keep_to_their_own_bound))
