// SPDX-License-Identifier: MIT
// Segment: one TCP segment as a script line writes it and as the wire carries it.
//
// The bytes of the peer are built here, and ours are taken apart here, byte by byte and by code of
// its own, so that a mistake of the stack cannot agree with itself.
#ifndef CONFORMANCE_SEGMENT_H
#define CONFORMANCE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENT_FRAME_BYTES   2048
#define SEGMENT_BLOCKS_MAX    4
#define SEGMENT_OPTIONS_BYTES 40
#define SEGMENT_TEXT_BYTES    512

enum segment_flag {
    FLAG_FIN = 1,
    FLAG_SYN = 2,
    FLAG_RST = 4,
    FLAG_PSH = 8,
    FLAG_ACK = 16,
    FLAG_URG = 32,
    FLAG_ECE = 64,
    FLAG_CWR = 128,
};

// What a line names; in `given` and, for options that must not be there, in `absent`.
enum segment_field {
    FIELD_SEQ = 1 << 0,
    FIELD_ACK = 1 << 1,
    FIELD_WINDOW = 1 << 2,
    FIELD_URGENT = 1 << 3,
    FIELD_MSS = 1 << 4,
    FIELD_SHIFT = 1 << 5,
    FIELD_SACK_OK = 1 << 6,
    FIELD_TIMES = 1 << 7,
    FIELD_ECHO = 1 << 8,
    FIELD_FROM = 1 << 9,
    FIELD_TO = 1 << 10,
    FIELD_FROM_PORT = 1 << 11,
    FIELD_TO_PORT = 1 << 12,
    FIELD_OFFSET = 1 << 13,
    FIELD_PSH = 1 << 14,
    FIELD_FRAGMENT = 1 << 15,
    FIELD_TTL = 1 << 16,
    FIELD_TOS = 1 << 17,
    FIELD_SUM = 1 << 18,
    FIELD_FRESH = 1 << 19,        // our first sequence number is learned from here
    FIELD_ACK_OPEN = 1 << 20,     // ACK may be set or not; if it is, ack= counts
    FIELD_BLOCKS_OPEN = 1 << 21,  // whatever SACK blocks there are
};

enum segment_kind { KIND_TCP, KIND_ICMP, KIND_ARP };

struct segment_block {
    uint32_t left;
    uint32_t right;
};

// Sequence numbers are relative to each side's first.
struct segment {
    uint8_t kind;
    uint32_t given;
    uint32_t absent;
    uint32_t flags;
    uint32_t seq;
    uint32_t ack;
    uint32_t window;
    uint32_t size_bytes;  // payload
    uint32_t urgent;
    uint32_t mss_bytes;
    uint32_t shift;
    uint32_t time_value;
    uint32_t time_echo;
    uint32_t block_count;
    struct segment_block blocks[SEGMENT_BLOCKS_MAX];
    uint8_t raw_options[SEGMENT_OPTIONS_BYTES];  // in front of all others
    uint32_t raw_option_bytes;
    uint8_t ip_options[SEGMENT_OPTIONS_BYTES];
    uint32_t ip_option_bytes;
    uint32_t from;
    uint32_t to;
    uint32_t from_port;
    uint32_t to_port;
    uint32_t offset;    // the data offset field as it is sent
    uint32_t fragment;  // flags and fragment offset as they are sent
    uint32_t ttl;
    uint32_t tos;
    uint32_t sum;  // the checksum field as it is sent
    uint32_t trailer_bytes;
    uint32_t reserved;
    uint32_t count;     // so many of them, one behind the other
    bool sum_wrong;     // one bit of the TCP checksum is wrong
    bool ip_sum_wrong;  // or of the IP header's
    bool group_frame;   // sent to the broadcast hardware address
    bool bytes_wrong;   // the payload differs from the pattern
    bool any;           // expect: whatever it is
    // ICMP errors: what they say and which of our segments they quote.
    uint32_t icmp_type;
    uint32_t icmp_code;
    uint32_t icmp_mtu_bytes;
};

// The two ends of one connection, as the wire has them.
struct segment_ends {
    uint32_t our_address;
    uint32_t peer_address;
    uint16_t our_port;
    uint16_t peer_port;
    uint32_t iss;  // ours
    uint32_t irs;  // the peer's
    uint8_t our_mac[6];
    uint8_t peer_mac[6];
};

// The byte of a direction's stream at a relative sequence number.
uint8_t segment_byte_out(uint32_t place);
uint8_t segment_byte_in(uint32_t place);

// Builds the peer's frame in memory of just its size, 2 modulo 4, so that a sanitizer sees each
// byte too far. Free with segment_frame_free().
uint8_t *segment_build(
    const struct segment *segment, const struct segment_ends *ends, uint32_t *size_bytes);
uint8_t *segment_frame_new(uint32_t size_bytes);
void segment_frame_free(uint8_t *frame);

// Takes one of our frames apart and checks the rules that all of them obey: addresses, lengths,
// checksums, options. Returns NULL, or what is wrong.
const char *segment_parse(
    struct segment *segment,
    const struct segment_ends *ends,
    const uint8_t *frame,
    uint32_t size_bytes);

// Compares what came with what a line wants; returns NULL, or the name of the first difference.
const char *segment_difference(const struct segment *wanted, const struct segment *seen);

// In the words of the scripts.
void segment_text(const struct segment *seen, char text[SEGMENT_TEXT_BYTES]);

uint32_t segment_get16(const uint8_t *at);
uint32_t segment_get32(const uint8_t *at);
void segment_put16(uint8_t *at, uint32_t value);
void segment_put32(uint8_t *at, uint32_t value);

#endif
