// SPDX-License-Identifier: MIT
// Store: what arrives goes into files of the sink's own naming, within caps.
//
// A name is made of the start time, the protocol, the peer's address and port and a running
// number; nothing from the wire gets into it. A file is called .part until its stream has ended
// well and whole, then .bin. When the disk is full or a cap is reached, what arrived so far is
// kept and the rest is only counted.
#ifndef TOOLS_SINK_STORE_H
#define TOOLS_SINK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define SINK_FILE_NAME_SIZE 128

enum sink_file_state {
    SINK_FILE_NONE,  // nothing has arrived yet, or nothing is stored
    SINK_FILE_OPEN,
    SINK_FILE_CAPPED,  // the rest is not stored: --max-bytes or --max-total
    SINK_FILE_FAILED,  // the rest is not stored: the disk said no
};

struct sink_store {
    const char *path;          // of the folder; NULL: nothing is stored
    int folder;                // its descriptor
    uint64_t file_bytes_max;   // 0: no cap
    uint64_t total_bytes_max;  // 0: no cap
    uint64_t total_bytes;
    bool failed;  // some file is not whole because of the disk
};

struct sink_file {
    enum sink_file_state state;
    int descriptor;
    int error;                       // errno of SINK_FILE_FAILED
    char name[SINK_FILE_NAME_SIZE];  // in the folder, "" before the first byte
    uint64_t bytes;                  // in the file
};

// Opens the folder, making it if its parent exists. Returns 0 or an errno.
int sink_store_open(struct sink_store *store, const char *path);
void sink_store_close(struct sink_store *store);

// Makes the file of one stream. On failure the state is SINK_FILE_FAILED with the errno.
void sink_file_create(
    struct sink_store *store, struct sink_file *file, const char *name, const struct timespec *utc);

// Appends. Less than everything is kept when a cap or the disk says so; the state then changes.
void sink_file_write(
    struct sink_store *store, struct sink_file *file, const void *data, size_t size_bytes);

// Ends the file; `whole` says that its stream ended as it should.
void sink_file_close(struct sink_store *store, struct sink_file *file, bool whole);

#endif
