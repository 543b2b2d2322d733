// SPDX-License-Identifier: MIT
// Clock: the host's time, for tools that talk to the real world.
#ifndef TOOLS_COMMON_CLOCK_H
#define TOOLS_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_UTC_SIZE 32

// Monotonic; the origin is arbitrary.
uint64_t clock_now_ns(void);

// "2025-08-01T12:03:01.250Z"; returns text.
char *clock_utc_text(char text[CLOCK_UTC_SIZE], const struct timespec *utc);

#endif
