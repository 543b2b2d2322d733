// SPDX-License-Identifier: MIT
#include "table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory) {
    if (memory == NULL) {
        fputs("coradio: out of memory while building a table\n", stderr);
        abort();
    }
    return memory;
}

void table_init(struct table *table, const char *align) {
    *table = (struct table){.columns = strlen(align), .align = align};
}

void table_cell(struct table *table, const char *format, ...) {
    char *text = NULL;
    va_list arguments;

    if (table->cell_count == table->cell_room) {
        table->cell_room = table->cell_room == 0 ? 64 : table->cell_room * 2;
        table->cells = must(realloc(table->cells, table->cell_room * sizeof(*table->cells)));
    }
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    table->cells[table->cell_count++] = must(length < 0 ? NULL : text);
}

// Columns a text takes on the terminal: UTF-8 continuation bytes take none.
static int text_width(const char *text) {
    int width = 0;

    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xC0) != 0x80 ? 1 : 0;
    }
    return width;
}

static int column_width(const struct table *table, size_t column) {
    int width = 0;

    for (size_t i = column; i < table->cell_count; i += table->columns) {
        int cell = text_width(table->cells[i]);

        width = cell > width ? cell : width;
    }
    return width;
}

void table_print(const struct table *table, FILE *file, int indent) {
    if (table->columns == 0) {
        return;
    }
    int *widths = must(calloc(table->columns, sizeof(*widths)));
    for (size_t column = 0; column < table->columns; column++) {
        widths[column] = column_width(table, column);
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->columns;
        int pad = widths[column] - text_width(table->cells[i]);
        bool last = column + 1 == table->columns || i + 1 == table->cell_count;

        fprintf(file, "%*s", column == 0 ? indent : 2, "");
        if (table->align[column] == 'r') {
            fprintf(file, "%*s%s", pad, "", table->cells[i]);
        } else {
            fprintf(file, "%s%*s", table->cells[i], last ? 0 : pad, "");
        }
        if (last) {
            fputc('\n', file);
        }
    }
    free(widths);
}

void table_free(struct table *table) {
    for (size_t i = 0; i < table->cell_count; i++) {
        free(table->cells[i]);
    }
    free(table->cells);
    *table = (struct table){0};
}
