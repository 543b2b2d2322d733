// SPDX-License-Identifier: MIT
#include "compare/measure.h"

#include "common/clock.h"
#include "common/json.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 4096, SETTINGS_BYTES = 3 * SETUP_TEXT_BYTES };

// ---- boards

static struct control_link *link_of(const struct measure *measure, const char *address) {
    for (size_t i = 0; i < measure->link_count; i++) {
        if (strcmp(control_address(measure->links[i]), address) == 0) {
            return measure->links[i];
        }
    }
    return NULL;
}

static struct control_link *open_link(
    const struct measure *measure, const char *address, char error[CONTROL_ERROR_BYTES]) {
    struct control_setup setup = {
        .address = address, .secret = measure->secret, .run_ns = measure->setup->timeout_ns};

    return control_open(&setup, error);
}

bool measure_open(struct measure *measure, char error[CONTROL_ERROR_BYTES]) {
    const struct setup *setup = measure->setup;

    measure->link_count = 0;
    for (size_t i = 0; i < setup->configs; i++) {
        const struct setup_config *config = &setup->config[i];

        if (config->command != NULL || link_of(measure, config->address) != NULL) {
            continue;
        }
        measure->links[measure->link_count] = open_link(measure, config->address, error);
        if (measure->links[measure->link_count] == NULL) {
            measure_close(measure);
            return false;
        }
        measure->link_count++;
    }
    return true;
}

void measure_close(struct measure *measure) {
    while (measure->link_count > 0) {
        control_close(measure->links[--measure->link_count]);
    }
}

// A board that was unplugged and is there again is taken up again.
static struct control_link *link_again(
    struct measure *measure, const char *address, char error[CONTROL_ERROR_BYTES]) {
    for (size_t i = 0; i < measure->link_count; i++) {
        struct control_link *old = measure->links[i];
        struct control_link *fresh;

        if (strcmp(control_address(old), address) != 0) {
            continue;
        }
        if (!control_broken(old)) {
            return old;
        }
        fresh = open_link(measure, address, error);
        if (fresh != NULL) {
            control_close(old);
            measure->links[i] = fresh;
        }
        return fresh;
    }
    return NULL;
}

double measure_metric(const cJSON *tree, const char *name) {
    char part[64];

    while (*name != '\0') {
        size_t size = strcspn(name, ".");

        if (size >= sizeof(part)) {
            return NAN;
        }
        snprintf(part, sizeof(part), "%.*s", (int)size, name);
        tree = cJSON_GetObjectItemCaseSensitive(tree, part);
        name += size + (name[size] == '.' ? 1 : 0);
    }
    return cJSON_IsNumber(tree) ? tree->valuedouble : (double)NAN;
}

// A seed for each sample of each comparison.
static unsigned long long seed_of(
    const struct setup *setup, const struct experiment_sample *sample) {
    return setup->seed * 1000000ull + sample->index + 1;
}

// The settings of a sample. A simulated board gets a seed of its own for each, so that samples
// differ as they would on the air, and a resumed comparison goes on as it would have.
static void settings_of(
    const struct setup *setup,
    const struct experiment_sample *sample,
    bool simulated,
    char text[SETTINGS_BYTES]) {
    const struct setup_config *config = &setup->config[sample->config];
    bool seeded =
        strstr(config->settings, "seed=") != NULL || strstr(setup->settings, "seed=") != NULL;
    int used = snprintf(text, SETTINGS_BYTES, "%s %s", setup->settings, config->settings);

    if (simulated && !seeded) {
        snprintf(
            text + used, (size_t)(SETTINGS_BYTES - used), " seed=%llu", seed_of(setup, sample));
    }
}

static bool measure_board(
    struct measure *measure,
    const struct experiment_sample *sample,
    double *value,
    cJSON **details,
    char error[CONTROL_ERROR_BYTES]) {
    const struct setup *setup = measure->setup;
    const struct setup_config *config = &setup->config[sample->config];
    struct control_link *link = link_again(measure, config->address, error);
    char settings[SETTINGS_BYTES];

    if (link == NULL) {
        return false;
    }
    settings_of(
        setup,
        sample,
        cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(control_identity(link), "simulated")),
        settings);
    *details = control_run(link, settings, error);
    if (*details == NULL) {
        return false;
    }
    *value = measure_metric(*details, setup->metric) / setup->scale;
    if (!isfinite(*value)) {
        snprintf(
            error, CONTROL_ERROR_BYTES, "the board's report has no number '%s'", setup->metric);
        return false;
    }
    return true;
}

