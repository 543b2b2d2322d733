// SPDX-License-Identifier: MIT
#include "hil/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// NOLINTNEXTLINE(readability-non-const-parameter): it is kept, and freed by whoever made it
bool rank_add(struct rank_constant *constant, uint64_t value, double *answer) {
    size_t at = 0;

    while (at < constant->try_count && constant->tries[at].value < value) {
        at++;
    }
    if (constant->try_count == RANK_TRIES_MAX ||
        (at < constant->try_count && constant->tries[at].value == value)) {
        return false;
    }
    memmove(
        &constant->tries[at + 1],
        &constant->tries[at],
        (constant->try_count - at) * sizeof(constant->tries[0]));
    constant->tries[at] = (struct rank_try){.value = value, .answer = answer};
    constant->try_count++;
    return true;
}

// NaN counts as nothing.
static double part(double value) {
    return isfinite(value) ? value : 0;
}

double rank_length(const double *vector, size_t count) {
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum += part(vector[i]) * part(vector[i]);
    }
    return sqrt(sum);
}

// The best point between two tries: how far it is from the first, 0..1, and what is left there.
static double fit_line(
    const double *from, const double *to, const double *gap, size_t count, double *left) {
    double along = 0;
    double length = 0;
    double share;

    for (size_t i = 0; i < count; i++) {
        double step = part(to[i]) - part(from[i]);

        along += step * (part(gap[i]) - part(from[i]));
        length += step * step;
    }
    share = length > 0 ? along / length : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    *left = 0;
    for (size_t i = 0; i < count; i++) {
        double at = part(from[i]) + share * (part(to[i]) - part(from[i]));

        *left += (part(gap[i]) - at) * (part(gap[i]) - at);
    }
    return share;
}

void rank_fit(struct rank_constant *constant, const double *gap, size_t count) {
    double whole = rank_length(gap, count);
    double least = whole * whole;

    constant->explained = 0;
    constant->best = (double)constant->value;
    constant->size = 0;
    for (size_t i = 0; i < constant->try_count; i++) {
        constant->size = fmax(constant->size, rank_length(constant->tries[i].answer, count));
    }
    for (size_t i = 0; i + 1 < constant->try_count; i++) {
        const struct rank_try *from = &constant->tries[i];
        const struct rank_try *to = &constant->tries[i + 1];
        double left;
        double share = fit_line(from->answer, to->answer, gap, count, &left);

        if (left < least) {
            least = left;
            constant->best =
                (double)from->value + share * ((double)to->value - (double)from->value);
        }
    }
    constant->explained = whole > 0 ? 1 - least / (whole * whole) : 0;
}

static int order(const void *left, const void *right) {
    const struct rank_constant *l = left;
    const struct rank_constant *r = right;

    return (l->explained < r->explained) - (l->explained > r->explained);
}

void rank_sort(struct rank_constant *constants, size_t count) {
    qsort(constants, count, sizeof(*constants), order);
}
