// SPDX-License-Identifier: MIT
#include "net/tcp_rtt.h"
#include "test.h"

TEST(before_the_first_sample_it_is_one_second) {
    struct cor_tcp_rtt rtt;

    cor_tcp_rtt_init(&rtt, 200000);
    CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), 1000000);
}

// RFC 6298 2.2: SRTT is the sample, RTTVAR half of it, so that the RTO is three times the sample.
TEST(the_first_sample_gives_three_times_itself) {
    struct cor_tcp_rtt rtt;

    cor_tcp_rtt_init(&rtt, 0);
    cor_tcp_rtt_sample(&rtt, 100000);
    CHECK_EQ(rtt.srtt_us, 100000);
    CHECK_EQ(rtt.rttvar_us, 50000);
    CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), 300000);
}

// RFC 6298 2.3 by hand: RTTVAR = 3/4 * 50 + 1/4 * 20 = 42.5, SRTT = 7/8 * 100 + 1/8 * 120 = 102.5.
TEST(a_second_sample_is_smoothed) {
    struct cor_tcp_rtt rtt;

    cor_tcp_rtt_init(&rtt, 0);
    cor_tcp_rtt_sample(&rtt, 100000);
    cor_tcp_rtt_sample(&rtt, 120000);
    CHECK_EQ(rtt.rttvar_us, 42500);
    CHECK_EQ(rtt.srtt_us, 102500);
    CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), 272500);
}

TEST(it_settles_on_a_steady_round_trip_and_its_floor_or_the_granularity) {
    struct cor_tcp_rtt rtt;

    cor_tcp_rtt_init(&rtt, 0);
    for (uint32_t i = 0; i < 200; i++) {
        cor_tcp_rtt_sample(&rtt, 3000);
    }
    CHECK_EQ(rtt.srtt_us, 3000);
    CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), 4000);
    rtt.floor_us = 200000;
    cor_tcp_rtt_sample(&rtt, 3000);
    CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), 200000);
}

TEST(each_backoff_doubles_up_to_60_seconds) {
    struct cor_tcp_rtt rtt;

    cor_tcp_rtt_init(&rtt, 200000);
    cor_tcp_rtt_sample(&rtt, 1000);
    for (uint32_t i = 0; i < 255; i++) {
        uint64_t expected = i < 20 ? 200000ULL << i : 60000000;

        rtt.backoff = (uint8_t)i;
        CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), expected < 60000000 ? expected : 60000000);
    }
}

TEST(extreme_samples_stay_in_range) {
    struct cor_tcp_rtt rtt;

    cor_tcp_rtt_init(&rtt, 200000);
    cor_tcp_rtt_sample(&rtt, UINT32_MAX);
    CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), 60000000);
    for (uint32_t i = 0; i < 100; i++) {
        cor_tcp_rtt_sample(&rtt, 0);
    }
    CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), 200000);
    CHECK(rtt.srtt_us > 0);
}

TEST(after_a_lost_syn_it_is_3_seconds_until_a_sample) {
    struct cor_tcp_rtt rtt;

    cor_tcp_rtt_init(&rtt, 200000);
    cor_tcp_rtt_syn_lost(&rtt);
    CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), 3000000);
    cor_tcp_rtt_sample(&rtt, 1000);
    CHECK_EQ(cor_tcp_rtt_timeout_us(&rtt), 200000);
}

TEST_MAIN(
    CASE(before_the_first_sample_it_is_one_second),
    CASE(the_first_sample_gives_three_times_itself),
    CASE(a_second_sample_is_smoothed),
    CASE(it_settles_on_a_steady_round_trip_and_its_floor_or_the_granularity),
    CASE(each_backoff_doubles_up_to_60_seconds),
    CASE(extreme_samples_stay_in_range),
    CASE(after_a_lost_syn_it_is_3_seconds_until_a_sample))
