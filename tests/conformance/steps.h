// SPDX-License-Identifier: MIT
// Steps: plays one case of a script on a world of its own.
#ifndef CONFORMANCE_STEPS_H
#define CONFORMANCE_STEPS_H

#include "script.h"

#include <stdbool.h>

// Prints one line that begins with file and line where a step failed.
bool steps_play(const struct script *script, const struct script_case *played);

#endif
