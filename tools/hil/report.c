// SPDX-License-Identifier: MIT
#include "hil/report.h"

#include "common/json.h"
#include "common/table.h"

#include <math.h>
#include <string.h>

// Less than this of the gap's square is no explanation.
#define EXPLAINED_MIN 0.5
// Candidates to print.
#define SHOWN_MAX 6u

size_t hil_alike(const struct study *study) {
    double best = study->constants[0].explained;
    size_t count = 0;

    while (count < study->constant_count && study->constants[count].explained > 0 &&
           study->constants[count].explained >= best - RANK_ALIKE) {
        count++;
    }
    return count;
}

enum hil_finding hil_judge(const struct study *study, bool searched) {
    size_t row;
    int observable;

    if (study_worst(study, &row, &observable) < STUDY_GAP_MIN) {
        return HIL_NO_GAP;
    }
    if (!searched) {
        return HIL_NOT_TRIED;
    }
    if (study->constants[0].explained < EXPLAINED_MIN) {
        return HIL_UNEXPLAINED;
    }
    return hil_alike(study) == 1 ? HIL_ONE : HIL_SEVERAL;
}

static const char *const finding_names[] = {
    [HIL_NO_GAP] = "no gap",
    [HIL_ONE] = "one constant",
    [HIL_SEVERAL] = "several constants alike",
    [HIL_UNEXPLAINED] = "unexplained",
    [HIL_NOT_TRIED] = "not searched",
};

// ---- for people

// Shows an observable in the unit people know: rates and times back from the logarithm.
static void cell_value(struct table *table, int observable, double value) {
    if (!isfinite(value)) {
        table_cell(table, "-");
        return;
    }
    switch (observable) {
    case OBSERVABLE_goodput:
        table_cell(table, "%.2f Mbit/s", exp(value) / 1e6);
        break;
    case OBSERVABLE_bringup:
        table_cell(table, "%.3f s", exp(value));
        break;
    case OBSERVABLE_latency:
        table_cell(table, "%.2f ms", exp(value) / 1e3);
        break;
    default:
        table_cell(table, "%.1f %%", 100 * value);
        break;
    }
}

static void cell_gap(struct table *table, int observable, double twin, double board) {
    bool logarithm = observable <= OBSERVABLE_latency;

    if (!isfinite(board - twin)) {
        table_cell(table, "-");
    } else if (logarithm) {
        table_cell(table, "%+.1f %%", 100 * (exp(board - twin) - 1));
    } else {
        table_cell(table, "%+.1f points", 100 * (board - twin));
    }
}

// Goodput (or what else the row has) always; the others where they differ.
static bool is_shown(const struct study *study, size_t row, int observable) {
    const double *gap = &study->gap[row * OBSERVABLE_COUNT];
    int main = isfinite(gap[OBSERVABLE_goodput]) ? OBSERVABLE_goodput : OBSERVABLE_latency;

    return isfinite(gap[observable]) &&
           (observable == main || fabs(gap[observable]) >= STUDY_GAP_MIN);
}

static void table_rows(FILE *out, const struct study *study) {
    struct table table;

    table_init(&table, "llrrrr");
    table_cell(&table, "row");
    table_cell(&table, "what");
    table_cell(&table, "predicted");
    table_cell(&table, "measured");
    table_cell(&table, "gap");
    table_cell(&table, "scatters");
    for (size_t i = 0; i < study->plan->count; i++) {
        const struct study_row *row = &study->rows[i];
        bool first = true;

        for (int j = 0; j < OBSERVABLE_COUNT; j++) {
            if (!is_shown(study, i, j)) {
                continue;
            }
            table_cell(&table, "%s", first ? study->plan->rows[i].name : "");
            table_cell(&table, "%s", observe_name(j));
            cell_value(&table, j, row->twin[j]);
            cell_value(&table, j, row->board[j]);
            cell_gap(&table, j, row->twin[j], row->board[j]);
            table_cell(&table, "%.1f", fabs(study->gap[i * OBSERVABLE_COUNT + (size_t)j]));
            first = false;
        }
    }
    table_print(&table, out, 0);
    table_free(&table);
}

static void table_constants(FILE *out, const struct study *study) {
    struct table table;

    table_init(&table, "lrrrr");
    table_cell(&table, "constant");
    table_cell(&table, "explains");
    table_cell(&table, "fits best at");
    table_cell(&table, "the twin has");
    table_cell(&table, "may be");
    for (size_t i = 0; i < SHOWN_MAX && i < study->constant_count; i++) {
        const struct rank_constant *constant = &study->constants[i];

        if (constant->explained < 0.01) {
            break;
        }
        table_cell(&table, "%s", constant->name);
        table_cell(&table, "%.0f %%", 100 * constant->explained);
        table_cell(&table, "%.0f", constant->best);
        table_cell(&table, "%llu", (unsigned long long)constant->value);
        table_cell(
            &table,
            "%llu..%llu",
            (unsigned long long)constant->low,
            (unsigned long long)constant->high);
    }
    table_print(&table, out, 0);
    table_free(&table);
}

