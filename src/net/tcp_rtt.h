// SPDX-License-Identifier: MIT
// TCP RTT: round-trip time and retransmission time-out (RFC 6298).
#ifndef CORADIO_NET_TCP_RTT_H
#define CORADIO_NET_TCP_RTT_H

#include "coradio/tcp_block.h"

void cor_tcp_rtt_init(struct cor_tcp_rtt *rtt, uint32_t floor_us);
// One measured round trip, of a segment that was sent once (Karn's rule is the caller's).
void cor_tcp_rtt_sample(struct cor_tcp_rtt *rtt, uint32_t sample_us);
// The SYN had to be sent again: RFC 6298 5.7.
void cor_tcp_rtt_syn_lost(struct cor_tcp_rtt *rtt);
// The time-out in force: the RTO times two for each time it expired, at most 60 s.
uint32_t cor_tcp_rtt_timeout_us(const struct cor_tcp_rtt *rtt);

#endif
