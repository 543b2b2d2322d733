// SPDX-License-Identifier: MIT
#include "net_host.h"

#include "coradio/ping.h"

static struct host h_;
static struct cor_ping ping_;
static uint32_t payload_[1472 / 4];
static struct cor_ping_result results_[64];
static uint32_t result_count_;

static void result(void *context, const struct cor_ping_result *got) {
    CHECK(context == &ping_ && result_count_ < 64);
    results_[result_count_++] = *got;
}

static enum cor_status start_ping(
    struct host *h, uint16_t payload_bytes, uint64_t interval_us, uint32_t count) {
    struct cor_ping_plan plan = {
        .payload_bytes = payload_bytes,
        .interval_us = interval_us,
        .count = count,
    };

    return cor_ping_start(&ping_, PEER_ADDRESS, &plan, h->now_us);
}

static struct host *begin(void) {
    struct host *h = &h_;
    struct cor_ping_config config = {
        .payload = (uint8_t *)payload_,
        .payload_room_bytes = sizeof(payload_),
        .result = result,
        .context = &ping_,
    };

    start_net(h);
    result_count_ = 0;
    cor_ping_init(&ping_, &h->net, &config);
    return h;
}

static void expect_request(struct host *h, uint32_t seq, uint32_t payload_bytes) {
    const uint8_t *icmp = h->frame + 34;

    CHECK(pull(h));
    CHECK_EQ(check_ip(h, 1), 8 + payload_bytes);
    CHECK_EQ(plain_sum(icmp, 8 + payload_bytes, 0), 0xFFFF);
    CHECK_EQ(icmp[0], 8);
    CHECK_EQ(get16(icmp + 6), seq);
}

// The last frame pulled, sent back as a reply.
static void reply(struct host *h) {
    uint32_t size = h->frame_bytes;
    uint8_t *frame = new_frame(size);
    uint8_t *icmp = frame + 34;

    put_ip(frame, 1, size - 34);
    memcpy(icmp, h->frame + 34, size - 34);
    icmp[0] = 0;
    put16(icmp + 2, 0);
    put16(icmp + 2, ~plain_sum(icmp, size - 34, 0));
    CHECK_EQ(give(h, frame, size), 0);
}

TEST(each_reply_is_reported_with_its_round_trip) {
    struct host *h = begin();
    uint64_t from_us = h->now_us;

    CHECK_EQ(start_ping(h, 56, SECOND, 3), COR_OK);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    for (uint32_t i = 0; i < 3; i++) {
        at(h, from_us + i * SECOND);
        expect_request(h, i, 56);
        expect_nothing(h);
        after(h, 12 * MS + i);
        reply(h);
        CHECK_EQ(result_count_, i + 1);
        CHECK_EQ(results_[i].seq, i);
        CHECK(!results_[i].lost);
        CHECK_EQ(results_[i].rtt_us, 12000 + i);
        CHECK_EQ(cor_ping_busy(&ping_), i < 2);
        expect_nothing(h);
    }
    after(h, 10 * SECOND);
    expect_nothing(h);
    CHECK_EQ(ping_.counters.replies_received, 3);
}

TEST(a_reply_that_does_not_come_is_lost_after_5_seconds) {
    struct host *h = begin();

    CHECK_EQ(start_ping(h, 56, SECOND, 1), COR_OK);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    expect_request(h, 0, 56);
    after(h, 5 * SECOND - 1);
    CHECK_EQ(result_count_, 0);
    after(h, 1);
    CHECK_EQ(result_count_, 1);
    CHECK(results_[0].lost);
    CHECK(!cor_ping_busy(&ping_));
    reply(h);
    CHECK_EQ(result_count_, 1);
    CHECK_EQ(ping_.counters.drop_reply, 1);
}

TEST(replies_may_come_late_and_in_any_order_and_count_once) {
    struct host *h = begin();

    CHECK_EQ(start_ping(h, 8, 100 * MS, 2), COR_OK);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    expect_request(h, 0, 8);
    struct host first = *h;
    after(h, 100 * MS);
    expect_request(h, 1, 8);
    after(h, 10 * MS);
    reply(h);
    memcpy(h->frame, first.frame, sizeof(h->frame));
    reply(h);
    reply(h);
    CHECK_EQ(result_count_, 2);
    CHECK_EQ(results_[0].seq, 1);
    CHECK_EQ(results_[0].rtt_us, 10000);
    CHECK_EQ(results_[1].seq, 0);
    CHECK_EQ(results_[1].rtt_us, 110000);
    CHECK_EQ(ping_.counters.drop_reply, 1);
}

TEST(a_reply_with_other_bytes_does_not_count) {
    struct host *h = begin();

    CHECK_EQ(start_ping(h, 8, SECOND, 1), COR_OK);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    expect_request(h, 0, 8);
    h->frame[34 + 8 + 3] ^= 1;
    reply(h);
    CHECK_EQ(result_count_, 0);
    h->frame[34 + 8 + 3] ^= 1;
    h->frame_bytes -= 1;
    reply(h);
    CHECK_EQ(result_count_, 0);
}

TEST(a_host_that_is_not_there_loses_every_request) {
    struct host *h = begin();

    CHECK_EQ(start_ping(h, 8, SECOND, 2), COR_OK);
    for (uint32_t i = 0; i < 20 && cor_ping_busy(&ping_); i++) {
        while (pull(h)) {
            CHECK_EQ(get16(h->frame + 12), 0x0806);
        }
        after(h, SECOND);
    }
    CHECK_EQ(result_count_, 2);
    CHECK(results_[0].lost && results_[1].lost);
}

TEST(it_can_be_stopped_and_started_again) {
    struct host *h = begin();

    CHECK_EQ(start_ping(h, 8, 100 * MS, 0), COR_OK);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    for (uint32_t i = 0; i < 20; i++) {
        expect_request(h, i, 8);
        reply(h);
        after(h, 100 * MS);
    }
    cor_ping_stop(&ping_);
    expect_nothing(h);
    CHECK(!cor_ping_busy(&ping_));
    CHECK_EQ(start_ping(h, 1472, SECOND, 1), COR_OK);
    expect_request(h, 0, 1472);
    CHECK_EQ(cor_ping_release(&ping_), COR_OK);
}

TEST(what_does_not_fit_is_refused) {
    struct host *h = begin();

    CHECK_EQ(start_ping(h, 1473, SECOND, 1), COR_E_ARG);
    CHECK_EQ(start_ping(h, 8, 0, 1), COR_E_ARG);
    expect_nothing(h);
}

TEST_MAIN(
    CASE(each_reply_is_reported_with_its_round_trip),
    CASE(a_reply_that_does_not_come_is_lost_after_5_seconds),
    CASE(replies_may_come_late_and_in_any_order_and_count_once),
    CASE(a_reply_with_other_bytes_does_not_count),
    CASE(a_host_that_is_not_there_loses_every_request),
    CASE(it_can_be_stopped_and_started_again),
    CASE(what_does_not_fit_is_refused))
