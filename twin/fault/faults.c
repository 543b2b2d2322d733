// SPDX-License-Identifier: MIT
// Faults: when each of them strikes, and the count of it.
#include "coradio_twin/faults.h"

#include "fault/plan.h"
#include "sim/alloc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the clock's side: states and actions

static bool tell(struct twin_fault *fault, bool begins) {
    struct twin_faults *plan = fault->plan;
    bool minded = false;

    for (size_t i = 0; i < TWIN_FAULT_LISTENERS_MAX; i++) {
        if (plan->listeners[i].told != NULL) {
            minded |= plan->listeners[i].told(
                plan->listeners[i].context, fault->lever, &fault->what, begins);
        }
    }
    return minded;
}

static void begin(void *context) {
    struct twin_fault *fault = context;
    struct twin_sim *sim = fault->plan->sim;

    if (fault->active || fault->begun >= fault->count) {
        return;
    }
    fault->begun++;
    fault->struck = false;
    fault->active = fault->kind == TWIN_FAULT_STATE;
    if (tell(fault, true)) {
        fault->struck = true;
        fault->fired++;
    }
    if (fault->active && fault->for_given) {
        twin_after(sim, &fault->end, fault->for_ns);
    } else if (fault->repeat_ns != 0 && fault->begun < fault->count) {
        twin_after(sim, &fault->begin, fault->repeat_ns);
    }
}

static void end(void *context) {
    struct twin_fault *fault = context;
    uint64_t now_ns = twin_now_ns(fault->plan->sim);
    uint64_t again_ns = fault->end.at_ns - fault->for_ns + fault->repeat_ns;

    fault->active = false;
    (void)tell(fault, false);
    if (fault->repeat_ns != 0 && fault->begun < fault->count) {
        twin_at(fault->plan->sim, &fault->begin, again_ns > now_ns ? again_ns : now_ns);
    }
}

// ---- the script

static void arm(struct twin_fault *fault) {
    struct twin_faults *plan = fault->plan;

    twin_event_init(&fault->begin, begin, fault);
    twin_event_init(&fault->end, end, fault);
    if (fault->kind == TWIN_FAULT_HIT) {
        return;
    }
    if (fault->counted) {
        plan->any_counted = true;
    } else if (fault->at_ns == 0 && fault->kind == TWIN_FAULT_STATE) {
        begin(fault);  // it holds before anything happens; whoever listens later asks
    } else {
        twin_at(plan->sim, &fault->begin, plan->start_ns + fault->at_ns);
    }
}

