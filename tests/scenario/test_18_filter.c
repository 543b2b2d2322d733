// SPDX-License-Identifier: MIT
// Scenario 18: multicast groups joined and left are exactly those programmed into the chip's
// filter; overflow falls back to all-multicast. Here: what gets through the chip.
#include "fault_world.h"

static const uint8_t all[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

static void group_of(uint8_t group[6], uint32_t number) {
    const uint8_t address[6] = {0x01, 0x00, 0x5E, 0x00, 0x01, (uint8_t)number};

    memcpy(group, address, 6);
}

// Which of 16 groups come in, one bit each; broadcasts always must.
static uint32_t heard(struct world *world) {
    uint32_t bits = 0;

    for (uint32_t i = 0; i < 17; i++) {
        uint32_t inputs = world->inputs;
        uint8_t group[6];

        group_of(group, i);
        send_down(world, i == 16 ? all : group, 0);
        world_run_ns(world, 10 * MS);
        bits |= world->inputs > inputs ? 1u << i : 0;
    }
    return bits;
}

static void set(struct world *world, uint32_t mask, bool every) {
    uint8_t groups[16][6];
    uint32_t count = 0;

    for (uint32_t i = 0; i < 16; i++) {
        if ((mask >> i & 1u) != 0) {
            group_of(groups[count++], i);
        }
    }
    cor_cyw43_set_multicast(&world->driver, groups, count, every);
    twin_board_interrupt(world->board);
    world_run_ns(world, 50 * MS);
}

TEST(what_comes_in_is_what_was_joined) {
    static const uint32_t masks[] = {0, 1, 0x8000, 0x5, 0x3FF, 0x2A, 0xFC00, 0};
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    CHECK_EQ(heard(world), 0x10000);
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        set(world, masks[i], false);
        CHECK_EQ(heard(world), 0x10000 | masks[i]);
        CHECK(!cor_cyw43_get_effective(&world->driver)->multicast_all);
    }
    set(world, 0xFFFF, false);
    CHECK_EQ(heard(world), 0x1FFFF);
    CHECK(cor_cyw43_get_effective(&world->driver)->multicast_all);
    set(world, 3, false);
    CHECK_EQ(heard(world), 0x10003);
    set(world, 0, true);
    CHECK_EQ(heard(world), 0x1FFFF);
    world_close(world);
}

// After a new network and after a rebuild the filter is what it was.
TEST(the_filter_survives_rejoins_and_rebuilds) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    set(world, 0x15, false);
    fault_now(world, "ap-deauth reason=3");
    world_run_ns(world, 10 * MS);
    CHECK(reaches(world, COR_RADIO_JOINED, 10 * S));
    world_run_ns(world, 100 * MS);
    CHECK_EQ(heard(world), 0x10015);
    fault_now(world, "chip-brownout");
    world_run_ns(world, 2 * S);
    CHECK(reaches(world, COR_RADIO_JOINED, 20 * S));
    world_run_ns(world, 200 * MS);
    CHECK_EQ(counters(world)->rebuilds, 1);
    CHECK_EQ(heard(world), 0x10015);
    world_close(world);
}

TEST_MAIN(CASE(what_comes_in_is_what_was_joined), CASE(the_filter_survives_rejoins_and_rebuilds))
