// SPDX-License-Identifier: MIT
// IPv4 and ICMP as the stack sees them: what is dropped, and why; echo requests answered.
#include "net_host.h"

static struct host h_;

static struct host *begin(void) {
    start_net(&h_);
    return &h_;
}

static uint8_t *echo_request(uint32_t payload_bytes, uint32_t *size) {
    uint8_t *frame = new_frame(34 + 8 + payload_bytes);
    uint8_t *icmp = frame + 34;

    put_ip(frame, 1, 8 + payload_bytes);
    memset(icmp, 0, 8);
    icmp[0] = 8;
    put16(icmp + 4, 0x1234);
    put16(icmp + 6, 7);
    for (uint32_t i = 0; i < payload_bytes; i++) {
        icmp[8 + i] = pattern(i);
    }
    put16(icmp + 2, ~plain_sum(icmp, 8 + payload_bytes, 0));
    *size = 34 + 8 + payload_bytes;
    return frame;
}

static void ping(struct host *h, uint32_t payload_bytes) {
    uint32_t size;
    uint8_t *frame = echo_request(payload_bytes, &size);

    CHECK_EQ(give(h, frame, size), 0);
}

static void expect_reply(struct host *h, uint32_t payload_bytes) {
    const uint8_t *icmp = h->frame + 34;

    CHECK(pull(h));
    CHECK_EQ(check_ip(h, 1), 8 + payload_bytes);
    CHECK_EQ(plain_sum(icmp, 8 + payload_bytes, 0), 0xFFFF);
    CHECK_EQ(icmp[0], 0);
    CHECK_EQ(icmp[1], 0);
    CHECK_EQ(get16(icmp + 4), 0x1234);
    CHECK_EQ(get16(icmp + 6), 7);
    for (uint32_t i = 0; i < payload_bytes; i++) {
        CHECK_EQ(icmp[8 + i], pattern(i));
    }
}

TEST(an_echo_request_of_any_size_is_answered_whole) {
    static const uint32_t sizes[] = {0, 1, 3, 7, 56, 57, 1000, 1471, 1472};
    struct host *h = begin();

    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ping(h, sizes[i]);
        expect_reply(h, sizes[i]);
        expect_nothing(h);
    }
    CHECK_EQ(h->net.counters.echo_replies, 9);
}

TEST(one_echo_reply_is_under_way_at_a_time) {
    struct host *h = begin();

    h->hold = true;
    ping(h, 56);
    ping(h, 56);
    expect_reply(h, 56);
    ping(h, 56);
    expect_nothing(h);
    sent_all(h);
    ping(h, 56);
    expect_reply(h, 56);
    CHECK_EQ(h->net.counters.echo_limited, 2);
}

TEST(echo_replies_are_limited_to_a_hundred_a_second) {
    struct host *h = begin();
    uint32_t answered = 0;

    for (uint32_t i = 0; i < 2000; i++) {
        ping(h, 8);
        answered += pull(h);
        after(h, MS);
    }
    // A burst of 20, then 100 a second for two seconds.
    CHECK_BETWEEN(answered, 215, 221);
    CHECK_EQ(h->net.counters.echo_limited, 2000 - answered);
}

TEST(an_echo_request_to_everybody_is_not_answered) {
    struct host *h = begin();
    uint32_t size;
    uint8_t *frame = echo_request(8, &size);

    memcpy(frame, all_mac, 6);
    put32(frame + 30, COR_IP4(10, 0, 0, 255));
    put16(frame + 24, 0);
    put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
    (void)give(h, frame, size);
    expect_nothing(h);
    CHECK_EQ(h->net.counters.echo_limited, 1);
}

// One field changed, the header checksum made right again; the counter that must have counted it.
static void check_dropped(
    struct host *h, uint32_t at, uint32_t value, const uint64_t *counter, uint32_t cut) {
    uint32_t size;
    uint8_t *frame = echo_request(8, &size);
    uint64_t before = *counter;

    put16(frame + 14 + at, value);
    put16(frame + 24, 0);
    put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
    (void)give(h, frame, size - cut);
    CHECK_EQ(*counter, before + 1);
    expect_nothing(h);
}

TEST(each_reason_to_drop_a_packet_has_its_counter) {
    struct host *h = begin();
    struct cor_net_counters *c = &h->net.counters;

    check_dropped(h, 0, 0x5500, &c->drop_ip_header, 0);    // version 5
    check_dropped(h, 0, 0x4400, &c->drop_ip_header, 0);    // header of 16 bytes
    check_dropped(h, 0, 0x4F00, &c->drop_ip_header, 0);    // header of 60 bytes in 36
    check_dropped(h, 2, 37, &c->drop_ip_header, 0);        // one byte more than is there
    check_dropped(h, 2, 19, &c->drop_ip_header, 0);        // less than a header
    check_dropped(h, 2, 36, &c->drop_ip_header, 1);        // the frame is cut
    check_dropped(h, 6, 0x2000, &c->drop_fragment, 0);     // the first of several
    check_dropped(h, 6, 0x0010, &c->drop_fragment, 0);     // a later one
    check_dropped(h, 18, 0x0003, &c->drop_ip_address, 0);  // to 10.0.0.3
    check_dropped(h, 12, 0xE000, &c->drop_ip_address, 0);  // from a multicast address
}

TEST(an_unknown_protocol_is_unreachable) {
    struct host *h = begin();
    uint32_t size;
    uint8_t *frame = echo_request(8, &size);

    frame[23] = 99;
    put16(frame + 24, 0);
    put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
    (void)give(h, frame, size);
    CHECK_EQ(h->net.counters.drop_protocol, 1);
    CHECK(pull(h));
    CHECK_EQ(check_ip(h, 1), 8 + 28);
    CHECK_EQ(get16(h->frame + 34), 0x0302);
    expect_nothing(h);
}

