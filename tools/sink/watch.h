// SPDX-License-Identifier: MIT
// Watch: the sink's account of its own presence, so that it never blames a sender for itself.
//
// The loop promises to look at its sockets at least once a tick. Time in which it did not is an
// absence, by cause: it was busy (reading, hashing), it was writing to the store, or the system
// did not run it (stopped, starved). A gap in a stream is then compared with the absences inside
// it. The sender is named only for time in which the sink was looking and found nothing.
#ifndef TOOLS_SINK_WATCH_H
#define TOOLS_SINK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define SINK_TICK_NS UINT64_C(100000000)

// The loop may be away this long before it counts: a turn that serves hundreds of streams or a
// wake-up on a loaded machine takes some milliseconds.
#define SINK_ABSENCE_NS UINT64_C(50000000)

// name, text
// clang-format off
#define SINK_CAUSES(X)                                                                       \
    X(none,    "no gap worth naming")                                                        \
    X(sender,  "the sender sent nothing (the sink was reading)")                             \
    X(path,    "a segment was lost on the way (later ones had arrived)")                     \
    X(store,   "the sink was writing to its store")                                          \
    X(busy,    "the sink was busy with other work")                                          \
    X(halted,  "the sink was not run by the system (stopped or starved)")
// clang-format on

enum sink_cause {
#define X(name, text) SINK_CAUSE_##name,
    SINK_CAUSES(X)
#undef X
        SINK_CAUSE_COUNT
};

const char *sink_cause_name(enum sink_cause cause);
const char *sink_cause_text(enum sink_cause cause);
// True for the causes that lie in the sink itself.
bool sink_cause_is_own(enum sink_cause cause);

// Totals since the start; a reader takes a copy and subtracts.
struct sink_absence {
    uint64_t busy_ns;
    uint64_t store_ns;
    uint64_t halted_ns;
};

struct sink_watch {
    uint64_t start_ns;
    uint64_t woke_ns;     // the last wait ended
    uint64_t waiting_ns;  // the last wait began
    uint64_t due_ns;      // when the wait had to end at the latest
    uint64_t work_ns;     // total outside of waiting
    uint64_t store_ns;    // total of writing to the store, within work_ns
    uint64_t store_at_wake_ns;
    uint64_t longest_ns;  // the longest absence and its cause
    enum sink_cause longest_cause;
    struct sink_absence absence;
};

void sink_watch_init(struct sink_watch *watch, uint64_t now_ns);

// The loop is about to wait, until due_ns at the latest; the wait has ended.
void sink_watch_wait(struct sink_watch *watch, uint64_t now_ns, uint64_t due_ns);
void sink_watch_wake(struct sink_watch *watch, uint64_t now_ns);

// The absences up to now, with the turn that is going on.
struct sink_absence sink_watch_absence(const struct sink_watch *watch, uint64_t now_ns);

// Whose a gap of gap_ns is, given the absences at its begin and at its end, and whether segments
// had arrived out of order meanwhile.
enum sink_cause sink_watch_blame(
    uint64_t gap_ns,
    const struct sink_absence *begin,
    const struct sink_absence *end,
    bool out_of_order);

// The part of the gap in which the sink was away.
uint64_t sink_absence_between(const struct sink_absence *begin, const struct sink_absence *end);

#endif
