// SPDX-License-Identifier: MIT
// Replies: JSON in pieces, and the report of a run in the fields of `coradio run --json`.
#include "app/control_parts.h"

#include <string.h>

#define REPORT_SCHEMA 1u  // of docs/reference/run.md

void cor_reply_raw(struct cor_reply *reply, const char *text) {
    reply->session->write(reply->session->context, text, (uint32_t)strlen(text));
}

void cor_reply_name(struct cor_reply *reply, const char *name) {
    cor_reply_raw(reply, reply->first ? "\"" : ",\"");
    cor_reply_raw(reply, name);
    cor_reply_raw(reply, "\":");
    reply->first = false;
}

// Quotation marks and backslashes are escaped; what is no printable ASCII becomes "?".
void cor_reply_text(struct cor_reply *reply, const char *name, const char *text) {
    cor_reply_name(reply, name);
    cor_reply_raw(reply, "\"");
    for (; *text != '\0'; text++) {
        char piece[3] = {*text, '\0', '\0'};

        if (*text < ' ' || *text > '~') {
            piece[0] = '?';
        } else if (*text == '"' || *text == '\\') {
            piece[1] = *text;
            piece[0] = '\\';
        }
        cor_reply_raw(reply, piece);
    }
    cor_reply_raw(reply, "\"");
}

void cor_reply_decimal(
    struct cor_reply *reply, const char *name, uint64_t value, unsigned decimals) {
    char text[COR_CONTROL_VALUE_BYTES];

    cor_control_decimal(value, decimals, text);
    cor_reply_name(reply, name);
    cor_reply_raw(reply, text);
}

void cor_reply_u64(struct cor_reply *reply, const char *name, uint64_t value) {
    cor_reply_decimal(reply, name, value, 0);
}

void cor_reply_bool(struct cor_reply *reply, const char *name, bool value) {
    cor_reply_name(reply, name);
    cor_reply_raw(reply, value ? "true" : "false");
}

void cor_reply_open(struct cor_reply *reply, const char *name) {
    cor_reply_name(reply, name);
    cor_reply_raw(reply, "{");
    reply->first = true;
}

void cor_reply_close(struct cor_reply *reply) {
    cor_reply_raw(reply, "}");
    reply->first = false;
}

void cor_reply_settings(
    struct cor_reply *reply, const char *name, const struct cor_control_settings *settings) {
    char text[COR_CONTROL_VALUE_BYTES];

    cor_reply_open(reply, name);
    for (uint32_t i = 0; i < COR_CONTROL_SETTING_COUNT; i++) {
        enum cor_control_setting setting = (enum cor_control_setting)i;

        if (cor_control_get_text(settings, setting, text) == 0) {
            continue;
        }
        if (cor_control_is_text(setting)) {
            cor_reply_text(reply, cor_control_row(setting)->json, text);
        } else {
            cor_reply_name(reply, cor_control_row(setting)->json);
            cor_reply_raw(reply, text);
        }
    }
    cor_reply_close(reply);
}

struct cor_reply cor_reply_begin(struct cor_control_session *session) {
    struct cor_reply reply = {.session = session, .first = true};

    cor_reply_raw(&reply, "{");
    if (session->id != 0) {
        cor_reply_u64(&reply, "id", session->id);
    }
    return reply;
}

void cor_reply_end(struct cor_reply *reply) {
    cor_reply_raw(reply, "}\n");
}

void cor_reply_ok(struct cor_control_session *session) {
    struct cor_reply reply = cor_reply_begin(session);

    cor_reply_bool(&reply, "ok", true);
    cor_reply_end(&reply);
}

void cor_reply_error(
    struct cor_control_session *session, enum cor_status status, const char *error) {
    struct cor_reply reply = cor_reply_begin(session);

    session->control->counters.refused++;
    cor_reply_bool(&reply, "ok", false);
    cor_reply_text(&reply, "status", cor_status_name(status));
    cor_reply_text(&reply, "error", error);
    cor_reply_end(&reply);
}

// ---- the report

// {"id":N,"event":"end","status":"...","report":
static struct cor_reply end_begin(struct cor_control_session *session, enum cor_status status) {
    struct cor_reply reply;

    session->id = session->control->run_id;
    reply = cor_reply_begin(session);
    cor_reply_text(&reply, "event", "end");
    cor_reply_text(&reply, "status", cor_status_name(status));
    cor_reply_name(&reply, "report");
    return reply;
}

