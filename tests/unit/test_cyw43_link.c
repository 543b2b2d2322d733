// SPDX-License-Identifier: MIT
// Link: WPA3 and pinned joins, what the network is lost to, and how it is joined again.
#include "cyw43_fake.h"

static const struct cor_cyw43_counters *counters(struct fake *fake) {
    return cor_cyw43_get_counters(&fake->chip);
}

static struct cor_join join_of(enum cor_auth auth, bool keep) {
    return (struct cor_join){.ssid = "net", .key = "password", .auth = auth, .keep = keep};
}

static void joins(struct fake *fake, const struct cor_join *join) {
    CHECK_EQ(cor_cyw43_join(&fake->chip, join, fake->now_us), COR_OK);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINING);
    fake_run(fake, COR_RADIO_JOINING, fake->now_us + 20000000);
}

// Until the state, at most so long.
static void until(struct fake *fake, enum cor_radio_state state, uint64_t bound_us) {
    uint64_t until_us = fake->now_us + bound_us;

    while (fake->now_us < until_us && cor_cyw43_state(&fake->chip) != state) {
        fake_run(fake, cor_cyw43_state(&fake->chip), until_us);
    }
    CHECK_EQ(cor_cyw43_state(&fake->chip), state);
}

static uint32_t value32(struct fake *fake, const char *name) {
    return fake_le32(fake_var(fake, name)->value);
}

TEST(a_wpa3_join_gives_the_password_and_wants_protected_frames) {
    struct fake *fake = fake_open(4);
    const struct cor_join join = join_of(COR_AUTH_WPA3, false);

    fake_ready(fake);
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
    CHECK_EQ(fake_var(fake, "sae_password")->value[0], 8);
    CHECK_BYTES(fake_var(fake, "sae_password")->value + 2, (const uint8_t *)"password", 8);
    CHECK_EQ(value32(fake, "mfp"), 2);
    CHECK_EQ(fake->numbers[22], 3);         // SET_AUTH: SAE
    CHECK_EQ(fake->numbers[165], 0x40000);  // SET_WPA_AUTH
    CHECK_EQ(fake->numbers[134], 4);        // SET_WSEC
    CHECK_EQ(fake->keys, 0);                // no passphrase for WPA2
    CHECK(cor_cyw43_get_effective(&fake->chip)->sae);
    fake_close(fake);
}

TEST(a_mixed_join_gives_both_keys) {
    struct fake *fake = fake_open(4);
    const struct cor_join join = join_of(COR_AUTH_WPA2_WPA3, false);

    fake_ready(fake);
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
    CHECK_EQ(fake->numbers[165], 0x40000);
    CHECK_EQ(value32(fake, "mfp"), 1);
    CHECK_EQ(fake->keys, 1);
    fake_close(fake);
}

TEST(firmware_without_wpa3_joins_mixed_networks_by_wpa2) {
    struct fake *fake = fake_open(4);
    struct cor_join join = join_of(COR_AUTH_WPA2_WPA3, false);

    fake->refuse_name = "sae_password";
    fake->refuse_status = -23;
    fake_ready(fake);
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
    CHECK_EQ(fake->numbers[22], 0);
    CHECK_EQ(fake->numbers[165], 0x80);
    CHECK(!cor_cyw43_get_effective(&fake->chip)->sae);
    cor_cyw43_leave(&fake->chip, fake->now_us);
    join.auth = COR_AUTH_WPA3;
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_UNSUPPORTED);
    fake_close(fake);
}

TEST(a_wrong_wpa3_password_is_a_wrong_key) {
    static const struct fake_event events[] = {{3, 1, 16, 0}, {0, 1, 0, 0}};
    struct fake *fake = fake_open(4);
    const struct cor_join join = join_of(COR_AUTH_WPA3, false);

    fake->auto_join = false;
    fake->outcome = events;
    fake->outcome_count = 2;
    fake->event_auth_type = 3;
    fake_ready(fake);
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_WRONG_KEY);
    CHECK_EQ(fake->attempts, 1);
    fake_close(fake);
}

TEST(a_pinned_access_point_is_asked_for_by_its_address) {
    static const uint8_t bssid[6] = {2, 4, 6, 8, 10, 12};
    struct fake *fake = fake_open(4);
    struct cor_join join = join_of(COR_AUTH_WPA2, false);

    join.bssid = bssid;
    join.channel = 11;
    fake_ready(fake);
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
    const uint8_t *value = fake_var(fake, "join")->value;

    CHECK_EQ(fake_var(fake, "join")->size_bytes, 64);  // what the fake keeps of 70
    CHECK_EQ(fake_le32(value), 3);
    CHECK_BYTES(value + 4, (const uint8_t *)"net", 4);
    CHECK_BYTES(value + 56, bssid, 6);
    fake_close(fake);
}

