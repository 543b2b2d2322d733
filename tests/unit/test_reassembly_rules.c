// SPDX-License-Identifier: MIT
// Reassembly: one rule each.
#include "reassembly_world.h"

// --- One rule each ---

TEST(without_memory_fragments_are_dropped_and_counted) {
    struct host *h = begin();

    h->net.config.reassembly = NULL;
    make(2000);
    cut(1500);
    give_all(h);
    CHECK_EQ(h->net.counters.drop_fragment, 2);
    CHECK_EQ(got_count_, 0);
    expect_nothing(h);
}

TEST(a_fragment_that_comes_twice_is_taken_once) {
    struct host *h = begin();

    make(4000);
    cut(576);
    for (uint32_t i = 0; i + 1 < piece_count_; i++) {
        (void)give_piece(h, &pieces_[i]);
        (void)give_piece(h, &pieces_[i]);
        (void)give_piece(h, &pieces_[i / 2]);
    }
    CHECK_EQ(reassembly_.counters.fragments_repeated, 2 * (piece_count_ - 1));
    CHECK_EQ(give_piece(h, &pieces_[piece_count_ - 1]), 4000);
    expect_datagram(1);
}

TEST(the_same_place_with_other_bytes_drops_the_datagram) {
    struct host *h = begin();
    uint8_t other[1480];

    make(2000);
    cut(1500);
    (void)give_piece(h, &pieces_[0]);
    memcpy(other, payload_, 1480);
    other[700] ^= 1;
    (void)give(h, build(&pieces_[0], other), 34 + 1480);
    CHECK_EQ(reassembly_.counters.drop_overlap, 2);
    (void)give_piece(h, &pieces_[1]);
    (void)give_piece(h, &pieces_[0]);
    CHECK_EQ(reassembly_.counters.drop_overlap, 4);
    CHECK_EQ(got_count_, 0);
    // Once it is forgotten, the identification is good again.
    after(h, COR_REASSEMBLY_TIMEOUT_US);
    give_all(h);
    expect_datagram(1);
}

// Two ends, bytes behind the end, an end where bytes went on: contradictions all.
TEST(ends_that_contradict_each_other_drop_the_datagram) {
    static const struct piece cases[][2] = {
        {{.first = 800, .size = 100, .last = true}, {.first = 800, .size = 108, .last = true}},
        {{.first = 800, .size = 100, .last = true}, {.first = 1600, .size = 8, .last = true}},
        {{.first = 800, .size = 100, .last = true}, {.first = 400, .size = 8, .last = true}},
        {{.first = 800, .size = 100, .last = true}, {.first = 904, .size = 8, .last = false}},
        {{.first = 800, .size = 104, .last = true}, {.first = 896, .size = 8, .last = false}},
        {{.first = 800, .size = 104, .last = false}, {.first = 896, .size = 8, .last = true}},
        {{.first = 800, .size = 104, .last = false}, {.first = 400, .size = 8, .last = true}},
    };
    struct host *h = begin();

    make(3000);
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        id_++;
        (void)give_piece(h, &cases[i][0]);
        (void)give_piece(h, &cases[i][1]);
        CHECK_EQ(reassembly_.counters.drop_overlap, 2 * (i + 1));
        check_counted();
    }
}

TEST(impossible_lengths_and_places_are_dropped) {
    static const struct piece wrong[] = {
        {.first = 0, .size = 0, .last = false},
        {.first = 8, .size = 0, .last = true},
        {.first = 0, .size = 9, .last = false},
        {.first = 16, .size = 1479, .last = false},
        // Behind the 65535 bytes a packet can have.
        {.first = 65528, .size = 8, .last = true},
        {.first = 65512, .size = 4, .last = true},
        {.first = 64512, .size = 1480, .last = false},
    };
    struct host *h = begin();
    static uint8_t data[1480];

    id_++;
    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        (void)give(h, build(&wrong[i], data), 34 + wrong[i].size);
        CHECK_EQ(reassembly_.counters.drop_length, i + 1);
    }
    CHECK_EQ(cor_reassembly_waiting(&reassembly_), 0);
    expect_nothing(h);
}

