// SPDX-License-Identifier: MIT
// Signals: Ctrl-C once asks to finish and write results, twice ends the program.
#ifndef TOOLS_COMMON_SIGNALS_H
#define TOOLS_COMMON_SIGNALS_H

#include <stdbool.h>

// Catches SIGINT and SIGTERM and ignores SIGPIPE. Returns 0 or an errno.
int signals_catch(void);

// True after the first SIGINT or SIGTERM.
bool signals_stop_asked(void);

// A descriptor that becomes readable with the first signal, for poll and epoll; never read it.
int signals_fd(void);

#endif
