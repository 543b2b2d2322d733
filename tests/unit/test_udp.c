// SPDX-License-Identifier: MIT
#include "net_host.h"

#include "coradio/udp.h"

#define SLOT_BYTES 1472
#define SLOTS      4

static struct host h_;
static struct cor_udp udp_;
static uint32_t memory_[SLOTS * SLOT_BYTES / 4];
static struct cor_udp_slot slots_[SLOTS];
static struct cor_udp_datagram got_;
static uint8_t got_bytes_[64];

static void receive(void *context, const struct cor_udp_datagram *datagram) {
    CHECK(context == &udp_);
    got_ = *datagram;
    memcpy(got_bytes_, datagram->data, datagram->size_bytes < 64 ? datagram->size_bytes : 64);
}

static struct host *begin(void) {
    struct host *h = &h_;
    struct cor_udp_config config = {
        .memory = (uint8_t *)memory_,
        .slot_bytes = SLOT_BYTES,
        .slot_count = SLOTS,
        .slots = slots_,
        .receive = receive,
        .context = &udp_,
    };

    start_net(h);
    memset(&got_, 0, sizeof(got_));
    cor_udp_init(&udp_, &h->net, &config);
    CHECK_EQ(cor_udp_connect(&udp_, PEER_ADDRESS, 5001, h->now_us), COR_OK);
    return h;
}

static struct host *begin_resolved(void) {
    struct host *h = begin();

    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    return h;
}

static bool put(struct host *h, uint32_t size, uint8_t first) {
    uint8_t *room;
    int32_t got = cor_udp_send_buf(&udp_, &room);

    if (got == 0) {
        return false;
    }
    CHECK_EQ(got, SLOT_BYTES);
    for (uint32_t i = 0; i < size; i++) {
        room[i] = (uint8_t)(first + i);
    }
    cor_udp_send_ack(&udp_, size, h->now_us);
    return true;
}

static void expect(struct host *h, uint32_t size, uint8_t first) {
    const uint8_t *at = h->frame + 34;

    CHECK(pull(h));
    CHECK_EQ(check_ip(h, 17), 8 + size);
    CHECK_EQ(get16(at), udp_.socket.local_port);
    CHECK_EQ(get16(at + 2), 5001);
    CHECK_EQ(get16(at + 4), 8 + size);
    CHECK(get16(at + 6) != 0);
    CHECK_EQ(transport_sum(h->frame + 14, 8 + size), 0xFFFF);
    CHECK_EQ(h->payload_bytes, size);
    for (uint32_t i = 0; i < size; i++) {
        CHECK_EQ(at[8 + i], (uint8_t)(first + i));
    }
}

static void deliver(struct host *h, uint32_t port, uint32_t size, bool checksum) {
    uint8_t *frame = new_frame(34 + 8 + size);
    uint8_t *at = frame + 34;

    put_ip(frame, 17, 8 + size);
    put16(at, 777);
    put16(at + 2, port);
    put16(at + 4, 8 + size);
    put16(at + 6, 0);
    for (uint32_t i = 0; i < size; i++) {
        at[8 + i] = (uint8_t)i;
    }
    if (checksum) {
        put16(at + 6, ~transport_sum(frame + 14, 8 + size));
    }
    CHECK_EQ(give(h, frame, 34 + 8 + size), port == udp_.socket.local_port ? size : 0);
}

TEST(datagrams_of_any_size_go_out) {
    struct host *h = begin_resolved();
    static const uint32_t sizes[] = {0, 1, 2, 3, 4, 5, 100, 1471, 1472};

    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        CHECK(put(h, sizes[i], (uint8_t)i));
        expect(h, sizes[i], (uint8_t)i);
        expect_nothing(h);
        CHECK_EQ(h->blocked, COR_METER_STATE_source);
        CHECK_EQ(cor_udp_pending(&udp_), 0);
    }
    CHECK_EQ(udp_.counters.datagrams_sent, 9);
    CHECK_EQ(udp_.counters.bytes_sent, udp_.counters.summed_bytes);
}

// RFC 768: a sum that comes out as zero is sent as all ones.
TEST(no_checksum_is_sent_as_zero) {
    struct host *h = begin_resolved();
    uint8_t *room;

    // Two bytes that make the sum come out as zero.
    CHECK(put(h, 2, 0));
    CHECK(pull(h));
    uint32_t rest = get16(h->frame + 40);
    rest += get16(h->frame + 42);
    rest = rest > 0xFFFF ? rest - 0xFFFF : rest;
    CHECK_EQ(cor_udp_send_buf(&udp_, &room), SLOT_BYTES);
    put16(room, rest);
    cor_udp_send_ack(&udp_, 2, h->now_us);
    CHECK(pull(h));
    CHECK_EQ(get16(h->frame + 40), 0xFFFF);
}

TEST(slots_are_used_again_when_the_frame_has_left) {
    struct host *h = begin_resolved();

    h->hold = true;
    for (uint32_t i = 0; i < SLOTS; i++) {
        CHECK(put(h, 10 + i, (uint8_t)i));
    }
    CHECK(!put(h, 1, 0));
    for (uint32_t i = 0; i < SLOTS; i++) {
        expect(h, 10 + i, (uint8_t)i);
    }
    CHECK(!put(h, 1, 0));
    expect_nothing(h);
    CHECK_EQ(h->blocked, COR_METER_STATE_no_buffer);
    CHECK_EQ(cor_udp_pending(&udp_), SLOTS);
    sent_all(h);
    CHECK(put(h, 1, 0));
    expect(h, 1, 0);
}

