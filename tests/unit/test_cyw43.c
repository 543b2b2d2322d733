// SPDX-License-Identifier: MIT
#include "cyw43_fake.h"

#include <stddef.h>

static const struct cor_cyw43_counters *counters(struct fake *fake) {
    return cor_cyw43_get_counters(&fake->chip);
}

static void poll_once(struct fake *fake) {
    (void)cor_cyw43_poll(&fake->chip, fake->now_us);
    cor_cyw43_rest(&fake->chip, fake->now_us);
}

// ---- start

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

TEST(a_bus_that_fails_at_the_data_clock_is_found_before_ready) {
    struct fake *fake = fake_open(4);

    fake->garble = first_bit;
    fake->garble_in_data = true;
    CHECK_EQ(cor_cyw43_start(&fake->chip, 0), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, 5000000);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_BUS);
    CHECK_EQ(cor_cyw43_get_effective(&fake->chip)->bus_hz, 37500000);
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
            const struct cor_join join = {"net", "password", COR_AUTH_WPA2};

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

// ---- join

TEST(a_join_ends_joined_with_power_save_read_back) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);

    config.pm = COR_PM_PERFORMANCE;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake_joined(fake);
    CHECK(fake->link);
    CHECK_TEXT(fake->ssid, "net");
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&fake->chip);

    CHECK_EQ(effective->pm_word_asked, 0xA11142);
    CHECK_EQ(effective->pm_word, 0xA11142);
    CHECK_EQ(fake->pm, 2);
    fake_close(fake);
}

TEST(a_listen_interval_replaces_that_of_the_word) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);

    config.pm = COR_PM_AGGRESSIVE;
    config.listen_beacons = 10;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake_joined(fake);
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&fake->chip);

    CHECK_EQ(effective->pm_word, 0xA0A011);
    CHECK_EQ(effective->listen_beacons, 10);
    CHECK_EQ(fake->pm, 1);
    fake_close(fake);
}

struct outcome {
    uint8_t type, status, reason, flags;
};

static void join_fails(
    const struct outcome *events, uint32_t count, enum cor_status error, uint64_t bound_us) {
    struct fake *fake = fake_open(4);
    const struct cor_join join = {"net", "password", COR_AUTH_WPA2};

    fake->auto_join = false;
    fake_ready(fake);
    uint64_t start_us = fake->now_us;

    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_OK);
    fake_run(fake, COR_RADIO_JOINING, fake->now_us + 100000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINING);
    for (uint32_t i = 0; i < count; i++) {
        fake_push_event(fake, events[i].type, events[i].status, events[i].reason, events[i].flags);
    }
    fake_run(fake, COR_RADIO_JOINING, fake->now_us + 20000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&fake->chip), error);
    CHECK(fake->now_us < start_us + bound_us);
    CHECK(!fake->link);
    // And the next join succeeds.
    fake->auto_join = true;
    fake_join(fake);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_OK);
    fake_close(fake);
}

TEST(scenario_13_no_network) {
    static const struct outcome events[] = {{0, 3, 0, 0}};

    join_fails(events, 1, COR_E_NO_NETWORK, 1000000);
}

TEST(scenario_13_wrong_key) {
    static const struct outcome events[] = {
        {3, 0, 0, 0}, {7, 0, 0, 0}, {16, 0, 0, 1}, {46, 8, 15, 0}, {6, 0, 2, 0}, {0, 1, 0, 0}};

    join_fails(events, 6, COR_E_WRONG_KEY, 1000000);
}

TEST(scenario_13_wrong_key_told_by_deauthentication_alone) {
    static const struct outcome events[] = {
        {3, 0, 0, 0}, {7, 0, 0, 0}, {16, 0, 0, 1}, {6, 0, 2, 0}, {0, 1, 0, 0}};

    join_fails(events, 5, COR_E_WRONG_KEY, 1000000);
}

TEST(scenario_13_refused) {
    static const struct outcome events[] = {{3, 1, 1, 0}, {0, 1, 0, 0}};

    join_fails(events, 2, COR_E_REFUSED, 1000000);
}

