// SPDX-License-Identifier: MIT
// Losses: datagrams with payload that the twin lost, by place.
//
// Counters of the twin count frames of any kind. Here each frame lost is looked at, so that ARP,
// last markers and everything that goes the other way are left out: only the transfer itself has
// datagrams with payload.
#ifndef RUN_LOSSES_H
#define RUN_LOSSES_H

#include "coradio_twin/frame.h"

#include <stdint.h>

struct losses {
    uint64_t air;
    uint64_t access_point;
    uint64_t path;
};

// What the twin tells of each lost frame; they count into `losses`.
struct twin_loss losses_on_air(struct losses *losses);
struct twin_loss losses_at_access_point(struct losses *losses);
struct twin_loss losses_on_path(struct losses *losses);

#endif
