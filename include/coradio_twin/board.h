// SPDX-License-Identifier: MIT
// Board: a processor with an account of its time, interrupts, a gSPI engine and a power meter.
//
// The firmware is a poll function. The board calls it when an interrupt or a deadline is due and
// the processor is free. The poll itself runs in no virtual time; what it did is charged from a
// cost table in cycles, so that a transfer it starts reaches the bus only when a real processor
// would have got there, and the next poll comes no earlier than the work is done.
#ifndef CORADIO_TWIN_BOARD_H
#define CORADIO_TWIN_BOARD_H

#include "coradio_twin/gspi.h"
#include "coradio_twin/log.h"
#include "coradio_twin/sim.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twin_board;

// How the bus engine runs. Queued: descriptors are walked without the processor, the gap between
// two transactions is that of the hardware; each completion interrupts the processor. Serial: the
// processor waits in place for each transfer, and takes no interrupt for it.
//
// A poll cannot stop in its middle, so waiting in place is told like this: the engine holds one
// transfer, starting it moves the processor's clock on to its last clock, and the poll that finds
// it complete comes when the processor is free. Bus and processor never overlap.
enum twin_engine { TWIN_ENGINE_QUEUED, TWIN_ENGINE_SERIAL };

// Work the firmware has done so far, read by the board to charge it. Only rises.
struct twin_work {
    uint64_t segments;        // frames with payload built
    uint64_t acks;            // frames received and processed
    uint64_t control_frames;  // other frames built
    uint64_t copied_bytes;    // by the processor
    uint64_t summed_bytes;    // checksummed by the processor
    // The same of a firmware whose stack is lwIP, which costs more.
    uint64_t lwip_segments;
    uint64_t lwip_received;
    uint64_t lwip_summed_bytes;
};

struct twin_firmware {
    void *context;
    // Runs once; returns the time in microseconds when it wants to be called even without an
    // interrupt, UINT64_MAX for never.
    uint64_t (*poll)(void *context, uint64_t now_us);
    void (*work)(void *context, struct twin_work *work);
};

struct twin_board_config {
    struct twin_sim *sim;
    struct twin_gspi_chip chip;
    struct twin_log *bus_log;  // one line a transaction, may be NULL
    enum twin_engine engine;
    uint32_t cpu_hz;
    uint32_t core_mv;     // core voltage, for the power model
    uint64_t segment_ns;  // not 0: replaces the cost table by this cost for each segment, paid
                          // when it is built; nothing else costs processor time then
    uint8_t queue_depth;  // transfers the queued engine holds, at least 1; the serial one holds 1
};

struct twin_board *twin_board_new(const struct twin_board_config *config);
void twin_board_free(struct twin_board *board);
void twin_board_set_firmware(struct twin_board *board, const struct twin_firmware *firmware);
// Powers the board up: the first poll is due now.
void twin_board_start(struct twin_board *board);
// Wakes the firmware as an interrupt would (a console byte, a card). Ignored before the start.
void twin_board_interrupt(struct twin_board *board);
// The chip's interrupt line changed (twin_cyw43_on_irq). A rise while no transfer is in flight is
// an interrupt; with a transfer in flight the line carries data, and the firmware looks at the
// level when it is polled for the completion.
void twin_board_line(struct twin_board *board, bool level);

// The processor's present time: now plus the work charged in the running poll.
uint64_t twin_board_clock_ns(struct twin_board *board);
// The same without the time it waited in place for serial transfers in this poll: where its work
// ends and its waiting begins, for a meter that tells the two apart.
uint64_t twin_board_worked_ns(struct twin_board *board);
// The processor is busy for so long, for what the account does not know.
void twin_board_spend_ns(struct twin_board *board, uint64_t ns);

// The bus engine, as ports/twin uses it.
struct twin_board_xfer {
    struct twin_gspi_xfer wire;
    uint32_t payload_bytes;  // for the bus log
    uint64_t started_ns;     // filled by start: first clock
    uint64_t completed_ns;   // filled by start: last clock
    bool complete;
};

// Queues a transfer, which belongs to the board until poll reports it. It reaches the bus when the
// processor has paid for the work before it and the engine is free; the chip's transfer() is called
// once, at the time of the last clock. False: the queue is full.
//
// Clocks of a transfer: 8 for each byte, out and in each rounded up to 4 bytes, and extra_clocks.
bool twin_board_bus_start(struct twin_board *board, struct twin_board_xfer *xfer);
// True: the oldest transfer is complete and leaves the queue.
bool twin_board_bus_poll(struct twin_board *board);
// The clock set: the nearest that is not faster; 0: not possible, or a transfer is in flight. A bit
// takes a whole number of system clocks, 2 at least (PIO cycles and delays times a whole divider),
// because a fractional divider corrupted data on a real board: 150 MHz gives 25, 30, 37.5, 50, 75.
uint32_t twin_board_bus_set_clock_hz(struct twin_board *board, uint32_t clock_hz);
uint32_t twin_board_bus_clock_hz(const struct twin_board *board);
// When read data is sampled, as gspi.h has it; 0, as it is at first: always right.
void twin_board_bus_set_sampling(struct twin_board *board, uint32_t half_clocks);
// Level of the chip's line; false while a transfer is in flight.
bool twin_board_bus_irq(struct twin_board *board);
void twin_board_power(struct twin_board *board, bool on);
// Called once, at the first clock of the first transfer that carries payload.
void twin_board_on_first_payload(
    struct twin_board *board, void (*first)(void *context), void *context);

// name, unit, what it counts. Totals since the start; readers subtract snapshots.
// clang-format off
#define TWIN_BOARD_COUNTERS(X)                                                                     \
    X(polls,        "1",   "polls of the firmware")                                                \
    X(interrupts,   "1",   "interrupts taken: completions, the chip's line, the timer, others")    \
    X(cpu_busy_ns,  "ns",  "processor at work, or waiting in place for a serial transfer")         \
    X(cpu_wait_ns,  "ns",  "of this waiting in place")                                             \
    X(bus_busy_ns,  "ns",  "bus clocked, chip select low")                                         \
    X(clocked_bits, "bit", "clocks of the bus, extra ones included")                               \
    X(transfers,    "1",   "transfers completed")                                                  \
    X(radio_on_ns,  "ns",  "power pin of the chip high")
// clang-format on

struct twin_board_counters {
#define X(name, unit, text) uint64_t name;
    TWIN_BOARD_COUNTERS(X)
#undef X
};

void twin_board_get_counters(const struct twin_board *board, struct twin_board_counters *counters);

// The same of the bus by first clocks: transfers whose first clock came before now, complete or
// not.
struct twin_board_begun {
    uint64_t transfers;
    uint64_t payload_transfers;  // of them with payload from the processor
    uint64_t clocked_bits;
    uint64_t busy_ns;  // chip select low up to now
};

void twin_board_get_begun(const struct twin_board *board, struct twin_board_begun *begun);
uint8_t twin_board_queue_depth(const struct twin_board *board);

#ifdef __cplusplus
}
#endif

#endif
