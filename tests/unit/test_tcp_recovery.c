// SPDX-License-Identifier: MIT
// Loss: duplicates, partial acknowledgements, SACK, time-outs.
#include "net_host.h"

#define S 1460U  // a full segment

static struct host h_;

static uint32_t drain(struct host *h) {
    uint32_t count = 0;

    while (pull(h)) {
        count++;
    }
    return count;
}

// Open, with `count` full segments in flight and more to send.
static struct host *flying(uint32_t count, bool sack) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.sack_ok = sack));
    h->tcp.congestion.window_bytes = count * S;
    (void)fill(h, 40 * S);
    CHECK_EQ(drain(h), count);
    return h;
}

static void duplicate(struct host *h, uint32_t ack) {
    SEND(h, .flags = ACK, .seq = 1, .ack = ack);
}

TEST(the_third_duplicate_sends_again_and_halves_the_window) {
    struct host *h = flying(10, false);

    duplicate(h, 1);
    // Limited transmit (RFC 3042): a new segment for each of the first two.
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 10 * S, .ack = 1, .len = S);
    expect_nothing(h);
    duplicate(h, 1);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 11 * S, .ack = 1, .len = S);
    expect_nothing(h);
    CHECK_EQ(h->tcp.counters.limited_transmits, 2);
    duplicate(h, 1);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = S);
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_congestion);
    // Half of the flight without limited transmit (RFC 5681 3.2).
    CHECK_EQ(cor_tcp_ssthresh_bytes(&h->tcp), 5 * S);
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), 5 * S);
    CHECK_EQ(h->tcp.counters.retransmit_fast, 1);
}

TEST(in_recovery_further_duplicates_let_new_data_go) {
    struct host *h = flying(10, false);

    for (uint32_t i = 0; i < 3; i++) {
        duplicate(h, 1);
        CHECK_EQ(drain(h), 1);
    }
    // 12 in flight, 5 allowed: the first seven duplicates in all only count down.
    for (uint32_t i = 3; i < 7; i++) {
        duplicate(h, 1);
        CHECK_EQ(drain(h), 0);
    }
    duplicate(h, 1);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 12 * S, .ack = 1, .len = S);
    // A full acknowledgement ends recovery at half the window.
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 12 * S);
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), 2 * S);
    CHECK_EQ(drain(h), 1);
    CHECK_EQ(h->tcp.counters.recoveries, 1);
}

TEST(a_partial_ack_sends_the_next_hole_again_at_once) {
    struct host *h = flying(10, false);

    for (uint32_t i = 0; i < 3; i++) {
        duplicate(h, 1);
        (void)drain(h);
    }
    // Segments 1 and 4 were lost.
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 3 * S);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 3 * S, .ack = 1, .len = S);
    CHECK_EQ(h->tcp.counters.retransmit_partial, 1);
    CHECK_EQ(h->tcp.counters.recoveries, 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 12 * S);
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 0);
    CHECK_EQ(h->tcp.counters.timeouts, 0);
}

TEST(duplicates_with_data_or_a_new_window_do_not_count) {
    struct host *h = flying(10, false);

    for (uint32_t i = 0; i < 3; i++) {
        SEND(h, .flags = ACK, .seq = 1, .ack = 1, .win = 60000 - i * 1000);
        SEND(h, .flags = ACK, .seq = 1 + i * 10, .ack = 1, .len = 10, .win = 60000 - i * 1000);
    }
    CHECK_EQ(h->tcp.counters.dup_acks, 0);
    CHECK_EQ(h->tcp.counters.recoveries, 0);
}

TEST(a_timeout_sends_one_segment_and_doubles) {
    struct host *h = flying(10, false);
    uint64_t from_us = h->now_us;

    // 10 ms measured at the handshake: the floor of 200 ms holds.
    CHECK_EQ(cor_tcp_rto_us(&h->tcp), 200000);
    at(h, from_us + 200 * MS - 1);
    expect_nothing(h);
    at(h, from_us + 200 * MS);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = S);
    expect_nothing(h);
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), S);
    CHECK_EQ(cor_tcp_ssthresh_bytes(&h->tcp), 5 * S);
    at(h, from_us + 600 * MS - 1);
    expect_nothing(h);
    at(h, from_us + 600 * MS);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = S);
    // The threshold is halved once for a loss (RFC 5681 3.1).
    CHECK_EQ(cor_tcp_ssthresh_bytes(&h->tcp), 5 * S);
    at(h, from_us + 1400 * MS);
    // The next hop is asked for again (RFC 9293 MUST-20).
    expect_arp_request(h, PEER_ADDRESS);
    // And perhaps the path takes no full segments (RFC 4821).
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 1240);
    CHECK_EQ(cor_tcp_rto_us(&h->tcp), 1600000);
    CHECK_EQ(h->tcp.counters.timeouts, 3);
}

