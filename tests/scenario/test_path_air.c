// SPDX-License-Identifier: MIT
// The whole path where the air or the chip is the limit.
#include "path.h"

static struct path path;

// 25.0 within 5 %, from the fact sheet's 1.8; overlapping back-offs may exceed it up to 26.9.
TEST(without_aggregation_the_air_is_the_limit) {
    path_run(&path, "--bytes=4MiB --ampdu=1 --ap-ampdu=1");
    CHECK_BETWEEN(path.result.goodput_bps, 25.0e6 * 0.95, 26.9e6);
    CHECK_TEXT(path.result.limit, "air");
    CHECK_BETWEEN(path.result.mean_ampdu, 1, 1);
    // An access point that still puts its ACKs together leaves the board a little more.
    path_run(&path, "--bytes=4MiB --ampdu=1");
    CHECK_BETWEEN(path.result.goodput_bps, 25.0e6 * 0.95, 26.9e6);
    CHECK_TEXT(path.result.limit, "air");
}

// At 50 MHz the bus brings frames faster than the air takes single ones. At 37.5 MHz it does not
// quite: an exchange of one frame and its share of an ACK takes 467 us without and about 430 us
// with overlapping back-offs, the bus 338 us, so aggregates settle between one and two and a half.
TEST(the_queued_engine_fills_aggregates) {
    path_run(&path, "--bytes=4MiB --bus-mhz=50");
    CHECK(path.result.mean_ampdu > 2);
    path_run(&path, "--bytes=4MiB");
    CHECK_BETWEEN(path.result.mean_ampdu, 1.5, 2.5);
}

// A chip that takes 250 us for each frame, during which nothing else goes on: bus and chip add up.
TEST(a_slow_chip_is_the_limit_and_named) {
    path_run(&path, "--bytes=4MiB --chip-frame-us=250");
    CHECK_BETWEEN(path.result.goodput_bps, 19.9e6 * 0.95, 19.9e6 * 1.05);
    CHECK_TEXT(path.result.limit, "coprocessor");
}

TEST(lost_mpdus_are_repaired_by_the_mac) {
    path_run(&path, "--bytes=4MiB --loss=0.1");
    CHECK(path.result.retries > 100);
    CHECK_EQ(path.result.counts.given_up, 0);
    CHECK_EQ(path.result.counts.timeouts, 0);
    CHECK(path.result.goodput_bps > 20000000);
}

TEST(lost_packets_are_repaired_by_tcp) {
    path_run(&path, "--bytes=4MiB --path-loss=0.002");
    CHECK(path.result.counts.retransmissions > 0);
    CHECK(path.result.goodput_bps > 5000000);
}

TEST(datagrams_lost_on_the_path_are_counted_there) {
    path_run(&path, "--app=udp-tx --duration=1s --path-loss=0.05");
    CHECK(path.result.loss.path > 50);
    CHECK_EQ(path.result.loss.host, 0);
    CHECK_EQ(path.result.loss.chip, 0);
    CHECK_EQ(path.result.loss.air, 0);
    CHECK_EQ(path.result.loss.peer, 0);
    CHECK(path.result.receiver_bps < path.result.sender_bps);
}

TEST(a_low_rate_on_the_air_is_named) {
    path_run(&path, "--bytes=2MiB --mcs=1");
    CHECK_TEXT(path.result.limit, "air");
}

// What is asked for is turned round before the result is made: bounds and limit stay.
static void hide(struct run_options *options) {
    options->ampdu = options->ampdu == 1 ? 8 : 1;
    options->ap_ampdu = options->ap_ampdu == 1 ? 8 : 1;
    options->mcs = 0;
    options->gi = RUN_GI_LONG;
    options->credit_window = 1;
    options->peer_window = 536;
    options->engine = RUN_ENGINE_SERIAL;
    options->bus_mhz = 1;
    options->loss = 1;
}

static void same_when_hidden(const char *words) {
    struct result seen;

    path.hide = NULL;
    path_run(&path, words);
    seen = path.result;
    path.hide = hide;
    path_run(&path, words);
    path.hide = NULL;
    CHECK_EQ(path.result.bound_air_bps, seen.bound_air_bps);
    CHECK_EQ(path.result.bound_bus_bps, seen.bound_bus_bps);
    CHECK_TEXT(path.result.limit, seen.limit);
}

TEST(limit_and_bounds_do_not_come_from_the_options) {
    same_when_hidden("--bytes=1MiB");
    same_when_hidden("--bytes=1MiB --ampdu=1");
    same_when_hidden("--bytes=1MiB --ap-ampdu=1 --bus-mhz=50");
    same_when_hidden("--bytes=1MiB --mcs=2");
    same_when_hidden("--app=udp-tx --bytes=1MiB --ampdu=2 --bus-mhz=50");
}

TEST_MAIN(
    CASE(limit_and_bounds_do_not_come_from_the_options),
    CASE(without_aggregation_the_air_is_the_limit),
    CASE(the_queued_engine_fills_aggregates),
    CASE(a_slow_chip_is_the_limit_and_named),
    CASE(lost_mpdus_are_repaired_by_the_mac),
    CASE(lost_packets_are_repaired_by_tcp),
    CASE(datagrams_lost_on_the_path_are_counted_there),
    CASE(a_low_rate_on_the_air_is_named))
