// SPDX-License-Identifier: MIT
// Control settings: what a board can be told to measure, by the names of coradio run's options.
//
// A setting that was not given is the board's own default. Numbers are whole: Hz, bytes,
// microseconds, bits a second, so that a board without floating point keeps them exactly.
#ifndef CORADIO_CONTROL_SETTINGS_H
#define CORADIO_CONTROL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COR_CONTROL_VALUE_BYTES 64u  // room for a value as text

enum cor_control_kind {
    COR_CONTROL_CHOICE,  // one of the words between "|"; kept as its place among them
    COR_CONTROL_COUNT,   // "8"
    COR_CONTROL_MHZ,     // "37.5"; kept in Hz
    COR_CONTROL_SIZE,    // "64KiB", "10M"; kept in bytes
    COR_CONTROL_TIME,    // "3s", "200ms", "50us", bare numbers are seconds; kept in microseconds
    COR_CONTROL_RATE,    // "10M"; kept in bits a second
    COR_CONTROL_TEXT,    // as it stands
    COR_CONTROL_SECRET,  // the same, but never read back
};

// name, key of a line, field in JSON, kind, lowest, highest (of texts: characters), choices
// clang-format off
#define COR_CONTROL_SETTINGS(X)                                                                \
    X(app,           "app",           "app",                CHOICE, 0, 0,                      \
      "tcp-tx|udp-tx|ping|tcp-rx|udp-rx|tcp-both|iperf")                                       \
    X(bytes,         "bytes",         "bytes",              SIZE,   1, UINT64_C(1) << 50, "")  \
    X(duration,      "duration",      "duration_s",         TIME,   1000, 86400000000, "")     \
    X(payload_bytes, "payload-bytes", "payload_bytes",      SIZE,   16, 1472, "")              \
    X(offered,       "offered",       "offered_bps",        RATE,   1000, 1000000000, "")      \
    X(count,         "count",         "count",              COUNT,  1, 1000000, "")            \
    X(interval,      "interval",      "interval_s",         TIME,   1000, 86400000000, "")     \
    X(bus_mhz,       "bus-mhz",       "bus_mhz",            MHZ,    1000000, 75000000, "")     \
    X(cpu_mhz,       "cpu-mhz",       "cpu_mhz",            MHZ,    12000000, 400000000, "")   \
    X(engine,        "engine",        "engine",             CHOICE, 0, 0, "queued|serial")     \
    X(ring,          "ring",          "ring_bytes",         SIZE,   4096, 262140, "")          \
    X(receive_ring,  "receive-ring",  "receive_ring_bytes", SIZE,   2920, 16777216, "")        \
    X(ack_segments,  "ack-segments",  "ack_segments",       COUNT,  1, 64, "")                 \
    X(pm,            "pm",            "pm",                 CHOICE, 0, 0,                      \
      "none|performance|aggressive")                                                           \
    X(listen,        "listen",        "listen",             COUNT,  1, 15, "")                 \
    X(ampdu,         "ampdu",         "ampdu",              COUNT,  1, 32, "")                 \
    X(mcs,           "mcs",           "mcs",                COUNT,  0, 7, "")                  \
    X(gi,            "gi",            "gi",                 CHOICE, 0, 0, "long|short")        \
    X(seed,          "seed",          "seed",               COUNT,  0, UINT64_MAX, "")         \
    X(to,            "to",            "to",                 TEXT,   1, 63, "")                 \
    X(ssid,          "ssid",          "ssid",               TEXT,   1, 32, "")                 \
    X(key,           "key",           "key",                SECRET, 8, 63, "")
// clang-format on

enum cor_control_setting {
#define X(name, key, json, kind, lowest, highest, choices) COR_CONTROL_SETTING_##name,
    COR_CONTROL_SETTINGS(X)
#undef X
        COR_CONTROL_SETTING_COUNT,
};

struct cor_control_row {
    const char *key;
    const char *json;
    enum cor_control_kind kind;
    uint64_t lowest;
    uint64_t highest;
    const char *choices;
};

struct cor_control_settings {
    uint32_t given;  // bit n: setting n was given
    uint64_t value[COR_CONTROL_SETTING_COUNT];
    char to[COR_CONTROL_VALUE_BYTES];
    char ssid[COR_CONTROL_VALUE_BYTES];
    char key[COR_CONTROL_VALUE_BYTES];
};

const struct cor_control_row *cor_control_row(enum cor_control_setting setting);
// The setting of that key; COR_CONTROL_SETTING_COUNT when there is none.
enum cor_control_setting cor_control_find(const char *key);
bool cor_control_given(
    const struct cor_control_settings *settings, enum cor_control_setting setting);

// Takes a value as text. COR_E_ARG: it is none, or out of range; nothing was changed.
COR_MUST_CHECK enum cor_status cor_control_set_text(
    struct cor_control_settings *settings, enum cor_control_setting setting, const char *text);
void cor_control_set(
    struct cor_control_settings *settings, enum cor_control_setting setting, uint64_t value);
// The value as a line would give it, and as JSON would hold it (without quotation marks). Returns
// its length; 0: not given, or a secret.
uint32_t cor_control_get_text(
    const struct cor_control_settings *settings,
    enum cor_control_setting setting,
    char text[COR_CONTROL_VALUE_BYTES]);
// Whether JSON puts the value in quotation marks.
bool cor_control_is_text(enum cor_control_setting setting);
// Forgets all but where to and which network.
void cor_control_forget(struct cor_control_settings *settings);

// A number with `decimals` decimals as text ("37.5" of 37500000 with 6); returns its length.
uint32_t cor_control_decimal(uint64_t value, unsigned decimals, char text[COR_CONTROL_VALUE_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
