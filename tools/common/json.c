// SPDX-License-Identifier: MIT
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cJSON *must(cJSON *item) {
    if (item == NULL) {
        fputs("coradio: out of memory while building a result\n", stderr);
        abort();
    }
    return item;
}

static void add(cJSON *object, const char *name, cJSON *item) {
    if (!cJSON_AddItemToObject(object, name, must(item))) {
        must(NULL);
    }
}

cJSON *json_new_object(void) {
    return must(cJSON_CreateObject());
}

cJSON *json_add_object(cJSON *parent, const char *name) {
    cJSON *item = json_new_object();

    add(parent, name, item);
    return item;
}

cJSON *json_add_array(cJSON *parent, const char *name) {
    cJSON *item = must(cJSON_CreateArray());

    add(parent, name, item);
    return item;
}

cJSON *json_append_object(cJSON *array) {
    cJSON *item = json_new_object();

    if (!cJSON_AddItemToArray(array, item)) {
        must(NULL);
    }
    return item;
}

void json_append_text(cJSON *array, const char *text) {
    if (!cJSON_AddItemToArray(array, must(cJSON_CreateString(text)))) {
        must(NULL);
    }
}

void json_add_u64(cJSON *object, const char *name, uint64_t value) {
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, value);
    add(object, name, cJSON_CreateRaw(text));
}

void json_add_i64(cJSON *object, const char *name, int64_t value) {
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, value);
    add(object, name, cJSON_CreateRaw(text));
}

void json_add_real(cJSON *object, const char *name, double value, int decimals) {
    char text[64];

    if (!isfinite(value) || fabs(value) > 1e30) {
        json_add_null(object, name);
        return;
    }
    snprintf(text, sizeof(text), "%.*f", decimals, value);
    if (strchr(text, '.') != NULL) {
        size_t length = strlen(text);

        while (text[length - 1] == '0') {
            text[--length] = '\0';
        }
        if (text[length - 1] == '.') {
            text[--length] = '\0';
        }
    }
    add(object, name, cJSON_CreateRaw(strcmp(text, "-0") == 0 ? "0" : text));
}

void json_add_bool(cJSON *object, const char *name, bool value) {
    add(object, name, cJSON_CreateBool(value));
}

void json_add_text(cJSON *object, const char *name, const char *text) {
    add(object, name, text == NULL ? cJSON_CreateNull() : cJSON_CreateString(text));
}

void json_add_null(cJSON *object, const char *name) {
    add(object, name, cJSON_CreateNull());
}

bool json_print(FILE *file, const cJSON *root) {
    char *text = cJSON_Print(root);

    if (text == NULL) {
        must(NULL);
        return false;
    }
    fputs(text, file);
    fputc('\n', file);
    cJSON_free(text);
    return fflush(file) == 0 && !ferror(file);
}

// A device or pipe cannot be replaced by renaming; it is written in place.
static bool is_replaceable(const char *path) {
    struct stat status;

    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

int json_write(const char *path, const cJSON *root) {
    if (strcmp(path, "-") == 0) {
        return json_print(stdout, root) ? 0 : errno;
    }
    bool replace = is_replaceable(path);
    size_t size = strlen(path) + sizeof(".new");
    char *target = malloc(size);
    if (target == NULL) {
        return ENOMEM;
    }
    snprintf(target, size, "%s%s", path, replace ? ".new" : "");

    int error = 0;
    FILE *file = fopen(target, "w");
    if (file == NULL) {
        error = errno;
    } else {
        if (!json_print(file, root)) {
            error = errno != 0 ? errno : EIO;
        }
        if (fclose(file) != 0 && error == 0) {
            error = errno;
        }
        if (replace && error == 0 && rename(target, path) != 0) {
            error = errno;
        }
        if (replace && error != 0) {
            (void)unlink(target);  // the error is told already; a left-over is no second one
        }
    }
    free(target);
    return error;
}
