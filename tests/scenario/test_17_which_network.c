// SPDX-License-Identifier: MIT
// Scenario 17: several APs share a name: the strongest is taken, a pinned one is honoured, a hidden
// one is found where the rules allow active scanning, otherwise the error says why.
#include "fault_world.h"

static const uint8_t second_bssid[6] = {0x02, 0xAA, 0, 0, 0, 0x02};

struct second {
    struct twin_sim *sim;
    struct twin_air *air;
    struct twin_ap *ap;
    uint32_t frames;
};

static struct twin_frames *pool;

static void second_wire(void *context, struct twin_frame *frame) {
    struct second *second = context;

    second->frames++;
    twin_frame_put(pool, frame);
}

// The first network is on channel 1; a second one of the same name stands on channel 6.
static struct world *two_networks(
    struct second *second, int8_t first_dbm, int8_t second_dbm, bool hidden) {
    struct options options = fault_options("");

    options.rssi_dbm = first_dbm;
    options.keep = false;
    struct world *world = fault_open(&options);
    struct twin_ap_config ap = {
        .sim = world->sim,
        .frames = world->frames,
        .ssid = WORLD_SSID,
        .key = WORLD_KEY,
        .auth = TWIN_AUTH_WPA2,
        .channel = 6,
        .rssi_dbm = second_dbm,
        .ampdu_max = 8,
        .hidden = hidden,
        .wire = {second_wire, second},
    };

    pool = world->frames;
    *second = (struct second){0};
    second->air = ap.air = twin_air_new(&(struct twin_air_config){
        .sim = world->sim, .frames = world->frames, .mcs = 7, .gi = TWIN_GI_SHORT, .ccmp = true});
    memcpy(ap.bssid, second_bssid, 6);
    second->ap = twin_ap_new(&ap);
    // The chip is made anew with both in reach.
    world_close_chip(world);
    world->options.others[0] = (struct twin_cyw43_network){second->air, second->ap};
    world_chip(world);
    world_board_new(world);
    return world;
}

static void two_closed(struct world *world, struct second *second) {
    world_close_chip(world);
    twin_ap_free(second->ap);
    twin_air_free(second->air);
    world_close(world);
}

static uint32_t joins_of(const struct twin_ap *ap) {
    struct twin_ap_counters there;

    twin_ap_get_counters(ap, &there);
    return (uint32_t)there.joins;
}

static enum cor_radio_state join(struct world *world, const uint8_t *bssid, uint8_t channel) {
    const struct cor_join asked = {
        .ssid = WORLD_SSID,
        .key = WORLD_KEY,
        .auth = COR_AUTH_WPA2,
        .bssid = bssid,
        .channel = channel,
    };

    CHECK_EQ(cor_cyw43_join(&world->driver, &asked, world_now_us(world)), COR_OK);
    twin_board_interrupt(world->board);
    world_leave(world, COR_RADIO_JOINING, 20 * S);
    return cor_cyw43_state(&world->driver);
}

TEST(the_strongest_is_taken) {
    struct second second;

    for (uint32_t i = 0; i < 2; i++) {
        struct world *world = two_networks(&second, i == 0 ? -70 : -40, -55, false);

        CHECK_EQ(world_start(world), COR_RADIO_READY);
        CHECK_EQ(join(world, NULL, 0), COR_RADIO_JOINED);
        CHECK_EQ(joins_of(second.ap), i == 0 ? 1 : 0);
        CHECK_EQ(joins_of(world->ap), i == 0 ? 0 : 1);
        world->to_send = 100;
        twin_board_interrupt(world->board);
        world_run_ns(world, S);
        CHECK_EQ(i == 0 ? second.frames : world->arrived, 100);
        two_closed(world, &second);
    }
}

TEST(a_pinned_one_is_honoured) {
    static const uint8_t nobody[6] = {0x02, 0xAA, 0, 0, 0, 0x77};
    struct second second;
    struct world *world = two_networks(&second, -40, -75, false);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(join(world, second_bssid, 0), COR_RADIO_JOINED);
    CHECK_EQ(joins_of(second.ap), 1);
    cor_cyw43_leave(&world->driver, world_now_us(world));
    world_run_ns(world, S);
    CHECK_EQ(join(world, second_bssid, 6), COR_RADIO_JOINED);
    CHECK_EQ(joins_of(second.ap), 2);
    cor_cyw43_leave(&world->driver, world_now_us(world));
    world_run_ns(world, S);
    CHECK_EQ(join(world, nobody, 0), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_NO_NETWORK);
    CHECK_EQ(joins_of(world->ap), 0);
    two_closed(world, &second);
}

// When the one in use goes away, the other one is joined.
TEST(the_other_one_serves_when_one_is_gone) {
    struct second second;
    struct world *world = two_networks(&second, -40, -60, false);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(join(world, NULL, 0), COR_RADIO_JOINED);
    cor_cyw43_set_keep(&world->driver, true);
    fault_now(world, "ap-off for=1h");
    world_run_ns(world, 20 * S);
    CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_JOINED);
    CHECK_EQ(joins_of(second.ap), 1);
    two_closed(world, &second);
}

static uint32_t seen;
static uint32_t seen_named;

static void found(void *context, const struct cor_network *network) {
    (void)context;
    seen++;
    seen_named += strcmp(network->ssid, WORLD_SSID) == 0 ? 1 : 0;
}

static void scan(struct world *world, const char *ssid) {
    const struct cor_cyw43_scan asked = {.ssid = ssid, .found = found};

    seen = seen_named = 0;
    CHECK_EQ(cor_cyw43_scan(&world->driver, &asked), COR_OK);
    twin_board_interrupt(world->board);
    world_run_ns(world, 3 * S);
}

TEST(a_hidden_one_is_found_where_it_may_be_asked_for) {
    struct options options = fault_options("");

    options.hidden = true;
    options.keep = false;
    struct world *world = fault_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    scan(world, NULL);
    CHECK(seen >= 1 && seen_named == 0);
    scan(world, WORLD_SSID);
    CHECK(seen_named >= 1);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    check_well(world, S);
    world_close(world);
    // On channel 13 nobody may speak first.
    options.channel = 13;
    world = fault_open(&options);
    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_NO_NETWORK);
    world_close(world);
}

TEST(a_firmware_without_the_channel_says_no_network) {
    struct options options = fault_options("channels value=11");

    options.channel = 13;
    options.keep = false;
    struct world *world = fault_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_READY);
    CHECK_EQ(cor_cyw43_error(&world->driver), COR_E_NO_NETWORK);
    check_struck(world);
    world_close(world);
}

TEST_MAIN(
    CASE(the_strongest_is_taken),
    CASE(a_pinned_one_is_honoured),
    CASE(the_other_one_serves_when_one_is_gone),
    CASE(a_hidden_one_is_found_where_it_may_be_asked_for),
    CASE(a_firmware_without_the_channel_says_no_network))
