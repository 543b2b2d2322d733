// SPDX-License-Identifier: MIT
// The section of a result of `coradio run`: a verdict, the key figures, time, bus, course.
#include "figure.h"
#include "page.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The parts of an object whose members are numbers, in their order.
static size_t parts_of(
    const cJSON *object, struct figure_part parts[FIGURE_PARTS_MAX], double *whole) {
    size_t count = 0;

    *whole = 0;
    for (const cJSON *each = object == NULL ? NULL : object->child;
         each != NULL && count < FIGURE_PARTS_MAX;
         each = each->next) {
        double amount = cJSON_IsNumber(each) && each->valuedouble > 0 ? each->valuedouble : 0;

        parts[count++] = (struct figure_part){each->string, amount};
        *whole += amount;
    }
    return count;
}

static void verdict(struct page *page) {
    const cJSON *json = page->input->json;
    double goodput = report_number(json, "result.goodput_bps", NAN);
    double bound = report_number(json, "result.bound_bps", NAN);
    const char *limit = report_text(json, "result.limit", "");
    bool simulated = cJSON_IsTrue(report_at(json, "simulated"));

    fputs("<p>", page->out);
    fprintf(page->out, "%s", simulated ? "<span class=\"tag\">simulated</span> " : "");
    figure_text(page->out, report_text(json, "board", "board"));
    fputs(", ", page->out);
    figure_text(page->out, report_text(json, "app", ""));
    if (goodput > 0 && bound > 0) {
        fprintf(
            page->out,
            ": <strong>%.2f Mbit/s</strong>, %.1f %% of the bound of %.2f Mbit/s. Limit: <strong>",
            goodput / 1e6,
            goodput / bound * 100,
            bound / 1e6);
        figure_text(page->out, limit);
        fputs("</strong>.", page->out);
    }
    if (cJSON_IsFalse(report_at(json, "complete"))) {
        fputs(" <strong>Not complete:</strong> the run ended before its transfer did.", page->out);
    }
    fputs("</p>\n", page->out);
}

static void tiles(struct page *page) {
    const cJSON *json = page->input->json;
    FILE *out = page->out;
    double value;

    fputs("<div class=\"tiles\">\n", out);
    value = report_number(json, "result.goodput_bps", NAN);
    if (isfinite(value)) {
        page_tile(out, "goodput", "%.2f Mbit/s", value / 1e6);
    }
    value = report_number(json, "bus.utilization", NAN);
    if (isfinite(value)) {
        page_tile(out, "bus busy", "%.1f %%", value * 100);
    }
    value = report_number(json, "air.mean_ampdu", NAN);
    if (isfinite(value)) {
        page_tile(out, "MPDUs in an aggregate", "%.2f", value);
    }
    value = report_number(json, "air.share", NAN);
    if (isfinite(value)) {
        page_tile(out, "air busy", "%.1f %%", value * 100);
    }
    value = report_number(json, "latency_us.p50", NAN);
    if (isfinite(value)) {
        page_tile(out, "latency, median", "%.2f ms", value / 1e3);
    }
    value = report_number(json, "power.avg_mw", NAN);
    if (isfinite(value) && value > 0) {
        page_tile(
            out,
            "power; energy a bit",
            "%.0f mW; %.1f nJ",
            value,
            report_number(json, "power.nj_per_bit", 0));
    }
    value = report_number(json, "counts.retransmissions", NAN);
    if (isfinite(value)) {
        page_tile(out, "segments sent again", "%.0f", value);
    }
    fputs("</div>\n", out);
}

static void band(struct page *page, const char *at, const char *name, const char *caption) {
    struct figure_part parts[FIGURE_PARTS_MAX];
    const char *names[FIGURE_PARTS_MAX];
    double shares[FIGURE_PARTS_MAX];
    double whole = 0;
    size_t count = parts_of(report_at(page->input->json, at), parts, &whole);
    struct page_figure figure;

    if (count == 0 || whole <= 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = parts[i].name;
        shares[i] = parts[i].amount / whole;
    }
    page_figure_begin(&figure);
    figure_band(figure.svg, caption, parts, count);
    page_figure_end(page, &figure, name, NULL, caption);
    page_key(page->out, names, shares, count);
}

