// SPDX-License-Identifier: MIT
// Air, power save: uploads and pings of a sleeping station, beacons, group frames, time asleep.
#include "coradio_twin/ap.h"
#include "test.h"

#include <string.h>

#define S  UINT64_C(1000000000)
#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

// Offsets of the test's own frames: kind and number behind the Ethernet header.
#define KIND       14
#define NUMBER     16
#define WIRE_NS    (1 * MS)  // from the access point to the far side and back
#define LATE_MAX   64
#define PINGS_MAX  1000
#define PING_BYTES 98

enum { KIND_PING = 1, KIND_PONG, KIND_DATA, KIND_ACK, KIND_GROUP };

struct world {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_air *air;
    struct twin_ap *ap;
    struct twin_mac *station;
    enum twin_join joined;
    // Frames on the wire, answered in order.
    struct twin_frame_queue wire;
    uint64_t wire_ns[LATE_MAX];
    uint32_t wire_head;
    struct twin_event answer;
    uint32_t data_at_peer;
    // Upload.
    uint32_t window;
    uint32_t sent;
    uint32_t acknowledged;
    uint32_t given_up;
    // Pings.
    struct twin_event ping;
    uint64_t ping_interval_ns;
    uint32_t pings;
    uint32_t pongs;
    uint64_t ping_ns[PINGS_MAX];
    uint64_t rtt_sum_ns;
    uint64_t rtt_max_ns;
    uint32_t groups;
};

static void put_number(struct twin_frame *frame, uint32_t number) {
    memcpy(frame->data + NUMBER, &number, sizeof(number));
}

static uint32_t get_number(const struct twin_frame *frame) {
    uint32_t number;

    memcpy(&number, frame->data + NUMBER, sizeof(number));
    return number;
}

static struct twin_frame *make(struct world *world, uint8_t kind, uint32_t size_bytes) {
    struct twin_frame *frame = twin_frame_get(world->frames);

    frame->size_bytes = size_bytes;
    memset(frame->data, 0, NUMBER + 4);
    frame->data[5] = kind == KIND_PONG || kind == KIND_ACK ? 2 : 9;
    frame->data[KIND] = kind;
    return frame;
}

// ---- the far side: answers pings, acknowledges every second data frame

static void answer(void *context) {
    struct world *world = context;
    struct twin_frame *frame = twin_frame_pop(&world->wire);
    struct twin_frame *reply = NULL;

    if (frame->data[KIND] == KIND_PING) {
        reply = make(world, KIND_PONG, PING_BYTES);
        put_number(reply, get_number(frame));
    } else if (++world->data_at_peer % 2 == 0) {
        reply = make(world, KIND_ACK, 54);
        put_number(reply, world->data_at_peer);
    }
    twin_frame_put(world->frames, frame);
    if (reply != NULL) {
        twin_ap_port(world->ap).input(twin_ap_port(world->ap).context, reply);
    }
    world->wire_head++;
    if (world->wire.count > 0) {
        twin_at(world->sim, &world->answer, world->wire_ns[world->wire_head % LATE_MAX]);
    }
}

static void wire_input(void *context, struct twin_frame *frame) {
    struct world *world = context;
    uint64_t due_ns = twin_now_ns(world->sim) + WIRE_NS;

    CHECK(world->wire.count < LATE_MAX);
    world->wire_ns[(world->wire_head + world->wire.count) % LATE_MAX] = due_ns;
    twin_frame_push(&world->wire, frame);
    if (world->wire.count == 1) {
        twin_at(world->sim, &world->answer, due_ns);
    }
}

// ---- the station

static void upload(struct world *world) {
    while (world->sent - world->acknowledged < world->window) {
        struct twin_frame *frame = make(world, KIND_DATA, 1514);

        if (!twin_mac_send(world->station, frame)) {
            twin_frame_put(world->frames, frame);
            return;
        }
        world->sent++;
    }
}

