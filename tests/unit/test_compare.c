// SPDX-License-Identifier: MIT
// The parts of a comparison that measure nothing: order of samples, verdicts, the file of samples.
#include "compare/experiment.h"
#include "compare/measure.h"
#include "compare/report.h"
#include "compare/setup.h"
#include "compare/store.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static struct experiment experiment;
static char error[CONTROL_ERROR_BYTES];

TEST(every_block_holds_each_configuration_once_and_the_next_reversed) {
    unsigned orders = 0;

    CHECK(experiment_init(&experiment, 3, 40, 2, 7));
    CHECK_EQ(experiment.count, 3 * 42);
    for (uint32_t block = 0; block < 42; block++) {
        const struct experiment_sample *at = &experiment.samples[(size_t)3 * block];
        unsigned seen = 0;

        for (uint32_t i = 0; i < 3; i++) {
            CHECK_EQ(at[i].block, block);
            CHECK_EQ(at[i].index, 3 * block + i);
            CHECK_EQ(at[i].warmup, block < 2);
            seen |= 1u << at[i].config;
        }
        CHECK_EQ(seen, 7);
        if (block >= 2 && block % 2 != 0) {
            CHECK_EQ(at[0].config, at[-1].config);
            CHECK_EQ(at[2].config, at[-3].config);
        }
        orders |= 1u << (at[0].config * 3 + at[1].config);
    }
    // All six orders come up.
    CHECK_EQ(__builtin_popcount(orders), 6);
    experiment_free(&experiment);
}

TEST(the_order_is_that_of_the_seed) {
    struct experiment other;
    unsigned same = 0;

    CHECK(experiment_init(&experiment, 2, 50, 0, 3) && experiment_init(&other, 2, 50, 0, 3));
    for (uint32_t i = 0; i < experiment.count; i++) {
        CHECK_EQ(experiment.samples[i].config, other.samples[i].config);
    }
    experiment_free(&other);
    CHECK(experiment_init(&other, 2, 50, 0, 4));
    for (uint32_t i = 0; i < experiment.count; i++) {
        same += experiment.samples[i].config == other.samples[i].config;
    }
    CHECK(same < experiment.count);
    experiment_free(&other);
    experiment_free(&experiment);
}

// The worked example of eight pairs, taken in the order of the experiment.
static void take_example(size_t pairs, double gain) {
    static const double a[] = {15.1, 14.2, 15.6, 13.9, 15.3, 14.8, 12.7, 15.0};
    static const double b[] = {19.4, 18.3, 19.9, 18.8, 18.9, 19.7, 16.2, 19.6};
    const struct experiment_sample *sample;

    CHECK(experiment_init(&experiment, 2, (uint32_t)pairs, 1, 1));
    while ((sample = experiment_next(&experiment)) != NULL) {
        size_t pair = sample->warmup ? 0 : (sample->block - 1) % 8;
        double value = sample->config == 0 ? a[pair] : a[pair] + gain * (b[pair] - a[pair]);

        experiment_take(&experiment, true, sample->warmup ? 1000 : value);
    }
}

TEST(the_worked_example_reads_as_in_the_fact_sheet) {
    struct setup setup = {.unit = "Mbit/s"};
    struct experiment_result result;
    char text[COMPARE_TEXT_BYTES];

    take_example(8, 1);
    CHECK(experiment_compare(&experiment, 0, 1, &result));
    CHECK_EQ(result.verdict, EXPERIMENT_HIGHER);
    CHECK_TEXT(
        compare_sentence(&setup, 0, 1, &result, text),
        "B - A = +4.27 Mbit/s (95 % CI +3.80..+4.75, n=8 pairs, ratio 1.287), medians 14.90 -> "
        "19.15");
    CHECK(experiment_compare(&experiment, 1, 0, &result));
    CHECK_EQ(result.verdict, EXPERIMENT_LOWER);
    experiment_free(&experiment);
}

