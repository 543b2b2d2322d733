// SPDX-License-Identifier: MIT
// Recovery: each rung at its time, a rebuild that brings the network back, and what is told.
#include "cyw43_fake.h"

#define NOTICES_MAX 64u

struct told {
    enum cor_cyw43_notice notice;
    int32_t value;
    uint64_t at_us;
};

struct log {
    struct told told[NOTICES_MAX];
    uint32_t count;
    uint32_t fed;
    uint64_t fed_us;
    uint64_t hungry_us_max;
    struct fake *fake;
};

static void note(void *context, uint64_t now_us, enum cor_cyw43_notice notice, int32_t value) {
    struct log *log = context;

    CHECK(log->count < NOTICES_MAX);
    CHECK_EQ(cor_cyw43_notice_name(notice) != NULL, true);
    log->told[log->count++] = (struct told){notice, value, now_us};
}

static void feed(void *context) {
    struct log *log = context;
    uint64_t since_us = log->fake->now_us - log->fed_us;

    log->hungry_us_max = since_us > log->hungry_us_max ? since_us : log->hungry_us_max;
    log->fed_us = log->fake->now_us;
    log->fed++;
}

static const struct cor_cyw43_counters *counters(struct fake *fake) {
    return cor_cyw43_get_counters(&fake->chip);
}

static struct fake *logged(struct log *log) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);

    memset(log, 0, sizeof(*log));
    log->fake = fake;
    config.hooks.context = log;
    config.hooks.notice = note;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake_joined(fake);
    log->count = 0;
    return fake;
}

static uint32_t count_of(const struct log *log, enum cor_cyw43_notice notice) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < log->count; i++) {
        count += log->told[i].notice == notice;
    }
    return count;
}

static uint64_t time_of(const struct log *log, enum cor_cyw43_notice notice) {
    for (uint32_t i = 0; i < log->count; i++) {
        if (log->told[i].notice == notice) {
            return log->told[i].at_us;
        }
    }
    CHECK(false);
    return 0;
}

// Goes on until JOINED again, or so long.
static void rejoined(struct fake *fake, uint64_t bound_us) {
    uint64_t until_us = fake->now_us + bound_us;

    while (fake->now_us < until_us && cor_cyw43_state(&fake->chip) != COR_RADIO_JOINED) {
        fake_run(fake, cor_cyw43_state(&fake->chip), until_us);
    }
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
}

TEST(scenario_9_a_chip_without_credit_is_told_at_1_s_and_rebuilt_at_5_s) {
    struct log log;
    struct fake *fake = logged(&log);

    fake->freeze_credit = true;
    fake->to_send = 100;
    uint64_t start_us = fake->now_us;

    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 10000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_RECOVERING);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_TIMEOUT);
    CHECK_EQ(cor_cyw43_down_cause(&fake->chip), COR_LINK_CAUSE_chip);
    CHECK(!fake->link);
    CHECK_BETWEEN(time_of(&log, COR_CYW43_NOTICE_stall) - start_us, 1000000, 1100000);
    CHECK_BETWEEN(time_of(&log, COR_CYW43_NOTICE_rebuild) - start_us, 5000000, 5100000);
    CHECK_EQ(counters(fake)->stalls, 1);
    CHECK_EQ(counters(fake)->flushes, 2);
    CHECK_EQ(counters(fake)->rebuilds, 1);
    // All frames that were taken are given back to their source.
    CHECK_EQ(fake->sent, fake->pulled);
    fake->freeze_credit = false;
    rejoined(fake, 3000000);
    CHECK_EQ(counters(fake)->recoveries, 1);
    CHECK(fake->link);
    CHECK_TEXT(fake->ssid, "net");
    uint32_t before = fake->data_in;

    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 1000);
    CHECK(fake->data_in > before);
    CHECK_EQ(fake->over_credit, 0);
    fake_close(fake);
}

TEST(scenario_9_credit_that_returns_ends_the_stall_in_order) {
    struct log log;
    struct fake *fake = logged(&log);

    fake->freeze_credit = true;
    fake->to_send = 20;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 3000000);
    uint32_t received = fake->input_count;

    // Received frames are taken all the while.
    (void)fake_push_ethernet(fake, 2, 60);
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 1000);
    CHECK_EQ(fake->input_count, received + 1);
    fake->freeze_credit = false;
    for (uint32_t i = 0; i < 5; i++) {
        (void)fake_push(fake, 0, 12, 0);
        fake_run(fake, COR_RADIO_JOINED, fake->now_us + 1000);
    }
    CHECK_EQ(fake->sent, 20);
    CHECK_EQ(count_of(&log, COR_CYW43_NOTICE_stall_over), 1);
    CHECK_EQ(counters(fake)->rebuilds, 0);
    fake_close(fake);
}

