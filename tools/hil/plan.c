// SPDX-License-Identifier: MIT
#include "hil/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_BYTES = 400, LINE_BYTES = 400, FILE_BYTES_MAX = 65536 };

// Copies the words from `text` on, each KEY=VALUE, behind what `into` holds.
static bool add_settings(char into[PLAN_TEXT_BYTES], const char *text) {
    size_t used = strlen(into);

    for (text += strspn(text, " \t"); *text != '\0'; text += strspn(text, " \t")) {
        size_t size = strcspn(text, " \t");

        if (memchr(text, '=', size) == NULL || used + size + 2 > PLAN_TEXT_BYTES) {
            return false;
        }
        used += (size_t)snprintf(
            into + used, PLAN_TEXT_BYTES - used, "%s%.*s", used == 0 ? "" : " ", (int)size, text);
        text += size;
    }
    return true;
}

static const char *take_row(struct plan *plan, const char *defaults, const char *text) {
    struct plan_row *row = &plan->rows[plan->count];
    size_t size = strcspn(text, " \t");

    if (size == 0 || size >= PLAN_NAME_BYTES || memchr(text, '=', size) != NULL) {
        return "write: row NAME KEY=VALUE ...";
    }
    if (plan->count == PLAN_ROWS_MAX) {
        return "a plan has 64 rows at most";
    }
    snprintf(row->name, sizeof(row->name), "%.*s", (int)size, text);
    for (size_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->rows[i].name, row->name) == 0) {
            return "two rows have that name";
        }
    }
    snprintf(row->settings, sizeof(row->settings), "%s", defaults);
    if (!add_settings(row->settings, text + size)) {
        return "settings are KEY=VALUE, 400 characters at most";
    }
    plan->count++;
    return NULL;
}

// NULL, or what is wrong with the line.
static const char *take_line(struct plan *plan, char defaults[PLAN_TEXT_BYTES], char *line) {
    size_t word;

    line[strcspn(line, "#")] = '\0';
    line += strspn(line, " \t");
    word = strcspn(line, " \t");
    for (size_t end = strlen(line); end > 0 && strchr(" \t\r", line[end - 1]) != NULL;) {
        line[--end] = '\0';
    }
    if (line[0] == '\0') {
        return NULL;
    }
    if (word == 7 && strncmp(line, "default", 7) == 0) {
        if (plan->count > 0) {
            return "default stands before the rows";
        }
        return add_settings(defaults, line + 7) ? NULL
                                                : "settings are KEY=VALUE, 400 characters at most";
    }
    if (word == 3 && strncmp(line, "row", 3) == 0) {
        return take_row(plan, defaults, line + 3 + strspn(line + 3, " \t"));
    }
    return "a line begins with row or default";
}

bool plan_parse(struct plan *plan, const char *text, char *error) {
    char defaults[PLAN_TEXT_BYTES] = "";
    unsigned number = 0;

    plan->count = 0;
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");
        char line[LINE_BYTES];
        const char *wrong;

        number++;
        if (size >= sizeof(line)) {
            snprintf(error, ERROR_BYTES, "line %u is too long", number);
            return false;
        }
        snprintf(line, sizeof(line), "%.*s", (int)size, text);
        wrong = take_line(plan, defaults, line);
        if (wrong != NULL) {
            snprintf(error, ERROR_BYTES, "line %u: %s", number, wrong);
            return false;
        }
        text += size + (text[size] == '\n' ? 1 : 0);
    }
    if (plan->count == 0) {
        snprintf(error, ERROR_BYTES, "no row in it");
        return false;
    }
    return true;
}

bool plan_read(struct plan *plan, const char *path, char *error) {
    static char text[FILE_BYTES_MAX];
    char reason[ERROR_BYTES];
    FILE *file = fopen(path, "r");
    size_t size;

    if (file == NULL) {
        snprintf(error, ERROR_BYTES, "%.200s: %s", path, strerror(errno));
        return false;
    }
    size = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[size] = '\0';
    if (size == sizeof(text) - 1 || strlen(text) != size) {
        snprintf(error, ERROR_BYTES, "%.200s: is no plan", path);
        return false;
    }
    if (!plan_parse(plan, text, reason)) {
        snprintf(error, ERROR_BYTES, "%.150s: %.200s", path, reason);
        return false;
    }
    return true;
}
