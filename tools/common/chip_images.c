// SPDX-License-Identifier: MIT
#include "chip_images.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of a file: a combined header has six characters a byte.
#define FILE_BYTES_MAX  (8u << 20)
#define CLM_ALIGN_BYTES 512u
#define FIRMWARE_MIN    800u
// The version text stands in so many bytes at the end (read from public code: cyw43-driver looks
// for it in the last 800).
#define VERSION_TAIL_BYTES 800u

// Images that are in the field, by their hash. Measured: from cyw43-driver 055d642 (firmware/) and
// embassy 66f5f6e8 (cyw43-firmware/), whose 43439A0.bin is the second.
static const struct {
    const char *name;
    const char *sha256;
} known[] = {
    {"43439A0 7.95.49", "dda7d2527e1cc9b1ebdd107d46932643617f6e83040f24cba722cbb0ded8c4a8"},
    {"43439A0 7.95.61", "5555e0261da2610a500d68c18d895cace0152bbefbf76f4aa683ebce77e3d7eb"},
};

__attribute__((format(printf, 2, 3))) static bool fault(char error[256], const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, in the line above
    vsnprintf(error, 256, format, arguments);
    va_end(arguments);
    return false;
}

// ---- text

struct text {
    const char *at;
    const char *end;
};

static bool find(struct text *text, const char *word) {
    size_t length = strlen(word);

    for (; (size_t)(text->end - text->at) >= length; text->at++) {
        if (memcmp(text->at, word, length) == 0) {
            text->at += length;
            return true;
        }
    }
    return false;
}

static bool is_text(const uint8_t *file, size_t size_bytes) {
    for (size_t i = 0; i < size_bytes; i++) {
        if (file[i] == 0 || (file[i] < ' ' && !isspace(file[i]))) {
            return false;
        }
    }
    return true;
}

// #define NAME (224190)
static bool find_length(struct text text, const char *name, size_t *value) {
    size_t digits = 0;

    if (!find(&text, name)) {
        return false;
    }
    while (text.at < text.end && (*text.at == ' ' || *text.at == '(' || *text.at == '\t')) {
        text.at++;
    }
    *value = 0;
    for (; text.at < text.end && isdigit((unsigned char)*text.at) && digits < 8; digits++) {
        *value = *value * 10 + (size_t)(*text.at++ - '0');
    }
    return digits > 0;
}

