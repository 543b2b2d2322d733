// SPDX-License-Identifier: MIT
// Progress: how far a transfer is, how fast it goes and how long it will take.
//
// On a terminal one line that is drawn over itself a few times a second. Elsewhere nothing, unless
// an interval is asked for: then one line each interval. It goes to stderr, never to the stream
// that carries results.
#ifndef TOOLS_COMMON_PROGRESS_H
#define TOOLS_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *file;
    const char *label;
    uint64_t total_bytes;  // 0: not known, then no share and no time left is shown
    bool terminal;
    bool drawn;            // a line stands on the terminal that must be ended
    uint64_t interval_ns;  // 0: silent
    uint64_t start_ns;
    uint64_t shown_ns;
    uint64_t shown_bytes;
    double rate_bps;  // of the last intervals, smoothed
};

// interval_ns 0: the default, which is 4 a second on a terminal and silence elsewhere.
// The label outlives the progress.
void progress_init(
    struct progress *progress,
    const char *label,
    uint64_t total_bytes,
    uint64_t interval_ns,
    uint64_t now_ns);

// The same, to a file of the caller's choice and as if it were a terminal or not.
void progress_init_to(
    struct progress *progress, FILE *file, bool terminal, uint64_t interval_ns, uint64_t now_ns);

// Cheap to call often: it draws only when the interval is over. True when it drew.
bool progress_update(struct progress *progress, uint64_t done_bytes, uint64_t now_ns);

// Removes the line from the terminal, so that something else can be written.
void progress_clear(struct progress *progress);

#endif
