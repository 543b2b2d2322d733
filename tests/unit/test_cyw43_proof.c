// SPDX-License-Identifier: MIT
// The proof of the bus: which sampling and rate it ends with, for wires of any delay.
#include "cyw43_fake.h"

#include "coradio/bus_clock.h"

static const struct cor_cyw43_counters *counters(struct fake *fake) {
    return cor_cyw43_get_counters(&fake->chip);
}

static const struct cor_cyw43_effective *effective(struct fake *fake) {
    return cor_cyw43_get_effective(&fake->chip);
}

TEST(the_sampling_is_that_of_the_clock) {
    struct fake *fake = fake_open(4);

    fake->loop_delay_ps = 28000;
    fake_ready(fake);
    CHECK_EQ(effective(fake)->sampling, COR_BUS_SAMPLING_gap01);
    CHECK_EQ(effective(fake)->bus_hz, 37500000);
    CHECK_EQ(counters(fake)->bus_fallbacks, 0);
    fake_close(fake);
}

// Scenario 1: whatever the delay of the wires is, a sampling is found that reads right, or a rate.
TEST(scenario_1_any_loop_delay_ends_in_a_proved_bus) {
    uint32_t slower = 0;

    for (int32_t delay_ps = 1000; delay_ps <= 90000; delay_ps += 1000) {
        struct fake *fake = fake_open(4);

        fake->loop_delay_ps = delay_ps;
        fake_ready(fake);
        int32_t half_ps = 500000000 / (effective(fake)->bus_hz / 1000);
        int32_t sample = 2 + (int32_t)effective(fake)->sampling;

        CHECK(delay_ps > (sample - 2) * half_ps && delay_ps <= sample * half_ps);
        // Up to 5 half clocks of 37.5 MHz there is a sampling for it.
        CHECK(effective(fake)->bus_hz == 37500000 || delay_ps > 5 * 13333);
        slower += effective(fake)->bus_hz < 37500000;
        fake_join(fake);
        CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
        CHECK_EQ(counters(fake)->rx_damaged, 0);
        fake_close(fake);
    }
    CHECK(slower > 0);
}

TEST(a_wire_that_no_sampling_suits_loads_nothing) {
    struct fake *fake = fake_open(4);

    fake->loop_delay_ps = 2000000;  // 2 us
    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, 5000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_FAILED);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_BUS);
    CHECK_EQ(effective(fake)->bus_fault, COR_CYW43_BUS_FAULT_early);
    CHECK_EQ(counters(fake)->loaded_bytes, 0);
    CHECK(fake->now_us < 3000000);
    fake_close(fake);
}

TEST(one_wrong_bit_in_the_proof_changes_nothing) {
    for (uint32_t seed = 1; seed <= 50; seed++) {
        struct fake *fake = fake_open(4);

        fake->noise_state = seed;
        fake->noise_in = 60;
        CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_OK);
        while (counters(fake)->loaded_bytes == 0 && fake->now_us < 2000000) {
            poll_once(fake);
            fake->now_us += 100;
        }
        fake->noise_in = 0;
        fake_run(fake, COR_RADIO_STARTING, 5000000);
        CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
        CHECK_EQ(effective(fake)->bus_hz, 37500000);
        fake_close(fake);
    }
}

TEST(clocks_out_of_specification_need_their_switch) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);

    config.data_hz = 75000000;
    cor_cyw43_init(&fake->chip, &config, 0);
    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_E_ARG);
    config.out_of_spec = true;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake->loop_delay_ps = 28000;
    fake_ready(fake);
    CHECK_EQ(effective(fake)->bus_hz, 75000000);
    CHECK_EQ(effective(fake)->sampling, COR_BUS_SAMPLING_gap0101);
    fake_close(fake);
}

TEST_MAIN(
    CASE(the_sampling_is_that_of_the_clock),
    CASE(scenario_1_any_loop_delay_ends_in_a_proved_bus),
    CASE(a_wire_that_no_sampling_suits_loads_nothing),
    CASE(one_wrong_bit_in_the_proof_changes_nothing),
    CASE(clocks_out_of_specification_need_their_switch))
