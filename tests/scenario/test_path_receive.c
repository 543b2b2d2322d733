// SPDX-License-Identifier: MIT
// The board receives, the whole way: rate, loss, both ways at once, and the round trip meanwhile.
#include "path.h"

static struct path path;

static void run(const char *words) {
    path_try(&path, words);
    path_show(&path, words);
    CHECK_EQ(path.outcome.status, COR_OK);
    CHECK_EQ(path.outcome.stage, WORLD_DONE);
    CHECK(!path.outcome.damaged);
    CHECK_EQ(path.result.counts.over_credit, 0);
    CHECK_EQ(path.result.counts.deviations, 0);
}

// The bound of the bus is 34.56 Mbit/s (fact sheet of the CYW43439, 6.5: 12 672 bits a segment).
TEST(tcp_is_received_at_33_mbit_s_at_least) {
    run("--app=tcp-rx --bytes=16MiB");
    CHECK_BETWEEN(path.result.goodput_bps, 33000000, 34560000);
    CHECK_TEXT(path.result.limit, "bus");
    CHECK_EQ(path.outcome.peer_bytes, 16777216);
    // One acknowledgement for two segments.
    CHECK_BETWEEN(
        (double)path.result.acks_sent / (double)path.result.segments_received, 0.45, 0.55);
}

TEST(each_bus_clock_is_used_up) {
    run("--app=tcp-rx --bytes=4MiB --bus-mhz=25");
    CHECK_BETWEEN((double)path.result.goodput_bps / (double)path.result.bound_bps, 0.95, 1.0);
}

TEST(both_ways_share_the_bus_and_acknowledge_on_data) {
    run("--app=tcp-both --bytes=8MiB");
    CHECK_BETWEEN(path.result.goodput_bps, 33000000, 35510000);
    CHECK(path.result.acks_sent < path.result.segments_received / 20);
    // Neither direction starves the other.
    CHECK_BETWEEN((double)path.result.received / (double)path.result.payload_bytes, 0.45, 0.55);
    CHECK_EQ(path.outcome.peer_bytes, 8388608);
}

TEST(datagrams_are_received_at_the_pace_they_are_sent) {
    run("--app=udp-rx --bytes=8MiB --offered=30M");
    CHECK_BETWEEN(path.result.goodput_bps, 29700000, 30100000);
}

TEST(what_is_lost_on_the_path_is_sent_again) {
    run("--app=tcp-rx --bytes=4MiB --path-loss=0.01");
    CHECK_EQ(path.outcome.peer_bytes, 4194304);
    CHECK(path.result.goodput_bps > 3000000);
}

TEST(the_round_trip_is_measured_idle_and_under_load) {
    run("--app=tcp-rx --bytes=4MiB");
    CHECK(path.result.idle_count >= 15);
    CHECK_BETWEEN(path.result.idle_p50_us, 300, 2000);
    CHECK(path.result.latency_count >= 20);
    // A window of 16 segments waits in front of each answer, and no more.
    CHECK_BETWEEN(path.result.latency_p99_us, 1000, 8000);
}

// More than the chip can hold between air and bus: it loses frames, and the data stays exact.
TEST(a_window_larger_than_the_chip_can_hold_costs_and_stays_exact) {
    run("--app=tcp-rx --bytes=2MiB --receive-ring=131072");
    CHECK_EQ(path.outcome.peer_bytes, 2097152);
}

TEST_MAIN(
    CASE(tcp_is_received_at_33_mbit_s_at_least),
    CASE(each_bus_clock_is_used_up),
    CASE(both_ways_share_the_bus_and_acknowledge_on_data),
    CASE(datagrams_are_received_at_the_pace_they_are_sent),
    CASE(what_is_lost_on_the_path_is_sent_again),
    CASE(the_round_trip_is_measured_idle_and_under_load),
    CASE(a_window_larger_than_the_chip_can_hold_costs_and_stays_exact))