// ---- the course of the transfer

struct course {
    size_t count;
    double *t_s;
    double *rate_mbps;
    double *power_mw;
    double *shares;  // percent, part after part
    const char *names[FIGURE_PARTS_MAX];
    size_t parts;
};

static void course_free(struct course *course) {
    free(course->t_s);
    free(course->rate_mbps);
    free(course->power_mw);
    free(course->shares);
}

static bool course_new(struct course *course, const cJSON *samples) {
    size_t room = (size_t)cJSON_GetArraySize(samples) + 1;

    *course = (struct course){
        .t_s = calloc(room, sizeof(double)),
        .rate_mbps = calloc(room, sizeof(double)),
        .power_mw = calloc(room, sizeof(double)),
        .shares = calloc(room * FIGURE_PARTS_MAX, sizeof(double)),
    };
    return course->t_s != NULL && course->rate_mbps != NULL && course->power_mw != NULL &&
           course->shares != NULL;
}

// Samples without a time, or with one that goes back, are left out.
static void course_fill(struct course *course, const cJSON *samples, size_t room) {
    const cJSON *each;

    cJSON_ArrayForEach(each, samples) {
        struct figure_part parts[FIGURE_PARTS_MAX];
        double whole = 0;
        double t_s = report_number(each, "t_s", NAN);
        size_t at = course->count;

        if (!isfinite(t_s) || (at > 0 && t_s <= course->t_s[at - 1])) {
            continue;
        }
        course->parts = parts_of(report_at(each, "chronograph_us"), parts, &whole);
        course->t_s[at] = t_s;
        course->rate_mbps[at] = report_number(each, "goodput_bps", 0) / 1e6;
        course->power_mw[at] = report_number(each, "power_mw", 0);
        for (size_t i = 0; i < course->parts; i++) {
            course->names[i] = parts[i].name;
            course->shares[i * room + at] = whole > 0 ? parts[i].amount / whole * 100 : 0;
        }
        course->count++;
    }
    // Close up, so that part i begins at i * count.
    for (size_t i = 1; i < course->parts; i++) {
        memmove(
            &course->shares[i * course->count],
            &course->shares[i * room],
            course->count * sizeof(double));
    }
}

static void json_array(FILE *out, const double *values, size_t count) {
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%.6g", i == 0 ? "" : ",", values[i]);
    }
    fputc(']', out);
}

// Names of states come from the file; what JSON or a script element could trip over is left out.
static void json_name(FILE *out, const char *name) {
    fputc('"', out);
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;

        if (c >= ' ' && c < 127 && strchr("\"\\<>&", c) == NULL) {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

static char *line_numbers(
    const struct course *course, const double *values, const char *unit, double bound) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL) {
        return NULL;
    }
    fputs("{\"kind\":\"lines\",\"unit\":", out);
    json_name(out, unit);
    fputs(",\"x\":", out);
    json_array(out, course->t_s, course->count);
    fputs(",\"series\":[{\"label\":", out);
    json_name(out, unit);
    fputs(",\"colour\":\"--accent\",\"values\":", out);
    json_array(out, values, course->count);
    fputc('}', out);
    if (bound > 0) {
        fputs(",{\"label\":\"bound\",\"colour\":\"--c5\",\"dash\":true,\"values\":[", out);
        for (size_t i = 0; i < course->count; i++) {
            fprintf(out, "%s%.6g", i == 0 ? "" : ",", bound);
        }
        fputs("]}", out);
    }
    fputs("]}", out);
    fclose(out);
    return text;
}

static char *stack_numbers(const struct course *course) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL) {
        return NULL;
    }
    fputs("{\"kind\":\"stacked\",\"x\":", out);
    json_array(out, course->t_s, course->count);
    fputs(",\"series\":[", out);
    for (size_t i = 0; i < course->parts; i++) {
        fprintf(out, "%s{\"label\":", i == 0 ? "" : ",");
        json_name(out, course->names[i]);
        fprintf(out, ",\"colour\":\"--c%zu\",\"values\":", i);
        json_array(out, &course->shares[i * course->count], course->count);
        fputc('}', out);
    }
    fputs("]}", out);
    fclose(out);
    return text;
}

