// SPDX-License-Identifier: MIT
// Air under load: goodput, loss, collisions, order and determinism with two MACs.
#include "coradio_twin/air.h"
#include "test.h"
#include "twin_air_world.h"

#include <stdlib.h>

static double mbps(uint64_t bits, uint64_t ns) {
    return (double)bits * 1000.0 / (double)ns;
}

// UDP goodput of a saturated station.
static double udp_mbps(const struct world_options *options, struct twin_air_counters *counters) {
    struct world world;
    uint64_t bits;

    world_open(&world, options);
    world_saturate(&world.station, 1514, 3u * options->ampdu);
    twin_run_until(world.sim, 10 * WORLD_S);
    bits = world.ap.received * 1472 * 8;
    CHECK_EQ(world.ap.out_of_order, 0);
    twin_air_get_counters(world.air, counters);
    CHECK_EQ(world_close(&world), 0);
    return mbps(bits, 10 * WORLD_S);
}

TEST(saturated_udp_reaches_the_closed_form) {
    static const struct {
        uint8_t ampdu;
        double mbps;
    } rows[] = {{1, 32.13}, {2, 43.1}, {4, 52.9}, {8, 59.5}, {16, 63.5}, {32, 65.7}};
    struct world_options options = world_defaults();
    struct twin_air_counters counters;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        options.ampdu = rows[i].ampdu;
        CHECK_BETWEEN(udp_mbps(&options, &counters), 0.99 * rows[i].mbps, 1.01 * rows[i].mbps);
        CHECK_EQ(counters.collisions, 0);
        CHECK_EQ(counters.retries, 0);
        // A queue that is never empty keeps the channel in exchanges all the time.
        CHECK_BETWEEN(counters.exchange_ns, 9.99e9, 10e9);
    }
}

TEST(a_ppdu_takes_no_more_than_fits) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;

    options.ampdu = 32;
    (void)udp_mbps(&options, &counters);
    CHECK_EQ(counters.mpdus / counters.ppdus, 31);
    options.mcs = 0;
    (void)udp_mbps(&options, &counters);
    CHECK_EQ(counters.mpdus / counters.ppdus, 3);
    CHECK_EQ(counters.mpdus % counters.ppdus, 0);
}

TEST(loss_of_single_mpdus_costs_what_the_sheet_says) {
    static const struct { double loss, mbps; } rows[] = {{0.05, 30.2}, {0.10, 28.3}, {0.20, 24.2}};
    struct world_options options = world_defaults();
    struct twin_air_counters counters;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        options.loss = rows[i].loss;
        CHECK_BETWEEN(udp_mbps(&options, &counters), 0.985 * rows[i].mbps, 1.015 * rows[i].mbps);
        // Each MPDU is sent again with the probability of its loss.
        CHECK_BETWEEN(
            (double)counters.retries / (double)counters.mpdus,
            0.93 * rows[i].loss,
            1.07 * rows[i].loss);
    }
}

static void run_tcp(
    struct world *world, const struct world_options *options, uint8_t ap_ampdu, uint64_t ns) {
    world_open(world, options);
    twin_mac_set_ampdu(world->ap.mac, ap_ampdu);
    world->ap.ack_every = 2;
    world_saturate(&world->station, 1514, 4u * options->ampdu);
    twin_run_until(world->sim, ns);
}

TEST(tcp_without_aggregation_lies_between_full_and_overlapping_backoffs) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;
    struct world world;
    double goodput;

    run_tcp(&world, &options, 1, 10 * WORLD_S);
    goodput = mbps(world.ap.received * 1460 * 8, 10 * WORLD_S);
    CHECK_BETWEEN(goodput, 25.0, 26.9);
    CHECK_EQ(world.ap.lost + world.station.lost, 0);
    CHECK_EQ(world.ap.skipped + world.station.skipped, 0);
    CHECK_EQ(world.ap.out_of_order + world.station.out_of_order, 0);
    twin_air_get_counters(world.air, &counters);
    // Two saturated nodes collide in 10.5 % of attempts; the ACK queue is not saturated.
    CHECK_BETWEEN(
        2.0 * (double)counters.collisions / (double)(counters.ppdus + counters.downlink_ppdus),
        0.02,
        0.105);
    CHECK_BETWEEN(counters.exchange_ns + counters.collision_ns, 9.9e9, 10e9);
    CHECK_EQ(world_close(&world), 0);
}

