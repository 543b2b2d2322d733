// SPDX-License-Identifier: MIT
// The write-up's board: a processor that waits for each transfer and pays a fixed cost a segment.
//
// Sources of the figures: the Pico 2 W write-up, *measured* there: TCP 15.3 at 25 MHz and 19.5 at
// 37.5 MHz, UDP 18 and 24.3.
#include "path.h"

static struct path path;

static void within_5_percent(double measured_bps) {
    CHECK_BETWEEN((double)path.result.goodput_bps, measured_bps * 0.95, measured_bps * 1.05);
}

TEST(tcp_at_25_mhz_goes_at_15_3) {
    path_run(&path, "--bytes=2MiB --engine=serial --segment-us=250 --bus-mhz=25");
    within_5_percent(15.3e6);
}

TEST(tcp_at_37_5_mhz_goes_at_19_5) {
    path_run(&path, "--bytes=2MiB --engine=serial --segment-us=250");
    within_5_percent(19.5e6);
}

TEST(udp_at_25_mhz_goes_at_18) {
    path_run(&path, "--app=udp-tx --duration=1s --engine=serial --segment-us=156 --bus-mhz=25");
    within_5_percent(18e6);
}

TEST(udp_at_37_5_mhz_goes_at_24_3) {
    path_run(&path, "--app=udp-tx --duration=1s --engine=serial --segment-us=156");
    within_5_percent(24.3e6);
}

// As the write-up measured: the queue never holds enough frames for aggregation to matter.
TEST(longer_aggregates_change_nothing) {
    uint64_t four_bps;

    path_run(&path, "--bytes=2MiB --engine=serial --segment-us=250 --ampdu=4");
    four_bps = path.result.goodput_bps;
    path_run(&path, "--bytes=2MiB --engine=serial --segment-us=250 --ampdu=8");
    CHECK_BETWEEN(
        (double)path.result.goodput_bps, (double)four_bps * 0.99, (double)four_bps * 1.01);
}

TEST(the_processor_is_named_as_the_limit) {
    path_run(&path, "--bytes=1MiB --engine=serial --segment-us=600");
    CHECK_TEXT(path.result.limit, "cpu");
}

TEST_MAIN(
    CASE(tcp_at_25_mhz_goes_at_15_3),
    CASE(tcp_at_37_5_mhz_goes_at_19_5),
    CASE(udp_at_25_mhz_goes_at_18),
    CASE(udp_at_37_5_mhz_goes_at_24_3),
    CASE(longer_aggregates_change_nothing),
    CASE(the_processor_is_named_as_the_limit))
