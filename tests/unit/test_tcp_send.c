// SPDX-License-Identifier: MIT
// Sending: ring, descriptors, Nagle, PSH, growth of the congestion window.
#include "net_host.h"

static struct host h_;

// As start(), with a configuration of the test's own.
static struct host *started(bool nagle, uint32_t ring_bytes, uint16_t segment_count) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.nagle_off = !nagle;
    config.ring_bytes = ring_bytes;
    config.segment_count = segment_count;
    start_open(h, &config, SYN_ACK());
    return h;
}

static uint32_t drain(struct host *h) {
    uint32_t count = 0;

    while (pull(h)) {
        count++;
    }
    return count;
}

static uint32_t committed(struct host *h) {
    return h->tcp.snd_end - h->iss;
}

// Commits size bytes in place, as a DMA would put them there.
static void lend_and_fill(struct host *h, uint32_t lend, uint32_t size) {
    uint8_t *room;
    int32_t got = cor_tcp_send_buf(&h->tcp, &room);

    CHECK(got >= (int32_t)lend);
    for (uint32_t i = 0; i < size; i++) {
        room[i] = pattern(committed(h) + i);
    }
    cor_tcp_send_ack(&h->tcp, size, h->now_us);
}

TEST(full_segments_go_and_push_marks_the_last) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 4000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1460);
    EXPECT(h, .flags = ACK, .seq = 1461, .ack = 1, .len = 1460);
    EXPECT(h, .flags = ACK | PSH, .seq = 2921, .ack = 1, .len = 1080);
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_source);
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 4000);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 4000);
    SEND(h, .flags = ACK, .seq = 1, .ack = 4001);
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 0);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 0);
    CHECK_EQ(h->tcp.counters.bytes_acked, 4000);
    CHECK_EQ(h->tcp.used_bytes, 0);
    CHECK_EQ(h->tcp.counters.summed_bytes, 4000);
    CHECK_EQ(h->tcp.counters.copied_bytes, 4000);
}

// air-and-measurement 3.3: PSH before a stall for lack of window, so that the answer comes at once.
TEST(push_marks_the_last_segment_before_the_congestion_window_is_used_up) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 20 * 1460);
    for (uint32_t i = 0; i < 10; i++) {
        EXPECT(h, .flags = i == 9 ? ACK | PSH : ACK, .seq = 1 + i * 1460, .ack = 1, .len = 1460);
    }
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_congestion);
}

TEST(push_marks_the_last_segment_before_the_peers_window_is_used_up) {
    struct host *h = &h_;

    start(h);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .win = 3000);
    (void)fill(h, 5 * 1460);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1460);
    EXPECT(h, .flags = ACK | PSH, .seq = 1461, .ack = 1, .len = 1460);
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_peer_window);
}

TEST(the_first_window_is_10_segments_and_doubles_each_round_trip) {
    struct host *h = &h_;
    uint32_t acked = 1;

    start(h);
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), 14600);
    for (uint32_t round = 0; round < 2; round++) {
        (void)fill(h, 40 * 1460);
        uint32_t count = drain(h);

        CHECK_EQ(count, 10U << round);
        for (uint32_t i = 0; i < count; i += 2) {
            acked += 2 * 1460;
            SEND(h, .flags = ACK, .seq = 1, .ack = acked);
        }
    }
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), 40 * 1460);
}

// RFC 3465: one ACK opens the window by two segments at most.
TEST(one_ack_for_many_segments_counts_for_two) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 10 * 1460);
    CHECK_EQ(drain(h), 10);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 10 * 1460);
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), 12 * 1460);
}

TEST(congestion_avoidance_adds_a_segment_for_a_window_acknowledged) {
    struct host *h = &h_;
    uint32_t acked = 1;

    start(h);
    h->tcp.congestion.threshold_bytes = 10 * 1460;
    for (uint32_t round = 0; round < 3; round++) {
        (void)fill(h, 30 * 1460);
        uint32_t count = drain(h);

        CHECK_EQ(count, 10 + round);
        for (uint32_t i = 0; i < count; i++) {
            acked += 1460;
            SEND(h, .flags = ACK, .seq = 1, .ack = acked);
        }
        CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), (11 + round) * 1460);
    }
}

// RFC 7661: what the application or the radio holds back is no reason to grow.
TEST(an_unused_window_does_not_grow) {
    struct host *h = &h_;
    uint32_t acked = 1;

    start(h);
    for (uint32_t i = 0; i < 50; i++) {
        (void)fill(h, 1460);
        CHECK_EQ(drain(h), 1);
        acked += 1460;
        SEND(h, .flags = ACK, .seq = 1, .ack = acked);
    }
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), 10 * 1460);
}

