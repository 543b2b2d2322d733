// SPDX-License-Identifier: MIT
// Access point: who joins and when, the bridge, and its drop counters.
#include "coradio_twin/ap.h"
#include "test.h"

#include <string.h>

#define S  UINT64_C(1000000000)
#define MS UINT64_C(1000000)

struct world {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_air *air;
    struct twin_ap *ap;
    struct twin_mac *stations[8];
    uint32_t station_count;
    int outcome;  // -1: none yet
    uint64_t outcome_ns;
    uint32_t outcomes;
    uint32_t at_wire;
    uint32_t at_station;
};

static void wire_input(void *context, struct twin_frame *frame) {
    struct world *world = context;

    world->at_wire++;
    twin_frame_put(world->frames, frame);
}

static void received(void *context, struct twin_frame *frame) {
    struct world *world = context;

    world->at_station++;
    twin_frame_put(world->frames, frame);
}

static void sent(void *context, struct twin_frame *frame, bool acked) {
    struct world *world = context;

    (void)acked;
    twin_frame_put(world->frames, frame);
}

static void joined(void *context, enum twin_join outcome) {
    struct world *world = context;

    world->outcome = (int)outcome;
    world->outcome_ns = twin_now_ns(world->sim);
    world->outcomes++;
}

static struct twin_mac *add_station(struct world *world) {
    struct twin_mac_config mac = {.ampdu_max = 1, .context = world};
    struct twin_mac *station;

    mac.address[5] = (uint8_t)(2 + world->station_count);
    mac.sent = sent;
    mac.received = received;
    station = twin_mac_new(world->air, &mac);
    world->stations[world->station_count++] = station;
    return station;
}

static void open_world(struct world *world, enum twin_auth auth) {
    struct twin_air_config air = {.mcs = 7, .gi = TWIN_GI_SHORT};
    struct twin_ap_config ap = {
        .ssid = "home", .key = "secret-key", .channel = 6, .rssi_dbm = -45, .ampdu_max = 4};

    memset(world, 0, sizeof(*world));
    world->outcome = -1;
    world->sim = twin_sim_new(1, 0);
    world->frames = twin_frames_new();
    air.sim = world->sim;
    air.frames = world->frames;
    air.ccmp = auth != TWIN_AUTH_OPEN;
    world->air = twin_air_new(&air);
    ap.sim = world->sim;
    ap.air = world->air;
    ap.frames = world->frames;
    ap.auth = auth;
    ap.bssid[5] = 1;
    ap.wire.input = wire_input;
    ap.wire.context = world;
    world->ap = twin_ap_new(&ap);
    (void)add_station(world);
}

static uint32_t close_world(struct world *world) {
    uint32_t out;

    for (uint32_t i = 0; i < world->station_count; i++) {
        twin_ap_leave(world->ap, world->stations[i]);
        twin_mac_free(world->stations[i]);
    }
    twin_ap_free(world->ap);
    twin_air_free(world->air);
    out = twin_frames_out(world->frames);
    twin_frames_free(world->frames);
    twin_sim_free(world->sim);
    return out;
}

static void ask(struct world *world, const char *ssid, const char *key, enum twin_auth auth) {
    world->outcome = -1;
    twin_ap_join(world->ap, world->stations[0], ssid, key, auth, joined, world);
}

static struct twin_frame *frame_to(struct world *world, uint8_t first, uint8_t last) {
    struct twin_frame *frame = twin_frame_get(world->frames);

    frame->size_bytes = 100;
    memset(frame->data, first, 5);
    frame->data[5] = last;
    return frame;
}

static void from_wire(struct world *world, struct twin_frame *frame) {
    struct twin_port port = twin_ap_port(world->ap);

    port.input(port.context, frame);
}

TEST(the_right_key_joins_after_scan_and_handshake) {
    struct twin_ap_counters counters;
    struct world world;

    open_world(&world, TWIN_AUTH_WPA2);
    ask(&world, "home", "secret-key", TWIN_AUTH_WPA2);
    CHECK_EQ(world.outcome, -1);
    twin_run_until(world.sim, 5 * S);
    CHECK_EQ(world.outcome, TWIN_JOIN_OK);
    CHECK_BETWEEN(world.outcome_ns, 300 * MS, 2 * S);
    twin_ap_get_counters(world.ap, &counters);
    CHECK_EQ(counters.joins, 1);
    CHECK_EQ(close_world(&world), 0);
}

TEST(an_open_network_joins_without_a_key) {
    struct world world;

    open_world(&world, TWIN_AUTH_OPEN);
    ask(&world, "home", NULL, TWIN_AUTH_OPEN);
    twin_run_until(world.sim, 5 * S);
    CHECK_EQ(world.outcome, TWIN_JOIN_OK);
    CHECK_EQ(close_world(&world), 0);
}