static void station_received(void *context, struct twin_frame *frame) {
    struct world *world = context;
    uint32_t number = get_number(frame);
    uint64_t rtt_ns;

    switch (frame->data[KIND]) {
    case KIND_PONG:
        rtt_ns = twin_now_ns(world->sim) - world->ping_ns[number];
        world->pongs++;
        world->rtt_sum_ns += rtt_ns;
        world->rtt_max_ns = rtt_ns > world->rtt_max_ns ? rtt_ns : world->rtt_max_ns;
        break;
    case KIND_ACK:
        world->acknowledged = number;
        upload(world);
        break;
    default:
        world->groups++;
        break;
    }
    twin_frame_put(world->frames, frame);
}

static void station_sent(void *context, struct twin_frame *frame, bool acked) {
    struct world *world = context;

    world->given_up += acked ? 0 : 1;
    twin_frame_put(world->frames, frame);
}

static void ping(void *context) {
    struct world *world = context;
    struct twin_frame *frame = make(world, KIND_PING, PING_BYTES);

    put_number(frame, world->pings);
    world->ping_ns[world->pings++] = twin_now_ns(world->sim);
    CHECK(twin_mac_send(world->station, frame));
    if (world->pings < PINGS_MAX) {
        twin_after(world->sim, &world->ping, world->ping_interval_ns);
    }
}

static void joined(void *context, enum twin_join outcome) {
    struct world *world = context;

    world->joined = outcome;
}

// ---- the world

static void open_world(struct world *world, uint64_t seed, uint32_t dtim_period) {
    struct twin_air_config air = {0};
    struct twin_ap_config ap = {.ssid = "test", .ampdu_max = 8, .auth = TWIN_AUTH_OPEN};
    struct twin_mac_config mac = {.ampdu_max = 8, .context = world};

    memset(world, 0, sizeof(*world));
    world->sim = twin_sim_new(seed, 0);
    world->frames = twin_frames_new();
    air.sim = world->sim;
    air.frames = world->frames;
    air.mcs = 7;
    air.gi = TWIN_GI_SHORT;
    world->air = twin_air_new(&air);
    ap.sim = world->sim;
    ap.air = world->air;
    ap.frames = world->frames;
    ap.bssid[5] = 1;
    ap.dtim_period = dtim_period;
    ap.wire.input = wire_input;
    ap.wire.context = world;
    world->ap = twin_ap_new(&ap);
    mac.address[5] = 2;
    mac.sent = station_sent;
    mac.received = station_received;
    world->station = twin_mac_new(world->air, &mac);
    twin_event_init(&world->answer, answer, world);
    twin_event_init(&world->ping, ping, world);
    world->joined = TWIN_JOIN_REFUSED;
    twin_ap_join(world->ap, world->station, "test", NULL, TWIN_AUTH_OPEN, joined, world);
    twin_run_until(world->sim, S);
    CHECK_EQ(world->joined, TWIN_JOIN_OK);
}

static uint32_t close_world(struct world *world) {
    struct twin_frame *frame;
    uint32_t out;

    while ((frame = twin_frame_pop(&world->wire)) != NULL) {
        twin_frame_put(world->frames, frame);
    }
    twin_ap_leave(world->ap, world->station);
    twin_mac_free(world->station);
    twin_ap_free(world->ap);
    twin_air_free(world->air);
    out = twin_frames_out(world->frames);
    twin_frames_free(world->frames);
    twin_sim_free(world->sim);
    return out;
}

static double upload_bps(
    enum twin_pm pm, uint32_t listen, uint32_t window, struct twin_air_counters *counters) {
    struct world world;
    uint32_t before;
    double bps;

    open_world(&world, 1, 1);
    twin_mac_set_pm(world.station, pm, 0, listen);
    world.window = window;
    upload(&world);
    twin_run_until(world.sim, 3 * S);
    before = world.data_at_peer;
    twin_run_until(world.sim, 63 * S);
    CHECK_EQ(world.given_up, 0);
    bps = (double)(world.data_at_peer - before) * 1460 * 8 / 60;
    twin_air_get_counters(world.air, counters);
    CHECK_EQ(close_world(&world), 0);
    return bps;
}

TEST(a_legacy_upload_gives_the_window_per_wake_up) {
    static const uint32_t listens[] = {1, 3, 10};
    static const uint32_t windows[] = {2, 4, 8, 44};
    struct twin_air_counters counters;

    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 4; j++) {
            double expected = windows[j] * 1460.0 * 8 / (listens[i] * 0.1024);

            CHECK_BETWEEN(
                upload_bps(TWIN_PM_LEGACY, listens[i], windows[j], &counters),
                0.9 * expected,
                1.1 * expected);
            CHECK_BETWEEN(counters.station_sleep_ns, 30 * S, 63 * S);
        }
    }
}

