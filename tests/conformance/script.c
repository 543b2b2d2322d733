// SPDX-License-Identifier: MIT
#include "script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where the reader stands.
struct reader {
    struct script *script;
    struct script_case *current;  // NULL: between cases
    struct words words;
    uint32_t line;
    bool in_block;  // inside of "steps NAME"
};

static const char *const verb_words[] = {
#define X(word, name) word,
    SCRIPT_VERBS(X)
#undef X
};

static void *grow(void *items, size_t *room, size_t size) {
    *room = *room == 0 ? 16 : 2 * *room;
    void *more = realloc(items, *room * size);

    if (more == NULL) {
        abort();
    }
    return more;
}

static void append(struct script_steps *list, const struct script_step *step) {
    if (list->count == list->room) {
        list->steps = grow(list->steps, &list->room, sizeof(*step));
    }
    list->steps[list->count++] = *step;
}

static bool copy_word(struct words *words, char to[SCRIPT_WORD_BYTES], const char *word) {
    if (strlen(word) >= SCRIPT_WORD_BYTES) {
        return words_wrong(words, "word too long", word);
    }
    memcpy(to, word, strlen(word) + 1);
    return true;
}

// --- Steps ---

// "@0", "@+40ms", "@10ms..20ms"
static bool take_when(struct words *words, const char *word, struct script_step *step) {
    char text[SCRIPT_WORD_BYTES] = "";

    if (!copy_word(words, text, word + 1)) {
        return false;
    }
    char *first = text;
    step->when = WHEN_AT;
    if (*first == '+') {
        step->when = WHEN_AFTER;
        first++;
    }
    char *range = strstr(first, "..");
    if (range != NULL) {
        *range = 0;
    }
    if (!words_time(first, &step->first_us) ||
        (range != NULL && !words_time(range + 2, &step->last_us))) {
        return words_wrong(words, "not a time", word);
    }
    if (range == NULL) {
        step->last_us = step->first_us;
    }
    if (step->last_us < step->first_us) {
        return words_wrong(words, "a range of times that ends before it begins", word);
    }
    return true;
}

static bool find_verb(const char *word, uint8_t *verb) {
    for (size_t i = 0; i < sizeof(verb_words) / sizeof(verb_words[0]); i++) {
        if (strcmp(word, verb_words[i]) == 0) {
            *verb = (uint8_t)i;
            return true;
        }
    }
    return false;
}

// A number, or a time in microseconds, or on and off.
static bool take_value(const char *text, int64_t *value) {
    uint64_t time_us;

    if (strcmp(text, "on") == 0 || strcmp(text, "off") == 0) {
        *value = strcmp(text, "on") == 0;
        return true;
    }
    if (words_number(text, value)) {
        return true;
    }
    if (!words_time(text, &time_us)) {
        return false;
    }
    *value = (int64_t)time_us;
    return true;
}

// "name=value" or "name=lowest..highest", each a step of its own.
static bool take_pairs(struct reader *reader, size_t at, struct script_step *step) {
    struct words *words = &reader->words;

    for (; at < words->count; at++) {
        char text[SCRIPT_LINE_BYTES];

        snprintf(text, sizeof(text), "%s", words->word[at]);
        char *value = strchr(text, '=');
        if (value == NULL) {
            return words_wrong(words, "name=value is wanted", words->word[at]);
        }
        *value++ = 0;
        char *range = strstr(value, "..");
        if (range != NULL) {
            *range = 0;
            range += 2;
        }
        if (!copy_word(words, step->word, text) || !take_value(value, &step->lowest) ||
            !take_value(range != NULL ? range : value, &step->value)) {
            return words_wrong(words, "not a value", words->word[at]);
        }
        append(&reader->current->steps, step);
        step->when = WHEN_NOW;
    }
    return true;
}

// "nothing", "nothing until @1s", and the same for drain.
static bool take_until(struct words *words, size_t at, struct script_step *step) {
    if (at == words->count) {
        return true;
    }
    if (step->when != WHEN_NOW) {
        return words_wrong(words, "either a time in front or until", words->word[at]);
    }
    if (at + 2 != words->count || strcmp(words->word[at], "until") != 0 ||
        words->word[at + 1][0] != '@') {
        return words_wrong(words, "until @TIME is wanted", words->word[at]);
    }
    step->until = true;
    return take_when(words, words->word[at + 1], step);
}

// An optional amount.
static bool take_amount(struct words *words, size_t at, struct script_step *step) {
    if (at == words->count) {
        return true;
    }
    if (at + 1 != words->count || !words_number(words->word[at], &step->value)) {
        return words_wrong(words, "one number is wanted", words->word[at]);
    }
    return true;
}

