// SPDX-License-Identifier: MIT
// The constants of the twin that nobody is sure of: their list, their ranges, and that a run which
// is given another value is another run.
#include "coradio_twin/sim.h"
#include "coradio_twin/unsure.h"
#include "run/options.h"
#include "run/world.h"
#include "test.h"

#include "coradio/app_pattern.h"

TEST(each_has_a_name_a_text_and_a_range_that_holds_its_value) {
    CHECK(twin_unsure_count() > 20);
    for (size_t i = 0; i < twin_unsure_count(); i++) {
        const struct twin_unsure_row *row = twin_unsure_row(i);

        CHECK_EQ(twin_unsure_find(row->name), i);
        CHECK(strchr(row->name, '.') != NULL && row->text[0] != '\0');
        CHECK(row->low <= row->value && row->value <= row->high && row->low < row->high);
    }
    CHECK_EQ(twin_unsure_find("chip.nothing"), twin_unsure_count());
}

TEST(a_value_outside_of_the_range_changes_nothing) {
    struct twin_unsure unsure;
    struct twin_unsure before;

    twin_unsure_init(&unsure);
    before = unsure;
    for (size_t i = 0; i < twin_unsure_count(); i++) {
        const struct twin_unsure_row *row = twin_unsure_row(i);

        CHECK_EQ(twin_unsure_get(&unsure, i), row->value);
        CHECK(!twin_unsure_set(&unsure, i, row->high + 1));
        CHECK(row->low == 0 || !twin_unsure_set(&unsure, i, row->low - 1));
    }
    CHECK(memcmp(&unsure, &before, sizeof(unsure)) == 0);
    CHECK(twin_unsure_set(&unsure, 3, twin_unsure_row(3)->high));
    CHECK_EQ(twin_unsure_get(&unsure, 3), twin_unsure_row(3)->high);
    CHECK_EQ(twin_unsure_get(&unsure, 2), twin_unsure_row(2)->value);
}

TEST(a_world_holds_the_tables_until_it_is_told_otherwise) {
    struct twin_sim *sim = twin_sim_new(1, 0);
    struct twin_unsure unsure;

    twin_unsure_init(&unsure);
    CHECK(memcmp(twin_sim_unsure(sim), &unsure, sizeof(unsure)) == 0);
    unsure.chip_ioctl_ns = 123456;
    twin_sim_set_unsure(sim, &unsure);
    CHECK_EQ(twin_sim_unsure(sim)->chip_ioctl_ns, 123456);
    twin_sim_free(sim);
}

// A number over everything a run reports of its time: another model gives another one.
static uint64_t mark_of(char *const load[2], char *constant) {
    char *argv[] = {
        (char[]){"run"},
        (char[]){"--board=pico2w"},
        (char[]){"--virtual"},
        (char[]){"--loss=0.4"},
        load[0],
        load[1],
        constant};
    struct run_options options;
    struct cor_pattern pattern;
    struct world_setup setup = {.options = &options, .source = &pattern.source, .pattern = true};
    struct result result;
    char error[256];
    struct world *world;
    uint64_t mark;

    run_options_init(&options);
    CHECK_EQ(run_options_parse(&options, constant == NULL ? 6 : 7, argv), -1);
    options.bytes = 256 << 10;
    setup.source_bytes = options.bytes;
    cor_pattern_init(&pattern, options.bytes);
    world = world_new(&setup, error);
    CHECK(world != NULL);
    world_run(world, NULL, NULL);
    world_result(world, &result);
    world_free(world);
    mark =
        (result.interval_ns * 31 + result.clocked_bits) * 31 + (uint64_t)(result.bringup_s * 1e9);
    return mark * 31 + (uint64_t)(result.avg_mw * 1e6);
}

// Loads in one of which each constant can be seen.
static char *const loads[][2] = {
    {(char[]){"--app=tcp-tx"}, (char[]){"--seed=1"}},
    {(char[]){"--app=tcp-tx"}, (char[]){"--engine=serial"}},
    {(char[]){"--app=tcp-rx"}, (char[]){"--seed=1"}},
    {(char[]){"--app=udp-tx"}, (char[]){"--offered=8M"}},
};

