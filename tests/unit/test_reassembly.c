// SPDX-License-Identifier: MIT
// Reassembly: scenario 26, and fragments cut at random.
#include "reassembly_world.h"

// --- Scenario 26 ---

static const uint32_t mtus[] = {68, 296, 576, 1006, 1280, 1500};

// Sizes from a few bytes before to a few after each of the first boundaries.
static uint32_t boundary_size(uint32_t mtu, uint32_t boundary, int32_t delta) {
    uint32_t most = (mtu - 20) / 8 * 8;

    return (uint32_t)((int32_t)(boundary * most) + delta) - 8;
}

TEST(scenario_26_datagrams_around_every_boundary_in_any_order) {
    struct host *h = begin();
    uint32_t count = 0;

    random_ = 26;
    for (uint32_t m = 0; m < sizeof(mtus) / sizeof(mtus[0]); m++) {
        for (uint32_t boundary = 1; boundary <= 5; boundary++) {
            for (int32_t delta = -9; delta <= 9; delta++) {
                uint32_t size = boundary_size(mtus[m], boundary, delta);

                for (uint32_t order = 0; order < 4; order++) {
                    make(size);
                    cut(mtus[m]);
                    for (uint32_t i = 0; order == 1 && i < piece_count_ / 2; i++) {
                        struct piece piece = pieces_[i];
                        pieces_[i] = pieces_[piece_count_ - 1 - i];
                        pieces_[piece_count_ - 1 - i] = piece;
                    }
                    if (order >= 2) {
                        shuffle();
                    }
                    give_all(h);
                    expect_datagram(++count);
                }
            }
        }
    }
    CHECK_EQ(cor_reassembly_waiting(&reassembly_), 0);
    CHECK_EQ(udp_.counters.datagrams_received, count);
    CHECK_EQ(h->net.counters.drop_udp, 0);
}

TEST(scenario_26_a_missing_fragment_costs_the_datagram_and_is_counted) {
    struct host *h = begin();

    for (uint32_t m = 0; m < sizeof(mtus) / sizeof(mtus[0]); m++) {
        make(boundary_size(mtus[m], 4, 3));
        cut(mtus[m]);
        for (uint32_t missing = 0; missing < piece_count_; missing++) {
            uint64_t dropped = reassembly_.counters.drop_timeout;

            id_++;
            for (uint32_t i = 0; i < piece_count_; i++) {
                if (i != missing) {
                    CHECK_EQ(give_piece(h, &pieces_[i]), 0);
                }
            }
            CHECK_EQ(cor_reassembly_waiting(&reassembly_), piece_count_ - 1);
            after(h, COR_REASSEMBLY_TIMEOUT_US - 1);
            CHECK_EQ(cor_reassembly_waiting(&reassembly_), piece_count_ - 1);
            after(h, 1);
            CHECK_EQ(reassembly_.counters.drop_timeout, dropped + piece_count_ - 1);
            CHECK_EQ(cor_reassembly_waiting(&reassembly_), 0);
            check_counted();
            // The sender is told if the first fragment is there to be quoted (RFC 1122 3.3.2).
            CHECK_EQ(pull(h), missing != 0);
        }
    }
    CHECK_EQ(got_count_, 0);
    CHECK(cor_net_poll(&h->net, h->now_us) == COR_NET_NEVER);
}

