// SPDX-License-Identifier: MIT
// Scenario 13: joining fails for each of: no such network, wrong key, refused, AP full, unsupported
// security. Five distinct results, each within its bound, and the status stays truthful afterwards.
#include "fault_world.h"

#define BOUND_US 20000000u

struct row {
    const char *faults;
    const char *ssid;
    const char *key;
    enum twin_auth offered;
    enum cor_auth asked;
    enum cor_status error;
    uint32_t code;  // of 802.11; 0: not looked at
};

static const struct row rows[] = {
    {"", "nowhere", WORLD_KEY, TWIN_AUTH_WPA2, COR_AUTH_WPA2, COR_E_NO_NETWORK, 0},
    {"ap-off for=19s", WORLD_SSID, WORLD_KEY, TWIN_AUTH_WPA2, COR_AUTH_WPA2, COR_E_NO_NETWORK, 0},
    {"", WORLD_SSID, "another key", TWIN_AUTH_WPA2, COR_AUTH_WPA2, COR_E_WRONG_KEY, 0},
    {"", WORLD_SSID, "another key", TWIN_AUTH_WPA3, COR_AUTH_WPA3, COR_E_WRONG_KEY, 0},
    {"ap-refuse status=12 for=1h",
     WORLD_SSID,
     WORLD_KEY,
     TWIN_AUTH_WPA2,
     COR_AUTH_WPA2,
     COR_E_REFUSED,
     12},
    {"ap-refuse status=1 for=1h",
     WORLD_SSID,
     WORLD_KEY,
     TWIN_AUTH_WPA2,
     COR_AUTH_WPA2,
     COR_E_REFUSED,
     1},
    {"ap-auth-refuse status=13 for=1h",
     WORLD_SSID,
     WORLD_KEY,
     TWIN_AUTH_WPA2,
     COR_AUTH_WPA2,
     COR_E_REFUSED,
     13},
    {"ap-full for=1h", WORLD_SSID, WORLD_KEY, TWIN_AUTH_WPA2, COR_AUTH_WPA2, COR_E_FULL, 17},
    {"", WORLD_SSID, WORLD_KEY, TWIN_AUTH_WPA2, COR_AUTH_OPEN, COR_E_UNSUPPORTED, 0},
    {"", WORLD_SSID, WORLD_KEY, TWIN_AUTH_OPEN, COR_AUTH_WPA2, COR_E_UNSUPPORTED, 0},
    {"", WORLD_SSID, WORLD_KEY, TWIN_AUTH_WPA2, COR_AUTH_WPA3, COR_E_UNSUPPORTED, 0},
    {"no-sae", WORLD_SSID, WORLD_KEY, TWIN_AUTH_WPA3, COR_AUTH_WPA3, COR_E_UNSUPPORTED, 0},
};

static void check_row(const struct row *row) {
    struct options options = fault_options(row->faults);
    const struct cor_join join = {.ssid = row->ssid, .key = row->key, .auth = row->asked};

    options.auth = row->offered;
    struct world *world = fault_open(&options);
    uint64_t start_us;

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    start_us = world_now_us(world);
    CHECK_EQ(cor_cyw43_join(&world->driver, &join, start_us), COR_OK);
    twin_board_interrupt(world->board);
    CHECK(reaches(world, COR_RADIO_READY, BOUND_US * UINT64_C(1000)));
    CHECK_EQ(cor_cyw43_error(&world->driver), row->error);
    CHECK(row->code == 0 || cor_cyw43_join_code(&world->driver) == row->code);
    CHECK(world_now_us(world) - start_us <= BOUND_US);
    CHECK_EQ(told(COR_CYW43_NOTICE_join_failed), 1);
    // Truthful afterwards: not joined, whatever events still come, and able to join.
    world_run_ns(world, 20 * S);
    CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&world->driver), row->error);
    CHECK(!world->link);
    check_struck(world);
    world_close(world);
}

TEST(each_reason_has_a_result_of_its_own) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        check_row(&rows[i]);
    }
}

// What passes by itself is handled inside: the caller sees a join that took a little longer.
TEST(failures_of_the_moment_are_handled_inside) {
    static const char *const faults[] = {
        "ap-refuse status=1 count=2",
        "ap-refuse status=30 count=2",
        "ap-auth-refuse status=1 count=2",
        "event-drop type=auth; event-drop type=assoc",
        "event-double type=link count=2; event-double type=psk-sup",
        "event-delay type=psk-sup time=500ms",
        "event-change type=auth status=2 count=1",
        "air-loss loss=0.3 for=5s",
    };

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct options options = fault_options(faults[i]);

        options.keep = false;
        struct world *world = fault_open(&options);

        CHECK_EQ(world_start(world), COR_RADIO_READY);
        if (world_join(world) != COR_RADIO_JOINED) {
            printf("     %s: %s\n", faults[i], cor_status_name(cor_cyw43_error(&world->driver)));
        }
        CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_JOINED);
        check_struck(world);
        check_well(world, S);
        world_close(world);
    }
}

// The event that says it all is lost: the join ends in a time-out, and the next one, which keep
// asks for, succeeds.
TEST(an_event_that_is_lost_costs_time_only) {
    static const char *const faults[] = {"event-drop type=link", "event-drop type=psk-sup"};

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct options options = fault_options(faults[i]);
        struct world *world = fault_open(&options);

        CHECK_EQ(world_start(world), COR_RADIO_READY);
        (void)world_join(world);
        check_struck(world);
        check_well(world, 20 * S);
        world_close(world);
    }
}

// After a wrong key the right one joins; after a network that is not there the one that is.
TEST(a_failure_leaves_nothing_behind) {
    struct options options = fault_options("");
    struct world *world = fault_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    for (uint32_t i = 0; i < 3; i++) {
        const struct cor_join wrong = {
            .ssid = WORLD_SSID, .key = "another key", .auth = COR_AUTH_WPA2, .keep = i == 2};
        const struct cor_join nowhere = {
            .ssid = "nowhere", .key = WORLD_KEY, .auth = COR_AUTH_WPA2};

        CHECK_EQ(cor_cyw43_join(&world->driver, &wrong, world_now_us(world)), COR_OK);
        twin_board_interrupt(world->board);
        CHECK(reaches(world, COR_RADIO_READY, 20 * S));
        CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_WRONG_KEY);
        CHECK_EQ(cor_cyw43_join(&world->driver, &nowhere, world_now_us(world)), COR_OK);
        twin_board_interrupt(world->board);
        CHECK(reaches(world, COR_RADIO_READY, 20 * S));
        CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_NO_NETWORK);
        CHECK_EQ(world_join(world), COR_RADIO_JOINED);
        check_well(world, S);
        cor_cyw43_leave(&world->driver, world_now_us(world));
        world_run_ns(world, S);
    }
    world_close(world);
}

TEST_MAIN(
    CASE(each_reason_has_a_result_of_its_own),
    CASE(failures_of_the_moment_are_handled_inside),
    CASE(an_event_that_is_lost_costs_time_only),
    CASE(a_failure_leaves_nothing_behind))
