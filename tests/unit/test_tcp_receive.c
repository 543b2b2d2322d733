// SPDX-License-Identifier: MIT
// The receive ring, segment by segment: what is kept, what is offered, what is told.
#include "net_host.h"

#include "coradio/tcp_receive.h"

#define RING 8192

static struct host h_;
static uint8_t ring_[300000];

// Options of the next segment to be pulled: SACK blocks, relative to the peer's first number.
struct told {
    uint32_t count;
    uint32_t blocks[8];
};

static struct told sacks_of(const struct host *h) {
    struct told told = {0};
    const uint8_t *at = h->frame + 34;

    if (at[12] / 16U == 5) {
        return told;
    }
    CHECK_BYTES(at + 20, "\1\1\5", 3);
    told.count = (at[23] - 2U) / 8;
    CHECK_EQ(at[12] / 16U * 4, 24 + 8 * told.count);
    for (uint32_t i = 0; i < 2 * told.count; i++) {
        told.blocks[i] = get32(at + 24 + 4 * i) - h->irs;
    }
    return told;
}

#define CHECK_SACKS(h, ...)                                                                        \
    do {                                                                                           \
        const uint32_t sacks_expected[] = {__VA_ARGS__};                                           \
        struct told sacks_told = sacks_of(h);                                                      \
        CHECK_EQ(sacks_told.count * 2, sizeof(sacks_expected) / 4);                                \
        CHECK_BYTES(sacks_told.blocks, sacks_expected, sizeof(sacks_expected));                    \
    } while (0)

static struct cor_tcp_config with_ring(struct host *h, uint32_t bytes) {
    struct cor_tcp_config config = default_tcp(h);

    config.receive = NULL;
    config.receive_ring = ring_;
    config.receive_ring_bytes = bytes;
    memset(ring_, 0xEE, sizeof(ring_));
    return config;
}

static struct host *opened_with(uint32_t bytes) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = with_ring(h, bytes);
    start_open(h, &config, SYN_ACK(.sack_ok = true));
    return h;
}

static struct host *opened(void) {
    return opened_with(RING);
}

// The next size bytes of the stream are there and right; first is the number of the first.
static void expect_read(struct host *h, uint32_t first, uint32_t size) {
    static uint8_t into[sizeof(ring_)];

    CHECK_EQ(cor_tcp_read(&h->tcp, into, size, h->now_us), size);
    for (uint32_t i = 0; i < size; i++) {
        CHECK_EQ(into[i], pattern(first + i));
    }
}

// Fills the ring with full segments and takes the acknowledgements.
static void fill_window(struct host *h, uint32_t size) {
    for (uint32_t seq = 1; seq <= size; seq += 1000) {
        SEND(
            h,
            .flags = ACK,
            .seq = seq,
            .ack = 1,
            .len = size + 1 - seq < 1000 ? size + 1 - seq : 1000);
        while (pull(h)) {
        }
    }
    after(h, 40 * MS);
    while (pull(h)) {
    }
}

// --- Reading ---

TEST(data_waits_in_the_ring_until_it_is_read) {
    struct host *h = opened();
    const uint8_t *data;

    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), 0);
    SEND(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 300);
    CHECK_EQ(cor_tcp_readable_bytes(&h->tcp), 300);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), 300);
    CHECK_EQ(data[0], pattern(1));
    CHECK_EQ(data[299], pattern(300));
    cor_tcp_receive_ack(&h->tcp, 100, h->now_us);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), 200);
    CHECK_EQ(data[0], pattern(101));
    expect_read(h, 101, 200);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), 0);
}

TEST(a_ring_that_wraps_is_read_in_two_pieces) {
    struct host *h = opened();
    const uint8_t *data;
    uint32_t seq = 1;

    while (seq < RING - 500) {
        SEND(h, .flags = ACK, .seq = seq, .ack = 1, .len = 1000);
        expect_read(h, seq, 1000);
        seq += 1000;
        (void)pull(h);
    }
    SEND(h, .flags = ACK, .seq = seq, .ack = 1, .len = 1400);
    uint32_t before_wrap = RING - (seq - 1);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), before_wrap);
    expect_read(h, seq, 1400);
}

