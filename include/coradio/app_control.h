// SPDX-License-Identifier: MIT
// Control: a board that is told over a serial port or TCP what to measure, and says what came out.
//
// Lines of text in, one JSON object a line out; docs/reference/control.md describes both. This is
// the half that every board has in common: lines, settings, replies, and who may give orders. What
// a board does with them is its port's, through cor_control_ops.
//
// Whoever can type on the console owns the board. Over TCP nobody is listened to until the console
// has set a secret and turned it on, and then only who proves that he knows the secret. Keys and
// the secret are write-only.
//
// Called from one context. Nothing waits; output goes to the session's writer piece by piece.
#ifndef CORADIO_APP_CONTROL_H
#define CORADIO_APP_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/control_settings.h"
#include "coradio/meter.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COR_CONTROL_PROTOCOL         1u
#define COR_CONTROL_LINE_BYTES       160u  // longest line, without its end
#define COR_CONTROL_SECRET_BYTES_MIN 16u
#define COR_CONTROL_SECRET_BYTES_MAX 64u
#define COR_CONTROL_CHALLENGE_BYTES  32u

struct cor_control_session;

struct cor_control_identity {
    const char *board;    // "pico2w"
    const char *version;  // of coradio
    const char *unique;   // tells this board from others of its kind; "" where it has nothing
    bool simulated;
};

// A reason is one line of text that stays valid until the next call.
struct cor_control_ops {
    // Begins what the settings ask for. COR_OK: it is under way, and one of the finish functions
    // will be called, later than this. Anything else: refused, with the reason in *why.
    enum cor_status (*start)(
        void *port, const struct cor_control_settings *settings, const char **why);
    // Ends the run early; its result so far is still given to a finish function.
    void (*stop)(void *port);
    // A key that is none of the common settings. COR_E_UNSUPPORTED: not known here either.
    // An empty key: forget all such keys. NULL: this board has none.
    enum cor_status (*other)(void *port, const char *key, const char *value, const char **why);
    // Fills in what the board really works with, as far as it is known.
    void (*effective)(void *port, struct cor_control_settings *effective);
    void (*identify)(void *port, struct cor_control_identity *identity);
};

// Writes a piece of a reply. The port takes all of it, or gives the session up.
typedef void (*cor_control_write_fn)(void *context, const char *text, uint32_t size_bytes);

// name, unit, what it counts
// clang-format off
#define COR_CONTROL_COUNTERS(X)                                                        \
    X(lines,           "1", "lines taken")                                             \
    X(refused,         "1", "lines answered with an error")                            \
    X(overlong,        "1", "lines longer than COR_CONTROL_LINE_BYTES: thrown away")   \
    X(unknown_callers, "1", "lines over TCP before the secret was proved")             \
    X(wrong_proofs,    "1", "proofs of the secret that were wrong")
// clang-format on

struct cor_control_counters {
#define X(name, unit, text) uint64_t name;
    COR_CONTROL_COUNTERS(X)
#undef X
};

struct cor_control {
    const struct cor_control_ops *ops;
    void *port;
    struct cor_control_settings asked;
    struct cor_control_counters counters;
    char secret[COR_CONTROL_SECRET_BYTES_MAX + 1];  // "": not set
    bool tcp_on;
    struct cor_control_session *owner;  // of the run under way; NULL: none, or it has left
    uint32_t run_id;
    bool running;
};

struct cor_control_session {
    struct cor_control *control;
    cor_control_write_fn write;
    void *context;
    char line[COR_CONTROL_LINE_BYTES + 1];
    uint32_t line_bytes;
    uint32_t id;  // of the line at work
    bool overlong;
    bool console;
    bool trusted;
    bool closed;  // the port is to close the connection
    char challenge[2 * COR_CONTROL_CHALLENGE_BYTES + 1];
};

void cor_control_init(struct cor_control *control, const struct cor_control_ops *ops, void *port);

// A serial port: trusted from the start.
void cor_control_open_console(
    struct cor_control_session *session,
    struct cor_control *control,
    cor_control_write_fn write,
    void *context);
// A connection over TCP: greets with a challenge made of the random bytes, which must be hard to
// guess and new each time. COR_E_REFUSED: control over TCP is off; close the connection.
COR_MUST_CHECK enum cor_status cor_control_open_tcp(
    struct cor_control_session *session,
    struct cor_control *control,
    cor_control_write_fn write,
    void *context,
    const uint8_t random[COR_CONTROL_CHALLENGE_BYTES]);
// Bytes as they came; lines may be cut anywhere. Bound: one pass over the bytes, and for each line
// one reply or a proof (four blocks of SHA-256).
void cor_control_input(struct cor_control_session *session, const uint8_t *data, uint32_t size);
// The connection is gone. A run that it started is stopped.
void cor_control_close(struct cor_control_session *session);

// What a board reports of a run: differences of the meter over the measuring interval.
struct cor_control_report {
    enum cor_status status;  // how the run ended
    bool complete;           // both ends of the measuring interval were seen
    uint64_t payload_bytes;
    uint64_t interval_us;
    uint64_t state_us[COR_METER_STATE_COUNT];
    uint64_t bits[COR_METER_PURPOSE_COUNT];
    uint64_t bus_busy_us;
    uint64_t bringup_us;
    uint64_t latency_p50_us;  // 0: not measured
    uint64_t latency_p99_us;
    uint64_t retransmissions;
    uint64_t timeouts;
};

// The run is over. Sends the end event with the report, in the fields of `coradio run --json`.
void cor_control_finish(struct cor_control *control, const struct cor_control_report *report);
// The same for a port that has a richer report: a whole JSON object on one line.
void cor_control_finish_json(
    struct cor_control *control, enum cor_status status, const char *json, uint32_t size_bytes);

// The proof of the secret for a challenge (64 hexadecimal digits), as both ends compute it:
// HMAC-SHA-256 of "coradio control 1 " and the challenge, in 64 hexadecimal digits and the end.
void cor_control_proof(const char *secret, const char *challenge, char proof[65]);

#ifdef __cplusplus
}
#endif

#endif
