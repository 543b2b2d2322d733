// SPDX-License-Identifier: MIT
#include "cyw43_fake.h"

static const struct cor_cyw43_counters *counters(struct fake *fake) {
    return cor_cyw43_get_counters(&fake->chip);
}

TEST(an_idle_bus_is_proved_each_100_ms_and_nothing_else_is_done) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    poll_once(fake);
    uint32_t transfers = fake->transfers;

    for (uint32_t i = 0; i < 1000; i++) {
        CHECK(cor_cyw43_poll(&fake->chip, fake->now_us) != UINT64_MAX);
        fake->now_us += 1000;
    }
    CHECK_BETWEEN(fake->transfers - transfers, 9, 10);
    CHECK_EQ(counters(fake)->bus_checks_bad, 0);
    fake_close(fake);
}

TEST(the_line_brings_one_status_read_and_the_frame) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    poll_once(fake);
    uint32_t transfers = fake->transfers;
    uint8_t *frame = fake_push_ethernet(fake, 2, 60);

    memset(frame, 0x5A, 60);
    poll_once(fake);
    CHECK_EQ(fake->transfers, transfers + 2);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->input_bytes, 60);
    CHECK_EQ(fake->input_last[59], 0x5A);
    fake_close(fake);
}

TEST(frames_behind_each_other_are_read_without_polling) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    poll_once(fake);
    uint32_t transfers = fake->transfers;

    for (uint32_t i = 0; i < 10; i++) {
        memset(fake_push_ethernet(fake, 2, 100), (int)i, 100);
    }
    for (uint32_t i = 0; i < 5; i++) {
        poll_once(fake);
    }
    CHECK_EQ(fake->input_count, 10);
    CHECK_EQ(fake->transfers, transfers + 11);
    fake_close(fake);
}

TEST(a_frame_is_read_once_although_several_status_words_show_it) {
    struct fake *fake = fake_open(6);

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 3;
    poll_once(fake);
    CHECK_EQ(fake->queued, 2);
    (void)fake_push_ethernet(fake, 2, 60);
    (void)fake_push_ethernet(fake, 2, 61);
    fake_complete(fake, 2);  // two status words show the first frame
    poll_once(fake);
    CHECK_EQ(fake->queued, 2);  // one read, and the third frame behind it
    CHECK(fake->queue[0]->in != NULL && fake->queue[1]->in == NULL);
    fake_complete(fake, 1);
    poll_once(fake);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->queued, 2);
    CHECK(fake->queue[0]->in == NULL && fake->queue[1]->in != NULL);
    fake_complete(fake, 2);
    poll_once(fake);
    CHECK_EQ(fake->input_count, 2);
    CHECK_EQ(fake->input_bytes, 61);
    CHECK_EQ(fake->queued, 0);
    CHECK_EQ(fake->data_in, 3);
    fake_close(fake);
}

TEST(a_read_stands_behind_one_frame_at_most) {
    struct fake *fake = fake_open(6);

    fake_joined(fake);
    fake->by_hand = true;
    fake->window_frames = 20;
    (void)fake_push(fake, 0, 12, 0);
    poll_once(fake);
    fake_complete(fake, 2);
    poll_once(fake);
    fake_complete(fake, 2);
    poll_once(fake);
    CHECK_EQ(fake->queued, 0);
    fake->to_send = 12;
    poll_once(fake);
    for (uint32_t i = 0; i < 10; i++) {
        (void)fake_push_ethernet(fake, 2, 60);
    }
    // One frame goes out for each that is read, however many wait on either side.
    while (fake->data_in < 11) {
        fake_complete(fake, 1);
        poll_once(fake);
        CHECK(fake->queued > 0);
    }
    CHECK_BETWEEN(fake->input_count, 9, 10);
    CHECK_EQ(fake->over_credit, 0);
    fake_close(fake);
}

TEST(scenario_4_a_damaged_header_costs_one_frame) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    for (uint32_t bit = 0; bit < 32; bit++) {
        struct fake_frame *frame;

        (void)fake_push_ethernet(fake, 2, 80);
        frame = &fake->fifo[fake->fifo_count - 1];
        frame->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        (void)fake_push_ethernet(fake, 2, 81);
        poll_once(fake);
        poll_once(fake);
        CHECK_EQ(fake->input_count, bit + 1);
        CHECK_EQ(fake->input_bytes, 81);
    }
    CHECK_EQ(counters(fake)->rx_damaged, 32);
    CHECK_EQ(fake->resyncs, 0);  // nothing was left unread
    fake_close(fake);
}

TEST(scenario_4_a_length_too_short_is_resynchronised) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    (void)fake_push_ethernet(fake, 2, 800);
    fake->fifo[0].told_bytes = 100;
    (void)fake_push_ethernet(fake, 2, 81);
    poll_once(fake);
    poll_once(fake);
    CHECK_EQ(fake->resyncs, 1);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->input_bytes, 81);
    CHECK_EQ(counters(fake)->rx_damaged, 1);
    fake_close(fake);
}

