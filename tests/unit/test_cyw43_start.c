// SPDX-License-Identifier: MIT
#include "cyw43_fake.h"

static const struct cor_cyw43_counters *counters(struct fake *fake) {
    return cor_cyw43_get_counters(&fake->chip);
}

TEST(a_start_ends_ready_with_images_loaded_and_settings_read_back) {
    struct fake *fake = fake_open(4);
    static const uint8_t trailer[4] = {0xBA, 0x00, 0x45, 0xFF};

    fake_ready(fake);
    CHECK(fake->now_us < 1000000);
    CHECK_BYTES(fake->ram, fake->images[0], 4095);
    CHECK_EQ(fake->ram[4095], 0);
    CHECK_BYTES(fake->ram + 0x7FD14, fake->images[1], 742);
    CHECK_BYTES(fake->ram + 0x7FFFC, trailer, 4);
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&fake->chip);

    CHECK_EQ(effective->bringup_hz, 25000000);
    CHECK_EQ(effective->bus_hz, 37500000);
    CHECK_EQ(effective->ampdu_window, 8);
    CHECK_EQ(effective->ampdu_mpdu, 8);
    CHECK_EQ(effective->chip_id, 0xA9AF);
    CHECK_TEXT(effective->country, "XX");
    CHECK(effective->event_mask_ok);
    CHECK_EQ(counters(fake)->settings_differ, 0);
    CHECK_EQ(counters(fake)->control_refused, 0);
    CHECK_EQ(cor_cyw43_address(&fake->chip)[2], 0x50);
    CHECK_EQ(fake_purposes(fake), fake->bits);
    CHECK_EQ(fake->over_credit, 0);
    fake_close(fake);
}

TEST(a_start_works_on_a_bus_that_holds_one_transfer) {
    struct fake *fake = fake_open(1);

    fake_joined(fake);
    CHECK_EQ(fake_purposes(fake), fake->bits);
    fake_close(fake);
}

TEST(an_absent_chip_is_reported_within_a_second) {
    struct fake *fake = fake_open(4);

    fake->absent = true;
    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, 2000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_FAILED);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_ABSENT);
    CHECK(fake->now_us <= 1000000);
    CHECK(!fake->power);
    // The second try, which leaves the power off longer, is as quick.
    uint64_t again_us = fake->now_us;

    CHECK_EQ(cor_cyw43_start(&fake->chip, fake->now_us), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, again_us + 2000000);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_ABSENT);
    CHECK(fake->now_us <= again_us + 1000000);
    fake->absent = false;
    fake_ready(fake);
    fake_close(fake);
}

static uint32_t early(struct fake *fake, uint32_t address, uint32_t word) {
    // 16-bit words: the stream is b1 b0 b3 b2.
    uint32_t stream =
        (word >> 8 & 0xFFu) << 24 | (word & 0xFFu) << 16 | (word >> 24) << 8 | (word >> 16 & 0xFFu);

    (void)fake;
    (void)address;
    stream >>= 1;
    return (stream >> 24) << 8 | (stream >> 16 & 0xFFu) | (stream >> 8 & 0xFFu) << 24 |
           (stream & 0xFFu) << 16;
}

static uint32_t first_bit(struct fake *fake, uint32_t address, uint32_t word) {
    (void)fake;
    return address == 0x14 ? word ^ 0x8000u : word;
}

static uint32_t ones(struct fake *fake, uint32_t address, uint32_t word) {
    (void)fake;
    (void)address;
    (void)word;
    return UINT32_MAX;
}

static void start_fails(struct fake *fake, enum cor_status error, enum cor_cyw43_bus_fault fault) {
    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, 5000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_FAILED);
    CHECK_EQ(cor_cyw43_error(&fake->chip), error);
    CHECK_EQ(cor_cyw43_get_effective(&fake->chip)->bus_fault, fault);
    CHECK_EQ(counters(fake)->loaded_bytes, 0);
    fake_close(fake);
}

TEST(a_bus_that_samples_early_is_named_and_loads_nothing) {
    struct fake *fake = fake_open(4);

    fake->garble = early;
    start_fails(fake, COR_E_BUS, COR_CYW43_BUS_FAULT_early);
}

TEST(a_bus_with_a_wrong_bit_is_named_and_loads_nothing) {
    struct fake *fake = fake_open(4);

    fake->garble = first_bit;
    start_fails(fake, COR_E_BUS, COR_CYW43_BUS_FAULT_bits);
}

TEST(a_line_that_stays_high_is_an_absent_chip) {
    struct fake *fake = fake_open(4);

    fake->garble = ones;
    start_fails(fake, COR_E_ABSENT, COR_CYW43_BUS_FAULT_ones);
}

TEST(a_bus_that_fails_at_the_data_clock_runs_slower) {
    struct fake *fake = fake_open(4);

    fake->garble = first_bit;
    fake->garble_in_data = true;  // above 25 MHz
    fake_ready(fake);
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&fake->chip);

    CHECK_EQ(effective->bringup_hz, 25000000);
    CHECK_EQ(effective->bus_hz, 37500000 / 4 * 3 / 4 * 3);
    CHECK_EQ(effective->bus_fault, COR_CYW43_BUS_FAULT_bits);
    CHECK_EQ(counters(fake)->bus_fallbacks, 8);  // four samplings at two rates
    fake_close(fake);
}

TEST(scenario_6_a_read_error_is_read_again) {
    struct fake *fake = fake_open(4);

    fake->ram_flip = 0x10;
    fake->ram_flip_at = 1000;
    fake->read_flips = 1;
    fake_ready(fake);
    CHECK_EQ(counters(fake)->verify_reread, 1);
    CHECK_EQ(counters(fake)->verify_rewritten, 0);
    fake_close(fake);
}

