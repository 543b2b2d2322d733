// SPDX-License-Identifier: MIT
// Air under random use: sends, power save modes, leaving and joining, loss, in any order. Whatever
// happens, each frame comes back once, order holds, and a station that is awake is served.
#include "coradio_twin/air.h"
#include "test.h"
#include "twin_air_world.h"

static void change_pm(struct world *world, struct twin_rng *rng) {
    enum twin_pm pm = (enum twin_pm)twin_rng_below(rng, 3);

    twin_mac_set_pm(
        world->station.mac, pm, twin_rng_below(rng, 50) * WORLD_MS, twin_rng_below(rng, 4));
}

static void send_some(struct world_side *side, struct twin_rng *rng) {
    uint32_t count = twin_rng_below(rng, 20);

    for (uint32_t i = 0; i < count; i++) {
        if (!world_send(side, 60 + twin_rng_below(rng, 1455))) {
            return;
        }
    }
}

static void send_group(struct world *world) {
    struct twin_frame *frame = twin_frame_get(world->frames);

    frame->size_bytes = 60;
    memset(frame->data, 0xff, 6);
    // Numbered as the next unicast frame, so that order is not broken by it.
    memcpy(frame->data + 14, &world->ap.next, sizeof(world->ap.next));
    if (twin_mac_send(world->ap.mac, frame)) {
        world->ap.next++;
    } else {
        twin_frame_put(world->frames, frame);
    }
}

static void act(struct world *world, struct twin_rng *rng) {
    switch (twin_rng_below(rng, 16)) {
    case 0:
        change_pm(world, rng);
        break;
    case 1:
        twin_mac_set_associated(world->station.mac, twin_rng_below(rng, 4) != 0);
        break;
    case 2:
        twin_mac_set_ampdu(world->station.mac, (uint8_t)(1 + twin_rng_below(rng, 32)));
        twin_mac_set_ampdu(world->ap.mac, (uint8_t)(1 + twin_rng_below(rng, 32)));
        break;
    case 3:
        twin_air_set_mpdu_error(world->air, twin_chance(twin_rng_below(rng, 50) / 100.0));
        break;
    case 4:
        // A group frame may overtake unicast ones; it is sent only where there are none.
        if (twin_mac_queued(world->ap.mac) == 0) {
            send_group(world);
        }
        break;
    case 5:
    case 6:
    case 7:
    case 8:
        send_some(&world->ap, rng);
        break;
    default:
        send_some(&world->station, rng);
        break;
    }
}

static void check_side(const struct world_side *side, const struct world_side *other) {
    CHECK_EQ(side->acked + side->lost, side->next);
    CHECK(other->received <= side->next);
    CHECK_EQ(twin_mac_queued(side->mac), 0);
}

static void run(uint64_t seed) {
    struct world_options options = world_defaults();
    struct twin_air_counters counters;
    struct twin_rng rng;
    struct world world;
    uint64_t before;

    options.seed = seed;
    options.ampdu = 8;
    options.loss = 0.1;
    world_open(&world, &options);
    twin_mac_start_beacons(world.ap.mac, 100, 1 + (uint32_t)seed % 3);
    twin_rng_init(&rng, world.sim, "test");
    for (uint32_t i = 0; i < 600; i++) {
        uint64_t step_ns = (UINT64_C(1) << twin_rng_below(&rng, 25));

        twin_run_until(world.sim, twin_now_ns(world.sim) + step_ns);
        act(&world, &rng);
    }
    twin_mac_set_associated(world.station.mac, true);
    twin_mac_set_pm(world.station.mac, TWIN_PM_AWAKE, 0, 1);
    twin_air_set_mpdu_error(world.air, 0);
    twin_run_until(world.sim, twin_now_ns(world.sim) + 3 * WORLD_S);
    check_side(&world.station, &world.ap);
    check_side(&world.ap, &world.station);
    CHECK_EQ(world.ap.out_of_order, 0);
    before = world.ap.received;
    CHECK(world_send(&world.station, 100));
    twin_run_until(world.sim, twin_now_ns(world.sim) + 5 * WORLD_MS);
    CHECK_EQ(world.ap.received, before + 1);
    CHECK(!twin_mac_asleep(world.station.mac));
    twin_air_get_counters(world.air, &counters);
    CHECK(
        counters.exchange_ns + counters.collision_ns + counters.beacons * 1392 * WORLD_US <=
        twin_now_ns(world.sim));
    CHECK(counters.occupied_ns <= counters.exchange_ns);
    CHECK(
        counters.station_tx_ns + counters.station_rx_ns + counters.station_sleep_ns <=
        twin_now_ns(world.sim));
    CHECK_EQ(world_close(&world), 0);
}

TEST(any_order_of_calls_loses_no_frame) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        run(seed);
    }
}

TEST_MAIN(CASE(any_order_of_calls_loses_no_frame))
