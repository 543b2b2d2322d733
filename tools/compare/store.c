// SPDX-License-Identifier: MIT
#include "compare/store.h"

#include "common/clock.h"
#include "common/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_line(FILE *file, const cJSON *json) {
    char *text = cJSON_PrintUnformatted(json);
    bool good;

    if (text == NULL) {
        return false;
    }
    good = fprintf(file, "%s\n", text) > 0 && fflush(file) == 0;
    cJSON_free(text);
    return good;
}

FILE *store_begin(const char *path, const struct setup *setup, char error[SETUP_ERROR]) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    cJSON *json;

    if (file == NULL) {
        snprintf(
            error,
            SETUP_ERROR,
            errno == EEXIST ? "%.200s exists: go on with --resume, or name another --output"
                            : "%.200s: cannot be written",
            path);
        return NULL;
    }
    json = setup_to_json(setup);
    if (!write_line(file, json)) {
        snprintf(error, SETUP_ERROR, "%.200s: %s", path, strerror(errno));
        fclose(file);
        file = NULL;
    }
    cJSON_Delete(json);
    return file;
}

bool store_add(
    FILE *file, const struct experiment_sample *sample, cJSON *details, const char *failure) {
    cJSON *json = json_new_object();
    char letter[2] = {(char)('a' + (int)sample->config), '\0'};
    char text[CLOCK_UTC_SIZE];
    struct timespec now;
    bool good;

    clock_gettime(CLOCK_REALTIME, &now);
    json_add_u64(json, "sample", sample->index);
    json_add_u64(json, "block", sample->block);
    json_add_text(json, "configuration", letter);
    json_add_bool(json, "warmup", sample->warmup);
    json_add_text(json, "at", clock_utc_text(text, &now));
    if (sample->good) {
        json_add_real(json, "value", sample->value, 9);
    } else {
        json_add_text(json, "error", failure);
    }
    if (details != NULL) {
        cJSON_AddItemReferenceToObject(json, "details", details);
    }
    good = write_line(file, json);
    cJSON_Delete(json);
    return good;
}

// The sample of a line must be the one that is due: order and seed are then the same as before.
static bool take_line(struct experiment *experiment, const cJSON *json) {
    const cJSON *index = cJSON_GetObjectItemCaseSensitive(json, "sample");
    const cJSON *letter = cJSON_GetObjectItemCaseSensitive(json, "configuration");
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, "value");
    const struct experiment_sample *due = experiment_next(experiment);

    if (due == NULL || !cJSON_IsNumber(index) || index->valuedouble != (double)due->index ||
        !cJSON_IsString(letter) || letter->valuestring[0] != (char)('a' + (int)due->config)) {
        return false;
    }
    experiment_take(
        experiment, cJSON_IsNumber(value), cJSON_IsNumber(value) ? value->valuedouble : 0);
    return true;
}

// One whole line as JSON; NULL at the end, or where it is none.
static cJSON *read_line(FILE *file, char **line, size_t *room, bool *whole) {
    ssize_t size = getline(line, room, file);

    *whole = size > 0 && (*line)[size - 1] == '\n';
    return *whole ? cJSON_Parse(*line) : NULL;
}

static bool read_samples(
    FILE *file, struct experiment *experiment, long *good_bytes, char **line, size_t *room) {
    bool whole = true;

    for (;;) {
        cJSON *json = read_line(file, line, room, &whole);
        bool good = json != NULL && take_line(experiment, json);

        cJSON_Delete(json);
        if (!whole) {
            return true;  // the end, or the line an interruption has cut
        }
        if (!good) {
            return false;
        }
        *good_bytes = ftell(file);
    }
}

FILE *store_resume(
    const char *path, struct setup *setup, struct experiment *experiment, char error[SETUP_ERROR]) {
    FILE *file = fopen(path, "r+");
    char reason[SETUP_ERROR] = "its first line is not that of a comparison";
    char *line = NULL;
    size_t room = 0;
    bool whole;
    cJSON *json;
    long good_bytes;
    bool good;

    if (file == NULL) {
        snprintf(error, SETUP_ERROR, "%.200s: %s", path, strerror(errno));
        return NULL;
    }
    json = read_line(file, &line, &room, &whole);
    good = json != NULL && setup_from_json(setup, json, reason);
    cJSON_Delete(json);
    good_bytes = ftell(file);
    if (good && !experiment_init(
                    experiment,
                    setup->configs,
                    (uint32_t)setup->blocks,
                    (uint32_t)setup->warmup,
                    setup->seed)) {
        snprintf(reason, sizeof(reason), "not enough memory");
        good = false;
    } else if (good && !read_samples(file, experiment, &good_bytes, &line, &room)) {
        snprintf(reason, sizeof(reason), "line %u is damaged", experiment->taken + 2);
        experiment_free(experiment);
        good = false;
    }
    free(line);
    if (good && (fseek(file, good_bytes, SEEK_SET) != 0 ||
                 ftruncate(fileno(file), (off_t)good_bytes) != 0)) {
        snprintf(reason, sizeof(reason), "%s", strerror(errno));
        experiment_free(experiment);
        good = false;
    }
    if (!good) {
        snprintf(error, SETUP_ERROR, "%.150s: %.200s", path, reason);
        fclose(file);
        return NULL;
    }
    return file;
}