TEST(scenario_5_an_impossible_length_is_dropped_unread) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    (void)fake_push_ethernet(fake, 2, 800);
    fake->fifo[0].told_bytes = 2000;
    (void)fake_push_ethernet(fake, 2, 81);
    poll_once(fake);
    poll_once(fake);
    CHECK_EQ(fake->resyncs, 1);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->input_bytes, 81);
    fake_close(fake);
}

TEST(scenario_5_any_header_is_survived) {
    struct fake *fake = fake_open(4);
    uint32_t state = 1;

    fake_joined(fake);
    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t channel = (uint8_t)(i % 5u);
        uint32_t bytes = i % 7u == 0 ? 8u : 120u;
        struct fake_frame *frame = fake_push(fake, channel, 12 + 2 * (i % 2u), bytes);

        for (uint32_t k = 4; k < frame->size_bytes; k++) {
            state = state * 1664525u + 1013904223u;
            if (state >> 30 == 0) {
                frame->bytes[k] = (uint8_t)(state >> 20);
            }
        }
        poll_once(fake);
        poll_once(fake);
        CHECK_EQ(fake->fifo_count, 0);
        fake->now_us += 10;
        if (cor_cyw43_state(&fake->chip) != COR_RADIO_JOINED) {
            fake->to_send = 0;
            CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_READY);
            fake_join(fake);
        }
    }
    fake_close(fake);
}

TEST(a_frame_with_an_unusual_lead_is_moved_to_its_alignment) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    struct fake_frame *frame = fake_push(fake, 2, 13, 4 + 60);

    frame->bytes[13] = 0x20;
    memset(frame->bytes + 17, 0x33, 60);
    poll_once(fake);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->input_bytes, 60);
    CHECK_EQ(fake->input_last[0], 0x33);
    CHECK_EQ(fake->input_last[59], 0x33);
    CHECK_EQ(counters(fake)->rx_moved, 1);
    fake_close(fake);
}

TEST(scenario_12_a_stuck_line_costs_bounded_work) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->line_stuck = true;
    uint32_t transfers = fake->transfers;

    for (uint32_t i = 0; i < 100000; i++) {
        poll_once(fake);
        fake->now_us += 10;
    }
    // A second of a stuck line: 64 ms between reads at the end.
    CHECK_BETWEEN(fake->transfers - transfers, 10, 40);
    // Frames still arrive, and normal service returns when the line behaves.
    fake->line_stuck = false;
    fake->now_us += 70000;
    for (uint32_t i = 0; i < 3; i++) {
        (void)fake_push_ethernet(fake, 2, 60);
        poll_once(fake);
        poll_once(fake);
    }
    CHECK_EQ(fake->input_count, 3);
    fake_close(fake);
}

TEST(a_dead_status_is_asked_again_and_given_up_within_200_ms) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    (void)fake_push_ethernet(fake, 2, 60);
    fake->dead = true;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 10000);
    CHECK_EQ(fake->input_count, 0);
    fake->dead = false;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 10000);
    CHECK_EQ(fake->input_count, 1);
    fake->dead = true;
    (void)fake_push_ethernet(fake, 2, 60);
    uint64_t dead_us = fake->now_us;

    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 3000000);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_RECOVERING);
    CHECK(fake->now_us <= dead_us + 200000);
    CHECK_EQ(cor_cyw43_error(&fake->chip), COR_E_BUS);
    CHECK(!fake->link);
    fake_close(fake);
}

TEST(a_bus_that_completes_nothing_is_given_up_after_100_ms) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 1;
    poll_once(fake);
    uint64_t deadline_us = cor_cyw43_poll(&fake->chip, fake->now_us);

    CHECK_EQ(deadline_us, fake->now_us + 100000);
    fake->now_us = deadline_us;
    poll_once(fake);
    CHECK_EQ(cor_cyw43_state(&fake->chip), COR_RADIO_RECOVERING);
    CHECK_EQ(counters(fake)->bus_timeouts, 1);
    // The frame comes back to its source when the bus gives it back.
    CHECK_EQ(fake->sent, 0);
    fake_complete(fake, 1);
    poll_once(fake);
    CHECK_EQ(fake->sent, 1);
    fake_close(fake);
}

TEST_MAIN(
    CASE(an_idle_bus_is_proved_each_100_ms_and_nothing_else_is_done),
    CASE(the_line_brings_one_status_read_and_the_frame),
    CASE(frames_behind_each_other_are_read_without_polling),
    CASE(a_frame_is_read_once_although_several_status_words_show_it),
    CASE(a_read_stands_behind_one_frame_at_most),
    CASE(scenario_4_a_damaged_header_costs_one_frame),
    CASE(scenario_4_a_length_too_short_is_resynchronised),
    CASE(scenario_5_an_impossible_length_is_dropped_unread),
    CASE(scenario_5_any_header_is_survived),
    CASE(a_frame_with_an_unusual_lead_is_moved_to_its_alignment),
    CASE(scenario_12_a_stuck_line_costs_bounded_work),
    CASE(a_dead_status_is_asked_again_and_given_up_within_200_ms),
    CASE(a_bus_that_completes_nothing_is_given_up_after_100_ms))
