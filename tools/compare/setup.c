// SPDX-License-Identifier: MIT
#include "compare/setup.h"

#include "common/json.h"

#include <stdio.h>
#include <string.h>

#define FILE_KIND   "coradio-compare"
#define FILE_SCHEMA 1

static bool split_config(
    const struct setup *setup, struct setup_config *config, char error[SETUP_ERROR]) {
    const char *text = config->text;

    if (strncmp(text, "run:", 4) == 0) {
        config->command = text + 4;
        config->settings = "";
        return true;
    }
    config->command = NULL;
    config->settings = text;
    snprintf(config->address, sizeof(config->address), "%s", setup->board);
    if (text[0] == '@') {
        size_t size = strcspn(text + 1, " ");

        if (size == 0) {
            snprintf(error, SETUP_ERROR, "'%.60s': give @ADDRESS SETTINGS", text);
            return false;
        }
        snprintf(config->address, sizeof(config->address), "%.*s", (int)size, text + 1);
        config->settings = text + 1 + size;
    }
    for (const char *at = config->settings + strspn(config->settings, " "); *at != '\0';) {
        size_t size = strcspn(at, " ");

        if (memchr(at, '=', size) == NULL) {
            snprintf(
                error,
                SETUP_ERROR,
                "'%.*s' is no setting; write KEY=VALUE, or run:COMMAND",
                (int)(size < 60 ? size : 60),
                at);
            return false;
        }
        at += size;
        at += strspn(at, " ");
    }
    return true;
}

bool setup_configs(struct setup *setup, char error[SETUP_ERROR]) {
    for (size_t i = 0; i < setup->configs; i++) {
        if (!split_config(setup, &setup->config[i], error)) {
            return false;
        }
    }
    return true;
}

void setup_unit(struct setup *setup) {
    static const struct {
        const char *ending;
        const char *unit;
        double scale;
    } units[] = {
        {"_bps", "Mbit/s", 1e6},
        {"_s", "s", 1},
        {"_mw", "mW", 1},
        {"nj_per_bit", "nJ/bit", 1},
    };
    size_t size = strlen(setup->metric);

    setup->scale = 1;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && setup->unit[0] == '\0'; i++) {
        size_t ending = strlen(units[i].ending);

        if (size > ending && strcmp(setup->metric + size - ending, units[i].ending) == 0) {
            snprintf(setup->unit, sizeof(setup->unit), "%s", units[i].unit);
            setup->scale = units[i].scale;
        }
    }
    if (setup->unit[0] == '\0' && strncmp(setup->metric, "latency_us.", 11) == 0) {
        snprintf(setup->unit, sizeof(setup->unit), "us");
    }
}

cJSON *setup_to_json(const struct setup *setup) {
    cJSON *json = json_new_object();
    cJSON *configs;

    json_add_text(json, "kind", FILE_KIND);
    json_add_u64(json, "schema", FILE_SCHEMA);
    json_add_text(json, "board", setup->board);
    json_add_text(json, "settings", setup->settings);
    json_add_text(json, "metric", setup->metric);
    json_add_text(json, "unit", setup->unit);
    json_add_real(json, "scale", setup->scale, 6);
    json_add_u64(json, "blocks", setup->blocks);
    json_add_u64(json, "warmup", setup->warmup);
    json_add_u64(json, "seed", setup->seed);
    json_add_u64(json, "pause_ns", setup->pause_ns);
    json_add_u64(json, "timeout_ns", setup->timeout_ns);
    configs = json_add_array(json, "configurations");
    for (size_t i = 0; i < setup->configs; i++) {
        json_append_text(configs, setup->config[i].text);
    }
    return json;
}

static bool text_from(const cJSON *json, const char *name, char *text, size_t room) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

    if (!cJSON_IsString(item) || strlen(item->valuestring) >= room) {
        return false;
    }
    snprintf(text, room, "%s", item->valuestring);
    return true;
}

static bool u64_from(const cJSON *json, const char *name, uint64_t *value, uint64_t highest) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

    if (!cJSON_IsNumber(item) || item->valuedouble < 0 || item->valuedouble > (double)highest) {
        return false;
    }
    *value = (uint64_t)item->valuedouble;
    return true;
}

bool setup_from_json(struct setup *setup, const cJSON *json, char error[SETUP_ERROR]) {
    const cJSON *configs = cJSON_GetObjectItemCaseSensitive(json, "configurations");
    const cJSON *scale = cJSON_GetObjectItemCaseSensitive(json, "scale");
    const cJSON *each;
    uint64_t schema = 0;
    char kind[32];

    memset(setup, 0, sizeof(*setup));
    if (!text_from(json, "kind", kind, sizeof(kind)) || strcmp(kind, FILE_KIND) != 0 ||
        !u64_from(json, "schema", &schema, 1000) || schema != FILE_SCHEMA) {
        snprintf(error, SETUP_ERROR, "its first line is not that of a comparison of this version");
        return false;
    }
    cJSON_ArrayForEach(each, configs) {
        if (setup->configs == EXPERIMENT_CONFIGS_MAX || !cJSON_IsString(each) ||
            strlen(each->valuestring) >= SETUP_TEXT_BYTES) {
            setup->configs = 0;
            break;
        }
        snprintf(setup->config[setup->configs++].text, SETUP_TEXT_BYTES, "%s", each->valuestring);
    }
    if (setup->configs < 2 || !cJSON_IsNumber(scale) || !(scale->valuedouble > 0) ||
        !text_from(json, "board", setup->board, sizeof(setup->board)) ||
        !text_from(json, "settings", setup->settings, sizeof(setup->settings)) ||
        !text_from(json, "metric", setup->metric, sizeof(setup->metric)) ||
        !text_from(json, "unit", setup->unit, sizeof(setup->unit)) ||
        !u64_from(json, "blocks", &setup->blocks, EXPERIMENT_BLOCKS_MAX) ||
        !u64_from(json, "warmup", &setup->warmup, EXPERIMENT_BLOCKS_MAX) ||
        !u64_from(json, "seed", &setup->seed, UINT64_C(1) << 53) ||
        !u64_from(json, "pause_ns", &setup->pause_ns, UINT64_C(1) << 53) ||
        !u64_from(json, "timeout_ns", &setup->timeout_ns, UINT64_C(1) << 53)) {
        snprintf(error, SETUP_ERROR, "its first line is damaged");
        return false;
    }
    setup->scale = scale->valuedouble;
    return setup_configs(setup, error);
}