TEST(a_first_failure_of_the_moment_is_not_told) {
    static const struct fake_event later[] = {{3, 0, 0, 0}, {7, 1, 30, 0}, {0, 1, 0, 0}};
    static const struct fake_event unheard[] = {{0, 3, 0, 0}};
    static const struct fake_event no_ack[] = {{3, 5, 0, 0}, {0, 1, 0, 0}};
    static const struct {
        const struct fake_event *events;
        uint32_t count;
        uint32_t failures;
    } rows[] = {{later, 3, 2}, {unheard, 1, 1}, {no_ack, 2, 2}};

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fake *fake = fake_open(4);
        const struct cor_join join = join_of(COR_AUTH_WPA2, false);

        fake->outcome = rows[i].events;
        fake->outcome_count = rows[i].count;
        fake->outcome_attempts = rows[i].failures;
        fake_ready(fake);
        joins(fake, &join);
        CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
        CHECK_EQ(cor_cyw43_error(&fake->chip), COR_OK);
        CHECK_EQ(fake->attempts, rows[i].failures + 1);
        CHECK_EQ(counters(fake)->join_retries, rows[i].failures);
        CHECK_EQ(counters(fake)->join_failures, 0);
        fake_close(fake);
    }
}

TEST(a_refusal_tells_its_code) {
    static const struct fake_event events[] = {{3, 0, 0, 0}, {7, 1, 12, 0}, {0, 1, 0, 0}};
    struct fake *fake = fake_open(4);
    const struct cor_join join = join_of(COR_AUTH_WPA2, false);

    fake->auto_join = false;
    fake->outcome = events;
    fake->outcome_count = 3;
    fake_ready(fake);
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_REFUSED);
    CHECK_EQ(cor_cyw43_join_code(&fake->chip), 12);
    CHECK_EQ(fake->attempts, 1);
    fake_close(fake);
}

TEST(scenario_14_the_cause_of_a_lost_link_is_told_and_it_is_joined_again) {
    static const struct {
        struct fake_event event;
        enum cor_link_cause cause;
        uint32_t code;
    } rows[] = {
        {{6, 0, 7, 0}, COR_LINK_CAUSE_deauthenticated, 7},
        {{5, 0, 3, 0}, COR_LINK_CAUSE_deauthenticated, 3},
        {{12, 0, 8, 0}, COR_LINK_CAUSE_disassociated, 8},
        {{16, 0, 1, 0}, COR_LINK_CAUSE_beacons_lost, 1},
        {{31, 0, 0, 0}, COR_LINK_CAUSE_beacons_lost, 0},
        {{46, 0, 15, 0}, COR_LINK_CAUSE_keys, 0},
    };

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fake *fake = fake_open(4);
        const struct cor_join join = join_of(COR_AUTH_WPA2, true);
        const struct fake_event *event = &rows[i].event;

        fake_ready(fake);
        joins(fake, &join);
        fake_push_event(fake, event->type, event->status, event->reason, event->flags);
        uint64_t start_us = fake->now_us;

        fake_run(fake, COR_RADIO_JOINED, fake->now_us + 1000000);
        CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_WAITING);
        CHECK(fake->now_us < start_us + 1000);
        CHECK(!fake->link);
        CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_LINK_DOWN);
        CHECK_EQ(cor_cyw43_down_cause(&fake->chip), rows[i].cause);
        CHECK_EQ(cor_cyw43_down_code(&fake->chip), rows[i].code);
        until(fake, COR_RADIO_JOINED, 1000000);
        CHECK(fake->link);
        CHECK_EQ(counters(fake)->rejoins, 1);
        fake_close(fake);
    }
}

TEST(scenario_14_a_network_that_appears_later_is_joined_with_growing_pauses) {
    static const struct fake_event unheard[] = {{0, 3, 0, 0}};
    struct fake *fake = fake_open(4);
    const struct cor_join join = join_of(COR_AUTH_WPA2, true);
    uint64_t before_us = 0;
    uint32_t grown = 0;

    fake->auto_join = false;
    fake->outcome = unheard;
    fake->outcome_count = 1;
    fake_ready(fake);
    uint64_t start_us = fake->now_us;

    joins(fake, &join);
    while (fake->now_us < start_us + 300000000) {
        CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_WAITING);
        CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_NO_NETWORK);
        uint64_t pause_us = fake->now_us;

        fake_run(fake, COR_RADIO_WAITING, fake->now_us + 60000000);
        pause_us = fake->now_us - pause_us;
        CHECK(pause_us <= 30100000);
        grown += pause_us > before_us + 1000;
        before_us = pause_us;
        fake_run(fake, COR_RADIO_JOINING, fake->now_us + 20000000);
    }
    CHECK(grown >= 7);
    CHECK(fake->attempts < 50);
    fake->auto_join = true;
    fake->outcome_count = 0;
    until(fake, COR_RADIO_JOINED, 31000000);
    fake_close(fake);
}

