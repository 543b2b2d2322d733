// SPDX-License-Identifier: MIT
#include "coradio/control_settings.h"

#include <string.h>

#include "coradio/assert.h"

#define DIGITS_MAX 20u  // of a 64-bit number

static const struct cor_control_row rows[COR_CONTROL_SETTING_COUNT] = {
#define X(name, key, json, kind, lowest, highest, choices)                                         \
    [COR_CONTROL_SETTING_##name] = {key, json, COR_CONTROL_##kind, lowest, highest, choices},
    COR_CONTROL_SETTINGS(X)
#undef X
};

_Static_assert(COR_CONTROL_SETTING_COUNT <= 32, "`given` has a bit for each");

const struct cor_control_row *cor_control_row(enum cor_control_setting setting) {
    COR_ASSERT(setting < COR_CONTROL_SETTING_COUNT);
    return &rows[setting];
}

enum cor_control_setting cor_control_find(const char *key) {
    uint32_t size = (uint32_t)strlen(key) + 1;

    for (uint32_t i = 0; i < COR_CONTROL_SETTING_COUNT; i++) {
        if (strlen(rows[i].key) + 1 == size && memcmp(rows[i].key, key, size) == 0) {
            return (enum cor_control_setting)i;
        }
    }
    return COR_CONTROL_SETTING_COUNT;
}

bool cor_control_given(
    const struct cor_control_settings *settings, enum cor_control_setting setting) {
    return (settings->given >> setting & 1) != 0;
}

void cor_control_set(
    struct cor_control_settings *settings, enum cor_control_setting setting, uint64_t value) {
    settings->value[setting] = value;
    settings->given |= UINT32_C(1) << setting;
}

// ---- text to number

// Multiplies within 64 bits; false where it does not fit.
static bool scale(uint64_t *value, uint64_t factor) {
    if (*value > UINT64_MAX / factor) {
        return false;
    }
    *value *= factor;
    return true;
}

// A decimal number, times 10^decimals, with not more decimals than that. *rest is what follows.
static bool parse_decimal(const char *text, unsigned decimals, uint64_t *value, const char **rest) {
    unsigned digits = 0;
    bool point = false;

    *value = 0;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (point && decimals-- == 0) {
            return false;
        }
        digits++;
        if (!scale(value, 10) || *value > UINT64_MAX - (uint64_t)(*text - '0')) {
            return false;
        }
        *value += (uint64_t)(*text - '0');
    }
    for (; decimals > 0; decimals--) {
        if (!scale(value, 10)) {
            return false;
        }
    }
    *rest = text;
    return digits > 0;
}

struct unit {
    const char *name;
    unsigned decimals;  // powers of ten
    uint64_t factor;    // beside them
};

static const struct unit size_units[] = {
    {"", 0, 1},
    {"k", 3, 1},
    {"M", 6, 1},
    {"G", 9, 1},
    {"Ki", 0, UINT64_C(1) << 10},
    {"Mi", 0, UINT64_C(1) << 20},
    {"Gi", 0, UINT64_C(1) << 30},
    {"B", 0, 1},
    {"kB", 3, 1},
    {"MB", 6, 1},
    {"GB", 9, 1},
    {"KiB", 0, UINT64_C(1) << 10},
    {"MiB", 0, UINT64_C(1) << 20},
    {"GiB", 0, UINT64_C(1) << 30},
};
static const struct unit rate_units[] = {{"", 0, 1}, {"k", 3, 1}, {"M", 6, 1}, {"G", 9, 1}};
static const struct unit time_units[] = {
    {"", 6, 1}, {"s", 6, 1}, {"ms", 3, 1}, {"us", 0, 1}, {"min", 6, 60}, {"h", 6, 3600}};
static const struct unit mhz_units[] = {{"", 6, 1}};
static const struct unit count_units[] = {{"", 0, 1}};

static bool parse_units(const char *text, const struct unit *units, size_t count, uint64_t *value) {
    const char *rest = text;

    while ((*rest >= '0' && *rest <= '9') || *rest == '.') {
        rest++;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t size = (uint32_t)strlen(units[i].name) + 1;

        if (strlen(rest) + 1 == size && memcmp(units[i].name, rest, size) == 0) {
            return parse_decimal(text, units[i].decimals, value, &rest) &&
                   scale(value, units[i].factor);
        }
    }
    return false;
}

static bool parse_choice(const char *choices, const char *text, uint64_t *value) {
    size_t size = strlen(text);

    *value = 0;
    for (const char *at = choices; size > 0;) {
        const char *end = at;

        while (*end != '|' && *end != '\0') {
            end++;
        }
        if ((size_t)(end - at) == size && memcmp(at, text, size) == 0) {
            return true;
        }
        if (*end == '\0') {
            break;
        }
        at = end + 1;
        *value += 1;
    }
    return false;
}

