// SPDX-License-Identifier: MIT
// Store: the file of a comparison, one JSON object a line: what is compared, then each sample with
// its conditions as soon as it is taken.
#ifndef TOOLS_COMPARE_STORE_H
#define TOOLS_COMPARE_STORE_H

#include "compare/experiment.h"
#include "compare/setup.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

// Begins a file, which must not exist. NULL: error[] says why.
FILE *store_begin(const char *path, const struct setup *setup, char error[SETUP_ERROR]);

// Reads a file back: fills the setup, lays the experiment out and takes the samples that are there.
// A last line that is not whole, as an interruption leaves it, is cut off. NULL: error[] says why;
// else the file, ready for more.
FILE *store_resume(
    const char *path, struct setup *setup, struct experiment *experiment, char error[SETUP_ERROR]);

// Adds a sample; details may be NULL and stay with the caller. False: it could not be written.
bool store_add(
    FILE *file, const struct experiment_sample *sample, cJSON *details, const char *failure);

#endif
