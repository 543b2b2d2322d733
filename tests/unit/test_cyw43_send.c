// SPDX-License-Identifier: MIT
#include "cyw43_fake.h"

static const struct cor_cyw43_counters *counters(struct fake *fake) {
    return cor_cyw43_get_counters(&fake->chip);
}

TEST(a_frame_goes_out_with_its_true_length_and_no_copy) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 1;
    poll_once(fake);
    CHECK_EQ(fake->queued, 1);
    CHECK(fake->queue[0]->out[1].data == fake->payload);
    CHECK_EQ(fake->queue[0]->out[0].size_bytes, 76);
    fake_complete(fake, 1);
    poll_once(fake);
    CHECK_EQ(fake->sent, 1);
    CHECK_EQ(fake->data_in, 1);
    CHECK_EQ(fake->last_in_bytes, 1514 + 18);
    CHECK_EQ(counters(fake)->tx_bytes, 1514);
    fake_close(fake);
}

TEST(credit_gates_each_frame_and_wraps_at_256) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->blocked = COR_METER_STATE_source;
    for (uint32_t i = 0; i < 100; i++) {
        fake->to_send = 100;
        poll_once(fake);
        poll_once(fake);
        CHECK_EQ(fake->chip.blocked, COR_METER_STATE_credit);
        uint32_t before = fake->data_in;

        (void)fake_push(fake, 0, 12, 0);  // credit alone, for eight
        poll_once(fake);
        poll_once(fake);
        CHECK_EQ(fake->data_in - before, 8);
    }
    CHECK(fake->data_in > 700);
    CHECK_EQ(fake->over_credit, 0);
    CHECK_EQ(fake->sent, fake->pulled);
    fake_close(fake);
}

TEST(without_credit_the_status_is_read_after_100_ms_and_not_before) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->freeze_credit = true;
    fake->to_send = 100;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 50000);
    uint32_t reads = fake->status_reads;

    CHECK_EQ(fake->chip.blocked, COR_METER_STATE_credit);
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 1000000);
    CHECK_BETWEEN(fake->status_reads - reads, 8, 11);  // one more at the first rung
    CHECK(counters(fake)->credit_timeouts > 7);
    // Received frames are taken all the while, and sending goes on with the credit they bring.
    fake->freeze_credit = false;
    memset(fake_push_ethernet(fake, 2, 60), 7, 60);
    uint32_t before = fake->data_in;

    poll_once(fake);
    poll_once(fake);
    CHECK_EQ(fake->input_count, 1);
    CHECK_EQ(fake->data_in - before, 8);
    fake_close(fake);
}

TEST(a_credit_that_cannot_be_true_is_rejected) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    uint8_t max = fake->chip.tx_max;

    fake_push(fake, 0, 12, 0)->bytes[9] = (uint8_t)(max - 3);
    poll_once(fake);
    CHECK_EQ(fake->chip.tx_max, max);
    fake_push(fake, 0, 12, 0)->bytes[9] = (uint8_t)(fake->chip.tx_sequence + 0x41);
    poll_once(fake);
    CHECK_EQ(fake->chip.tx_max, max);
    CHECK_EQ(counters(fake)->credit_rejected, 2);
    fake_push(fake, 0, 12, 0)->bytes[9] = (uint8_t)(fake->chip.tx_sequence + 0x40);
    poll_once(fake);
    CHECK_EQ(fake->chip.tx_max, (uint8_t)(fake->chip.tx_sequence + 0x40));
    fake_close(fake);
}

TEST(credit_is_taken_from_a_frame_that_is_dropped) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    struct fake_frame *frame = fake_push(fake, 2, 14, 8);  // no room for an Ethernet header

    frame->bytes[9] = (uint8_t)(fake->chip.tx_max + 5);
    uint8_t max = frame->bytes[9];

    poll_once(fake);
    CHECK_EQ(counters(fake)->rx_bad_data, 1);
    CHECK_EQ(fake->chip.tx_max, max);
    fake_close(fake);
}

TEST(the_flow_mask_stops_data_of_its_priority) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake_push(fake, 0, 12, 0)->bytes[8] = 0x01;
    poll_once(fake);
    fake->to_send = 5;
    poll_once(fake);
    CHECK_EQ(fake->data_in, 0);
    CHECK_EQ(counters(fake)->flow_stops, 1);
    fake_push(fake, 0, 12, 0)->bytes[8] = 0xFE;
    poll_once(fake);
    CHECK_EQ(fake->data_in, 5);
    fake_close(fake);
}

TEST(a_chip_that_is_not_ready_is_asked_with_growing_gaps) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->not_ready = true;
    fake->chip.status &= ~0x20u;
    fake->to_send = 1;
    uint32_t reads = fake->status_reads;

    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 20000);
    CHECK_EQ(fake->data_in, 0);
    // 32, 64, ... 1024 us, then each 1024 us.
    CHECK_BETWEEN(fake->status_reads - reads, 15, 30);
    fake->not_ready = false;
    fake_run(fake, COR_RADIO_JOINED, fake->now_us + 2000);
    CHECK_EQ(fake->data_in, 1);
    fake_close(fake);
}

TEST_MAIN(
    CASE(a_frame_goes_out_with_its_true_length_and_no_copy),
    CASE(credit_gates_each_frame_and_wraps_at_256),
    CASE(without_credit_the_status_is_read_after_100_ms_and_not_before),
    CASE(a_credit_that_cannot_be_true_is_rejected),
    CASE(credit_is_taken_from_a_frame_that_is_dropped),
    CASE(the_flow_mask_stops_data_of_its_priority),
    CASE(a_chip_that_is_not_ready_is_asked_with_growing_gaps))
