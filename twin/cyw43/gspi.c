// SPDX-License-Identifier: MIT
// gSPI: word orders, the command word, the phases of a transaction, the appended status word.
//
// A transaction is a command of 32 bits, most significant bit first in the word order in force,
// then data in one direction:
//
//   31 write | 30 increment | 29:28 function | 27:11 address | 10:0 length in bytes
//
//   read:   command, response delay (filler), data up to the next 32 bits, status if enabled
//   write:  command, data up to the next 32 bits, status if enabled
//
// A write of the control register takes force with the next transaction.
#include "cyw43/parts.h"

#include <string.h>

static enum wire_order order_of(uint8_t control) {
    // UNSURE: 16-bit words with BIG set; nobody uses it.
    if ((control & CONTROL_BIG) != 0) {
        return ORDER_MEMORY;
    }
    return (control & CONTROL_WORD_32) != 0 ? ORDER_WORDS : ORDER_HALVES;
}

void twin_cyw43_reorder(enum wire_order order, uint8_t *bytes, uint32_t size_bytes) {
    if (order == ORDER_MEMORY) {
        return;
    }
    for (uint32_t i = 0; i + 4 <= size_bytes; i += 4) {
        uint8_t word[4];

        memcpy(word, bytes + i, 4);
        if (order == ORDER_WORDS) {
            bytes[i] = word[3];
            bytes[i + 1] = word[2];
            bytes[i + 2] = word[1];
            bytes[i + 3] = word[0];
        } else {
            bytes[i] = word[1];
            bytes[i + 1] = word[0];
            bytes[i + 2] = word[3];
            bytes[i + 3] = word[2];
        }
    }
}

// There may be no buffer where there are no bytes.
static void zero(uint8_t *bytes, uint32_t size_bytes) {
    if (size_bytes != 0) {
        memset(bytes, 0, size_bytes);
    }
}

static uint32_t round_up4(uint32_t size_bytes) {
    return (size_bytes + 3u) & ~3u;
}

uint32_t twin_cyw43_copy(
    const struct wire_data *data, uint32_t offset, uint8_t *target, uint32_t size_bytes) {
    uint32_t copied = 0;

    for (uint32_t i = 0; i < data->count && copied < size_bytes; i++) {
        const struct twin_bytes *piece = &data->pieces[i];
        uint32_t part;

        if (offset >= piece->size_bytes) {
            offset -= piece->size_bytes;
            continue;
        }
        part = piece->size_bytes - offset;
        if (part > size_bytes - copied) {
            part = size_bytes - copied;
        }
        memcpy(target + copied, piece->data + offset, part);
        copied += part;
        offset = 0;
    }
    return copied;
}

// What the host clocked out, as it stands on the wire.
static void wire_of(const struct twin_gspi_xfer *xfer, struct wire_data *wire) {
    wire->count = 0;
    wire->size_bytes = 0;
    for (uint32_t i = 0; i < xfer->out_count && i < TWIN_GSPI_PIECES_MAX; i++) {
        if (xfer->out[i].size_bytes != 0) {
            wire->pieces[wire->count++] = xfer->out[i];
            wire->size_bytes += xfer->out[i].size_bytes;
        }
    }
}

// Takes the command off the front, and puts the rest into memory order. The pieces stay where they
// are if the wire order is that of memory.
static void data_of(struct twin_cyw43 *chip, struct wire_data *wire, uint32_t length) {
    uint32_t skip = 4;

    if (chip->bus.order != ORDER_MEMORY) {
        uint32_t room = round_up4(length);
        uint32_t size_bytes = twin_cyw43_copy(wire, 4, chip->scratch, room);

        memset(chip->scratch + size_bytes, 0, 4);
        twin_cyw43_reorder(chip->bus.order, chip->scratch, round_up4(size_bytes));
        wire->pieces[0] = (struct twin_bytes){chip->scratch, size_bytes};
        wire->count = 1;
        wire->size_bytes = size_bytes;
        return;
    }
    wire->size_bytes -= skip;
    while (skip > 0 && skip >= wire->pieces[0].size_bytes) {
        skip -= wire->pieces[0].size_bytes;
        wire->count--;
        memmove(wire->pieces, wire->pieces + 1, wire->count * sizeof(wire->pieces[0]));
        if (wire->count == 0) {
            return;
        }
    }
    wire->pieces[0].data += skip;
    wire->pieces[0].size_bytes -= skip;
}

