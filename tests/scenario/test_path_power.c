// SPDX-License-Identifier: MIT
// Power save, seen from the application. The laws are those of the fact sheet on air, 2.3.
#include "path.h"

static struct path path;

#define BEACON_S 0.1024

// A window of data goes out, its ACKs come at the next wake-up: window / (L x 102.4 ms).
static void aggressive(const char *words, double listen, double window_bytes) {
    double expected_bps = window_bytes * 8 / (listen * BEACON_S);

    path_run(&path, words);
    CHECK_BETWEEN((double)path.result.goodput_bps, expected_bps * 0.9, expected_bps * 1.1);
    CHECK_TEXT(path.result.limit, "power_save");
}

TEST(aggressive_gives_a_window_each_beacon) {
    aggressive("--pm=aggressive --listen=1 --duration=8s --peer-window=11680", 1, 11680);
}

TEST(aggressive_gives_a_window_every_third_beacon) {
    aggressive("--pm=aggressive --listen=3 --duration=20s --peer-window=11680", 3, 11680);
}

TEST(aggressive_gives_a_window_every_tenth_beacon) {
    aggressive("--pm=aggressive --listen=10 --duration=60s --peer-window=5840", 10, 5840);
}

// The same with the window as it is without asking.
TEST(aggressive_gives_the_default_window_each_wake_up) {
    aggressive("--pm=aggressive --listen=1 --bytes=16MiB", 1, 65535);
    aggressive("--pm=aggressive --listen=3 --bytes=16MiB", 3, 65535);
    aggressive("--pm=aggressive --listen=10 --bytes=16MiB", 10, 65535);
}

TEST(performance_leaves_a_running_upload_unchanged) {
    uint64_t awake_bps;

    path_run(&path, "--bytes=4MiB --pm=none");
    awake_bps = path.result.goodput_bps;
    path_run(&path, "--bytes=4MiB --pm=performance");
    CHECK_BETWEEN(
        (double)path.result.goodput_bps, (double)awake_bps * 0.99, (double)awake_bps * 1.01);
}

static void ping(const char *words, double lowest_ms, double highest_ms) {
    path_run(&path, words);
    printf("  mean %llu us\n", (unsigned long long)path.result.latency_mean_us);
    CHECK_EQ(path.result.latency_count, 200);
    CHECK_BETWEEN((double)path.result.latency_mean_us / 1e3, lowest_ms, highest_ms);
}

// Means of 53, 156 and 430 to 510 ms for L = 1, 3, 10.
TEST(ping_once_a_second_waits_half_a_wake_up_interval) {
    ping("--app=ping --count=200 --pm=aggressive --listen=1", 53 * 0.9, 53 * 1.1);
    ping("--app=ping --count=200 --pm=aggressive --listen=3", 156 * 0.9, 156 * 1.1);
    ping("--app=ping --count=200 --pm=aggressive --listen=10", 430, 510);
}

TEST(ping_to_a_board_awake_is_quick) {
    ping("--app=ping --count=200 --interval=100ms", 0.3, 5);
}

TEST_MAIN(
    CASE(aggressive_gives_a_window_each_beacon),
    CASE(aggressive_gives_a_window_every_third_beacon),
    CASE(aggressive_gives_a_window_every_tenth_beacon),
    CASE(aggressive_gives_the_default_window_each_wake_up),
    CASE(performance_leaves_a_running_upload_unchanged),
    CASE(ping_once_a_second_waits_half_a_wake_up_interval),
    CASE(ping_to_a_board_awake_is_quick))
