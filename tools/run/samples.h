// SPDX-License-Identifier: MIT
// Samples: the course of a transfer, one slice of the measuring interval after the other.
//
// An event of the twin looks at the counters at equal steps of virtual time, so that the samples
// are the same in each run of one seed. The last slice is shorter and ends with the interval.
#ifndef RUN_SAMPLES_H
#define RUN_SAMPLES_H

#include "coradio_twin/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coradio/meter.h"

struct world;

// The counters at one instant.
struct samples_look {
    uint64_t at_ns;
    uint64_t payload_bytes;  // that arrived
    uint64_t state_us[COR_METER_STATE_COUNT];
    uint64_t bus_busy_ns;
    uint64_t retransmissions;
    uint64_t energy_nj;
};

// One slice: what went on since the one before.
struct sample {
    uint64_t end_ns;  // from the start of the measuring interval
    uint64_t length_ns;
    uint64_t payload_bytes;
    uint64_t state_us[COR_METER_STATE_COUNT];
    double bus_utilization;  // 0..1
    uint64_t retransmissions;
    double power_mw;
};

struct samples {
    struct twin_event event;
    uint64_t step_ns;  // 0: none are taken
    struct samples_look *looks;
    size_t count;
    size_t room;
    bool truncated;  // memory ran out; what came before is kept
};

// Before the world runs. step_ns 0: no samples.
void samples_init(struct world *world, uint64_t step_ns);
// At the start of the measuring interval.
void samples_begin(struct world *world);
// The slices up to the interval's end, or up to now while it runs. Returns how many; index counts
// from 0.
size_t samples_count(const struct world *world);
struct sample samples_at(const struct world *world, size_t index);
void samples_free(struct world *world);

#endif
