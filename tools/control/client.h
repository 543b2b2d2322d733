// SPDX-License-Identifier: MIT
// Client: the host's half of the control protocol (docs/reference/control.md).
//
// An address is one of
//     /dev/ttyACM0        a serial port
//     HOST:PORT           TCP; the board must have it on, and the secret is needed
//     twin                a virtual board in a process of its own, for as long as the link is open
//     twin:KEY=VALUE ...  the same with options of `coradio run` as its defaults
#ifndef TOOLS_CONTROL_CLIENT_H
#define TOOLS_CONTROL_CLIENT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#define CONTROL_ERROR_BYTES 400

struct control_link;

struct control_setup {
    const char *address;
    const char *secret;  // NULL: none
    uint64_t reply_ns;   // how long a reply may take; 0: 5 s
    uint64_t run_ns;     // how long a run may take; 0: 10 min
};

// NULL: error[] says why, in one line. Nothing is sent to a board of another protocol version.
struct control_link *control_open(
    const struct control_setup *setup, char error[CONTROL_ERROR_BYTES]);
void control_close(struct control_link *link);

// What the board said of itself; belongs to the link.
const cJSON *control_identity(const struct control_link *link);
const char *control_address(const struct control_link *link);

// One line and its reply. NULL: no reply, or the board refused, in its own words in error[].
// The caller deletes the reply.
cJSON *control_command(
    struct control_link *link, const char *line, char error[CONTROL_ERROR_BYTES]);

// Forgets the settings of before, takes these ("bus-mhz=37.5 app=udp-tx", words between spaces) and
// runs. Returns the report, which the caller deletes; NULL: error[] says what went wrong. The link
// can be used again either way, unless control_broken().
cJSON *control_run(
    struct control_link *link, const char *settings, char error[CONTROL_ERROR_BYTES]);

// The other end is gone; only closing is left.
bool control_broken(const struct control_link *link);

#endif
