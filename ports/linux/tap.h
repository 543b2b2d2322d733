// SPDX-License-Identifier: MIT
// TAP: a frame source of the stack on a TAP device of Linux, or on any descriptor of datagrams.
//
// It stands where a chip driver stands: pulls frames from the source and gives it those received.
// Header block and pieces go out by one writev(), so that no payload is copied by us. Nothing here
// waits (loop.h does that). When the descriptor takes no more, the frame pulled last is kept and
// nothing further is pulled: as on a chip, the queue stays in the stack, where it can still change.
// Functions that can fail return 0 or an errno.
#ifndef CORADIO_LINUX_TAP_H
#define CORADIO_LINUX_TAP_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

// Frames moved in each direction in one call, so that neither direction starves the other.
#define COR_TAP_FRAMES_MAX 64

// name, unit, what it counts
// clang-format off
#define COR_TAP_COUNTERS(X)                                                                   \
    X(frames_sent,       "1", "frames written")                                               \
    X(bytes_sent,        "B", "their bytes")                                                  \
    X(frames_received,   "1", "frames read and given to the source")                          \
    X(bytes_received,    "B", "their bytes")                                                  \
    X(payload_received,  "B", "of them bytes of the application")                             \
    X(send_waits,        "1", "frames kept because the descriptor took no more")              \
    X(drop_send_link,    "1", "frames pulled and dropped: the link went down or its end left") \
    X(drop_send_error,   "1", "frames pulled and dropped: the kernel refused them")           \
    X(drop_receive_long, "1", "frames dropped: longer than COR_FRAME_BYTES_MAX")              \
    X(link_changes,      "1", "times the link came up or went down")
// clang-format on

struct cor_tap_counters {
#define X(name, unit, text) uint64_t name;
    COR_TAP_COUNTERS(X)
#undef X
};

struct cor_tap {
    struct cor_frame_source *source;
    int fd;         // frames; -1 after cor_tap_close()
    int link_fd;    // becomes readable when an interface changes; -1 where the descriptor has none
    int error;      // errno of the last frame refused; 0: none
    bool eof_ends;  // a read of 0 bytes is the end of the connection, not an empty frame
    bool link_up;
    bool gone;  // the other end has left, or the device was deleted; sticky
    bool frame_kept;
    struct cor_frame_tx tx;  // the frame kept
    struct cor_tap_counters counters;
    // Each with two bytes of padding in front, so that the IP header is 4-aligned.
    uint32_t head_words[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
    uint32_t receive_words[(2 + COR_FRAME_BYTES_MAX + 1 + 3) / 4];
};

// A descriptor of the TAP device of this name in the network namespace of the calling thread: one
// that stands there already (`ip tuntap add`), or, with CAP_NET_ADMIN, a new one that goes with
// the descriptor. Reads and writes are whole Ethernet frames without FCS. ENAMETOOLONG, ENOENT (no
// /dev/net/tun), EPERM, EBUSY (another program has it).
int cor_tap_device(const char *name, int *fd);

// The same as a frame source's device; watches whether the interface is up (`ip link set up`) and
// the kernel has seen that its cable is plugged in, which takes it a moment after opening.
int cor_tap_open(struct cor_tap *tap, const char *name, struct cor_frame_source *source);

// Takes over a descriptor that carries one frame a datagram: a TAP device, or a socket of type
// SOCK_SEQPACKET or SOCK_DGRAM that is connected. It is made non-blocking, and its link is up
// until the other end closes it. EPROTOTYPE: a stream.
int cor_tap_attach(struct cor_tap *tap, int fd, struct cor_frame_source *source);

// Tells the source how the link is; to be called once after opening, when source and clock are
// ready. Later changes are told by cor_tap_link().
void cor_tap_start(struct cor_tap *tap, uint64_t now_us);

// Looks whether the link has changed; for when link_fd is readable. Cheap when there is nothing.
void cor_tap_link(struct cor_tap *tap, uint64_t now_us);

// Gives what has been received to the source, COR_TAP_FRAMES_MAX at most; returns how many.
uint32_t cor_tap_receive(struct cor_tap *tap, uint64_t now_us);

// Pulls and writes frames, COR_TAP_FRAMES_MAX at most; returns how many were written. When
// frame_kept is set afterwards, call again when fd is writable.
uint32_t cor_tap_send(struct cor_tap *tap, uint64_t now_us);

// Closes the descriptors, that of cor_tap_attach() too. A frame kept is given back as sent.
void cor_tap_close(struct cor_tap *tap, uint64_t now_us);

#ifdef __cplusplus
}
#endif

#endif
