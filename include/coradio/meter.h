// SPDX-License-Identifier: MIT
// Meter: where the time of a transfer goes, and what the bits on the bus are for.
//
// The chronograph puts each time slice into exactly one state: what kept the next frame from
// being queued. Its states sum to the time since init, so that two snapshots, subtracted, sum to
// the interval between them. The bus tally puts each clocked bit under one purpose; the purposes
// sum to all clocked bits. Both are always on. One writer, the context that runs the driver.
#ifndef CORADIO_METER_H
#define CORADIO_METER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// name, what kept the next frame from being queued
// clang-format off
#define COR_METER_STATES(X)                                                                 \
    X(source,      "the application gave nothing to send")                                  \
    X(peer_window, "the peer's receive window is used up")                                  \
    X(congestion,  "the congestion window is used up, or a lost segment is waited for")     \
    X(no_buffer,   "no buffer or descriptor is free on this side")                          \
    X(credit,      "the chip has granted no credit, or is not ready to take a frame")       \
    X(bus,         "the queue of the bus is full: earlier transfers are being clocked")     \
    X(cpu,         "nothing but the processor, which is busy or has not yet been woken")    \
    X(power_save,  "answers are held back because the radio sleeps")

// name, what the clocked bits are
#define COR_METER_PURPOSES(X)                                                               \
    X(payload, "bytes of the application")                                                  \
    X(header,  "every other byte of a data frame, padding included")                        \
    X(command, "command words and extra clocks of a transfer")                              \
    X(status,  "status words, and reads of a status or interrupt register")                 \
    X(control, "register and memory accesses, control requests and events, credit frames")  \
    X(log,     "reads of the chip's own log")
// clang-format on

enum cor_meter_state {
#define X(name, text) COR_METER_STATE_##name,
    COR_METER_STATES(X)
#undef X
        COR_METER_STATE_COUNT,
};

enum cor_meter_purpose {
#define X(name, text) COR_METER_PURPOSE_##name,
    COR_METER_PURPOSES(X)
#undef X
        COR_METER_PURPOSE_COUNT,
};

struct cor_chronograph {
    uint64_t us[COR_METER_STATE_COUNT];  // time charged to each state up to since_us
    uint64_t since_us;                   // start of the slice that is not yet charged
    enum cor_meter_state state;          // the state of that slice
};

struct cor_bus_tally {
    uint64_t bits[COR_METER_PURPOSE_COUNT];
    uint64_t transfers;
};

struct cor_meter {
    struct cor_chronograph chronograph;
    struct cor_bus_tally bus;
};

void cor_meter_init(struct cor_meter *meter, uint64_t now_us);

// From at_us on the state is `state`; the time up to then is charged to the state before. An
// at_us earlier than the slice's start counts as that start, so time is never charged twice.
void cor_chronograph_set(
    struct cor_chronograph *chronograph, enum cor_meter_state state, uint64_t at_us);

// A copy with the running slice charged up to now_us; the original is not changed.
struct cor_chronograph cor_chronograph_snapshot(
    const struct cor_chronograph *chronograph, uint64_t now_us);

// "source", "peer_window", ...; "payload", "header", ...
const char *cor_meter_state_name(enum cor_meter_state state);
const char *cor_meter_purpose_name(enum cor_meter_purpose purpose);

#ifdef __cplusplus
}
#endif

#endif
