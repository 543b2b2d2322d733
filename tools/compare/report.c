// SPDX-License-Identifier: MIT
#include "compare/report.h"

#include "common/json.h"
#include "common/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A drift that is worth a line.
#define DRIFT_MIN 0.03

const char *compare_verdict(enum experiment_verdict verdict) {
    switch (verdict) {
    case EXPERIMENT_HIGHER:
        return "higher";
    case EXPERIMENT_LOWER:
        return "lower";
    case EXPERIMENT_NO_DIFFERENCE:
        return "no difference";
    default:
        return "too few pairs";
    }
}

// Decimals that show four figures of the larger median.
static int decimals_of(const struct paired *paired) {
    double size = fmax(fabs(paired->median_a), fabs(paired->median_b));

    return size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 5;
}

static void ratio_text(const struct paired *paired, char text[40]) {
    text[0] = '\0';
    if (isfinite(paired->median_ratio)) {
        snprintf(text, 40, ", ratio %.3f", paired->median_ratio);
    }
}

// What stands behind the figures.
static const char *end_of(const struct experiment_result *result) {
    bool outside = result->interval.low > 0 || result->interval.high < 0;

    if (result->verdict != EXPERIMENT_NO_DIFFERENCE) {
        return "";
    }
    return outside ? ": no difference found; one interval in 20 leaves zero out by chance, so take "
                     "more blocks if this matters"
                   : ": no difference found";
}

char *compare_sentence(
    const struct setup *setup,
    size_t a,
    size_t b,
    const struct experiment_result *result,
    char text[COMPARE_TEXT_BYTES]) {
    const struct paired *paired = &result->paired;
    const char *space = setup->unit[0] == '\0' ? "" : " ";
    int decimals = decimals_of(paired);
    char ratio[40];
    char left = (char)('A' + (int)a);
    char right = (char)('A' + (int)b);

    ratio_text(paired, ratio);
    if (result->verdict == EXPERIMENT_TOO_FEW) {
        snprintf(
            text,
            COMPARE_TEXT_BYTES,
            "%c - %c: %zu pairs are too few for a verdict; %u or more are needed",
            right,
            left,
            paired->count,
            EXPERIMENT_PAIRS_MIN);
        return text;
    }
    snprintf(
        text,
        COMPARE_TEXT_BYTES,
        "%c - %c = %+.*f%s%s (95 %% CI %+.*f..%+.*f, n=%zu pairs%s), medians %.*f -> %.*f%s",
        right,
        left,
        decimals,
        result->estimate,
        space,
        setup->unit,
        decimals,
        result->interval.low,
        decimals,
        result->interval.high,
        paired->count,
        ratio,
        decimals,
        paired->median_a,
        decimals,
        paired->median_b,
        end_of(result));
    return text;
}

// ---- for people

static bool table_configs(
    FILE *out, const struct setup *setup, const struct experiment *experiment) {
    struct table table;
    double *values = calloc((size_t)experiment->blocks + 1, sizeof(*values));

    if (values == NULL) {
        return false;
    }
    table_init(&table, "lrrl");
    table_cell(&table, " ");
    table_cell(&table, "median%s%s", setup->unit[0] == '\0' ? "" : " ", setup->unit);
    table_cell(&table, "samples");
    table_cell(&table, "configuration");
    for (size_t i = 0; i < setup->configs; i++) {
        size_t count = experiment_values(experiment, i, values);

        table_cell(&table, "%c", (char)('A' + (int)i));
        if (count > 0) {
            table_cell(&table, "%.4g", paired_median(values, count));
        } else {
            table_cell(&table, "-");
        }
        table_cell(&table, "%zu", count);
        table_cell(&table, "%s", setup->config[i].text);
    }
    table_print(&table, out, 0);
    table_free(&table);
    free(values);
    return true;
}

bool compare_table(FILE *out, const struct setup *setup, const struct experiment *experiment) {
    double drift = experiment_drift(experiment, 0);

    if (!table_configs(out, setup, experiment)) {
        return false;
    }
    for (size_t i = 1; i < setup->configs; i++) {
        struct experiment_result result;
        char text[COMPARE_TEXT_BYTES];

        if (!experiment_compare(experiment, 0, i, &result)) {
            return false;
        }
        fprintf(out, "%s\n", compare_sentence(setup, 0, i, &result, text));
    }
    if (isfinite(drift) && fabs(drift) >= DRIFT_MIN) {
        fprintf(
            out,
            "A moved by %+.0f %% from its first third of samples to its last; pairs keep that out "
            "of the verdict\n",
            100 * drift);
    }
    return true;
}

