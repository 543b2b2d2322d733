// SPDX-License-Identifier: MIT
#include "sim/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void out_of_memory(size_t count, size_t size_bytes) {
    (void)fprintf(
        stderr,
        "the twin needs %zu x %zu bytes of memory and the system has none left\n",
        count,
        size_bytes);
    abort();
}

void *twin_alloc(size_t count, size_t size_bytes) {
    void *memory = calloc(count, size_bytes);

    if (memory == NULL) {
        out_of_memory(count, size_bytes);
    }
    return memory;
}

void *twin_realloc(void *memory, size_t count, size_t size_bytes) {
    void *grown = NULL;

    if (size_bytes != 0 && count <= SIZE_MAX / size_bytes) {
        grown = realloc(memory, count * size_bytes);
    }
    if (grown == NULL) {
        out_of_memory(count, size_bytes);
    }
    return grown;
}

void twin_panic(const char *file, int line, const char *what) {
    (void)fprintf(stderr, "%s:%d: the twin is wrong: %s does not hold\n", file, line, what);
    abort();
}
