// SPDX-License-Identifier: MIT
#include "segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Specified: RFC 894 and RFC 791 3.1 for the fixed sizes, IANA for the protocol numbers.
#define ETHERNET_BYTES 14
#define IP_BYTES       20
#define TCP_BYTES      20
#define ICMP_BYTES     8
#define PROTOCOL_ICMP  1
#define PROTOCOL_TCP   6

// Option kinds, specified (RFC 9293 3.2, RFC 7323 2.2 and 3.2, RFC 2018 2 and 3).
enum {
    OPTION_END = 0,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_SHIFT = 3,
    OPTION_SACK_OK = 4,
    OPTION_SACK = 5,
    OPTION_TIMES = 8,
};

uint8_t segment_byte_out(uint32_t place) {
    return (uint8_t)(place * 11 + (place >> 8) * 5 + 3);
}

uint8_t segment_byte_in(uint32_t place) {
    return (uint8_t)(place * 7 + (place >> 8) * 13);
}

uint32_t segment_get16(const uint8_t *at) {
    return (uint32_t)at[0] * 256 + at[1];
}

uint32_t segment_get32(const uint8_t *at) {
    return segment_get16(at) * 65536 + segment_get16(at + 2);
}

void segment_put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

void segment_put32(uint8_t *at, uint32_t value) {
    segment_put16(at, value >> 16);
    segment_put16(at + 2, value);
}

// RFC 1071 as it is written: one 16-bit word after the other.
static uint32_t word_sum(const uint8_t *data, uint32_t size, uint32_t sum) {
    for (uint32_t i = 0; i + 1 < size; i += 2) {
        sum += segment_get16(data + i);
    }
    if (size % 2 != 0) {
        sum += (uint32_t)data[size - 1] * 256;
    }
    while (sum > 0xFFFF) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return sum;
}

static uint32_t tcp_sum(const uint8_t *ip, const uint8_t *tcp, uint32_t size) {
    return word_sum(tcp, size, word_sum(ip + 12, 8, PROTOCOL_TCP + size));
}

// --- Building ---

uint8_t *segment_frame_new(uint32_t size_bytes) {
    uint8_t *room = malloc(size_bytes + 2);

    if (room == NULL) {
        abort();
    }
    return room + 2;
}

void segment_frame_free(uint8_t *frame) {
    free(frame - 2);
}

static uint32_t put_times(const struct segment *segment, uint8_t *at) {
    at[0] = OPTION_TIMES;
    at[1] = 10;
    segment_put32(at + 2, segment->time_value);
    segment_put32(at + 6, segment->time_echo);
    return 10;
}

static uint32_t put_blocks(const struct segment *segment, uint32_t iss, uint8_t *at) {
    at[0] = OPTION_SACK;
    at[1] = (uint8_t)(2 + 8 * segment->block_count);
    for (uint32_t i = 0; i < segment->block_count; i++) {
        segment_put32(at + 2 + (size_t)8 * i, iss + segment->blocks[i].left);
        segment_put32(at + 6 + (size_t)8 * i, iss + segment->blocks[i].right);
    }
    return at[1];
}

// Options in a fixed order, padded with zeros; returns how many bytes. `at` has room for all.
static uint32_t put_options(const struct segment *segment, uint32_t iss, uint8_t *at) {
    uint32_t n = segment->raw_option_bytes;

    memcpy(at, segment->raw_options, n);
    if ((segment->given & FIELD_MSS) != 0) {
        at[n] = OPTION_MSS;
        at[n + 1] = 4;
        segment_put16(at + n + 2, segment->mss_bytes);
        n += 4;
    }
    if ((segment->given & FIELD_SHIFT) != 0) {
        at[n] = OPTION_SHIFT;
        at[n + 1] = 3;
        at[n + 2] = (uint8_t)segment->shift;
        n += 3;
    }
    if ((segment->given & FIELD_SACK_OK) != 0) {
        at[n] = OPTION_SACK_OK;
        at[n + 1] = 2;
        n += 2;
    }
    if ((segment->given & FIELD_TIMES) != 0) {
        n += put_times(segment, at + n);
    }
    if (segment->block_count != 0) {
        n += put_blocks(segment, iss, at + n);
    }
    while (n % 4 != 0) {
        at[n++] = OPTION_END;
    }
    return n;
}

