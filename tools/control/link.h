// SPDX-License-Identifier: MIT
// Link: a descriptor to a board, whatever it hangs on.
#ifndef TOOLS_CONTROL_LINK_H
#define TOOLS_CONTROL_LINK_H

#include <stdbool.h>
#include <sys/types.h>

struct link {
    int socket;
    bool tcp;
    pid_t twin;  // the process of a virtual board; 0: none
};

// Addresses as in control/client.h. False: error[400] says why in one line.
bool link_open(struct link *link, const char *address, char *error);
void link_close(struct link *link);

// A listening socket on HOST:PORT; -1: error[400] says why. With port 0 the system chooses; *port
// is what it is.
int link_listen(const char *address, unsigned *port, char *error);
// The master of a new pty, and the name of its other end; -1: error[400] says why.
int link_pty(char name[64], char *error);

#endif
