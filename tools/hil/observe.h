// SPDX-License-Identifier: MIT
// Observe: what of a report board and twin are compared by, as numbers whose differences add up.
//
// Rates and times are taken as logarithms, so that a difference is a share; shares stay as they
// are. What a report lacks is NaN and is left out on both sides.
#ifndef TOOLS_HIL_OBSERVE_H
#define TOOLS_HIL_OBSERVE_H

#include <cjson/cJSON.h>

// name, path in the report, share of what (NULL: the logarithm), difference below which nothing is
// read into it
// clang-format off
#define OBSERVABLES(X)                                                                             \
    X(goodput,       "result.goodput_bps",         NULL,               0.004)                      \
    X(bringup,       "time.bringup_s",             NULL,               0.004)                      \
    X(latency,       "latency_us.p50",             NULL,               0.02)                       \
    X(bus_busy,      "bus.utilization",            "",                 0.005)                      \
    X(control_bits,  "bus.bits.control",           "bus.bits.payload", 0.0005)                     \
    X(peer_window,   "chronograph_us.peer_window", "chronograph_us",   0.01)                       \
    X(congestion,    "chronograph_us.congestion",  "chronograph_us",   0.01)                       \
    X(no_buffer,     "chronograph_us.no_buffer",   "chronograph_us",   0.01)                       \
    X(credit,        "chronograph_us.credit",      "chronograph_us",   0.01)                       \
    X(bus_wait,      "chronograph_us.bus",         "chronograph_us",   0.01)                       \
    X(cpu,           "chronograph_us.cpu",         "chronograph_us",   0.01)                       \
    X(power_save,    "chronograph_us.power_save",  "chronograph_us",   0.01)
// clang-format on

enum {
#define X(name, path, of, least) OBSERVABLE_##name,
    OBSERVABLES(X)
#undef X
        OBSERVABLE_COUNT,
};

const char *observe_name(int observable);
// Below it a difference is no news; in the unit of observe().
double observe_least(int observable);
double observe(const cJSON *report, int observable);

#endif