static void put_ip(
    uint8_t *ip,
    const struct segment *segment,
    const struct segment_ends *ends,
    uint32_t protocol,
    uint32_t payload_bytes) {
    uint32_t header = IP_BYTES + segment->ip_option_bytes;

    memset(ip, 0, IP_BYTES);
    ip[0] = (uint8_t)(0x40 | header / 4);
    ip[1] = (uint8_t)segment->tos;
    segment_put16(ip + 2, header + payload_bytes);
    segment_put16(ip + 4, 0x1234);
    segment_put16(ip + 6, segment->fragment);
    ip[8] = (segment->given & FIELD_TTL) != 0 ? (uint8_t)segment->ttl : 64;
    ip[9] = (uint8_t)protocol;
    segment_put32(ip + 12, (segment->given & FIELD_FROM) != 0 ? segment->from : ends->peer_address);
    segment_put32(ip + 16, (segment->given & FIELD_TO) != 0 ? segment->to : ends->our_address);
    memcpy(ip + IP_BYTES, segment->ip_options, segment->ip_option_bytes);
    segment_put16(ip + 10, ~word_sum(ip, header, 0));
    ip[10] ^= segment->ip_sum_wrong;
}

static void put_ethernet(
    uint8_t *frame, const struct segment *segment, const struct segment_ends *ends, uint32_t type) {
    if (segment->group_frame) {
        memset(frame, 0xFF, 6);
    } else {
        memcpy(frame, ends->our_mac, 6);
    }
    memcpy(frame + 6, ends->peer_mac, 6);
    segment_put16(frame + 12, type);
}

static void put_tcp(
    uint8_t *at,
    const struct segment *segment,
    const struct segment_ends *ends,
    uint32_t header_bytes) {
    bool from = (segment->given & FIELD_FROM_PORT) != 0;
    bool to = (segment->given & FIELD_TO_PORT) != 0;
    bool window = (segment->given & FIELD_WINDOW) != 0;
    bool offset = (segment->given & FIELD_OFFSET) != 0;
    bool ack = (segment->given & FIELD_ACK) != 0;

    memset(at, 0, TCP_BYTES);
    segment_put16(at, from ? segment->from_port : ends->peer_port);
    segment_put16(at + 2, to ? segment->to_port : ends->our_port);
    segment_put32(at + 4, ends->irs + segment->seq);
    segment_put32(at + 8, ack ? ends->iss + segment->ack : 0);
    at[12] = (uint8_t)((offset ? segment->offset : header_bytes / 4) << 4 | segment->reserved);
    at[13] = (uint8_t)segment->flags;
    segment_put16(at + 14, window ? segment->window : 0xFFFF);
    segment_put16(at + 18, segment->urgent);
}

static uint8_t *build_tcp(
    const struct segment *segment, const struct segment_ends *ends, uint32_t *size_bytes) {
    uint8_t options[128];
    uint32_t option_bytes = put_options(segment, ends->iss, options);
    uint32_t header = TCP_BYTES + option_bytes;
    uint32_t total = header + segment->size_bytes;
    uint32_t start = ETHERNET_BYTES + IP_BYTES + segment->ip_option_bytes;
    uint32_t place = segment->seq + ((segment->flags & FLAG_SYN) != 0);

    *size_bytes = start + total + segment->trailer_bytes;
    uint8_t *frame = segment_frame_new(*size_bytes);
    uint8_t *ip = frame + ETHERNET_BYTES;
    uint8_t *at = frame + start;
    memset(at, 0, total + segment->trailer_bytes);
    put_ethernet(frame, segment, ends, 0x0800);
    put_ip(ip, segment, ends, PROTOCOL_TCP, total);
    put_tcp(at, segment, ends, header);
    memcpy(at + TCP_BYTES, options, option_bytes);
    for (uint32_t i = 0; i < segment->size_bytes; i++) {
        at[header + i] = segment_byte_in(place + i);
    }
    segment_put16(at + 16, ~tcp_sum(ip, at, total));
    at[17] ^= segment->sum_wrong;
    if ((segment->given & FIELD_SUM) != 0) {
        segment_put16(at + 16, segment->sum);
    }
    return frame;
}

