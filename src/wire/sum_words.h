// SPDX-License-Identifier: MIT
// Sum words: the two inner loops of the Internet checksum, where a sender spends most of its time.
//
// sum_words.c has them in C. A port may bring its own functions of these names in place of that
// file: ports/cortex_m/sum_words.S does, with the processor's add-with-carry.
#ifndef CORADIO_WIRE_SUM_WORDS_H
#define CORADIO_WIRE_SUM_WORDS_H

#include <stdint.h>

// The one's complement sum, in the width of uintptr_t, of `count` machine words as they lie in
// memory, added to `sum`. The address is a multiple of a word.
uintptr_t cor_sum_words(const uint8_t *at, uint32_t count, uintptr_t sum);

// Copies `count` machine words and returns their sum. Both addresses are multiples of a word.
uintptr_t cor_sum_copy_words(uint8_t *target, const uint8_t *source, uint32_t count);

#endif
