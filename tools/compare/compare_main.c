// SPDX-License-Identifier: MIT
// coradio compare: two or more configurations, sample by sample, and whether they differ.
#include "common/clock.h"
#include "common/exit_code.h"
#include "common/json.h"
#include "common/options.h"
#include "common/signals.h"
#include "common/units.h"
#include "compare/measure.h"
#include "compare/report.h"
#include "compare/store.h"
#include "control/secret.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int compare_main(int argc, char **argv);

// So many samples of one configuration without a value, one after the other, and there is no sense
// in going on.
#define FAILURES_MAX 3

struct values {
    const char *config[EXPERIMENT_CONFIGS_MAX];
    const char *board;
    const char *secret_file;
    const char *settings;
    const char *metric;
    const char *unit;
    uint64_t blocks;
    uint64_t warmup;
    uint64_t seed;
    uint64_t pause_ns;
    uint64_t timeout_ns;
    const char *output;
    const char *resume;
    const char *json;
    double worst_percent;
    bool given[16];  // what --resume takes from the file
    bool worst_given;
};

#define AT(member) .at = OPTION_AT(struct values, member)
#define GIVEN(n)   .given = OPTION_AT(struct values, given[n])

// clang-format off
static const struct option_row rows[] = {
    {.kind = OPTION_HEADING, .help = "What is compared; each against A"},
    {"a", OPTION_TEXT, "CONFIG", "settings of a board (KEY=VALUE ...), '@ADDRESS KEY=VALUE ...' "
     "for one of its own, or 'run:COMMAND', whose last number printed is the value", AT(config[0]),
     GIVEN(0)},
    {"b", OPTION_TEXT, "CONFIG", "the same; --c to --h likewise", AT(config[1]), GIVEN(0)},
    {"c", OPTION_TEXT, "CONFIG", "", AT(config[2]), GIVEN(0), .hidden = true},
    {"d", OPTION_TEXT, "CONFIG", "", AT(config[3]), GIVEN(0), .hidden = true},
    {"e", OPTION_TEXT, "CONFIG", "", AT(config[4]), GIVEN(0), .hidden = true},
    {"f", OPTION_TEXT, "CONFIG", "", AT(config[5]), GIVEN(0), .hidden = true},
    {"g", OPTION_TEXT, "CONFIG", "", AT(config[6]), GIVEN(0), .hidden = true},
    {"h", OPTION_TEXT, "CONFIG", "", AT(config[7]), GIVEN(0), .hidden = true},
    {"board", OPTION_TEXT, "ADDRESS", "/dev/ttyACM0, HOST:PORT, twin, or 'twin:KEY=VALUE ...' "
     "(default twin)", AT(board), GIVEN(0)},
    {"settings", OPTION_TEXT, "TEXT", "settings that all boards get first", AT(settings), GIVEN(0)},
    {"metric", OPTION_TEXT, "NAME", "what of a board's report is compared "
     "(default result.goodput_bps)", AT(metric), GIVEN(0)},
    {"unit", OPTION_TEXT, "TEXT", "unit to print beside the values of commands", AT(unit),
     GIVEN(0)},
    {"secret-file", OPTION_TEXT, "FILE", "the secret of a board on TCP", AT(secret_file)},

    {.kind = OPTION_HEADING, .help = "How often"},
    {"blocks", OPTION_COUNT, "N", "samples of each configuration (default 10; 8 at least for a "
     "verdict)", AT(blocks), GIVEN(0), .min = 1, .max = EXPERIMENT_BLOCKS_MAX},
    {"warmup", OPTION_COUNT, "N", "blocks before, which do not count (default 1)", AT(warmup),
     GIVEN(0), .max = 100},
    {"pause", OPTION_TIME, "T", "wait between two samples (default none)", AT(pause_ns), GIVEN(0)},
    {"timeout", OPTION_TIME, "T", "longest sample (default 10min)", AT(timeout_ns), GIVEN(0),
     .min = 1e6},
    {"seed", OPTION_COUNT, "N", "seed of the order, the bootstrap and the twin's runs (default 1)",
     AT(seed), GIVEN(0), .max = 1e9},

    {.kind = OPTION_HEADING, .help = "What comes out"},
    {"output", OPTION_TEXT, "FILE", "every sample with its conditions, one JSON object a line "
     "(default compare.jsonl; must not exist)", AT(output), GIVEN(0)},
    {"resume", OPTION_TEXT, "FILE", "go on with an interrupted comparison, which is all in FILE",
     AT(resume)},
    {"json", OPTION_TEXT_OR_DASH, "FILE", "the result as JSON: to stdout in place of the table, or "
     "to a file beside it", AT(json)},
    {"worst", OPTION_REAL, "PERCENT", "exit with 1 where a configuration is for certain lower than "
     "A by more than this", AT(worst_percent), .given = OPTION_AT(struct values, worst_given),
     .max = 100},
};
// clang-format on

