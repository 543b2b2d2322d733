// SPDX-License-Identifier: MIT
#include "source_file.h"

#include "common/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The error is one line: what, why, what to try.
static int32_t fail(struct source_file *file, const char *why, const char *advice) {
    snprintf(file->error, sizeof(file->error), "%s: %s; %s", file->path, why, advice);
    return COR_E_SOURCE;
}

static int32_t file_read(struct cor_source *source, uint8_t *into, uint32_t room_bytes) {
    struct source_file *file = (struct source_file *)source;
    uint64_t left = file->size_bytes - file->given_bytes;
    ssize_t got;

    if (left == 0) {
        return 0;
    }
    if (room_bytes > left) {
        room_bytes = (uint32_t)left;
    }
    do {
        got = read(file->descriptor, into, room_bytes);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return fail(file, strerror(errno), "check the medium it lies on");
    }
    if (got == 0) {
        char why[100];

        snprintf(
            why,
            sizeof(why),
            "ended after %llu of %llu bytes",
            (unsigned long long)file->given_bytes,
            (unsigned long long)file->size_bytes);
        return fail(file, why, "send it when it is complete, or ask for fewer with --bytes");
    }
    sha256_add(file->digest, into, (size_t)got);
    file->given_bytes += (uint64_t)got;
    return (int32_t)got;
}

static bool measure(struct source_file *file, uint64_t limit_bytes) {
    struct stat info;

    if (fstat(file->descriptor, &info) != 0) {
        (void)fail(file, strerror(errno), "name a readable file");
        return false;
    }
    if (S_ISDIR(info.st_mode)) {
        (void)fail(file, "is a folder", "name a file");
        return false;
    }
    if (S_ISREG(info.st_mode)) {
        file->size_bytes = (uint64_t)info.st_size;
    } else if (limit_bytes == 0) {
        (void)fail(file, "has no size of its own", "say how much to send with --bytes");
        return false;
    } else {
        file->size_bytes = limit_bytes;
    }
    if (file->size_bytes == 0) {
        (void)fail(file, "is empty, nothing to send", "name a file with content");
        return false;
    }
    if (limit_bytes > file->size_bytes) {
        char why[100];

        snprintf(why, sizeof(why), "holds only %llu bytes", (unsigned long long)file->size_bytes);
        (void)fail(file, why, "ask for no more with --bytes");
        return false;
    }
    if (limit_bytes != 0) {
        file->size_bytes = limit_bytes;
    }
    return true;
}

bool source_file_open(struct source_file *file, const char *path, uint64_t limit_bytes) {
    static const struct cor_source_ops ops = {.read = file_read};

    _Static_assert(offsetof(struct source_file, source) == 0, "the seam is cast to the file");
    memset(file, 0, sizeof(*file));
    file->source.ops = &ops;
    file->path = path;
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0) {
        (void)fail(file, strerror(errno), "name a file that exists and may be read");
        return false;
    }
    if (!measure(file, limit_bytes)) {
        close(file->descriptor);
        return false;
    }
    file->digest = sha256_new();
    if (file->digest == NULL) {
        (void)fail(file, "no memory for its checksum", "free some");
        close(file->descriptor);
        return false;
    }
    return true;
}

void source_file_close(struct source_file *file) {
    close(file->descriptor);
    sha256_free(file->digest);
}
