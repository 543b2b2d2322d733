// SPDX-License-Identifier: MIT
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static volatile sig_atomic_t stop_asked;
static int stop_fd = -1;

static void note_stop(int number) {
    static const uint64_t one = 1;
    int saved = errno;

    (void)number;
    stop_asked = 1;
    if (write(stop_fd, &one, sizeof(one)) < 0) {
        // The flag alone is seen at the next turn of the loop.
    }
    errno = saved;
}

int signals_catch(void) {
    // SA_RESETHAND: the second signal does what it does by default.
    struct sigaction action = {.sa_handler = note_stop, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    if (stop_fd < 0) {
        stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (stop_fd < 0) {
            return errno;
        }
    }
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0 ||
        sigaction(SIGPIPE, &ignore, NULL) != 0) {
        return errno;
    }
    return 0;
}

bool signals_stop_asked(void) {
    return stop_asked != 0;
}

int signals_fd(void) {
    return stop_fd;
}