static bool take_word(struct words *words, size_t at, struct script_step *step) {
    if (at + 1 != words->count) {
        return words_wrong(words, "one word is wanted behind", words->word[at - 1]);
    }
    return copy_word(words, step->word, words->word[at]);
}

// "-> RESULT" at the end of a line.
static bool take_result(struct words *words, struct script_step *step) {
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->word[i], "->") != 0) {
            continue;
        }
        if (i + 2 != words->count) {
            return words_wrong(words, "one result is wanted", "->");
        }
        step->has_result = true;
        words->count = i;
        return copy_word(words, step->result, words->word[i + 1]);
    }
    return true;
}

static bool take_arguments(struct reader *reader, size_t at, struct script_step *step) {
    struct words *words = &reader->words;
    bool good = true;

    switch (step->verb) {
    case VERB_SET:
    case VERB_CHECK:
    case VERB_COUNTER:
        if (at == words->count) {
            return words_wrong(words, "name=value is wanted behind", words->word[at - 1]);
        }
        return take_pairs(reader, at, step);
    case VERB_INJECT:
    case VERB_EXPECT:
        good = words_segment(words, at, step->verb == VERB_EXPECT, &step->segment);
        break;
    case VERB_OPEN:
    case VERB_SERVE:
    case VERB_CONNECT:
        memcpy(step->word, "SYN", sizeof("SYN"));  // so that no seq= is asked for
        words->word[at - 1] = step->word;
        good = words_segment(words, at - 1, false, &step->segment);
        break;
    case VERB_NOTHING:
    case VERB_DRAIN:
        good = take_until(words, at, step);
        break;
    case VERB_STATE:
    case VERB_ERROR:
    case VERB_EVENTS:
    case VERB_RADIO:
        good = take_word(words, at, step);
        break;
    default:
        good = take_amount(words, at, step);
        break;
    }
    if (good) {
        append(&reader->current->steps, step);
    }
    return good;
}

static bool use_block(struct reader *reader, size_t at) {
    struct words *words = &reader->words;

    if (at + 1 != words->count) {
        return words_wrong(words, "one name is wanted behind", "use");
    }
    for (size_t i = 0; i < reader->script->block_count; i++) {
        const struct script_case *block = &reader->script->blocks[i];

        if (strcmp(block->name, words->word[at]) == 0) {
            for (size_t k = 0; k < block->steps.count; k++) {
                append(&reader->current->steps, &block->steps.steps[k]);
            }
            return true;
        }
    }
    return words_wrong(words, "no steps of this name above", words->word[at]);
}

static bool take_step(struct reader *reader) {
    struct words *words = &reader->words;
    struct script_step step;
    size_t at = 0;

    memset(&step, 0, sizeof(step));
    step.line = reader->line;
    if (reader->current == NULL) {
        return words_wrong(words, "a step outside of a case", words->word[0]);
    }
    if (words->word[at][0] == '@') {
        if (!take_when(words, words->word[at], &step)) {
            return false;
        }
        at++;
        if (at == words->count) {
            step.verb = VERB_WAIT;
            append(&reader->current->steps, &step);
            return true;
        }
    }
    const char *end = words->word[at];
    if (end[0] >= 'a' && end[0] < 'a' + SCRIPT_ENDS && end[1] == ':' && end[2] == 0) {
        step.end = (uint8_t)(end[0] - 'a');
        at++;
    }
    if (at == words->count) {
        return words_wrong(words, "a verb is missing behind", end);
    }
    if (strcmp(words->word[at], "use") == 0) {
        return use_block(reader, at + 1);
    }
    if (!find_verb(words->word[at], &step.verb)) {
        return words_wrong(words, "not a verb", words->word[at]);
    }
    return take_result(words, &step) && take_arguments(reader, at + 1, &step);
}

// --- Cases ---

static struct script_case *new_case(
    struct script_case **cases, size_t *count, size_t *room, uint32_t line) {
    if (*count == *room) {
        *cases = grow(*cases, room, sizeof(**cases));
    }
    struct script_case *added = &(*cases)[(*count)++];
    memset(added, 0, sizeof(*added));
    added->line = line;
    return added;
}

// "RFC 9293 3.10.7.3" and what follows.
static bool cites_well(const char *cites) {
    char *section;

    if (strncmp(cites, "RFC ", 4) != 0) {
        return false;
    }
    return strtoul(cites + 4, &section, 10) != 0 && section[0] == ' ' && section[1] >= '1' &&
           section[1] <= '9';
}

