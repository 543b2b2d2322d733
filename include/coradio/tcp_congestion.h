// SPDX-License-Identifier: MIT
// TCP congestion: the seam of congestion controllers, and the two there are.
//
// A controller owns the congestion window; what is lost and what is sent again is none of its
// business. The window grows only where it was the limit: a stall for the radio's credit, for the
// peer's window or for the application is neither a reason to grow nor one to shrink.
#ifndef CORADIO_TCP_CONGESTION_H
#define CORADIO_TCP_CONGESTION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cor_tcp_congestion;

// What one acknowledgement told.
struct cor_tcp_delivery {
    uint64_t now_us;
    uint32_t arrived_bytes;  // now known to have arrived: acknowledged, or named by SACK
    uint32_t lost_bytes;     // now known to be lost
    uint32_t pipe_bytes;     // in flight, as far as we know
    uint32_t rtt_us;         // 0: not measured
    bool round_over;         // what was sent at the end of the last round trip is acknowledged
    bool limited;            // in this round trip something else than the window was the limit
};

struct cor_tcp_controller {
    // A connection opens: the initial window. syn_lost: the SYN had to be sent again.
    void (*init)(struct cor_tcp_congestion *congestion, uint32_t mss_bytes, bool syn_lost);
    // acked_bytes were newly acknowledged, outside of fast recovery; flight_bytes is the most that
    // was in flight in this round trip. Grows by growth_max segments at most in slow start.
    void (*acked)(
        struct cor_tcp_congestion *congestion,
        uint32_t acked_bytes,
        uint32_t flight_bytes,
        uint32_t growth_max);
    // A segment was lost, and others arrive.
    void (*loss)(struct cor_tcp_congestion *congestion, uint32_t flight_bytes);
    // Nothing arrived until the time-out; again: for a segment that had timed out before.
    void (*timeout)(struct cor_tcp_congestion *congestion, uint32_t flight_bytes, bool again);
    // Fast recovery is over.
    void (*recovered)(struct cor_tcp_congestion *congestion, uint32_t flight_bytes);
    // Nothing was sent for longer than the time-out.
    void (*idle)(struct cor_tcp_congestion *congestion);
    // After each acknowledgement that told something, in recovery too, where the controller then
    // owns the window. NULL: nothing, and the window in recovery is that of RFC 6937.
    void (*delivered)(
        struct cor_tcp_congestion *congestion, const struct cor_tcp_delivery *delivery);
};

// The default: RFC 5681 with byte counting (RFC 3465) and the initial window of RFC 6928.
extern const struct cor_tcp_controller cor_tcp_reno;

// For hops that lose frames at random: the window is twice what the path holds by the measured
// delivery rate and the shortest round trip, and a single loss changes nothing. It takes more than
// its share from others that back off at losses; use it where the lossy hop is the bottleneck.
extern const struct cor_tcp_controller cor_tcp_rate;

// State of cor_tcp_rate. Private to the stack.
struct cor_tcp_rate_state {
    uint64_t round_us;  // when this round trip began
    uint64_t found_us;  // when round_trip_us was measured
    uint32_t arrived_bytes;
    uint32_t lost_bytes;
    uint32_t rate_bytes_s[2];  // highest in this cycle and in the one before
    uint32_t full_bytes_s;     // the rate that must be exceeded to go on doubling
    uint32_t round_trip_us;    // the shortest; 0: not known
    uint32_t found_rtt_us;     // the shortest since the window was made small to look for it
    uint32_t target_bytes;
    uint32_t bound_bytes;  // no larger window while much is lost; 0: none
    uint8_t phase;
    uint8_t rounds;
    uint8_t full_rounds;
};

struct cor_tcp_congestion {
    uint32_t window_bytes;
    uint32_t threshold_bytes;
    uint32_t counted_bytes;  // acknowledged towards the next increase in congestion avoidance
    uint32_t mss_bytes;
    struct cor_tcp_rate_state rate;
};

#ifdef __cplusplus
}
#endif

#endif
