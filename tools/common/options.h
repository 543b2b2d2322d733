// SPDX-License-Identifier: MIT
// Options: one table a subcommand, from which come parsing, errors and --help.
//
//     struct values { uint64_t bytes; double bus_mhz; const char *source; bool bytes_given; };
//     static const struct option_row rows[] = {
//         {"bytes", OPTION_SIZE, "N", "how much to send", .at = OPTION_AT(struct values, bytes),
//          .given = OPTION_AT(struct values, bytes_given)},
//         {"bus-mhz", OPTION_REAL, "MHZ", "bus clock", .at = OPTION_AT(struct values, bus_mhz),
//          .min = 1, .max = 62.5},
//     };
//     struct values values = {.bus_mhz = 37.5};
//     int code = options_parse(&spec, argc, argv, &values);
//     if (code != OPTIONS_GO_ON) return code;
//
// Accepted: --name=value, --name value, -h, --help; `--` ends the options. Names are matched whole,
// so that a script does not change its meaning when an option is added. Help goes to stdout;
// --help=man writes it as a manual page.
// A mistake is one line on stderr that says what to write.
#ifndef TOOLS_COMMON_OPTIONS_H
#define TOOLS_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Parsed: the subcommand goes on; anything else is its exit code.
#define OPTIONS_GO_ON           (-1)
#define OPTION_AT(type, member) (offsetof(type, member) + 1)

enum option_kind {
    OPTION_HEADING,       // no option: `help` is a heading of the help text
    OPTION_FLAG,          // bool; --name, also --name=yes and --name=no
    OPTION_TEXT,          // const char *
    OPTION_TEXT_OR_DASH,  // const char *; the value may be left out and is "-" then
    OPTION_COUNT,         // uint64_t, decimal or 0x hexadecimal
    OPTION_REAL,          // double
    OPTION_SIZE,          // uint64_t, bytes
    OPTION_TIME,          // uint64_t, nanoseconds
    OPTION_RATE,          // uint64_t, bits a second
    OPTION_CHOICE,        // int, index in `choices`
    OPTION_LIST,          // struct option_list; may be given again and again
};

#define OPTION_LIST_MAX 64

struct option_list {
    const char *items[OPTION_LIST_MAX];
    size_t count;
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order is that of the tables
struct option_row {
    const char *name;  // without the dashes
    enum option_kind kind;
    const char *argument;  // what stands for the value in the help: "N", "FILE"
    const char *help;      // a phrase; the default belongs in it
    size_t at;             // OPTION_AT(struct, member): where the value goes
    size_t given;          // OPTION_AT of a bool that becomes true, or 0
    double min;            // allowed range of COUNT, REAL, SIZE, TIME and RATE, in the unit of
    double max;            // the stored value; max 0 means no upper bound
    const char *const *choices;  // ends with NULL
    bool hidden;                 // works, but stays out of the help text
};

struct options_spec {
    const char *command;  // "coradio sink"
    const char *usage;    // what follows the command in the usage line
    const char *summary;  // one or more sentences
    const struct option_row *rows;
    size_t count;
    const char *epilogue;  // examples, exit codes; may be NULL
};

// Reads argv[1..argc-1] into the struct at `values`, which holds the defaults.
// No argument without dashes is allowed. Returns OPTIONS_GO_ON or an exit code (0 after --help).
int options_parse(const struct options_spec *spec, int argc, char **argv, void *values);

// The same for a command with operands: *first is where they begin in argv. They end the options.
int options_parse_operands(
    const struct options_spec *spec, int argc, char **argv, void *values, int *first);

// One line on stderr, "coradio sink: <text>", and the exit code for wrong use.
int options_error(const struct options_spec *spec, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Where the lines about mistakes go from now on; NULL: to stderr. For a caller that passes them on.
void options_errors_to(FILE *file);

// The help text, as --help writes it.
void options_help(const struct options_spec *spec);

#endif
