// SPDX-License-Identifier: MIT
// SDPCM: the frames between host and CYW43, and the two headers that travel inside.
//
//     0     2      4    5             6     7       8     9       10
//     size  ~size  seq  flags/channel next  header  flow  credit  reserved    12 bytes
//
// Behind `header` bytes comes CDC (16 bytes, control requests and replies) or BDC (4 bytes, then
// 4 x its offset, then an Ethernet frame: data or an event). All fields are little-endian.
// Read from public code: embassy-rs/embassy cyw43/src/structs.rs and runner.rs, Linux brcmfmac
// sdio.c and bcdc.c.
#ifndef WIRE_SDPCM_H
#define WIRE_SDPCM_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/status.h"

#define COR_SDPCM_BYTES 12
#define COR_CDC_BYTES   16
#define COR_BDC_BYTES   4
// Data frames to the chip carry two bytes of padding behind the SDPCM header; without them the
// firmware appends two zero bytes to what it sends (read from public code: embassy, WHD).
#define COR_SDPCM_DATA_PAD_BYTES 2

enum cor_sdpcm_channel {
    COR_SDPCM_CONTROL = 0,
    COR_SDPCM_EVENT = 1,
    COR_SDPCM_DATA = 2,
};

struct cor_sdpcm {
    uint16_t size_bytes;  // header included
    uint8_t sequence;
    uint8_t channel;
    uint8_t header_bytes;  // where the payload starts
    uint8_t flow;          // priorities the chip has stopped, one bit each
    uint8_t credit;        // first sequence number that may not be sent
};

void cor_sdpcm_emit(uint8_t *at, const struct cor_sdpcm *header);

// Parses a frame of `room_bytes`. COR_OK; COR_AGAIN: nothing but zeros where the sizes stand, no
// frame; COR_E_PROTO: too short, the sizes do not agree with each other or with the room, or the
// payload starts outside.
COR_MUST_CHECK enum cor_status cor_sdpcm_parse(
    const uint8_t *at, uint32_t room_bytes, struct cor_sdpcm *header);

struct cor_cdc {
    uint32_t command;
    uint16_t value_bytes;
    uint16_t id;
    bool set;
    bool error;
    int32_t chip_status;
};

void cor_cdc_emit(uint8_t *at, const struct cor_cdc *header);
// COR_E_PROTO: too short. The value's length is cut to what is there.
COR_MUST_CHECK enum cor_status cor_cdc_parse(
    const uint8_t *at, uint32_t room_bytes, struct cor_cdc *header);

// The four bytes before a data frame of the station interface: version 2, priority 0.
void cor_bdc_emit(uint8_t *at);
// Bytes from `at` to the Ethernet frame, or COR_E_PROTO: too short or another version.
int32_t cor_bdc_parse(const uint8_t *at, uint32_t room_bytes);

#endif