TEST(a_network_that_is_not_there_takes_two_seconds_of_scan) {
    struct twin_ap_counters counters;
    struct world world;

    open_world(&world, TWIN_AUTH_WPA2);
    ask(&world, "elsewhere", "secret-key", TWIN_AUTH_WPA2);
    twin_run_until(world.sim, 5 * S);
    CHECK_EQ(world.outcome, TWIN_JOIN_NO_NETWORK);
    CHECK_BETWEEN(world.outcome_ns, 1800 * MS, 2300 * MS);
    twin_ap_get_counters(world.ap, &counters);
    CHECK_EQ(counters.joins, 0);
    CHECK_EQ(counters.joins_failed, 1);
    CHECK_EQ(close_world(&world), 0);
}

TEST(a_wrong_key_is_found_out_in_the_handshake) {
    struct twin_frame *frame;
    struct world world;

    open_world(&world, TWIN_AUTH_WPA2);
    ask(&world, "home", "wrong-key", TWIN_AUTH_WPA2);
    twin_run_until(world.sim, 10 * S);
    CHECK_EQ(world.outcome, TWIN_JOIN_WRONG_KEY);
    CHECK_BETWEEN(world.outcome_ns, 3 * S, 5 * S);
    ask(&world, "home", NULL, TWIN_AUTH_WPA2);
    twin_run_until(world.sim, 20 * S);
    CHECK_EQ(world.outcome, TWIN_JOIN_WRONG_KEY);
    frame = frame_to(&world, 0, 9);
    CHECK(!twin_mac_send(world.stations[0], frame));
    twin_frame_put(world.frames, frame);
    CHECK_EQ(close_world(&world), 0);
}

TEST(with_sae_the_key_is_proved_before_the_association) {
    static const struct {
        enum twin_auth offered;
        enum twin_auth asked;
        const char *key;
        enum twin_join outcome;
    } rows[] = {
        {TWIN_AUTH_WPA3, TWIN_AUTH_WPA3, "secret-key", TWIN_JOIN_OK},
        {TWIN_AUTH_WPA3, TWIN_AUTH_WPA2_WPA3, "secret-key", TWIN_JOIN_OK},
        {TWIN_AUTH_WPA2_WPA3, TWIN_AUTH_WPA2, "secret-key", TWIN_JOIN_OK},
        {TWIN_AUTH_WPA3, TWIN_AUTH_WPA3, "wrong-key", TWIN_JOIN_WRONG_KEY},
        {TWIN_AUTH_WPA3, TWIN_AUTH_WPA2, "secret-key", TWIN_JOIN_REFUSED},
        {TWIN_AUTH_WPA3, TWIN_AUTH_OPEN, NULL, TWIN_JOIN_REFUSED},
        {TWIN_AUTH_WPA2, TWIN_AUTH_WPA3, "secret-key", TWIN_JOIN_REFUSED},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world world;

        open_world(&world, rows[i].offered);
        ask(&world, "home", rows[i].key, rows[i].asked);
        twin_run_until(world.sim, 10 * S);
        CHECK_EQ(world.outcome, rows[i].outcome);
        CHECK(world.outcome_ns < 1 * S);
        CHECK_EQ(close_world(&world), 0);
    }
}

TEST(the_wrong_security_is_refused) {
    struct world world;

    open_world(&world, TWIN_AUTH_WPA2);
    ask(&world, "home", NULL, TWIN_AUTH_OPEN);
    twin_run_until(world.sim, 5 * S);
    CHECK_EQ(world.outcome, TWIN_JOIN_REFUSED);
    CHECK_EQ(close_world(&world), 0);
}

TEST(asking_again_replaces_the_first_question) {
    struct world world;

    open_world(&world, TWIN_AUTH_WPA2);
    ask(&world, "elsewhere", NULL, TWIN_AUTH_WPA2);
    twin_run_until(world.sim, 100 * MS);
    ask(&world, "home", "secret-key", TWIN_AUTH_WPA2);
    twin_run_until(world.sim, 10 * S);
    CHECK_EQ(world.outcomes, 1);
    CHECK_EQ(world.outcome, TWIN_JOIN_OK);
    CHECK_EQ(close_world(&world), 0);
}

TEST(leaving_ends_a_join_without_an_outcome) {
    struct world world;

    open_world(&world, TWIN_AUTH_WPA2);
    ask(&world, "home", "secret-key", TWIN_AUTH_WPA2);
    twin_run_until(world.sim, 100 * MS);
    twin_ap_leave(world.ap, world.stations[0]);
    twin_run_until(world.sim, 10 * S);
    CHECK_EQ(world.outcomes, 0);
    CHECK_EQ(close_world(&world), 0);
}

