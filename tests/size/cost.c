// SPDX-License-Identifier: MIT
#include "cost.h"

static const char *const names[COST_STEPS] = {
    "nothing", "commit", "write", "send", "sent", "ack1", "ack2", "poll", "receive"};

static struct account {
    uint64_t instructions;
    uint32_t count;
} accounts[COST_STEPS];

// The clock ticks every 50 instructions: each round begins at another place between two ticks, so
// that the mean is finer than a tick.
static void drift(uint32_t turns) {
    for (volatile uint32_t i = 0; i < turns; i++) {
    }
}

void cost_run(enum cost_step step, void (*run)(void)) {
    struct account *account = &accounts[step];

    drift(account->count % 53);
    uint32_t clock = cost_clock();
    cost_call(step, run);
    account->instructions += cost_since(clock);
    account->count++;
}

static char *put_number(char *at, uint64_t number) {
    char digits[20];
    uint32_t count = 0;

    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    *at = '\0';
    return at;
}

static uint64_t mean(enum cost_step step) {
    return accounts[step].count == 0
               ? 0
               : (accounts[step].instructions + accounts[step].count / 2) / accounts[step].count;
}

void cost_report(void) {
    for (uint32_t step = COST_COMMIT; step < COST_STEPS; step++) {
        uint64_t all = mean((enum cost_step)step);
        uint64_t nothing = mean(COST_NOTHING);
        char number[24];

        if (accounts[step].count == 0) {
            continue;
        }
        (void)put_number(number, all > nothing ? all - nothing : 0);
        cost_text(names[step]);
        cost_text(" ");
        cost_text(number);
        cost_text("\n");
    }
}

_Noreturn void cost_failed(const char *file, int line, const char *what) {
    char number[24];

    (void)put_number(number, (uint64_t)line);
    cost_text(file);
    cost_text(":");
    cost_text(number);
    cost_text(": not true: ");
    cost_text(what);
    cost_text("\n");
    cost_exit(1);
}
