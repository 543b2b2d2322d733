// SPDX-License-Identifier: MIT
// Log: one dense line an event, in virtual time, byte for byte the same for the same seed.
#ifndef CORADIO_TWIN_LOG_H
#define CORADIO_TWIN_LOG_H

#include "coradio_twin/sim.h"

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twin_log {
    const struct twin_sim *sim;
    FILE *file;
};

// "seconds.nanoseconds what...\n". A NULL log or file costs one branch and writes nothing.
void twin_log(struct twin_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
