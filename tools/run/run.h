// SPDX-License-Identifier: MIT
#ifndef RUN_RUN_H
#define RUN_RUN_H

// The subcommand `run`; argv[0] is its name. Returns the exit code.
int run_main(int argc, char **argv);

#endif