// An ICMP error about one of our segments: its IP header and the first 8 bytes behind (RFC 792).
static uint8_t *build_icmp(
    const struct segment *segment, const struct segment_ends *ends, uint32_t *size_bytes) {
    uint32_t size = ICMP_BYTES + IP_BYTES + 8;
    bool port = (segment->given & FIELD_TO_PORT) != 0;

    *size_bytes = ETHERNET_BYTES + IP_BYTES + size;
    uint8_t *frame = segment_frame_new(*size_bytes);
    uint8_t *at = frame + ETHERNET_BYTES + IP_BYTES;
    put_ethernet(frame, segment, ends, 0x0800);
    put_ip(frame + ETHERNET_BYTES, segment, ends, PROTOCOL_ICMP, size);
    memset(at, 0, size);
    at[0] = (uint8_t)segment->icmp_type;
    at[1] = (uint8_t)segment->icmp_code;
    segment_put16(at + 6, segment->icmp_mtu_bytes);
    uint8_t *quoted = at + ICMP_BYTES;
    quoted[0] = 0x45;
    segment_put16(quoted + 2, IP_BYTES + TCP_BYTES + 1460);
    segment_put16(quoted + 6, 0x4000);
    quoted[8] = 60;
    quoted[9] = PROTOCOL_TCP;
    segment_put32(quoted + 12, ends->our_address);
    segment_put32(quoted + 16, ends->peer_address);
    segment_put16(quoted + 10, ~word_sum(quoted, IP_BYTES, 0));
    segment_put16(quoted + IP_BYTES, ends->our_port);
    segment_put16(quoted + IP_BYTES + 2, port ? segment->to_port : ends->peer_port);
    segment_put32(quoted + IP_BYTES + 4, ends->iss + segment->seq);
    segment_put16(at + 2, ~word_sum(at, size, 0));
    at[3] ^= segment->sum_wrong;
    return frame;
}

// An ARP reply of the peer's.
static uint8_t *build_arp(
    const struct segment *segment, const struct segment_ends *ends, uint32_t *size_bytes) {
    static const uint8_t start[8] = {0, 1, 8, 0, 6, 4, 0, 2};

    *size_bytes = ETHERNET_BYTES + 28;
    uint8_t *frame = segment_frame_new(*size_bytes);
    put_ethernet(frame, segment, ends, 0x0806);
    memcpy(frame + 14, start, sizeof(start));
    memcpy(frame + 22, ends->peer_mac, 6);
    segment_put32(frame + 28, ends->peer_address);
    memcpy(frame + 32, ends->our_mac, 6);
    segment_put32(frame + 38, ends->our_address);
    return frame;
}

uint8_t *segment_build(
    const struct segment *segment, const struct segment_ends *ends, uint32_t *size_bytes) {
    switch (segment->kind) {
    case KIND_ICMP:
        return build_icmp(segment, ends, size_bytes);
    case KIND_ARP:
        return build_arp(segment, ends, size_bytes);
    default:
        return build_tcp(segment, ends, size_bytes);
    }
}

// --- Taking apart ---

static const char *check_ip(
    const struct segment_ends *ends, const uint8_t *frame, uint32_t size_bytes) {
    const uint8_t *ip = frame + ETHERNET_BYTES;

    if (size_bytes < ETHERNET_BYTES + IP_BYTES + TCP_BYTES || segment_get16(frame + 12) != 0x0800) {
        return "the frame is no IPv4 datagram with a TCP segment";
    }
    if (memcmp(frame, ends->peer_mac, 6) != 0 || memcmp(frame + 6, ends->our_mac, 6) != 0) {
        return "hardware addresses";
    }
    if (ip[0] != 0x45 || segment_get16(ip + 2) != size_bytes - ETHERNET_BYTES) {
        return "IP version, header length or total length";
    }
    if (segment_get16(ip + 6) != 0x4000 || ip[8] == 0 || ip[9] != PROTOCOL_TCP) {
        return "IP fragment field, time to live or protocol";
    }
    if (word_sum(ip, IP_BYTES, 0) != 0xFFFF) {
        return "IP header checksum";
    }
    if (segment_get32(ip + 12) != ends->our_address) {
        return "IP source address";
    }
    return NULL;
}