TEST(each_changes_some_run_and_its_own_value_changes_none) {
    uint64_t marks[4];

    for (size_t j = 0; j < 4; j++) {
        marks[j] = mark_of(loads[j], NULL);
    }
    for (size_t i = 0; i < twin_unsure_count(); i++) {
        const struct twin_unsure_row *row = twin_unsure_row(i);
        const uint64_t ends[] = {row->low, row->high};
        bool changed = false;
        char text[96];

        snprintf(
            text, sizeof(text), "--twin-set=%s=%llu", row->name, (unsigned long long)row->value);
        CHECK_EQ(mark_of(loads[0], text), marks[0]);
        for (size_t j = 0; j < 8 && !changed; j++) {
            uint64_t end = ends[j % 2];

            snprintf(text, sizeof(text), "--twin-set=%s=%llu", row->name, (unsigned long long)end);
            changed = mark_of(loads[j / 2], text) != marks[j / 2];
        }
        if (!changed) {
            printf("  %s changes nothing\n", row->name);
        }
        // WPA3 and a full queue of the access point do not come up in these loads.
        CHECK(
            changed || strcmp(row->name, "ap.sae_ns") == 0 ||
            strcmp(row->name, "air.queue_frames") == 0);
    }
}

TEST(a_constant_and_the_option_for_it_are_the_same_and_not_both) {
    char *both[] = {
        (char[]){"run"},
        (char[]){"--board=pico2w"},
        (char[]){"--virtual"},
        (char[]){"--credit-window=5"},
        (char[]){"--twin-set=chip.credit_window=4"}};
    struct run_options options;

    CHECK_EQ(
        mark_of(loads[0], (char[]){"--twin-set=chip.credit_window=4"}),
        mark_of(loads[0], (char[]){"--credit-window=4"}));
    CHECK_EQ(
        mark_of(loads[0], (char[]){"--twin-set=chip.frame_ns=100000"}),
        mark_of(loads[0], (char[]){"--chip-frame-us=100"}));
    CHECK_EQ(
        mark_of(loads[0], (char[]){"--twin-set=ap.ampdu=1"}),
        mark_of(loads[0], (char[]){"--ap-ampdu=1"}));
    run_options_init(&options);
    CHECK_EQ(run_options_parse(&options, 5, both), 2);
}

TEST(what_is_no_constant_is_wrong_use) {
    static const char *const wrong[] = {
        "--twin-set=chip.nothing=4",
        "--twin-set=chip.credit_window",
        "--twin-set=chip.credit_window=",
        "--twin-set=chip.credit_window=21",
        "--twin-set=chip.credit_window=-1",
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[64];
        char *argv[] = {(char[]){"run"}, (char[]){"--board=pico2w"}, (char[]){"--virtual"}, text};
        struct run_options options;

        snprintf(text, sizeof(text), "%s", wrong[i]);
        run_options_init(&options);
        CHECK_EQ(run_options_parse(&options, 4, argv), 2);
    }
}

TEST(the_reference_page_lists_each_with_value_and_range) {
    static char page[1 << 15];
    FILE *file = fopen("docs/reference/constants.md", "r");

    CHECK(file != NULL);
    page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < twin_unsure_count(); i++) {
        const struct twin_unsure_row *row = twin_unsure_row(i);
        char line[160];

        snprintf(
            line,
            sizeof(line),
            "| `%s` | %llu | %llu to %llu | ",
            row->name,
            (unsigned long long)row->value,
            (unsigned long long)row->low,
            (unsigned long long)row->high);
        CHECK(strstr(page, line) != NULL);
    }
}

TEST_MAIN(
    CASE(each_has_a_name_a_text_and_a_range_that_holds_its_value),
    CASE(a_value_outside_of_the_range_changes_nothing),
    CASE(a_world_holds_the_tables_until_it_is_told_otherwise),
    CASE(each_changes_some_run_and_its_own_value_changes_none),
    CASE(a_constant_and_the_option_for_it_are_the_same_and_not_both),
    CASE(what_is_no_constant_is_wrong_use),
    CASE(the_reference_page_lists_each_with_value_and_range))
