// SPDX-License-Identifier: MIT
// Losses by the time of sending (RFC 8985 6), and what a DSACK tells.
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

// Open with SACK, at start_us of the clock, a round trip of 10 ms, `count` full segments in flight
// and nothing behind them.
static struct host *flying_at(uint64_t start_us, uint32_t count) {
    struct host *h = &h_;

    start_net(h);
    h->now_us = start_us;
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.sack_ok = true));
    h->tcp.congestion.window_bytes = 20 * S;
    CHECK_EQ(fill(h, count * S), count * S);
    CHECK_EQ(drain(h), count);
    return h;
}

static struct host *flying(uint32_t count) {
    return flying_at(1000 * SECOND, count);
}

#define SACK_OF(first, last) 1 + (first)*S, 1 + ((last) + 1) * S

static void sack(struct host *h, uint32_t ack, uint32_t first, uint32_t last) {
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + ack * S, .sacks = {SACK_OF(first, last)});
}

static void dsack(struct host *h, uint32_t ack, uint32_t segment) {
    sack(h, ack, segment, segment);
}

static void expect_again(struct host *h, uint32_t segment) {
    CHECK(pull(h));
    CHECK_EQ(get32(h->frame + 38) - h->iss, 1 + segment * S);
    CHECK_EQ(h->payload_bytes, S);
}

// 6.2 step 5: a quarter of the shortest round trip after the round trip of what has arrived.
TEST(one_that_arrived_later_is_enough_after_the_reordering_window) {
    struct host *h = flying(3);

    after(h, 10 * MS);
    sack(h, 0, 1, 1);
    expect_nothing(h);
    after(h, 2499);
    expect_nothing(h);
    after(h, 1);
    expect_again(h, 0);
    CHECK_EQ(h->tcp.counters.recoveries, 1);
    // The third was sent after the second, and may still come.
    expect_nothing(h);
    CHECK_EQ(h->tcp.counters.retransmit_sack, 1);
}

// 6.2 step 4: without reordering, three out of order need no time.
TEST(three_out_of_order_are_enough_at_once) {
    struct host *h = flying(5);

    after(h, 10 * MS);
    sack(h, 0, 2, 3);
    expect_nothing(h);
    sack(h, 0, 2, 4);
    expect_again(h, 0);
    sack(h, 1, 2, 4);
    expect_again(h, 1);
    CHECK_EQ(h->tcp.counters.recoveries, 1);
    CHECK_EQ(h->tcp.counters.timeouts, 0);
}

TEST(what_was_only_late_is_not_sent_again) {
    struct host *h = flying(4);

    after(h, 10 * MS);
    sack(h, 0, 1, 1);
    after(h, MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 2 * S);
    CHECK(h->tcp.rack.reordered);
    after(h, 8 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 4 * S);
    expect_nothing(h);
    CHECK_EQ(h->tcp.counters.bytes_retransmitted, 0);
    CHECK_EQ(h->tcp.counters.recoveries, 0);
}

// On a path that reorders, the number of those that overtook counts for nothing.
TEST(on_a_path_that_reorders_three_are_not_enough) {
    struct host *h = flying(8);

    h->tcp.rack.reordered = true;
    after(h, 10 * MS);
    sack(h, 0, 1, 6);
    expect_nothing(h);
    after(h, 2500);
    expect_again(h, 0);
}

// Several in one acknowledgement came in an order nobody knows.
TEST(one_acknowledgement_of_several_shows_no_reordering) {
    struct host *h = flying(8);

    after(h, 10 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .sacks = {SACK_OF(5, 5), SACK_OF(3, 3)});
    CHECK_EQ(h->tcp.doubt.sacked_count, 2);
    CHECK(!h->tcp.rack.reordered);
}

TEST(a_retransmission_that_is_lost_is_found_by_what_was_sent_after_it) {
    struct host *h = flying(6);

    after(h, 10 * MS);
    sack(h, 0, 1, 3);
    expect_again(h, 0);
    (void)fill(h, 4 * S);
    sack(h, 0, 1, 5);
    CHECK(drain(h) > 0);
    after(h, 10 * MS);
    // Something sent after the retransmission has arrived, and that has not.
    sack(h, 0, 1, 6);
    expect_again(h, 0);
    CHECK_EQ(h->tcp.counters.losses_repeated, 1);
    CHECK_EQ(h->tcp.counters.timeouts, 0);
}

