// SPDX-License-Identifier: MIT
#include "wire/gspi.h"

#include "coradio/bytes.h"

uint32_t cor_gspi_command(
    bool write, enum cor_gspi_function function, uint32_t address, uint32_t bytes) {
    return (write ? 0x80000000u : 0u) | 0x40000000u | ((uint32_t)function << 28) |
           ((address & 0x1FFFFu) << 11) | (bytes & 0x7FFu);
}

void cor_gspi_emit(uint8_t *at, uint32_t word, enum cor_gspi_order order) {
    if (order == COR_GSPI_ORDER_RESET) {
        word = ((word & 0x00FF00FFu) << 8) | ((word >> 8) & 0x00FF00FFu);
    }
    cor_put_le32(at, word);
}

uint32_t cor_gspi_parse(const uint8_t *at, enum cor_gspi_order order) {
    uint32_t word = cor_get_le32(at);

    if (order == COR_GSPI_ORDER_RESET) {
        word = ((word & 0x00FF00FFu) << 8) | ((word >> 8) & 0x00FF00FFu);
    }
    return word;
}

uint32_t cor_gspi_stream(const uint8_t *at) {
    return cor_get_be32(at);
}

uint16_t cor_gspi_waiting_bytes(uint32_t status) {
    if ((status & COR_GSPI_STATUS_F2_WAITING) == 0) {
        return 0;
    }
    return (uint16_t)((status >> 9) & 0x7FFu);
}
