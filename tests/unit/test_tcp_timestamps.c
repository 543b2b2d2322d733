// SPDX-License-Identifier: MIT
// Timestamps (RFC 7323): when they are used, what they carry, what they keep out.
#include "net_host.h"

#include "coradio/tcp_listen.h"

#define S 1448U  // a full segment with the option

static struct host h_;

static uint32_t drain(struct host *h) {
    uint32_t count = 0;

    while (pull(h)) {
        count++;
    }
    return count;
}

// The option as a peer sends it.
static uint8_t *times(uint32_t value, uint32_t echo) {
    static uint8_t option[12];

    memcpy(option, "\1\1\x08\x0A", 4);
    put32(option + 4, value);
    put32(option + 8, echo);
    return option;
}

#define TIMES(value, echo) .options = times(value, echo), .options_bytes = 12

// The option of the last frame pulled; false: it has none.
static bool find_times(const struct host *h, uint32_t *value, uint32_t *echo) {
    const uint8_t *tcp = h->frame + 34;
    uint32_t header = tcp[12] / 16U * 4;

    for (uint32_t i = 20; i + 10 <= header; i += tcp[i] == 1 ? 1 : tcp[i + 1]) {
        if (tcp[i] == 8) {
            CHECK_EQ(tcp[i + 1], 10);
            *value = get32(tcp + i + 2);
            *echo = get32(tcp + i + 6);
            return true;
        }
        CHECK(tcp[i] == 1 || tcp[i + 1] >= 2);
    }
    return false;
}

static uint32_t our_clock(const struct host *h) {
    uint32_t value = 0;
    uint32_t echo;

    CHECK(find_times(h, &value, &echo));
    return value;
}

// Open with the option, the peer's clock at 1000.
static struct host *opened(void) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.timestamps = COR_TCP_TIMESTAMPS_OFFER;
    start_connect(h, &config);
    uint32_t clock = our_clock(h);
    after(h, 10 * MS);
    SEND(h, .flags = SYN | ACK, .ack = 1, .sack_ok = true, TIMES(1000, clock));
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK(h->tcp.doubt.times_on);
    return h;
}

TEST(without_a_word_there_are_none) {
    struct host *h = &h_;
    uint32_t value;
    uint32_t echo;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_connect(h, &config);
    CHECK(!find_times(h, &value, &echo));
    // What was not offered is not there, whatever the peer says (RFC 7323 3.2).
    SEND(h, .flags = SYN | ACK, .ack = 1, TIMES(1000, 0));
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK(!find_times(h, &value, &echo));
    CHECK_EQ(h->frame_bytes, 54);
    (void)fill(h, 1460);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 1460);
}

TEST(a_peer_that_has_none_gets_none) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.timestamps = COR_TCP_TIMESTAMPS_OFFER;
    start_open(h, &config, SYN_ACK());
    CHECK_EQ(h->frame_bytes, 54);
    (void)fill(h, 1460);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 1460);
}

// A peer that connects to us.
TEST(asked_for_by_the_peer_they_are_accepted_only_where_configured) {
    for (uint8_t mode = COR_TCP_TIMESTAMPS_OFF; mode <= COR_TCP_TIMESTAMPS_OFFER; mode++) {
        static struct cor_tcp_listener listener;
        static struct cor_tcp *blocks[1];
        struct host *h = &h_;
        uint32_t value;
        uint32_t echo;

        start_net(h);
        struct cor_tcp_config config = default_tcp(h);
        struct cor_tcp_listen_config listen = {.port = 80, .blocks = blocks, .block_count = 1};
        config.timestamps = mode;
        cor_tcp_init(&h->tcp, &h->net, &config);
        blocks[0] = &h->tcp;
        CHECK_EQ(cor_tcp_listen(&listener, &h->net, &listen), COR_OK);
        h->port = 80;
        SEND(h, .flags = SYN, .seq = 0, TIMES(7000, 0));
        CHECK(pull(h));
        h->iss = get32(h->frame + 38);
        CHECK_EQ(h->frame[47], SYN | ACK);
        CHECK_EQ(transport_sum(h->frame + 14, h->frame_bytes - 34), 0xFFFF);
        bool used = mode != COR_TCP_TIMESTAMPS_OFF;
        CHECK_EQ(find_times(h, &value, &echo), used);
        CHECK(!used || echo == 7000);
        SEND(h, .flags = ACK, .seq = 1, .ack = 1, TIMES(7001, used ? value : 0));
        CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
        CHECK_EQ(h->tcp.doubt.times_on, used);
    }
}

