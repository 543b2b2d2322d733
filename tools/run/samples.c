// SPDX-License-Identifier: MIT
#include "samples.h"

#include "rx.h"
#include "snapshot.h"
#include "world_state.h"

#include <stdlib.h>
#include <string.h>

static struct samples_look look_of(const struct world *world, const struct snapshot *now) {
    struct samples_look look = {
        .at_ns = now->at_ns,
        .payload_bytes = world_payload_since(world, now),
        .bus_busy_ns = now->begun.busy_ns,
        .retransmissions = now->tcp.retransmit_fast + now->tcp.retransmit_partial +
                           now->tcp.retransmit_sack + now->tcp.retransmit_rto,
        .energy_nj = now->energy_nj,
    };

    memcpy(look.state_us, now->state_us, sizeof(look.state_us));
    return look;
}

static void take(void *context) {
    struct world *world = context;
    struct samples *samples = &world->samples;
    struct snapshot now;

    if (world->over) {
        return;
    }
    if (samples->count == samples->room) {
        size_t room = samples->room == 0 ? 256 : samples->room * 2;
        struct samples_look *looks = realloc(samples->looks, room * sizeof(*looks));

        if (looks == NULL) {
            samples->truncated = true;
            return;
        }
        samples->looks = looks;
        samples->room = room;
    }
    snapshot_take(world, &now);
    samples->looks[samples->count++] = look_of(world, &now);
    twin_after(world->sim, &samples->event, samples->step_ns);
}

void samples_init(struct world *world, uint64_t step_ns) {
    world->samples.step_ns = step_ns;
    twin_event_init(&world->samples.event, take, world);
}

void samples_begin(struct world *world) {
    if (world->samples.step_ns != 0) {
        twin_after(world->sim, &world->samples.event, world->samples.step_ns);
    }
}

// How many looks lie within the interval.
static size_t looks_within(const struct world *world) {
    const struct samples *samples = &world->samples;
    size_t count = samples->count;

    while (world->last.at_ns != 0 && count > 0 &&
           samples->looks[count - 1].at_ns >= world->last.at_ns) {
        count--;
    }
    return count;
}

size_t samples_count(const struct world *world) {
    size_t count = looks_within(world);

    // The rest of the interval is a slice of its own, unless looks are missing before it.
    return world->last.at_ns != 0 && world->samples.step_ns != 0 && !world->samples.truncated
               ? count + 1
               : count;
}

// A poll in the midst of a look may have taken back a little too much.
static uint64_t rise(uint64_t before, uint64_t after) {
    return after > before ? after - before : 0;
}

struct sample samples_at(const struct world *world, size_t index) {
    const struct samples *samples = &world->samples;
    struct samples_look before =
        index == 0 ? look_of(world, &world->first) : samples->looks[index - 1];
    struct samples_look after =
        index < looks_within(world) ? samples->looks[index] : look_of(world, &world->last);
    double length_ns = (double)rise(before.at_ns, after.at_ns);
    struct sample sample = {
        .end_ns = after.at_ns - world->first.at_ns,
        .length_ns = rise(before.at_ns, after.at_ns),
        .payload_bytes = rise(before.payload_bytes, after.payload_bytes),
        .retransmissions = rise(before.retransmissions, after.retransmissions),
    };

    if (length_ns > 0) {
        sample.bus_utilization = (double)rise(before.bus_busy_ns, after.bus_busy_ns) / length_ns;
        sample.power_mw = (double)rise(before.energy_nj, after.energy_nj) / length_ns * 1e3;
    }
    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        sample.state_us[i] = rise(before.state_us[i], after.state_us[i]);
    }
    return sample;
}

void samples_free(struct world *world) {
    free(world->samples.looks);
}
