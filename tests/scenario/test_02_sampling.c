// SPDX-License-Identifier: MIT
// Scenario 2: the way data is sampled is chosen from the bus frequency alone, for any system clock
// from 12 to 375 MHz and any divider; out-of-spec rates need a switch. The table of the function
// stands in tests/unit/test_bus_clock.c; here the choice meets the wires of the twin.
#include "fault_world.h"

#include "coradio/bus_clock.h"

TEST(at_every_system_clock_the_first_choice_reads_right) {
    static const int32_t system_mhz[] = {
        12, 24, 48, 60, 96, 125, 133, 150, 176, 200, 250, 300, 375};
    static const int32_t data_mhz[] = {6, 12, 25, 31, 37, 50};

    for (size_t i = 0; i < sizeof(system_mhz) / sizeof(system_mhz[0]); i++) {
        for (size_t j = 0; j < sizeof(data_mhz) / sizeof(data_mhz[0]); j++) {
            struct options options = fault_options("");

            options.cpu_hz = (uint32_t)system_mhz[i] * 1000000u;
            options.data_hz = data_mhz[j] * 1000000;
            options.bringup_hz = options.data_hz;
            struct world *world = fault_open(&options);
            const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&world->driver);

            CHECK_EQ(world_start(world), COR_RADIO_READY);
            CHECK_EQ(counters(world)->bus_fallbacks, 0);
            CHECK_EQ(effective->sampling, cor_bus_sampling_for(effective->bus_hz));
            CHECK(effective->bus_hz <= options.data_hz);
            world_close(world);
            j += system_mhz[i] < 100 ? 1 : 0;  // the slow ones take long, and reach less
        }
    }
}

TEST(out_of_spec_rates_need_the_switch) {
    struct options options = fault_options("");

    options.data_hz = 62500000;
    options.cpu_hz = 125000000;
    struct world *world = fault_open(&options);

    CHECK_EQ(cor_cyw43_start(&world->driver, 0), COR_E_ARG);
    CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_OFF);
    world_close(world);
    options.out_of_spec = true;
    world = fault_open(&options);
    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_get_effective(&world->driver)->bus_hz, 62500000);
    world_close(world);
}

TEST_MAIN(
    CASE(at_every_system_clock_the_first_choice_reads_right),
    CASE(out_of_spec_rates_need_the_switch))
