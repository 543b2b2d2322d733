// SPDX-License-Identifier: MIT
// The port of lwIP with a driver that pulls as it likes: what waits for it, and what becomes of it.
#include "run_lwip.h"
#include "test.h"

#include "coradio/app_pattern.h"
#include "coradio/bytes.h"
#include "coradio/datagram.h"
#include "coradio/ip4.h"

#define OURS   COR_IP4(10, 0, 0, 2)
#define PEER   COR_IP4(10, 0, 0, 1)
#define FRAMES 64u

static const uint8_t peer_mac[6] = {0x02, 0, 0, 0, 0, 0x01};
static const uint8_t our_mac[6] = {0x02, 0, 0, 0, 0, 0x02};

static struct run_lwip *lwip;
static struct cor_frame_source *frames;
static struct cor_app_tx app;
static struct cor_pattern pattern;
static struct cor_udp unused;
static uint64_t now_us;
static uint32_t head_words[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
static uint8_t taken[COR_FRAME_BYTES_MAX];
static struct cor_frame_tx tx;

// The driver takes a frame; its bytes are then in `taken`. 0: there is none.
static uint32_t take(void) {
    uint32_t size_bytes;

    tx = (struct cor_frame_tx){
        .head = (uint8_t *)head_words + 2, .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX};
    if (frames->ops->pull(frames, now_us, &tx) != COR_OK) {
        return 0;
    }
    CHECK(tx.head_bytes <= COR_FRAME_HEAD_BYTES_MAX);
    size_bytes = tx.head_bytes;
    memcpy(taken, tx.head, size_bytes);
    for (uint32_t i = 0; i < tx.piece_count; i++) {
        // The rule of bus.h.
        CHECK_EQ((uintptr_t)tx.pieces[i].data % 4, 0);
        CHECK(i + 1u == tx.piece_count || tx.pieces[i].size_bytes % 4 == 0);
        CHECK(size_bytes + tx.pieces[i].size_bytes <= COR_FRAME_BYTES_MAX);
        memcpy(taken + size_bytes, tx.pieces[i].data, tx.pieces[i].size_bytes);
        size_bytes += tx.pieces[i].size_bytes;
    }
    return size_bytes;
}

static void left(void) {
    frames->ops->sent(frames, now_us, tx.token);
}

static uint64_t poll(void) {
    uint64_t due_us = run_lwip_poll(lwip, now_us);
    uint64_t app_us = run_lwip_tx_poll(lwip, &app, now_us);

    return due_us < app_us ? due_us : app_us;
}

static void answer_arp(void) {
    uint8_t frame[2 + 42] = {0};
    uint8_t *at = frame + 2;

    memcpy(at, our_mac, 6);
    memcpy(at + 6, peer_mac, 6);
    cor_put_be16(at + 12, 0x0806);
    cor_put_be16(at + 14, 1);
    cor_put_be16(at + 16, 0x0800);
    at[18] = 6;
    at[19] = 4;
    cor_put_be16(at + 20, 2);
    memcpy(at + 22, peer_mac, 6);
    cor_put_be32(at + 28, PEER);
    memcpy(at + 32, our_mac, 6);
    cor_put_be32(at + 38, OURS);
    (void)frames->ops->input(frames, now_us, at, 42);
}

// Datagrams of payload_bytes, with the peer known and nothing taken yet.
static void begin(uint16_t payload_bytes, uint64_t bytes, uint32_t mem_bytes) {
    struct run_lwip_config config = {
        .mem_bytes = mem_bytes,
        .window_bytes = RUN_LWIP_WINDOW_BYTES,
        .address = OURS,
        .netmask = 0xFFFFFF00,
        .seed = 1,
    };
    struct cor_app_tx_config app_config = {
        .source = &pattern.source,
        .address = PEER,
        .port = 5001,
        .udp = &unused,
        .payload_bytes = payload_bytes,
    };

    now_us = 1000000;
    lwip = run_lwip_new(&config);
    CHECK(lwip != NULL);
    frames = run_lwip_frames(lwip);
    cor_pattern_init(&pattern, bytes);
    cor_app_tx_init(&app, &app_config);
    run_lwip_set_mac(lwip, our_mac);
    frames->ops->link(frames, now_us, true);
    run_lwip_tx_start(lwip, &app, now_us);
    (void)poll();
    while (take() != 0) {
        left();
    }
    answer_arp();
    (void)poll();
    (void)poll();
}

static struct run_lwip_port port(void) {
    struct run_lwip_port port;

    run_lwip_port(lwip, &port);
    return port;
}

static uint32_t number(void) {
    struct cor_datagram datagram;

    CHECK(cor_datagram_parse(&datagram, taken + 42, 64));
    return datagram.sequence;
}

TEST(a_driver_that_takes_nothing_is_not_overrun) {
    begin(1472, 500000, 128000);
    for (int i = 0; i < 1000; i++) {
        (void)poll();
        now_us += 1000;
    }
    CHECK_EQ(port().kept_max, 8);
    CHECK(port().refused > 0);
    CHECK_EQ(port().dropped, 0);
    // All eight in their order, and then what had been refused, without a gap.
    for (uint32_t i = 0; i < 300; i++) {
        CHECK_EQ(take(), 1514);
        CHECK_EQ(number(), i);
        left();
        (void)poll();
    }
    CHECK_EQ(port().dropped, 0);
    run_lwip_free(lwip);
}

// What the driver holds stays as it is, whatever lwIP does meanwhile.
TEST(frames_with_the_driver_do_not_change) {
    static uint8_t before[FRAMES][COR_FRAME_BYTES_MAX];
    static struct cor_frame_tx held[FRAMES];
    uint32_t count = 0;

    begin(1472, 500000, 32000);
    while (count < 3 && take() != 0) {
        held[count] = tx;
        memcpy(before[count], taken, 1514);
        count++;
    }
    CHECK_EQ(count, 3);
    for (int i = 0; i < 100; i++) {
        (void)poll();
        now_us += 10000;
    }
    for (uint32_t i = 0; i < count; i++) {
        CHECK_EQ(held[i].piece_count, 1);
        CHECK_BYTES(
            held[i].pieces[0].data, before[i] + held[i].head_bytes, held[i].pieces[0].size_bytes);
        frames->ops->sent(frames, now_us, held[i].token);
    }
    run_lwip_free(lwip);
}

TEST(a_heap_that_is_full_delays_and_loses_nothing) {
    uint32_t count = 0;

    begin(1472, 200000, 4000);
    for (int i = 0; i < 5000 && app.state != COR_APP_TX_DONE; i++) {
        if (take() != 0) {
            struct cor_datagram datagram;

            CHECK(cor_datagram_parse(&datagram, taken + 42, 1472));
            CHECK_EQ(datagram.sequence, count);
            count += datagram.last ? 0 : 1;
            left();
        }
        (void)poll();
        now_us += 1000;
    }
    CHECK_EQ(app.state, COR_APP_TX_DONE);
    CHECK_EQ(count, app.sequence);
    CHECK_EQ(count, (200000 + 1455) / 1456);
    CHECK_EQ(port().dropped, 0);
    run_lwip_free(lwip);
}

// Every size has its place in the driver's block and behind it.
TEST(datagrams_of_each_size_are_whole) {
    for (uint32_t size = 20; size <= 1472; size += 4) {
        begin((uint16_t)size, 3 * (size - COR_DATAGRAM_BYTES), 32000);
        for (uint32_t i = 0; i < 3; i++) {
            CHECK_EQ(take(), 42 + size);
            CHECK_EQ(tx.payload_bytes, size);
            CHECK_EQ(cor_get_be16(taken + 38), 8 + size);
            CHECK_EQ(cor_get_be16(taken + 16), 28 + size);
            for (uint32_t at = COR_DATAGRAM_BYTES; at < size; at++) {
                CHECK_EQ(
                    taken[42 + at],
                    pattern.table
                        [(i * (size - COR_DATAGRAM_BYTES) + at - COR_DATAGRAM_BYTES) %
                         COR_PATTERN_PERIOD_BYTES]);
            }
            left();
            (void)poll();
        }
        CHECK_EQ(port().copied_frames, 0);
        run_lwip_free(lwip);
    }
}

TEST(a_link_that_goes_takes_what_is_kept_and_leaves_what_is_given) {
    begin(1472, 500000, 128000);
    CHECK_EQ(take(), 1514);
    frames->ops->link(frames, now_us, false);
    CHECK(frames->ops->pull(frames, now_us, &(struct cor_frame_tx){0}) == COR_AGAIN);
    left();
    CHECK_EQ(port().dropped, 0);
    frames->ops->link(frames, now_us, true);
    (void)poll();
    CHECK(take() != 0);
    left();
    run_lwip_free(lwip);
}

TEST(there_is_one_at_a_time) {
    struct run_lwip_config config = {.mem_bytes = 4000, .window_bytes = 11680};

    begin(1472, 5000, 4000);
    CHECK(run_lwip_new(&config) == NULL);
    run_lwip_free(lwip);
}

TEST_MAIN(
    CASE(a_driver_that_takes_nothing_is_not_overrun),
    CASE(frames_with_the_driver_do_not_change),
    CASE(a_heap_that_is_full_delays_and_loses_nothing),
    CASE(datagrams_of_each_size_are_whole),
    CASE(a_link_that_goes_takes_what_is_kept_and_leaves_what_is_given),
    CASE(there_is_one_at_a_time))
