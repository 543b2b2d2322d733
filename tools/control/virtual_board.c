// SPDX-License-Identifier: MIT
#include "control/virtual_board.h"

#include "common/options.h"
#include "common/signals.h"
#include "run/options.h"
#include "run/report.h"
#include "run/world.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "coradio/app_control.h"
#include "coradio/app_pattern.h"

enum { WORDS_MAX = 128, WORD_BYTES = 224, OTHERS_MAX = 48, REASON_BYTES = 256 };

struct virtual_board {
    struct cor_control control;
    struct cor_control_session console;
    struct cor_control_session caller;  // over TCP
    int console_in;
    int console_out;
    int caller_socket;  // -1: nobody is connected
    int listener;
    bool keep;
    bool linked;
    bool console_ended;
    bool asked;  // a run is asked for and not yet begun
    bool stop;
    // What describes the world beside the common settings: the words given at the start, then the
    // keys that this port alone knows.
    int base_count;
    char *const *base;
    char others[OTHERS_MAX][WORD_BYTES];
    int other_count;
    uint64_t runs;
    struct cor_control_settings effective;  // of the last run
    char reason[REASON_BYTES];
};

// ---- settings to options

struct words {
    char *argv[WORDS_MAX];
    char text[WORDS_MAX][WORD_BYTES];
    int count;
};

__attribute__((format(printf, 2, 3))) static void add_word(
    struct words *words, const char *format, ...) {
    va_list arguments;

    if (words->count < WORDS_MAX) {
        va_start(arguments, format);
        // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, in the line above
        vsnprintf(words->text[words->count], WORD_BYTES, format, arguments);
        va_end(arguments);
        words->argv[words->count] = words->text[words->count];
        words->count++;
    }
}

// The value as `coradio run` takes it: times need their unit.
static void add_setting(
    struct words *words,
    const struct cor_control_settings *asked,
    enum cor_control_setting setting) {
    const struct cor_control_row *row = cor_control_row(setting);
    char text[COR_CONTROL_VALUE_BYTES];

    if (row->kind == COR_CONTROL_TIME) {
        add_word(words, "--%s=%lluus", row->key, (unsigned long long)asked->value[setting]);
    } else if (cor_control_get_text(asked, setting, text) != 0) {
        add_word(words, "--%s=%s", row->key, text);
    }
}

static void add_network(struct words *words, const struct cor_control_settings *asked) {
    if (!cor_control_given(asked, COR_CONTROL_SETTING_ssid)) {
        return;
    }
    if (cor_control_given(asked, COR_CONTROL_SETTING_key)) {
        add_word(words, "--ap=ssid=%s,key=%s", asked->ssid, asked->key);
    } else {
        add_word(words, "--ap=ssid=%s", asked->ssid);
    }
}

static void add_base(struct words *words, const struct virtual_board *board) {
    add_word(words, "run");
    add_word(words, "--board=pico2w");
    add_word(words, "--virtual");
    for (int i = 0; i < board->base_count; i++) {
        add_word(words, "%s", board->base[i]);
    }
    for (int i = 0; i < board->other_count; i++) {
        add_word(words, "%s", board->others[i]);
    }
}

static void add_all(
    struct words *words,
    const struct virtual_board *board,
    const struct cor_control_settings *asked) {
    add_base(words, board);
    add_network(words, asked);
    for (uint32_t i = 0; i <= COR_CONTROL_SETTING_to; i++) {
        if (cor_control_given(asked, (enum cor_control_setting)i)) {
            add_setting(words, asked, (enum cor_control_setting)i);
        }
    }
}