TEST(seven_pairs_have_no_verdict_and_equal_ones_no_difference) {
    struct setup setup = {.unit = "Mbit/s"};
    struct experiment_result result;
    char text[COMPARE_TEXT_BYTES];

    take_example(7, 1);
    CHECK(experiment_compare(&experiment, 0, 1, &result));
    CHECK_EQ(result.verdict, EXPERIMENT_TOO_FEW);
    CHECK(strstr(compare_sentence(&setup, 0, 1, &result, text), "7 pairs are too few") != NULL);
    experiment_free(&experiment);
    take_example(8, 0);
    CHECK(experiment_compare(&experiment, 0, 1, &result));
    CHECK_EQ(result.verdict, EXPERIMENT_NO_DIFFERENCE);
    CHECK(strstr(compare_sentence(&setup, 0, 1, &result, text), "no difference found") != NULL);
    experiment_free(&experiment);
}

// Normal deviates of two streams that do not differ, 400 comparisons of 10 pairs: a verdict comes
// in 1 of 100 at most, and the interval leaves zero out in 1 of 20.
TEST(things_that_are_alike_are_told_apart_in_1_of_100) {
    unsigned verdicts = 0;
    unsigned outside = 0;

    srandom(1);
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct experiment_result result;

        CHECK(experiment_init(&experiment, 2, 10, 0, seed));
        while (experiment_next(&experiment) != NULL) {
            double sum = 0;

            for (int i = 0; i < 12; i++) {
                sum += (double)random() / 2147483648.0;
            }
            experiment_take(&experiment, true, 20 + sum);
        }
        CHECK(experiment_compare(&experiment, 0, 1, &result));
        verdicts += result.verdict != EXPERIMENT_NO_DIFFERENCE;
        outside += result.interval.low > 0 || result.interval.high < 0;
        experiment_free(&experiment);
    }
    printf("  verdicts %u, intervals %u of 400\n", verdicts, outside);
    CHECK_BETWEEN(verdicts, 0, 10);
    CHECK_BETWEEN(outside, 8, 34);
}

TEST(a_failed_sample_takes_its_pair_out_and_no_other) {
    struct experiment_result result;
    const struct experiment_sample *sample;

    CHECK(experiment_init(&experiment, 3, 10, 1, 1));
    while ((sample = experiment_next(&experiment)) != NULL) {
        bool good = !(sample->block == 4 && sample->config == 1) &&
                    !(sample->block == 6 && sample->config == 0);

        experiment_take(&experiment, good, sample->config + 0.1 * sample->block);
    }
    CHECK(experiment_compare(&experiment, 0, 1, &result));
    CHECK_EQ(result.paired.count, 8);
    CHECK(experiment_compare(&experiment, 0, 2, &result));
    CHECK_EQ(result.paired.count, 9);
    CHECK_BETWEEN(result.estimate, 2 - 1e-9, 2 + 1e-9);
    experiment_free(&experiment);
}

TEST(a_drift_is_measured_on_the_first_configuration) {
    const struct experiment_sample *sample;

    CHECK(experiment_init(&experiment, 2, 9, 0, 1));
    while ((sample = experiment_next(&experiment)) != NULL) {
        experiment_take(&experiment, true, 100 - 3.0 * sample->block);
    }
    CHECK_BETWEEN(experiment_drift(&experiment, 0), -0.19, -0.18);
    experiment_free(&experiment);
}

// ---- configurations