TEST(a_wrong_checksum_is_counted_as_that) {
    struct host *h = begin();
    uint32_t size;
    uint8_t *frame = echo_request(8, &size);

    frame[24] ^= 1;
    (void)give(h, frame, size);
    CHECK_EQ(h->net.counters.drop_ip_checksum, 1);
    frame = echo_request(8, &size);
    frame[45] ^= 1;
    (void)give(h, frame, size);
    CHECK_EQ(h->net.counters.drop_icmp, 1);
    expect_nothing(h);
}

TEST(our_own_address_and_broadcast_are_no_source) {
    static const uint32_t sources[] = {0, OUR_ADDRESS, 0xFFFFFFFF, COR_IP4(10, 0, 0, 255)};
    struct host *h = begin();

    for (uint32_t i = 0; i < 4; i++) {
        uint32_t size;
        uint8_t *frame = echo_request(8, &size);

        put32(frame + 26, sources[i]);
        put16(frame + 24, 0);
        put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
        (void)give(h, frame, size);
        expect_nothing(h);
    }
    CHECK_EQ(h->net.counters.drop_ip_address, 4);
}

TEST(padding_behind_a_packet_is_ignored) {
    struct host *h = begin();
    uint32_t size;
    uint8_t *frame = echo_request(3, &size);
    uint8_t *padded = new_frame(60);

    memset(padded, 0xEE, 60);
    memcpy(padded, frame, size);
    free(frame - 2);
    (void)give(h, padded, 60);
    expect_reply(h, 3);
}

TEST(ip_options_are_skipped_and_source_routes_refused) {
    static const uint8_t options[2][8] = {
        {148, 4, 0, 0, 1, 1, 0, 0},   // router alert, NOP NOP, end
        {131, 7, 4, 10, 0, 0, 9, 0},  // loose source route
    };
    struct host *h = begin();

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t size;
        uint8_t *frame = echo_request(3, &size);
        uint8_t *longer = new_frame(size + 8);

        memcpy(longer, frame, 34);
        memcpy(longer + 34, options[i], 8);
        memcpy(longer + 42, frame + 34, size - 34);
        free(frame - 2);
        longer[14] = 0x47;
        put16(longer + 16, size - 14 + 8);
        put16(longer + 24, 0);
        put16(longer + 24, ~plain_sum(longer + 14, 28, 0));
        (void)give(h, longer, size + 8);
        if (i == 0) {
            expect_reply(h, 3);
        } else {
            expect_nothing(h);
        }
    }
    CHECK_EQ(h->net.counters.drop_ip_option, 1);
}

TEST(frames_for_others_and_unknown_types_are_dropped) {
    struct host *h = begin();
    uint32_t size;
    uint8_t *frame = echo_request(8, &size);

    frame[5] = 9;
    (void)give(h, frame, size);
    CHECK_EQ(h->net.counters.drop_not_ours, 1);
    frame = echo_request(8, &size);
    put16(frame + 12, 0x86DD);
    (void)give(h, frame, size);
    CHECK_EQ(h->net.counters.drop_type, 1);
    expect_nothing(h);
}

TEST(every_prefix_of_an_echo_request_is_dropped) {
    struct host *h = begin();
    uint32_t size;
    uint8_t *whole = echo_request(5, &size);

    for (uint32_t cut = 0; cut < size; cut++) {
        uint8_t *frame = new_frame(cut);

        memcpy(frame, whole, cut);
        (void)give(h, frame, cut);
        expect_nothing(h);
    }
    CHECK_EQ(h->net.counters.frames_received, size);
    free(whole - 2);
}

// No input may bring the stack down; the sanitizers watch. Frames are half random, half damaged.
TEST(random_frames_do_no_harm) {
    struct host *h = &h_;
    uint32_t state = 12345;

    start(h);
    for (uint32_t i = 0; i < 20000; i++) {
        struct seg seg = {.flags = ACK | PSH, .seq = 1, .ack = 1, .len = 20, .sack_ok = true};
        uint32_t size;
        uint8_t *frame = build_segment(h, &seg, &size);
        uint32_t changes = 1 + (state >> 24) % 4;

        for (uint32_t c = 0; c < changes; c++) {
            state = state * 1664525 + 1013904223;
            frame[(state >> 8) % size] = (uint8_t)state;
        }
        // Half of them with right checksums, so that they get further.
        if ((state & 0x10000) != 0 && frame[14] == 0x45) {
            put16(frame + 24, 0);
            put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
            put16(frame + 50, 0);
            put16(frame + 50, ~transport_sum(frame + 14, size - 34));
        }
        h->received_bytes = 0;
        (void)give(h, frame, size);
        (void)pull(h);
        if (cor_tcp_state(&h->tcp) == COR_TCP_CLOSED) {
            start(h);
        }
    }
    CHECK(h->net.counters.frames_received > 0);
}

TEST_MAIN(
    CASE(an_echo_request_of_any_size_is_answered_whole),
    CASE(one_echo_reply_is_under_way_at_a_time),
    CASE(echo_replies_are_limited_to_a_hundred_a_second),
    CASE(an_echo_request_to_everybody_is_not_answered),
    CASE(each_reason_to_drop_a_packet_has_its_counter),
    CASE(an_unknown_protocol_is_unreachable),
    CASE(a_wrong_checksum_is_counted_as_that),
    CASE(our_own_address_and_broadcast_are_no_source),
    CASE(padding_behind_a_packet_is_ignored),
    CASE(ip_options_are_skipped_and_source_routes_refused),
    CASE(frames_for_others_and_unknown_types_are_dropped),
    CASE(every_prefix_of_an_echo_request_is_dropped),
    CASE(random_frames_do_no_harm))
