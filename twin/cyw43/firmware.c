// SPDX-License-Identifier: MIT
// Firmware: check of what the host has downloaded, and the ready handshake.
//
// Nothing is executed: real images call code in the chip's ROM. A start that fails looks as on the
// chip: the HT clock never comes.
#include "cyw43/image.h"
#include "cyw43/parts.h"

#include <string.h>

static bool same(const uint8_t *bytes, const char *text) {
    return memcmp(bytes, text, strlen(text)) == 0;
}

// ---- NVRAM

// The last word of the RAM says how many words of text stand before it: (~words << 16) | words.
static const char *nvram_fault(const struct twin_cyw43 *chip) {
    uint32_t trailer = get32(chip->plane.ram + NVRAM_TRAILER);
    uint32_t size_bytes = 4 * (trailer & 0xFFFFu);
    const uint8_t *text;

    if (((trailer ^ trailer >> 16) & 0xFFFFu) != 0xFFFFu) {
        return "nvram-trailer";
    }
    if (size_bytes < 8 || size_bytes > NVRAM_BYTES_MAX) {
        return "nvram-size";
    }
    text = chip->plane.ram + NVRAM_TRAILER - size_bytes;
    for (uint32_t i = 0; i < size_bytes && text[i] != '='; i++) {
        if (text[i] < ' ' || text[i] > '~') {
            return "nvram-text";
        }
    }
    return memchr(text, '=', size_bytes) == NULL ? "nvram-text" : NULL;
}

// ---- firmware

// Where the version text starts if an image ends here, NULL if none does.
static const uint8_t *version_text(const uint8_t *ram, uint32_t end) {
    uint32_t nul;
    uint32_t trailer_bytes;

    if (end < FIRMWARE_BYTES_MIN) {
        return NULL;
    }
    nul = end - FIRMWARE_TAIL_BYTES - 3;
    trailer_bytes = get16(ram + nul + 1);
    if (trailer_bytes >= FIRMWARE_TRAILER_MAX || ram[nul] != 0) {
        return NULL;
    }
    for (uint32_t back = FIRMWARE_VERSION_BACK; back < trailer_bytes; back++) {
        if (same(ram + nul - back, "Version: ")) {
            return ram + nul - back;
        }
    }
    return NULL;
}

// The end of the image: of all places where one could end, the last that has a version text.
static uint32_t image_end(const uint8_t *ram, uint32_t limit) {
    static const uint8_t chip_id[4] = {0xAF, 0xA9, 0x00, 0x00};

    for (uint32_t end = limit; end >= FIRMWARE_BYTES_MIN; end--) {
        const uint8_t *tail = ram + end - FIRMWARE_TAIL_BYTES;
        const uint8_t *id = ram + end - sizeof(chip_id);

        // One byte first: the loop passes over half a megabyte.
        if ((tail[0] == 'D' && same(tail, "DVID ")) ||
            (id[0] == chip_id[0] && memcmp(id, chip_id, sizeof(chip_id)) == 0)) {
            if (version_text(ram, end) != NULL) {
                return end;
            }
        }
    }
    return 0;
}

