// SPDX-License-Identifier: MIT
// Path: runs the whole way of the bytes in virtual time, from options as on the command line.
//
// Every run that gets through is held to what must hold in each of them: the peer has received what
// was sent, byte for byte; nothing went beyond the credit; the chip saw no breach of a rule; the
// states of the chronograph sum to the interval and the purposes to the clocked bits.
#ifndef TESTS_SCENARIO_PATH_H
#define TESTS_SCENARIO_PATH_H

#include "common/options.h"
#include "run/options.h"
#include "run/report.h"
#include "run/result.h"
#include "run/world.h"
#include "test.h"

#include "coradio/app_pattern.h"

struct path {
    struct run_options options;
    void (*hide)(struct run_options *options);  // between run and result; NULL: nothing
    void (*look)(const struct world *world);    // after the run; NULL: nothing
    struct world_faults faults;
    const char *fault;          // lines of a fault script; NULL: none
    struct cor_source *source;  // NULL: the pattern
    struct cor_pattern pattern;
    struct world_outcome outcome;
    struct result result;
    struct report_effective effective;
    char words[512];
};

static inline void path_parse(struct path *path, const char *words) {
    char *argv[48] = {(char *)(uintptr_t) "run", (char *)(uintptr_t) "--board=pico2w"};
    int count = 2;

    snprintf(path->words, sizeof(path->words), "--virtual %s", words);
    for (char *at = path->words; *at != '\0' && count < 47;) {
        size_t length = strcspn(at, " ");
        bool more = at[length] == ' ';

        at[length] = '\0';
        argv[count++] = at;
        at += length + (more ? 1 : 0);
    }
    run_options_init(&path->options);
    CHECK_EQ(run_options_parse(&path->options, count, argv), OPTIONS_GO_ON);
    path->options.fault = path->fault;
}

// The run as such; what came of it stands in `path`.
static inline void path_try(struct path *path, const char *words) {
    struct world_setup setup = {.options = &path->options, .faults = &path->faults};
    char error[256] = "";
    struct world *world;

    path_parse(path, words);
    setup.source = path->source;
    if (path->source == NULL) {
        cor_pattern_init(
            &path->pattern, path->options.bytes == 0 ? UINT64_MAX : path->options.bytes);
        setup.source = &path->pattern.source;
        setup.pattern = true;
    }
    setup.source_bytes = path->options.bytes;
    world = world_new(&setup, error);
    if (world == NULL) {
        printf("  %s\n", error);
    }
    CHECK(world != NULL);
    world_run(world, NULL, NULL);
    if (path->hide != NULL) {
        path->hide(&path->options);
    }
    world_outcome(world, &path->outcome);
    world_result(world, &path->result);
    world_effective(world, &path->effective);
    if (path->look != NULL) {
        path->look(world);
    }
    world_free(world);
}

static inline void path_show(const struct path *path, const char *words) {
    const struct result *result = &path->result;

    printf(
        "  %-44s %6.2f Mbit/s of %6.2f, %-11s bus %.4f air %.3f ampdu %.2f bits %.0f\n",
        words,
        (double)result->goodput_bps / 1e6,
        (double)result->bound_bps / 1e6,
        result->limit,
        result->utilization,
        result->share,
        result->mean_ampdu,
        result->bits_per_segment);
    printf("   ");
    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        printf(
            " %s %llu",
            cor_meter_state_name((enum cor_meter_state)i),
            (unsigned long long)result->state_us[i]);
    }
    printf(" us\n");
}

// A run that must get through, with all that must hold in every run.
static inline void path_run(struct path *path, const char *words) {
    const struct result *result = &path->result;
    uint64_t state_us = 0;
    uint64_t purposes_bits = 0;

    path_try(path, words);
    path_show(path, words);
    CHECK_EQ(path->outcome.status, COR_OK);
    CHECK_EQ(path->outcome.stage, WORLD_DONE);
    CHECK(result->complete);
    CHECK(!path->outcome.damaged);
    CHECK_EQ(result->counts.over_credit, 0);
    CHECK_EQ(result->counts.deviations, 0);
    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        state_us += result->state_us[i];
    }
    CHECK_BETWEEN(
        (double)state_us,
        (double)result->interval_ns / 1e3 - 2,
        (double)result->interval_ns / 1e3 + 2);
    for (int i = 0; i < COR_METER_PURPOSE_COUNT; i++) {
        purposes_bits += result->bits[i];
    }
    CHECK_EQ(purposes_bits, result->clocked_bits);
}

#endif
