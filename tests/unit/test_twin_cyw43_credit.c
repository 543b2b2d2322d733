// SPDX-License-Identifier: MIT
// The chip model's credit: what is granted, when it is told, what happens beyond it.
#include "twin_cyw43_traffic.h"

// ---- credit

TEST(credit_is_the_window_beyond_the_last_frame) {
    static const uint8_t windows[] = {1, 4, 8, 20};

    for (size_t i = 0; i < sizeof(windows); i++) {
        struct host_world world = host_world_new();
        struct host *host;

        world.chip.credit_window = windows[i];
        host = host_online(&host_queued, world);
        CHECK_EQ(host_left(host), windows[i]);
        CHECK_EQ(host_counters(host).over_credit, 0);
        host_free(host);
    }
}

TEST(frames_beyond_the_credit_are_dropped_and_flagged) {
    struct host *host = online();

    for (uint32_t i = 0; i < 10; i++) {
        send(host, 60);
    }
    CHECK_EQ(host_counters(host).over_credit, 2);
    CHECK_EQ(host_counters(host).data_in, 8);
    CHECK_EQ(host->status & 4u, 4);
    CHECK_EQ(host_read(host, 0, 0x04, 2) & 4u, 4);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "over-credit");
    host_wait(host, 20 * MS);
    CHECK_EQ(host->wire_frames, 8);
    host_write(host, 0, 0x04, 4, 2);
    CHECK_EQ(host_live_status(host) & 4u, 0);
    host_free(host);
}

TEST(moderate_excess_can_be_let_through) {
    struct host_world world = host_world_new();
    struct host *host;

    world.chip.over_credit = TWIN_OVER_CREDIT_ACCEPT;
    host = host_online(&host_picowi, world);
    for (uint32_t i = 0; i < 10; i++) {
        send(host, 60);
        host_wait(host, 5 * MS);
    }
    CHECK_EQ(host->wire_frames, 10);
    CHECK_EQ(host_counters(host).over_credit, 2);
    host_free(host);
}

TEST(any_first_sequence_is_taken_and_gaps_are_counted) {
    struct host *host = host_new(&host_queued, host_world_new());
    uint8_t events[4] = {0};
    struct host_images *images = host_images_new();

    CHECK(host_bus_up(host));
    host_download(host, images);
    free(images);
    CHECK(host_start(host));
    host->sequence = 200;
    CHECK_EQ(host_ioctl(host, 2, true, events, 0), 0);
    CHECK_EQ(host_left(host), 8);
    CHECK_EQ(host_counters(host).sequence_gaps, 0);
    host->sequence++;
    CHECK_EQ(host_ioctl(host, 2, true, events, 0), 0);
    CHECK_EQ(host_counters(host).sequence_gaps, 1);
    CHECK_EQ(host_left(host), 8);
    host_free(host);
}

TEST(sequence_and_credit_wrap_at_256) {
    struct host *host = online();

    for (uint32_t i = 0; i < 600; i++) {
        while (host_left(host) <= 0) {
            CHECK(host_poll(host, 100 * MS));
        }
        send(host, 60);
    }
    host_wait(host, 100 * MS);
    CHECK_EQ(host->wire_frames, 600);
    CHECK_EQ(host_counters(host).deviations, 0);
    host_free(host);
}

// ---- frames that only carry credit

TEST(a_credit_frame_comes_when_the_host_is_nearly_out) {
    struct host *host = online();

    for (uint32_t i = 0; i < 6; i++) {
        send(host, 60);
    }
    host_wait(host, 5 * MS);
    CHECK_EQ(host_counters(host).credit_frames, 1);
    CHECK_EQ(host_live_status(host) >> 9 & 0x7FFu, 12);
    CHECK(host_receive(host));
    CHECK_EQ(host->frame[5], 0);
    CHECK_EQ(host->frame[7], 12);
    CHECK_EQ(host_left(host), 8);
    host_wait(host, 100 * MS);
    CHECK_EQ(host_counters(host).credit_frames, 1);
    CHECK(!host_receive(host));
    host_free(host);
}

