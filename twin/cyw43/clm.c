// SPDX-License-Identifier: MIT
// CLM: the regulatory blob, sent in chunks by the variable "clmload".
//
//   u16 flags | u16 type 2 | u32 length of the chunk | u32 crc | data
#include "cyw43/image.h"
#include "cyw43/parts.h"

#include <string.h>

#define CLM_FLAG_BEGIN   0x0002u
#define CLM_FLAG_END     0x0004u
#define CLM_VERSION_MASK 0xF000u
#define CLM_VERSION      0x1000u
#define CLM_TYPE         2u
#define CHUNK_HEADER     12u

static bool blob_is_whole(const struct clm *clm) {
    const uint8_t *blob = clm->blob;
    uint32_t header_bytes;
    uint32_t segments;

    if (clm->size_bytes < CLM_HEADER_BYTES || memcmp(blob, "BLOB", 4) != 0) {
        return false;
    }
    header_bytes = get32(blob + 4);
    segments = get32(blob + 16);
    if (header_bytes > clm->size_bytes || header_bytes < CLM_SEGMENTS_AT ||
        segments > (header_bytes - CLM_SEGMENTS_AT) / CLM_SEGMENT_BYTES ||
        twin_cyw43_crc32(blob + 12, header_bytes - 12) != get32(blob + 8)) {
        return false;
    }
    for (uint32_t i = 0; i < segments; i++) {
        const uint8_t *entry = blob + CLM_SEGMENTS_AT + (size_t)i * CLM_SEGMENT_BYTES;
        uint32_t offset = get32(entry + 4);
        uint32_t size_bytes = get32(entry + 8);

        if (offset > clm->size_bytes || size_bytes > clm->size_bytes - offset ||
            twin_cyw43_crc32(blob + offset, size_bytes) != get32(entry + 12)) {
            return false;
        }
    }
    return segments != 0;
}

int32_t twin_cyw43_clm_input(struct twin_cyw43 *chip, const uint8_t *value, uint32_t size_bytes) {
    struct clm *clm = &chip->clm;
    uint32_t flags;
    uint32_t chunk_bytes;

    if (size_bytes < CHUNK_HEADER) {
        return BCME_SHORT;
    }
    flags = get16(value);
    chunk_bytes = get32(value + 4);
    if ((flags & CLM_VERSION_MASK) != CLM_VERSION || get16(value + 2) != CLM_TYPE ||
        chunk_bytes > size_bytes - CHUNK_HEADER) {
        return BCME_BAD_ARGUMENT;
    }
    if ((flags & CLM_FLAG_BEGIN) != 0) {
        clm->size_bytes = 0;
        clm->loaded = false;
        clm->status = CLM_STATUS_NONE;
    }
    if (chunk_bytes > sizeof(clm->blob) - clm->size_bytes) {
        return BCME_RANGE;
    }
    memcpy(clm->blob + clm->size_bytes, value + CHUNK_HEADER, chunk_bytes);
    clm->size_bytes += chunk_bytes;
    if ((flags & CLM_FLAG_END) != 0) {
        clm->loaded = blob_is_whole(clm);
        clm->status = clm->loaded ? 0 : CLM_STATUS_BAD;
        twin_log(chip->config.log, "chip clm %s", clm->loaded ? "loaded" : "damaged");
    }
    return 0;
}
