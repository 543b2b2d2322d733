// SPDX-License-Identifier: MIT
// The chip model's data path: frames both ways, the FIFO, time inside, the interrupt line.
#include "twin_cyw43_traffic.h"

// ---- from the host

TEST(a_frame_goes_out_as_it_came) {
    static const struct host_style *const styles[] = {
        &host_sdk, &host_embassy, &host_picowi, &host_queued};

    for (size_t i = 0; i < 4; i++) {
        struct host *host = host_online(styles[i], host_world_new());
        uint8_t ethernet[1514];

        fill(ethernet, peer, sizeof(ethernet));
        for (uint32_t size_bytes = 14; size_bytes <= 1514; size_bytes += 125) {
            uint32_t before = host->wire_frames;

            host_send_data(host, ethernet, size_bytes, 0);
            host_wait(host, 20 * MS);
            CHECK_EQ(host->wire_frames, before + 1);
            CHECK_EQ(host->wire_last_bytes, size_bytes);
            CHECK_BYTES(host->wire_last, ethernet, size_bytes);
            (void)host_receive(host);
        }
        CHECK_EQ(host_counters(host).data_in, 13);
        CHECK_EQ(host_counters(host).tx_acked, 13);
        CHECK_EQ(host_counters(host).deviations, 0);
        host_free(host);
    }
}

TEST(a_frame_in_pieces_at_any_place) {
    struct host *host = online();
    uint8_t wire[4 + 14 + 4 + 100] = {0};

    for (uint32_t cut = 1; cut < sizeof(wire) - 1; cut += 7) {
        uint32_t total = sizeof(wire) - 4;
        struct twin_gspi_xfer xfer = {
            .out =
                {{wire, cut},
                 {NULL, 0},
                 {wire + cut, 1},
                 {wire + cut + 1, (uint32_t)sizeof(wire) - cut - 1}},
            .out_count = 4,
            .in = host->in,
            .in_bytes = 4,
        };

        host_put32(wire, host_command(true, 2, 0, total));
        host_put32(wire + 4, total | ~total << 16);
        wire[8] = host->sequence++;
        wire[9] = 2;
        wire[11] = 14;
        wire[18] = 0x20;
        fill(wire + 22, peer, 100);
        host->pins.transfer(host->pins.context, &xfer);
        host_wait(host, 20 * MS);
        CHECK_EQ(host->wire_last_bytes, 100);
        CHECK_BYTES(host->wire_last, wire + 22, 100);
        memset(host->wire_last, 0, 100);
        (void)host_receive(host);
    }
    CHECK_EQ(host_counters(host).deviations, 0);
    host_free(host);
}

// The length of the command decides, so padding it lets junk out.
TEST(a_padded_length_leaks_the_padding) {
    struct host *host = online();
    uint8_t ethernet[67];

    fill(ethernet, peer, sizeof(ethernet));
    host_send_data(host, ethernet, sizeof(ethernet), 3);
    host_wait(host, 20 * MS);
    CHECK_EQ(host->wire_last_bytes, 70);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "f2-length-padded");
    host_free(host);
}

TEST(a_frame_without_the_pad_grows_by_two) {
    struct host *host = online();
    uint8_t payload[4 + 1514] = {0x20, 0, 0, 0};

    fill(payload + 4, peer, 1514);
    host_send(host, 2, 12, payload, 4 + 100, 0);
    host_wait(host, 20 * MS);
    CHECK_EQ(host->wire_last_bytes, 102);
    CHECK_EQ(host->wire_last[100] | host->wire_last[101], 0);
    host_send(host, 2, 12, payload, 4 + 1514, 0);
    host_wait(host, 20 * MS);
    CHECK_EQ(host->wire_frames, 1);
    CHECK_EQ(host_counters(host).dropped_oversize, 1);
    host_free(host);
}