struct gspi_command twin_cyw43_command(uint32_t word) {
    struct gspi_command command = {
        .write = (word >> 31) != 0,
        .increment = (word >> 30 & 1u) != 0,
        .function = (uint8_t)(word >> 28 & 3u),
        .address = word >> 11 & 0x1FFFFu,
        .length = word & 0x7FFu,
    };

    if (command.length == 0) {
        command.length = LENGTH_ZERO;
    }
    return command;
}

// A command in a wrong word order, or cut by a bit, seldom makes sense.
static bool makes_sense(const struct gspi_command *command) {
    switch (command->function) {
    case F0_BUS:
        return command->address <= F0_ADDRESS_MAX && command->length <= F1_BYTES_MAX;
    case F1_BACKPLANE:
        return true;
    case F2_WLAN:
        return command->address == 0;
    default:
        return false;
    }
}

static void put_status(
    const struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer, uint32_t offset) {
    uint8_t word[4];

    if (!chip->bus.append_status || offset >= xfer->in_bytes) {
        return;
    }
    put32(word, twin_cyw43_status(chip));
    twin_cyw43_reorder(chip->bus.order, word, 4);
    memcpy(xfer->in + offset, word, xfer->in_bytes - offset < 4 ? xfer->in_bytes - offset : 4);
}

static uint32_t response_delay(const struct twin_cyw43 *chip, uint8_t function) {
    if (function != F1_BACKPLANE && (chip->bus.status_enable & STATUS_RESP_DELAY_ALL) != 0 &&
        chip->bus.function_delay[function] == 0) {
        return chip->bus.delay;
    }
    return chip->bus.function_delay[function];
}

static void read_f0(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    uint8_t *target,
    uint32_t size_bytes) {
    uint8_t value[8];
    uint64_t bits = twin_cyw43_f0_read(chip, command->address);

    put32(value, (uint32_t)bits);
    put32(value + 4, (uint32_t)(bits >> 32));
    memset(target, 0, size_bytes);
    if (size_bytes > command->length) {
        size_bytes = command->length;
    }
    memcpy(target, value, size_bytes < sizeof(value) ? size_bytes : sizeof(value));
}

static void read_data(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    uint8_t *target,
    uint32_t size_bytes) {
    switch (command->function) {
    case F0_BUS:
        read_f0(chip, command, target, size_bytes);
        break;
    case F1_BACKPLANE:
        if (size_bytes == 0) {
            twin_cyw43_deviate(chip, "f1-delay-missing");
        }
        twin_cyw43_f1_read(chip, command, target, size_bytes);
        break;
    default:
        twin_cyw43_f2_read(chip, command->length, target, size_bytes);
        break;
    }
}

static void read_phase(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    const struct twin_gspi_xfer *xfer) {
    uint32_t delay = response_delay(chip, command->function);
    uint32_t clocked = xfer->in_bytes > delay ? xfer->in_bytes - delay : 0;
    uint32_t data_bytes = round_up4(command->length);
    uint8_t *target = chip->scratch;

    if (clocked > data_bytes) {
        clocked = data_bytes;
    }
    zero(xfer->in, xfer->in_bytes < delay ? xfer->in_bytes : delay);
    if (clocked != 0 && chip->bus.order == ORDER_MEMORY) {
        target = xfer->in + delay;
    }
    // In another order the last word may be cut short by the clocks, but is whole before.
    zero(chip->scratch, target == chip->scratch ? round_up4(clocked) : 0);
    read_data(chip, command, target, clocked);
    if (clocked != 0 && target == chip->scratch) {
        twin_cyw43_reorder(chip->bus.order, chip->scratch, round_up4(clocked));
        memcpy(xfer->in + delay, chip->scratch, clocked);
    }
    if (delay + clocked < xfer->in_bytes) {
        zero(xfer->in + delay + clocked, xfer->in_bytes - delay - clocked);
    }
    put_status(chip, xfer, delay + data_bytes);
}

