// SPDX-License-Identifier: MIT
#include "bus/bus.h"

#include <stddef.h>

#include "coradio/assert.h"

enum cor_status cor_bus_start(struct cor_bus *bus, struct cor_bus_xfer *xfer) {
    COR_ASSERT(xfer->out_count >= 1 && xfer->out_count <= COR_BUS_PIECES_MAX);
    COR_ASSERT((xfer->in_bytes == 0) == (xfer->in == NULL));
    for (uint32_t i = 0; i < xfer->out_count; i++) {
        COR_ASSERT(((uintptr_t)xfer->out[i].data & 3u) == 0);
        COR_ASSERT(i + 1u == xfer->out_count || (xfer->out[i].size_bytes & 3u) == 0);
    }
    return bus->ops->start(bus, xfer);
}