TEST(what_is_larger_than_a_slot_is_dropped_whole) {
    struct host *h = begin_with(SLOTS, 2960);

    make(2960 - 8);
    cut(1500);
    give_all(h);
    expect_datagram(1);
    make(2960 - 8 + 1);
    cut(1500);
    give_all(h);
    CHECK_EQ(reassembly_.counters.drop_size, 3);
    shuffle();
    id_++;
    give_all(h);
    CHECK_EQ(reassembly_.counters.drop_size, 6);
    CHECK_EQ(got_count_, 1);
    check_counted();
}

TEST(several_datagrams_at_once_and_the_oldest_makes_room) {
    struct host *h = begin();

    make(2000);
    cut(1500);
    uint16_t first = id_;
    for (uint32_t i = 0; i < SLOTS; i++) {
        id_ = (uint16_t)(first + i);
        (void)give_piece(h, &pieces_[0]);
        after(h, SECOND);
    }
    // One more: the first of them goes.
    id_ = (uint16_t)(first + SLOTS);
    (void)give_piece(h, &pieces_[0]);
    CHECK_EQ(reassembly_.counters.drop_evicted, 1);
    for (uint32_t i = 1; i <= SLOTS; i++) {
        id_ = (uint16_t)(first + i);
        CHECK_EQ(give_piece(h, &pieces_[1]), 2000);
        expect_datagram(i);
    }
    CHECK_EQ(cor_reassembly_waiting(&reassembly_), 0);
}

TEST(a_datagram_that_is_lost_anyway_makes_room_first) {
    struct host *h = begin();

    make(2000);
    cut(1500);
    for (uint32_t i = 0; i < SLOTS; i++) {
        id_++;
        (void)give_piece(h, &pieces_[0]);
    }
    uint8_t other[1480] = {0};
    (void)give(h, build(&pieces_[0], other), 34 + 1480);
    CHECK_EQ(reassembly_.counters.drop_overlap, 2);
    id_++;
    (void)give_piece(h, &pieces_[0]);
    CHECK_EQ(reassembly_.counters.drop_evicted, 0);
    CHECK_EQ(cor_reassembly_waiting(&reassembly_), SLOTS);
}

// From another host, to another protocol, with another number: another packet.
TEST(fragments_of_different_packets_do_not_mix) {
    struct host *h = begin();

    make(2000);
    cut(1500);
    (void)give_piece(h, &pieces_[0]);
    uint8_t *frame = build(&pieces_[1], payload_ + 1480);
    put32(frame + 26, COR_IP4(10, 0, 0, 9));
    put16(frame + 24, 0);
    put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
    (void)give(h, frame, 34 + pieces_[1].size);
    id_++;
    (void)give_piece(h, &pieces_[1]);
    CHECK_EQ(got_count_, 0);
    CHECK_EQ(cor_reassembly_waiting(&reassembly_), 3);
    id_--;
    (void)give_piece(h, &pieces_[1]);
    expect_datagram(1);
}

TEST(the_time_runs_from_the_first_fragment) {
    struct host *h = begin();

    make(3000);
    cut(1500);
    (void)give_piece(h, &pieces_[0]);
    after(h, 14 * SECOND);
    (void)give_piece(h, &pieces_[1]);
    after(h, SECOND);
    CHECK_EQ(reassembly_.counters.drop_timeout, 2);
    (void)give_piece(h, &pieces_[2]);
    CHECK_EQ(got_count_, 0);
}

// RFC 792: time exceeded, code 1, with the header of the first fragment and 8 bytes.
TEST(time_exceeded_quotes_the_first_fragment) {
    struct host *h = begin();
    const uint8_t *icmp = h->frame + 34;

    make(3000);
    cut(1500);
    (void)give_piece(h, &pieces_[0]);
    after(h, 20 * SECOND);
    CHECK(pull(h));
    CHECK_EQ(check_ip(h, 1), 8 + 28);
    CHECK_EQ(get16(icmp), 0x0B01);
    CHECK_EQ(plain_sum(icmp, 36, 0), 0xFFFF);
    CHECK_EQ(get32(icmp + 4), 0);
    uint8_t *frame = build(&pieces_[0], payload_);
    CHECK_BYTES(icmp + 8, frame + 14, 28);
    free(frame - 2);
    expect_nothing(h);
    CHECK_EQ(h->net.counters.icmp_errors_sent, 1);
}