// Parses as the command would; the line about a mistake becomes the reason.
static bool parse(struct virtual_board *board, struct words *words, struct run_options *options) {
    char *text = NULL;
    size_t size = 0;
    FILE *errors = open_memstream(&text, &size);
    int code;

    if (errors == NULL) {
        snprintf(board->reason, sizeof(board->reason), "not enough memory");
        return false;
    }
    options_errors_to(errors);
    run_options_init(options);
    code = run_options_parse(options, words->count, words->argv);
    options_errors_to(NULL);
    fclose(errors);
    if (code != OPTIONS_GO_ON) {
        const char *from = strstr(text, ": ");

        snprintf(board->reason, sizeof(board->reason), "%s", from == NULL ? text : from + 2);
        board->reason[strcspn(board->reason, "\n")] = '\0';
    }
    free(text);
    return code == OPTIONS_GO_ON;
}

// ---- the port of the control protocol

static enum cor_status start(
    void *port, const struct cor_control_settings *settings, const char **why) {
    struct virtual_board *board = port;
    struct words *words = calloc(1, sizeof(*words));
    struct run_options options;
    bool good;

    if (words == NULL) {
        *why = "not enough memory";
        return COR_E_NOMEM;
    }
    add_all(words, board, settings);
    good = parse(board, words, &options);
    free(words);
    if (!good) {
        *why = board->reason;
        return COR_E_ARG;
    }
    board->asked = true;
    board->stop = false;
    return COR_OK;
}

static void stop(void *port) {
    struct virtual_board *board = port;

    board->stop = true;
}

