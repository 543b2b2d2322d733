// SPDX-License-Identifier: MIT
// Other networks on the channel, and what a weak or straying signal does.
#include "coradio_twin/air.h"
#include "test.h"

#define S UINT64_C(1000000000)

static struct twin_air *air_of(struct twin_sim *sim, struct twin_frames *frames, uint8_t mcs) {
    struct twin_air_config config = {.sim = sim, .frames = frames, .mcs = mcs, .gi = TWIN_GI_SHORT};

    return twin_air_new(&config);
}

// Share of the time that neighbours got, who wanted `share` of it.
static double got(uint32_t count, double share, uint64_t *collisions) {
    struct twin_sim *sim = twin_sim_new(3, 0);
    struct twin_frames *frames = twin_frames_new();
    struct twin_air *air = air_of(sim, frames, 7);
    struct twin_air_counters counters;

    twin_air_add_neighbours(air, count, share);
    twin_run_until(sim, 20 * S);
    twin_air_get_counters(air, &counters);
    *collisions = counters.collisions;
    twin_air_free(air);
    twin_frames_free(frames);
    twin_sim_free(sim);
    return (double)counters.neighbour_ns / (20.0 * (double)S);
}

TEST(neighbours_take_the_share_they_want_while_there_is_room) {
    uint64_t collisions;

    CHECK_BETWEEN(got(1, 0.1, &collisions), 0.09, 0.11);
    CHECK_EQ(collisions, 0);
    CHECK_BETWEEN(got(3, 0.3, &collisions), 0.28, 0.32);
    CHECK_BETWEEN(got(8, 0.5, &collisions), 0.45, 0.53);
    CHECK(collisions > 100);
    CHECK_BETWEEN(got(8, 1.0, &collisions), 0.60, 0.95);
    CHECK_BETWEEN(got(0, 0.5, &collisions), 0, 0);
}

TEST(the_signal_decides_the_rate) {
    static const struct {
        double dbm;
        uint8_t mcs;
    } rows[] = {
        {-50, 7},  // no higher than the config
        {-61, 7},
        {-61.5, 6},
        {-63, 5},
        {-66, 4},
        {-68, 3},
        {-75, 1},
        {-79, 0},
        {-90, 0},
    };
    struct twin_sim *sim = twin_sim_new(3, 0);
    struct twin_frames *frames = twin_frames_new();
    struct twin_air *air = air_of(sim, frames, 7);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        twin_air_set_signal(air, rows[i].dbm, 0);
        CHECK_EQ(twin_air_mcs(air), rows[i].mcs);
    }
    twin_air_free(air);
    air = air_of(sim, frames, 3);
    twin_air_set_signal(air, -50, 0);
    CHECK_EQ(twin_air_mcs(air), 3);
    twin_air_free(air);
    twin_frames_free(frames);
    twin_sim_free(sim);
}

TEST(a_straying_signal_comes_back) {
    struct twin_sim *sim = twin_sim_new(3, 0);
    struct twin_frames *frames = twin_frames_new();
    struct twin_air *air = air_of(sim, frames, 7);
    uint32_t seen[8] = {0};

    twin_air_set_signal(air, -68, 4);
    for (uint64_t i = 1; i <= 3000; i++) {
        twin_run_until(sim, i * S / 10);
        seen[twin_air_mcs(air)]++;
    }
    // The rate of the middle is the most frequent, and there is some of both sides.
    CHECK(seen[3] > seen[2] && seen[3] > seen[7]);
    CHECK(seen[7] > 20 && seen[1] > 20);
    CHECK_EQ(twin_air_mcs_highest(air), 7);
    twin_air_free(air);
    twin_frames_free(frames);
    twin_sim_free(sim);
}

TEST_MAIN(
    CASE(neighbours_take_the_share_they_want_while_there_is_room),
    CASE(the_signal_decides_the_rate),
    CASE(a_straying_signal_comes_back))
