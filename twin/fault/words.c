// SPDX-License-Identifier: MIT
// Words: a line of a fault script, its lever and the values behind it.
#include "fault/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lever {
    const char *name;
    enum twin_fault_kind kind;
    const char *words;
};

static const struct lever levers[TWIN_LEVER_COUNT] = {
#define X(lever, name, kind, words, text) [TWIN_##lever] = {name, TWIN_FAULT_##kind, words},
    TWIN_FAULT_LEVERS(X)
#undef X
};

#define HIT_WORDS    "at for after every count p"
#define STATE_WORDS  "at for repeat after every count p"
#define ACTION_WORDS "at repeat after every count p"

struct name {
    const char *name;
    uint32_t value;
};

static const struct name channels[] = {
    {"control", 0}, {"event", 1}, {"data", 2}, {"credit", 16}, {NULL, 0}};
static const struct name directions[] = {
    {"read", 0}, {"write", 1}, {"down", 0}, {"up", 1}, {NULL, 0}};
// Offsets in the SDPCM header. Read from public code.
static const struct name fields[] = {
    {"size", 0},
    {"check", 2},
    {"sequence", 4},
    {"channel", 5},
    {"header", 7},
    {"flow", 8},
    {"credit", 9},
    {NULL, 0}};
// Numbers of events. Read from public code.
static const struct name events[] = {
    {"set-ssid", 0},
    {"join", 1},
    {"auth", 3},
    {"deauth", 5},
    {"deauth-ind", 6},
    {"assoc", 7},
    {"disassoc", 11},
    {"disassoc-ind", 12},
    {"link", 16},
    {"mic-error", 17},
    {"roam", 19},
    {"prune", 23},
    {"beacon-lost", 31},
    {"psk-sup", 46},
    {"icv-error", 49},
    {"escan-result", 69},
    {NULL, 0}};

const char *twin_fault_lever_name(enum twin_lever lever) {
    return levers[lever].name;
}

// ---- values; false: not one

static bool parse_integer(const char *text, int64_t *value) {
    char *end = NULL;

    errno = 0;
    *value = strtoll(text, &end, 0);
    return end != text && *end == '\0' && errno == 0;
}

static bool parse_count(const char *text, uint64_t *value) {
    int64_t number;

    if (!parse_integer(text, &number) || number < 0) {
        return false;
    }
    *value = (uint64_t)number;
    return true;
}

// "3s", "50ms", "10us", "5min", "1h"; a bare number is seconds.
static bool parse_time(const char *text, uint64_t *value_ns) {
    static const struct {
        const char *unit;
        double ns;
    } units[] = {
        {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9}, {"min", 6e10}, {"h", 3.6e12}};
    char *end = NULL;
    double number = strtod(text, &end);

    if (end == text || !(number >= 0)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) == 0 && number * units[i].ns <= 1e18) {
            *value_ns = (uint64_t)(number * units[i].ns + 0.5);
            return true;
        }
    }
    return false;
}

static bool parse_chance(const char *text, uint32_t *chance) {
    char *end = NULL;
    double number = strtod(text, &end);

    if (end == text || *end != '\0' || !(number >= 0) || number > 1) {
        return false;
    }
    *chance = twin_chance(number);
    return true;
}

static bool parse_name(const struct name *names, const char *text, uint32_t *value) {
    int64_t number;

    for (size_t i = 0; names[i].name != NULL; i++) {
        if (strcmp(text, names[i].name) == 0) {
            *value = names[i].value;
            return true;
        }
    }
    if (!parse_integer(text, &number) || number < 0 || number > UINT32_MAX - 1) {
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

static bool parse_given(const char *text, uint32_t *value, bool *given) {
    static const struct name none[] = {{NULL, 0}};

    *given = parse_name(none, text, value);
    return *given;
}

static bool parse_text(const char *text, char name[TWIN_FAULT_NAME_BYTES]) {
    if (*text == '\0' || strlen(text) >= TWIN_FAULT_NAME_BYTES) {
        return false;
    }
    memcpy(name, text, strlen(text) + 1);
    return true;
}

static bool parse_when(struct twin_fault *fault, const char *key, const char *text) {
    if (strcmp(key, "at") == 0) {
        fault->at_given = true;
        return parse_time(text, &fault->at_ns);
    }
    if (strcmp(key, "for") == 0) {
        fault->for_given = true;
        return parse_time(text, &fault->for_ns);
    }
    if (strcmp(key, "repeat") == 0) {
        return parse_time(text, &fault->repeat_ns) && fault->repeat_ns != 0;
    }
    if (strcmp(key, "after") == 0) {
        return parse_count(text, &fault->after);
    }
    if (strcmp(key, "every") == 0) {
        return parse_count(text, &fault->every) && fault->every != 0;
    }
    if (strcmp(key, "count") == 0) {
        return parse_count(text, &fault->count) && fault->count != 0;
    }
    return parse_chance(text, &fault->chance);
}

static bool parse_bits(const char *text, uint32_t *bits) {
    uint64_t count;
    bool good = parse_count(text, &count) && count >= 1 && count <= 64;

    *bits = good ? (uint32_t)count : 1;
    return good;
}

static bool parse_what(struct twin_fault *fault, const char *key, const char *text) {
    struct twin_fault_what *what = &fault->what;

    switch (key[0]) {
    case 'v':
        what->value_given = true;
        return parse_integer(text, &what->value);
    case 'b':
        return parse_bits(text, &what->bits);
    case 'l':
        return parse_chance(text, &what->chance);
    case 'a':
        return parse_count(text, &what->above_hz);
    case 's':
        return parse_given(text, &what->status, &what->status_given);
    case 'r':
        return parse_given(text, &what->reason, &what->reason_given);
    case 'd':
        return parse_name(directions, text, &what->direction);
    case 'c':
        return parse_name(channels, text, &what->channel);
    case 'n':
        return parse_text(text, what->name);
    case 't':
        return strcmp(key, "time") == 0 ? parse_time(text, &what->time_ns)
                                        : parse_name(events, text, &what->type);
    default:
        break;
    }
    if (strcmp(key, "fn") == 0) {
        return parse_name(channels + 4, text, &what->function) && what->function <= 2;
    }
    if (strcmp(key, "field") == 0) {
        return parse_name(fields, text, &what->field) && what->field < 12;
    }
    return parse_given(text, &what->flags, &what->flags_given);
}

// ---- words

static bool among(const char *words, const char *word) {
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return length > 0;
        }
    }
    return false;
}

