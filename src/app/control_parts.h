// SPDX-License-Identifier: MIT
// Control parts: how replies are written, shared by the files of the control protocol.
#ifndef CORADIO_SRC_CONTROL_PARTS_H
#define CORADIO_SRC_CONTROL_PARTS_H

#include "coradio/app_control.h"

// Pieces of one JSON object. Each field brings the comma before it, which the first must not have:
// `first` says which it is.
struct cor_reply {
    struct cor_control_session *session;
    bool first;
};

void cor_reply_raw(struct cor_reply *reply, const char *text);
// The comma where one is due, then "name":
void cor_reply_name(struct cor_reply *reply, const char *name);
void cor_reply_text(struct cor_reply *reply, const char *name, const char *text);
void cor_reply_u64(struct cor_reply *reply, const char *name, uint64_t value);
// With so many decimals behind the point.
void cor_reply_decimal(
    struct cor_reply *reply, const char *name, uint64_t value, unsigned decimals);
void cor_reply_bool(struct cor_reply *reply, const char *name, bool value);
void cor_reply_open(struct cor_reply *reply, const char *name);
void cor_reply_close(struct cor_reply *reply);
// The fields of the settings that were given.
void cor_reply_settings(
    struct cor_reply *reply, const char *name, const struct cor_control_settings *settings);
// {"id":...  where the line had one, else {
struct cor_reply cor_reply_begin(struct cor_control_session *session);
void cor_reply_end(struct cor_reply *reply);
void cor_reply_ok(struct cor_control_session *session);
void cor_reply_error(
    struct cor_control_session *session, enum cor_status status, const char *error);

#endif
