// SPDX-License-Identifier: MIT
// Scenario 4: a received frame header is damaged. The frame is dropped before its length is used,
// the stream is resynchronised, the next good frame arrives.
#include "fault_world.h"

// Each field of the header that a check covers, wrong in some frames of an upload.
static const char *const headers[] = {
    "rx-field field=size value=0 every=7",
    "rx-field field=size value=65535 every=7",
    "rx-field field=size value=40 every=7",
    "rx-field field=check value=0 every=7",
    "rx-field field=check value=4660 every=7",
    "rx-field field=header value=0 every=7",
    "rx-field field=header value=11 every=7",
    "rx-field field=header value=255 every=7",
};

TEST(a_damaged_header_costs_its_frame_and_no_other) {
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        struct options options = fault_options("");
        struct world *world = fault_joined(&options);
        char fault[96];

        snprintf(fault, sizeof(fault), "%s channel=data count=20", headers[i]);
        fault_now(world, fault);
        (void)world_upload(world, 400, 5 * S);
        world_run_ns(world, 300 * MS);
        CHECK_EQ(world->arrived, 400);
        CHECK_EQ(world->out_of_order, 0);
        CHECK_EQ(world->answers, 180);
        CHECK(counters(world)->rx_damaged + counters(world)->rx_empty >= 20);
        CHECK_EQ(counters(world)->rebuilds, 0);
        check_struck(world);
        check_well(world, S);
        world_close(world);
    }
}

// Whole reads of nothing, of ones, and frames whose end is missing.
TEST(reads_of_nothing_are_resynchronised) {
    static const char *const reads[] = {
        "bus-zeros fn=2 dir=read every=9 count=10",
        "bus-ones fn=2 dir=read every=9 count=10",
        "bus-flip fn=2 dir=read bits=30 every=9 count=10",
        "rx-cut channel=data value=20 every=9 count=10",
    };

    for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
        struct options options = fault_options("");
        struct world *world = fault_joined(&options);

        fault_now(world, reads[i]);
        (void)world_upload(world, 400, 10 * S);
        world_run_ns(world, 500 * MS);
        CHECK_EQ(world->arrived, 400);
        CHECK(world->answers >= 170);
        CHECK_EQ(counters(world)->rebuilds, 0);
        check_struck(world);
        check_well(world, 2 * S);
        world_close(world);
    }
}

TEST_MAIN(
    CASE(a_damaged_header_costs_its_frame_and_no_other), CASE(reads_of_nothing_are_resynchronised))
