// SPDX-License-Identifier: MIT
// Image: synthetic firmware, NVRAM and CLM that the model and careful drivers accept.
#include "cyw43/image.h"

#include "coradio_twin/cyw43.h"

#include <stdio.h>
#include <string.h>

// Size of the public Wi-Fi image (cyw43-driver's w43439A0_7_95_49_00), so that loading ours costs
// as many bus bits; it is no multiple of four, which finds careless loaders.
#define IMAGE_FIRMWARE_BYTES 224190u
#define IMAGE_CLM_BYTES      984u  // likewise

static void put32(uint8_t *bytes, uint32_t value) {
    for (uint32_t i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

uint32_t twin_cyw43_crc32_more(uint32_t crc, const uint8_t *data, uint32_t size_bytes) {
    uint32_t table[256];

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (uint32_t bit = 0; bit < 8; bit++) {
            table[i] = (table[i] & 1u) != 0 ? table[i] >> 1 ^ 0xEDB88320u : table[i] >> 1;
        }
    }
    crc = ~crc;
    for (uint32_t i = 0; i < size_bytes; i++) {
        crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xFFu];
    }
    return ~crc;
}

uint32_t twin_cyw43_crc32(const uint8_t *data, uint32_t size_bytes) {
    return twin_cyw43_crc32_more(0, data, size_bytes);
}

// Bytes without a pattern, so that a shifted, doubled or missing block is seen.
static void fill(uint8_t *bytes, uint32_t size_bytes) {
    uint32_t state = 0x43439u;

    for (uint32_t i = 0; i < size_bytes; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(state >> 24);
    }
}

uint32_t twin_cyw43_image_firmware(uint8_t *image, uint32_t room_bytes) {
    static const char before_crc[] =
        "43439a0-twin/gspi-" SYNTHETIC_MARK " Version: 0.0.1 (simulated, not executable) CRC: ";
    static const char behind_crc[] = " Date: Thu 1970-01-01 00:00:00 UTC Ucode Ver: 0.0 "
                                     "FWID 01-00000000";
    // Real images have "DVID 01-" and eight digits here. Other notes say that the last four bytes
    // are the chip id; both hold.
    static const uint8_t tail[FIRMWARE_TAIL_BYTES] = "DVID 01-0000\xAF\xA9\x00";
    uint32_t text_bytes = sizeof(before_crc) - 1 + 8 + sizeof(behind_crc);
    uint8_t *end = image + IMAGE_FIRMWARE_BYTES;
    uint8_t *text;
    uint8_t *digits;
    char hex[9];

    if (room_bytes < IMAGE_FIRMWARE_BYTES) {
        return 0;
    }
    fill(image, IMAGE_FIRMWARE_BYTES);
    memcpy(image + SYNTHETIC_MARK_AT, SYNTHETIC_MARK, sizeof(SYNTHETIC_MARK));
    text = end - FIRMWARE_TAIL_BYTES - 2 - text_bytes;
    digits = text + sizeof(before_crc) - 1;
    memcpy(text, before_crc, sizeof(before_crc) - 1);
    memcpy(digits + 8, behind_crc, sizeof(behind_crc));
    end[-18] = (uint8_t)(text_bytes + 2);
    end[-17] = (uint8_t)((text_bytes + 2) >> 8);
    memcpy(end - FIRMWARE_TAIL_BYTES, tail, sizeof(tail));
    (void)snprintf(
        hex,
        sizeof(hex),
        "%08x",
        twin_cyw43_crc32_more(
            twin_cyw43_crc32(image, (uint32_t)(digits - image)),
            digits + 8,
            (uint32_t)(end - digits - 8)));
    memcpy(digits, hex, 8);
    return IMAGE_FIRMWARE_BYTES;
}

uint32_t twin_cyw43_image_nvram(uint8_t *image, uint32_t room_bytes) {
    // Keys as in the public NVRAM text; values of no real board. The array's end is the last NUL.
    static const char text[] = "NVRAMRev=$Rev$\0"
                               "manfid=0x2d0\0"
                               "prodid=0x0727\0"
                               "vendid=0x14e4\0"
                               "devid=0x43e2\0"
                               "boardtype=0x0887\0"
                               "boardrev=0x1100\0"
                               "macaddr=00:A0:50:b5:59:5e\0"
                               "sromrev=11\0"
                               "boardflags=0x00404001\0"
                               "xtalfreq=37400\0"
                               "nocrc=1\0"
                               "ag0=255\0"
                               "aa2g=1\0"
                               "ccode=ALL\0"
                               "muxenab=0x100\0"
                               "deadman_to=0xffffffff\0";

    if (room_bytes < sizeof(text)) {
        return 0;
    }
    memcpy(image, text, sizeof(text));
    return sizeof(text);
}

static void put_segment(uint8_t *image, uint32_t index, uint32_t offset, uint32_t size_bytes) {
    uint8_t *entry = image + CLM_SEGMENTS_AT + (size_t)index * CLM_SEGMENT_BYTES;

    memset(entry, 0, CLM_SEGMENT_BYTES);
    put32(entry + 4, offset);
    put32(entry + 8, size_bytes);
    put32(entry + 12, twin_cyw43_crc32(image + offset, size_bytes));
}

uint32_t twin_cyw43_image_clm(uint8_t *image, uint32_t room_bytes) {
    static const char mark[] = "CLM DATA\0\0\0\0" SYNTHETIC_MARK;
    uint32_t last = IMAGE_CLM_BYTES - 4;

    if (room_bytes < IMAGE_CLM_BYTES) {
        return 0;
    }
    fill(image, IMAGE_CLM_BYTES);
    memcpy(image + CLM_HEADER_BYTES, mark, sizeof(mark));
    put32(image + last, 0x0000A9AFu);
    put32(image, 0x424F4C42u);  // "BLOB"
    put32(image + 4, CLM_HEADER_BYTES);
    put32(image + 12, 1);
    put32(image + 16, 2);
    put_segment(image, 0, CLM_HEADER_BYTES, last - CLM_HEADER_BYTES);
    put_segment(image, 1, last, 4);
    put32(image + 8, twin_cyw43_crc32(image + 12, CLM_HEADER_BYTES - 12));
    return IMAGE_CLM_BYTES;
}