TEST(the_end_is_seen_behind_the_last_byte) {
    struct host *h = opened();
    const uint8_t *data;

    SEND(h, .flags = ACK | FIN, .seq = 1, .ack = 1, .len = 10);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 12);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), 10);
    cor_tcp_receive_ack(&h->tcp, 10, h->now_us);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), COR_E_CLOSED);
}

TEST(what_arrived_before_a_reset_can_be_read) {
    struct host *h = opened();
    const uint8_t *data;

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 10);
    SEND(h, .flags = RST, .seq = 11);
    expect_read(h, 1, 10);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), COR_E_RESET);
}

TEST(without_a_ring_there_is_nothing_to_read) {
    struct host *h = &h_;
    const uint8_t *data;

    start(h);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), COR_E_STATE);
}

// --- The window ---

TEST(the_window_is_the_free_part_of_the_ring) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1000);
    SEND(h, .flags = ACK, .seq = 1001, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 2001, .win = RING - 2000);
    expect_read(h, 1, 2000);
    SEND(h, .flags = ACK, .seq = 2001, .ack = 1, .len = 1000);
    SEND(h, .flags = ACK, .seq = 3001, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 4001, .win = RING - 2000);
}

// RFC 7323 2.2: no SYN's window is scaled.
TEST(a_large_ring_is_offered_scaled) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = with_ring(h, 262144);
    start_connect(h, &config);
    CHECK_EQ(get16(h->frame + 34 + 14), 65535);
    CHECK_BYTES(h->frame + 54 + 8, "\1\3\3\3", 4);
    SEND(h, .flags = SYN | ACK, .ack = 1, .shift = 1);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1, .win = 262144 / 8);
}

TEST(a_peer_without_scaling_sees_64_kib_of_a_large_ring) {
    struct host *h = opened_with(262144);

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1000);
    SEND(h, .flags = ACK, .seq = 1001, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 2001, .win = 65535);
}

// RFC 9293 MUST-39.
TEST(the_window_does_not_open_in_small_steps) {
    struct host *h = opened();

    fill_window(h, RING);
    CHECK_EQ(get16(h->frame + 34 + 14), 0);
    CHECK_EQ(h->tcp.counters.windows_closed, 1);
    expect_read(h, 1, 1459);
    expect_nothing(h);
    expect_read(h, 1460, 1);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1 + RING, .win = 1460);
}

// RFC 9293 SHLD-14. With steps of 8 bytes and data in odd pieces.
TEST(the_right_edge_never_shrinks) {
    struct host *h = &h_;
    uint32_t edge = 0;
    uint32_t seq = 1;

    start_net(h);
    struct cor_tcp_config config = with_ring(h, 262144);
    start_open(h, &config, SYN_ACK(.sack_ok = true, .shift = 1));
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t size = 1 + i * 7 % 137;

        SEND(h, .flags = ACK, .seq = seq, .ack = 1, .len = size);
        seq += size;
        while (pull(h)) {
            uint32_t acked = get32(h->frame + 42) - h->irs;
            uint32_t told = acked + get16(h->frame + 48) * 8;

            CHECK((int32_t)(told - edge) >= -7);
            edge = told > edge ? told : edge;
            CHECK(edge <= 1 + 262144 + (i > 1500 ? 100000 : 0));
        }
        if (i == 1500) {
            expect_read(h, 1, seq - 1 < 100000 ? seq - 1 : 100000);
        }
    }
}

TEST(a_closed_window_takes_no_data_but_acknowledgements) {
    struct host *h = opened();

    fill_window(h, RING);
    (void)fill(h, 100);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1 + RING, .len = 100);
    // A probe: its byte is not taken, its acknowledgement is (RFC 9293 MUST-66).
    SEND(h, .flags = ACK, .seq = 1 + RING, .ack = 101, .len = 1);
    CHECK_EQ(cor_tcp_flight_bytes(&h->tcp), 0);
    EXPECT(h, .flags = ACK, .seq = 101, .ack = 1 + RING, .win = 0);
    CHECK_EQ(get16(h->frame + 34 + 14), 0);
    expect_nothing(h);
    // And a reset.
    SEND(h, .flags = RST, .seq = 1 + RING);
    CHECK_EQ(cor_tcp_error(&h->tcp), COR_E_RESET);
}

