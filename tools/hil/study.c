// SPDX-License-Identifier: MIT
#include "hil/study.h"

#include "coradio_twin/unsure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// So many constants are tried where they fit best, and so often.
#define REFINED       6u
#define REFINE_ROUNDS 4u
// Those that explain so much less than the best one are left alone.
#define REFINED_WITHIN 0.4

_Static_assert(REFINED *REFINE_ROUNDS == STUDY_TRIES_MORE, "so the header says");

// Seeds of a simulated board lie far from those of the twin, as a real board's noise does.
#define BOARD_SEEDS 500000u

static size_t numbers(const struct study *study) {
    return study->plan->count * OBSERVABLE_COUNT;
}

bool study_init(struct study *study, const struct plan *plan) {
    memset(study, 0, sizeof(*study));
    study->plan = plan;
    study->seed = 1;
    study->repeats = 3;
    study->constant_count = twin_unsure_count();
    study->gap = calloc(numbers(study), sizeof(*study->gap));
    study->constants = calloc(study->constant_count, sizeof(*study->constants));
    if (study->gap == NULL || study->constants == NULL) {
        study_free(study);
        return false;
    }
    for (size_t i = 0; i < study->constant_count; i++) {
        const struct twin_unsure_row *row = twin_unsure_row(i);
        double *zeros = calloc(numbers(study), sizeof(*zeros));

        study->constants[i] = (struct rank_constant){
            .name = row->name, .value = row->value, .low = row->low, .high = row->high};
        if (zeros == NULL || !rank_add(&study->constants[i], row->value, zeros)) {
            free(zeros);
            study_free(study);
            return false;
        }
    }
    return true;
}

void study_free(struct study *study) {
    for (size_t i = 0; study->constants != NULL && i < study->constant_count; i++) {
        for (size_t j = 0; j < study->constants[i].try_count; j++) {
            free(study->constants[i].tries[j].answer);
        }
    }
    free(study->constants);
    free(study->gap);
    study->constants = NULL;
    study->gap = NULL;
}

// ---- runs

static bool is_simulated(const struct control_link *link) {
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(control_identity(link), "simulated"));
}

// One run of a row; `constant` NULL: none is changed. A board that is simulated gets the seed.
static bool run_row(
    struct study *study,
    struct control_link *link,
    size_t row,
    const char *constant,
    uint64_t seed,
    double values[OBSERVABLE_COUNT]) {
    char settings[PLAN_TEXT_BYTES + 160];
    char error[CONTROL_ERROR_BYTES];
    int used = snprintf(settings, sizeof(settings), "%s", study->plan->rows[row].settings);
    cJSON *report;

    if (is_simulated(link)) {
        used += snprintf(
            settings + used,
            sizeof(settings) - (size_t)used,
            " seed=%llu",
            (unsigned long long)seed);
    }
    if (constant != NULL) {
        snprintf(settings + used, sizeof(settings) - (size_t)used, " twin-set=%s", constant);
    }
    study->runs_done++;
    report = control_run(link, settings, error);
    if (report == NULL) {
        snprintf(study->failure, sizeof(study->failure), "%s", error);
        return false;
    }
    for (int i = 0; i < OBSERVABLE_COUNT; i++) {
        values[i] = observe(report, i);
    }
    cJSON_Delete(report);
    return true;
}

static bool tell(struct study *study, const char *what, char error[CONTROL_ERROR_BYTES]) {
    if (study->stop != NULL && study->stop()) {
        snprintf(error, CONTROL_ERROR_BYTES, "interrupted");
        return false;
    }
    if (study->progress != NULL) {
        study->progress(study->context, what, study->runs_done, study->runs_all);
    }
    return true;
}

// Mean and standard deviation over so many runs of a row.
struct spread {
    double mean[OBSERVABLE_COUNT];
    double deviation[OBSERVABLE_COUNT];
    double first[OBSERVABLE_COUNT];
};

