// SPDX-License-Identifier: MIT
// Jobs: requests of the caller, the multicast filter, pins, scans, measurements, the console, and
// the probe of monitor mode.
#include "cyw43_fake.h"

struct answer {
    struct fake *fake;
    uint32_t count;
    enum cor_status status;
    int32_t chip_status;
    uint8_t reply[192];
    uint32_t reply_bytes;
    uint32_t chain;  // requests to make from the callback
};

static const struct cor_cyw43_counters *counters(struct fake *fake) {
    return cor_cyw43_get_counters(&fake->chip);
}

static void settle(struct fake *fake, uint64_t us) {
    fake_run(fake, cor_cyw43_state(&fake->chip), fake->now_us + us);
}

static struct cor_cyw43_request get_version(struct answer *answer);

static void answered(
    void *context, enum cor_status status, int32_t chip_status, struct cor_span reply) {
    struct answer *answer = context;

    answer->count++;
    answer->status = status;
    answer->chip_status = chip_status;
    answer->reply_bytes = reply.size_bytes;
    memcpy(answer->reply, reply.data, reply.size_bytes);
    if (answer->chain > 0) {
        const struct cor_cyw43_request request = get_version(answer);

        answer->chain--;
        CHECK_EQ(cor_cyw43_request(&answer->fake->chip, &request), COR_OK);
    }
}

static struct cor_cyw43_request get_version(struct answer *answer) {
    return (struct cor_cyw43_request){
        .command = 262, .name = "ver", .reply_bytes = 60, .done = answered, .context = answer};
}

TEST(a_request_is_answered_once_and_matched) {
    struct fake *fake = fake_open(4);
    struct answer answer = {.fake = fake};
    const struct cor_cyw43_request request = get_version(&answer);

    CHECK_EQ(cor_cyw43_request(&fake->chip, &request), COR_E_STATE);
    fake_ready(fake);
    fake_set_var(fake, "ver", "7.95.49", 8);
    CHECK_EQ(cor_cyw43_request(&fake->chip, &request), COR_OK);
    CHECK_EQ(cor_cyw43_request(&fake->chip, &request), COR_AGAIN);
    settle(fake, 10000);
    CHECK_EQ(answer.count, 1);
    CHECK_EQ(answer.status, COR_OK);
    CHECK_TEXT((const char *)answer.reply, "7.95.49");
    fake_close(fake);
}

// Scenario 10 and 11.
TEST(errors_carry_the_status_of_the_chip_and_later_requests_work) {
    struct fake *fake = fake_open(4);
    struct answer answer = {.fake = fake};
    struct cor_cyw43_request request = {
        .command = 263,
        .set = true,
        .name = "nonsense",
        .value = "\1\0\0\0",
        .value_bytes = 4,
        .done = answered,
        .context = &answer,
    };

    fake_joined(fake);
    fake->refuse_name = "nonsense";
    fake->refuse_status = -23;
    CHECK_EQ(cor_cyw43_request(&fake->chip, &request), COR_OK);
    settle(fake, 10000);
    CHECK_EQ(answer.status, COR_E_CHIP);
    CHECK_EQ(answer.chip_status, -23);
    // No reply.
    fake->silent = true;
    CHECK_EQ(cor_cyw43_request(&fake->chip, &request), COR_OK);
    settle(fake, 600000);
    CHECK_EQ(answer.status, COR_E_TIMEOUT);
    fake->silent = false;
    request = get_version(&answer);
    fake_set_var(fake, "ver", "late", 5);
    answer.chain = 5;
    CHECK_EQ(cor_cyw43_request(&fake->chip, &request), COR_OK);
    settle(fake, 10000);
    CHECK_EQ(answer.count, 2 + 6);
    CHECK_EQ(answer.status, COR_OK);
    // Switched off with one under way.
    fake->silent = true;
    CHECK_EQ(cor_cyw43_request(&fake->chip, &request), COR_OK);
    settle(fake, 1000);
    cor_cyw43_stop(&fake->chip, fake->now_us);
    CHECK_EQ(answer.status, COR_E_ABORTED);
    fake_close(fake);
}

TEST(a_request_that_is_too_long_is_refused) {
    static const uint8_t value[COR_CYW43_REQUEST_BYTES_MAX];
    struct fake *fake = fake_open(4);
    struct cor_cyw43_request request = {
        .command = 263, .set = true, .name = "ver", .value = value, .value_bytes = sizeof(value)};

    fake_ready(fake);
    CHECK_EQ(cor_cyw43_request(&fake->chip, &request), COR_E_ARG);
    request.value_bytes = sizeof(value) - 4;
    CHECK_EQ(cor_cyw43_request(&fake->chip, &request), COR_OK);
    settle(fake, 10000);
    fake_close(fake);
}

