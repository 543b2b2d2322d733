// SPDX-License-Identifier: MIT
// The sections of a sink's result, a budget, a comparison and a power trace.
#include "figure.h"
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 24, TERMS_MAX = 16 };

// ---- sink

static void sink_connections(struct page *page, const cJSON *connections) {
    const cJSON *each;
    int rows = 0;

    fputs(
        "<div class=\"scroll\"><table><thead><tr><th>peer</th><th>protocol</th><th>bytes</th>"
        "<th>Mbit/s</th><th>ended</th><th>longest gap</th><th>whose</th></tr></thead>\n",
        page->out);
    cJSON_ArrayForEach(each, connections) {
        if (++rows > ROWS_MAX) {
            fprintf(
                page->out,
                "<tr><td colspan=\"7\">and %d more</td></tr>\n",
                cJSON_GetArraySize(connections) - ROWS_MAX);
            break;
        }
        fputs("<tr><td>", page->out);
        figure_text(page->out, report_text(each, "peer", "?"));
        fputs("</td><td>", page->out);
        figure_text(page->out, report_text(each, "kind", "?"));
        fprintf(
            page->out,
            "</td><td class=\"number\">%.0f</td><td class=\"number\">%.2f</td><td>",
            report_number(each, "bytes", 0),
            report_number(each, "goodput_bps", 0) / 1e6);
        figure_text(page->out, report_text(each, "end_text", report_text(each, "end", "")));
        fprintf(
            page->out,
            "</td><td class=\"number\">%.3f s</td><td>",
            report_number(each, "longest_gap.length_s", 0));
        figure_text(page->out, report_text(each, "longest_gap.cause", ""));
        fputs("</td></tr>\n", page->out);
    }
    fputs("</table></div>\n", page->out);
}

static void sink_course(struct page *page, const cJSON *intervals) {
    size_t room = (size_t)cJSON_GetArraySize(intervals) + 1;
    double *x = calloc(room, sizeof(double));
    double *y = calloc(room, sizeof(double));
    struct figure_lines lines = {
        .title = "Goodput over time, all streams",
        .x_label = "seconds of the sink",
        .y_label = "Mbit/s",
        .x = x,
        .y = y,
    };
    struct page_figure figure;
    const cJSON *each;

    cJSON_ArrayForEach(each, intervals) {
        double begin_s = report_number(each, "begin_s", NAN);
        double end_s = report_number(each, "end_s", NAN);

        if (x != NULL && y != NULL && end_s > begin_s) {
            x[lines.count] = end_s;
            y[lines.count++] = report_number(each, "bytes", 0) * 8 / (end_s - begin_s) / 1e6;
        }
    }
    if (lines.count > 1) {
        page_figure_begin(&figure);
        figure_lines(figure.svg, &lines);
        page_figure_end(page, &figure, "goodput", NULL, lines.title);
    }
    free(x);
    free(y);
}

void page_sink(struct page *page) {
    const cJSON *json = page->input->json;
    const cJSON *problems = report_at(json, "problems");
    const cJSON *each;

    fputs("<p>Counted by the receiver. ", page->out);
    if (cJSON_IsTrue(report_at(json, "valid"))) {
        fputs("The figures are valid.</p>\n", page->out);
    } else {
        fputs("<strong>The figures are not valid:</strong></p><ul>\n", page->out);
        cJSON_ArrayForEach(each, problems) {
            fputs("<li>", page->out);
            figure_text(page->out, cJSON_IsString(each) ? each->valuestring : "");
            fputs("</li>\n", page->out);
        }
        fputs("</ul>\n", page->out);
    }
    fputs("<div class=\"tiles\">\n", page->out);
    page_tile(
        page->out, "goodput", "%.2f Mbit/s", report_number(json, "result.goodput_bps", 0) / 1e6);
    page_tile(page->out, "received", "%.1f MB", report_number(json, "result.bytes", 0) / 1e6);
    page_tile(page->out, "streams", "%.0f", report_number(json, "result.streams", 0));
    page_tile(
        page->out,
        "the sink was busy",
        "%.1f %%",
        report_number(json, "sink.busy_share_active", 0) * 100);
    fputs("</div>\n", page->out);
    sink_course(page, report_at(json, "intervals"));
    sink_connections(page, report_at(json, "connections"));
}

// ---- budget

// One stage of the waterfall: strong where it is the one that binds.
struct stage {
    const char *at;
    const char *name;
    const char *limit;  // as result.limit names it; "" for none
};

