// SPDX-License-Identifier: MIT
// World: one station and one access point on the air, with a source that never runs dry.
#ifndef TWIN_AIR_WORLD_H
#define TWIN_AIR_WORLD_H

#include "coradio_twin/air.h"

#include <string.h>

#define WORLD_S  UINT64_C(1000000000)
#define WORLD_MS UINT64_C(1000000)
#define WORLD_US UINT64_C(1000)

// Sequence numbers stand in the frames, so that order and completeness are seen at the far side.
struct world_side {
    struct world *world;
    struct twin_mac *mac;
    bool saturated;        // sends again whatever comes back
    uint32_t frame_bytes;  // of what it sends
    uint32_t next;         // number of the next frame made
    uint32_t expected;     // number of the next frame received
    uint64_t received;
    uint64_t received_bytes;  // IP bytes
    uint64_t acked;
    uint64_t lost;
    uint64_t out_of_order;
    uint64_t skipped;
    uint32_t ack_every;  // answers every n-th frame with a short one; 0: never
    uint64_t last_ns;
};

struct world {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_air *air;
    struct world_side station;
    struct world_side ap;
};

struct world_options {
    uint8_t mcs;
    enum twin_gi gi;
    uint8_t ampdu;
    double loss;
    uint64_t seed;
    uint32_t retries;
    struct twin_log *log;
};

static inline struct world_options world_defaults(void) {
    return (struct world_options){.mcs = 7, .gi = TWIN_GI_SHORT, .ampdu = 1, .seed = 1};
}

static inline bool world_send(struct world_side *side, uint32_t size_bytes) {
    struct world *world = side->world;
    struct world_side *other = side == &world->ap ? &world->station : &world->ap;
    struct twin_frame *frame = twin_frame_get(world->frames);

    frame->size_bytes = size_bytes;
    memset(frame->data, 0, 20);
    frame->data[5] = other == &world->ap ? 1 : 2;
    memcpy(frame->data + 14, &side->next, sizeof(side->next));
    if (!twin_mac_send(side->mac, frame)) {
        twin_frame_put(world->frames, frame);
        return false;
    }
    side->next++;
    return true;
}

static inline void world_sent(void *context, struct twin_frame *frame, bool acked) {
    struct world_side *side = context;

    side->acked += acked ? 1 : 0;
    side->lost += acked ? 0 : 1;
    twin_frame_put(side->world->frames, frame);
    if (side->saturated) {
        (void)world_send(side, side->frame_bytes);
    }
}

static inline void world_received(void *context, struct twin_frame *frame) {
    struct world_side *side = context;
    uint32_t number;

    memcpy(&number, frame->data + 14, sizeof(number));
    if (number < side->expected) {
        side->out_of_order++;
    } else {
        side->skipped += number - side->expected;
        side->expected = number + 1;
    }
    side->received++;
    side->received_bytes += frame->size_bytes - 14;
    side->last_ns = twin_now_ns(side->world->sim);
    twin_frame_put(side->world->frames, frame);
    if (side->ack_every != 0 && side->received % side->ack_every == 0) {
        (void)world_send(side, 54);
    }
}

static inline void world_open(struct world *world, const struct world_options *options) {
    struct twin_air_config air = {0};
    struct twin_mac_config mac = {0};

    memset(world, 0, sizeof(*world));
    world->sim = twin_sim_new(options->seed, 0);
    world->frames = twin_frames_new();
    air.sim = world->sim;
    air.frames = world->frames;
    air.log = options->log;
    air.mcs = options->mcs;
    air.gi = options->gi;
    air.ccmp = true;
    air.mpdu_error = twin_chance(options->loss);
    if (options->log != NULL) {
        options->log->sim = world->sim;
    }
    world->air = twin_air_new(&air);
    world->station.world = world;
    world->ap.world = world;
    mac.ampdu_max = options->ampdu;
    mac.retries_max = options->retries;
    mac.sent = world_sent;
    mac.received = world_received;
    mac.access_point = true;
    mac.address[5] = 1;
    mac.context = &world->ap;
    world->ap.mac = twin_mac_new(world->air, &mac);
    mac.access_point = false;
    mac.address[5] = 2;
    mac.context = &world->station;
    world->station.mac = twin_mac_new(world->air, &mac);
    twin_mac_set_associated(world->station.mac, true);
}

// Number of frames that were not given back.
static inline uint32_t world_close(struct world *world) {
    uint32_t out;

    twin_mac_free(world->station.mac);
    twin_mac_free(world->ap.mac);
    twin_air_free(world->air);
    out = twin_frames_out(world->frames);
    twin_frames_free(world->frames);
    twin_sim_free(world->sim);
    return out;
}

// Keeps `depth` frames of frame_bytes with the MAC for ever.
static inline void world_saturate(struct world_side *side, uint32_t frame_bytes, uint32_t depth) {
    side->saturated = true;
    side->frame_bytes = frame_bytes;
    for (uint32_t i = 0; i < depth; i++) {
        (void)world_send(side, frame_bytes);
    }
}

#endif
