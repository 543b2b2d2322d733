// SPDX-License-Identifier: MIT
#include "options_man.h"

#include <ctype.h>
#include <string.h>

// Text as roff: a dash stays a dash, a backslash a backslash, and no line begins with a control.
static void put_text(FILE *out, const char *text, size_t length) {
    bool begins = true;

    for (size_t i = 0; i < length; i++) {
        if (begins && (text[i] == '.' || text[i] == '\'')) {
            fputs("\\&", out);
        }
        begins = text[i] == '\n';
        switch (text[i]) {
        case '\\':
            fputs("\\e", out);
            break;
        case '-':
            fputs("\\-", out);
            break;
        case '\'':
            fputs("\\(aq", out);
            break;
        default:
            fputc(text[i], out);
            break;
        }
    }
}

static void put(FILE *out, const char *text) {
    put_text(out, text, strlen(text));
}

// "coradio run" as the name of a page: "coradio-run".
static void put_name(FILE *out, const char *command, bool upper) {
    for (; *command != '\0'; command++) {
        char c = *command == ' ' ? '-' : upper ? (char)toupper((unsigned char)*command) : *command;

        put_text(out, &c, 1);
    }
}

static void put_option(FILE *out, const struct option_row *row) {
    if (row->kind == OPTION_HEADING) {
        fputs(".SS ", out);
        put(out, row->help);
        fputc('\n', out);
        return;
    }
    fputs(".TP\n.BR \\-\\-", out);
    put(out, row->name);
    if (row->kind == OPTION_TEXT_OR_DASH) {
        fputs(" [=\\fI", out);
        put(out, row->argument);
        fputs("\\fR]", out);
    } else if (row->kind != OPTION_FLAG) {
        fputs(" \" \" \\fI", out);
        put(out, row->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put(out, row->help);
    fputs(".\n", out);
}

// The epilogue's parts are divided by empty lines: one that begins with "Exit codes" is a section,
// what begins with "Examples:" too; anything else is a note.
static void put_epilogue(FILE *out, const char *epilogue, bool examples) {
    while (epilogue != NULL && *epilogue != '\0') {
        const char *end = strstr(epilogue, "\n\n");
        size_t length = end == NULL ? strlen(epilogue) : (size_t)(end - epilogue);
        bool is_examples = strncmp(epilogue, "Example", 7) == 0;

        if (is_examples && examples) {
            size_t first = strcspn(epilogue, "\n") + 1;

            fputs(".SH EXAMPLES\n.nf\n", out);
            put_text(out, epilogue + first, length > first ? length - first : 0);
            fputs("\n.fi\n", out);
        } else if (!is_examples && !examples) {
            bool codes = strncmp(epilogue, "Exit codes", 10) == 0;

            fputs(codes ? ".SH EXIT STATUS\n" : ".SH NOTES\n.nf\n", out);
            put_text(out, epilogue, length);
            fputs(codes ? "\n" : "\n.fi\n", out);
        }
        epilogue += length + strspn(epilogue + length, "\n");
    }
}

void options_man(FILE *out, const struct options_spec *spec) {
    size_t sentence = strcspn(spec->summary, ".:");

    fputs(".TH ", out);
    put_name(out, spec->command, true);
    fputs(" 1 \"\" coradio \"User Commands\"\n.SH NAME\n", out);
    put_name(out, spec->command, false);
    fputs(" \\- ", out);
    put_text(out, spec->summary, sentence);
    fputs("\n.SH SYNOPSIS\n.B ", out);
    put(out, spec->command);
    fputc('\n', out);
    put(out, spec->usage);
    fputc('\n', out);
    put_epilogue(out, spec->epilogue, true);
    fputs(".SH DESCRIPTION\n", out);
    put(out, spec->summary);
    fputs("\n.SH OPTIONS\n", out);
    for (size_t i = 0; i < spec->count; i++) {
        if (!spec->rows[i].hidden) {
            put_option(out, &spec->rows[i]);
        }
    }
    fputs(".TP\n.B \\-\\-help\nA shorter form of this page.\n", out);
    put_epilogue(out, spec->epilogue, false);
    fputs(".SH SEE ALSO\n.BR coradio (1),\nthe pages of docs/reference in the source.\n", out);
}
