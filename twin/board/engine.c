// SPDX-License-Identifier: MIT
// The gSPI engine: clocks the transfers of its queue one after the other.
//
// The times of a transfer are known when it is queued, because nothing overtakes it and the clock
// does not change under way: it begins when the processor has handed it over and the engine is
// free, and lasts its clocks.
#include "board/internal.h"
#include "coradio_twin/board.h"
#include "sim/alloc.h"

#include <stdlib.h>

#define NS_PER_S 1000000000u

static uint32_t round4(uint32_t bytes) {
    return (bytes + 3u) & ~3u;
}

static uint64_t wire_clocks(const struct twin_gspi_xfer *wire) {
    uint32_t out_bytes = 0;

    for (uint32_t i = 0; i < wire->out_count; i++) {
        out_bytes += wire->out[i].size_bytes;
    }
    return 8u * ((uint64_t)round4(out_bytes) + round4(wire->in_bytes)) + wire->extra_clocks;
}

static uint64_t clocks_ns(const struct twin_board *board, uint64_t clocks) {
    return clocks * board->clocks_per_bit * NS_PER_S / board->config.cpu_hz;
}

static struct twin_board_xfer *at(const struct twin_board *board, uint32_t place) {
    return board->queue[(board->head + place) % board->depth];
}

bool twin_board_engine_idle(const struct twin_board *board) {
    return board->done == board->count;
}

// ---- one transfer after the other

static void run_transfer(void *context) {
    struct twin_board *board = context;
    struct twin_board_xfer *xfer = at(board, board->done);
    uint64_t clocks = wire_clocks(&xfer->wire);

    xfer->wire.clock_hz = twin_board_bus_clock_hz(board);
    xfer->wire.sample_half_clocks = board->sample_half_clocks;
    board->config.chip.transfer(board->config.chip.context, &xfer->wire);
    xfer->complete = true;
    board->done++;
    board->counters.transfers++;
    board->payload_transfers += xfer->payload_bytes > 0 ? 1 : 0;
    board->counters.clocked_bits += clocks;
    board->counters.bus_busy_ns += xfer->completed_ns - xfer->started_ns;
    if (board->config.bus_log != NULL) {
        twin_board_log_transfer(board->config.bus_log, xfer, clocks);
    }
    if (!twin_board_engine_idle(board)) {
        twin_at(board->config.sim, &board->engine_event, at(board, board->done)->completed_ns);
    }
    if (board->config.engine == TWIN_ENGINE_SERIAL) {
        twin_board_wake(board);  // the processor has waited in place: no interrupt is taken
    } else {
        twin_board_interrupt(board);
    }
}

static void run_first(void *context) {
    struct twin_board *board = context;

    if (board->first_payload != NULL) {
        void (*first)(void *) = board->first_payload;

        board->first_payload = NULL;
        first(board->first_context);
    }
}

bool twin_board_bus_start(struct twin_board *board, struct twin_board_xfer *xfer) {
    bool serial = board->config.engine == TWIN_ENGINE_SERIAL;
    uint64_t clocks = wire_clocks(&xfer->wire);
    uint64_t handed_ns;

    twin_board_settle(board);
    if (board->count == board->depth) {
        return false;
    }
    TWIN_CHECK(xfer->wire.out_count <= TWIN_GSPI_PIECES_MAX);
    TWIN_CHECK(clocks > 0);
    twin_board_charge(board, serial ? TWIN_COST_setup_serial : TWIN_COST_setup_queued, 1);
    handed_ns = twin_board_processor_ns(board);
    xfer->complete = false;
    xfer->started_ns = handed_ns > board->free_ns ? handed_ns : board->free_ns;
    xfer->completed_ns = xfer->started_ns + clocks_ns(board, clocks);
    board->free_ns =
        xfer->completed_ns + board->unsure->board_gap_cycles * NS_PER_S / board->config.cpu_hz;
    if (twin_board_engine_idle(board)) {
        twin_at(board->config.sim, &board->engine_event, xfer->completed_ns);
    }
    if (xfer->payload_bytes > 0 && board->first_payload != NULL &&
        !twin_event_queued(&board->first_event)) {
        twin_at(board->config.sim, &board->first_event, xfer->started_ns);
    }
    board->queue[(board->head + board->count) % board->depth] = xfer;
    board->count++;
    if (serial) {
        twin_board_wait_until(board, xfer->completed_ns);
    }
    return true;
}

