// SPDX-License-Identifier: MIT
#include "budget/report.h"

#include "budget/change.h"
#include "common/table.h"

#include <string.h>

#define TEXT_COLUMNS 100
#define GAIN_SHOWN   0.005  // of the goodput; less is no gain
#define TEXT_SIZE    512

char *budget_mbps(char text[BUDGET_RATE_SIZE], double bps) {
    double mbps = bps / 1e6;

    if (bps <= 0) {
        snprintf(text, BUDGET_RATE_SIZE, "-");
    } else {
        int decimals = mbps < 0.9995 ? 3 : mbps < 9.995 ? 2 : mbps < 999.5 ? 1 : 0;

        snprintf(text, BUDGET_RATE_SIZE, "%.*f", decimals, mbps);
    }
    return text;
}

void budget_wrap(FILE *out, int indent, const char *first, const char *text) {
    int column = fprintf(out, "%s", first);
    bool fresh = true;

    while (*text != '\0') {
        int word = (int)strcspn(text, " ");

        if (!fresh && column + 1 + word > TEXT_COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            fresh = true;
        }
        column += fprintf(out, "%s%.*s", fresh ? "" : " ", word, text);
        fresh = false;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

// ---- headings of the stages

static void window_heading(char text[TEXT_SIZE], const struct budget *budget) {
    snprintf(
        text,
        TEXT_SIZE,
        "Window: send buffer %.0f B, peer %.0f B, round trip %g ms, power save %s",
        budget->send_buffer,
        budget->peer_window,
        budget->rtt_us / 1e3,
        budget_pm_name(budget->pm));
}

static void bus_heading(char text[TEXT_SIZE], const struct budget *budget) {
    char bus[BUDGET_BUS_TEXT_SIZE];
    const char *how = "";
    const char *mode = "";

    if (budget->wire.bus == BUDGET_BUS_GSPI) {
        how = ", status ";
        mode = budget_status_name(budget->wire.status);
    } else if (budget->wire.bus == BUDGET_BUS_SDIO) {
        how = ", mode ";
        mode = budget_sdio_mode_name(budget->wire.sdio_mode);
    }
    snprintf(text, TEXT_SIZE, "Bus: %s%s%s", budget_bus_text(bus, &budget->wire), how, mode);
}

static void air_heading(
    char text[TEXT_SIZE], const struct budget *budget, const struct budget_result *result) {
    char phy[AIRTIME_TEXT_SIZE];
    int used;

    used = snprintf(
        text,
        TEXT_SIZE,
        "Air: %s, %.1f Mbit/s, %u frame%s a PPDU",
        airtime_text(phy, &budget->air),
        airtime_phy_bps(&budget->air) / 1e6,
        result->air.count,
        result->air.count == 1 ? "" : "s");
    if (result->air.count < budget->ampdu && used > 0) {
        used += snprintf(text + used, TEXT_SIZE - (size_t)used, " (%u do not fit)", budget->ampdu);
    }
    if (result->air.ack_exchanges > 0 && used > 0) {
        snprintf(
            text + used,
            TEXT_SIZE - (size_t)used,
            ", ACKs %s",
            result->air.acks > 1 ? "together" : "alone");
    }
}

static void heading(
    char text[TEXT_SIZE],
    const struct budget *budget,
    const struct budget_result *result,
    enum budget_stage stage) {
    switch (stage) {
    case BUDGET_SOURCE:
        snprintf(text, TEXT_SIZE, "Source");
        break;
    case BUDGET_WINDOW:
        window_heading(text, budget);
        break;
    case BUDGET_CPU:
        snprintf(
            text,
            TEXT_SIZE,
            "Processor: %g MHz, %s",
            budget->cpu_mhz,
            budget_stack_row(budget->stack)->title);
        break;
    case BUDGET_BUS:
        bus_heading(text, budget);
        break;
    case BUDGET_COPROCESSOR:
        snprintf(text, TEXT_SIZE, "Co-processor and its transport software");
        break;
    case BUDGET_AIR:
    case BUDGET_STAGES:
    default:
        air_heading(text, budget, result);
        break;
    }
}

static void term_cells(
    struct table *table, const char *name, double amount, double us, const char *source) {
    table_cell(table, "%s", name);
    if (amount > 0) {
        table_cell(table, "%.1f", amount);
    } else {
        table_cell(table, "%s", "");
    }
    table_cell(table, "%.1f", us);
    if (source != NULL) {
        table_cell(table, "%s", source);
    }
}

// Amounts that are times themselves are not printed twice.
static void print_terms(FILE *out, const struct budget_terms *terms, bool sources) {
    bool times = strcmp(terms->unit, "us") == 0;
    struct table table;

    table_init(&table, sources ? "lrrl" : "lrr");
    table_cell(&table, "%s", "");
    table_cell(&table, "%s", times ? "" : terms->unit);
    table_cell(&table, "us");
    if (sources) {
        table_cell(&table, "source");
    }
    for (size_t i = 0; i < terms->count; i++) {
        const struct budget_term *row = &terms->rows[i];

        term_cells(
            &table, row->name, times ? 0 : row->amount, row->us, sources ? row->source : NULL);
    }
    if (terms->count > 1) {
        term_cells(&table, "sum", times ? 0 : terms->amount, terms->us, sources ? "" : NULL);
    }
    table_print(&table, out, 4);
    table_free(&table);
}

static void print_stages(
    FILE *out, const struct budget *budget, const struct budget_result *result, bool sources) {
    for (int i = 0; i < BUDGET_STAGES; i++) {
        const struct budget_limit *limit = &result->stages[i];
        char title[TEXT_SIZE];
        char rate[BUDGET_RATE_SIZE];

        if (limit->us <= 0) {
            continue;
        }
        heading(title, budget, result, (enum budget_stage)i);
        fprintf(out, "  %s: %s Mbit/s\n", title, budget_mbps(rate, limit->bps));
        print_terms(out, &limit->terms, sources);
    }
}

// ---- limits side by side

// `busy` less than 0: no such column.
static void limits_row(
    struct table *table, const char *name, bool binds, double us, double bps, double busy) {
    char rate[BUDGET_RATE_SIZE];

    table_cell(table, "%s%s", name, binds ? " <- binds" : "");
    table_cell(table, "%.1f", us);
    table_cell(table, "%s", budget_mbps(rate, bps));
    if (busy > 0) {
        table_cell(table, "%.0f %%", 100 * busy);
    } else if (busy == 0) {
        table_cell(table, "%s", "");
    }
}

static const char *path_text(const struct budget *budget, const struct budget_result *result) {
    bool chip = result->stages[BUDGET_COPROCESSOR].us > 0;

    if (budget->wire.bus == BUDGET_BUS_NONE) {
        return "";
    }
    if (result->cpu_in_path) {
        return chip ? "processor, bus and co-processor in turns" : "processor and bus in turns";
    }
    return chip ? "bus and co-processor in turns" : "";
}

static void limits_heads(struct table *table, const struct budget *budget, bool measured) {
    table_init(table, measured ? "lrrr" : "lrr");
    table_cell(table, "stage");
    table_cell(table, "us a %s", budget->app == BUDGET_TCP ? "segment" : "datagram");
    table_cell(table, "Mbit/s");
    if (measured) {
        table_cell(table, "busy");
    }
}

static void print_limits(
    FILE *out,
    const struct budget *budget,
    const struct budget_result *result,
    const struct budget_measured *measured) {
    const char *path = path_text(budget, result);
    bool turns = result->path_binds && path[0] != '\0';
    double none = measured != NULL ? 0 : -1;
    struct table table;

    limits_heads(&table, budget, measured != NULL);
    for (int i = 0; i < BUDGET_STAGES; i++) {
        const struct budget_limit *limit = &result->stages[i];
        bool binds = (int)result->binds == i && !turns;

        if (limit->us > 0) {
            limits_row(
                &table,
                budget_stage_name((enum budget_stage)i),
                binds,
                limit->us,
                limit->bps,
                measured != NULL ? measured->busy[i] : none);
        }
    }
    if (path[0] != '\0') {
        double bps = 8e6 * result->payload_bytes / result->path_us;

        limits_row(&table, path, turns, result->path_us, bps, none);
    }
    limits_row(
        &table, "all side by side", false, result->pipelined_us, result->pipelined_bps, none);
    limits_row(
        &table, "all one after the other", false, result->serial_us, result->serial_bps, none);
    limits_row(&table, "as described here", false, result->us, result->bps, none);
    if (measured != NULL) {
        limits_row(&table, "measured", false, measured->us, measured->bps, none);
    }
    fprintf(out, "  Limits, one beside the other\n");
    table_print(&table, out, 4);
    table_free(&table);
}

// ---- changes

static bool gains(const struct budget_change *change, double bps) {
    return change->gain_bps > GAIN_SHOWN * bps;
}

static void change_row(struct table *table, const struct budget_change *change, double bps) {
    char rate[BUDGET_RATE_SIZE];

    table_cell(table, "%s", change->what);
    table_cell(table, "%s -> %s", change->from, change->to);
    table_cell(table, "%s", budget_mbps(rate, change->bps));
    table_cell(table, "%+.1f %%", 100 * change->gain_bps / bps);
    table_cell(table, "%s", change->remark == NULL ? "" : change->remark);
}

static void print_without_gain(
    FILE *out, const struct budget_change *changes, size_t count, double bps) {
    char text[1024] = "";
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        if (!gains(&changes[i], bps) && used + 60 < sizeof(text)) {
            used += (size_t)snprintf(
                text + used, sizeof(text) - used, "%s%s", used > 0 ? ", " : "", changes[i].what);
        }
    }
    if (used > 0) {
        snprintf(text + used, sizeof(text) - used, ".");
        budget_wrap(out, 6, "    No gain alone: ", text);
    }
}

static void print_changes(FILE *out, const struct budget *budget, double bps) {
    struct budget_change changes[BUDGET_CHANGES_MAX];
    size_t count = budget_changes(budget, changes);
    struct table table;

    table_init(&table, "llrrl");
    for (size_t i = 0; i < count; i++) {
        if (gains(&changes[i], bps)) {
            change_row(&table, &changes[i], bps);
        }
    }
    fprintf(out, "  What one change gives (Mbit/s after it)\n");
    table_print(&table, out, 4);
    table_free(&table);
    print_without_gain(out, changes, count, bps);
}

static void print_ladder(FILE *out, const struct budget *budget) {
    struct budget_step steps[BUDGET_STEPS_MAX];
    size_t count = budget_ladder(budget, steps);
    struct table table;

    if (count == 0) {
        return;
    }
    table_init(&table, "lrl");
    for (size_t i = 0; i < count; i++) {
        const struct budget_change *first = &steps[i].first;
        const struct budget_change *second = &steps[i].second;
        char rate[BUDGET_RATE_SIZE];

        if (second->key != NULL) {
            table_cell(
                &table,
                "%s (%s -> %s) and %s (%s -> %s)",
                first->what,
                first->from,
                first->to,
                second->what,
                second->from,
                second->to);
        } else {
            table_cell(&table, "%s (%s -> %s)", first->what, first->from, first->to);
        }
        table_cell(&table, "%s", budget_mbps(rate, steps[i].bps));
        table_cell(&table, "then %s binds", budget_stage_name(steps[i].result.binds));
    }
    fprintf(out, "  Steps, the best first, each from where the last one ended\n");
    table_print(&table, out, 4);
    table_free(&table);
}

// ---- the sentences

static void describe_verdict(
    char text[TEXT_SIZE],
    const struct budget_result *result,
    const struct budget_measured *measured,
    const char *binds) {
    switch (measured->verdict) {
    case BUDGET_ABOVE:
        snprintf(
            text,
            TEXT_SIZE,
            "A condition is not as described here: PHY, aggregation, clock, or a rate counted at "
            "the sender.");
        break;
    case BUDGET_FULL:
        snprintf(text, TEXT_SIZE, "That is all there is: %s full.", binds);
        break;
    case BUDGET_UNEXPLAINED:
        snprintf(
            text,
            TEXT_SIZE,
            "That is slower than all stages one after the other: %.0f us of each %.0f us pass "
            "outside of them. Look for losses with time-outs, power save, a window smaller than "
            "given, polling, or a receiver that does not read.",
            measured->outside_us,
            measured->us);
        break;
    case BUDGET_SERIALISED:
    case BUDGET_PIPELINED:
    default:
        snprintf(
            text,
            TEXT_SIZE,
            "%s, and %.0f us of each %.0f us are beyond the longest stage. The %s has most time "
            "of its own, at least %.0f us.",
            measured->verdict == BUDGET_SERIALISED ? "The stages mostly wait for each other"
                                                   : "The stages overlap in part",
            measured->us - result->pipelined_us,
            measured->us,
            budget_stage_name(measured->binds),
            measured->alone_us[measured->binds]);
        break;
    }
}

static void print_measured(
    FILE *out,
    const struct budget *budget,
    const struct budget_result *result,
    const struct budget_measured *measured) {
    const char *path = path_text(budget, result);
    char binds[TEXT_SIZE / 4];
    char verdict[TEXT_SIZE];
    char text[2 * TEXT_SIZE];

    snprintf(binds, sizeof(binds), "the %s is", budget_stage_name(result->binds));
    if (result->path_binds && path[0] != '\0') {
        snprintf(binds, sizeof(binds), "%s are", path);
    }
    describe_verdict(verdict, result, measured, binds);
    snprintf(
        text,
        sizeof(text),
        "Measured %.2f Mbit/s are %.0f %% of this bound; overlap index %.2f (0: the stages wait "
        "for "
        "each other, 1: a perfect pipeline). %s",
        measured->bps / 1e6,
        100 * measured->bps / result->bps,
        measured->overlap,
        verdict);
    budget_wrap(out, 2, "  ", text);
}

static void print_mean_ampdu(FILE *out, const struct budget *budget, double bps) {
    double mean = budget_mean_ampdu(budget, budget->app, bps);

    if (budget->air.format < AIRTIME_HT20) {
        return;
    }
    if (mean <= 1.0) {
        fprintf(out, "  The air would carry that without any aggregation.\n");
    } else {
        fprintf(
            out, "  If the air were the limit, %.2f frames would ride in the mean A-MPDU.\n", mean);
    }
}

static void print_summary(
    FILE *out, const struct budget *budget, const struct budget_result *result) {
    struct budget_change changes[BUDGET_CHANGES_MAX];
    size_t count = budget_changes(budget, changes);
    const char *path = path_text(budget, result);
    char binds[TEXT_SIZE];
    char text[2 * TEXT_SIZE];
    char rate[BUDGET_RATE_SIZE];
    int used;

    snprintf(binds, sizeof(binds), "the %s", budget_stage_name(result->binds));
    if (result->path_binds && path[0] != '\0') {
        snprintf(binds, sizeof(binds), "the path (%s)", path);
    }
    used = snprintf(
        text,
        sizeof(text),
        "%s can reach %s Mbit/s here; %s binds.",
        budget->app == BUDGET_TCP ? "TCP" : "UDP",
        budget_mbps(rate, result->bps),
        binds);
    size_t best = 0;
    while (best < count && !changes[best].allowed) {
        best++;
    }
    if (best < count && gains(&changes[best], result->bps) && used > 0) {
        snprintf(
            text + used,
            sizeof(text) - (size_t)used,
            " The next best change is: %s (%s -> %s), to %s Mbit/s.",
            changes[best].what,
            changes[best].from,
            changes[best].to,
            budget_mbps(rate, changes[best].bps));
    } else if (used > 0) {
        snprintf(text + used, sizeof(text) - (size_t)used, " No single change here gains.");
    }
    budget_wrap(out, 2, "  ", text);
}

static void print_notes(
    FILE *out, const struct budget *budget, const struct budget_result *result) {
    if (budget->source_bps > 0) {
        char alone[BUDGET_RATE_SIZE];
        double us = result->us + result->stages[BUDGET_SOURCE].us;

        if (result->binds == BUDGET_SOURCE) {
            us = result->us + 8e6 * result->payload_bytes / result->next_bps;
        }
        fprintf(
            out,
            "  If reading and sending take turns: %s Mbit/s.\n",
            budget_mbps(alone, 8e6 * result->payload_bytes / us));
    }
    if (budget->pm == BUDGET_PM_PERFORMANCE && budget->sleep_after_us >= budget->rtt_us) {
        budget_wrap(
            out,
            2,
            "  ",
            "Power save does not slow a stream that never pauses; after each silence longer than "
            "its timer the first answer waits for a beacon.");
    }
    if (budget->air.format == AIRTIME_HE20) {
        budget_wrap(
            out,
            2,
            "  ",
            "If the access point schedules uploads by trigger frames (HE-TB in a capture), its "
            "schedule holds in place of back-off and AIFS.");
    }
    if (budget->board->note != NULL) {
        budget_wrap(out, 2, "  ", budget->board->note);
    }
}

void budget_report_text(
    FILE *out, const struct budget *budget, const struct budget_arguments *arguments) {
    struct budget_result result;
    struct budget_measured measured;
    bool has_measured = arguments->measured_bps > 0;

    budget_evaluate(budget, budget->app, &result);
    if (has_measured) {
        budget_measure(&result, (double)arguments->measured_bps, &measured);
    }
    fprintf(
        out,
        "%s (%s)\n%s upload, %u bytes a %s. Computed, not measured.\n\n",
        budget->board->title,
        budget->board->processor,
        budget->app == BUDGET_TCP ? "TCP" : "UDP",
        result.payload_bytes,
        budget->app == BUDGET_TCP ? "segment" : "datagram");
    print_stages(out, budget, &result, arguments->sources);
    fputc('\n', out);
    print_limits(out, budget, &result, has_measured ? &measured : NULL);
    fputc('\n', out);
    print_changes(out, budget, result.bps);
    fputc('\n', out);
    print_ladder(out, budget);
    fputc('\n', out);
    if (has_measured) {
        print_measured(out, budget, &result, &measured);
        print_mean_ampdu(out, budget, measured.bps);
    }
    print_notes(out, budget, &result);
    print_summary(out, budget, &result);
}