TEST(scenario_13_access_point_full) {
    static const struct outcome events[] = {{3, 0, 0, 0}, {7, 1, 17, 0}, {0, 1, 0, 0}};

    join_fails(events, 3, COR_E_FULL, 1000000);
}

TEST(scenario_13_other_security) {
    static const struct outcome events[] = {{23, 0, 8, 0}, {0, 3, 0, 0}};

    join_fails(events, 2, COR_E_UNSUPPORTED, 1000000);
}

TEST(scenario_13_nothing_happens) {
    join_fails(NULL, 0, COR_E_TIMEOUT, 12000000);
}

TEST(scenario_14_the_link_goes_down_and_the_source_is_told) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake_push_event(fake, 6, 0, 7, 0);  // DEAUTH_IND
    poll_once(fake);
    CHECK(!fake->link);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_LINK_DOWN);
    CHECK_EQ(counters(fake)->links_lost, 1);
    fake_close(fake);
}

TEST(join_arguments_are_checked) {
    struct fake *fake = fake_open(4);
    struct cor_join join = {"net", "short", COR_AUTH_WPA2};

    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, 0), COR_E_STATE);
    fake_ready(fake);
    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_E_ARG);
    join = (struct cor_join){"", "password", COR_AUTH_WPA2};
    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_E_ARG);
    join = (struct cor_join){"123456789012345678901234567890123", NULL, COR_AUTH_OPEN};
    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_E_ARG);
    CHECK_EQ(cor_cyw43_start(&fake->chip, fake->now_us), COR_E_STATE);
    fake_close(fake);
}

// ---- data

TEST(a_frame_goes_out_with_its_true_length_and_no_copy) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 1;
    poll_once(fake);
    CHECK_EQ(fake->queued, 1);
    CHECK(fake->queue[0]->out[1].data == fake->payload);
    CHECK_EQ(fake->queue[0]->out[0].size_bytes, 76);
    fake_complete(fake, 1);
    poll_once(fake);
    CHECK_EQ(fake->sent, 1);
    CHECK_EQ(fake->data_in, 1);
    CHECK_EQ(fake->last_in_bytes, 1514 + 18);
    CHECK_EQ(counters(fake)->tx_bytes, 1514);
    fake_close(fake);
}

TEST(credit_gates_each_frame_and_wraps_at_256) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->blocked = COR_METER_STATE_source;
    for (uint32_t i = 0; i < 100; i++) {
        fake->to_send = 100;
        poll_once(fake);
        poll_once(fake);
        CHECK_EQ(fake->chip.blocked, COR_METER_STATE_credit);
        uint32_t before = fake->data_in;

        (void)fake_push(fake, 0, 12, 0);  // credit alone, for eight
        poll_once(fake);
        poll_once(fake);
        CHECK_EQ(fake->data_in - before, 8);
    }
    CHECK(fake->data_in > 700);
    CHECK_EQ(fake->over_credit, 0);
    CHECK_EQ(fake->sent, fake->pulled);
    fake_close(fake);
}

TEST(without_credit_the_status_is_read_after_100_ms_and_not_before) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->freeze_credit = true;
    fake->to_send = 100;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 50000);
    uint32_t reads = fake->status_reads;

    CHECK_EQ(fake->chip.blocked, COR_METER_STATE_credit);
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 1000000);
    CHECK_BETWEEN(fake->status_reads - reads, 8, 10);
    CHECK(counters(fake)->credit_timeouts > 7);
    // Received frames are taken all the while, and sending goes on with the credit they bring.
    fake->freeze_credit = false;
    memset(fake_push_ethernet(fake, 2, 60), 7, 60);
    uint32_t before = fake->data_in;

    poll_once(fake);
    poll_once(fake);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->data_in - before, 8);
    fake_close(fake);
}

