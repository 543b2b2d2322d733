// SPDX-License-Identifier: MIT
// A line, and what it asks for:
//
//     [ID ]key=value          a setting
//     [ID ]command [words]    get, help, identify, reset, start, stop, auth
//
// ID is a number of the host's own choice, 1 to 4294967295, that the reply repeats.
#include "app/control_parts.h"

#include <stddef.h>
#include <string.h>

#include "coradio/app_control.h"
#include "coradio/sha256.h"

#define LAST_PRINTABLE   '~'
#define CHALLENGE_DIGITS 64u

_Static_assert(CHALLENGE_DIGITS == 2 * COR_CONTROL_CHALLENGE_BYTES, "two digits a byte");

void cor_control_init(struct cor_control *control, const struct cor_control_ops *ops, void *port) {
    memset(control, 0, sizeof(*control));
    control->ops = ops;
    control->port = port;
}

static void session_init(
    struct cor_control_session *session,
    struct cor_control *control,
    cor_control_write_fn write,
    void *context) {
    memset(session, 0, sizeof(*session));
    session->control = control;
    session->write = write;
    session->context = context;
}

void cor_control_open_console(
    struct cor_control_session *session,
    struct cor_control *control,
    cor_control_write_fn write,
    void *context) {
    session_init(session, control, write, context);
    session->console = true;
    session->trusted = true;
}

// ---- who may give orders

