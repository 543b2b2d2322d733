// SPDX-License-Identifier: MIT
// UDP without a peer: datagrams to any host, those that wait for a hardware address, errors told.
#include "service_host.h"

#include "coradio/udp.h"

#define SLOTS      8
#define SLOT_BYTES 1472
#define OUR_PORT   4000
#define HOST(n)    COR_IP4(10, 0, 0, n)

static struct host h_;
static struct cor_udp udp_;
static uint32_t memory_[SLOTS * SLOT_BYTES / 4];
static struct cor_udp_slot slots_[SLOTS];
static struct cor_udp_error error_;
static uint32_t error_count_;
static uint32_t received_;

static void receive(void *context, const struct cor_udp_datagram *datagram) {
    const uint8_t *data = datagram->data;

    (void)context;
    received_ += datagram->size_bytes;
    // The sender is answered from inside the call.
    if (datagram->size_bytes > 0 && data[0] == '?') {
        CHECK_EQ(
            cor_udp_send_to(&udp_, datagram->address, datagram->port, "!", 1, datagram->now_us),
            COR_OK);
    }
}

static void take_error(void *context, const struct cor_udp_error *error) {
    CHECK(context == &h_);
    error_ = *error;
    error_count_++;
}

static struct host *begin(void) {
    struct host *h = &h_;
    const struct cor_udp_config config = {
        .memory = (uint8_t *)memory_,
        .slot_bytes = SLOT_BYTES,
        .slot_count = SLOTS,
        .slots = slots_,
        .local_port = OUR_PORT,
        .receive = receive,
        .context = h,
        .error = take_error,
    };

    start_net(h);
    memset(&error_, 0, sizeof(error_));
    error_count_ = 0;
    received_ = 0;
    cor_udp_init(&udp_, &h->net, &config);
    return h;
}

static const uint8_t *mac_of(uint32_t address) {
    static uint8_t mac[6] = {0x02, 0, 0, 0, 0x11, 0};

    mac[5] = (uint8_t)address;
    return mac;
}

static void answer(struct host *h, uint32_t address) {
    give_arp(h, 2, mac_of(address), address, OUR_ADDRESS);
}

static void put(struct host *h, uint32_t address, uint16_t port, const char *text) {
    CHECK_EQ(
        cor_udp_send_to(&udp_, address, port, text, (uint32_t)strlen(text), h->now_us), COR_OK);
}

static void expect(struct host *h, uint32_t address, uint16_t port, const char *text) {
    CHECK(pull(h));
    struct dgram d = read_udp(h);
    CHECK_EQ(d.from, OUR_ADDRESS);
    CHECK_EQ(d.from_port, OUR_PORT);
    CHECK_EQ(d.to, address);
    CHECK_EQ(d.to_port, port);
    CHECK_EQ(d.size, strlen(text));
    CHECK_BYTES(d.data, text, d.size);
}

TEST(datagrams_go_to_several_hosts_in_order) {
    struct host *h = begin();

    put(h, HOST(11), 1, "a");
    put(h, HOST(12), 2, "bb");
    put(h, HOST(11), 3, "ccc");
    CHECK(pull(h) && is_arp(h) && pull(h) && is_arp(h));
    expect_nothing(h);
    answer(h, HOST(11));
    answer(h, HOST(12));
    expect(h, HOST(11), 1, "a");
    CHECK_BYTES(h->frame, mac_of(11), 6);
    expect(h, HOST(12), 2, "bb");
    CHECK_BYTES(h->frame, mac_of(12), 6);
    expect(h, HOST(11), 3, "ccc");
    expect_nothing(h);
    CHECK_EQ(udp_.counters.datagrams_sent, 3);
    CHECK_EQ(cor_udp_pending(&udp_), 0);
    put(h, HOST(12), 4, "");
    expect(h, HOST(12), 4, "");
}

