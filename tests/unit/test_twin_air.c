// SPDX-License-Identifier: MIT
// Air: the closed forms against the worked numbers of the air fact sheet, term by term.
#include "coradio_twin/air.h"
#include "test.h"

struct world {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_air *air;
};

static struct world open_air(uint8_t mcs, enum twin_gi gi, bool ccmp) {
    struct world world = {.sim = twin_sim_new(1, 0), .frames = twin_frames_new()};
    struct twin_air_config config = {
        .sim = world.sim, .frames = world.frames, .mcs = mcs, .gi = gi, .ccmp = ccmp};

    world.air = twin_air_new(&config);
    return world;
}

static void close_air(struct world *world) {
    twin_air_free(world->air);
    twin_frames_free(world->frames);
    twin_sim_free(world->sim);
}

// The sheet prints tenths of Mbit/s, and has rounded two of them by way of hundredths (57.0489 to
// 57.1 and 59.149 to 59.2).
#define SHEET_ROUNDING 0.052

static void check_udp(struct world *world, uint32_t count, double mbps) {
    double bound = (double)twin_air_udp_bound_bps(world->air, count) / 1e6;

    CHECK_BETWEEN(bound, mbps - SHEET_ROUNDING, mbps + SHEET_ROUNDING);
}

static void check_tcp(struct world *world, uint32_t count, bool aggregates, double mbps) {
    double bound = (double)twin_air_tcp_bound_bps(world->air, count, aggregates) / 1e6;

    CHECK_BETWEEN(bound, mbps - SHEET_ROUNDING, mbps + SHEET_ROUNDING);
}

TEST(an_mpdu_of_1500_bytes_has_1554_with_wpa2_and_1538_without) {
    struct world world = open_air(7, TWIN_GI_SHORT, true);
    struct world open = open_air(7, TWIN_GI_SHORT, false);

    CHECK_EQ(twin_air_mpdu_bytes(world.air, 1500), 1554);
    CHECK_EQ(twin_air_mpdu_bytes(world.air, 40), 94);
    CHECK_EQ(twin_air_mpdu_bytes(world.air, 52), 106);
    CHECK_EQ(twin_air_mpdu_bytes(open.air, 1500), 1538);
    close_air(&world);
    close_air(&open);
}

TEST(the_worked_exchange_has_its_terms) {
    struct world world = open_air(7, TWIN_GI_SHORT, true);

    // Preamble 36, 48 symbols in 176 us, signal extension 6.
    CHECK_EQ(twin_air_ppdu_ns(world.air, 1554), 36000 + 176000 + 6000);
    // AIFS 37, mean back-off 67.5, SIFS 10, ACK 34.
    CHECK_EQ(twin_air_exchange_ns(world.air, 1500, 1), 37000 + 67500 + 218000 + 10000 + 34000);
    CHECK_EQ(twin_air_exchange_ns(world.air, 1500, 1), 366500);
    // With a BlockAck (38 us) in place of the ACK.
    CHECK_EQ(
        twin_air_exchange_ns(world.air, 1500, 2) - twin_air_ppdu_ns(world.air, 1560 + 1558) +
            twin_air_ppdu_ns(world.air, 1554),
        370500);
    close_air(&world);
}

TEST(the_worked_exchange_with_long_guard_takes_382_us) {
    struct world world = open_air(7, TWIN_GI_LONG, true);

    CHECK_EQ(twin_air_exchange_ns(world.air, 1500, 1), 382500);
    close_air(&world);
}

TEST(exchange_times_are_those_of_the_sheet) {
    static const struct {
        uint32_t count;
        uint64_t ns;
    } rows[] = {{1, 366500}, {2, 546500}, {4, 890500}, {8, 1582500}, {16, 2966500}, {31, 5558500}};
    struct world world = open_air(7, TWIN_GI_SHORT, true);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK_EQ(twin_air_exchange_ns(world.air, 1500, rows[i].count), rows[i].ns);
    }
    CHECK_EQ(twin_air_ppdu_ns(world.air, 94), 54000);
    CHECK_EQ(twin_air_exchange_ns(world.air, 40, 1), 202500);
    CHECK_EQ(twin_air_exchange_ns(world.air, 40, 2), 222500);
    CHECK_EQ(twin_air_exchange_ns(world.air, 40, 4), 242500);
    close_air(&world);
}

