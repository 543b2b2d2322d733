// SPDX-License-Identifier: MIT
// The sender, over a stack whose frames the test pulls and answers by hand.
#include "net_host.h"

#include "coradio/app_pattern.h"
#include "coradio/app_tx.h"
#include "coradio/datagram.h"
#include "coradio/udp.h"

#define SLOTS 4

static struct host h_;
static struct cor_udp udp_;
static uint32_t memory_[SLOTS * 1472 / 4];
static struct cor_udp_slot slots_[SLOTS];
static struct cor_pattern pattern_;
static struct cor_app_tx app_;

// A source that gives what the test tells it: an amount, or a status.
struct told {
    struct cor_source source;
    int32_t next;
};

static int32_t told_read(struct cor_source *source, uint8_t *into, uint32_t room_bytes) {
    struct told *told = (struct told *)source;
    int32_t next = told->next;

    if (next > 0) {
        CHECK((uint32_t)next <= room_bytes);
        memset(into, 't', (size_t)next);
        told->next = COR_AGAIN;
    }
    return next;
}

static const struct cor_source_ops told_ops = {.read = told_read};
static struct told told_;

// ---- TCP

static struct host *begin_tcp(struct cor_source *source, uint64_t duration_us) {
    struct host *h = &h_;
    struct cor_tcp_config tcp;
    struct cor_app_tx_config config = {
        .source = source,
        .address = PEER_ADDRESS,
        .port = PEER_PORT,
        .duration_us = duration_us,
        .tcp = &h->tcp,
    };

    start_net(h);
    tcp = default_tcp(h);
    cor_tcp_init(&h->tcp, &h->net, &tcp);
    cor_app_tx_init(&app_, &config);
    cor_app_tx_start(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_CONNECTING);
    return h;
}

static struct host *begin_tcp_open(struct cor_source *source, uint64_t duration_us) {
    struct host *h = begin_tcp(source, duration_us);

    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    EXPECT(h, .flags = SYN, .seq = 0);
    SEND(h, .flags = SYN | ACK, .ack = 1);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    return h;
}

// The payload of the next frames, which must carry on the pattern.
static uint32_t pull_payload(struct host *h, struct cor_pattern *expected) {
    uint32_t total = 0;

    while (pull(h)) {
        CHECK(cor_pattern_check(expected, h->frame + 54, h->payload_bytes));
        total += h->payload_bytes;
    }
    return total;
}

TEST(tcp_sends_the_source_and_closes) {
    struct cor_pattern expected;
    struct host *h;

    cor_pattern_init(&pattern_, 4000);
    cor_pattern_init(&expected, UINT64_MAX);
    h = begin_tcp_open(&pattern_.source, 0);
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_CLOSING);
    CHECK_EQ(app_.payload_bytes, 4000);
    CHECK_EQ(pull_payload(h, &expected), 4000);
    SEND(h, .flags = ACK, .seq = 1, .ack = 4001);
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_CLOSING);  // the FIN is still under way
    SEND(h, .flags = ACK, .seq = 1, .ack = 4002);
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_DONE);
    CHECK_EQ(app_.status, COR_OK);
    CHECK(cor_app_tx_over(&app_));
}

TEST(a_full_ring_stops_the_source_and_an_ack_frees_it) {
    struct cor_pattern expected;
    struct host *h;
    uint32_t sent;

    cor_pattern_init(&pattern_, UINT64_MAX);
    cor_pattern_init(&expected, UINT64_MAX);
    h = begin_tcp_open(&pattern_.source, 0);
    while (cor_app_tx_poll(&app_, h->now_us) == h->now_us) {
    }
    CHECK(app_.payload_bytes <= HOST_RING_BYTES);
    CHECK(app_.payload_bytes > HOST_RING_BYTES - 2 * 1460);
    sent = pull_payload(h, &expected);
    CHECK(sent > 0);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + sent);
    uint64_t before = app_.payload_bytes;
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK(app_.payload_bytes > before);
}

