// SPDX-License-Identifier: MIT
// Table: text cells in columns as wide as their widest cell.
#ifndef TOOLS_COMMON_TABLE_H
#define TOOLS_COMMON_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct table {
    size_t columns;
    const char *align;  // one character a column: 'l' or 'r'
    char **cells;       // row by row
    size_t cell_count;
    size_t cell_room;
};

// align has one 'l' or 'r' for each column and outlives the table.
void table_init(struct table *table, const char *align);

// Fills the next cell; after the last column the next row begins.
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Writes the rows, each behind `indent` spaces; an unfinished row ends where it ends.
void table_print(const struct table *table, FILE *file, int indent);

void table_free(struct table *table);

#endif
