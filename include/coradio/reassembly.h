// SPDX-License-Identifier: MIT
// Reassembly: fragments of IPv4 packets put together again, in memory of the caller.
//
// A net without it drops fragments and counts them (net.h, drop_fragment). With it, fragments may
// come in any order and twice; what overlaps with other bytes, contradicts itself or is too long is
// dropped with all of its packet (RFC 5722's rule, for IPv4); what is not whole in time is dropped
// and the sender told. When all slots are in use, the oldest packet makes room. Each fragment is
// copied once. Every fragment ends in one of the counters below, or waits.
//
// Holes are kept in the bytes that are missing (RFC 815), so that a packet of any number of
// fragments needs no more memory. A fragment costs a walk over the holes of its packet.
#ifndef CORADIO_REASSEMBLY_H
#define CORADIO_REASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"

#ifdef __cplusplus
extern "C" {
#endif

// Ethernet and IP header in front of the payload, and what makes the payload 4-aligned.
#define COR_REASSEMBLY_HEAD_BYTES 36
// Memory for so many packets of so many bytes of payload.
#define COR_REASSEMBLY_BYTES(slot_count, slot_bytes)                                               \
    ((slot_count) * ((slot_bytes) + COR_REASSEMBLY_HEAD_BYTES))
// How long a packet may take by default: RFC 791 3.2 suggests 15 s.
#define COR_REASSEMBLY_TIMEOUT_US 15000000U

// name, unit, what it counts
// clang-format off
#define COR_REASSEMBLY_COUNTERS(X)                                                       \
    X(fragments_received,  "1", "fragments received")                                    \
    X(fragments_used,      "1", "fragments of packets that became whole")                \
    X(packets,             "1", "packets that became whole")                             \
    X(fragments_repeated,  "1", "fragments that came again with the same bytes")         \
    X(drop_length,         "1", "fragments dropped: length or place impossible")         \
    X(drop_overlap,        "1", "fragments dropped: their packet overlaps with itself")  \
    X(drop_size,           "1", "fragments dropped: their packet is larger than a slot") \
    X(drop_timeout,        "1", "fragments dropped: the others did not come in time")    \
    X(drop_evicted,        "1", "fragments dropped: a newer packet took the slot")
// clang-format on

struct cor_reassembly_counters {
#define X(name, unit, text) uint64_t name;
    COR_REASSEMBLY_COUNTERS(X)
#undef X
};

// One packet that is not whole yet. Private to the stack.
struct cor_reassembly_slot {
    uint64_t until_us;
    uint32_t from;
    uint32_t to;
    uint16_t id;
    uint16_t first_hole;      // where the first missing byte is
    uint16_t total_bytes;     // 0: the last fragment has not come
    uint16_t fragment_count;  // in this packet so far
    uint8_t protocol;
    uint8_t state;
    bool group;  // a fragment came to a group's hardware address
};

struct cor_reassembly_config {
    uint8_t *memory;                    // 4-aligned, COR_REASSEMBLY_BYTES(slot_count, slot_bytes)
    struct cor_reassembly_slot *slots;  // slot_count of them
    uint16_t slot_count;                // packets that can be put together at once
    uint16_t slot_bytes;                // longest payload of a packet: 560..65512, a multiple of 8
    uint32_t timeout_us;                // 0: COR_REASSEMBLY_TIMEOUT_US; RFC 791 and 1122: 15..120 s
};

struct cor_net_packet;
struct cor_reassembly_ops;

struct cor_reassembly {
    const struct cor_reassembly_ops *ops;
    struct cor_reassembly_config config;
    struct cor_reassembly_counters counters;
};

// Fills the caller's struct, which then goes into cor_net_config.reassembly. Asserts that the
// configuration is in range. Memory and slots stay lent as long as the net is used.
void cor_reassembly_init(
    struct cor_reassembly *reassembly, const struct cor_reassembly_config *config);

// Fragments that wait for others now.
uint32_t cor_reassembly_waiting(const struct cor_reassembly *reassembly);

const struct cor_reassembly_counters *cor_reassembly_get_counters(
    const struct cor_reassembly *reassembly);
const struct cor_counter_info *cor_reassembly_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
