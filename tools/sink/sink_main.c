// SPDX-License-Identifier: MIT
// coradio sink: options, the run, results.
#include "common/exit_code.h"
#include "common/options.h"
#include "common/signals.h"
#include "sink.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int sink_main(int argc, char **argv);

struct values {
    const char *listen;
    uint64_t port;
    bool port_given;
    const char *json;
    const char *store;
    uint64_t file_bytes_max;
    uint64_t total_bytes_max;
    bool hash;
    bool once;
    uint64_t count;
    uint64_t duration_ns;
    uint64_t idle_timeout_ns;
    uint64_t stall_timeout_ns;
    uint64_t interval_ns;
    bool quiet;
    bool copy;
};

#define AT(member) OPTION_AT(struct values, member)

// clang-format off
static const struct option_row rows[] = {
    {.kind = OPTION_HEADING, .help = "Where"},
    {"listen", OPTION_TEXT, "HOST:PORT",
     "address to listen on, TCP and UDP alike; default 127.0.0.1:5001, which only this machine "
     "reaches; 0.0.0.0:5001 is for boards; either part may be left out",
     .at = AT(listen)},
    {"port", OPTION_COUNT, "N", "port alone; 0 takes any free one and prints it",
     .at = AT(port), .given = AT(port_given), .max = 65535},
    {.kind = OPTION_HEADING, .help = "How long"},
    {"once", OPTION_FLAG, NULL, "end after one connection or UDP stream", .at = AT(once)},
    {"count", OPTION_COUNT, "N", "end after N; those that never sent a byte do not count",
     .at = AT(count), .min = 1, .max = 1e15},
    {"duration", OPTION_TIME, "T", "end after this time, counted from the start of the sink",
     .at = AT(duration_ns), .min = 1e6},
    {"idle-timeout", OPTION_TIME, "T",
     "close a connection that has not sent a byte by then; default 10s, 0 never",
     .at = AT(idle_timeout_ns)},
    {"stall-timeout", OPTION_TIME, "T",
     "close a connection that has sent and then been silent for so long; default 0, never. "
     "Peers that are gone are found without it, within 15 s",
     .at = AT(stall_timeout_ns)},
    {.kind = OPTION_HEADING, .help = "Results"},
    {"json", OPTION_TEXT_OR_DASH, "FILE", "write the result as JSON; to stdout without FILE",
     .at = AT(json)},
    {"store", OPTION_TEXT, "DIR",
     "store each stream in a file of the sink's own naming in this folder, with its SHA-256 in "
     "the JSON",
     .at = AT(store)},
    {"max-bytes", OPTION_SIZE, "N", "store at most so much of each stream; default no cap",
     .at = AT(file_bytes_max), .min = 1},
    {"max-total", OPTION_SIZE, "N", "store at most so much of all together; default no cap",
     .at = AT(total_bytes_max), .min = 1},
    {"sha256", OPTION_FLAG, NULL, "compute SHA-256 of each stream, also without --store",
     .at = AT(hash)},
    {"interval", OPTION_TIME, "T",
     "lines of progress each T; default 1s on a terminal, none elsewhere, 0 none",
     .at = AT(interval_ns), .max = 86400e9},
    {"quiet", OPTION_FLAG, NULL, "errors only, no summary", .at = AT(quiet)},
    {"copy", OPTION_FLAG, NULL,
     "copy payload to user space even when nothing looks at it (for comparisons)",
     .at = AT(copy), .hidden = true},
};
// clang-format on

static const struct options_spec spec = {
    .command = "coradio sink",
    .usage = "[--listen HOST:PORT] [--once] [--json[=FILE]] [--store DIR] [...]",
    .summary =
        "Takes in any number of TCP connections and UDP streams at once and counts what arrives. "
        "Says which of them stands still and whether the sender or the sink itself is the cause. "
        "Ctrl-C ends it and writes the results.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .epilogue =
        "Examples:\n"
        "  coradio sink --listen 0.0.0.0 --store recordings\n"
        "  coradio sink --once --json=result.json\n"
        "\n"
        "Exit codes: 0 all well; 1 a stream ended badly or the figures are not valid; 2 wrong "
        "use;\n3 cannot listen, store or write; 4 interrupted before a bound that was given, or "
        "in the\nmiddle of a stream (what had arrived is in the results).",
};

// Without a terminal on stderr there is no progress unless it was asked for.
#define INTERVAL_UNSET UINT64_MAX

