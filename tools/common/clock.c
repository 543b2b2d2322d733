// SPDX-License-Identifier: MIT
#include "clock.h"

#include <stdio.h>

uint64_t clock_now_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

char *clock_utc_text(char text[CLOCK_UTC_SIZE], const struct timespec *utc) {
    struct tm parts;
    char seconds[24];

    gmtime_r(&utc->tv_sec, &parts);
    strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, CLOCK_UTC_SIZE, "%s.%03uZ", seconds, (unsigned)(utc->tv_nsec / 1000000) % 1000);
    return text;
}
