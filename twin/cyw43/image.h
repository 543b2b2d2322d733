// SPDX-License-Identifier: MIT
// Image: the layout that a firmware image, the NVRAM text and the CLM blob share between the
// functions that make synthetic ones and those that check what was downloaded.
//
// Firmware. Real images end in text, a trailer and 16 bytes:
//
//   "43439a0-roml/... Version: 7.95.x (...) CRC: xxxxxxxx Date: ... FWID 01-xxxxxxxx\0"
//   u16 length of the text with its NUL and this length | "DVID 01-xxxxxxxx"
//
// Read from public code: cyw43-driver looks for "Version: " between 80 and (length) bytes before
// the NUL. Measured on the public images: the text, and the CRC-32 fields of the CLM blob:
//
//   "BLOB" | u32 header bytes | u32 CRC-32 of the header from here on | u32 1 | u32 segments |
//   segments x { u32 0, u32 offset, u32 size, u32 CRC-32, u32 0 } | data
#ifndef TWIN_CYW43_IMAGE_H
#define TWIN_CYW43_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define FIRMWARE_TAIL_BYTES   16u   // behind the trailer's length
#define FIRMWARE_TRAILER_MAX  500u  // the length is below this
#define FIRMWARE_VERSION_BACK 80u   // "Version: " starts at least so far before the NUL
#define CLM_HEADER_BYTES      60u
#define CLM_SEGMENT_BYTES     20u
#define CLM_SEGMENTS_AT       20u

// The mark of synthetic images, at this place and in their version text. Those carry a CRC-32 over
// everything but its own eight digits; nothing like it is known of the real ones.
#define SYNTHETIC_MARK    "coradio-synthetic"
#define SYNTHETIC_MARK_AT 0x100u

uint32_t twin_cyw43_crc32(const uint8_t *data, uint32_t size_bytes);
// Continues a CRC-32 over a gap-free sequence of pieces; starts with 0.
uint32_t twin_cyw43_crc32_more(uint32_t crc, const uint8_t *data, uint32_t size_bytes);

#endif
