// SPDX-License-Identifier: MIT
// Bus of the virtual board: struct cor_bus on the twin's gSPI engine.
//
// The pieces out go to the chip model as they stand; what comes in passes one buffer of the slot,
// because on the wire the response delay, the data and the status word are one run of bytes. A
// transfer that clocks bytes in takes one clock more above 20 MHz, as the sampling program does
// that lets one clock pass before it reads.
#ifndef BUS_TWIN_H
#define BUS_TWIN_H

#include "coradio_twin/board.h"

#include "coradio/bus.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COR_BUS_TWIN_DEPTH_MAX 16
// The longest run in: response delay, 2048 bytes of a frame, status word.
#define COR_BUS_TWIN_IN_BYTES_MAX (64 + 2048 + 4)

struct cor_bus_twin_slot {
    struct cor_bus_xfer *xfer;
    struct twin_board_xfer board;
    uint8_t in[COR_BUS_TWIN_IN_BYTES_MAX];
};

struct cor_bus_twin {
    struct cor_bus bus;  // hand this one to the driver
    struct twin_board *board;
    uint32_t oldest;   // slot of the oldest transfer in flight
    uint32_t count;    // transfers in flight
    uint8_t sampling;  // enum cor_bus_sampling, where one was set
    bool sampling_set;
    struct cor_bus_twin_slot slots[COR_BUS_TWIN_DEPTH_MAX];
};

// The queue is as deep as the board's, and no deeper than COR_BUS_TWIN_DEPTH_MAX. A transfer with
// more than COR_BUS_TWIN_IN_BYTES_MAX bytes in is refused with COR_E_ARG.
void cor_bus_twin_init(struct cor_bus_twin *twin, struct twin_board *board);

#ifdef __cplusplus
}
#endif

#endif