TEST(every_slot_is_used_and_order_is_kept_over_many_rounds) {
    struct host *h = begin();
    char text[16];
    uint32_t next = 0;
    uint32_t expected = 0;

    put(h, HOST(11), 1, "0");
    expect_arp_request(h, HOST(11));
    answer(h, HOST(11));
    expect(h, HOST(11), 1, "0");
    // The order's number wraps at 65536.
    for (uint32_t round = 0; round < 20000; round++) {
        for (uint32_t i = 0; i < 1 + round % SLOTS; i++) {
            (void)snprintf(text, sizeof(text), "%u", next++);
            put(h, HOST(11), 1, text);
        }
        while (expected < next) {
            (void)snprintf(text, sizeof(text), "%u", expected++);
            expect(h, HOST(11), 1, text);
        }
    }
    CHECK(next > 70000);
}

TEST(slots_come_back_when_the_frames_have_left) {
    struct host *h = begin();

    put(h, HOST(11), 1, "0");
    expect_arp_request(h, HOST(11));
    answer(h, HOST(11));
    expect(h, HOST(11), 1, "0");
    h->hold = true;
    for (uint32_t i = 0; i < SLOTS; i++) {
        put(h, HOST(11), 1, "x");
        expect(h, HOST(11), 1, "x");
    }
    CHECK_EQ(cor_udp_send_to(&udp_, HOST(11), 1, "y", 1, h->now_us), COR_AGAIN);
    // A peer can be named only when all have left.
    CHECK_EQ(cor_udp_connect(&udp_, HOST(11), 1, h->now_us), COR_E_STATE);
    CHECK_EQ(cor_udp_release(&udp_), COR_AGAIN);
    sent_all(h);
    CHECK_EQ(cor_udp_release(&udp_), COR_OK);
}

TEST(a_peer_and_any_host_take_turns) {
    struct host *h = begin();

    put(h, HOST(11), 1, "any");
    expect_arp_request(h, HOST(11));
    answer(h, HOST(11));
    expect(h, HOST(11), 1, "any");
    CHECK_EQ(cor_udp_connect(&udp_, HOST(11), 9, h->now_us), COR_OK);
    CHECK_EQ(cor_udp_send_to(&udp_, HOST(12), 1, "x", 1, h->now_us), COR_E_STATE);
    CHECK_EQ(cor_udp_send(&udp_, "peer", 4, h->now_us), COR_OK);
    h->hold = true;
    expect(h, HOST(11), 9, "peer");
    cor_udp_disconnect(&udp_);
    CHECK_EQ(cor_udp_send(&udp_, "x", 1, h->now_us), COR_E_STATE);
    // What went to the peer is still in the queue of the bus.
    CHECK_EQ(cor_udp_send_to(&udp_, HOST(11), 1, "x", 1, h->now_us), COR_AGAIN);
    sent_all(h);
    h->hold = false;
    put(h, HOST(11), 2, "again");
    expect(h, HOST(11), 2, "again");
    CHECK_EQ(cor_udp_connect(&udp_, HOST(11), 9, h->now_us), COR_OK);
    CHECK_EQ(cor_udp_send(&udp_, "peer", 4, h->now_us), COR_OK);
    expect(h, HOST(11), 9, "peer");
}

// --- Waiting for a hardware address ---

TEST(scenario_28_the_last_three_wait_for_an_unknown_host) {
    struct host *h = begin();

    put(h, HOST(11), 1, "1");
    put(h, HOST(11), 1, "2");
    put(h, HOST(11), 1, "3");
    put(h, HOST(11), 1, "4");
    put(h, HOST(11), 1, "5");
    CHECK_EQ(udp_.counters.drop_unresolved, 2);
    CHECK_EQ(cor_udp_pending(&udp_), 3);
    expect_arp_request(h, HOST(11));
    expect_nothing(h);
    answer(h, HOST(11));
    expect(h, HOST(11), 1, "3");
    expect(h, HOST(11), 1, "4");
    expect(h, HOST(11), 1, "5");
    expect_nothing(h);
}