static const struct options_spec spec = {
    .command = "coradio compare",
    .usage = "--a CONFIG --b CONFIG [OPTIONS]",
    .summary = "Compares configurations that are measured in turn, in randomised blocks, so that a "
               "channel that changes meanwhile touches all alike. Says which is higher and by how "
               "much, or that no difference was found.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .epilogue =
        "Examples:\n"
        "  coradio compare --a 'bus-mhz=37.5' --b 'bus-mhz=50' --settings 'bytes=4MiB'\n"
        "  coradio compare --board /dev/ttyACM0 --a pm=none --b pm=performance --pause 500ms\n"
        "  coradio compare --a 'run:./old.sh' --b 'run:./new.sh' --unit ms\n"
        "\n"
        "Exit codes: 0 done, whatever the verdict, 1 lower than --worst allows, 2 wrong use,\n"
        "3 environment (no board, samples fail), 4 interrupted: go on with --resume.",
};

struct compare {
    struct values values;
    struct setup setup;
    struct experiment experiment;
    struct measure measure;
    char secret[SECRET_SIZE];
    const char *path;
    FILE *file;
    uint64_t start_ns;
    uint32_t start_taken;
    bool drawn;
};

static int complain(const char *error, int code) {
    fprintf(stderr, "coradio compare: %s\n", error);
    return code;
}

// ---- what is asked for

static int setup_from_options(struct compare *compare) {
    const struct values *values = &compare->values;
    struct setup *setup = &compare->setup;
    char error[SETUP_ERROR];

    for (size_t i = 0; i < EXPERIMENT_CONFIGS_MAX; i++) {
        if (values->config[i] == NULL) {
            continue;
        }
        if (setup->configs != i) {
            return options_error(&spec, "--%c: name the ones before it too", (char)('a' + (int)i));
        }
        if (strlen(values->config[i]) >= SETUP_TEXT_BYTES) {
            return options_error(&spec, "--%c: too long", (char)('a' + (int)i));
        }
        snprintf(setup->config[setup->configs++].text, SETUP_TEXT_BYTES, "%s", values->config[i]);
    }
    if (setup->configs < 2) {
        return options_error(&spec, "give two configurations or more: --a CONFIG --b CONFIG");
    }
    if (strlen(values->board) >= SETUP_TEXT_BYTES || strlen(values->settings) >= SETUP_TEXT_BYTES ||
        strlen(values->metric) >= sizeof(setup->metric) ||
        strlen(values->unit) >= sizeof(setup->unit)) {
        return options_error(&spec, "a text is too long");
    }
    snprintf(setup->board, sizeof(setup->board), "%s", values->board);
    snprintf(setup->settings, sizeof(setup->settings), "%s", values->settings);
    snprintf(setup->metric, sizeof(setup->metric), "%s", values->metric);
    snprintf(setup->unit, sizeof(setup->unit), "%s", values->unit);
    setup->blocks = values->blocks;
    setup->warmup = values->warmup;
    setup->seed = values->seed;
    setup->pause_ns = values->pause_ns;
    setup->timeout_ns = values->timeout_ns;
    if (!setup_configs(setup, error)) {
        return options_error(&spec, "%s", error);
    }
    // Commands have the unit that was given, if any.
    bool boards = false;
    for (size_t i = 0; i < setup->configs; i++) {
        boards = boards || setup->config[i].command == NULL;
    }
    setup->scale = 1;
    if (boards) {
        setup_unit(setup);
    }
    return OPTIONS_GO_ON;
}

