// SPDX-License-Identifier: MIT
// Options of the network and of the radio's driver, checked for options.c.
#ifndef RUN_OPTIONS_NETWORK_H
#define RUN_OPTIONS_NETWORK_H

#include "common/options.h"
#include "options.h"

// --ap into its fields. OPTIONS_GO_ON or an exit code; a mistake has been told.
int run_options_ap(struct run_options *options, const struct options_spec *spec);

// What goes together of the driver's options.
int run_options_radio(const struct run_options *options, const struct options_spec *spec);

#endif