TEST(scenario_22_a_reopened_window_is_told_at_once_and_again_if_lost) {
    struct host *h = opened();

    fill_window(h, RING);
    expect_nothing(h);
    expect_read(h, 1, RING);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1 + RING, .win = RING);
    CHECK_EQ(h->tcp.counters.windows_reopened, 1);
    // Nothing comes: it is told again, at growing gaps, and not for ever.
    uint32_t told = 0;
    uint64_t last_us = h->now_us;
    uint64_t gap_us = 0;
    for (uint32_t i = 0; i < 1200; i++) {
        after(h, 100 * MS);
        if (pull(h)) {
            CHECK_EQ(get16(h->frame + 34 + 14), RING);
            CHECK(h->now_us - last_us >= gap_us);
            gap_us = h->now_us - last_us;
            last_us = h->now_us;
            told++;
        }
    }
    CHECK_EQ(told, 5);
    CHECK_EQ(h->tcp.counters.windows_told_again, 5);
    // Data ends it.
    SEND(h, .flags = ACK, .seq = 1 + RING, .ack = 1, .len = 100);
    after(h, 50 * MS);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 101 + RING);
    after(h, 60 * SECOND);
    expect_nothing(h);
}

TEST(a_probe_after_the_lost_news_gets_the_open_window) {
    struct host *h = opened();

    fill_window(h, RING);
    expect_read(h, 1, RING);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1 + RING, .win = RING);
    // The probe's byte is data now.
    SEND(h, .flags = ACK, .seq = 1 + RING, .ack = 1, .len = 1);
    after(h, 40 * MS);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 2 + RING);
    // A kernel probes with an old number and no data.
    SEND(h, .flags = ACK, .seq = 1 + RING, .ack = 1);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 2 + RING);
}

// --- Acknowledgements ---

TEST(every_second_segment_is_acknowledged_at_once) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1460);
    expect_nothing(h);
    SEND(h, .flags = ACK, .seq = 1461, .ack = 1, .len = 1460);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 2921);
    expect_nothing(h);
}

TEST(a_single_segment_is_acknowledged_after_40_ms) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1460);
    after(h, 39 * MS);
    expect_nothing(h);
    after(h, 1 * MS);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1461);
}

// RFC 9293 MUST-58, 59.
TEST(segments_that_arrive_together_get_one_acknowledgement) {
    struct host *h = opened();

    for (uint32_t i = 0; i < 5; i++) {
        SEND(h, .flags = ACK, .seq = 1 + i * 1000, .ack = 1, .len = 1000);
    }
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 5001);
    expect_nothing(h);
}

TEST(an_acknowledgement_that_is_due_rides_on_data) {
    struct host *h = opened();

    (void)fill(h, 100);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1000);
    SEND(h, .flags = ACK, .seq = 1001, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 2001, .len = 100);
    expect_nothing(h);
    CHECK_EQ(h->tcp.counters.acks_on_data, 1);
}

// --- Out of order, SACK (RFC 2018), duplicates (RFC 2883) ---

TEST(what_is_out_of_order_is_kept_and_told) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1001, .ack = 1, .len = 500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_SACKS(h, 1001, 1501);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1501);
    CHECK_SACKS(h);
    expect_read(h, 1, 1500);
}

TEST(the_run_that_changed_last_is_told_first) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1001, .ack = 1, .len = 100);
    (void)pull(h);
    SEND(h, .flags = ACK, .seq = 3001, .ack = 1, .len = 100);
    (void)pull(h);
    CHECK_SACKS(h, 3001, 3101, 1001, 1101);
    SEND(h, .flags = ACK, .seq = 1101, .ack = 1, .len = 100);
    (void)pull(h);
    CHECK_SACKS(h, 1001, 1201, 3001, 3101);
    // A run that closes the gap between two makes one of the three.
    SEND(h, .flags = ACK, .seq = 1201, .ack = 1, .len = 1800);
    (void)pull(h);
    CHECK_SACKS(h, 1001, 3101);
    // Partly filled: the gap's left side is in order, the rest stays.
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 501);
    CHECK_SACKS(h, 1001, 3101);
    SEND(h, .flags = ACK, .seq = 501, .ack = 1, .len = 500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 3101);
    expect_read(h, 1, 3100);
}

