// SPDX-License-Identifier: MIT
#include "hil/observe.h"

#include "compare/measure.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    const char *path;
    const char *of;
    double least;
} rows[] = {
#define X(name, path, of, least) {#name, path, of, least},
    OBSERVABLES(X)
#undef X
};

const char *observe_name(int observable) {
    return rows[observable].name;
}

double observe_least(int observable) {
    return rows[observable].least;
}

static double sum_of(const cJSON *object) {
    const cJSON *each;
    double sum = 0;

    cJSON_ArrayForEach(each, object) {
        sum += cJSON_IsNumber(each) ? each->valuedouble : 0;
    }
    return sum;
}

double observe(const cJSON *report, int observable) {
    double value = measure_metric(report, rows[observable].path);
    const char *of = rows[observable].of;
    double whole;

    if (of == NULL) {
        return value > 0 ? log(value) : (double)NAN;
    }
    if (of[0] == '\0') {
        return value;
    }
    whole = strchr(of, '.') != NULL ? measure_metric(report, of)
                                    : sum_of(cJSON_GetObjectItemCaseSensitive(report, of));
    return whole > 0 ? value / whole : (double)NAN;
}