void cor_control_finish_json(
    struct cor_control *control, enum cor_status status, const char *json, uint32_t size_bytes) {
    struct cor_control_session *session = control->owner;
    struct cor_reply reply;

    control->running = false;
    control->owner = NULL;
    if (session == NULL) {
        return;
    }
    reply = end_begin(session, status);
    session->write(session->context, json, size_bytes);
    cor_reply_end(&reply);
}

// The state with most time. A board does not see the air, so `credit` stays as it is.
static const char *limit(const struct cor_control_report *report) {
    int most = 0;

    for (int i = 1; i < COR_METER_STATE_COUNT; i++) {
        most = report->state_us[i] > report->state_us[most] ? i : most;
    }
    return cor_meter_state_name((enum cor_meter_state)most);
}

static void report_meter(struct cor_reply *reply, const struct cor_control_report *report) {
    uint64_t interval_us = report->interval_us == 0 ? 1 : report->interval_us;

    cor_reply_open(reply, "chronograph_us");
    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        cor_reply_u64(reply, cor_meter_state_name((enum cor_meter_state)i), report->state_us[i]);
    }
    cor_reply_close(reply);
    cor_reply_open(reply, "bus");
    cor_reply_open(reply, "bits");
    for (int i = 0; i < COR_METER_PURPOSE_COUNT; i++) {
        cor_reply_u64(reply, cor_meter_purpose_name((enum cor_meter_purpose)i), report->bits[i]);
    }
    cor_reply_close(reply);
    cor_reply_decimal(reply, "utilization", report->bus_busy_us * 1000000 / interval_us, 6);
    cor_reply_close(reply);
    cor_reply_open(reply, "latency_us");
    if (report->latency_p50_us != 0) {
        cor_reply_u64(reply, "p50", report->latency_p50_us);
        cor_reply_u64(reply, "p99", report->latency_p99_us);
    } else {
        cor_reply_name(reply, "p50");
        cor_reply_raw(reply, "null");
        cor_reply_name(reply, "p99");
        cor_reply_raw(reply, "null");
    }
    cor_reply_close(reply);
}

static void report_conditions(struct cor_reply *reply, struct cor_control *control) {
    struct cor_control_settings effective = {0};

    control->ops->effective(control->port, &effective);
    cor_reply_open(reply, "conditions");
    cor_reply_settings(reply, "asked", &control->asked);
    cor_reply_settings(reply, "effective", &effective);
    cor_reply_close(reply);
}

void cor_control_finish(struct cor_control *control, const struct cor_control_report *report) {
    struct cor_control_session *session = control->owner;
    struct cor_control_identity identity = {.board = "", .version = "", .unique = ""};
    uint64_t interval_us = report->interval_us == 0 ? 1 : report->interval_us;
    char app[COR_CONTROL_VALUE_BYTES];
    struct cor_reply reply;

    control->running = false;
    control->owner = NULL;
    if (session == NULL) {
        return;
    }
    control->ops->identify(control->port, &identity);
    if (cor_control_get_text(&control->asked, COR_CONTROL_SETTING_app, app) == 0) {
        memcpy(app, "tcp-tx", sizeof("tcp-tx"));
    }
    reply = end_begin(session, report->status);
    cor_reply_raw(&reply, "{");
    reply.first = true;
    cor_reply_u64(&reply, "schema", REPORT_SCHEMA);
    cor_reply_bool(&reply, "simulated", identity.simulated);
    cor_reply_text(&reply, "board", identity.board);
    cor_reply_text(&reply, "app", app);
    cor_reply_bool(&reply, "complete", report->complete);
    cor_reply_open(&reply, "result");
    cor_reply_u64(&reply, "goodput_bps", report->payload_bytes * 8000000 / interval_us);
    cor_reply_text(&reply, "limit", limit(report));
    cor_reply_close(&reply);
    report_meter(&reply, report);
    cor_reply_open(&reply, "time");
    cor_reply_decimal(&reply, "bringup_s", report->bringup_us, 6);
    cor_reply_close(&reply);
    report_conditions(&reply, control);
    cor_reply_open(&reply, "payload");
    cor_reply_u64(&reply, "bytes", report->payload_bytes);
    cor_reply_close(&reply);
    cor_reply_open(&reply, "counts");
    cor_reply_u64(&reply, "retransmissions", report->retransmissions);
    cor_reply_u64(&reply, "timeouts", report->timeouts);
    cor_reply_close(&reply);
    cor_reply_close(&reply);
    cor_reply_end(&reply);
}
