// SPDX-License-Identifier: MIT
#include "common/chip_images.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static char path[64];

static const char *file_of(const char *name, const void *data, size_t size_bytes) {
    FILE *file;

    snprintf(path, sizeof(path), "%s-%d.tmp", name, (int)getpid());
    file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(data, 1, size_bytes, file), size_bytes);
    (void)fclose(file);
    return path;
}

// A combined header as pico-sdk's driver has it, of so many bytes.
static char *combined(size_t firmware_bytes, size_t clm_bytes, const char *spoil) {
    size_t clm_at = (firmware_bytes + 511) / 512 * 512;
    size_t room = 6 * (clm_at + clm_bytes) + 4096;
    char *text = malloc(room);
    size_t at = (size_t)snprintf(
        text, room, "static const unsigned char x_combined[] CYW43_RESOURCE_ATTRIBUTE = {\n");

    for (size_t i = 0; i < clm_at + clm_bytes; i++) {
        unsigned value = i < clm_at ? (unsigned)(i * 7 & 0xFF) : 0xC1u;

        if (i + 40 >= firmware_bytes && i + 31 < firmware_bytes) {
            value = (unsigned char)"Version: "[i + 40 - firmware_bytes];
        }
        at += (size_t)snprintf(text + at, room - at, "0x%02x,%s", value, i % 12 == 11 ? "\n" : " ");
    }
    at += (size_t)snprintf(
        text + at,
        room - at,
        "%s};\n#define CYW43_WIFI_FW_LEN (%zu) // file\n#define CYW43_CLM_LEN (%zu)\n",
        spoil,
        firmware_bytes,
        clm_bytes);
    CHECK(at < room);
    return text;
}

TEST(a_combined_header_gives_firmware_and_clm) {
    struct chip_images images = {0};
    char error[256];
    char *text = combined(2000, 984, "");

    CHECK(chip_images_parse_firmware(&images, (const uint8_t *)text, strlen(text), error));
    CHECK_EQ(images.firmware.size_bytes, 2000);
    CHECK_EQ(images.firmware.data[3], 21);
    CHECK_EQ(images.clm.size_bytes, 984);
    CHECK_EQ(images.clm.data[0], 0xC1);
    CHECK_EQ(images.clm.data[983], 0xC1);
    free(text);
    chip_images_free(&images);
}

TEST(a_spoiled_header_is_refused_with_a_reason) {
    static const char *const spoils[] = {"0x1ff", "0x", "7", "banana"};
    struct chip_images images = {0};
    char error[256];

    for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
        char *text = combined(2000, 984, spoils[i]);

        CHECK(!chip_images_parse_firmware(&images, (const uint8_t *)text, strlen(text), error));
        CHECK(strstr(error, "array") != NULL);
        free(text);
    }
    char *text = combined(2000, 984, "");
    char *length = strstr(text, "(2000)");

    memcpy(length, "(9000)", 6);
    CHECK(!chip_images_parse_firmware(&images, (const uint8_t *)text, strlen(text), error));
    CHECK(strstr(error, "9000") != NULL);
    *strstr(text, "CYW43_CLM_LEN") = 'X';
    CHECK(!chip_images_parse_firmware(&images, (const uint8_t *)text, strlen(text), error));
    CHECK(strstr(error, "CYW43_CLM_LEN") != NULL);
    // Cut anywhere it is refused too.
    for (size_t size = 0; size < strlen(text); size += 97) {
        CHECK(!chip_images_parse_firmware(&images, (const uint8_t *)text, size, error));
    }
    free(text);
    chip_images_free(&images);
}

TEST(nvram_comes_as_string_text_or_bytes) {
    static const char header[] = "static const uint8_t n[] X =\n  \"a=1\"  \"\\x00\"\n"
                                 "  \"bb=0x22\" \"\\x00\"\n  \"\\x00\\x00\";\n";
    static const char lines[] = "# comment\na=1\r\n\nbb=0x22\n";
    static const char bytes[] = "a=1\0bb=0x22\0\0";
    struct chip_images images = {0};
    char error[256];

    CHECK(chip_images_parse_nvram(&images, (const uint8_t *)header, sizeof(header) - 1, error));
    CHECK_EQ(images.nvram.size_bytes, 14);
    CHECK_BYTES(images.nvram.data, (const uint8_t *)bytes, 13);
    CHECK(chip_images_parse_nvram(&images, (const uint8_t *)lines, sizeof(lines) - 1, error));
    CHECK_EQ(images.nvram.size_bytes, 13);
    CHECK_BYTES(images.nvram.data, (const uint8_t *)bytes, 13);
    CHECK(chip_images_parse_nvram(&images, (const uint8_t *)bytes, sizeof(bytes) - 1, error));
    CHECK_EQ(images.nvram.size_bytes, 13);
    CHECK(!chip_images_parse_nvram(&images, (const uint8_t *)"nothing here", 12, error));
    chip_images_free(&images);
}

TEST(files_are_checked_and_named) {
    struct chip_images images;
    char error[256];
    char *text = combined(2000, 984, "");
    char firmware[64];
    char nvram[64];
    struct chip_images_files files = {.firmware = firmware, .nvram = nvram};

    snprintf(firmware, sizeof(firmware), "%s", file_of("firmware", text, strlen(text)));
    snprintf(nvram, sizeof(nvram), "%s", file_of("nvram", "a=1\nb=2\n", 8));
    CHECK(chip_images_load(&images, &files, error));
    CHECK(images.firmware_name == NULL);
    files.sha256 = "00";
    char sha256[SHA256_TEXT_SIZE];

    snprintf(sha256, sizeof(sha256), "%s", images.firmware_sha256);
    chip_images_free(&images);
    CHECK(!chip_images_load(&images, &files, error));
    CHECK(strstr(error, sha256) != NULL);
    files.sha256 = sha256;
    CHECK(chip_images_load(&images, &files, error));
    chip_images_free(&images);
    files.nvram = "no-such-file";
    CHECK(!chip_images_load(&images, &files, error));
    CHECK(strstr(error, "--nvram no-such-file") != NULL);
    (void)unlink(firmware);
    (void)unlink(nvram);
    free(text);
}

TEST_MAIN(
    CASE(a_combined_header_gives_firmware_and_clm),
    CASE(a_spoiled_header_is_refused_with_a_reason),
    CASE(nvram_comes_as_string_text_or_bytes),
    CASE(files_are_checked_and_named))