TEST(tcp_with_aggregation_is_near_its_bound) {
    struct world_options options = world_defaults();
    struct world world;

    options.ampdu = 4;
    run_tcp(&world, &options, 8, 10 * WORLD_S);
    // The bound has no collisions, but full back-offs for both sides.
    CHECK_BETWEEN(mbps(world.ap.received * 1460 * 8, 10 * WORLD_S), 0.95 * 42.0, 1.1 * 42.0);
    CHECK_EQ(world_close(&world), 0);
}

TEST(two_saturated_macs_collide_as_bianchi_says) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;
    struct world world;
    double attempts;

    world_open(&world, &options);
    world_saturate(&world.station, 1514, 4);
    world_saturate(&world.ap, 1514, 4);
    twin_run_until(world.sim, 20 * WORLD_S);
    twin_air_get_counters(world.air, &counters);
    attempts = (double)(counters.ppdus + counters.downlink_ppdus);
    CHECK_BETWEEN(2.0 * (double)counters.collisions / attempts, 0.09, 0.12);
    // Both get their half.
    CHECK_BETWEEN((double)world.ap.received / (double)world.station.received, 0.95, 1.05);
    CHECK_EQ(world.ap.skipped + world.station.skipped, 0);
    CHECK_EQ(world_close(&world), 0);
}

TEST(order_holds_and_nothing_is_missing_under_loss) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;
    struct world world;

    options.ampdu = 16;
    options.loss = 0.3;
    options.retries = 100;
    run_tcp(&world, &options, 8, 5 * WORLD_S);
    twin_air_get_counters(world.air, &counters);
    CHECK_BETWEEN(world.ap.received, 5000, 1e9);
    CHECK_EQ(world.ap.out_of_order + world.station.out_of_order, 0);
    CHECK_EQ(world.ap.skipped + world.station.skipped, 0);
    CHECK_EQ(world.ap.lost + world.station.lost, 0);
    CHECK_BETWEEN((double)counters.retries, 0.2 * (double)counters.mpdus, 1e9);
    // The window lets no more than 64 be ahead of the oldest.
    CHECK_BETWEEN(world.station.acked - world.ap.received, 0, 64);
    CHECK_EQ(world_close(&world), 0);
}

TEST(what_is_given_up_leaves_a_hole_and_the_rest_goes_on) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;
    struct world world;

    options.ampdu = 8;
    options.loss = 0.5;
    options.retries = 2;
    world_open(&world, &options);
    world_saturate(&world.station, 1514, 24);
    twin_run_until(world.sim, 5 * WORLD_S);
    twin_air_get_counters(world.air, &counters);
    CHECK_EQ(world.station.lost, counters.given_up);
    // One half to the power of three.
    CHECK_BETWEEN(
        (double)world.station.lost / (double)(world.station.lost + world.station.acked),
        0.115,
        0.135);
    CHECK_EQ(world.ap.out_of_order, 0);
    CHECK_BETWEEN(world.ap.skipped, counters.given_up - 64, counters.given_up);
    CHECK_EQ(world_close(&world), 0);
}

TEST(a_dead_channel_gives_up_after_the_retries) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;
    struct world world;

    options.loss = 1.0;
    world_open(&world, &options);
    CHECK(world_send(&world.station, 1514));
    twin_run_until(world.sim, WORLD_S);
    twin_air_get_counters(world.air, &counters);
    CHECK_EQ(world.station.lost, 1);
    CHECK_EQ(counters.ppdus, 8);
    CHECK_EQ(counters.retries, 7);
    CHECK_EQ(counters.given_up, 1);
    CHECK_EQ(twin_mac_queued(world.station.mac), 0);
    CHECK_EQ(world_close(&world), 0);
}

