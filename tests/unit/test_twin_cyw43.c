// SPDX-License-Identifier: MIT
// The chip model's bus: word orders, registers, backplane, download, the ready handshake.
#include "twin_cyw43_start.h"

static const struct host_style *const styles[] = {
    &host_sdk, &host_embassy, &host_picowi, &host_queued};

#define STYLES (sizeof(styles) / sizeof(styles[0]))

static struct host *powered(const struct host_style *style) {
    struct host *host = host_new(style, host_world_new());

    CHECK(host_bus_up(host));
    return host;
}

static void download_good(struct host *host) {
    struct host_images *images = host_images_new();

    host_download(host, images);
    free(images);
}

// ---- word orders

// The wire bytes of a read of 0x14 with four bytes, worked out by hand from the command word
// 0x4000A004.
TEST(test_register_before_configuration_is_be_ad_fe_ed) {
    static const uint8_t command[] = {0xA0, 0x04, 0x40, 0x00};
    static const uint8_t expected[] = {0xBE, 0xAD, 0xFE, 0xED};
    struct host *host = host_new(&host_sdk, host_world_new());

    host->pins.power(host->pins.context, true);
    host_wait(host, 50 * MS);
    memcpy(host->out, command, 4);
    host_clock(host, 4, 4);
    CHECK_BYTES(host->in, expected, 4);
    host_free(host);
}

TEST(test_register_after_configuration) {
    static const uint8_t little_command[] = {0x40, 0x00, 0xA0, 0x04};
    static const uint8_t little[] = {0xFE, 0xED, 0xBE, 0xAD};
    static const uint8_t big_command[] = {0x04, 0xA0, 0x00, 0x40};
    static const uint8_t big[] = {0xAD, 0xBE, 0xED, 0xFE};
    struct host *host = powered(&host_embassy);

    memcpy(host->out, little_command, 4);
    host_clock(host, 4, 8);
    CHECK_BYTES(host->in, little, 4);
    host_free(host);
    host = powered(&host_sdk);
    memcpy(host->out, big_command, 4);
    host_clock(host, 4, 4);
    CHECK_BYTES(host->in, big, 4);
    host_free(host);
}

// 0x000204B3 written to 0x00 in the order of reset: command 0xC0000004.
TEST(the_control_write_itself_is_in_the_old_order) {
    static const uint8_t wire[] = {0x00, 0x04, 0xC0, 0x00, 0x04, 0xB3, 0x00, 0x02};
    struct host *host = host_new(&host_sdk, host_world_new());

    host->pins.power(host->pins.context, true);
    host_wait(host, 50 * MS);
    memcpy(host->out, wire, sizeof(wire));
    host_clock(host, sizeof(wire), 0);
    host->order = HOST_BIG;
    CHECK_EQ(host_read(host, 0, 0x00, 4), 0x000204B3);
    CHECK_EQ(host_counters(host).deviations, 0);
    host_free(host);
}

TEST(a_command_in_the_wrong_order_is_named) {
    struct host *host = powered(&host_sdk);

    host->order = HOST_HALVES;
    (void)host_read(host, 0, 0x14, 4);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "command-senseless");
    host->order = HOST_BIG;
    CHECK_EQ(host_read(host, 0, 0x08, 4) & 0x80u, 0x80);
    CHECK_EQ(host_read(host, 0, 0x04, 2) & 0x08u, 0x08);
    host_write(host, 0, 0x04, 0x0008, 2);
    CHECK_EQ(host_read(host, 0, 0x08, 4) & 0x80u, 0);
    host_free(host);
}

TEST(a_single_byte_read_in_word_order_comes_in_the_last_place) {
    struct host *host = powered(&host_embassy);

    host_put32(host->out, host_command(false, 0, 0x1D, 1));
    host_reorder(host, host->out, 4);
    host_clock(host, 4, 8);
    CHECK_EQ(host->in[3], 4);
    CHECK_EQ(host->in[0] | host->in[1] | host->in[2], 0);
    host_free(host);
}

// ---- power