static int begin(struct compare *compare) {
    struct setup *setup = &compare->setup;
    char error[SETUP_ERROR];

    if (compare->values.resume != NULL) {
        if (compare->values.given[0]) {
            return options_error(&spec, "with --resume all else comes from the file");
        }
        compare->path = compare->values.resume;
        compare->file = store_resume(compare->path, setup, &compare->experiment, error);
        return compare->file == NULL ? complain(error, EXIT_CODE_ENVIRONMENT) : OPTIONS_GO_ON;
    }
    int code = setup_from_options(compare);
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (!experiment_init(
            &compare->experiment,
            setup->configs,
            (uint32_t)setup->blocks,
            (uint32_t)setup->warmup,
            setup->seed)) {
        return complain("not enough memory", EXIT_CODE_ENVIRONMENT);
    }
    return OPTIONS_GO_ON;
}

// The file is begun only when there are boards to measure.
static int open_all(struct compare *compare) {
    char error[CONTROL_ERROR_BYTES];

    if (compare->values.secret_file != NULL) {
        if (!secret_read(compare->values.secret_file, compare->secret, error)) {
            return complain(error, EXIT_CODE_ENVIRONMENT);
        }
        compare->measure.secret = compare->secret;
    }
    compare->measure.setup = &compare->setup;
    if (!measure_open(&compare->measure, error)) {
        return complain(error, EXIT_CODE_ENVIRONMENT);
    }
    if (compare->file == NULL) {
        compare->path = compare->values.output;
        compare->file = store_begin(compare->path, &compare->setup, error);
        if (compare->file == NULL) {
            return complain(error, EXIT_CODE_ENVIRONMENT);
        }
    }
    return OPTIONS_GO_ON;
}

// ---- the samples

static void clear_progress(struct compare *compare) {
    if (compare->drawn) {
        fputs("\r\033[K", stderr);
        compare->drawn = false;
    }
}

static void draw_progress(struct compare *compare, double value, size_t config) {
    const struct experiment *experiment = &compare->experiment;
    uint32_t done = experiment->taken - compare->start_taken;
    uint64_t spent_ns = clock_now_ns() - compare->start_ns;
    char left[UNITS_TEXT_SIZE];

    if (isatty(STDERR_FILENO) == 0 || done == 0) {
        return;
    }
    units_format_time(left, spent_ns / done * (experiment->count - experiment->taken));
    fprintf(
        stderr,
        "\r\033[Ksample %u of %u  %c %.4g %s  %s left",
        experiment->taken,
        experiment->count,
        (char)('A' + (int)config),
        value,
        compare->setup.unit,
        left);
    compare->drawn = true;
}

static void pause_between(uint64_t pause_ns) {
    struct timespec time = {
        .tv_sec = (time_t)(pause_ns / 1000000000), .tv_nsec = (long)(pause_ns % 1000000000)};

    (void)nanosleep(&time, NULL);  // a signal ends it early, which is what it is for
}

