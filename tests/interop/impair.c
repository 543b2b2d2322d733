// SPDX-License-Identifier: MIT
#include "impair.h"

#include <stdlib.h>
#include <string.h>

#define QUEUE_FRAMES_MAX 4096u

// The IPv4 packet begins behind the Ethernet header.
#define ETHERNET_BYTES 14u

struct slot {
    uint64_t due_ns;
    uint64_t order;  // of frames due at one time, the earlier goes first
    uint32_t size_bytes;
    uint8_t data[IMPAIR_FRAME_BYTES_MAX];
};

struct impair {
    struct impair_config config;
    struct impair_counters counters;
    uint64_t rng;
    uint64_t order;
    uint64_t free_ns;  // when the bottleneck has sent all it holds
    uint64_t rest;     // of the division that made free_ns, in bits * 10^9 / rate
    // When the frames in the bottleneck will have left it, oldest first.
    uint64_t departures_ns[QUEUE_FRAMES_MAX];
    uint32_t departure_first;
    uint32_t departure_count;
    // Slots on their way are a heap, the next due first; behind them in the list stand the free.
    uint32_t count;
    uint32_t heap[IMPAIR_FRAMES_MAX];
    struct slot slots[IMPAIR_FRAMES_MAX];
};

struct impair *impair_new(const struct impair_config *config) {
    struct impair *impair = calloc(1, sizeof(*impair));

    if (impair == NULL) {
        return NULL;
    }
    impair->config = *config;
    if (impair->config.queue_frames == 0 || impair->config.queue_frames > QUEUE_FRAMES_MAX) {
        impair->config.queue_frames = QUEUE_FRAMES_MAX;
    }
    impair->rng = config->seed;
    for (uint32_t i = 0; i < IMPAIR_FRAMES_MAX; i++) {
        impair->heap[i] = i;
    }
    return impair;
}

void impair_free(struct impair *impair) {
    free(impair);
}

