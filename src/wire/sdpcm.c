// SPDX-License-Identifier: MIT
#include "wire/sdpcm.h"

#include <string.h>

#include "coradio/bytes.h"

// CDC flags, BDC version; read from public code: embassy cyw43/src/structs.rs, brcmfmac bcdc.c.
#define CDC_FLAG_ERROR 0x0001u
#define CDC_FLAG_SET   0x0002u
#define BDC_VERSION    2u

void cor_sdpcm_emit(uint8_t *at, const struct cor_sdpcm *header) {
    cor_put_le16(at, header->size_bytes);
    cor_put_le16(at + 2, (uint16_t)~header->size_bytes);
    at[4] = header->sequence;
    at[5] = header->channel & 0x0Fu;
    at[6] = 0;
    at[7] = header->header_bytes;
    memset(at + 8, 0, 4);
}

enum cor_status cor_sdpcm_parse(const uint8_t *at, uint32_t room_bytes, struct cor_sdpcm *header) {
    if (room_bytes < COR_SDPCM_BYTES) {
        return COR_E_PROTO;
    }
    uint16_t size_bytes = cor_get_le16(at);
    uint16_t inverse = cor_get_le16(at + 2);

    if (size_bytes == 0 && inverse == 0) {
        return COR_AGAIN;
    }
    if ((size_bytes ^ inverse) != 0xFFFFu || size_bytes != room_bytes) {
        return COR_E_PROTO;
    }
    if (at[7] < COR_SDPCM_BYTES || at[7] > size_bytes) {
        return COR_E_PROTO;
    }
    header->size_bytes = size_bytes;
    header->sequence = at[4];
    header->channel = at[5] & 0x0Fu;
    header->header_bytes = at[7];
    header->flow = at[8];
    header->credit = at[9];
    return COR_OK;
}

void cor_cdc_emit(uint8_t *at, const struct cor_cdc *header) {
    cor_put_le32(at, header->command);
    cor_put_le16(at + 4, header->value_bytes);
    cor_put_le16(at + 6, 0);
    cor_put_le16(at + 8, header->set ? CDC_FLAG_SET : 0);
    cor_put_le16(at + 10, header->id);
    cor_put_le32(at + 12, 0);
}

enum cor_status cor_cdc_parse(const uint8_t *at, uint32_t room_bytes, struct cor_cdc *header) {
    if (room_bytes < COR_CDC_BYTES) {
        return COR_E_PROTO;
    }
    uint32_t there_bytes = room_bytes - COR_CDC_BYTES;
    uint16_t flags = cor_get_le16(at + 8);

    header->command = cor_get_le32(at);
    header->value_bytes = cor_get_le16(at + 4);
    if (header->value_bytes > there_bytes) {
        header->value_bytes = (uint16_t)there_bytes;
    }
    header->set = (flags & CDC_FLAG_SET) != 0;
    header->error = (flags & CDC_FLAG_ERROR) != 0;
    header->id = cor_get_le16(at + 10);
    header->chip_status = (int32_t)cor_get_le32(at + 12);
    return COR_OK;
}

void cor_bdc_emit(uint8_t *at) {
    at[0] = BDC_VERSION << 4;
    at[1] = 0;
    at[2] = 0;
    at[3] = 0;
}

int32_t cor_bdc_parse(const uint8_t *at, uint32_t room_bytes) {
    if (room_bytes < COR_BDC_BYTES || at[0] >> 4 != BDC_VERSION) {
        return COR_E_PROTO;
    }
    int32_t offset_bytes = COR_BDC_BYTES + 4 * (int32_t)at[3];

    return (uint32_t)offset_bytes > room_bytes ? (int32_t)COR_E_PROTO : offset_bytes;
}