// What would read or write this machine, or belongs to the program and not to the world.
static bool is_denied(const char *key) {
    static const char *const denied[] = {
        "board",
        "virtual",
        "source",
        "forward",
        "ap",
        "json",
        "samples",
        "watch",
        "bus-log",
        "air-log",
        "chip-log",
        "pcap",
        "power-trace",
        "help",
    };

    for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++) {
        if (strcmp(denied[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static enum cor_status other(void *port, const char *key, const char *value, const char **why) {
    struct virtual_board *board = port;
    struct words *words;
    struct run_options options;
    bool good;

    if (key[0] == '\0') {
        board->other_count = 0;
        return COR_OK;
    }
    if (is_denied(key)) {
        *why = "not over the control protocol";
        return COR_E_REFUSED;
    }
    if (board->other_count == OTHERS_MAX) {
        *why = "too many settings; send reset";
        return COR_E_NOMEM;
    }
    words = calloc(1, sizeof(*words));
    if (words == NULL) {
        *why = "not enough memory";
        return COR_E_NOMEM;
    }
    snprintf(board->others[board->other_count], WORD_BYTES, "--%s=%s", key, value);
    board->other_count++;
    add_base(words, board);
    good = parse(board, words, &options);
    free(words);
    if (good) {
        return COR_OK;
    }
    board->other_count--;
    *why = board->reason;
    return COR_E_ARG;
}

static void effective(void *port, struct cor_control_settings *settings) {
    const struct virtual_board *board = port;

    *settings = board->effective;
}

static void identify(void *port, struct cor_control_identity *identity) {
    (void)port;
    *identity = (struct cor_control_identity){
        .board = "pico2w", .version = COR_VERSION, .unique = "twin", .simulated = true};
}

static const struct cor_control_ops ops = {
    .start = start,
    .stop = stop,
    .other = other,
    .effective = effective,
    .identify = identify,
};

// ---- bytes in and out

static void write_all(int target, const char *text, uint32_t size) {
    while (size > 0) {
        ssize_t done = write(target, text, size);

        if (done > 0) {
            text += done;
            size -= (uint32_t)done;
        } else if (done < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = target, .events = POLLOUT};

            if (poll(&wait, 1, 1000) <= 0) {
                return;  // nobody reads: the host sees a reply cut short and asks again
            }
        } else if (done < 0 && errno != EINTR) {
            return;
        }
    }
}

static void write_console(void *context, const char *text, uint32_t size) {
    const struct virtual_board *board = context;

    write_all(board->console_out, text, size);
}

static void write_caller(void *context, const char *text, uint32_t size) {
    const struct virtual_board *board = context;

    if (board->caller_socket >= 0) {
        write_all(board->caller_socket, text, size);
    }
}

static void hang_up(struct virtual_board *board) {
    cor_control_close(&board->caller);
    close(board->caller_socket);
    board->caller_socket = -1;
}

static void answer_call(struct virtual_board *board) {
    uint8_t random[COR_CONTROL_CHALLENGE_BYTES];
    int caller = accept(board->listener, NULL, NULL);

    if (caller < 0) {
        return;
    }
    board->caller_socket = caller;
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random) ||
        cor_control_open_tcp(&board->caller, &board->control, write_caller, board, random) !=
            COR_OK) {
        hang_up(board);
    }
}

static void read_console(struct virtual_board *board) {
    uint8_t data[512];
    ssize_t got = read(board->console_in, data, sizeof(data));

    if (got > 0) {
        cor_control_input(&board->console, data, (uint32_t)got);
        return;
    }
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (board->keep) {
        usleep(20000);  // a pty nobody has open reads as an error
    } else {
        // A pipe that has said all: the run under way still ends. A link that is gone: it does not.
        board->console_ended = true;
        board->stop = board->console_in == board->console_out;
        board->console_in = -1;
    }
}

static void read_caller(struct virtual_board *board) {
    uint8_t data[512];
    ssize_t got = read(board->caller_socket, data, sizeof(data));

    if (got > 0) {
        cor_control_input(&board->caller, data, (uint32_t)got);
    }
    if ((got <= 0 && !(got < 0 && errno == EINTR)) || board->caller.closed) {
        hang_up(board);
    }
}

// Looks at all ports once, waiting so long at most.
static void look(struct virtual_board *board, int wait_ms) {
    struct pollfd ports[] = {
        {.fd = board->console_in, .events = POLLIN},
        {.fd = board->caller_socket >= 0 ? board->caller_socket : board->listener,
         .events = POLLIN},
        {.fd = board->linked ? -1 : signals_fd(), .events = POLLIN},
    };

    if (poll(ports, 3, wait_ms) <= 0) {
        return;
    }
    if (ports[0].revents != 0) {
        read_console(board);
    }
    if (ports[1].revents != 0 && board->caller_socket >= 0) {
        read_caller(board);
    } else if (ports[1].revents != 0) {
        answer_call(board);
    }
}

// ---- a run

static bool stop_asked(const struct virtual_board *board) {
    return !board->linked && signals_stop_asked();
}

static bool watch(void *context, uint64_t done_bytes, uint64_t now_ns) {
    struct virtual_board *board = context;

    (void)done_bytes;
    (void)now_ns;
    look(board, 0);
    return !board->stop && !stop_asked(board);
}

static enum cor_status status_of(const struct world_outcome *outcome) {
    if (outcome->stopped) {
        return COR_E_ABORTED;
    }
    return outcome->status == COR_OK && outcome->damaged ? COR_E_PROTO : outcome->status;
}

// What the board read back; the rest is as it was asked for.
static void keep_effective(
    struct virtual_board *board,
    const struct run_options *options,
    const struct report_effective *report) {
    struct cor_control_settings *settings = &board->effective;

    *settings = (struct cor_control_settings){0};
    cor_control_set(settings, COR_CONTROL_SETTING_app, (uint64_t)options->app);
    cor_control_set(settings, COR_CONTROL_SETTING_bus_mhz, report->bus_hz);
    cor_control_set(settings, COR_CONTROL_SETTING_cpu_mhz, report->cpu_hz);
    cor_control_set(settings, COR_CONTROL_SETTING_engine, (uint64_t)options->engine);
    cor_control_set(settings, COR_CONTROL_SETTING_pm, (uint64_t)options->pm);
    cor_control_set(settings, COR_CONTROL_SETTING_listen, report->listen);
    if (report->ampdu != 0) {
        cor_control_set(settings, COR_CONTROL_SETTING_ampdu, report->ampdu);
    }
    cor_control_set(settings, COR_CONTROL_SETTING_seed, options->seed);
}

static void finish(
    struct virtual_board *board, const struct run_options *options, struct world *world) {
    struct world_outcome outcome;
    struct report_effective report;
    struct result result;
    cJSON *tree;
    char *text;

    world_outcome(world, &outcome);
    world_result(world, &result);
    world_effective(world, &report);
    keep_effective(board, options, &report);
    tree = report_tree(options, &report, &result, world);
    text = cJSON_PrintUnformatted(tree);
    cJSON_Delete(tree);
    if (text == NULL) {
        cor_control_finish_json(&board->control, COR_E_NOMEM, "null", 4);
        return;
    }
    cor_control_finish_json(&board->control, status_of(&outcome), text, (uint32_t)strlen(text));
    cJSON_free(text);
}

static void run_world(struct virtual_board *board, const struct run_options *options) {
    uint64_t size_bytes = options->bytes == 0 ? UINT64_MAX : options->bytes;
    struct cor_pattern pattern;
    struct world_setup setup = {
        .options = options,
        .source = &pattern.source,
        .source_bytes = options->bytes,
        .pattern = true,
    };
    char error[256];
    struct world *world;

    cor_pattern_init(&pattern, size_bytes);
    world = world_new(&setup, error);
    if (world == NULL) {
        cor_control_finish_json(&board->control, COR_E_NOMEM, "null", 4);
        return;
    }
    world_run(world, watch, board);
    finish(board, options, world);
    world_free(world);
}

// Where the host names no seed, each run has another, in a known order.
static void run(struct virtual_board *board) {
    const struct cor_control_settings *asked = &board->control.asked;
    struct words *words = calloc(1, sizeof(*words));
    struct run_options options;
    bool good = words != NULL;

    board->asked = false;
    if (good) {
        add_all(words, board, asked);
        good = parse(board, words, &options);
    }
    if (good) {
        if (!cor_control_given(asked, COR_CONTROL_SETTING_seed)) {
            options.seed += board->runs;
        }
        board->runs++;
        run_world(board, &options);
    } else {
        cor_control_finish_json(&board->control, COR_E_ARG, "null", 4);
    }
    free(words);
}

// ---- outside

struct virtual_board *virtual_board_new(int count, char *const *words, char error[256]) {
    struct virtual_board *board = calloc(1, sizeof(*board));
    struct words *trial = calloc(1, sizeof(*trial));
    struct run_options options;

    if (board == NULL || trial == NULL) {
        snprintf(error, 256, "not enough memory");
        free(board);
        free(trial);
        return NULL;
    }
    board->base_count = count;
    board->base = words;
    board->caller_socket = -1;
    cor_control_init(&board->control, &ops, board);
    add_base(trial, board);
    if (!parse(board, trial, &options)) {
        snprintf(error, 256, "%s", board->reason);
        free(board);
        board = NULL;
    }
    free(trial);
    return board;
}

void virtual_board_free(struct virtual_board *board) {
    free(board);
}

bool virtual_board_allow_tcp(struct virtual_board *board, const char *secret, char error[256]) {
    size_t size = strlen(secret);

    if (size < COR_CONTROL_SECRET_BYTES_MIN || size > COR_CONTROL_SECRET_BYTES_MAX) {
        snprintf(error, 256, "a secret has 16 to 64 characters; this one has %zu", size);
        return false;
    }
    memcpy(board->control.secret, secret, size + 1);
    board->control.tcp_on = true;
    return true;
}

void virtual_board_serve(struct virtual_board *board, const struct virtual_board_ports *ports) {
    board->console_in = ports->console_in;
    board->console_out = ports->console_out;
    board->keep = ports->keep;
    board->linked = ports->linked;
    board->listener = ports->listener;
    cor_control_open_console(&board->console, &board->control, write_console, board);
    while ((!board->console_ended || board->listener >= 0) && !stop_asked(board)) {
        look(board, -1);
        if (board->asked) {
            run(board);
        }
    }
    if (board->caller_socket >= 0) {
        hang_up(board);
    }
}
