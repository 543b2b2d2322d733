// SPDX-License-Identifier: MIT
#include "figure.h"

#include "asset.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Widths and places in the figure's own units; a figure is scaled to the width of its page.
enum {
    WIDTH = 760,
    LEFT = 60,
    RIGHT = 745,
    NAME_RIGHT = 170,  // where names end that stand before a row
    VALUE_LEFT = 660,
    ROW_HEIGHT = 30,
    PLOT_TOP = 16,
    PLOT_BOTTOM = 214,
    PLOT_HEIGHT = 260,
};

void figure_text(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
            break;
        }
    }
}

static void begin(FILE *out, const char *title, int height) {
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\"><title>",
        WIDTH,
        height);
    figure_text(out, title);
    fputs("</title>\n", out);
}

// anchor: start, middle or end.
static void label(
    FILE *out, double x, double y, const char *class, const char *anchor, const char *text) {
    fprintf(
        out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">", x, y, class, anchor);
    figure_text(out, text);
    fputs("</text>\n", out);
}

// A name before a row: shortened where it would leave the picture.
static void row_name(FILE *out, double y, const char *class, const char *name) {
    char text[40];

    if (strlen(name) < 24) {
        label(out, NAME_RIGHT - 8, y, class, "end", name);
        return;
    }
    snprintf(text, sizeof(text), "%.21s…", name);
    label(out, NAME_RIGHT - 8, y, class, "end", text);
}

void figure_band(FILE *out, const char *title, const struct figure_part *parts, size_t count) {
    double whole = 0;
    double x = 0;

    for (size_t i = 0; i < count; i++) {
        whole += parts[i].amount;
    }
    begin(out, title, 40);
    for (size_t i = 0; i < count && whole > 0; i++) {
        double share = parts[i].amount / whole;
        double width = share * WIDTH;
        char text[80];

        if (share <= 0) {
            continue;
        }
        fprintf(
            out,
            "<rect x=\"%.2f\" y=\"2\" width=\"%.2f\" height=\"36\" class=\"s%zu\"><title>",
            x,
            width,
            i % FIGURE_PARTS_MAX);
        snprintf(text, sizeof(text), "%s %.2f %%", parts[i].name, share * 100);
        figure_text(out, text);
        fputs("</title></rect>\n", out);
        snprintf(text, sizeof(text), "%s %.0f %%", parts[i].name, share * 100);
        if (width > 8.0 * (double)strlen(text)) {
            label(out, x + width / 2, 25, "inside", "middle", text);
        }
        x += width;
    }
    fputs("</svg>\n", out);
}

void figure_bars(
    FILE *out, const char *title, const char *unit, const struct figure_bar *bars, size_t count) {
    double most = 0;

    for (size_t i = 0; i < count; i++) {
        most = bars[i].amount > most ? bars[i].amount : most;
    }
    begin(out, title, (int)count * ROW_HEIGHT + 6);
    for (size_t i = 0; i < count; i++) {
        double y = (double)i * ROW_HEIGHT + 4;
        double width = most > 0 ? bars[i].amount / most * (VALUE_LEFT - NAME_RIGHT) : 0;
        char text[48];

        row_name(out, y + 16, bars[i].strong ? "text" : "muted", bars[i].name);
        fprintf(
            out,
            "<rect x=\"%d\" y=\"%.1f\" width=\"%.2f\" height=\"22\" class=\"%s\"/>\n",
            NAME_RIGHT,
            y,
            width < 1 ? 1 : width,
            bars[i].strong ? "s5" : "s7");
        snprintf(text, sizeof(text), "%.2f %s", bars[i].amount, unit);
        label(out, NAME_RIGHT + width + 8, y + 16, "text", "start", text);
    }
    fputs("</svg>\n", out);
}

// A round number that divides 0..most into three to six steps.
static double step_for(double most) {
    double power = most > 0 ? pow(10, floor(log10(most))) : 1;
    const double steps[] = {0.2, 0.5, 1, 2};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (most / (steps[i] * power) <= 6) {
            return steps[i] * power;
        }
    }
    return 5 * power;
}

static double place(double value, double from, double to, double left, double right) {
    return to > from ? left + (value - from) / (to - from) * (right - left) : left;
}

