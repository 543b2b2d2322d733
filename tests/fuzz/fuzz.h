// SPDX-License-Identifier: MIT
// Fuzz: what the targets share. Each target is one file with the entry point of libFuzzer, which
// AFL++ takes too; replay.c runs it in the normal test run.
#ifndef CORADIO_FUZZ_H
#define CORADIO_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition) ((condition) ? (void)0 : abort())

// Reads every byte, so that the sanitizer sees one that is not there.
static inline void fuzz_touch(const uint8_t *data, size_t size) {
    static volatile uint8_t sum;

    for (size_t i = 0; i < size; i++) {
        sum = (uint8_t)(sum + data[i]);
    }
}

#endif