static bool run_spread(
    struct study *study,
    struct control_link *link,
    size_t row,
    uint64_t seed,
    uint64_t count,
    struct spread *spread) {
    double squares[OBSERVABLE_COUNT] = {0};

    memset(spread, 0, sizeof(*spread));
    for (uint64_t i = 0; i < count; i++) {
        double values[OBSERVABLE_COUNT];

        if (!run_row(study, link, row, NULL, seed + i, values)) {
            return false;
        }
        for (int j = 0; j < OBSERVABLE_COUNT; j++) {
            // By the differences from the first run, so that little is lost to rounding.
            spread->first[j] = i == 0 ? values[j] : spread->first[j];
            spread->mean[j] += values[j] - spread->first[j];
            squares[j] += (values[j] - spread->first[j]) * (values[j] - spread->first[j]);
        }
    }
    for (int j = 0; j < OBSERVABLE_COUNT; j++) {
        double mean = spread->mean[j] / (double)count;
        double square = squares[j] - mean * mean * (double)count;

        spread->deviation[j] = count > 1 && square > 0 ? sqrt(square / (double)(count - 1)) : 0;
        spread->mean[j] = spread->first[j] + mean;
    }
    return true;
}

static bool fail(const struct study *study, size_t row, char error[CONTROL_ERROR_BYTES]) {
    snprintf(
        error, CONTROL_ERROR_BYTES, "row %s: %.300s", study->plan->rows[row].name, study->failure);
    return false;
}

bool study_twin(struct study *study, char error[CONTROL_ERROR_BYTES]) {
    for (size_t row = 0; row < study->plan->count; row++) {
        struct study_row *to = &study->rows[row];
        struct spread spread;

        if (!tell(study, "twin", error)) {
            return false;
        }
        if (!run_spread(study, study->twin, row, study->seed, STUDY_SEEDS, &spread)) {
            return fail(study, row, error);
        }
        memcpy(to->twin, spread.mean, sizeof(to->twin));
        memcpy(to->first, spread.first, sizeof(to->first));
        memcpy(to->scatter, spread.deviation, sizeof(to->scatter));
    }
    return true;
}

// The scatter of one run: the board's own where there are enough repetitions, but not below the
// twin's, since few repetitions may agree by chance.
bool study_board(struct study *study, char error[CONTROL_ERROR_BYTES]) {
    for (size_t row = 0; row < study->plan->count; row++) {
        struct study_row *to = &study->rows[row];
        struct spread spread;

        if (!tell(study, "board", error)) {
            return false;
        }
        if (!run_spread(
                study, study->board, row, study->seed + BOARD_SEEDS, study->repeats, &spread)) {
            return fail(study, row, error);
        }
        memcpy(to->board, spread.mean, sizeof(to->board));
        for (int i = 0; i < OBSERVABLE_COUNT; i++) {
            double board = fmax(spread.deviation[i], to->scatter[i]);
            double least = observe_least(i);

            to->sigma[i] = sqrt(
                least * least + board * board / (double)study->repeats +
                to->scatter[i] * to->scatter[i] / STUDY_SEEDS);
        }
    }
    return true;
}

// ---- what the constants do

// The answer of all rows to another value; raw differences, not yet in units of scatter. NULL: a
// run failed.
static double *try_value(
    struct study *study, const struct rank_constant *constant, uint64_t value) {
    double *answer = calloc(numbers(study) + 1, sizeof(*answer));
    char text[96];

    snprintf(text, sizeof(text), "%s=%llu", constant->name, (unsigned long long)value);
    for (size_t row = 0; answer != NULL && row < study->plan->count; row++) {
        double values[OBSERVABLE_COUNT];

        if (!run_row(study, study->twin, row, text, study->seed, values)) {
            free(answer);
            return NULL;
        }
        for (int i = 0; i < OBSERVABLE_COUNT; i++) {
            answer[row * OBSERVABLE_COUNT + (size_t)i] = values[i] - study->rows[row].first[i];
        }
    }
    return answer;
}

static bool try_and_add(
    struct study *study,
    struct rank_constant *constant,
    uint64_t value,
    char error[CONTROL_ERROR_BYTES]) {
    double *answer;

    if (!tell(study, constant->name, error)) {
        return false;
    }
    answer = try_value(study, constant, value);
    if (answer == NULL) {
        snprintf(constant->failure, sizeof(constant->failure), "%.110s", study->failure);
    } else if (!rank_add(constant, value, answer)) {
        free(answer);
    }
    return true;
}