TEST(a_credit_that_was_never_true_is_taken_back) {
    struct log log;
    struct fake *fake = logged(&log);
    uint8_t max = fake->chip.tx_max;

    // A wrong bit has made it 16 more.
    fake_push(fake, 0, 12, 0)->bytes[9] = (uint8_t)(max + 16);
    poll_once(fake);
    CHECK_EQ(fake->chip.tx_max, (uint8_t)(max + 16));
    (void)fake_push(fake, 0, 12, 0);
    poll_once(fake);
    (void)fake_push(fake, 0, 12, 0);
    poll_once(fake);
    CHECK_EQ(fake->chip.tx_max, max);
    fake_close(fake);
}

static void dies(struct fake *fake, struct log *log, uint64_t bound_us) {
    uint64_t start_us = fake->now_us;

    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 10000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_RECOVERING);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_BUS);
    CHECK(time_of(log, COR_CYW43_NOTICE_bus_dead) <= start_us + bound_us);
    // It stays so for an hour, and that is told in five lines.
    fake_run(fake, COR_RADIO_RECOVERING, fake->now_us + UINT64_C(3600000000));
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_RECOVERING);
    CHECK(log->count <= 5);
    CHECK(fake->chip.ladder.attempt > 50);
}

TEST(a_dead_bus_is_declared_within_200_ms_in_five_lines) {
    for (uint32_t i = 0; i < 4; i++) {
        struct log log;
        struct fake *fake = logged(&log);

        fake->to_send = i % 2 == 0 ? 0 : 1000;  // idle, and at work
        fake->dead = i < 2;
        fake->garble = NULL;
        fake->zeros = i >= 2;
        fake->absent = true;
        fake->dead_wire = i < 2;
        dies(fake, &log, 200000);
        fake->dead = fake->zeros = fake->absent = fake->dead_wire = false;
        fake->to_send = 0;
        rejoined(fake, 62000000);
        CHECK_EQ(count_of(&log, COR_CYW43_NOTICE_rebuilt), 1);
        fake_close(fake);
    }
}

TEST(a_chip_that_answers_no_request_is_rebuilt) {
    struct log log;
    struct fake *fake = logged(&log);

    // Nothing is received; the chip is asked whether it is still in its network.
    fake->silent = true;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 20000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_RECOVERING);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_TIMEOUT);
    CHECK_EQ(counters(fake)->control_timeouts, 3);
    CHECK(time_of(&log, COR_CYW43_NOTICE_rebuild) < UINT64_C(15000000));
    fake->silent = false;
    rejoined(fake, 70000000);
    fake_close(fake);
}

TEST(settings_are_made_again_after_a_rebuild) {
    static const uint8_t groups[2][6] = {{1, 0, 0x5E, 0, 0, 0xFB}, {1, 0, 0x5E, 0, 0, 1}};
    struct log log;
    struct fake *fake = logged(&log);

    cor_cyw43_set_multicast(&fake->chip, groups, 2, false);
    cor_cyw43_set_gpio(&fake->chip, 1, 1);
    cor_cyw43_set_pm(&fake->chip, COR_PM_PERFORMANCE, 0);
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 100000);
    CHECK_EQ(cor_cyw43_get_effective(&fake->chip)->pm_word, 0xA11142);
    fake->freeze_credit = true;
    fake->to_send = 100;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 10000000);
    fake->freeze_credit = false;
    // A chip without power.
    memset(fake_var(fake, "mcast_list")->value, 0, 64);
    memset(fake_var(fake, "gpioout")->value, 0, 64);
    memset(fake_var(fake, "pm2_sleep_ret")->value, 0, 64);
    fake->pm = 0;
    rejoined(fake, 3000000);
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 100000);
    CHECK_BYTES(fake_var(fake, "mcast_list")->value + 4, groups, 12);
    CHECK_EQ(fake_var(fake, "gpioout")->value[4], 1);
    CHECK_EQ(cor_cyw43_get_effective(&fake->chip)->pm_word, 0xA11142);
    CHECK_EQ(fake->pm, 2);
    fake_close(fake);
}

