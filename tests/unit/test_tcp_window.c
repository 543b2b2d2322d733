// SPDX-License-Identifier: MIT
// The peer's window: closed, lost updates, small, silly, shrinking (scenario 21).
#include "net_host.h"

#define S 1460U

static struct host h_;

static uint32_t drain(struct host *h) {
    uint32_t count = 0;

    while (pull(h)) {
        count++;
    }
    return count;
}

// Open, with two segments sent and acknowledged, the window closed, and more to send.
static struct host *closed_window(void) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 2 * S);
    CHECK_EQ(drain(h), 2);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S, .win = NONE);
    (void)fill(h, 4 * S);
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_peer_window);
    CHECK_EQ(h->tcp.counters.zero_windows, 1);
    return h;
}

TEST(a_closed_window_is_probed_with_one_byte_and_growing_gaps) {
    struct host *h = closed_window();
    uint64_t due_us = h->now_us;
    uint64_t gap_us = cor_tcp_rto_us(&h->tcp);

    for (uint32_t i = 0; i < 12; i++) {
        due_us += gap_us;
        at(h, due_us - 1);
        expect_nothing(h);
        at(h, due_us);
        EXPECT(h, .flags = ACK, .seq = 1 + 2 * S, .ack = 1, .len = 1);
        expect_nothing(h);
        CHECK_EQ(h->blocked, COR_METER_STATE_peer_window);
        SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S, .win = NONE);
        expect_nothing(h);
        gap_us = gap_us * 2 < 60 * SECOND ? gap_us * 2 : 60 * SECOND;
    }
    CHECK_EQ(h->tcp.counters.zero_window_probes, 12);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
}

// RFC 9293 MUST-37: as long as probes are answered.
TEST(a_window_closed_for_an_hour_does_not_end_the_connection) {
    struct host *h = closed_window();

    for (uint32_t i = 0; i < 60; i++) {
        after(h, 60 * SECOND);
        while (pull(h)) {
            if (get16(h->frame + 12) == 0x0806) {
                answer_arp(h);
            } else {
                SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S, .win = NONE);
            }
        }
    }
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S);
    EXPECT(h, .flags = ACK, .seq = 1 + 2 * S, .ack = 1, .len = S);
}

TEST(probes_nobody_answers_end_the_connection) {
    struct host *h = closed_window();

    for (uint32_t i = 0; i < 300 && cor_tcp_state(&h->tcp) != COR_TCP_CLOSED; i++) {
        after(h, SECOND);
        (void)drain(h);
    }
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_TIMEOUT);
}

TEST(scenario_21_a_lost_window_update_is_found_by_the_probe) {
    struct host *h = closed_window();

    after(h, cor_tcp_rto_us(&h->tcp));
    EXPECT(h, .flags = ACK, .seq = 1 + 2 * S, .ack = 1, .len = 1);
    // The update was lost; the window is open, so the peer takes the byte.
    SEND(h, .flags = ACK, .seq = 1, .ack = 2 + 2 * S, .win = 20000);
    EXPECT(h, .flags = ACK, .seq = 1 + 2 * S, .ack = 1, .len = S);
    EXPECT(h, .flags = ACK, .seq = 1 + 3 * S, .ack = 1, .len = S);
    EXPECT(h, .flags = ACK, .seq = 1 + 4 * S, .ack = 1, .len = S);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 5 * S, .ack = 1, .len = S);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 6 * S);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 0);
    CHECK_EQ(h->tcp.counters.bytes_acked, 6 * S);
}

TEST(a_probe_byte_that_is_taken_moves_the_next_probe) {
    struct host *h = closed_window();

    after(h, cor_tcp_rto_us(&h->tcp));
    EXPECT(h, .flags = ACK, .seq = 1 + 2 * S, .ack = 1, .len = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2 + 2 * S, .win = NONE);
    expect_nothing(h);
    after(h, 2 * cor_tcp_rto_us(&h->tcp));
    EXPECT(h, .flags = ACK, .seq = 2 + 2 * S, .ack = 1, .len = 1);
}

TEST(an_old_ack_after_a_probe_byte_was_taken_takes_nothing_back) {
    struct host *h = closed_window();

    after(h, cor_tcp_rto_us(&h->tcp));
    EXPECT(h, .flags = ACK, .seq = 1 + 2 * S, .ack = 1, .len = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2 + 2 * S, .win = NONE);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S, .win = NONE);
    CHECK_EQ(h->tcp.counters.bytes_acked, 2 * S + 1);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 4 * S - 1);
}

TEST(a_probe_that_carries_all_there_is_needs_no_segment) {
    struct host *h = &h_;

    start(h);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .win = NONE);
    (void)fill(h, 1);
    expect_nothing(h);
    after(h, cor_tcp_rto_us(&h->tcp));
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2, .win = NONE);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 0);
    CHECK_EQ(h->tcp.used_bytes, 0);
    after(h, 300 * MS);
    expect_nothing(h);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2);
    (void)fill(h, 5);
    EXPECT(h, .flags = ACK | PSH, .seq = 2, .ack = 1, .len = 5);
    SEND(h, .flags = ACK, .seq = 1, .ack = 7);
    CHECK_EQ(h->tcp.counters.bytes_acked, 6);
}