static char *copy_of(const char *text, size_t length) {
    char *copy = twin_alloc(length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

static void enter(struct twin_faults *faults, struct twin_fault *fault) {
    struct twin_fault **last = &faults->of_lever[fault->lever];
    char name[64];

    snprintf(name, sizeof(name), "fault.%u", (unsigned)faults->count);
    twin_rng_init(&fault->rng, faults->sim, name);
    faults->list = twin_realloc(faults->list, faults->count + 1u, sizeof(faults->list[0]));
    faults->list[faults->count++] = fault;
    while (*last != NULL) {
        last = &(*last)->next_of_lever;
    }
    *last = fault;
    arm(fault);
}

// The part of a line that says something: without comment and surrounding space.
static size_t trimmed(const char **line, size_t length) {
    const char *at = *line;
    const char *comment = memchr(at, '#', length);

    if (comment != NULL) {
        length = (size_t)(comment - at);
    }
    while (length > 0 && isspace((unsigned char)at[length - 1])) {
        length--;
    }
    while (length > 0 && isspace((unsigned char)*at)) {
        at++;
        length--;
    }
    *line = at;
    return length;
}

static bool add(struct twin_faults *faults, const char *line, size_t line_length, char error[256]) {
    size_t length = trimmed(&line, line_length);
    struct twin_fault *fault;
    char *words;
    bool good;

    if (length == 0) {
        return true;
    }
    fault = twin_alloc(1, sizeof(*fault));
    fault->plan = faults;
    fault->text = copy_of(line, length);
    words = copy_of(line, length);
    good = twin_fault_parse(fault, words, error);
    free(words);
    if (!good) {
        free(fault->text);
        free(fault);
        return false;
    }
    enter(faults, fault);
    return true;
}

bool twin_faults_add(struct twin_faults *faults, const char *line, char error[256]) {
    return add(faults, line, strlen(line), error);
}

bool twin_faults_script(struct twin_faults *faults, const char *script, char error[256]) {
    char why[256];
    unsigned number = 1;

    while (*script != '\0') {
        // A comment reaches to the end of its line, whatever stands in it.
        size_t length = strcspn(script, "#;\n");

        if (script[length] == '#') {
            length = strcspn(script, "\n");
        }
        if (!add(faults, script, length, why)) {
            snprintf(error, 256, "line %u: %.240s", number, why);
            return false;
        }
        number += script[length] == '\n' ? 1 : 0;
        script += length + (script[length] != '\0' ? 1 : 0);
    }
    return true;
}

struct twin_faults *twin_faults_new(struct twin_sim *sim) {
    struct twin_faults *faults = twin_alloc(1, sizeof(*faults));

    faults->sim = sim;
    faults->start_ns = twin_now_ns(sim);
    return faults;
}

void twin_faults_free(struct twin_faults *faults) {
    if (faults == NULL) {
        return;
    }
    for (uint32_t i = 0; i < faults->count; i++) {
        twin_cancel(faults->sim, &faults->list[i]->begin);
        twin_cancel(faults->sim, &faults->list[i]->end);
        free(faults->list[i]->text);
        free(faults->list[i]);
    }
    free(faults->list);
    free(faults);
}

// ---- reports

uint32_t twin_faults_count(const struct twin_faults *faults) {
    return faults == NULL ? 0 : faults->count;
}

const char *twin_faults_text(const struct twin_faults *faults, uint32_t index) {
    return faults->list[index]->text;
}

const char *twin_faults_lever(const struct twin_faults *faults, uint32_t index) {
    return twin_fault_lever_name(faults->list[index]->lever);
}

uint64_t twin_faults_fired(const struct twin_faults *faults, uint32_t index) {
    return faults->list[index]->fired;
}

uint32_t twin_faults_unfired(const struct twin_faults *faults) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < twin_faults_count(faults); i++) {
        count += faults->list[i]->fired == 0 ? 1 : 0;
    }
    return count;
}

static uint64_t end_of(const struct twin_fault *fault) {
    uint64_t last_ns = fault->at_ns;

    if (fault->kind == TWIN_FAULT_HIT) {
        return fault->for_given ? fault->at_ns + fault->for_ns : TWIN_NEVER;
    }
    if (fault->counted || (fault->kind == TWIN_FAULT_STATE && !fault->for_given)) {
        return TWIN_NEVER;
    }
    if (fault->repeat_ns != 0) {
        if (fault->count == UINT64_MAX) {
            return TWIN_NEVER;
        }
        last_ns += (fault->count - 1) * fault->repeat_ns;
    }
    return last_ns + (fault->kind == TWIN_FAULT_STATE ? fault->for_ns : 0);
}

