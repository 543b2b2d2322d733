// SPDX-License-Identifier: MIT
#include "budget/bus.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

// ---- gSPI. Layout read from public code: cyw43-driver (cyw43_ll.c), embassy (cyw43, cyw43-pio).
#define GSPI_WORD_BYTES   4u
#define GSPI_COMMAND_BITS 32.0
#define GSPI_STATUS_BITS  32.0
#define GSPI_POLL_BITS    64.0  // one 32-bit read of function 0: command and data
#define GSPI_TO_CHIP_HEAD 18u   // SDPCM 12, padding 2, BDC 4
#define GSPI_FROM_HEAD    22u   // SDPCM 12, padding 2, BDC 4 and one word of data offset
#define GSPI_CREDIT_BYTES 12u   // an SDPCM header alone

// The older polled sequence: a read of the status word after each transfer is command, data and
// appended status, 12 bytes; an ACK occupies about 80 bytes behind its command.
#define GSPI_POLLED_READ_BITS 96.0
#define GSPI_POLLED_FROM_HEAD 26u

// Transactions for a data frame and for a received one.
static const struct {
    double send, receive;
} gspi_transactions[] = {
    [BUDGET_STATUS_APPENDED] = {1, 1},
    [BUDGET_STATUS_POLLED] = {2, 4},
    [BUDGET_STATUS_SDK] = {2, 5},
};

// ---- ESP-Hosted. Header and block size read from public code: esp-hosted-mcu, common/
// esp_hosted_header.h and the SDIO host driver.
#define HOSTED_HEAD_BYTES 12u
#define SDIO_BLOCK_BYTES  512u
#define SDIO_FRAME_CLOCKS 18.0   // specified, SD physical layer: start 1, CRC 16, end 1 a block
#define SDIO_WRITE_GAP    10.0   // UNSURE: CRC status and turn-round behind a block written
#define SDIO_READ_GAP     8.0    // UNSURE: gap behind a block read
#define SDIO_COMMAND      112.0  // UNSURE: command 48, response 48 and the gaps between them
#define SDIO_TOKEN_BYTES  4u     // register read that tells the credit
#define SDIO_TOKEN_FRAMES 20.0   // read from public code: credits of a 2.x slave
#define SDIO_STATE_BYTES  20u    // read from public code: interrupt cause to length, in one read
#define SDIO_CLEAR_BYTES  4u
#define SDIO_BURST_MAX    20.0  // read from public code: frames queued in a 2.x slave
#define SDIO_AGGREGATE    10.0  // read from public code: 15 872 bytes hold ten full frames

#define SPI_FD_BYTES     1600.0  // read from public code: every exchange, both ways
#define SPI_FD_CS_CLOCKS 3.0     // read from public code: chip select held longer
#define SPI_HD_COMMAND   24.0    // read from public code: command, address, dummy
#define SPI_HD_REGISTER  32.0    // a register of 4 bytes
#define UART_BYTE_BITS   10.0    // specified: 8N1

static double round_up(double bytes, double unit) {
    return ceil(bytes / unit) * unit;
}

static void add(
    struct budget_terms *terms,
    const struct budget_wire *wire,
    const char *name,
    double clocks,
    const char *source) {
    budget_terms_add(terms, name, clocks, clocks * 1e6 / wire->clock_hz, source);
}

// ---- gSPI

static double gspi_receive_bits(const struct budget_wire *wire, uint32_t frame_bytes) {
    double words = round_up(frame_bytes + GSPI_FROM_HEAD, GSPI_WORD_BYTES);

    switch (wire->status) {
    case BUDGET_STATUS_POLLED:
        words = round_up(frame_bytes + GSPI_POLLED_FROM_HEAD, GSPI_WORD_BYTES);
        return GSPI_COMMAND_BITS + 8 * words + GSPI_STATUS_BITS + 3 * GSPI_POLLED_READ_BITS;
    case BUDGET_STATUS_SDK:
        return GSPI_COMMAND_BITS + 8 * words + 4 * GSPI_POLL_BITS;
    case BUDGET_STATUS_APPENDED:
    default:
        return GSPI_COMMAND_BITS + 8 * words + GSPI_STATUS_BITS;
    }
}