TEST(no_more_than_four_blocks_are_told_and_eight_kept) {
    struct host *h = opened();

    for (uint32_t i = 1; i <= 8; i++) {
        SEND(h, .flags = ACK, .seq = 1 + i * 200, .ack = 1, .len = 100);
        (void)pull(h);
    }
    CHECK_SACKS(h, 1601, 1701, 1401, 1501, 1201, 1301, 1001, 1101);
    SEND(h, .flags = ACK, .seq = 1 + 9 * 200, .ack = 1, .len = 100);
    (void)pull(h);
    CHECK_EQ(h->tcp.counters.drop_out_of_order, 1);
    CHECK_EQ(h->tcp.counters.kept_out_of_order, 8);
    // Filled one by one, all of it is right; the ninth has to come again.
    for (uint32_t i = 0; i <= 8; i++) {
        SEND(
            h,
            .flags = ACK,
            .seq = 1 + (i == 0 ? 0 : 100 + (i - 1) * 200 + 0),
            .ack = 1,
            .len = i == 0 ? 200 : 101);
        while (pull(h)) {
        }
    }
    SEND(h, .flags = ACK, .seq = 201, .ack = 1, .len = 1700);
    expect_read(h, 1, 1900);
}

TEST(a_segment_received_twice_is_told_once_in_front) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1000);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1001);
    CHECK_SACKS(h, 1, 1001);
    SEND(h, .flags = ACK, .seq = 2001, .ack = 1, .len = 100);
    (void)pull(h);
    CHECK_SACKS(h, 2001, 2101);
    // Out of order and twice (RFC 2883 4.2): the repeated part, then the run it is in.
    SEND(h, .flags = ACK, .seq = 2050, .ack = 1, .len = 100);
    (void)pull(h);
    CHECK_SACKS(h, 2050, 2101, 2001, 2150);
    // Half old, half new (RFC 2883 4.1.3).
    SEND(h, .flags = ACK, .seq = 501, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1501);
    CHECK_SACKS(h, 501, 1001, 2001, 2150);
    CHECK_EQ(h->tcp.counters.repeated_bytes, 1000 + 51 + 500);
}

TEST(without_sack_out_of_order_data_is_kept_and_not_told) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = with_ring(h, RING);
    start_open(h, &config, SYN_ACK());
    SEND(h, .flags = ACK, .seq = 1001, .ack = 1, .len = 500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_SACKS(h);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 1000);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1501);
}

TEST(a_gap_is_told_although_data_could_carry_the_acknowledgement) {
    struct host *h = opened();

    (void)fill(h, 100);
    SEND(h, .flags = ACK, .seq = 1001, .ack = 1, .len = 500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_SACKS(h, 1001, 1501);
    EXPECT(h, .flags = ACK | PSH, .seq = 1, .ack = 1, .len = 100);
}

TEST(data_beyond_the_ring_is_cut_in_and_out_of_order) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 1 + RING - 100, .ack = 1, .len = 1000);
    (void)pull(h);
    CHECK_SACKS(h, 1 + RING - 100, 1 + RING);
    SEND(h, .flags = ACK, .seq = 1 + RING, .ack = 1, .len = 1000);
    CHECK_EQ(h->tcp.counters.drop_out_of_window, 1);
    CHECK_EQ(ring_[RING], 0xEE);
}

// --- FIN ---

TEST(scenario_24_a_fin_before_missing_data_is_kept_with_it) {
    struct host *h = opened();
    const uint8_t *data;

    SEND(h, .flags = ACK | FIN, .seq = 501, .ack = 1, .len = 500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1);
    CHECK_SACKS(h, 501, 1001);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 1002);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_CLOSE_WAIT);
    expect_read(h, 1, 1000);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), COR_E_CLOSED);
}

TEST(a_fin_alone_before_missing_data_waits) {
    struct host *h = opened();

    SEND(h, .flags = ACK | FIN, .seq = 501, .ack = 1);
    (void)pull(h);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_ESTABLISHED);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 500);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 502);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_CLOSE_WAIT);
}