TEST(after_an_idle_time_the_window_is_the_first_one_again) {
    struct host *h = &h_;
    uint32_t acked = 1;

    start(h);
    for (uint32_t round = 0; round < 3; round++) {
        (void)fill(h, 40 * 1460);
        for (uint32_t count = drain(h); count > 0; count--) {
            acked += 1460;
            SEND(h, .flags = ACK, .seq = 1, .ack = acked);
        }
    }
    while (drain(h) != 0) {
        SEND(h, .flags = ACK, .seq = 1, .ack = h->tcp.snd_nxt - h->iss);
    }
    CHECK(cor_tcp_cwnd_bytes(&h->tcp) >= 40 * 1460);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 0);
    CHECK_EQ(h->tcp.counters.idle_restarts, 0);
    after(h, 5 * SECOND);
    (void)fill(h, 40 * 1460);
    CHECK_EQ(drain(h), 10);
    CHECK_EQ(h->tcp.counters.idle_restarts, 1);
}

TEST(nagle_holds_a_short_segment_while_others_are_in_flight) {
    struct host *h = started(true, HOST_RING_BYTES, HOST_SEGMENTS);

    (void)fill(h, 100);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    (void)fill(h, 100);
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_source);
    (void)fill(h, 1400);
    // A full segment goes, and its rest waits again.
    EXPECT(h, .flags = ACK | PSH, .seq = 101, .ack = 1, .len = 1460);
    expect_nothing(h);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1561);
    EXPECT(h, .flags = ACK | PSH, .seq = 1561, .ack = 1, .len = 40);
}

TEST(small_writes_are_sent_as_they_come_without_nagle) {
    struct host *h = &h_;

    start(h);
    for (uint32_t i = 0; i < 20; i++) {
        (void)fill(h, i + 1);
        EXPECT(h, .flags = ACK | PSH, .seq = 1 + i * (i + 1) / 2, .ack = 1, .len = i + 1);
    }
    SEND(h, .flags = ACK, .seq = 1, .ack = 211);
    CHECK_EQ(h->tcp.used_bytes, 0);
}

TEST(writes_of_any_size_join_into_full_segments) {
    struct host *h = started(true, HOST_RING_BYTES, HOST_SEGMENTS);
    uint32_t seq = 1;

    for (uint32_t size = 1; size < 200; size += 3) {
        CHECK_EQ(fill(h, size), size);
    }
    while (committed(h) - seq >= 1460) {
        // Behind the last full one Nagle holds the rest.
        bool last = committed(h) - seq < 2 * 1460;

        EXPECT(h, .flags = last ? ACK | PSH : ACK, .seq = seq, .ack = 1, .len = 1460);
        seq += 1460;
    }
    expect_nothing(h);
    CHECK(seq > 5000);
}

TEST(a_ragged_end_waits_while_room_is_lent) {
    struct host *h = &h_;
    uint8_t *room;

    start(h);
    lend_and_fill(h, 1000, 10);
    CHECK(cor_tcp_send_buf(&h->tcp, &room) > 0);
    // 8 of 10 bytes go; two stay with the room.
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 8);
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_source);
    for (uint32_t i = 0; i < 3; i++) {
        room[i] = pattern(11 + i);
    }
    cor_tcp_send_ack(&h->tcp, 3, h->now_us);
    EXPECT(h, .flags = ACK | PSH, .seq = 9, .ack = 1, .len = 5);
    SEND(h, .flags = ACK, .seq = 1, .ack = 14);
    CHECK_EQ(h->tcp.used_bytes, 0);
}

TEST(room_given_back_unused_frees_the_ragged_end) {
    struct host *h = &h_;
    uint8_t *room;

    start(h);
    lend_and_fill(h, 1000, 3);
    CHECK(cor_tcp_send_buf(&h->tcp, &room) > 0);
    expect_nothing(h);
    cor_tcp_send_ack(&h->tcp, 0, h->now_us);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 3);
}

TEST(closing_frees_the_ragged_end) {
    struct host *h = &h_;
    uint8_t *room;

    start(h);
    lend_and_fill(h, 1000, 3);
    CHECK(cor_tcp_send_buf(&h->tcp, &room) > 0);
    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK | PSH | FIN, .seq = 1, .ack = 1, .len = 3);
}

TEST(a_full_ring_takes_part_of_a_write_and_says_no_buffer) {
    struct host *h = started(false, 4 * 1460, HOST_SEGMENTS);
    uint8_t *room;

    CHECK_EQ(fill(h, 10000), 4 * 1460);
    CHECK_EQ(fill(h, 1), 0);
    CHECK_EQ(cor_tcp_send_buf(&h->tcp, &room), 0);
    CHECK_EQ(drain(h), 4);
    CHECK_EQ(h->blocked, COR_METER_STATE_no_buffer);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1461);
    CHECK_EQ(fill(h, 10000), 1460);
}