TEST(headers_that_are_none_are_dropped) {
    struct host *host = online();
    uint8_t frame[64] = {0};

    frame[0] = 64;
    host_block_write(host, 2, 0, frame, 64);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "sdpcm-check");
    host_put32(frame, 100u | ~100u << 16);
    host_block_write(host, 2, 0, frame, 64);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "sdpcm-size");
    host_put32(frame, 64u | ~64u << 16);
    frame[7] = 8;
    host_block_write(host, 2, 0, frame, 64);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "sdpcm-header-length");
    CHECK_EQ(host_counters(host).dropped_header, 3);
    CHECK_EQ(host_counters(host).sequence_gaps, 0);
    CHECK_EQ(host->wire_frames, 0);
    host_free(host);
}

TEST(a_frame_before_the_join_is_dropped) {
    struct host *host = host_new(&host_queued, host_world_new());

    host_bring_up(host);
    send(host, 100);
    host_wait(host, 20 * MS);
    CHECK_EQ(host->wire_frames, 0);
    CHECK_EQ(host_counters(host).dropped_not_joined, 1);
    host_free(host);
}

// ---- time inside the chip

TEST(while_a_frame_is_inside_f2_takes_nothing) {
    struct host_world world = host_world_new();
    struct host *host;

    world.chip.frame_ns = 250000;
    host = host_online(&host_queued, world);
    send(host, 100);
    CHECK_EQ(host->status & 0x20u, 0);
    host->sequence++;
    send(host, 100);
    host->sequence = (uint8_t)(host->sequence - 2);
    CHECK_EQ(host_counters(host).not_ready_writes, 1);
    CHECK_EQ(host->status & 4u, 4);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "f2-not-ready");
    host_wait(host, 250000);
    CHECK_EQ(host_live_status(host) & 0x20u, 0x20);
    CHECK(host_receive(host));
    CHECK_EQ(host->frame_bytes, 12);
    CHECK_EQ(host_left(host), 1);
    send(host, 100);
    host_wait(host, 20 * MS);
    CHECK_EQ(host->wire_frames, 2);
    CHECK_EQ(host_counters(host).over_credit, 0);
    CHECK_EQ(host_counters(host).sequence_gaps, 0);
    host_free(host);
}

TEST(f2_takes_nothing_before_it_is_ready) {
    struct host *host = host_new(&host_queued, host_world_new());

    CHECK(host_bus_up(host));
    send(host, 100);
    CHECK_EQ(host_counters(host).not_ready_writes, 1);
    CHECK_EQ(host->status & 0x20u, 0);
    host_free(host);
}

// ---- to the host

TEST(a_frame_from_the_air) {
    struct host *host = online();
    uint8_t expected[1514];

    CHECK(!host->pins.irq(host->pins.context));
    CHECK(!host->irq_level);
    fill(expected, station, sizeof(expected));
    send_down(host, station, 1514);
    host_wait(host, 20 * MS);
    CHECK(host->pins.irq(host->pins.context));
    CHECK(host->irq_level);
    CHECK_EQ(host_read(host, 0, 0x04, 2), 0x20);
    CHECK_EQ(host_live_status(host), 0x20u | 0x100u | 1536u << 9);
    host_write(host, 0, 0x04, 0x20, 2);
    CHECK_EQ(host_read(host, 0, 0x04, 2), 0x20);
    CHECK(host_receive(host));
    CHECK_EQ(host->frame[5], 2);
    CHECK_EQ(host->frame[7], 14);
    CHECK_EQ(host->frame[14], 0x20);
    CHECK_EQ(host->frame[17], 1);
    CHECK_BYTES(host->frame + 22, expected, 1514);
    CHECK_EQ(host->status, 0x20);
    CHECK(!host->pins.irq(host->pins.context));
    CHECK(!host->irq_level);
    CHECK_EQ(host_counters(host).data_out, 1);
    CHECK_EQ(host_counters(host).deviations, 0);
    host_free(host);
}

TEST(an_interrupt_that_is_not_enabled_is_silent) {
    struct host *host = online();

    host_write(host, 0, 0x06, 0, 2);
    send_down(host, station, 60);
    host_wait(host, 20 * MS);
    CHECK(!host->irq_level);
    host_write(host, 0, 0x06, 0x20, 2);
    CHECK(host->irq_level);
    host_free(host);
}

