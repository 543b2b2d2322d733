// SPDX-License-Identifier: MIT
#include "watch.h"

#include <stddef.h>

static const char *const cause_names[SINK_CAUSE_COUNT] = {
#define X(name, text) [SINK_CAUSE_##name] = #name,
    SINK_CAUSES(X)
#undef X
};

static const char *const cause_texts[SINK_CAUSE_COUNT] = {
#define X(name, text) [SINK_CAUSE_##name] = (text),
    SINK_CAUSES(X)
#undef X
};

const char *sink_cause_name(enum sink_cause cause) {
    return cause < SINK_CAUSE_COUNT ? cause_names[cause] : "unknown";
}

const char *sink_cause_text(enum sink_cause cause) {
    return cause < SINK_CAUSE_COUNT ? cause_texts[cause] : "unknown";
}

bool sink_cause_is_own(enum sink_cause cause) {
    return cause == SINK_CAUSE_store || cause == SINK_CAUSE_busy || cause == SINK_CAUSE_halted;
}

void sink_watch_init(struct sink_watch *watch, uint64_t now_ns) {
    *watch = (struct sink_watch){
        .start_ns = now_ns,
        .woke_ns = now_ns,
        .waiting_ns = now_ns,
        .due_ns = now_ns,
    };
}

static uint64_t after(uint64_t later_ns, uint64_t earlier_ns) {
    return later_ns > earlier_ns ? later_ns - earlier_ns : 0;
}

// Splits a turn's work into store and the rest, if it was long enough to be an absence.
static void add_work(struct sink_absence *absence, uint64_t work_ns, uint64_t store_ns) {
    if (work_ns < SINK_ABSENCE_NS) {
        return;
    }
    absence->store_ns += store_ns < work_ns ? store_ns : work_ns;
    absence->busy_ns += after(work_ns, store_ns);
}

static void note_longest(struct sink_watch *watch, uint64_t away_ns, enum sink_cause cause) {
    if (away_ns >= SINK_ABSENCE_NS && away_ns > watch->longest_ns) {
        watch->longest_ns = away_ns;
        watch->longest_cause = cause;
    }
}

void sink_watch_wait(struct sink_watch *watch, uint64_t now_ns, uint64_t due_ns) {
    uint64_t work_ns = after(now_ns, watch->woke_ns);
    uint64_t store_ns = watch->store_ns - watch->store_at_wake_ns;

    watch->work_ns += work_ns;
    add_work(&watch->absence, work_ns, store_ns);
    note_longest(watch, work_ns, store_ns * 2 > work_ns ? SINK_CAUSE_store : SINK_CAUSE_busy);
    watch->waiting_ns = now_ns;
    watch->due_ns = due_ns > now_ns ? due_ns : now_ns;
}

void sink_watch_wake(struct sink_watch *watch, uint64_t now_ns) {
    uint64_t late_ns = after(now_ns, watch->due_ns);

    if (late_ns >= SINK_ABSENCE_NS) {
        watch->absence.halted_ns += late_ns;
        note_longest(watch, late_ns, SINK_CAUSE_halted);
    }
    watch->woke_ns = now_ns;
    watch->store_at_wake_ns = watch->store_ns;
}

struct sink_absence sink_watch_absence(const struct sink_watch *watch, uint64_t now_ns) {
    struct sink_absence absence = watch->absence;

    add_work(&absence, after(now_ns, watch->woke_ns), watch->store_ns - watch->store_at_wake_ns);
    return absence;
}

uint64_t sink_absence_between(const struct sink_absence *begin, const struct sink_absence *end) {
    return after(end->busy_ns, begin->busy_ns) + after(end->store_ns, begin->store_ns) +
           after(end->halted_ns, begin->halted_ns);
}

enum sink_cause sink_watch_blame(
    uint64_t gap_ns,
    const struct sink_absence *begin,
    const struct sink_absence *end,
    bool out_of_order) {
    uint64_t busy_ns = after(end->busy_ns, begin->busy_ns);
    uint64_t store_ns = after(end->store_ns, begin->store_ns);
    uint64_t halted_ns = after(end->halted_ns, begin->halted_ns);

    if (gap_ns < SINK_TICK_NS) {
        return SINK_CAUSE_none;
    }
    if ((busy_ns + store_ns + halted_ns) * 2 < gap_ns) {
        return out_of_order ? SINK_CAUSE_path : SINK_CAUSE_sender;
    }
    if (halted_ns >= busy_ns && halted_ns >= store_ns) {
        return SINK_CAUSE_halted;
    }
    return store_ns >= busy_ns ? SINK_CAUSE_store : SINK_CAUSE_busy;
}
