// SPDX-License-Identifier: MIT
#include "compare/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Thirds of fewer samples say nothing about a drift.
#define DRIFT_SAMPLES_MIN 6u

// splitmix64, public domain (Steele, Lea, Flood 2014): the order is the same on every machine.
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// A drawn order for even blocks; the reverse of the one before for odd ones.
static void lay_block(
    uint32_t order[EXPERIMENT_CONFIGS_MAX], size_t configs, uint32_t block, uint64_t *random) {
    for (size_t i = 0; i < configs / 2 && block % 2 != 0; i++) {
        uint32_t left = order[i];

        order[i] = order[configs - 1 - i];
        order[configs - 1 - i] = left;
    }
    for (size_t i = configs; i > 1 && block % 2 == 0; i--) {
        size_t other = (size_t)(next_random(random) % i);
        uint32_t left = order[i - 1];

        order[i - 1] = order[other];
        order[other] = left;
    }
}

bool experiment_init(
    struct experiment *experiment,
    size_t configs,
    uint32_t blocks,
    uint32_t warmup,
    uint64_t seed) {
    uint32_t order[EXPERIMENT_CONFIGS_MAX];
    uint64_t random = seed;

    *experiment = (struct experiment){
        .configs = configs,
        .blocks = blocks,
        .warmup = warmup,
        .seed = seed,
        .count = (blocks + warmup) * (uint32_t)configs,
    };
    experiment->samples = calloc(experiment->count + 1, sizeof(*experiment->samples));
    if (experiment->samples == NULL) {
        return false;
    }
    for (size_t i = 0; i < configs; i++) {
        order[i] = (uint32_t)i;
    }
    for (uint32_t block = 0; block < blocks + warmup; block++) {
        if (block >= warmup) {
            lay_block(order, configs, block - warmup, &random);
        }
        for (size_t i = 0; i < configs; i++) {
            uint32_t index = block * (uint32_t)configs + (uint32_t)i;

            experiment->samples[index] = (struct experiment_sample){
                .index = index, .block = block, .config = order[i], .warmup = block < warmup};
        }
    }
    return true;
}

void experiment_free(struct experiment *experiment) {
    free(experiment->samples);
    experiment->samples = NULL;
}

struct experiment_sample *experiment_next(struct experiment *experiment) {
    return experiment->taken == experiment->count ? NULL : &experiment->samples[experiment->taken];
}

void experiment_take(struct experiment *experiment, bool good, double value) {
    struct experiment_sample *sample = &experiment->samples[experiment->taken++];

    sample->taken = true;
    sample->good = good && isfinite(value);
    sample->value = value;
}

// The good sample of a configuration in a block; NULL: there is none.
static const struct experiment_sample *find(
    const struct experiment *experiment, uint32_t block, size_t config) {
    for (size_t i = 0; i < experiment->configs; i++) {
        const struct experiment_sample *sample =
            &experiment->samples[block * experiment->configs + i];

        if (sample->config == config) {
            return sample->good ? sample : NULL;
        }
    }
    return NULL;
}

size_t experiment_pairs(
    const struct experiment *experiment, size_t a, size_t b, double *of_a, double *of_b) {
    size_t count = 0;

    for (uint32_t i = 0; i < experiment->blocks; i++) {
        const struct experiment_sample *left = find(experiment, experiment->warmup + i, a);
        const struct experiment_sample *right = find(experiment, experiment->warmup + i, b);

        if (left != NULL && right != NULL) {
            of_a[count] = left->value;
            of_b[count++] = right->value;
        }
    }
    return count;
}

size_t experiment_values(const struct experiment *experiment, size_t config, double *values) {
    size_t count = 0;

    for (uint32_t i = 0; i < experiment->blocks; i++) {
        const struct experiment_sample *sample = find(experiment, experiment->warmup + i, config);

        if (sample != NULL) {
            values[count++] = sample->value;
        }
    }
    return count;
}

static void judge(struct experiment_result *result) {
    const struct paired *paired = &result->paired;
    bool exact = paired->count <= PAIRED_EXACT_MAX;

    result->interval = exact ? paired->wilcoxon : paired->bootstrap;
    result->estimate = paired->hodges_lehmann;
    if (paired->count < EXPERIMENT_PAIRS_MIN) {
        result->verdict = EXPERIMENT_TOO_FEW;
    } else if (paired->p_value > EXPERIMENT_P_MAX) {
        result->verdict = EXPERIMENT_NO_DIFFERENCE;
    } else {
        result->verdict = result->estimate > 0 ? EXPERIMENT_HIGHER : EXPERIMENT_LOWER;
    }
}

bool experiment_compare(
    const struct experiment *experiment, size_t a, size_t b, struct experiment_result *result) {
    double *values = calloc(2 * (size_t)experiment->blocks + 1, sizeof(*values));
    size_t count;
    bool good = true;

    memset(result, 0, sizeof(*result));
    if (values == NULL) {
        return false;
    }
    count = experiment_pairs(experiment, a, b, values, values + experiment->blocks);
    if (count > 0) {
        good = paired_compare(
            values, values + experiment->blocks, count, experiment->seed, &result->paired);
    }
    free(values);
    judge(result);
    return good;
}

double experiment_drift(const struct experiment *experiment, size_t config) {
    double *values = calloc((size_t)experiment->blocks + 1, sizeof(*values));
    size_t count = values == NULL ? 0 : experiment_values(experiment, config, values);
    double drift = NAN;

    if (count >= DRIFT_SAMPLES_MIN) {
        size_t third = count / 3;
        double first = paired_median(values, third);

        drift = paired_median(values + count - third, third) / first - 1;
    }
    free(values);
    return drift;
}
