// SPDX-License-Identifier: MIT
// Radio: the driver of the virtual board as the options want it, what it tells, and what is read of
// it at the end.
#ifndef RUN_RADIO_H
#define RUN_RADIO_H

#include "world.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "coradio/cyw43.h"

struct run_radio;

// The images of --firmware, --nvram and --clm, or the synthetic ones, and the file of --fw-log.
// false: error[] says what is wrong.
bool run_radio_new(struct world *world, char error[256]);
void run_radio_free(struct world *world);

// Everything of the driver's config that options decide.
void run_radio_config(struct world *world, struct cor_cyw43_config *config);

// Once the application is over: asks the chip for signal and counters. True while that goes on.
bool run_radio_measure(struct world *world);

void run_radio_json(cJSON *to, const struct world *world);

#endif
