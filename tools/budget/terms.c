// SPDX-License-Identifier: MIT
#include "budget/terms.h"

void budget_terms_add(
    struct budget_terms *terms, const char *name, double amount, double us, const char *source) {
    if (us <= 0.0 || terms->count == BUDGET_TERMS_MAX) {
        return;
    }
    terms->rows[terms->count++] = (struct budget_term){name, amount, us, source};
    terms->amount += amount;
    terms->us += us;
}
