// SPDX-License-Identifier: MIT
// Span: a pointer and a length side by side, for bytes that belong to somebody else.
#ifndef CORADIO_SPAN_H
#define CORADIO_SPAN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cor_span {
    const uint8_t *data;
    uint32_t size_bytes;
};

#ifdef __cplusplus
}
#endif

#endif