TEST(nothing_stands_behind_a_fin) {
    struct host *h = opened();

    SEND(h, .flags = ACK, .seq = 601, .ack = 1, .len = 100);
    (void)pull(h);
    SEND(h, .flags = ACK | FIN, .seq = 401, .ack = 1, .len = 100);
    (void)pull(h);
    SEND(h, .flags = ACK, .seq = 501, .ack = 1, .len = 300);
    (void)pull(h);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .len = 400);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 502);
    CHECK_EQ(cor_tcp_readable_bytes(&h->tcp), 500);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_CLOSE_WAIT);
}

TEST(a_fin_behind_a_full_ring_is_taken) {
    struct host *h = opened();
    const uint8_t *data;

    fill_window(h, RING - 100);
    SEND(h, .flags = ACK | FIN, .seq = 1 + RING - 100, .ack = 1, .len = 100);
    EXPECT(h, .flags = ACK, .seq = 1, .ack = 2 + RING, .win = 0);
    CHECK_EQ(get16(h->frame + 34 + 14), 0);
    CHECK_EQ(cor_tcp_state(&h->tcp), COR_TCP_CLOSE_WAIT);
    expect_read(h, 1, RING);
    CHECK_EQ(cor_tcp_receive_buf(&h->tcp, &data), COR_E_CLOSED);
    expect_nothing(h);
}

// --- Urgent data (RFC 9293 3.8.5) ---

TEST(urgent_data_is_in_line_and_its_end_is_told) {
    struct host *h = opened();
    uint32_t size;

    uint8_t *frame = build_segment(
        h, &(struct seg){.flags = ACK | PSH | URG, .seq = 1, .ack = 1, .len = 10}, &size);
    put16(frame + 34 + 18, 10);
    put16(frame + 34 + 16, 0);
    put16(frame + 34 + 16, ~transport_sum(frame + 14, size - 34));
    (void)give(h, frame, size);
    CHECK((cor_tcp_take_events(&h->tcp) & COR_TCP_EVENT_URGENT) != 0);
    CHECK_EQ(cor_tcp_urgent_bytes(&h->tcp), 10);
    expect_read(h, 1, 4);
    CHECK_EQ(cor_tcp_urgent_bytes(&h->tcp), 6);
    expect_read(h, 5, 6);
    CHECK_EQ(cor_tcp_urgent_bytes(&h->tcp), 0);
}

TEST_MAIN(
    CASE(data_waits_in_the_ring_until_it_is_read),
    CASE(a_ring_that_wraps_is_read_in_two_pieces),
    CASE(the_end_is_seen_behind_the_last_byte),
    CASE(what_arrived_before_a_reset_can_be_read),
    CASE(without_a_ring_there_is_nothing_to_read),
    CASE(the_window_is_the_free_part_of_the_ring),
    CASE(a_large_ring_is_offered_scaled),
    CASE(a_peer_without_scaling_sees_64_kib_of_a_large_ring),
    CASE(the_window_does_not_open_in_small_steps),
    CASE(the_right_edge_never_shrinks),
    CASE(a_closed_window_takes_no_data_but_acknowledgements),
    CASE(scenario_22_a_reopened_window_is_told_at_once_and_again_if_lost),
    CASE(a_probe_after_the_lost_news_gets_the_open_window),
    CASE(every_second_segment_is_acknowledged_at_once),
    CASE(a_single_segment_is_acknowledged_after_40_ms),
    CASE(segments_that_arrive_together_get_one_acknowledgement),
    CASE(an_acknowledgement_that_is_due_rides_on_data),
    CASE(what_is_out_of_order_is_kept_and_told),
    CASE(the_run_that_changed_last_is_told_first),
    CASE(no_more_than_four_blocks_are_told_and_eight_kept),
    CASE(a_segment_received_twice_is_told_once_in_front),
    CASE(without_sack_out_of_order_data_is_kept_and_not_told),
    CASE(a_gap_is_told_although_data_could_carry_the_acknowledgement),
    CASE(data_beyond_the_ring_is_cut_in_and_out_of_order),
    CASE(scenario_24_a_fin_before_missing_data_is_kept_with_it),
    CASE(a_fin_alone_before_missing_data_waits),
    CASE(nothing_stands_behind_a_fin),
    CASE(a_fin_behind_a_full_ring_is_taken),
    CASE(urgent_data_is_in_line_and_its_end_is_told))
