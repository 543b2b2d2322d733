// SPDX-License-Identifier: MIT
#include "compare/paired.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE      0.95
#define BOOTSTRAP_TIMES 10000u

static int order(const void *left, const void *right) {
    double l = *(const double *)left;
    double r = *(const double *)right;

    return (l > r) - (l < r);
}

static double sorted_median(const double *sorted, size_t count) {
    return count % 2 != 0 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double paired_median(const double *values, size_t count) {
    double *copy = malloc(count * sizeof(*copy));
    double median;

    if (copy == NULL) {
        return NAN;
    }
    memcpy(copy, values, count * sizeof(*copy));
    qsort(copy, count, sizeof(*copy), order);
    median = sorted_median(copy, count);
    free(copy);
    return median;
}

size_t paired_sign_rank_k(size_t count, double *coverage) {
    double term = pow(0.5, (double)count);  // C(n, 0) / 2^n
    double tail = 0;                        // P(fewer than k of n signs)
    size_t k = 0;

    *coverage = 0;
    for (size_t i = 0; i < count / 2; i++) {
        tail += term;
        if (1 - 2 * tail < CONFIDENCE) {
            break;
        }
        k = i + 1;
        *coverage = 1 - 2 * tail;
        term *= (double)(count - i) / (double)(i + 1);
    }
    return k;
}

// The distribution of the signed-rank sum under no difference: share[s] of the subsets of
// {1..n} that sum to s. The caller frees it.
static double *signed_rank_shares(size_t count, size_t *sums) {
    size_t highest = count * (count + 1) / 2;
    double *share = calloc(highest + 1, sizeof(*share));

    if (share == NULL) {
        return NULL;
    }
    share[0] = 1;
    for (size_t rank = 1; rank <= count; rank++) {
        size_t reached = rank * (rank + 1) / 2;
        for (size_t sum = reached + 1; sum-- > 0;) {
            double without = share[sum];
            double with = sum >= rank ? share[sum - rank] : 0;
            share[sum] = (without + with) / 2;
        }
    }
    *sums = highest;
    return share;
}

size_t paired_wilcoxon_k(size_t count, double *coverage) {
    size_t highest;
    double *share = signed_rank_shares(count, &highest);
    double tail = 0;
    size_t k = 0;

    *coverage = 0;
    if (share == NULL) {
        return 0;
    }
    for (size_t sum = 0; sum <= highest / 2; sum++) {
        tail += share[sum];
        if (1 - 2 * tail < CONFIDENCE) {
            break;
        }
        k = sum + 1;
        *coverage = 1 - 2 * tail;
    }
    free(share);
    return k;
}

// Two-sided p of the signed-rank test. Differences of zero are left out, ties share their ranks.
static double signed_rank_p(const double *differences, size_t count) {
    double *sizes = malloc(count * sizeof(*sizes));
    size_t kept = 0;
    double positive = 0;
    double *share;
    size_t highest;
    double tail = 0;

    if (sizes == NULL) {
        return NAN;
    }
    for (size_t i = 0; i < count; i++) {
        if (differences[i] != 0) {
            sizes[kept++] = fabs(differences[i]);
        }
    }
    qsort(sizes, kept, sizeof(*sizes), order);
    for (size_t i = 0; i < count; i++) {
        size_t below = 0;
        size_t same = 0;
        if (differences[i] <= 0) {
            continue;
        }
        for (size_t j = 0; j < kept; j++) {
            below += sizes[j] < differences[i];
            same += sizes[j] == differences[i];
        }
        positive += (double)below + (double)(same + 1) / 2;
    }
    free(sizes);
    share = kept == 0 ? NULL : signed_rank_shares(kept, &highest);
    if (share == NULL) {
        return 1;
    }
    if (positive > (double)highest / 2) {
        positive = (double)highest - positive;
    }
    for (size_t sum = 0; (double)sum <= positive; sum++) {
        tail += share[sum];
    }
    free(share);
    return tail >= 0.5 ? 1 : 2 * tail;
}

// splitmix64, public domain (Steele, Lea, Flood 2014): the bootstrap is the same on every machine.
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static bool bootstrap(
    const double *differences, size_t count, uint64_t seed, struct paired_interval *interval) {
    double *medians = malloc(BOOTSTRAP_TIMES * sizeof(*medians));
    double *draw = malloc(count * sizeof(*draw));

    if (medians == NULL || draw == NULL) {
        free(medians);
        free(draw);
        return false;
    }
    for (size_t i = 0; i < BOOTSTRAP_TIMES; i++) {
        for (size_t j = 0; j < count; j++) {
            draw[j] = differences[next_random(&seed) % count];
        }
        qsort(draw, count, sizeof(*draw), order);
        medians[i] = sorted_median(draw, count);
    }
    qsort(medians, BOOTSTRAP_TIMES, sizeof(*medians), order);
    interval->known = true;
    interval->low = medians[BOOTSTRAP_TIMES / 40];
    interval->high = medians[BOOTSTRAP_TIMES - 1 - BOOTSTRAP_TIMES / 40];
    interval->coverage = CONFIDENCE;
    free(medians);
    free(draw);
    return true;
}

// Sorted Walsh averages (d_i + d_j) / 2, i <= j. The caller frees them.
static double *walsh_averages(const double *differences, size_t count, size_t *averages) {
    double *walsh = malloc(count * (count + 1) / 2 * sizeof(*walsh));
    size_t used = 0;

    if (walsh == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i; j < count; j++) {
            walsh[used++] = (differences[i] + differences[j]) / 2;
        }
    }
    qsort(walsh, used, sizeof(*walsh), order);
    *averages = used;
    return walsh;
}