// Scenario 18.
TEST(scenario_18_the_filter_holds_exactly_the_groups) {
    uint8_t groups[COR_CYW43_GROUPS_MAX + 1][6] = {{0}};
    struct fake *fake = fake_open(4);
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&fake->chip);

    for (uint8_t i = 0; i < COR_CYW43_GROUPS_MAX + 1; i++) {
        groups[i][0] = 1;
        groups[i][5] = i;
    }
    fake_joined(fake);
    for (uint32_t count = 0; count <= COR_CYW43_GROUPS_MAX; count++) {
        cor_cyw43_set_multicast(&fake->chip, groups, count, false);
        settle(fake, 10000);
        CHECK_EQ(fake_le32(fake_var(fake, "mcast_list")->value), count);
        CHECK_BYTES(fake_var(fake, "mcast_list")->value + 4, groups, 6u * count);
        CHECK_EQ(effective->multicast, count);
        CHECK(!effective->multicast_all);
    }
    cor_cyw43_set_multicast(&fake->chip, groups, COR_CYW43_GROUPS_MAX + 1, false);
    settle(fake, 10000);
    CHECK(effective->multicast_all);
    CHECK_EQ(fake_le32(fake_var(fake, "allmulti")->value), 1);
    cor_cyw43_set_multicast(&fake->chip, groups, 1, false);
    settle(fake, 10000);
    CHECK(!effective->multicast_all);
    // A filter that the chip refuses holds nothing back.
    fake->refuse_name = "mcast_list";
    fake->refuse_status = -29;
    cor_cyw43_set_multicast(&fake->chip, groups, 2, false);
    settle(fake, 10000);
    CHECK(effective->multicast_all);
    CHECK_EQ(counters(fake)->settings_differ, 1);
    fake_close(fake);
}

TEST(power_save_changes_in_a_network_and_is_read_back) {
    struct fake *fake = fake_open(4);
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&fake->chip);

    fake_joined(fake);
    cor_cyw43_set_pm(&fake->chip, COR_PM_AGGRESSIVE, 5);
    settle(fake, 10000);
    CHECK_EQ(effective->pm_word, 0x505011);
    CHECK_EQ(fake->pm, 1);
    cor_cyw43_set_pm(&fake->chip, COR_PM_NONE, 0);
    settle(fake, 10000);
    CHECK_EQ(effective->pm_word, 0x10);
    CHECK_EQ(fake->pm, 0);
    fake_close(fake);
}

TEST(pins_are_set_one_by_one) {
    struct fake *fake = fake_open(4);

    fake_ready(fake);
    cor_cyw43_set_gpio(&fake->chip, 1, 1);
    settle(fake, 10000);
    CHECK_EQ(fake_le32(fake_var(fake, "gpioout")->value), 1);
    cor_cyw43_set_gpio(&fake->chip, 2, 2);
    cor_cyw43_set_gpio(&fake->chip, 1, 0);
    settle(fake, 10000);
    CHECK_EQ(fake_le32(fake_var(fake, "gpioout")->value), 3);
    CHECK_EQ(fake_le32(fake_var(fake, "gpioout")->value + 4), 2);
    fake_close(fake);
}

// ---- scan

struct heard {
    struct fake *fake;
    struct cor_network networks[8];
    uint32_t count;
    uint32_t ends;
    enum cor_status status;
};

static void found(void *context, const struct cor_network *network) {
    struct heard *heard = context;

    CHECK(heard->count < 8);
    heard->networks[heard->count++] = *network;
}

static void scanned(void *context, enum cor_status status) {
    struct heard *heard = context;

    heard->ends++;
    heard->status = status;
}

// A result as the chip gives it; sync is that of the scan.
static void push_result(struct fake *fake, const char *name, int8_t rssi, uint16_t sync) {
    uint8_t data[12 + 128 + 2] = {0};
    uint8_t *bss = data + 12;
    uint8_t *at = fake_push_ethernet(fake, 1, 72 + sizeof(data));
    static const uint8_t head[] = {0x88, 0x6C, 0x80, 0x01, 0, 0, 0, 0, 0x10, 0x18, 0, 1, 0, 2};

    memcpy(at + 12, head, sizeof(head));
    at[31] = 69;
    at[35] = 8;
    at[47] = sizeof(data);
    fake_put32(data, sizeof(data));
    data[8] = (uint8_t)sync;
    data[9] = (uint8_t)(sync >> 8);
    data[10] = 1;
    fake_put32(bss, 109);
    fake_put32(bss + 4, 130);
    bss[8] = 2;
    bss[18] = (uint8_t)strlen(name);
    memcpy(bss + 19, name, strlen(name));
    bss[78] = (uint8_t)rssi;
    bss[79] = 0xFF;
    bss[88] = 6;
    bss[116] = 128;
    fake_put32(bss + 120, 2);
    memcpy(at + 72, data, sizeof(data));
}

