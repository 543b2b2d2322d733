// SPDX-License-Identifier: MIT
#include <stddef.h>
#include <string.h>

#include "coradio/app_pattern.h"

// How many bytes go in one piece: to the end of the table or of what is wanted.
static uint32_t piece(const struct cor_pattern *pattern, uint32_t wanted_bytes) {
    uint32_t to_end = COR_PATTERN_PERIOD_BYTES - pattern->phase;

    return wanted_bytes < to_end ? wanted_bytes : to_end;
}

static void advance(struct cor_pattern *pattern, uint32_t size_bytes) {
    pattern->phase += size_bytes;
    if (pattern->phase == COR_PATTERN_PERIOD_BYTES) {
        pattern->phase = 0;
    }
}

static int32_t pattern_read(struct cor_source *source, uint8_t *into, uint32_t room_bytes) {
    struct cor_pattern *pattern = (struct cor_pattern *)source;
    uint32_t done = 0;

    if (room_bytes > pattern->left_bytes) {
        room_bytes = (uint32_t)pattern->left_bytes;
    }
    if (room_bytes > INT32_MAX) {
        room_bytes = INT32_MAX;
    }
    while (done < room_bytes) {
        uint32_t part = piece(pattern, room_bytes - done);

        memcpy(into + done, pattern->table + pattern->phase, part);
        advance(pattern, part);
        done += part;
    }
    if (pattern->left_bytes != UINT64_MAX) {
        pattern->left_bytes -= done;
    }
    return (int32_t)done;
}

void cor_pattern_init(struct cor_pattern *pattern, uint64_t size_bytes) {
    static const struct cor_source_ops ops = {.read = pattern_read};

    _Static_assert(offsetof(struct cor_pattern, source) == 0, "the seam is cast to the pattern");
    pattern->source.ops = &ops;
    pattern->left_bytes = size_bytes;
    pattern->phase = 0;
    // Any walk through the byte values does; 113 is coprime to 256, so no value comes twice.
    for (uint32_t i = 0; i < COR_PATTERN_PERIOD_BYTES; i++) {
        pattern->table[i] = (uint8_t)(i * 113 + 7);
    }
}

bool cor_pattern_check(struct cor_pattern *pattern, const uint8_t *data, uint32_t size_bytes) {
    bool right = true;
    uint32_t done = 0;

    while (done < size_bytes) {
        uint32_t part = piece(pattern, size_bytes - done);

        right = right && memcmp(data + done, pattern->table + pattern->phase, part) == 0;
        advance(pattern, part);
        done += part;
    }
    return right;
}
