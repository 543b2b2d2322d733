// SPDX-License-Identifier: MIT
// The port's half of the assertion: say where, and abort so that a debugger or a core file shows
// it.
#include <stdio.h>
#include <stdlib.h>

#include "coradio/assert.h"

void cor_panic(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, what);
    abort();
}