TEST(the_chip_answers_no_earlier_than_it_wakes) {
    struct host *host = host_new(&host_sdk, host_world_new());

    CHECK_EQ(host_read(host, 0, 0x14, 4), 0);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "no-power");
    host->pins.power(host->pins.context, true);
    host_wait(host, 29 * MS);
    CHECK_EQ(host_read(host, 0, 0x14, 4), 0);
    CHECK(!host->pins.irq(host->pins.context));
    host_wait(host, 1 * MS);
    CHECK_EQ(host_read(host, 0, 0x14, 4), 0xFEEDBEAD);
    CHECK_EQ(host_counters(host).deviations, 1);
    host_free(host);
}

TEST(power_off_forgets_everything) {
    struct host *host = powered(&host_sdk);

    host_write(host, 0, 0x18, 0x12345678, 4);
    download_good(host);
    CHECK(host_start(host));
    host->pins.power(host->pins.context, false);
    CHECK(!host->pins.irq(host->pins.context));
    CHECK(host_bus_up(host));
    CHECK_EQ(host_read(host, 0, 0x18, 4), 0);
    CHECK_EQ(host_read(host, 0, 0x08, 4) & 0x20u, 0);
    CHECK_EQ(host_bp_read(host, 0x18103800, 1), 1);
    CHECK_EQ(host_read(host, 1, 0x1000E, 1), 0);
    download_good(host);
    CHECK(host_start(host));
    host_free(host);
}

// ---- F0 registers

TEST(registers_of_function_0) {
    struct host *host = powered(&host_sdk);

    host_write(host, 0, 0x18, 0x12345678, 4);
    CHECK_EQ(host_read(host, 0, 0x18, 4), 0x12345678);
    CHECK_EQ(host_read(host, 0, 0x1D, 1), 16);
    CHECK_EQ(host_read(host, 0, 0x06, 2), 0x00BE);
    CHECK_EQ(host_read(host, 0, 0x0C, 2), 0x103);
    CHECK_EQ(host_read(host, 0, 0x0E, 2) & 3u, 1);
    host_write(host, 0, 0xF0, 8, 1);
    host_write(host, 0, 0x14, 0, 4);
    CHECK_EQ(host_read(host, 0, 0x14, 4), 0xFEEDBEAD);
    CHECK_EQ(host_counters(host).deviations, 0);
    host_free(host);
}

TEST(data_unavailable_is_set_at_start_and_clears) {
    struct host *host = host_new(&host_sdk, host_world_new());

    host->pins.power(host->pins.context, true);
    host_wait(host, 50 * MS);
    CHECK_EQ(host_read(host, 0, 0x04, 2), 1);
    host_write(host, 0, 0x04, 1, 2);
    CHECK_EQ(host_read(host, 0, 0x04, 2), 0);
    host_free(host);
}

TEST(reading_while_nothing_is_pending) {
    struct host *host = powered(&host_queued);
    uint8_t data[64];

    memset(data, 0xFF, sizeof(data));
    host_block_read(host, 2, 0, data, 64);
    for (uint32_t i = 0; i < sizeof(data); i++) {
        CHECK_EQ(data[i], 0);
    }
    CHECK_EQ(host->status & 3u, 3);
    CHECK_EQ(host_read(host, 0, 0x04, 2) & 3u, 3);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "f2-read-empty");
    host_write(host, 0, 0x04, 3, 2);
    CHECK_EQ(host_read(host, 0, 0x04, 2), 0);
    host_free(host);
}

TEST(the_resync_pattern_is_taken) {
    struct host *host = powered(&host_queued);

    memset(host->out, 0, 4);
    host_clock(host, 4, 0);
    CHECK_EQ(host_read(host, 0, 0x14, 4), 0xFEEDBEAD);
    CHECK_EQ(host_counters(host).deviations, 0);
    host_free(host);
}

// A register read costs 192 clocks with a delay of 16 bytes, 96 with 4, without the status word.
TEST(clocks_are_counted) {
    struct host *host = powered(&host_sdk);
    uint64_t before = host_counters(host).clocked_bits;

    (void)host_read(host, 1, 0x1000E, 1);
    CHECK_EQ(host_counters(host).clocked_bits - before, 192 + 1);
    host_free(host);
    host = powered(&host_picowi);
    before = host_counters(host).clocked_bits;
    (void)host_read(host, 1, 0x10008, 4);
    CHECK_EQ(host_counters(host).clocked_bits - before, 96 + 1);
    host_free(host);
}

