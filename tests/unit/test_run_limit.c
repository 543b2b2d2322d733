// SPDX-License-Identifier: MIT
// The limit is named from measured time: this file cannot see an option of the run, and neither can
// the code under test.
#include "run/bound.h"
#include "run/limit.h"
#include "test.h"

static struct limit_time with(enum cor_meter_state state, uint64_t us) {
    struct limit_time time = {.air_permille = 900};

    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        time.us[i] = 1000;
    }
    time.us[state] = us;
    return time;
}

TEST(the_state_with_most_time_is_the_limit) {
    static const enum cor_meter_state states[] = {
        COR_METER_STATE_source,
        COR_METER_STATE_peer_window,
        COR_METER_STATE_congestion,
        COR_METER_STATE_no_buffer,
        COR_METER_STATE_bus,
        COR_METER_STATE_cpu,
        COR_METER_STATE_power_save,
    };
    static const char *const names[] = {
        "source", "peer_window", "congestion", "no_buffer", "bus", "cpu", "power_save"};

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        struct limit_time time = with(states[i], 1001);

        CHECK_TEXT(limit_name(&time), names[i]);
    }
}

TEST(credit_is_air_from_seventy_percent_of_the_bound) {
    struct limit_time time = with(COR_METER_STATE_credit, 5000);

    time.air_permille = 700;
    CHECK_TEXT(limit_name(&time), "air");
    time.air_permille = 1000;
    CHECK_TEXT(limit_name(&time), "air");
    time.air_permille = 699;
    CHECK_TEXT(limit_name(&time), "credit");
}

TEST(credit_is_the_coprocessor_below_half_of_the_bound) {
    struct limit_time time = with(COR_METER_STATE_credit, 5000);

    time.air_permille = 500;
    CHECK_TEXT(limit_name(&time), "credit");
    time.air_permille = 499;
    CHECK_TEXT(limit_name(&time), "coprocessor");
    time.air_permille = 0;
    CHECK_TEXT(limit_name(&time), "coprocessor");
}

TEST(a_busy_air_is_not_the_limit_while_another_state_holds_the_time) {
    struct limit_time time = with(COR_METER_STATE_bus, 5000);

    time.us[COR_METER_STATE_credit] = 4999;
    time.air_permille = 1000;
    CHECK_TEXT(limit_name(&time), "bus");
}

TEST(the_naming_code_includes_no_option) {
    static const char *const words[] = {"options", "config", "ampdu", "credit_window", "engine"};
    static const char *const files[] = {"tools/run/limit.c", "tools/run/limit.h"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char text[8192];
        FILE *file = fopen(files[i], "r");
        size_t size;

        CHECK(file != NULL);
        size = fread(text, 1, sizeof(text) - 1, file);
        fclose(file);
        text[size] = '\0';
        for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
            char include[64];

            snprintf(include, sizeof(include), "%s.h\"", words[k]);
            CHECK(strstr(text, include) == NULL);
        }
        CHECK(strstr(text, "->ampdu") == NULL && strstr(text, "->engine") == NULL);
    }
}

// Source of the figures: the fact sheet of the CYW43439, 6.5, row "minimum, status appended".
TEST(the_tcp_bound_is_12656_bits_a_segment) {
    CHECK_EQ(bound_tcp_segment_bits(1460), 12656);
    CHECK_BETWEEN(bound_tcp_bps(25000000, 1460), 23.07e6, 23.08e6);
    CHECK_BETWEEN(bound_tcp_bps(37500000, 1460), 34.60e6, 34.62e6);
    CHECK_BETWEEN(bound_tcp_bps(50000000, 1460), 46.13e6, 46.15e6);
}

TEST(the_udp_bound_counts_the_credit_frames_that_were_seen) {
    CHECK_EQ(bound_udp_datagram_bits(1472), 12320);
    CHECK_EQ(bound_credit_frame_bits(), 160);
    CHECK_BETWEEN(bound_udp_bps(37500000, 1472, 0, 1000), 35.84e6, 35.85e6);
    CHECK_BETWEEN(bound_udp_bps(37500000, 1472, 0, 0), 35.84e6, 35.85e6);
    // One credit frame for each datagram: 11 776 of 12 480 bits.
    CHECK_BETWEEN(bound_udp_bps(37500000, 1472, 1000, 1000), 35.38e6, 35.39e6);
}

TEST_MAIN(
    CASE(the_state_with_most_time_is_the_limit),
    CASE(credit_is_air_from_seventy_percent_of_the_bound),
    CASE(credit_is_the_coprocessor_below_half_of_the_bound),
    CASE(a_busy_air_is_not_the_limit_while_another_state_holds_the_time),
    CASE(the_naming_code_includes_no_option),
    CASE(the_tcp_bound_is_12656_bits_a_segment),
    CASE(the_udp_bound_counts_the_credit_frames_that_were_seen))
