// SPDX-License-Identifier: MIT
// ICMP errors: those we send, and those that tell a UDP socket what became of its datagram.
#include "service_host.h"

#include "coradio/udp.h"

#define OUR_PORT 4000

static struct host h_;
static struct cor_udp udp_;
static uint32_t memory_[2 * 64 / 4];
static struct cor_udp_slot slots_[2];
static struct cor_udp_error error_;
static uint32_t error_count_;

static void take_error(void *context, const struct cor_udp_error *error) {
    (void)context;
    error_ = *error;
    error_count_++;
}

static struct host *begin(void) {
    struct host *h = &h_;
    const struct cor_udp_config config = {
        .memory = (uint8_t *)memory_,
        .slot_bytes = 64,
        .slot_count = 2,
        .slots = slots_,
        .local_port = OUR_PORT,
        .error = take_error,
    };

    start_net(h);
    error_count_ = 0;
    memset(&error_, 0, sizeof(error_));
    cor_udp_init(&udp_, &h->net, &config);
    return h;
}

static const struct dgram stranger = {
    .from = PEER_ADDRESS,
    .to = OUR_ADDRESS,
    .from_port = 777,
    .to_port = OUR_PORT + 1,
    .data = (const uint8_t *)"hello",
    .size = 5,
};

// Changed bytes of an IP header, with the header's checksum made right again.
static void fix(uint8_t *frame) {
    put16(frame + 24, 0);
    put16(frame + 24, ~plain_sum(frame + 14, 4U * (frame[14] & 15), 0));
}

// --- Ours ---

// RFC 1122 4.1.3.1: port unreachable, with the IP header and 8 bytes of what came.
TEST(a_datagram_for_a_port_nobody_has_is_answered) {
    struct host *h = begin();
    const uint8_t *icmp = h->frame + 34;
    uint8_t whole[47];

    put_udp(whole, &stranger);
    give_udp(h, &stranger);
    CHECK_EQ(h->net.counters.drop_udp_port, 1);
    CHECK(pull(h));
    CHECK_EQ(check_ip(h, 1), 8 + 28);
    CHECK_EQ(get16(icmp), 0x0303);
    CHECK_EQ(get32(icmp + 4), 0);
    CHECK_EQ(plain_sum(icmp, 36, 0), 0xFFFF);
    CHECK_BYTES(icmp + 8, whole + 14, 28);
    expect_nothing(h);
    CHECK_EQ(h->net.counters.icmp_errors_sent, 1);
}

TEST(options_of_the_header_are_quoted_as_far_as_they_fit) {
    struct host *h = begin();

    for (uint32_t words = 0; words <= 10; words++) {
        uint32_t more = 4 * words;
        uint8_t whole[47];
        uint8_t *frame = new_frame(47 + more);

        put_udp(whole, &stranger);
        memcpy(frame, whole, 34);
        memset(frame + 34, 1, more);  // no operation
        memcpy(frame + 34 + more, whole + 34, 13);
        frame[14] = (uint8_t)(0x45 + words);
        put16(frame + 16, 33 + more);
        fix(frame);
        uint8_t header[60];
        memcpy(header, frame + 14, 20 + more);
        (void)give(h, frame, 47 + more);
        if (words <= 6) {
            CHECK(pull(h));
            CHECK_EQ(check_ip(h, 1), 8 + 28 + more);
            CHECK_BYTES(h->frame + 42, header, 20 + more);
            CHECK_BYTES(h->frame + 42 + 20 + more, whole + 34, 8);
        }
        expect_nothing(h);
    }
    CHECK_EQ(h->net.counters.icmp_errors_limited, 4);
}