TEST(between_two_attempts_of_a_rebuild_the_driver_sleeps) {
    struct log log;
    struct fake *fake = logged(&log);

    fake->freeze_credit = true;
    fake->to_send = 100;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 10000000);
    fake->absent = true;
    uint32_t polls = 0;

    for (uint64_t until_us = fake->now_us + 60000000; fake->now_us < until_us; polls++) {
        uint64_t next_us = cor_cyw43_poll(&fake->chip, fake->now_us);

        CHECK(next_us != UINT64_MAX);
        fake->now_us = next_us > fake->now_us ? next_us : fake->now_us + 1;
    }
    // 850 ms of looking for the chip each 2 ms in each of some seven attempts.
    CHECK(polls < 10 * 500 * 3);
    fake_close(fake);
}

TEST(without_recovery_a_dead_chip_is_failed) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);

    config.recovery = COR_CYW43_GIVE_UP;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake_joined(fake);
    fake->dead = true;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 1000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_FAILED);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_BUS);
    CHECK(!fake->power);
    fake->dead = false;
    fake_joined(fake);
    fake_close(fake);
}

TEST(scenario_8_the_watchdog_is_fed_each_100_ms) {
    struct log log = {0};
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);

    log.fake = fake;
    config.hooks.context = &log;
    config.hooks.feed = feed;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake->absent = true;
    CHECK_EQ(cor_cyw43_start(&fake->chip, fake->now_us), COR_OK);
    fake_run(fake, COR_RADIO_STARTING, fake->now_us + 2000000);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_ABSENT);
    fake->absent = false;
    log.fed_us = fake->now_us;
    fake_joined(fake);
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 30000000);
    CHECK(log.hungry_us_max <= 100000);
    CHECK(log.fed > 300);
    fake_close(fake);
}

TEST(a_line_that_was_missed_is_found_by_the_check) {
    struct log log;
    struct fake *fake = logged(&log);

    fake->line_mute = true;
    (void)fake_push_ethernet(fake, 2, 60);
    uint64_t until_us = fake->now_us + 150000;

    while (fake->now_us < until_us && fake->input_count == 0) {
        poll_once(fake);
        fake->now_us += 1000;
    }
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(counters(fake)->line_missed, 1);
    fake_close(fake);
}

TEST(without_the_line_frames_are_found_by_polling) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);

    config.polling_us = 2000;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake->line_mute = true;
    fake_joined(fake);
    for (uint32_t i = 0; i < 20; i++) {
        uint64_t start_us = fake->now_us;

        (void)fake_push_ethernet(fake, 2, 60);
        while (fake->input_count == i && fake->now_us < start_us + 10000) {
            uint64_t next_us = cor_cyw43_poll(&fake->chip, fake->now_us);

            cor_cyw43_rest(&fake->chip, fake->now_us);
            if (fake->input_count == i) {
                bool idle = fake->queued == 0 && next_us > fake->now_us;

                fake->now_us = idle ? next_us : fake->now_us + 1;
            }
        }
        CHECK_EQ(fake->input_count, i + 1);
        CHECK(fake->now_us <= start_us + 2100);
    }
    fake_close(fake);
}

TEST(a_stop_from_a_notice_ends_a_rebuild) {
    struct log log;
    struct fake *fake = logged(&log);

    fake->stop_in_link = true;
    fake->dead = true;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 1000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_OFF);
    CHECK(!fake->power);
    fake_close(fake);
}

TEST_MAIN(
    CASE(scenario_9_a_chip_without_credit_is_told_at_1_s_and_rebuilt_at_5_s),
    CASE(scenario_9_credit_that_returns_ends_the_stall_in_order),
    CASE(a_credit_that_was_never_true_is_taken_back),
    CASE(a_dead_bus_is_declared_within_200_ms_in_five_lines),
    CASE(a_chip_that_answers_no_request_is_rebuilt),
    CASE(settings_are_made_again_after_a_rebuild),
    CASE(between_two_attempts_of_a_rebuild_the_driver_sleeps),
    CASE(without_recovery_a_dead_chip_is_failed),
    CASE(scenario_8_the_watchdog_is_fed_each_100_ms),
    CASE(a_line_that_was_missed_is_found_by_the_check),
    CASE(without_the_line_frames_are_found_by_polling),
    CASE(a_stop_from_a_notice_ends_a_rebuild))
