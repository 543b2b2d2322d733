// SPDX-License-Identifier: MIT
// Bus log: one line a transaction, in the time of its first clock.
//
//     12.345678901 w2+00000:1532 out=1536 in=4 payload=1460 clocks=12320 status=00000020
//
// w or r, function, + for an incrementing address, address:length, bytes out and in on the wire
// before padding, application bytes, clocks, and the last word that came in, which is the status
// word where the chip appends one. The board does not know in which byte order the chip is at the
// moment: it takes the order in which command and clocks agree, and writes the four bytes as they
// are with a question mark where none does.
#include "board/internal.h"

#include <inttypes.h>
#include <string.h>

// Filler before the data of a read, and the status word behind it, at the most (bytes).
#define READ_SURPLUS_BYTES_MAX (64u + 4u + 4u)
#define COMMAND_BYTES          4u
#define LENGTH_BYTES_MAX       2048u

// Places of the bytes b3 b2 b1 b0 of a word on the wire (cyw43439 data: 32-bit words, 32-bit words
// in memory order, and 16-bit words, which is the order after reset).
static const uint8_t orders[3][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 3, 0, 1}};

static uint32_t word_at(const uint8_t *bytes, const uint8_t order[4]) {
    return (uint32_t)bytes[order[0]] << 24 | (uint32_t)bytes[order[1]] << 16 |
           (uint32_t)bytes[order[2]] << 8 | bytes[order[3]];
}

static uint32_t length_of(uint32_t command) {
    uint32_t length_bytes = command & 0x7ffu;

    return length_bytes == 0 ? LENGTH_BYTES_MAX : length_bytes;
}

// Does a command say what was clocked?
static bool agrees(uint32_t command, uint32_t out_bytes, uint32_t in_bytes) {
    uint32_t length_bytes = length_of(command);
    uint32_t padded_bytes = (length_bytes + 3u) & ~3u;

    if ((command >> 31) != 0) {
        return ((out_bytes + 3u) & ~3u) == COMMAND_BYTES + padded_bytes;
    }
    return out_bytes == COMMAND_BYTES && in_bytes >= length_bytes &&
           in_bytes <= padded_bytes + READ_SURPLUS_BYTES_MAX;
}

// The first four bytes out, which may stand in two pieces.
static uint32_t first_bytes(const struct twin_gspi_xfer *wire, uint8_t bytes[COMMAND_BYTES]) {
    uint32_t out_bytes = 0;

    memset(bytes, 0, COMMAND_BYTES);
    for (uint32_t i = 0; i < wire->out_count; i++) {
        for (uint32_t k = 0; k < wire->out[i].size_bytes && out_bytes + k < COMMAND_BYTES; k++) {
            bytes[out_bytes + k] = wire->out[i].data[k];
        }
        out_bytes += wire->out[i].size_bytes;
    }
    return out_bytes;
}

void twin_board_log_transfer(
    struct twin_log *log, const struct twin_board_xfer *xfer, uint64_t clocks) {
    const struct twin_gspi_xfer *wire = &xfer->wire;
    const uint8_t *order = NULL;
    uint8_t bytes[COMMAND_BYTES];
    uint32_t out_bytes;

    if (log->file == NULL) {
        return;
    }
    out_bytes = first_bytes(wire, bytes);
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]) && order == NULL; i++) {
        if (agrees(word_at(bytes, orders[i]), out_bytes, wire->in_bytes)) {
            order = orders[i];
        }
    }
    (void)fprintf(
        log->file,
        "%" PRIu64 ".%09" PRIu64 " ",
        xfer->started_ns / 1000000000u,
        xfer->started_ns % 1000000000u);
    if (order == NULL) {
        order = orders[0];
        (void)fprintf(log->file, "?%08" PRIx32, word_at(bytes, order));
    } else {
        uint32_t command = word_at(bytes, order);

        (void)fprintf(
            log->file,
            "%c%" PRIu32 "%c%05" PRIx32 ":%" PRIu32,
            (command >> 31) != 0 ? 'w' : 'r',
            (command >> 28) & 3u,
            ((command >> 30) & 1u) != 0 ? '+' : '=',
            (command >> 11) & 0x1ffffu,
            length_of(command));
    }
    (void)fprintf(
        log->file,
        " out=%" PRIu32 " in=%" PRIu32 " payload=%" PRIu32 " clocks=%" PRIu64,
        out_bytes,
        wire->in_bytes,
        xfer->payload_bytes,
        clocks);
    if (wire->in_bytes >= 4) {
        (void)fprintf(
            log->file, " status=%08" PRIx32, word_at(wire->in + wire->in_bytes - 4, order));
    }
    (void)fputc('\n', log->file);
}
