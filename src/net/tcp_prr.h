// SPDX-License-Identifier: MIT
// TCP PRR: the window during fast recovery (RFC 6937). For each byte that arrives so much may
// go that at the end of recovery the window is the threshold, neither in a burst nor after a
// silence.
#ifndef CORADIO_NET_TCP_PRR_H
#define CORADIO_NET_TCP_PRR_H

#include "coradio/tcp_loss.h"

// What an acknowledgement in recovery found.
struct cor_tcp_prr_now {
    uint32_t arrived_bytes;  // newly known to have arrived; counted in prr->arrived_bytes already
    uint32_t sent_bytes;     // since recovery began, new or again
    uint32_t pipe_bytes;
    uint32_t threshold_bytes;
    uint32_t bonus_bytes;  // below the threshold: a segment (slow start, SSRB) or 0 (CRB)
};

// flight_bytes: between the first byte not acknowledged and the last sent, when recovery begins.
void cor_tcp_prr_init(struct cor_tcp_prr *prr, uint32_t flight_bytes);

// The window: what is in the pipe and what may go now. One 64-bit division for an acknowledgement
// in recovery.
uint32_t cor_tcp_prr_window(const struct cor_tcp_prr *prr, const struct cor_tcp_prr_now *now);

#endif