static double gspi_credit_bits(const struct budget_wire *wire) {
    double bits = GSPI_COMMAND_BITS + 8.0 * GSPI_CREDIT_BYTES;

    return wire->status == BUDGET_STATUS_SDK ? bits + 4 * GSPI_POLL_BITS : bits + GSPI_STATUS_BITS;
}

static void gspi_status(struct budget_terms *terms, const struct budget_wire *wire) {
    if (wire->status == BUDGET_STATUS_SDK) {
        add(terms,
            wire,
            "poll until ready",
            GSPI_POLL_BITS,
            "read from public code: cyw43_ll_send_ethernet, one poll when all goes well");
        return;
    }
    add(terms, wire, "status appended", GSPI_STATUS_BITS, "read from public code: bus control bit");
    if (wire->status == BUDGET_STATUS_POLLED) {
        add(terms,
            wire,
            "status read after it",
            GSPI_POLLED_READ_BITS,
            "read from public code: embassy of 2025, a function 0 read for each frame");
    }
}

static void gspi_terms(
    struct budget_terms *terms,
    const struct budget_wire *wire,
    const struct budget_frames *frames) {
    double head = GSPI_TO_CHIP_HEAD + frames->header_bytes;
    double words = round_up(head + frames->payload_bytes, GSPI_WORD_BYTES);
    double count = gspi_transactions[wire->status].send;

    add(terms, wire, "payload", 8.0 * frames->payload_bytes, "the application's bytes");
    add(terms, wire, "Ethernet, IP, TCP or UDP", 8.0 * frames->header_bytes, "specified: RFCs");
    add(terms,
        wire,
        "SDPCM, padding, BDC",
        8.0 * GSPI_TO_CHIP_HEAD,
        "read from public code: cyw43_ll.c");
    add(terms,
        wire,
        "padding to a word",
        8 * (words - head - frames->payload_bytes),
        "read from public code: cyw43_ll.c");
    add(terms, wire, "command", GSPI_COMMAND_BITS, "read from public code: cyw43_ll.c");
    gspi_status(terms, wire);
    if (frames->ack_every > 0) {
        add(terms,
            wire,
            "share of an ACK received",
            gspi_receive_bits(wire, frames->ack_header_bytes) / frames->ack_every,
            "read from public code: the same drivers' receive path");
        count += gspi_transactions[wire->status].receive / frames->ack_every;
    }
    if (frames->credit_every > 0) {
        add(terms,
            wire,
            "share of a credit frame",
            gspi_credit_bits(wire) / frames->credit_every,
            "UNSURE: how often the chip sends them");
    }
    budget_terms_add(
        terms, "gaps between transactions", 0, count * wire->gap_us, "as given by --gap-us");
}

// ---- ESP-Hosted over SDIO

static double sdio_byte_clocks(const struct budget_wire *wire) {
    return 8.0 / wire->lines;
}

// One CMD53 of so many bytes, in whole blocks or as one short block.
static double sdio_transfer(const struct budget_wire *wire, double bytes, double gap) {
    double blocks = ceil(bytes / SDIO_BLOCK_BYTES);

    return SDIO_COMMAND + bytes * sdio_byte_clocks(wire) + blocks * (SDIO_FRAME_CLOCKS + gap);
}

// What a received batch of small frames costs each of them.
static double sdio_ack_clocks(const struct budget_wire *wire, const struct budget_frames *frames) {
    // A 3.x slave ends the batch behind a frame of 256 bytes or less; packet mode has no batch.
    double batch = wire->sdio_mode == BUDGET_SDIO_STREAM ? frames->ack_batch : 1.0;

    batch = batch < 1.0 ? 1.0 : batch > SDIO_BURST_MAX ? SDIO_BURST_MAX : batch;
    double bytes =
        round_up(batch * (HOSTED_HEAD_BYTES + frames->ack_header_bytes), SDIO_BLOCK_BYTES);

    return (sdio_transfer(wire, SDIO_STATE_BYTES, SDIO_READ_GAP) +
            sdio_transfer(wire, SDIO_CLEAR_BYTES, SDIO_WRITE_GAP) +
            sdio_transfer(wire, bytes, SDIO_READ_GAP)) /
           batch;
}