TEST(a_configuration_is_settings_an_address_or_a_command) {
    struct setup setup = {.configs = 3, .board = "twin", .metric = "result.goodput_bps"};

    snprintf(setup.config[0].text, SETUP_TEXT_BYTES, "bus-mhz=50 pm=none");
    snprintf(setup.config[1].text, SETUP_TEXT_BYTES, "@/dev/ttyACM0 bus-mhz=50");
    snprintf(setup.config[2].text, SETUP_TEXT_BYTES, "run:iperf -c host | tail -1");
    CHECK(setup_configs(&setup, error));
    setup_unit(&setup);
    CHECK_TEXT(setup.config[0].address, "twin");
    CHECK_TEXT(setup.config[1].address, "/dev/ttyACM0");
    CHECK_TEXT(setup.config[1].settings, " bus-mhz=50");
    CHECK_TEXT(setup.config[2].command, "iperf -c host | tail -1");
    CHECK_TEXT(setup.unit, "Mbit/s");
    snprintf(setup.config[0].text, SETUP_TEXT_BYTES, "fast");
    CHECK(!setup_configs(&setup, error));
    CHECK(strstr(error, "'fast' is no setting") != NULL);
}

TEST(a_metric_is_found_by_its_dotted_name) {
    cJSON *tree = cJSON_Parse("{\"a\":{\"b\":{\"c\":3}},\"n\":null,\"x\":7}");

    CHECK_BETWEEN(measure_metric(tree, "a.b.c"), 3, 3);
    CHECK_BETWEEN(measure_metric(tree, "x"), 7, 7);
    CHECK(isnan(measure_metric(tree, "a.b")));
    CHECK(isnan(measure_metric(tree, "n")));
    CHECK(isnan(measure_metric(tree, "a.b.c.d")));
    CHECK(isnan(measure_metric(tree, "")));
    cJSON_Delete(tree);
}

TEST(a_command_gives_its_last_number_or_says_why_not) {
    static const struct {
        const char *command;
        double value;
        const char *says;
    } rows[] = {
        {"echo 3 then 4.5e1 Mbit/s", 45, NULL},
        {"echo -1", -1, NULL},
        {"seq 20000", 20000, NULL},
        {"echo nothing", 0, "printed no number"},
        {"echo 3; exit 2", 0, "exit code 2"},
        {"kill -9 $$", 0, "signal 9"},
        {"echo 3; sleep 20", 0, "did not end in time"},
    };
    char text[4096];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double value = 0;
        bool good = measure_command(rows[i].command, 400000000, &value, text, error);

        CHECK_EQ(good, rows[i].says == NULL);
        CHECK(good ? value == rows[i].value : strstr(error, rows[i].says) != NULL);
    }
}

// ---- the file

static char path[64];

static void setup_example(struct setup *setup) {
    *setup = (struct setup){.configs = 2, .blocks = 8, .warmup = 1, .seed = 5, .scale = 1e6};
    snprintf(setup->board, sizeof(setup->board), "twin:loss=0.1");
    snprintf(setup->metric, sizeof(setup->metric), "result.goodput_bps");
    snprintf(setup->unit, sizeof(setup->unit), "Mbit/s");
    snprintf(setup->config[0].text, SETUP_TEXT_BYTES, "bus-mhz=25");
    snprintf(setup->config[1].text, SETUP_TEXT_BYTES, "run:echo \"7\"");
    CHECK(setup_configs(setup, error));
}

// A file with so many samples.
static void write_example(unsigned samples) {
    struct setup setup;
    FILE *file;
    cJSON *details = cJSON_Parse("{\"x\":[1,2]}");

    setup_example(&setup);
    snprintf(path, sizeof(path), "/tmp/coradio-compare-%d.jsonl", (int)getpid());
    unlink(path);
    CHECK(experiment_init(&experiment, 2, 8, 1, 5));
    file = store_begin(path, &setup, error);
    CHECK(file != NULL);
    for (unsigned i = 0; i < samples; i++) {
        const struct experiment_sample *sample = experiment_next(&experiment);

        experiment_take(&experiment, i != 3, i * 1.5);
        CHECK(store_add(file, sample, details, "it failed"));
    }
    fclose(file);
    cJSON_Delete(details);
    experiment_free(&experiment);
}

TEST(a_file_that_exists_is_not_written_over) {
    struct setup setup;

    write_example(2);
    setup_example(&setup);
    CHECK(store_begin(path, &setup, error) == NULL);
    CHECK(strstr(error, "exists: go on with --resume") != NULL);
    unlink(path);
}