TEST(bounds_of_mcs_7_short_guard_are_those_of_the_sheet) {
    static const struct {
        uint32_t count;
        double udp, tcp;
    } rows[] = {
        {1, 32.1, 25.0},
        {2, 43.1, 31.2},
        {4, 52.9, 42.0},
        {6, 57.1, 47.7},
        {8, 59.5, 51.2},
        {16, 63.5, 57.5},
        {31, 65.7, 61.1},
        {32, 65.7, 61.1},
    };
    struct world world = open_air(7, TWIN_GI_SHORT, true);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_udp(&world, rows[i].count, rows[i].udp);
        check_tcp(&world, rows[i].count, true, rows[i].tcp);
    }
    close_air(&world);
}

TEST(bounds_of_mcs_7_long_guard_are_those_of_the_sheet) {
    static const struct {
        uint32_t count;
        double udp, tcp;
    } rows[] = {
        {1, 30.8, 24.1},
        {2, 40.4, 29.8},
        {4, 48.7, 39.3},
        {6, 52.3, 44.2},
        {8, 54.3, 47.2},
        {16, 57.6, 52.4},
        {32, 59.2, 55.0},
    };
    struct world world = open_air(7, TWIN_GI_LONG, true);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_udp(&world, rows[i].count, rows[i].udp);
        check_tcp(&world, rows[i].count, true, rows[i].tcp);
    }
    CHECK_EQ(twin_air_fit(world.air, 1500, 32), 28);
    close_air(&world);
}

TEST(without_aggregation_of_acks_tcp_falls_as_in_the_sheet) {
    struct world world = open_air(7, TWIN_GI_SHORT, true);

    check_tcp(&world, 4, false, 36.1);
    check_tcp(&world, 8, false, 39.1);
    check_tcp(&world, 1, false, 25.0);
    close_air(&world);
}

TEST(other_mcs_have_the_bounds_of_the_sheet) {
    // UDP for 1, 4, 8, 16; where the PPDU limit cuts the count, the sheet prints the value of the
    // cut count or nothing (0 here).
    static const double rows[7][4] = {
        {6.1, 6.6, 0, 0},
        {11.2, 12.9, 13.1, 0},
        {15.4, 18.8, 19.6, 19.7},
        {18.9, 24.5, 25.8, 26.3},
        {24.6, 34.9, 37.6, 39.2},
        {29.0, 44.3, 48.9, 51.6},
        {30.5, 48.7, 54.3, 57.6},
    };
    static const uint32_t counts[4] = {1, 4, 8, 16};

    for (uint8_t mcs = 0; mcs < 7; mcs++) {
        struct world world = open_air(mcs, TWIN_GI_SHORT, true);

        for (size_t i = 0; i < 4; i++) {
            if (rows[mcs][i] > 0) {
                check_udp(&world, counts[i], rows[mcs][i]);
            }
        }
        close_air(&world);
    }
}

TEST(the_longest_ppdu_holds_as_many_mpdus_as_in_the_sheet) {
    static const uint32_t fit[] = {3, 6, 9, 12, 18, 25, 28, 31};

    for (uint8_t mcs = 0; mcs < 8; mcs++) {
        struct world world = open_air(mcs, TWIN_GI_SHORT, true);

        CHECK_EQ(twin_air_fit(world.air, 1500, 64), fit[mcs]);
        CHECK_EQ(twin_air_fit(world.air, 1500, 2), 2);
        close_air(&world);
    }
}

TEST(short_frames_are_limited_by_the_window) {
    struct world world = open_air(7, TWIN_GI_SHORT, true);

    CHECK_EQ(twin_air_fit(world.air, 40, 1000), 64);
    CHECK_EQ(twin_air_fit(world.air, 40, 0), 1);
    close_air(&world);
}

TEST_MAIN(
    CASE(an_mpdu_of_1500_bytes_has_1554_with_wpa2_and_1538_without),
    CASE(the_worked_exchange_has_its_terms),
    CASE(the_worked_exchange_with_long_guard_takes_382_us),
    CASE(exchange_times_are_those_of_the_sheet),
    CASE(bounds_of_mcs_7_short_guard_are_those_of_the_sheet),
    CASE(bounds_of_mcs_7_long_guard_are_those_of_the_sheet),
    CASE(without_aggregation_of_acks_tcp_falls_as_in_the_sheet),
    CASE(other_mcs_have_the_bounds_of_the_sheet),
    CASE(the_longest_ppdu_holds_as_many_mpdus_as_in_the_sheet),
    CASE(short_frames_are_limited_by_the_window))