static void sdio_terms(
    struct budget_terms *terms,
    const struct budget_wire *wire,
    const struct budget_frames *frames) {
    double clocks = sdio_byte_clocks(wire);
    bool aggregate = wire->sdio_mode == BUDGET_SDIO_AGGREGATE;
    double batch = aggregate ? SDIO_AGGREGATE : 1.0;
    double frame = HOSTED_HEAD_BYTES + frames->header_bytes + frames->payload_bytes;
    double stride = aggregate ? round_up(frame, 4) : frame;
    double bus_bytes = round_up(batch * stride, SDIO_BLOCK_BYTES) / batch;

    add(terms, wire, "payload", clocks * frames->payload_bytes, "the application's bytes");
    add(terms, wire, "Ethernet, IP, TCP or UDP", clocks * frames->header_bytes, "specified: RFCs");
    add(terms,
        wire,
        "ESP-Hosted header",
        clocks * HOSTED_HEAD_BYTES,
        "read from public code: esp_hosted_header.h");
    add(terms,
        wire,
        "padding to 512",
        clocks * (bus_bytes - frame),
        "read from public code: block-only transfers");
    add(terms,
        wire,
        "start, CRC, end, gap of blocks",
        bus_bytes / SDIO_BLOCK_BYTES * (SDIO_FRAME_CLOCKS + SDIO_WRITE_GAP),
        "specified: SD physical layer; UNSURE: the gap of 10 clocks");
    add(terms,
        wire,
        "command and response",
        SDIO_COMMAND / batch,
        "UNSURE: 112 clocks, 96 of them specified");
    add(terms,
        wire,
        "share of a credit read",
        sdio_transfer(wire, SDIO_TOKEN_BYTES, SDIO_READ_GAP) /
            (aggregate ? SDIO_AGGREGATE : SDIO_TOKEN_FRAMES),
        "read from public code: once for 20 frames, or for each aggregate");
    if (frames->ack_every > 0) {
        add(terms,
            wire,
            "share of an ACK received",
            sdio_ack_clocks(wire, frames) / frames->ack_every,
            "read from public code: register read, clear, data read");
    }
}

// ---- ESP-Hosted over SPI and UART

static void spi_fd_terms(
    struct budget_terms *terms,
    const struct budget_wire *wire,
    const struct budget_frames *frames) {
    double head = HOSTED_HEAD_BYTES + frames->header_bytes;

    add(terms, wire, "payload", 8.0 * frames->payload_bytes, "the application's bytes");
    add(terms, wire, "headers", 8 * head, "read from public code: esp_hosted_header.h");
    add(terms,
        wire,
        "rest of the 1600 bytes",
        8 * (SPI_FD_BYTES - head - frames->payload_bytes),
        "read from public code: every exchange is 1600 bytes; ACKs ride the other way");
    add(terms, wire, "chip select", SPI_FD_CS_CLOCKS, "read from public code: spi_drv.c");
}

static void spi_hd_terms(
    struct budget_terms *terms,
    const struct budget_wire *wire,
    const struct budget_frames *frames) {
    double clocks = 8.0 / wire->lines;
    double head = HOSTED_HEAD_BYTES + frames->header_bytes;
    double frame = round_up(head + frames->payload_bytes, 4);
    double register_clocks = SPI_HD_COMMAND + SPI_HD_REGISTER / wire->lines;

    add(terms, wire, "payload", clocks * frames->payload_bytes, "the application's bytes");
    add(terms,
        wire,
        "headers and padding",
        clocks * (frame - frames->payload_bytes),
        "read from public code: esp_hosted_header.h");
    add(terms,
        wire,
        "write, done, buffer count",
        2 * SPI_HD_COMMAND + register_clocks,
        "read from public code: WRDMA, WR_DONE, register 0x10; UNSURE: lines of the command");
    if (frames->ack_every > 0) {
        double ack = round_up(HOSTED_HEAD_BYTES + frames->ack_header_bytes, 4);

        add(terms,
            wire,
            "share of an ACK received",
            (register_clocks + 2 * SPI_HD_COMMAND + clocks * ack) / frames->ack_every,
            "read from public code: register 0x0C, RDDMA, CMD8");
    }
}