// The frame of a plot: lines across with their values, and the ends of x below.
static void frame(FILE *out, double x_from, double x_to, double y_to, const char *const labels[2]) {
    double step = step_for(y_to);
    double x_step = step_for(x_to - x_from);
    char text[32];

    for (double at = 0; at <= y_to * 1.0001; at += step) {
        double y = place(at, 0, y_to, PLOT_BOTTOM, PLOT_TOP);

        fprintf(out, "<path d=\"M%d %.1fH%d\" class=\"grid\"/>\n", LEFT, y, RIGHT);
        snprintf(text, sizeof(text), "%g", at);
        label(out, LEFT - 6, y + 4, "muted", "end", text);
    }
    for (double at = ceil(x_from / x_step) * x_step; at <= x_to * 1.0001; at += x_step) {
        snprintf(text, sizeof(text), "%g", at);
        label(out, place(at, x_from, x_to, LEFT, RIGHT), PLOT_BOTTOM + 17, "muted", "middle", text);
    }
    label(out, (LEFT + RIGHT) / 2.0, PLOT_HEIGHT - 8, "muted", "middle", labels[0]);
    fprintf(
        out,
        "<text x=\"14\" y=\"%d\" class=\"muted\" text-anchor=\"middle\" "
        "transform=\"rotate(-90 14 %d)\">",
        (PLOT_TOP + PLOT_BOTTOM) / 2,
        (PLOT_TOP + PLOT_BOTTOM) / 2);
    figure_text(out, labels[1]);
    fputs("</text>\n", out);
}

void figure_lines(FILE *out, const struct figure_lines *lines) {
    const char *const labels[2] = {lines->x_label, lines->y_label};
    double x_to = lines->count > 0 ? lines->x[lines->count - 1] : 1;
    double x_from = lines->count > 0 && lines->x[0] < 0 ? lines->x[0] : 0;
    double most = lines->bound;

    for (size_t i = 0; i < lines->count; i++) {
        most = lines->y[i] > most ? lines->y[i] : most;
    }
    most = most > 0 ? most * 1.08 : 1;
    begin(out, lines->title, PLOT_HEIGHT);
    frame(out, x_from, x_to, most, labels);
    if (lines->bound > 0) {
        fprintf(
            out,
            "<path d=\"M%d %.1fH%d\" class=\"bound\"/>\n",
            LEFT,
            place(lines->bound, 0, most, PLOT_BOTTOM, PLOT_TOP),
            RIGHT);
    }
    fputs("<path class=\"line\" d=\"", out);
    for (size_t i = 0; i < lines->count; i++) {
        fprintf(
            out,
            "%c%.1f %.1f",
            i == 0 ? 'M' : 'L',
            place(lines->x[i], x_from, x_to, LEFT, RIGHT),
            place(lines->y[i], 0, most, PLOT_BOTTOM, PLOT_TOP));
    }
    fputs("\"/>\n</svg>\n", out);
}

// The sum of the parts up to and including `part` at i.
static double top_of(const struct figure_areas *areas, size_t part, size_t i) {
    double sum = 0;

    for (size_t j = 0; j <= part; j++) {
        sum += areas->values[j * areas->count + i];
    }
    return sum > 100 ? 100 : sum;
}

void figure_areas(FILE *out, const struct figure_areas *areas) {
    const char *const labels[2] = {areas->x_label, "% of the time"};
    double x_to = areas->count > 0 ? areas->x[areas->count - 1] : 1;

    begin(out, areas->title, PLOT_HEIGHT);
    frame(out, 0, x_to, 100, labels);
    for (size_t part = areas->parts; part-- > 0;) {
        fprintf(out, "<path class=\"s%zu\" d=\"M%d %d", part % FIGURE_PARTS_MAX, LEFT, PLOT_BOTTOM);
        for (size_t i = 0; i < areas->count; i++) {
            double y = place(top_of(areas, part, i), 0, 100, PLOT_BOTTOM, PLOT_TOP);

            // A slice is flat from the end of the one before to its own.
            fprintf(
                out,
                "L%.1f %.1fL%.1f %.1f",
                place(i == 0 ? 0 : areas->x[i - 1], 0, x_to, LEFT, RIGHT),
                y,
                place(areas->x[i], 0, x_to, LEFT, RIGHT),
                y);
        }
        fprintf(out, "L%d %dZ\"><title>", RIGHT, PLOT_BOTTOM);
        figure_text(out, areas->names[part]);
        fputs("</title></path>\n", out);
    }
    fputs("</svg>\n", out);
}

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;

    return left < right ? -1 : left > right ? 1 : 0;
}

static double median_of(const struct figure_row *row) {
    double *sorted = malloc((row->count + 1) * sizeof(double));
    double median;

    if (sorted == NULL || row->count == 0) {
        free(sorted);
        return NAN;
    }
    memcpy(sorted, row->values, row->count * sizeof(double));
    qsort(sorted, row->count, sizeof(double), compare_doubles);
    median = row->count % 2 == 1 ? sorted[row->count / 2]
                                 : (sorted[row->count / 2 - 1] + sorted[row->count / 2]) / 2;
    free(sorted);
    return median;
}

