// SPDX-License-Identifier: MIT
#include "net/siphash.h"

#include "coradio/assert.h"
#include "coradio/bytes.h"

struct state {
    uint64_t v0;
    uint64_t v1;
    uint64_t v2;
    uint64_t v3;
};

static uint64_t rotate(uint64_t value, uint32_t bits) {
    return (value << bits) | (value >> (64 - bits));
}

static void mix(struct state *s, uint32_t rounds) {
    for (uint32_t i = 0; i < rounds; i++) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate(s->v1, 13) ^ s->v0;
        s->v3 = rotate(s->v3, 16) ^ s->v2;
        s->v0 = rotate(s->v0, 32) + s->v3;
        s->v2 += s->v1;
        s->v1 = rotate(s->v1, 17) ^ s->v2;
        s->v3 = rotate(s->v3, 21) ^ s->v0;
        s->v2 = rotate(s->v2, 32);
    }
}

static void absorb(struct state *s, uint64_t word) {
    s->v3 ^= word;
    mix(s, 2);
    s->v0 ^= word;
}

uint64_t cor_siphash(const uint64_t key[2], const uint8_t *data, uint32_t size_bytes) {
    // The constants are "somepseudorandomlygeneratedbytes", specified (section 2.2 of the paper).
    struct state s = {
        key[0] ^ 0x736F6D6570736575U,
        key[1] ^ 0x646F72616E646F6DU,
        key[0] ^ 0x6C7967656E657261U,
        key[1] ^ 0x7465646279746573U,
    };
    uint64_t last = (uint64_t)size_bytes << 56;

    COR_ASSERT(size_bytes <= 64);
    for (; size_bytes >= 8; size_bytes -= 8, data += 8) {
        absorb(&s, (uint64_t)cor_get_le32(data) | ((uint64_t)cor_get_le32(data + 4) << 32));
    }
    for (uint32_t i = 0; i < size_bytes; i++) {
        last |= (uint64_t)data[i] << (8 * i);
    }
    absorb(&s, last);
    s.v2 ^= 0xFF;
    mix(&s, 4);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
