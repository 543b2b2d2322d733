// SPDX-License-Identifier: MIT
#include "wire/icmp.h"

#include "coradio/bytes.h"
#include "coradio/checksum.h"

enum cor_status cor_icmp_parse(struct cor_icmp *icmp, const uint8_t *data, uint32_t size_bytes) {
    if (size_bytes < COR_ICMP_BYTES || cor_sum_bytes(data, size_bytes) != 0xFFFF) {
        return COR_E_PROTO;
    }
    icmp->type = data[0];
    icmp->code = data[1];
    icmp->identifier = cor_get_be16(data + 4);
    icmp->sequence = cor_get_be16(data + 6);
    icmp->payload.data = data + COR_ICMP_BYTES;
    icmp->payload.size_bytes = size_bytes - COR_ICMP_BYTES;
    return COR_OK;
}

void cor_icmp_emit(const struct cor_icmp *icmp, uint16_t payload_sum, uint8_t *at) {
    uint32_t sum = (uint32_t)((icmp->type << 8) | icmp->code);

    sum += (uint32_t)icmp->identifier + icmp->sequence + payload_sum;
    at[0] = icmp->type;
    at[1] = icmp->code;
    cor_put_be16(at + 2, (uint16_t)~cor_sum_fold(sum));
    cor_put_be16(at + 4, icmp->identifier);
    cor_put_be16(at + 6, icmp->sequence);
}
