// SPDX-License-Identifier: MIT
// Scenario 5: any address, length, index or count that comes from the chip is impossible. It is
// rejected and counted; nothing crashes or loops.
#include "fault_world.h"

static void run(const char *fault) {
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    fault_now(world, fault);
    (void)world_upload(world, 200, 5 * S);
    world_run_ns(world, 500 * MS);
    check_safe(world);
    check_struck(world);
    check_well(world, 15 * S);
    world_close(world);
}

TEST(any_length_in_the_status_word_is_survived) {
    static const uint32_t lengths[] = {0, 1, 2, 3, 11, 12, 13, 21, 22, 35, 1514, 1601, 2044, 2047};

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        char fault[96];

        snprintf(
            fault, sizeof(fault), "rx-length channel=data value=%u every=5 count=10", lengths[i]);
        run(fault);
    }
}

TEST(any_field_of_the_header_is_survived) {
    static const char *const fields[] = {"sequence", "channel", "header", "flow", "credit"};
    static const uint32_t values[] = {0, 1, 3, 15, 16, 60, 127, 128, 200, 255};

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
            char fault[96];

            snprintf(
                fault,
                sizeof(fault),
                "rx-field field=%s value=%u every=11 count=5",
                fields[i],
                values[j]);
            run(fault);
        }
    }
}

// Replies and events during a start and a join.
TEST(impossible_replies_and_events_are_survived) {
    static const char *const faults[] = {
        "reply-cut value=1 every=3 count=4",
        "reply-cut value=12 every=3 count=4",
        "reply-cut value=16 every=3 count=4",
        "rx-damage channel=control bits=8 every=4 count=6",
        "rx-damage channel=event bits=8 every=2 count=6",
        "rx-cut channel=event value=60 every=2 count=6",
        "rx-length channel=control value=2047 every=4 count=6",
        "event-change status=4294967294 reason=4294967294 flags=65535 count=3",
        "sequence-start value=255",
    };

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct options options = fault_options(faults[i]);
        struct world *world = fault_open(&options);

        // A start that could not go on says so; the next one succeeds, as the fault has ended.
        for (uint32_t tries = 0; world_start(world) != COR_RADIO_READY && tries < 8; tries++) {
            CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_FAILED);
            CHECK(cor_cyw43_error(&world->driver) != COR_OK);
        }
        CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_READY);
        (void)world_join(world);
        check_struck(world);
        check_well(world, 30 * S);
        world_close(world);
    }
}

TEST_MAIN(
    CASE(any_length_in_the_status_word_is_survived),
    CASE(any_field_of_the_header_is_survived),
    CASE(impossible_replies_and_events_are_survived))
