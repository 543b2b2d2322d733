// SPDX-License-Identifier: MIT
#include "options_network.h"

#include <stdio.h>
#include <string.h>

// "name=value" up to the comma at `end` into the field of that name.
static int set_ap_field(
    struct run_options *options, const struct options_spec *spec, const char *part, size_t length) {
    static const char *const names[] = {"ssid=", "key=", "auth="};
    char *const fields[] = {options->ssid, options->key, options->auth_text};
    const size_t rooms[] = {
        sizeof(options->ssid), sizeof(options->key), sizeof(options->auth_text)};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t name_len = strlen(names[i]);

        if (length < name_len || strncmp(part, names[i], name_len) != 0) {
            continue;
        }
        if (length - name_len >= rooms[i]) {
            return options_error(
                spec,
                "--ap: %.*s has more than %zu characters",
                (int)name_len - 1,
                names[i],
                rooms[i] - 1);
        }
        snprintf(fields[i], rooms[i], "%.*s", (int)(length - name_len), part + name_len);
        return OPTIONS_GO_ON;
    }
    return options_error(spec, "--ap: '%.*s' is none of ssid=, key=, auth=", (int)length, part);
}

static bool parse_auth(struct run_options *options) {
    static const char *const names[] = {
        [RUN_AUTH_OPEN] = "open",
        [RUN_AUTH_WPA2] = "wpa2",
        [RUN_AUTH_WPA3] = "wpa3",
        [RUN_AUTH_WPA2_WPA3] = "wpa2-wpa3",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(options->auth_text, names[i]) == 0) {
            options->auth = (int)i;
            return true;
        }
    }
    return false;
}

int run_options_ap(struct run_options *options, const struct options_spec *spec) {
    const char *at = options->ap;

    while (*at != '\0') {
        size_t length = strcspn(at, ",");
        int code = set_ap_field(options, spec, at, length);

        if (code != OPTIONS_GO_ON) {
            return code;
        }
        at += length + (at[length] == ',' ? 1 : 0);
    }
    if (options->ssid[0] == '\0') {
        return options_error(spec, "--ap: give the name of the network as ssid=NAME");
    }
    if (options->auth_text[0] == '\0') {
        options->auth = options->key[0] == '\0' ? RUN_AUTH_OPEN : RUN_AUTH_WPA2;
    } else if (!parse_auth(options)) {
        return options_error(
            spec, "--ap: auth=%s is none of: open, wpa2, wpa3, wpa2-wpa3", options->auth_text);
    }
    if (options->auth != RUN_AUTH_OPEN && strlen(options->key) < 8) {
        return options_error(spec, "--ap: a key has 8 to 63 characters; give key=...");
    }
    return OPTIONS_GO_ON;
}

int run_options_radio(const struct run_options *options, const struct options_spec *spec) {
    const char *country = options->country;

    if (options->bus_mhz > 50 && !options->out_of_spec) {
        return options_error(
            spec, "--bus-mhz: above 50 the chip is out of specification; say --out-of-spec too");
    }
    if (strlen(country) != 2 || country[0] < 'A' || country[0] > 'Z' || country[1] < 'A' ||
        country[1] > 'Z') {
        return options_error(spec, "--country: two letters, such as DE, or XX for the world");
    }
    if (options->firmware != NULL && options->nvram == NULL) {
        return options_error(spec, "--firmware needs its NVRAM too: give --nvram FILE");
    }
    if (options->firmware == NULL &&
        (options->nvram != NULL || options->clm != NULL || options->firmware_sha256 != NULL)) {
        return options_error(spec, "--nvram, --clm and --firmware-sha256 go with --firmware FILE");
    }
    return OPTIONS_GO_ON;
}
