// SPDX-License-Identifier: MIT
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "coradio/assert.h"

#define PAD_BYTES 2

static uint8_t *head_of(struct cor_tap *tap) {
    return (uint8_t *)tap->head_words + PAD_BYTES;
}

// --- Opening ---

int cor_tap_device(const char *name, int *fd) {
    struct ifreq request;
    int error;

    memset(&request, 0, sizeof(request));
    if (strlen(name) >= sizeof(request.ifr_name)) {
        return ENAMETOOLONG;
    }
    memcpy(request.ifr_name, name, strlen(name));
    // No packet information in front: a read is an Ethernet frame and nothing else.
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    *fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0) {
        return errno;
    }
    if (ioctl(*fd, TUNSETIFF, &request) != 0) {
        error = errno;
        close(*fd);
        *fd = -1;
        return error;
    }
    return 0;
}

// A socket that hears of every change of an interface in this network namespace.
static int open_link_socket(int *fd) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};

    *fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (*fd < 0) {
        return errno;
    }
    if (bind(*fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        int error = errno;

        close(*fd);
        *fd = -1;
        return error;
    }
    return 0;
}

static void prepare(struct cor_tap *tap, struct cor_frame_source *source) {
    memset(tap, 0, sizeof(*tap));
    tap->source = source;
    tap->fd = -1;
    tap->link_fd = -1;
}

int cor_tap_open(struct cor_tap *tap, const char *name, struct cor_frame_source *source) {
    int error;

    prepare(tap, source);
    error = open_link_socket(&tap->link_fd);
    if (error == 0) {
        error = cor_tap_device(name, &tap->fd);
    }
    if (error != 0 && tap->link_fd >= 0) {
        close(tap->link_fd);
        tap->link_fd = -1;
    }
    return error;
}

int cor_tap_attach(struct cor_tap *tap, int fd, struct cor_frame_source *source) {
    int type = 0;
    socklen_t type_bytes = sizeof(type);
    int flags = fcntl(fd, F_GETFL);

    prepare(tap, source);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_bytes) != 0) {
        if (errno != ENOTSOCK) {
            return errno;
        }
    } else if (type != SOCK_SEQPACKET && type != SOCK_DGRAM) {
        return EPROTOTYPE;
    }
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        return errno;
    }
    tap->eof_ends = type == SOCK_SEQPACKET;
    tap->fd = fd;
    return 0;
}

// --- Link ---

// Asks the interface itself, under whatever name and in whatever namespace it is now. Up is what
// the administrator wants; running says that the kernel has seen our end of the cable, which it
// does a moment after we have opened it. Until then it would drop what it has to send.
static bool interface_up(const struct cor_tap *tap) {
    struct ifreq request;

    if (tap->link_fd < 0) {
        return true;
    }
    memset(&request, 0, sizeof(request));
    if (ioctl(tap->fd, TUNGETIFF, &request) != 0 ||
        ioctl(tap->link_fd, SIOCGIFFLAGS, &request) != 0) {
        return false;
    }
    return (request.ifr_flags & IFF_UP) != 0 && (request.ifr_flags & IFF_RUNNING) != 0;
}

// A frame that can no longer be written: as far as the source is concerned it has left.
static void drop_kept(struct cor_tap *tap, uint64_t now_us) {
    if (tap->frame_kept) {
        tap->frame_kept = false;
        tap->counters.drop_send_link++;
        tap->source->ops->sent(tap->source, now_us, tap->tx.token);
    }
}

static void set_link(struct cor_tap *tap, uint64_t now_us, bool up) {
    if (up == tap->link_up) {
        return;
    }
    tap->link_up = up;
    tap->counters.link_changes++;
    if (!up) {
        drop_kept(tap, now_us);
    }
    tap->source->ops->link(tap->source, now_us, up);
}

static void leave(struct cor_tap *tap, uint64_t now_us) {
    tap->gone = true;
    set_link(tap, now_us, false);
}

void cor_tap_start(struct cor_tap *tap, uint64_t now_us) {
    set_link(tap, now_us, !tap->gone && interface_up(tap));
}

void cor_tap_link(struct cor_tap *tap, uint64_t now_us) {
    uint8_t message[4096];

    if (tap->link_fd < 0 || tap->gone) {
        return;
    }
    // What the messages say is not looked at: the interface is asked, so that a message lost in a
    // full socket (ENOBUFS) makes no difference. COR_TAP_FRAMES_MAX only bounds the loop.
    for (uint32_t i = 0; i < COR_TAP_FRAMES_MAX; i++) {
        if (recv(tap->link_fd, message, sizeof(message), 0) < 0 && errno != ENOBUFS) {
            break;
        }
    }
    set_link(tap, now_us, interface_up(tap));
}

// --- Frames in ---

