// SPDX-License-Identifier: MIT
// coradio: one command; the first argument names the subcommand, which reads the rest.
#include "common/exit_code.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

#ifdef COR_HAVE_RUN
int run_main(int argc, char **argv);
#endif
#ifdef COR_HAVE_SINK
int sink_main(int argc, char **argv);
#endif
#ifdef COR_HAVE_BUDGET
int budget_main(int argc, char **argv);
#endif
#ifdef COR_HAVE_BOARD
int board_main(int argc, char **argv);
#endif
#ifdef COR_HAVE_COMPARE
int compare_main(int argc, char **argv);
#endif
#ifdef COR_HAVE_HIL
int hil_main(int argc, char **argv);
#endif
#ifdef COR_HAVE_REPORT
int report_main(int argc, char **argv);
#endif

static const struct subcommand subcommands[] = {
#ifdef COR_HAVE_RUN
    {"run", run_main, "run an application on a virtual board and measure it"},
#endif
#ifdef COR_HAVE_SINK
    {"sink", sink_main, "receive TCP and UDP streams and count what arrives"},
#endif
#ifdef COR_HAVE_BUDGET
    {"budget", budget_main, "compute each limit on goodput, and what a change would give"},
#endif
#ifdef COR_HAVE_BOARD
    {"board", board_main, "a virtual board that waits for orders of the control protocol"},
#endif
#ifdef COR_HAVE_COMPARE
    {"compare", compare_main, "measure configurations in turn and say whether they differ"},
#endif
#ifdef COR_HAVE_HIL
    {"hil", hil_main, "run a plan on a board and on the twin, and say what the gap points at"},
#endif
#ifdef COR_HAVE_REPORT
    {"report", report_main, "make one HTML page from results"},
#endif
    {NULL, NULL, NULL},
};

static void print_help(FILE *file) {
    fputs(
        "Usage: coradio SUBCOMMAND [--option ...]\n"
        "       coradio --help | --version | --man FOLDER\n"
        "\n"
        "Moves bytes from an application through a Wi-Fi co-processor to a Linux host, and says\n"
        "which limit holds.\n"
        "\n"
        "Subcommands (coradio SUBCOMMAND --help tells its options):\n",
        file);
    for (const struct subcommand *each = subcommands; each->name != NULL; each++) {
        fprintf(file, "  %-10s %s\n", each->name, each->help);
    }
    fputs(
        "\n"
        "Exit codes: 0 done, 1 what was measured failed its bar, 2 wrong use, 3 environment,\n"
        "4 interrupted with partial results written.\n",
        file);
}

// ---- manual pages

static void man_overview(FILE *file) {
    fputs(
        ".TH CORADIO 1 \"\" coradio \"User Commands\"\n"
        ".SH NAME\ncoradio \\- Wi\\-Fi co\\-processors at the speed of bus and air, measured\n"
        ".SH SYNOPSIS\n.B coradio\n.I SUBCOMMAND\n[\\-\\-option ...]\n"
        ".SH DESCRIPTION\n"
        "Moves bytes from an application through a Wi\\-Fi co\\-processor to a Linux host, and "
        "says\n"
        "which limit holds.\n"
        ".SH SUBCOMMANDS\n",
        file);
    for (const struct subcommand *each = subcommands; each->name != NULL; each++) {
        fprintf(file, ".TP\n.BR coradio\\-%s (1)\n%s\n", each->name, each->help);
    }
    fputs(
        ".SH EXIT STATUS\n"
        "0 done, 1 what was measured failed its bar, 2 wrong use, 3 environment, 4 interrupted "
        "with\n"
        "partial results written.\n",
        file);
}

// Writes the page of each subcommand, from its own table of options, and this command's own.
static int write_man(const char *folder) {
    char path[4096];
    FILE *file;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "coradio: %s: %s\n", folder, strerror(errno));
        return EXIT_CODE_ENVIRONMENT;
    }
    snprintf(path, sizeof(path), "%s/coradio.1", folder);
    file = fopen(path, "w");
    if (file != NULL) {
        man_overview(file);
        fclose(file);
    }
    for (const struct subcommand *each = subcommands; file != NULL && each->name != NULL; each++) {
        char name[16];
        char option[] = "--help=man";
        char *arguments[] = {name, option, NULL};

        snprintf(name, sizeof(name), "%s", each->name);
        snprintf(path, sizeof(path), "%s/coradio-%s.1", folder, each->name);
        file = freopen(path, "w", stdout);
        if (file != NULL) {
            (void)each->run(2, arguments);
        }
    }
    if (file == NULL || fflush(stdout) != 0) {
        fprintf(stderr, "coradio: %s: %s\n", path, strerror(errno));
        return EXIT_CODE_ENVIRONMENT;
    }
    return EXIT_CODE_DONE;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_CODE_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return EXIT_CODE_DONE;
    }
    if (strcmp(argv[1], "--man") == 0 && argc == 3) {
        return write_man(argv[2]);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("coradio " COR_VERSION);
        return EXIT_CODE_DONE;
    }
    for (const struct subcommand *each = subcommands; each->name != NULL; each++) {
        if (strcmp(each->name, argv[1]) == 0) {
            return each->run(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "coradio: unknown subcommand '%s'; coradio --help lists them\n", argv[1]);
    return EXIT_CODE_USAGE;
}