static void budget_waterfall(struct page *page) {
    static const struct stage stages[] = {
        {"bounds.phy_bps", "rate on the air", ""},
        {"bounds.air_tcp_bps", "air, TCP", "air"},
        {"bounds.bus_line_bps", "bus clock", ""},
        {"bounds.bus_tcp_bps", "bus, TCP", "bus"},
        {"bounds.cpu_tcp_bps", "processor", "cpu"},
        {"bounds.coprocessor_tcp_bps", "co-processor", "coprocessor"},
        {"bounds.window_bps", "window and round trip", "window"},
        {"bounds.source_bps", "source", "source"},
        {"bounds.tcp_bps", "goodput, TCP", ""},
    };
    const cJSON *json = page->input->json;
    const char *limit = report_text(json, "result.limit", "?");
    double tcp = report_number(json, "bounds.tcp_bps", 0);
    struct figure_bar bars[sizeof(stages) / sizeof(stages[0])];
    struct page_figure figure;
    size_t count = 0;

    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        double bps = report_number(json, stages[i].at, NAN);

        // Stages far above everything else would press the others flat: they do not bind.
        if (isfinite(bps) && (tcp <= 0 || bps <= 6 * tcp)) {
            bars[count++] =
                (struct figure_bar){stages[i].name, bps / 1e6, strcmp(stages[i].limit, limit) == 0};
        }
    }
    page_figure_begin(&figure);
    figure_bars(figure.svg, "The limits, stage by stage", "Mbit/s", bars, count);
    page_figure_end(
        page,
        &figure,
        "waterfall",
        NULL,
        "The limits, stage by stage: what each alone would let through, and what is left of it. "
        "Stages of more than six times the result are left out.");
}

static void budget_terms(struct page *page) {
    const char *limit = report_text(page->input->json, "result.limit", "bus");
    char at[80];
    struct figure_bar bars[TERMS_MAX];
    struct page_figure figure;
    const cJSON *each;
    size_t count = 0;

    snprintf(at, sizeof(at), "stages.%s.terms", limit);
    cJSON_ArrayForEach(each, report_at(page->input->json, at)) {
        if (count < TERMS_MAX) {
            bars[count++] = (struct figure_bar){
                report_text(each, "name", ""), report_number(each, "us", 0), count == 1};
        }
    }
    if (count == 0) {
        return;
    }
    snprintf(at, sizeof(at), "Where the time of a segment goes in the binding stage (%s)", limit);
    page_figure_begin(&figure);
    figure_bars(figure.svg, at, "us", bars, count);
    page_figure_end(page, &figure, "terms", NULL, at);
}

static void budget_changes(struct page *page) {
    const cJSON *each;

    fputs(
        "<h3>What a change would give</h3><div class=\"scroll\"><table><thead><tr><th>change</th>"
        "<th>from</th><th>to</th><th>goodput</th><th>gain</th><th>remark</th></tr></thead>\n",
        page->out);
    cJSON_ArrayForEach(each, report_at(page->input->json, "changes")) {
        fputs("<tr><td>", page->out);
        figure_text(page->out, report_text(each, "what", ""));
        fputs("</td><td>", page->out);
        figure_text(page->out, report_text(each, "from", ""));
        fputs("</td><td>", page->out);
        figure_text(page->out, report_text(each, "to", ""));
        fprintf(
            page->out,
            "</td><td class=\"number\">%.2f</td><td class=\"number\">%+.2f</td><td>",
            report_number(each, "goodput_bps", 0) / 1e6,
            report_number(each, "gain_bps", 0) / 1e6);
        figure_text(page->out, report_text(each, "remark", ""));
        fputs("</td></tr>\n", page->out);
    }
    fputs("</table></div>\n", page->out);
}

void page_budget(struct page *page) {
    const cJSON *json = page->input->json;

    fprintf(
        page->out,
        "<p><span class=\"tag\">computed</span> At most <strong>%.2f Mbit/s</strong>; the binding "
        "limit is <strong>",
        report_number(json, "result.bound_bps", 0) / 1e6);
    figure_text(page->out, report_text(json, "result.limit", "?"));
    fputs("</strong>, the next one is ", page->out);
    figure_text(page->out, report_text(json, "result.next_limit", "?"));
    fprintf(
        page->out, " at %.2f Mbit/s.</p>\n", report_number(json, "result.next_bound_bps", 0) / 1e6);
    budget_waterfall(page);
    budget_terms(page);
    if (report_at(json, "changes") != NULL) {
        budget_changes(page);
    }
}

// ---- comparison

