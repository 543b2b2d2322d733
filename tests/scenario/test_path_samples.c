// SPDX-License-Identifier: MIT
// Samples of a transfer: slices that add up to the result.
#include "path.h"
#include "run/samples.h"

static struct path path;

static struct {
    size_t count;
    uint64_t bytes;
    uint64_t length_ns;
    uint64_t longest_ns;
    uint64_t states_us;
    uint64_t retransmissions;
    uint64_t end_ns;
    double energy_nj;
    double busy_ns;
} sums;

static void add_up(const struct world *world) {
    memset(&sums, 0, sizeof(sums));
    sums.count = samples_count(world);
    for (size_t i = 0; i < sums.count; i++) {
        struct sample each = samples_at(world, i);

        sums.bytes += each.payload_bytes;
        sums.length_ns += each.length_ns;
        sums.longest_ns = each.length_ns > sums.longest_ns ? each.length_ns : sums.longest_ns;
        sums.retransmissions += each.retransmissions;
        sums.end_ns = each.end_ns;
        sums.energy_nj += each.power_mw * (double)each.length_ns / 1e3;
        sums.busy_ns += each.bus_utilization * (double)each.length_ns;
        for (int j = 0; j < COR_METER_STATE_COUNT; j++) {
            sums.states_us += each.state_us[j];
        }
    }
}

static void check_sums(void) {
    const struct result *result = &path.result;
    double interval_ns = (double)result->interval_ns;

    CHECK_EQ(sums.bytes, result->payload_bytes);
    CHECK_EQ(sums.length_ns, result->interval_ns);
    CHECK_EQ(sums.end_ns, result->interval_ns);
    CHECK_EQ(sums.retransmissions, result->counts.retransmissions);
    // A look cuts microseconds, and one in the midst of a poll may be a little off.
    CHECK_BETWEEN(
        (double)sums.states_us,
        interval_ns / 1e3 - (double)sums.count,
        interval_ns / 1e3 + (double)sums.count * 20);
    CHECK_BETWEEN(
        sums.busy_ns / interval_ns, result->utilization - 1e-6, result->utilization + 1e-6);
    CHECK_BETWEEN(
        sums.energy_nj / interval_ns * 1e3, result->avg_mw * 0.9999, result->avg_mw * 1.0001);
}

TEST(slices_add_up_to_a_tcp_upload) {
    path.look = add_up;
    path_run(&path, "--bytes=4MiB --samples=100ms --json");
    CHECK_EQ(sums.count, path.result.interval_ns / 100000000 + 1);
    CHECK_EQ(sums.longest_ns, 100000000);
    check_sums();
}

TEST(slices_add_up_where_segments_are_lost) {
    path.look = add_up;
    path_run(&path, "--bytes=2MiB --path-loss=0.01 --samples=50ms --json");
    CHECK(path.result.counts.retransmissions > 0);
    check_sums();
}

TEST(slices_add_up_to_what_the_board_receives) {
    path.look = add_up;
    path_try(&path, "--app=tcp-rx --bytes=2MiB --samples=100ms --json");
    CHECK_EQ(path.outcome.status, COR_OK);
    CHECK(sums.count >= 4);
    check_sums();
}

TEST(a_step_longer_than_the_transfer_gives_one_slice) {
    path.look = add_up;
    path_run(&path, "--bytes=1MiB --samples=10s --json");
    CHECK_EQ(sums.count, 1);
    check_sums();
}

TEST(without_the_option_there_are_none) {
    path.look = add_up;
    path_run(&path, "--bytes=1MiB");
    CHECK_EQ(sums.count, 0);
}

TEST(samples_do_not_change_the_run) {
    uint64_t interval_ns;

    path_run(&path, "--bytes=2MiB --loss=0.05");
    interval_ns = path.result.interval_ns;
    path_run(&path, "--bytes=2MiB --loss=0.05 --samples=1ms --json");
    CHECK_EQ(path.result.interval_ns, interval_ns);
}

TEST_MAIN(
    CASE(slices_add_up_to_a_tcp_upload),
    CASE(slices_add_up_where_segments_are_lost),
    CASE(slices_add_up_to_what_the_board_receives),
    CASE(a_step_longer_than_the_transfer_gives_one_slice),
    CASE(without_the_option_there_are_none),
    CASE(samples_do_not_change_the_run))
