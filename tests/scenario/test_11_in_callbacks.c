// SPDX-License-Identifier: MIT
// Scenario 11: a command is issued from inside a receive callback, or any call from a hook. It is
// queued or refused at once; never a stall.
#include "fault_world.h"

#define GET_VAR 262

static uint32_t queued;
static uint32_t refused;
static uint32_t done;

static void on_done(
    void *context, enum cor_status status, int32_t chip_status, struct cor_span reply) {
    (void)context;
    (void)status;
    (void)chip_status;
    (void)reply;
    done++;
}

static void request_now(struct world *world) {
    const struct cor_cyw43_request request = {
        .command = GET_VAR, .name = "cur_etheraddr", .reply_bytes = 6, .done = on_done};
    enum cor_status status = cor_cyw43_request(&world->driver, &request);

    CHECK(status == COR_OK || status == COR_AGAIN);
    if (status == COR_OK) {
        queued++;
    } else {
        refused++;
    }
}

// Everything there is, in turn.
static void meddle(struct world *world, const uint8_t *frame, uint32_t size_bytes) {
    static const uint8_t groups[2][6] = {{1, 0, 0x5E, 0, 0, 1}, {1, 0, 0x5E, 0, 0, 2}};
    const struct cor_cyw43_scan scan = {.ssid = NULL};

    (void)frame;
    (void)size_bytes;
    switch (world->inputs % 7) {
    case 0:
        cor_cyw43_set_gpio(&world->driver, 1, world->inputs);
        break;
    case 1:
        cor_cyw43_measure(&world->driver);
        break;
    case 2:
        cor_cyw43_set_multicast(&world->driver, groups, world->inputs % 3, false);
        break;
    case 3:
        cor_cyw43_set_pm(&world->driver, COR_PM_NONE, 0);
        break;
    case 4:
        if (world->inputs == 704) {
            enum cor_status status = cor_cyw43_scan(&world->driver, &scan);

            CHECK(status == COR_OK || status == COR_AGAIN);
        }
        break;
    default:
        break;
    }
    request_now(world);
}

TEST(calls_from_a_receive_callback_are_queued_or_refused) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    queued = refused = done = 0;
    world->on_input = meddle;
    (void)world_upload(world, 2000, 10 * S);
    world->on_input = NULL;
    world_run_ns(world, 2 * S);
    CHECK_EQ(world->arrived, 2000);
    CHECK_EQ(world->out_of_order, 0);
    CHECK_EQ(done, queued);
    CHECK(queued > 10 && refused > 50);
    CHECK_EQ(told(COR_CYW43_NOTICE_stall), 0);
    CHECK_EQ(counters(world)->control_timeouts, 0);
    check_well(world, S);
    world_close(world);
}

static struct world *hooked;
static uint32_t hooks;

// A hook that joins, leaves and asks in the middle of whatever has just happened.
static void meddling_notice(
    void *context, uint64_t now_us, enum cor_cyw43_notice notice, int32_t value) {
    const struct cor_join join = {
        .ssid = WORLD_SSID, .key = WORLD_KEY, .auth = COR_AUTH_WPA2, .keep = true};

    take_notice(context, now_us, notice, value);
    if (hooked == NULL) {
        return;
    }
    hooks++;
    if (notice == COR_CYW43_NOTICE_link_down && hooks % 2 == 0) {
        cor_cyw43_leave(&hooked->driver, now_us);
    }
    enum cor_status status = cor_cyw43_join(&hooked->driver, &join, now_us);

    CHECK(status == COR_OK || status == COR_E_STATE);
    cor_cyw43_measure(&hooked->driver);
    CHECK_EQ(cor_cyw43_join(&hooked->driver, &join, now_us), COR_E_STATE);
    CHECK_EQ(cor_cyw43_start(&hooked->driver, now_us), COR_E_STATE);
}

TEST(calls_from_the_hooks_are_queued_or_refused) {
    struct options options = fault_options("");

    hooked = NULL;
    hooks = 0;
    options.hooks.notice = meddling_notice;
    struct world *world = fault_joined(&options);

    hooked = world;
    for (uint32_t i = 0; i < 6; i++) {
        fault_now(world, i % 3 == 2 ? "chip-hang for=2s" : "ap-deauth reason=3");
        world->to_send = 300;
        twin_board_interrupt(world->board);
        world_run_ns(world, 8 * S);
    }
    CHECK(hooks > 6);
    hooked = NULL;
    world->to_send = 0;
    check_well(world, 30 * S);
    world_close(world);
}

// What an interrupt may do is nothing but wake the firmware: a storm of them changes nothing.
TEST(interrupts_at_any_time_change_nothing) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    world->to_send = 500;
    for (uint32_t i = 0; i < 20000; i++) {
        twin_board_interrupt(world->board);
        world_run_ns(world, 25000);
    }
    CHECK_EQ(world->arrived, 500);
    CHECK_EQ(world->out_of_order, 0);
    check_well(world, S);
    world_close(world);
}

TEST_MAIN(
    CASE(calls_from_a_receive_callback_are_queued_or_refused),
    CASE(calls_from_the_hooks_are_queued_or_refused),
    CASE(interrupts_at_any_time_change_nothing))