TEST(a_scan_gives_what_is_heard_and_ends) {
    struct fake *fake = fake_open(4);
    struct heard heard = {.fake = fake};
    const struct cor_cyw43_scan scan = {
        .ssid = "net", .channel = 6, .found = found, .done = scanned, .context = &heard};

    CHECK_EQ(cor_cyw43_scan(&fake->chip, &scan), COR_E_STATE);
    fake_ready(fake);
    CHECK_EQ(cor_cyw43_scan(&fake->chip, &scan), COR_OK);
    CHECK_EQ(cor_cyw43_scan(&fake->chip, &scan), COR_AGAIN);
    settle(fake, 10000);
    const uint8_t *value = fake_var(fake, "escan")->value;

    CHECK_EQ(fake_le32(value), 1);
    CHECK_EQ(fake_le32(value + 8), 3);
    CHECK_BYTES(value + 12, (const uint8_t *)"net", 3);
    uint16_t sync = (uint16_t)(value[6] | value[7] << 8);

    push_result(fake, "net", -40, sync);
    push_result(fake, "old", -40, (uint16_t)(sync - 1));  // of a scan before
    push_result(fake, "far", -90, sync);
    settle(fake, 10000);
    CHECK_EQ(heard.count, 2);
    CHECK_TEXT(heard.networks[0].ssid, "net");
    CHECK_EQ(heard.networks[0].rssi_dbm, -40);
    CHECK_EQ(heard.networks[1].channel, 6);
    CHECK_EQ(heard.ends, 0);
    fake_push_event(fake, 69, 0, 0, 0);
    settle(fake, 10000);
    CHECK_EQ(heard.ends, 1);
    CHECK_EQ(heard.status, COR_OK);
    // One that never ends, and one that is refused.
    CHECK_EQ(cor_cyw43_scan(&fake->chip, &scan), COR_OK);
    settle(fake, 11000000);
    CHECK_EQ(heard.status, COR_E_TIMEOUT);
    fake->refuse_name = "escan";
    fake->refuse_status = -4;
    CHECK_EQ(cor_cyw43_scan(&fake->chip, &scan), COR_OK);
    settle(fake, 10000);
    CHECK_EQ(heard.status, COR_E_CHIP);
    CHECK_EQ(heard.ends, 3);
    fake_close(fake);
}

// ---- measure

TEST(a_measurement_has_signal_rate_and_counters) {
    struct fake *fake = fake_open(4);
    uint8_t values[64] = {10, 0, 156, 0};

    fake_joined(fake);
    fake->packets_good = 1234;
    fake_put32(values + 4 + 4 * 2, 77);
    fake_set_var(fake, "counters", values, sizeof(values));
    CHECK(!cor_cyw43_get_link(&fake->chip)->valid);
    cor_cyw43_measure(&fake->chip);
    settle(fake, 20000);
    const struct cor_cyw43_link *link = cor_cyw43_get_link(&fake->chip);

    CHECK(link->valid);
    CHECK_EQ(link->rssi_dbm, -57);
    CHECK_EQ(link->tx_good, 1234);
    CHECK(link->counters_valid);
    CHECK_EQ(link->tx_retries, 77);
    fake_close(fake);
}

// ---- console

struct text {
    char bytes[4096];
    uint32_t size_bytes;
};

static void log_input(void *context, const uint8_t *bytes, uint32_t size_bytes) {
    struct text *text = context;

    CHECK(text->size_bytes + size_bytes < sizeof(text->bytes));
    memcpy(text->bytes + text->size_bytes, bytes, size_bytes);
    text->size_bytes += size_bytes;
    text->bytes[text->size_bytes] = '\0';
}

#define RING      0x7EF0u  // over the end of a window
#define RING_SIZE 0x400u

static void console_write(struct fake *fake, const char *line) {
    uint32_t head = fake_le32(fake->ram + 0x1010);

    for (const char *at = line; *at != '\0'; at++) {
        fake->ram[RING + head] = (uint8_t)*at;
        head = (head + 1) % RING_SIZE;
    }
    fake_put32(fake->ram + 0x1010, head);
}

static struct fake *with_console(struct text *text) {
    struct fake *fake = fake_open(4);
    struct cor_cyw43_config config = fake_config(fake);