// Truths from the field: RTO not reset by a new ACK.
TEST(a_new_ack_ends_the_backoff) {
    struct host *h = flying(4, false);

    after(h, 200 * MS);
    CHECK_EQ(drain(h), 1);
    after(h, 400 * MS);
    CHECK_EQ(drain(h), 1);
    CHECK_EQ(cor_tcp_rto_us(&h->tcp), 800000);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S);
    CHECK_EQ(cor_tcp_rto_us(&h->tcp), 200000);
    // In slow start the next two go, and wait for 200 ms again.
    CHECK_EQ(drain(h), 2);
    after(h, 200 * MS - 1);
    expect_nothing(h);
    after(h, 1);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + S, .ack = 1, .len = S);
}

// Truths from the field: ACK after a retransmission refused.
TEST(an_ack_beyond_what_was_sent_again_is_taken) {
    struct host *h = flying(4, false);

    after(h, 200 * MS);
    CHECK_EQ(drain(h), 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 4 * S);
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 0);
    CHECK_EQ(h->tcp.used_bytes, 36 * S);
    // And nothing that was acknowledged goes again.
    EXPECT(h, .flags = ACK, .seq = 1 + 4 * S, .ack = 1, .len = S);
    CHECK_EQ(h->tcp.counters.bytes_retransmitted, S);
}

// Karn's rule.
TEST(a_segment_sent_twice_measures_nothing) {
    struct host *h = flying(1, false);
    uint32_t srtt = cor_tcp_srtt_us(&h->tcp);

    after(h, 200 * MS);
    CHECK_EQ(drain(h), 1);
    after(h, MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S);
    CHECK_EQ(cor_tcp_srtt_us(&h->tcp), srtt);
}

TEST(the_strict_floor_of_the_timeout_is_one_second) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.rto_strict = true;
    start_open(h, &config, SYN_ACK());
    CHECK_EQ(cor_tcp_rto_us(&h->tcp), 1000000);
    (void)fill(h, 10);
    CHECK_EQ(drain(h), 1);
    after(h, SECOND - 1);
    expect_nothing(h);
    after(h, 1);
    CHECK_EQ(drain(h), 1);
}

// Scenario 23.
TEST(the_timer_fires_although_duplicates_keep_coming) {
    struct host *h = flying(10, false);
    uint64_t from_us = h->now_us;

    for (uint32_t i = 0; i < 40; i++) {
        after(h, 5 * MS);
        duplicate(h, 1);
        (void)drain(h);
    }
    // Sent again at the third duplicate after 15 ms, so due at 215 ms; what answers then comes too.
    CHECK_EQ(h->tcp.counters.timeouts, 0);
    at(h, from_us + 216 * MS);
    CHECK_EQ(h->tcp.counters.timeouts, 1);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = S);
    for (uint32_t i = 0; i < 100; i++) {
        after(h, 4 * MS);
        duplicate(h, 1);
        (void)drain(h);
    }
    CHECK_EQ(h->tcp.counters.timeouts, 2);
    CHECK_EQ(h->tcp.counters.recoveries, 1);
}

TEST(duplicates_of_what_a_timeout_sent_again_start_no_recovery) {
    struct host *h = flying(10, false);

    after(h, 200 * MS);
    CHECK_EQ(drain(h), 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 3 * S);
    for (uint32_t i = 0; i < 5; i++) {
        duplicate(h, 1 + 3 * S);
    }
    CHECK_EQ(h->tcp.counters.recoveries, 0);
}

TEST(silence_ends_the_connection_after_the_user_timeout) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.user_timeout_us = 3 * SECOND;
    start_open(h, &config, SYN_ACK());
    (void)fill(h, 10);
    for (uint32_t i = 0; i < 40 && cor_tcp_state(&h->tcp) != COR_TCP_CLOSED; i++) {
        (void)drain(h);
        after(h, 100 * MS);
    }
    // At the first time-out after 3 s: 0.2 + 0.4 + 0.8 + 1.6 s.
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_TIMEOUT);
    EXPECT(h, .flags = RST | ACK, .seq = 11, .ack = 1);
}

TEST(what_stands_in_the_queue_of_the_bus_is_not_sent_again) {
    struct host *h = flying(1, false);

    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S);
    h->hold = true;
    h->tcp.congestion.window_bytes = 4 * S;
    CHECK_EQ(drain(h), 4);
    after(h, 200 * MS);
    expect_nothing(h);
    CHECK_EQ(h->tcp.counters.timeouts, 0);
    CHECK_EQ(h->tcp.counters.retransmit_held, 1);
    for (uint32_t i = 0; i < 3; i++) {
        duplicate(h, 1 + S);
    }
    CHECK_EQ(h->tcp.counters.recoveries, 0);
    sent_all(h);
    h->hold = false;
    after(h, 200 * MS);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + S, .ack = 1, .len = S);
}

