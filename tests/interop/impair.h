// SPDX-License-Identifier: MIT
// Impair: one direction of a path that loses, doubles, damages, reorders, delays and limits.
//
// A frame first passes the bottleneck (rate and bounded queue, the last to come is dropped), then
// the place where frames are lost, doubled, damaged and held back, then the delay. So a frame that
// is lost has taken its time on the bottleneck, as on the air. Only times come in: the caller has
// the clock, which may be virtual. Of one seed, the n-th frame that passes the bottleneck always
// has the same fate, whatever else is set.
#ifndef INTEROP_IMPAIR_H
#define INTEROP_IMPAIR_H

#include <stdbool.h>
#include <stdint.h>

// The longest frame taken: Ethernet with a VLAN tag, without FCS.
#define IMPAIR_FRAME_BYTES_MAX 1518
// Frames on their way at one time; more are dropped and counted.
#define IMPAIR_FRAMES_MAX 8192
#define IMPAIR_NEVER      UINT64_MAX

// name, what it counts
// clang-format off
#define IMPAIR_COUNTERS(X)                                                      \
    X(frames_in,        "frames that came")                                     \
    X(bytes_in,         "their bytes")                                          \
    X(frames_out,       "frames that were due and taken")                       \
    X(bytes_out,        "their bytes")                                          \
    X(lost,             "frames lost at random")                                \
    X(doubled,          "frames sent twice")                                    \
    X(damaged,          "frames in which one bit was turned")                   \
    X(held,             "frames held back, so that later ones overtake them")   \
    X(drop_queue,       "frames dropped: the queue of the bottleneck was full") \
    X(drop_room,        "frames dropped: IMPAIR_FRAMES_MAX were on their way")  \
    X(drop_long,        "frames dropped: longer than IMPAIR_FRAME_BYTES_MAX")   \
    X(queue_frames_max, "most frames in the queue of the bottleneck")
// clang-format on

struct impair_counters {
#define X(name, text) uint64_t name;
    IMPAIR_COUNTERS(X)
#undef X
};

struct impair_config {
    double loss;     // probabilities, 0..1
    double twice;    // of a second copy
    double damage;   // of one turned bit in the IPv4 packet; other frames are never damaged,
                     // because ARP has no checksum and Ethernet's FCS would have caught it
    double reorder;  // of being held back by hold_ns
    uint64_t hold_ns;
    uint64_t delay_ns;
    uint64_t rate_bps;      // bits a second of whole frames without FCS; 0: unlimited
    uint32_t queue_frames;  // the bottleneck holds so many, the one being sent included
    uint64_t seed;
};

struct impair;

// NULL: no memory.
struct impair *impair_new(const struct impair_config *config);
void impair_free(struct impair *impair);

// A frame comes. The times of calls never go back.
void impair_input(
    struct impair *impair, uint64_t now_ns, const uint8_t *frame, uint32_t size_bytes);

// When the next frame is due, IMPAIR_NEVER when none is on its way.
uint64_t impair_due_ns(const struct impair *impair);

// The next frame, if it is due: valid until impair_take(), which takes it off. NULL: none is due.
const uint8_t *impair_frame(const struct impair *impair, uint64_t now_ns, uint32_t *size_bytes);
void impair_take(struct impair *impair);

const struct impair_counters *impair_get_counters(const struct impair *impair);

#endif