// One option with a length; false: its length is not its own.
static bool take_option(
    struct segment *segment, const struct segment_ends *ends, const uint8_t *at) {
    uint32_t size = at[1];

    switch (at[0]) {
    case OPTION_MSS:
        segment->given |= FIELD_MSS;
        segment->mss_bytes = segment_get16(at + 2);
        return size == 4;
    case OPTION_SHIFT:
        segment->given |= FIELD_SHIFT;
        segment->shift = at[2];
        return size == 3;
    case OPTION_SACK_OK:
        segment->given |= FIELD_SACK_OK;
        return size == 2;
    case OPTION_TIMES:
        segment->given |= FIELD_TIMES;
        segment->time_value = segment_get32(at + 2);
        segment->time_echo = segment_get32(at + 6);
        return size == 10;
    case OPTION_SACK:
        for (uint32_t n = 2; n + 8 <= size && segment->block_count < SEGMENT_BLOCKS_MAX; n += 8) {
            struct segment_block *block = &segment->blocks[segment->block_count++];

            block->left = segment_get32(at + n) - ends->irs;
            block->right = segment_get32(at + n + 4) - ends->irs;
        }
        return size >= 10 && size <= 34 && (size - 2) % 8 == 0;
    default:
        return false;
    }
}

static const char *take_options(
    struct segment *segment, const struct segment_ends *ends, const uint8_t *at, uint32_t left) {
    while (left > 0 && at[0] != OPTION_END) {
        if (at[0] == OPTION_NOP) {
            at++;
            left--;
            continue;
        }
        if (left < 2 || at[1] < 2 || at[1] > left) {
            return "an option runs out of the header (RFC 9293 MUST-68)";
        }
        uint8_t padded[SEGMENT_OPTIONS_BYTES] = {0};
        memcpy(padded, at, at[1]);
        if (!take_option(segment, ends, padded)) {
            return "an option that is not known or has a wrong length (RFC 9293 MUST-68)";
        }
        left -= at[1];
        at += at[1];
    }
    for (; left > 0; left--, at++) {
        if (*at != 0) {
            return "padding that is not zero (RFC 9293 MUST-69)";
        }
    }
    uint32_t only_syn = FIELD_MSS | FIELD_SHIFT | FIELD_SACK_OK;
    if ((segment->flags & FLAG_SYN) == 0 && (segment->given & only_syn) != 0) {
        return "an option of a SYN in a segment without one (RFC 9293 MUST-65, RFC 7323 2.2)";
    }
    return NULL;
}

const char *segment_parse(
    struct segment *segment,
    const struct segment_ends *ends,
    const uint8_t *frame,
    uint32_t size_bytes) {
    const uint8_t *ip = frame + ETHERNET_BYTES;
    const uint8_t *at = ip + IP_BYTES;
    const char *wrong = check_ip(ends, frame, size_bytes);

    memset(segment, 0, sizeof(*segment));
    if (wrong != NULL) {
        return wrong;
    }
    uint32_t total = size_bytes - ETHERNET_BYTES - IP_BYTES;
    uint32_t header = at[12] / 16U * 4;
    if (tcp_sum(ip, at, total) != 0xFFFF) {
        return "TCP checksum (RFC 9293 MUST-2)";
    }
    if (header < TCP_BYTES || header > total || (at[12] & 15) != 0) {
        return "data offset, or reserved bits that are not zero";
    }
    segment->tos = ip[1];
    segment->ttl = ip[8];
    segment->to = segment_get32(ip + 16);
    segment->from_port = segment_get16(at);
    segment->to_port = segment_get16(at + 2);
    segment->seq = segment_get32(at + 4) - ends->iss;
    segment->flags = at[13];
    bool acks = (segment->flags & FLAG_ACK) != 0;
    segment->ack = acks ? segment_get32(at + 8) - ends->irs : segment_get32(at + 8);
    segment->window = segment_get16(at + 14);
    segment->urgent = segment_get16(at + 18);
    segment->size_bytes = total - header;
    uint32_t place = segment->seq + ((segment->flags & FLAG_SYN) != 0);
    for (uint32_t i = 0; i < segment->size_bytes; i++) {
        segment->bytes_wrong |= at[header + i] != segment_byte_out(place + i);
    }
    if (segment->bytes_wrong) {
        return "payload is not what the application wrote at this sequence number";
    }
    return take_options(segment, ends, at + TCP_BYTES, header - TCP_BYTES);
}

// --- Comparing and showing ---