// RFC 5681 4.3: the window goes down twice, for all that is lost again in one recovery.
TEST(a_retransmission_that_is_lost_halves_the_window_again) {
    struct host *h = flying(16);

    after(h, 10 * MS);
    sack(h, 0, 1, 3);
    CHECK_EQ(cor_tcp_ssthresh_bytes(&h->tcp), 8 * S);
    (void)fill(h, 4 * S);
    sack(h, 0, 1, 15);
    CHECK(drain(h) > 1);
    after(h, 10 * MS);
    sack(h, 0, 1, 16);
    CHECK_EQ(h->tcp.counters.losses_repeated, 1);
    CHECK_EQ(cor_tcp_ssthresh_bytes(&h->tcp), 4 * S);
}

// Too fast to be the answer to what was sent again: 6.2 step 2.
TEST(the_late_answer_to_the_first_sending_is_no_measure) {
    struct host *h = flying(5);

    after(h, 10 * MS);
    sack(h, 0, 1, 3);
    expect_again(h, 0);
    uint32_t sent_us = h->tcp.rack.sent_us;
    after(h, MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 4 * S);
    CHECK_EQ(h->tcp.rack.sent_us, sent_us);
    CHECK_EQ(h->tcp.rack.rtt_us, 10000);
}

// RFC 8985 6.3, and not as RFC 6298 has it: everything.
TEST(a_timeout_spares_what_was_sent_a_moment_ago) {
    struct host *h = flying(2);

    after(h, 10 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S);
    // At 210 ms a probe goes, at 410 ms the timer is over.
    after(h, 395 * MS);
    CHECK_EQ(drain(h), 1);
    (void)fill(h, S);
    CHECK_EQ(drain(h), 1);
    after(h, 5 * MS);
    CHECK_EQ(h->tcp.counters.timeouts, 1);
    expect_again(h, 1);
    CHECK_EQ(h->tcp.doubt.lost_count, 0);
    CHECK_EQ(h->tcp.counters.retransmit_rto, 1);
}

TEST(what_waits_for_the_bus_is_looked_at_again) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.sack_ok = true));
    (void)fill(h, 5 * S);
    h->hold = true;
    CHECK(pull(h));
    h->hold = false;
    CHECK_EQ(drain(h), 4);
    after(h, 10 * MS);
    sack(h, 0, 1, 4);
    expect_nothing(h);
    CHECK_EQ(h->tcp.doubt.lost_count, 0);
    sent_all(h);
    after(h, 2 * MS);
    expect_again(h, 0);
}

// 6.2 step 4: one quarter more for each round trip with a DSACK, up to the smoothed round trip.
TEST(a_dsack_widens_the_reordering_window_once_a_round_trip) {
    struct host *h = flying(8);

    after(h, 10 * MS);
    dsack(h, 4, 0);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 4 * S, .sacks = {SACK_OF(1, 1)});
    CHECK_EQ(h->tcp.counters.dsacks, 2);
    CHECK_EQ(h->tcp.rack.multiplier, 1);
    sack(h, 4, 5, 7);
    after(h, 4999);
    expect_nothing(h);
    after(h, 1);
    expect_again(h, 4);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 8 * S);
    dsack(h, 8, 2);
    CHECK_EQ(h->tcp.rack.multiplier, 2);
}

TEST(sixteen_recoveries_without_a_dsack_narrow_it_again) {
    struct host *h = flying(1);

    after(h, 10 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S);
    dsack(h, 1, 0);
    CHECK_EQ(h->tcp.rack.multiplier, 1);
    h->tcp.rack.reordered = false;
    uint32_t at = 1;
    for (uint32_t i = 0; i < 16; i++) {
        CHECK_EQ(h->tcp.rack.multiplier, 1);
        h->tcp.congestion.window_bytes = 20 * S;
        (void)fill(h, 4 * S);
        CHECK_EQ(drain(h), 4);
        after(h, 10 * MS);
        sack(h, at, at + 1, at + 3);
        expect_again(h, at);
        after(h, 10 * MS);
        at += 4;
        SEND(h, .flags = ACK, .seq = 1, .ack = 1 + at * S);
    }
    CHECK_EQ(h->tcp.counters.recoveries, 16);
    CHECK_EQ(h->tcp.rack.multiplier, 0);
}

TEST(blocks_that_are_no_dsack_change_nothing) {
    struct host *h = flying(4);

    after(h, 10 * MS);
    // Beyond what was sent, older than any window, empty.
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .sacks = {1 + 8 * S, 1 + 9 * S});
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .sacks = {1U - 70000U, 1U - 69000U});
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, .sacks = {1 + S, 1 + S});
    CHECK_EQ(h->tcp.counters.dsacks, 0);
    CHECK_EQ(h->tcp.rack.multiplier, 0);
}

