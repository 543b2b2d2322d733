// SPDX-License-Identifier: MIT
// Measure: one sample of a configuration, on a board or from a shell command.
#ifndef TOOLS_COMPARE_MEASURE_H
#define TOOLS_COMPARE_MEASURE_H

#include "compare/setup.h"
#include "control/client.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct measure {
    const struct setup *setup;
    const char *secret;  // NULL: none
    struct control_link *links[EXPERIMENT_CONFIGS_MAX];
    size_t link_count;
};

// Opens the boards that the configurations name, each once. False: error[] says why.
bool measure_open(struct measure *measure, char error[CONTROL_ERROR_BYTES]);
void measure_close(struct measure *measure);

// Takes a sample. *details becomes what is to be kept with it: the report of a board, or what a
// command printed; the caller deletes it. False: there is no value, error[] says why.
bool measure_sample(
    struct measure *measure,
    const struct experiment_sample *sample,
    double *value,
    cJSON **details,
    char error[CONTROL_ERROR_BYTES]);

// Runs a shell command and takes the last number it prints. The output so far is in text.
// The whole group of processes is ended when it takes longer than timeout_ns.
bool measure_command(
    const char *command, uint64_t timeout_ns, double *value, char text[4096], char *error);

// A number in a tree by its dotted name; NaN: there is none.
double measure_metric(const cJSON *tree, const char *name);

#endif
