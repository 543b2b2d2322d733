// SPDX-License-Identifier: MIT
#include "test.h"

#include "coradio/bus_clock.h"

#define MHZ 1000000

TEST(a_divider_is_whole_and_never_too_fast) {
    for (int32_t system = 12; system <= 375; system++) {
        for (int32_t wanted_khz = 400; wanted_khz <= 75000; wanted_khz += 700) {
            int32_t wanted_hz = wanted_khz * 1000;
            struct cor_bus_clock clock = cor_bus_clock_for(system * MHZ, wanted_hz);

            CHECK(clock.divider >= 2);
            CHECK(clock.bus_hz <= wanted_hz);
            CHECK_EQ(clock.bus_hz, system * MHZ / (int32_t)clock.divider);
            CHECK_EQ(clock.even, clock.divider % 2 == 0);
            // An odd one only where the even one behind it is much slower.
            CHECK(clock.even || clock.divider < 7);
            // And the next faster one would be too fast, or odd.
            if (clock.divider > 3) {
                CHECK(system * MHZ / ((int32_t)clock.divider - 2) > wanted_hz);
            }
        }
    }
}

TEST(dividers_of_known_boards) {
    static const struct {
        int32_t system_mhz;
        int32_t wanted_khz;
        uint32_t divider;
    } rows[] = {
        {125, 31250, 4},
        {150, 37500, 4},
        {200, 50000, 4},
        {150, 50000, 3},
        {150, 25000, 6},
        {133, 37500, 4},
        {48, 25000, 2},
        {12, 50000, 2},
        {375, 50000, 8},
        {375, 75000, 5},
    };

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK_EQ(
            cor_bus_clock_for(rows[i].system_mhz * MHZ, rows[i].wanted_khz * 1000).divider,
            rows[i].divider);
    }
}

// What others have seen on Pico W and Pico 2 W: pico-sdk issue 1392 and pull request 1521,
// cyw43-driver issue 51, embassy issue 4791 and pull request 4792.
TEST(the_margins_agree_with_public_reports) {
    static const struct {
        int32_t bus_khz;
        enum cor_bus_sampling sampling;
        bool works;
    } rows[] = {
        {31250, COR_BUS_SAMPLING_gap01, true},
        {37500, COR_BUS_SAMPLING_gap01, true},
        {33250, COR_BUS_SAMPLING_gap0, true},
        {37500, COR_BUS_SAMPLING_gap0, false},
        {50000, COR_BUS_SAMPLING_gap01, true},
        {33333, COR_BUS_SAMPLING_gap0, true},
        {25000, COR_BUS_SAMPLING_gap0, true},
        {75000, COR_BUS_SAMPLING_gap010, false},
        {66500, COR_BUS_SAMPLING_gap010, true},
        {24000, COR_BUS_SAMPLING_gap01, true},
        {15000, COR_BUS_SAMPLING_gap01, false},
        {12000, COR_BUS_SAMPLING_gap0, true},
        {66500, COR_BUS_SAMPLING_gap01, false},
    };

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int32_t margin_ps = cor_bus_sampling_margin_ps(rows[i].sampling, rows[i].bus_khz * 1000);

        CHECK_EQ(margin_ps > 0, rows[i].works);
    }
}

// Scenario 2: every system clock, every divider; the choice depends on the resulting clock alone,
// has a margin, and moves one way as the clock rises.
TEST(scenario_2_the_sampling_is_a_function_of_the_bus_clock) {
    int32_t chosen_hz[COR_BUS_SAMPLING_COUNT] = {0};

    for (int32_t system = 12; system <= 375; system++) {
        for (int32_t divider = 2; divider <= 1000; divider++) {
            int32_t bus_hz = system * MHZ / divider;

            if (bus_hz > COR_BUS_CLOCK_HZ_TRIED_MAX) {
                continue;
            }
            enum cor_bus_sampling sampling = cor_bus_sampling_for(bus_hz);
            int32_t margin_ps = cor_bus_sampling_margin_ps(sampling, bus_hz);

            // Half a PIO cycle where the clock is in specification, and never none.
            CHECK(margin_ps >= 3000);
            CHECK(bus_hz > COR_BUS_CLOCK_HZ_MAX || margin_ps >= 5000);
            chosen_hz[sampling] = bus_hz > chosen_hz[sampling] ? bus_hz : chosen_hz[sampling];
        }
    }
    CHECK(chosen_hz[COR_BUS_SAMPLING_gap0] < chosen_hz[COR_BUS_SAMPLING_gap01]);
    CHECK(chosen_hz[COR_BUS_SAMPLING_gap01] < chosen_hz[COR_BUS_SAMPLING_gap010]);
    CHECK(chosen_hz[COR_BUS_SAMPLING_gap010] < chosen_hz[COR_BUS_SAMPLING_gap0101]);
    CHECK_EQ(cor_bus_sampling_for(25 * MHZ), COR_BUS_SAMPLING_gap0);
    CHECK_EQ(cor_bus_sampling_for(37500000), COR_BUS_SAMPLING_gap01);
    CHECK_EQ(cor_bus_sampling_for(50 * MHZ), COR_BUS_SAMPLING_gap010);
    CHECK_EQ(cor_bus_sampling_for(75 * MHZ), COR_BUS_SAMPLING_gap0101);
    CHECK_EQ(cor_bus_sampling_for(1), COR_BUS_SAMPLING_gap0);
    CHECK_TEXT(cor_bus_sampling_name(COR_BUS_SAMPLING_gap010), "gap010");
}

TEST_MAIN(
    CASE(a_divider_is_whole_and_never_too_fast),
    CASE(dividers_of_known_boards),
    CASE(the_margins_agree_with_public_reports),
    CASE(scenario_2_the_sampling_is_a_function_of_the_bus_clock))