static const char *when_words(enum twin_fault_kind kind) {
    return kind == TWIN_FAULT_HIT     ? HIT_WORDS
           : kind == TWIN_FAULT_STATE ? STATE_WORDS
                                      : ACTION_WORDS;
}

static bool parse_pair(struct twin_fault *fault, char *word, char error[256]) {
    const char *when = when_words(fault->kind);
    const char *own = levers[fault->lever].words;
    char *text = strchr(word, '=');

    if (text == NULL) {
        snprintf(error, 256, "'%.40s' is no word=value", word);
        return false;
    }
    *text++ = '\0';
    if (among(when, word) ? parse_when(fault, word, text)
                          : among(own, word) && parse_what(fault, word, text)) {
        return true;
    }
    if (among(when, word) || among(own, word)) {
        snprintf(error, 256, "%.40s=%.40s: not a value for that", word, text);
    } else {
        snprintf(
            error,
            256,
            "%s does not take '%.40s'; it takes: %s%s%s",
            levers[fault->lever].name,
            word,
            own,
            own[0] == '\0' ? "" : " ",
            when);
    }
    return false;
}

static bool parse_lever(struct twin_fault *fault, const char *word, char error[256]) {
    for (uint32_t i = 0; i < TWIN_LEVER_COUNT; i++) {
        if (strcmp(word, levers[i].name) == 0) {
            fault->lever = (enum twin_lever)i;
            fault->kind = levers[i].kind;
            return true;
        }
    }
    snprintf(
        error,
        256,
        "no lever is called '%.40s'; bus-flip, rx-drop, credit-hold, chip-hang and ap-off are "
        "some, docs/reference/faults.md has all",
        word);
    return false;
}

// What is left open: how often, and what a lever cannot do without.
static bool complete(struct twin_fault *fault, char error[256]) {
    const char *own = levers[fault->lever].words;
    bool many = fault->every != 0 || fault->chance != UINT32_MAX ||
                (fault->kind == TWIN_FAULT_HIT && fault->for_given) || fault->repeat_ns != 0;

    fault->counted = fault->kind != TWIN_FAULT_HIT && !fault->at_given && fault->repeat_ns == 0 &&
                     (fault->after != 0 || fault->every != 0 || fault->chance != UINT32_MAX);
    if (fault->count == 0) {
        fault->count = many ? UINT64_MAX : 1;
    }
    if (fault->kind != TWIN_FAULT_HIT && !fault->counted &&
        (fault->after != 0 || fault->every != 0 || fault->chance != UINT32_MAX)) {
        snprintf(error, 256, "either at= and repeat=, or after=, every= and p=");
        return false;
    }
    if (fault->kind == TWIN_FAULT_ACTION && !fault->at_given && !fault->counted &&
        fault->repeat_ns == 0) {
        snprintf(
            error, 256, "%s needs at=, repeat=, after=, every= or p=", levers[fault->lever].name);
        return false;
    }
    if (among(own, "time") && fault->what.time_ns == 0 && fault->lever != TWIN_WAKE_TIME &&
        fault->lever != TWIN_HT_TIME && fault->lever != TWIN_F2_TIME) {
        snprintf(error, 256, "%s needs time=", levers[fault->lever].name);
        return false;
    }
    if (fault->lever == TWIN_BUS_SHIFT && !fault->what.value_given) {
        fault->what.value = 1;
        fault->what.value_given = true;
    }
    if (among(own, "value") && !fault->what.value_given) {
        snprintf(error, 256, "%s needs value=", levers[fault->lever].name);
        return false;
    }
    return true;
}

bool twin_fault_parse(struct twin_fault *fault, char *line, char error[256]) {
    char *rest = NULL;
    char *word = strtok_r(line, " \t", &rest);

    fault->what = twin_fault_any();
    fault->chance = UINT32_MAX;
    if (word == NULL || !parse_lever(fault, word, error)) {
        return false;
    }
    while ((word = strtok_r(NULL, " \t", &rest)) != NULL) {
        if (!parse_pair(fault, word, error)) {
            return false;
        }
    }
    return complete(fault, error);
}