TEST(a_frame_on_a_quiet_channel_goes_at_once) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;
    struct world world;

    world_open(&world, &options);
    twin_run_until(world.sim, WORLD_MS);
    CHECK(world_send(&world.station, 1514));
    twin_run_until(world.sim, WORLD_MS + 218 * WORLD_US);
    CHECK_EQ(world.ap.received, 1);
    CHECK_EQ(world.ap.last_ns, WORLD_MS + 218 * WORLD_US);
    CHECK_EQ(world.station.acked, 0);
    twin_run_until(world.sim, WORLD_MS + 262 * WORLD_US);
    CHECK_EQ(world.station.acked, 1);
    twin_air_get_counters(world.air, &counters);
    CHECK_EQ(counters.exchange_ns, 262 * WORLD_US);
    CHECK_EQ(counters.occupied_ns, 262 * WORLD_US);
    CHECK_EQ(counters.station_tx_ns, 218 * WORLD_US);
    CHECK_EQ(counters.station_rx_ns, 34 * WORLD_US);
    CHECK_EQ(world_close(&world), 0);
}

TEST(a_frame_behind_another_waits_for_the_post_backoff) {
    struct world_options options = world_defaults();
    struct world world;
    uint64_t end_ns = WORLD_MS + 262 * WORLD_US;

    for (options.seed = 1; options.seed <= 40; options.seed++) {
        uint64_t wait_ns;

        world_open(&world, &options);
        twin_run_until(world.sim, WORLD_MS);
        CHECK(world_send(&world.station, 1514));
        twin_run_until(world.sim, end_ns);
        CHECK(world_send(&world.station, 1514));
        twin_run_until(world.sim, 2 * WORLD_MS);
        wait_ns = world.ap.last_ns - 218 * WORLD_US - end_ns;
        CHECK_BETWEEN(wait_ns, 37 * WORLD_US, (37 + 15 * 9) * WORLD_US);
        CHECK_EQ((wait_ns - 37 * WORLD_US) % (9 * WORLD_US), 0);
        CHECK_EQ(world_close(&world), 0);
    }
}

TEST(a_full_queue_refuses_and_keeps_nothing) {
    struct world_options options = world_defaults();
    struct world world;
    uint32_t taken = 0;

    world_open(&world, &options);
    while (world_send(&world.station, 1514)) {
        taken++;
    }
    CHECK_EQ(taken, 256);
    CHECK_EQ(twin_mac_queued(world.station.mac), 256);
    twin_run_until(world.sim, WORLD_S);
    CHECK_EQ(world.ap.received, 256);
    CHECK_EQ(twin_mac_queued(world.station.mac), 0);
    CHECK_EQ(world_close(&world), 0);
}

TEST(the_receivers_longest_ampdu_is_kept) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;
    struct world world;

    options.ampdu = 32;
    world_open(&world, &options);
    twin_mac_set_ampdu_receive_bytes(world.station.mac, 8191);
    world_saturate(&world.ap, 1514, 100);
    twin_run_until(world.sim, WORLD_S);
    twin_air_get_counters(world.air, &counters);
    CHECK_EQ(counters.downlink_mpdus / counters.downlink_ppdus, 5);
    CHECK_EQ(world_close(&world), 0);
}

TEST(leaving_gives_all_frames_back_at_once) {
    struct world_options options = world_defaults();
    struct world world;

    options.ampdu = 8;
    options.loss = 0.2;
    for (uint64_t stop_us = 0; stop_us < 20000; stop_us += 1111) {
        uint32_t made;

        world_open(&world, &options);
        for (uint32_t i = 0; i < 40; i++) {
            CHECK(world_send(&world.station, 1514));
            CHECK(world_send(&world.ap, 1514));
        }
        made = world.station.next;
        twin_run_until(world.sim, stop_us * WORLD_US);
        twin_mac_set_associated(world.station.mac, false);
        CHECK_EQ(world.station.acked + world.station.lost, made);
        CHECK_EQ(world.ap.acked + world.ap.lost, made);
        CHECK_EQ(twin_frames_out(world.frames), 0);
        CHECK(!world_send(&world.station, 1514));
        CHECK(!world_send(&world.ap, 1514));
        twin_run_until(world.sim, WORLD_S);
        CHECK(world.ap.received <= made);
        twin_mac_set_associated(world.station.mac, true);
        CHECK(world_send(&world.station, 1514));
        twin_run_until(world.sim, 2 * WORLD_S);
        CHECK_EQ(twin_mac_queued(world.station.mac), 0);
        CHECK_EQ(world_close(&world), 0);
    }
}

