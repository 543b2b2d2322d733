// SPDX-License-Identifier: MIT
// Paired comparison against a worked example and the exact tables of the sign and signed-rank
// tests (computed by hand from the binomial and from the subsets of {1..n}).
#include "compare/paired.h"
#include "test.h"

static const double a[] = {15.1, 14.2, 15.6, 13.9, 15.3, 14.8, 12.7, 15.0};
static const double b[] = {19.4, 18.3, 19.9, 18.8, 18.9, 19.7, 16.2, 19.6};

#define NEAR(actual, expected) CHECK_BETWEEN(actual, (expected)-1e-9, (expected) + 1e-9)

TEST(worked_example_of_eight_pairs) {
    struct paired result;

    CHECK(paired_compare(a, b, 8, 1, &result));
    NEAR(result.median_a, 14.90);
    NEAR(result.median_b, 19.15);
    NEAR(result.median_difference, 4.30);
    NEAR(result.hodges_lehmann, 4.275);
    CHECK(result.wilcoxon.known);
    NEAR(result.wilcoxon.low, 3.80);
    NEAR(result.wilcoxon.high, 4.75);
    CHECK_BETWEEN(result.wilcoxon.coverage, 0.9605, 0.9615);
    NEAR(result.sign.low, 3.5);
    NEAR(result.sign.high, 4.9);
    CHECK_BETWEEN(result.sign.coverage, 0.9915, 0.9925);
    CHECK_BETWEEN(result.p_value, 0.0078, 0.00785);
    CHECK_BETWEEN(result.median_ratio, 1.2865, 1.2875);
    CHECK(result.differs);
}

TEST(ranks_of_the_exact_intervals) {
    static const struct {
        size_t count;
        size_t sign;
        double sign_coverage;
        size_t wilcoxon;
        double wilcoxon_coverage;
    } rows[] = {
        {5, 0, 0, 0, 0},
        {6, 1, 96.9, 1, 96.9},
        {7, 1, 98.4, 3, 95.3},
        {8, 1, 99.2, 4, 96.1},
        {9, 2, 96.1, 6, 96.1},
        {10, 2, 97.9, 9, 95.1},
        {12, 3, 96.1, 14, 95.8},
        {15, 4, 96.5, 26, 95.2},
        {20, 6, 95.9, 53, 95.2},
        {25, 8, 95.7, 90, 95.2},
        {30, 10, 95.7, 138, 95.03},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double coverage;
        CHECK_EQ(paired_sign_rank_k(rows[i].count, &coverage), rows[i].sign);
        CHECK_BETWEEN(coverage * 100, rows[i].sign_coverage - 0.06, rows[i].sign_coverage + 0.06);
        CHECK_EQ(paired_wilcoxon_k(rows[i].count, &coverage), rows[i].wilcoxon);
        CHECK_BETWEEN(
            coverage * 100, rows[i].wilcoxon_coverage - 0.06, rows[i].wilcoxon_coverage + 0.06);
    }
}

TEST(five_pairs_never_reach_95_percent) {
    struct paired result;

    CHECK(paired_compare(a, b, 5, 1, &result));
    CHECK(!result.wilcoxon.known);
    CHECK(!result.differs);
    CHECK_BETWEEN(result.p_value, 0.0625, 0.0625);
}

TEST(equal_samples_do_not_differ) {
    struct paired result;

    CHECK(paired_compare(a, a, 8, 1, &result));
    CHECK(!result.differs);
    NEAR(result.p_value, 1);
    NEAR(result.median_difference, 0);
}

TEST(swapping_the_sides_turns_the_sign) {
    struct paired forth;
    struct paired back;

    CHECK(paired_compare(a, b, 8, 1, &forth));
    CHECK(paired_compare(b, a, 8, 1, &back));
    NEAR(forth.hodges_lehmann, -back.hodges_lehmann);
    NEAR(forth.wilcoxon.low, -back.wilcoxon.high);
    NEAR(forth.p_value, back.p_value);
}

TEST(bootstrap_repeats_with_its_seed) {
    struct paired first;
    struct paired second;

    CHECK(paired_compare(a, b, 8, 7, &first));
    CHECK(paired_compare(a, b, 8, 7, &second));
    CHECK(first.bootstrap.known);
    NEAR(first.bootstrap.low, second.bootstrap.low);
    NEAR(first.bootstrap.high, second.bootstrap.high);
    CHECK_BETWEEN(first.bootstrap.low, 3.5, 4.3);
    CHECK_BETWEEN(first.bootstrap.high, 4.3, 4.9);
}

TEST_MAIN(
    CASE(worked_example_of_eight_pairs),
    CASE(ranks_of_the_exact_intervals),
    CASE(five_pairs_never_reach_95_percent),
    CASE(equal_samples_do_not_differ),
    CASE(swapping_the_sides_turns_the_sign),
    CASE(bootstrap_repeats_with_its_seed))