// The checksums of all frames are looked at by EXPECT.
TEST(each_segment_carries_both_clocks) {
    struct host *h = opened();
    uint32_t value;
    uint32_t echo;

    CHECK(find_times(h, &value, &echo));
    CHECK_EQ(echo, 1000);
    (void)fill(h, 3 * S + 1);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = S);
    CHECK(find_times(h, &value, &echo));
    CHECK_EQ(echo, 1000);
    uint32_t before = value;
    after(h, 102400);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, TIMES(1102, value));
    EXPECT(h, .flags = ACK, .seq = 1 + S, .ack = 1, .len = S);
    CHECK(find_times(h, &value, &echo));
    CHECK_EQ(value - before, 100);
    CHECK_EQ(echo, 1102);
    EXPECT(h, .flags = ACK, .seq = 1 + 2 * S, .ack = 1, .len = S);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 3 * S, .ack = 1, .len = 1);
}

// RFC 9293 MUST-16.
TEST(the_option_takes_its_part_of_the_segment_size) {
    struct host *h = opened();

    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 1460);
    (void)fill(h, 20 * S);
    CHECK(pull(h));
    CHECK_EQ(h->payload_bytes, S);
    CHECK_EQ(h->frame_bytes, 1514);
}

TEST(two_connections_do_not_show_the_same_clock) {
    struct host *h = opened();
    uint32_t first = our_clock(h) - (uint32_t)(h->now_us >> 10);

    cor_tcp_abort(&h->tcp, h->now_us);
    (void)drain(h);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
    CHECK(pull(h));
    CHECK(our_clock(h) - (uint32_t)(h->now_us >> 10) != first);
}

// PAWS, RFC 7323 5.3.
TEST(a_clock_that_runs_backwards_is_an_old_duplicate) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 100, TIMES(2000, 0));
    CHECK_EQ(h->received_bytes, 100);
    (void)drain(h);
    SEND(h, .flags = ACK, .seq = 101, .ack = 1, .len = 100, TIMES(1999, 0));
    CHECK_EQ(h->received_bytes, 100);
    CHECK_EQ(h->tcp.counters.drop_old_times, 1);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 101);
    SEND(h, .flags = ACK, .seq = 101, .ack = 1, .len = 100, TIMES(2000, 0));
    CHECK_EQ(h->received_bytes, 200);
}

TEST(the_peers_clock_may_wrap) {
    struct host *h = opened();

    for (uint32_t i = 0; i < 4; i++) {
        SEND(h, .flags = ACK, .seq = 1 + i, .ack = 1, .len = 1, TIMES(1000 + (i << 30), 0));
        after(h, 50 * MS);
        (void)drain(h);
    }
    SEND(h, .flags = ACK, .seq = 5, .ack = 1, .len = 1, TIMES(1000, 0));
    CHECK_EQ(h->received_bytes, 5);
}

TEST(after_twenty_four_days_any_clock_is_taken) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1, TIMES(1000, 0));
    (void)drain(h);
    after(h, 24ULL * 24 * 3600 * SECOND - SECOND);
    SEND(h, .flags = ACK, .seq = 2, .ack = 1, .len = 1, TIMES(10, 0));
    CHECK_EQ(h->received_bytes, 1);
    (void)drain(h);
    after(h, SECOND);
    SEND(h, .flags = ACK, .seq = 2, .ack = 1, .len = 1, TIMES(10, 0));
    CHECK_EQ(h->received_bytes, 2);
}

TEST(a_reset_needs_no_clock_and_anything_else_does) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 100);
    CHECK_EQ(h->received_bytes, 0);
    CHECK_EQ(h->tcp.counters.drop_no_times, 1);
    expect_nothing(h);
    SEND(h, .flags = RST, .seq = 1);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_RESET);
}

// RFC 7323 4.3: what is out of order, or beyond what was acknowledged, is not echoed.
TEST(the_clock_of_what_is_missing_before_is_not_echoed) {
    struct host *h = opened();
    uint32_t value;
    uint32_t echo;

    SEND(h, .flags = ACK, .seq = 101, .ack = 1, .len = 100, TIMES(3000, 0));
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK(find_times(h, &value, &echo));
    CHECK_EQ(echo, 1000);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 100, TIMES(2000, 0));
    after(h, 40 * MS);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 101);
    CHECK(find_times(h, &value, &echo));
    CHECK_EQ(echo, 2000);
}

// And of two behind one acknowledgement it is the first.
TEST(a_delayed_acknowledgement_echoes_the_earliest) {
    struct host *h = opened();
    uint32_t value;
    uint32_t echo;

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 10, TIMES(2000, 0));
    SEND(h, .flags = ACK, .seq = 11, .ack = 1, .len = 10, TIMES(2050, 0));
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 21);
    CHECK(find_times(h, &value, &echo));
    CHECK_EQ(echo, 2000);
}

