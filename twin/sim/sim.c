// SPDX-License-Identifier: MIT
// The queue is a heap of four children a node. Each entry holds the key beside the pointer, so that
// a comparison stays inside the array and only the events that move are touched.
#include "coradio_twin/sim.h"

#include "coradio_twin/unsure.h"
#include "sim/alloc.h"
#include "sim/seed.h"

#include <stdlib.h>

#define CHILDREN       4u
#define FIRST_CAPACITY 64u

struct entry {
    uint64_t at_ns;
    uint64_t order;
    struct twin_event *event;
};

struct twin_sim {
    uint64_t now_ns;
    uint64_t seed;
    uint64_t next_order;
    uint64_t events_run;
    struct entry *heap;
    size_t count;
    size_t capacity;
    struct twin_unsure unsure;
};

struct twin_sim *twin_sim_new(uint64_t seed, uint64_t start_ns) {
    struct twin_sim *sim = twin_alloc(1, sizeof(*sim));

    sim->seed = seed;
    sim->now_ns = start_ns;
    twin_unsure_init(&sim->unsure);
    sim->capacity = FIRST_CAPACITY;
    sim->heap = twin_alloc(sim->capacity, sizeof(sim->heap[0]));
    return sim;
}

void twin_sim_free(struct twin_sim *sim) {
    if (sim == NULL) {
        return;
    }
    // Whoever owns a queued event may look at it after the sim is gone.
    for (size_t i = 0; i < sim->count; i++) {
        sim->heap[i].event->index = SIZE_MAX;
    }
    free(sim->heap);
    free(sim);
}

uint64_t twin_now_ns(const struct twin_sim *sim) {
    return sim->now_ns;
}

void twin_sim_set_unsure(struct twin_sim *sim, const struct twin_unsure *unsure) {
    sim->unsure = *unsure;
}

const struct twin_unsure *twin_sim_unsure(const struct twin_sim *sim) {
    return &sim->unsure;
}

uint64_t twin_sim_seed(const struct twin_sim *sim) {
    return sim->seed;
}

uint64_t twin_events_run(const struct twin_sim *sim) {
    return sim->events_run;
}

void twin_event_init(struct twin_event *event, twin_event_fn run, void *context) {
    event->run = run;
    event->context = context;
    event->at_ns = 0;
    event->order = 0;
    event->index = SIZE_MAX;
}

bool twin_event_queued(const struct twin_event *event) {
    return event->index != SIZE_MAX;
}

// ---- heap

static bool is_before(const struct entry *a, const struct entry *b) {
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void place(struct twin_sim *sim, size_t index, struct entry entry) {
    sim->heap[index] = entry;
    entry.event->index = index;
}

// Both move a hole from index to where entry belongs and fill it.
static void sift_up(struct twin_sim *sim, size_t index, struct entry entry) {
    while (index > 0) {
        size_t parent = (index - 1) / CHILDREN;

        if (!is_before(&entry, &sim->heap[parent])) {
            break;
        }
        place(sim, index, sim->heap[parent]);
        index = parent;
    }
    place(sim, index, entry);
}

static void sift_down(struct twin_sim *sim, size_t index, struct entry entry) {
    for (;;) {
        size_t first = index * CHILDREN + 1;
        size_t end = first + CHILDREN < sim->count ? first + CHILDREN : sim->count;
        size_t least = first;

        if (first >= sim->count) {
            break;
        }
        for (size_t child = first + 1; child < end; child++) {
            if (is_before(&sim->heap[child], &sim->heap[least])) {
                least = child;
            }
        }
        if (!is_before(&sim->heap[least], &entry)) {
            break;
        }
        place(sim, index, sim->heap[least]);
        index = least;
    }
    place(sim, index, entry);
}

// Puts entry where the one at index was.
static void replace(struct twin_sim *sim, size_t index, struct entry entry) {
    if (index > 0 && is_before(&entry, &sim->heap[(index - 1) / CHILDREN])) {
        sift_up(sim, index, entry);
    } else {
        sift_down(sim, index, entry);
    }
}

// ---- events

void twin_at(struct twin_sim *sim, struct twin_event *event, uint64_t at_ns) {
    struct entry entry;

    TWIN_CHECK(event->run != NULL);
    event->at_ns = at_ns > sim->now_ns ? at_ns : sim->now_ns;
    event->order = sim->next_order++;
    entry = (struct entry){event->at_ns, event->order, event};
    if (event->index != SIZE_MAX) {
        replace(sim, event->index, entry);
        return;
    }
    if (sim->count == sim->capacity) {
        sim->capacity *= 2;
        sim->heap = twin_realloc(sim->heap, sim->capacity, sizeof(sim->heap[0]));
    }
    sim->count++;
    sift_up(sim, sim->count - 1, entry);
}

void twin_after(struct twin_sim *sim, struct twin_event *event, uint64_t delay_ns) {
    uint64_t room_ns = TWIN_NEVER - sim->now_ns;

    twin_at(sim, event, delay_ns < room_ns ? sim->now_ns + delay_ns : TWIN_NEVER);
}

void twin_cancel(struct twin_sim *sim, struct twin_event *event) {
    size_t index = event->index;

    if (index == SIZE_MAX) {
        return;
    }
    event->index = SIZE_MAX;
    sim->count--;
    if (index < sim->count) {
        replace(sim, index, sim->heap[sim->count]);
    }
}

uint64_t twin_next_ns(const struct twin_sim *sim) {
    return sim->count > 0 ? sim->heap[0].at_ns : TWIN_NEVER;
}

bool twin_step(struct twin_sim *sim) {
    struct twin_event *event;

    if (sim->count == 0) {
        return false;
    }
    event = sim->heap[0].event;
    sim->now_ns = event->at_ns;
    event->index = SIZE_MAX;
    sim->count--;
    if (sim->count > 0) {
        sift_down(sim, 0, sim->heap[sim->count]);
    }
    sim->events_run++;
    event->run(event->context);
    return true;
}

void twin_run_until(struct twin_sim *sim, uint64_t at_ns) {
    while (sim->count > 0 && sim->heap[0].at_ns <= at_ns) {
        twin_step(sim);
    }
    if (sim->now_ns < at_ns) {
        sim->now_ns = at_ns;
    }
}
