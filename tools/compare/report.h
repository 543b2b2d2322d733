// SPDX-License-Identifier: MIT
// Report: what a comparison found, for people and as JSON (docs/reference/compare.md).
#ifndef TOOLS_COMPARE_REPORT_H
#define TOOLS_COMPARE_REPORT_H

#include "compare/experiment.h"
#include "compare/setup.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#define COMPARE_SCHEMA     1
#define COMPARE_TEXT_BYTES 320

// One sentence of what b is against a:
// "B - A = +4.30 Mbit/s (95 % CI +3.80..+4.75, n=8 pairs, ratio 1.29), medians 14.90 -> 19.15".
// Returns text.
char *compare_sentence(
    const struct setup *setup,
    size_t a,
    size_t b,
    const struct experiment_result *result,
    char text[COMPARE_TEXT_BYTES]);
const char *compare_verdict(enum experiment_verdict verdict);

// False: memory is out.
bool compare_table(FILE *out, const struct setup *setup, const struct experiment *experiment);
// To be freed with cJSON_Delete(); NULL: memory is out.
cJSON *compare_json(
    const struct setup *setup, const struct experiment *experiment, const char *samples_path);

#endif