// "case NAME: RFC NUMBER SECTION [; more]"
static bool begin_case(struct reader *reader, const char *line) {
    struct words *words = &reader->words;
    struct script *script = reader->script;
    const char *colon = strchr(line, ':');

    if (words->count < 2 || colon == NULL || words->word[1][strlen(words->word[1]) - 1] != ':') {
        return words_wrong(words, "case NAME: RFC NUMBER SECTION is wanted", words->word[0]);
    }
    words->word[1][strlen(words->word[1]) - 1] = 0;
    for (size_t i = 0; i < script->case_count; i++) {
        if (strcmp(script->cases[i].name, words->word[1]) == 0) {
            return words_wrong(words, "two cases of one name", words->word[1]);
        }
    }
    reader->current =
        new_case(&script->cases, &script->case_count, &script->case_room, reader->line);
    reader->in_block = false;
    const char *cites = colon + 1 + strspn(colon + 1, " ");
    snprintf(
        reader->current->cites,
        sizeof(reader->current->cites),
        "%.*s",
        (int)strcspn(cites, "\r\n"),
        cites);
    if (!cites_well(reader->current->cites)) {
        return words_wrong(words, "the case cites no RFC NUMBER SECTION", words->word[1]);
    }
    return copy_word(words, reader->current->name, words->word[1]);
}

static bool begin_block(struct reader *reader) {
    struct words *words = &reader->words;
    struct script *script = reader->script;

    if (words->count != 2) {
        return words_wrong(words, "steps NAME is wanted", words->word[0]);
    }
    reader->current =
        new_case(&script->blocks, &script->block_count, &script->block_room, reader->line);
    reader->in_block = true;
    return copy_word(words, reader->current->name, words->word[1]);
}

// "missing REASON": the case is known to fail.
static bool take_missing(struct reader *reader, const char *line) {
    struct words *words = &reader->words;

    if (reader->current == NULL || reader->in_block || words->count < 2) {
        return words_wrong(words, "in a case, missing REASON is wanted", words->word[0]);
    }
    const char *reason = strstr(line, "missing") + strlen("missing ");
    snprintf(
        reader->current->missing,
        sizeof(reader->current->missing),
        "%.*s",
        (int)strcspn(reason, "\r\n"),
        reason);
    return true;
}

static bool take_line(struct reader *reader, const char *line) {
    struct words *words = &reader->words;

    if (!words_split(words, line)) {
        return false;
    }
    if (words->count == 0) {
        return true;
    }
    if (strcmp(words->word[0], "case") == 0) {
        return begin_case(reader, line);
    }
    if (strcmp(words->word[0], "steps") == 0) {
        return begin_block(reader);
    }
    if (strcmp(words->word[0], "missing") == 0) {
        return take_missing(reader, line);
    }
    return take_step(reader);
}

static bool check_whole(const struct script *script, char *error) {
    for (size_t i = 0; i < script->case_count; i++) {
        if (script->cases[i].steps.count == 0) {
            snprintf(
                error,
                SCRIPT_ERROR_BYTES,
                "%s:%u: the case has no steps",
                script->path,
                script->cases[i].line);
            return false;
        }
    }
    if (script->case_count == 0) {
        snprintf(error, SCRIPT_ERROR_BYTES, "%s:1: there is no case in it", script->path);
        return false;
    }
    return true;
}

bool script_read(struct script *script, const char *path, char error[SCRIPT_ERROR_BYTES]) {
    struct reader reader = {.script = script};
    char what[SCRIPT_ERROR_BYTES];
    char line[SCRIPT_LINE_BYTES + 2];
    bool good = true;

    memset(script, 0, sizeof(*script));
    script->path = path;
    reader.words.error = what;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        snprintf(error, SCRIPT_ERROR_BYTES, "%s: %s", path, strerror(errno));
        return false;
    }
    while (good && fgets(line, sizeof(line), file) != NULL) {
        reader.line++;
        good = take_line(&reader, line);
    }
    fclose(file);
    if (!good) {
        snprintf(error, SCRIPT_ERROR_BYTES, "%.100s:%u: %.140s", path, reader.line, what);
        return false;
    }
    return check_whole(script, error);
}

static void free_cases(struct script_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(cases[i].steps.steps);
    }
    free(cases);
}

void script_free(struct script *script) {
    free_cases(script->cases, script->case_count);
    free_cases(script->blocks, script->block_count);
}
