// SPDX-License-Identifier: MIT
// IP4: IPv4 addresses as numbers in host order, and their text.
#ifndef CORADIO_IP4_H
#define CORADIO_IP4_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// COR_IP4(192, 168, 4, 1) is 0xC0A80401.
#define COR_IP4(a, b, c, d)                                                                        \
    (((uint32_t)(a) << 24) | ((uint32_t)(b) << 16) | ((uint32_t)(c) << 8) | (uint32_t)(d))

// "255.255.255.255" and the end of the string.
#define COR_IP4_TEXT_BYTES 16

// Reads exactly four decimal numbers 0..255 with dots between them and nothing after them. False:
// the text is something else, and *address is unchanged.
bool cor_ip4_parse(const char *text, uint32_t *address);

// Writes the dotted text into `text`, which has room for COR_IP4_TEXT_BYTES, and returns it.
char *cor_ip4_text(uint32_t address, char *text);

// 224.0.0.0/4.
static inline bool cor_ip4_is_multicast(uint32_t address) {
    return (address >> 28) == 14;
}

#ifdef __cplusplus
}
#endif

#endif