TEST(a_window_update_resumes_at_once) {
    struct host *h = closed_window();

    after(h, 50 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S);
    EXPECT(h, .flags = ACK, .seq = 1 + 2 * S, .ack = 1, .len = S);
}

// RFC 9293 3.8.6.2.1: not for less than half of the largest window, until the override fires.
TEST(scenario_21_a_window_reopened_by_less_than_a_segment_waits_for_the_override) {
    struct host *h = closed_window();

    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S, .win = 701);
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_peer_window);
    after(h, cor_tcp_rto_us(&h->tcp));
    // A multiple of 4, so that the rest is aligned.
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 2 * S, .ack = 1, .len = 700);
    CHECK_EQ(h->tcp.counters.splits, 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 701 + 2 * S);
    EXPECT(h, .flags = ACK, .seq = 701 + 2 * S, .ack = 1, .len = S - 700);
    EXPECT(h, .flags = ACK, .seq = 1 + 3 * S, .ack = 1, .len = S);
}

TEST(a_peer_with_a_small_window_gets_parts_of_segments) {
    struct host *h = &h_;
    uint32_t seq = 1;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.win = 1000));
    (void)fill(h, 5 * S);
    for (uint32_t i = 0; i < 12 && seq < 1 + 5 * S; i++) {
        while (pull(h)) {
            uint32_t len = h->frame_bytes - 54;

            CHECK_EQ(get32(h->frame + 38) - h->iss, seq);
            CHECK(len <= 1000);
            for (uint32_t k = 0; k < len; k++) {
                CHECK_EQ(h->frame[54 + k], pattern(seq + k));
            }
            seq += len;
        }
        SEND(h, .flags = ACK, .seq = 1, .ack = seq, .win = 1000);
    }
    CHECK_EQ(seq, 1 + 5 * S);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 0);
    CHECK_EQ(h->tcp.used_bytes, 0);
}

// A peer that opens its window by one byte at a time gets no one-byte segments.
TEST(a_silly_window_is_not_filled) {
    struct host *h = closed_window();

    for (uint32_t win = 1; win < 1000; win += 7) {
        SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S, .win = win);
        expect_nothing(h);
    }
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S, .win = S);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 2 * S, .ack = 1, .len = S);
}

// RFC 9293 MUST-34, 35.
TEST(a_window_that_shrinks_below_what_is_in_flight_is_probed_by_retransmission) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 8 * S);
    CHECK_EQ(drain(h), 8);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .win = NONE);
    expect_nothing(h);
    after(h, cor_tcp_rto_us(&h->tcp));
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + S, .ack = 1, .len = S);
    expect_nothing(h);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .win = NONE);
    after(h, 2 * SECOND);
    CHECK_EQ(drain(h) > 0, true);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 8 * S);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 0);
}

TEST(an_old_segment_does_not_change_the_window) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 2 * S);
    CHECK_EQ(drain(h), 2);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S, .win = 30000);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .win = 100);
    CHECK_EQ(cor_tcp_peer_window_bytes(&h->tcp), 30000);
}

TEST(a_peer_with_scaled_windows_may_have_more_than_64_kib_in_flight) {
    struct host *h = &h_;
    static uint32_t ring[131072 / 4];
    static struct cor_tcp_segment segments[128];

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.ring = (uint8_t *)ring;
    config.ring_bytes = sizeof(ring);
    config.segments = segments;
    config.segment_count = 128;
    start_open(h, &config, SYN_ACK(.shift = 1 + 2));
    h->tcp.congestion.window_bytes = 1 << 20;
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .win = 30000);
    (void)fill(h, 131072);
    CHECK_EQ(drain(h), 82);
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 82 * S);
    CHECK_EQ(h->blocked, COR_METER_STATE_peer_window);
}

TEST_MAIN(
    CASE(a_closed_window_is_probed_with_one_byte_and_growing_gaps),
    CASE(a_window_closed_for_an_hour_does_not_end_the_connection),
    CASE(probes_nobody_answers_end_the_connection),
    CASE(scenario_21_a_lost_window_update_is_found_by_the_probe),
    CASE(a_probe_byte_that_is_taken_moves_the_next_probe),
    CASE(an_old_ack_after_a_probe_byte_was_taken_takes_nothing_back),
    CASE(a_probe_that_carries_all_there_is_needs_no_segment),
    CASE(a_window_update_resumes_at_once),
    CASE(scenario_21_a_window_reopened_by_less_than_a_segment_waits_for_the_override),
    CASE(a_peer_with_a_small_window_gets_parts_of_segments),
    CASE(a_silly_window_is_not_filled),
    CASE(a_window_that_shrinks_below_what_is_in_flight_is_probed_by_retransmission),
    CASE(an_old_segment_does_not_change_the_window),
    CASE(a_peer_with_scaled_windows_may_have_more_than_64_kib_in_flight))
