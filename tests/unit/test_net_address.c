// SPDX-License-Identifier: MIT
// Another address at run time, conflicts over it, and UDP beyond one host: groups, ports, TTL.
#include "service_host.h"

#include "coradio/ping.h"
#include "coradio/udp.h"

#define NEW_ADDRESS COR_IP4(10, 0, 0, 77)
#define GROUP       COR_IP4(239, 1, 2, 3)

static struct host h_;
static struct cor_udp udp_;
static uint32_t memory_[2 * 64 / 4];
static struct cor_udp_slot slots_[2];
static struct cor_udp_datagram got_;
static uint32_t got_count_;
static uint32_t conflicts_;
static const uint8_t other_mac[6] = {0x02, 0, 0, 0, 0, 0x77};

static void receive(void *context, const struct cor_udp_datagram *datagram) {
    (void)context;
    got_ = *datagram;
    got_count_++;
}

static void conflict(void *context, uint64_t now_us) {
    CHECK(context == &h_);
    CHECK_EQ(now_us, h_.now_us);
    conflicts_++;
}

static uint64_t poll_nothing(struct host *h) {
    (void)h;
    return COR_NET_NEVER;
}

static void open_udp(struct host *h) {
    struct cor_udp_config config = {
        .memory = (uint8_t *)memory_,
        .slot_bytes = 64,
        .slot_count = 2,
        .slots = slots_,
        .local_port = 4000,
        .receive = receive,
    };

    got_count_ = 0;
    cor_udp_init(&udp_, &h->net, &config);
}

static void send_text(struct host *h, const char *text) {
    uint8_t *room;
    uint32_t size = (uint32_t)strlen(text);

    CHECK_EQ(cor_udp_send_buf(&udp_, &room), 64);
    memcpy(room, text, size);
    cor_udp_send_ack(&udp_, size, h->now_us);
}

TEST(a_new_address_ends_connections_and_is_announced) {
    struct host *h = &h_;

    start(h);
    cor_net_set_address(&h->net, NEW_ADDRESS, 0xFFFFFF00, 0, h->now_us);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_CLOSED);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_ABORTED);
    CHECK(pull(h));
    check_arp(h, NEW_ADDRESS, NEW_ADDRESS);
    expect_nothing(h);
    // A segment of the old connection is no business of ours any more.
    SEND(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_EQ(h->net.counters.drop_ip_address, 1);
    expect_nothing(h);
    // The next connection is made from the new address, and asks for the host anew.
    CHECK_EQ(cor_tcp_connect(&h->tcp, PEER_ADDRESS, PEER_PORT, h->now_us), COR_OK);
    CHECK(next_frame_within(h, poll_nothing, SECOND));
    check_arp(h, NEW_ADDRESS, PEER_ADDRESS);
    answer_arp(h);
    CHECK(pull(h));
    CHECK_EQ(get32(h->frame + 26), NEW_ADDRESS);
    CHECK_EQ(h->frame[47], SYN);
}

TEST(the_same_address_changes_nothing) {
    struct host *h = &h_;

    start(h);
    cor_net_set_address(&h->net, OUR_ADDRESS, 0xFFFFFF00, COR_IP4(10, 0, 0, 254), h->now_us);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
    expect_nothing(h);
}

TEST(a_new_gateway_keeps_connections_that_it_can_carry) {
    struct host *h = &h_;

    start(h);
    cor_net_set_address(&h->net, OUR_ADDRESS, 0xFFFFFF00, COR_IP4(10, 0, 0, 9), h->now_us);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
    CHECK_EQ(fill(h, 100), 100);
    CHECK(pull(h));
    check_arp(h, OUR_ADDRESS, PEER_ADDRESS);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
    // Now the peer is not on the link, and there is no way to it.
    cor_net_set_address(&h->net, OUR_ADDRESS, 0xFFFFFFFF, 0, h->now_us);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_CLOSED);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_UNREACHABLE);
}

TEST(a_udp_socket_goes_on_from_the_new_address) {
    struct host *h = &h_;

    start_net(h);
    open_udp(h);
    CHECK_EQ(cor_udp_connect(&udp_, PEER_ADDRESS, 9, h->now_us), COR_OK);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    send_text(h, "one");
    cor_net_set_address(&h->net, NEW_ADDRESS, 0xFFFFFF00, 0, h->now_us);
    CHECK(pull(h));
    check_arp(h, NEW_ADDRESS, PEER_ADDRESS);
    CHECK(pull(h));
    check_arp(h, NEW_ADDRESS, NEW_ADDRESS);
    expect_nothing(h);  // not with the old source
    answer_arp(h);
    CHECK(pull(h));
    struct dgram d = read_udp(h);
    CHECK_EQ(d.from, NEW_ADDRESS);
    CHECK_BYTES(d.data, "one", 3);
}

TEST(a_ping_goes_on_from_the_new_address) {
    static struct cor_ping ping;
    struct cor_ping_config config = {.payload = (uint8_t *)memory_, .payload_room_bytes = 64};
    struct cor_ping_plan plan = {.payload_bytes = 8, .interval_us = SECOND};
    struct host *h = &h_;

    start_net(h);
    cor_ping_init(&ping, &h->net, &config);
    CHECK_EQ(cor_ping_start(&ping, PEER_ADDRESS, &plan, h->now_us), COR_OK);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    CHECK(pull(h));
    CHECK_EQ(get32(h->frame + 26), OUR_ADDRESS);
    cor_net_set_address(&h->net, NEW_ADDRESS, 0xFFFFFF00, 0, h->now_us);
    after(h, SECOND);
    CHECK(pull(h));
    check_arp(h, NEW_ADDRESS, PEER_ADDRESS);
    answer_arp(h);
    CHECK(pull(h));
    check_arp(h, NEW_ADDRESS, NEW_ADDRESS);
    CHECK(pull(h));
    CHECK_EQ(get32(h->frame + 26), NEW_ADDRESS);
}

