// SPDX-License-Identifier: MIT
// The size of segments on a narrow path (RFC 1191, 4821), and what is not believed (RFC 5927).
#include "net_host.h"

#define S 1460U  // a full segment on our link

static struct host h_;

static uint32_t drain(struct host *h) {
    uint32_t count = 0;

    while (pull(h)) {
        count++;
    }
    return count;
}

// Open, a round trip of 10 ms, `count` full segments in flight.
static struct host *flying(uint32_t count) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, count * S);
    CHECK_EQ(drain(h), count);
    return h;
}

static void ack(struct host *h, uint32_t bytes) {
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + bytes);
}

// "Fragmentation needed" about our segment seq (relative) of `size` bytes of payload.
static void too_big(struct host *h, uint32_t seq, uint32_t size, uint32_t mtu) {
    uint8_t *frame = new_frame(34 + 8 + 28);
    uint8_t *icmp = frame + 34;
    uint8_t *quoted = icmp + 8;

    put_ip(frame, 1, 8 + 28);
    put16(icmp, 0x0304);
    put16(icmp + 2, 0);
    put32(icmp + 4, mtu);
    memset(quoted, 0, 28);
    quoted[0] = 0x45;
    put16(quoted + 2, 40 + size);
    put16(quoted + 6, 0x4000);
    quoted[8] = 60;
    quoted[9] = 6;
    put32(quoted + 12, OUR_ADDRESS);
    put32(quoted + 16, PEER_ADDRESS);
    put16(quoted + 20, h->port);
    put16(quoted + 22, PEER_PORT);
    put32(quoted + 24, h->iss + seq);
    put16(icmp + 2, ~plain_sum(icmp, 36, 0));
    CHECK_EQ(give(h, frame, 34 + 36), 0);
}

TEST(what_was_too_large_is_sent_again_in_parts_at_once) {
    struct host *h = flying(2);
    uint32_t window = cor_tcp_cwnd_bytes(&h->tcp);

    too_big(h, 1, S, 1000);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 960);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 960);
    EXPECT(h, .flags = ACK, .seq = 961, .ack = 1, .len = 500);
    EXPECT(h, .flags = ACK, .seq = 1461, .ack = 1, .len = 960);
    EXPECT(h, .flags = ACK | PSH, .seq = 2421, .ack = 1, .len = 500);
    expect_nothing(h);
    // No sign of congestion.
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), window);
    CHECK_EQ(h->tcp.counters.retransmit_smaller, 4);
    CHECK_EQ(h->tcp.counters.recoveries, 0);
    CHECK_EQ(h->tcp.counters.soft_errors, 0);
    ack(h, 2 * S);
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 0);
    CHECK_EQ(h->tcp.used_bytes, 0);
    CHECK_EQ(h->tcp.pipe_bytes, 0);
}

TEST(what_waits_is_cut_when_it_goes_and_what_comes_is_cut_anew) {
    struct host *h = &h_;

    start(h);
    h->tcp.congestion.window_bytes = S;
    (void)fill(h, 2 * S);
    CHECK_EQ(drain(h), 1);
    too_big(h, 1, S, 1000);
    h->tcp.congestion.window_bytes = 20 * S;
    CHECK_EQ(drain(h), 4);
    CHECK_EQ(h->tcp.counters.splits, 2);
    (void)fill(h, 2000);
    EXPECT(h, .flags = ACK, .seq = 1 + 2 * S, .ack = 1, .len = 960);
    EXPECT(h, .flags = ACK, .seq = 961 + 2 * S, .ack = 1, .len = 960);
    EXPECT(h, .flags = ACK | PSH, .seq = 1921 + 2 * S, .ack = 1, .len = 80);
}

TEST(the_fin_stays_behind_the_last_part) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, S);
    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = FIN | ACK | PSH, .seq = 1, .ack = 1, .len = S);
    too_big(h, 1, S, 1000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 960);
    EXPECT(h, .flags = FIN | ACK | PSH, .seq = 961, .ack = 1, .len = 500);
    ack(h, S + 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_FIN_WAIT_2);
}