// ---- backplane

TEST(the_chip_id_and_unmapped_addresses) {
    for (size_t i = 0; i < STYLES; i++) {
        struct host *host = powered(styles[i]);

        CHECK_EQ(host_bp_read(host, 0x18000000, 4), 0x2D85A9AF);
        CHECK_EQ(host_bp_read(host, 0x18000000, 2), 0xA9AF);
        CHECK_EQ(host_bp_read(host, 0x18000508, 4), 0);
        CHECK_EQ(host_bp_read(host, 0x12345678, 4), 0);
        CHECK_EQ(host_counters(host).deviations, 0);
        host_free(host);
    }
}

TEST(device_registers_read_back) {
    struct host *host = powered(&host_embassy);

    host_write(host, 1, 0x10008, 0x10, 1);
    CHECK_EQ(host_read(host, 1, 0x10008, 1), 0x10);
    host_write(host, 1, 0x1000F, 0x0F, 1);
    CHECK_EQ(host_read(host, 1, 0x1000F, 1), 0x0F);
    host_window(host, 0x18100000);
    CHECK_EQ(host_read(host, 1, 0x1000C, 1), 0x18);
    CHECK_EQ(host_read(host, 1, 0x1000B, 1), 0x10);
    CHECK_EQ(host_read(host, 1, 0x1000A, 1), 0);
    host_free(host);
}

TEST(pins_follow_the_chip_common_registers) {
    struct host *host = powered(&host_picowi);

    host_bp_write(host, 0x18000064, 3, 4);
    CHECK_EQ(twin_cyw43_gpio(host->chip), 0);
    host_bp_write(host, 0x18000068, 1, 4);
    CHECK_EQ(twin_cyw43_gpio(host->chip), 1);
    host_free(host);
}

TEST(the_alp_clock_comes_when_asked_for) {
    struct host *host = powered(&host_sdk);

    CHECK_EQ(host_read(host, 1, 0x1000E, 1), 0);
    host_write(host, 1, 0x1000E, 8, 1);
    host_wait(host, MS);
    CHECK_EQ(host_read(host, 1, 0x1000E, 1), 0x48);
    host_free(host);
}

TEST(sleep_and_keep_on) {
    struct host *host = powered(&host_sdk);

    host_write(host, 1, 0x1001F, 0, 1);
    CHECK_EQ(host_read(host, 1, 0x1001F, 1), 0);
    CHECK_EQ(host_bp_read(host, 0x18000000, 4), 0xFFFFFFFF);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "f1-asleep");
    host_write(host, 1, 0x1001F, 1, 1);
    host_wait(host, MS);
    CHECK_EQ(host_read(host, 1, 0x1001F, 1), 3);
    CHECK_EQ(host_bp_read(host, 0x18000000, 4), 0x2D85A9AF);
    host_free(host);
}

TEST(cores_hold_their_reset_sequence) {
    struct host *host = powered(&host_sdk);

    CHECK_EQ(host_bp_read(host, 0x18104800, 1), 1);
    host_ram_write(host, 0, (const uint8_t *)"lost", 4);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "ram-in-reset");
    host_core_up(host, 0x18104000);
    CHECK_EQ(host_bp_read(host, 0x18104800, 1), 0);
    CHECK_EQ(host_bp_read(host, 0x18104408, 1), 1);
    host_ram_write(host, 0, (const uint8_t *)"kept", 4);
    CHECK_EQ(host_bp_read(host, 0, 4), 0x7470656B);
    host_free(host);
}

