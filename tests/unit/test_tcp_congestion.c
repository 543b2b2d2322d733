// SPDX-License-Identifier: MIT
#include "net/tcp_congestion.h"
#include "test.h"

#define S 1460U

// RFC 6928 2.
TEST(the_initial_window_depends_on_the_segment_size) {
    struct cor_tcp_congestion c;

    cor_tcp_congestion_init(&c, 1460, false);
    CHECK_EQ(c.window_bytes, 14600);
    cor_tcp_congestion_init(&c, 536, false);
    CHECK_EQ(c.window_bytes, 5360);
    cor_tcp_congestion_init(&c, 8960, false);
    CHECK_EQ(c.window_bytes, 17920);
    cor_tcp_congestion_init(&c, 1460, true);
    CHECK_EQ(c.window_bytes, 1460);
}

TEST(slow_start_counts_bytes_up_to_the_limit) {
    struct cor_tcp_congestion c;

    cor_tcp_congestion_init(&c, S, false);
    cor_tcp_congestion_acked(&c, 100, 10 * S, 2);
    CHECK_EQ(c.window_bytes, 10 * S + 100);
    cor_tcp_congestion_acked(&c, 8 * S, 10 * S, 2);
    CHECK_EQ(c.window_bytes, 12 * S + 100);
    cor_tcp_congestion_acked(&c, 8 * S, 10 * S, 1);
    CHECK_EQ(c.window_bytes, 13 * S + 100);
}

TEST(less_than_half_a_window_in_use_grows_nothing) {
    struct cor_tcp_congestion c;

    cor_tcp_congestion_init(&c, S, false);
    cor_tcp_congestion_acked(&c, S, 5 * S - 1, 2);
    CHECK_EQ(c.window_bytes, 10 * S);
    c.threshold_bytes = 10 * S;
    cor_tcp_congestion_acked(&c, 20 * S, 9 * S, 2);
    CHECK_EQ(c.window_bytes, 10 * S);
}

TEST(a_loss_halves_what_was_in_flight_and_never_below_two_segments) {
    struct cor_tcp_congestion c;

    cor_tcp_congestion_init(&c, S, false);
    cor_tcp_congestion_loss(&c, 9 * S);
    CHECK_EQ(c.window_bytes, 9 * S / 2);
    CHECK_EQ(c.threshold_bytes, 9 * S / 2);
    cor_tcp_congestion_loss(&c, S);
    CHECK_EQ(c.window_bytes, 2 * S);
}

TEST(a_timeout_leaves_one_segment_and_halves_the_threshold_once) {
    struct cor_tcp_congestion c;

    cor_tcp_congestion_init(&c, S, false);
    cor_tcp_congestion_timeout(&c, 10 * S, false);
    CHECK_EQ(c.window_bytes, S);
    CHECK_EQ(c.threshold_bytes, 5 * S);
    cor_tcp_congestion_timeout(&c, S, true);
    CHECK_EQ(c.threshold_bytes, 5 * S);
}

TEST(recovery_ends_without_a_burst) {
    struct cor_tcp_congestion c;

    cor_tcp_congestion_init(&c, S, false);
    cor_tcp_congestion_loss(&c, 20 * S);
    cor_tcp_congestion_recovered(&c, 3 * S);
    CHECK_EQ(c.window_bytes, 4 * S);
    c.window_bytes = 10 * S;
    cor_tcp_congestion_recovered(&c, 30 * S);
    CHECK_EQ(c.window_bytes, 10 * S);
}

TEST(no_window_grows_without_end) {
    struct cor_tcp_congestion c;

    cor_tcp_congestion_init(&c, S, false);
    c.window_bytes = (1U << 30) - 10;
    cor_tcp_congestion_acked(&c, 1U << 30, 1U << 30, 2);
    CHECK(c.window_bytes <= 1U << 30);
}

TEST_MAIN(
    CASE(the_initial_window_depends_on_the_segment_size),
    CASE(slow_start_counts_bytes_up_to_the_limit),
    CASE(less_than_half_a_window_in_use_grows_nothing),
    CASE(a_loss_halves_what_was_in_flight_and_never_below_two_segments),
    CASE(a_timeout_leaves_one_segment_and_halves_the_threshold_once),
    CASE(recovery_ends_without_a_burst),
    CASE(no_window_grows_without_end))