TEST(what_nobody_on_the_path_would_say_is_not_believed) {
    struct host *h = flying(2);

    too_big(h, 1 + 2 * S, S, 1000);        // not yet sent
    too_big(h, (uint32_t)-4000, S, 1000);  // acknowledged long ago
    too_big(h, 1, S, 1500);                // it would have fitted
    too_big(h, 1, 600, 1000);
    too_big(h, 1, 9000, 1400);  // we sent nothing like it
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), S);
    expect_nothing(h);
    CHECK_EQ(h->tcp.counters.mtu_doubted, 3);
}

TEST(an_attempt_to_connect_is_left_alone) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_connect(h, &config);
    too_big(h, 0, 0, 20);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_SYN_SENT);
    expect_nothing(h);
}

// RFC 5927 7.2: never below 536; but such paths exist, and routers may cut there.
TEST(below_the_smallest_size_routers_may_cut) {
    struct host *h = flying(1);

    too_big(h, 1, S, 68);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 536);
    for (uint32_t seq = 1; seq < 1 + S; seq += 536) {
        const uint8_t *ip = h->frame + 14;

        CHECK(pull(h));
        CHECK_EQ(get32(h->frame + 38) - h->iss, seq);
        CHECK(h->payload_bytes <= 536);
        CHECK_EQ(get16(ip + 6), 0);
        CHECK(get16(ip + 4) != 0);
        CHECK_EQ(plain_sum(ip, 20, 0), 0xFFFF);
    }
    expect_nothing(h);
}

// RFC 1191 5: old routers say 0.
TEST(a_router_that_does_not_say_how_large_makes_us_go_down_in_steps) {
    struct host *h = flying(1);

    too_big(h, 1, S, 0);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 1452);
    CHECK_EQ(drain(h), 2);
    too_big(h, 1, 1452, 0);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 966);
    CHECK(drain(h) > 0);
    too_big(h, 1, 966, 0);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 536);
}

// RFC 5927 7.2: segments of this size have arrived, so that the message has to prove true.
TEST(once_segments_have_arrived_a_message_is_believed_after_a_timeout) {
    struct host *h = flying(4);

    after(h, 10 * MS);
    ack(h, 2 * S);
    too_big(h, 1 + 2 * S, S, 1000);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), S);
    CHECK_EQ(h->tcp.counters.mtu_doubted, 1);
    expect_nothing(h);
    after(h, 200 * MS);
    CHECK_EQ(h->tcp.counters.timeouts, 1);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 960);
    EXPECT(h, .flags = ACK | PSH, .seq = 1 + 2 * S, .ack = 1, .len = 960);
}

TEST(a_message_about_what_then_arrives_is_forgotten) {
    struct host *h = flying(4);

    after(h, 10 * MS);
    ack(h, 2 * S);
    too_big(h, 1 + 2 * S, S, 1000);
    ack(h, 3 * S);
    after(h, 200 * MS);
    CHECK_EQ(h->tcp.counters.timeouts, 1);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), S);
}

// A router that drops and says nothing: RFC 4821 in miniature.
TEST(after_three_timeouts_of_a_full_segment_a_smaller_one_is_tried) {
    struct host *h = flying(2);

    after(h, 200 * MS);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = S);
    after(h, 400 * MS);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = S);
    after(h, 800 * MS);
    expect_arp_request(h, PEER_ADDRESS);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 1240);
    CHECK_EQ(h->tcp.counters.mtu_guessed, 1);
    ack(h, 1240);
    EXPECT(h, .flags = ACK, .seq = 1241, .ack = 1, .len = 220);
}

TEST(a_size_that_has_proven_good_is_given_up_later) {
    struct host *h = flying(3);

    after(h, 10 * MS);
    ack(h, 2 * S);
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_EQ(h->tcp.counters.mtu_guessed, 0);
        after(h, (200 * MS) << i);
        CHECK(drain(h) >= 1);
    }
    CHECK_EQ(h->tcp.counters.mtu_guessed, 1);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 1240);
}

TEST(if_that_is_too_large_as_well_the_smallest_is_tried) {
    struct host *h = flying(1);

    for (uint32_t i = 0; i < 6; i++) {
        after(h, (200 * MS) << i);
        CHECK(drain(h) >= 1);
    }
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 536);
    CHECK_EQ(h->tcp.counters.mtu_guessed, 2);
}