TEST(a_fast_upload_is_that_without_power_save) {
    struct twin_air_counters awake;
    struct twin_air_counters fast;
    double awake_bps = upload_bps(TWIN_PM_AWAKE, 1, 44, &awake);
    double fast_bps = upload_bps(TWIN_PM_FAST, 10, 44, &fast);

    CHECK_BETWEEN(awake_bps, 35e6, 60e6);
    CHECK_BETWEEN(fast_bps, 0.999 * awake_bps, 1.001 * awake_bps);
    CHECK_EQ(fast.station_sleep_ns, 0);
    CHECK_EQ(awake.station_sleep_ns, 0);
}

// Mean round trip in milliseconds of `count` pings.
static double ping_ms(
    enum twin_pm pm, uint32_t listen, uint64_t interval_ns, uint32_t count, double *max_ms) {
    struct world world;
    double mean_ms;

    open_world(&world, 1, 1);
    twin_mac_set_pm(world.station, pm, 0, listen);
    world.ping_interval_ns = interval_ns;
    twin_at(world.sim, &world.ping, 2 * S + 17 * MS);
    twin_run_until(world.sim, 2 * S + 17 * MS + (count - 1) * interval_ns);
    CHECK_EQ(world.pings, count);
    twin_cancel(world.sim, &world.ping);
    twin_run_until(world.sim, twin_now_ns(world.sim) + 3 * S);
    CHECK_EQ(world.pongs, count);
    CHECK_EQ(world.given_up, 0);
    mean_ms = (double)world.rtt_sum_ns / 1e6 / world.pongs;
    *max_ms = (double)world.rtt_max_ns / 1e6;
    CHECK_EQ(close_world(&world), 0);
    return mean_ms;
}

TEST(a_ping_a_second_waits_half_the_wake_up_interval) {
    double max_ms;

    CHECK_BETWEEN(ping_ms(TWIN_PM_LEGACY, 1, S, 500, &max_ms), 50, 56);
    CHECK_BETWEEN(max_ms, 100, 107);
    CHECK_BETWEEN(ping_ms(TWIN_PM_LEGACY, 3, S, 500, &max_ms), 150, 162);
    CHECK_BETWEEN(max_ms, 300, 312);
    CHECK_BETWEEN(ping_ms(TWIN_PM_LEGACY, 10, S, 500, &max_ms), 430, 530);
    CHECK_BETWEEN(max_ms, 990, 1030);
}

TEST(a_ping_without_power_save_takes_the_wire_and_two_exchanges) {
    double max_ms;

    CHECK_BETWEEN(ping_ms(TWIN_PM_AWAKE, 1, S, 100, &max_ms), 1.1, 1.6);
    // A ping of its own keeps a station awake that sleeps 200 ms after the last frame.
    CHECK_BETWEEN(ping_ms(TWIN_PM_FAST, 1, S, 100, &max_ms), 1.1, 1.6);
    CHECK_BETWEEN(ping_ms(TWIN_PM_FAST, 10, 100 * MS, 100, &max_ms), 1.1, 1.6);
}

// A frame from the wire at `at_ns`: how long until the station has it.
static uint64_t downlink_ns(struct world *world, uint64_t at_ns) {
    struct twin_port port = twin_ap_port(world->ap);
    struct twin_frame *frame = make(world, KIND_PONG, PING_BYTES);
    uint32_t before = world->pongs;
    uint64_t asked_ns;

    twin_run_until(world->sim, at_ns);
    asked_ns = twin_now_ns(world->sim);
    put_number(frame, 0);
    port.input(port.context, frame);
    while (world->pongs == before && twin_step(world->sim)) {
    }
    return twin_now_ns(world->sim) - asked_ns;
}

