// SPDX-License-Identifier: MIT
// Opening a connection, segment by segment.
#include "net_host.h"

static struct host h_;

static struct host *connecting(void) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_connect(h, &config);
    return h;
}

static const uint8_t *options(const struct host *h, uint32_t *size) {
    *size = h->frame[34 + 12] / 16U * 4 - 20;
    return h->frame + 54;
}

TEST(the_syn_offers_mss_sack_and_window_scale) {
    struct host *h = connecting();
    uint32_t size;
    const uint8_t *at = options(h, &size);

    CHECK_EQ(size, 12);
    // MSS 1460; NOP NOP SACK permitted; NOP, shift 0.
    CHECK_BYTES(at, "\2\4\x05\xB4\1\1\4\2\1\3\3\0", 12);
    CHECK_EQ(get16(h->frame + 34 + 14), 5840);
    expect_nothing(h);
}

TEST(the_handshake_is_syn_synack_ack) {
    struct host *h = connecting();

    after(h, 25 * MS);
    (void)send_segment(h, SYN_ACK());
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .win = 5840);
    expect_nothing(h);
    CHECK_EQ(cor_tcp_srtt_us(&h->tcp), 25000);
}

TEST(nothing_can_be_written_before_it_is_open) {
    struct host *h = connecting();
    uint8_t *room;

    CHECK_EQ(cor_tcp_send_buf(&h->tcp, &room), 0);
    CHECK_EQ(cor_tcp_write(&h->tcp, (const uint8_t *)"x", 1, h->now_us), 0);
}

TEST(the_peers_mss_is_obeyed) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.mss = 1000));
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 1000);
    (void)fill(h, 2500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK, .seq = 1001, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK | PSH, .seq = 2001, .ack = 1, .len = 500);
}

TEST(an_mss_that_is_no_multiple_of_4_is_rounded_down) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.mss = 1003));
    (void)fill(h, 1001);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK | PSH, .seq = 1001, .ack = 1, .len = 1);
}

TEST(without_an_mss_the_peer_takes_536) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.mss = NONE));
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 536);
}

TEST(an_mss_of_1_is_not_believed) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.mss = 1));
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 64);
}

TEST(the_mtu_bounds_both_segment_sizes) {
    struct host *h = &h_;
    uint32_t size;

    start_net(h);
    h->net.config.mtu = 576;
    struct cor_tcp_config config = default_tcp(h);
    start_connect(h, &config);
    CHECK_EQ(get16(options(h, &size) + 2), 536);
    (void)send_segment(h, SYN_ACK());
    CHECK_EQ(cor_tcp_mss_bytes(&h->tcp), 536);
}

TEST(a_window_is_scaled_except_in_the_syn) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.win = 1000, .shift = 1 + 7));
    CHECK_EQ(cor_tcp_peer_window_bytes(&h->tcp), 1000);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .win = 1000);
    CHECK_EQ(cor_tcp_peer_window_bytes(&h->tcp), 128000);
}

TEST(a_shift_above_14_counts_as_14) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    start_open(h, &config, SYN_ACK(.shift = 1 + 200));
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .win = 1);
    CHECK_EQ(cor_tcp_peer_window_bytes(&h->tcp), 16384);
}

TEST(without_the_option_no_window_is_scaled) {
    struct host *h = &h_;

    start(h);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .win = 1000);
    CHECK_EQ(cor_tcp_peer_window_bytes(&h->tcp), 1000);
}

