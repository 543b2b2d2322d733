// SPDX-License-Identifier: MIT
// Neighbours: stations of other networks on the channel, of which only the time they take is known.
//
// Each wants to send at random times (exponential gaps), for a random length of time, and contends
// for it like the others. What it cannot send at once waits, up to a few frames, as in a queue that
// its own TCP keeps short.
#include "air/air_state.h"
#include "sim/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BACKLOG_MAX 4u

struct twin_neighbour {
    struct twin_mac *mac;
    struct twin_rng rng;
    struct twin_event arrival;
    uint64_t gap_ns;  // mean time between two wishes
    uint32_t backlog;
    uint32_t attempts;
};

static void arrive(void *context) {
    struct twin_neighbour *neighbour = context;
    struct twin_sim *sim = neighbour->mac->air->config.sim;
    double chance = ((double)twin_rng_below(&neighbour->rng, 1u << 24) + 1.0) / (1u << 24);

    twin_after(sim, &neighbour->arrival, (uint64_t)(-log(chance) * (double)neighbour->gap_ns));
    if (neighbour->backlog < BACKLOG_MAX) {
        neighbour->backlog++;
        twin_channel_contend(neighbour->mac->air);
    }
}

bool twin_neighbour_wanted(const struct twin_mac *mac) {
    return mac->neighbour->backlog > 0;
}

void twin_neighbour_build(struct twin_mac *mac) {
    uint32_t spread_ns = (uint32_t)(TWIN_AIR_NEIGHBOUR_MAX_NS - TWIN_AIR_NEIGHBOUR_MIN_NS);

    mac->ppdu.kind = TWIN_PPDU_NEIGHBOUR;
    mac->ppdu.flow = NULL;
    mac->ppdu.count = 1;
    mac->ppdu.retried = mac->neighbour->attempts > 0 ? 1 : 0;
    mac->ppdu.psdu_bytes = 0;
    mac->ppdu.air_ns =
        TWIN_AIR_NEIGHBOUR_MIN_NS + twin_rng_below(&mac->neighbour->rng, spread_ns + 1u);
}

bool twin_neighbour_settle(struct twin_mac *mac, bool collided) {
    struct twin_neighbour *neighbour = mac->neighbour;

    if (!collided) {
        mac->air->counters.neighbour_ns += mac->ppdu.air_ns;
        mac->air->counters.neighbour_ppdus++;
    } else if (++neighbour->attempts <= TWIN_AIR_RETRIES_MAX) {
        return false;
    }
    neighbour->attempts = 0;
    neighbour->backlog--;
    return true;
}

static void no_frames(void *context, struct twin_frame *frame) {
    (void)context;
    (void)frame;
}

static void none_sent(void *context, struct twin_frame *frame, bool acked) {
    (void)context;
    (void)frame;
    (void)acked;
}

static struct twin_mac *add(struct twin_air *air, uint32_t number, uint64_t gap_ns) {
    struct twin_mac_config config = {
        .address = {0x02, 0x4E, 0x45, 0x49, 0x47, (uint8_t)number},
        .ampdu_max = 1,
        .sent = none_sent,
        .received = no_frames,
    };
    struct twin_neighbour *neighbour = twin_alloc(1, sizeof(*neighbour));
    char name[32];

    snprintf(name, sizeof(name), "air.neighbour.%u", (unsigned)number);
    twin_rng_init(&neighbour->rng, air->config.sim, name);
    neighbour->mac = twin_mac_new(air, &config);
    neighbour->mac->neighbour = neighbour;
    neighbour->gap_ns = gap_ns;
    twin_event_init(&neighbour->arrival, arrive, neighbour);
    twin_after(
        air->config.sim, &neighbour->arrival, twin_rng_below(&neighbour->rng, UINT32_MAX) % gap_ns);
    return neighbour->mac;
}

void twin_air_add_neighbours(struct twin_air *air, uint32_t count, double share) {
    double mean_ns = (double)(TWIN_AIR_NEIGHBOUR_MIN_NS + TWIN_AIR_NEIGHBOUR_MAX_NS) / 2;

    TWIN_CHECK(count <= TWIN_AIR_NEIGHBOURS_MAX);
    for (uint32_t i = 0; i < count && share > 0; i++) {
        air->neighbours[i] = add(air, i, (uint64_t)(mean_ns * count / share));
    }
}

void twin_neighbours_free(struct twin_air *air) {
    for (size_t i = 0; i < TWIN_AIR_NEIGHBOURS_MAX; i++) {
        struct twin_mac *mac = air->neighbours[i];

        if (mac != NULL) {
            struct twin_neighbour *neighbour = mac->neighbour;

            twin_cancel(air->config.sim, &neighbour->arrival);
            twin_mac_free(mac);
            free(neighbour);
        }
    }
}