TEST(the_line_follows_its_polarity) {
    struct host *host = online();

    host_write(host, 0, 0x00, host->style.control & ~0x20u, 4);
    CHECK(host->irq_level);
    send_down(host, station, 60);
    host_wait(host, 20 * MS);
    CHECK(!host->irq_level);
    host_free(host);
}

TEST(a_full_fifo_drops_its_tail) {
    struct host *host = online();

    for (uint8_t i = 0; i < 20; i++) {
        send_down(host, station, 60u + i);
    }
    host_wait(host, 100 * MS);
    CHECK_EQ(host_counters(host).dropped_rx_fifo, 4);
    for (uint32_t i = 0; i < 16; i++) {
        CHECK(host_receive(host));
        CHECK_EQ(host->frame_bytes, 22 + 60 + i);
    }
    CHECK(!host_receive(host));
    host_free(host);
}

TEST(a_full_fifo_still_takes_replies) {
    struct host *host = online();
    uint8_t buffer[8] = {0};

    for (uint32_t i = 0; i < 20; i++) {
        send_down(host, station, 60);
    }
    host_wait(host, 100 * MS);
    CHECK_EQ(host_ioctl(host, 127, false, buffer, 4), 0);
    host_free(host);
}

TEST(a_frame_can_be_read_in_parts_or_aborted) {
    struct host *host = online();
    uint8_t part[64];

    for (uint32_t i = 0; i < 3; i++) {
        send_down(host, station, 100 + i);
    }
    host_wait(host, 20 * MS);
    host_block_read(host, 2, 0, part, 12);
    CHECK_EQ(part[0], 122);
    CHECK_EQ(host->status >> 9 & 0x7FFu, 110);
    CHECK_EQ(host_read(host, 1, 0x1001B, 2), 110);
    host_block_read(host, 2, 0, part, 64);
    CHECK_EQ(part[10], 0x02);  // Ethernet at 22
    host_write(host, 1, 0x1000D, 1, 1);
    CHECK_EQ(host_read(host, 1, 0x1001B, 2), 0);
    CHECK_EQ(host->status >> 9 & 0x7FFu, 123);
    host->chip_sequence++;
    CHECK(host_receive(host));
    CHECK_EQ(host->frame_bytes, 123);
    host_write(host, 1, 0x1000D, 1, 1);
    CHECK(!host_receive(host));
    CHECK_EQ(host_counters(host).dropped_unread, 2);
    host_free(host);
}

TEST(reading_beyond_the_frame_underflows) {
    struct host *host = online();
    uint8_t frame[200];

    send_down(host, station, 60);
    host_wait(host, 20 * MS);
    host_block_read(host, 2, 0, frame, 200);
    CHECK_EQ(frame[0], 82);
    CHECK_EQ(frame[82] | frame[199], 0);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "f2-read-over-length");
    CHECK_EQ(host->status & 2u, 2);
    host_free(host);
}

TEST(an_address_that_was_set_is_the_one_on_the_air) {
    static const uint8_t other[6] = {0x02, 1, 2, 3, 4, 5};
    struct host *host = host_new(&host_queued, host_world_new());
    uint8_t nothing[1];
    char text[128];

    host_bring_up(host);
    CHECK_EQ(host_ioctl(host, 3, true, nothing, 0), 0);
    CHECK_EQ(host_set(host, "cur_etheraddr", other, sizeof(other)), 0);
    CHECK_EQ(host_ioctl(host, 2, true, nothing, 0), 0);
    host_join(host, "net", NULL);
    host_events(host, 3000 * MS, text, sizeof(text));
    send_down(host, station, 60);
    send_down(host, other, 60);
    host_wait(host, 20 * MS);
    CHECK(host_receive(host));
    CHECK_BYTES(host->frame + 22, other, 6);
    CHECK(!host_receive(host));
    host_free(host);
}

