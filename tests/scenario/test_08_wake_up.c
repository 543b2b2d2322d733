// SPDX-License-Identifier: MIT
// Scenario 8: the chip needs anything from 50 to 150 ms to wake, or is not there at all. Start-up
// polls, and reports an absent chip within 1 s. A watchdog feed hook is called at least every 100
// ms.
#include "fault_world.h"

TEST(a_chip_that_takes_its_time_is_waited_for) {
    static const uint32_t times_ms[] = {1, 50, 73, 100, 125, 150, 400};

    for (size_t i = 0; i < sizeof(times_ms) / sizeof(times_ms[0]); i++) {
        char fault[64];
        struct options options = fault_options(fault);

        snprintf(fault, sizeof(fault), "wake-time time=%ums", times_ms[i]);
        struct world *world = fault_open(&options);

        CHECK_EQ(world_start(world), COR_RADIO_READY);
        CHECK(unfed_us_max <= 100000);
        CHECK_EQ(world_join(world), COR_RADIO_JOINED);
        check_struck(world);
        world_close(world);
    }
}

TEST(an_absent_chip_is_reported_within_a_second) {
    struct options options = fault_options("absent for=3s");
    struct world *world = fault_open(&options);

    // The second time it stays without power for longer first.
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t start_us = world_now_us(world);

        CHECK_EQ(world_start(world), COR_RADIO_FAILED);
        CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_ABSENT);
        CHECK(world_now_us(world) - start_us <= 1000000);
    }
    CHECK(unfed_us_max <= 100000);
    check_struck(world);
    // It is plugged in.
    world_run_ns(world, 3 * S);
    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    check_well(world, S);
    world_close(world);
}

// From power on to a network, through ten idle seconds, a lost network and a dead chip.
TEST(the_watchdog_is_fed_whatever_goes_on) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    world_run_ns(world, 10 * S);
    fault_now(world, "ap-off for=20s");
    world_run_ns(world, 30 * S);
    fault_now(world, "bus-ones for=2s");
    world_run_ns(world, 10 * S);
    (void)world_upload(world, 500, 5 * S);
    CHECK(unfed_us_max <= 100000);
    check_well(world, 30 * S);
    world_close(world);
}

TEST_MAIN(
    CASE(a_chip_that_takes_its_time_is_waited_for),
    CASE(an_absent_chip_is_reported_within_a_second),
    CASE(the_watchdog_is_fed_whatever_goes_on))