// The interval between the k-th value from below and from above, 1-based.
static struct paired_interval order_interval(
    const double *sorted, size_t count, size_t k, double coverage) {
    struct paired_interval interval = {.known = k > 0, .coverage = coverage};

    if (interval.known) {
        interval.low = sorted[k - 1];
        interval.high = sorted[count - k];
    }
    return interval;
}

static bool exact_intervals(const double *sorted, size_t count, struct paired *result) {
    size_t averages;
    double *walsh = walsh_averages(sorted, count, &averages);
    double coverage;
    size_t k;

    if (walsh == NULL) {
        return false;
    }
    result->hodges_lehmann = sorted_median(walsh, averages);
    k = paired_wilcoxon_k(count, &coverage);
    result->wilcoxon = order_interval(walsh, averages, k, coverage);
    k = paired_sign_rank_k(count, &coverage);
    result->sign = order_interval(sorted, count, k, coverage);
    free(walsh);
    return true;
}

bool paired_compare(
    const double *a, const double *b, size_t count, uint64_t seed, struct paired *result) {
    double *work = malloc(2 * count * sizeof(*work));
    double *sorted = work;
    double *ratios = work == NULL ? NULL : work + count;
    bool good;

    memset(result, 0, sizeof(*result));
    if (work == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = b[i] - a[i];
        ratios[i] = b[i] / a[i];
    }
    result->count = count;
    result->median_a = paired_median(a, count);
    result->median_b = paired_median(b, count);
    result->median_ratio = paired_median(ratios, count);
    result->p_value = signed_rank_p(sorted, count);
    good = bootstrap(sorted, count, seed, &result->bootstrap);
    qsort(sorted, count, sizeof(*sorted), order);
    result->median_difference = sorted_median(sorted, count);
    if (count <= PAIRED_EXACT_MAX) {
        good = exact_intervals(sorted, count, result) && good;
    } else {
        result->hodges_lehmann = result->median_difference;
    }
    free(work);
    if (result->wilcoxon.known) {
        result->differs = result->wilcoxon.low > 0 || result->wilcoxon.high < 0;
    } else if (count > PAIRED_EXACT_MAX) {
        result->differs = result->bootstrap.low > 0 || result->bootstrap.high < 0;
    }
    return good;
}
