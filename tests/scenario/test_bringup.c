// SPDX-License-Identifier: MIT
// The CYW43 driver on the virtual chip: start, join, frames both ways, and how each can fail.
#include "driver_world.h"

static void check_clean(const struct world *world) {
    struct twin_cyw43_counters chip;
    struct twin_board_counters board;
    const struct cor_cyw43_counters *driver = cor_cyw43_get_counters(&world->driver);
    const char *deviation = twin_cyw43_last_deviation(world->chip);

    twin_cyw43_get_counters(world->chip, &chip);
    twin_board_get_counters(world->board, &board);
    if (deviation != NULL) {
        printf("     last deviation: %s\n", deviation);
    }
    CHECK_EQ(chip.over_credit, 0);
    CHECK_EQ(chip.not_ready_writes, 0);
    CHECK_EQ(chip.deviations, 0);
    CHECK_EQ(driver->rx_damaged, 0);
    CHECK_EQ(driver->rx_sequence_gaps, 0);
    CHECK_EQ(driver->settings_differ, 0);
    CHECK_EQ(driver->control_refused, 0);
    CHECK_EQ(driver->bus_timeouts, 0);
    // Every bit that was clocked has its purpose, but for transfers that are not back yet.
    CHECK_EQ(world->driver.op_count, 0);
    CHECK_EQ(world_purposes(world), board.clocked_bits);
    CHECK_EQ(world->meter.bus.transfers, board.transfers);
}

TEST(a_start_and_a_join_leave_no_deviation) {
    struct options options = options_default();
    struct world *world = world_joined(&options);
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&world->driver);

    CHECK(twin_now_ns(world->sim) < UINT64_C(2000000000));
    CHECK_BYTES(cor_cyw43_address(&world->driver), world_board, 6);
    CHECK_EQ(effective->chip_id, 0xA9AF);
    CHECK_EQ(effective->ampdu_window, 8);
    CHECK_EQ(effective->ampdu_mpdu, 8);
    CHECK_EQ(effective->bus_hz, 37500000);
    CHECK_EQ(effective->pm_word, 0x10);
    CHECK(effective->event_mask_ok);
    world_run_ns(world, 90000000);
    check_clean(world);
    world_close(world);
}

TEST(an_open_network_is_joined) {
    struct options options = options_default();

    options.auth = TWIN_AUTH_OPEN;
    struct world *world = world_joined(&options);

    check_clean(world);
    world_close(world);
}

TEST(wpa3_networks_are_joined) {
    static const struct {
        enum twin_auth offered;
        enum cor_auth asked;
        bool wpa3;
    } rows[] = {
        {TWIN_AUTH_WPA3, COR_AUTH_WPA3, true},
        {TWIN_AUTH_WPA3, COR_AUTH_WPA2_WPA3, true},
        {TWIN_AUTH_WPA2_WPA3, COR_AUTH_WPA2, false},
        {TWIN_AUTH_WPA2, COR_AUTH_WPA2_WPA3, false},
    };

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct options options = options_default();

        options.auth = rows[i].offered;
        struct world *world = world_open(&options);
        const struct cor_join join = {.ssid = WORLD_SSID, .key = WORLD_KEY, .auth = rows[i].asked};

        CHECK_EQ(world_start(world), COR_RADIO_READY);
        CHECK_EQ(cor_cyw43_join(&world->driver, &join, world_now_us(world)), COR_OK);
        twin_board_interrupt(world->board);
        world_leave(world, COR_RADIO_JOINING, UINT64_C(15000000000));
        CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_JOINED);
        (void)world_upload(world, 10, UINT64_C(1000000000));
        CHECK_EQ(world->arrived, 10);
        check_clean(world);
        world_close(world);
    }
}

TEST(a_wrong_wpa3_password_is_found_out_at_once) {
    struct options options = options_default();

    options.auth = TWIN_AUTH_WPA3;
    options.key = "wrong-key";
    struct world *world = world_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_WRONG_KEY);
    CHECK(twin_now_ns(world->sim) < UINT64_C(3000000000));
    world_close(world);
}

