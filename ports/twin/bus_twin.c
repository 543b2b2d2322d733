// SPDX-License-Identifier: MIT
#include "bus_twin.h"

#include <string.h>

#include "coradio/assert.h"

#define STATUS_BYTES 4u
// Above this the loop delay of pads and chip makes the sampling program wait one clock; between
// 20 and 50 MHz that program is the SDK's default (read from public code).
#define EXTRA_CLOCK_HZ_MIN 20000000u

static uint32_t round4(uint32_t bytes) {
    return (bytes + 3u) & ~3u;
}

static uint32_t status_bytes(const struct cor_bus_xfer *xfer) {
    return xfer->status_appended ? STATUS_BYTES : 0;
}

static void fill_wire(
    struct twin_gspi_xfer *wire, struct cor_bus_twin_slot *slot, bool extra_clock) {
    const struct cor_bus_xfer *xfer = slot->xfer;

    wire->out_count = xfer->out_count;
    for (uint32_t i = 0; i < xfer->out_count; i++) {
        // Whole words are clocked: the bytes behind the last piece are on the wire too.
        wire->out[i].data = xfer->out[i].data;
        wire->out[i].size_bytes = round4(xfer->out[i].size_bytes);
    }
    wire->in = slot->in;
    wire->in_bytes = xfer->skip_bytes + round4(xfer->in_bytes) + status_bytes(xfer);
    wire->extra_clocks = wire->in_bytes > 0 && extra_clock ? 1 : 0;
}

// Each sampling but the first does; where none was set, as the SDK's programs are chosen.
static bool clocks_once_more(const struct cor_bus_twin *twin) {
    return twin->sampling_set ? twin->sampling != COR_BUS_SAMPLING_gap0
                              : twin_board_bus_clock_hz(twin->board) > EXTRA_CLOCK_HZ_MIN;
}

static enum cor_status bus_start(struct cor_bus *bus, struct cor_bus_xfer *xfer) {
    struct cor_bus_twin *twin = bus->port;
    struct cor_bus_twin_slot *slot;

    COR_ASSERT(xfer->out_count <= COR_BUS_PIECES_MAX);
    for (uint32_t i = 0; i + 1 < xfer->out_count; i++) {
        COR_ASSERT(xfer->out[i].size_bytes % 4 == 0);
    }
    for (uint32_t i = 0; i < xfer->out_count; i++) {
        COR_ASSERT((uintptr_t)xfer->out[i].data % 4 == 0);
    }
    if (xfer->skip_bytes + round4(xfer->in_bytes) + STATUS_BYTES > COR_BUS_TWIN_IN_BYTES_MAX) {
        return COR_E_ARG;
    }
    if (twin->count == bus->queue_depth) {
        return COR_AGAIN;
    }
    slot = &twin->slots[(twin->oldest + twin->count) % bus->queue_depth];
    slot->xfer = xfer;
    slot->board.payload_bytes = xfer->payload_bytes;
    fill_wire(&slot->board.wire, slot, clocks_once_more(twin));
    if (!twin_board_bus_start(twin->board, &slot->board)) {
        return COR_AGAIN;
    }
    twin->count++;
    return COR_OK;
}

static enum cor_status bus_poll(struct cor_bus *bus) {
    struct cor_bus_twin *twin = bus->port;
    struct cor_bus_twin_slot *slot = &twin->slots[twin->oldest];
    struct cor_bus_xfer *xfer;

    if (twin->count == 0 || !twin_board_bus_poll(twin->board)) {
        return COR_AGAIN;
    }
    twin->oldest = (twin->oldest + 1) % bus->queue_depth;
    twin->count--;
    xfer = slot->xfer;
    if (xfer->in_bytes > 0) {
        memcpy(xfer->in, slot->in + xfer->skip_bytes, round4(xfer->in_bytes));
    }
    memset(xfer->status, 0, sizeof(xfer->status));
    if (xfer->status_appended) {
        memcpy(xfer->status, slot->in + slot->board.wire.in_bytes - STATUS_BYTES, STATUS_BYTES);
    }
    xfer->extra_clocks = (uint16_t)slot->board.wire.extra_clocks;
    xfer->started_us = slot->board.started_ns / 1000u;
    xfer->completed_us = slot->board.completed_ns / 1000u;
    xfer->result = COR_OK;
    return COR_OK;
}

static int32_t bus_set_clock_hz(struct cor_bus *bus, int32_t clock_hz) {
    struct cor_bus_twin *twin = bus->port;
    uint32_t set_hz;

    if (clock_hz <= 0) {
        return COR_E_ARG;
    }
    if (twin->count > 0) {
        return COR_E_STATE;
    }
    set_hz = twin_board_bus_set_clock_hz(twin->board, (uint32_t)clock_hz);
    return set_hz == 0 ? (int32_t)COR_E_ARG : (int32_t)set_hz;
}

static bool bus_irq_pending(struct cor_bus *bus) {
    struct cor_bus_twin *twin = bus->port;

    return twin_board_bus_irq(twin->board);
}

static void bus_set_power(struct cor_bus *bus, bool on) {
    struct cor_bus_twin *twin = bus->port;

    twin_board_power(twin->board, on);
}

// Names and half clocks are those of bus.h: the first samples after two.
static void bus_set_sampling(struct cor_bus *bus, enum cor_bus_sampling sampling) {
    struct cor_bus_twin *twin = bus->port;

    twin->sampling = (uint8_t)sampling;
    twin->sampling_set = true;
    twin_board_bus_set_sampling(twin->board, 2u + (uint32_t)sampling);
}

static const struct cor_bus_ops bus_ops = {
    .start = bus_start,
    .poll = bus_poll,
    .set_clock_hz = bus_set_clock_hz,
    .irq_pending = bus_irq_pending,
    .set_power = bus_set_power,
    .set_sampling = bus_set_sampling,
};

void cor_bus_twin_init(struct cor_bus_twin *twin, struct twin_board *board) {
    uint8_t depth = twin_board_queue_depth(board);

    memset(twin, 0, sizeof(*twin));
    twin->board = board;
    twin->bus.ops = &bus_ops;
    twin->bus.port = twin;
    twin->bus.queue_depth = depth < COR_BUS_TWIN_DEPTH_MAX ? depth : COR_BUS_TWIN_DEPTH_MAX;
}
