// SPDX-License-Identifier: MIT
// Two configurations of a virtual board on an air that gets worse from sample to sample, until it
// has lost 30 % of its rate: the same configuration twice, and one that is 8 % slower.
//
// Each sample is a run of the whole path with a seed of its own. The chance that an MPDU is not
// received rises from 0 to 0.34 over the comparison.
#include "compare/experiment.h"
#include "run/options.h"
#include "run/world.h"
#include "test.h"

#include "coradio/app_pattern.h"

#define LOSS_AT_END 0.34
#define BLOCKS      10u
#define SEEDS       20u

static const char *const fast = "--bus-mhz=50";
static const char *const slow[] = {"--bus-mhz=45", "--cpu-mhz=135", "--mcs=6"};

static double goodput_bps(bool is_slow, double loss, uint64_t seed) {
    char words[8][32];
    char *argv[8];
    int argc = 0;
    struct run_options options;
    struct cor_pattern pattern;
    struct world_setup setup = {.options = &options, .source = &pattern.source, .pattern = true};
    struct world_outcome outcome;
    struct result result;
    char error[256];
    struct world *world;

#define WORD(...)                                                                                  \
    (snprintf(words[argc], sizeof(words[0]), __VA_ARGS__), argv[argc] = words[argc], argc++)
    WORD("run");
    WORD("--board=pico2w");
    WORD("--virtual");
    WORD("--bytes=512KiB");
    WORD("--loss=%.6f", loss);
    for (size_t i = 0; is_slow && i < sizeof(slow) / sizeof(slow[0]); i++) {
        WORD("%s", slow[i]);
    }
    if (!is_slow) {
        WORD("%s", fast);
    }
    run_options_init(&options);
    CHECK_EQ(run_options_parse(&options, argc, argv), -1);
    options.seed = seed;
    setup.source_bytes = options.bytes;
    cor_pattern_init(&pattern, options.bytes);
    world = world_new(&setup, error);
    CHECK(world != NULL);
    world_run(world, NULL, NULL);
    world_outcome(world, &outcome);
    world_result(world, &result);
    world_free(world);
    CHECK_EQ(outcome.status, COR_OK);
    return (double)result.goodput_bps;
}

// One comparison; the second configuration is the slow one where `differ`.
static enum experiment_verdict compare(uint64_t seed, bool differ, double *drift, double *ratio) {
    struct experiment experiment;
    struct experiment_sample *sample;
    struct experiment_result result;

    CHECK(experiment_init(&experiment, 2, BLOCKS, 1, seed));
    while ((sample = experiment_next(&experiment)) != NULL) {
        double loss = LOSS_AT_END * sample->index / (experiment.count - 1);

        experiment_take(
            &experiment,
            true,
            goodput_bps(differ && sample->config == 1, loss, seed * 1000 + sample->index));
    }
    CHECK(experiment_compare(&experiment, 0, 1, &result));
    *drift = experiment.samples[experiment.count - 2].value / experiment.samples[2].value - 1;
    *ratio = result.paired.median_ratio;
    experiment_free(&experiment);
    return result.verdict;
}

TEST(the_air_loses_30_percent_and_the_slow_one_8) {
    double first = 0;
    double last = 0;
    double slower = 0;

    for (uint64_t seed = 1; seed <= 12; seed++) {
        first += goodput_bps(false, 0, seed);
        last += goodput_bps(false, LOSS_AT_END, seed);
        for (int step = 0; step <= 4; step++) {
            double loss = LOSS_AT_END * step / 4;

            slower += goodput_bps(true, loss, seed) / goodput_bps(false, loss, seed) / 5 / 12;
        }
    }
    printf("  air %.1f %%, slow one %.1f %%\n", 100 * (last / first - 1), 100 * (slower - 1));
    CHECK_BETWEEN(last / first, 0.68, 0.72);
    CHECK_BETWEEN(slower, 0.91, 0.93);
}

TEST(the_same_twice_is_no_difference_in_19_of_20) {
    unsigned right = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double drift;
        double ratio;
        enum experiment_verdict verdict = compare(seed, false, &drift, &ratio);

        right += verdict == EXPERIMENT_NO_DIFFERENCE;
        if (verdict != EXPERIMENT_NO_DIFFERENCE) {
            printf("  seed %u: ratio %.3f, drift %.2f\n", (unsigned)seed, ratio, drift);
        }
    }
    printf("  no difference in %u of %u\n", right, SEEDS);
    CHECK(right >= 19);
}

TEST(a_real_8_percent_is_found_in_18_of_20) {
    unsigned right = 0;

    for (uint64_t seed = 101; seed <= 100 + SEEDS; seed++) {
        double drift;
        double ratio;

        right += compare(seed, true, &drift, &ratio) == EXPERIMENT_LOWER;
    }
    printf("  found in %u of %u\n", right, SEEDS);
    CHECK(right >= 18);
}

TEST_MAIN(
    CASE(the_air_loses_30_percent_and_the_slow_one_8),
    CASE(the_same_twice_is_no_difference_in_19_of_20),
    CASE(a_real_8_percent_is_found_in_18_of_20))