TEST(scenario_26_an_overlap_drops_the_datagram_and_all_that_comes_of_it) {
    struct host *h = begin();

    for (uint32_t m = 1; m < sizeof(mtus) / sizeof(mtus[0]); m++) {
        // Each fragment begins 8 bytes early once, ends 8 bytes late once.
        make(boundary_size(mtus[m], 3, 40));
        cut(mtus[m]);
        for (uint32_t which = 0; which < 2 * piece_count_; which++) {
            struct piece wrong = pieces_[which / 2];
            uint64_t dropped = reassembly_.counters.drop_overlap;

            if (which % 2 == 0 ? wrong.first == 0 : wrong.last) {
                continue;
            }
            wrong.first -= which % 2 == 0 ? 8 : 0;
            wrong.size += 8;
            id_++;
            for (uint32_t i = 0; i < piece_count_; i++) {
                (void)give_piece(h, i == which / 2 ? &wrong : &pieces_[i]);
            }
            CHECK_EQ(reassembly_.counters.drop_overlap, dropped + piece_count_);
            check_counted();
            CHECK_EQ(cor_reassembly_waiting(&reassembly_), 0);
        }
    }
    CHECK_EQ(got_count_, 0);
    after(h, 20 * SECOND);
    expect_nothing(h);
}

// --- Random, from a seed ---

// Random cuts at multiples of 8, in random order, some twice: exact.
TEST(datagrams_cut_at_random_come_out_exact) {
    struct host *h = begin();

    random_ = 1;
    for (uint32_t round = 1; round <= 3000; round++) {
        uint32_t at = 0;

        make(next_random(round % 10 == 0 ? SLOT_BYTES - 7 : 400));
        piece_count_ = 0;
        while (at < payload_bytes_ && piece_count_ < PIECES) {
            uint32_t left = payload_bytes_ - at;
            uint32_t size = 8 * (1 + next_random(1 + next_random(185)));
            bool last = size >= left;

            if (last && piece_count_ == 0) {
                size = left > 8 ? 8 : left;  // at least two
                last = size >= left;
            }
            pieces_[piece_count_++] = (struct piece){at, last ? left : size, last};
            at += last ? left : size;
        }
        if (piece_count_ < 2) {
            got_count_++;
            continue;
        }
        shuffle();
        for (uint32_t i = 0; i + 1 < piece_count_; i++) {
            (void)give_piece(h, &pieces_[i]);
            if (next_random(8) == 0) {
                (void)give_piece(h, &pieces_[next_random(i + 1)]);
            }
        }
        (void)give_piece(h, &pieces_[piece_count_ - 1]);
        expect_datagram(round);
    }
}

// Anything at all: what comes out is whole, since every byte of a datagram is one of its pattern,
// and nothing is lost from the account.
TEST(random_fragments_are_counted_and_never_come_out_wrong) {
    struct host *h = begin();

    random_ = 2;
    make(2000);
    cut(576);
    uint16_t base = id_;
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t first = 8 * next_random(next_random(4) == 0 ? 8192 : 252);
        uint32_t size = next_random(3) == 0 ? next_random(64) : 8 * next_random(64);
        struct piece piece = {.first = first, .size = size, .last = next_random(12) == 0};

        if (next_random(30) != 0) {  // most are true ones
            piece = pieces_[next_random(piece_count_)];
        }
        id_ = (uint16_t)(base + next_random(5));
        if (piece.first == 0 && piece.last) {
            continue;
        }
        if (give_piece(h, &piece) != 0) {
            CHECK_EQ(got_bytes_, payload_bytes_ - 8);
            CHECK_BYTES(got_, payload_ + 8, got_bytes_);
        }
        if (next_random(50) == 0) {
            after(h, next_random(next_random(100) == 0 ? 40 * SECOND : SECOND));
        }
        (void)pull(h);
        check_counted();
    }
    CHECK(reassembly_.counters.packets > 100);
    CHECK(reassembly_.counters.drop_overlap > 0 && reassembly_.counters.drop_timeout > 0);
    CHECK(reassembly_.counters.drop_evicted > 0 && reassembly_.counters.drop_size > 0);
}

TEST_MAIN(
    CASE(scenario_26_datagrams_around_every_boundary_in_any_order),
    CASE(scenario_26_a_missing_fragment_costs_the_datagram_and_is_counted),
    CASE(scenario_26_an_overlap_drops_the_datagram_and_all_that_comes_of_it),
    CASE(datagrams_cut_at_random_come_out_exact),
    CASE(random_fragments_are_counted_and_never_come_out_wrong))
