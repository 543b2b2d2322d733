// SPDX-License-Identifier: MIT
// Live: a block of lines on a terminal that is drawn over itself, with bars made of coloured parts.
//
// Elsewhere than on a terminal each drawing becomes one plain line, so that a log stays readable.
// Colour obeys NO_COLOR. Nothing here decides when to draw.
#ifndef TOOLS_COMMON_LIVE_H
#define TOOLS_COMMON_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LIVE_PARTS_MAX   12
#define LIVE_HISTORY_MAX 60

struct live {
    FILE *file;
    bool terminal;
    bool colour;
    int columns;  // of the terminal
    int drawn;    // lines that stand there and will be drawn over
    int line;     // lines written of the block under way
};

// One part of a bar: its share of the whole, a name, and the letter it is drawn with where there
// is no colour. The colour goes by the place in the array.
struct live_part {
    const char *name;
    char letter;
    double share;  // 0..1
};

// To stderr, as a terminal when it is one.
void live_init(struct live *live);
// The same, to a file of the caller's choice.
void live_init_to(struct live *live, FILE *file, bool terminal, bool colour, int columns);

// Lines between begin and end replace those of the drawing before.
void live_begin(struct live *live);
void live_line(struct live *live, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A label, a bar of all parts, and behind it the largest parts by name.
void live_bar(struct live *live, const char *label, const struct live_part *parts, size_t count);
// A label and a row of small columns, one a value, the last value rightmost; max is the full
// height. Left out where there is no terminal.
void live_history(
    struct live *live, const char *label, const double *values, size_t count, double max);
void live_end(struct live *live);

// Removes the block, so that something else can be written.
void live_clear(struct live *live);

#endif