TEST(small_segments_that_time_out_say_nothing_of_the_size) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 100);
    CHECK_EQ(drain(h), 1);
    for (uint32_t i = 0; i < 6; i++) {
        after(h, (200 * MS) << i);
        CHECK(drain(h) >= 1);
    }
    CHECK_EQ(h->tcp.counters.mtu_guessed, 0);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), S);
}

static void send_some(struct host *h) {
    uint32_t from = h->tcp.snd_end - h->iss - 1;

    (void)fill(h, 4 * S);
    CHECK(drain(h) >= 4);
    after(h, 10 * MS);
    ack(h, from + 4 * S);
}

// RFC 1191 6.3.
TEST(ten_minutes_after_a_message_the_full_size_is_tried_again) {
    struct host *h = flying(1);

    too_big(h, 1, S, 1000);
    CHECK_EQ(drain(h), 2);
    ack(h, S);
    h->tcp.congestion.window_bytes = 20 * S;
    after(h, 590 * SECOND);
    send_some(h);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 960);
    after(h, 10 * SECOND);
    send_some(h);
    (void)cor_net_poll(&h->net, h->now_us);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), S);
    CHECK_EQ(h->tcp.counters.mtu_raised, 1);
}

TEST(ten_seconds_after_a_guess_the_full_size_is_tried_again) {
    struct host *h = flying(1);

    for (uint32_t i = 0; i < 3; i++) {
        after(h, (200 * MS) << i);
        CHECK(drain(h) >= 1);
    }
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 1240);
    ack(h, S);
    h->tcp.congestion.window_bytes = 20 * S;
    after(h, 11 * SECOND);
    send_some(h);
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), S);
}

TEST(without_a_free_descriptor_a_segment_goes_whole_and_routers_may_cut_it) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.segment_count = 4;
    start_open(h, &config, SYN_ACK());
    (void)fill(h, 3 * S);
    CHECK_EQ(drain(h), 3);
    too_big(h, 1, S, 1000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 960);  // the one descriptor kept back
    uint32_t whole = 0;
    while (pull(h)) {
        uint32_t fragment = get16(h->frame + 20);

        CHECK_EQ(fragment, h->payload_bytes > 960 ? 0 : 0x4000);
        whole += h->payload_bytes > 960;
    }
    CHECK_EQ(whole, 2);
    ack(h, 3 * S);
    CHECK_EQ(h->tcp.used_bytes, 0);
    (void)fill(h, S);
    EXPECT(h, .flags = ACK, .seq = 1 + 3 * S, .ack = 1, .len = 960);
}

TEST(frames_in_the_queue_of_the_bus_are_waited_for) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 2 * S);
    CHECK(pull(h));
    h->hold = true;
    CHECK(pull(h));
    too_big(h, 1, S, 1000);
    expect_nothing(h);
    sent_all(h);
    h->hold = false;
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 960);
    EXPECT(h, .flags = ACK | PSH, .seq = 961, .ack = 1, .len = 500);
    // The router says it of the second as well, when it gets there.
    too_big(h, 1 + S, S, 1000);
    EXPECT(h, .flags = ACK, .seq = 1 + S, .ack = 1, .len = 960);
}

// The end of the stream is ragged and open, and room is lent behind it.
TEST(an_open_end_that_has_become_too_large_goes_on_at_a_multiple_of_four) {
    struct host *h = &h_;
    uint8_t *room;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.nagle_off = false;
    start_open(h, &config, SYN_ACK());
    (void)fill(h, S + 1201);
    CHECK_EQ(drain(h), 1);
    int32_t size = cor_tcp_send_buf(&h->tcp, &room);
    CHECK(size > 3000);
    too_big(h, 1, S, 1000);
    for (uint32_t i = 0; i < 3000; i++) {
        room[i] = pattern(1 + S + 1201 + i);
    }
    cor_tcp_send_ack(&h->tcp, 3000, h->now_us);
    uint32_t seq = 1;
    while (pull(h)) {
        CHECK_EQ(get32(h->frame + 38) - h->iss, seq);
        CHECK(h->payload_bytes <= 960);
        for (uint32_t i = 0; i < h->payload_bytes; i++) {
            CHECK_EQ(h->frame[54 + i], pattern(seq + i));
        }
        seq += h->payload_bytes;
    }
    ack(h, seq - 1);
    while (pull(h)) {
        CHECK_EQ(get32(h->frame + 38) - h->iss, seq);
        for (uint32_t i = 0; i < h->payload_bytes; i++) {
            CHECK_EQ(h->frame[54 + i], pattern(seq + i));
        }
        seq += h->payload_bytes;
    }
    CHECK_EQ(seq, 1 + S + 1201 + 3000);
}

