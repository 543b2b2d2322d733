// SPDX-License-Identifier: MIT
// Sequence: lost, repeated and reordered datagrams of a numbered stream, counted exactly.
//
// Numbers are 32 bits wide and wrap; inside they count on in 64. A number that is older than the
// window cannot be told late from repeated and is counted as neither.
#ifndef TOOLS_SINK_SEQUENCE_H
#define TOOLS_SINK_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#define SINK_SEQUENCE_WINDOW 8192  // datagrams

struct sink_sequence {
    uint64_t first;       // the number the stream begins with
    uint64_t next;        // one more than the highest number seen
    uint64_t unique;      // different numbers seen
    uint64_t duplicates;  // numbers seen again
    uint64_t reordered;   // numbers that came after a higher one
    uint64_t too_late;    // numbers older than the window
    uint64_t sent;        // where the last marker says the stream ended, if last_seen
    bool last_seen;
    uint64_t seen[SINK_SEQUENCE_WINDOW / 64];
};

void sink_sequence_init(struct sink_sequence *sequence, uint64_t first);

// True when the datagram is new, false when it repeats one or is older than the window.
bool sink_sequence_add(struct sink_sequence *sequence, uint32_t number);

// The last marker: `number` datagrams were sent.
void sink_sequence_last(struct sink_sequence *sequence, uint32_t number);

// How many the sender has sent, as far as known, and how many of them are missing.
uint64_t sink_sequence_expected(const struct sink_sequence *sequence);
uint64_t sink_sequence_lost(const struct sink_sequence *sequence);

#endif