static void hex(const uint8_t *bytes, uint32_t count, char *text) {
    static const char digits[] = "0123456789abcdef";

    for (uint32_t i = 0; i < count; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = '\0';
}

enum cor_status cor_control_open_tcp(
    struct cor_control_session *session,
    struct cor_control *control,
    cor_control_write_fn write,
    void *context,
    const uint8_t random[COR_CONTROL_CHALLENGE_BYTES]) {
    struct cor_reply reply;

    session_init(session, control, write, context);
    if (!control->tcp_on || control->secret[0] == '\0') {
        session->closed = true;
        return COR_E_REFUSED;
    }
    hex(random, COR_CONTROL_CHALLENGE_BYTES, session->challenge);
    reply = cor_reply_begin(session);
    cor_reply_text(&reply, "event", "hello");
    cor_reply_u64(&reply, "protocol", COR_CONTROL_PROTOCOL);
    cor_reply_text(&reply, "auth", "hmac-sha256");
    cor_reply_text(&reply, "challenge", session->challenge);
    cor_reply_end(&reply);
    return COR_OK;
}

void cor_control_proof(const char *secret, const char *challenge, char proof[65]) {
    static const char label[] = "coradio control 1 ";
    uint8_t message[sizeof(label) + CHALLENGE_DIGITS];
    uint8_t digest[COR_SHA256_BYTES];
    uint32_t challenge_bytes = (uint32_t)strlen(challenge);

    if (challenge_bytes > CHALLENGE_DIGITS) {
        challenge_bytes = CHALLENGE_DIGITS;
    }
    memcpy(message, label, sizeof(label));  // the challenge begins where its end stands
    // NOLINTNEXTLINE(bugprone-not-null-terminated-result): these are bytes, not a text
    memcpy(message + sizeof(label) - 1, challenge, challenge_bytes);
    cor_hmac_sha256(
        (const uint8_t *)secret,
        (uint32_t)strlen(secret),
        message,
        (uint32_t)sizeof(label) - 1 + challenge_bytes,
        digest);
    hex(digest, sizeof(digest), proof);
}

// One proof a connection: the challenge is used up, and a wrong one ends the connection.
static void take_proof(struct cor_control_session *session, const char *words) {
    char right[65];
    uint8_t differ = 0;

    if (session->trusted) {
        cor_reply_ok(session);
        return;
    }
    cor_control_proof(session->control->secret, session->challenge, right);
    if (strlen(words) == sizeof(right) - 1) {
        for (uint32_t i = 0; i < sizeof(right) - 1; i++) {
            differ |= (uint8_t)(right[i] ^ words[i]);
        }
    } else {
        differ = 1;
    }
    memset(right, 0, sizeof(right));
    if (differ != 0) {
        session->control->counters.wrong_proofs++;
        session->closed = true;
        cor_reply_error(session, COR_E_REFUSED, "that is no proof of this board's secret");
        return;
    }
    session->trusted = true;
    cor_reply_ok(session);
}

// ---- settings

static void set_secret(struct cor_control_session *session, const char *value) {
    struct cor_control *control = session->control;
    uint32_t size = (uint32_t)strlen(value);

    if (size < COR_CONTROL_SECRET_BYTES_MIN || size > COR_CONTROL_SECRET_BYTES_MAX) {
        cor_reply_error(session, COR_E_ARG, "secret: give 16 to 64 characters, made by a machine");
        return;
    }
    memcpy(control->secret, value, size + 1);
    cor_reply_ok(session);
}

static void set_tcp(struct cor_control_session *session, const char *value) {
    struct cor_control *control = session->control;
    bool on = strlen(value) == 2 && memcmp(value, "on", 2) == 0;

    if (!on && (strlen(value) != 3 || memcmp(value, "off", 3) != 0)) {
        cor_reply_error(session, COR_E_ARG, "tcp: on or off");
    } else if (on && control->secret[0] == '\0') {
        cor_reply_error(session, COR_E_STATE, "tcp: give the board a secret first (secret=...)");
    } else {
        control->tcp_on = on;
        cor_reply_ok(session);
    }
}

// Settings of the protocol itself, which only the console may change. False: the key is none.
static bool set_own(struct cor_control_session *session, const char *key, const char *value) {
    bool secret = strlen(key) == 6 && memcmp(key, "secret", 6) == 0;
    bool tcp = strlen(key) == 3 && memcmp(key, "tcp", 3) == 0;

    if (!secret && !tcp) {
        return false;
    }
    if (!session->console) {
        cor_reply_error(session, COR_E_REFUSED, "only the console can change that");
    } else if (secret) {
        set_secret(session, value);
    } else {
        set_tcp(session, value);
    }
    return true;
}

// "bus_mhz: give 1 to 75": the range as a line would give it, or the choices.
static void range_error(struct cor_control_session *session, enum cor_control_setting setting) {
    const struct cor_control_row *row = cor_control_row(setting);
    unsigned decimals = row->kind == COR_CONTROL_MHZ || row->kind == COR_CONTROL_TIME ? 6 : 0;
    struct cor_reply reply = cor_reply_begin(session);
    char text[COR_CONTROL_VALUE_BYTES];

    session->control->counters.refused++;
    cor_reply_bool(&reply, "ok", false);
    cor_reply_text(&reply, "status", cor_status_name(COR_E_ARG));
    cor_reply_name(&reply, "error");
    cor_reply_raw(&reply, "\"");
    cor_reply_raw(&reply, row->key);
    if (row->kind == COR_CONTROL_CHOICE) {
        cor_reply_raw(&reply, ": one of ");
        cor_reply_raw(&reply, row->choices);
    } else {
        cor_reply_raw(&reply, ": give ");
        cor_control_decimal(row->lowest, decimals, text);
        cor_reply_raw(&reply, text);
        cor_reply_raw(&reply, " to ");
        cor_control_decimal(row->highest, decimals, text);
        cor_reply_raw(&reply, text);
        cor_reply_raw(
            &reply,
            row->kind == COR_CONTROL_TEXT || row->kind == COR_CONTROL_SECRET ? " characters" : "");
    }
    cor_reply_raw(&reply, "\"");
    cor_reply_end(&reply);
}

static void set(struct cor_control_session *session, const char *key, const char *value) {
    struct cor_control *control = session->control;
    enum cor_control_setting setting = cor_control_find(key);
    enum cor_status status;
    const char *why = NULL;

    if (set_own(session, key, value)) {
        return;
    }
    if (control->running) {
        cor_reply_error(session, COR_E_STATE, "a run is under way; wait for its end or send stop");
        return;
    }
    if (setting != COR_CONTROL_SETTING_COUNT) {
        if (cor_control_set_text(&control->asked, setting, value) == COR_OK) {
            cor_reply_ok(session);
        } else {
            range_error(session, setting);
        }
        return;
    }
    status = control->ops->other == NULL ? COR_E_UNSUPPORTED
                                         : control->ops->other(control->port, key, value, &why);
    if (status == COR_OK) {
        cor_reply_ok(session);
    } else if (status == COR_E_UNSUPPORTED && why == NULL) {
        cor_reply_error(session, status, "this board has no such setting; help lists them");
    } else {
        cor_reply_error(session, status, why == NULL ? cor_status_text(status) : why);
    }
}

// ---- commands

static void get(struct cor_control_session *session, const char *words) {
    struct cor_control *control = session->control;
    struct cor_control_settings effective = {0};
    struct cor_reply reply = cor_reply_begin(session);

    (void)words;
    control->ops->effective(control->port, &effective);
    cor_reply_bool(&reply, "ok", true);
    cor_reply_bool(&reply, "running", control->running);
    cor_reply_settings(&reply, "asked", &control->asked);
    cor_reply_settings(&reply, "effective", &effective);
    cor_reply_bool(&reply, "key_set", cor_control_given(&control->asked, COR_CONTROL_SETTING_key));
    cor_reply_bool(&reply, "secret_set", control->secret[0] != '\0');
    cor_reply_bool(&reply, "tcp", control->tcp_on);
    cor_reply_open(&reply, "counters");
#define X(name, unit, text) cor_reply_u64(&reply, #name, control->counters.name);
    COR_CONTROL_COUNTERS(X)
#undef X
    cor_reply_close(&reply);
    cor_reply_end(&reply);
}

static void help(struct cor_control_session *session, const char *words) {
    struct cor_reply reply = cor_reply_begin(session);

    (void)words;
    cor_reply_bool(&reply, "ok", true);
    cor_reply_text(&reply, "commands", "get help identify reset start stop auth");
    cor_reply_open(&reply, "settings");
    for (uint32_t i = 0; i < COR_CONTROL_SETTING_COUNT; i++) {
        const struct cor_control_row *row = cor_control_row((enum cor_control_setting)i);
        static const char *const kinds[] = {
            [COR_CONTROL_CHOICE] = "",
            [COR_CONTROL_COUNT] = "number",
            [COR_CONTROL_MHZ] = "MHz",
            [COR_CONTROL_SIZE] = "bytes, such as 64KiB or 10M",
            [COR_CONTROL_TIME] = "time, such as 3s or 200ms",
            [COR_CONTROL_RATE] = "bits a second, such as 10M",
            [COR_CONTROL_TEXT] = "text",
            [COR_CONTROL_SECRET] = "text, never read back",
        };

        cor_reply_text(
            &reply, row->key, row->kind == COR_CONTROL_CHOICE ? row->choices : kinds[row->kind]);
    }
    cor_reply_close(&reply);
    cor_reply_end(&reply);
}

static void identify(struct cor_control_session *session, const char *words) {
    struct cor_control *control = session->control;
    struct cor_control_identity identity = {.board = "", .version = "", .unique = ""};
    struct cor_reply reply = cor_reply_begin(session);

    (void)words;
    control->ops->identify(control->port, &identity);
    cor_reply_bool(&reply, "ok", true);
    cor_reply_u64(&reply, "protocol", COR_CONTROL_PROTOCOL);
    cor_reply_text(&reply, "board", identity.board);
    cor_reply_text(&reply, "version", identity.version);
    cor_reply_text(&reply, "unique", identity.unique);
    cor_reply_bool(&reply, "simulated", identity.simulated);
    cor_reply_bool(&reply, "running", control->running);
    cor_reply_end(&reply);
}

static void reset(struct cor_control_session *session, const char *words) {
    struct cor_control *control = session->control;
    const char *why = NULL;

    (void)words;
    if (control->running) {
        cor_reply_error(session, COR_E_STATE, "a run is under way; wait for its end or send stop");
        return;
    }
    cor_control_forget(&control->asked);
    if (control->ops->other != NULL) {
        (void)control->ops->other(control->port, "", "", &why);  // it cannot refuse
    }
    cor_reply_ok(session);
}

static void start(struct cor_control_session *session, const char *words) {
    struct cor_control *control = session->control;
    const char *why = NULL;
    enum cor_status status;

    (void)words;
    if (control->running) {
        cor_reply_error(session, COR_E_STATE, "a run is under way; wait for its end or send stop");
        return;
    }
    status = control->ops->start(control->port, &control->asked, &why);
    if (status != COR_OK) {
        cor_reply_error(session, status, why == NULL ? cor_status_text(status) : why);
        return;
    }
    control->running = true;
    control->owner = session;
    control->run_id = session->id;
    cor_reply_ok(session);
}

static void stop(struct cor_control_session *session, const char *words) {
    struct cor_control *control = session->control;

    (void)words;
    if (control->running) {
        control->ops->stop(control->port);
    }
    cor_reply_ok(session);
}

static const struct {
    const char *name;
    void (*run)(struct cor_control_session *session, const char *words);
} commands[] = {
    {"auth", take_proof},
    {"get", get},
    {"help", help},
    {"identify", identify},
    {"reset", reset},
    {"start", start},
    {"stop", stop},
};

// ---- lines

// Takes the number before the line, if there is one; returns what follows.
static const char *take_id(struct cor_control_session *session, const char *line) {
    uint64_t id = 0;
    const char *at = line;

    session->id = 0;
    while (*at >= '0' && *at <= '9' && id <= UINT32_MAX) {
        id = id * 10 + (uint64_t)(*at++ - '0');
    }
    if (at == line || *at != ' ' || id > UINT32_MAX) {
        return line;
    }
    session->id = (uint32_t)id;
    return at + 1;
}

static bool printable(const char *line) {
    for (; *line != '\0'; line++) {
        if (*line < ' ' || *line > LAST_PRINTABLE) {
            return false;
        }
    }
    return true;
}

static void run_command(struct cor_control_session *session, const char *line, uint32_t word) {
    const char *words = line[word] == ' ' ? line + word + 1 : line + word;

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        bool same = strlen(commands[i].name) == word && memcmp(commands[i].name, line, word) == 0;

        if (same && !session->trusted && commands[i].run != take_proof) {
            break;
        }
        if (same) {
            commands[i].run(session, words);
            return;
        }
    }
    if (!session->trusted) {
        session->control->counters.unknown_callers++;
        session->closed = true;
        cor_reply_error(session, COR_E_REFUSED, "prove first that you know the secret: auth PROOF");
        return;
    }
    cor_reply_error(session, COR_E_UNSUPPORTED, "no such command; help lists them");
}