// RFC 1122 3.2.2: never about what went to many, about a part of a packet, or about an error.
TEST(what_must_not_be_answered_is_not) {
    struct host *h = begin();
    struct dgram d = stranger;

    d.to = COR_IP4(10, 0, 0, 255);
    give_udp(h, &d);
    d.mac = all_mac;
    give_udp(h, &d);
    d.to = OUR_ADDRESS;  // to us, in a frame to all
    give_udp(h, &d);
    d.to = 0xFFFFFFFF;
    give_udp(h, &d);
    CHECK_EQ(h->net.counters.drop_udp_port, 4);
    d = stranger;
    d.from = COR_IP4(10, 0, 0, 255);  // from no single host
    give_udp(h, &d);
    d.from = COR_IP4(224, 0, 0, 5);
    give_udp(h, &d);
    d.from = 0;
    give_udp(h, &d);
    CHECK_EQ(h->net.counters.drop_ip_address, 3);
    // A later fragment, and a first one that nobody puts together.
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *frame = new_frame(42);

        put_udp(frame, &(struct dgram){.from = PEER_ADDRESS, .to = OUR_ADDRESS});
        put16(frame + 20, i == 0 ? 0x0001 : 0x2000);
        fix(frame);
        (void)give(h, frame, 42);
    }
    expect_nothing(h);
    CHECK_EQ(h->net.counters.icmp_errors_sent, 0);
    CHECK_EQ(h->net.counters.icmp_errors_limited, 0);
}

TEST(an_icmp_message_of_any_type_brings_no_error) {
    struct host *h = begin();

    for (uint32_t type = 0; type < 256; type++) {
        uint8_t *frame = new_frame(34 + 8);
        uint8_t *icmp = frame + 34;

        if (type == 8) {
            free(frame - 2);
            continue;
        }
        put_ip(frame, 1, 8);
        memset(icmp, 0, 8);
        icmp[0] = (uint8_t)type;
        put16(icmp + 2, ~plain_sum(icmp, 8, 0));
        (void)give(h, frame, 42);
        expect_nothing(h);
    }
}

TEST(errors_are_limited_to_fifty_a_second) {
    struct host *h = begin();
    uint32_t sent = 0;

    for (uint32_t i = 0; i < 2000; i++) {
        give_udp(h, &stranger);
        sent += pull(h);
        after(h, MS);
    }
    // A burst of 10, then 50 a second for two seconds.
    CHECK_BETWEEN(sent, 107, 111);
    CHECK_EQ(h->net.counters.icmp_errors_limited, 2000 - sent);
}

TEST(one_error_waits_at_a_time) {
    struct host *h = begin();

    for (uint32_t i = 0; i < 5; i++) {
        give_udp(h, &stranger);
    }
    CHECK(pull(h));
    expect_nothing(h);
    CHECK_EQ(h->net.counters.icmp_errors_limited, 4);
}

// --- Theirs ---

// An error that quotes the datagram in h->frame.
static void give_error(struct host *h, uint8_t type, uint8_t code, uint16_t mtu, uint32_t quote) {
    uint8_t *frame = new_frame(34 + 8 + quote);
    uint8_t *icmp = frame + 34;

    put_ip(frame, 1, 8 + quote);
    memset(icmp, 0, 8);
    icmp[0] = type;
    icmp[1] = code;
    put16(icmp + 6, mtu);
    memcpy(icmp + 8, h->frame + 14, quote);
    put16(icmp + 2, ~plain_sum(icmp, 8 + quote, 0));
    (void)give(h, frame, 42 + quote);
}

static struct host *begin_sent(bool peer) {
    struct host *h = begin();

    if (peer) {
        CHECK_EQ(cor_udp_connect(&udp_, PEER_ADDRESS, 9, h->now_us), COR_OK);
        CHECK_EQ(cor_udp_send(&udp_, "abcd", 4, h->now_us), COR_OK);
    } else {
        CHECK_EQ(cor_udp_send_to(&udp_, PEER_ADDRESS, 9, "abcd", 4, h->now_us), COR_OK);
    }
    expect_arp_request(h, PEER_ADDRESS);
    answer_arp(h);
    CHECK(pull(h));
    CHECK_EQ(read_udp(h).size, 4);
    return h;
}

