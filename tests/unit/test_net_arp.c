// SPDX-License-Identifier: MIT
#include "net_host.h"

static const uint8_t other_mac[6] = {0x02, 0, 0, 0, 0, 0x77};

static void send_arp(
    struct host *h, uint8_t operation, const uint8_t *mac, uint32_t sender, uint32_t target) {
    uint8_t *frame = new_frame(42);

    memcpy(frame, all_mac, 6);
    memcpy(frame + 6, mac, 6);
    put16(frame + 12, 0x0806);
    memcpy(frame + 14, "\0\1\x08\0\6\4\0", 7);
    frame[21] = operation;
    memcpy(frame + 22, mac, 6);
    put32(frame + 28, sender);
    memset(frame + 32, 0, 6);
    put32(frame + 38, target);
    (void)give(h, frame, 42);
}

static struct host h_;

static struct host *begin_connect(void) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    cor_tcp_init(&h->tcp, &h->net, &config);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
    return h;
}

TEST(a_request_goes_once_a_second_and_silence_is_unreachable) {
    struct host *h = begin_connect();
    uint64_t from_us = h->now_us;

    for (uint32_t i = 0; i < 4; i++) {
        expect_arp_request(h, PEER_ADDRESS);
        CHECK_BYTES(h->frame, all_mac, 6);
        expect_nothing(h);
        at(h, from_us + (i + 1) * SECOND - 1);
        expect_nothing(h);
        CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_SYN_SENT);
        at(h, from_us + (i + 1) * SECOND);
    }
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_CLOSED);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_UNREACHABLE);
    expect_nothing(h);
    CHECK(cor_net_poll(&h->net, h->now_us) == COR_NET_NEVER);
}

TEST(a_second_attempt_asks_again_and_not_sooner_than_a_second) {
    struct host *h = begin_connect();

    expect_arp_request(h, PEER_ADDRESS);
    cor_tcp_abort(&h->tcp, h->now_us);
    after(h, 100 * MS);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
    expect_nothing(h);
    after(h, 900 * MS);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    EXPECT(h, .flags = SYN);
}

TEST(a_host_behind_the_gateway_is_reached_through_it) {
    struct host *h = &h_;
    start_net(h);
    struct cor_tcp_config config = default_tcp(h);

    cor_tcp_init(&h->tcp, &h->net, &config);
    CHECK_EQ(cor_tcp_connect(&h->tcp, COR_IP4(8, 8, 8, 8), 80, h->now_us), COR_OK);
    expect_arp_request(h, COR_IP4(10, 0, 0, 254));
}

TEST(without_a_gateway_a_foreign_host_is_unreachable_at_once) {
    struct host *h = &h_;
    start_net(h);
    struct cor_tcp_config config = default_tcp(h);

    h->net.config.gateway = 0;
    cor_tcp_init(&h->tcp, &h->net, &config);
    CHECK_EQ(cor_tcp_connect(&h->tcp, COR_IP4(8, 8, 8, 8), 80, h->now_us), COR_E_UNREACHABLE);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_UNREACHABLE);
    expect_nothing(h);
}

TEST(addresses_nobody_has_are_refused) {
    struct host *h = &h_;
    start_net(h);
    struct cor_tcp_config config = default_tcp(h);

    cor_tcp_init(&h->tcp, &h->net, &config);
    CHECK_EQ(cor_tcp_connect(&h->tcp, 0, 80, 0), COR_E_ARG);
    CHECK_EQ(cor_tcp_connect(&h->tcp, OUR_ADDRESS, 80, 0), COR_E_ARG);
    CHECK_EQ(cor_tcp_connect(&h->tcp, 0xFFFFFFFF, 80, 0), COR_E_ARG);
    CHECK_EQ(cor_tcp_connect(&h->tcp, COR_IP4(10, 0, 0, 255), 80, 0), COR_E_ARG);
    CHECK_EQ(cor_tcp_connect(&h->tcp, COR_IP4(224, 0, 0, 1), 80, 0), COR_E_ARG);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, 0, 0), COR_E_ARG);
}

TEST(a_request_for_our_address_is_answered) {
    struct host *h = &h_;

    start_net(h);
    send_arp(h, 1, other_mac, COR_IP4(10, 0, 0, 9), OUR_ADDRESS);
    CHECK(pull(h));
    CHECK_EQ(h->frame_bytes, 42);
    CHECK_BYTES(h->frame, other_mac, 6);
    CHECK_BYTES(h->frame + 14, "\0\1\x08\0\6\4\0\2", 8);
    CHECK_BYTES(h->frame + 22, our_mac, 6);
    CHECK_EQ(get32(h->frame + 28), OUR_ADDRESS);
    CHECK_BYTES(h->frame + 32, other_mac, 6);
    CHECK_EQ(get32(h->frame + 38), COR_IP4(10, 0, 0, 9));
    send_arp(h, 1, other_mac, COR_IP4(10, 0, 0, 9), PEER_ADDRESS);
    expect_nothing(h);
    // A probe of RFC 5227: sender address zero.
    send_arp(h, 1, other_mac, 0, OUR_ADDRESS);
    CHECK(pull(h));
    expect_nothing(h);
}

TEST(scenario_28_a_changed_hardware_address_is_learned) {
    struct host *h = &h_;

    start(h);
    (void)fill(h, 100);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    send_arp(h, 1, other_mac, PEER_ADDRESS, PEER_ADDRESS);
    CHECK_EQ(h->net.counters.arp_changed, 1);
    (void)fill(h, 100);
    CHECK(pull(h));
    CHECK_BYTES(h->frame, other_mac, 6);
}

