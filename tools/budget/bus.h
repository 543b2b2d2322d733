// SPDX-License-Identifier: MIT
// Bus: the clocks that one data frame and its share of answers take between host and radio.
//
// gSPI (CYW43439) in three transaction sequences; ESP-Hosted over SDIO, SPI full duplex, SPI half
// duplex and UART. Clocks only: what software adds between transfers is counted elsewhere.
#ifndef TOOLS_BUDGET_BUS_H
#define TOOLS_BUDGET_BUS_H

#include "budget/terms.h"

#include <stdint.h>

enum budget_bus {
    BUDGET_BUS_NONE,  // the radio is in the same chip
    BUDGET_BUS_GSPI,
    BUDGET_BUS_SDIO,
    BUDGET_BUS_SPI_FD,
    BUDGET_BUS_SPI_HD,
    BUDGET_BUS_UART,
};

// How a gSPI driver learns what the chip has to say.
enum budget_status {
    BUDGET_STATUS_APPENDED,  // the status word comes with each transfer: the minimum
    BUDGET_STATUS_POLLED,    // an older embassy: one status read after each transfer
    BUDGET_STATUS_SDK,       // pico-sdk 2.2: ready poll, interrupt register, length poll
};

enum budget_sdio_mode {
    BUDGET_SDIO_PACKET,     // one frame a transfer both ways
    BUDGET_SDIO_STREAM,     // 2.x: one frame a write, several a read
    BUDGET_SDIO_AGGREGATE,  // 3.x: ten frames a write
};

struct budget_wire {
    enum budget_bus bus;
    double clock_hz;
    unsigned lines;
    enum budget_status status;
    enum budget_sdio_mode sdio_mode;
    double gap_us;  // between two gSPI transactions: chip select, set-up
};

// What crosses it.
struct budget_frames {
    uint32_t payload_bytes;
    uint32_t header_bytes;      // Ethernet, IP and TCP or UDP before the payload
    uint32_t ack_every;         // data frames for one ACK; 0: none come back
    uint32_t ack_header_bytes;  // the frame of a bare ACK
    double ack_batch;           // ACKs that wait together when the host looks; at least 1
    uint32_t credit_every;      // data frames for one frame that only carries credit; 0: none
};

// The bus's time for one data frame. Nothing for BUDGET_BUS_NONE.
struct budget_terms budget_bus_terms(
    const struct budget_wire *wire, const struct budget_frames *frames);

// Bits a second on the lines, one direction.
double budget_bus_line_bps(const struct budget_wire *wire);

// The next clock that this bus is used with, or 0; and whether it is within the specification.
double budget_bus_next_hz(enum budget_bus bus, double clock_hz);
double budget_bus_max_hz(enum budget_bus bus);

// "gSPI, 1 line, 37.5 MHz".
#define BUDGET_BUS_TEXT_SIZE 64
char *budget_bus_text(char text[BUDGET_BUS_TEXT_SIZE], const struct budget_wire *wire);
const char *budget_bus_name(enum budget_bus bus);
const char *budget_status_name(enum budget_status status);
const char *budget_sdio_mode_name(enum budget_sdio_mode mode);

#endif
