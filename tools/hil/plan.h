// SPDX-License-Identifier: MIT
// Plan: the rows that a board and the twin both run, from a text file (docs/reference/hil.md).
//
//     # what is after # is no part of the plan
//     default  bytes=4MiB
//     row tcp-37.5  bus-mhz=37.5
//     row ping      app=ping count=50
#ifndef TOOLS_HIL_PLAN_H
#define TOOLS_HIL_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#define PLAN_ROWS_MAX   64
#define PLAN_NAME_BYTES 40
#define PLAN_TEXT_BYTES 400

struct plan_row {
    char name[PLAN_NAME_BYTES];
    char settings[PLAN_TEXT_BYTES];  // those of `default` first
};

struct plan {
    struct plan_row rows[PLAN_ROWS_MAX];
    size_t count;
};

// False: error[400] says in one line what is wrong, with the line's number.
bool plan_read(struct plan *plan, const char *path, char *error);
// The same from text.
bool plan_parse(struct plan *plan, const char *text, char *error);

#endif