static uint32_t random_below(uint32_t *state, uint32_t bound) {
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % bound;
}

// A path that becomes narrower now and then, loses, says so or not: every byte arrives, in place.
TEST(whatever_the_path_does_every_byte_arrives) {
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct host *h = &h_;
        uint32_t random = seed;
        uint32_t mtu = 1500;
        uint32_t next = 1;  // what the peer waits for

        start_net(h);
        struct cor_tcp_config config = default_tcp(h);
        config.segment_count = seed % 2 == 0 ? HOST_SEGMENTS : 8;
        config.ring_bytes = 16384;
        start_open(h, &config, SYN_ACK(.sack_ok = seed % 3 == 0));
        for (uint32_t round = 0; round < 4000 && next < 100000; round++) {
            bool arrived = false;

            (void)fill(h, 1 + random_below(&random, 3000));
            for (uint32_t i = 0; i < 10 && pull(h); i++) {
                if (get16(h->frame + 12) != 0x0800) {
                    continue;
                }
                uint32_t seq = get32(h->frame + 38) - h->iss;
                uint32_t size = h->payload_bytes;

                if (40 + size > mtu && (get16(h->frame + 20) & 0x4000) != 0) {
                    if (random_below(&random, 3) != 0) {
                        too_big(h, seq, size, random_below(&random, 4) == 0 ? 0 : mtu);
                    }
                } else if (random_below(&random, 30) != 0 && seq == next) {
                    for (uint32_t k = 0; k < size; k++) {
                        CHECK_EQ(h->frame[54 + k], pattern(seq + k));
                    }
                    next += size;
                    arrived = true;
                }
            }
            if (arrived) {
                SEND(h, .flags = ACK, .seq = 1, .ack = next);
            }
            after(h, 5 * MS + (arrived ? 0 : 100 * MS));
            if (mtu > 700 && random_below(&random, 40) == 0) {
                mtu -= random_below(&random, 200);
            }
        }
        CHECK(next >= 100000);
    }
}

TEST_MAIN(
    CASE(what_was_too_large_is_sent_again_in_parts_at_once),
    CASE(what_waits_is_cut_when_it_goes_and_what_comes_is_cut_anew),
    CASE(the_fin_stays_behind_the_last_part),
    CASE(what_nobody_on_the_path_would_say_is_not_believed),
    CASE(an_attempt_to_connect_is_left_alone),
    CASE(below_the_smallest_size_routers_may_cut),
    CASE(a_router_that_does_not_say_how_large_makes_us_go_down_in_steps),
    CASE(once_segments_have_arrived_a_message_is_believed_after_a_timeout),
    CASE(a_message_about_what_then_arrives_is_forgotten),
    CASE(after_three_timeouts_of_a_full_segment_a_smaller_one_is_tried),
    CASE(a_size_that_has_proven_good_is_given_up_later),
    CASE(if_that_is_too_large_as_well_the_smallest_is_tried),
    CASE(small_segments_that_time_out_say_nothing_of_the_size),
    CASE(ten_minutes_after_a_message_the_full_size_is_tried_again),
    CASE(ten_seconds_after_a_guess_the_full_size_is_tried_again),
    CASE(without_a_free_descriptor_a_segment_goes_whole_and_routers_may_cut_it),
    CASE(frames_in_the_queue_of_the_bus_are_waited_for),
    CASE(an_open_end_that_has_become_too_large_goes_on_at_a_multiple_of_four),
    CASE(whatever_the_path_does_every_byte_arrives))
