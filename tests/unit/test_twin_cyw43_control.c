// SPDX-License-Identifier: MIT
// The chip model's control side: requests, variables, the CLM, events, joins, scans, power save.
#include "twin_cyw43_link.h"

static struct host *up(struct host_world world) {
    struct host *host = host_new(&host_queued, world);

    host_bring_up(host);
    return host;
}

// ---- requests

TEST(each_style_reaches_the_control_channel) {
    static const struct host_style *const styles[] = {&host_sdk, &host_embassy, &host_picowi};

    for (size_t i = 0; i < 3; i++) {
        struct host *host = host_new(styles[i], host_world_new());
        uint8_t address[20];

        host_bring_up(host);
        CHECK_EQ(host_get(host, "cur_etheraddr", address, sizeof(address)), 0);
        CHECK_EQ(address[0], 0x02);
        CHECK_EQ(host_counters(host).deviations, 0);
        CHECK_EQ(host_counters(host).credit_frames, 0);
        host_free(host);
    }
}

TEST(a_set_comes_back_unchanged) {
    struct host *host = up(host_world_new());
    uint8_t buffer[40] = "bus:txglom";
    uint8_t expected[40];

    buffer[39] = 0x77;
    memcpy(expected, buffer, sizeof(buffer));
    CHECK_EQ(host_ioctl(host, 263, true, buffer, sizeof(buffer)), 0);
    CHECK_BYTES(buffer, expected, sizeof(buffer));
    host_free(host);
}

TEST(a_get_overwrites_the_front_only) {
    struct host *host = up(host_world_new());
    uint8_t buffer[40] = "apsta";

    CHECK_EQ(host_set32(host, "apsta", 1), 0);
    buffer[30] = 0x55;
    CHECK_EQ(host_ioctl(host, 262, false, buffer, sizeof(buffer)), 0);
    CHECK_EQ(host_le32(buffer), 1);
    CHECK_EQ(buffer[4], 'a');
    CHECK_EQ(buffer[30], 0x55);
    host_free(host);
}

TEST(unknown_names_and_numbers_are_unsupported) {
    struct host *host = up(host_world_new());
    uint8_t buffer[16] = "no_such_name";
    uint8_t expected[16];

    memcpy(expected, buffer, sizeof(buffer));
    CHECK_EQ(host_ioctl(host, 262, false, buffer, sizeof(buffer)), -23);
    CHECK_BYTES(buffer, expected, sizeof(buffer));
    CHECK_EQ(host_ioctl32(host, 999, 0), -23);
    host_free(host);
}

// A driver asks twice with one buffer, whose name the first answer has overwritten.
TEST(an_error_echoes_the_buffer) {
    struct host *host = up(host_world_new());
    uint8_t buffer[16] = "maxassoc";

    CHECK_EQ(host_ioctl(host, 262, false, buffer, sizeof(buffer)), 0);
    CHECK_EQ(host_le32(buffer), 10);
    CHECK_EQ(host_ioctl(host, 262, false, buffer, sizeof(buffer)), -23);
    CHECK_EQ(host_le32(buffer), 10);
    host_free(host);
}

TEST(a_bss_that_is_down_answers_zero) {
    struct host *host = up(host_world_new());
    uint8_t buffer[8] = {'b', 's', 's', 0, 1, 0, 0, 0};

    CHECK_EQ(host_ioctl(host, 262, false, buffer, sizeof(buffer)), 0);
    CHECK_EQ(host_le32(buffer), 0);
    host_free(host);
}

TEST(a_window_of_16_is_out_of_range) {
    struct host *host = up(host_world_new());

    CHECK_EQ(host_set32(host, "ampdu_ba_wsize", 16), -29);
    CHECK_EQ(host_set32(host, "ampdu_ba_wsize", 8), 0);
    CHECK_EQ(host_get32(host, "ampdu_ba_wsize"), 8);
    CHECK_EQ(host_set32(host, "ampdu_mpdu", 4), 0);
    CHECK_EQ(host_get32(host, "ampdu_mpdu"), 4);
    host_free(host);
}

