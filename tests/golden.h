// SPDX-License-Identifier: MIT
// Golden vectors: lines "name: hex bytes" of the files in tests/golden, and a copy of a vector that
// ends at a page nobody may read, so that a parser that reads too far stops the test.
#ifndef CORADIO_TEST_GOLDEN_H
#define CORADIO_TEST_GOLDEN_H

#include "test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define GOLDEN_BYTES_MAX 2048u

// Bytes of the vector, which must be there.
static inline uint32_t golden_read(const char *file, const char *name, uint8_t *bytes) {
    char line[3 * GOLDEN_BYTES_MAX + 128];
    char path[256];
    size_t name_size = strlen(name);
    uint32_t count = 0;
    bool found = false;

    snprintf(path, sizeof(path), "tests/golden/%s", file);
    FILE *vectors = fopen(path, "r");

    CHECK(vectors != NULL);
    while (!found && fgets(line, sizeof(line), vectors) != NULL) {
        found = strncmp(line, name, name_size) == 0 && line[name_size] == ':';
    }
    fclose(vectors);
    CHECK(found);
    for (char *at = line + name_size + 1;; count++) {
        char *end;
        unsigned long byte = strtoul(at, &end, 16);

        if (end == at) {
            break;
        }
        CHECK(byte <= 0xFF && count < GOLDEN_BYTES_MAX);
        bytes[count] = (uint8_t)byte;
        at = end;
    }
    CHECK(count > 0);
    return count;
}

// Two pages, the second one not to be touched.
struct guard {
    uint8_t *pages;
    size_t page_bytes;
};

static inline struct guard guard_open(void) {
    struct guard guard = {.page_bytes = (size_t)sysconf(_SC_PAGESIZE)};

    guard.pages = mmap(
        NULL, 2 * guard.page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(guard.pages != MAP_FAILED);
    CHECK_EQ(mprotect(guard.pages + guard.page_bytes, guard.page_bytes, PROT_NONE), 0);
    return guard;
}

static inline uint8_t *guard_copy(
    const struct guard *guard, const uint8_t *bytes, uint32_t size_bytes) {
    uint8_t *copy = guard->pages + guard->page_bytes - size_bytes;

    if (size_bytes > 0) {
        memcpy(copy, bytes, size_bytes);
    }
    return copy;
}

static inline void guard_close(struct guard *guard) {
    munmap(guard->pages, 2 * guard->page_bytes);
}

#endif
