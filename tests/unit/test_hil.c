// SPDX-License-Identifier: MIT
// The parts of a study that run nothing: plans, observables, and which constant explains a gap.
#include "hil/observe.h"
#include "hil/plan.h"
#include "hil/rank.h"
#include "test.h"

#include <math.h>

static struct plan plan;
static char error[400];

TEST(a_plan_is_rows_with_the_defaults_first) {
    CHECK(plan_parse(
        &plan,
        "# a plan\n"
        "default bytes=4MiB  pm=none\r\n"
        "\n"
        "row one bus-mhz=25   # slow\n"
        "  row two\tapp=ping count=3\n"
        "row bare",
        error));
    CHECK_EQ(plan.count, 3);
    CHECK_TEXT(plan.rows[0].name, "one");
    CHECK_TEXT(plan.rows[0].settings, "bytes=4MiB pm=none bus-mhz=25");
    CHECK_TEXT(plan.rows[1].settings, "bytes=4MiB pm=none app=ping count=3");
    CHECK_TEXT(plan.rows[2].settings, "bytes=4MiB pm=none");
}

TEST(what_is_no_plan_is_told_with_its_line) {
    static const struct {
        const char *text;
        const char *says;
    } rows[] = {
        {"", "no row in it"},
        {"default a=1\n", "no row in it"},
        {"row a x=1\nrow a x=2\n", "line 2: two rows have that name"},
        {"row a x=1\ndefault b=2\n", "line 2: default stands before the rows"},
        {"row\n", "line 1: write: row NAME"},
        {"row a=1\n", "line 1: write: row NAME"},
        {"\nrow a fast\n", "line 2: settings are KEY=VALUE"},
        {"rows a x=1\n", "line 1: a line begins with row or default"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK(!plan_parse(&plan, rows[i].text, error));
        CHECK(strstr(error, rows[i].says) != NULL);
    }
}

TEST(a_plan_has_64_rows_and_400_characters_a_row_at_most) {
    static char text[1 << 14];
    size_t used = 0;

    for (int i = 0; i < 65; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "row r%d x=1\n", i);
    }
    CHECK(!plan_parse(&plan, text, error));
    CHECK_TEXT(error, "line 65: a plan has 64 rows at most");
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    CHECK(!plan_parse(&plan, text, error));
    CHECK_TEXT(error, "line 1 is too long");
    memcpy(text, "row a x=", 8);
    text[350] = '\0';
    char two[800];
    snprintf(two, sizeof(two), "default y=%.200s\n%.360s\n", text + 8, text);
    CHECK(!plan_parse(&plan, two, error));
    CHECK(strstr(error, "line 2: settings are KEY=VALUE, 400 characters") != NULL);
}

TEST(the_plan_that_ships_can_be_read) {
    CHECK(plan_read(&plan, "examples/plans/pico2w.plan", error));
    CHECK(plan.count >= 10);
    CHECK(!plan_read(&plan, "examples/plans/none.plan", error));
    CHECK(!plan_read(&plan, "/dev/null", error));
}

TEST(observables_of_a_report) {
    cJSON *report = cJSON_Parse(
        "{\"result\":{\"goodput_bps\":1000000},\"time\":{\"bringup_s\":0},"
        "\"latency_us\":{\"p50\":null},\"bus\":{\"utilization\":0.5,\"bits\":{\"control\":5,"
        "\"payload\":100}},\"chronograph_us\":{\"credit\":30,\"bus\":60,\"cpu\":10}}");

    CHECK_BETWEEN(observe(report, OBSERVABLE_goodput), log(1e6), log(1e6));
    CHECK(isnan(observe(report, OBSERVABLE_bringup)));
    CHECK(isnan(observe(report, OBSERVABLE_latency)));
    CHECK_BETWEEN(observe(report, OBSERVABLE_bus_busy), 0.5, 0.5);
    CHECK_BETWEEN(observe(report, OBSERVABLE_control_bits), 0.05, 0.05);
    CHECK_BETWEEN(observe(report, OBSERVABLE_credit), 0.3, 0.3);
    CHECK(isnan(observe(report, OBSERVABLE_power_save)));
    cJSON_Delete(report);
}

// ---- ranking

static double zeros[3];

static struct rank_constant constant_at(uint64_t value) {
    struct rank_constant constant = {.name = "x", .value = value, .low = 0, .high = 100};

    CHECK(rank_add(&constant, value, zeros));
    return constant;
}

TEST(a_constant_that_answers_like_the_gap_explains_it) {
    double answer[3] = {10, -20, 5};
    double gap[3] = {4, -8, 2};
    struct rank_constant constant = constant_at(50);

    CHECK(rank_add(&constant, 100, answer));
    rank_fit(&constant, gap, 3);
    CHECK_BETWEEN(constant.explained, 0.9999, 1);
    CHECK_BETWEEN(constant.best, 69.99, 70.01);
}

TEST(one_that_answers_the_other_way_or_across_explains_nothing) {
    double away[3] = {-10, 20, -5};
    double across[3] = {0, 5, 20};
    double gap[3] = {4, -8, 2};
    struct rank_constant constant = constant_at(50);

    CHECK(rank_add(&constant, 100, away));
    rank_fit(&constant, gap, 3);
    CHECK_BETWEEN(constant.explained, 0, 0);
    CHECK_BETWEEN(constant.best, 50, 50);
    constant = constant_at(50);
    CHECK(rank_add(&constant, 0, across));
    rank_fit(&constant, gap, 3);
    CHECK_BETWEEN(constant.explained, 0, 0.02);
}

TEST(a_bend_is_followed_by_the_tries_on_it) {
    double half[3] = {9, 0, 0};
    double full[3] = {10, 10, 0};
    double gap[3] = {9, 0.1, 0};
    struct rank_constant constant = constant_at(0);
    double before;

    CHECK(rank_add(&constant, 100, full));
    rank_fit(&constant, gap, 3);
    before = constant.explained;
    CHECK(rank_add(&constant, 50, half));
    CHECK(!rank_add(&constant, 50, half));
    rank_fit(&constant, gap, 3);
    CHECK(before < 0.6 && constant.explained > 0.99);
    CHECK_BETWEEN(constant.best, 49, 52);
}

TEST(numbers_that_are_none_count_as_nothing) {
    double answer[3] = {10, (double)NAN, 0};
    double gap[3] = {5, (double)NAN, 0};
    struct rank_constant constant = constant_at(50);

    CHECK(rank_add(&constant, 100, answer));
    rank_fit(&constant, gap, 3);
    CHECK_BETWEEN(constant.explained, 0.9999, 1);
}

TEST_MAIN(
    CASE(a_plan_is_rows_with_the_defaults_first),
    CASE(what_is_no_plan_is_told_with_its_line),
    CASE(a_plan_has_64_rows_and_400_characters_a_row_at_most),
    CASE(the_plan_that_ships_can_be_read),
    CASE(observables_of_a_report),
    CASE(a_constant_that_answers_like_the_gap_explains_it),
    CASE(one_that_answers_the_other_way_or_across_explains_nothing),
    CASE(a_bend_is_followed_by_the_tries_on_it),
    CASE(numbers_that_are_none_count_as_nothing))
