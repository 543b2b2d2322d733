// SPDX-License-Identifier: MIT
#include "page.h"

#include "asset.h"
#include "figure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void page_figure_begin(struct page_figure *figure) {
    *figure = (struct page_figure){0};
    figure->svg = open_memstream(&figure->text, &figure->size);
    if (figure->svg == NULL) {
        perror("coradio report");
        abort();
    }
}

static void save(struct page *page, const char *svg, const char *name) {
    char path[512];
    int code;

    if (page->svg_folder == NULL) {
        return;
    }
    snprintf(path, sizeof(path), "%s/%s-%s.svg", page->svg_folder, page->input->title, name);
    code = figure_save(path, svg);
    if (code != 0 && page->code == 0) {
        page->code = code;
        snprintf(page->path, sizeof(page->path), "%s", path);
    }
}

void page_figure_end(
    struct page *page,
    struct page_figure *figure,
    const char *name,
    const char *numbers,
    const char *caption) {
    fclose(figure->svg);
    fprintf(page->out, "<figure%s>\n%s", numbers == NULL ? "" : " class=\"plot\"", figure->text);
    if (numbers != NULL) {
        fprintf(page->out, "<script type=\"application/json\">%s</script>\n", numbers);
    }
    fputs("<figcaption>", page->out);
    figure_text(page->out, caption);
    fputs("</figcaption></figure>\n", page->out);
    save(page, figure->text, name);
    free(figure->text);
}

void page_tile(FILE *out, const char *name, const char *format, ...) {
    char text[128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fputs("<div class=\"tile\"><b>", out);
    figure_text(out, text);
    fputs("</b><span>", out);
    figure_text(out, name);
    fputs("</span></div>\n", out);
}

void page_key(FILE *out, const char *const *names, const double *shares, size_t count) {
    fputs("<ul class=\"key\">", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<li><i style=\"background:var(--c%zu)\"></i>", i % FIGURE_PARTS_MAX);
        figure_text(out, names[i]);
        fprintf(out, " %.1f %%</li>", shares[i] * 100);
    }
    fputs("</ul>\n", out);
}

static void head(FILE *out, const char *title) {
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"coradio report\">\n<link rel=\"icon\" "
        "href=\"data:,\">\n<title>",
        out);
    figure_text(out, title);
    fprintf(
        out,
        "</title>\n<style>\n%s%s%s</style>\n</head>\n<body>\n<h1>",
        report_uplot_css,
        report_page_css,
        report_figure_css);
    figure_text(out, title);
    fputs("</h1>\n", out);
}

static void section(struct page *page) {
    static void (*const sections[REPORT_KIND_COUNT])(struct page * page) = {
#define X(name, text) page_##name,
        REPORT_KINDS(X)
#undef X
    };

    fputs("<section>\n<h2>", page->out);
    figure_text(page->out, page->input->title);
    fputs("</h2>\n", page->out);
    sections[page->input->kind](page);
    fputs("</section>\n", page->out);
}

int page_write(
    FILE *out,
    const char *title,
    const char *svg_folder,
    const struct report_input *inputs,
    size_t count,
    char failed[512]) {
    struct page page = {.out = out, .svg_folder = svg_folder};

    head(out, title);
    for (size_t i = 0; i < count; i++) {
        page.input = &inputs[i];
        section(&page);
    }
    fprintf(
        out,
        "<!-- uPlot, in the script below:\n%s-->\n<script>%s</script>\n<script>%s</script>\n"
        "</body>\n</html>\n",
        report_uplot_licence,
        report_uplot_js,
        report_page_js);
    if (page.code != 0) {
        snprintf(failed, 512, "%s", page.path);
    }
    return page.code;
}