static int hex_digit(char c) {
    if (isdigit((unsigned char)c)) {
        return c - '0';
    }
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "0x1f, 0x02, ..." up to the closing brace. Returns how many there are, SIZE_MAX where it is
// something else.
static size_t array_bytes(struct text text, uint8_t *data, size_t room_bytes) {
    size_t count = 0;

    if (!find(&text, "{")) {
        return SIZE_MAX;
    }
    while (text.at < text.end && *text.at != '}') {
        if (isspace((unsigned char)*text.at) || *text.at == ',') {
            text.at++;
            continue;
        }
        if (text.end - text.at < 4 || text.at[0] != '0' || (text.at[1] | 0x20) != 'x') {
            return SIZE_MAX;
        }
        int value = 0;

        text.at += 2;
        if (hex_digit(*text.at) < 0) {
            return SIZE_MAX;
        }
        for (; text.at < text.end && hex_digit(*text.at) >= 0 && value < 0x100; text.at++) {
            value = value * 16 + hex_digit(*text.at);
        }
        if (value > 0xFF || count == room_bytes) {
            return SIZE_MAX;
        }
        data[count++] = (uint8_t)value;
    }
    return text.at < text.end ? count : SIZE_MAX;
}

// ---- images

static bool take(struct chip_image *image, const uint8_t *data, size_t size_bytes) {
    free(image->data);
    image->data = malloc(size_bytes + 1);
    image->size_bytes = 0;
    if (image->data == NULL) {
        return false;
    }
    memcpy(image->data, data, size_bytes);
    image->size_bytes = size_bytes;
    return true;
}

static bool parse_combined(
    struct chip_images *images, struct text text, uint8_t *room, char error[256]) {
    size_t room_bytes = CHIP_FIRMWARE_BYTES_MAX + CHIP_CLM_BYTES_MAX;
    size_t bytes = array_bytes(text, room, room_bytes);
    size_t firmware_bytes;
    size_t clm_bytes;

    if (bytes == SIZE_MAX) {
        return fault(error, "its array is not one of bytes such as 0x1f, or is too long");
    }
    if (!find_length(text, "CYW43_WIFI_FW_LEN", &firmware_bytes) ||
        !find_length(text, "CYW43_CLM_LEN", &clm_bytes)) {
        return fault(error, "it does not say CYW43_WIFI_FW_LEN and CYW43_CLM_LEN");
    }
    size_t clm_at = (firmware_bytes + CLM_ALIGN_BYTES - 1) / CLM_ALIGN_BYTES * CLM_ALIGN_BYTES;

    if (firmware_bytes < FIRMWARE_MIN || firmware_bytes > CHIP_FIRMWARE_BYTES_MAX ||
        clm_bytes == 0 || clm_bytes > CHIP_CLM_BYTES_MAX || clm_at + clm_bytes > bytes) {
        return fault(
            error,
            "its lengths (%zu and %zu) do not fit the %zu bytes of its array",
            firmware_bytes,
            clm_bytes,
            bytes);
    }
    return (take(&images->firmware, room, firmware_bytes) &&
            take(&images->clm, room + clm_at, clm_bytes)) ||
           fault(error, "not enough memory");
}

bool chip_images_parse_firmware(
    struct chip_images *images, const uint8_t *file, size_t size_bytes, char error[256]) {
    bool good;
    uint8_t *room;

    if (!is_text(file, size_bytes)) {
        if (size_bytes < FIRMWARE_MIN || size_bytes > CHIP_FIRMWARE_BYTES_MAX) {
            return fault(error, "%zu bytes are no firmware of a CYW43439", size_bytes);
        }
        return take(&images->firmware, file, size_bytes) || fault(error, "not enough memory");
    }
    room = malloc(CHIP_FIRMWARE_BYTES_MAX + CHIP_CLM_BYTES_MAX);
    if (room == NULL) {
        return fault(error, "not enough memory");
    }
    good = parse_combined(
        images, (struct text){(const char *)file, (const char *)file + size_bytes}, room, error);
    free(room);
    return good;
}

// The strings of a C initialiser; of escapes only \xNN stands in it.
static size_t string_bytes(struct text text, uint8_t *data, size_t room_bytes) {
    size_t count = 0;
    bool inside = false;

    if (!find(&text, "=")) {
        return SIZE_MAX;
    }
    for (; text.at < text.end && (inside || *text.at != ';'); text.at++) {
        char c = *text.at;

        if (c == '"') {
            inside = !inside;
            continue;
        }
        if (!inside) {
            continue;
        }
        if (c == '\\') {
            if (text.end - text.at < 4 || text.at[1] != 'x' || hex_digit(text.at[2]) < 0 ||
                hex_digit(text.at[3]) < 0) {
                return SIZE_MAX;
            }
            c = (char)(hex_digit(text.at[2]) * 16 + hex_digit(text.at[3]));
            text.at += 3;
        }
        if (count == room_bytes) {
            return SIZE_MAX;
        }
        data[count++] = (uint8_t)c;
    }
    return inside || text.at == text.end ? SIZE_MAX : count;
}

// name=value a line; empty lines and comments are left out.
static size_t line_bytes(struct text text, uint8_t *data, size_t room_bytes) {
    size_t count = 0;

    while (text.at < text.end) {
        const char *newline = memchr(text.at, '\n', (size_t)(text.end - text.at));
        const char *end = newline != NULL ? newline : text.end;
        size_t length = (size_t)(end - text.at);

        while (length > 0 && isspace((unsigned char)text.at[length - 1])) {
            length--;
        }
        if (length > 0 && *text.at != '#') {
            if (count + length + 2 > room_bytes) {
                return SIZE_MAX;
            }
            memcpy(data + count, text.at, length);
            count += length;
            data[count++] = '\0';
        }
        text.at = newline != NULL ? newline + 1 : text.end;
    }
    data[count++] = '\0';
    return count;
}

bool chip_images_parse_nvram(
    struct chip_images *images, const uint8_t *file, size_t size_bytes, char error[256]) {
    struct text text = {(const char *)file, (const char *)file + size_bytes};
    uint8_t room[CHIP_NVRAM_BYTES_MAX];
    size_t bytes = size_bytes;

    if (!is_text(file, size_bytes)) {
        if (size_bytes > sizeof(room)) {
            return fault(error, "%zu bytes are no NVRAM of a CYW43439", size_bytes);
        }
        memcpy(room, file, size_bytes);
    } else if (memchr(file, '"', size_bytes) != NULL) {
        bytes = string_bytes(text, room, sizeof(room));
    } else {
        bytes = line_bytes(text, room, sizeof(room));
    }
    if (bytes == SIZE_MAX || bytes < 8 || memchr(room, '=', bytes) == NULL) {
        return fault(error, "it is no NVRAM: neither name=value lines nor a C string of them");
    }
    return take(&images->nvram, room, bytes) || fault(error, "not enough memory");
}

// ---- files

static uint8_t *read_file(const char *path, size_t *size_bytes, char error[256]) {
    FILE *file = fopen(path, "rb");
    uint8_t *data;

    if (file == NULL) {
        (void)fault(error, "%s", strerror(errno));
        return NULL;
    }
    data = malloc(FILE_BYTES_MAX + 1);
    *size_bytes = data != NULL ? fread(data, 1, FILE_BYTES_MAX + 1, file) : 0;
    if (data == NULL || ferror(file) != 0 || *size_bytes > FILE_BYTES_MAX) {
        (void)fault(error, "cannot be read, or is longer than 8 MiB");
        free(data);
        data = NULL;
    }
    (void)fclose(file);
    return data;
}

typedef bool (*parse_fn)(
    struct chip_images *images, const uint8_t *file, size_t size_bytes, char error[256]);

static bool load(
    struct chip_images *images,
    const char *path,
    parse_fn parse,
    const char *option,
    char error[256]) {
    char why[256];
    size_t size_bytes = 0;
    uint8_t *file = read_file(path, &size_bytes, why);
    bool good = file != NULL && parse(images, file, size_bytes, why);

    free(file);
    return good || fault(error, "%s %.100s: %.140s", option, path, why);
}

static bool parse_clm(
    struct chip_images *images, const uint8_t *file, size_t size_bytes, char error[256]) {
    if (size_bytes == 0 || size_bytes > CHIP_CLM_BYTES_MAX) {
        return fault(error, "%zu bytes are no CLM of a CYW43439", size_bytes);
    }
    return take(&images->clm, file, size_bytes) || fault(error, "not enough memory");
}

static bool has_version(const struct chip_image *image) {
    static const char word[] = "Version: ";
    const uint8_t *at = image->data + image->size_bytes - VERSION_TAIL_BYTES;

    for (; at + sizeof(word) - 1 < image->data + image->size_bytes; at++) {
        if (memcmp(at, word, sizeof(word) - 1) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_firmware(
    struct chip_images *images, const struct chip_images_files *files, char error[256]) {
    struct sha256 *sha256 = sha256_new();

    if (sha256 == NULL) {
        return fault(error, "not enough memory");
    }
    sha256_add(sha256, images->firmware.data, images->firmware.size_bytes);
    (void)sha256_text(sha256, images->firmware_sha256);
    sha256_free(sha256);
    images->firmware_name = NULL;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].sha256, images->firmware_sha256) == 0) {
            images->firmware_name = known[i].name;
        }
    }
    if (files->sha256 != NULL && strcmp(files->sha256, images->firmware_sha256) != 0) {
        return fault(
            error,
            "--firmware %.60s: its SHA-256 is %s, not the one asked for",
            files->firmware,
            images->firmware_sha256);
    }
    if (!has_version(&images->firmware)) {
        return fault(
            error,
            "--firmware %.100s: no version text at its end, so it is no firmware of this chip",
            files->firmware);
    }
    return true;
}

bool chip_images_load(
    struct chip_images *images, const struct chip_images_files *files, char error[256]) {
    memset(images, 0, sizeof(*images));
    bool good = load(images, files->firmware, chip_images_parse_firmware, "--firmware", error) &&
                load(images, files->nvram, chip_images_parse_nvram, "--nvram", error) &&
                (files->clm == NULL || load(images, files->clm, parse_clm, "--clm", error)) &&
                check_firmware(images, files, error);

    if (good && images->clm.size_bytes == 0) {
        good = fault(
            error, "--firmware %.100s: it holds no CLM; give its file with --clm", files->firmware);
    }
    if (!good) {
        chip_images_free(images);
    }
    return good;
}

void chip_images_free(struct chip_images *images) {
    free(images->firmware.data);
    free(images->nvram.data);
    free(images->clm.data);
    memset(images, 0, sizeof(*images));
}