TEST(the_duration_begins_with_the_first_payload_bit) {
    struct host *h;

    cor_pattern_init(&pattern_, UINT64_MAX);
    h = begin_tcp_open(&pattern_.source, 100 * MS);
    after(h, 300 * MS);
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_SENDING);
    cor_app_tx_first_payload(&app_, h->now_us);
    while (cor_app_tx_poll(&app_, h->now_us) == h->now_us) {
    }
    CHECK_EQ(cor_app_tx_poll(&app_, h->now_us), h->now_us + 100 * MS);
    after(h, 99 * MS);
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_SENDING);
    after(h, 1 * MS);
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_CLOSING);
}

TEST(a_source_that_has_nothing_is_asked_again_soon) {
    struct host *h;

    told_ = (struct told){.source = {.ops = &told_ops}, .next = COR_AGAIN};
    h = begin_tcp_open(&told_.source, 0);
    CHECK_EQ(cor_app_tx_poll(&app_, h->now_us), h->now_us + COR_APP_TX_SOURCE_RETRY_US);
    told_.next = 10;
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.payload_bytes, 10);
    CHECK_EQ(app_.state, COR_APP_TX_SENDING);
}

TEST(what_came_before_a_failed_source_is_still_delivered) {
    struct host *h;

    told_ = (struct told){.source = {.ops = &told_ops}, .next = 1000};
    h = begin_tcp_open(&told_.source, 0);
    (void)cor_app_tx_poll(&app_, h->now_us);
    told_.next = COR_E_SOURCE;
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_CLOSING);
    CHECK(pull(h));
    CHECK_EQ(h->payload_bytes, 1000);
    while (pull(h)) {
    }
    SEND(h, .flags = ACK, .seq = 1, .ack = 1002);
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_DONE);
    CHECK_EQ(app_.status, COR_E_SOURCE);
}

TEST(refused_unanswered_and_unreachable_are_told_apart) {
    struct host *h;

    cor_pattern_init(&pattern_, 100);
    h = begin_tcp(&pattern_.source, 0);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    EXPECT(h, .flags = SYN, .seq = 0);
    SEND(h, .flags = RST | ACK, .ack = 1);
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_FAILED);
    CHECK_EQ(app_.status, COR_E_REFUSED);

    h = begin_tcp(&pattern_.source, 0);
    for (int i = 0; i < 20; i++) {
        (void)pull(h);
        after(h, 1 * SECOND);
    }
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.status, COR_E_UNREACHABLE);

    h = begin_tcp(&pattern_.source, 0);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    for (int i = 0; i < 400; i++) {
        if (pull(h) && get16(h->frame + 12) == 0x0806) {
            answer_arp(h);
        }
        after(h, 1 * SECOND);
    }
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.status, COR_E_TIMEOUT);
}

TEST(a_reset_in_mid_transfer_ends_it) {
    struct host *h;

    cor_pattern_init(&pattern_, UINT64_MAX);
    h = begin_tcp_open(&pattern_.source, 0);
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK(pull(h));
    SEND(h, .flags = RST | ACK, .seq = 1, .ack = 1);
    CHECK_EQ(cor_app_tx_poll(&app_, h->now_us), UINT64_MAX);
    CHECK_EQ(app_.state, COR_APP_TX_FAILED);
    CHECK_EQ(app_.status, COR_E_RESET);
}

// ---- UDP

static struct host *begin_udp(struct cor_source *source, uint16_t payload, uint64_t offered_bps) {
    struct host *h = &h_;
    struct cor_udp_config udp = {
        .memory = (uint8_t *)memory_,
        .slot_bytes = 1472,
        .slot_count = SLOTS,
        .slots = slots_,
    };
    struct cor_app_tx_config config = {
        .source = source,
        .address = PEER_ADDRESS,
        .port = PEER_PORT,
        .udp = &udp_,
        .payload_bytes = payload,
        .stream = 0x12345678,
        .offered_bps = offered_bps,
    };

    start_net(h);
    cor_udp_init(&udp_, &h->net, &udp);
    cor_app_tx_init(&app_, &config);
    cor_app_tx_start(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_SENDING);
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    return h;
}

static struct cor_datagram pull_datagram(struct host *h) {
    struct cor_datagram datagram = {0};

    CHECK(pull(h));
    CHECK(cor_datagram_parse(&datagram, h->frame + 42, h->payload_bytes));
    CHECK_EQ(datagram.stream, 0x12345678);
    return datagram;
}

