// SPDX-License-Identifier: MIT
// Manual page: the same table as --help, as roff for man(1).
#ifndef TOOLS_COMMON_OPTIONS_MAN_H
#define TOOLS_COMMON_OPTIONS_MAN_H

#include "options.h"

#include <stdio.h>

// What `coradio COMMAND --help=man` writes. The examples of the epilogue come first.
void options_man(FILE *out, const struct options_spec *spec);

#endif