TEST(a_key_that_was_never_right_is_not_tried_for_ever) {
    static const struct fake_event wrong[] = {
        {3, 0, 0, 0}, {7, 0, 0, 0}, {16, 0, 0, 1}, {46, 8, 14, 0}};
    struct fake *fake = fake_open(4);
    const struct cor_join join = join_of(COR_AUTH_WPA2, true);

    fake->auto_join = false;
    fake->outcome = wrong;
    fake->outcome_count = 4;
    fake_ready(fake);
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_WRONG_KEY);
    // With one that was right before it is the access point that is confused.
    fake->auto_join = true;
    fake->outcome_count = 0;
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
    fake->auto_join = false;
    fake->outcome_count = 4;
    fake_push_event(fake, 6, 0, 7, 0);
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 1000000);
    fake_run(fake, COR_RADIO_WAITING, fake->now_us + 1000000);
    fake_run(fake, COR_RADIO_JOINING, fake->now_us + 20000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_WAITING);
    fake->auto_join = true;
    fake->outcome_count = 0;
    until(fake, COR_RADIO_JOINED, 10000000);
    fake_close(fake);
}

TEST(leaving_is_at_once_and_the_next_join_comes_after_it) {
    struct fake *fake = fake_open(4);
    const struct cor_join join = join_of(COR_AUTH_WPA2, true);

    fake_ready(fake);
    for (uint32_t i = 0; i < 200; i++) {
        CHECK_EQ(cor_cyw43_join(&fake->chip, &join, fake->now_us), COR_OK);
        fake_run(fake, COR_RADIO_JOINING, fake->now_us + i * 200u);
        cor_cyw43_leave(&fake->chip, fake->now_us);
        CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
        CHECK(!fake->link);
    }
    joins(fake, &join);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
    // And it stays.
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 2000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_JOINED);
    CHECK_EQ(cor_cyw43_down_cause(&fake->chip), COR_LINK_CAUSE_asked);
    fake_close(fake);
}

TEST(a_station_that_was_removed_silently_is_found_out) {
    struct fake *fake = fake_open(4);
    const struct cor_join join = join_of(COR_AUTH_WPA2, true);

    // The chip itself does not know its network any more.
    fake_ready(fake);
    joins(fake, &join);
    fake->refuse_number = 23;
    fake->refuse_number_status = -17;
    uint64_t start_us = fake->now_us;

    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 20000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_WAITING);
    CHECK_EQ(cor_cyw43_down_cause(&fake->chip), COR_LINK_CAUSE_silent);
    CHECK(fake->now_us < start_us + 6000000);
    fake->refuse_number = 0;
    until(fake, COR_RADIO_JOINED, 1000000);
    // Frames go out and nobody acknowledges them.
    fake->packets_bad_step = 10;
    start_us = fake->now_us;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 20000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_WAITING);
    CHECK_EQ(cor_cyw43_down_cause(&fake->chip), COR_LINK_CAUSE_silent);
    CHECK(fake->now_us < start_us + 13000000);
    fake->packets_bad_step = 0;
    until(fake, COR_RADIO_JOINED, 1000000);
    // And the caller's own probe says so.
    cor_cyw43_link_silent(&fake->chip, fake->now_us);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_WAITING);
    until(fake, COR_RADIO_JOINED, 10000000);
    fake_close(fake);
}

TEST_MAIN(
    CASE(a_wpa3_join_gives_the_password_and_wants_protected_frames),
    CASE(a_mixed_join_gives_both_keys),
    CASE(firmware_without_wpa3_joins_mixed_networks_by_wpa2),
    CASE(a_wrong_wpa3_password_is_a_wrong_key),
    CASE(a_pinned_access_point_is_asked_for_by_its_address),
    CASE(a_first_failure_of_the_moment_is_not_told),
    CASE(a_refusal_tells_its_code),
    CASE(scenario_14_the_cause_of_a_lost_link_is_told_and_it_is_joined_again),
    CASE(scenario_14_a_network_that_appears_later_is_joined_with_growing_pauses),
    CASE(a_key_that_was_never_right_is_not_tried_for_ever),
    CASE(leaving_is_at_once_and_the_next_join_comes_after_it),
    CASE(a_station_that_was_removed_silently_is_found_out))