// The quote of a packet that became whole is the whole packet's header.
TEST(a_whole_datagram_for_a_port_nobody_has_is_unreachable) {
    struct host *h = begin();
    const uint8_t *icmp = h->frame + 34;

    make(3000);
    put16(payload_ + 2, PORT + 1);
    put16(payload_ + 6, 0);
    cut(1500);
    shuffle();
    give_all(h);
    CHECK_EQ(h->net.counters.drop_udp_port, 1);
    CHECK(pull(h));
    CHECK_EQ(check_ip(h, 1), 8 + 28);
    CHECK_EQ(get16(icmp), 0x0303);
    CHECK_EQ(get16(icmp + 10), 20 + 3008);
    CHECK_EQ(get16(icmp + 12), id_);
    CHECK_EQ(get16(icmp + 14), 0);
    CHECK_EQ(plain_sum(icmp + 8, 20, 0), 0xFFFF);
    CHECK_BYTES(icmp + 28, payload_, 8);
}

TEST(a_fragmented_echo_request_is_answered_as_far_as_a_packet_goes) {
    struct host *h = begin();
    const uint8_t *icmp = h->frame + 34;

    make(3000);
    memset(payload_, 0, 8);
    payload_[0] = 8;
    put16(payload_ + 2, ~plain_sum(payload_, payload_bytes_, 0));
    cut(1500);
    for (uint32_t i = 0; i < piece_count_; i++) {
        uint8_t *frame = build(&pieces_[i], payload_ + pieces_[i].first);

        frame[23] = 1;
        put16(frame + 24, 0);
        put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
        (void)give(h, frame, 34 + pieces_[i].size);
    }
    CHECK(pull(h));
    CHECK_EQ(check_ip(h, 1), 1480);
    CHECK_EQ(icmp[0], 0);
    CHECK_EQ(plain_sum(icmp, 1480, 0), 0xFFFF);
    CHECK_BYTES(icmp + 8, payload_ + 8, 1472);
}

TEST(every_prefix_of_each_fragment_is_dropped) {
    struct host *h = begin();

    make(100);
    cut(68);
    for (uint32_t i = 0; i < piece_count_; i++) {
        uint32_t size = 34 + pieces_[i].size;
        uint8_t *whole = build(&pieces_[i], payload_ + pieces_[i].first);

        for (uint32_t n = 0; n < size; n++) {
            uint8_t *frame = new_frame(n);

            memcpy(frame, whole, n);
            (void)give(h, frame, n);
        }
        free(whole - 2);
    }
    CHECK_EQ(reassembly_.counters.fragments_received, 0);
    CHECK(h->net.counters.drop_ip_header > 0);
    give_all(h);
    expect_datagram(1);
}

TEST_MAIN(
    CASE(without_memory_fragments_are_dropped_and_counted),
    CASE(a_fragment_that_comes_twice_is_taken_once),
    CASE(the_same_place_with_other_bytes_drops_the_datagram),
    CASE(ends_that_contradict_each_other_drop_the_datagram),
    CASE(impossible_lengths_and_places_are_dropped),
    CASE(what_is_larger_than_a_slot_is_dropped_whole),
    CASE(several_datagrams_at_once_and_the_oldest_makes_room),
    CASE(a_datagram_that_is_lost_anyway_makes_room_first),
    CASE(fragments_of_different_packets_do_not_mix),
    CASE(the_time_runs_from_the_first_fragment),
    CASE(time_exceeded_quotes_the_first_fragment),
    CASE(a_whole_datagram_for_a_port_nobody_has_is_unreachable),
    CASE(a_fragmented_echo_request_is_answered_as_far_as_a_packet_goes),
    CASE(every_prefix_of_each_fragment_is_dropped))