uint64_t twin_faults_end_ns(const struct twin_faults *faults) {
    uint64_t last_ns = 0;

    for (uint32_t i = 0; i < twin_faults_count(faults); i++) {
        uint64_t end_ns = end_of(faults->list[i]);

        if (end_ns == TWIN_NEVER) {
            return TWIN_NEVER;
        }
        end_ns += faults->start_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    return last_ns;
}

// ---- the models' side

struct twin_fault_what twin_fault_any(void) {
    return (struct twin_fault_what){
        .bits = 1,
        .function = TWIN_FAULT_ANY,
        .direction = TWIN_FAULT_ANY,
        .channel = TWIN_FAULT_ANY,
        .type = TWIN_FAULT_ANY,
    };
}

static bool selects(uint32_t wanted, uint32_t there) {
    return wanted == TWIN_FAULT_ANY || wanted == there;
}

static bool meant(const struct twin_fault *fault, const struct twin_fault_what *at) {
    const struct twin_fault_what *what = &fault->what;

    if (at == NULL) {
        return true;
    }
    return selects(what->function, at->function) && selects(what->direction, at->direction) &&
           selects(what->channel, at->channel) && selects(what->type, at->type) &&
           (what->name[0] == '\0' || strcmp(what->name, at->name) == 0);
}

static bool now_within(const struct twin_fault *fault) {
    uint64_t age_ns = twin_now_ns(fault->plan->sim) - fault->plan->start_ns;

    return age_ns >= fault->at_ns && (!fault->for_given || age_ns - fault->at_ns < fault->for_ns);
}

// Whether this opportunity is the one: by number, and by chance.
static bool chosen(struct twin_fault *fault) {
    uint64_t number = fault->seen++;

    if (number < fault->after ||
        (fault->every != 0 && (number - fault->after) % fault->every != 0)) {
        return false;
    }
    return fault->chance == UINT32_MAX || twin_rng_hit(&fault->rng, fault->chance);
}

const struct twin_fault_what *twin_faults_hit(
    struct twin_faults *faults, enum twin_lever lever, const struct twin_fault_what *at) {
    struct twin_fault *fault = faults == NULL ? NULL : faults->of_lever[lever];

    for (; fault != NULL; fault = fault->next_of_lever) {
        if (fault->fired < fault->count && meant(fault, at) && now_within(fault) && chosen(fault)) {
            fault->fired++;
            return &fault->what;
        }
    }
    return NULL;
}

const struct twin_fault_what *twin_faults_next(
    const struct twin_faults *faults, enum twin_lever lever) {
    return faults == NULL || faults->of_lever[lever] == NULL ? NULL
                                                             : &faults->of_lever[lever]->what;
}

const struct twin_fault_what *twin_faults_peek(
    const struct twin_faults *faults, enum twin_lever lever) {
    const struct twin_fault *fault = faults == NULL ? NULL : faults->of_lever[lever];

    while (fault != NULL && !fault->active) {
        fault = fault->next_of_lever;
    }
    return fault == NULL ? NULL : &fault->what;
}

const struct twin_fault_what *twin_faults_active(
    struct twin_faults *faults, enum twin_lever lever) {
    struct twin_fault *fault = faults == NULL ? NULL : faults->of_lever[lever];

    while (fault != NULL && !fault->active) {
        fault = fault->next_of_lever;
    }
    if (fault == NULL) {
        return NULL;
    }
    fault->fired += fault->struck ? 0 : 1;
    fault->struck = true;
    return &fault->what;
}

void twin_faults_tick(struct twin_faults *faults) {
    if (faults == NULL || !faults->any_counted) {
        return;
    }
    for (uint32_t i = 0; i < faults->count; i++) {
        struct twin_fault *fault = faults->list[i];

        if (fault->counted && !fault->active && fault->begun < fault->count && chosen(fault)) {
            begin(fault);
        }
    }
}

void twin_fault_flip(
    struct twin_faults *faults, const struct twin_fault_what *what, uint8_t *data, uint32_t bytes) {
    for (uint32_t i = 0; i < faults->count; i++) {
        struct twin_fault *fault = faults->list[i];

        for (uint32_t k = 0; &fault->what == what && bytes != 0 && k < what->bits; k++) {
            uint32_t bit = twin_rng_below(&fault->rng, 8 * bytes);

            data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

// What has begun before anybody listened.
static void tell_active(struct twin_faults *faults, const struct twin_listener *listener) {
    for (uint32_t i = 0; i < faults->count; i++) {
        struct twin_fault *fault = faults->list[i];

        if (fault->active && listener->told(listener->context, fault->lever, &fault->what, true)) {
            fault->fired += fault->struck ? 0 : 1;
            fault->struck = true;
        }
    }
}

void twin_faults_listen(struct twin_faults *faults, twin_fault_fn told, void *context) {
    for (size_t i = 0; faults != NULL && i < TWIN_FAULT_LISTENERS_MAX; i++) {
        if (faults->listeners[i].told == NULL) {
            faults->listeners[i] = (struct twin_listener){told, context};
            tell_active(faults, &faults->listeners[i]);
            return;
        }
    }
    TWIN_CHECK(faults == NULL);
}

void twin_faults_unlisten(struct twin_faults *faults, const void *context) {
    for (size_t i = 0; faults != NULL && i < TWIN_FAULT_LISTENERS_MAX; i++) {
        if (faults->listeners[i].context == context) {
            faults->listeners[i] = (struct twin_listener){NULL, NULL};
        }
    }
}
