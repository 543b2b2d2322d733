// SPDX-License-Identifier: MIT
#include "coradio_twin/peer.h"
#include "test.h"

#include <stdlib.h>

#define ARRIVALS_MAX 20000u

// An end of the wire that notes what came, and when.
struct end {
    struct twin_sim *sim;
    struct twin_frames *frames;
    uint32_t count;
    uint32_t number[ARRIVALS_MAX];
    uint64_t at_ns[ARRIVALS_MAX];
};

static struct {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_wire *wire;
    struct end near;
    struct end far;
} world;

static void end_input(void *context, struct twin_frame *frame) {
    struct end *end = context;

    memcpy(&end->number[end->count], frame->data + 14, sizeof(end->number[0]));
    end->at_ns[end->count] = twin_now_ns(end->sim);
    end->count++;
    twin_frame_put(end->frames, frame);
}

static void world_open(uint64_t seed, uint64_t delay_ns, uint32_t loss, FILE *pcap) {
    memset(&world, 0, sizeof(world));
    world.sim = twin_sim_new(seed, 0);
    world.frames = twin_frames_new();
    world.wire = twin_wire_new(&(struct twin_wire_config){
        .sim = world.sim,
        .frames = world.frames,
        .delay_ns = delay_ns,
        .loss = loss,
        .pcap = pcap,
    });
    world.near.sim = world.far.sim = world.sim;
    world.near.frames = world.far.frames = world.frames;
    twin_wire_connect_near(
        world.wire, (struct twin_port){.input = end_input, .context = &world.near});
    twin_wire_connect_far(
        world.wire, (struct twin_port){.input = end_input, .context = &world.far});
}

static void world_close(void) {
    twin_wire_free(world.wire);
    CHECK_EQ(twin_frames_out(world.frames), 0);
    twin_frames_free(world.frames);
    twin_sim_free(world.sim);
}

static void put(struct twin_port port, uint32_t number, uint32_t size_bytes) {
    struct twin_frame *frame = twin_frame_get(world.frames);

    memset(frame->data, 0x5A, size_bytes);
    memcpy(frame->data + 14, &number, sizeof(number));
    frame->size_bytes = size_bytes;
    port.input(port.context, frame);
}

TEST(a_frame_arrives_after_the_delay_and_not_before) {
    world_open(1, 500000, 0, NULL);
    put(twin_wire_near(world.wire), 7, 60);
    CHECK_EQ(world.far.count, 0);
    twin_run_until(world.sim, 499999);
    CHECK_EQ(world.far.count, 0);
    twin_run_until(world.sim, 500000);
    CHECK_EQ(world.far.count, 1);
    CHECK_EQ(world.far.number[0], 7);
    CHECK_EQ(world.near.count, 0);
    world_close();
}

TEST(both_directions_run_at_the_same_time) {
    world_open(1, 1000, 0, NULL);
    put(twin_wire_near(world.wire), 1, 60);
    put(twin_wire_far(world.wire), 2, 60);
    twin_run_until(world.sim, 1000);
    CHECK_EQ(world.far.number[0], 1);
    CHECK_EQ(world.near.number[0], 2);
    CHECK_EQ(world.far.at_ns[0], 1000);
    CHECK_EQ(world.near.at_ns[0], 1000);
    world_close();
}

TEST(no_delay_still_means_a_later_call) {
    world_open(1, 0, 0, NULL);
    put(twin_wire_near(world.wire), 1, 60);
    CHECK_EQ(world.far.count, 0);
    twin_run_until(world.sim, 0);
    CHECK_EQ(world.far.count, 1);
    world_close();
}

TEST(frames_keep_their_order_and_their_distance) {
    world_open(1, 2000000, 0, NULL);
    for (uint32_t i = 0; i < 1000; i++) {
        put(twin_wire_near(world.wire), i, 60);
        twin_run_until(world.sim, (uint64_t)(i + 1) * 3000);
    }
    twin_run_until(world.sim, 10000000);
    CHECK_EQ(world.far.count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        CHECK_EQ(world.far.number[i], i);
        CHECK_EQ(world.far.at_ns[i], (uint64_t)i * 3000 + 2000000);
    }
    world_close();
}

TEST(loss_takes_its_share_and_is_counted) {
    world_open(3, 0, twin_chance(0.02), NULL);
    for (uint32_t i = 0; i < ARRIVALS_MAX; i++) {
        put(twin_wire_near(world.wire), i, 60);
    }
    twin_run_until(world.sim, 0);
    CHECK_EQ(twin_wire_lost(world.wire) + world.far.count, ARRIVALS_MAX);
    // 400 expected, deviation 20: five of them either way.
    CHECK_BETWEEN(twin_wire_lost(world.wire), 300, 500);
    world_close();
}