TEST(a_credit_that_cannot_be_true_is_rejected) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    uint8_t max = fake->chip.tx_max;

    fake_push(fake, 0, 12, 0)->bytes[9] = (uint8_t)(max - 3);
    poll_once(fake);
    CHECK_EQ(fake->chip.tx_max, max);
    fake_push(fake, 0, 12, 0)->bytes[9] = (uint8_t)(fake->chip.tx_sequence + 0x41);
    poll_once(fake);
    CHECK_EQ(fake->chip.tx_max, max);
    CHECK_EQ(counters(fake)->credit_rejected, 2);
    fake_push(fake, 0, 12, 0)->bytes[9] = (uint8_t)(fake->chip.tx_sequence + 0x40);
    poll_once(fake);
    CHECK_EQ(fake->chip.tx_max, (uint8_t)(fake->chip.tx_sequence + 0x40));
    fake_close(fake);
}

TEST(credit_is_taken_from_a_frame_that_is_dropped) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    struct fake_frame *frame = fake_push(fake, 2, 14, 8);  // no room for an Ethernet header

    frame->bytes[9] = (uint8_t)(fake->chip.tx_max + 5);
    uint8_t max = frame->bytes[9];

    poll_once(fake);
    CHECK_EQ(counters(fake)->rx_bad_data, 1);
    CHECK_EQ(fake->chip.tx_max, max);
    fake_close(fake);
}

TEST(the_flow_mask_stops_data_of_its_priority) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake_push(fake, 0, 12, 0)->bytes[8] = 0x01;
    poll_once(fake);
    fake->to_send = 5;
    poll_once(fake);
    CHECK_EQ(fake->data_in, 0);
    CHECK_EQ(counters(fake)->flow_stops, 1);
    fake_push(fake, 0, 12, 0)->bytes[8] = 0xFE;
    poll_once(fake);
    CHECK_EQ(fake->data_in, 5);
    fake_close(fake);
}

TEST(a_chip_that_is_not_ready_is_asked_with_growing_gaps) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->not_ready = true;
    fake->chip.status &= ~0x20u;
    fake->to_send = 1;
    uint32_t reads = fake->status_reads;

    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 20000);
    CHECK_EQ(fake->data_in, 0);
    // 32, 64, ... 1024 us, then each 1024 us.
    CHECK_BETWEEN(fake->status_reads - reads, 15, 30);
    fake->not_ready = false;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 2000);
    CHECK_EQ(fake->data_in, 1);
    fake_close(fake);
}

TEST(an_idle_chip_is_not_polled) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    poll_once(fake);
    uint32_t transfers = fake->transfers;

    for (uint32_t i = 0; i < 1000; i++) {
        CHECK(cor_cyw43_poll(&fake->chip, fake->now_us) == UINT64_MAX);
        fake->now_us += 1000;
    }
    CHECK_EQ(fake->transfers, transfers);
    fake_close(fake);
}

TEST(the_line_brings_one_status_read_and_the_frame) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    poll_once(fake);
    uint32_t transfers = fake->transfers;
    uint8_t *frame = fake_push_ethernet(fake, 2, 60);

    memset(frame, 0x5A, 60);
    poll_once(fake);
    CHECK_EQ(fake->transfers, transfers + 2);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->input_bytes, 60);
    CHECK_EQ(fake->input_last[59], 0x5A);
    fake_close(fake);
}

TEST(frames_behind_each_other_are_read_without_polling) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    poll_once(fake);
    uint32_t transfers = fake->transfers;

    for (uint32_t i = 0; i < 10; i++) {
        memset(fake_push_ethernet(fake, 2, 100), (int)i, 100);
    }
    for (uint32_t i = 0; i < 5; i++) {
        poll_once(fake);
    }
    CHECK_EQ(fake->input_count, 10);
    CHECK_EQ(fake->transfers, transfers + 11);
    fake_close(fake);
}

TEST(a_frame_is_read_once_although_several_status_words_show_it) {
    struct fake *fake = fake_open(6);

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 3;
    poll_once(fake);
    CHECK_EQ(fake->queued, 3);
    (void)fake_push_ethernet(fake, 2, 60);
    (void)fake_push_ethernet(fake, 2, 61);
    for (uint32_t i = 0; i < 3; i++) {
        fake_complete(fake, 1);
        poll_once(fake);
    }
    CHECK_EQ(fake->queued, 1);  // one read, whatever three status words said
    fake_complete(fake, 1);
    poll_once(fake);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->queued, 1);
    fake_complete(fake, 1);
    poll_once(fake);
    CHECK_EQ(fake->input_count, 2);
    CHECK_EQ(fake->queued, 0);
    fake_close(fake);
}

