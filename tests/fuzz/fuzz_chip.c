// SPDX-License-Identifier: MIT
// Fuzz: any bytes as what the CYW43 gives: a frame with SDPCM, then CDC, BDC or an event behind it,
// and a status word.
#include "fuzz.h"
#include "wire/cyw43_event.h"
#include "wire/cyw43_scan.h"
#include "wire/gspi.h"
#include "wire/sdpcm.h"

#include <string.h>

#include "coradio/bytes.h"

static void check_status(const uint8_t *data) {
    uint32_t word = cor_gspi_parse(data, COR_GSPI_ORDER_MEMORY);
    uint8_t again[4];

    FUZZ_CHECK(cor_gspi_waiting_bytes(word) <= COR_GSPI_TRANSFER_BYTES_MAX);
    cor_gspi_emit(again, word, COR_GSPI_ORDER_MEMORY);
    FUZZ_CHECK(memcmp(again, data, sizeof(again)) == 0);
    word = cor_gspi_parse(data, COR_GSPI_ORDER_RESET);
    cor_gspi_emit(again, word, COR_GSPI_ORDER_RESET);
    FUZZ_CHECK(memcmp(again, data, sizeof(again)) == 0);
    fuzz_touch(again, cor_gspi_stream(data) & 3U);
}

// A result of a scan; its version is made right, so that the rest is looked at.
static void check_scan(const uint8_t *data, uint32_t size) {
    struct cor_network network;
    uint16_t sync;
    uint8_t *copy = malloc(size + 1);

    memcpy(copy, data, size);
    if (size >= 16 && (size & 1U) != 0) {
        cor_put_le32(copy + 12, 109);
    }
    if (cor_cyw43_scan_parse(copy, size, &sync, &network) == COR_OK) {
        FUZZ_CHECK(network.ssid_bytes <= COR_SSID_BYTES_MAX);
        FUZZ_CHECK(network.ssid[COR_SSID_BYTES_MAX] == '\0');
        FUZZ_CHECK(network.security < COR_SECURITY_COUNT);
    }
    free(copy);
}

static void check_control(const uint8_t *data, uint32_t size) {
    struct cor_cdc cdc;

    if (cor_cdc_parse(data, size, &cdc) == COR_OK) {
        FUZZ_CHECK(size >= COR_CDC_BYTES && cdc.value_bytes <= size - COR_CDC_BYTES);
        fuzz_touch(data + COR_CDC_BYTES, cdc.value_bytes);
    }
}

static void check_ethernet(const uint8_t *data, uint32_t size) {
    struct cor_cyw43_event event;
    int32_t offset = cor_bdc_parse(data, size);

    if (offset < 0) {
        return;
    }
    FUZZ_CHECK((uint32_t)offset >= COR_BDC_BYTES && (uint32_t)offset <= size);
    uint32_t left = size - (uint32_t)offset;
    fuzz_touch(data + offset, left);
    if (cor_cyw43_event_parse(data + offset, left, &event) == COR_OK) {
        fuzz_touch(event.data.data, event.data.size_bytes);
    }
}

static void check_frame(uint8_t *data, uint32_t size) {
    struct cor_sdpcm sdpcm;

    // The two sizes agree where the first is possible: the rest is then looked at.
    if (size >= COR_SDPCM_BYTES && data[3] < 0x80) {
        cor_put_le16(data, (uint16_t)(cor_get_le16(data) % (size + 1)));
        cor_put_le16(data + 2, (uint16_t)~cor_get_le16(data));
    }
    if (cor_sdpcm_parse(data, size, &sdpcm) != COR_OK) {
        return;
    }
    FUZZ_CHECK(sdpcm.size_bytes <= size && sdpcm.header_bytes <= sdpcm.size_bytes);
    FUZZ_CHECK(sdpcm.header_bytes >= COR_SDPCM_BYTES);
    uint32_t there = (uint32_t)sdpcm.size_bytes - sdpcm.header_bytes;
    check_control(data + sdpcm.header_bytes, there);
    check_ethernet(data + sdpcm.header_bytes, there);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cor_cyw43_event event;

    if (size == 0 || size > 2048) {
        return 0;
    }
    uint32_t offset = data[0] & 3U;
    uint32_t count = (uint32_t)size - 1;
    uint8_t *memory = malloc(offset + size);
    uint8_t *copy = memory + offset;
    memcpy(copy, data + 1, count);
    if (count >= COR_GSPI_WORD_BYTES) {
        check_status(copy);
    }
    if (cor_cyw43_event_parse(copy, count, &event) == COR_OK) {
        fuzz_touch(event.data.data, event.data.size_bytes);
    }
    check_scan(copy, count);
    check_control(copy, count);
    check_ethernet(copy, count);
    check_frame(copy, count);
    free(memory);
    return 0;
}
