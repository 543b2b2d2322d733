// SPDX-License-Identifier: MIT
// Rank: which of the twin's constants, given another value, would bring it to what the board did.
//
// The gap is a vector over all rows and observables, each in units of its own scatter. A constant
// answers with such a vector too, at each value it was tried at; between two values the answer is
// taken as a straight line. What a constant explains is the share of the gap's square that is gone
// at its best value.
#ifndef TOOLS_HIL_RANK_H
#define TOOLS_HIL_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANK_TRIES_MAX 8

struct rank_try {
    uint64_t value;
    double *answer;  // of `count` numbers, NaN where the twin gave none; owned by whoever made it
};

// A constant: its tries sorted by value, among them its own value with an answer of zeros.
struct rank_constant {
    const char *name;
    uint64_t value;  // the twin's
    uint64_t low;
    uint64_t high;
    struct rank_try tries[RANK_TRIES_MAX];
    size_t try_count;
    char failure[120];  // not empty: it could not be tried, and why
    // What rank_fit() found.
    double explained;  // 0..1
    double best;       // value at which most is explained
    double size;       // length of its longest answer: 0, the plan does not see it
};

// Adds a try in its place; false: no room, or the value is there already.
bool rank_add(struct rank_constant *constant, uint64_t value, double *answer);
// Fits a constant to the gap.
void rank_fit(struct rank_constant *constant, const double *gap, size_t count);
// Sorts by what they explain, most first.
void rank_sort(struct rank_constant *constants, size_t count);

// Constants within this of the best one cannot be told from it.
#define RANK_ALIKE 0.03

double rank_length(const double *vector, size_t count);

#endif
