// SPDX-License-Identifier: MIT
// Terms: the parts of which a limit consists, each with its time and its source.
#ifndef TOOLS_BUDGET_TERMS_H
#define TOOLS_BUDGET_TERMS_H

#include <stddef.h>

#define BUDGET_TERMS_MAX 14

struct budget_term {
    const char *name;
    double amount;  // in the unit of the list
    double us;
    const char *source;
};

struct budget_terms {
    const char *unit;  // of the amounts: "bit", "clock", "cycle", or "us" for times alone
    struct budget_term rows[BUDGET_TERMS_MAX];
    size_t count;
    double amount;  // the sums
    double us;
};

// A term of which nothing is left (0 us) is not listed.
void budget_terms_add(
    struct budget_terms *terms, const char *name, double amount, double us, const char *source);

#endif
