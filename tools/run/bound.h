// SPDX-License-Identifier: MIT
// Bound: the goodput at which the gSPI bus would be full with nothing but what a transfer needs.
//
// Bits of one transfer: command word, bytes rounded up to whole words, appended status word. A data
// frame to the chip has 18 bytes before the Ethernet header (SDPCM 12, padding 2, BDC 4), one from
// the chip 22, a frame that only carries credit is 12 bytes long. With 1460 bytes a segment and one
// ACK of 54 bytes for two segments that is 12 320 + 672 / 2 = 12 656 bits a segment.
// Source: the fact sheet of the CYW43439, 6.5 and 6.7 (status appended, nothing polled).
#ifndef RUN_BOUND_H
#define RUN_BOUND_H

#include <stdint.h>

// Bits on the bus for one TCP segment with payload_bytes and its share of an ACK for two.
uint32_t bound_tcp_segment_bits(uint32_t payload_bytes);

// Bits on the bus for one UDP datagram with payload_bytes, without credit frames.
uint32_t bound_udp_datagram_bits(uint32_t payload_bytes);

// Bits on the bus for a frame from the chip that carries credit and nothing else.
uint32_t bound_credit_frame_bits(void);

uint64_t bound_tcp_bps(uint32_t bus_hz, uint32_t payload_bytes);

// The same where the chip sends: a segment from it, and an ACK for two of them to it (12 320 + 32 +
// (608 + 32) / 2 = 12 672 bits); and where both do, each segment carrying the other's ACK.
uint64_t bound_tcp_rx_bps(uint32_t bus_hz, uint32_t payload_bytes);
uint64_t bound_tcp_both_bps(uint32_t bus_hz, uint32_t payload_bytes);
uint64_t bound_udp_rx_bps(uint32_t bus_hz, uint32_t payload_bytes);

// credit_frames and datagrams as measured in the same interval: with UDP nothing else brings
// credit back, so their bits belong to the work. datagrams may be 0.
uint64_t bound_udp_bps(
    uint32_t bus_hz, uint32_t payload_bytes, uint64_t credit_frames, uint64_t datagrams);

#endif
