// SPDX-License-Identifier: MIT
// xoshiro256** of Blackman and Vigna, seeded by splitmix64; the algorithms are in the public
// domain, this code is our own.
#include "coradio_twin/sim.h"
#include "sim/alloc.h"
#include "sim/seed.h"

// FNV-1a, 64 bit: offset basis and prime (specified: draft-eastlake-fnv).
#define FNV_BASIS 0xcbf29ce484222325u
#define FNV_PRIME 0x00000100000001b3u

static uint64_t rotate_left(uint64_t value, unsigned bits) {
    return (value << bits) | (value >> (64u - bits));
}

static uint64_t splitmix_next(uint64_t *state) {
    uint64_t mixed;

    *state += 0x9e3779b97f4a7c15u;
    mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

static uint64_t fnv_text(const char *text) {
    uint64_t hash = FNV_BASIS;

    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * FNV_PRIME;
    }
    return hash;
}

void twin_rng_init(struct twin_rng *rng, const struct twin_sim *sim, const char *name) {
    uint64_t state = twin_sim_seed(sim);

    // The seed is mixed before the name comes in, so that close seeds and close names cannot meet.
    state = splitmix_next(&state) ^ fnv_text(name);
    for (unsigned i = 0; i < 4; i++) {
        rng->state[i] = splitmix_next(&state);
    }
}

uint64_t twin_rng_next(struct twin_rng *rng) {
    uint64_t *state = rng->state;
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;

    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

uint32_t twin_rng_below(struct twin_rng *rng, uint32_t below) {
    uint32_t unfair;
    uint64_t product;

    TWIN_CHECK(below > 0);
    // The upper half of a product is uniform once the lower half is not among the few values that
    // stand for one result more often than for another.
    unfair = (0u - below) % below;
    do {
        product = (twin_rng_next(rng) >> 32) * below;
    } while ((uint32_t)product < unfair);
    return (uint32_t)(product >> 32);
}

bool twin_rng_hit(struct twin_rng *rng, uint32_t chance) {
    // Drawn in every case, so that a chance of 0 or 1 moves no later draw of the stream.
    uint32_t drawn = (uint32_t)(twin_rng_next(rng) >> 32);

    return chance == UINT32_MAX || drawn < chance;
}

uint32_t twin_chance(double probability) {
    double parts = probability * 4294967296.0 + 0.5;

    if (!(parts >= 1.0)) {  // also for a number that is none
        return 0;
    }
    return parts >= 4294967295.0 ? UINT32_MAX : (uint32_t)parts;
}