TEST(one_request_at_a_time) {
    struct host *host = up(host_world_new());
    uint8_t name[16] = "ver";
    int32_t statuses[2];

    host_request(host, 262, false, name, 16);
    host_request(host, 262, false, name, 16);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(host_poll(host, 10 * MS));
        statuses[i] = (int32_t)host_le32(host->frame + 24);
    }
    CHECK_EQ(statuses[0], -16);
    CHECK_EQ(statuses[1], -14);  // 16 bytes are too few for the text
    host_free(host);
}

TEST(country_takes_its_time) {
    struct host *host = up(host_world_new());
    static const uint8_t value[12] = {'X', 'X', 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 'X', 'X', 0, 0};
    uint64_t before_ns = twin_now_ns(host->sim);

    CHECK_EQ(host_set(host, "country", value, sizeof(value)), 0);
    CHECK_BETWEEN(twin_now_ns(host->sim) - before_ns, 32 * MS, 33 * MS);
    host_free(host);
}

TEST(the_names_drivers_use_are_known) {
    static const char *const names[] = {
        "bus:txglom",
        "bus:rxglom",
        "apsta",
        "ampdu_rx_factor",
        "pm2_sleep_ret",
        "bcn_li_bcn",
        "bcn_li_dtim",
        "assoc_listen",
        "allmulti",
        "mfp"};
    struct host *host = up(host_world_new());
    static const uint8_t sup[8] = {0, 0, 0, 0, 1, 0, 0, 0};
    uint8_t text[128];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK_EQ(host_set32(host, names[i], 1), 0);
        CHECK_EQ(host_get32(host, names[i]), 1);
    }
    CHECK_EQ(host_set(host, "bsscfg:sup_wpa", sup, sizeof(sup)), 0);
    CHECK_EQ(host_set(host, "bsscfg:sup_wpa2_eapver", sup, sizeof(sup)), 0);
    CHECK_EQ(host_set(host, "bsscfg:sup_wpa_tmo", sup, sizeof(sup)), 0);
    CHECK_EQ(host_get(host, "clmver", text, sizeof(text)), 0);
    CHECK_EQ(host_get(host, "counters", text, sizeof(text)), -14);
    host_free(host);
}

TEST(addresses_and_filters) {
    struct host *host = up(host_world_new());
    static const uint8_t address[6] = {0x02, 1, 2, 3, 4, 5};
    uint8_t list[4 + 6] = {1, 0, 0, 0, 0x01, 0, 0x5E, 0, 0, 1};
    uint8_t buffer[64];

    CHECK_EQ(host_set(host, "cur_etheraddr", address, 6), -5);
    CHECK_EQ(host_ioctl(host, 3, true, buffer, 0), 0);
    CHECK_EQ(host_set(host, "cur_etheraddr", address, 6), 0);
    CHECK_EQ(host_get(host, "cur_etheraddr", buffer, 20), 0);
    CHECK_BYTES(buffer, address, 6);
    CHECK_EQ(host_set(host, "mcast_list", list, sizeof(list)), 0);
    CHECK_EQ(host_get(host, "mcast_list", buffer, sizeof(buffer)), 0);
    CHECK_BYTES(buffer, list, sizeof(list));
    list[0] = 11;
    CHECK_EQ(host_set(host, "mcast_list", list, sizeof(list)), -29);
    host_free(host);
}

TEST(the_led_pin) {
    struct host *host = up(host_world_new());
    static const uint8_t on[8] = {1, 0, 0, 0, 1, 0, 0, 0};

    CHECK_EQ(twin_cyw43_gpio(host->chip), 0);
    CHECK_EQ(host_set(host, "gpioout", on, sizeof(on)), 0);
    CHECK_EQ(twin_cyw43_gpio(host->chip), 1);
    host_free(host);
}

TEST(a_chip_without_an_address_takes_the_nvram_s) {
    static const uint8_t expected[6] = {0x00, 0xA0, 0x50, 0xB5, 0x59, 0x5E};
    struct host_world world = host_world_new();
    struct host *host;
    uint8_t buffer[20];

    memset(world.chip.address, 0, 6);
    host = up(world);
    CHECK_EQ(host_get(host, "cur_etheraddr", buffer, sizeof(buffer)), 0);
    CHECK_BYTES(buffer, expected, 6);
    host_free(host);
}

// ---- CLM

