// SPDX-License-Identifier: MIT
// coradio board: a virtual board behind the control protocol, on a pty, on TCP or on the terminal.
#include "common/exit_code.h"
#include "common/options.h"
#include "common/signals.h"
#include "control/link.h"
#include "control/secret.h"
#include "control/virtual_board.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int board_main(int argc, char **argv);

struct values {
    bool pty;
    const char *listen;
    const char *secret_file;
};

#define AT(member) .at = OPTION_AT(struct values, member)

// clang-format off
static const struct option_row rows[] = {
    {"pty", OPTION_FLAG, "", "take orders on a new pseudo terminal, whose name is printed",
     AT(pty)},
    {"listen", OPTION_TEXT, "HOST:PORT", "take orders over TCP too; port 0: any free one",
     AT(listen)},
    {"secret-file", OPTION_TEXT, "FILE", "the secret that callers over TCP must prove to know: "
     "one line of 16 to 64 characters", AT(secret_file)},
};
// clang-format on

static const struct options_spec spec = {
    .command = "coradio board",
    .usage = "[OPTIONS] [-- OPTIONS OF coradio run]",
    .summary = "A virtual board that waits for orders of the control protocol; each start is a run "
               "of the twin in virtual time. Without --pty the terminal is its console: type help. "
               "What stands behind -- are this board's defaults.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .epilogue = "Examples:\n"
                "  coradio board --pty -- --loss 0.02\n"
                "  coradio board --listen 127.0.0.1:4040 --secret-file secret.txt\n"
                "\n"
                "Exit codes: 0 ended by its console or a signal, 2 wrong use, 3 environment.",
};

static int complain(const char *error, int code) {
    fprintf(stderr, "coradio board: %s\n", error);
    return code;
}

// Opens what was asked for and tells where. Returns an exit code, or OPTIONS_GO_ON.
static int open_ports(
    const struct values *values, struct virtual_board *board, struct virtual_board_ports *ports) {
    char secret[SECRET_SIZE];
    char error[400];
    char name[64];
    unsigned port;

    if (values->listen != NULL) {
        if (!secret_read(values->secret_file, secret, error) ||
            !virtual_board_allow_tcp(board, secret, error)) {
            return complain(error, EXIT_CODE_ENVIRONMENT);
        }
        memset(secret, 0, sizeof(secret));
        ports->listener = link_listen(values->listen, &port, error);
        if (ports->listener < 0) {
            return complain(error, EXIT_CODE_ENVIRONMENT);
        }
        printf("control over TCP on port %u\n", port);
    }
    if (values->pty) {
        ports->console_in = link_pty(name, error);
        if (ports->console_in < 0) {
            return complain(error, EXIT_CODE_ENVIRONMENT);
        }
        ports->console_out = ports->console_in;
        ports->keep = true;
        printf("console on %s\n", name);
    } else if (values->listen != NULL && !isatty(STDIN_FILENO)) {
        ports->console_in = -1;  // in the background, with TCP alone
    }
    return fflush(stdout) == 0 ? OPTIONS_GO_ON : EXIT_CODE_ENVIRONMENT;
}

int board_main(int argc, char **argv) {
    struct values values = {0};
    struct virtual_board_ports ports = {
        .console_in = STDIN_FILENO, .console_out = STDOUT_FILENO, .listener = -1};
    struct virtual_board *board;
    char error[256];
    int first = argc;
    int code = options_parse_operands(&spec, argc, argv, &values, &first);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (first < argc && strcmp(argv[first - 1], "--") != 0) {
        return options_error(
            &spec, "'%s' is no option; options of coradio run stand behind --", argv[first]);
    }
    if ((values.listen == NULL) != (values.secret_file == NULL)) {
        return options_error(&spec, "--listen and --secret-file go together");
    }
    board = virtual_board_new(argc - first, argv + first, error);
    if (board == NULL) {
        return complain(error, EXIT_CODE_USAGE);
    }
    if (signals_catch() != 0) {
        virtual_board_free(board);
        return complain("cannot catch signals", EXIT_CODE_ENVIRONMENT);
    }
    code = open_ports(&values, board, &ports);
    if (code == OPTIONS_GO_ON) {
        virtual_board_serve(board, &ports);
        code = EXIT_CODE_DONE;
    }
    virtual_board_free(board);
    return code;
}
