// SPDX-License-Identifier: MIT
// Checksum: the Internet checksum (RFC 1071), as sums that can be kept and added.
//
// A sum is the folded 16-bit one's complement sum of 16-bit words in network order, not yet
// complemented: cor_sum_bytes() of {0x12, 0x34} is 0x1234. Sums of blocks add up as long as each
// block starts at an even byte of the whole; cor_sum_odd() moves one that starts at an odd byte.
// Nothing is read outside the bytes given, nor at an address that is not a multiple of its size.
#ifndef CORADIO_CHECKSUM_H
#define CORADIO_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

// The sum of a block of bytes at any address; a last odd byte counts as the high half of a word.
uint16_t cor_sum_bytes(const uint8_t *data, uint32_t size_bytes);

// Copies a block and returns its sum: one pass where both addresses have the same alignment.
uint16_t cor_sum_copy(uint8_t *target, const uint8_t *source, uint32_t size_bytes);

// Folds a 32-bit total of sums and 16-bit words to 16 bits.
static inline uint16_t cor_sum_fold(uint32_t total) {
    total = (total & 0xFFFFU) + (total >> 16);
    return (uint16_t)(total + (total >> 16));
}

// The sum of a 32-bit field, unfolded, to be added to a 32-bit total.
static inline uint32_t cor_sum_u32(uint32_t value) {
    return (value >> 16) + (value & 0xFFFFU);
}

// What the sum of a block counts for when the block starts at an odd byte of the whole.
static inline uint16_t cor_sum_odd(uint16_t sum) {
    return (uint16_t)((sum << 8) | (sum >> 8));
}

// Is the total of a packet, checksum included, right? Then it is all ones.
static inline bool cor_sum_is_right(uint32_t total) {
    return cor_sum_fold(total) == 0xFFFFU;
}

#ifdef __cplusplus
}
#endif

#endif
