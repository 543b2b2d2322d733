// SPDX-License-Identifier: MIT
// Setup: what is compared, from the command line or from the file of an interrupted comparison.
#ifndef TOOLS_COMPARE_SETUP_H
#define TOOLS_COMPARE_SETUP_H

#include "compare/experiment.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#define SETUP_TEXT_BYTES 400
#define SETUP_ERROR      400

// How a configuration is measured, from its text:
//     run:COMMAND            a shell command; the last number it prints is the value
//     @ADDRESS SETTINGS      settings of another board than the common one
//     SETTINGS               settings of the common board
struct setup_config {
    char text[SETUP_TEXT_BYTES];  // as written
    const char *command;          // within text; NULL: settings of a board
    char address[SETUP_TEXT_BYTES];
    const char *settings;  // within text
};

struct setup {
    size_t configs;
    struct setup_config config[EXPERIMENT_CONFIGS_MAX];
    char board[SETUP_TEXT_BYTES];     // the common address
    char settings[SETUP_TEXT_BYTES];  // that all boards get first
    char metric[64];                  // "result.goodput_bps"
    char unit[32];
    double scale;  // value of the metric divided by this is in the unit
    uint64_t blocks;
    uint64_t warmup;
    uint64_t seed;
    uint64_t pause_ns;
    uint64_t timeout_ns;
};

// Splits the texts of the configurations. False: error[] says what is wrong.
bool setup_configs(struct setup *setup, char error[SETUP_ERROR]);
// Metrics in bit/s are shown in Mbit/s; others as they are, in the unit their name ends with.
void setup_unit(struct setup *setup);

// The first line of the file of samples, and back.
cJSON *setup_to_json(const struct setup *setup);
bool setup_from_json(struct setup *setup, const cJSON *json, char error[SETUP_ERROR]);

#endif
