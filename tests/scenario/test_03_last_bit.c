// SPDX-License-Identifier: MIT
// Scenario 3: a write counts as finished only when its last bit is out, and the receiver is ready
// before the first clock. On the twin the chip takes the bytes of a transfer from memory at its
// last clock and writes what it reads there too: an owner told too early would be seen at the far
// side.
#include "fault_world.h"

#define PATTERN 0x5Au
#define SCRAWL  0xA5u

static uint32_t scrawled;

// Whoever owns the payload uses its memory for something else as soon as it is told.
static void scrawl(struct world *world, uint32_t token) {
    (void)token;
    if (world->sent == world->pulled && world->to_send == 0) {
        memset(world->payload, SCRAWL, sizeof(world->payload));
        scrawled++;
    }
}

static void check_arrival(const struct twin_frame *frame) {
    for (uint32_t i = HEAD_BYTES; i < frame->size_bytes; i++) {
        CHECK_EQ(frame->data[i], PATTERN);
    }
}

static void run(enum twin_engine engine, uint8_t queue_depth) {
    struct options options = fault_options("");

    options.engine = engine;
    options.queue_depth = queue_depth;
    struct world *world = fault_joined(&options);

    scrawled = 0;
    world->on_sent = scrawl;
    world->check_frame = check_arrival;
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t arrived = world->arrived;

        memset(world->payload, PATTERN, sizeof(world->payload));
        (void)world_upload(world, 1 + i % 3, S);
        CHECK(world->arrived > arrived);
    }
    CHECK_EQ(world->out_of_order, 0);
    CHECK(scrawled >= 300);
    world->on_sent = NULL;
    world->check_frame = NULL;
    check_well(world, S);
    world_close(world);
}

TEST(memory_is_free_only_when_the_last_bit_is_out) {
    run(TWIN_ENGINE_QUEUED, 4);
    run(TWIN_ENGINE_QUEUED, 1);
    run(TWIN_ENGINE_SERIAL, 1);
}

// A processor that is starved for a while only makes it late.
TEST(a_starved_processor_loses_nothing) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    for (uint32_t i = 0; i < 50; i++) {
        world->to_send += 4;
        twin_board_interrupt(world->board);
        world_run_ns(world, 300000);
        twin_board_spend_ns(world->board, 5 * MS);
        world_run_ns(world, 20 * MS);
    }
    CHECK_EQ(world->arrived, 200);
    CHECK_EQ(world->out_of_order, 0);
    check_well(world, S);
    world_close(world);
}

TEST_MAIN(
    CASE(memory_is_free_only_when_the_last_bit_is_out), CASE(a_starved_processor_loses_nothing))
