// SPDX-License-Identifier: MIT
// Bus: what a radio chip's driver needs from the wires, and nothing more.
//
// A transfer is one chip select: bytes out, then bytes in. The bus holds a short queue of
// transfers and completes them in the order they were started; the completion interrupt starts
// only the next transfer that is already queued. All bytes are in wire order: the first byte of
// `out` is clocked first, most significant bit first. What a port does to its words to get there
// (a byte-swapping DMA, say) is its own affair.
#ifndef CORADIO_BUS_H
#define CORADIO_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/span.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Pieces of one transfer: command and header block, and two pieces of a ring that wraps.
#define COR_BUS_PIECES_MAX 3

// One transfer. The struct and all its buffers belong to the bus from start() until poll()
// reports it complete. Each piece starts at a multiple of 4 bytes in memory; all pieces but the
// last are multiples of 4 bytes long, and the bytes after the last up to a multiple of 4 are
// readable: the bus clocks whole 32-bit words.
struct cor_bus_xfer {
    struct cor_span out[COR_BUS_PIECES_MAX];
    uint8_t out_count;
    uint8_t *in;           // room for in_bytes rounded up to a multiple of 4; NULL with in_bytes 0
    uint16_t in_bytes;     // bytes to read after the pieces are out
    uint16_t skip_bytes;   // filler bytes the chip sends before them (response delay)
    bool status_appended;  // the chip sends a status word at the end: clock 4 bytes more
    uint16_t payload_bytes;  // how many of the bytes out are the application's; for meters and logs
    // Filled by the bus, valid once complete:
    uint8_t status[4];       // the appended status word, in wire order
    uint16_t extra_clocks;   // clocks beyond the bytes above (sampling delay of a read)
    uint64_t started_us;     // when the first bit was clocked
    uint64_t completed_us;   // when the last bit was clocked
    enum cor_status result;  // COR_OK, or COR_E_BUS where the wires themselves failed
};

struct cor_bus;

// When read data is sampled, counted in half clocks from the rising edge that clocks the last bit
// of the command, which also launches the first bit of data: after 2, 3, 4 or 5. Each but the
// first clocks once more before its first sample. Names are those of the public PIO programs.
enum cor_bus_sampling {
    COR_BUS_SAMPLING_gap0,
    COR_BUS_SAMPLING_gap01,
    COR_BUS_SAMPLING_gap010,
    COR_BUS_SAMPLING_gap0101,
    COR_BUS_SAMPLING_COUNT,
};

struct cor_bus_ops {
    // Queues one transfer. COR_OK: queued, or already complete where the bus waits itself; in both
    // cases poll() reports it. COR_AGAIN: queue_depth transfers are in flight.
    enum cor_status (*start)(struct cor_bus *bus, struct cor_bus_xfer *xfer);
    // COR_OK: the oldest transfer in flight is complete and leaves the queue. COR_AGAIN: it is not
    // complete, or none is in flight.
    enum cor_status (*poll)(struct cor_bus *bus);
    // Asks for a clock; the port takes the nearest it can do that is not faster. Returns the
    // clock set, or a negative cor_status. Only while no transfer is in flight.
    int32_t (*set_clock_hz)(struct cor_bus *bus, int32_t clock_hz);
    // True while the chip asks for service. A level, read at any time; it means something only
    // while no transfer is in flight where the line is shared with the data (gSPI).
    bool (*irq_pending)(struct cor_bus *bus);
    // Chip power or reset line. Off also lets go of the other pins.
    void (*set_power)(struct cor_bus *bus, bool on);
    // Sets when read data is sampled; set_clock_hz() may have chosen something else. Only while no
    // transfer is in flight. NULL: the port samples in its own way.
    void (*set_sampling)(struct cor_bus *bus, enum cor_bus_sampling sampling);
};

struct cor_bus {
    const struct cor_bus_ops *ops;
    void *port;           // the implementation's own state, given by the caller at init
    uint8_t queue_depth;  // transfers it can hold, at least 1
};

#ifdef __cplusplus
}
#endif

#endif
