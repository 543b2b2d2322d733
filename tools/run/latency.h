// SPDX-License-Identifier: MIT
// Latency: samples in microseconds and their quantiles.
#ifndef RUN_LATENCY_H
#define RUN_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

// Beyond these the first ones count; a run of an hour at one sample in 20 ms fits.
#define LATENCY_SAMPLES_MAX 200000

struct latency {
    uint32_t *samples_us;
    uint32_t count;
    uint32_t room;
    uint64_t sum_us;
    // One byte of the stream is followed at a time: where it is, and when it was given.
    bool following;
    uint64_t follow_at;
    uint64_t follow_since_us;
};

void latency_free(struct latency *latency);
void latency_add(struct latency *latency, uint64_t sample_us);
uint64_t latency_mean(const struct latency *latency);
// share 0..1; sorts the samples. 0 where there are none.
uint64_t latency_quantile(struct latency *latency, double share);

// The sender has given bytes up to `given`: follow the last of them, unless one is followed.
void latency_given(struct latency *latency, uint64_t given, uint64_t now_us);
// The receiver has `received` bytes: the one followed may have arrived.
void latency_received(struct latency *latency, uint64_t received, uint64_t now_us);

#endif