TEST(a_fast_station_that_sleeps_wakes_for_its_beacon_and_stays_awake) {
    struct world world;

    open_world(&world, 1, 1);
    twin_mac_set_pm(world.station, TWIN_PM_FAST, 0, 3);
    twin_run_until(world.sim, S + 150 * MS);
    CHECK(!twin_mac_asleep(world.station));
    twin_run_until(world.sim, S + 250 * MS);
    CHECK(twin_mac_asleep(world.station));
    CHECK_BETWEEN(downlink_ns(&world, 5 * S), 100 * US, 310 * MS);
    CHECK(!twin_mac_asleep(world.station));
    // Awake now: the next one comes at once.
    CHECK_BETWEEN(downlink_ns(&world, twin_now_ns(world.sim) + 100 * MS), 50 * US, 400 * US);
    twin_run_until(world.sim, twin_now_ns(world.sim) + 150 * MS);
    CHECK(!twin_mac_asleep(world.station));
    twin_run_until(world.sim, twin_now_ns(world.sim) + 100 * MS);
    CHECK(twin_mac_asleep(world.station));
    CHECK_EQ(close_world(&world), 0);
}

TEST(a_legacy_station_gets_all_that_is_buffered_at_one_beacon) {
    struct twin_port port;
    struct world world;
    struct twin_air_counters counters;

    open_world(&world, 1, 1);
    port = twin_ap_port(world.ap);
    twin_mac_set_pm(world.station, TWIN_PM_LEGACY, 0, 1);
    twin_run_until(world.sim, 1030 * MS);
    CHECK(twin_mac_asleep(world.station));
    for (uint32_t i = 0; i < 60; i++) {
        port.input(port.context, make(&world, KIND_PONG, 1514));
    }
    twin_run_until(world.sim, 11 * 102400 * US - 1);
    CHECK_EQ(world.pongs, 0);
    CHECK(twin_mac_asleep(world.station));
    // 60 frames in eight PPDUs of 1.5 ms.
    twin_run_until(world.sim, 11 * 102400 * US + 16 * MS);
    CHECK_EQ(world.pongs, 60);
    CHECK(twin_mac_asleep(world.station));
    twin_air_get_counters(world.air, &counters);
    CHECK_EQ(counters.downlink_ppdus, 8);
    CHECK_EQ(counters.null_frames, 2);  // asleep; give me
    CHECK_EQ(close_world(&world), 0);
}

TEST(what_comes_while_a_legacy_station_is_served_waits) {
    struct twin_port port;
    struct world world;

    open_world(&world, 1, 1);
    port = twin_ap_port(world.ap);
    twin_mac_set_pm(world.station, TWIN_PM_LEGACY, 0, 1);
    twin_run_until(world.sim, 1030 * MS);
    for (uint32_t i = 0; i < 60; i++) {
        port.input(port.context, make(&world, KIND_PONG, 1514));
    }
    twin_run_until(world.sim, 11 * 102400 * US + 5 * MS);
    CHECK_BETWEEN(world.pongs, 1, 59);
    port.input(port.context, make(&world, KIND_PONG, 1514));
    twin_run_until(world.sim, 12 * 102400 * US);
    CHECK_EQ(world.pongs, 60);
    twin_run_until(world.sim, 12 * 102400 * US + 5 * MS);
    CHECK_EQ(world.pongs, 61);
    CHECK_EQ(close_world(&world), 0);
}

TEST(beacons_come_every_102_4_ms_and_cost_their_air) {
    struct twin_air_counters counters;
    struct world world;

    open_world(&world, 1, 1);
    twin_run_until(world.sim, 100 * 102400 * US + 2 * MS);
    twin_air_get_counters(world.air, &counters);
    CHECK_EQ(counters.beacons, 100);
    // Awake and joined for all but the first six.
    CHECK_BETWEEN(counters.station_rx_ns, 90 * 1392 * US, 95 * 1392 * US);
    CHECK_EQ(counters.exchange_ns, 0);
    CHECK_EQ(close_world(&world), 0);
}

