// SPDX-License-Identifier: MIT
#include "options.h"

#include "exit_code.h"
#include "options_man.h"
#include "units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 28, HELP_WIDTH = 96, NAME_SIZE = 64 };

static FILE *errors;  // NULL: stderr

void options_errors_to(FILE *file) {
    errors = file;
}

int options_error(const struct options_spec *spec, const char *format, ...) {
    FILE *file = errors == NULL ? stderr : errors;
    va_list arguments;

    fprintf(file, "%s: ", spec->command);
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    return EXIT_CODE_USAGE;
}

static void *member(void *values, size_t at) {
    return (char *)values + (at - 1);
}

// --- help

// Writes text wrapped at HELP_WIDTH, with each following line at the given column.
static void print_wrapped(const char *text, int column, int indent) {
    while (*text != '\0') {
        size_t word = strcspn(text, " \n");

        if (column > indent && column + 1 + (int)word > HELP_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)word, text);
        column += (int)word;
        text += word;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

static void print_row(const struct option_row *row) {
    char left[NAME_SIZE];

    if (row->kind == OPTION_HEADING) {
        printf("\n%s:\n", row->help);
        return;
    }
    if (row->kind == OPTION_FLAG) {
        snprintf(left, sizeof(left), "--%s", row->name);
    } else if (row->kind == OPTION_TEXT_OR_DASH) {
        snprintf(left, sizeof(left), "--%s[=%s]", row->name, row->argument);
    } else {
        snprintf(left, sizeof(left), "--%s %s", row->name, row->argument);
    }
    printf("  %-*s", HELP_COLUMN - 4, left);
    if (strlen(left) > HELP_COLUMN - 4) {
        printf("\n%*s", HELP_COLUMN - 2, "");
    }
    printf("  ");
    print_wrapped(row->help, HELP_COLUMN, HELP_COLUMN);
}

void options_help(const struct options_spec *spec) {
    printf("Usage: %s %s\n\n", spec->command, spec->usage);
    print_wrapped(spec->summary, 0, 0);
    if (spec->count > 0 && spec->rows[0].kind != OPTION_HEADING) {
        printf("\nOptions:\n");
    }
    for (size_t i = 0; i < spec->count; i++) {
        if (!spec->rows[i].hidden) {
            print_row(&spec->rows[i]);
        }
    }
    printf("\nOther:\n");
    print_row(&(struct option_row){.name = "help", .kind = OPTION_FLAG, .help = "this text"});
    if (spec->epilogue != NULL) {
        printf("\n%s\n", spec->epilogue);
    }
}

// --- errors that help

// Edit distance of two names, at most `limit` (a larger one is returned as limit + 1).
static unsigned distance(const char *a, const char *b) {
    unsigned row[NAME_SIZE];
    size_t b_length = strlen(b);

    if (strlen(a) >= NAME_SIZE || b_length >= NAME_SIZE) {
        return NAME_SIZE;
    }
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 0; a[i] != '\0'; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < b_length; j++) {
            unsigned best = diagonal + (a[i] != b[j] ? 1 : 0);

            diagonal = row[j + 1];
            if (row[j] + 1 < best) {
                best = row[j] + 1;
            }
            if (row[j + 1] + 1 < best) {
                best = row[j + 1] + 1;
            }
            row[j + 1] = best;
        }
    }
    return row[b_length];
}

static int unknown_option(const struct options_spec *spec, const char *name) {
    const char *nearest = NULL;
    unsigned nearest_distance = 4;

    for (size_t i = 0; i < spec->count; i++) {
        if (spec->rows[i].kind == OPTION_HEADING) {
            continue;
        }
        unsigned d = distance(name, spec->rows[i].name);
        if (d < nearest_distance && d < strlen(name)) {
            nearest = spec->rows[i].name;
            nearest_distance = d;
        }
    }
    if (nearest != NULL) {
        return options_error(
            spec,
            "unknown option '--%s'; did you mean '--%s'? (%s --help lists all)",
            name,
            nearest,
            spec->command);
    }
    return options_error(spec, "unknown option '--%s'; %s --help lists all", name, spec->command);
}

// --- values

// Shows a bound of the range in the unit people give it in. A size stays exact: 65.5 kB in place of
// 65535 would be refused again.
static void format_bound(char text[UNITS_TEXT_SIZE], const struct option_row *row, double bound) {
    switch (row->kind) {
    case OPTION_TIME:
        units_format_time(text, (uint64_t)bound);
        break;
    case OPTION_RATE:
        units_format_rate(text, bound);
        break;
    default:
        snprintf(text, UNITS_TEXT_SIZE, "%.12g", bound);
        break;
    }
}

static int check_range(
    const struct options_spec *spec, const struct option_row *row, const char *text, double value) {
    char min[UNITS_TEXT_SIZE];
    char max[UNITS_TEXT_SIZE];

    if (value >= row->min && (row->max == 0 || value <= row->max)) {
        return OPTIONS_GO_ON;
    }
    format_bound(min, row, row->min);
    format_bound(max, row, row->max);
    if (row->max == 0) {
        return options_error(
            spec, "--%s: '%s' is too small; give %s or more", row->name, text, min);
    }
    return options_error(
        spec, "--%s: '%s' is out of range; give %s to %s", row->name, text, min, max);
}

static int set_choice(
    const struct options_spec *spec, const struct option_row *row, const char *text, int *index) {
    char list[256] = "";
    size_t used = 0;

    for (int i = 0; row->choices[i] != NULL; i++) {
        if (strcmp(row->choices[i], text) == 0) {
            *index = i;
            return OPTIONS_GO_ON;
        }
        int more =
            snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : ", ", row->choices[i]);
        used += more > 0 && used + (size_t)more < sizeof(list) ? (size_t)more : 0;
    }
    return options_error(spec, "--%s: '%s' is none of: %s", row->name, text, list);
}

