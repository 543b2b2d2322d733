// SPDX-License-Identifier: MIT
#include "coradio_twin/outside.h"

#include "sim/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FRAMES_A_POLL      64u  // taken at a time, so that time goes on under load
#define ETHERNET_BYTES_MIN 14
#define ETHERNET_BYTES_MAX 1514

struct twin_outside {
    struct twin_outside_config config;
    struct twin_outside_counters counters;
    int fd;
    bool socket;
    bool bound;
    struct sockaddr_un local;
    struct sockaddr_un remote;
    socklen_t remote_bytes;  // 0: nobody has sent yet
};

// ---- opening

static bool open_tap(struct twin_outside *outside, char error[256]) {
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};

    if (strlen(outside->config.tap) >= sizeof(request.ifr_name)) {
        snprintf(error, 256, "%.60s: too long for the name of a TAP device", outside->config.tap);
        return false;
    }
    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", outside->config.tap);
    outside->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (outside->fd < 0 || ioctl(outside->fd, TUNSETIFF, &request) != 0) {
        snprintf(
            error,
            256,
            "TAP device %s: %s; make one that is yours: ip tuntap add %s mode tap user $USER",
            outside->config.tap,
            strerror(errno),
            outside->config.tap);
        return false;
    }
    return true;
}

static bool set_path(struct sockaddr_un *address, const char *path, char error[256]) {
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof(address->sun_path)) {
        snprintf(error, 256, "%.120s: too long for the path of a socket", path);
        return false;
    }
    snprintf(address->sun_path, sizeof(address->sun_path), "%s", path);
    return true;
}

// A socket that a run before this one has left is in the way; any other file is not touched.
static void clear_way(const char *path) {
    struct stat there;

    if (lstat(path, &there) == 0 && S_ISSOCK(there.st_mode)) {
        (void)unlink(path);
    }
}

static bool open_socket(struct twin_outside *outside, char error[256]) {
    const struct twin_outside_config *config = &outside->config;

    outside->socket = true;
    if (!set_path(&outside->local, config->local, error) ||
        (config->remote != NULL && !set_path(&outside->remote, config->remote, error))) {
        return false;
    }
    outside->remote_bytes = config->remote != NULL ? sizeof(outside->remote) : 0;
    clear_way(config->local);
    outside->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (outside->fd < 0 ||
        bind(outside->fd, (struct sockaddr *)&outside->local, sizeof(outside->local)) != 0) {
        snprintf(error, 256, "socket %.120s: %s", config->local, strerror(errno));
        return false;
    }
    outside->bound = true;
    return true;
}

struct twin_outside *twin_outside_new(const struct twin_outside_config *config, char error[256]) {
    struct twin_outside *outside = twin_alloc(1, sizeof(*outside));

    outside->config = *config;  // its texts are read here only
    outside->fd = -1;
    if (config->tap != NULL ? open_tap(outside, error) : open_socket(outside, error)) {
        return outside;
    }
    twin_outside_free(outside);
    return NULL;
}

void twin_outside_free(struct twin_outside *outside) {
    if (outside == NULL) {
        return;
    }
    if (outside->fd >= 0) {
        (void)close(outside->fd);
    }
    if (outside->bound) {
        (void)unlink(outside->local.sun_path);
    }
    free(outside);
}

// ---- frames

static void input(void *context, struct twin_frame *frame) {
    struct twin_outside *outside = context;
    ssize_t sent = -1;

    if (!outside->socket) {
        sent = write(outside->fd, frame->data, frame->size_bytes);
    } else if (outside->remote_bytes != 0) {
        sent = sendto(
            outside->fd,
            frame->data,
            frame->size_bytes,
            0,
            (struct sockaddr *)&outside->remote,
            outside->remote_bytes);
    }
    if (sent == (ssize_t)frame->size_bytes) {
        outside->counters.frames_out++;
    } else {
        outside->counters.dropped_out++;
    }
    twin_frame_put(outside->config.frames, frame);
}

struct twin_port twin_outside_port(struct twin_outside *outside) {
    return (struct twin_port){.input = input, .context = outside};
}

static ssize_t take(struct twin_outside *outside, uint8_t *data, size_t room_bytes) {
    struct sockaddr_un from;
    socklen_t from_bytes = sizeof(from);
    ssize_t size_bytes;

    if (!outside->socket) {
        return read(outside->fd, data, room_bytes);
    }
    size_bytes =
        recvfrom(outside->fd, data, room_bytes, MSG_TRUNC, (struct sockaddr *)&from, &from_bytes);
    // A sender without a path of its own cannot be answered.
    if (size_bytes >= 0 && outside->config.remote == NULL &&
        from_bytes > offsetof(struct sockaddr_un, sun_path)) {
        outside->remote = from;
        outside->remote_bytes = from_bytes;
    }
    return size_bytes;
}

void twin_outside_poll(struct twin_outside *outside, uint32_t timeout_ms) {
    struct pollfd wait = {.fd = outside->fd, .events = POLLIN};

    if (poll(&wait, 1, (int)timeout_ms) <= 0) {
        return;
    }
    for (uint32_t i = 0; i < FRAMES_A_POLL; i++) {
        struct twin_frame *frame = twin_frame_get(outside->config.frames);
        ssize_t size_bytes = take(outside, frame->data, sizeof(frame->data));

        if (size_bytes >= ETHERNET_BYTES_MIN && size_bytes <= ETHERNET_BYTES_MAX) {
            frame->size_bytes = (uint32_t)size_bytes;
            outside->counters.frames_in++;
            outside->config.wire.input(outside->config.wire.context, frame);
            continue;
        }
        twin_frame_put(outside->config.frames, frame);
        if (size_bytes < 0) {
            return;
        }
        outside->counters.dropped_in++;
    }
}

void twin_outside_get_counters(
    const struct twin_outside *outside, struct twin_outside_counters *counters) {
    *counters = outside->counters;
}