static void draw_line(
    struct page *page,
    const struct course *course,
    const double *values,
    const char *name,
    const char *caption) {
    bool rate = values == course->rate_mbps;
    double bound = rate ? report_number(page->input->json, "result.bound_bps", 0) / 1e6 : 0;
    struct figure_lines lines = {
        .title = caption,
        .x_label = "seconds of the transfer",
        .y_label = rate ? "Mbit/s" : "mW",
        .x = course->t_s,
        .y = values,
        .count = course->count,
        .bound = bound,
    };
    char *numbers = line_numbers(course, values, lines.y_label, bound);
    struct page_figure figure;

    page_figure_begin(&figure);
    figure_lines(figure.svg, &lines);
    page_figure_end(page, &figure, name, numbers, caption);
    free(numbers);
}

static void draw_course(struct page *page, const struct course *course) {
    struct figure_areas areas = {
        .title = "What the next frame waited for, over time",
        .x_label = "seconds of the transfer",
        .x = course->t_s,
        .values = course->shares,
        .names = course->names,
        .count = course->count,
        .parts = course->parts,
    };
    struct page_figure figure;
    char *numbers = stack_numbers(course);

    draw_line(page, course, course->rate_mbps, "goodput", "Goodput over time; dashed: the bound");
    page_figure_begin(&figure);
    figure_areas(figure.svg, &areas);
    page_figure_end(page, &figure, "chronograph-time", numbers, areas.title);
    free(numbers);
    draw_line(page, course, course->power_mw, "power", "Power over time");
}

static void course_section(struct page *page) {
    const cJSON *samples = report_at(page->input->json, "samples");
    struct course course;

    if (!cJSON_IsArray(samples)) {
        fputs(
            "<p class=\"muted\">No course over time: this run was made without "
            "<code>--samples</code>.</p>\n",
            page->out);
        return;
    }
    if (course_new(&course, samples)) {
        course_fill(&course, samples, (size_t)cJSON_GetArraySize(samples) + 1);
        if (course.count > 0) {
            draw_course(page, &course);
        }
    }
    course_free(&course);
}

// ---- conditions

static void value_cell(FILE *out, const cJSON *value) {
    char *text = value == NULL ? NULL : cJSON_PrintUnformatted(value);

    fputs("<td>", out);
    if (cJSON_IsString(value)) {
        figure_text(out, value->valuestring);
    } else if (text != NULL) {
        figure_text(out, text);
    }
    fputs("</td>", out);
    cJSON_free(text);
}

static void conditions(struct page *page) {
    const cJSON *asked = report_at(page->input->json, "conditions.asked");
    const cJSON *effective = report_at(page->input->json, "conditions.effective");

    if (asked == NULL) {
        return;
    }
    fputs(
        "<details><summary>Conditions, asked and effective</summary><div class=\"scroll\"><table>"
        "<thead><tr><th>setting</th><th>asked</th><th>effective</th></tr></thead>\n",
        page->out);
    for (const cJSON *each = asked->child; each != NULL; each = each->next) {
        const cJSON *found = effective == NULL || each->string == NULL
                                 ? NULL
                                 : cJSON_GetObjectItemCaseSensitive(effective, each->string);
        bool differs = found != NULL && cJSON_IsNumber(each) && cJSON_IsNumber(found) &&
                       each->valuedouble != found->valuedouble;

        fprintf(page->out, "<tr%s><td>", differs ? " class=\"differs\"" : "");
        figure_text(page->out, each->string == NULL ? "" : each->string);
        fputs("</td>", page->out);
        value_cell(page->out, each);
        value_cell(page->out, found);
        fputs("</tr>\n", page->out);
    }
    fputs("</table></div></details>\n", page->out);
}

void page_run(struct page *page) {
    verdict(page);
    tiles(page);
    band(page, "chronograph_us", "chronograph", "Time by what the next frame waited for");
    band(page, "bus.bits", "bus-bits", "Bits on the bus by purpose");
    course_section(page);
    conditions(page);
}
