// SPDX-License-Identifier: MIT
// coradio run: the command. Parses, runs one world, tells how it went.
#include "run.h"

#include "common/clock.h"
#include "common/exit_code.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/sha256.h"
#include "common/signals.h"
#include "faults.h"
#include "options.h"
#include "report.h"
#include "source_file.h"
#include "view.h"
#include "world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "coradio/app_iperf.h"
#include "coradio/app_pattern.h"

struct run {
    struct run_options options;
    struct source_file file;
    struct cor_pattern pattern;
    struct cor_iperf_source iperf;
    bool file_open;
    struct progress progress;
    struct view view;
    uint64_t drawn_ns;
    struct world *world;
};

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...) {
    va_list arguments;

    fputs("coradio run: ", stderr);
    va_start(arguments, format);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, in the line above
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

// On a terminal a line is drawn this often.
#define WATCH_INTERVAL_NS 250000000u

// The rate shown is that of the run's own time: of the wall clock, or virtual.
static bool watch(void *context, uint64_t done_bytes, uint64_t now_ns) {
    struct run *run = context;
    uint64_t wall_ns = clock_now_ns();

    if (run->options.watch) {
        view_update(&run->view, run->world, wall_ns);
        return !signals_stop_asked();
    }
    if (run->progress.shown_bytes == 0) {
        // Bring-up and join are not part of the rate, nor is the look in which they ended.
        run->progress.start_ns = now_ns;
        run->progress.shown_ns = now_ns;
        run->progress.shown_bytes = done_bytes;
        run->drawn_ns = wall_ns;
        return !signals_stop_asked();
    }
    if (run->progress.terminal && wall_ns - run->drawn_ns >= WATCH_INTERVAL_NS) {
        run->drawn_ns = wall_ns;
        (void)progress_update(&run->progress, done_bytes, now_ns);
    }
    return !signals_stop_asked();
}

// ---- what went wrong, in one line each

static int complain_connect(const struct run *run, enum cor_status status) {
    const char *to = run->options.to;

    switch (status) {
    case COR_E_UNREACHABLE:
        complain("%s: no answer to ARP; is the host on this network and up?", to);
        break;
    case COR_E_REFUSED:
        complain(
            "%s refused: nobody listens there (start `coradio sink --port %u` first), or no way "
            "leads there from this machine",
            to,
            run->options.port);
        break;
    case COR_E_TIMEOUT:
        complain("%s: no answer in time; check the address and its firewall", to);
        break;
    default:
        complain("%s: could not connect: %s", to, cor_status_text(status));
        break;
    }
    return EXIT_CODE_ENVIRONMENT;
}

static int complain_transfer(const struct run *run, const struct world_outcome *outcome) {
    unsigned long long arrived = outcome->peer_bytes;

    switch (outcome->status) {
    case COR_E_SOURCE:
        complain("%s (what came before has been delivered: %llu bytes)", run->file.error, arrived);
        break;
    case COR_E_RESET:
        complain(
            "%s went away after %llu bytes; see why the sink stopped, then run again",
            run->options.to,
            arrived);
        break;
    case COR_E_TIMEOUT:
        complain(
            outcome->window_shut
                ? "%s took nothing more after %llu bytes; is the sink still reading?"
                : "no answer from %s after %llu bytes; is the path to it still up?",
            run->options.to,
            arrived);
        break;
    case COR_E_UNREACHABLE:
    case COR_E_REFUSED:
        return complain_connect(run, outcome->status);
    default:
        complain(
            "the transfer ended after %llu bytes: %s", arrived, cor_status_text(outcome->status));
        break;
    }
    return EXIT_CODE_INTERRUPTED;
}

static int complain_join(const struct run *run, enum cor_status status) {
    switch (status) {
    case COR_E_NO_NETWORK:
        complain("no network '%s' was heard; check ssid= in --ap", run->options.ssid);
        break;
    case COR_E_WRONG_KEY:
        complain("'%s' did not accept the key; check key= in --ap", run->options.ssid);
        break;
    default:
        complain("could not join '%s': %s", run->options.ssid, cor_status_text(status));
        break;
    }
    return EXIT_CODE_ENVIRONMENT;
}

// Returns the exit code; a line has been written where it is not EXIT_CODE_DONE.
static int judge(const struct run *run, const struct world_outcome *outcome) {
    if (outcome->stopped) {
        complain("interrupted after %llu bytes", (unsigned long long)outcome->peer_bytes);
        return EXIT_CODE_INTERRUPTED;
    }
    if (outcome->damaged && run_app_receives(run->options.app)) {
        complain("other bytes were received than were sent; keep --pcap and --seed");
        return EXIT_CODE_FAILED;
    }
    if (outcome->damaged) {
        complain("the peer received other bytes than were sent; keep --pcap and --seed");
        return EXIT_CODE_FAILED;
    }
    if (outcome->status == COR_OK) {
        return EXIT_CODE_DONE;
    }
    switch (outcome->stage) {
    case WORLD_BRINGUP:
        complain(
            "the radio did not come up: %s; try a slower --bus-mhz",
            cor_status_text(outcome->status));
        return EXIT_CODE_ENVIRONMENT;
    case WORLD_JOIN:
        return complain_join(run, outcome->status);
    case WORLD_ADDRESS:
        complain(
            "'%s' gave no address: %s; is there a DHCP server? If not, use --address static",
            run->options.ssid,
            cor_status_text(outcome->status));
        return EXIT_CODE_ENVIRONMENT;
    case WORLD_CONNECT:
        return complain_connect(run, outcome->status);
    default:
        if (run->options.app == RUN_APP_PING && outcome->cut_short) {
            complain(
                "%s: stopped before an answer could come; give a longer --duration",
                run->options.to);
            return EXIT_CODE_ENVIRONMENT;
        }
        if (run->options.app == RUN_APP_PING) {
            return complain_connect(run, outcome->status);
        }
        return complain_transfer(run, outcome);
    }
}

// ---- the run

static bool open_source(struct run *run, struct world_setup *setup) {
    const struct run_options *options = &run->options;

    if (options->iperf_client) {
        uint64_t size_bytes = options->bytes == 0 ? UINT64_MAX : options->bytes;

        cor_iperf_source_init(&run->iperf, size_bytes);
        setup->source = &run->iperf.source;
        setup->source_bytes = options->bytes;
        return true;
    }
    if (options->source == NULL) {
        uint64_t size_bytes = options->bytes == 0 ? UINT64_MAX : options->bytes;

        cor_pattern_init(&run->pattern, size_bytes);
        setup->source = &run->pattern.source;
        setup->source_bytes = options->bytes;
        setup->pattern = true;
        return true;
    }
    if (!source_file_open(&run->file, options->source, options->bytes)) {
        complain("%s", run->file.error);
        return false;
    }
    run->file_open = true;
    setup->source = &run->file.source;
    setup->source_bytes = run->file.size_bytes;
    return true;
}

static int report(struct run *run) {
    struct report_effective effective;
    struct result result;
    int code;

    world_result(run->world, &result);
    world_effective(run->world, &effective);
    if (run->file_open) {
        sha256_text(run->file.digest, result.sha256);
    }
    if (run->options.json == NULL || strcmp(run->options.json, "-") != 0) {
        report_table(stdout, &run->options, &effective, &result);
        run_faults_table(stdout, run->world);
        if (fflush(stdout) != 0 || ferror(stdout) != 0) {
            complain("the result could not be written to stdout: %s", strerror(errno));
            return EXIT_CODE_ENVIRONMENT;
        }
    }
    if (run->options.json == NULL) {
        return EXIT_CODE_DONE;
    }
    code = report_json(run->options.json, &run->options, &effective, &result, run->world);
    if (code != 0) {
        complain(
            "%s: %s; name a file that can be written with --json",
            run->options.json,
            strerror(code));
        return EXIT_CODE_ENVIRONMENT;
    }
    return EXIT_CODE_DONE;
}

static int run_world(struct run *run, const struct world_setup *setup) {
    struct world_outcome outcome;
    char error[256];
    int code;
    int report_code;

    run->world = world_new(setup, error);
    if (run->world == NULL) {
        complain("%s", error);
        return EXIT_CODE_ENVIRONMENT;
    }
    progress_init(
        &run->progress, run->options.in_virtual ? "virtual" : "sending", setup->source_bytes, 1, 0);
    view_init(&run->view, setup->source_bytes, clock_now_ns());
    world_run(run->world, watch, run);
    progress_clear(&run->progress);
    live_clear(&run->view.live);
    world_outcome(run->world, &outcome);
    code = judge(run, &outcome);
    report_code = EXIT_CODE_DONE;
    if (outcome.stage >= WORLD_TRANSFER) {
        report_code = report(run);
    }
    if (code == EXIT_CODE_DONE && run_faults_unfired(run->world) != NULL) {
        complain(
            "the fault '%.100s' never struck; change when it does, or let the run last longer",
            run_faults_unfired(run->world));
        code = EXIT_CODE_FAILED;
    }
    if (!world_files_flush(run->world, error)) {
        complain("%s", error);
        report_code = EXIT_CODE_ENVIRONMENT;
    }
    world_free(run->world);
    return code != EXIT_CODE_DONE ? code : report_code;
}

int run_main(int argc, char **argv) {
    struct run run = {0};
    struct world_setup setup = {.options = &run.options};
    char error[256];
    int code;

    run_options_init(&run.options);
    code = run_options_parse(&run.options, argc, argv);
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    code = run_faults_check(&run.options, error);
    if (code != EXIT_CODE_DONE) {
        complain("%s", error);
        return code;
    }
    if (!open_source(&run, &setup)) {
        return EXIT_CODE_ENVIRONMENT;
    }
    code = signals_catch();
    if (code != 0) {
        complain("cannot catch signals: %s", strerror(code));
        code = EXIT_CODE_ENVIRONMENT;
    } else {
        code = run_world(&run, &setup);
    }
    if (run.file_open) {
        source_file_close(&run.file);
    }
    return code;
}
