// SPDX-License-Identifier: MIT
// Source file: the source seam on a file of this machine, with the SHA-256 of what it gave.
#ifndef RUN_SOURCE_FILE_H
#define RUN_SOURCE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/source.h"

struct source_file {
    struct cor_source source;  // hand this one to the application
    const char *path;
    int descriptor;
    uint64_t size_bytes;    // promised: what the file held at the start, or the part asked for
    uint64_t given_bytes;   // read so far
    char error[200];        // one line, set where read() returned COR_E_SOURCE
    struct sha256 *digest;  // of the bytes given so far
};

// Opens the file. limit_bytes 0: all of it. False: error[] says why; nothing is to be closed.
bool source_file_open(struct source_file *file, const char *path, uint64_t limit_bytes);
void source_file_close(struct source_file *file);

#endif
