// SPDX-License-Identifier: MIT
// Seed: what the streams of randomness read of the sim.
#ifndef TWIN_SIM_SEED_H
#define TWIN_SIM_SEED_H

#include "coradio_twin/sim.h"

uint64_t twin_sim_seed(const struct twin_sim *sim);

#endif