// True: the descriptor is of no use any more. EBADFD: the device was deleted.
static bool ends(int error) {
    return error == EPIPE || error == ECONNRESET || error == ECONNREFUSED || error == ENOTCONN ||
           error == EBADFD || error == EBADF;
}

// Returns false when there is nothing more to read.
static bool receive_one(struct cor_tap *tap, uint64_t now_us) {
    uint8_t *frame = (uint8_t *)tap->receive_words + PAD_BYTES;
    // One byte more than a frame has, to tell those that are too long.
    ssize_t size = read(tap->fd, frame, COR_FRAME_BYTES_MAX + 1);

    if (size < 0) {
        int error = errno;

        if (ends(error)) {
            leave(tap, now_us);
        }
        return error == EINTR;
    }
    if (size == 0 && tap->eof_ends) {
        leave(tap, now_us);
        return false;
    }
    if (size > COR_FRAME_BYTES_MAX) {
        tap->counters.drop_receive_long++;
        return true;
    }
    tap->counters.frames_received++;
    tap->counters.bytes_received += (uint64_t)size;
    tap->counters.payload_received +=
        tap->source->ops->input(tap->source, now_us, frame, (uint32_t)size);
    return true;
}

uint32_t cor_tap_receive(struct cor_tap *tap, uint64_t now_us) {
    uint32_t count = 0;

    while (count < COR_TAP_FRAMES_MAX && !tap->gone && receive_one(tap, now_us)) {
        count++;
    }
    return count;
}

// --- Frames out ---

enum written { WRITTEN, WAITS, REFUSED };

static enum written write_frame(struct cor_tap *tap, uint64_t now_us) {
    const struct cor_frame_tx *tx = &tap->tx;
    struct iovec pieces[1 + COR_FRAME_PIECES_MAX];
    size_t size = tx->head_bytes;
    ssize_t written;

    COR_ASSERT(tx->piece_count <= COR_FRAME_PIECES_MAX);
    pieces[0] = (struct iovec){.iov_base = tx->head, .iov_len = tx->head_bytes};
    for (uint32_t i = 0; i < tx->piece_count; i++) {
        // writev() does not write to it.
        // NOLINTNEXTLINE(performance-no-int-to-ptr): takes const away, which -Wcast-qual forbids
        pieces[1 + i].iov_base = (void *)(uintptr_t)tx->pieces[i].data;
        pieces[1 + i].iov_len = tx->pieces[i].size_bytes;
        size += tx->pieces[i].size_bytes;
    }
    do {
        written = writev(tap->fd, pieces, 1 + tx->piece_count);
    } while (written < 0 && errno == EINTR);
    if (written == (ssize_t)size) {
        tap->counters.frames_sent++;
        tap->counters.bytes_sent += size;
        return WRITTEN;
    }
    if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return WAITS;
    }
    tap->error = written < 0 ? errno : EMSGSIZE;
    if (ends(tap->error)) {
        leave(tap, now_us);
    } else if (tap->error == EIO) {
        // The interface is down; the message that says so is on its way.
        set_link(tap, now_us, interface_up(tap));
    }
    return REFUSED;
}

// The frame has left, or never will.
static void complete(struct cor_tap *tap, uint64_t now_us, bool refused) {
    // leave() and set_link() have given a frame back already that was kept.
    bool given_back = refused && !tap->frame_kept;

    if (!given_back) {
        tap->frame_kept = false;
        tap->counters.drop_send_error += refused;
        tap->source->ops->sent(tap->source, now_us, tap->tx.token);
    }
}

static bool pull(struct cor_tap *tap, uint64_t now_us) {
    memset(&tap->tx, 0, sizeof(tap->tx));
    tap->tx.head = head_of(tap);
    tap->tx.head_room_bytes = COR_FRAME_HEAD_BYTES_MAX;
    return tap->source->ops->pull(tap->source, now_us, &tap->tx) == COR_OK;
}

uint32_t cor_tap_send(struct cor_tap *tap, uint64_t now_us) {
    bool waited = tap->frame_kept;
    uint32_t count = 0;

    for (uint32_t i = 0; i < COR_TAP_FRAMES_MAX && tap->link_up; i++) {
        tap->frame_kept = tap->frame_kept || pull(tap, now_us);
        if (!tap->frame_kept) {
            break;
        }
        enum written written = write_frame(tap, now_us);
        if (written == WAITS) {
            tap->counters.send_waits += !waited;
            break;
        }
        waited = false;
        complete(tap, now_us, written == REFUSED);
        count += written == WRITTEN;
    }
    return count;
}

void cor_tap_close(struct cor_tap *tap, uint64_t now_us) {
    drop_kept(tap, now_us);
    if (tap->fd >= 0) {
        close(tap->fd);
    }
    if (tap->link_fd >= 0) {
        close(tap->link_fd);
    }
    tap->fd = -1;
    tap->link_fd = -1;
    tap->gone = true;
    tap->link_up = false;
}
