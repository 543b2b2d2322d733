// SPDX-License-Identifier: MIT
// Study: a plan on a board and on the twin, the gap between them, and the constants it points at.
#ifndef TOOLS_HIL_STUDY_H
#define TOOLS_HIL_STUDY_H

#include "control/client.h"
#include "hil/observe.h"
#include "hil/plan.h"
#include "hil/rank.h"

#include <stdbool.h>
#include <stdint.h>

// A difference of more than this many times its scatter is a gap.
#define STUDY_GAP_MIN 4.0
// So many runs of each row are made at most for the best constants, where they fit.
#define STUDY_TRIES_MORE 24u
// Seeds of the twin that its scatter is taken from.
#define STUDY_SEEDS 4u

struct study_row {
    double twin[OBSERVABLE_COUNT];     // mean over the seeds
    double board[OBSERVABLE_COUNT];    // mean over the repetitions
    double sigma[OBSERVABLE_COUNT];    // of board - twin
    double first[OBSERVABLE_COUNT];    // twin, first seed: what a changed twin is held against
    double scatter[OBSERVABLE_COUNT];  // of one run of the twin
};

struct study {
    const struct plan *plan;
    struct control_link *board;
    struct control_link *twin;
    uint64_t seed;
    uint64_t repeats;  // of each row on the board
    // Told before each run; may be NULL.
    void (*progress)(void *context, const char *what, size_t done, size_t all);
    void *context;
    bool (*stop)(void);  // NULL: never
    size_t runs_done;
    size_t runs_all;
    struct study_row rows[PLAN_ROWS_MAX];
    double *gap;  // of plan->count * OBSERVABLE_COUNT numbers, in units of sigma
    struct rank_constant *constants;
    size_t constant_count;
    char failure[CONTROL_ERROR_BYTES];  // of the run that failed last
};

// Nothing runs yet. False: memory is out.
bool study_init(struct study *study, const struct plan *plan);
void study_free(struct study *study);

// Each returns false with a line in error[] where a run fails or it was stopped.
bool study_twin(struct study *study, char error[CONTROL_ERROR_BYTES]);
bool study_board(struct study *study, char error[CONTROL_ERROR_BYTES]);
// After both: computes the gap.
void study_gap(struct study *study);
// How each constant moves the rows, at both ends of its range. Needs the twin's runs only.
bool study_sensitivity(struct study *study, char error[CONTROL_ERROR_BYTES]);
// Computes the gap, ranks the constants, and tries the best ones where they fit.
bool study_rank(struct study *study, char error[CONTROL_ERROR_BYTES]);
// Both, where there is a gap.
bool study_search(struct study *study, char error[CONTROL_ERROR_BYTES]);

// The largest difference, in units of its scatter; *row and *observable say where.
double study_worst(const struct study *study, size_t *row, int *observable);
// How many observables of all rows both sides know.
size_t study_known(const struct study *study);

#endif