TEST(groups_are_filtered) {
    static const uint8_t broadcast[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    static const uint8_t group[6] = {0x01, 0x00, 0x5E, 0x00, 0x00, 0x05};
    static const uint8_t list[10] = {1, 0, 0, 0, 0x01, 0x00, 0x5E, 0x00, 0x00, 0x05};
    struct host *host = online();

    send_down(host, broadcast, 60);
    host_wait(host, 200 * MS);
    CHECK(host_receive(host));
    send_down(host, group, 60);
    host_wait(host, 200 * MS);
    CHECK(!host_receive(host));
    CHECK_EQ(host_counters(host).dropped_filter, 1);
    CHECK_EQ(host_set(host, "mcast_list", list, sizeof(list)), 0);
    send_down(host, group, 60);
    host_wait(host, 200 * MS);
    CHECK(host_receive(host));
    host_free(host);
}

// ---- both ways, and the end

// Bits of the notes: TX of 1514 bytes 12 288, RX of 54 bytes 640, 32 more each with the status.
TEST(bits_of_a_frame_each_way) {
    struct host *host = online();
    uint64_t before = host_counters(host).clocked_bits;
    uint8_t frame[76];

    send(host, 1514);
    CHECK_EQ(host_counters(host).clocked_bits - before, 12288 + 32 + 1);
    send_down(host, station, 54);
    host_wait(host, 20 * MS);
    before = host_counters(host).clocked_bits;
    host_block_read(host, 2, 0, frame, 76);
    CHECK_EQ(host_counters(host).clocked_bits - before, 640 + 32 + 1);
    host_free(host);
}

TEST(losses_on_the_air_give_buffers_back) {
    struct host_world world = host_world_new();
    struct host *host;

    world.mpdu_error = UINT32_MAX;
    host = host_online(&host_queued, world);
    for (uint32_t i = 0; i < 8; i++) {
        send(host, 200);
    }
    host_wait(host, 1000 * MS);
    CHECK_EQ(host_counters(host).tx_failed, 8);
    CHECK(host_receive(host));
    CHECK_EQ(host_left(host), 8);
    host_free(host);
}

TEST(power_off_with_frames_everywhere) {
    struct host_world world = host_world_new();
    struct host *host;

    world.chip.frame_ns = 100000;
    host = host_online(&host_queued, world);
    for (uint32_t i = 0; i < 5; i++) {
        send_down(host, station, 1000);
        send(host, 1514);
        host_wait(host, 120000);
        CHECK(host_receive(host));
    }
    send_down(host, station, 1000);
    send(host, 1514);
    CHECK_EQ(host_counters(host).over_credit, 0);
    host->pins.power(host->pins.context, false);
    CHECK(!host->irq_level);
    host_bring_up(host);
    CHECK_EQ(host_left(host), 1);
    host_join(host, "net", NULL);
    host_wait(host, 3000 * MS);
    while (host_receive(host)) {
    }
    host->wire_frames = 0;
    send(host, 100);
    host_wait(host, 20 * MS);
    CHECK_EQ(host->wire_frames, 1);
    host_free(host);
}

TEST_MAIN(
    CASE(a_frame_goes_out_as_it_came),
    CASE(a_frame_in_pieces_at_any_place),
    CASE(a_padded_length_leaks_the_padding),
    CASE(a_frame_without_the_pad_grows_by_two),
    CASE(headers_that_are_none_are_dropped),
    CASE(a_frame_before_the_join_is_dropped),
    CASE(while_a_frame_is_inside_f2_takes_nothing),
    CASE(f2_takes_nothing_before_it_is_ready),
    CASE(a_frame_from_the_air),
    CASE(an_interrupt_that_is_not_enabled_is_silent),
    CASE(the_line_follows_its_polarity),
    CASE(a_full_fifo_drops_its_tail),
    CASE(a_full_fifo_still_takes_replies),
    CASE(a_frame_can_be_read_in_parts_or_aborted),
    CASE(reading_beyond_the_frame_underflows),
    CASE(an_address_that_was_set_is_the_one_on_the_air),
    CASE(groups_are_filtered),
    CASE(bits_of_a_frame_each_way),
    CASE(losses_on_the_air_give_buffers_back),
    CASE(power_off_with_frames_everywhere))