// Values of a configuration: an array "samples" of numbers, or of objects with a "value".
static size_t values_of(const cJSON *samples, double **values) {
    const cJSON *each;
    size_t count = 0;

    *values = calloc((size_t)cJSON_GetArraySize(samples) + 1, sizeof(double));
    if (*values == NULL) {
        return 0;
    }
    cJSON_ArrayForEach(each, samples) {
        double value = cJSON_IsNumber(each) ? each->valuedouble : report_number(each, "value", NAN);

        if (isfinite(value)) {
            (*values)[count++] = value;
        }
    }
    return count;
}

static void compare_pairs(struct page *page) {
    const cJSON *each;

    cJSON_ArrayForEach(each, report_at(page->input->json, "comparisons")) {
        fputs("<p>", page->out);
        figure_text(page->out, report_text(each, "b", "B"));
        fputs(" against ", page->out);
        figure_text(page->out, report_text(each, "a", "A"));
        fputs(": <strong>", page->out);
        figure_text(page->out, report_text(each, "verdict", ""));
        fputs("</strong>. ", page->out);
        figure_text(page->out, report_text(each, "text", ""));
        fputs("</p>\n", page->out);
    }
}

static void compare_intervals(struct page *page, const char *unit) {
    struct figure_difference differences[ROWS_MAX];
    char names[ROWS_MAX][32];
    struct page_figure figure;
    const cJSON *each;
    size_t count = 0;

    cJSON_ArrayForEach(each, report_at(page->input->json, "comparisons")) {
        double estimate = report_number(each, "hodges_lehmann", NAN);
        double low = report_number(each, "interval.low", NAN);
        double high = report_number(each, "interval.high", NAN);

        if (count < ROWS_MAX && isfinite(estimate) && low <= high) {
            snprintf(
                names[count],
                sizeof(names[count]),
                "%.12s - %.12s",
                report_text(each, "b", "B"),
                report_text(each, "a", "A"));
            differences[count] = (struct figure_difference){names[count], estimate, low, high};
            count++;
        }
    }
    if (count > 0) {
        page_figure_begin(&figure);
        figure_differences(figure.svg, "Differences and their intervals", unit, differences, count);
        page_figure_end(
            page,
            &figure,
            "differences",
            NULL,
            "Differences (Hodges-Lehmann) and their 95 % intervals");
    }
}

void page_compare(struct page *page) {
    const cJSON *configurations = report_at(page->input->json, "configurations");
    const char *unit = report_text(page->input->json, "unit", "");
    struct figure_row rows[ROWS_MAX];
    double *values[ROWS_MAX];
    struct page_figure figure;
    size_t count = 0;
    const cJSON *each;

    compare_pairs(page);
    cJSON_ArrayForEach(each, configurations) {
        if (count < ROWS_MAX) {
            rows[count].name = report_text(each, "name", "?");
            rows[count].count = values_of(report_at(each, "samples"), &values[count]);
            rows[count].values = values[count];
            count++;
        }
    }
    page_figure_begin(&figure);
    figure_strips(figure.svg, "Every sample; the line is the median", unit, rows, count);
    page_figure_end(page, &figure, "distribution", NULL, "Every sample; the line is the median");
    for (size_t i = 0; i < count; i++) {
        free(values[i]);
    }
    compare_intervals(page, unit);
}

// ---- power trace

void page_power(struct page *page) {
    const struct report_trace *trace = &page->input->trace;
    struct figure_lines lines = {
        .title = "Power over time",
        .x_label = "seconds",
        .y_label = "W",
        .x = trace->time_s,
        .y = trace->power_w,
        .count = trace->count,
    };
    double energy_j = 0;
    double length_s = trace->time_s[trace->count - 1] - trace->time_s[0];
    struct page_figure figure;

    for (size_t i = 1; i < trace->count; i++) {
        energy_j += (trace->power_w[i] + trace->power_w[i - 1]) / 2 *
                    (trace->time_s[i] - trace->time_s[i - 1]);
    }
    fputs("<div class=\"tiles\">\n", page->out);
    page_tile(page->out, "energy", "%.3f J", energy_j);
    page_tile(page->out, "mean power", "%.0f mW", length_s > 0 ? energy_j / length_s * 1e3 : 0);
    page_tile(page->out, "samples", "%zu", trace->count);
    page_tile(page->out, "faulty lines left out", "%zu", trace->faulty);
    fputs("</div>\n", page->out);
    page_figure_begin(&figure);
    figure_lines(figure.svg, &lines);
    page_figure_end(page, &figure, "power", NULL, lines.title);
}