// Truths from the field: a SYN-ACK with ECN bits must not be refused.
TEST(ecn_bits_in_the_synack_are_tolerated) {
    struct host *h = connecting();

    SEND(h, .flags = SYN | ACK | ECE, .ack = 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    SEND(h, .flags = SYN | ACK | ECE | CWR, .ack = 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
}

TEST(the_syn_is_sent_again_after_1_2_and_4_seconds) {
    struct host *h = connecting();
    uint64_t from_us = h->now_us;

    at(h, from_us + SECOND - 1);
    expect_nothing(h);
    at(h, from_us + SECOND);
    EXPECT(h, .flags = SYN, .seq = 0);
    at(h, from_us + 3 * SECOND - 1);
    expect_nothing(h);
    at(h, from_us + 3 * SECOND);
    EXPECT(h, .flags = SYN, .seq = 0);
    at(h, from_us + 7 * SECOND);
    // The next hop is asked for again as well (RFC 9293 MUST-20).
    expect_arp_request(h, PEER_ADDRESS);
    EXPECT(h, .flags = SYN, .seq = 0);
    CHECK_EQ(h->tcp.counters.retransmit_syn, 3);
}

// RFC 6298 5.7 and RFC 5681 3.1: an RTO of 3 s and a window of one segment.
TEST(after_a_lost_syn_the_sender_is_careful) {
    struct host *h = connecting();

    after(h, SECOND);
    EXPECT(h, .flags = SYN, .seq = 0);
    (void)send_segment(h, SYN_ACK());
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_EQ(cor_tcp_rto_us(&h->tcp), 3000000);
    CHECK_EQ(cor_tcp_srtt_us(&h->tcp), 0);
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), 1460);
}

TEST(a_silent_host_is_a_timeout_after_180_seconds) {
    struct host *h = connecting();
    uint64_t from_us = h->now_us;

    for (uint64_t s = 0; s < 180; s++) {
        at(h, from_us + s * SECOND);
        while (pull(h)) {
            if (get16(h->frame + 12) == 0x0806) {
                answer_arp(h);
            }
        }
        CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_SYN_SENT);
    }
    at(h, from_us + 180 * SECOND);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_CLOSED);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_TIMEOUT);
    CHECK(pull(h) == false || get16(h->frame + 12) == 0x0806);
}

TEST(the_connect_timeout_can_be_set) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.connect_timeout_us = 5 * SECOND;
    start_connect(h, &config);
    after(h, 5 * SECOND - 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_SYN_SENT);
    after(h, 1);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_TIMEOUT);
}

TEST(a_reset_in_answer_to_the_syn_is_refused) {
    struct host *h = connecting();

    SEND(h, .flags = RST | ACK, .seq = 0, .ack = 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_CLOSED);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_REFUSED);
    expect_nothing(h);
    uint8_t *room;
    CHECK_EQ(cor_tcp_send_buf(&h->tcp, &room), COR_E_REFUSED);
}

TEST(a_reset_that_acknowledges_nothing_of_ours_is_ignored) {
    struct host *h = connecting();

    SEND(h, .flags = RST | ACK, .seq = 0, .ack = 7);
    SEND(h, .flags = RST, .seq = 0);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_SYN_SENT);
    expect_nothing(h);
}

// RFC 9293 3.10.7.3, figure 9: the peer still has an old connection.
TEST(an_unacceptable_ack_is_answered_by_a_reset_and_the_syn_stays) {
    struct host *h = connecting();

    SEND(h, .flags = ACK, .seq = 100, .ack = 77);
    EXPECT(h, .flags = RST, .seq = 77);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_SYN_SENT);
    after(h, SECOND);
    EXPECT(h, .flags = SYN, .seq = 0);
    (void)send_segment(h, SYN_ACK());
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
}

TEST(both_sides_may_open_at_once) {
    struct host *h = connecting();

    SEND(h, .flags = SYN, .seq = 0, .mss = 1460);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_SYN_RECEIVED);
    EXPECT(h, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
    (void)fill(h, 10);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 10);
}

// RFC 9293 figure 8: each answers the other's SYN-ACK with a plain ACK.
TEST(both_synacks_crossing_open_the_connection) {
    struct host *h = connecting();

    SEND(h, .flags = SYN, .seq = 0, .mss = 1460);
    EXPECT(h, .flags = SYN | ACK, .seq = 0, .ack = 1);
    SEND(h, .flags = SYN | ACK, .seq = 0, .ack = 1);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
}

TEST(a_synack_doubled_is_answered_again) {
    struct host *h = connecting();

    (void)send_segment(h, SYN_ACK());
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    (void)send_segment(h, SYN_ACK());
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
}