// SplitMix64 (Steele, Lea, Flood, 2014).
static uint64_t draw(struct impair *impair) {
    uint64_t z = (impair->rng += UINT64_C(0x9E3779B97F4A7C15));

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static bool chance(struct impair *impair, double probability) {
    // 53 bits, all that a double holds.
    return (double)(draw(impair) >> 11) * 0x1p-53 < probability;
}

// --- The heap ---

static bool before(const struct impair *impair, uint32_t a, uint32_t b) {
    const struct slot *first = &impair->slots[impair->heap[a]];
    const struct slot *second = &impair->slots[impair->heap[b]];

    return first->due_ns != second->due_ns ? first->due_ns < second->due_ns
                                           : first->order < second->order;
}

static void swap(struct impair *impair, uint32_t a, uint32_t b) {
    uint32_t kept = impair->heap[a];

    impair->heap[a] = impair->heap[b];
    impair->heap[b] = kept;
}

// A free slot, as the last of the heap; its place in it is put right by rise().
static struct slot *push(struct impair *impair) {
    if (impair->count == IMPAIR_FRAMES_MAX) {
        impair->counters.drop_room++;
        return NULL;
    }
    struct slot *slot = &impair->slots[impair->heap[impair->count++]];
    slot->order = impair->order++;
    return slot;
}

static void rise(struct impair *impair) {
    uint32_t at = impair->count - 1;

    while (at > 0 && before(impair, at, (at - 1) / 2)) {
        swap(impair, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static void sink_first(struct impair *impair) {
    uint32_t at = 0;

    for (;;) {
        uint32_t next = at;

        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
            if (child < impair->count && before(impair, child, next)) {
                next = child;
            }
        }
        if (next == at) {
            return;
        }
        swap(impair, at, next);
        at = next;
    }
}

// --- In ---

// Passes the bottleneck. Returns when the frame leaves it, IMPAIR_NEVER: it was full.
static uint64_t pass(struct impair *impair, uint64_t now_ns, uint32_t size_bytes) {
    uint64_t rate = impair->config.rate_bps;

    if (rate == 0) {
        return now_ns;
    }
    while (impair->departure_count > 0 &&
           impair->departures_ns[impair->departure_first] <= now_ns) {
        impair->departure_first = (impair->departure_first + 1) % QUEUE_FRAMES_MAX;
        impair->departure_count--;
    }
    if (impair->departure_count >= impair->config.queue_frames) {
        impair->counters.drop_queue++;
        return IMPAIR_NEVER;
    }
    if (impair->free_ns < now_ns) {
        impair->free_ns = now_ns;
        impair->rest = 0;
    }
    // The remainder is carried on, so that the rate is exact over any number of frames.
    uint64_t bits = (uint64_t)size_bytes * 8u * UINT64_C(1000000000) + impair->rest;
    impair->free_ns += bits / rate;
    impair->rest = bits % rate;
    uint32_t last = (impair->departure_first + impair->departure_count++) % QUEUE_FRAMES_MAX;
    impair->departures_ns[last] = impair->free_ns;
    if (impair->departure_count > impair->counters.queue_frames_max) {
        impair->counters.queue_frames_max = impair->departure_count;
    }
    return impair->free_ns;
}

static bool is_ipv4(const uint8_t *frame, uint32_t size_bytes) {
    return size_bytes > ETHERNET_BYTES && frame[12] == 0x08 && frame[13] == 0x00;
}

// What happens to one frame; drawn in full for each, so that one setting does not move another.
struct fate {
    bool lost;
    bool twice;
    bool damaged;
    bool held;
    uint64_t place;  // of the damage
};

static struct fate fate_of(struct impair *impair) {
    struct fate fate;

    fate.lost = chance(impair, impair->config.loss);
    fate.twice = chance(impair, impair->config.twice);
    fate.damaged = chance(impair, impair->config.damage);
    fate.held = chance(impair, impair->config.reorder);
    fate.place = draw(impair);
    return fate;
}

void impair_input(
    struct impair *impair, uint64_t now_ns, const uint8_t *frame, uint32_t size_bytes) {
    impair->counters.frames_in++;
    impair->counters.bytes_in += size_bytes;
    if (size_bytes > IMPAIR_FRAME_BYTES_MAX) {
        impair->counters.drop_long++;
        return;
    }
    uint64_t leaves_ns = pass(impair, now_ns, size_bytes);
    if (leaves_ns == IMPAIR_NEVER) {
        return;
    }
    struct fate fate = fate_of(impair);
    if (fate.lost) {
        impair->counters.lost++;
        return;
    }
    bool damaged = fate.damaged && is_ipv4(frame, size_bytes);
    impair->counters.doubled += fate.twice;
    impair->counters.damaged += damaged;
    impair->counters.held += fate.held;
    for (int copy = 0; copy <= fate.twice; copy++) {
        struct slot *slot = push(impair);

        if (slot == NULL) {
            return;
        }
        slot->size_bytes = size_bytes;
        memcpy(slot->data, frame, size_bytes);
        slot->due_ns = leaves_ns + impair->config.delay_ns;
        // Of two copies, the first is the one held back and damaged.
        if (copy == 0 && fate.held) {
            slot->due_ns += impair->config.hold_ns;
        }
        if (copy == 0 && damaged) {
            uint64_t bit = fate.place % ((uint64_t)(size_bytes - ETHERNET_BYTES) * 8u);

            slot->data[ETHERNET_BYTES + bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
        rise(impair);
    }
}

// --- Out ---

uint64_t impair_due_ns(const struct impair *impair) {
    return impair->count > 0 ? impair->slots[impair->heap[0]].due_ns : IMPAIR_NEVER;
}

const uint8_t *impair_frame(const struct impair *impair, uint64_t now_ns, uint32_t *size_bytes) {
    if (impair_due_ns(impair) > now_ns || impair->count == 0) {
        return NULL;
    }
    const struct slot *slot = &impair->slots[impair->heap[0]];
    *size_bytes = slot->size_bytes;
    return slot->data;
}

void impair_take(struct impair *impair) {
    if (impair->count == 0) {
        return;
    }
    impair->counters.frames_out++;
    impair->counters.bytes_out += impair->slots[impair->heap[0]].size_bytes;
    impair->count--;
    swap(impair, 0, impair->count);
    sink_first(impair);
}

const struct impair_counters *impair_get_counters(const struct impair *impair) {
    return &impair->counters;
}
