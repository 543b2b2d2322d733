// SPDX-License-Identifier: MIT
// Scenario 1: the chip's read data arrives early, late or shifted at some rates. Bring-up proves
// the bus, names the class of fault, tries another sampling or a lower rate, and never loads
// firmware over an unproven bus.
#include "fault_world.h"

static struct world *start(const char *faults, int32_t data_hz, enum cor_radio_state end) {
    struct options options = fault_options(faults);

    options.data_hz = data_hz;
    options.bringup_hz = data_hz < options.bringup_hz ? data_hz : options.bringup_hz;
    struct world *world = fault_open(&options);

    CHECK_EQ(world_start(world), end);
    return world;
}

static void check_refused(
    const char *faults, enum cor_status error, enum cor_cyw43_bus_fault fault) {
    struct world *world = start(faults, 37500000, COR_RADIO_FAILED);

    CHECK_EQ(cor_cyw43_error(&world->driver), error);
    // The first word that was wrong says how; later ones came by other samplings.
    const struct notice *named = told_at(COR_CYW43_NOTICE_bus_fault, 0);
    CHECK_EQ(
        named != NULL ? (uint32_t)named->value
                      : (uint32_t)cor_cyw43_get_effective(&world->driver)->bus_fault,
        fault);
    CHECK_EQ(counters(world)->loaded_bytes, 0);
    check_struck(world);
    world_close(world);
}

TEST(a_bus_that_is_always_wrong_is_named_and_nothing_is_loaded) {
    check_refused("bus-shift value=1 for=60s", COR_E_BUS, COR_CYW43_BUS_FAULT_early);
    check_refused("bus-shift value=-1 for=60s", COR_E_BUS, COR_CYW43_BUS_FAULT_late);
    check_refused("bus-zeros for=60s", COR_E_ABSENT, COR_CYW43_BUS_FAULT_zeros);
    check_refused("bus-ones for=60s", COR_E_ABSENT, COR_CYW43_BUS_FAULT_ones);
    check_refused("bus-flip dir=read bits=4 for=60s", COR_E_BUS, COR_CYW43_BUS_FAULT_bits);
}

TEST(a_rate_that_fails_is_left_for_a_slower_one) {
    struct world *world =
        start("bus-shift value=1 above=30000000 for=60s", 37500000, COR_RADIO_READY);

    CHECK(cor_cyw43_get_effective(&world->driver)->bus_hz < 30000000);
    CHECK(counters(world)->bus_fallbacks > 0);
    CHECK(told(COR_CYW43_NOTICE_bus_slower) > 0);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    check_well(world, S);
    check_struck(world);
    world_close(world);
}

// The delay of the wires, from none to four bits of the fastest clock: for each there is a sampling
// or a rate that works, and it is found.
TEST(any_delay_of_the_wires_is_met_by_a_sampling_or_a_slower_rate) {
    static const int32_t rates_hz[] = {12500000, 25000000, 37500000, 50000000};
    uint32_t fallbacks = 0;

    for (uint32_t delay_ns = 1; delay_ns <= 81; delay_ns += 8) {
        for (size_t i = 0; i < 4; i++) {
            char fault[64];

            snprintf(fault, sizeof(fault), "bus-delay time=%uns", delay_ns);
            struct world *world = start(fault, rates_hz[i], COR_RADIO_READY);

            CHECK_EQ(counters(world)->verify_reread, 0);
            fallbacks += counters(world)->bus_fallbacks > 0 ? 1 : 0;
            world_close(world);
        }
    }
    CHECK(fallbacks > 5);
}

// Single wrong bits now and then: either the proof passes on a later try and all that was loaded is
// right, or the start fails with a status of its own.
TEST(single_bits_now_and_then_end_in_ready_or_in_an_error) {
    uint32_t ready = 0;

    for (uint32_t i = 0; i < 12; i++) {
        char fault[64];
        struct options options = fault_options(fault);

        snprintf(fault, sizeof(fault), "bus-flip p=%.5f for=60s", 0.00001 * (1 << i));
        struct world *world = fault_open(&options);

        if (world_start(world) == COR_RADIO_READY) {
            ready++;
        } else {
            CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_FAILED);
            CHECK(cor_cyw43_error(&world->driver) != COR_OK);
        }
        world_close(world);
    }
    CHECK_BETWEEN(ready, 3, 12);
}

TEST_MAIN(
    CASE(a_bus_that_is_always_wrong_is_named_and_nothing_is_loaded),
    CASE(a_rate_that_fails_is_left_for_a_slower_one),
    CASE(any_delay_of_the_wires_is_met_by_a_sampling_or_a_slower_rate),
    CASE(single_bits_now_and_then_end_in_ready_or_in_an_error))
