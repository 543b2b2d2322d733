// SPDX-License-Identifier: MIT
// coradio budget: each limit on goodput, term by term, without any hardware.
#include "budget/options.h"
#include "budget/report.h"
#include "common/exit_code.h"
#include "common/json.h"
#include "common/options.h"

#include <stdio.h>
#include <string.h>

int budget_main(int argc, char **argv);

static void print_page(const struct budget *budget, const struct budget_arguments *arguments) {
    switch (arguments->page) {
    case BUDGET_PAGE_BOARDS:
        budget_boards_text(stdout);
        break;
    case BUDGET_PAGE_TRANSPORTS:
        budget_transports_text(stdout, budget);
        break;
    case BUDGET_PAGE_CASCADE:
        budget_cascade_text(stdout);
        break;
    case BUDGET_PAGE_FEATURES:
        budget_features_text(stdout);
        break;
    case BUDGET_PAGE_OVERHEAD:
        budget_overhead_text(stdout, budget);
        break;
    case BUDGET_PAGE_ADVISE:
        budget_advise_text(stdout, budget);
        break;
    case BUDGET_PAGE_BUDGET:
    default:
        budget_report_text(stdout, budget, arguments);
        break;
    }
}

int budget_main(int argc, char **argv) {
    struct budget_arguments arguments;
    struct budget budget;
    int code = budget_options_parse(argc, argv, &arguments, &budget);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (arguments.json == NULL || strcmp(arguments.json, "-") != 0) {
        print_page(&budget, &arguments);
        if (fflush(stdout) != 0) {
            return EXIT_CODE_ENVIRONMENT;
        }
    }
    if (arguments.json == NULL) {
        return EXIT_CODE_DONE;
    }
    cJSON *root = budget_report_json(&budget, &arguments);
    int error = json_write(arguments.json, root);
    cJSON_Delete(root);
    if (error != 0) {
        fprintf(
            stderr,
            "coradio budget: cannot write %s: %s; give another --json\n",
            arguments.json,
            strerror(error));
        return EXIT_CODE_ENVIRONMENT;
    }
    return EXIT_CODE_DONE;
}