bool study_sensitivity(struct study *study, char error[CONTROL_ERROR_BYTES]) {
    for (size_t i = 0; i < study->constant_count; i++) {
        struct rank_constant *constant = &study->constants[i];
        const uint64_t ends[] = {constant->low, constant->high};

        for (int j = 0; j < 2; j++) {
            if (ends[j] != constant->value && constant->failure[0] == '\0' &&
                !try_and_add(study, constant, ends[j], error)) {
                return false;
            }
        }
    }
    return true;
}

// ---- the gap

size_t study_known(const struct study *study) {
    size_t known = 0;

    for (size_t i = 0; i < numbers(study); i++) {
        known += isfinite(study->gap[i]);
    }
    return known;
}

double study_worst(const struct study *study, size_t *row, int *observable) {
    double worst = 0;

    *row = 0;
    *observable = 0;
    for (size_t i = 0; i < numbers(study); i++) {
        if (isfinite(study->gap[i]) && fabs(study->gap[i]) > worst) {
            worst = fabs(study->gap[i]);
            *row = i / OBSERVABLE_COUNT;
            *observable = (int)(i % OBSERVABLE_COUNT);
        }
    }
    return worst;
}

static double sigma_at(const struct study *study, size_t number) {
    return study->rows[number / OBSERVABLE_COUNT].sigma[number % OBSERVABLE_COUNT];
}

void study_gap(struct study *study) {
    for (size_t i = 0; i < numbers(study); i++) {
        const struct study_row *row = &study->rows[i / OBSERVABLE_COUNT];
        size_t at = i % OBSERVABLE_COUNT;

        study->gap[i] = (row->board[at] - row->twin[at]) / row->sigma[at];
    }
}

// Fits on answers in units of scatter, and only where the gap is known.
static bool fit(const struct study *study, struct rank_constant *constant) {
    struct rank_constant scaled = *constant;
    double *room = calloc(numbers(study) * RANK_TRIES_MAX, sizeof(*room));

    if (room == NULL) {
        return false;
    }
    for (size_t i = 0; i < constant->try_count; i++) {
        scaled.tries[i].answer = room + i * numbers(study);
        for (size_t j = 0; j < numbers(study); j++) {
            scaled.tries[i].answer[j] =
                isfinite(study->gap[j]) ? constant->tries[i].answer[j] / sigma_at(study, j) : 0;
        }
    }
    rank_fit(&scaled, study->gap, numbers(study));
    free(room);
    constant->explained = scaled.explained;
    constant->best = scaled.best;
    constant->size = scaled.size;
    return true;
}

static bool fit_all(struct study *study, char error[CONTROL_ERROR_BYTES]) {
    for (size_t i = 0; i < study->constant_count; i++) {
        if (!fit(study, &study->constants[i])) {
            snprintf(error, CONTROL_ERROR_BYTES, "not enough memory");
            return false;
        }
    }
    rank_sort(study->constants, study->constant_count);
    return true;
}

// Whether another try is worth its runs: the constant may still become the best one, and the place
// where it fits has not been tried.
static bool is_worth_a_try(const struct study *study, const struct rank_constant *constant) {
    uint64_t value = (uint64_t)(constant->best + 0.5);

    for (size_t i = 0; i < constant->try_count; i++) {
        if (constant->tries[i].value == value) {
            return false;
        }
    }
    return constant->failure[0] == '\0' && constant->explained > 0 &&
           constant->explained > study->constants[0].explained - REFINED_WITHIN &&
           constant->try_count < RANK_TRIES_MAX;
}

bool study_rank(struct study *study, char error[CONTROL_ERROR_BYTES]) {
    study_gap(study);
    if (!fit_all(study, error)) {
        return false;
    }
    for (unsigned round = 0; round < REFINE_ROUNDS; round++) {
        for (size_t i = 0; i < REFINED && i < study->constant_count; i++) {
            struct rank_constant *constant = &study->constants[i];

            if (is_worth_a_try(study, constant) &&
                !try_and_add(study, constant, (uint64_t)(constant->best + 0.5), error)) {
                return false;
            }
        }
        if (!fit_all(study, error)) {
            return false;
        }
    }
    return true;
}

bool study_search(struct study *study, char error[CONTROL_ERROR_BYTES]) {
    size_t row;
    int observable;

    study_gap(study);
    if (study_worst(study, &row, &observable) < STUDY_GAP_MIN) {
        return true;
    }
    return study_sensitivity(study, error) && study_rank(study, error);
}
