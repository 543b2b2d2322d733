// SPDX-License-Identifier: MIT
// Board: presets of chips and stacks, with what is known of them and from where.
#ifndef TOOLS_BUDGET_BOARD_H
#define TOOLS_BUDGET_BOARD_H

#include "budget/airtime.h"
#include "budget/bus.h"

#include <stdbool.h>
#include <stddef.h>

enum budget_family {
    BUDGET_FAMILY_PICO,    // CYW43439 behind gSPI
    BUDGET_FAMILY_ESP,     // the radio and the stack in one chip
    BUDGET_FAMILY_HOSTED,  // a co-processor with ESP-Hosted behind SDIO or SPI
};

enum budget_engine {
    BUDGET_ENGINE_QUEUED,  // the processor prepares the next frame while one is on the bus
    BUDGET_ENGINE_SERIAL,  // it waits for each transfer
};

enum budget_stack {
    BUDGET_STACK_CORADIO,
    BUDGET_STACK_LWIP,
    BUDGET_STACK_EMBASSY,
    BUDGET_STACK_VENDOR,
};

// What a stack costs and how it drives the bus.
struct budget_stack_row {
    const char *name;
    const char *title;
    double tcp_amount;  // instructions, or cycles, for a segment and its share of an ACK
    double udp_amount;
    bool in_cycles;
    enum budget_engine engine;
    enum budget_status status;
    double pico_send_buffer;  // bytes in flight at most, on the Pico boards
    const char *tcp_source;
    const char *udp_source;
};

struct budget_reference {
    const char *what;  // "TCP", "UDP"
    double mbps;
    const char *conditions;
};

#define BUDGET_REFERENCES_MAX 8

struct budget_board {
    const char *name;
    const char *title;
    const char *processor;
    enum budget_family family;
    struct budget_wire wire;
    enum budget_stack stack;
    double cpu_mhz;
    double cycles_per_instruction;
    const char *cpu_source;
    enum airtime_format format;  // of the default PHY
    bool has_ht40;
    bool has_he;
    unsigned he_mcs_max;
    unsigned ampdu;      // default
    unsigned ampdu_max;  // what can be set
    unsigned ap_ampdu;   // ACKs that its receive window takes in one A-MPDU
    uint32_t mss;
    double send_buffer;     // bytes, default of the platform; Pico boards: of the stack
    double rtt_us;          // idle round trip
    double vendor_mbps[2];  // best published TCP and UDP transmit rates of the whole chip, or 0
    double chip_frame_us;   // co-processor and its transport software, for each data frame
    const char *chip_source;
    const char *note;
    struct budget_reference references[BUDGET_REFERENCES_MAX];
};

// A way to connect the co-processor, and what its software adds to each frame.
struct budget_transport {
    struct budget_wire wire;
    double frame_us;
    const char *frame_source;
    double measured_mbps[2];  // best published TCP and UDP transmit rates, or 0
    bool wired;               // on the board of the write-up
    const char *wiring;
};

// Ends with a row whose bus is BUDGET_BUS_NONE.
extern const struct budget_transport budget_transports[];

// The row of this bus with so many lines; lines 0: the bus's first row. NULL: there is none.
const struct budget_transport *budget_transport_find(enum budget_bus bus, unsigned lines);

// Ends with a row whose name is NULL.
extern const struct budget_board budget_boards[];

// NULL when there is no such board.
const struct budget_board *budget_board_find(const char *name);

const struct budget_stack_row *budget_stack_row(enum budget_stack stack);

// True when this board can run it.
bool budget_board_has_stack(const struct budget_board *board, enum budget_stack stack);

#endif
