// SPDX-License-Identifier: MIT
// Page: the sections of a report, one for each input.
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include "input.h"

#include <stddef.h>
#include <stdio.h>

// Where a section puts its figures: into the page, and as files of their own where a folder is
// given.
struct page {
    FILE *out;
    const char *svg_folder;  // NULL: no files
    const struct report_input *input;
    int code;        // first errno of a figure that could not be written
    char path[512];  // of that figure
};

// A figure of the section under way. The caller draws into *svg between begin and end.
struct page_figure {
    char *text;
    size_t size;
    FILE *svg;
};

void page_figure_begin(struct page_figure *figure);
// name: what the figure's file is called behind the input's title. numbers: JSON for the live plot,
// NULL where there is none. Both figure and caption are closed.
void page_figure_end(
    struct page *page,
    struct page_figure *figure,
    const char *name,
    const char *numbers,
    const char *caption);

// Pieces that all sections use.
void page_tile(FILE *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void page_key(FILE *out, const char *const *names, const double *shares, size_t count);

void page_run(struct page *page);
void page_sink(struct page *page);
void page_budget(struct page *page);
void page_compare(struct page *page);
void page_power(struct page *page);

// The whole page. Returns 0 or an errno; *failed is then what could not be written.
int page_write(
    FILE *out,
    const char *title,
    const char *svg_folder,
    const struct report_input *inputs,
    size_t count,
    char failed[512]);

#endif
