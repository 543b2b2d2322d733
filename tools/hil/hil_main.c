// SPDX-License-Identifier: MIT
// coradio hil: a plan on a board and on the twin, and what the difference points at.
#include "common/exit_code.h"
#include "common/json.h"
#include "common/options.h"
#include "common/signals.h"
#include "control/secret.h"
#include "hil/report.h"
#include "hil/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int hil_main(int argc, char **argv);

struct values {
    const char *board;
    const char *twin;
    const char *secret_file;
    uint64_t repeats;
    uint64_t seed;
    uint64_t timeout_ns;
    bool no_search;
    bool worst_given;
    double worst_percent;
    const char *json;
};

#define AT(member) .at = OPTION_AT(struct values, member)

// clang-format off
static const struct option_row rows[] = {
    {"board", OPTION_TEXT, "ADDRESS", "the board: /dev/ttyACM0, HOST:PORT, or a twin in its place "
     "('twin:twin-set=chip.credit_window=4')", AT(board)},
    {"twin", OPTION_TEXT, "ADDRESS", "the twin it is held against (default twin), with what is "
     "known of the site: 'twin:wire-delay=1ms'", AT(twin)},
    {"secret-file", OPTION_TEXT, "FILE", "the secret of a board on TCP", AT(secret_file)},
    {"repeats", OPTION_COUNT, "N", "runs of each row on the board (default 3)", AT(repeats),
     .min = 1, .max = 100},
    {"seed", OPTION_COUNT, "N", "seed of the twin's runs (default 1)", AT(seed), .max = 1e9},
    {"timeout", OPTION_TIME, "T", "longest run (default 10min)", AT(timeout_ns), .min = 1e6},
    {"no-search", OPTION_FLAG, "", "only show predicted against measured", AT(no_search)},
    {"worst", OPTION_REAL, "PERCENT", "exit with 1 where a row's goodput is off by more than this",
     AT(worst_percent), .given = OPTION_AT(struct values, worst_given), .max = 100},
    {"json", OPTION_TEXT_OR_DASH, "FILE", "the result as JSON: to stdout in place of the table, or "
     "to a file beside it", AT(json)},
};
// clang-format on

static const struct options_spec spec = {
    .command = "coradio hil",
    .usage = "--board ADDRESS [OPTIONS] PLAN",
    .summary = "Runs each row of a plan on a board and on the twin, prints predicted against "
               "measured, and names the constants of the twin, of those nobody is sure of, that "
               "the gap points at.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .epilogue =
        "Examples:\n"
        "  coradio hil --board /dev/ttyACM0 examples/plans/pico2w.plan\n"
        "  coradio hil --board 'twin:twin-set=ap.ampdu=1' examples/plans/pico2w.plan\n"
        "\n"
        "Exit codes: 0 done, 1 off by more than --worst, 2 wrong use, 3 environment (no board, a\n"
        "run fails), 4 interrupted.",
};

struct hil {
    struct values values;
    struct plan plan;
    struct study study;
    struct control_link *board;
    struct control_link *twin;
    bool drawn;
};

static int complain(const char *error, int code) {
    fprintf(stderr, "coradio hil: %s\n", error);
    return code;
}

// ---- progress, on a terminal only

static void progress(void *context, const char *what, size_t done, size_t all) {
    struct hil *hil = context;

    if (isatty(STDERR_FILENO) != 0) {
        fprintf(stderr, "\r\033[K%s: run %zu of about %zu", what, done, all);
        hil->drawn = true;
    }
}

static void clear_progress(struct hil *hil) {
    if (hil->drawn) {
        fputs("\r\033[K", stderr);
        hil->drawn = false;
    }
}

// ---- running

static int open_links(struct hil *hil) {
    const struct values *values = &hil->values;
    struct control_setup setup = {.address = values->board, .run_ns = values->timeout_ns};
    char secret[SECRET_SIZE];
    char error[CONTROL_ERROR_BYTES];

    if (values->secret_file != NULL) {
        if (!secret_read(values->secret_file, secret, error)) {
            return complain(error, EXIT_CODE_ENVIRONMENT);
        }
        setup.secret = secret;
    }
    hil->board = control_open(&setup, error);
    memset(secret, 0, sizeof(secret));
    if (hil->board == NULL) {
        return complain(error, EXIT_CODE_ENVIRONMENT);
    }
    setup.address = values->twin;
    setup.secret = NULL;
    hil->twin = control_open(&setup, error);
    if (hil->twin == NULL) {
        return complain(error, EXIT_CODE_ENVIRONMENT);
    }
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(control_identity(hil->twin), "simulated"))) {
        return complain("--twin names a real board", EXIT_CODE_USAGE);
    }
    return OPTIONS_GO_ON;
}

