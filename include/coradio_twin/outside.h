// SPDX-License-Identifier: MIT
// Outside: the far side of the air for a program outside of the twin, which speaks Ethernet frames.
//
// By a TAP device of Linux (root, or a device that belongs to the user), or by a datagram socket of
// the Unix domain: one frame a datagram, without FCS, as QEMU's "-netdev dgram" speaks it. The
// caller paces the sim to the wall clock.
#ifndef CORADIO_TWIN_OUTSIDE_H
#define CORADIO_TWIN_OUTSIDE_H

#include "coradio_twin/frame.h"
#include "coradio_twin/sim.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twin_outside;

struct twin_outside_config {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_port wire;  // where its frames go
    const char *tap;        // name of the TAP device, or
    const char *local;      // the socket's own path, and
    const char *remote;     // where frames go; NULL: to whoever has sent last
};

// NULL: error says why.
struct twin_outside *twin_outside_new(const struct twin_outside_config *config, char error[256]);
void twin_outside_free(struct twin_outside *outside);
struct twin_port twin_outside_port(struct twin_outside *outside);
// Waits up to timeout_ms for frames from outside and moves what is there.
void twin_outside_poll(struct twin_outside *outside, uint32_t timeout_ms);

struct twin_outside_counters {
    uint64_t frames_out;   // to the program outside
    uint64_t frames_in;    // from it
    uint64_t dropped_out;  // nobody there, or its queue is full
    uint64_t dropped_in;   // longer than a frame can be, or shorter than a header
};

void twin_outside_get_counters(
    const struct twin_outside *outside, struct twin_outside_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
