// SPDX-License-Identifier: MIT
// Input: result files of coradio, told apart by what stands in them, never by their names.
#ifndef TOOLS_REPORT_INPUT_H
#define TOOLS_REPORT_INPUT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

// name, what it is
// clang-format off
#define REPORT_KINDS(X)                                                  \
    X(run,     "a result of `coradio run`")                              \
    X(sink,    "a result of `coradio sink`")                             \
    X(budget,  "a result of `coradio budget`")                           \
    X(compare, "a result of `coradio compare`")                          \
    X(power,   "a power trace: time_s,voltage_v,current_a,power_w")
// clang-format on

enum report_kind {
#define X(name, text) REPORT_KIND_##name,
    REPORT_KINDS(X)
#undef X
        REPORT_KIND_COUNT
};

struct report_trace {
    double *time_s;
    double *power_w;
    size_t count;
    size_t faulty;  // lines left out because a number in them was none
};

struct report_input {
    const char *path;  // not owned
    char title[96];    // the file's name without folder and ending
    enum report_kind kind;
    cJSON *json;  // NULL for a power trace
    struct report_trace trace;
};

// false: error[] holds one line that names the file and what is wrong with it.
bool report_input_read(struct report_input *input, const char *path, char error[512]);
void report_input_free(struct report_input *input);

// Numbers and texts by a path of names, "result.goodput_bps"; the fallback where there is none.
const cJSON *report_at(const cJSON *json, const char *path);
double report_number(const cJSON *json, const char *path, double fallback);
const char *report_text(const cJSON *json, const char *path, const char *fallback);

#endif