TEST(blocks_cross_windows_only_by_mistake) {
    struct host *host = powered(&host_queued);
    uint8_t out[64];
    uint8_t in[64] = {0};

    for (uint32_t i = 0; i < sizeof(out); i++) {
        out[i] = (uint8_t)(i * 7 + 1);
    }
    host_core_up(host, 0x18104000);
    host_ram_write(host, 0x7FC0, out, 64);
    host_ram_write(host, 0x8000, out, 64);
    CHECK_EQ(host_counters(host).deviations, 0);
    host_window(host, 0x7FC0);
    host_block_read(host, 1, 0x7FC0, in, 64);
    CHECK_BYTES(in, out, 64);
    host_block_write(host, 1, 0x7FE0, out, 64);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "f1-window-crossing");
    host_free(host);
}

TEST(an_overlong_block_overflows) {
    struct host *host = powered(&host_queued);
    uint8_t block[128];

    memset(block, 0x5A, sizeof(block));
    host_core_up(host, 0x18104000);
    host_window(host, 0x100);
    host_block_write(host, 1, 0x100, block, 128);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "f1-over-length");
    CHECK_EQ(host_read(host, 0, 0x04, 2) & 0x80u, 0x80);
    CHECK_EQ(host_bp_read(host, 0x13C, 4), 0x5A5A5A5A);
    CHECK(host_bp_read(host, 0x140, 4) != 0x5A5A5A5A);
    host_write(host, 0, 0x04, 0x80, 2);
    CHECK_EQ(host_read(host, 0, 0x04, 2) & 0x80u, 0);
    host_free(host);
}

TEST(a_read_without_the_delay_is_named) {
    struct host *host = powered(&host_sdk);

    host_put32(host->out, host_command(false, 1, 0x1000E, 4));
    host_clock(host, 4, 4);
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "f1-delay-missing");
    host_free(host);
}

// ---- download and start

TEST(bring_up_in_each_style) {
    for (size_t i = 0; i < STYLES; i++) {
        struct host *host = powered(styles[i]);
        unsigned ht_ms;
        unsigned f2_ms;

        download_good(host);
        CHECK(host_start_timed(host, &ht_ms, &f2_ms));
        CHECK_BETWEEN(ht_ms, 18, 21);
        CHECK_BETWEEN(f2_ms, 77, 81);
        CHECK_EQ(host_bp_read(host, 0x18103408, 1), 1);
        CHECK_EQ(host_counters(host).deviations, 0);
        host_free(host);
    }
}

TEST(the_running_firmware_shows_a_console_with_a_line) {
    struct host *host = powered(&host_embassy);
    uint32_t console;

    download_good(host);
    CHECK(host_start(host));
    console = host_bp_read(host, host_bp_read(host, 0x6FFFC, 4) + 20, 4);
    CHECK(console != 0 && console < 0x80000);
    CHECK_EQ(host_bp_read(host, console + 12, 4), 0x400);
    uint32_t head = host_bp_read(host, console + 16, 4);
    uint32_t ring = host_bp_read(host, console + 8, 4);

    CHECK_BETWEEN(head, 20, 100);
    CHECK_EQ(host_bp_read(host, ring + head - 1, 1), '\n');
    host_free(host);
}

static const char *start_fault(void (*damage)(struct host_images *images)) {
    struct host *host = powered(&host_queued);
    struct host_images *images = host_images_new();
    const char *fault;

    damage(images);
    host_download(host, images);
    free(images);
    CHECK(!host_start(host));
    CHECK_EQ(host_read(host, 1, 0x1000E, 1) & 0x80u, 0);
    CHECK_EQ(host_read(host, 0, 0x08, 4) & 0x20u, 0);
    fault = twin_cyw43_last_deviation(host->chip);
    host_free(host);
    return fault;
}

static void damage_code(struct host_images *images) {
    images->firmware[100000] ^= 1;
}

static void damage_mark(struct host_images *images) {
    images->firmware[0x102] ^= 0x40;
}

static void damage_version(struct host_images *images) {
    for (uint32_t i = images->firmware_bytes - 300; i < images->firmware_bytes; i++) {
        if (memcmp(images->firmware + i, "Version", 7) == 0) {
            images->firmware[i] ^= 1;
            return;
        }
    }
}

static void damage_tail(struct host_images *images) {
    images->firmware_bytes -= 40;
}

