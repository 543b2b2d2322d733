// SPDX-License-Identifier: MIT
// CYW43 scan: the parameters of "escan", and the networks in its results.
//
// A result, the data of an ESCAN_RESULT event with status 8:
//
//     0 u32 size   4 u32 version   8 u16 sync   10 u16 count   12 bss_info...
//
// bss_info, offsets from its start:
//
//     0 u32 version 109   4 u32 size with elements   8 BSSID   16 u16 capability   18 name size
//     19 name, 32   72 u16 chanspec   78 i16 RSSI   88 control channel   116 u16 offset of elements
//     120 u32 their size
//
// Fields are little-endian. Read from public code: Linux brcmfmac fwil_types.h, Infineon
// wifi-host-driver whd_wlioctl.h, embassy-rs/embassy cyw43/src/structs.rs.
#ifndef WIRE_CYW43_SCAN_H
#define WIRE_CYW43_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/radio.h"
#include "coradio/status.h"

#define COR_CYW43_SCAN_BYTES 76

struct cor_cyw43_scan_parameters {
    const char *ssid;  // empty: all
    uint16_t sync;
    uint8_t channel;  // 0: all
    bool passive;
};

// Writes COR_CYW43_SCAN_BYTES.
void cor_cyw43_scan_emit(uint8_t *at, const struct cor_cyw43_scan_parameters *scan);

// The network in a result, and the sync it answers to. COR_E_PROTO: cut, another version, or a
// length that leads outside.
COR_MUST_CHECK enum cor_status cor_cyw43_scan_parse(
    const uint8_t *data, uint32_t size_bytes, uint16_t *sync, struct cor_network *network);

#endif