static bool parse_value(const struct cor_control_row *row, const char *text, uint64_t *value) {
#define UNITS(list) parse_units(text, list, sizeof(list) / sizeof((list)[0]), value)
    switch (row->kind) {
    case COR_CONTROL_CHOICE:
        return parse_choice(row->choices, text, value);
    case COR_CONTROL_MHZ:
        return UNITS(mhz_units);
    case COR_CONTROL_SIZE:
        return UNITS(size_units);
    case COR_CONTROL_TIME:
        return UNITS(time_units);
    case COR_CONTROL_RATE:
        return UNITS(rate_units);
    case COR_CONTROL_TEXT:
    case COR_CONTROL_SECRET:
        *value = strlen(text);
        return true;
    default:
        return UNITS(count_units);
    }
#undef UNITS
}

// Where a text is kept.
static char *text_of(struct cor_control_settings *settings, enum cor_control_setting setting) {
    switch (setting) {
    case COR_CONTROL_SETTING_ssid:
        return settings->ssid;
    case COR_CONTROL_SETTING_key:
        return settings->key;
    default:
        return settings->to;
    }
}

enum cor_status cor_control_set_text(
    struct cor_control_settings *settings, enum cor_control_setting setting, const char *text) {
    const struct cor_control_row *row = cor_control_row(setting);
    uint64_t value;

    if (!parse_value(row, text, &value) ||
        (row->kind != COR_CONTROL_CHOICE && (value < row->lowest || value > row->highest))) {
        return COR_E_ARG;
    }
    if (row->kind == COR_CONTROL_TEXT || row->kind == COR_CONTROL_SECRET) {
        memcpy(text_of(settings, setting), text, (size_t)value + 1);
    }
    cor_control_set(settings, setting, value);
    return COR_OK;
}

// ---- number to text

uint32_t cor_control_decimal(
    uint64_t value, unsigned decimals, char text[COR_CONTROL_VALUE_BYTES]) {
    char digits[DIGITS_MAX + 12];
    uint32_t count = 0;
    uint32_t used = 0;

    while (decimals > 0 && value % 10 == 0) {
        value /= 10;
        decimals--;
    }
    // From the last digit to the first, with at least one before the point.
    for (unsigned n = 0; n <= decimals || value > 0; n++) {
        if (n > 0 && n == decimals) {
            digits[count++] = '.';
        }
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    }
    while (count > 0) {
        text[used++] = digits[--count];
    }
    text[used] = '\0';
    return used;
}

static uint32_t choice_text(
    const char *choices, uint64_t value, char text[COR_CONTROL_VALUE_BYTES]) {
    uint32_t size = 0;

    for (; value > 0 && *choices != '\0'; choices++) {
        value -= *choices == '|' ? 1 : 0;
    }
    for (; choices[size] != '|' && choices[size] != '\0'; size++) {
        text[size] = choices[size];
    }
    text[size] = '\0';
    return size;
}

uint32_t cor_control_get_text(
    const struct cor_control_settings *settings,
    enum cor_control_setting setting,
    char text[COR_CONTROL_VALUE_BYTES]) {
    const struct cor_control_row *row = cor_control_row(setting);
    const char *kept = setting == COR_CONTROL_SETTING_to ? settings->to : settings->ssid;

    text[0] = '\0';
    if (!cor_control_given(settings, setting) || row->kind == COR_CONTROL_SECRET) {
        return 0;
    }
    switch (row->kind) {
    case COR_CONTROL_CHOICE:
        return choice_text(row->choices, settings->value[setting], text);
    case COR_CONTROL_TEXT:
        memcpy(text, kept, COR_CONTROL_VALUE_BYTES);
        return (uint32_t)strlen(text);
    case COR_CONTROL_MHZ:
    case COR_CONTROL_TIME:
        return cor_control_decimal(settings->value[setting], 6, text);
    default:
        return cor_control_decimal(settings->value[setting], 0, text);
    }
}

bool cor_control_is_text(enum cor_control_setting setting) {
    enum cor_control_kind kind = cor_control_row(setting)->kind;

    return kind == COR_CONTROL_CHOICE || kind == COR_CONTROL_TEXT || kind == COR_CONTROL_SECRET;
}

void cor_control_forget(struct cor_control_settings *settings) {
    settings->given &= UINT32_C(1) << COR_CONTROL_SETTING_to |
                       UINT32_C(1) << COR_CONTROL_SETTING_ssid |
                       UINT32_C(1) << COR_CONTROL_SETTING_key;
}