static void damage_trailer(struct host_images *images) {
    images->trailer_mask = 0x00010000;
}

static void damage_text(struct host_images *images) {
    images->nvram[0] = 0;
}

TEST(a_damaged_image_never_starts) {
    CHECK_TEXT(start_fault(damage_code), "firmware-damaged");
    CHECK_TEXT(start_fault(damage_mark), "firmware-damaged");
    CHECK_TEXT(start_fault(damage_version), "firmware-tail");
    CHECK_TEXT(start_fault(damage_tail), "firmware-tail");
}

TEST(a_wrong_nvram_never_starts) {
    CHECK_TEXT(start_fault(damage_trailer), "nvram-trailer");
    CHECK_TEXT(start_fault(damage_text), "nvram-text");
}

// The fields that a real image has at its end, and nothing of ours: 4000 bytes.
TEST(a_real_looking_image_is_taken_without_execution) {
    static const char text[] =
        "43439a0-roml/sdio Version: 7.95.0 (test) CRC: 00000000 Date: Mon 2021-11-29 00:00:00 UTC "
        "Ucode Ver: 1043.2162 FWID 01-00000000";
    static const uint8_t chip_id[] = {0xAF, 0xA9, 0, 0};
    struct host *host = powered(&host_sdk);
    struct host_images *images = host_images_new();
    uint8_t *end = images->firmware + 4000;

    memset(images->firmware, 0x11, 4000);
    images->firmware_bytes = 4000;
    memcpy(end - 18 - sizeof(text), text, sizeof(text));
    end[-18] = 250;
    end[-17] = 0;
    memcpy(end - 4, chip_id, 4);
    host_download(host, images);
    CHECK(host_start(host));
    CHECK_EQ(host_counters(host).deviations, 0);
    free(images);
    host_free(host);
}

TEST(a_block_that_was_never_written_is_found) {
    struct host *host = powered(&host_queued);
    struct host_images *images = host_images_new();

    memset(images->firmware + 0x2000, 0xA5, 128);
    host_download(host, images);
    CHECK(!host_start(host));
    CHECK_TEXT(twin_cyw43_last_deviation(host->chip), "firmware-hole");
    free(images);
    host_free(host);
}

TEST(image_functions_refuse_a_small_room) {
    uint8_t room[16];

    CHECK_EQ(twin_cyw43_image_firmware(room, sizeof(room)), 0);
    CHECK_EQ(twin_cyw43_image_nvram(room, sizeof(room)), 0);
    CHECK_EQ(twin_cyw43_image_clm(room, sizeof(room)), 0);
}

TEST_MAIN(
    CASE(test_register_before_configuration_is_be_ad_fe_ed),
    CASE(test_register_after_configuration),
    CASE(the_control_write_itself_is_in_the_old_order),
    CASE(a_command_in_the_wrong_order_is_named),
    CASE(a_single_byte_read_in_word_order_comes_in_the_last_place),
    CASE(the_chip_answers_no_earlier_than_it_wakes),
    CASE(power_off_forgets_everything),
    CASE(registers_of_function_0),
    CASE(data_unavailable_is_set_at_start_and_clears),
    CASE(reading_while_nothing_is_pending),
    CASE(the_resync_pattern_is_taken),
    CASE(clocks_are_counted),
    CASE(the_chip_id_and_unmapped_addresses),
    CASE(device_registers_read_back),
    CASE(pins_follow_the_chip_common_registers),
    CASE(the_alp_clock_comes_when_asked_for),
    CASE(sleep_and_keep_on),
    CASE(cores_hold_their_reset_sequence),
    CASE(blocks_cross_windows_only_by_mistake),
    CASE(an_overlong_block_overflows),
    CASE(a_read_without_the_delay_is_named),
    CASE(bring_up_in_each_style),
    CASE(the_running_firmware_shows_a_console_with_a_line),
    CASE(a_damaged_image_never_starts),
    CASE(a_wrong_nvram_never_starts),
    CASE(a_real_looking_image_is_taken_without_execution),
    CASE(a_block_that_was_never_written_is_found),
    CASE(image_functions_refuse_a_small_room))