TEST(scenario_28_datagrams_wait_for_arp) {
    struct host *h = begin();

    for (uint32_t i = 0; i < SLOTS; i++) {
        CHECK(put(h, 10, (uint8_t)i));
    }
    CHECK(!put(h, 10, 0));
    expect_arp_request(h, PEER_ADDRESS);
    expect_nothing(h);
    answer_arp(h);
    for (uint32_t i = 0; i < SLOTS; i++) {
        expect(h, 10, (uint8_t)i);
    }
}

TEST(datagrams_to_nobody_are_dropped_and_counted_and_arp_is_asked_again) {
    struct host *h = begin();

    CHECK(put(h, 10, 0));
    CHECK(put(h, 10, 0));
    for (uint32_t i = 0; i < 4; i++) {
        expect_arp_request(h, PEER_ADDRESS);
        after(h, SECOND);
    }
    CHECK_EQ(udp_.counters.drop_unreachable, 2);
    CHECK_EQ(cor_udp_pending(&udp_), 0);
    expect_nothing(h);
    CHECK(put(h, 10, 5));
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    expect(h, 10, 5);
}

TEST(a_broadcast_needs_no_arp) {
    struct host *h = begin();

    CHECK_EQ(cor_udp_connect(&udp_, COR_IP4(10, 0, 0, 255), 9, h->now_us), COR_OK);
    CHECK(put(h, 10, 0));
    (void)pull(h);
    if (get16(h->frame + 12) == 0x0806) {
        CHECK(pull(h));
    }
    CHECK_BYTES(h->frame, all_mac, 6);
    CHECK_EQ(get32(h->frame + 30), COR_IP4(10, 0, 0, 255));
}

TEST(without_a_peer_nothing_can_be_sent) {
    struct host *h = &h_;
    uint8_t *room;
    struct cor_udp_config config = {
        .memory = (uint8_t *)memory_,
        .slot_bytes = SLOT_BYTES,
        .slot_count = SLOTS,
        .slots = slots_,
        .local_port = 1234,
    };

    start_net(h);
    cor_udp_init(&udp_, &h->net, &config);
    CHECK_EQ(cor_udp_send_buf(&udp_, &room), COR_E_STATE);
    CHECK_EQ(cor_udp_connect(&udp_, 0, 1, h->now_us), COR_E_ARG);
    // It receives all the same.
    deliver(h, 1234, 5, true);
    CHECK_EQ(udp_.counters.datagrams_discarded, 1);
}

TEST(datagrams_are_received_in_place) {
    struct host *h = begin();

    deliver(h, udp_.socket.local_port, 20, true);
    CHECK_EQ(got_.address, PEER_ADDRESS);
    CHECK_EQ(got_.port, 777);
    CHECK_EQ(got_.size_bytes, 20);
    CHECK_EQ(got_bytes_[19], 19);
    deliver(h, udp_.socket.local_port, 21, false);
    CHECK_EQ(got_.size_bytes, 21);
    CHECK_EQ(udp_.counters.bytes_received, 41);
    deliver(h, (uint16_t)(udp_.socket.local_port + 1), 5, true);
    CHECK_EQ(h->net.counters.drop_udp_port, 1);
}

TEST(a_release_waits_for_the_queue_of_the_bus) {
    struct host *h = begin_resolved();

    h->hold = true;
    CHECK(put(h, 10, 0));
    CHECK(put(h, 10, 0));
    expect(h, 10, 0);
    CHECK_EQ(cor_udp_release(&udp_), COR_AGAIN);
    sent_all(h);
    CHECK_EQ(cor_udp_release(&udp_), COR_OK);
    CHECK_EQ(h->net.socket_count, 0);
    expect_nothing(h);
}

TEST(an_icmp_error_is_counted) {
    struct host *h = begin_resolved();
    uint8_t *frame = new_frame(34 + 36);
    uint8_t *icmp = frame + 34;

    CHECK(put(h, 4, 0));
    expect(h, 4, 0);
    put_ip(frame, 1, 36);
    memset(icmp, 0, 8);
    icmp[0] = 3;
    icmp[1] = 3;
    memcpy(icmp + 8, h->frame + 14, 28);
    put16(icmp + 2, ~plain_sum(icmp, 36, 0));
    (void)give(h, frame, 34 + 36);
    CHECK_EQ(udp_.counters.unreachable, 1);
    CHECK_EQ(h->net.counters.icmp_errors, 1);
}

TEST_MAIN(
    CASE(datagrams_of_any_size_go_out),
    CASE(no_checksum_is_sent_as_zero),
    CASE(slots_are_used_again_when_the_frame_has_left),
    CASE(scenario_28_datagrams_wait_for_arp),
    CASE(datagrams_to_nobody_are_dropped_and_counted_and_arp_is_asked_again),
    CASE(a_broadcast_needs_no_arp),
    CASE(without_a_peer_nothing_can_be_sent),
    CASE(datagrams_are_received_in_place),
    CASE(a_release_waits_for_the_queue_of_the_bus),
    CASE(an_icmp_error_is_counted))
