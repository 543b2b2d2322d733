// SPDX-License-Identifier: MIT
#include "coradio/checksum.h"

#include "wire/sum_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef uintptr_t sum_word;

#define WORD_BYTES sizeof(sum_word)

struct sum {
    sum_word words;
    sum_word carries;
};

static inline void add(struct sum *sum, sum_word word) {
    sum->words += word;
    sum->carries += sum->words < word;
}

// The address is known to be a multiple of the size; compilers that can be told then need no byte
// accesses where the processor has no others for unknown addresses.
#if defined(__GNUC__)
#    define ALIGNED(at, type) __builtin_assume_aligned((at), sizeof(type))
#else
#    define ALIGNED(at, type) (at)
#endif

static inline uint32_t load_32(const uint8_t *at) {
    uint32_t word;

    memcpy(&word, ALIGNED(at, uint32_t), sizeof(word));
    return word;
}

static inline uint16_t load_16(const uint8_t *at) {
    uint16_t word;

    memcpy(&word, ALIGNED(at, uint16_t), sizeof(word));
    return word;
}

// A byte as the first (place 0) or second half of a 16-bit word in memory.
static inline uint16_t load_8(const uint8_t *at, uint32_t place) {
    uint8_t bytes[2] = {0, 0};
    uint16_t word;

    bytes[place] = *at;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static inline uint32_t address_bit(const uint8_t *at, uint32_t bit) {
    return (uint32_t)((uintptr_t)at & bit);
}

// Folds to 16 bits, and turns from memory order to network order.
static inline uint16_t finish(const struct sum *sum) {
    const uint16_t probe = 1;
    sum_word words = sum->words;
    uint32_t total = (uint32_t)sum->carries;
    uint8_t first;

    for (size_t i = 0; i < WORD_BYTES / 2; i++) {
        total += (uint32_t)(words & 0xFFFF);
        words >>= 16;
    }
    total = (total & 0xFFFF) + (total >> 16);
    uint16_t folded = cor_sum_fold(total);
    memcpy(&first, &probe, 1);
    return first == 1 ? cor_sum_odd(folded) : folded;
}

// What is left after the last whole word, at an address that is a multiple of WORD_BYTES.
static inline void add_tail(struct sum *sum, const uint8_t *data, uint32_t size_bytes) {
    if (WORD_BYTES > 4 && (size_bytes & 4) != 0) {
        add(sum, load_32(data));
        data += 4;
    }
    if ((size_bytes & 2) != 0) {
        add(sum, load_16(data));
        data += 2;
    }
    if ((size_bytes & 1) != 0) {
        add(sum, load_8(data, 0));
    }
}

// At any address and of any size.
static uint16_t sum_ragged(const uint8_t *data, uint32_t size_bytes) {
    struct sum sum = {0, 0};
    bool odd = address_bit(data, 1) != 0;

    if (odd && size_bytes >= 1) {
        add(&sum, load_8(data, 1));
        data += 1;
        size_bytes -= 1;
    }
    if (address_bit(data, 2) != 0 && size_bytes >= 2) {
        add(&sum, load_16(data));
        data += 2;
        size_bytes -= 2;
    }
    if (WORD_BYTES > 4 && address_bit(data, 4) != 0 && size_bytes >= 4) {
        add(&sum, load_32(data));
        data += 4;
        size_bytes -= 4;
    }
    if (size_bytes >= WORD_BYTES) {
        uint32_t count = size_bytes / (uint32_t)WORD_BYTES;

        sum.words = cor_sum_words(data, count, sum.words);
        data += count * WORD_BYTES;
    }
    // Fewer bytes than the steps above wanted may be left at an address that is only even.
    add_tail(&sum, data, size_bytes % (uint32_t)WORD_BYTES);
    // The words were taken as they lie in memory; a block at an odd address stands swapped in them.
    return odd ? cor_sum_odd(finish(&sum)) : finish(&sum);
}

uint16_t cor_sum_bytes(const uint8_t *data, uint32_t size_bytes) {
    struct sum sum = {0, 0};

    // Segments of a stream are whole words but for its end.
    if ((address_bit(data, WORD_BYTES - 1) | (size_bytes % WORD_BYTES)) != 0) {
        return sum_ragged(data, size_bytes);
    }
    sum.words = cor_sum_words(data, size_bytes / (uint32_t)WORD_BYTES, 0);
    return finish(&sum);
}

uint16_t cor_sum_copy(uint8_t *target, const uint8_t *source, uint32_t size_bytes) {
    struct sum sum = {0, 0};
    uint32_t tail = size_bytes % (uint32_t)WORD_BYTES;

    if (address_bit(target, WORD_BYTES - 1) != 0 || address_bit(source, WORD_BYTES - 1) != 0) {
        memcpy(target, source, size_bytes);
        return cor_sum_bytes(target, size_bytes);
    }
    uint32_t count = size_bytes / (uint32_t)WORD_BYTES;
    sum.words = cor_sum_copy_words(target, source, count);
    source += count * WORD_BYTES;
    target += count * WORD_BYTES;
    memcpy(target, source, tail);
    add_tail(&sum, source, tail);
    return finish(&sum);
}
