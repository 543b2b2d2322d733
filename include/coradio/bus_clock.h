// SPDX-License-Identifier: MIT
// Bus clock: which divider of the processor's clock makes the clock of a gSPI bus, and when read
// data is sampled at it. Pure functions, for ports and drivers.
#ifndef CORADIO_BUS_CLOCK_H
#define CORADIO_BUS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/bus.h"

#ifdef __cplusplus
extern "C" {
#endif

// The CYW43439's maximum (specified: data sheet, gSPI timing).
#define COR_BUS_CLOCK_HZ_MAX 50000000
// Faster clocks are out of specification; what was tried by others went up to here (fact sheet:
// 75 MHz, unstable).
#define COR_BUS_CLOCK_HZ_TRIED_MAX 75000000

struct cor_bus_clock {
    uint32_t divider;  // system clocks in one bus clock, at least 2
    int32_t bus_hz;
    bool even;  // both halves of the bus clock are as long
};

// The fastest clock that is not faster than asked. Whole dividers only: a fractional one mixes two
// lengths of a clock. Where an odd divider would be next, an even one is taken if it is not slower
// by more than an eighth. system_hz and wanted_hz are positive.
struct cor_bus_clock cor_bus_clock_for(int32_t system_hz, int32_t wanted_hz);

// When to sample at this bus clock: a function of it alone, whatever system clock and divider made
// it.
enum cor_bus_sampling cor_bus_sampling_for(int32_t bus_hz);

// How far the sample stands from the nearer edge of the bit, in picoseconds; negative: outside.
int32_t cor_bus_sampling_margin_ps(enum cor_bus_sampling sampling, int32_t bus_hz);

// "gap0", "gap01", ...
const char *cor_bus_sampling_name(enum cor_bus_sampling sampling);

#ifdef __cplusplus
}
#endif

#endif