TEST(scenario_28_a_host_that_does_not_answer_stops_no_other) {
    struct host *h = begin();
    uint64_t from_us = h->now_us;

    put(h, HOST(12), 1, "first");
    expect_arp_request(h, HOST(12));
    answer(h, HOST(12));
    expect(h, HOST(12), 1, "first");
    put(h, HOST(11), 5, "lost");
    for (uint32_t i = 0; i < 4; i++) {
        expect_arp_request(h, HOST(11));
        put(h, HOST(12), 1, "more");
        expect(h, HOST(12), 1, "more");
        CHECK_EQ(error_count_, 0);
        after(h, SECOND);
    }
    CHECK_EQ(h->now_us, from_us + 4 * SECOND);
    CHECK_EQ(udp_.counters.drop_unreachable, 1);
    CHECK_EQ(error_count_, 1);
    CHECK_EQ(error_.status, COR_E_UNREACHABLE);
    CHECK_EQ(error_.address, HOST(11));
    CHECK_EQ(error_.port, 5);
    CHECK(!error_.icmp);
    CHECK_EQ(cor_udp_pending(&udp_), 0);
    // The next one asks again.
    put(h, HOST(11), 5, "now");
    expect_arp_request(h, HOST(11));
    answer(h, HOST(11));
    expect(h, HOST(11), 5, "now");
}

TEST(scenario_28_a_changed_hardware_address_is_used) {
    static const uint8_t other[6] = {0x02, 0, 0, 0, 0x22, 0};
    struct host *h = begin();

    put(h, HOST(11), 1, "a");
    expect_arp_request(h, HOST(11));
    answer(h, HOST(11));
    expect(h, HOST(11), 1, "a");
    put(h, HOST(11), 1, "b");
    give_arp(h, 1, other, HOST(11), HOST(11));
    expect(h, HOST(11), 1, "b");
    CHECK_BYTES(h->frame, other, 6);
}

TEST(a_host_used_lately_is_asked_for_again_before_it_is_forgotten) {
    struct host *h = begin();

    put(h, HOST(11), 1, "a");
    expect_arp_request(h, HOST(11));
    answer(h, HOST(11));
    expect(h, HOST(11), 1, "a");
    after(h, 200 * SECOND);
    put(h, HOST(11), 1, "b");
    expect(h, HOST(11), 1, "b");
    after(h, 100 * SECOND);
    expect_arp_request(h, HOST(11));
    CHECK_BYTES(h->frame, mac_of(11), 6);
    put(h, HOST(11), 1, "c");
    expect(h, HOST(11), 1, "c");
    answer(h, HOST(11));
    // Not used any more, it is forgotten without a word.
    after(h, 700 * SECOND);
    while (pull(h)) {
        CHECK(is_arp(h));
        answer(h, HOST(11));
    }
    after(h, 700 * SECOND);
    expect_nothing(h);
    CHECK(cor_net_poll(&h->net, h->now_us) == COR_NET_NEVER);
}

TEST(more_hosts_than_neighbours_lose_the_ones_unused_longest) {
    struct host *h = begin();

    for (uint32_t i = 0; i < COR_NET_NEIGHBOURS + 4; i++) {
        put(h, HOST(20 + i), 1, "x");
        expect_arp_request(h, HOST(20 + i));
        answer(h, HOST(20 + i));
        expect(h, HOST(20 + i), 1, "x");
        after(h, MS);
    }
    put(h, HOST(20 + COR_NET_NEIGHBOURS), 1, "known");
    expect(h, HOST(20 + COR_NET_NEIGHBOURS), 1, "known");
    put(h, HOST(20), 1, "forgotten");
    expect_arp_request(h, HOST(20));
    expect_nothing(h);
}

TEST(a_new_address_keeps_what_still_has_a_way) {
    struct host *h = begin();

    put(h, HOST(11), 1, "stays");
    put(h, COR_IP4(8, 8, 8, 8), 1, "goes");
    cor_net_set_address(&h->net, HOST(99), 0xFFFFFF00, 0, h->now_us);
    CHECK_EQ(udp_.counters.drop_unreachable, 1);
    CHECK_EQ(cor_udp_pending(&udp_), 1);
    after(h, SECOND);
    while (pull(h)) {
        CHECK(is_arp(h));
    }
    answer(h, HOST(11));
    CHECK(pull(h));
    CHECK_EQ(read_udp(h).from, HOST(99));
}

