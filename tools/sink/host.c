// SPDX-License-Identifier: MIT
#include "host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 8192 };

struct wanted {
    const char *group;
    const char *key;
    size_t index;
};

static const struct wanted wanted[] = {
#define X(name, group, key, text)                                                                  \
    {group, key, offsetof(struct sink_host_counters, name) / sizeof(uint64_t)},
    SINK_HOST_COUNTERS(X)
#undef X
};

// The next word of *at, which is moved behind it; false at the end of the line.
static bool next_word(const char **at, const char **word, size_t *length) {
    *word = *at + strspn(*at, " \n");
    *length = strcspn(*word, " \n");
    *at = *word + *length;
    return *length > 0;
}

static bool word_is(const char *word, size_t length, const char *text) {
    return strlen(text) == length && strncmp(word, text, length) == 0;
}

// The files hold pairs of lines: "Group: name name ..." and "Group: value value ...".
static void take_pair(const char *names, const char *values, uint64_t *counters) {
    size_t group = strcspn(names, ":");
    const char *name_at = names + group + 1;
    const char *value_at = values + group + 1;
    const char *name = NULL;
    const char *value = NULL;
    size_t name_length = 0;
    size_t value_length = 0;

    if (strncmp(names, values, group) != 0 || values[group] != ':') {
        return;
    }
    while (next_word(&name_at, &name, &name_length) &&
           next_word(&value_at, &value, &value_length)) {
        for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
            if (word_is(names, group, wanted[i].group) &&
                word_is(name, name_length, wanted[i].key)) {
                counters[wanted[i].index] = strtoull(value, NULL, 10);
            }
        }
    }
}

static void look_into(const char *path, uint64_t *counters) {
    char names[LINE_BYTES];
    char values[LINE_BYTES];
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        return;
    }
    while (fgets(names, sizeof(names), file) != NULL &&
           fgets(values, sizeof(values), file) != NULL) {
        take_pair(names, values, counters);
    }
    fclose(file);
}

void sink_host_look(struct sink_host_counters *counters) {
    uint64_t values[sizeof(*counters) / sizeof(uint64_t)] = {0};

    look_into("/proc/net/netstat", values);
    look_into("/proc/net/snmp", values);
    memcpy(counters, values, sizeof(*counters));
}