TEST(each_error_tells_what_it_means) {
    static const struct {
        uint8_t type;
        uint8_t code;
        enum cor_status status;
        bool soft;
    } cases[] = {
        {3, 0, COR_E_UNREACHABLE, true},
        {3, 1, COR_E_UNREACHABLE, true},
        {3, 2, COR_E_REFUSED, false},
        {3, 3, COR_E_REFUSED, false},
        {3, 4, COR_E_SIZE, false},
        {3, 5, COR_E_UNREACHABLE, true},
        {3, 13, COR_E_UNREACHABLE, true},
        {11, 0, COR_E_UNREACHABLE, true},
        {11, 1, COR_E_UNREACHABLE, true},
        {12, 0, COR_E_UNREACHABLE, true},
    };

    for (uint32_t peer = 0; peer < 2; peer++) {
        struct host *h = begin_sent(peer != 0);

        for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            give_error(h, cases[i].type, cases[i].code, 1280, 28);
            CHECK_EQ(error_count_, i + 1);
            CHECK_EQ(error_.status, cases[i].status);
            CHECK_EQ(error_.soft, cases[i].soft);
            CHECK(error_.icmp);
            CHECK_EQ(error_.type, cases[i].type);
            CHECK_EQ(error_.code, cases[i].code);
            CHECK_EQ(error_.address, PEER_ADDRESS);
            CHECK_EQ(error_.port, 9);
            CHECK_EQ(error_.mtu, cases[i].status == COR_E_SIZE ? 1280 : 0);
        }
        CHECK_EQ(udp_.counters.unreachable, 7);
        CHECK_EQ(udp_.counters.soft_errors, 3);
        expect_nothing(h);
    }
}

TEST(an_error_about_what_we_did_not_send_is_ignored) {
    struct host *h = begin_sent(true);
    uint8_t *ip = h->frame + 14;

    put16(ip + 22, 10);  // another port of the peer
    give_error(h, 3, 3, 0, 28);
    put16(ip + 22, 9);
    put16(ip + 20, 4001);  // another port of ours
    give_error(h, 3, 3, 0, 28);
    put16(ip + 20, OUR_PORT);
    put32(ip + 16, COR_IP4(10, 0, 0, 7));  // to another host
    give_error(h, 3, 3, 0, 28);
    put32(ip + 16, PEER_ADDRESS);
    CHECK_EQ(h->net.counters.drop_icmp, 0);
    put32(ip + 12, COR_IP4(10, 0, 0, 7));  // from another host
    give_error(h, 3, 3, 0, 28);
    CHECK_EQ(h->net.counters.drop_icmp, 1);
    CHECK_EQ(error_count_, 0);
    put32(ip + 12, OUR_ADDRESS);
    give_error(h, 3, 3, 0, 28);
    CHECK_EQ(error_count_, 1);
}

TEST(every_prefix_of_a_quote_is_dropped) {
    struct host *h = begin_sent(false);

    for (uint32_t quote = 0; quote < 28; quote++) {
        give_error(h, 3, 3, 0, quote);
        CHECK_EQ(h->net.counters.drop_icmp, quote + 1);
    }
    CHECK_EQ(error_count_, 0);
    // A header with options that are not there.
    h->frame[14] = 0x4F;
    give_error(h, 3, 3, 0, 28);
    CHECK_EQ(h->net.counters.drop_icmp, 29);
}

TEST(silence_is_told_as_an_error_too) {
    struct host *h = begin();

    CHECK_EQ(cor_udp_connect(&udp_, PEER_ADDRESS, 9, h->now_us), COR_OK);
    CHECK_EQ(cor_udp_send(&udp_, "abcd", 4, h->now_us), COR_OK);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQ(error_count_, 0);
        expect_arp_request(h, PEER_ADDRESS);
        after(h, SECOND);
    }
    CHECK_EQ(error_count_, 1);
    CHECK_EQ(error_.status, COR_E_UNREACHABLE);
    CHECK(!error_.icmp);
    CHECK_EQ(error_.port, 9);
    CHECK_EQ(udp_.counters.drop_unreachable, 1);
}

TEST_MAIN(
    CASE(a_datagram_for_a_port_nobody_has_is_answered),
    CASE(options_of_the_header_are_quoted_as_far_as_they_fit),
    CASE(what_must_not_be_answered_is_not),
    CASE(an_icmp_message_of_any_type_brings_no_error),
    CASE(errors_are_limited_to_fifty_a_second),
    CASE(one_error_waits_at_a_time),
    CASE(each_error_tells_what_it_means),
    CASE(an_error_about_what_we_did_not_send_is_ignored),
    CASE(every_prefix_of_a_quote_is_dropped),
    CASE(silence_is_told_as_an_error_too))