static void write_phase(
    struct twin_cyw43 *chip,
    const struct gspi_command *command,
    const struct twin_gspi_xfer *xfer,
    struct wire_data *wire) {
    uint8_t bytes[F1_BYTES_MAX];
    uint32_t size_bytes;

    data_of(chip, wire, command->length);
    if (wire->size_bytes < command->length) {
        twin_cyw43_deviate(chip, "write-cut");
    }
    switch (command->function) {
    case F0_BUS:
        size_bytes = command->length < 8 ? command->length : 8;
        size_bytes = twin_cyw43_copy(wire, 0, bytes, size_bytes);
        twin_cyw43_f0_write(chip, command->address, bytes, size_bytes);
        break;
    case F1_BACKPLANE:
        size_bytes = command->length < F1_BYTES_MAX ? command->length : F1_BYTES_MAX;
        size_bytes = twin_cyw43_copy(wire, 0, bytes, size_bytes);
        twin_cyw43_f1_write(chip, command, bytes, size_bytes);
        break;
    default:
        twin_cyw43_f2_write(chip, wire, command->length);
        break;
    }
    zero(xfer->in, xfer->in_bytes);
    put_status(chip, xfer, 0);
}

// Without power, or not yet awake: the line reads as low, and nothing is taken.
static void silent(
    struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer, const struct wire_data *wire) {
    zero(xfer->in, xfer->in_bytes);
    if (!chip->powered) {
        twin_cyw43_deviate(chip, "no-power");
    } else if (wire->size_bytes > 4) {
        twin_cyw43_deviate(chip, "write-before-awake");
    }
}

void twin_cyw43_transact(struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer) {
    struct gspi_command command;
    struct wire_data wire;
    uint8_t word[4] = {0};

    wire_of(xfer, &wire);
    chip->counters.transactions++;
    chip->counters.clocked_bits +=
        8u * ((uint64_t)wire.size_bytes + xfer->in_bytes) + xfer->extra_clocks;
    if (!chip->powered || chip_now_ns(chip) < chip->wake_at_ns) {
        silent(chip, xfer, &wire);
        return;
    }
    if (twin_cyw43_copy(&wire, 0, word, 4) < 4) {
        zero(xfer->in, xfer->in_bytes);
        twin_cyw43_deviate(chip, "command-cut");
        return;
    }
    twin_cyw43_reorder(chip->bus.order, word, 4);
    command = twin_cyw43_command(get32(word));
    if (get32(word) == 0) {
        // F1 resync: queued backplane requests are dropped. The model has none in flight.
        zero(xfer->in, xfer->in_bytes);
    } else if (!makes_sense(&command)) {
        twin_cyw43_deviate(chip, "command-senseless");
        chip->bus.interrupt |= INTERRUPT_COMMAND;
        zero(xfer->in, xfer->in_bytes);
        put_status(chip, xfer, command.write ? 0 : round_up4(command.length));
    } else if (command.write) {
        write_phase(chip, &command, xfer, &wire);
    } else {
        read_phase(chip, &command, xfer);
    }
    chip->bus.order = order_of(chip->bus.control);
    chip->bus.append_status = (chip->bus.status_enable & STATUS_ENABLE) != 0;
    twin_cyw43_update_irq(chip);
}

void twin_cyw43_transfer(void *context, const struct twin_gspi_xfer *xfer) {
    struct twin_cyw43 *chip = context;

    if (chip->config.faults == NULL) {
        twin_cyw43_transact(chip, xfer);
        twin_cyw43_sample(chip, xfer);
    } else {
        twin_cyw43_fault_transfer(chip, xfer);
    }
}