TEST(a_bad_clm_is_reported) {
    struct host *host = host_new(&host_queued, host_world_new());
    struct host_images *images = host_images_new();

    CHECK(host_bus_up(host));
    host_download(host, images);
    CHECK(host_start(host));
    CHECK(host_get32(host, "clmload_status") != 0);
    images->clm[500] ^= 1;
    CHECK(!host_load_clm(host, images->clm, images->clm_bytes));
    images->clm[500] ^= 1;
    CHECK(!host_load_clm(host, images->clm, images->clm_bytes - 8));
    CHECK(host_load_clm(host, images->clm, images->clm_bytes));
    free(images);
    host_free(host);
}

// ---- joins

static void check_join(
    struct host_world world, const char *name, const char *key, const char *expected) {
    struct host *host = up(world);
    char text[256];

    host_join(host, name, key);
    host_events(host, 6000 * MS, text, sizeof(text));
    CHECK_TEXT(text, expected);
    CHECK_EQ(host_counters(host).deviations, 0);
    host_free(host);
}

// type.status.reason.flags: AUTH 3, ASSOC 7, LINK 16, JOIN 1, SET_SSID 0, PSK_SUP 46, PRUNE 23.
TEST(events_of_an_open_join) {
    check_join(host_world_new(), "net", NULL, "3.0.0.0 7.0.0.0 16.0.0.1 1.0.0.0 0.0.0.0");
}

TEST(events_of_a_wpa2_join) {
    struct host_world world = host_world_new();

    world.auth = TWIN_AUTH_WPA2;
    check_join(world, "net", "correct horse", "3.0.0.0 7.0.0.0 16.0.0.1 1.0.0.0 0.0.0.0 46.6.0.0");
}

TEST(events_without_such_a_network) {
    struct host_world world = host_world_new();

    check_join(world, "other", NULL, "0.3.0.0");
    world.no_ap = true;
    check_join(world, "net", NULL, "0.3.0.0");
}

TEST(events_of_a_wrong_key) {
    struct host_world world = host_world_new();

    world.auth = TWIN_AUTH_WPA2;
    check_join(world, "net", "wrong horse", "3.0.0.0 7.0.0.0 16.0.0.1 46.8.14.0 16.0.2.0");
}

TEST(events_of_the_wrong_security) {
    struct host_world world = host_world_new();

    check_join(world, "net", "correct horse", "23.0.1.0 0.1.0.0");
    world.auth = TWIN_AUTH_WPA2;
    check_join(world, "net", NULL, "23.0.1.0 0.1.0.0");
}

// SAE, with a password, and with a passphrase for WPA2 as well where `either`.
static void set_sae(struct host *host, const char *password, bool either) {
    uint8_t value[130] = {0};
    uint8_t pmk[68] = {0};

    CHECK_EQ(host_ioctl32(host, 165, 0x40000), 0);
    value[0] = (uint8_t)strlen(password);
    memcpy(value + 2, password, strlen(password));
    CHECK_EQ(host_set(host, "sae_password", value, sizeof(value)), 0);
    pmk[0] = value[0];
    pmk[2] = 1;
    memcpy(pmk + 4, password, strlen(password));
    if (either) {
        CHECK_EQ(host_ioctl(host, 268, true, pmk, sizeof(pmk)), 0);
    }
}

static void check_sae(
    enum twin_auth auth, const char *password, bool either, uint8_t type, const char *expected) {
    struct host_world world = host_world_new();
    uint8_t ssid[36] = {3, 0, 0, 0, 'n', 'e', 't'};
    char text[256];

    world.auth = auth;
    struct host *host = up(world);

    set_sae(host, password, either);
    CHECK_EQ(host_ioctl(host, 26, true, ssid, sizeof(ssid)), 0);
    CHECK(host_poll(host, 2000 * MS));
    CHECK_EQ(host_be32(host->frame + 22 + 40), type);  // of the first event, AUTH
    host_events(host, 5000 * MS, text, sizeof(text));
    CHECK_TEXT(text, expected);
    host_free(host);
}

