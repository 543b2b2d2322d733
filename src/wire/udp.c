// SPDX-License-Identifier: MIT
#include "wire/udp.h"

#include "coradio/bytes.h"
#include "coradio/checksum.h"

enum cor_status cor_udp_parse(
    struct cor_udp_header *header,
    const struct cor_ipv4 *ip,
    const uint8_t *data,
    uint32_t size_bytes) {
    if (size_bytes < COR_UDP_BYTES) {
        return COR_E_PROTO;
    }
    uint32_t length = cor_get_be16(data + 4);
    if (length < COR_UDP_BYTES || length > size_bytes) {
        return COR_E_PROTO;
    }
    if (cor_get_be16(data + 6) != 0) {
        uint32_t sum = cor_ipv4_pseudo_sum(ip->from, ip->to, COR_IPV4_UDP, length);

        if (cor_sum_fold(sum + cor_sum_bytes(data, length)) != 0xFFFF) {
            return COR_E_PROTO;
        }
    }
    header->from_port = cor_get_be16(data);
    header->to_port = cor_get_be16(data + 2);
    header->payload.data = data + COR_UDP_BYTES;
    header->payload.size_bytes = length - COR_UDP_BYTES;
    return COR_OK;
}

void cor_udp_emit(
    const struct cor_udp_header *header,
    const struct cor_ipv4 *ip,
    uint16_t payload_sum,
    uint8_t *at) {
    uint32_t length = COR_UDP_BYTES + header->payload.size_bytes;
    uint32_t sum = cor_ipv4_pseudo_sum(ip->from, ip->to, COR_IPV4_UDP, length);

    sum += (uint32_t)header->from_port + header->to_port + length + payload_sum;
    uint16_t checksum = (uint16_t)~cor_sum_fold(sum);
    cor_put_be16(at, header->from_port);
    cor_put_be16(at + 2, header->to_port);
    cor_put_be16(at + 4, (uint16_t)length);
    // Zero would mean that none was computed (RFC 768).
    cor_put_be16(at + 6, checksum == 0 ? 0xFFFF : checksum);
}
