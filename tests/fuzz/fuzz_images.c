// SPDX-License-Identifier: MIT
// Fuzz: any bytes as a file of firmware or NVRAM.
#include "common/chip_images.h"
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct chip_images images = {0};
    char error[256] = "";

    if (size == 0 || size > 65536) {
        return 0;
    }
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    if (chip_images_parse_firmware(&images, copy, size, error)) {
        FUZZ_CHECK(images.firmware.size_bytes <= CHIP_FIRMWARE_BYTES_MAX);
        FUZZ_CHECK(images.clm.size_bytes <= CHIP_CLM_BYTES_MAX);
        fuzz_touch(images.firmware.data, images.firmware.size_bytes);
        fuzz_touch(images.clm.data, images.clm.size_bytes);
    } else {
        FUZZ_CHECK(error[0] != '\0' && strlen(error) < sizeof(error));
    }
    error[0] = '\0';
    if (chip_images_parse_nvram(&images, copy, size, error)) {
        FUZZ_CHECK(images.nvram.size_bytes <= CHIP_NVRAM_BYTES_MAX);
        fuzz_touch(images.nvram.data, images.nvram.size_bytes);
    } else {
        FUZZ_CHECK(error[0] != '\0');
    }
    chip_images_free(&images);
    free(copy);
    return 0;
}
