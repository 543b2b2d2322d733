// SPDX-License-Identifier: MIT
// Fuzz: any bytes as orders, on the console and over TCP, in pieces cut anywhere.
#include "fuzz.h"

#include <string.h>

#include "coradio/app_control.h"

static struct cor_control control;

static void take(void *context, const char *text, uint32_t size) {
    bool *quoted = context;

    // Nothing but printable ASCII and line ends goes out.
    for (uint32_t i = 0; i < size; i++) {
        FUZZ_CHECK((text[i] >= ' ' && text[i] <= '~') || text[i] == '\n');
    }
    *quoted = true;
}

static enum cor_status start(
    void *port, const struct cor_control_settings *settings, const char **why) {
    (void)port;
    (void)why;
    fuzz_touch((const uint8_t *)settings, sizeof(*settings));
    return COR_OK;
}

static void stop(void *port) {
    struct cor_control_report report = {.complete = true, .interval_us = 1};

    (void)port;
    cor_control_finish(&control, &report);
}

static enum cor_status other(void *port, const char *key, const char *value, const char **why) {
    (void)port;
    (void)why;
    fuzz_touch((const uint8_t *)key, strlen(key));
    fuzz_touch((const uint8_t *)value, strlen(value));
    return COR_E_UNSUPPORTED;
}

static void effective(void *port, struct cor_control_settings *settings) {
    (void)port;
    *settings = control.asked;
}

static void identify(void *port, struct cor_control_identity *identity) {
    (void)port;
    *identity = (struct cor_control_identity){"board", "0", "", false};
}

static const struct cor_control_ops ops = {start, stop, other, effective, identify};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t random[COR_CONTROL_CHALLENGE_BYTES] = {7};
    struct cor_control_session session;
    bool quoted = false;
    uint32_t piece = size > 0 ? 1u + data[0] % 61u : 1;
    bool console = size > 0 && (data[0] & 0x80) == 0;

    cor_control_init(&control, &ops, NULL);
    cor_control_open_console(&session, &control, take, &quoted);
    if (!console) {
        static const char on[] = "secret=0123456789abcdef\ntcp=on\n";

        cor_control_input(&session, (const uint8_t *)on, sizeof(on) - 1);
        FUZZ_CHECK(cor_control_open_tcp(&session, &control, take, &quoted, random) == COR_OK);
    }
    for (size_t at = 0; at < size; at += piece) {
        uint32_t now = size - at < piece ? (uint32_t)(size - at) : piece;

        cor_control_input(&session, data + at, now);
        FUZZ_CHECK(session.line_bytes <= COR_CONTROL_LINE_BYTES);
    }
    // Without the proof, which no input can hold, nothing is obeyed.
    FUZZ_CHECK(console || (!session.trusted && control.asked.given == 0 && !control.running));
    for (uint32_t i = 0; i < COR_CONTROL_SETTING_COUNT; i++) {
        const struct cor_control_row *row = cor_control_row((enum cor_control_setting)i);
        uint64_t value = control.asked.value[i];

        FUZZ_CHECK(
            !cor_control_given(&control.asked, (enum cor_control_setting)i) ||
            row->kind == COR_CONTROL_CHOICE || (value >= row->lowest && value <= row->highest));
    }
    cor_control_close(&session);
    return 0;
}
