// SPDX-License-Identifier: MIT
// Faults: the script of --faults and --fault, and what came of it.
#ifndef RUN_FAULTS_H
#define RUN_FAULTS_H

#include "coradio_twin/faults.h"
#include "options.h"
#include "world.h"

#include <cjson/cJSON.h>

// The faults the options name, in a world; NULL with error[] empty: none. *wrong_use: the script is
// wrong, else a file cannot be read.
struct twin_faults *run_faults_new(
    const struct run_options *options, struct twin_sim *sim, bool *wrong_use, char error[256]);

// Whether the script can be read and understood: EXIT_CODE_DONE, or the exit code.
int run_faults_check(const struct run_options *options, char error[256]);

// The first fault that has not struck, NULL: all have.
const char *run_faults_unfired(const struct world *world);
void run_faults_json(cJSON *to, const struct world *world);
void run_faults_table(FILE *out, const struct world *world);

#endif