TEST(frames_cross_the_bridge_both_ways) {
    struct twin_ap_counters counters;
    struct world world;

    open_world(&world, TWIN_AUTH_OPEN);
    ask(&world, "home", NULL, TWIN_AUTH_OPEN);
    twin_run_until(world.sim, S);
    CHECK(twin_mac_send(world.stations[0], frame_to(&world, 0, 9)));
    CHECK(twin_mac_send(world.stations[0], frame_to(&world, 0xff, 0xff)));
    twin_run_until(world.sim, S + 5 * MS);
    from_wire(&world, frame_to(&world, 0, 2));
    from_wire(&world, frame_to(&world, 0xff, 0xff));
    twin_run_until(world.sim, S + 10 * MS);
    CHECK_EQ(world.at_wire, 2);
    CHECK_EQ(world.at_station, 2);
    twin_ap_get_counters(world.ap, &counters);
    CHECK_EQ(counters.to_wire, 2);
    CHECK_EQ(counters.to_air, 2);
    CHECK_EQ(counters.dropped_not_joined + counters.dropped_queue_full, 0);
    CHECK_EQ(close_world(&world), 0);
}

TEST(frames_for_nobody_are_dropped_and_counted) {
    struct twin_ap_counters counters;
    struct twin_frame *runt;
    struct world world;

    open_world(&world, TWIN_AUTH_OPEN);
    from_wire(&world, frame_to(&world, 0, 2));
    from_wire(&world, frame_to(&world, 0xff, 0xff));
    ask(&world, "home", NULL, TWIN_AUTH_OPEN);
    twin_run_until(world.sim, S);
    from_wire(&world, frame_to(&world, 0, 77));
    runt = frame_to(&world, 0, 2);
    runt->size_bytes = 13;
    from_wire(&world, runt);
    twin_ap_get_counters(world.ap, &counters);
    CHECK_EQ(counters.dropped_not_joined, 3);
    CHECK_EQ(counters.dropped_runt, 1);
    CHECK_EQ(counters.to_air, 0);
    CHECK_EQ(twin_frames_out(world.frames), 0);
    CHECK_EQ(close_world(&world), 0);
}

TEST(a_full_queue_drops_and_counts) {
    struct twin_ap_counters counters;
    struct world world;

    open_world(&world, TWIN_AUTH_OPEN);
    ask(&world, "home", NULL, TWIN_AUTH_OPEN);
    twin_run_until(world.sim, S);
    for (uint32_t i = 0; i < 300; i++) {
        from_wire(&world, frame_to(&world, 0, 2));
    }
    twin_run_until(world.sim, 2 * S);
    twin_ap_get_counters(world.ap, &counters);
    CHECK_EQ(world.at_station, 256);
    CHECK_EQ(counters.to_air, 256);
    CHECK_EQ(counters.dropped_queue_full, 44);
    CHECK_EQ(close_world(&world), 0);
}

TEST(stations_take_turns_and_reach_each_other) {
    struct world world;
    struct twin_mac *other;

    open_world(&world, TWIN_AUTH_OPEN);
    other = add_station(&world);
    ask(&world, "home", NULL, TWIN_AUTH_OPEN);
    twin_ap_join(world.ap, other, "home", NULL, TWIN_AUTH_OPEN, joined, &world);
    twin_run_until(world.sim, S);
    CHECK_EQ(world.outcomes, 2);
    CHECK(twin_mac_send(other, frame_to(&world, 0, 2)));
    for (uint32_t i = 0; i < 50; i++) {
        from_wire(&world, frame_to(&world, 0, 2));
        from_wire(&world, frame_to(&world, 0, 3));
    }
    twin_run_until(world.sim, 2 * S);
    from_wire(&world, frame_to(&world, 0xff, 0xff));
    twin_run_until(world.sim, 3 * S);
    CHECK_EQ(world.at_station, 103);
    CHECK_EQ(world.at_wire, 0);
    CHECK_EQ(close_world(&world), 0);
}

TEST(what_a_station_hears_is_what_was_set) {
    struct world world;

    open_world(&world, TWIN_AUTH_OPEN);
    CHECK_EQ(twin_ap_channel(world.ap), 6);
    CHECK_EQ(twin_ap_rssi_dbm(world.ap), -45);
    CHECK_EQ(twin_ap_bssid(world.ap)[5], 1);
    CHECK_TEXT(twin_ap_ssid(world.ap), "home");
    CHECK_EQ(twin_ap_auth(world.ap), TWIN_AUTH_OPEN);
    CHECK_EQ(twin_ap_dtim_period(world.ap), 1);
    CHECK_EQ(close_world(&world), 0);
}

TEST_MAIN(
    CASE(the_right_key_joins_after_scan_and_handshake),
    CASE(an_open_network_joins_without_a_key),
    CASE(a_network_that_is_not_there_takes_two_seconds_of_scan),
    CASE(a_wrong_key_is_found_out_in_the_handshake),
    CASE(with_sae_the_key_is_proved_before_the_association),
    CASE(the_wrong_security_is_refused),
    CASE(asking_again_replaces_the_first_question),
    CASE(leaving_ends_a_join_without_an_outcome),
    CASE(frames_cross_the_bridge_both_ways),
    CASE(frames_for_nobody_are_dropped_and_counted),
    CASE(a_full_queue_drops_and_counts),
    CASE(stations_take_turns_and_reach_each_other),
    CASE(what_a_station_hears_is_what_was_set))
