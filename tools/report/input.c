// SPDX-License-Identifier: MIT
#include "input.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Far above any result; a file beyond it is not one.
#define INPUT_BYTES_MAX (256u << 20)
#define TRACE_HEADER    "time_s,voltage_v,current_a,power_w"

const cJSON *report_at(const cJSON *json, const char *path) {
    while (json != NULL && *path != '\0') {
        char name[64];
        size_t length = strcspn(path, ".");

        if (length >= sizeof(name)) {
            return NULL;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        json = cJSON_GetObjectItemCaseSensitive(json, name);
        path += length + (path[length] == '.' ? 1 : 0);
    }
    return json;
}

double report_number(const cJSON *json, const char *path, double fallback) {
    const cJSON *found = report_at(json, path);

    return cJSON_IsNumber(found) && isfinite(found->valuedouble) ? found->valuedouble : fallback;
}

const char *report_text(const cJSON *json, const char *path, const char *fallback) {
    const cJSON *found = report_at(json, path);

    return cJSON_IsString(found) ? found->valuestring : fallback;
}

// The whole file with a zero byte behind it. NULL: errno says why.
static char *read_all(const char *path, size_t *size_bytes) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    size_t used = 0;

    if (file == NULL) {
        return NULL;
    }
    for (;;) {
        if (used + 1 >= room) {
            char *more = room > INPUT_BYTES_MAX ? NULL : realloc(text, room * 2 + 65536);

            if (more == NULL) {
                errno = room > INPUT_BYTES_MAX ? EFBIG : ENOMEM;
                break;
            }
            text = more;
            room = room * 2 + 65536;
        }
        size_t got = fread(text + used, 1, room - used - 1, file);
        used += got;
        if (got == 0) {
            if (ferror(file) == 0) {
                fclose(file);
                text[used] = '\0';
                *size_bytes = used;
                return text;
            }
            break;
        }
    }
    int code = errno;
    free(text);
    fclose(file);
    errno = code;
    return NULL;
}

static bool number(const char **at, char end, double *value) {
    char *stop = NULL;

    *value = strtod(*at, &stop);
    if (stop == *at || !isfinite(*value) || (*stop != end && !(end == '\n' && *stop == '\r'))) {
        return false;
    }
    *at = stop + 1;
    return true;
}

static bool parse_trace(struct report_input *input, const char *text, char error[512]) {
    struct report_trace *trace = &input->trace;
    size_t lines = 0;

    for (const char *at = text; *at != '\0'; at++) {
        lines += *at == '\n' ? 1 : 0;
    }
    trace->time_s = calloc(lines + 1, sizeof(double));
    trace->power_w = calloc(lines + 1, sizeof(double));
    if (trace->time_s == NULL || trace->power_w == NULL) {
        snprintf(error, 512, "%s: not enough memory", input->path);
        return false;
    }
    // A line without its end is cut off and left out.
    for (const char *line = strchr(text, '\n'); line != NULL && line[1] != '\0';) {
        const char *at = line + 1;
        double values[4];
        bool good = true;

        line = strchr(at, '\n');
        for (int i = 0; i < 4 && good; i++) {
            good = number(&at, i < 3 ? ',' : '\n', &values[i]);
        }
        if (!good || line == NULL) {
            trace->faulty++;
            continue;
        }
        trace->time_s[trace->count] = values[0];
        trace->power_w[trace->count++] = values[3];
    }
    if (trace->count < 2) {
        snprintf(error, 512, "%s: the power trace has fewer than two good lines", input->path);
        return false;
    }
    return true;
}

static bool recognise(struct report_input *input, char error[512]) {
    const cJSON *json = input->json;
    const char *schema = report_text(json, "schema", "");

    if (strncmp(schema, "coradio-sink-", 13) == 0) {
        input->kind = REPORT_KIND_sink;
    } else if (cJSON_IsTrue(report_at(json, "computed")) && report_at(json, "bounds") != NULL) {
        input->kind = REPORT_KIND_budget;
    } else if (cJSON_IsArray(report_at(json, "configurations"))) {
        input->kind = REPORT_KIND_compare;
    } else if (report_at(json, "chronograph_us") != NULL && report_at(json, "result") != NULL) {
        input->kind = REPORT_KIND_run;
    } else {
        snprintf(
            error,
            512,
            "%s: is JSON, but no result of coradio run, sink, budget or compare",
            input->path);
        return false;
    }
    return true;
}

static void title_of(struct report_input *input) {
    const char *name = strrchr(input->path, '/');
    const char *dot;
    size_t length;

    name = name == NULL ? input->path : name + 1;
    dot = strrchr(name, '.');
    length = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
    length = length < sizeof(input->title) - 1 ? length : sizeof(input->title) - 1;
    memcpy(input->title, name, length);
    input->title[length] = '\0';
}

// Where in the text the parser gave up, counted in lines from 1.
static unsigned line_of(const char *text, const char *at) {
    unsigned line = 1;

    for (; at != NULL && text < at && *text != '\0'; text++) {
        line += *text == '\n' ? 1 : 0;
    }
    return line;
}

bool report_input_read(struct report_input *input, const char *path, char error[512]) {
    const char *stop = NULL;
    size_t size_bytes = 0;
    bool good;
    char *text;

    *input = (struct report_input){.path = path};
    title_of(input);
    text = read_all(path, &size_bytes);
    if (text == NULL) {
        snprintf(error, 512, "%s: %s", path, strerror(errno));
        return false;
    }
    if (strncmp(text, TRACE_HEADER, strlen(TRACE_HEADER)) == 0) {
        input->kind = REPORT_KIND_power;
        good = parse_trace(input, text, error);
    } else {
        input->json = cJSON_ParseWithOpts(text, &stop, true);
        good = input->json != NULL;
        if (!good) {
            snprintf(
                error,
                512,
                "%s: neither JSON nor a power trace (line %u); is it whole?",
                path,
                line_of(text, stop));
        }
        good = good && recognise(input, error);
    }
    free(text);
    if (!good) {
        report_input_free(input);
    }
    return good;
}

void report_input_free(struct report_input *input) {
    cJSON_Delete(input->json);
    free(input->trace.time_s);
    free(input->trace.power_w);
    input->json = NULL;
    input->trace = (struct report_trace){0};
}