TEST(scenario_6_a_stored_error_is_written_again) {
    struct fake *fake = fake_open(4);

    fake->ram_flip = 0x10;
    fake->ram_flip_at = 1000;
    fake->ram_flips = 2;
    fake_ready(fake);
    CHECK_EQ(counters(fake)->verify_rewritten, 2);
    CHECK_BYTES(fake->ram, fake->images[0], 4095);
    fake_close(fake);
}

TEST(scenario_6_three_failures_end_in_an_error_and_a_later_start_succeeds) {
    struct fake *fake = fake_open(4);

    fake->ram_flip = 0x10;
    fake->ram_flip_at = 4000;
    fake->ram_flips = 1000;
    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, 5000000);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_FIRMWARE);
    CHECK_EQ(counters(fake)->verify_rewritten, 3);
    fake->ram_flips = 0;
    fake_ready(fake);
    fake_close(fake);
}

TEST(a_missing_image_is_refused_at_once) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);

    config.nvram.size_bytes = 0;
    cor_cyw43_init(&fake->chip, &config, 0);
    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_E_FIRMWARE);
    CHECK_EQ(fake->transfers, 0);
    fake_close(fake);
}

TEST(firmware_that_never_starts_is_an_error) {
    struct fake *fake = fake_open(4);

    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_OK);
    // The chip is not content with an image that was changed behind the driver's back.
    while (counters(fake)->loaded_bytes < 4096u + 744u) {
        poll_once(fake);
        fake->now_us += 10;
    }
    fake->images[0][3] ^= 1;
    fake->ram[3] ^= 1;
    fake->ram[2] ^= 1;
    fake_run(fake, COR_RADIO_STARTING, 5000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_FAILED);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_FIRMWARE);
    fake_close(fake);
}

TEST(scenario_10_a_request_without_reply_ends_in_a_time_out) {
    struct fake *fake = fake_open(4);

    fake->silent = true;
    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, 5000000);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_TIMEOUT);
    CHECK_EQ(counters(fake)->control_timeouts, 1);
    fake->silent = false;
    fake_ready(fake);
    fake_close(fake);
}

TEST(a_busy_chip_is_asked_again) {
    struct fake *fake = fake_open(4);

    fake->busy_replies = 3;
    fake_ready(fake);
    CHECK_EQ(counters(fake)->control_retries, 3);
    fake_close(fake);
}

TEST(a_refused_setting_shows_asked_and_effective) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);
    static const uint8_t eight[4] = {8};

    config.ampdu_window = 16;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake_set_var(fake, "ampdu_ba_wsize", eight, 4);
    fake->refuse_name = "ampdu_ba_wsize";
    fake->refuse_status = -29;
    fake_ready(fake);
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&fake->chip);

    CHECK_EQ(effective->ampdu_window_asked, 16);
    CHECK_EQ(effective->ampdu_window, 8);
    CHECK_EQ(effective->chip_status, -29);
    CHECK_EQ(counters(fake)->control_refused, 1);
    CHECK_EQ(counters(fake)->settings_differ, 1);
    fake_close(fake);
}

TEST(a_needed_setting_that_is_refused_fails_the_start) {
    struct fake *fake = fake_open(4);

    fake->refuse_name = "bus:txglom";
    fake->refuse_status = -23;
    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, 5000000);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_CHIP);
    CHECK_EQ(cor_cyw43_get_effective(&fake->chip)->chip_status, -23);
    fake_close(fake);
}

TEST(scenario_7_start_and_stop_a_thousand_times_at_any_moment) {
    struct fake *fake = fake_open(4);

    for (uint32_t i = 0; i < 1000; i++) {
        CHECK_EQ(cor_cyw43_start(&fake->chip, fake->now_us), COR_OK);
        fake_run(fake, COR_RADIO_STARTING, fake->now_us + i * 450u);
        if (cor_cyw43_state(&fake->chip) == COR_RADIO_READY) {
            const struct cor_join join = {.ssid = "net", .key = "password", .auth = COR_AUTH_WPA2};

            CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_OK);
            fake_run(fake, COR_RADIO_JOINING, fake->now_us + i % 20u);
        }
        cor_cyw43_stop(&fake->chip, fake->now_us);
        CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_OFF);
        CHECK(!fake->power);
    }
    CHECK(!fake->link);
    fake_joined(fake);
    CHECK(fake->link);
    fake_close(fake);
}

TEST_MAIN(
    CASE(a_start_ends_ready_with_images_loaded_and_settings_read_back),
    CASE(a_start_works_on_a_bus_that_holds_one_transfer),
    CASE(an_absent_chip_is_reported_within_a_second),
    CASE(a_bus_that_samples_early_is_named_and_loads_nothing),
    CASE(a_bus_with_a_wrong_bit_is_named_and_loads_nothing),
    CASE(a_line_that_stays_high_is_an_absent_chip),
    CASE(a_bus_that_fails_at_the_data_clock_runs_slower),
    CASE(scenario_6_a_read_error_is_read_again),
    CASE(scenario_6_a_stored_error_is_written_again),
    CASE(scenario_6_three_failures_end_in_an_error_and_a_later_start_succeeds),
    CASE(a_missing_image_is_refused_at_once),
    CASE(firmware_that_never_starts_is_an_error),
    CASE(scenario_10_a_request_without_reply_ends_in_a_time_out),
    CASE(a_busy_chip_is_asked_again),
    CASE(a_refused_setting_shows_asked_and_effective),
    CASE(a_needed_setting_that_is_refused_fails_the_start),
    CASE(scenario_7_start_and_stop_a_thousand_times_at_any_moment))
