// SPDX-License-Identifier: MIT
#include "wire/ipv4.h"

#include <string.h>

#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/ip4.h"

// Fields of the fragment word, specified (RFC 791 3.1).
#define DONT_FRAGMENT  0x4000
#define MORE_FRAGMENTS 0x2000
#define OFFSET_MASK    0x1FFF  // in units of 8 bytes
#define TTL_DEFAULT    64      // specified (RFC 1700, as RFC 9293 3.9.2 says)

// Options, specified (RFC 791 3.1).
enum { OPTION_END = 0, OPTION_NOP = 1, OPTION_LOOSE_ROUTE = 131, OPTION_STRICT_ROUTE = 137 };

static bool parse_options(struct cor_ipv4 *header, const uint8_t *option, uint32_t left) {
    while (left > 0 && option[0] != OPTION_END) {
        uint32_t size = 1;

        if (option[0] != OPTION_NOP) {
            if (left < 2 || option[1] < 2 || option[1] > left) {
                return false;
            }
            size = option[1];
            header->source_route |=
                option[0] == OPTION_LOOSE_ROUTE || option[0] == OPTION_STRICT_ROUTE;
        }
        option += size;
        left -= size;
    }
    return true;
}

static bool parse_fields(struct cor_ipv4 *header, const uint8_t *data, uint32_t size_bytes) {
    memset(header, 0, sizeof(*header));
    if (size_bytes < COR_IPV4_BYTES || data[0] >> 4 != 4) {
        return false;
    }
    uint16_t word = cor_get_be16(data + COR_IPV4_FRAGMENT);

    header->header_bytes = (uint8_t)((data[0] & 0x0F) * 4);
    header->total_bytes = cor_get_be16(data + COR_IPV4_LENGTH);
    header->id = cor_get_be16(data + COR_IPV4_ID);
    header->offset_bytes = (uint16_t)((word & OFFSET_MASK) * 8);
    header->more_fragments = (word & MORE_FRAGMENTS) != 0;
    header->fragment = (word & (OFFSET_MASK | MORE_FRAGMENTS)) != 0;
    header->protocol = data[COR_IPV4_PROTOCOL];
    header->from = cor_get_be32(data + COR_IPV4_FROM);
    header->to = cor_get_be32(data + COR_IPV4_TO);
    return header->header_bytes >= COR_IPV4_BYTES && header->header_bytes <= size_bytes &&
           header->total_bytes >= header->header_bytes;
}

enum cor_status cor_ipv4_parse(struct cor_ipv4 *header, const uint8_t *data, uint32_t size_bytes) {
    if (!parse_fields(header, data, size_bytes) || header->total_bytes > size_bytes) {
        return COR_E_PROTO;
    }
    if (cor_sum_bytes(data, header->header_bytes) != 0xFFFF) {
        header->checksum_wrong = true;
        return COR_E_PROTO;
    }
    if (header->header_bytes == COR_IPV4_BYTES) {
        return COR_OK;
    }
    return parse_options(header, data + COR_IPV4_BYTES, header->header_bytes - COR_IPV4_BYTES)
               ? COR_OK
               : COR_E_PROTO;
}

enum cor_status cor_ipv4_parse_quoted(
    struct cor_ipv4 *header, const uint8_t *data, uint32_t size_bytes) {
    return parse_fields(header, data, size_bytes) ? COR_OK : COR_E_PROTO;
}

void cor_ipv4_emit(const struct cor_ipv4 *header, uint16_t payload_bytes, uint8_t *at) {
    at[0] = 0x45;
    at[1] = header->service;
    cor_put_be16(at + COR_IPV4_LENGTH, (uint16_t)(COR_IPV4_BYTES + payload_bytes));
    cor_put_be16(at + COR_IPV4_ID, 0);
    cor_put_be16(at + COR_IPV4_FRAGMENT, DONT_FRAGMENT);
    at[COR_IPV4_TTL] = header->ttl != 0 ? header->ttl : TTL_DEFAULT;
    at[COR_IPV4_PROTOCOL] = header->protocol;
    cor_put_be16(at + COR_IPV4_CHECKSUM, 0);
    cor_put_be32(at + COR_IPV4_FROM, header->from);
    cor_put_be32(at + COR_IPV4_TO, header->to);
    cor_put_be16(at + COR_IPV4_CHECKSUM, (uint16_t)~cor_sum_bytes(at, COR_IPV4_BYTES));
}

uint32_t cor_ipv4_pseudo_sum(uint32_t from, uint32_t to, uint8_t protocol, uint32_t size_bytes) {
    return cor_sum_u32(from) + cor_sum_u32(to) + protocol + cor_sum_u32(size_bytes);
}

bool cor_ip4_parse(const char *text, uint32_t *address) {
    uint32_t result = 0;

    for (uint32_t part = 0; part < 4; part++) {
        uint32_t number = 0;
        uint32_t digits = 0;

        if (part > 0 && *text++ != '.') {
            return false;
        }
        for (; *text >= '0' && *text <= '9' && digits < 3; digits++) {
            number = number * 10 + (uint32_t)(*text++ - '0');
        }
        if (digits == 0 || number > 255) {
            return false;
        }
        result = (result << 8) | number;
    }
    if (*text != '\0') {
        return false;
    }
    *address = result;
    return true;
}

char *cor_ip4_text(uint32_t address, char *text) {
    char *at = text;

    for (uint32_t part = 0; part < 4; part++) {
        uint32_t number = (address >> (24 - 8 * part)) & 0xFF;

        if (part > 0) {
            *at++ = '.';
        }
        if (number >= 100) {
            *at++ = (char)('0' + number / 100);
        }
        if (number >= 10) {
            *at++ = (char)('0' + number / 10 % 10);
        }
        *at++ = (char)('0' + number % 10);
    }
    *at = '\0';
    return text;
}
