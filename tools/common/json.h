// SPDX-License-Identifier: MIT
// JSON: thin helpers over cJSON, for results whose numbers must be exact and stable.
//
// cJSON keeps numbers as doubles; integers above 2^53 would change. So integers are added as raw
// text, and reals with a stated number of decimals (trailing zeros cut), which prints the same on
// every machine. Running out of memory while building a result ends the program.
#ifndef TOOLS_COMMON_JSON_H
#define TOOLS_COMMON_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

cJSON *json_new_object(void);
cJSON *json_add_object(cJSON *parent, const char *name);
cJSON *json_add_array(cJSON *parent, const char *name);
cJSON *json_append_object(cJSON *array);
void json_append_text(cJSON *array, const char *text);

void json_add_u64(cJSON *object, const char *name, uint64_t value);
void json_add_i64(cJSON *object, const char *name, int64_t value);
// A value that is no finite number becomes null.
void json_add_real(cJSON *object, const char *name, double value, int decimals);
void json_add_bool(cJSON *object, const char *name, bool value);
void json_add_text(cJSON *object, const char *name, const char *text);  // NULL becomes null
void json_add_null(cJSON *object, const char *name);

// The whole tree, indented, with a line end.
bool json_print(FILE *file, const cJSON *root);

// To the file named, by way of a temporary one that is renamed, so that no reader sees half a
// result; "-" is stdout. Returns 0 or an errno.
int json_write(const char *path, const cJSON *root);

#endif