TEST(scenario_4_a_damaged_header_costs_one_frame) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    for (uint32_t bit = 0; bit < 32; bit++) {
        struct fake_frame *frame;

        (void)fake_push_ethernet(fake, 2, 80);
        frame = &fake->fifo[fake->fifo_count - 1];
        frame->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        (void)fake_push_ethernet(fake, 2, 81);
        poll_once(fake);
        poll_once(fake);
        CHECK_EQ(fake->input_count, bit + 1);
        CHECK_EQ(fake->input_bytes, 81);
    }
    CHECK_EQ(counters(fake)->rx_damaged, 32);
    CHECK_EQ(fake->resyncs, 0);  // nothing was left unread
    fake_close(fake);
}

TEST(scenario_4_a_length_too_short_is_resynchronised) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    (void)fake_push_ethernet(fake, 2, 800);
    fake->fifo[0].told_bytes = 100;
    (void)fake_push_ethernet(fake, 2, 81);
    poll_once(fake);
    poll_once(fake);
    CHECK_EQ(fake->resyncs, 1);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->input_bytes, 81);
    CHECK_EQ(counters(fake)->rx_damaged, 1);
    fake_close(fake);
}

TEST(scenario_5_an_impossible_length_is_dropped_unread) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    (void)fake_push_ethernet(fake, 2, 800);
    fake->fifo[0].told_bytes = 2000;
    (void)fake_push_ethernet(fake, 2, 81);
    poll_once(fake);
    poll_once(fake);
    CHECK_EQ(fake->resyncs, 1);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->input_bytes, 81);
    fake_close(fake);
}

TEST(scenario_5_any_header_is_survived) {
    struct fake *fake = fake_open(4);
    uint32_t state = 1;

    fake_joined(fake);
    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t channel = (uint8_t)(i % 5u);
        uint32_t bytes = i % 7u == 0 ? 8u : 120u;
        struct fake_frame *frame = fake_push(fake, channel, 12 + 2 * (i % 2u), bytes);

        for (uint32_t k = 4; k < frame->size_bytes; k++) {
            state = state * 1664525u + 1013904223u;
            if (state >> 30 == 0) {
                frame->bytes[k] = (uint8_t)(state >> 20);
            }
        }
        poll_once(fake);
        poll_once(fake);
        CHECK_EQ(fake->fifo_count, 0);
        fake->now_us += 10;
        if (cor_cyw43_state(&fake->chip) != COR_RADIO_JOINED) {
            fake->to_send = 0;
            CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
            fake_join(fake);
        }
    }
    fake_close(fake);
}

TEST(a_frame_with_an_unusual_lead_is_moved_to_its_alignment) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    struct fake_frame *frame = fake_push(fake, 2, 13, 4 + 60);

    frame->bytes[13] = 0x20;
    memset(frame->bytes + 17, 0x33, 60);
    poll_once(fake);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->input_bytes, 60);
    CHECK_EQ(fake->input_last[0], 0x33);
    CHECK_EQ(fake->input_last[59], 0x33);
    CHECK_EQ(counters(fake)->rx_moved, 1);
    fake_close(fake);
}

TEST(scenario_12_a_stuck_line_costs_bounded_work) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->line_stuck = true;
    uint32_t transfers = fake->transfers;

    for (uint32_t i = 0; i < 100000; i++) {
        poll_once(fake);
        fake->now_us += 10;
    }
    // A second of a stuck line: 64 ms between reads at the end.
    CHECK_BETWEEN(fake->transfers - transfers, 10, 40);
    // Frames still arrive, and normal service returns when the line behaves.
    fake->line_stuck = false;
    fake->now_us += 70000;
    for (uint32_t i = 0; i < 3; i++) {
        (void)fake_push_ethernet(fake, 2, 60);
        poll_once(fake);
        poll_once(fake);
    }
    CHECK_EQ(fake->input_count, 3);
    fake_close(fake);
}

