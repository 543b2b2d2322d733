// SPDX-License-Identifier: MIT
// Pattern: a source of bytes made on the spot, which a receiver can check without having them.
//
// The byte at offset i is that at i modulo 251 of a fixed table. 251 is prime, so bytes that end up
// a power of two, a segment or a ring away from their place are seen to be wrong.
#ifndef CORADIO_APP_PATTERN_H
#define CORADIO_APP_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/source.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COR_PATTERN_PERIOD_BYTES 251

struct cor_pattern {
    struct cor_source source;  // hand this one to the application
    uint64_t left_bytes;       // until the end
    uint32_t phase;            // offset modulo the period
    uint8_t table[COR_PATTERN_PERIOD_BYTES];
};

// size_bytes UINT64_MAX: without end.
void cor_pattern_init(struct cor_pattern *pattern, uint64_t size_bytes);

// Checks that `data` is what the pattern holds from its present place on, and moves on. For the
// receiver's own pattern. False: a byte is wrong; the place moves on all the same.
bool cor_pattern_check(struct cor_pattern *pattern, const uint8_t *data, uint32_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif
