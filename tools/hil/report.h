// SPDX-License-Identifier: MIT
// Report: predicted against measured, and the constants that the gap points at.
#ifndef TOOLS_HIL_REPORT_H
#define TOOLS_HIL_REPORT_H

#include "hil/study.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#define HIL_SCHEMA 1

// What a study found.
enum hil_finding {
    HIL_NO_GAP,       // nothing beyond the scatter
    HIL_ONE,          // one constant explains most of it, and none of the others comes near
    HIL_SEVERAL,      // several explain it alike; this plan cannot tell them apart
    HIL_UNEXPLAINED,  // no constant alone explains half of it
    HIL_NOT_TRIED,    // --no-search
};

enum hil_finding hil_judge(const struct study *study, bool searched);
// How many constants are as good as the best one.
size_t hil_alike(const struct study *study);

void hil_table(FILE *out, const struct study *study, bool searched);
// To be freed with cJSON_Delete().
cJSON *hil_json(const struct study *study, const char *plan_path, bool searched);

#endif
