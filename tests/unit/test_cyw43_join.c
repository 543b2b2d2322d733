// SPDX-License-Identifier: MIT
#include "cyw43_fake.h"

static const struct cor_cyw43_counters *counters(struct fake *fake) {
    return cor_cyw43_get_counters(&fake->chip);
}

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

// Each attempt brings these events; the driver makes so many of them.
static void join_fails(
    const struct fake_event *events,
    uint32_t count,
    enum cor_status error,
    uint64_t bound_us,
    uint32_t attempts) {
    struct fake *fake = fake_open(4);
    const struct cor_join join = {.ssid = "net", .key = "password", .auth = COR_AUTH_WPA2};

    fake->auto_join = false;
    fake->outcome = events;
    fake->outcome_count = count;
    fake_ready(fake);
    uint64_t start_us = fake->now_us;

    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_OK);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINING);
    fake_run(fake, COR_RADIO_JOINING, fake->now_us + 20000000);
    CHECK_EQ(fake->attempts, attempts);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&fake->chip), error);
    CHECK(fake->now_us < start_us + bound_us);
    CHECK(!fake->link);
    // And the next join succeeds.
    fake->auto_join = true;
    fake->outcome_count = 0;
    fake_join(fake);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_OK);
    fake_close(fake);
}

TEST(scenario_13_no_network) {
    static const struct fake_event events[] = {{0, 3, 0, 0}};

    join_fails(events, 1, COR_E_NO_NETWORK, 1000000, 2);
}

TEST(scenario_13_wrong_key) {
    static const struct fake_event events[] = {
        {3, 0, 0, 0}, {7, 0, 0, 0}, {16, 0, 0, 1}, {46, 8, 15, 0}, {6, 0, 2, 0}, {0, 1, 0, 0}};

    join_fails(events, 6, COR_E_WRONG_KEY, 1000000, 2);
}

TEST(scenario_13_wrong_key_told_by_deauthentication_alone) {
    static const struct fake_event events[] = {
        {3, 0, 0, 0}, {7, 0, 0, 0}, {16, 0, 0, 1}, {6, 0, 2, 0}, {0, 1, 0, 0}};

    join_fails(events, 5, COR_E_WRONG_KEY, 1000000, 1);
}

TEST(scenario_13_refused) {
    static const struct fake_event events[] = {{3, 1, 1, 0}, {0, 1, 0, 0}};

    join_fails(events, 2, COR_E_REFUSED, 1000000, 3);
}

TEST(scenario_13_access_point_full) {
    static const struct fake_event events[] = {{3, 0, 0, 0}, {7, 1, 17, 0}, {0, 1, 0, 0}};

    join_fails(events, 3, COR_E_FULL, 1000000, 1);
}

TEST(scenario_13_other_security) {
    static const struct fake_event events[] = {{23, 0, 8, 0}, {0, 3, 0, 0}};

    join_fails(events, 2, COR_E_UNSUPPORTED, 1000000, 1);
}

TEST(scenario_13_nothing_happens) {
    join_fails(NULL, 0, COR_E_TIMEOUT, 12000000, 1);
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
    struct cor_join join = {.ssid = "net", .key = "short", .auth = COR_AUTH_WPA2};

    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, 0), COR_E_STATE);
    fake_ready(fake);
    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_E_ARG);
    join = (struct cor_join){.ssid = "", .key = "password", .auth = COR_AUTH_WPA2};
    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_E_ARG);
    join = (struct cor_join){.ssid = "123456789012345678901234567890123", .auth = COR_AUTH_OPEN};
    CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_E_ARG);
    CHECK_EQ(cor_cyw43_start(&fake->chip, fake->now_us), COR_E_STATE);
    fake_close(fake);
}

TEST_MAIN(
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
    CASE(join_arguments_are_checked))
