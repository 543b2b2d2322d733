// SPDX-License-Identifier: MIT
// Sim: the event queue of the twin, in nanoseconds of virtual time, and its seeded randomness.
//
// Time jumps from event to event; events due at the same instant run in the order they were
// queued, so that one seed gives one run, byte for byte. Nothing here reads a clock of the host.
#ifndef CORADIO_TWIN_SIM_H
#define CORADIO_TWIN_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TWIN_NEVER UINT64_MAX

typedef void (*twin_event_fn)(void *context);

// An event belongs to whoever embeds it; the queue only points at it while it is queued.
struct twin_event {
    twin_event_fn run;
    void *context;
    uint64_t at_ns;
    uint64_t order;  // breaks ties: first queued, first run
    size_t index;    // place in the heap, SIZE_MAX while not queued
};

struct twin_sim;

// A new world at start_ns. The sim owns its memory; twin_sim_free() gives it back.
struct twin_sim *twin_sim_new(uint64_t seed, uint64_t start_ns);
void twin_sim_free(struct twin_sim *sim);

uint64_t twin_now_ns(const struct twin_sim *sim);

void twin_event_init(struct twin_event *event, twin_event_fn run, void *context);
bool twin_event_queued(const struct twin_event *event);
// Queues the event, or moves it if it is queued. A time in the past counts as now.
void twin_at(struct twin_sim *sim, struct twin_event *event, uint64_t at_ns);
void twin_after(struct twin_sim *sim, struct twin_event *event, uint64_t delay_ns);
void twin_cancel(struct twin_sim *sim, struct twin_event *event);

// The time of the next event, TWIN_NEVER when there is none.
uint64_t twin_next_ns(const struct twin_sim *sim);
// Runs the next event. False when there is none.
bool twin_step(struct twin_sim *sim);
// Runs all events due up to and including at_ns; afterwards now is at_ns.
void twin_run_until(struct twin_sim *sim, uint64_t at_ns);
// How many events have run.
uint64_t twin_events_run(const struct twin_sim *sim);

// A random stream of its own for each user, so that adding a user moves no other stream. The name
// is mixed with the seed of the sim.
struct twin_rng {
    uint64_t state[4];
};

void twin_rng_init(struct twin_rng *rng, const struct twin_sim *sim, const char *name);
uint64_t twin_rng_next(struct twin_rng *rng);
// Uniform on 0 .. below-1; below is at least 1.
uint32_t twin_rng_below(struct twin_rng *rng, uint32_t below);
// True with the given probability, in parts per 2^32 (see twin_chance()).
bool twin_rng_hit(struct twin_rng *rng, uint32_t chance);
// A probability 0..1 as parts per 2^32 for twin_rng_hit(); 1 becomes UINT32_MAX, which always hits.
uint32_t twin_chance(double probability);

#ifdef __cplusplus
}
#endif

#endif
