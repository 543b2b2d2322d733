// SPDX-License-Identifier: MIT
// Scenario 7: start and stop 1,000 times, also in the middle of joining. Every claimed resource
// returns to its starting count.
#include "fault_world.h"

#define TIMES 1000

// Most are cut short in the middle of the start, some in a join, some while data flows.
static uint64_t life_ns(struct twin_rng *rng, uint32_t number) {
    if (number % 40 == 0) {
        return 900 * MS + twin_rng_below(rng, 600) * MS;
    }
    return (1 + (uint64_t)twin_rng_below(rng, 40) * twin_rng_below(rng, 6)) * MS;
}

TEST(a_thousand_lives_leave_nothing_behind) {
    struct options options = fault_options("");
    struct world *world = fault_open(&options);
    struct twin_rng rng;
    uint32_t joined = 0;
    uint32_t ready = 0;

    twin_rng_init(&rng, world->sim, "lives");
    for (uint32_t i = 0; i < TIMES; i++) {
        uint64_t end_ns = twin_now_ns(world->sim) + life_ns(&rng, i);

        CHECK_EQ(cor_cyw43_start(&world->driver, world_now_us(world)), COR_OK);
        twin_board_interrupt(world->board);
        if (reaches(world, COR_RADIO_READY, end_ns - twin_now_ns(world->sim))) {
            const struct cor_join join = {
                .ssid = WORLD_SSID, .key = WORLD_KEY, .auth = COR_AUTH_WPA2, .keep = true};

            ready++;
            CHECK_EQ(cor_cyw43_join(&world->driver, &join, world_now_us(world)), COR_OK);
            twin_board_interrupt(world->board);
            world->to_send = 1000;
        }
        twin_run_until(world->sim, end_ns);
        joined += cor_cyw43_state(&world->driver) == COR_RADIO_JOINED ? 1 : 0;
        cor_cyw43_stop(&world->driver, world_now_us(world));
        twin_board_interrupt(world->board);
        world_run_ns(world, MS);
        // Transfers are back, frames given back, the chip dark, the network left.
        CHECK_EQ(world->driver.op_count, 0);
        CHECK_EQ(world->driver.tx_data_ops, 0);
        CHECK_EQ(world->sent, world->pulled);
        CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_OFF);
        CHECK(!world->link);
        CHECK_EQ(twin_frames_out(world->frames), 0);
    }
    printf("     %u starts, %u got ready, %u joined\n", TIMES, ready, joined);
    CHECK(ready > 20 && joined > 10);
    world->to_send = 0;
    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    check_well(world, S);
    world_close(world);
}

TEST_MAIN(CASE(a_thousand_lives_leave_nothing_behind))
