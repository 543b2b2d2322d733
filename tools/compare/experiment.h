// SPDX-License-Identifier: MIT
// Experiment: configurations measured in turn, block by block, and what the samples say.
//
// A block holds each configuration once. The order of a block is drawn, and the next block has it
// reversed (ABBA), so that a channel that gets steadily worse takes as much from each. Blocks of
// the warm-up are measured like the others and left out of the statistics. Nothing here measures:
// the caller gives a function that does.
#ifndef TOOLS_COMPARE_EXPERIMENT_H
#define TOOLS_COMPARE_EXPERIMENT_H

#include "compare/paired.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPERIMENT_CONFIGS_MAX 8
#define EXPERIMENT_BLOCKS_MAX  1000u
#define EXPERIMENT_NAME_BYTES  300

struct experiment_sample {
    uint32_t index;   // of all samples, in the order they are taken
    uint32_t block;   // from 0; the first `warmup` are the warm-up
    uint32_t config;  // which configuration
    bool warmup;
    bool taken;
    bool good;  // it has a value
    double value;
};

struct experiment {
    size_t configs;
    uint32_t blocks;  // measured ones, without the warm-up
    uint32_t warmup;
    uint64_t seed;
    struct experiment_sample *samples;  // in the order they are taken
    uint32_t count;                     // of them: blocks with the warm-up, times configs
    uint32_t taken;
};

// Lays out all samples. False: memory is out.
bool experiment_init(
    struct experiment *experiment, size_t configs, uint32_t blocks, uint32_t warmup, uint64_t seed);
void experiment_free(struct experiment *experiment);

// The sample to be taken next; NULL: all are.
struct experiment_sample *experiment_next(struct experiment *experiment);
// Takes note of what came out, in the order of experiment_next().
void experiment_take(struct experiment *experiment, bool good, double value);

// Values of two configurations in the blocks in which both are good, warm-up left out. Each array
// has room for `blocks`. Returns how many pairs.
size_t experiment_pairs(
    const struct experiment *experiment, size_t a, size_t b, double *of_a, double *of_b);
// The good values of one configuration, in the order of the blocks. Returns how many.
size_t experiment_values(const struct experiment *experiment, size_t config, double *values);

// The interval that is shown covers 95 %, so it leaves zero out once in 20 comparisons of things
// that are alike. A verdict asks for more: a chance of 1 in 100 (two-sided, exact signed ranks).
#define EXPERIMENT_P_MAX     0.01
#define EXPERIMENT_PAIRS_MIN 8u  // with fewer pairs no outcome is that unlikely: 2 / 2^7 is 0.016

enum experiment_verdict {
    EXPERIMENT_TOO_FEW,  // fewer than EXPERIMENT_PAIRS_MIN
    EXPERIMENT_NO_DIFFERENCE,
    EXPERIMENT_HIGHER,  // b is higher than a
    EXPERIMENT_LOWER,
};

struct experiment_result {
    enum experiment_verdict verdict;
    struct paired paired;             // b against a; count 0: there was no pair
    struct paired_interval interval;  // of the estimate: exact up to PAIRED_EXACT_MAX pairs
    double estimate;                  // Hodges-Lehmann, or the median difference beyond
};

// False: memory is out.
bool experiment_compare(
    const struct experiment *experiment, size_t a, size_t b, struct experiment_result *result);

// How far the median of a configuration's last third of samples is from that of its first, as a
// share of the first; NaN with fewer than six samples.
double experiment_drift(const struct experiment *experiment, size_t config);

#endif
