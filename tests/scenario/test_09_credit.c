// SPDX-License-Identifier: MIT
// Scenario 9: the chip stops granting transmit credit. Sending reports busy, receiving goes on, a
// stall event follows at 1 s and a rebuild at 5 s; if credit returns, order is kept.
#include "fault_world.h"

static uint64_t ms_after(const struct notice *notice, uint64_t since_us) {
    return notice == NULL ? UINT64_MAX : (notice->at_us - since_us) / 1000;
}

// Frames from the other side, one each 50 ms.
static void receive(struct world *world, uint64_t for_ns) {
    for (uint64_t i = 0; i < for_ns / (50 * MS); i++) {
        send_down(world, world_board, 0);
        world_run_ns(world, 50 * MS);
    }
}

// lost_max: frames that were on their way when it began.
static void stall(const char *fault, uint32_t lost_max) {
    struct options options = fault_options("");

    options.answer_each = 0;
    struct world *world = fault_joined(&options);
    uint64_t start_us;
    uint32_t inputs;

    world->to_send = 2000;
    twin_board_interrupt(world->board);
    world_run_ns(world, 20 * MS);
    start_us = world_now_us(world);
    fault_now(world, fault);
    inputs = world->inputs;
    receive(world, 3 * S);
    CHECK_BETWEEN(world->inputs - inputs, 59, 60);
    CHECK_EQ(world->driver.blocked, COR_METER_STATE_credit);
    CHECK_BETWEEN(ms_after(told_at(COR_CYW43_NOTICE_stall, 0), start_us), 1000, 1200);
    CHECK_EQ(counters(world)->rebuilds, 0);
    world_run_ns(world, 2 * S);
    CHECK_BETWEEN(world->arrived, 2000 - lost_max, 2000);
    CHECK(lost_max != 0 || world->out_of_order == 0);
    CHECK_EQ(told(COR_CYW43_NOTICE_stall_over), 1);
    world->options.answer_each = 2;
    check_well(world, S);
    check_struck(world);
    world_close(world);
}

TEST(credit_that_comes_back_finds_everything_in_order) {
    stall("credit-hold for=3s", 0);
    stall("flow value=1 for=3s", 0);
    stall("not-ready for=3s", 4);
}

TEST(credit_that_never_comes_back_ends_in_a_rebuild) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);
    uint64_t start_us;

    world->to_send = 2000;
    twin_board_interrupt(world->board);
    world_run_ns(world, 20 * MS);
    start_us = world_now_us(world);
    fault_now(world, "credit-hold for=5500ms");
    world_run_ns(world, 8 * S);
    CHECK_BETWEEN(ms_after(told_at(COR_CYW43_NOTICE_stall, 0), start_us), 1000, 1200);
    CHECK_BETWEEN(ms_after(told_at(COR_CYW43_NOTICE_rebuild, 0), start_us), 5000, 5200);
    CHECK_EQ(counters(world)->rebuilds, 1);
    check_well(world, 10 * S);
    CHECK_EQ(counters(world)->recoveries, 1);
    check_struck(world);
    world_close(world);
}

// What a damaged header says of credit is not believed where it cannot be true, and never sends a
// frame beyond what stood on the wire.
TEST(credit_that_cannot_be_true_is_not_believed) {
    static const char *const faults[] = {
        "credit-value value=100 every=20 for=1h",
        "credit-value value=-3 every=20 for=1h",
        "rx-field field=credit value=0 every=20 for=1h",
        "rx-field field=credit value=128 every=20 for=1h",
        "rx-drop channel=credit p=0.5 for=1h",
        "credit-window value=1",
    };

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct options options = fault_options("");
        struct world *world = fault_joined(&options);

        fault_now(world, faults[i]);
        (void)world_upload(world, 1000, 10 * S);
        CHECK_EQ(world->arrived, 1000);
        CHECK_EQ(counters(world)->rebuilds, 0);
        check_struck(world);
        check_safe(world);
        world_close(world);
    }
}

TEST_MAIN(
    CASE(credit_that_comes_back_finds_everything_in_order),
    CASE(credit_that_never_comes_back_ends_in_a_rebuild),
    CASE(credit_that_cannot_be_true_is_not_believed))