TEST(half_a_window_is_told_after_a_while) {
    struct host *host = online();

    for (uint32_t i = 0; i < 4; i++) {
        send(host, 60);
    }
    host_wait(host, 8 * MS);
    CHECK_EQ(host_counters(host).credit_frames, 0);
    host_wait(host, 5 * MS);
    CHECK_EQ(host_counters(host).credit_frames, 1);
    CHECK(host_receive(host));
    CHECK_EQ(host_left(host), 8);
    host_free(host);
}

TEST(less_than_half_a_window_is_not_worth_a_frame) {
    struct host *host = online();

    for (uint32_t i = 0; i < 3; i++) {
        send(host, 60);
    }
    host_wait(host, 1000 * MS);
    CHECK_EQ(host_counters(host).credit_frames, 0);
    CHECK(!host_receive(host));
    host_free(host);
}

TEST(other_frames_carry_the_credit_too) {
    struct host *host = online();

    send_down(host, station, 60);
    host_wait(host, 20 * MS);
    for (uint32_t i = 0; i < 7; i++) {
        send(host, 60);
    }
    host_wait(host, 50 * MS);
    CHECK_EQ(host_counters(host).credit_frames, 0);
    CHECK(host_receive(host));
    CHECK_EQ(host_left(host), 8);
    host_free(host);
}

TEST(credit_frames_can_be_off) {
    struct host_world world = host_world_new();
    struct host *host;

    world.chip.credit_frames = false;
    host = host_online(&host_queued, world);
    for (uint32_t i = 0; i < 8; i++) {
        send(host, 60);
    }
    host_wait(host, 1000 * MS);
    CHECK(!host_receive(host));
    CHECK_EQ(host_counters(host).credit_frames, 0);
    host_free(host);
}

// What stands in a header is the credit of the moment it is read, not of the moment it was queued.
TEST(the_credit_read_is_the_newest) {
    struct host_world world = host_world_new();
    struct host *host;

    world.chip.credit_window = 4;
    host = host_online(&host_queued, world);
    send_down(host, station, 60);
    host_wait(host, 20 * MS);
    send(host, 60);
    send(host, 60);
    host_wait(host, 20 * MS);
    CHECK(host_receive(host));
    CHECK_EQ(host->frame[5], 2);
    CHECK_EQ(host_left(host), 4);
    CHECK_EQ(host_counters(host).credit_frames, 0);
    host_free(host);
}

// Buffers come back when the air is done with the frame, not before.
TEST(a_buffer_is_held_until_the_air_is_done) {
    struct host *host = online();

    for (uint32_t i = 0; i < 8; i++) {
        send(host, 1514);
    }
    CHECK_EQ(host_left(host), 0);
    CHECK(host->wire_frames < 8);
    CHECK(host_poll(host, 100 * MS));
    CHECK(host_left(host) > 0 && host_left(host) <= 8);
    host_wait(host, 100 * MS);
    CHECK_EQ(host->wire_frames, 8);
    CHECK_EQ(host_ioctl32(host, 86, 0), 0);
    CHECK_EQ(host_left(host), 8);
    host_free(host);
}

TEST(fewer_buffers_than_the_window_bind) {
    struct host_world world = host_world_new();
    struct host *host;

    world.chip.credit_window = 12;
    world.chip.tx_buffers = 3;
    host = host_online(&host_queued, world);
    CHECK_EQ(host_left(host), 3);
    host_free(host);
}

TEST_MAIN(
    CASE(credit_is_the_window_beyond_the_last_frame),
    CASE(frames_beyond_the_credit_are_dropped_and_flagged),
    CASE(moderate_excess_can_be_let_through),
    CASE(any_first_sequence_is_taken_and_gaps_are_counted),
    CASE(sequence_and_credit_wrap_at_256),
    CASE(a_credit_frame_comes_when_the_host_is_nearly_out),
    CASE(half_a_window_is_told_after_a_while),
    CASE(less_than_half_a_window_is_not_worth_a_frame),
    CASE(other_frames_carry_the_credit_too),
    CASE(credit_frames_can_be_off),
    CASE(the_credit_read_is_the_newest),
    CASE(a_buffer_is_held_until_the_air_is_done),
    CASE(fewer_buffers_than_the_window_bind))