static void take_line(struct cor_control_session *session) {
    char *line = session->line;
    const char *at;
    uint32_t word = 0;

    session->control->counters.lines++;
    line[session->line_bytes] = '\0';
    at = take_id(session, line);
    if (strlen(line) != session->line_bytes || !printable(line)) {
        session->closed = !session->trusted;
        cor_reply_error(session, COR_E_PROTO, "a line is printable ASCII");
        return;
    }
    while (at[word] != '\0' && at[word] != ' ' && at[word] != '=') {
        word++;
    }
    if (at[word] == '=' && word > 0 && session->trusted) {
        line[(uint32_t)(at - line) + word] = '\0';
        set(session, at, at + word + 1);
    } else {
        run_command(session, at, word);
    }
}

static void end_line(struct cor_control_session *session) {
    if (session->overlong) {
        session->control->counters.overlong++;
        session->id = 0;
        session->closed = !session->trusted;
        cor_reply_error(session, COR_E_SIZE, "a line has 160 characters at most");
    } else if (session->line_bytes > 0) {
        take_line(session);
        memset(session->line, 0, sizeof(session->line));  // it may have held a key
    }
    session->line_bytes = 0;
    session->overlong = false;
}

void cor_control_input(struct cor_control_session *session, const uint8_t *data, uint32_t size) {
    for (uint32_t i = 0; i < size && !session->closed; i++) {
        if (data[i] == '\n' || data[i] == '\r') {
            end_line(session);
        } else if (session->line_bytes == COR_CONTROL_LINE_BYTES) {
            session->overlong = true;
        } else {
            session->line[session->line_bytes++] = (char)data[i];
        }
    }
}

void cor_control_close(struct cor_control_session *session) {
    struct cor_control *control = session->control;

    session->closed = true;
    if (control->owner == session) {
        control->owner = NULL;
        control->ops->stop(control->port);
    }
}
