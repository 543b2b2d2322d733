// SPDX-License-Identifier: MIT
// Change: what one changed input would give, for every input, and which steps to take in turn.
#ifndef TOOLS_BUDGET_CHANGE_H
#define TOOLS_BUDGET_CHANGE_H

#include "budget/model.h"

#include <stdbool.h>
#include <stddef.h>

#define BUDGET_CHANGES_MAX 32
#define BUDGET_VALUE_SIZE  40
#define BUDGET_STEPS_MAX   6

struct budget_change {
    const char *key;   // stable name, for JSON
    const char *what;  // for people
    char from[BUDGET_VALUE_SIZE];
    char to[BUDGET_VALUE_SIZE];
    const char *remark;  // what speaks against it or has to be there, or NULL
    bool allowed;        // within the specification of the parts; only such are steps of a ladder
    double bps;          // goodput with this change alone
    double gain_bps;
    size_t order;  // among equal gains the easier change comes first
};

// All changes that apply to this description, the largest gain first. Returns how many.
size_t budget_changes(
    const struct budget *budget, struct budget_change changes[BUDGET_CHANGES_MAX]);

// One step of a ladder: one change, or two that gain only together.
struct budget_step {
    struct budget_change first;
    struct budget_change second;  // second.key NULL: no second one
    double bps;                   // goodput after this step and those before it
    struct budget_result result;
};

// The best change, then the best one from there, and so on, until none gains a hundredth.
size_t budget_ladder(const struct budget *budget, struct budget_step steps[BUDGET_STEPS_MAX]);

#endif
