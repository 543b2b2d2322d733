// SPDX-License-Identifier: MIT
// Paired: medians, paired differences and their exact intervals, for samples taken side by side.
//
// The unit is one run, never one second of it. A and B of one pair were measured next to each
// other, so that a drifting channel moves both; what is left is the difference.
#ifndef TOOLS_COMPARE_PAIRED_H
#define TOOLS_COMPARE_PAIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// More pairs than this use the bootstrap alone.
#define PAIRED_EXACT_MAX 200

struct paired_interval {
    bool known;  // false: too few pairs for 95 %
    double low;
    double high;
    double coverage;  // 0..1, at least 0.95 where known
};

struct paired {
    size_t count;
    double median_a;
    double median_b;
    double median_difference;
    double median_ratio;               // of b to a; NaN where an a is zero
    double hodges_lehmann;             // median of the Walsh averages of the differences
    struct paired_interval wilcoxon;   // of the Hodges-Lehmann estimate
    struct paired_interval sign;       // of the median difference
    struct paired_interval bootstrap;  // of the median difference, percentile
    double p_value;                    // two-sided, exact sign-rank; 1 where nothing differs
    bool differs;                      // the interval leaves zero out
};

// The median of count values, at least one. The order of `values` is not changed.
double paired_median(const double *values, size_t count);

// Compares b with a, pair by pair; count at least 1. The seed drives the bootstrap and is to be
// printed with the result. Returns false when memory is out.
bool paired_compare(
    const double *a, const double *b, size_t count, uint64_t seed, struct paired *result);

// Largest k whose sign interval (d(k), d(n+1-k)) covers at least 95 %, and the largest K of the
// Wilcoxon interval; 0 where there is none. The coverage goes to *coverage.
size_t paired_sign_rank_k(size_t count, double *coverage);
size_t paired_wilcoxon_k(size_t count, double *coverage);

#endif