TEST(port_unreachable_in_answer_to_the_syn_is_refused) {
    struct host *h = connecting();
    uint8_t *frame = new_frame(34 + 8 + 28);
    uint8_t *icmp = frame + 34;

    put_ip(frame, 1, 8 + 28);
    memset(icmp, 0, 8);
    icmp[0] = 3;
    icmp[1] = 3;
    memcpy(icmp + 8, h->frame + 14, 28);
    put16(icmp + 2, ~plain_sum(icmp, 36, 0));
    (void)give(h, frame, 34 + 36);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_REFUSED);
}

TEST(first_numbers_and_ports_differ_from_connection_to_connection) {
    struct host *h = connecting();
    uint32_t iss = h->iss;
    uint16_t port = h->port;

    CHECK(port >= 49152);
    cor_tcp_abort(&h->tcp, h->now_us);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
    EXPECT(h, .flags = SYN, .seq = 0);
    CHECK(h->port != port);
    CHECK(h->iss != iss);
    CHECK_EQ(h->tcp.counters.segments_sent, 2);
}

TEST(another_secret_gives_another_first_number) {
    struct host *h = connecting();
    uint32_t iss = h->iss;

    start_net(h);
    h->net.config.secret[0] ^= 1;
    struct cor_tcp_config config = default_tcp(h);
    start_connect(h, &config);
    CHECK(h->iss != iss);
}

TEST(two_connections_take_turns) {
    struct host *h = &h_;
    static struct cor_tcp other;
    static struct cor_tcp_segment segments[HOST_SEGMENTS];
    static uint32_t ring[HOST_RING_BYTES / 4];
    uint32_t first = 0;

    start(h);
    struct cor_tcp_config config = default_tcp(h);
    config.ring = (uint8_t *)ring;
    config.segments = segments;
    uint32_t iss = h->iss;
    uint16_t port = h->port;
    cor_tcp_init(&other, &h->net, &config);
    CHECK_EQ(cor_tcp_connect(&other, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
    EXPECT(h, .flags = SYN, .seq = 0);
    (void)send_segment(h, SYN_ACK());
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    uint16_t other_port = h->port;
    CHECK(other_port != port);
    static uint8_t data[4 * 1460];
    CHECK_EQ(cor_tcp_write(&other, data, sizeof(data), h->now_us), (int32_t)sizeof(data));
    h->iss = iss;
    h->port = port;
    (void)fill(h, sizeof(data));
    for (uint32_t i = 0; i < 8; i++) {
        CHECK(pull(h));
        uint32_t from = get16(h->frame + 34);

        CHECK(from == port || from == other_port);
        CHECK(i == 0 || from != first);
        first = from;
    }
    expect_nothing(h);
}

TEST_MAIN(
    CASE(the_syn_offers_mss_sack_and_window_scale),
    CASE(the_handshake_is_syn_synack_ack),
    CASE(nothing_can_be_written_before_it_is_open),
    CASE(the_peers_mss_is_obeyed),
    CASE(an_mss_that_is_no_multiple_of_4_is_rounded_down),
    CASE(without_an_mss_the_peer_takes_536),
    CASE(an_mss_of_1_is_not_believed),
    CASE(the_mtu_bounds_both_segment_sizes),
    CASE(a_window_is_scaled_except_in_the_syn),
    CASE(a_shift_above_14_counts_as_14),
    CASE(without_the_option_no_window_is_scaled),
    CASE(ecn_bits_in_the_synack_are_tolerated),
    CASE(the_syn_is_sent_again_after_1_2_and_4_seconds),
    CASE(after_a_lost_syn_the_sender_is_careful),
    CASE(a_silent_host_is_a_timeout_after_180_seconds),
    CASE(the_connect_timeout_can_be_set),
    CASE(a_reset_in_answer_to_the_syn_is_refused),
    CASE(a_reset_that_acknowledges_nothing_of_ours_is_ignored),
    CASE(an_unacceptable_ack_is_answered_by_a_reset_and_the_syn_stays),
    CASE(both_sides_may_open_at_once),
    CASE(both_synacks_crossing_open_the_connection),
    CASE(a_synack_doubled_is_answered_again),
    CASE(port_unreachable_in_answer_to_the_syn_is_refused),
    CASE(first_numbers_and_ports_differ_from_connection_to_connection),
    CASE(another_secret_gives_another_first_number),
    CASE(two_connections_take_turns))