TEST(a_dead_status_is_asked_again_and_given_up_after_a_second) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    (void)fake_push_ethernet(fake, 2, 60);
    fake->dead = true;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 10000);
    CHECK_EQ(fake->input_count, 0);
    fake->dead = false;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 10000);
    CHECK_EQ(fake->input_count, 1);
    fake->dead = true;
    (void)fake_push_ethernet(fake, 2, 60);
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 3000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_FAILED);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_BUS);
    CHECK(!fake->link);
    fake_close(fake);
}

TEST(a_bus_that_completes_nothing_is_given_up_after_100_ms) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 1;
    poll_once(fake);
    uint64_t deadline_us = cor_cyw43_poll(&fake->chip, fake->now_us);

    CHECK_EQ(deadline_us, fake->now_us + 100000);
    fake->now_us = deadline_us;
    poll_once(fake);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_FAILED);
    CHECK_EQ(counters(fake)->bus_timeouts, 1);
    // The frame comes back to its source when the bus gives it back.
    CHECK_EQ(fake->sent, 0);
    fake_complete(fake, 1);
    poll_once(fake);
    CHECK_EQ(fake->sent, 1);
    fake_close(fake);
}

// ---- meter

TEST(every_clocked_bit_has_a_purpose) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->to_send = 50;
    for (uint32_t i = 0; i < 50; i++) {
        (void)fake_push_ethernet(fake, 2, 54 + i);
        poll_once(fake);
        fake->now_us += 300;
    }
    CHECK_EQ(fake_purposes(fake), fake->bits);
    CHECK_EQ(fake->meter.bus.transfers, fake->transfers);
    uint64_t payload = 8u * (fake->data_in * 1460u);

    for (uint32_t i = 0; i < 50; i++) {
        payload += 8u * i;
    }
    CHECK_EQ(fake->meter.bus.bits[COR_METER_PURPOSE_payload], payload);
    fake_close(fake);
}

TEST(the_chronograph_goes_from_bus_to_processor_to_bus) {
    struct fake *fake = fake_open(4);
    struct cor_chronograph *clock = &fake->meter.chronograph;

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 100;
    poll_once(fake);
    CHECK_EQ(clock->state, COR_METER_STATE_bus);
    struct cor_chronograph before = cor_chronograph_snapshot(clock, fake->now_us);

    fake->now_us += 300;
    fake_complete(fake, 1);  // completed now ...
    fake->now_us += 20;      // ... seen 20 us later, and served in 50
    (void)cor_cyw43_poll(&fake->chip, fake->now_us);
    fake->now_us += 50;
    cor_cyw43_rest(&fake->chip, fake->now_us);
    struct cor_chronograph after = cor_chronograph_snapshot(clock, fake->now_us);

    CHECK_EQ(after.us[COR_METER_STATE_bus] - before.us[COR_METER_STATE_bus], 300);
    CHECK_EQ(after.us[COR_METER_STATE_cpu] - before.us[COR_METER_STATE_cpu], 70);
    CHECK_EQ(clock->state, COR_METER_STATE_bus);
    fake_close(fake);
}

TEST(the_chronograph_names_the_blocker_of_the_source) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->blocked = COR_METER_STATE_peer_window;
    poll_once(fake);
    CHECK_EQ(fake->meter.chronograph.state, COR_METER_STATE_peer_window);
    fake->blocked = COR_METER_STATE_source;
    poll_once(fake);
    CHECK_EQ(fake->meter.chronograph.state, COR_METER_STATE_source);
    fake_close(fake);
}

TEST(waiting_beyond_20_ms_while_the_radio_sleeps_is_power_save) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);
    struct cor_chronograph before;
    struct cor_chronograph after;

    config.pm = COR_PM_AGGRESSIVE;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake_joined(fake);
    (void)fake_push_ethernet(fake, 2, 60);
    fake->blocked = COR_METER_STATE_congestion;
    poll_once(fake);
    before = cor_chronograph_snapshot(&fake->meter.chronograph, fake->now_us);
    uint64_t start_us = fake->now_us;

    fake_run(fake, COR_RADIO_JOINED, start_us + 100000);
    CHECK_EQ(fake->meter.chronograph.state, COR_METER_STATE_power_save);
    (void)fake_push_ethernet(fake, 2, 60);
    poll_once(fake);
    after = cor_chronograph_snapshot(&fake->meter.chronograph, fake->now_us);
    CHECK_EQ(after.us[COR_METER_STATE_congestion] - before.us[COR_METER_STATE_congestion], 20000);
    CHECK_EQ(after.us[COR_METER_STATE_power_save] - before.us[COR_METER_STATE_power_save], 80000);
    CHECK_EQ(fake->meter.chronograph.state, COR_METER_STATE_congestion);
    fake_close(fake);
}