TEST(an_idle_legacy_station_sleeps_but_for_its_beacons) {
    static const uint32_t listens[] = {1, 10};

    for (size_t i = 0; i < 2; i++) {
        struct twin_air_counters before;
        struct twin_air_counters counters;
        struct world world;
        double awake;

        open_world(&world, 1, 1);
        twin_mac_set_pm(world.station, TWIN_PM_LEGACY, 0, listens[i]);
        twin_run_until(world.sim, 1034 * MS);
        twin_air_get_counters(world.air, &before);
        twin_run_until(world.sim, 1034 * MS + 1000 * 102400 * US);
        twin_air_get_counters(world.air, &counters);
        awake = 1 - (double)(counters.station_sleep_ns - before.station_sleep_ns) / 102.4e9;
        CHECK_BETWEEN(awake, 0.0135 / listens[i], 0.0141 / listens[i]);
        CHECK_EQ(counters.station_rx_ns - before.station_rx_ns, 1000 / listens[i] * 1392 * US);
        CHECK_EQ(close_world(&world), 0);
    }
}

static void send_group(struct world *world) {
    struct twin_port port = twin_ap_port(world->ap);
    struct twin_frame *frame = make(world, KIND_GROUP, 60);

    memset(frame->data, 0xff, 6);
    port.input(port.context, frame);
}

TEST(group_frames_wait_for_the_dtim_where_a_station_sleeps) {
    struct world world;

    open_world(&world, 1, 3);
    send_group(&world);
    twin_run_until(world.sim, S + 2 * MS);
    CHECK_EQ(world.groups, 1);
    twin_mac_set_pm(world.station, TWIN_PM_LEGACY, 0, 1);
    twin_run_until(world.sim, S + 10 * MS);
    send_group(&world);
    send_group(&world);
    twin_run_until(world.sim, 12 * 102400 * US - 1);
    CHECK_EQ(world.groups, 1);
    twin_run_until(world.sim, 12 * 102400 * US + 4 * MS);
    CHECK_EQ(world.groups, 3);
    CHECK(twin_mac_asleep(world.station));
    CHECK_EQ(close_world(&world), 0);
}

TEST(a_station_that_skips_the_dtim_misses_group_frames_and_it_is_counted) {
    struct twin_air_counters counters;
    struct world world;

    open_world(&world, 1, 1);
    twin_mac_set_pm(world.station, TWIN_PM_LEGACY, 0, 10);
    twin_run_until(world.sim, 11 * 102400 * US + 50 * MS);
    send_group(&world);
    twin_run_until(world.sim, 13 * 102400 * US);
    CHECK_EQ(world.groups, 0);
    twin_air_get_counters(world.air, &counters);
    CHECK_EQ(counters.group_missed, 1);
    CHECK_EQ(close_world(&world), 0);
}

TEST(leaving_power_save_delivers_what_was_buffered) {
    struct world world;

    open_world(&world, 1, 1);
    twin_mac_set_pm(world.station, TWIN_PM_LEGACY, 0, 10);
    twin_run_until(world.sim, S + 20 * MS);
    CHECK(twin_mac_asleep(world.station));
    twin_ap_port(world.ap).input(
        twin_ap_port(world.ap).context, make(&world, KIND_PONG, PING_BYTES));
    twin_mac_set_pm(world.station, TWIN_PM_AWAKE, 0, 1);
    CHECK(!twin_mac_asleep(world.station));
    twin_run_until(world.sim, S + 22 * MS);
    CHECK_EQ(world.pongs, 1);
    CHECK_EQ(close_world(&world), 0);
}

TEST_MAIN(
    CASE(a_legacy_upload_gives_the_window_per_wake_up),
    CASE(a_fast_upload_is_that_without_power_save),
    CASE(a_ping_a_second_waits_half_the_wake_up_interval),
    CASE(a_ping_without_power_save_takes_the_wire_and_two_exchanges),
    CASE(a_fast_station_that_sleeps_wakes_for_its_beacon_and_stays_awake),
    CASE(a_legacy_station_gets_all_that_is_buffered_at_one_beacon),
    CASE(what_comes_while_a_legacy_station_is_served_waits),
    CASE(beacons_come_every_102_4_ms_and_cost_their_air),
    CASE(an_idle_legacy_station_sleeps_but_for_its_beacons),
    CASE(group_frames_wait_for_the_dtim_where_a_station_sleeps),
    CASE(a_station_that_skips_the_dtim_misses_group_frames_and_it_is_counted),
    CASE(leaving_power_save_delivers_what_was_buffered))