TEST(frames_go_both_ways_in_order) {
    struct options options = options_default();
    struct world *world = world_joined(&options);
    double bps = world_upload(world, 2000, UINT64_C(5000000000));

    world_run_ns(world, 200000000);
    CHECK_EQ(world->arrived, 2000);
    CHECK_EQ(world->out_of_order, 0);
    CHECK_EQ(world->sent, 2000);
    CHECK_EQ(world->answers, 1000);
    CHECK(bps > 30e6);
    check_clean(world);
    // While nothing goes on the bus is proved each 100 ms and the chip asked each 5 s.
    struct twin_board_counters before;
    struct twin_board_counters after;

    twin_board_get_counters(world->board, &before);
    world_run_ns(world, UINT64_C(10000000000));
    twin_board_get_counters(world->board, &after);
    CHECK_BETWEEN(after.transfers - before.transfers, 95, 115);
    world_close(world);
}

TEST(a_serial_bus_works_too) {
    struct options options = options_default();

    options.engine = TWIN_ENGINE_SERIAL;
    struct world *world = world_joined(&options);

    (void)world_upload(world, 500, UINT64_C(5000000000));
    world_run_ns(world, 200000000);
    CHECK_EQ(world->arrived, 500);
    CHECK_EQ(world->answers, 250);
    check_clean(world);
    world_close(world);
}

TEST(lost_mpdus_do_not_hurt_the_driver) {
    struct options options = options_default();

    options.mpdu_error = twin_chance(0.1);
    struct world *world = world_joined(&options);

    (void)world_upload(world, 1000, UINT64_C(5000000000));
    world_run_ns(world, 200000000);
    CHECK_BETWEEN(world->arrived, 990, 1000);
    CHECK_EQ(world->sent, 1000);
    check_clean(world);
    world_close(world);
}

TEST(damaged_firmware_ends_in_an_error_and_a_later_start_succeeds) {
    struct options options = options_default();

    options.damage_firmware = true;
    struct world *world = world_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_FAILED);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_FIRMWARE);
    world->firmware[world->firmware_bytes / 2] ^= 0x04;
    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    world_close(world);
}

TEST(scenario_8_a_chip_that_never_wakes_is_reported_within_a_second) {
    struct options options = options_default();

    options.wake_ns = UINT64_C(10000000000);
    struct world *world = world_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_FAILED);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_ABSENT);
    CHECK(twin_now_ns(world->sim) <= 1000000000);
    world_close(world);
}

TEST(scenario_8_a_chip_that_needs_150_ms_to_wake_is_waited_for) {
    struct options options = options_default();

    options.wake_ns = 150000000;
    struct world *world = world_joined(&options);

    world_close(world);
}

TEST(scenario_13_no_such_network) {
    struct options options = options_default();

    options.ssid = "other";
    struct world *world = world_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_NO_NETWORK);
    CHECK(!world->link);
    world_close(world);
}

TEST(scenario_13_no_network_at_all) {
    struct options options = options_default();

    options.no_network = true;
    struct world *world = world_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_NO_NETWORK);
    world_close(world);
}

TEST(scenario_13_wrong_key_then_the_right_one) {
    struct options options = options_default();

    options.key = "wrong-key";
    struct world *world = world_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_WRONG_KEY);
    world->options.key = WORLD_KEY;
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_OK);
    (void)world_upload(world, 10, UINT64_C(1000000000));
    CHECK_EQ(world->arrived, 10);
    world_close(world);
}

TEST(scenario_13_wrong_security) {
    struct options options = options_default();
    struct world *world = world_open(&options);
    const struct cor_join join = {.ssid = WORLD_SSID, .auth = COR_AUTH_OPEN};

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_join(&world->driver, &join, world_now_us(world)), COR_OK);
    twin_board_interrupt(world->board);
    world_leave(world, COR_RADIO_JOINING, UINT64_C(15000000000));
    CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_UNSUPPORTED);
    world_close(world);
}

TEST(scenario_15_power_save_words_read_back) {
    static const struct {
        enum cor_pm pm;
        uint8_t listen;
        uint32_t word;
    } rows[] = {
        {COR_PM_NONE, 0, 0x10},
        {COR_PM_PERFORMANCE, 0, 0xA11142},
        {COR_PM_AGGRESSIVE, 0, 0x11},
        {COR_PM_AGGRESSIVE, 3, 0x303011},
    };

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct options options = options_default();

        options.pm = rows[i].pm;
        options.listen_beacons = rows[i].listen;
        struct world *world = world_joined(&options);
        const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&world->driver);

        CHECK_EQ(effective->pm_word_asked, rows[i].word);
        CHECK_EQ(effective->pm_word, rows[i].word);
        check_clean(world);
        world_close(world);
    }
}