TEST(a_mac_may_be_freed_with_a_ppdu_on_the_air) {
    struct world_options options = world_defaults();
    struct world world;

    options.ampdu = 4;
    for (uint64_t stop_us = 0; stop_us < 3000; stop_us += 50) {
        world_open(&world, &options);
        world_saturate(&world.station, 1514, 8);
        world_saturate(&world.ap, 1514, 8);
        twin_run_until(world.sim, stop_us * WORLD_US);
        twin_mac_free(world.station.mac);
        world.station.mac = NULL;
        world.ap.saturated = false;
        twin_run_until(world.sim, WORLD_S);
        CHECK_EQ(world_close(&world), 0);
    }
}

static size_t logged(uint64_t seed, char *text, size_t room_bytes) {
    struct twin_log log = {.file = fmemopen(text, room_bytes, "w")};
    struct world_options options = world_defaults();
    struct world world;
    size_t size_bytes;

    options.ampdu = 4;
    options.loss = 0.1;
    options.seed = seed;
    options.log = &log;
    run_tcp(&world, &options, 4, 200 * WORLD_MS);
    CHECK_EQ(world_close(&world), 0);
    size_bytes = (size_t)ftell(log.file);
    fclose(log.file);
    return size_bytes;
}

TEST(one_seed_gives_one_log) {
    size_t room_bytes = 1u << 20;
    char *one = malloc(room_bytes);
    char *two = malloc(room_bytes);
    size_t one_bytes = logged(7, one, room_bytes);
    size_t two_bytes = logged(7, two, room_bytes);

    CHECK_BETWEEN(one_bytes, 10000, room_bytes - 1);
    CHECK_EQ(one_bytes, two_bytes);
    CHECK_BYTES(one, two, one_bytes);
    two_bytes = logged(8, two, room_bytes);
    CHECK(one_bytes != two_bytes || memcmp(one, two, one_bytes) != 0);
    free(one);
    free(two);
}

TEST(the_log_has_a_line_a_ppdu) {
    char text[512] = "";
    struct twin_log log = {.file = fmemopen(text, sizeof(text), "w")};
    struct world_options options = world_defaults();
    struct world world;

    options.log = &log;
    world_open(&world, &options);
    twin_run_until(world.sim, WORLD_MS);
    CHECK(world_send(&world.station, 1514));
    twin_run_until(world.sim, 2 * WORLD_MS);
    CHECK_EQ(world_close(&world), 0);
    fclose(log.file);
    CHECK_TEXT(
        text,
        "0.001262000 sta1 data bytes=1554 mpdus=1 retries=0 lost=0 wait_ns=0 air_ns=218000 pm=0 "
        "ok\n");
}

TEST(an_exchange_costs_three_events) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;
    struct world world;

    options.ampdu = 8;
    run_tcp(&world, &options, 8, WORLD_S);
    twin_air_get_counters(world.air, &counters);
    CHECK_BETWEEN(
        (double)twin_events_run(world.sim) / (double)(counters.ppdus + counters.downlink_ppdus),
        2.8,
        3.01);
    CHECK_EQ(world_close(&world), 0);
}

TEST_MAIN(
    CASE(saturated_udp_reaches_the_closed_form),
    CASE(a_ppdu_takes_no_more_than_fits),
    CASE(loss_of_single_mpdus_costs_what_the_sheet_says),
    CASE(tcp_without_aggregation_lies_between_full_and_overlapping_backoffs),
    CASE(tcp_with_aggregation_is_near_its_bound),
    CASE(two_saturated_macs_collide_as_bianchi_says),
    CASE(order_holds_and_nothing_is_missing_under_loss),
    CASE(what_is_given_up_leaves_a_hole_and_the_rest_goes_on),
    CASE(a_dead_channel_gives_up_after_the_retries),
    CASE(a_frame_on_a_quiet_channel_goes_at_once),
    CASE(a_frame_behind_another_waits_for_the_post_backoff),
    CASE(a_full_queue_refuses_and_keeps_nothing),
    CASE(the_receivers_longest_ampdu_is_kept),
    CASE(leaving_gives_all_frames_back_at_once),
    CASE(a_mac_may_be_freed_with_a_ppdu_on_the_air),
    CASE(one_seed_gives_one_log),
    CASE(the_log_has_a_line_a_ppdu),
    CASE(an_exchange_costs_three_events))