TEST(packets_nobody_asked_for_make_no_entry) {
    struct host *h = &h_;

    start_net(h);
    send_arp(h, 2, other_mac, PEER_ADDRESS, OUR_ADDRESS);
    CHECK_EQ(h->net.counters.arp_learned, 0);
    struct cor_tcp_config config = default_tcp(h);
    cor_tcp_init(&h->tcp, &h->net, &config);
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
    expect_arp_request(h, PEER_ADDRESS);
}

TEST(a_group_address_is_no_hosts_address) {
    struct host *h = begin_connect();

    expect_arp_request(h, PEER_ADDRESS);
    send_arp(h, 2, all_mac, PEER_ADDRESS, OUR_ADDRESS);
    CHECK_EQ(h->net.counters.drop_arp, 1);
    expect_nothing(h);
}

TEST(our_address_is_announced_on_link_up_and_defended) {
    struct host *h = &h_;

    start_net(h);
    h->net.frames.ops->link(&h->net.frames, h->now_us, true);
    expect_arp_request(h, OUR_ADDRESS);
    expect_nothing(h);
    send_arp(h, 1, other_mac, OUR_ADDRESS, OUR_ADDRESS);
    expect_arp_request(h, OUR_ADDRESS);
    after(h, 5 * SECOND);
    send_arp(h, 1, other_mac, OUR_ADDRESS, OUR_ADDRESS);
    expect_nothing(h);
    after(h, 5 * SECOND);
    send_arp(h, 1, other_mac, OUR_ADDRESS, OUR_ADDRESS);
    expect_arp_request(h, OUR_ADDRESS);
    CHECK_EQ(h->net.counters.arp_conflicts, 3);
    // Our own request sent back by the access point is no conflict.
    send_arp(h, 1, our_mac, OUR_ADDRESS, PEER_ADDRESS);
    CHECK_EQ(h->net.counters.arp_conflicts, 3);
}

TEST(an_old_answer_is_asked_for_again_by_unicast_before_it_is_needed) {
    struct host *h = &h_;

    start(h);
    after(h, 300 * SECOND);
    expect_arp_request(h, PEER_ADDRESS);
    CHECK_BYTES(h->frame, peer_mac, 6);
    // Meanwhile the transfer goes on.
    (void)fill(h, 10);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 10);
    SEND(h, .flags = ACK, .seq = 1, .ack = 11);
    answer_arp(h);
    after(h, 10 * SECOND);
    expect_nothing(h);
    CHECK_EQ(h->net.counters.arp_failed, 0);
}

TEST(an_open_connection_outlives_a_silent_neighbour) {
    struct host *h = &h_;

    start(h);
    after(h, 300 * SECOND);
    for (uint32_t i = 0; i < 4; i++) {
        expect_arp_request(h, PEER_ADDRESS);
        CHECK((h->frame[0] == 0xFF) == (i >= 2));
        after(h, SECOND);
    }
    CHECK_EQ(h->net.counters.arp_failed, 1);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
    (void)fill(h, 10);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 10);
}

TEST(without_a_link_nobody_is_given_up) {
    struct host *h = begin_connect();

    expect_arp_request(h, PEER_ADDRESS);
    h->net.frames.ops->link(&h->net.frames, h->now_us, false);
    after(h, 20 * SECOND);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_SYN_SENT);
    h->net.frames.ops->link(&h->net.frames, h->now_us, true);
    // The announcement and the request, in either order.
    CHECK(pull(h) && pull(h));
    answer_arp(h);
    EXPECT(h, .flags = SYN);
}

TEST(every_prefix_of_a_packet_is_dropped) {
    struct host *h = &h_;

    start_net(h);
    for (uint32_t size = 0; size < 42; size++) {
        uint8_t whole[42] = {0};
        uint8_t *frame = new_frame(size);

        memcpy(whole, all_mac, 6);
        memcpy(whole + 12, "\x08\x06\0\1\x08\0\6\4\0\1", 10);
        put32(whole + 38, OUR_ADDRESS);
        memcpy(frame, whole, size);
        (void)give(h, frame, size);
        expect_nothing(h);
    }
    CHECK_EQ(h->net.counters.drop_arp + h->net.counters.drop_ethernet, 42);
}

TEST_MAIN(
    CASE(a_request_goes_once_a_second_and_silence_is_unreachable),
    CASE(a_second_attempt_asks_again_and_not_sooner_than_a_second),
    CASE(a_host_behind_the_gateway_is_reached_through_it),
    CASE(without_a_gateway_a_foreign_host_is_unreachable_at_once),
    CASE(addresses_nobody_has_are_refused),
    CASE(a_request_for_our_address_is_answered),
    CASE(scenario_28_a_changed_hardware_address_is_learned),
    CASE(packets_nobody_asked_for_make_no_entry),
    CASE(a_group_address_is_no_hosts_address),
    CASE(our_address_is_announced_on_link_up_and_defended),
    CASE(an_old_answer_is_asked_for_again_by_unicast_before_it_is_needed),
    CASE(an_open_connection_outlives_a_silent_neighbour),
    CASE(without_a_link_nobody_is_given_up),
    CASE(every_prefix_of_a_packet_is_dropped))