TEST(without_a_link_nothing_is_given_up) {
    struct host *h = begin();

    put(h, HOST(11), 1, "a");
    expect_arp_request(h, HOST(11));
    set_link(h, false);
    after(h, 30 * SECOND);
    CHECK_EQ(cor_udp_pending(&udp_), 1);
    set_link(h, true);
    CHECK(pull(h) && pull(h));  // the announcement and the request, in either order
    answer(h, HOST(11));
    expect(h, HOST(11), 1, "a");
}

TEST(a_cancel_takes_back_what_waits) {
    struct host *h = begin();

    put(h, HOST(11), 1, "a");
    put(h, HOST(12), 1, "b");
    cor_udp_cancel(&udp_);
    CHECK_EQ(udp_.counters.cancelled, 2);
    CHECK_EQ(cor_udp_pending(&udp_), 0);
    CHECK(pull(h) && is_arp(h) && pull(h) && is_arp(h));
    answer(h, HOST(11));
    expect_nothing(h);
}

// --- What is refused ---

TEST(impossible_addresses_ports_and_sizes_are_refused) {
    static uint8_t data[SLOT_BYTES + 1];
    struct host *h = begin();
    uint8_t *room;

    CHECK_EQ(cor_udp_send_to(&udp_, 0, 1, data, 1, h->now_us), COR_E_ARG);
    CHECK_EQ(cor_udp_send_to(&udp_, OUR_ADDRESS, 1, data, 1, h->now_us), COR_E_ARG);
    CHECK_EQ(cor_udp_send_to(&udp_, HOST(11), 0, data, 1, h->now_us), COR_E_ARG);
    CHECK_EQ(cor_udp_send_to(&udp_, HOST(11), 1, data, sizeof(data), h->now_us), COR_E_SIZE);
    CHECK_EQ(cor_udp_send_to_buf(&udp_, &room), SLOT_BYTES);
    CHECK_EQ(cor_udp_send_to_ack(&udp_, HOST(11), 1, SLOT_BYTES + 1, h->now_us), COR_E_SIZE);
    h->net.config.gateway = 0;
    CHECK_EQ(cor_udp_send_to(&udp_, COR_IP4(8, 8, 8, 8), 1, data, 1, h->now_us), COR_E_UNREACHABLE);
    CHECK_EQ(cor_udp_connect(&udp_, HOST(11), 0, h->now_us), COR_E_ARG);
    CHECK_EQ(cor_udp_connect(&udp_, HOST(11), 1, h->now_us), COR_OK);
    CHECK_EQ(cor_udp_send(&udp_, data, sizeof(data), h->now_us), COR_E_SIZE);
    cor_udp_disconnect(&udp_);
    CHECK_EQ(cor_udp_bind(&udp_, 0), COR_OK);
    CHECK_EQ(cor_udp_send_to(&udp_, HOST(11), 1, data, 1, h->now_us), COR_E_STATE);
    CHECK_EQ(cor_udp_pending(&udp_), 0);
    (void)pull(h);
    expect_nothing(h);
}

TEST(the_largest_datagram_fills_a_frame) {
    static uint8_t data[SLOT_BYTES];
    struct host *h = begin();

    CHECK_EQ(cor_udp_send_to(&udp_, HOST(255), 7, data, SLOT_BYTES, h->now_us), COR_OK);
    CHECK(pull(h));
    CHECK_EQ(h->frame_bytes, 1514);
    CHECK_EQ(read_udp(h).size, SLOT_BYTES);
}

// --- Groups, and from inside a callback ---

TEST(broadcasts_and_groups_need_no_arp) {
    struct host *h = begin();

    put(h, 0xFFFFFFFF, 7, "all");
    expect(h, 0xFFFFFFFF, 7, "all");
    CHECK_BYTES(h->frame, all_mac, 6);
    CHECK_EQ(h->frame[14 + 8], 64);
    put(h, HOST(255), 7, "net");
    expect(h, HOST(255), 7, "net");
    CHECK_BYTES(h->frame, all_mac, 6);
    put(h, COR_IP4(239, 129, 2, 3), 7, "group");
    expect(h, COR_IP4(239, 129, 2, 3), 7, "group");
    CHECK_BYTES(h->frame, "\x01\x00\x5E\x01\x02\x03", 6);
    CHECK_EQ(h->frame[14 + 8], 1);
    cor_udp_set_ttl(&udp_, 9);
    put(h, COR_IP4(239, 129, 2, 3), 7, "group");
    CHECK(pull(h));
    CHECK_EQ(h->frame[14 + 8], 9);
}