static void strip(
    FILE *out, const struct figure_row *row, double y, double from, double to, const char *unit) {
    double median = median_of(row);
    double at = place(median, from, to, NAME_RIGHT, VALUE_LEFT);
    char text[48];

    row_name(out, y + 5, "text", row->name);
    fprintf(out, "<path d=\"M%d %.1fH%d\" class=\"grid\"/>\n", NAME_RIGHT, y, VALUE_LEFT);
    for (size_t i = 0; i < row->count; i++) {
        // Dots of one value stand beside each other: three lines by turns.
        fprintf(
            out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"mark\"/>\n",
            place(row->values[i], from, to, NAME_RIGHT, VALUE_LEFT),
            y + ((double)(i % 3) - 1) * 6);
    }
    if (isfinite(median)) {
        fprintf(out, "<path d=\"M%.1f %.1fv28\" class=\"strong\"/>\n", at, y - 14);
        snprintf(text, sizeof(text), "%.4g %s", median, unit);
        label(out, VALUE_LEFT + 8, y + 5, "text", "start", text);
    }
}

void figure_strips(
    FILE *out, const char *title, const char *unit, const struct figure_row *rows, size_t count) {
    double from = INFINITY;
    double to = -INFINITY;
    char text[48];

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < rows[i].count; j++) {
            from = fmin(from, rows[i].values[j]);
            to = fmax(to, rows[i].values[j]);
        }
    }
    if (!(from < to)) {
        from = isfinite(from) ? from - 1 : 0;
        to = from + 2;
    }
    begin(out, title, (int)count * 44 + 34);
    for (size_t i = 0; i < count; i++) {
        strip(out, &rows[i], (double)i * 44 + 22, from, to, unit);
    }
    snprintf(text, sizeof(text), "%.4g", from);
    label(out, NAME_RIGHT, (double)count * 44 + 20, "muted", "middle", text);
    snprintf(text, sizeof(text), "%.4g", to);
    label(out, VALUE_LEFT, (double)count * 44 + 20, "muted", "middle", text);
    fputs("</svg>\n", out);
}

void figure_differences(
    FILE *out,
    const char *title,
    const char *unit,
    const struct figure_difference *differences,
    size_t count) {
    double from = 0;
    double to = 0;
    char text[48];

    for (size_t i = 0; i < count; i++) {
        from = fmin(from, differences[i].low);
        to = fmax(to, differences[i].high);
    }
    if (!(from < to)) {
        from -= 1;
        to += 1;
    }
    begin(out, title, (int)count * ROW_HEIGHT + 34);
    double zero = place(0, from, to, NAME_RIGHT, VALUE_LEFT);
    fprintf(out, "<path d=\"M%.1f 2v%zu\" class=\"grid\"/>\n", zero, count * ROW_HEIGHT);
    for (size_t i = 0; i < count; i++) {
        const struct figure_difference *each = &differences[i];
        double y = (double)i * ROW_HEIGHT + 16;

        row_name(out, y + 5, "text", each->name);
        fprintf(
            out,
            "<path d=\"M%.1f %.1fH%.1f\" class=\"line\"/>\n<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" "
            "class=\"s5\"/>\n",
            place(each->low, from, to, NAME_RIGHT, VALUE_LEFT),
            y,
            place(each->high, from, to, NAME_RIGHT, VALUE_LEFT),
            place(each->estimate, from, to, NAME_RIGHT, VALUE_LEFT),
            y);
        snprintf(text, sizeof(text), "%+.3g %s", each->estimate, unit);
        label(out, VALUE_LEFT + 8, y + 5, "text", "start", text);
    }
    label(out, zero, (double)count * ROW_HEIGHT + 20, "muted", "middle", "no difference");
    fputs("</svg>\n", out);
}

// Custom properties of the page's style, of the light and of the dark scheme.
static void write_colours(FILE *file) {
    const char *end = strstr(report_page_css, "* { box-sizing");

    fwrite(
        report_page_css,
        1,
        end == NULL ? strlen(report_page_css) : (size_t)(end - report_page_css),
        file);
}

int figure_save(const char *path, const char *svg) {
    FILE *file = fopen(path, "wb");
    const char *title = strstr(svg, "<title>");
    int code = 0;

    if (file == NULL || title == NULL) {
        code = file == NULL ? errno : EINVAL;
        if (file != NULL) {
            fclose(file);
        }
        return code;
    }
    fwrite(svg, 1, (size_t)(title - svg), file);
    fputs("<style>", file);
    write_colours(file);
    fputs("svg { background: var(--bg); font: 13px system-ui, sans-serif; }\n", file);
    fputs(report_figure_css, file);
    fputs("</style>", file);
    fputs(title, file);
    if (ferror(file) != 0) {
        code = EIO;
    }
    if (fclose(file) != 0 && code == 0) {
        code = errno;
    }
    return code;
}
