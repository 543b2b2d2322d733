// SPDX-License-Identifier: MIT
// Closing, resets, and what the peer may send meanwhile (scenario 24).
#include "net_host.h"

static struct host h_;

static struct host *opened(void) {
    start(&h_);
    return &h_;
}

#define CHECK_STATE(h, name) CHECK_TEXT(cor_tcp_state_name(cor_tcp_state(&(h)->tcp)), name)

TEST(we_close_first) {
    struct host *h = opened();

    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    CHECK_STATE(h, "fin_wait_1");
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2);
    CHECK_STATE(h, "fin_wait_2");
    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 2);
    CHECK_STATE(h, "time_wait");
    EXPECT(h, .flags = ACK, .seq = 2, .ack = 2);
    expect_nothing(h);
    // Two segment lifetimes of 30 s.
    after(h, 60 * SECOND - 1);
    CHECK_STATE(h, "time_wait");
    after(h, 1);
    CHECK_STATE(h, "closed");
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_OK);
    CHECK_EQ(h->net.neighbours[0].holders, 0);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 0);
}

TEST(the_fin_rides_on_the_last_segment) {
    struct host *h = opened();

    (void)fill(h, 2000);
    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1460);
    EXPECT(h, .flags = ACK | PSH | FIN, .seq = 1461, .ack = 1, .len = 540);
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 2000);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2002);
    CHECK_STATE(h, "fin_wait_2");
    CHECK_EQ(cor_tcp_pending_bytes(&h->tcp), 0);
    CHECK_EQ(h->tcp.counters.bytes_acked, 2000);
}

// Truths from the field: partial ACK in FIN-WAIT-1.
TEST(an_ack_without_the_fin_leaves_fin_wait_1) {
    struct host *h = opened();

    (void)fill(h, 100);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK | FIN, .seq = 101, .ack = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 51);
    CHECK_STATE(h, "fin_wait_1");
    SEND(h, .flags = ACK, .seq = 1, .ack = 101);
    CHECK_STATE(h, "fin_wait_1");
    SEND(h, .flags = ACK, .seq = 1, .ack = 102);
    CHECK_STATE(h, "fin_wait_2");
}

TEST(a_lost_fin_is_sent_again) {
    struct host *h = opened();

    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    after(h, 200 * MS);
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    after(h, 400 * MS);
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2);
    CHECK_STATE(h, "fin_wait_2");
}

TEST(a_fin_without_a_free_descriptor_follows_later) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.segment_count = 4;
    start_open(h, &config, SYN_ACK(.win = 1000));
    // Three written, and a split takes the last descriptor.
    h->tcp.congestion.window_bytes = 1460;
    (void)fill(h, 1460);
    (void)pull(h);
    for (uint32_t i = 0; i < 2; i++) {
        (void)fill(h, 1);
        (void)pull(h);
    }
    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    uint32_t acked = 1;
    for (uint32_t i = 0; i < 20; i++) {
        while (pull(h)) {
            uint32_t seq = get32(h->frame + 38) - h->iss;
            uint32_t len = h->frame_bytes - 54 + (h->frame[47] & FIN);

            acked = seq <= acked && seq + len > acked ? seq + len : acked;
        }
        SEND(h, .flags = ACK, .seq = 1, .ack = acked, .win = 1000);
        after(h, 250 * MS);
    }
    CHECK_STATE(h, "fin_wait_2");
}

TEST(the_peer_closes_first) {
    struct host *h = opened();

    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    CHECK_STATE(h, "close_wait");
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 2);
    // We may still send.
    (void)fill(h, 10);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 2, .len = 10);
    SEND(h, .flags = ACK, .seq = 2, .ack = 11);
    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    CHECK_STATE(h, "last_ack");
    EXPECT(h, .flags = ACK | FIN, .seq = 11, .ack = 2);
    SEND(h, .flags = ACK, .seq = 2, .ack = 12);
    CHECK_STATE(h, "closed");
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_OK);
}