// Without AUTH, which is looked at first.
TEST(events_of_a_wpa3_join) {
    static const char joined[] = "7.0.0.0 16.0.0.1 1.0.0.0 0.0.0.0 46.6.0.0";

    check_sae(TWIN_AUTH_WPA3, "correct horse", false, 3, joined);
    check_sae(TWIN_AUTH_WPA2_WPA3, "correct horse", false, 3, joined);
    check_sae(TWIN_AUTH_WPA2_WPA3, "correct horse", true, 3, joined);
    check_sae(TWIN_AUTH_WPA2, "correct horse", true, 0, joined);
    check_sae(TWIN_AUTH_WPA3, "wrong horse", false, 3, "0.1.0.0");
    // PRUNE comes first, and has no authentication.
    check_sae(TWIN_AUTH_WPA2, "correct horse", false, 0, "0.1.0.0");
}

TEST(the_layout_of_an_event) {
    struct host *host = up(host_world_new());
    const uint8_t *frame = host->frame;
    const uint8_t *message = host->frame + 22;
    static const uint8_t kind[] = {0x88, 0x6C, 0x80, 0x01};
    static const uint8_t oui[] = {0, 0, 0x10, 0x18, 0, 1, 0, 2};
    static const uint8_t bssid[] = {0x02, 0, 0, 0, 0, 0xA9};

    host_join(host, "net", NULL);
    while (host_poll(host, 3000 * MS) && frame[5] != 1) {
    }
    CHECK_EQ(host->frame_bytes, 22 + 72);
    CHECK_EQ(frame[7], 14);
    CHECK_EQ(frame[14], 0x20);
    CHECK_EQ(frame[17], 1);
    CHECK_BYTES(message + 12, kind, 4);
    CHECK_BYTES(message + 18, oui, 8);
    CHECK_EQ(host_be32(message + 28), 3);
    CHECK_EQ(host_be32(message + 44), 0);
    CHECK_BYTES(message + 48, bssid, 6);
    CHECK_BYTES(message + 54, "wl0\0", 4);
    CHECK_EQ(message[70], 0);
    host_free(host);
}

TEST(events_come_one_by_one_and_only_if_wanted) {
    struct host *host = up(host_world_new());
    static const uint8_t mask[4 + 4] = {0, 0, 0, 0, 0x01, 0, 0x01, 0};
    uint64_t first_ns;
    char text[64];

    CHECK_EQ(host_set(host, "bsscfg:event_msgs", mask, sizeof(mask)), 0);
    host_join(host, "net", NULL);
    CHECK(host_poll(host, 3000 * MS));
    first_ns = twin_now_ns(host->sim);
    CHECK(host_poll(host, 100 * MS));
    CHECK_BETWEEN(twin_now_ns(host->sim) - first_ns, MS * 9 / 10, 2 * MS);
    host_events(host, 1000 * MS, text, sizeof(text));
    CHECK_TEXT(text, "");
    CHECK_EQ(host_counters(host).events, 2);
    host_free(host);
}

TEST(leaving_tells_the_host) {
    struct host *host = host_online(&host_queued, host_world_new());
    uint8_t buffer[48] = {0};
    char text[64];

    host_request(host, 52, true, buffer, 0);
    host_events(host, 100 * MS, text, sizeof(text));
    CHECK_TEXT(text, "11.0.0.0 16.0.2.0");
    CHECK_EQ(host_ioctl(host, 23, false, buffer, 6), -17);
    host_join(host, "net", NULL);
    host_events(host, 3000 * MS, text, sizeof(text));
    CHECK(strstr(text, "0.0.0.0") != NULL);
    host_free(host);
}

TEST(joining_needs_up_and_a_clm) {
    struct host *host = up(host_world_new());
    uint8_t ssid[36] = {3, 0, 0, 0, 'n', 'e', 't'};
    uint8_t clm[16] = {0};
    char text[64];

    CHECK_EQ(host_ioctl(host, 3, true, clm, 0), 0);
    CHECK_EQ(host_ioctl(host, 26, true, ssid, sizeof(ssid)), -4);
    CHECK_EQ(host_ioctl(host, 2, true, clm, 0), 0);
    CHECK(!host_load_clm(host, clm, sizeof(clm)));
    host_join(host, "net", NULL);
    host_events(host, 3000 * MS, text, sizeof(text));
    CHECK_TEXT(text, "0.3.0.0");
    host_free(host);
}