static void uart_terms(
    struct budget_terms *terms,
    const struct budget_wire *wire,
    const struct budget_frames *frames) {
    double head = HOSTED_HEAD_BYTES + frames->header_bytes;

    add(terms, wire, "payload", UART_BYTE_BITS * frames->payload_bytes, "the application's bytes");
    add(terms,
        wire,
        "headers",
        UART_BYTE_BITS * head,
        "read from public code: esp_hosted_header.h; ACKs come on the other line");
}

struct budget_terms budget_bus_terms(
    const struct budget_wire *wire, const struct budget_frames *frames) {
    struct budget_terms terms = {.unit = wire->bus == BUDGET_BUS_GSPI ? "bit" : "clock"};

    switch (wire->bus) {
    case BUDGET_BUS_GSPI:
        gspi_terms(&terms, wire, frames);
        break;
    case BUDGET_BUS_SDIO:
        sdio_terms(&terms, wire, frames);
        break;
    case BUDGET_BUS_SPI_FD:
        spi_fd_terms(&terms, wire, frames);
        break;
    case BUDGET_BUS_SPI_HD:
        spi_hd_terms(&terms, wire, frames);
        break;
    case BUDGET_BUS_UART:
        uart_terms(&terms, wire, frames);
        break;
    case BUDGET_BUS_NONE:
    default:
        break;
    }
    return terms;
}

double budget_bus_line_bps(const struct budget_wire *wire) {
    return wire->clock_hz * wire->lines;
}

// Clocks in use with each bus. gSPI: dividers of 150 and 125 MHz. SDIO, SPI, UART: the vendor's
// tables for ESP-Hosted. The last one within the specification is the maximum.
static const struct {
    double max_hz;
    double hz[7];
} bus_clocks[] = {
    [BUDGET_BUS_NONE] = {0, {0}},
    [BUDGET_BUS_GSPI] = {50e6, {25e6, 31.25e6, 37.5e6, 50e6, 62.5e6, 75e6, 0}},
    [BUDGET_BUS_SDIO] = {50e6, {10e6, 20e6, 25e6, 40e6, 50e6, 0}},
    [BUDGET_BUS_SPI_FD] = {40e6, {10e6, 20e6, 26e6, 40e6, 0}},
    [BUDGET_BUS_SPI_HD] = {40e6, {10e6, 20e6, 26e6, 40e6, 0}},
    [BUDGET_BUS_UART] = {4e6, {115200, 921600, 4e6, 0}},
};

double budget_bus_next_hz(enum budget_bus bus, double clock_hz) {
    for (const double *hz = bus_clocks[bus].hz; *hz != 0; hz++) {
        if (*hz > clock_hz * 1.001) {
            return *hz;
        }
    }
    return 0;
}

double budget_bus_max_hz(enum budget_bus bus) {
    return bus_clocks[bus].max_hz;
}

const char *budget_bus_name(enum budget_bus bus) {
    static const char *const names[] = {
        "none", "gSPI", "SDIO", "SPI full duplex", "SPI half duplex", "UART"};

    return names[bus];
}

const char *budget_status_name(enum budget_status status) {
    static const char *const names[] = {"appended", "polled", "sdk"};

    return names[status];
}

const char *budget_sdio_mode_name(enum budget_sdio_mode mode) {
    static const char *const names[] = {"packet", "stream", "aggregate"};

    return names[mode];
}

char *budget_bus_text(char text[BUDGET_BUS_TEXT_SIZE], const struct budget_wire *wire) {
    if (wire->bus == BUDGET_BUS_UART) {
        snprintf(text, BUDGET_BUS_TEXT_SIZE, "UART, %.0f baud", wire->clock_hz);
    } else {
        snprintf(
            text,
            BUDGET_BUS_TEXT_SIZE,
            "%s, %u line%s, %g MHz",
            budget_bus_name(wire->bus),
            wire->lines,
            wire->lines == 1 ? "" : "s",
            wire->clock_hz / 1e6);
    }
    return text;
}
