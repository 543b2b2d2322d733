// SPDX-License-Identifier: MIT
// Fragments of datagrams in every order, with gaps, repeated, overlapping, too long: what comes out
// is exact, and every fragment that does not is counted.
#include "net_host.h"

#include "coradio/reassembly.h"
#include "coradio/udp.h"

#define SLOTS      3
#define SLOT_BYTES 8192
#define PORT       4000
#define PIECES     512
#define MORE       0x2000

static struct host h_;
static struct cor_udp udp_;
static uint32_t udp_memory_[16];
static struct cor_udp_slot udp_slots_[1];
static struct cor_reassembly reassembly_;
static struct cor_reassembly_slot slots_[SLOTS];
static uint32_t memory_[COR_REASSEMBLY_BYTES(SLOTS, SLOT_BYTES) / 4];
static uint32_t random_;
// The datagram received last.
static uint8_t got_[65536];
static uint32_t got_bytes_;
static uint32_t got_count_;

// A datagram as the payload of a packet, and how it is cut.
struct piece {
    uint32_t first;
    uint32_t size;
    bool last;
};
static uint8_t payload_[65536 + 1480];
static uint32_t payload_bytes_;
static uint16_t id_;
static struct piece pieces_[PIECES];
static uint32_t piece_count_;

static uint32_t next_random(uint32_t below) {
    random_ = random_ * 1664525 + 1013904223;
    return (random_ >> 8) % below;
}

static void receive(void *context, const struct cor_udp_datagram *datagram) {
    (void)context;
    CHECK_EQ((uintptr_t)datagram->data % 4, 0);
    memcpy(got_, datagram->data, datagram->size_bytes);
    got_bytes_ = datagram->size_bytes;
    got_count_++;
}

static struct host *begin_with(uint32_t slot_count, uint32_t slot_bytes) {
    struct host *h = &h_;
    const struct cor_reassembly_config config = {
        .memory = (uint8_t *)memory_,
        .slots = slots_,
        .slot_count = (uint16_t)slot_count,
        .slot_bytes = (uint16_t)slot_bytes,
    };
    const struct cor_udp_config udp = {
        .memory = (uint8_t *)udp_memory_,
        .slot_bytes = 64,
        .slot_count = 1,
        .slots = udp_slots_,
        .local_port = PORT,
        .receive = receive,
    };
    struct cor_net_config net;

    memset(memory_, 0xEE, sizeof(memory_));
    cor_reassembly_init(&reassembly_, &config);
    start_net(h);
    net = h->net.config;
    net.reassembly = &reassembly_;
    cor_net_init(&h->net, &net, h->now_us);
    cor_udp_init(&udp_, &h->net, &udp);
    got_count_ = 0;
    got_bytes_ = 0;
    return h;
}

static struct host *begin(void) {
    return begin_with(SLOTS, SLOT_BYTES);
}

// Every fragment is in one counter, or waits.
static void check_counted(void) {
    const struct cor_reassembly_counters *c = cor_reassembly_get_counters(&reassembly_);

    CHECK_EQ(
        c->fragments_received,
        c->fragments_used + c->fragments_repeated + c->drop_length + c->drop_overlap +
            c->drop_size + c->drop_timeout + c->drop_evicted +
            cor_reassembly_waiting(&reassembly_));
}

// A datagram of this payload, with another identification than the last.
static void make(uint32_t size) {
    uint8_t ip[20 + 65536];

    id_++;
    payload_bytes_ = 8 + size;
    put16(payload_, 777);
    put16(payload_ + 2, PORT);
    put16(payload_ + 4, payload_bytes_);
    put16(payload_ + 6, 0);
    for (uint32_t i = 0; i < size; i++) {
        payload_[8 + i] = pattern(i + id_);
    }
    memset(ip, 0, 20);
    ip[9] = 17;
    put32(ip + 12, PEER_ADDRESS);
    put32(ip + 16, OUR_ADDRESS);
    memcpy(ip + 20, payload_, payload_bytes_);
    uint32_t sum = ~transport_sum(ip, payload_bytes_) & 0xFFFF;
    put16(payload_ + 6, sum == 0 ? 0xFFFF : sum);
}

// Cut as a router with this MTU does.
static void cut(uint32_t mtu) {
    uint32_t most = (mtu - 20) / 8 * 8;

    piece_count_ = 0;
    for (uint32_t at = 0; at < payload_bytes_; at += most) {
        struct piece *piece = &pieces_[piece_count_++];

        piece->first = at;
        piece->last = at + most >= payload_bytes_;
        piece->size = piece->last ? payload_bytes_ - at : most;
    }
}

static void shuffle(void) {
    for (uint32_t i = piece_count_; i > 1; i--) {
        uint32_t k = next_random(i);
        struct piece piece = pieces_[k];

        pieces_[k] = pieces_[i - 1];
        pieces_[i - 1] = piece;
    }
}

static uint8_t *build(const struct piece *piece, const uint8_t *data) {
    uint8_t *frame = new_frame(34 + piece->size);

    put_ip(frame, 17, piece->size);
    put16(frame + 18, id_);
    put16(frame + 20, piece->first / 8 + (piece->last ? 0 : MORE));
    put16(frame + 24, 0);
    put16(frame + 24, ~plain_sum(frame + 14, 20, 0));
    memcpy(frame + 34, data, piece->size);
    return frame;
}

static uint32_t give_piece(struct host *h, const struct piece *piece) {
    return give(h, build(piece, payload_ + piece->first), 34 + piece->size);
}

static void give_all(struct host *h) {
    for (uint32_t i = 0; i < piece_count_; i++) {
        (void)give_piece(h, &pieces_[i]);
    }
}

static void expect_datagram(uint32_t count) {
    CHECK_EQ(got_count_, count);
    CHECK_EQ(got_bytes_, payload_bytes_ - 8);
    CHECK_BYTES(got_, payload_ + 8, got_bytes_);
    check_counted();
}

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
    CASE(every_prefix_of_each_fragment_is_dropped),
    CASE(datagrams_cut_at_random_come_out_exact),
    CASE(random_fragments_are_counted_and_never_come_out_wrong))
