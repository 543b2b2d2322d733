// SPDX-License-Identifier: MIT
// Snapshot: every counter of a world at one instant; a result is the difference of two.
#ifndef RUN_SNAPSHOT_H
#define RUN_SNAPSHOT_H

#include "coradio_twin/air.h"
#include "coradio_twin/ap.h"
#include "coradio_twin/board.h"
#include "coradio_twin/cyw43.h"

#include <stdbool.h>
#include <stdint.h>

#include "coradio/cyw43.h"
#include "coradio/meter.h"
#include "coradio/tcp.h"
#include "coradio/udp.h"

struct world;

struct snapshot {
    uint64_t at_ns;  // virtual; 0: not taken
    uint64_t state_us[COR_METER_STATE_COUNT];
    struct cor_bus_tally bus;  // of the transfers that `begun` counts
    bool bus_settled;          // all of those are in `bus`
    struct twin_board_begun begun;
    struct twin_air_counters air;
    struct twin_board_counters board;
    struct twin_cyw43_counters chip;
    struct cor_cyw43_counters radio;
    struct cor_tcp_counters tcp;
    struct cor_udp_counters udp;
    uint64_t energy_nj;
    uint64_t wire_lost;
    uint64_t segments;       // frames with payload whose first clock has come
    uint64_t rx_bytes;       // taken by the receiving application
    uint64_t peer_bytes;     // of payload that arrived at the peer
    uint64_t source_bytes;   // taken from the source
    uint64_t payload_bytes;  // given to the stack
};

// An interval holds the transfers whose first clock lies in it. What their bits were for is known
// only when the driver has looked at them, which is later.
void snapshot_take(struct world *world, struct snapshot *snapshot);

// To be called before the driver takes a completed transfer, and in the end: fills in `bus` of the
// world's snapshots once the driver has looked at all they count.
void snapshot_settle(struct world *world);

#endif
