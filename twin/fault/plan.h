// SPDX-License-Identifier: MIT
// Plan: the inside of a fault script, shared by the file that reads it and the one that runs it.
#ifndef TWIN_FAULT_PLAN_H
#define TWIN_FAULT_PLAN_H

#include "coradio_twin/faults.h"

#define TWIN_FAULT_LISTENERS_MAX 4

struct twin_fault {
    struct twin_fault_what what;  // first: the models hold a pointer to it
    struct twin_faults *plan;
    enum twin_lever lever;
    enum twin_fault_kind kind;
    char *text;
    // When.
    bool at_given;
    bool for_given;
    bool counted;  // by transactions, where it is no hit
    uint64_t at_ns;
    uint64_t for_ns;
    uint64_t repeat_ns;
    uint64_t after;
    uint64_t every;
    uint64_t count;  // UINT64_MAX: any number
    uint32_t chance;
    // What became of it.
    uint64_t seen;
    uint64_t begun;
    uint64_t fired;
    bool active;
    bool struck;  // in this spell of being active
    struct twin_rng rng;
    struct twin_event begin;
    struct twin_event end;
    struct twin_fault *next_of_lever;
};

struct twin_listener {
    twin_fault_fn told;
    void *context;
};

struct twin_faults {
    struct twin_sim *sim;
    uint64_t start_ns;
    struct twin_fault **list;
    uint32_t count;
    struct twin_fault *of_lever[TWIN_LEVER_COUNT];
    bool any_counted;
    struct twin_listener listeners[TWIN_FAULT_LISTENERS_MAX];
};

// Fills lever, kind, what and when from the words of a line, which it takes apart. false: error.
bool twin_fault_parse(struct twin_fault *fault, char *line, char error[256]);
const char *twin_fault_lever_name(enum twin_lever lever);

#endif