TEST(scenario_7_start_and_stop_at_any_moment) {
    struct options options = options_default();
    struct world *world = world_open(&options);

    for (uint32_t i = 0; i < 40; i++) {
        CHECK_EQ(cor_cyw43_start(&world->driver, world_now_us(world)), COR_OK);
        twin_board_interrupt(world->board);
        world_run_ns(world, 1000000u + i * UINT64_C(27000000));
        if (cor_cyw43_state(&world->driver) == COR_RADIO_READY) {
            const struct cor_join join = {
                .ssid = WORLD_SSID, .key = WORLD_KEY, .auth = COR_AUTH_WPA2};

            CHECK_EQ(cor_cyw43_join(&world->driver, &join, world_now_us(world)), COR_OK);
            twin_board_interrupt(world->board);
            world_run_ns(world, i * 10000000u);
        }
        cor_cyw43_stop(&world->driver, world_now_us(world));
        CHECK(!world->link);
    }
    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    (void)world_upload(world, 100, UINT64_C(1000000000));
    CHECK_EQ(world->arrived, 100);
    world_close(world);
}

TEST(uploads_reach_what_bus_and_air_allow) {
    static const struct {
        int32_t hz;
        uint8_t credit_window;
        uint8_t ap_ampdu;
        double least_bps;
    } rows[] = {
        {25000000, 8, 8, 22.5e6},
        {37500000, 4, 8, 20e6},
        {37500000, 8, 8, 33.5e6},
        {37500000, 8, 1, 30e6},
        {37500000, 12, 8, 33.5e6},
        {37500000, 20, 8, 33.5e6},
        {50000000, 4, 8, 20e6},
        {50000000, 8, 8, 40e6},
        {50000000, 8, 1, 30e6},
        {50000000, 12, 8, 40e6},
        {50000000, 16, 8, 44e6},
        {50000000, 20, 8, 44e6},
    };

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct options options = options_default();
        char what[64];

        options.data_hz = rows[i].hz;
        options.credit_window = rows[i].credit_window;
        options.ap_ampdu = rows[i].ap_ampdu;
        options.outstanding_max = 44;
        struct world *world = world_joined(&options);
        double bps = world_upload(world, 10000, UINT64_C(20000000000));

        snprintf(
            what,
            sizeof(what),
            "%.1f MHz, window %u, AP aggregates %u",
            rows[i].hz / 1e6,
            rows[i].credit_window,
            rows[i].ap_ampdu);
        world_print(world, what, bps);
        struct twin_cyw43_counters chip;

        twin_cyw43_get_counters(world->chip, &chip);
        // Reading keeps up with sending: of 5000 answers hardly one finds the chip's queue full.
        CHECK(chip.dropped_rx_fifo <= 20);
        CHECK_EQ(chip.over_credit, 0);
        CHECK(bps > rows[i].least_bps);
        CHECK_EQ(world->arrived, 10000);
        world_close(world);
    }
}

TEST_MAIN(
    CASE(a_start_and_a_join_leave_no_deviation),
    CASE(an_open_network_is_joined),
    CASE(wpa3_networks_are_joined),
    CASE(a_wrong_wpa3_password_is_found_out_at_once),
    CASE(frames_go_both_ways_in_order),
    CASE(a_serial_bus_works_too),
    CASE(lost_mpdus_do_not_hurt_the_driver),
    CASE(damaged_firmware_ends_in_an_error_and_a_later_start_succeeds),
    CASE(scenario_8_a_chip_that_never_wakes_is_reported_within_a_second),
    CASE(scenario_8_a_chip_that_needs_150_ms_to_wake_is_waited_for),
    CASE(scenario_13_no_such_network),
    CASE(scenario_13_no_network_at_all),
    CASE(scenario_13_wrong_key_then_the_right_one),
    CASE(scenario_13_wrong_security),
    CASE(scenario_15_power_save_words_read_back),
    CASE(scenario_7_start_and_stop_at_any_moment),
    CASE(uploads_reach_what_bus_and_air_allow))