TEST(a_question_is_answered_from_inside_the_callback) {
    struct host *h = begin();
    struct dgram d = {
        .from = HOST(11),
        .to = OUR_ADDRESS,
        .from_port = 53,
        .to_port = OUR_PORT,
        .data = (const uint8_t *)"?",
        .size = 1,
    };

    give_udp(h, &d);
    expect_arp_request(h, HOST(11));
    answer(h, HOST(11));
    expect(h, HOST(11), 53, "!");
    // To everybody: taken as well.
    d.to = HOST(255);
    d.mac = all_mac;
    give_udp(h, &d);
    expect(h, HOST(11), 53, "!");
    CHECK_EQ(received_, 2);
}

// RFC 768: no checksum was computed. One that is wrong is no excuse.
TEST(a_checksum_of_zero_is_taken_and_a_wrong_one_is_not) {
    struct host *h = begin();
    struct dgram d = {
        .from = HOST(11),
        .to = OUR_ADDRESS,
        .from_port = 53,
        .to_port = OUR_PORT,
        .data = (const uint8_t *)"abc",
        .size = 3,
    };

    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *frame = new_frame(45);

        put_udp(frame, &d);
        put16(frame + 40, i == 0 ? 0 : get16(frame + 40) ^ 1);
        (void)give(h, frame, 45);
    }
    CHECK_EQ(received_, 3);
    CHECK_EQ(h->net.counters.drop_udp, 1);
    expect_nothing(h);  // a damaged one is not answered
}

TEST(ports_given_out_are_not_in_a_row) {
    static struct cor_udp sockets[20];
    struct host *h = begin();
    uint32_t in_a_row = 0;

    for (uint32_t i = 0; i < 20; i++) {
        const struct cor_udp_config config = {
            .memory = (uint8_t *)memory_,
            .slot_bytes = 64,
            .slot_count = 1,
            .slots = slots_,
        };

        cor_udp_init(&sockets[i], &h->net, &config);
        CHECK(sockets[i].socket.local_port >= 49152);
        for (uint32_t k = 0; k < i; k++) {
            CHECK(sockets[k].socket.local_port != sockets[i].socket.local_port);
        }
        in_a_row +=
            i > 0 &&
            (uint16_t)(sockets[i].socket.local_port - sockets[i - 1].socket.local_port) < 64;
    }
    CHECK(in_a_row < 3);
}

TEST_MAIN(
    CASE(datagrams_go_to_several_hosts_in_order),
    CASE(every_slot_is_used_and_order_is_kept_over_many_rounds),
    CASE(slots_come_back_when_the_frames_have_left),
    CASE(a_peer_and_any_host_take_turns),
    CASE(scenario_28_the_last_three_wait_for_an_unknown_host),
    CASE(scenario_28_a_host_that_does_not_answer_stops_no_other),
    CASE(scenario_28_a_changed_hardware_address_is_used),
    CASE(a_host_used_lately_is_asked_for_again_before_it_is_forgotten),
    CASE(more_hosts_than_neighbours_lose_the_ones_unused_longest),
    CASE(a_new_address_keeps_what_still_has_a_way),
    CASE(without_a_link_nothing_is_given_up),
    CASE(a_cancel_takes_back_what_waits),
    CASE(impossible_addresses_ports_and_sizes_are_refused),
    CASE(the_largest_datagram_fills_a_frame),
    CASE(broadcasts_and_groups_need_no_arp),
    CASE(a_question_is_answered_from_inside_the_callback),
    CASE(a_checksum_of_zero_is_taken_and_a_wrong_one_is_not),
    CASE(ports_given_out_are_not_in_a_row))