// ---- shell commands

static _Noreturn void become_shell(const char *command, int output) {
    setpgid(0, 0);  // Ctrl-C asks us, and the sample ends in peace
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    dup2(output, STDOUT_FILENO);
    close(output);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

// Reads to the end of the output, keeping its tail. False: the time was over.
static bool read_output(int input, uint64_t until_ns, char text[OUTPUT_BYTES]) {
    size_t used = 0;

    text[0] = '\0';
    for (;;) {
        uint64_t now_ns = clock_now_ns();
        struct pollfd wait = {.fd = input, .events = POLLIN};
        ssize_t got;

        if (now_ns >= until_ns) {
            return false;
        }
        if (poll(&wait, 1, (int)((until_ns - now_ns) / 1000000 + 1)) <= 0) {
            continue;
        }
        if (used == OUTPUT_BYTES - 1) {
            used = OUTPUT_BYTES / 2;
            memmove(text, text + OUTPUT_BYTES - 1 - used, used);
        }
        got = read(input, text + used, OUTPUT_BYTES - 1 - used);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return true;
        }
        used += got > 0 ? (size_t)got : 0;
        text[used] = '\0';
    }
}

// The last number that stands alone between spaces.
static bool last_number(const char *text, double *value) {
    bool found = false;

    while (*text != '\0') {
        size_t size = strcspn(text, " \t\r\n");
        char *end = NULL;
        double number = strtod(text, &end);

        if (size > 0 && end == text + size && isfinite(number)) {
            *value = number;
            found = true;
        }
        text += size;
        text += strspn(text, " \t\r\n");
    }
    return found;
}

bool measure_command(
    const char *command, uint64_t timeout_ns, double *value, char text[OUTPUT_BYTES], char *error) {
    int pipes[2];
    int status = 0;
    bool in_time;
    pid_t child;

    text[0] = '\0';
    if (pipe(pipes) != 0) {
        snprintf(error, CONTROL_ERROR_BYTES, "no pipe: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    child = fork();
    if (child == 0) {
        close(pipes[0]);
        become_shell(command, pipes[1]);
    }
    close(pipes[1]);
    if (child < 0) {
        close(pipes[0]);
        snprintf(error, CONTROL_ERROR_BYTES, "no process: %s", strerror(errno));
        return false;
    }
    in_time = read_output(pipes[0], clock_now_ns() + timeout_ns, text);
    close(pipes[0]);
    if (!in_time) {
        kill(-child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time) {
        snprintf(error, CONTROL_ERROR_BYTES, "the command did not end in time (--timeout)");
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        snprintf(
            error,
            CONTROL_ERROR_BYTES,
            "the command failed (%s %d): %.200s",
            WIFEXITED(status) ? "exit code" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
            command);
    } else if (!last_number(text, value)) {
        snprintf(error, CONTROL_ERROR_BYTES, "the command printed no number: %.200s", command);
    } else {
        return true;
    }
    return false;
}

bool measure_sample(
    struct measure *measure,
    const struct experiment_sample *sample,
    double *value,
    cJSON **details,
    char error[CONTROL_ERROR_BYTES]) {
    const struct setup *setup = measure->setup;
    const char *command = setup->config[sample->config].command;
    char text[OUTPUT_BYTES];
    char number[24];
    bool good;

    *details = NULL;
    if (command == NULL) {
        return measure_board(measure, sample, value, details, error);
    }
    // For commands that want to be told apart or to be repeatable.
    snprintf(number, sizeof(number), "%u", sample->index);
    setenv("CORADIO_SAMPLE", number, 1);
    snprintf(number, sizeof(number), "%llu", seed_of(setup, sample));
    setenv("CORADIO_SEED", number, 1);
    good = measure_command(command, setup->timeout_ns, value, text, error);
    *details = json_new_object();
    json_add_text(*details, "output", text);
    return good;
}
