// SPDX-License-Identifier: MIT
#include "wire/tcp.h"

#include <string.h>

#include "coradio/bytes.h"
#include "coradio/checksum.h"

// Option kinds, specified (RFC 9293 3.1 table 1; RFC 7323 2.2; RFC 2018 2 and 3).
enum {
    OPTION_END = 0,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_SHIFT = 3,
    OPTION_SACK_PERMITTED = 4,
    OPTION_SACK = 5,
    OPTION_TIMES = 8,
};

static void parse_sacks(struct cor_tcp_header *header, const uint8_t *at, uint32_t size_bytes) {
    for (; size_bytes >= 8 && header->sack_count < COR_TCP_SACKS_MAX; size_bytes -= 8, at += 8) {
        header->sacks[header->sack_count].left = cor_get_be32(at);
        header->sacks[header->sack_count].right = cor_get_be32(at + 4);
        header->sack_count++;
    }
}

// A known option with a length that is not its own is skipped like an unknown one.
static void parse_option(struct cor_tcp_header *header, const uint8_t *option) {
    uint32_t size = option[1];

    if (option[0] == OPTION_MSS && size == 4) {
        header->mss_bytes = cor_get_be16(option + 2);
    } else if (option[0] == OPTION_SHIFT && size == 3) {
        header->has_shift = true;
        header->shift = option[2] < COR_TCP_SHIFT_MAX ? option[2] : COR_TCP_SHIFT_MAX;
    } else if (option[0] == OPTION_SACK_PERMITTED && size == 2) {
        header->sack_permitted = true;
    } else if (option[0] == OPTION_TIMES && size == 10) {
        header->has_times = true;
        header->times_value = cor_get_be32(option + 2);
        header->times_echo = cor_get_be32(option + 6);
    } else if (option[0] == OPTION_SACK) {
        parse_sacks(header, option + 2, size - 2);
    }
}

static bool parse_options(struct cor_tcp_header *header, const uint8_t *option, uint32_t left) {
    while (left > 0 && option[0] != OPTION_END) {
        uint32_t size = 1;

        if (option[0] != OPTION_NOP) {
            if (left < 2 || option[1] < 2 || option[1] > left) {
                return false;
            }
            size = option[1];
            parse_option(header, option);
        }
        option += size;
        left -= size;
    }
    return true;
}

enum cor_status cor_tcp_parse(
    struct cor_tcp_header *header,
    const struct cor_ipv4 *ip,
    const uint8_t *data,
    uint32_t size_bytes) {
    memset(header, 0, sizeof(*header));
    if (size_bytes < COR_TCP_BYTES) {
        return COR_E_PROTO;
    }
    uint32_t offset = (uint32_t)(data[COR_TCP_OFFSET] >> 4) * 4;
    if (offset < COR_TCP_BYTES || offset > size_bytes) {
        return COR_E_PROTO;
    }
    uint32_t sum = cor_ipv4_pseudo_sum(ip->from, ip->to, COR_IPV4_TCP, size_bytes);
    if (cor_sum_fold(sum + cor_sum_bytes(data, size_bytes)) != 0xFFFF) {
        return COR_E_PROTO;
    }
    header->from_port = cor_get_be16(data);
    header->to_port = cor_get_be16(data + 2);
    header->seq = cor_get_be32(data + COR_TCP_SEQ);
    header->ack = cor_get_be32(data + COR_TCP_ACKED);
    header->flags = data[COR_TCP_FLAGS];
    header->window = cor_get_be16(data + COR_TCP_WINDOW);
    header->urgent = cor_get_be16(data + COR_TCP_URGENT);
    header->payload.data = data + offset;
    header->payload.size_bytes = size_bytes - offset;
    return parse_options(header, data + COR_TCP_BYTES, offset - COR_TCP_BYTES) ? COR_OK
                                                                               : COR_E_PROTO;
}

static uint32_t emit_options(const struct cor_tcp_header *header, uint8_t *at) {
    uint32_t size = 0;

    if (header->mss_bytes != 0) {
        at[size] = OPTION_MSS;
        at[size + 1] = 4;
        cor_put_be16(at + size + 2, header->mss_bytes);
        size += 4;
    }
    if (header->sack_permitted) {
        const uint8_t option[4] = {OPTION_NOP, OPTION_NOP, OPTION_SACK_PERMITTED, 2};

        memcpy(at + size, option, sizeof(option));
        size += (uint32_t)sizeof(option);
    }
    if (header->has_shift) {
        const uint8_t option[4] = {OPTION_NOP, OPTION_SHIFT, 3, header->shift};

        memcpy(at + size, option, sizeof(option));
        size += (uint32_t)sizeof(option);
    }
    if (header->has_times) {
        const uint8_t option[4] = {OPTION_NOP, OPTION_NOP, OPTION_TIMES, 10};

        memcpy(at + size, option, sizeof(option));
        cor_put_be32(at + size + 4, header->times_value);
        cor_put_be32(at + size + 8, header->times_echo);
        size += COR_TCP_TIMES_BYTES;
    }
    return size;
}

uint32_t cor_tcp_emit(
    const struct cor_tcp_header *header,
    const struct cor_ipv4 *ip,
    uint16_t payload_sum,
    uint8_t *at) {
    uint32_t offset = COR_TCP_BYTES + emit_options(header, at + COR_TCP_BYTES);
    uint32_t size = offset + header->payload.size_bytes;
    uint32_t sum = cor_ipv4_pseudo_sum(ip->from, ip->to, COR_IPV4_TCP, size) + payload_sum;

    cor_put_be16(at, header->from_port);
    cor_put_be16(at + 2, header->to_port);
    cor_put_be32(at + COR_TCP_SEQ, header->seq);
    cor_put_be32(at + COR_TCP_ACKED, header->ack);
    at[COR_TCP_OFFSET] = (uint8_t)(offset << 2);
    at[COR_TCP_FLAGS] = header->flags;
    cor_put_be16(at + COR_TCP_WINDOW, header->window);
    cor_put_be32(at + COR_TCP_CHECKSUM, 0);
    sum += cor_sum_bytes(at, offset);
    cor_put_be16(at + COR_TCP_CHECKSUM, (uint16_t)~cor_sum_fold(sum));
    return offset;
}
