// SPDX-License-Identifier: MIT
#include "attach.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int attach_unix(struct cor_tap *tap, const char *path, struct cor_frame_source *source) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    int error;

    if (fd < 0) {
        return errno;
    }
    error = length < sizeof(address.sun_path) ? 0 : ENAMETOOLONG;
    if (error == 0) {
        memcpy(address.sun_path, path, length);
        error = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : errno;
    }
    if (error == 0) {
        error = cor_tap_attach(tap, fd, source);
    }
    if (error != 0) {
        close(fd);
    }
    return error;
}