static int add_item(
    const struct options_spec *spec,
    const struct option_row *row,
    const char *text,
    struct option_list *list) {
    if (list->count == OPTION_LIST_MAX) {
        return options_error(spec, "--%s: given more than %d times", row->name, OPTION_LIST_MAX);
    }
    list->items[list->count++] = text;
    return OPTIONS_GO_ON;
}

static int set_flag(
    const struct options_spec *spec, const struct option_row *row, const char *text, bool *flag) {
    if (text == NULL || strcmp(text, "yes") == 0) {
        *flag = true;
        return OPTIONS_GO_ON;
    }
    if (strcmp(text, "no") == 0) {
        *flag = false;
        return OPTIONS_GO_ON;
    }
    return options_error(spec, "--%s takes no value (or yes or no), not '%s'", row->name, text);
}

static int set_number(
    const struct options_spec *spec, const struct option_row *row, const char *text, void *at) {
    const char *wrong = NULL;
    uint64_t whole = 0;
    double real = 0;

    switch (row->kind) {
    case OPTION_SIZE:
        wrong = units_parse_size(text, &whole);
        break;
    case OPTION_TIME:
        wrong = units_parse_time(text, &whole);
        break;
    case OPTION_RATE:
        wrong = units_parse_rate(text, &whole);
        break;
    case OPTION_REAL:
        wrong = units_parse_real(text, &real);
        break;
    default:
        wrong = units_parse_count(text, &whole);
        break;
    }
    if (wrong != NULL) {
        return options_error(spec, "--%s: '%s' %s", row->name, text, wrong);
    }
    int code = check_range(spec, row, text, row->kind == OPTION_REAL ? real : (double)whole);
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (row->kind == OPTION_REAL) {
        *(double *)at = real;
    } else {
        *(uint64_t *)at = whole;
    }
    return OPTIONS_GO_ON;
}

static int set_value(
    const struct options_spec *spec, const struct option_row *row, const char *text, void *values) {
    void *at = member(values, row->at);

    if (row->given != 0) {
        *(bool *)member(values, row->given) = true;
    }
    switch (row->kind) {
    case OPTION_FLAG:
        return set_flag(spec, row, text, at);
    case OPTION_TEXT:
    case OPTION_TEXT_OR_DASH:
        if (text[0] == '\0') {
            return options_error(
                spec, "--%s: the value is empty; give %s", row->name, row->argument);
        }
        *(const char **)at = text;
        return OPTIONS_GO_ON;
    case OPTION_LIST:
        return add_item(spec, row, text, at);
    case OPTION_CHOICE:
        return set_choice(spec, row, text, at);
    default:
        return set_number(spec, row, text, at);
    }
}

// --- the loop

static const struct option_row *find_row(
    const struct options_spec *spec, const char *name, size_t length) {
    for (size_t i = 0; i < spec->count; i++) {
        const struct option_row *row = &spec->rows[i];

        if (row->kind != OPTION_HEADING && strlen(row->name) == length &&
            strncmp(row->name, name, length) == 0) {
            return row;
        }
    }
    return NULL;
}

// One option at argv[*index], with its value; *index is left on the last argument used.
static int parse_one(
    const struct options_spec *spec, int argc, char **argv, void *values, int *index) {
    const char *name = argv[*index] + 2;
    size_t length = strcspn(name, "=");
    const char *text = name[length] == '=' ? name + length + 1 : NULL;
    const struct option_row *row = find_row(spec, name, length);

    if (row == NULL) {
        char shown[NAME_SIZE];

        snprintf(shown, sizeof(shown), "%.*s", (int)length, name);
        return unknown_option(spec, shown);
    }
    const char *next = *index + 1 < argc ? argv[*index + 1] : NULL;
    if (text == NULL && row->kind == OPTION_TEXT_OR_DASH) {
        bool next_is_value = next != NULL && (next[0] != '-' || next[1] == '\0');

        *index += next_is_value ? 1 : 0;
        text = next_is_value ? next : "-";
    } else if (text == NULL && row->kind != OPTION_FLAG) {
        if (next == NULL) {
            return options_error(
                spec, "--%s needs a value: --%s %s", row->name, row->name, row->argument);
        }
        *index += 1;
        text = next;
    }
    return set_value(spec, row, text, values);
}

int options_parse_operands(
    const struct options_spec *spec, int argc, char **argv, void *values, int *first) {
    int index = 1;

    for (; index < argc; index++) {
        const char *argument = argv[index];

        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            options_help(spec);
            return EXIT_CODE_DONE;
        }
        if (strcmp(argument, "--help=man") == 0) {
            options_man(stdout, spec);
            return EXIT_CODE_DONE;
        }
        if (strcmp(argument, "--") == 0) {
            index++;
            break;
        }
        if (argument[0] != '-' || argument[1] == '\0') {
            break;
        }
        if (argument[1] != '-') {
            return options_error(
                spec,
                "unknown option '%s'; options begin with two dashes (%s --help lists all)",
                argument,
                spec->command);
        }
        int code = parse_one(spec, argc, argv, values, &index);
        if (code != OPTIONS_GO_ON) {
            return code;
        }
    }
    *first = index;
    return OPTIONS_GO_ON;
}

int options_parse(const struct options_spec *spec, int argc, char **argv, void *values) {
    int first = 0;
    int code = options_parse_operands(spec, argc, argv, values, &first);

    if (code == OPTIONS_GO_ON && first < argc) {
        return options_error(
            spec,
            "'%s' is no option; this command takes options only (%s --help lists them)",
            argv[first],
            spec->command);
    }
    return code;
}