TEST(a_pinned_bssid) {
    struct host *host = up(host_world_new());
    uint8_t value[70] = {3, 0, 0, 0, 'n', 'e', 't'};
    char text[128];

    value[56] = 0x02;
    value[61] = 0xAA;
    CHECK_EQ(host_set(host, "join", value, sizeof(value)), 0);
    host_events(host, 3000 * MS, text, sizeof(text));
    CHECK_TEXT(text, "0.3.0.0");
    value[61] = 0xA9;
    CHECK_EQ(host_set(host, "join", value, sizeof(value)), 0);
    host_events(host, 3000 * MS, text, sizeof(text));
    CHECK(strstr(text, "0.0.0.0") != NULL);
    host_free(host);
}

TEST(power_off_in_the_middle_of_a_join) {
    struct host *host = up(host_world_new());
    char text[64];

    host_join(host, "net", NULL);
    host_wait(host, 100 * MS);
    host_bring_up(host);
    host_events(host, 5000 * MS, text, sizeof(text));
    CHECK_TEXT(text, "");
    host_free(host);
}

TEST(what_a_joined_station_can_be_asked) {
    struct host *host = host_online(&host_queued, host_world_new());
    static const uint8_t bssid[] = {0x02, 0, 0, 0, 0, 0xA9};
    uint8_t buffer[200] = {0};

    CHECK_EQ(host_ioctl(host, 127, false, buffer, 4), 0);
    CHECK_EQ((int32_t)host_le32(buffer), -47);
    CHECK_EQ(host_ioctl(host, 23, false, buffer, 6), 0);
    CHECK_BYTES(buffer, bssid, 6);
    CHECK_EQ(host_ioctl(host, 25, false, buffer, 36), 0);
    CHECK_EQ(host_le32(buffer), 3);
    CHECK_BYTES(buffer + 4, "net", 4);
    CHECK_EQ(host_ioctl(host, 29, false, buffer, 12), 0);
    CHECK_EQ(host_le32(buffer), 6);
    CHECK_EQ(host_ioctl(host, 12, false, buffer, 4), 0);
    CHECK_EQ(host_le32(buffer), 144);  // 72.2 Mbit/s in units of 500 kbit/s
    CHECK_EQ(host_get(host, "counters", buffer, sizeof(buffer)), 0);
    CHECK_EQ(buffer[2], 4 + 4 * 38);
    host_free(host);
}

// ---- scan

static void put_scan(uint8_t *value, const char *name, uint32_t channels, uint8_t channel) {
    memset(value, 0, 74);
    value[0] = 1;
    value[4] = 1;
    value[6] = 0x34;
    value[7] = 0x12;
    value[8] = (uint8_t)strlen(name);
    memcpy(value + 12, name, strlen(name));
    memset(value + 44, 0xFF, 6);
    value[50] = 2;
    value[68] = (uint8_t)channels;
    value[72] = channel;
}

TEST(a_scan_finds_the_access_point) {
    struct host_world world = host_world_new();
    uint8_t value[74];
    const uint8_t *data;
    const uint8_t *bss;
    struct host *host;

    world.auth = TWIN_AUTH_WPA2;
    host = up(world);
    data = host->frame + 22 + 72;
    bss = data + 12;
    put_scan(value, "", 0, 0);
    CHECK_EQ(host_set(host, "escan", value, sizeof(value)), 0);
    CHECK(host_poll(host, 2000 * MS));
    CHECK_EQ(host_be32(host->frame + 22 + 28), 69);
    CHECK_EQ(host_be32(host->frame + 22 + 32), 8);
    CHECK_EQ(host_be32(host->frame + 22 + 44), host_le32(data));
    CHECK_EQ(host->frame_bytes, 22 + 72 + host_le32(data));
    CHECK_EQ(host_le32(data + 4), 109);
    CHECK_EQ(data[8] | data[9] << 8, 0x1234);
    CHECK_EQ(data[10], 1);
    CHECK_EQ(host_le32(bss), 109);
    CHECK_EQ(host_le32(bss + 4), host_le32(data) - 12);
    CHECK_EQ(bss[16] & 0x10, 0x10);
    CHECK_EQ(bss[18], 3);
    CHECK_BYTES(bss + 19, "net", 3);
    CHECK_EQ(bss[72], 6);
    CHECK_EQ((int16_t)(bss[78] | bss[79] << 8), -47);
    CHECK_EQ(bss[(bss[116] | bss[117] << 8) + 5], 48);
    CHECK_EQ((bss[116] | bss[117] << 8) + (int)host_le32(bss + 120), host_le32(bss + 4));
    CHECK(host_poll(host, 2000 * MS));
    CHECK_EQ(host_be32(host->frame + 22 + 32), 0);
    CHECK_EQ(host->frame_bytes, 22 + 72);
    host_free(host);
}