static int run_study(struct hil *hil) {
    struct study *study = &hil->study;
    const size_t rows_count = hil->plan.count;
    char error[CONTROL_ERROR_BYTES] = "not enough memory";
    bool good;

    if (!study_init(study, &hil->plan)) {
        return complain(error, EXIT_CODE_ENVIRONMENT);
    }
    study->board = hil->board;
    study->twin = hil->twin;
    study->seed = hil->values.seed;
    study->repeats = hil->values.repeats;
    study->progress = progress;
    study->context = hil;
    study->stop = signals_stop_asked;
    study->runs_all = rows_count * (STUDY_SEEDS + study->repeats);
    good = study_twin(study, error) && study_board(study, error);
    if (good && !hil->values.no_search) {
        study->runs_all += rows_count * (2 * study->constant_count + STUDY_TRIES_MORE);
        good = study_search(study, error);
    } else if (good) {
        study_gap(study);
    }
    clear_progress(hil);
    if (!good) {
        return complain(
            error, signals_stop_asked() ? EXIT_CODE_INTERRUPTED : EXIT_CODE_ENVIRONMENT);
    }
    if (study_known(study) == 0) {
        return complain(
            "board and twin report nothing that both know; is the plan one of runs that end?",
            EXIT_CODE_ENVIRONMENT);
    }
    return EXIT_CODE_DONE;
}

// ---- the result

static bool is_off(const struct hil *hil) {
    for (size_t i = 0; hil->values.worst_given && i < hil->plan.count; i++) {
        const struct study_row *row = &hil->study.rows[i];
        double gap = row->board[OBSERVABLE_goodput] - row->twin[OBSERVABLE_goodput];

        if (isfinite(gap) && fabs(exp(gap) - 1) * 100 > hil->values.worst_percent) {
            return true;
        }
    }
    return false;
}

static int print_result(const struct hil *hil, const char *path) {
    const char *json = hil->values.json;
    bool searched = !hil->values.no_search;
    int code = 0;

    if (json == NULL || strcmp(json, "-") != 0) {
        hil_table(stdout, &hil->study, searched);
        if (fflush(stdout) != 0) {
            return complain("the result could not be written to stdout", EXIT_CODE_ENVIRONMENT);
        }
    }
    if (json != NULL) {
        cJSON *tree = hil_json(&hil->study, path, searched);

        code = json_write(json, tree);
        cJSON_Delete(tree);
    }
    if (code != 0) {
        fprintf(stderr, "coradio hil: %s: %s\n", json, strerror(code));
        return EXIT_CODE_ENVIRONMENT;
    }
    return is_off(hil) ? EXIT_CODE_FAILED : EXIT_CODE_DONE;
}

static int run(struct hil *hil, const char *path) {
    char error[CONTROL_ERROR_BYTES];
    int code;

    if (!plan_read(&hil->plan, path, error)) {
        return complain(error, EXIT_CODE_ENVIRONMENT);
    }
    if (signals_catch() != 0) {
        return complain("cannot catch signals", EXIT_CODE_ENVIRONMENT);
    }
    code = open_links(hil);
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    code = run_study(hil);
    return code == EXIT_CODE_DONE ? print_result(hil, path) : code;
}

int hil_main(int argc, char **argv) {
    struct hil *hil = calloc(1, sizeof(*hil));
    int first = argc;
    int code;

    if (hil == NULL) {
        return complain("not enough memory", EXIT_CODE_ENVIRONMENT);
    }
    hil->values = (struct values){
        .twin = "twin", .repeats = 3, .seed = 1, .timeout_ns = UINT64_C(600000000000)};
    code = options_parse_operands(&spec, argc, argv, &hil->values, &first);
    if (code == OPTIONS_GO_ON && hil->values.board == NULL) {
        code = options_error(&spec, "name the board: --board /dev/ttyACM0");
    }
    if (code == OPTIONS_GO_ON && first + 1 != argc) {
        code = options_error(&spec, "give one plan, behind the options");
    }
    if (code == OPTIONS_GO_ON) {
        code = run(hil, argv[first]);
    }
    study_free(&hil->study);
    control_close(hil->board);
    control_close(hil->twin);
    free(hil);
    return code;
}
