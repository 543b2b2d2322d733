// SPDX-License-Identifier: MIT
// Report: the budget of one description, for people and as JSON; and the other pages.
#ifndef TOOLS_BUDGET_REPORT_H
#define TOOLS_BUDGET_REPORT_H

#include "budget/model.h"
#include "budget/options.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define BUDGET_SCHEMA 1

// The main page.
void budget_report_text(
    FILE *out, const struct budget *budget, const struct budget_arguments *arguments);

// Every page as JSON; the main page's object has the whole budget, the others add their rows to
// it under the page's name. The caller frees it.
cJSON *budget_report_json(const struct budget *budget, const struct budget_arguments *arguments);

// ---- the other pages

void budget_boards_text(FILE *out);
void budget_boards_json(cJSON *root);

void budget_transports_text(FILE *out, const struct budget *budget);
void budget_transports_json(cJSON *root, const struct budget *budget);

void budget_cascade_text(FILE *out);
void budget_cascade_json(cJSON *root);

void budget_features_text(FILE *out);
void budget_features_json(cJSON *root);

void budget_overhead_text(FILE *out, const struct budget *budget);
void budget_overhead_json(cJSON *root, const struct budget *budget);

void budget_advise_text(FILE *out, const struct budget *budget);
void budget_advise_json(cJSON *root, const struct budget *budget);

// "34.6": Mbit/s with three figures, "-" for none.
#define BUDGET_RATE_SIZE 16
char *budget_mbps(char text[BUDGET_RATE_SIZE], double bps);

// Text wrapped at 100 columns, the first line behind `first`, the others behind `indent` spaces.
void budget_wrap(FILE *out, int indent, const char *first, const char *text);

#endif
