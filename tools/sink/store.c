// SPDX-License-Identifier: MIT
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char part_suffix[] = ".part";
static const char whole_suffix[] = ".bin";

int sink_store_open(struct sink_store *store, const char *path) {
    store->path = path;
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return errno;
    }
    store->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->folder < 0) {
        return errno;
    }
    if (faccessat(store->folder, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        int error = errno;

        sink_store_close(store);
        return error;
    }
    return 0;
}

void sink_store_close(struct sink_store *store) {
    if (store->path != NULL && store->folder >= 0) {
        close(store->folder);
        store->folder = -1;
    }
}

static void fail(struct sink_store *store, struct sink_file *file, int error) {
    file->state = SINK_FILE_FAILED;
    file->error = error;
    store->failed = true;
}

void sink_file_create(
    struct sink_store *store,
    struct sink_file *file,
    const char *name,
    const struct timespec *utc) {
    struct tm parts;
    char stamp[24];

    gmtime_r(&utc->tv_sec, &parts);
    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &parts);
    // A file of that name can only be from a run in the same second with the same peer and port.
    for (unsigned again = 0; again < 100; again++) {
        char tail[16] = "";

        if (again > 0) {
            snprintf(tail, sizeof(tail), "-%u", again);
        }
        snprintf(file->name, sizeof(file->name), "%s-%.80s%s%s", stamp, name, tail, part_suffix);
        file->descriptor = openat(
            store->folder, file->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file->descriptor >= 0) {
            file->state = SINK_FILE_OPEN;
            return;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    int error = errno;
    file->name[0] = '\0';
    fail(store, file, error);
}

// How much of size_bytes the caps leave.
static size_t room(
    const struct sink_store *store, const struct sink_file *file, size_t size_bytes) {
    uint64_t left = size_bytes;

    if (store->file_bytes_max > 0 && store->file_bytes_max - file->bytes < left) {
        left = store->file_bytes_max - file->bytes;
    }
    if (store->total_bytes_max > 0 && store->total_bytes_max - store->total_bytes < left) {
        left = store->total_bytes_max - store->total_bytes;
    }
    return (size_t)left;
}

void sink_file_write(
    struct sink_store *store, struct sink_file *file, const void *data, size_t size_bytes) {
    const char *at = data;
    size_t left = 0;

    if (file->state != SINK_FILE_OPEN) {
        return;
    }
    left = room(store, file, size_bytes);
    bool capped = left < size_bytes;
    while (left > 0) {
        ssize_t written = write(file->descriptor, at, left);

        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            fail(store, file, written < 0 ? errno : EIO);
            return;
        }
        at += written;
        left -= (size_t)written;
        file->bytes += (uint64_t)written;
        store->total_bytes += (uint64_t)written;
    }
    if (capped) {
        file->state = SINK_FILE_CAPPED;
    }
}

void sink_file_close(struct sink_store *store, struct sink_file *file, bool whole) {
    char target[SINK_FILE_NAME_SIZE];

    if (file->name[0] == '\0') {
        return;
    }
    if (close(file->descriptor) != 0 && file->state == SINK_FILE_OPEN) {
        fail(store, file, errno);
    }
    file->descriptor = -1;
    if (!whole || file->state != SINK_FILE_OPEN) {
        return;
    }
    int stem = (int)(strlen(file->name) - strlen(part_suffix));
    snprintf(target, sizeof(target), "%.*s%s", stem, file->name, whole_suffix);
    int done = renameat2(store->folder, file->name, store->folder, target, RENAME_NOREPLACE);
    if (done != 0 && errno == EINVAL) {
        done = renameat(store->folder, file->name, store->folder, target);  // some file systems
    }
    if (done != 0) {
        fail(store, file, errno);
        return;
    }
    memcpy(file->name, target, sizeof(target));
}