TEST(a_hole_is_found_from_sack_blocks) {
    struct host *h = flying(10, true);

    // Segment 1 arrived; 2 and 4 are lost.
    after(h, 10 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .sacks = {1 + 2 * S, 1 + 3 * S});
    SEND(
        h,
        .flags = ACK,
        .seq = 1,
        .ack = 1 + S,
        .sacks = {1 + 4 * S, 1 + 5 * S, 1 + 2 * S, 1 + 3 * S});
    CHECK_EQ(h->tcp.counters.recoveries, 0);
    SEND(
        h,
        .flags = ACK,
        .seq = 1,
        .ack = 1 + S,
        .sacks = {1 + 4 * S, 1 + 6 * S, 1 + 2 * S, 1 + 3 * S});
    CHECK_EQ(h->tcp.counters.recoveries, 1);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + S, .ack = 1, .len = S);
    // Three above segment 4 as well: it follows as soon as the window has room.
    SEND(
        h,
        .flags = ACK,
        .seq = 1,
        .ack = 1 + S,
        .sacks = {1 + 4 * S, 1 + 9 * S, 1 + 2 * S, 1 + 3 * S});
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 3 * S, .ack = 1, .len = S);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 9 * S);
    CHECK_EQ(h->tcp.counters.bytes_retransmitted, 2 * S);
    CHECK_EQ(h->tcp.counters.retransmit_sack, 2);
    CHECK_EQ(h->tcp.counters.timeouts, 0);
}

TEST(blocks_that_say_nothing_of_ours_are_ignored) {
    struct host *h = flying(10, true);
    uint32_t far = 1 + 100 * S;

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .sacks = {1 + 5 * S, far});
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .sacks = {1 + 5 * S, 1 + 2 * S});
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .sacks = {1, 1 + S});
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .sacks = {far, far + S});
    // Half a segment is none.
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .sacks = {1 + 2 * S, 1 + 2 * S + 700});
    CHECK_EQ(h->tcp.counters.sack_blocks, 0);
    CHECK_EQ(h->tcp.doubt.sacked_count, 0);
}

TEST(sack_blocks_without_permission_are_ignored) {
    struct host *h = flying(10, false);

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .sacks = {1 + S, 1 + 9 * S});
    CHECK_EQ(h->tcp.doubt.sacked_count, 0);
    CHECK_EQ(h->tcp.doubt.lost_count, 0);
}

// RFC 2018 8: the receiver may drop what it had selectively acknowledged.
TEST(a_receiver_that_reneges_gets_everything_again) {
    struct host *h = flying(4, true);

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .sacks = {1 + S, 1 + 4 * S});
    CHECK_EQ(drain(h) != 0, true);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S);
    CHECK_EQ(h->tcp.doubt.sacked_count, 3);
    uint32_t acked = 1 + S;
    for (uint32_t i = 0; i < 40 && acked < 1 + 5 * S; i++) {
        after(h, 100 * MS);
        while (pull(h)) {
            uint32_t seq = get32(h->frame + 38) - h->iss;

            acked = seq == acked ? seq + S : acked;
        }
        SEND(h, .flags = ACK, .seq = 1, .ack = acked);
    }
    CHECK(acked >= 1 + 5 * S);
}

TEST(what_sack_names_is_not_sent_again_after_a_timeout) {
    struct host *h = flying(6, true);

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .sacks = {1 + 4 * S, 1 + 6 * S});
    (void)drain(h);
    after(h, 300 * MS);
    CHECK_EQ(h->tcp.counters.timeouts, 1);
    CHECK_EQ(h->tcp.doubt.sacked_count, 2);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = S);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .sacks = {1 + 4 * S, 1 + 6 * S});
    EXPECT(h, .flags = ACK, .seq = 1 + S, .ack = 1, .len = S);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 2 * S, .ack = 1, .len = S);
}

TEST_MAIN(
    CASE(the_third_duplicate_sends_again_and_halves_the_window),
    CASE(in_recovery_further_duplicates_let_new_data_go),
    CASE(a_partial_ack_sends_the_next_hole_again_at_once),
    CASE(duplicates_with_data_or_a_new_window_do_not_count),
    CASE(a_timeout_sends_one_segment_and_doubles),
    CASE(a_new_ack_ends_the_backoff),
    CASE(an_ack_beyond_what_was_sent_again_is_taken),
    CASE(a_segment_sent_twice_measures_nothing),
    CASE(the_strict_floor_of_the_timeout_is_one_second),
    CASE(the_timer_fires_although_duplicates_keep_coming),
    CASE(duplicates_of_what_a_timeout_sent_again_start_no_recovery),
    CASE(silence_ends_the_connection_after_the_user_timeout),
    CASE(what_stands_in_the_queue_of_the_bus_is_not_sent_again),
    CASE(a_hole_is_found_from_sack_blocks),
    CASE(blocks_that_say_nothing_of_ours_are_ignored),
    CASE(sack_blocks_without_permission_are_ignored),
    CASE(a_receiver_that_reneges_gets_everything_again),
    CASE(what_sack_names_is_not_sent_again_after_a_timeout))