// What got through with this seed, and how much the other direction carried meanwhile.
static uint64_t loss_pattern(uint64_t seed, uint32_t backwards) {
    uint64_t hash = 0;

    world_open(seed, 0, twin_chance(0.5), NULL);
    for (uint32_t i = 0; i < 200; i++) {
        put(twin_wire_near(world.wire), i, 60);
        for (uint32_t back = 0; back < backwards; back++) {
            put(twin_wire_far(world.wire), back, 60);
        }
        twin_run_until(world.sim, i);
    }
    for (uint32_t i = 0; i < world.far.count; i++) {
        hash = hash * 0x100000001B3u + world.far.number[i];
    }
    world_close();
    return hash;
}

TEST(the_seed_decides_what_is_lost_and_each_direction_has_its_own) {
    CHECK(loss_pattern(1, 0) == loss_pattern(1, 0));
    CHECK(loss_pattern(1, 0) != loss_pattern(2, 0));
    CHECK(loss_pattern(1, 0) == loss_pattern(1, 3));
}

TEST(each_direction_is_counted_for_itself) {
    struct twin_wire_counters counters;

    world_open(3, 0, twin_chance(0.5), NULL);
    for (uint32_t i = 0; i < 1000; i++) {
        put(twin_wire_near(world.wire), i, 60);
    }
    put(twin_wire_far(world.wire), 0, 60);
    twin_run_until(world.sim, 0);
    twin_wire_get_counters(world.wire, &counters);
    CHECK_EQ(counters.to_far, world.far.count);
    CHECK_EQ(counters.to_far + counters.lost_to_far, 1000);
    CHECK_EQ(counters.to_near, world.near.count);
    CHECK_EQ(counters.to_near + counters.lost_to_near, 1);
    CHECK_BETWEEN(counters.lost_to_far, 400, 600);
    world_close();
}

TEST(an_open_end_loses_frames_and_none_leak) {
    struct twin_sim *sim = twin_sim_new(1, 0);
    struct twin_wire_counters counters;

    world_open(1, 5, 0, NULL);
    twin_wire_free(world.wire);
    world.wire = twin_wire_new(
        &(struct twin_wire_config){.sim = sim, .frames = world.frames, .delay_ns = 5});
    put(twin_wire_near(world.wire), 1, 60);
    twin_run_until(sim, 5);
    CHECK_EQ(twin_wire_lost(world.wire), 1);
    twin_wire_get_counters(world.wire, &counters);
    CHECK_EQ(counters.to_far, 0);
    put(twin_wire_near(world.wire), 2, 60);  // still under way when the wire goes
    world_close();
    twin_sim_free(sim);
}

static uint32_t word_at(const uint8_t *file, size_t offset) {
    uint32_t value;

    memcpy(&value, file + offset, sizeof(value));
    return value;
}

TEST(the_capture_holds_what_reaches_the_far_end_and_what_it_sends) {
    FILE *file = tmpfile();
    uint8_t bytes[512];
    size_t size;

    CHECK(file != NULL);
    world_open(1, 250, 0, file);
    twin_run_until(world.sim, 3000000000u);
    put(twin_wire_near(world.wire), 1, 60);
    put(twin_wire_far(world.wire), 2, 100);
    twin_run_until(world.sim, 3000001000u);
    world_close();
    rewind(file);
    size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    CHECK_EQ(size, 24 + 16 + 100 + 16 + 60);
    CHECK_EQ(word_at(bytes, 0), 0xA1B23C4D);
    CHECK_EQ(word_at(bytes, 20), 1);
    // Sent by the far end: stamped when it left. The other: when it came.
    CHECK_EQ(word_at(bytes, 24), 3);
    CHECK_EQ(word_at(bytes, 28), 0);
    CHECK_EQ(word_at(bytes, 32), 100);
    CHECK_EQ(word_at(bytes, 24 + 16 + 100), 3);
    CHECK_EQ(word_at(bytes, 24 + 16 + 100 + 4), 250);
    CHECK_EQ(word_at(bytes, 24 + 16 + 100 + 8), 60);
    CHECK_EQ(word_at(bytes, 24 + 16 + 100 + 16 + 14), 1);
}

TEST(the_capture_leaves_out_what_was_lost_before_the_far_end) {
    FILE *file = tmpfile();

    CHECK(file != NULL);
    world_open(1, 0, UINT32_MAX, file);
    put(twin_wire_near(world.wire), 1, 60);
    put(twin_wire_far(world.wire), 2, 60);  // lost too, but the far end has sent it
    twin_run_until(world.sim, 1000);
    CHECK_EQ(twin_wire_lost(world.wire), 2);
    CHECK_EQ(ftell(file), 24 + 16 + 60);
    world_close();
    fclose(file);
}

TEST_MAIN(
    CASE(a_frame_arrives_after_the_delay_and_not_before),
    CASE(both_directions_run_at_the_same_time),
    CASE(no_delay_still_means_a_later_call),
    CASE(frames_keep_their_order_and_their_distance),
    CASE(loss_takes_its_share_and_is_counted),
    CASE(the_seed_decides_what_is_lost_and_each_direction_has_its_own),
    CASE(each_direction_is_counted_for_itself),
    CASE(an_open_end_loses_frames_and_none_leak),
    CASE(the_capture_holds_what_reaches_the_far_end_and_what_it_sends),
    CASE(the_capture_leaves_out_what_was_lost_before_the_far_end))
