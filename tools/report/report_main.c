// SPDX-License-Identifier: MIT
// coradio report: one page from any set of results.
#include "common/exit_code.h"
#include "common/options.h"
#include "input.h"
#include "page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int report_main(int argc, char **argv);

struct arguments {
    const char *output;
    const char *title;
    const char *svg;
};

#define AT(member) .at = OPTION_AT(struct arguments, member)

static const struct option_row rows[] = {
    {"output", OPTION_TEXT, "FILE", "the page (default report.html); - is stdout", AT(output)},
    {"title", OPTION_TEXT, "TEXT", "heading of the page (default: coradio report)", AT(title)},
    {"svg", OPTION_TEXT, "DIR", "also write each figure as an SVG file into DIR", AT(svg)},
};

static const struct options_spec spec = {
    .command = "coradio report",
    .usage = "[OPTIONS] RESULT...",
    .summary = "Makes one HTML page from results of run, sink, budget and compare (JSON) and power "
               "traces (CSV). The page carries everything inside it and needs no network.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .epilogue = "Examples:\n"
                "  coradio run --board pico2w --virtual --samples 100ms --json=run.json\n"
                "  coradio budget --json > budget.json\n"
                "  coradio report --output report.html run.json budget.json\n"
                "\n"
                "Exit codes: 0 done, 2 wrong use, 3 a result could not be read or the page not\n"
                "written.",
};

static void complain(const char *what, int code) {
    fprintf(stderr, "coradio report: %s: %s\n", what, strerror(code));
}

// A regular file is written beside and renamed; a pipe or a device is written as it is.
static bool is_replaceable(const char *path) {
    struct stat status;

    return strcmp(path, "-") != 0 && (stat(path, &status) != 0 || S_ISREG(status.st_mode));
}

static int write_page(
    const struct arguments *arguments, const struct report_input *inputs, size_t count) {
    bool replace = is_replaceable(arguments->output);
    bool to_stdout = strcmp(arguments->output, "-") == 0;
    char path[4096];
    char failed[512] = "";
    FILE *out;
    int code;

    snprintf(path, sizeof(path), "%s%s", arguments->output, replace ? ".part" : "");
    out = to_stdout ? stdout : fopen(path, "wb");
    if (out == NULL) {
        complain(arguments->output, errno);
        return EXIT_CODE_ENVIRONMENT;
    }
    code = page_write(out, arguments->title, arguments->svg, inputs, count, failed);
    if (code != 0) {
        complain(failed, code);
    }
    bool bad = fflush(out) != 0 || ferror(out) != 0;
    int why = errno;
    if (!to_stdout && fclose(out) != 0 && !bad) {
        bad = true;
        why = errno;
    }
    if (replace && !bad && rename(path, arguments->output) != 0) {
        bad = true;
        why = errno;
    }
    if (bad) {
        complain(to_stdout ? "stdout" : arguments->output, why);
        if (replace) {
            (void)remove(path);
        }
        return EXIT_CODE_ENVIRONMENT;
    }
    return code == 0 ? EXIT_CODE_DONE : EXIT_CODE_ENVIRONMENT;
}

static int make_folder(const char *path) {
    if (path == NULL || mkdir(path, 0777) == 0 || errno == EEXIST) {
        return EXIT_CODE_DONE;
    }
    complain(path, errno);
    return EXIT_CODE_ENVIRONMENT;
}

int report_main(int argc, char **argv) {
    struct arguments arguments = {.output = "report.html", .title = "coradio report"};
    struct report_input *inputs;
    size_t count = 0;
    int first = 0;
    int code = options_parse_operands(&spec, argc, argv, &arguments, &first);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (first >= argc) {
        return options_error(&spec, "name at least one result: coradio report run.json");
    }
    code = make_folder(arguments.svg);
    inputs = calloc((size_t)(argc - first), sizeof(*inputs));
    if (inputs == NULL) {
        complain("results", ENOMEM);
        return EXIT_CODE_ENVIRONMENT;
    }
    for (int i = first; i < argc && code == EXIT_CODE_DONE; i++) {
        char error[512];

        if (report_input_read(&inputs[count], argv[i], error)) {
            count++;
        } else {
            fprintf(stderr, "coradio report: %s\n", error);
            code = EXIT_CODE_ENVIRONMENT;
        }
    }
    if (code == EXIT_CODE_DONE) {
        code = write_page(&arguments, inputs, count);
    }
    for (size_t i = 0; i < count; i++) {
        report_input_free(&inputs[i]);
    }
    free(inputs);
    return code;
}