// A block that was never written shows what the RAM held after power up.
static bool has_hole(const uint8_t *ram, uint32_t size_bytes) {
    uint8_t undefined[F1_BYTES_MAX];

    memset(undefined, RAM_UNDEFINED, sizeof(undefined));
    for (uint32_t i = 0; i + F1_BYTES_MAX <= size_bytes; i += F1_BYTES_MAX) {
        if (memcmp(ram + i, undefined, sizeof(undefined)) == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t hex_value(const uint8_t *digits) {
    uint32_t value = 0;

    for (uint32_t i = 0; i < 8; i++) {
        uint32_t digit =
            digits[i] <= '9' ? (uint32_t)digits[i] - '0' : (uint32_t)digits[i] - 'a' + 10;

        value = value << 4 | (digit & 15u);
    }
    return value;
}

// Either mark makes the image a synthetic one, so that damage to one of them is seen as well.
static bool synthetic_is_whole(const uint8_t *ram, uint32_t end, const uint8_t *version) {
    uint32_t version_at = (uint32_t)(version - ram);
    uint32_t crc;

    for (uint32_t at = version_at; at + 12 < end; at++) {
        if (same(ram + at, "CRC: ")) {
            crc = twin_cyw43_crc32_more(0, ram, at + 5);
            crc = twin_cyw43_crc32_more(crc, ram + at + 13, end - at - 13);
            return crc == hex_value(ram + at + 5);
        }
    }
    return false;
}

static bool is_synthetic(const uint8_t *ram, uint32_t end, const uint8_t *version) {
    uint32_t version_at = (uint32_t)(version - ram);
    uint32_t at = version_at > FIRMWARE_TRAILER_MAX ? version_at - FIRMWARE_TRAILER_MAX : 0;

    if (same(ram + SYNTHETIC_MARK_AT, SYNTHETIC_MARK)) {
        return true;
    }
    for (; at + sizeof(SYNTHETIC_MARK) < end; at++) {
        if (same(ram + at, SYNTHETIC_MARK)) {
            return true;
        }
    }
    return false;
}

static const char *firmware_fault(const struct twin_cyw43 *chip) {
    const uint8_t *ram = chip->plane.ram;
    uint32_t nvram_bytes = 4 * (get32(ram + NVRAM_TRAILER) & 0xFFFFu);
    uint32_t end = image_end(ram, NVRAM_TRAILER - nvram_bytes);

    if (end == 0) {
        return "firmware-tail";
    }
    if (has_hole(ram, end)) {
        return "firmware-hole";
    }
    if (is_synthetic(ram, end, version_text(ram, end)) &&
        !synthetic_is_whole(ram, end, version_text(ram, end))) {
        return "firmware-damaged";
    }
    return NULL;
}

// ---- start and stop

// The running firmware tells the host where its shared area is; drivers follow it to an (empty)
// console ring: flags, trap, assert x 3, console, msgtrace, fwid; console + 8: buffer, size, index.
static void write_shared_area(struct twin_cyw43 *chip) {
    uint8_t *ram = chip->plane.ram;
    uint32_t console = SHARED_CONSOLE;
    uint32_t buffer = SHARED_RING;

    memset(ram + SHARED_ADDRESS, 0, 0x80 + CONSOLE_BYTES);
    put32(ram + SHARED_ADDRESS + 20, console);
    put32(ram + console + 8, buffer);
    put32(ram + console + 12, CONSOLE_BYTES);
    put32(ram + SHARED_POINTER, SHARED_ADDRESS);
}

// A host without an address of its own in OTP takes the one in the NVRAM.
static void take_address(struct twin_cyw43 *chip) {
    static const uint8_t none[6] = {0};
    const uint8_t *ram = chip->plane.ram;
    uint32_t size_bytes = 4 * (get32(ram + NVRAM_TRAILER) & 0xFFFFu);
    const uint8_t *text = ram + NVRAM_TRAILER - size_bytes;
    const char key[] = "macaddr=";

    memcpy(chip->address, chip->config.address, 6);
    if (memcmp(chip->address, none, 6) != 0) {
        return;
    }
    for (uint32_t i = 0; i + sizeof(key) - 1 + 17 < size_bytes; i++) {
        if (!same(text + i, key)) {
            continue;
        }
        for (uint32_t digit = 0; digit < 12; digit++) {
            uint8_t c = text[i + sizeof(key) - 1 + digit + digit / 2];
            uint32_t value = c <= '9' ? (uint32_t)c - '0' : ((uint32_t)c | 0x20u) - 'a' + 10;

            chip->address[digit / 2] =
                (uint8_t)(chip->address[digit / 2] << 4 | (uint8_t)(value & 15u));
        }
        return;
    }
}

void twin_cyw43_start_firmware(struct twin_cyw43 *chip) {
    const struct twin_fault_what *what;
    const char *fault = nvram_fault(chip);

    if (fault == NULL) {
        fault = firmware_fault(chip);
    }
    if (fault != NULL) {
        twin_cyw43_deviate(chip, fault);
        return;
    }
    if (twin_faults_hit(chip->config.faults, TWIN_FIRMWARE_DEAD, NULL) != NULL) {
        return;
    }
    twin_log(chip->config.log, "chip firmware-start");
    chip->plane.firmware_running = true;
    chip->plane.ht_at_ns =
        chip_now_ns(chip) + twin_cyw43_fault_time(chip, TWIN_HT_TIME, chip->config.ht_ns);
    chip->plane.f2_ready_at_ns =
        chip->plane.ht_at_ns + twin_cyw43_fault_time(chip, TWIN_F2_TIME, chip->config.f2_ready_ns);
    what = twin_faults_hit(chip->config.faults, TWIN_SEQUENCE_START, NULL);
    chip->fifo.sequence = what != NULL ? (uint8_t)what->value : 0;
    take_address(chip);
    twin_cyw43_set_address(chip);
    write_shared_area(chip);
    twin_cyw43_console(chip, "wl0: simulated firmware of the coradio twin");
}

void twin_cyw43_stop_firmware(struct twin_cyw43 *chip) {
    if (!chip->plane.firmware_running) {
        return;
    }
    twin_log(chip->config.log, "chip firmware-stop");
    chip->plane.firmware_running = false;
    chip->plane.ht_at_ns = TWIN_NEVER;
    chip->plane.f2_ready_at_ns = TWIN_NEVER;
    twin_cyw43_reset_firmware(chip);
}

bool twin_cyw43_f2_up(const struct twin_cyw43 *chip) {
    return chip_now_ns(chip) >= chip->plane.f2_ready_at_ns;
}