TEST(a_scan_for_others_finds_nothing) {
    struct host *host = up(host_world_new());
    uint8_t value[74];
    char text[64];

    put_scan(value, "other", 0, 0);
    CHECK_EQ(host_set(host, "escan", value, sizeof(value)), 0);
    host_events(host, 2000 * MS, text, sizeof(text));
    CHECK_TEXT(text, "69.0.0.0");
    put_scan(value, "", 1, 11);
    CHECK_EQ(host_set(host, "escan", value, sizeof(value)), 0);
    host_events(host, 2000 * MS, text, sizeof(text));
    CHECK_TEXT(text, "69.0.0.0");
    host_free(host);
}

// ---- power save

static double slept_share(struct host *host, uint32_t mode, uint32_t bcn, uint32_t dtim) {
    struct twin_air_counters before;
    struct twin_air_counters after;

    CHECK_EQ(host_set32(host, "bcn_li_bcn", bcn), 0);
    CHECK_EQ(host_set32(host, "bcn_li_dtim", dtim), 0);
    CHECK_EQ(host_set32(host, "assoc_listen", bcn), 0);
    CHECK_EQ(host_ioctl32(host, 86, mode), 0);
    host_wait(host, 1000 * MS);
    twin_air_get_counters(host->air, &before);
    host_wait(host, 10240 * MS);
    twin_air_get_counters(host->air, &after);
    return (double)(after.station_sleep_ns - before.station_sleep_ns) / 10240e6;
}

TEST(power_save_reaches_the_air_and_reads_back) {
    struct host *host = host_online(&host_queued, host_world_new());
    uint8_t buffer[4] = {0};
    double every;
    double tenth;

    CHECK_BETWEEN(slept_share(host, 0, 0, 0), 0, 0);
    every = slept_share(host, 1, 1, 0);
    tenth = slept_share(host, 1, 10, 0);
    CHECK_BETWEEN(every, 0.9, 0.999);
    CHECK_BETWEEN(1 - tenth, (1 - every) * 0.05, (1 - every) * 0.5);
    CHECK_EQ(host_ioctl(host, 85, false, buffer, 4), 0);
    CHECK_EQ(host_le32(buffer), 1);
    CHECK_EQ(host_get32(host, "bcn_li_bcn"), 10);
    CHECK_EQ(host_get32(host, "assoc_listen"), 10);
    CHECK_EQ(host_ioctl32(host, 86, 3), -29);
    host_free(host);
}

TEST_MAIN(
    CASE(each_style_reaches_the_control_channel),
    CASE(a_set_comes_back_unchanged),
    CASE(a_get_overwrites_the_front_only),
    CASE(unknown_names_and_numbers_are_unsupported),
    CASE(an_error_echoes_the_buffer),
    CASE(a_bss_that_is_down_answers_zero),
    CASE(a_window_of_16_is_out_of_range),
    CASE(one_request_at_a_time),
    CASE(country_takes_its_time),
    CASE(the_names_drivers_use_are_known),
    CASE(addresses_and_filters),
    CASE(the_led_pin),
    CASE(a_chip_without_an_address_takes_the_nvram_s),
    CASE(a_bad_clm_is_reported),
    CASE(events_of_an_open_join),
    CASE(events_of_a_wpa2_join),
    CASE(events_without_such_a_network),
    CASE(events_of_a_wrong_key),
    CASE(events_of_the_wrong_security),
    CASE(events_of_a_wpa3_join),
    CASE(the_layout_of_an_event),
    CASE(events_come_one_by_one_and_only_if_wanted),
    CASE(leaving_tells_the_host),
    CASE(joining_needs_up_and_a_clm),
    CASE(a_pinned_bssid),
    CASE(power_off_in_the_middle_of_a_join),
    CASE(what_a_joined_station_can_be_asked),
    CASE(a_scan_finds_the_access_point),
    CASE(a_scan_for_others_finds_nothing),
    CASE(power_save_reaches_the_air_and_reads_back))
