// SPDX-License-Identifier: MIT
// Each example of docs/reference/faults.md is read, strikes, and leads to an end; and each lever
// has one.
#include "coradio_twin/faults.h"
#include "path.h"
#include "run/world_state.h"

static struct path path;

static const char *const levers[] = {
#define X(lever, name, kind, words, text) name,
    TWIN_FAULT_LEVERS(X)
#undef X
};

// Runs once with a transfer, and with pings where that does not reach it.
static const char *const loads[] = {
    "--bytes=4MiB", "--app=ping --count=4 --interval=1s", "--app=tcp-rx --bytes=1MiB"};

// These need a host that asks for what they refuse; tests/unit/test_twin_faults.c has one.
static bool needs_another_host(const char *lever) {
    return strcmp(lever, "no-sae") == 0 || strcmp(lever, "no-monitor") == 0;
}

static uint64_t struck;

static void look(const struct world *world) {
    CHECK_EQ(twin_faults_count(world->script), 1);
    struck = twin_faults_fired(world->script, 0);
}

static void run_example(const char *line) {
    struck = 0;
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]) && struck == 0; i++) {
        memset(&path, 0, sizeof(path));
        path.fault = line;
        path.look = look;
        path_try(&path, loads[i]);
        CHECK(!path.outcome.damaged);
    }
    printf("     %-60s struck %llu\n", line, (unsigned long long)struck);
    CHECK(struck > 0);
}

// Which lever an indented line of the page begins with; -1: none.
static int lever_of(const char *line) {
    size_t length = strcspn(line, " \n");

    for (size_t i = 0; i < sizeof(levers) / sizeof(levers[0]); i++) {
        if (strlen(levers[i]) == length && strncmp(levers[i], line, length) == 0) {
            return (int)i;
        }
    }
    return -1;
}

TEST(every_lever_has_an_example_that_strikes) {
    FILE *file = fopen("docs/reference/faults.md", "r");
    bool seen[TWIN_LEVER_COUNT] = {false};
    char line[256];

    CHECK(file != NULL);
    while (fgets(line, sizeof(line), file) != NULL) {
        int lever = strncmp(line, "    ", 4) == 0 ? lever_of(line + 4) : -1;

        if (lever < 0) {
            continue;
        }
        line[strcspn(line, "#\n")] = '\0';
        seen[lever] = true;
        if (!needs_another_host(levers[lever])) {
            run_example(line + 4);
        }
    }
    fclose(file);
    for (size_t i = 0; i < TWIN_LEVER_COUNT; i++) {
        if (!seen[i]) {
            printf("     %s has no example\n", levers[i]);
        }
        CHECK(seen[i]);
    }
}

TEST_MAIN(CASE(every_lever_has_an_example_that_strikes))
