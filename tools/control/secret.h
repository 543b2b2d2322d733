// SPDX-License-Identifier: MIT
// Secret: what callers over TCP prove to know, read from a file that others cannot read.
#ifndef TOOLS_CONTROL_SECRET_H
#define TOOLS_CONTROL_SECRET_H

#include <stdbool.h>

#define SECRET_SIZE 128

// The first line of the file. False: error[] (256 or more) says why.
bool secret_read(const char *path, char secret[SECRET_SIZE], char *error);

#endif
