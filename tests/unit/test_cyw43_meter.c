// SPDX-License-Identifier: MIT
#include "cyw43_fake.h"

TEST(every_clocked_bit_has_a_purpose) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->to_send = 50;
    for (uint32_t i = 0; i < 50; i++) {
        (void)fake_push_ethernet(fake, 2, 54 + i);
        poll_once(fake);
        fake->now_us += 300;
    }
    CHECK_EQ(fake_purposes(fake), fake->bits);
    CHECK_EQ(fake->meter.bus.transfers, fake->transfers);
    uint64_t payload = 8u * (fake->data_in * 1460u);

    for (uint32_t i = 0; i < 50; i++) {
        payload += 8u * i;
    }
    CHECK_EQ(fake->meter.bus.bits[COR_METER_PURPOSE_payload], payload);
    fake_close(fake);
}

// One of the frames in flight completes now, is seen 20 us later, and the poll takes poll_us.
static void complete_and_serve(struct fake *fake, uint32_t count, uint32_t poll_us) {
    fake_complete(fake, count);
    fake->now_us += 20;
    (void)cor_cyw43_poll(&fake->chip, fake->now_us);
    fake->now_us += poll_us;
    cor_cyw43_rest(&fake->chip, fake->now_us);
}

TEST(the_bus_binds_while_frames_are_ready_in_time) {
    struct fake *fake = fake_open(4);
    struct cor_chronograph *clock = &fake->meter.chronograph;

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 100;
    poll_once(fake);
    CHECK_EQ(fake->pulled, 3);
    CHECK_EQ(clock->state, COR_METER_STATE_bus);
    struct cor_chronograph before = cor_chronograph_snapshot(clock, fake->now_us);

    fake->now_us += 300;
    complete_and_serve(fake, 1, 250);  // two frames of 328 us are still to be clocked
    struct cor_chronograph after = cor_chronograph_snapshot(clock, fake->now_us);

    CHECK_EQ(after.us[COR_METER_STATE_bus] - before.us[COR_METER_STATE_bus], 570);
    CHECK_EQ(clock->state, COR_METER_STATE_bus);
    fake_close(fake);
}

TEST(the_processor_binds_where_the_bus_runs_dry) {
    struct fake *fake = fake_open(4);
    struct cor_chronograph *clock = &fake->meter.chronograph;

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 100;
    poll_once(fake);
    struct cor_chronograph before = cor_chronograph_snapshot(clock, fake->now_us);

    fake->now_us += 300;
    complete_and_serve(fake, 2, 800);  // one frame is left, and two are made in its place
    struct cor_chronograph after = cor_chronograph_snapshot(clock, fake->now_us);

    CHECK_EQ(after.us[COR_METER_STATE_bus] - before.us[COR_METER_STATE_bus], 300);
    CHECK_EQ(after.us[COR_METER_STATE_cpu] - before.us[COR_METER_STATE_cpu], 820);
    CHECK_EQ(clock->state, COR_METER_STATE_bus);
    fake_close(fake);
}

TEST(the_processor_binds_where_one_frame_takes_longer_than_two_are_clocked) {
    struct fake *fake = fake_open(4);
    struct cor_chronograph *clock = &fake->meter.chronograph;

    fake_joined(fake);
    fake->by_hand = true;
    fake->to_send = 100;
    poll_once(fake);
    struct cor_chronograph before = cor_chronograph_snapshot(clock, fake->now_us);

    fake->now_us += 300;
    complete_and_serve(fake, 1, 700);
    struct cor_chronograph after = cor_chronograph_snapshot(clock, fake->now_us);

    CHECK_EQ(after.us[COR_METER_STATE_cpu] - before.us[COR_METER_STATE_cpu], 720);
    fake_close(fake);
}

// Whether the caller's clock at rest() stands before or behind the transfer makes no difference.
TEST(on_a_bus_of_one_transfer_its_own_times_part_bus_and_processor) {
    for (uint32_t waits = 0; waits < 2; waits++) {
        struct fake *fake = fake_open(1);
        struct cor_chronograph *clock = &fake->meter.chronograph;

        fake_joined(fake);
        fake->by_hand = true;
        fake->to_send = 100;
        (void)cor_cyw43_poll(&fake->chip, fake->now_us);
        struct cor_chronograph before = cor_chronograph_snapshot(clock, fake->now_us);

        cor_cyw43_rest(&fake->chip, fake->now_us + (waits == 0 ? 50 : 378));
        fake->now_us += 50;  // the frame is made,
        uint64_t started_us = fake->now_us;

        fake->now_us += 328;  // and clocked
        fake_complete(fake, 1);
        fake->chip.ops[fake->chip.op_order[0]].xfer.started_us = started_us;
        poll_once(fake);
        struct cor_chronograph after = cor_chronograph_snapshot(clock, fake->now_us);

        CHECK_EQ(after.us[COR_METER_STATE_cpu] - before.us[COR_METER_STATE_cpu], 50);
        CHECK_EQ(after.us[COR_METER_STATE_bus] - before.us[COR_METER_STATE_bus], 328);
        fake_close(fake);
    }
}

TEST(the_chronograph_names_the_blocker_of_the_source) {
    struct fake *fake = fake_open(4);

    fake_joined(fake);
    fake->blocked = COR_METER_STATE_peer_window;
    poll_once(fake);
    CHECK_EQ(fake->meter.chronograph.state, COR_METER_STATE_peer_window);
    fake->blocked = COR_METER_STATE_source;
    poll_once(fake);
    CHECK_EQ(fake->meter.chronograph.state, COR_METER_STATE_source);
    fake_close(fake);
}

TEST(waiting_beyond_20_ms_while_the_radio_sleeps_is_power_save) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);
    struct cor_chronograph before;
    struct cor_chronograph after;

    config.pm = COR_PM_AGGRESSIVE;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake_joined(fake);
    (void)fake_push_ethernet(fake, 2, 60);
    fake->blocked = COR_METER_STATE_congestion;
    poll_once(fake);
    before = cor_chronograph_snapshot(&fake->meter.chronograph, fake->now_us);
    uint64_t start_us = fake->now_us;

    fake_run(fake, COR_RADIO_JOINED, start_us + 100000);
    CHECK_EQ(fake->meter.chronograph.state, COR_METER_STATE_power_save);
    (void)fake_push_ethernet(fake, 2, 60);
    poll_once(fake);
    after = cor_chronograph_snapshot(&fake->meter.chronograph, fake->now_us);
    CHECK_EQ(after.us[COR_METER_STATE_congestion] - before.us[COR_METER_STATE_congestion], 20000);
    CHECK_EQ(after.us[COR_METER_STATE_power_save] - before.us[COR_METER_STATE_power_save], 80000);
    CHECK_EQ(fake->meter.chronograph.state, COR_METER_STATE_congestion);
    fake_close(fake);
}

TEST_MAIN(
    CASE(every_clocked_bit_has_a_purpose),
    CASE(the_bus_binds_while_frames_are_ready_in_time),
    CASE(the_processor_binds_where_the_bus_runs_dry),
    CASE(the_processor_binds_where_one_frame_takes_longer_than_two_are_clocked),
    CASE(on_a_bus_of_one_transfer_its_own_times_part_bus_and_processor),
    CASE(the_chronograph_names_the_blocker_of_the_source),
    CASE(waiting_beyond_20_ms_while_the_radio_sleeps_is_power_save))