// The second block holds the first: RFC 2883 4.
TEST(a_dsack_above_the_acknowledgement_is_one) {
    struct host *h = flying(6);

    after(h, 10 * MS);
    sack(h, 0, 2, 3);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .sacks = {SACK_OF(2, 2), SACK_OF(2, 3)});
    CHECK_EQ(h->tcp.counters.dsacks, 1);
    CHECK_EQ(h->tcp.doubt.sacked_count, 2);
}

TEST(a_recovery_that_was_in_vain_is_undone) {
    struct host *h = flying(10);
    uint32_t window = cor_tcp_cwnd_bytes(&h->tcp);

    after(h, 10 * MS);
    sack(h, 0, 2, 4);
    expect_again(h, 0);
    sack(h, 0, 2, 7);
    expect_again(h, 1);
    CHECK_EQ(cor_tcp_ssthresh_bytes(&h->tcp), 5 * S);
    after(h, 5 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 10 * S);
    dsack(h, 10, 0);
    CHECK_EQ(h->tcp.counters.recoveries_undone, 0);
    dsack(h, 10, 1);
    CHECK_EQ(h->tcp.counters.recoveries_undone, 1);
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), window);
    CHECK_EQ(cor_tcp_ssthresh_bytes(&h->tcp), 1U << 30);
}

TEST(undoing_in_the_middle_of_recovery_leaves_nothing_lost) {
    struct host *h = flying(10);

    after(h, 10 * MS);
    sack(h, 0, 3, 5);
    expect_again(h, 0);
    CHECK(h->tcp.doubt.lost_count > 0);
    dsack(h, 1, 0);
    CHECK_EQ(h->tcp.counters.recoveries_undone, 1);
    CHECK_EQ(h->tcp.doubt.lost_count, 0);
    CHECK_EQ(h->tcp.pipe_bytes, 6 * S);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 10 * S);
    CHECK_EQ(h->tcp.pipe_bytes, 0);
}

// The clock of segments is 32 bits of microseconds: it wraps each 71.6 minutes, and changes its
// sign half-way.
TEST(the_clock_may_wrap_and_change_its_sign_anywhere) {
    const uint64_t starts_us[] = {
        1,
        (1ULL << 31) - 10 * MS,
        (1ULL << 31) - 20 * MS,
        (1ULL << 31) + SECOND,
        (1ULL << 32) - 10 * MS,
        (1ULL << 32) - 20 * MS,
        3ULL << 31,
        (1ULL << 33) - 15 * MS,
    };

    for (uint32_t i = 0; i < sizeof(starts_us) / sizeof(starts_us[0]); i++) {
        struct host *h = flying_at(starts_us[i], 6);

        after(h, 10 * MS);
        sack(h, 0, 1, 3);
        expect_again(h, 0);
        expect_nothing(h);
        after(h, 10 * MS);
        SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 6 * S);
        CHECK_EQ(h->tcp.counters.bytes_retransmitted, S);
        // Silent for longer than the clock lasts; then as before.
        after(h, 40 * 60 * SECOND);
        h->tcp.congestion.window_bytes = 20 * S;
        (void)fill(h, 6 * S);
        CHECK(drain(h) >= 6);  // and perhaps a question for the neighbour
        after(h, 10 * MS);
        sack(h, 6, 7, 7);
        expect_nothing(h);
        sack(h, 6, 7, 9);
        expect_again(h, 6);
        expect_nothing(h);
        CHECK_EQ(h->tcp.counters.bytes_retransmitted, 2 * S);
        CHECK_EQ(h->tcp.counters.timeouts, 0);
    }
}

TEST_MAIN(
    CASE(one_that_arrived_later_is_enough_after_the_reordering_window),
    CASE(three_out_of_order_are_enough_at_once),
    CASE(what_was_only_late_is_not_sent_again),
    CASE(on_a_path_that_reorders_three_are_not_enough),
    CASE(one_acknowledgement_of_several_shows_no_reordering),
    CASE(a_retransmission_that_is_lost_is_found_by_what_was_sent_after_it),
    CASE(a_retransmission_that_is_lost_halves_the_window_again),
    CASE(the_late_answer_to_the_first_sending_is_no_measure),
    CASE(a_timeout_spares_what_was_sent_a_moment_ago),
    CASE(what_waits_for_the_bus_is_looked_at_again),
    CASE(a_dsack_widens_the_reordering_window_once_a_round_trip),
    CASE(sixteen_recoveries_without_a_dsack_narrow_it_again),
    CASE(blocks_that_are_no_dsack_change_nothing),
    CASE(a_dsack_above_the_acknowledgement_is_one),
    CASE(a_recovery_that_was_in_vain_is_undone),
    CASE(undoing_in_the_middle_of_recovery_leaves_nothing_lost),
    CASE(the_clock_may_wrap_and_change_its_sign_anywhere))