static const char *option_difference(const struct segment *wanted, const struct segment *seen) {
    uint32_t both = wanted->given & (FIELD_MSS | FIELD_SHIFT | FIELD_SACK_OK | FIELD_TIMES);

    if ((seen->given & both) != both || (seen->given & wanted->absent) != 0) {
        return "options";
    }
    if ((both & FIELD_MSS) != 0 && wanted->mss_bytes != seen->mss_bytes) {
        return "mss";
    }
    if ((both & FIELD_SHIFT) != 0 && wanted->shift != seen->shift) {
        return "wscale";
    }
    if ((wanted->given & FIELD_ECHO) != 0 && wanted->time_echo != seen->time_echo) {
        return "tsecr";
    }
    if ((wanted->given & FIELD_BLOCKS_OPEN) != 0) {
        return NULL;
    }
    if (wanted->block_count != seen->block_count ||
        memcmp(wanted->blocks, seen->blocks, wanted->block_count * sizeof(wanted->blocks[0])) !=
            0) {
        return "sack";
    }
    return NULL;
}

const char *segment_difference(const struct segment *wanted, const struct segment *seen) {
    bool acks = (seen->flags & FLAG_ACK) != 0;
    uint32_t flags = 0xFF;

    flags &= (wanted->given & FIELD_PSH) != 0 ? 0xFF : ~(uint32_t)FLAG_PSH;
    flags &= (wanted->given & FIELD_ACK_OPEN) == 0 ? 0xFF : ~(uint32_t)FLAG_ACK;

    if (wanted->any) {
        return NULL;
    }
    if (((wanted->flags ^ seen->flags) & flags) != 0) {
        return "flags";
    }
    if (wanted->seq != seen->seq) {
        return "seq";
    }
    if ((wanted->given & FIELD_ACK) != 0 && acks && wanted->ack != seen->ack) {
        return "ack";
    }
    if (wanted->size_bytes != seen->size_bytes) {
        return "len";
    }
    if ((wanted->given & FIELD_WINDOW) != 0 && wanted->window != seen->window) {
        return "win";
    }
    if (wanted->urgent != seen->urgent) {
        return "urg";
    }
    if ((wanted->given & FIELD_TOS) != 0 && wanted->tos != seen->tos) {
        return "tos";
    }
    if ((wanted->given & FIELD_TTL) != 0 && wanted->ttl != seen->ttl) {
        return "ttl";
    }
    return option_difference(wanted, seen);
}

// Appends to text; what does not fit is left out.
static size_t add(char *text, size_t used, const char *name, uint32_t value) {
    int32_t number = (int32_t)value;
    int size = snprintf(text + used, SEGMENT_TEXT_BYTES - used, "%s%d", name, (int)number);

    return size > 0 && used + (size_t)size < SEGMENT_TEXT_BYTES ? used + (size_t)size : used;
}

void segment_text(const struct segment *seen, char text[SEGMENT_TEXT_BYTES]) {
    static const char *const names[8] = {"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"};
    size_t used = 0;

    text[0] = 0;
    for (uint32_t i = 0; i < 8; i++) {
        if ((seen->flags >> i & 1) != 0) {
            used += (size_t)snprintf(text + used, SEGMENT_TEXT_BYTES - used, "%s ", names[i]);
        }
    }
    used = add(text, used, "seq=", seen->seq);
    used = add(text, used, " ack=", seen->ack);
    used = add(text, used, " len=", seen->size_bytes);
    used = add(text, used, " win=", seen->window);
    if (seen->urgent != 0) {
        used = add(text, used, " urg=", seen->urgent);
    }
    if ((seen->given & FIELD_MSS) != 0) {
        used = add(text, used, " mss=", seen->mss_bytes);
    }
    if ((seen->given & FIELD_SHIFT) != 0) {
        used = add(text, used, " wscale=", seen->shift);
    }
    if ((seen->given & FIELD_SACK_OK) != 0) {
        used += (size_t)snprintf(text + used, SEGMENT_TEXT_BYTES - used, " sackok");
    }
    if ((seen->given & FIELD_TIMES) != 0) {
        used = add(text, used, " ts=", seen->time_value);
        used = add(text, used, " tsecr=", seen->time_echo);
    }
    for (uint32_t i = 0; i < seen->block_count; i++) {
        used = add(text, used, i == 0 ? " sack=" : ",", seen->blocks[i].left);
        used = add(text, used, "..", seen->blocks[i].right);
    }
}
