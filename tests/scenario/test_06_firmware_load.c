// SPDX-License-Identifier: MIT
// Scenario 6: firmware loading is verified. A one-off read error is re-read, a stored error is
// reloaded, three failures give a clean error, and a later start succeeds without restarting the
// processor.
#include "fault_world.h"

TEST(an_error_while_reading_back_is_read_again) {
    struct options options = fault_options("bus-flip fn=1 dir=read bits=8 after=1500");
    struct world *world = fault_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_BETWEEN(counters(world)->verify_reread, 1, 1);
    CHECK_EQ(counters(world)->verify_rewritten, 0);
    check_struck(world);
    world_close(world);
}

TEST(an_error_that_was_stored_is_loaded_again) {
    struct options options = fault_options("bus-flip fn=1 dir=write after=1000 every=700 count=4");
    struct world *world = fault_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK(counters(world)->verify_rewritten >= 1);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    check_struck(world);
    check_well(world, S);
    world_close(world);
}

// A bus on which every block fails: the load gives up with the status that says so.
TEST(three_failures_are_a_clean_error_and_a_later_start_succeeds) {
    struct options options = fault_options("bus-flip fn=1 dir=write bits=8 after=200 p=1 for=3s");
    struct world *world = fault_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_FAILED);
    CHECK(
        cor_cyw43_error(&world->driver) == COR_E_FIRMWARE ||
        cor_cyw43_error(&world->driver) == COR_E_BUS);
    world_run_ns(world, 3 * S);
    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    check_well(world, S);
    world_close(world);
}

TEST(a_firmware_that_does_not_run_is_an_error_and_a_later_start_succeeds) {
    static const char *const faults[] = {
        "firmware-dead", "ht-time time=5s", "f2-time time=5s", "not-ready for=2500ms"};

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct options options = fault_options(faults[i]);
        struct world *world = fault_open(&options);

        CHECK_EQ(world_start(world), COR_RADIO_FAILED);
        CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_FIRMWARE);
        world_run_ns(world, S);
        CHECK_EQ(world_start(world), COR_RADIO_READY);
        CHECK_EQ(world_join(world), COR_RADIO_JOINED);
        check_well(world, S);
        check_struck(world);
        world_close(world);
    }
}

TEST_MAIN(
    CASE(an_error_while_reading_back_is_read_again),
    CASE(an_error_that_was_stored_is_loaded_again),
    CASE(three_failures_are_a_clean_error_and_a_later_start_succeeds),
    CASE(a_firmware_that_does_not_run_is_an_error_and_a_later_start_succeeds))
