// SPDX-License-Identifier: MIT
// Figure: pictures of results as SVG, drawn with the classes of assets/figure.css.
//
// Each writes one <svg> element, which stands inside a page; report_svg_file() makes a file of it
// that carries its own colours, light and dark. Text is escaped here.
#ifndef TOOLS_REPORT_FIGURE_H
#define TOOLS_REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define FIGURE_PARTS_MAX 8

// Text for HTML and SVG: & < > " are written as entities, control characters as spaces.
void figure_text(FILE *out, const char *text);

// One bar of parts that make a whole; the colours are classes s0..s7 by place.
struct figure_part {
    const char *name;
    double amount;
};
void figure_band(FILE *out, const char *title, const struct figure_part *parts, size_t count);

// Bars under each other on one scale, the value and the unit behind each.
struct figure_bar {
    const char *name;
    double amount;
    bool strong;  // the one that binds
};
void figure_bars(
    FILE *out, const char *title, const char *unit, const struct figure_bar *bars, size_t count);

// Lines over x. A bound, where it is above 0, is a dashed line across.
struct figure_lines {
    const char *title;
    const char *x_label;
    const char *y_label;
    const double *x;
    const double *y;
    size_t count;
    double bound;
};
void figure_lines(FILE *out, const struct figure_lines *lines);

// Shares of the whole over x as areas on each other: values[part * count + i], each 0..100.
struct figure_areas {
    const char *title;
    const char *x_label;
    const double *x;
    const double *values;
    const char *const *names;
    size_t count;
    size_t parts;
};
void figure_areas(FILE *out, const struct figure_areas *areas);

// Samples as dots in rows, the median as a line.
struct figure_row {
    const char *name;
    const double *values;
    size_t count;
};
void figure_strips(
    FILE *out, const char *title, const char *unit, const struct figure_row *rows, size_t count);

// Differences from zero with their intervals, on one scale.
struct figure_difference {
    const char *name;
    double estimate;
    double low;
    double high;
};
void figure_differences(
    FILE *out,
    const char *title,
    const char *unit,
    const struct figure_difference *differences,
    size_t count);

// A file with the style inside. Returns 0 or an errno.
int figure_save(const char *path, const char *svg);

#endif