bool twin_board_bus_poll(struct twin_board *board) {
    if (board->done == 0) {
        return false;
    }
    board->head = (board->head + 1) % board->depth;
    board->count--;
    board->done--;
    return true;
}

// Transfers are clocked one after the other: beside the complete ones at most one has begun.
void twin_board_get_begun(const struct twin_board *board, struct twin_board_begun *begun) {
    uint64_t now_ns = twin_now_ns(board->config.sim);
    const struct twin_board_xfer *xfer;

    *begun = (struct twin_board_begun){
        .transfers = board->counters.transfers,
        .payload_transfers = board->payload_transfers,
        .clocked_bits = board->counters.clocked_bits,
        .busy_ns = board->counters.bus_busy_ns,
    };
    if (twin_board_engine_idle(board)) {
        return;
    }
    xfer = at(board, board->done);
    if (xfer->started_ns < now_ns) {
        begun->transfers++;
        begun->payload_transfers += xfer->payload_bytes > 0 ? 1 : 0;
        begun->clocked_bits += wire_clocks(&xfer->wire);
        begun->busy_ns += now_ns - xfer->started_ns;
    }
}

// ---- pins and settings

uint32_t twin_board_bus_set_clock_hz(struct twin_board *board, uint32_t clock_hz) {
    uint64_t clocks_per_bit;

    if (clock_hz == 0 || !twin_board_engine_idle(board)) {
        return 0;
    }
    clocks_per_bit = ((uint64_t)board->config.cpu_hz + clock_hz - 1) / clock_hz;
    if (clocks_per_bit < TWIN_CLOCKS_PER_BIT_MIN) {
        clocks_per_bit = TWIN_CLOCKS_PER_BIT_MIN;
    }
    if (clocks_per_bit > TWIN_CLOCKS_PER_BIT_MAX) {
        return 0;
    }
    board->clocks_per_bit = (uint32_t)clocks_per_bit;
    return twin_board_bus_clock_hz(board);
}

void twin_board_bus_set_sampling(struct twin_board *board, uint32_t half_clocks) {
    board->sample_half_clocks = half_clocks;
}

uint32_t twin_board_bus_clock_hz(const struct twin_board *board) {
    return board->config.cpu_hz / board->clocks_per_bit;
}

bool twin_board_bus_irq(struct twin_board *board) {
    const struct twin_gspi_chip *chip = &board->config.chip;

    return twin_board_engine_idle(board) && chip->irq != NULL && chip->irq(chip->context);
}

void twin_board_on_first_payload(
    struct twin_board *board, void (*first)(void *context), void *context) {
    board->first_payload = first;
    board->first_context = context;
}

uint8_t twin_board_queue_depth(const struct twin_board *board) {
    return (uint8_t)board->depth;
}

void twin_board_engine_init(struct twin_board *board) {
    board->clocks_per_bit = TWIN_CLOCKS_PER_BIT_DEFAULT;
    board->depth = board->config.queue_depth;
    if (board->depth == 0 || board->config.engine == TWIN_ENGINE_SERIAL) {
        board->depth = 1;
    }
    board->queue = twin_alloc(board->depth, sizeof(struct twin_board_xfer *));
    twin_event_init(&board->engine_event, run_transfer, board);
    twin_event_init(&board->first_event, run_first, board);
}

void twin_board_engine_free(struct twin_board *board) {
    twin_cancel(board->config.sim, &board->engine_event);
    twin_cancel(board->config.sim, &board->first_event);
    free(board->queue);
}
