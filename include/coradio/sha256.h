// SPDX-License-Identifier: MIT
// SHA-256 and HMAC-SHA-256, small: for proofs of a secret, not for bulk data.
//
// Specified: FIPS 180-4 (SHA-256) and RFC 2104 (HMAC). About 100 cycles a byte on a Cortex-M; the
// work for one block of 64 bytes is the bound of one call for each block given.
#ifndef CORADIO_SHA256_H
#define CORADIO_SHA256_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COR_SHA256_BYTES       32u
#define COR_SHA256_BLOCK_BYTES 64u

struct cor_sha256 {
    uint32_t state[8];
    uint64_t size_bytes;
    uint8_t block[COR_SHA256_BLOCK_BYTES];
};

void cor_sha256_init(struct cor_sha256 *sha256);
void cor_sha256_add(struct cor_sha256 *sha256, const uint8_t *data, uint32_t size_bytes);
// Writes the digest; the state is used up and overwritten with zeros.
void cor_sha256_end(struct cor_sha256 *sha256, uint8_t digest[COR_SHA256_BYTES]);

// The HMAC of a message. A key of any length; keys over 64 bytes are hashed first.
void cor_hmac_sha256(
    const uint8_t *key,
    uint32_t key_bytes,
    const uint8_t *message,
    uint32_t message_bytes,
    uint8_t digest[COR_SHA256_BYTES]);

// Compares digests in a time that does not tell where they differ.
bool cor_sha256_equal(const uint8_t left[COR_SHA256_BYTES], const uint8_t right[COR_SHA256_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
