// SPDX-License-Identifier: MIT
// Replay: runs a fuzz target over a corpus without a fuzzer, in the normal test run.
//
//     fuzz_NAME [FILE...]     files: *.vec are golden vectors, all others one input each
//
// Of each input it also tries every prefix, and every byte set to each of a few nasty values.
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define INPUT_BYTES_MAX 4096u

static unsigned long runs;

// In memory of just its size, so that the sanitizer sees each byte too far.
static void run(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size != 0 ? size : 1);

    if (copy == NULL) {
        abort();
    }
    if (size != 0) {
        memcpy(copy, data, size);
    }
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    runs++;
}

static void run_around(uint8_t *data, size_t size) {
    static const uint8_t nasty[] = {0x00, 0x01, 0x3F, 0x40, 0x7F, 0x80, 0xC0, 0xFF};

    for (size_t n = 0; n <= size; n++) {
        run(data, n);
    }
    for (size_t i = 0; i < size; i++) {
        uint8_t kept = data[i];

        for (size_t k = 0; k < sizeof(nasty); k++) {
            data[i] = nasty[k];
            run(data, size);
        }
        data[i] = kept;
    }
}

static void run_vectors(FILE *file) {
    static char line[3 * INPUT_BYTES_MAX + 128];
    static uint8_t data[INPUT_BYTES_MAX];

    while (fgets(line, sizeof(line), file) != NULL) {
        char *at = strchr(line, ':');
        size_t size = 0;

        if (line[0] == '#' || at == NULL) {
            continue;
        }
        for (at++; size < sizeof(data); size++) {
            char *end;
            unsigned long byte = strtoul(at, &end, 16);

            if (end == at) {
                break;
            }
            data[size] = (uint8_t)byte;
            at = end;
        }
        run_around(data, size);
    }
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        static uint8_t data[INPUT_BYTES_MAX];
        FILE *file = fopen(argv[i], "rb");
        const char *dot = strrchr(argv[i], '.');

        if (file == NULL) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 3;
        }
        if (dot != NULL && strcmp(dot, ".vec") == 0) {
            run_vectors(file);
        } else {
            run_around(data, fread(data, 1, sizeof(data), file));
        }
        fclose(file);
    }
    printf("%lu inputs\n%d passed, %d failed\n", runs, runs > 0, runs == 0);
    return runs > 0 ? 0 : 1;
}
