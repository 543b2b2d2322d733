// SPDX-License-Identifier: MIT
#include "wire/sum_words.h"

#include <string.h>

// The loops add whole machine words with the carries kept apart: one's complement addition does not
// mind the width of the words, nor, up to a swap of the result, their byte order (RFC 1071 2).
#define WORD_BYTES sizeof(uintptr_t)

// The address is known to be a multiple of the size; compilers that can be told then need no byte
// accesses where the processor has no others for unknown addresses.
#if defined(__GNUC__)
#    define ALIGNED(at) __builtin_assume_aligned((at), WORD_BYTES)
#else
#    define ALIGNED(at) (at)
#endif

struct sum {
    uintptr_t words;
    uintptr_t carries;
};

static inline void add(struct sum *sum, uintptr_t word) {
    sum->words += word;
    sum->carries += sum->words < word;
}

static inline uintptr_t load(const uint8_t *at) {
    uintptr_t word;

    memcpy(&word, ALIGNED(at), sizeof(word));
    return word;
}

// The carries come round to the low end.
static inline uintptr_t finish(const struct sum *sum) {
    uintptr_t total = sum->words + sum->carries;

    return total + (total < sum->carries);
}

uintptr_t cor_sum_words(const uint8_t *at, uint32_t count, uintptr_t sum) {
    struct sum local = {sum, 0};

    for (; count >= 8; count -= 8) {
        add(&local, load(at));
        add(&local, load(at + WORD_BYTES));
        add(&local, load(at + 2 * WORD_BYTES));
        add(&local, load(at + 3 * WORD_BYTES));
        add(&local, load(at + 4 * WORD_BYTES));
        add(&local, load(at + 5 * WORD_BYTES));
        add(&local, load(at + 6 * WORD_BYTES));
        add(&local, load(at + 7 * WORD_BYTES));
        at += 8 * WORD_BYTES;
    }
    for (; count > 0; count--) {
        add(&local, load(at));
        at += WORD_BYTES;
    }
    return finish(&local);
}

uintptr_t cor_sum_copy_words(uint8_t *target, const uint8_t *source, uint32_t count) {
    struct sum local = {0, 0};

    for (; count > 0; count--) {
        uintptr_t word = load(source);

        memcpy(ALIGNED(target), &word, sizeof(word));
        add(&local, word);
        source += WORD_BYTES;
        target += WORD_BYTES;
    }
    return finish(&local);
}