TEST(scenario_24_both_close_at_once) {
    struct host *h = opened();

    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    CHECK_STATE(h, "closing");
    EXPECT(h, .flags = ACK, .seq = 2, .ack = 2);
    SEND(h, .flags = ACK, .seq = 2, .ack = 2);
    CHECK_STATE(h, "time_wait");
    expect_nothing(h);
}

TEST(a_fin_that_acknowledges_ours_goes_straight_to_time_wait) {
    struct host *h = opened();

    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 2);
    CHECK_STATE(h, "time_wait");
    EXPECT(h, .flags = ACK, .seq = 2, .ack = 2);
}

TEST(a_fin_sent_again_in_time_wait_is_answered_and_starts_the_wait_again) {
    struct host *h = opened();

    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 2);
    EXPECT(h, .flags = ACK, .seq = 2, .ack = 2);
    after(h, 50 * SECOND);
    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 2);
    EXPECT(h, .flags = ACK, .seq = 2, .ack = 2);
    after(h, 50 * SECOND);
    CHECK_STATE(h, "time_wait");
    // A reset ends it no sooner (RFC 1337).
    SEND(h, .flags = RST, .seq = 2);
    CHECK_STATE(h, "time_wait");
    after(h, 10 * SECOND);
    CHECK_STATE(h, "closed");
}

TEST(time_wait_does_not_hinder_the_next_connection) {
    struct host *h = opened();
    uint16_t port = h->port;

    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_E_STATE);
    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 2);
    EXPECT(h, .flags = ACK, .seq = 2, .ack = 2);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
    EXPECT(h, .flags = SYN, .seq = 0);
    CHECK(h->port != port);
}

TEST(scenario_24_the_peer_goes_on_sending_after_we_close) {
    struct host *h = opened();

    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 2);
    for (uint32_t i = 0; i < 3; i++) {
        SEND(h, .flags = ACK | PSH, .seq = 1 + 1000 * i, .ack = 2, .len = 500);
        SEND(h, .flags = ACK | PSH, .seq = 501 + 1000 * i, .ack = 2, .len = 500);
        EXPECT(h, .flags = ACK, .seq = 2, .ack = 1001 + 1000 * i);
        after(h, 50 * SECOND);
        CHECK_STATE(h, "fin_wait_2");
    }
    CHECK_EQ(h->received_bytes, 3000);
    // Then it falls silent without closing.
    after(h, 10 * SECOND);
    CHECK_STATE(h, "closed");
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_TIMEOUT);
    EXPECT(h, .flags = RST | ACK, .seq = 2, .ack = 3001);
    expect_nothing(h);
}

TEST(scenario_24_a_fin_before_missing_data_waits_for_it) {
    struct host *h = opened();

    SEND(h, .flags = ACK | FIN, .seq = 101, .ack = 1);
    CHECK_STATE(h, "established");
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 1, .len = 100);
    CHECK_STATE(h, "close_wait");
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 102);
    CHECK_EQ(h->received_bytes, 100);
}

TEST(received_data_is_in_order_exact_and_acknowledged) {
    struct host *h = opened();

    SEND(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    // One segment waits 40 ms for a second.
    expect_nothing(h);
    after(h, 40 * MS - 1);
    expect_nothing(h);
    after(h, 1);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 101);
    // Overlapping what came before.
    SEND(h, .flags = ACK | PSH, .seq = 51, .ack = 1, .len = 100);
    SEND(h, .flags = ACK | PSH, .seq = 151, .ack = 1, .len = 10);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 161);
    // Out of order: a duplicate acknowledgement at once.
    SEND(h, .flags = ACK | PSH, .seq = 200, .ack = 1, .len = 10);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 161);
    CHECK_EQ(h->tcp.counters.drop_out_of_order, 1);
    CHECK_EQ(h->received_bytes, 160);
    for (uint32_t i = 0; i < 160; i++) {
        CHECK_EQ(h->received[i], pattern(1 + i));
    }
}

TEST(an_acknowledgement_rides_on_data) {
    struct host *h = opened();

    SEND(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    (void)fill(h, 10);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 101, .len = 10);
    SEND(h, .flags = ACK, .seq = 101, .ack = 11);
    after(h, 100 * MS);
    expect_nothing(h);
}

