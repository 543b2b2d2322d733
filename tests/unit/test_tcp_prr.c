// SPDX-License-Identifier: MIT
#include "net/tcp_prr.h"
#include "test.h"

#define S 1000U

// One acknowledgement in recovery: `arrived` more, `sent` so far, `pipe` in flight.
static uint32_t window(
    struct cor_tcp_prr *prr, uint32_t arrived, uint32_t sent, uint32_t pipe, uint32_t bonus) {
    struct cor_tcp_prr_now now = {
        .arrived_bytes = arrived,
        .sent_bytes = sent,
        .pipe_bytes = pipe,
        .threshold_bytes = 5 * S,
        .bonus_bytes = bonus,
    };

    prr->arrived_bytes += arrived;
    return cor_tcp_prr_window(prr, &now);
}

// RFC 6937 3: pipe above the threshold, CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out.
TEST(above_the_threshold_one_goes_for_two_that_arrive) {
    struct cor_tcp_prr prr;

    cor_tcp_prr_init(&prr, 10 * S);
    CHECK_EQ(window(&prr, S, 0, 9 * S, 0), 9 * S + S / 2);
    CHECK_EQ(window(&prr, S, 0, 8 * S, 0), 8 * S + S);
    CHECK_EQ(window(&prr, S, S, 8 * S, 0), 8 * S + S / 2);
    // More than its share was sent: nothing goes.
    CHECK_EQ(window(&prr, S, 3 * S, 8 * S, 0), 8 * S);
}

TEST(the_share_is_rounded_up) {
    struct cor_tcp_prr prr;

    cor_tcp_prr_init(&prr, 3 * S);
    CHECK_EQ(window(&prr, 1, 0, 9 * S, 0), 9 * S + 2);  // 5/3 of a byte
}

// Many were lost: packet conservation, or slow start up to the threshold.
TEST(below_the_threshold_the_bonus_decides) {
    struct cor_tcp_prr prr;

    cor_tcp_prr_init(&prr, 10 * S);
    CHECK_EQ(window(&prr, S, 0, 2 * S, 0), 3 * S);
    CHECK_EQ(window(&prr, S, S, 3 * S, S), 5 * S);
    // No further than the threshold.
    CHECK_EQ(window(&prr, 4 * S, 2 * S, 4 * S, S), 5 * S);
    CHECK_EQ(window(&prr, S, 20 * S, 5 * S, S), 5 * S);
    // What arrives now may be answered, whatever was sent before.
    CHECK_EQ(window(&prr, S, 20 * S, 3 * S, 0), 4 * S);
}

TEST(nothing_overflows_with_the_largest_numbers) {
    struct cor_tcp_prr prr;
    struct cor_tcp_prr_now now = {
        .arrived_bytes = 1U << 30,
        .pipe_bytes = 1U << 30,
        .threshold_bytes = 1U << 29,
    };

    cor_tcp_prr_init(&prr, 1U << 30);
    prr.arrived_bytes = 1U << 30;
    CHECK_EQ(cor_tcp_prr_window(&prr, &now), (1U << 30) + (1U << 29));
    cor_tcp_prr_init(&prr, 0);
    now.arrived_bytes = 0;
    CHECK_EQ(cor_tcp_prr_window(&prr, &now), 1U << 30);
}

TEST_MAIN(
    CASE(above_the_threshold_one_goes_for_two_that_arrive),
    CASE(the_share_is_rounded_up),
    CASE(below_the_threshold_the_bonus_decides),
    CASE(nothing_overflows_with_the_largest_numbers))