static void print_alike(FILE *out, const struct study *study) {
    size_t alike = hil_alike(study);

    fprintf(out, "The gap points at one of these, and this plan cannot tell which:");
    for (size_t i = 0; i < alike; i++) {
        fprintf(out, "%s %s", i == 0 ? "" : ",", study->constants[i].name);
    }
    fprintf(out, ".\n");
}

static void print_untried(FILE *out, const struct study *study) {
    size_t blind = 0;

    for (size_t i = 0; i < study->constant_count; i++) {
        const struct rank_constant *constant = &study->constants[i];

        if (constant->failure[0] != '\0') {
            fprintf(out, "Not tried: %s (%s)\n", constant->name, constant->failure);
        } else if (constant->size < STUDY_GAP_MIN) {
            fprintf(out, "%s%s", blind == 0 ? "This plan does not see: " : ", ", constant->name);
            blind++;
        }
    }
    if (blind > 0) {
        fprintf(out, "\n");
    }
}

void hil_table(FILE *out, const struct study *study, bool searched) {
    const struct rank_constant *best = &study->constants[0];

    table_rows(out, study);
    fputc('\n', out);
    switch (hil_judge(study, searched)) {
    case HIL_NO_GAP:
        fprintf(out, "No gap beyond the scatter.\n");
        return;
    case HIL_NOT_TRIED:
        fprintf(out, "There is a gap; without --no-search its reason is looked for.\n");
        return;
    case HIL_ONE:
        fprintf(
            out,
            "The gap points at %s: %.0f in place of %llu explains %.0f %% of it.\n",
            best->name,
            best->best,
            (unsigned long long)best->value,
            100 * best->explained);
        break;
    case HIL_SEVERAL:
        print_alike(out, study);
        break;
    default:
        fprintf(
            out,
            "No constant alone explains it: more than one is wrong, or something is missing in "
            "the twin.\n");
        break;
    }
    table_constants(out, study);
    print_untried(out, study);
}

// ---- for programs

static void json_rows(cJSON *to, const struct study *study) {
    for (size_t i = 0; i < study->plan->count; i++) {
        const struct study_row *row = &study->rows[i];
        cJSON *object = json_append_object(to);
        cJSON *observables;

        json_add_text(object, "name", study->plan->rows[i].name);
        json_add_text(object, "settings", study->plan->rows[i].settings);
        observables = json_add_object(object, "observables");
        for (int j = 0; j < OBSERVABLE_COUNT; j++) {
            bool logarithm = j <= OBSERVABLE_latency;
            cJSON *part = json_add_object(observables, observe_name(j));

            json_add_real(part, "predicted", logarithm ? exp(row->twin[j]) : row->twin[j], 6);
            json_add_real(part, "measured", logarithm ? exp(row->board[j]) : row->board[j], 6);
            json_add_real(part, "scatters", study->gap[i * OBSERVABLE_COUNT + (size_t)j], 3);
        }
    }
}

static void json_constants(cJSON *to, const struct study *study) {
    for (size_t i = 0; i < study->constant_count; i++) {
        const struct rank_constant *constant = &study->constants[i];
        cJSON *object = json_append_object(to);

        json_add_text(object, "name", constant->name);
        json_add_u64(object, "value", constant->value);
        json_add_u64(object, "low", constant->low);
        json_add_u64(object, "high", constant->high);
        json_add_real(object, "best", constant->best, 0);
        json_add_real(object, "explained", constant->explained, 4);
        json_add_bool(
            object, "seen", constant->failure[0] == '\0' && constant->size >= STUDY_GAP_MIN);
        json_add_text(object, "failure", constant->failure[0] == '\0' ? NULL : constant->failure);
    }
}

cJSON *hil_json(const struct study *study, const char *plan_path, bool searched) {
    enum hil_finding finding = hil_judge(study, searched);
    cJSON *root = json_new_object();
    cJSON *part;
    size_t row;
    int observable;
    double worst = study_worst(study, &row, &observable);

    json_add_u64(root, "schema", HIL_SCHEMA);
    json_add_text(root, "kind", "coradio-hil");
    json_add_text(root, "plan", plan_path);
    json_add_text(root, "board", control_address(study->board));
    json_add_bool(
        root,
        "board_simulated",
        cJSON_IsTrue(
            cJSON_GetObjectItemCaseSensitive(control_identity(study->board), "simulated")));
    json_add_text(root, "twin", control_address(study->twin));
    json_add_u64(root, "seed", study->seed);
    json_add_u64(root, "repeats", study->repeats);
    json_add_text(root, "finding", finding_names[finding]);
    part = json_add_object(root, "worst");
    json_add_real(part, "scatters", worst, 3);
    json_add_text(part, "row", study->plan->rows[row].name);
    json_add_text(part, "observable", observe_name(observable));
    part = json_add_array(root, "points_at");
    for (size_t i = 0; (finding == HIL_ONE || finding == HIL_SEVERAL) && i < hil_alike(study);
         i++) {
        json_append_text(part, study->constants[i].name);
    }
    json_rows(json_add_array(root, "rows"), study);
    if (searched) {
        json_constants(json_add_array(root, "constants"), study);
    }
    return root;
}
