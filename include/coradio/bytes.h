// SPDX-License-Identifier: MIT
// Byte order: multi-byte fields of a wire format, read and written at any alignment.
#ifndef CORADIO_BYTES_H
#define CORADIO_BYTES_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint16_t cor_get_le16(const uint8_t *at) {
    return (uint16_t)(at[0] | (at[1] << 8));
}

static inline uint32_t cor_get_le32(const uint8_t *at) {
    return (uint32_t)at[0] | ((uint32_t)at[1] << 8) | ((uint32_t)at[2] << 16) |
           ((uint32_t)at[3] << 24);
}

static inline void cor_put_le16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void cor_put_le32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

// Four bytes as they lie in memory: to compare them with others, and to sum them.
static inline uint32_t cor_get_native32(const uint8_t *at) {
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

// Big-endian fields stand in every header of the hot path. Where the compiler has a byte swap, a
// field is one load or store and one swap on processors that reach any address, and bytes on
// others.
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

static inline uint16_t cor_get_be16(const uint8_t *at) {
    uint16_t value;

    memcpy(&value, at, sizeof(value));
    return __builtin_bswap16(value);
}

static inline uint32_t cor_get_be32(const uint8_t *at) {
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return __builtin_bswap32(value);
}

static inline void cor_put_be16(uint8_t *at, uint16_t value) {
    value = __builtin_bswap16(value);
    memcpy(at, &value, sizeof(value));
}

static inline void cor_put_be32(uint8_t *at, uint32_t value) {
    value = __builtin_bswap32(value);
    memcpy(at, &value, sizeof(value));
}

#else

static inline uint16_t cor_get_be16(const uint8_t *at) {
    return (uint16_t)((at[0] << 8) | at[1]);
}

static inline uint32_t cor_get_be32(const uint8_t *at) {
    return ((uint32_t)at[0] << 24) | ((uint32_t)at[1] << 16) | ((uint32_t)at[2] << 8) |
           (uint32_t)at[3];
}

static inline void cor_put_be16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void cor_put_be32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
