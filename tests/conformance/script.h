// SPDX-License-Identifier: MIT
// Script: a .tcp file as cases, each a list of steps. The language is described in README.md.
#ifndef CONFORMANCE_SCRIPT_H
#define CONFORMANCE_SCRIPT_H

#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRIPT_WORD_BYTES  64
#define SCRIPT_ERROR_BYTES 256
#define SCRIPT_LINE_BYTES  512
#define SCRIPT_WORDS_MAX   48
// Connections of one case, called a, b, c, d.
#define SCRIPT_ENDS 4

// word in the script, name here
// clang-format off
#define SCRIPT_VERBS(X)           \
    X("open",     VERB_OPEN)      \
    X("connect",  VERB_CONNECT)   \
    X("listen",   VERB_LISTEN)    \
    X("accept",   VERB_ACCEPT)    \
    X("serve",    VERB_SERVE)     \
    X("unlisten", VERB_UNLISTEN)  \
    X("give",     VERB_GIVE)      \
    X("finish",   VERB_FINISH)    \
    X("events",   VERB_EVENTS)    \
    X("write",    VERB_WRITE)     \
    X("read",     VERB_READ)      \
    X("close",    VERB_CLOSE)     \
    X("abort",    VERB_ABORT)     \
    X("set",      VERB_SET)       \
    X("state",    VERB_STATE)     \
    X("error",    VERB_ERROR)     \
    X("check",    VERB_CHECK)     \
    X("counter",  VERB_COUNTER)   \
    X("received", VERB_RECEIVED)  \
    X("inject",   VERB_INJECT)    \
    X("expect",   VERB_EXPECT)    \
    X("nothing",  VERB_NOTHING)   \
    X("drain",    VERB_DRAIN)     \
    X("radio",    VERB_RADIO)     \
    X("wait",     VERB_WAIT)
// clang-format on

enum script_verb {
#define X(word, name) name,
    SCRIPT_VERBS(X)
#undef X
};

// When a step is due, from the start of the case or after the step before.
enum script_when { WHEN_NOW, WHEN_AT, WHEN_AFTER };

struct script_step {
    uint32_t line;
    uint8_t verb;
    uint8_t when;
    uint8_t end;  // which connection
    uint64_t first_us;
    uint64_t last_us;  // a frame may come until then; equal to first_us unless a range is given
    bool until;        // nothing and drain: up to first_us
    bool has_result;   // "-> RESULT"
    int64_t value;     // amount, setting, or what a check wants
    int64_t lowest;    // of a range; equal to value unless one is given
    char word[SCRIPT_WORD_BYTES];    // state, status, name of a setting or counter
    char result[SCRIPT_WORD_BYTES];  // what the call must return
    struct segment segment;
};

struct script_steps {
    struct script_step *steps;
    size_t count;
    size_t room;
};

struct script_case {
    char name[SCRIPT_WORD_BYTES];
    char cites[SCRIPT_LINE_BYTES];
    char missing[SCRIPT_LINE_BYTES];  // why the stack cannot pass it yet; it must fail until then
    uint32_t line;
    struct script_steps steps;
};

struct script {
    const char *path;
    struct script_case *cases;
    size_t case_count;
    size_t case_room;
    struct script_case *blocks;  // of "steps NAME"
    size_t block_count;
    size_t block_room;
};

// Reads a whole file. False: *error says what is wrong, with the line in front.
bool script_read(struct script *script, const char *path, char error[SCRIPT_ERROR_BYTES]);
void script_free(struct script *script);

// --- words.c ---

// A line split at spaces, comments taken off.
struct words {
    char text[SCRIPT_LINE_BYTES];
    char *word[SCRIPT_WORDS_MAX];
    size_t count;
    char *error;  // SCRIPT_ERROR_BYTES
};

// False: too long a line.
bool words_split(struct words *words, const char *line);
// Sets the error and returns false.
bool words_wrong(struct words *words, const char *what, const char *word);
bool words_number(const char *text, int64_t *value);
// Microseconds, from "10us", "40ms", "1.5s".
bool words_time(const char *text, uint64_t *time_us);
bool words_address(const char *text, uint32_t *address);
// The part behind "key=", or NULL.
const char *words_value(const char *word, const char *key);
// Words from `first` on as a segment of an inject (or expect) line.
bool words_segment(struct words *words, size_t first, bool expect, struct segment *segment);

#endif