TEST(datagrams_are_numbered_and_closed_five_times) {
    struct cor_pattern expected;
    struct host *h;

    cor_pattern_init(&pattern_, 3000);
    cor_pattern_init(&expected, UINT64_MAX);
    h = begin_udp(&pattern_.source, 1472, 0);
    (void)cor_app_tx_poll(&app_, h->now_us);
    for (uint32_t i = 0; i < 3; i++) {
        struct cor_datagram datagram = pull_datagram(h);

        CHECK_EQ(datagram.sequence, i);
        CHECK(!datagram.last);
        CHECK_EQ(h->payload_bytes, i == 2 ? 16 + 3000 - 2 * 1456 : 1472);
        CHECK(cor_pattern_check(&expected, h->frame + 58, h->payload_bytes - 16));
    }
    CHECK_EQ(app_.state, COR_APP_TX_CLOSING);
    for (uint32_t i = 0; i < COR_DATAGRAM_LAST_COUNT; i++) {
        struct cor_datagram datagram;

        CHECK_EQ(cor_app_tx_poll(&app_, h->now_us), h->now_us + COR_APP_TX_LAST_INTERVAL_US);
        datagram = pull_datagram(h);
        CHECK_EQ(datagram.sequence, 3);
        CHECK(datagram.last);
        CHECK_EQ(h->payload_bytes, COR_DATAGRAM_BYTES);
        CHECK(!cor_app_tx_over(&app_));
        after(h, COR_APP_TX_LAST_INTERVAL_US);
    }
    (void)cor_app_tx_poll(&app_, h->now_us);
    CHECK_EQ(app_.state, COR_APP_TX_DONE);
    expect_nothing(h);
}

TEST(the_pace_is_kept_and_made_up_for) {
    struct host *h;
    uint32_t sent = 0;

    cor_pattern_init(&pattern_, UINT64_MAX);
    // 1000 bytes at 8 Mbit/s: one datagram each millisecond.
    h = begin_udp(&pattern_.source, 1000, 8000000);
    for (uint64_t ms = 0; ms < 100; ms++) {
        if (ms < 40 || ms > 42) {  // the processor was elsewhere for 3 ms
            uint64_t due_us = cor_app_tx_poll(&app_, h->now_us);

            CHECK_EQ(due_us, h->now_us + 1 * MS);
            while (pull(h)) {
                sent++;
            }
        }
        h->now_us += 1 * MS;
    }
    CHECK_EQ(sent, 100);
}

TEST(a_host_that_answers_no_arp_ends_the_stream) {
    struct host *h = &h_;

    cor_pattern_init(&pattern_, UINT64_MAX);
    (void)begin_udp(&pattern_.source, 1472, 0);
    // Another host, which stays silent.
    cor_app_tx_init(
        &app_,
        &(struct cor_app_tx_config){
            .source = &pattern_.source,
            .address = COR_IP4(10, 0, 0, 77),
            .port = PEER_PORT,
            .udp = &udp_,
            .payload_bytes = 1472,
        });
    cor_app_tx_start(&app_, h->now_us);
    for (int i = 0; i < 20 && !cor_app_tx_over(&app_); i++) {
        (void)cor_app_tx_poll(&app_, h->now_us);
        (void)pull(h);
        after(h, 1 * SECOND);
    }
    CHECK_EQ(app_.state, COR_APP_TX_FAILED);
    CHECK_EQ(app_.status, COR_E_UNREACHABLE);
}

TEST_MAIN(
    CASE(tcp_sends_the_source_and_closes),
    CASE(a_full_ring_stops_the_source_and_an_ack_frees_it),
    CASE(the_duration_begins_with_the_first_payload_bit),
    CASE(a_source_that_has_nothing_is_asked_again_soon),
    CASE(what_came_before_a_failed_source_is_still_delivered),
    CASE(refused_unanswered_and_unreachable_are_told_apart),
    CASE(a_reset_in_mid_transfer_ends_it),
    CASE(datagrams_are_numbered_and_closed_five_times),
    CASE(the_pace_is_kept_and_made_up_for),
    CASE(a_host_that_answers_no_arp_ends_the_stream))