// Takes all samples that are left. Returns an exit code; EXIT_CODE_DONE: all are taken.
static int take_samples(struct compare *compare) {
    struct experiment *experiment = &compare->experiment;
    struct experiment_sample *sample;
    unsigned failures[EXPERIMENT_CONFIGS_MAX] = {0};

    compare->start_ns = clock_now_ns();
    compare->start_taken = experiment->taken;
    while ((sample = experiment_next(experiment)) != NULL) {
        char error[CONTROL_ERROR_BYTES] = "";
        cJSON *details = NULL;
        double value = NAN;
        bool good;
        bool stored;

        if (signals_stop_asked()) {
            return EXIT_CODE_INTERRUPTED;
        }
        if (sample->index != 0 && compare->setup.pause_ns != 0) {
            pause_between(compare->setup.pause_ns);
        }
        good = measure_sample(&compare->measure, sample, &value, &details, error);
        experiment_take(experiment, good, value);
        stored = store_add(compare->file, sample, details, error);
        cJSON_Delete(details);
        clear_progress(compare);
        if (!stored) {
            return complain("the file of samples cannot be written", EXIT_CODE_ENVIRONMENT);
        }
        if (!good) {
            fprintf(stderr, "coradio compare: sample %u: %s\n", sample->index + 1, error);
        }
        failures[sample->config] = good ? 0 : failures[sample->config] + 1;
        if (failures[sample->config] == FAILURES_MAX) {
            return complain(
                "too many samples fail; mend it and go on with --resume", EXIT_CODE_ENVIRONMENT);
        }
        draw_progress(compare, value, sample->config);
    }
    clear_progress(compare);
    return EXIT_CODE_DONE;
}

// ---- the result

// Whether a configuration is for certain lower than A by more than the share allowed.
static bool is_worse(const struct compare *compare) {
    for (size_t i = 1; compare->values.worst_given && i < compare->setup.configs; i++) {
        struct experiment_result result;
        double allowed;

        if (!experiment_compare(&compare->experiment, 0, i, &result) || !result.interval.known) {
            continue;
        }
        allowed = -fabs(result.paired.median_a) * compare->values.worst_percent / 100;
        if (result.interval.high < allowed) {
            return true;
        }
    }
    return false;
}

static int print_result(const struct compare *compare) {
    const char *json = compare->values.json;
    int code = 0;

    if (json == NULL || strcmp(json, "-") != 0) {
        if (!compare_table(stdout, &compare->setup, &compare->experiment)) {
            return complain("not enough memory", EXIT_CODE_ENVIRONMENT);
        }
        if (fflush(stdout) != 0) {
            return complain("the result could not be written to stdout", EXIT_CODE_ENVIRONMENT);
        }
    }
    if (json != NULL) {
        cJSON *tree = compare_json(&compare->setup, &compare->experiment, compare->path);

        code = tree == NULL ? ENOMEM : json_write(json, tree);
        cJSON_Delete(tree);
    }
    if (code != 0) {
        fprintf(stderr, "coradio compare: %s: %s\n", json, strerror(code));
        return EXIT_CODE_ENVIRONMENT;
    }
    return EXIT_CODE_DONE;
}

static int run(struct compare *compare) {
    int code = open_all(compare);
    int printed;

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    code = take_samples(compare);
    printed = print_result(compare);
    if (code == EXIT_CODE_INTERRUPTED) {
        fprintf(stderr, "coradio compare: interrupted; go on with --resume %s\n", compare->path);
    }
    if (code == EXIT_CODE_DONE) {
        code = printed;
    }
    return code == EXIT_CODE_DONE && is_worse(compare) ? EXIT_CODE_FAILED : code;
}

int compare_main(int argc, char **argv) {
    static struct compare compare;
    int code;

    memset(&compare, 0, sizeof(compare));
    compare.values = (struct values){
        .board = "twin",
        .settings = "",
        .metric = "result.goodput_bps",
        .unit = "",
        .blocks = 10,
        .warmup = 1,
        .seed = 1,
        .timeout_ns = UINT64_C(600000000000),
        .output = "compare.jsonl",
    };
    code = options_parse(&spec, argc, argv, &compare.values);
    if (code == OPTIONS_GO_ON) {
        code = begin(&compare);
    }
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    code = signals_catch() == 0 ? run(&compare)
                                : complain("cannot catch signals", EXIT_CODE_ENVIRONMENT);
    measure_close(&compare.measure);
    experiment_free(&compare.experiment);
    if (compare.file != NULL) {
        fclose(compare.file);
    }
    return code;
}
