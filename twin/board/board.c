// SPDX-License-Identifier: MIT
// The processor: an account of its time, and the polls of the firmware.
//
// busy_until_ns is the whole account. While the firmware polls it is the processor's clock, which
// runs ahead of the sim's; between polls it says from when on the processor is free again, and
// interrupts push it on.
#include "coradio_twin/board.h"

#include "board/internal.h"
#include "sim/alloc.h"

#include <stdlib.h>

#define NS_PER_US 1000u
// A firmware that asks for the past is not polled again before this.
#define POLL_DISTANCE_NS_MIN 1000u

// What a kind of work costs in this world.
static void costs_init(struct twin_board *board) {
    const struct twin_unsure *unsure = board->unsure;
    uint64_t *cost = board->cost_milli;

    cost[TWIN_COST_interrupt] = unsure->board_interrupt_cost;
    cost[TWIN_COST_poll] = unsure->board_poll_cost;
    cost[TWIN_COST_setup_queued] = unsure->board_setup_queued_cost;
    cost[TWIN_COST_setup_serial] = unsure->board_setup_serial_cost;
    cost[TWIN_COST_segment] = unsure->board_segment_cost;
    cost[TWIN_COST_ack] = unsure->board_ack_cost;
    cost[TWIN_COST_control_frame] = unsure->board_control_frame_cost;
    cost[TWIN_COST_copied_byte] = TWIN_COST_MILLI_copied_byte;
    cost[TWIN_COST_summed_byte] = TWIN_COST_MILLI_summed_byte;
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

// ---- the account

uint64_t twin_board_processor_ns(const struct twin_board *board) {
    return later(board->busy_until_ns, twin_now_ns(board->config.sim));
}

// Queues the poll for when it is due and the processor is free.
static void schedule_poll(struct twin_board *board) {
    uint64_t at_ns;

    if (!board->started || board->polling) {
        return;
    }
    at_ns = twin_board_processor_ns(board);
    if (!board->woken) {
        at_ns = later(at_ns, board->deadline_ns);
    }
    if (at_ns == TWIN_NEVER) {
        twin_cancel(board->config.sim, &board->poll_event);
    } else if (!twin_event_queued(&board->poll_event) || board->poll_event.at_ns != at_ns) {
        twin_at(board->config.sim, &board->poll_event, at_ns);
    }
}

void twin_board_spend_ns(struct twin_board *board, uint64_t ns) {
    board->busy_until_ns = twin_board_processor_ns(board) + ns;
    board->counters.cpu_busy_ns += ns;
    schedule_poll(board);
}

void twin_board_wait_until(struct twin_board *board, uint64_t until_ns) {
    uint64_t processor_ns = twin_board_processor_ns(board);

    if (until_ns > processor_ns) {
        board->waited_ns += until_ns - processor_ns;
        board->counters.cpu_wait_ns += until_ns - processor_ns;
        twin_board_spend_ns(board, until_ns - processor_ns);
    }
}

static void spend_milli_instructions(struct twin_board *board, uint64_t milli) {
    // instructions/1000 x cycles/1000 instructions is cycles/10^6; cycles/10^6 x 1000 / Hz is ns.
    uint64_t scaled =
        milli * board->unsure->board_cycles_per_kilo_instruction * 1000u + board->debt_remainder;

    board->debt_remainder = scaled % board->config.cpu_hz;
    twin_board_spend_ns(board, scaled / board->config.cpu_hz);
}

void twin_board_charge(struct twin_board *board, enum twin_cost cost, uint64_t count) {
    if (board->config.segment_ns != 0 || count == 0) {
        return;
    }
    spend_milli_instructions(board, count * board->cost_milli[cost]);
}

void twin_board_settle(struct twin_board *board) {
    struct twin_work work = {0};
    struct twin_work paid = board->charged;

    if (board->firmware.work == NULL) {
        return;
    }
    board->firmware.work(board->firmware.context, &work);
    TWIN_CHECK(work.segments >= paid.segments && work.acks >= paid.acks);
    TWIN_CHECK(work.control_frames >= paid.control_frames);
    TWIN_CHECK(
        work.lwip_segments >= paid.lwip_segments && work.lwip_received >= paid.lwip_received &&
        work.lwip_summed_bytes >= paid.lwip_summed_bytes);
    TWIN_CHECK(work.copied_bytes >= paid.copied_bytes && work.summed_bytes >= paid.summed_bytes);
    board->charged = work;
    if (board->config.segment_ns != 0) {
        uint64_t segments = work.segments + work.lwip_segments - paid.segments - paid.lwip_segments;

        if (segments != 0) {
            twin_board_spend_ns(board, segments * board->config.segment_ns);
        }
        return;
    }
    twin_board_charge(board, TWIN_COST_segment, work.segments - paid.segments);
    twin_board_charge(board, TWIN_COST_ack, work.acks - paid.acks);
    twin_board_charge(board, TWIN_COST_control_frame, work.control_frames - paid.control_frames);
    twin_board_charge(board, TWIN_COST_copied_byte, work.copied_bytes - paid.copied_bytes);
    twin_board_charge(board, TWIN_COST_summed_byte, work.summed_bytes - paid.summed_bytes);
    twin_board_charge(board, TWIN_COST_lwip_segment, work.lwip_segments - paid.lwip_segments);
    twin_board_charge(board, TWIN_COST_lwip_received, work.lwip_received - paid.lwip_received);
    twin_board_charge(
        board, TWIN_COST_lwip_summed_byte, work.lwip_summed_bytes - paid.lwip_summed_bytes);
}

uint64_t twin_board_clock_ns(struct twin_board *board) {
    if (!board->polling) {
        return twin_now_ns(board->config.sim);
    }
    twin_board_settle(board);
    return board->busy_until_ns;
}

uint64_t twin_board_worked_ns(struct twin_board *board) {
    uint64_t clock_ns = twin_board_clock_ns(board);

    return board->polling ? clock_ns - board->waited_ns : clock_ns;
}

// ---- polls and interrupts

void twin_board_wake(struct twin_board *board) {
    board->woken = true;
    schedule_poll(board);
}

void twin_board_interrupt(struct twin_board *board) {
    if (!board->started) {
        return;
    }
    board->counters.interrupts++;
    twin_board_charge(board, TWIN_COST_interrupt, 1);
    twin_board_wake(board);
}

void twin_board_line(struct twin_board *board, bool level) {
    if (level && twin_board_engine_idle(board)) {
        twin_board_interrupt(board);
    }
}

static void run_poll(void *context) {
    struct twin_board *board = context;
    uint64_t now_ns = twin_now_ns(board->config.sim);
    uint64_t deadline_us;

    board->polling = true;
    board->busy_until_ns = now_ns;
    board->waited_ns = 0;
    board->counters.polls++;
    if (!board->woken) {  // the timer's interrupt
        board->counters.interrupts++;
        twin_board_charge(board, TWIN_COST_interrupt, 1);
    }
    board->woken = false;
    twin_board_charge(board, TWIN_COST_poll, 1);
    deadline_us = board->firmware.poll(board->firmware.context, now_ns / NS_PER_US);
    twin_board_settle(board);
    board->polling = false;
    board->deadline_ns = deadline_us < TWIN_NEVER / NS_PER_US
                             ? later(deadline_us * NS_PER_US, now_ns + POLL_DISTANCE_NS_MIN)
                             : TWIN_NEVER;
    schedule_poll(board);
}

// ---- life

struct twin_board *twin_board_new(const struct twin_board_config *config) {
    struct twin_board *board = twin_alloc(1, sizeof(*board));

    TWIN_CHECK(config->sim != NULL && config->cpu_hz > 0 && config->chip.transfer != NULL);
    board->config = *config;
    board->unsure = twin_sim_unsure(config->sim);
    costs_init(board);
    board->deadline_ns = TWIN_NEVER;
    twin_event_init(&board->poll_event, run_poll, board);
    twin_board_engine_init(board);
    return board;
}

void twin_board_free(struct twin_board *board) {
    if (board == NULL) {
        return;
    }
    twin_cancel(board->config.sim, &board->poll_event);
    twin_board_engine_free(board);
    free(board);
}

void twin_board_set_firmware(struct twin_board *board, const struct twin_firmware *firmware) {
    board->firmware = *firmware;
    board->charged = (struct twin_work){0};
}

void twin_board_start(struct twin_board *board) {
    TWIN_CHECK(board->firmware.poll != NULL);
    board->started = true;
    twin_board_wake(board);
}

void twin_board_power(struct twin_board *board, bool on) {
    uint64_t now_ns = twin_now_ns(board->config.sim);

    if (board->radio_on) {
        board->radio_on_ns += now_ns - board->radio_since_ns;
    }
    board->radio_on = on;
    board->radio_since_ns = now_ns;
    if (board->config.chip.power != NULL) {
        board->config.chip.power(board->config.chip.context, on);
    }
}

void twin_board_get_counters(const struct twin_board *board, struct twin_board_counters *counters) {
    *counters = board->counters;
    counters->radio_on_ns = board->radio_on_ns;
    if (board->radio_on) {
        counters->radio_on_ns += twin_now_ns(board->config.sim) - board->radio_since_ns;
    }
}
