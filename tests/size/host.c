// SPDX-License-Identifier: MIT
// The machine under callgrind: each step is run by a function of its own name, whose instructions,
// with all it calls, callgrind counts.
#include "cost.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t cost_clock(void) {
    return 0;
}

uint32_t cost_since(uint32_t clock) {
    return clock;
}

// Not merged, though they are the same: they are told apart by name.
#define STEP(name)                                                                                 \
    __attribute__((noinline, no_icf)) static void cost_step_##name(void (*run)(void)) {            \
        run();                                                                                     \
        __asm__ volatile("" ::: "memory");                                                         \
    }

STEP(nothing)
STEP(commit)
STEP(write)
STEP(send)
STEP(sent)
STEP(ack1)
STEP(ack2)
STEP(poll)
STEP(receive)

void cost_call(enum cost_step step, void (*run)(void)) {
    static void (*const calls[COST_STEPS])(void (*run)(void)) = {
        cost_step_nothing,
        cost_step_commit,
        cost_step_write,
        cost_step_send,
        cost_step_sent,
        cost_step_ack1,
        cost_step_ack2,
        cost_step_poll,
        cost_step_receive,
    };

    calls[step](run);
}

void cost_text(const char *text) {
    fputs(text, stdout);
}

_Noreturn void cost_exit(int code) {
    exit(code);
}
