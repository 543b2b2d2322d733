// SPDX-License-Identifier: MIT
// Power: the current a board draws, from what its parts do, as an inline meter would see it.
//
// Idle, transmit and receive of the radio, radio asleep, processor by clock and voltage; each
// constant with its source in twin/board/power_table.h. Energy is a sum over the counters of air
// and board, so it costs nothing while nobody asks. The model is fitted to one board measured by
// others: it shows where energy goes and how settings move it, and predicts no board's figure.
#ifndef CORADIO_TWIN_POWER_H
#define CORADIO_TWIN_POWER_H

#include "coradio_twin/air.h"
#include "coradio_twin/board.h"

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the parts of a board did in some time.
struct twin_power_activity {
    uint64_t elapsed_ns;
    uint64_t radio_on_ns;  // powered; listening where the next three do not say otherwise
    uint64_t radio_tx_ns;
    uint64_t radio_rx_ns;
    uint64_t radio_sleep_ns;
    uint64_t cpu_busy_ns;
    uint64_t bus_bits;
};

// The energy this takes. core_mv 0: the usual voltage for the clock.
uint64_t twin_power_nj_for(
    const struct twin_power_activity *activity, uint32_t cpu_hz, uint32_t core_mv);
// The usual core voltage for a clock of the processor.
uint32_t twin_power_core_mv(uint32_t cpu_hz);

struct twin_power;

struct twin_power_config {
    struct twin_sim *sim;
    struct twin_air *air;      // with one station; NULL: the radio only listens
    struct twin_board *board;  // NULL: neither processor nor radio does anything
    uint32_t cpu_hz;
    uint32_t core_mv;      // 0: the usual one for the clock
    FILE *trace;           // CSV time_s,voltage_v,current_a,power_w; NULL: none
    uint64_t interval_ns;  // between two lines of the trace; 0: 10 ms
};

// With a trace the sim always has an event queued. A line holds the mean since the line before.
struct twin_power *twin_power_new(const struct twin_power_config *config);
// Writes what is left of the last interval; the file stays open. To be freed before the board and
// the air.
void twin_power_free(struct twin_power *power);
// Energy since the start, in nanojoules.
uint64_t twin_power_energy_nj(struct twin_power *power);

#ifdef __cplusplus
}
#endif

#endif