static uint64_t interval_of(const struct values *values) {
    if (values->interval_ns != INTERVAL_UNSET) {
        return values->interval_ns;
    }
    return isatty(STDERR_FILENO) ? SINK_INTERVAL_NS : 0;
}

static int read_config(int argc, char **argv, struct values *values, struct sink_config *config) {
    int code = options_parse(&spec, argc, argv, values);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (values->listen != NULL) {
        const char *wrong = sink_address_split(values->listen, config->host, &config->port);

        if (wrong != NULL) {
            return options_error(&spec, "--listen: '%s' %s", values->listen, wrong);
        }
    }
    if (values->port_given) {
        config->port = (uint16_t)values->port;
    }
    if (values->once && values->count > 1) {
        return options_error(
            &spec,
            "--once and --count %llu exclude each other; give one of them",
            (unsigned long long)values->count);
    }
    if ((values->file_bytes_max > 0 || values->total_bytes_max > 0) && values->store == NULL) {
        return options_error(
            &spec, "--max-bytes and --max-total cap what --store DIR keeps; give it too");
    }
    config->store_path = values->store;
    config->file_bytes_max = values->file_bytes_max;
    config->total_bytes_max = values->total_bytes_max;
    config->hash = values->hash || values->store != NULL;
    config->copy = values->copy;
    config->idle_timeout_ns = values->idle_timeout_ns;
    config->stall_timeout_ns = values->stall_timeout_ns;
    config->duration_ns = values->duration_ns;
    config->count = values->once ? 1 : values->count;
    config->quiet = values->quiet;
    config->interval_ns = values->quiet ? 0 : interval_of(values);
    return OPTIONS_GO_ON;
}

static int write_results(const struct sink *sink, const struct values *values) {
    bool json_on_stdout = values->json != NULL && strcmp(values->json, "-") == 0;

    if (!values->quiet) {
        sink_print_summary(sink, json_on_stdout ? stderr : stdout);
    }
    if (values->json == NULL) {
        return 0;
    }
    int error = sink_write_json(sink, values->json);
    if (error != 0) {
        fprintf(
            stderr,
            "coradio sink: cannot write '%s': %s; give --json a file that can be written\n",
            values->json,
            strerror(error));
        return EXIT_CODE_ENVIRONMENT;
    }
    return 0;
}

// Found out before the run, not after it.
static int check_json(const char *path) {
    if (path == NULL || strcmp(path, "-") == 0) {
        return 0;
    }
    bool fresh = access(path, F_OK) != 0;
    FILE *file = fopen(path, "a");
    if (file == NULL) {
        fprintf(
            stderr,
            "coradio sink: cannot write '%s': %s; give --json a file that can be written\n",
            path,
            strerror(errno));
        return EXIT_CODE_ENVIRONMENT;
    }
    fclose(file);
    if (fresh) {
        (void)unlink(path);  // it comes again with the result in it
    }
    return 0;
}

int sink_main(int argc, char **argv) {
    static struct sink sink;
    struct values values = {
        .idle_timeout_ns = UINT64_C(10000000000), .interval_ns = INTERVAL_UNSET};
    struct sink_config config = {
        .command = spec.command,
        .host = "127.0.0.1",
        .port = SINK_DEFAULT_PORT,
        .udp_silence_ns = SINK_UDP_SILENCE_NS};

    int code = read_config(argc, argv, &values, &config);
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    bool json_on_stdout = values.json != NULL && strcmp(values.json, "-") == 0;
    config.ready = json_on_stdout ? stderr : stdout;
    config.log = stderr;
    int error = signals_catch();
    if (error == 0 && signal(SIGXFSZ, SIG_IGN) == SIG_ERR) {
        error = errno;  // a file size limit must show as an error of write()
    }
    if (error != 0) {
        fprintf(stderr, "coradio sink: cannot catch signals: %s\n", strerror(error));
        return EXIT_CODE_ENVIRONMENT;
    }
    config.stop_socket = signals_fd();
    code = check_json(values.json);
    if (code == 0) {
        code = sink_open(&sink, &config);
        if (code == 0) {
            sink_run(&sink);
            int written = write_results(&sink, &values);

            code = sink_exit_code(&sink);
            code = written != 0 && code != EXIT_CODE_INTERRUPTED ? written : code;
        }
        sink_close(&sink);
    }
    return code;
}
