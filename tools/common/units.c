// SPDX-License-Identifier: MIT
#include "units.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"k", 1000},
    {"K", 1000},
    {"kB", 1000},
    {"KB", 1000},
    {"M", 1000000},
    {"MB", 1000000},
    {"G", 1000000000},
    {"GB", 1000000000},
    {"T", 1000000000000},
    {"TB", 1000000000000},
    {"Ki", UINT64_C(1) << 10},
    {"KiB", UINT64_C(1) << 10},
    {"Mi", UINT64_C(1) << 20},
    {"MiB", UINT64_C(1) << 20},
    {"Gi", UINT64_C(1) << 30},
    {"GiB", UINT64_C(1) << 30},
    {"Ti", UINT64_C(1) << 40},
    {"TiB", UINT64_C(1) << 40},
    {NULL, 0},
};

static const struct unit time_units[] = {
    {"", 1000000000},
    {"s", 1000000000},
    {"ms", 1000000},
    {"us", 1000},
    {"ns", 1},
    {"min", UINT64_C(60) * 1000000000},
    {"h", UINT64_C(3600) * 1000000000},
    {NULL, 0},
};

static const struct unit rate_units[] = {
    {"", 1},
    {"bit/s", 1},
    {"bps", 1},
    {"k", 1000},
    {"K", 1000},
    {"kbit/s", 1000},
    {"kbps", 1000},
    {"M", 1000000},
    {"Mbit/s", 1000000},
    {"Mbps", 1000000},
    {"G", 1000000000},
    {"Gbit/s", 1000000000},
    {"Gbps", 1000000000},
    {NULL, 0},
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// digits [. digits], as an integer scaled by 10^decimals. Returns where it ends; text when there
// is no number, NULL when it has more figures than a number of ours can hold.
static const char *parse_decimal(const char *text, uint64_t *digits, unsigned *decimals) {
    const char *at = text;
    bool after_point = false;

    *digits = 0;
    *decimals = 0;
    if (!is_digit(*at)) {
        return text;
    }
    for (; is_digit(*at) || (*at == '.' && !after_point && is_digit(at[1])); at++) {
        if (*at == '.') {
            after_point = true;
            continue;
        }
        if (*digits > (UINT64_MAX - 9) / 10) {
            return NULL;
        }
        *digits = *digits * 10 + (uint64_t)(*at - '0');
        *decimals += after_point ? 1 : 0;
    }
    return at;
}

static const char *parse_with_units(
    const char *text, const struct unit *units, const char *unknown, uint64_t *value) {
    uint64_t digits = 0;
    unsigned decimals = 0;
    const char *rest = parse_decimal(text, &digits, &decimals);

    if (rest == NULL) {
        return "is too large";
    }
    if (rest == text) {
        return text[0] == '-' ? "is negative; give a positive number" : "is no number";
    }
    const struct unit *unit = units;
    while (unit->name != NULL && strcmp(unit->name, rest) != 0) {
        unit++;
    }
    if (unit->name == NULL) {
        return unknown;
    }
    uint64_t factor = unit->factor;
    for (; decimals > 0; decimals--) {
        if (factor % 10 == 0) {
            factor /= 10;
        } else if (digits % 10 == 0) {
            digits /= 10;
        } else if (factor % 2 == 0 && digits % 5 == 0) {
            factor /= 2;
            digits /= 5;
        } else {
            return "has more decimals than its unit can hold";
        }
    }
    if (digits > UINT64_MAX / factor) {
        return "is too large";
    }
    *value = digits * factor;
    return NULL;
}

const char *units_parse_size(const char *text, uint64_t *size_bytes) {
    return parse_with_units(
        text,
        size_units,
        "has an unknown unit; sizes end in k M G (powers of 1000) or KiB MiB GiB (powers of 1024)",
        size_bytes);
}

const char *units_parse_time(const char *text, uint64_t *time_ns) {
    return parse_with_units(
        text, time_units, "has an unknown unit; times end in us, ms, s, min or h", time_ns);
}

const char *units_parse_rate(const char *text, uint64_t *rate_bps) {
    return parse_with_units(
        text, rate_units, "has an unknown unit; rates end in k, M or G (bits a second)", rate_bps);
}

const char *units_parse_count(const char *text, uint64_t *count) {
    uint64_t value = 0;
    const char *at = text;
    unsigned base = 10;

    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && at[2] != '\0') {
        base = 16;
        at += 2;
    }
    if (*at == '\0') {
        return "is no number";
    }
    for (; *at != '\0'; at++) {
        static const char digits[] = "0123456789abcdef";
        int c = *at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at;
        const char *digit = strchr(digits, c);

        if (digit == NULL || (unsigned)(digit - digits) >= base) {
            return text[0] == '-' ? "is negative; give a positive number" : "is no whole number";
        }
        if (value > (UINT64_MAX - 15) / base) {
            return "is too large";
        }
        value = value * base + (uint64_t)(digit - digits);
    }
    *count = value;
    return NULL;
}

const char *units_parse_real(const char *text, double *value) {
    uint64_t digits = 0;
    unsigned decimals = 0;
    const char *rest = parse_decimal(text, &digits, &decimals);

    if (rest == NULL) {
        return "has too many digits";
    }
    if (rest == text) {
        return text[0] == '-' ? "is negative; give a positive number" : "is no number";
    }
    if (*rest != '\0') {
        return "is no number";
    }
    *value = strtod(text, NULL);
    return NULL;
}

// Three figures and the largest unit that leaves at least one before the point.
static char *format_scaled(char text[UNITS_TEXT_SIZE], double value, const char *const *units) {
    size_t i = 0;

    while (value >= 999.5 && units[i + 1] != NULL) {
        value /= 1000.0;
        i++;
    }
    int decimals = i == 0 && value >= 99.95 ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(text, UNITS_TEXT_SIZE, "%.*f %s", decimals, value, units[i]);
    return text;
}

char *units_format_size(char text[UNITS_TEXT_SIZE], uint64_t size_bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB", NULL};

    if (size_bytes < 1000) {
        snprintf(text, UNITS_TEXT_SIZE, "%u B", (unsigned)size_bytes);
        return text;
    }
    return format_scaled(text, (double)size_bytes, units);
}

char *units_format_rate(char text[UNITS_TEXT_SIZE], double rate_bps) {
    static const char *const units[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", NULL};

    return format_scaled(text, rate_bps, units);
}

char *units_format_time(char text[UNITS_TEXT_SIZE], uint64_t time_ns) {
    static const char *const units[] = {"ns", "us", "ms", "s", NULL};
    uint64_t time_s = time_ns / 1000000000;

    if (time_ns == 0) {
        snprintf(text, UNITS_TEXT_SIZE, "0 s");
        return text;
    }
    if (time_s >= 600) {
        snprintf(
            text,
            UNITS_TEXT_SIZE,
            "%llu:%02u:%02u",
            (unsigned long long)(time_s / 3600),
            (unsigned)(time_s / 60 % 60),
            (unsigned)(time_s % 60));
        return text;
    }
    return format_scaled(text, (double)time_ns, units);
}
