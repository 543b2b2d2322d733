// SPDX-License-Identifier: MIT
// Chip images: the firmware, NVRAM and CLM of a CYW43439, from the files people have.
//
//     *_combined.h     C array with firmware, zeros up to 512 bytes, CLM, and two lengths
//     wifi_nvram_*.h   C string with NVRAM
//     *.bin            firmware, NVRAM or CLM as it is
//     *.txt            NVRAM, one name=value a line
//
// Which of them a file is, its content tells. Nothing is compiled: the two headers are read for
// their bytes.
#ifndef TOOLS_COMMON_CHIP_IMAGES_H
#define TOOLS_COMMON_CHIP_IMAGES_H

#include "sha256.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHIP_FIRMWARE_BYTES_MAX (448u << 10)
#define CHIP_NVRAM_BYTES_MAX    4096u
#define CHIP_CLM_BYTES_MAX      16384u

struct chip_image {
    uint8_t *data;
    size_t size_bytes;
};

struct chip_images {
    struct chip_image firmware;
    struct chip_image nvram;
    struct chip_image clm;  // of size 0 where the firmware's file has none
    char firmware_sha256[SHA256_TEXT_SIZE];
    const char *firmware_name;  // what is known by this hash, NULL: nothing
};

// Reads a file's content into firmware and, where it is a combined header, CLM. The images are
// allocated; chip_images_free() frees them. false: error[] says what is wrong with it.
bool chip_images_parse_firmware(
    struct chip_images *images, const uint8_t *file, size_t size_bytes, char error[256]);
bool chip_images_parse_nvram(
    struct chip_images *images, const uint8_t *file, size_t size_bytes, char error[256]);

struct chip_images_files {
    const char *firmware;
    const char *nvram;
    const char *clm;     // NULL: from the firmware's file
    const char *sha256;  // that the firmware must have; NULL: any
};

// Reads all of them. false: error[] says which file, why, and what to do; nothing is held then.
bool chip_images_load(
    struct chip_images *images, const struct chip_images_files *files, char error[256]);
void chip_images_free(struct chip_images *images);

#endif