TEST(without_an_address_nothing_is_answered) {
    struct host *h = &h_;

    start_bare_net(h);
    give_arp(h, 1, other_mac, PEER_ADDRESS, 0);
    give_arp(h, 1, other_mac, 0, 0);
    expect_nothing(h);
    // A packet to nobody.
    struct dgram d = {.from = PEER_ADDRESS, .to = 0, .from_port = 1, .to_port = 2};
    give_udp(h, &d);
    CHECK_EQ(h->net.counters.drop_ip_address, 1);
    set_link(h, true);
    expect_nothing(h);
}

TEST(an_address_is_defended_once_in_ten_seconds_and_then_the_owner_is_told) {
    struct host *h = &h_;

    start_net(h);
    conflicts_ = 0;
    h->net.conflict = conflict;
    h->net.conflict_context = h;
    give_arp(h, 2, other_mac, OUR_ADDRESS, 0);
    CHECK(pull(h));
    check_arp(h, OUR_ADDRESS, OUR_ADDRESS);
    CHECK_EQ(conflicts_, 0);
    h->now_us += 10 * SECOND - 1;
    give_arp(h, 2, other_mac, OUR_ADDRESS, 0);
    expect_nothing(h);
    CHECK_EQ(conflicts_, 1);
    h->now_us += 10 * SECOND;
    give_arp(h, 2, other_mac, OUR_ADDRESS, 0);
    CHECK(pull(h));
    CHECK_EQ(conflicts_, 1);
}

TEST(a_datagram_to_a_group_needs_no_arp_and_goes_to_the_next_router_at_most) {
    struct host *h = &h_;
    struct dgram d;

    start_net(h);
    open_udp(h);
    CHECK_EQ(cor_udp_connect(&udp_, GROUP, 9, h->now_us), COR_OK);
    send_text(h, "all");
    CHECK(pull(h));
    d = read_udp(h);
    CHECK_BYTES(d.mac, "\x01\0\x5E\1\2\3", 6);
    CHECK_EQ(d.to, GROUP);
    CHECK_EQ(h->frame[14 + 8], 1);
    cor_udp_set_ttl(&udp_, 255);
    CHECK_EQ(cor_udp_connect(&udp_, GROUP, 9, h->now_us), COR_OK);
    send_text(h, "all");
    CHECK(pull(h));
    (void)read_udp(h);
    CHECK_EQ(h->frame[14 + 8], 255);
}

TEST(a_socket_can_have_another_port_and_take_back_what_waits) {
    struct dgram d = {.from = PEER_ADDRESS, .to = OUR_ADDRESS, .from_port = 9, .to_port = 4000};
    struct host *h = &h_;

    start_net(h);
    open_udp(h);
    give_udp(h, &d);
    CHECK_EQ(got_count_, 1);
    CHECK_EQ(got_.to, OUR_ADDRESS);
    CHECK_EQ(got_.now_us, h->now_us);
    CHECK_EQ(cor_udp_connect(&udp_, PEER_ADDRESS, 9, h->now_us), COR_OK);
    send_text(h, "x");
    CHECK_EQ(cor_udp_bind(&udp_, 4001), COR_E_STATE);
    cor_udp_cancel(&udp_);
    CHECK_EQ(udp_.counters.cancelled, 1);
    CHECK_EQ(cor_udp_pending(&udp_), 0);
    CHECK_EQ(cor_udp_bind(&udp_, 4001), COR_OK);
    give_udp(h, &d);
    CHECK_EQ(got_count_, 1);
    d.to_port = 4001;
    give_udp(h, &d);
    CHECK_EQ(got_count_, 2);
    CHECK_EQ(cor_udp_bind(&udp_, 0), COR_OK);
    d.to_port = 0;
    give_udp(h, &d);
    CHECK_EQ(got_count_, 2);
}

TEST(what_the_bus_has_cannot_be_taken_back) {
    struct host *h = &h_;

    start_net(h);
    open_udp(h);
    CHECK_EQ(cor_udp_connect(&udp_, GROUP, 9, h->now_us), COR_OK);
    h->hold = true;
    send_text(h, "one");
    send_text(h, "two");
    CHECK(pull(h));
    cor_udp_cancel(&udp_);
    CHECK_EQ(cor_udp_pending(&udp_), 1);
    CHECK_EQ(cor_udp_bind(&udp_, 4001), COR_E_STATE);
    sent_all(h);
    CHECK_EQ(cor_udp_pending(&udp_), 0);
    h->hold = false;
    send_text(h, "three");
    CHECK(pull(h));
    CHECK_BYTES(read_udp(h).data, "three", 5);
}

TEST_MAIN(
    CASE(a_new_address_ends_connections_and_is_announced),
    CASE(the_same_address_changes_nothing),
    CASE(a_new_gateway_keeps_connections_that_it_can_carry),
    CASE(a_udp_socket_goes_on_from_the_new_address),
    CASE(a_ping_goes_on_from_the_new_address),
    CASE(without_an_address_nothing_is_answered),
    CASE(an_address_is_defended_once_in_ten_seconds_and_then_the_owner_is_told),
    CASE(a_datagram_to_a_group_needs_no_arp_and_goes_to_the_next_router_at_most),
    CASE(a_socket_can_have_another_port_and_take_back_what_waits),
    CASE(what_the_bus_has_cannot_be_taken_back))