TEST(without_descriptors_the_ring_is_full) {
    struct host *h = started(false, HOST_RING_BYTES, 4);

    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQ(fill(h, 1), 1);
        CHECK_EQ(drain(h), 1);
    }
    CHECK_EQ(fill(h, 1), 0);
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_no_buffer);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2);
    CHECK_EQ(fill(h, 1), 1);
}

TEST(segments_wrap_round_the_ring_in_two_pieces) {
    struct host *h = started(false, 4000, HOST_SEGMENTS);
    uint32_t seq = 1;

    for (uint32_t i = 0; i < 40; i++) {
        CHECK_EQ(fill(h, 1300), 1300);
        EXPECT(h, .flags = ACK | PSH, .seq = seq, .ack = 1, .len = 1300);
        seq += 1300;
        SEND(h, .flags = ACK, .seq = 1, .ack = seq);
    }
    CHECK_EQ(h->tcp.used_bytes, 0);
}

TEST(nothing_is_freed_while_a_frame_stands_in_the_queue_of_the_bus) {
    struct host *h = started(false, 4 * 1460, HOST_SEGMENTS);

    h->hold = true;
    CHECK_EQ(fill(h, 10000), 4 * 1460);
    CHECK_EQ(drain(h), 4);
    SEND(h, .flags = ACK, .seq = 1, .ack = committed(h));
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 0);
    CHECK_EQ(fill(h, 1), 0);
    sent_all(h);
    CHECK_EQ(h->tcp.used_bytes, 0);
    CHECK_EQ(fill(h, 10000), 4 * 1460);
}

TEST(an_ack_inside_a_segment_is_progress_and_frees_nothing_yet) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 1460);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 1460);
    SEND(h, .flags = ACK, .seq = 1, .ack = 701);
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 760);
    CHECK_EQ(h->tcp.used_bytes, 1460);
    // Sent again whole; the peer cuts what it has.
    after(h, 250 * MS);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 1460);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1461);
    CHECK_EQ(h->tcp.used_bytes, 0);
    CHECK_EQ(h->tcp.counters.bytes_acked, 1460);
}

TEST(the_short_path_takes_plain_acks_only) {
    struct host *h = &h_;
    uint32_t fast;

    start(h);
    (void)fill(h, 10 * 1460);
    CHECK_EQ(drain(h), 10);
    fast = (uint32_t)h->tcp.counters.acks_fast;
    SEND(h, .flags = ACK, .seq = 1, .ack = 1461);
    SEND(h, .flags = ACK | PSH, .seq = 1, .ack = 2921);
    CHECK_EQ(h->tcp.counters.acks_fast, fast + 2);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2921);
    SEND(h, .flags = ACK, .seq = 1, .ack = 4381, .len = 1);
    CHECK_EQ(h->tcp.counters.acks_fast, fast + 2);
    CHECK_EQ(h->tcp.counters.bytes_acked, 3 * 1460);
}

TEST(a_damaged_ack_takes_no_path) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 1460);
    CHECK_EQ(drain(h), 1);
    for (uint32_t i = 14; i < 54; i++) {
        struct seg seg = {.flags = ACK, .seq = 1, .ack = 1461};
        uint32_t size;
        uint8_t *frame = build_segment(h, &seg, &size);

        frame[i] ^= 0x20;
        (void)give(h, frame, size);
        CHECK_EQ(h->tcp.counters.bytes_acked, 0);
    }
    CHECK_EQ(h->tcp.counters.acks_fast, 0);
}

TEST_MAIN(
    CASE(full_segments_go_and_push_marks_the_last),
    CASE(push_marks_the_last_segment_before_the_congestion_window_is_used_up),
    CASE(push_marks_the_last_segment_before_the_peers_window_is_used_up),
    CASE(the_first_window_is_10_segments_and_doubles_each_round_trip),
    CASE(one_ack_for_many_segments_counts_for_two),
    CASE(congestion_avoidance_adds_a_segment_for_a_window_acknowledged),
    CASE(an_unused_window_does_not_grow),
    CASE(after_an_idle_time_the_window_is_the_first_one_again),
    CASE(nagle_holds_a_short_segment_while_others_are_in_flight),
    CASE(small_writes_are_sent_as_they_come_without_nagle),
    CASE(writes_of_any_size_join_into_full_segments),
    CASE(a_ragged_end_waits_while_room_is_lent),
    CASE(room_given_back_unused_frees_the_ragged_end),
    CASE(closing_frees_the_ragged_end),
    CASE(a_full_ring_takes_part_of_a_write_and_says_no_buffer),
    CASE(without_descriptors_the_ring_is_full),
    CASE(segments_wrap_round_the_ring_in_two_pieces),
    CASE(nothing_is_freed_while_a_frame_stands_in_the_queue_of_the_bus),
    CASE(an_ack_inside_a_segment_is_progress_and_frees_nothing_yet),
    CASE(the_short_path_takes_plain_acks_only),
    CASE(a_damaged_ack_takes_no_path))