// ---- for programs

static void json_config(
    cJSON *to, const struct setup *setup, const struct experiment *experiment, size_t config) {
    char name[EXPERIMENT_NAME_BYTES];
    cJSON *samples;
    double *values = calloc((size_t)experiment->blocks + 1, sizeof(*values));
    size_t count = values == NULL ? 0 : experiment_values(experiment, config, values);

    snprintf(
        name, sizeof(name), "%c: %.250s", (char)('A' + (int)config), setup->config[config].text);
    json_add_text(to, "name", name);
    json_add_text(to, "text", setup->config[config].text);
    json_add_real(to, "median", count == 0 ? (double)NAN : paired_median(values, count), 9);
    json_add_real(to, "drift", experiment_drift(experiment, config), 6);
    samples = json_add_array(to, "samples");
    for (uint32_t i = 0; i < experiment->taken; i++) {
        const struct experiment_sample *sample = &experiment->samples[i];

        if (sample->config == config && sample->good && !sample->warmup) {
            cJSON *row = json_append_object(samples);

            json_add_u64(row, "sample", sample->index);
            json_add_u64(row, "block", sample->block);
            json_add_real(row, "value", sample->value, 9);
        }
    }
    free(values);
}

static void json_interval(cJSON *to, const char *name, const struct paired_interval *interval) {
    cJSON *part;

    if (!interval->known) {
        json_add_null(to, name);
        return;
    }
    part = json_add_object(to, name);
    json_add_real(part, "low", interval->low, 9);
    json_add_real(part, "high", interval->high, 9);
    json_add_real(part, "coverage", interval->coverage, 6);
}

static void json_comparison(
    cJSON *to, const struct setup *setup, size_t b, const struct experiment_result *result) {
    const struct paired *paired = &result->paired;
    bool any = paired->count > 0;
    char letter[2] = {(char)('A' + (int)b), '\0'};
    char text[COMPARE_TEXT_BYTES];

    json_add_text(to, "a", "A");
    json_add_text(to, "b", letter);
    json_add_text(to, "verdict", compare_verdict(result->verdict));
    json_add_text(to, "text", compare_sentence(setup, 0, b, result, text));
    json_add_u64(to, "pairs", paired->count);
    json_add_real(to, "median_a", any ? paired->median_a : (double)NAN, 9);
    json_add_real(to, "median_b", any ? paired->median_b : (double)NAN, 9);
    json_add_real(to, "median_difference", any ? paired->median_difference : (double)NAN, 9);
    json_add_real(to, "hodges_lehmann", any ? paired->hodges_lehmann : (double)NAN, 9);
    json_add_real(to, "median_ratio", any ? paired->median_ratio : (double)NAN, 9);
    json_add_real(to, "p_value", any ? paired->p_value : (double)NAN, 9);
    json_interval(to, "interval", &result->interval);
    json_interval(to, "sign_interval", &paired->sign);
    json_interval(to, "bootstrap_interval", &paired->bootstrap);
}

cJSON *compare_json(
    const struct setup *setup, const struct experiment *experiment, const char *samples_path) {
    cJSON *root = json_new_object();
    cJSON *part;

    json_add_u64(root, "schema", COMPARE_SCHEMA);
    json_add_bool(root, "complete", experiment->taken == experiment->count);
    json_add_text(root, "metric", setup->metric);
    json_add_text(root, "unit", setup->unit);
    json_add_u64(root, "seed", setup->seed);
    json_add_u64(root, "blocks", setup->blocks);
    json_add_u64(root, "warmup", setup->warmup);
    json_add_text(root, "board", setup->board);
    json_add_text(root, "settings", setup->settings);
    json_add_text(root, "samples_file", samples_path);
    part = json_add_array(root, "configurations");
    for (size_t i = 0; i < setup->configs; i++) {
        json_config(json_append_object(part), setup, experiment, i);
    }
    part = json_add_array(root, "comparisons");
    for (size_t i = 1; i < setup->configs; i++) {
        struct experiment_result result;

        if (!experiment_compare(experiment, 0, i, &result)) {
            cJSON_Delete(root);
            return NULL;
        }
        json_comparison(json_append_object(part), setup, i, &result);
    }
    return root;
}
