// SPDX-License-Identifier: MIT
// Scenario 12: the wake line fires thousands of times with nothing to read. Processor use stays
// bounded, polling takes over, normal service returns when the line behaves. And the opposite: the
// line never calls, or calls and is not seen.
#include "fault_world.h"

static uint64_t busy_ns(const struct world *world) {
    struct twin_board_counters board;

    twin_board_get_counters(world->board, &board);
    return board.cpu_busy_ns;
}

// Frames from the other side, one each 20 ms; returns how many came in.
static uint32_t receive(struct world *world, uint64_t for_ns) {
    uint32_t inputs = world->inputs;

    for (uint64_t i = 0; i < for_ns / (20 * MS); i++) {
        send_down(world, world_board, 0);
        world_run_ns(world, 20 * MS);
    }
    world_run_ns(world, 200 * MS);
    return world->inputs - inputs;
}

TEST(a_line_that_calls_for_nothing_is_muted_and_frames_still_come) {
    static const char *const faults[] = {
        "line-storm time=20us for=2s", "line-storm time=300us for=2s", "line-high for=2s"};

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct options options = fault_options("");
        struct world *world = fault_joined(&options);
        uint64_t before_ns = busy_ns(world);

        fault_now(world, faults[i]);
        CHECK_EQ(receive(world, 2 * S), 100);
        // A tenth of the processor at most, waiting for the bus included.
        CHECK(busy_ns(world) - before_ns < 220 * MS);
        CHECK(counters(world)->line_muted > 0);
        world_run_ns(world, 500 * MS);
        check_struck(world);
        check_well(world, S);
        world_close(world);
    }
}

TEST(frames_come_though_the_line_never_calls) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    fault_now(world, "line-low for=3s");
    CHECK_EQ(receive(world, 2 * S), 100);
    world_run_ns(world, S);
    fault_now(world, "line-miss p=0.7 for=3s");
    CHECK_EQ(receive(world, 2 * S), 100);
    CHECK(counters(world)->line_missed > 0);
    CHECK_EQ(counters(world)->rebuilds, 0);
    check_struck(world);
    check_well(world, S);
    world_close(world);
}

TEST(without_the_line_frames_are_looked_for) {
    struct options options = fault_options("line-low; ");

    options.polling_us = 5000;
    struct world *world = fault_joined(&options);

    CHECK_EQ(receive(world, 2 * S), 100);
    check_well(world, S);
    world_close(world);
}

TEST_MAIN(
    CASE(a_line_that_calls_for_nothing_is_muted_and_frames_still_come),
    CASE(frames_come_though_the_line_never_calls),
    CASE(without_the_line_frames_are_looked_for))