TEST(a_file_comes_back_as_it_was) {
    struct setup setup;
    FILE *file;

    write_example(7);
    file = store_resume(path, &setup, &experiment, error);
    CHECK(file != NULL);
    CHECK_EQ(experiment.taken, 7);
    CHECK(!experiment.samples[3].good);
    CHECK_BETWEEN(experiment.samples[6].value, 9, 9);
    CHECK_TEXT(setup.config[1].command, "echo \"7\"");
    CHECK_TEXT(setup.board, "twin:loss=0.1");
    CHECK_EQ(setup.seed, 5);
    fclose(file);
    experiment_free(&experiment);
    unlink(path);
}

TEST(a_file_cut_at_any_byte_goes_on_with_the_whole_samples) {
    struct setup setup;
    char bytes[1 << 13];
    FILE *file;
    size_t size;
    size_t first_line;

    write_example(5);
    file = fopen(path, "r");
    size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    first_line = (size_t)((char *)memchr(bytes, '\n', size) - bytes) + 1;
    for (size_t cut = 0; cut < size; cut++) {
        unsigned whole = 0;

        for (size_t i = first_line; i < cut; i++) {
            whole += bytes[i] == '\n';
        }
        file = fopen(path, "w");
        CHECK_EQ(fwrite(bytes, 1, cut, file), cut);
        fclose(file);
        file = store_resume(path, &setup, &experiment, error);
        CHECK_EQ(file != NULL, cut >= first_line);
        if (file == NULL) {
            continue;
        }
        CHECK_EQ(experiment.taken, whole);
        // What is added next stands on a line of its own.
        const struct experiment_sample *sample = experiment_next(&experiment);
        experiment_take(&experiment, true, 1);
        CHECK(store_add(file, sample, NULL, ""));
        fclose(file);
        experiment_free(&experiment);
        file = store_resume(path, &setup, &experiment, error);
        CHECK(file != NULL);
        CHECK_EQ(experiment.taken, whole + 1);
        fclose(file);
        experiment_free(&experiment);
    }
    unlink(path);
}

TEST(a_file_damaged_in_its_midst_is_refused_and_left_alone) {
    struct setup setup;
    char bytes[1 << 13];
    FILE *file;
    size_t size;

    write_example(5);
    file = fopen(path, "r");
    size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    char *at = strstr(bytes, "\"sample\":2");
    CHECK(at != NULL);
    at[9] = '4';
    file = fopen(path, "w");
    CHECK_EQ(fwrite(bytes, 1, size, file), size);
    fclose(file);
    CHECK(store_resume(path, &setup, &experiment, error) == NULL);
    CHECK(strstr(error, "line 4 is damaged") != NULL);
    file = fopen(path, "r");
    CHECK_EQ(fread(bytes, 1, sizeof(bytes), file), size);
    fclose(file);
    unlink(path);
}

TEST_MAIN(
    CASE(every_block_holds_each_configuration_once_and_the_next_reversed),
    CASE(the_order_is_that_of_the_seed),
    CASE(the_worked_example_reads_as_in_the_fact_sheet),
    CASE(seven_pairs_have_no_verdict_and_equal_ones_no_difference),
    CASE(things_that_are_alike_are_told_apart_in_1_of_100),
    CASE(a_failed_sample_takes_its_pair_out_and_no_other),
    CASE(a_drift_is_measured_on_the_first_configuration),
    CASE(a_configuration_is_settings_an_address_or_a_command),
    CASE(a_metric_is_found_by_its_dotted_name),
    CASE(a_command_gives_its_last_number_or_says_why_not),
    CASE(a_file_that_exists_is_not_written_over),
    CASE(a_file_comes_back_as_it_was),
    CASE(a_file_cut_at_any_byte_goes_on_with_the_whole_samples),
    CASE(a_file_damaged_in_its_midst_is_refused_and_left_alone))
