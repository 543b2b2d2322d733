// SPDX-License-Identifier: MIT
// Scenario 19: the radio is switched off: the power pin is low and the bus pins released; on again
// 100 times.
#include "fault_world.h"

static uint64_t on_ns(const struct world *world) {
    struct twin_board_counters board;

    twin_board_get_counters(world->board, &board);
    return board.radio_on_ns;
}

static uint64_t transfers(const struct world *world) {
    struct twin_board_counters board;

    twin_board_get_counters(world->board, &board);
    return board.transfers;
}

TEST(off_is_dark_and_silent_and_on_is_as_new) {
    struct options options = fault_options("");
    struct world *world = fault_open(&options);

    for (uint32_t i = 0; i < 100; i++) {
        uint64_t lit_ns;
        uint64_t clocked;

        CHECK_EQ(world_start(world), COR_RADIO_READY);
        if (i % 10 == 0) {
            CHECK_EQ(world_join(world), COR_RADIO_JOINED);
            check_well(world, S);
            world->to_send = 500;
            twin_board_interrupt(world->board);
            world_run_ns(world, 30 * MS);
        }
        cor_cyw43_stop(&world->driver, world_now_us(world));
        twin_board_interrupt(world->board);
        world_run_ns(world, 5 * MS);
        lit_ns = on_ns(world);
        clocked = transfers(world);
        world_run_ns(world, 2 * S);
        CHECK_EQ(on_ns(world), lit_ns);
        CHECK_EQ(transfers(world), clocked);
        CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_OFF);
        CHECK(!world->link);
        world->to_send = 0;
    }
    CHECK_EQ(counters(world)->starts, 100);
    CHECK_EQ(counters(world)->rebuilds, 0);
    world_close(world);
}

TEST_MAIN(CASE(off_is_dark_and_silent_and_on_is_as_new))
