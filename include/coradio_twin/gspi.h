// SPDX-License-Identifier: MIT
// gSPI: the transfer API of the chip models, and the bus engine of a virtual board.
//
// Any driver can be linked against a chip model through struct twin_gspi_chip alone: advance the
// sim to the end of the transaction, call transfer(). The engine below does that for a board: it
// clocks a queue of transactions one after the other in virtual time.
#ifndef CORADIO_TWIN_GSPI_H
#define CORADIO_TWIN_GSPI_H

#include "coradio_twin/sim.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TWIN_GSPI_PIECES_MAX 4

struct twin_bytes {
    const uint8_t *data;
    uint32_t size_bytes;
};

// One transaction, chip select low to high. Bytes are in wire order, each most significant bit
// first. The host clocks all of `out`, then in_bytes bytes (response delay, data and appended
// status word together: the chip fills them in the order it sends them).
struct twin_gspi_xfer {
    struct twin_bytes out[TWIN_GSPI_PIECES_MAX];
    uint32_t out_count;
    uint8_t *in;
    uint32_t in_bytes;
    uint32_t extra_clocks;  // further pulses before chip select rises; they carry no data
    uint32_t clock_hz;      // of the bus; 0: not told
    // When the host samples the first bit of data, in half clocks after the edge that clocked the
    // last bit of the command; 0: not told, it is taken to be right.
    uint32_t sample_half_clocks;
};

struct twin_gspi_chip {
    void *context;
    // The whole transaction, called at the virtual time of its last clock. Fills in[0..in_bytes).
    void (*transfer)(void *context, const struct twin_gspi_xfer *xfer);
    // Level of the interrupt line while chip select is high.
    bool (*irq)(void *context);
    // Power pin (WL_REG_ON).
    void (*power)(void *context, bool on);
};

#ifdef __cplusplus
}
#endif

#endif
