// SPDX-License-Identifier: MIT
// Inside of the board: its state, and what its parts ask of each other.
#ifndef TWIN_BOARD_INTERNAL_H
#define TWIN_BOARD_INTERNAL_H

#include "board/cost_table.h"
#include "coradio_twin/board.h"
#include "coradio_twin/unsure.h"

struct twin_board {
    struct twin_board_config config;
    struct twin_firmware firmware;
    struct twin_board_counters counters;

    // Processor.
    const struct twin_unsure *unsure;
    uint64_t cost_milli[TWIN_COST_COUNT];  // thousandths of an instruction
    struct twin_event poll_event;
    struct twin_work charged;  // what of the firmware's work is paid for
    uint64_t busy_until_ns;    // end of all work known so far; in a poll the processor's clock
    uint64_t waited_ns;        // of the running poll, in place for serial transfers
    uint64_t deadline_ns;      // when the firmware wants to be polled
    uint64_t debt_remainder;   // of the division by the clock, carried to the next charge
    uint64_t radio_on_ns;      // up to radio_since_ns
    uint64_t radio_since_ns;
    bool started;
    bool polling;
    bool woken;  // an interrupt waits for its poll
    bool radio_on;

    // Bus engine. The queue holds `count` transfers from `head` on, the first `done` complete.
    struct twin_event engine_event;
    struct twin_event first_event;
    struct twin_board_xfer **queue;
    uint32_t depth;
    uint32_t head;
    uint32_t count;
    uint32_t done;
    uint32_t clocks_per_bit;  // of the system clock
    uint32_t sample_half_clocks;
    uint64_t free_ns;  // when the engine can clock the next transfer
    uint64_t payload_transfers;
    void (*first_payload)(void *context);
    void *first_context;
};

// ---- board.c

// The processor's own time, also outside a poll.
uint64_t twin_board_processor_ns(const struct twin_board *board);
// The processor is busy for `count` times the cost, or for so many nanoseconds.
void twin_board_charge(struct twin_board *board, enum twin_cost cost, uint64_t count);
// Charges what the firmware has done since the last time.
void twin_board_settle(struct twin_board *board);
// The processor waits in place until then.
void twin_board_wait_until(struct twin_board *board, uint64_t until_ns);
// The poll is due as soon as the processor is free.
void twin_board_wake(struct twin_board *board);

// ---- engine.c

void twin_board_engine_init(struct twin_board *board);
void twin_board_engine_free(struct twin_board *board);
bool twin_board_engine_idle(const struct twin_board *board);

// ---- bus_log.c

// One line for a transfer just completed, at the time of its first clock.
void twin_board_log_transfer(
    struct twin_log *log, const struct twin_board_xfer *xfer, uint64_t clocks);

#endif
