// SPDX-License-Identifier: MIT
// Plays scripted TCP exchanges on the real stack in virtual time.
//
//     run_scripts FILE.tcp... [-c CASE]   all cases of the files, or one
//     run_scripts -l FILE.tcp...          names every case and what it cites
//
// Each case runs in a process of its own, so that an assertion or a sanitizer ends only its case;
// with -c it runs in this process, for a debugger. Exit 0: all passed; 1: one failed, or a script
// cannot be read, or none ran; 2: wrong use.
#include "script.h"
#include "steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Virtual time costs nothing: a case that takes so long hangs.
#define CASE_SECONDS_MAX 30

struct totals {
    unsigned passed;
    unsigned failed;
    unsigned missing;
};

static bool play_apart(const struct script *script, const struct script_case *played) {
    int status = 0;

    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        return steps_play(script, played);
    }
    if (child == 0) {
        alarm(CASE_SECONDS_MAX);
        bool good = steps_play(script, played);

        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    if (waitpid(child, &status, 0) != child) {
        return false;
    }
    if (WIFSIGNALED(status)) {
        printf("  %s:%u: ended by signal %d\n", script->path, played->line, WTERMSIG(status));
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void report_failed(
    const struct script *script, const struct script_case *played, const char *program) {
    printf(
        "FAIL %s: %s (%s)\n     rerun: %s %s -c %s\n",
        script->path,
        played->name,
        played->cites,
        program,
        script->path,
        played->name);
}

// A case that is known to fail must do so; once it passes, its mark is wrong.
static void play_case(
    const struct script *script,
    const struct script_case *played,
    const char *program,
    bool apart,
    struct totals *totals) {
    bool good = apart ? play_apart(script, played) : steps_play(script, played);
    bool missing = played->missing[0] != 0;

    if (good && !missing) {
        printf("ok   %s: %s\n", script->path, played->name);
        totals->passed++;
    } else if (!good && missing) {
        printf("miss %s: %s (%s)\n", script->path, played->name, played->missing);
        totals->missing++;
    } else {
        if (good) {
            printf("  %s:%u: passes, and is marked as missing\n", script->path, played->line);
        }
        report_failed(script, played, program);
        totals->failed++;
    }
}

static void play_script(
    const struct script *script, const char *program, const char *only, struct totals *totals) {
    for (size_t i = 0; i < script->case_count; i++) {
        if (only == NULL || strcmp(only, script->cases[i].name) == 0) {
            play_case(script, &script->cases[i], program, only == NULL, totals);
        }
    }
}

static void list_script(const struct script *script) {
    for (size_t i = 0; i < script->case_count; i++) {
        printf("%s:%s: %s\n", script->path, script->cases[i].name, script->cases[i].cites);
    }
}

int main(int argc, char **argv) {
    struct totals totals = {0};
    const char *only = NULL;
    bool list = false;
    int option;

    while ((option = getopt(argc, argv, "c:l")) != -1) {
        if (option == 'c') {
            only = optarg;
        } else if (option == 'l') {
            list = true;
        } else {
            return 2;
        }
    }
    if (optind == argc) {
        fprintf(
            stderr, "run_scripts: which script? usage: run_scripts [-l] FILE.tcp... [-c CASE]\n");
        return 2;
    }
    for (int i = optind; i < argc; i++) {
        char error[SCRIPT_ERROR_BYTES];
        struct script script;

        if (!script_read(&script, argv[i], error)) {
            printf("  %s\nFAIL %s\n     rerun: %s %s\n", error, argv[i], argv[0], argv[i]);
            totals.failed++;
        } else if (list) {
            list_script(&script);
        } else {
            play_script(&script, argv[0], only, &totals);
        }
        script_free(&script);
    }
    if (!list) {
        printf("%u missing in the stack\n", totals.missing);
        printf("%u passed, %u failed\n", totals.passed, totals.failed);
    }
    return totals.failed != 0 || (!list && totals.passed == 0);
}
