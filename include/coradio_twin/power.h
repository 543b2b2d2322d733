// SPDX-License-Identifier: MIT
// Power: the current a board draws, from what its parts do, as an inline meter would see it.
//
// Idle, transmit and receive of the radio, radio asleep, processor by clock and voltage; each
// constant with its source in twin/power_table.h. Energy is integrated from the counters of air
// and board, so it costs nothing while nobody asks.
#ifndef CORADIO_TWIN_POWER_H
#define CORADIO_TWIN_POWER_H

#include "coradio_twin/air.h"
#include "coradio_twin/board.h"

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twin_power;

struct twin_power_config {
    struct twin_sim *sim;
    struct twin_air *air;
    struct twin_board *board;
    uint32_t cpu_hz;
    uint32_t core_mv;
    FILE *trace;           // CSV time_s,voltage_v,current_a,power_w; NULL: none
    uint64_t interval_ns;  // between two lines of the trace
};

struct twin_power *twin_power_new(const struct twin_power_config *config);
void twin_power_free(struct twin_power *power);
// Energy since the start, in nanojoules.
uint64_t twin_power_energy_nj(struct twin_power *power);

#ifdef __cplusplus
}
#endif

#endif