TEST(without_a_callback_data_is_discarded_and_counted) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.receive = NULL;
    start_open(h, &config, SYN_ACK());
    SEND(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    SEND(h, .flags = ACK | PSH, .seq = 101, .ack = 1, .len = 100);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 201);
    CHECK_EQ(h->tcp.counters.bytes_discarded, 200);
}

// Truths from the field: out-of-window segment not answered.
TEST(a_segment_outside_the_window_is_answered_and_dropped) {
    struct host *h = opened();

    SEND(h, .flags = ACK | PSH, .seq = 1 + 5840, .ack = 1, .len = 10);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    SEND(h, .flags = ACK | PSH, .seq = (uint32_t)-100, .ack = 1, .len = 10);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_EQ(h->received_bytes, 0);
    CHECK_EQ(h->tcp.counters.drop_out_of_window, 2);
    // A keep-alive probe (RFC 9293 3.8.4).
    SEND(h, .flags = ACK, .seq = 0, .ack = 1);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
}

TEST(data_beyond_the_window_is_cut) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.receive_window_bytes = 1000;
    start_open(h, &config, SYN_ACK());
    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 1, .len = 1200);
    CHECK_EQ(h->received_bytes, 1000);
    CHECK_STATE(h, "established");
}

TEST(scenario_24_a_reset_at_the_next_number_ends_the_connection) {
    struct host *h = opened();

    SEND(h, .flags = RST, .seq = 1);
    CHECK_STATE(h, "closed");
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_RESET);
    expect_nothing(h);
    CHECK_EQ(cor_tcp_write(&h->tcp, (const uint8_t *)"x", 1, h->now_us), COR_E_RESET);
}

// RFC 5961 3.2.
TEST(scenario_24_a_reset_elsewhere_in_the_window_gets_a_challenge) {
    struct host *h = opened();

    SEND(h, .flags = RST, .seq = 2);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_STATE(h, "established");
    // One in half a second.
    SEND(h, .flags = RST, .seq = 3);
    expect_nothing(h);
    after(h, 500 * MS);
    SEND(h, .flags = RST, .seq = 3);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    // The peer believes the challenge and answers with the right number.
    SEND(h, .flags = RST, .seq = 1);
    CHECK_STATE(h, "closed");
}

TEST(scenario_24_a_reset_outside_the_window_is_ignored) {
    struct host *h = opened();

    SEND(h, .flags = RST, .seq = 1 + 5840);
    SEND(h, .flags = RST, .seq = 0);
    expect_nothing(h);
    CHECK_STATE(h, "established");
    CHECK_EQ(h->tcp.counters.resets_doubted, 2);
}

// RFC 5961 4.2. Truths from the field: SYN in an open connection.
TEST(scenario_24_a_syn_in_an_open_connection_gets_a_challenge) {
    struct host *h = opened();

    SEND(h, .flags = SYN, .seq = 500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_STATE(h, "established");
    CHECK_EQ(h->tcp.counters.challenge_acks, 1);
}

// RFC 5961 5.2. Truths from the field: panic on a challenge ACK.
TEST(an_ack_of_what_was_never_sent_gets_a_challenge) {
    struct host *h = opened();

    (void)fill(h, 100);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    SEND(h, .flags = ACK, .seq = 1, .ack = 102);
    EXPECT(h, .flags = ACK, .seq = 101, .ack = 1);
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 100);
    after(h, 500 * MS);
    (void)pull(h);
    SEND(h, .flags = ACK, .seq = 1, .ack = (uint32_t)-70000);
    EXPECT(h, .flags = ACK, .seq = 101, .ack = 1);
    // A challenge ACK of the peer's: an old number, no data.
    SEND(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_STATE(h, "established");
}

TEST(a_segment_without_ack_is_dropped) {
    struct host *h = opened();

    SEND(h, .flags = PSH, .seq = 1, .len = 10);
    CHECK_EQ(h->received_bytes, 0);
    expect_nothing(h);
}

TEST(a_segment_for_nobody_is_answered_by_a_reset) {
    struct host *h = &h_;

    start_net(h);
    h->port = 4000;
    SEND(h, .flags = SYN, .seq = 5);
    CHECK(pull(h));
    CHECK_EQ(h->frame[47], RST | ACK);
    CHECK_EQ(get32(h->frame + 38), 0);
    CHECK_EQ(get32(h->frame + 42) - h->irs, 6);
    CHECK_EQ(transport_sum(h->frame + 14, check_ip(h, 6)), 0xFFFF);
    SEND(h, .flags = ACK, .seq = 5, .ack = 9, .len = 3);
    EXPECT(h, .flags = RST, .seq = 9);
    SEND(h, .flags = RST, .seq = 5);
    expect_nothing(h);
    for (uint32_t i = 0; i < 200; i++) {
        SEND(h, .flags = SYN, .seq = 5);
        (void)pull(h);
    }
    CHECK(h->net.counters.resets_limited > 150);
}

TEST(abort_sends_a_reset) {
    struct host *h = opened();

    (void)fill(h, 100);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    cor_tcp_abort(&h->tcp, h->now_us);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_ABORTED);
    EXPECT(h, .flags = RST | ACK, .seq = 101, .ack = 1);
    expect_nothing(h);
    CHECK_EQ(cor_tcp_release(&h->tcp, h->now_us), COR_OK);
    CHECK_EQ(h->net.socket_count, 0);
}