TEST_MAIN(
    CASE(a_start_ends_ready_with_images_loaded_and_settings_read_back),
    CASE(a_start_works_on_a_bus_that_holds_one_transfer),
    CASE(an_absent_chip_is_reported_within_a_second),
    CASE(a_bus_that_samples_early_is_named_and_loads_nothing),
    CASE(a_bus_with_a_wrong_bit_is_named_and_loads_nothing),
    CASE(a_line_that_stays_high_is_an_absent_chip),
    CASE(a_bus_that_fails_at_the_data_clock_is_found_before_ready),
    CASE(scenario_6_a_read_error_is_read_again),
    CASE(scenario_6_a_stored_error_is_written_again),
    CASE(scenario_6_three_failures_end_in_an_error_and_a_later_start_succeeds),
    CASE(a_missing_image_is_refused_at_once),
    CASE(firmware_that_never_starts_is_an_error),
    CASE(scenario_10_a_request_without_reply_ends_in_a_time_out),
    CASE(a_busy_chip_is_asked_again),
    CASE(a_refused_setting_shows_asked_and_effective),
    CASE(a_needed_setting_that_is_refused_fails_the_start),
    CASE(scenario_7_start_and_stop_a_thousand_times_at_any_moment),
    CASE(a_join_ends_joined_with_power_save_read_back),
    CASE(a_listen_interval_replaces_that_of_the_word),
    CASE(scenario_13_no_network),
    CASE(scenario_13_wrong_key),
    CASE(scenario_13_wrong_key_told_by_deauthentication_alone),
    CASE(scenario_13_refused),
    CASE(scenario_13_access_point_full),
    CASE(scenario_13_other_security),
    CASE(scenario_13_nothing_happens),
    CASE(scenario_14_the_link_goes_down_and_the_source_is_told),
    CASE(join_arguments_are_checked),
    CASE(a_frame_goes_out_with_its_true_length_and_no_copy),
    CASE(credit_gates_each_frame_and_wraps_at_256),
    CASE(without_credit_the_status_is_read_after_100_ms_and_not_before),
    CASE(a_credit_that_cannot_be_true_is_rejected),
    CASE(credit_is_taken_from_a_frame_that_is_dropped),
    CASE(the_flow_mask_stops_data_of_its_priority),
    CASE(a_chip_that_is_not_ready_is_asked_with_growing_gaps),
    CASE(an_idle_chip_is_not_polled),
    CASE(the_line_brings_one_status_read_and_the_frame),
    CASE(frames_behind_each_other_are_read_without_polling),
    CASE(a_frame_is_read_once_although_several_status_words_show_it),
    CASE(scenario_4_a_damaged_header_costs_one_frame),
    CASE(scenario_4_a_length_too_short_is_resynchronised),
    CASE(scenario_5_an_impossible_length_is_dropped_unread),
    CASE(scenario_5_any_header_is_survived),
    CASE(a_frame_with_an_unusual_lead_is_moved_to_its_alignment),
    CASE(scenario_12_a_stuck_line_costs_bounded_work),
    CASE(a_dead_status_is_asked_again_and_given_up_after_a_second),
    CASE(a_bus_that_completes_nothing_is_given_up_after_100_ms),
    CASE(every_clocked_bit_has_a_purpose),
    CASE(the_chronograph_goes_from_bus_to_processor_to_bus),
    CASE(the_chronograph_names_the_blocker_of_the_source),
    CASE(waiting_beyond_20_ms_while_the_radio_sleeps_is_power_save))
