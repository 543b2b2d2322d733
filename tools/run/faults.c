// SPDX-License-Identifier: MIT
#include "faults.h"

#include "common/exit_code.h"
#include "common/json.h"
#include "world_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_BYTES_MAX (1u << 20)

static char *read_file(const char *path, char error[256]) {
    FILE *file = fopen(path, "rb");
    char *script = NULL;
    size_t size_bytes;

    if (file == NULL) {
        snprintf(error, 256, "--faults: %.150s: %s", path, strerror(errno));
        return NULL;
    }
    script = malloc(SCRIPT_BYTES_MAX + 1u);
    size_bytes = script == NULL ? 0 : fread(script, 1, SCRIPT_BYTES_MAX + 1u, file);
    if (script == NULL || ferror(file) != 0 || size_bytes > SCRIPT_BYTES_MAX) {
        snprintf(error, 256, "--faults: %.150s: cannot be read, or is longer than 1 MiB", path);
        free(script);
        script = NULL;
    } else {
        script[size_bytes] = '\0';
    }
    (void)fclose(file);
    return script;
}

static bool add_script(
    struct twin_faults *faults, const char *option, const char *script, char error[256]) {
    char why[256];

    if (twin_faults_script(faults, script, why)) {
        return true;
    }
    snprintf(error, 256, "%.60s: %.190s", option, why);
    return false;
}

struct twin_faults *run_faults_new(
    const struct run_options *options, struct twin_sim *sim, bool *wrong_use, char error[256]) {
    struct twin_faults *faults;
    char *script = NULL;
    bool good = true;

    error[0] = '\0';
    *wrong_use = false;
    if (options->faults == NULL && options->fault == NULL) {
        return NULL;
    }
    if (options->faults != NULL) {
        script = read_file(options->faults, error);
        if (script == NULL) {
            return NULL;
        }
    }
    faults = twin_faults_new(sim);
    if (script != NULL) {
        good = add_script(faults, options->faults, script, error);
    }
    good = good && (options->fault == NULL || add_script(faults, "--fault", options->fault, error));
    free(script);
    if (!good) {
        *wrong_use = true;
        twin_faults_free(faults);
        return NULL;
    }
    return faults;
}

int run_faults_check(const struct run_options *options, char error[256]) {
    struct twin_sim *sim = twin_sim_new(options->seed, 0);
    bool wrong_use;
    struct twin_faults *faults = run_faults_new(options, sim, &wrong_use, error);

    twin_faults_free(faults);
    twin_sim_free(sim);
    if (error[0] == '\0') {
        return EXIT_CODE_DONE;
    }
    return wrong_use ? EXIT_CODE_USAGE : EXIT_CODE_ENVIRONMENT;
}

const char *run_faults_unfired(const struct world *world) {
    for (uint32_t i = 0; i < twin_faults_count(world->script); i++) {
        if (twin_faults_fired(world->script, i) == 0) {
            return twin_faults_text(world->script, i);
        }
    }
    return NULL;
}

void run_faults_json(cJSON *to, const struct world *world) {
    for (uint32_t i = 0; i < twin_faults_count(world->script); i++) {
        cJSON *row = json_append_object(to);

        json_add_text(row, "fault", twin_faults_text(world->script, i));
        json_add_text(row, "lever", twin_faults_lever(world->script, i));
        json_add_u64(row, "fired", twin_faults_fired(world->script, i));
    }
}

void run_faults_table(FILE *out, const struct world *world) {
    for (uint32_t i = 0; i < twin_faults_count(world->script); i++) {
        fprintf(
            out,
            "  fault struck %llu times: %s\n",
            (unsigned long long)twin_faults_fired(world->script, i),
            twin_faults_text(world->script, i));
    }
}
