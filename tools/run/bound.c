// SPDX-License-Identifier: MIT
#include "bound.h"

// *read from public code*, collected in the fact sheet of the CYW43439, 4.1, 4.2 and 6.5.
#define WORD_BYTES           4u
#define COMMAND_BYTES        4u
#define STATUS_BYTES         4u
#define TO_CHIP_HEAD_BYTES   18u  // SDPCM 12, padding 2, BDC 4
#define FROM_CHIP_HEAD_BYTES 22u  // SDPCM 14, BDC 4 with one word of data offset
#define CREDIT_FRAME_BYTES   12u  // an SDPCM header alone
#define TCP_HEADERS_BYTES    54u  // Ethernet 14, IPv4 20, TCP 20: no options
#define UDP_HEADERS_BYTES    42u  // Ethernet 14, IPv4 20, UDP 8
#define SEGMENTS_PER_ACK     2u   // RFC 9293, 3.8.6.3: an ACK for every second full segment

static uint32_t transfer_bits(uint32_t bytes) {
    uint32_t words_bytes = (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;

    return 8 * (COMMAND_BYTES + words_bytes + STATUS_BYTES);
}

uint32_t bound_tcp_segment_bits(uint32_t payload_bytes) {
    uint32_t segment = transfer_bits(TO_CHIP_HEAD_BYTES + TCP_HEADERS_BYTES + payload_bytes);
    uint32_t ack = transfer_bits(FROM_CHIP_HEAD_BYTES + TCP_HEADERS_BYTES);

    return segment + ack / SEGMENTS_PER_ACK;
}

uint32_t bound_udp_datagram_bits(uint32_t payload_bytes) {
    return transfer_bits(TO_CHIP_HEAD_BYTES + UDP_HEADERS_BYTES + payload_bytes);
}

uint32_t bound_credit_frame_bits(void) {
    return transfer_bits(CREDIT_FRAME_BYTES);
}

uint64_t bound_tcp_bps(uint32_t bus_hz, uint32_t payload_bytes) {
    return (uint64_t)bus_hz * 8 * payload_bytes / bound_tcp_segment_bits(payload_bytes);
}

uint64_t bound_udp_bps(
    uint32_t bus_hz, uint32_t payload_bytes, uint64_t credit_frames, uint64_t datagrams) {
    double bits = bound_udp_datagram_bits(payload_bytes);

    if (datagrams != 0) {
        bits += bound_credit_frame_bits() * (double)credit_frames / (double)datagrams;
    }
    return (uint64_t)((double)bus_hz * 8 * payload_bytes / bits);
}

static uint32_t from_chip_bits(uint32_t headers_bytes, uint32_t payload_bytes) {
    return transfer_bits(FROM_CHIP_HEAD_BYTES + headers_bytes + payload_bytes);
}

uint64_t bound_tcp_rx_bps(uint32_t bus_hz, uint32_t payload_bytes) {
    uint32_t ack = transfer_bits(TO_CHIP_HEAD_BYTES + TCP_HEADERS_BYTES);
    uint32_t bits = from_chip_bits(TCP_HEADERS_BYTES, payload_bytes) + ack / SEGMENTS_PER_ACK;

    return (uint64_t)bus_hz * 8 * payload_bytes / bits;
}

uint64_t bound_tcp_both_bps(uint32_t bus_hz, uint32_t payload_bytes) {
    uint32_t bits = from_chip_bits(TCP_HEADERS_BYTES, payload_bytes) +
                    transfer_bits(TO_CHIP_HEAD_BYTES + TCP_HEADERS_BYTES + payload_bytes);

    return (uint64_t)bus_hz * 16 * payload_bytes / bits;
}

uint64_t bound_udp_rx_bps(uint32_t bus_hz, uint32_t payload_bytes) {
    return (uint64_t)bus_hz * 8 * payload_bytes / from_chip_bits(UDP_HEADERS_BYTES, payload_bytes);
}
