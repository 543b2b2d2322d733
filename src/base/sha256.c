// SPDX-License-Identifier: MIT
#include "coradio/sha256.h"

#include <string.h>

#include "coradio/bytes.h"

#define LENGTH_AT 56u  // where the length in bits stands in the last block

// Specified: FIPS 180-4, 4.2.2.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t word, unsigned bits) {
    return (word >> bits) | (word << (32 - bits));
}

// Specified: FIPS 180-4, 6.2.2. The message schedule is kept to its last 16 words.
static void compress(uint32_t state[8], const uint8_t *block) {
    uint32_t w[16];
    uint32_t v[8];

    memcpy(v, state, sizeof(v));
    for (unsigned i = 0; i < 64; i++) {
        uint32_t *word = &w[i % 16];
        uint32_t early;
        uint32_t late;

        if (i < 16) {
            *word = cor_get_be32(block + (size_t)4 * i);
        } else {
            early = w[(i + 1) % 16];
            late = w[(i + 14) % 16];
            *word += (turn(early, 7) ^ turn(early, 18) ^ (early >> 3)) + w[(i + 9) % 16] +
                     (turn(late, 17) ^ turn(late, 19) ^ (late >> 10));
        }
        early = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
                ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + *word;
        late = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
               ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof(*v));
        v[4] += early;
        v[0] = early + late;
    }
    for (unsigned i = 0; i < 8; i++) {
        state[i] += v[i];
    }
}

void cor_sha256_init(struct cor_sha256 *sha256) {
    // Specified: FIPS 180-4, 5.3.3.
    static const uint32_t start[8] = {
        0x6a09e667,
        0xbb67ae85,
        0x3c6ef372,
        0xa54ff53a,
        0x510e527f,
        0x9b05688c,
        0x1f83d9ab,
        0x5be0cd19,
    };

    memcpy(sha256->state, start, sizeof(start));
    sha256->size_bytes = 0;
}

void cor_sha256_add(struct cor_sha256 *sha256, const uint8_t *data, uint32_t size_bytes) {
    uint32_t used = (uint32_t)(sha256->size_bytes % COR_SHA256_BLOCK_BYTES);

    sha256->size_bytes += size_bytes;
    while (size_bytes > 0) {
        uint32_t part = COR_SHA256_BLOCK_BYTES - used;

        part = part < size_bytes ? part : size_bytes;
        memcpy(sha256->block + used, data, part);
        data += part;
        size_bytes -= part;
        used += part;
        if (used == COR_SHA256_BLOCK_BYTES) {
            compress(sha256->state, sha256->block);
            used = 0;
        }
    }
}

void cor_sha256_end(struct cor_sha256 *sha256, uint8_t digest[COR_SHA256_BYTES]) {
    uint64_t bits = sha256->size_bytes * 8;
    uint32_t used = (uint32_t)(sha256->size_bytes % COR_SHA256_BLOCK_BYTES);

    sha256->block[used++] = 0x80;
    if (used > LENGTH_AT) {
        memset(sha256->block + used, 0, COR_SHA256_BLOCK_BYTES - used);
        compress(sha256->state, sha256->block);
        used = 0;
    }
    memset(sha256->block + used, 0, LENGTH_AT - used);
    cor_put_be32(sha256->block + LENGTH_AT, (uint32_t)(bits >> 32));
    cor_put_be32(sha256->block + LENGTH_AT + 4, (uint32_t)bits);
    compress(sha256->state, sha256->block);
    for (unsigned i = 0; i < 8; i++) {
        cor_put_be32(digest + (size_t)4 * i, sha256->state[i]);
    }
    memset(sha256, 0, sizeof(*sha256));
}

// One of the two hashes of RFC 2104: over the key with each byte changed, and the text.
static void hash_keyed(
    const uint8_t key[COR_SHA256_BLOCK_BYTES],
    uint8_t change,
    const uint8_t *text,
    uint32_t text_bytes,
    uint8_t digest[COR_SHA256_BYTES]) {
    struct cor_sha256 sha256;
    uint8_t changed[COR_SHA256_BLOCK_BYTES];

    for (unsigned i = 0; i < COR_SHA256_BLOCK_BYTES; i++) {
        changed[i] = key[i] ^ change;
    }
    cor_sha256_init(&sha256);
    cor_sha256_add(&sha256, changed, sizeof(changed));
    cor_sha256_add(&sha256, text, text_bytes);
    cor_sha256_end(&sha256, digest);
}

void cor_hmac_sha256(
    const uint8_t *key,
    uint32_t key_bytes,
    const uint8_t *message,
    uint32_t message_bytes,
    uint8_t digest[COR_SHA256_BYTES]) {
    uint8_t padded[COR_SHA256_BLOCK_BYTES] = {0};
    struct cor_sha256 sha256;

    if (key_bytes > sizeof(padded)) {
        cor_sha256_init(&sha256);
        cor_sha256_add(&sha256, key, key_bytes);
        cor_sha256_end(&sha256, padded);
    } else {
        memcpy(padded, key, key_bytes);
    }
    // Specified: RFC 2104, section 2: ipad 0x36, opad 0x5C.
    hash_keyed(padded, 0x36, message, message_bytes, digest);
    hash_keyed(padded, 0x5C, digest, COR_SHA256_BYTES, digest);
}

bool cor_sha256_equal(const uint8_t left[COR_SHA256_BYTES], const uint8_t right[COR_SHA256_BYTES]) {
    uint8_t differ = 0;

    for (unsigned i = 0; i < COR_SHA256_BYTES; i++) {
        differ |= left[i] ^ right[i];
    }
    return differ == 0;
}
