// SPDX-License-Identifier: MIT
// Result: the numbers about one transfer, as differences between two snapshots, ready to print.
//
// The measuring interval reaches from the first payload bit on the bus to the last payload byte at
// the peer. Everything here but `time` covers that interval only.
#ifndef RUN_RESULT_H
#define RUN_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/meter.h"

// Where a datagram can be lost on its way. name, text
// clang-format off
#define RESULT_LOSS_PLACES(X)                                              \
    X(host,         "given to the stack, never taken by the chip")         \
    X(chip,         "dropped by the chip: beyond credit, or no buffer")    \
    X(air,          "given up by the MAC after its last attempt")          \
    X(access_point, "dropped by the access point")                         \
    X(path,         "lost between access point and peer")                  \
    X(peer,         "reached the peer's network side, not its program")

// Counts beside the fields of the measuring interval. name, unit, text
#define RESULT_COUNTS(X)                                                          \
    X(segments,        "1", "frames with payload sent to the chip")               \
    X(retransmissions, "1", "TCP segments sent again")                            \
    X(timeouts,        "1", "retransmission time-outs of TCP")                    \
    X(over_credit,     "1", "frames sent beyond the credit, as the chip counts")  \
    X(credit_frames,   "1", "frames from the chip that carry only credit")        \
    X(deviations,      "1", "breaches of the bus's or the protocol's rules")      \
    X(collisions,      "1", "collisions on the air")                              \
    X(given_up,        "1", "MPDUs dropped after the last attempt")
// clang-format on

struct result_loss {
#define X(name, text) uint64_t name;
    RESULT_LOSS_PLACES(X)
#undef X
};

struct result_counts {
#define X(name, unit, text) uint64_t name;
    RESULT_COUNTS(X)
#undef X
};

struct result {
    const char *app;
    bool complete;           // both ends of the measuring interval were seen
    uint64_t payload_bytes;  // that arrived at the peer within the interval
    uint64_t interval_ns;
    // result
    uint64_t goodput_bps;
    uint64_t bound_bps;  // the lower of the two below
    uint64_t bound_bus_bps;
    uint64_t bound_air_bps;
    const char *limit;
    bool datagrams;  // the five below are of a UDP run
    uint64_t sender_bps;
    uint64_t receiver_bps;
    uint64_t datagrams_sent;      // with payload, over the whole run
    uint64_t datagrams_received;  // of them, by the peer inside the twin
    struct result_loss loss;
    // chronograph_us
    uint64_t state_us[COR_METER_STATE_COUNT];
    // bus
    uint64_t bits[COR_METER_PURPOSE_COUNT];
    uint64_t clocked_bits;    // as the board counts them; the purposes sum to it
    double utilization;       // 0..1, of the time
    double bits_per_segment;  // all clocked bits over frames with payload
    // air
    double mean_ampdu;
    uint64_t retries;
    double share;  // 0..1, of the time
    double busy;   // the same of other networks
    uint32_t mcs;  // at the end
    // latency_us; latency_count 0 where nothing was measured
    uint64_t latency_count;
    uint64_t latency_mean_us;
    uint64_t latency_p50_us;
    uint64_t latency_p99_us;
    uint64_t latency_lost;  // pings without an answer
    uint64_t idle_count;    // round trips before the transfer
    uint64_t idle_p50_us;
    uint64_t idle_p99_us;
    // Of a run in which the board receives.
    bool receives;
    uint64_t received;  // of payload_bytes: by the board
    uint64_t segments_received;
    uint64_t acks_sent;
    uint64_t acks_on_data;
    // power
    double avg_mw;
    double nj_per_bit;
    // time
    double virtual_s;  // the whole run, bring-up included
    double wall_s;
    double bringup_s;
    struct result_counts counts;
    char sha256[65];       // of what the source gave; empty where it was not computed
    char peer_sha256[65];  // of what the peer inside the twin received
};

#endif