    memset(text, 0, sizeof(*text));
    config.hooks.context = text;
    config.hooks.log = log_input;
    cor_cyw43_init(&fake->chip, &config, 0);
    fake_ready(fake);
    fake_put32(fake->ram + 0x6FFFC, 0x0F00);
    fake_put32(fake->ram + 0x0F14, 0x1000);
    fake_put32(fake->ram + 0x1008, RING);
    fake_put32(fake->ram + 0x100C, RING_SIZE);
    fake_put32(fake->ram + 0x1010, 0);
    return fake;
}

TEST(the_console_is_read_once_in_order_and_counted_as_log) {
    struct text text;
    struct fake *fake = with_console(&text);
    char expected[4096] = "";

    for (uint32_t i = 0; i < 60; i++) {
        char line[64];

        snprintf(
            line,
            sizeof(line),
            "line %u of the firmware, %.*s\n",
            i,
            (int)(i % 23),
            "xxxxxxxxxxxxxxxxxxxxxxxxx");
        console_write(fake, line);
        snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%s", line);
        cor_cyw43_read_log(&fake->chip);
        settle(fake, 10000);
    }
    CHECK_TEXT(text.bytes, expected);
    CHECK_EQ(counters(fake)->log_bytes, strlen(expected));
    CHECK(fake->meter.bus.bits[COR_METER_PURPOSE_log] > 8 * strlen(expected));
    CHECK_EQ(fake_purposes(fake), fake->bits);
    fake_close(fake);
}

TEST(scenario_5_any_console_is_survived) {
    struct text text;
    struct fake *fake = with_console(&text);
    uint32_t state = 1;

    for (uint32_t i = 0; i < 3000; i++) {
        static const uint32_t places[] = {0x6FFFC, 0x0F14, 0x1008, 0x100C, 0x1010};
        uint32_t place = places[i % 5];
        uint32_t before = fake_le32(fake->ram + place);

        state = state * 1664525u + 1013904223u;
        fake_put32(fake->ram + place, i % 2 == 0 ? state : state % 0x9000u);
        text.size_bytes = 0;
        cor_cyw43_read_log(&fake->chip);
        settle(fake, 2000);
        fake_put32(fake->ram + place, before);
    }
    text.size_bytes = 0;
    fake->chip.console.found = false;
    console_write(fake, "well again");
    cor_cyw43_read_log(&fake->chip);
    settle(fake, 10000);
    CHECK(strstr(text.bytes, "well again") != NULL);
    fake_close(fake);
}

// ---- raw frames

TEST(monitor_mode_is_probed_and_named) {
    struct fake *fake = fake_open(4);
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&fake->chip);

    CHECK_EQ(cor_cyw43_probe_raw(&fake->chip), COR_E_STATE);
    fake_ready(fake);
    CHECK_EQ(cor_cyw43_probe_raw(&fake->chip), COR_OK);
    CHECK_EQ(effective->raw, COR_CYW43_RAW_unknown);
    settle(fake, 1000000);
    CHECK_EQ(effective->raw, COR_CYW43_RAW_silent);
    CHECK_EQ(fake->numbers[108], 0);
    CHECK_EQ(cor_cyw43_probe_raw(&fake->chip), COR_OK);
    settle(fake, 100000);
    (void)fake_push_ethernet(fake, 2, 60);
    settle(fake, 1000000);
    CHECK_EQ(effective->raw, COR_CYW43_RAW_works);
    fake->refuse_number = 108;
    fake->refuse_number_status = -23;
    CHECK_EQ(cor_cyw43_probe_raw(&fake->chip), COR_OK);
    settle(fake, 1000000);
    CHECK_EQ(effective->raw, COR_CYW43_RAW_refused);
    fake->refuse_number = 0;
    CHECK_EQ(cor_cyw43_probe_raw(&fake->chip), COR_OK);
    settle(fake, 100000);
    (void)fake_push_ethernet(fake, 2, 60);
    fake->silent = true;  // some frames, then nothing, not even replies
    settle(fake, 2000000);
    CHECK_EQ(effective->raw, COR_CYW43_RAW_stalls);
    fake_close(fake);
}

TEST_MAIN(
    CASE(a_request_is_answered_once_and_matched),
    CASE(errors_carry_the_status_of_the_chip_and_later_requests_work),
    CASE(a_request_that_is_too_long_is_refused),
    CASE(scenario_18_the_filter_holds_exactly_the_groups),
    CASE(power_save_changes_in_a_network_and_is_read_back),
    CASE(pins_are_set_one_by_one),
    CASE(a_scan_gives_what_is_heard_and_ends),
    CASE(a_measurement_has_signal_rate_and_counters),
    CASE(the_console_is_read_once_in_order_and_counted_as_log),
    CASE(scenario_5_any_console_is_survived),
    CASE(monitor_mode_is_probed_and_named))