TEST(a_block_is_not_used_again_while_its_frames_wait) {
    struct host *h = opened();

    h->hold = true;
    (void)fill(h, 100);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    cor_tcp_abort(&h->tcp, h->now_us);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_E_STATE);
    CHECK_EQ(cor_tcp_release(&h->tcp, h->now_us), COR_AGAIN);
    sent_all(h);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
}

TEST(closing_twice_or_never_opened) {
    struct host *h = opened();

    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_OK);
    EXPECT(h, .flags = ACK | FIN, .seq = 1, .ack = 1);
    expect_nothing(h);
    CHECK_EQ(cor_tcp_write(&h->tcp, (const uint8_t *)"x", 1, h->now_us), COR_E_CLOSED);
    cor_tcp_abort(&h->tcp, h->now_us);
    CHECK_EQ(cor_tcp_close(&h->tcp, h->now_us), COR_E_STATE);
}

TEST_MAIN(
    CASE(we_close_first),
    CASE(the_fin_rides_on_the_last_segment),
    CASE(an_ack_without_the_fin_leaves_fin_wait_1),
    CASE(a_lost_fin_is_sent_again),
    CASE(a_fin_without_a_free_descriptor_follows_later),
    CASE(the_peer_closes_first),
    CASE(scenario_24_both_close_at_once),
    CASE(a_fin_that_acknowledges_ours_goes_straight_to_time_wait),
    CASE(a_fin_sent_again_in_time_wait_is_answered_and_starts_the_wait_again),
    CASE(time_wait_does_not_hinder_the_next_connection),
    CASE(scenario_24_the_peer_goes_on_sending_after_we_close),
    CASE(scenario_24_a_fin_before_missing_data_waits_for_it),
    CASE(received_data_is_in_order_exact_and_acknowledged),
    CASE(an_acknowledgement_rides_on_data),
    CASE(without_a_callback_data_is_discarded_and_counted),
    CASE(a_segment_outside_the_window_is_answered_and_dropped),
    CASE(data_beyond_the_window_is_cut),
    CASE(scenario_24_a_reset_at_the_next_number_ends_the_connection),
    CASE(scenario_24_a_reset_elsewhere_in_the_window_gets_a_challenge),
    CASE(scenario_24_a_reset_outside_the_window_is_ignored),
    CASE(scenario_24_a_syn_in_an_open_connection_gets_a_challenge),
    CASE(an_ack_of_what_was_never_sent_gets_a_challenge),
    CASE(a_segment_without_ack_is_dropped),
    CASE(a_segment_for_nobody_is_answered_by_a_reset),
    CASE(abort_sends_a_reset),
    CASE(a_block_is_not_used_again_while_its_frames_wait),
    CASE(closing_twice_or_never_opened))
