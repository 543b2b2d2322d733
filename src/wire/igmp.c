// SPDX-License-Identifier: MIT
#include "wire/igmp.h"

#include "coradio/bytes.h"
#include "coradio/checksum.h"

// From here on a response code of version 3 has an exponent, specified (RFC 3376 4.1.1); its value
// is at least this one.
#define EXPONENT_FROM  128
#define QUERY_V3_BYTES 12

enum cor_status cor_igmp_parse(
    struct cor_igmp_message *message, const uint8_t *data, uint32_t size_bytes) {
    if (size_bytes < COR_IGMP_BYTES || cor_sum_bytes(data, size_bytes) != 0xFFFF) {
        return COR_E_PROTO;
    }
    message->type = data[0];
    message->response_100ms = data[1];
    message->group = cor_get_be32(data + 4);
    if (message->type == COR_IGMP_QUERY && size_bytes >= QUERY_V3_BYTES &&
        message->response_100ms >= EXPONENT_FROM) {
        uint32_t mantissa = 0x10U | (message->response_100ms & 0x0FU);
        uint32_t value = mantissa << (((message->response_100ms >> 4) & 7U) + 3U);

        message->response_100ms = (uint8_t)(value < UINT8_MAX ? value : UINT8_MAX);
    }
    return COR_OK;
}

void cor_igmp_emit(const struct cor_igmp_message *message, uint8_t *at) {
    at[0] = message->type;
    at[1] = message->response_100ms;
    cor_put_be16(at + 2, 0);
    cor_put_be32(at + 4, message->group);
    cor_put_be16(at + 2, (uint16_t)~cor_sum_bytes(at, COR_IGMP_BYTES));
}
