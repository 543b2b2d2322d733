// SPDX-License-Identifier: MIT
// TCP congestion: the default controller, RFC 5681 with byte counting (RFC 3465). The contract of
// its functions is that of the seam, coradio/tcp_congestion.h.
#ifndef CORADIO_NET_TCP_CONGESTION_H
#define CORADIO_NET_TCP_CONGESTION_H

#include <stdbool.h>

#include "coradio/tcp_congestion.h"

// The initial window of RFC 6928.
uint32_t cor_tcp_congestion_first(uint32_t mss_bytes);

// The initial window of RFC 6928; of one segment where the SYN was lost (RFC 5681 3.1).
void cor_tcp_congestion_init(
    struct cor_tcp_congestion *congestion, uint32_t mss_bytes, bool syn_lost);
// acked_bytes were newly acknowledged; flight_bytes were in flight before. The window grows only
// where it was the limit (RFC 7661 in its simplest form), by at most growth_max segments.
void cor_tcp_congestion_acked(
    struct cor_tcp_congestion *congestion,
    uint32_t acked_bytes,
    uint32_t flight_bytes,
    uint32_t growth_max);
// A segment was lost, and others arrive.
void cor_tcp_congestion_loss(struct cor_tcp_congestion *congestion, uint32_t flight_bytes);
// Nothing arrived until the time-out; again: for a segment that had timed out before.
void cor_tcp_congestion_timeout(
    struct cor_tcp_congestion *congestion, uint32_t flight_bytes, bool again);
// Recovery is over: RFC 6582 3.2 (3), the choice that avoids a burst.
void cor_tcp_congestion_recovered(struct cor_tcp_congestion *congestion, uint32_t flight_bytes);
// Nothing was sent for longer than the time-out (RFC 5681 4.1).
void cor_tcp_congestion_idle(struct cor_tcp_congestion *congestion);

#endif
