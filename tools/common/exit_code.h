// SPDX-License-Identifier: MIT
// Exit codes: what every subcommand of coradio tells the shell.
#ifndef TOOLS_COMMON_EXIT_CODE_H
#define TOOLS_COMMON_EXIT_CODE_H

enum exit_code {
    EXIT_CODE_DONE = 0,         // done, and good enough
    EXIT_CODE_FAILED = 1,       // the measured thing failed its bar
    EXIT_CODE_USAGE = 2,        // wrong use: an unknown option, a value that cannot be
    EXIT_CODE_ENVIRONMENT = 3,  // no device, no permission, port in use, disk full
    EXIT_CODE_INTERRUPTED = 4,  // interrupted; partial results are written
};

#endif