// RFC 7323 4.1, where Karn's rule would measure nothing.
TEST(what_was_sent_again_measures_a_round_trip) {
    struct host *h = opened();
    uint64_t samples = h->tcp.counters.rtt_samples;

    (void)fill(h, S);
    CHECK_EQ(drain(h), 1);
    after(h, 200 * MS);
    CHECK_EQ(drain(h), 1);
    uint32_t clock = our_clock(h);
    after(h, 51200);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, TIMES(1300, clock));
    CHECK_EQ(h->tcp.counters.rtt_samples, samples + 1);
    // 10 ms before, now about 51 ms.
    CHECK_BETWEEN(cor_tcp_srtt_us(&h->tcp), 15000, 15600);
}

TEST(a_clock_we_never_showed_measures_nothing) {
    struct host *h = opened();
    uint64_t samples = h->tcp.counters.rtt_samples;

    (void)fill(h, S);
    CHECK_EQ(drain(h), 1);
    after(h, 200 * MS);
    CHECK_EQ(drain(h), 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + S, TIMES(1300, our_clock(h) + 1000));
    CHECK_EQ(h->tcp.counters.rtt_samples, samples);
}

// RFC 8985 6.2 step 2: the answer is to the first sending, by the clock it brings back.
TEST(the_answer_to_an_earlier_sending_is_known) {
    struct host *h = opened();

    h->tcp.congestion.window_bytes = 20 * S;
    (void)fill(h, 6 * S);
    CHECK(pull(h));
    uint32_t clock = our_clock(h);
    CHECK_EQ(drain(h), 5);
    after(h, 10 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .sacks = {1 + S, 1 + 4 * S}, TIMES(1100, clock));
    CHECK(pull(h));
    uint32_t sent_us = h->tcp.rack.sent_us;
    after(h, 15 * MS);  // longer than a round trip
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 4 * S, TIMES(1110, clock));
    CHECK_EQ(h->tcp.rack.sent_us, sent_us);
}

TEST(sack_blocks_and_clocks_fit_together) {
    static uint8_t ring[65536];
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.timestamps = COR_TCP_TIMESTAMPS_OFFER;
    config.receive_ring = ring;
    config.receive_ring_bytes = sizeof(ring);
    start_connect(h, &config);
    SEND(h, .flags = SYN | ACK, .ack = 1, .sack_ok = true, TIMES(1000, our_clock(h)));
    CHECK_EQ(drain(h), 1);
    for (uint32_t i = 1; i <= 6; i++) {
        SEND(h, .flags = ACK, .seq = 1 + 200 * i, .ack = 1, .len = 100, TIMES(1000 + i, 0));
        EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
        uint32_t blocks = i < 3 ? i : 3;
        CHECK_EQ(h->frame[34 + 12] / 16 * 4, 20 + 12 + 4 + 8 * blocks);
        const uint8_t *sack = h->frame + 54 + 12;
        CHECK_EQ(sack[2], 5);
        CHECK_EQ(sack[3], 2 + 8 * blocks);
        CHECK_EQ(get32(sack + 4) - h->irs, 1 + 200 * i);
    }
}

TEST(a_window_probe_carries_the_clocks_before_its_byte) {
    struct host *h = opened();
    uint32_t value;
    uint32_t echo;

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .win = NONE, TIMES(1001, 0));
    (void)fill(h, 100);
    expect_nothing(h);
    after(h, 250 * MS);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1);
    CHECK(find_times(h, &value, &echo));
    CHECK_EQ(echo, 1001);
}

TEST_MAIN(
    CASE(without_a_word_there_are_none),
    CASE(a_peer_that_has_none_gets_none),
    CASE(asked_for_by_the_peer_they_are_accepted_only_where_configured),
    CASE(each_segment_carries_both_clocks),
    CASE(the_option_takes_its_part_of_the_segment_size),
    CASE(two_connections_do_not_show_the_same_clock),
    CASE(a_clock_that_runs_backwards_is_an_old_duplicate),
    CASE(the_peers_clock_may_wrap),
    CASE(after_twenty_four_days_any_clock_is_taken),
    CASE(a_reset_needs_no_clock_and_anything_else_does),
    CASE(the_clock_of_what_is_missing_before_is_not_echoed),
    CASE(a_delayed_acknowledgement_echoes_the_earliest),
    CASE(what_was_sent_again_measures_a_round_trip),
    CASE(a_clock_we_never_showed_measures_nothing),
    CASE(the_answer_to_an_earlier_sending_is_known),
    CASE(sack_blocks_and_clocks_fit_together),
    CASE(a_window_probe_carries_the_clocks_before_its_byte))
