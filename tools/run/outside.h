// SPDX-License-Identifier: MIT
// Outside: --peer, a program outside of the twin on the far side of the air.
#ifndef RUN_OUTSIDE_H
#define RUN_OUTSIDE_H

#include "options.h"
#include "world.h"

#include <stdbool.h>
#include <stdint.h>

// Whether --peer says something; NULL: it does (or was not given), else what to write.
const char *run_outside_fault(const struct run_options *options);

// The network is that of the target, which is the host outside.
void run_outside_addresses(struct world *world, uint32_t host);

// false: error[] says why.
bool run_outside_init(struct world *world, char error[256]);

#endif
