// SPDX-License-Identifier: MIT
// Virtual board: the twin behind the control protocol, as a real board would be.
//
// Each `start` builds a world of its own, runs it in virtual time and reports in the JSON of
// `coradio run`. Beside the common settings it takes the options of `coradio run` that describe the
// simulated world (loss, wire-delay, credit-window, twin-set, ...).
#ifndef TOOLS_CONTROL_VIRTUAL_BOARD_H
#define TOOLS_CONTROL_VIRTUAL_BOARD_H

#include <stdbool.h>

struct virtual_board;

// The words are options of `coradio run`, defaults of this board; they outlive it. NULL: error[]
// says what is wrong with them.
struct virtual_board *virtual_board_new(int count, char *const *words, char error[256]);
void virtual_board_free(struct virtual_board *board);

// What the console could type: the secret of 16 to 64 characters, and control over TCP on. False:
// error[] says what is wrong.
bool virtual_board_allow_tcp(struct virtual_board *board, const char *secret, char error[256]);

// Where orders come from. Each may be -1: not there. The console ends the board when it is closed;
// with `keep` it does not (a pty whose user went away). Returns when the console has ended or a
// signal asked for it.
struct virtual_board_ports {
    int console_in;
    int console_out;
    bool keep;
    bool linked;   // the console is a program's, which gets the signals: they are not looked at
    int listener;  // a listening socket; one connection is served at a time
};

void virtual_board_serve(struct virtual_board *board, const struct virtual_board_ports *ports);

#endif
