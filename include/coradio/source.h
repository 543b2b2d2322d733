// SPDX-License-Identifier: MIT
// Source seam: where the bytes of a transfer come from (a file, a card, a generator).
//
// The source writes straight into the ring that is also the retransmit buffer, so nothing is
// copied on the way. Called from the one context that polls; it does not wait.
#ifndef CORADIO_SOURCE_H
#define CORADIO_SOURCE_H

#include <stdint.h>

#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cor_source;

struct cor_source_ops {
    // Fills up to room_bytes (at least 1) bytes. More than 0: so many are written. 0: the source
    // is at its end. COR_AGAIN: nothing now, ask again at the next poll. COR_E_SOURCE: it failed,
    // or ended before the size it had promised; the transfer ends with that status.
    int32_t (*read)(struct cor_source *source, uint8_t *into, uint32_t room_bytes);
};

struct cor_source {
    const struct cor_source_ops *ops;
};

#ifdef __cplusplus
}
#endif

#endif
