// SPDX-License-Identifier: MIT
// Transfers of the driver: a queue, oldest first. The first op_issued of them are in the bus's
// queue, the others wait here, so that order is kept whatever the bus can hold.
//
// Data frames are handed to the bus late: one that is being clocked and one behind it, others wait
// here. So the bus does not run dry, frames are ready well before their turn, and yet the read of a
// frame that waits in the chip stands behind one of them at most. Measured on the virtual board,
// unlimited sending at 37.5 MHz, one answer for two frames: with three frames handed over at once
// up to a third of the answers found the chip's queue full, and 32 to 53 frames were without
// answer at a time; now none is lost, and it is 10 frames.
#include "bus/bus.h"
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"

static enum cor_gspi_order word_order(const struct cor_cyw43 *chip) {
    return chip->words_swapped ? COR_GSPI_ORDER_RESET : COR_GSPI_ORDER_MEMORY;
}

#define BUS_DATA_MAX 2u

static struct cor_cyw43_op *op_at(struct cor_cyw43 *chip, uint32_t place) {
    return &chip->ops[chip->op_order[place]];
}

bool cor_cyw43_ops_room(const struct cor_cyw43 *chip, uint32_t count) {
    // One stays free: the transfer that is being looked at has left the queue already.
    return chip->op_count + count < COR_CYW43_OPS;
}

struct cor_cyw43_op *cor_cyw43_op_next(struct cor_cyw43 *chip, enum cyw43_op_kind kind) {
    COR_ASSERT(cor_cyw43_ops_room(chip, 1));
    uint32_t slot = 0;

    while ((chip->op_used & 1u << slot) != 0) {
        slot++;
    }
    struct cor_cyw43_op *op = &chip->ops[slot];

    memset(&op->xfer, 0, sizeof(op->xfer));
    op->xfer.status_appended = true;
    op->kind = (uint8_t)kind;
    op->token = 0;
    op->frame_bytes = 0;
    return op;
}

static bool issue_now(struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    if (chip->bus_failed || chip->op_issued >= chip->config.bus->queue_depth) {
        return false;
    }
    if (op->kind != CYW43_OP_TX_DATA || chip->tx_data_issued == 0) {
        return true;
    }
    // Behind a read the bus gets one frame, so that the next read follows it.
    bool behind_read =
        chip->rx_reading && op_at(chip, chip->op_issued - 1u)->kind == CYW43_OP_TX_DATA;

    return chip->tx_data_issued < BUS_DATA_MAX && !behind_read;
}

// Hands over to the bus what it has room for.
static void ops_issue(struct cor_cyw43 *chip) {
    while (chip->op_issued < chip->op_count) {
        struct cor_cyw43_op *op = op_at(chip, chip->op_issued);

        if (!issue_now(chip, op)) {
            return;
        }
        enum cor_status status = cor_bus_start(chip->config.bus, &op->xfer);

        if (status == COR_AGAIN) {
            return;
        }
        if (status != COR_OK) {
            chip->counters.bus_errors++;
            chip->bus_failed = true;
            return;
        }
        if (chip->op_issued == 0) {
            chip->progress_us = chip->now_us;
            chip->clocked_us = chip->now_us;
        }
        chip->op_issued++;
        if (op->kind == CYW43_OP_TX_DATA) {
            chip->tx_data_issued++;
        }
    }
}

// Where a transfer goes: frames to the chip behind all others, because their numbers say so;
// everything else before the data frames that the bus does not have yet.
static uint32_t op_place(struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    uint32_t place = chip->op_issued;

    if (op->kind == CYW43_OP_TX_DATA || op->kind == CYW43_OP_TX_CONTROL) {
        return chip->op_count;
    }
    while (place < chip->op_count && op_at(chip, place)->kind != CYW43_OP_TX_DATA) {
        place++;
    }
    return place;
}

void cor_cyw43_op_append(struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    uint32_t slot = (uint32_t)(op - chip->ops);
    uint32_t place = op_place(chip, op);

    if (op->kind == CYW43_OP_TX_DATA) {
        chip->tx_data_ops++;
    }
    memmove(&chip->op_order[place + 1], &chip->op_order[place], chip->op_count - place);
    chip->op_order[place] = (uint8_t)slot;
    chip->op_used |= (uint8_t)(1u << slot);
    chip->op_count++;
    ops_issue(chip);
}

static void access_emit(
    struct cor_cyw43 *chip, const struct cyw43_access *access, uint32_t address) {
    struct cor_cyw43_op *op = cor_cyw43_op_next(chip, access->kind);
    enum cor_gspi_function function =
        access->space == CYW43_BUS ? COR_GSPI_BUS : COR_GSPI_BACKPLANE;
    uint32_t clocked_bytes = cor_gspi_round(access->bytes);

    COR_ASSERT(access->bytes >= 1 && access->bytes <= BP_BLOCK_BYTES);
    cor_gspi_emit(
        op->block,
        cor_gspi_command(access->write, function, address, access->bytes),
        word_order(chip));
    op->frame_bytes = (uint16_t)access->bytes;
    op->xfer.out[0] = (struct cor_span){op->block, COR_GSPI_WORD_BYTES};
    op->xfer.out_count = 1;
    if (access->write) {
        op->xfer.out[0].size_bytes += clocked_bytes;
        if (access->data != NULL) {
            cor_put_le32(op->block + clocked_bytes, 0);
            memcpy(op->block + COR_GSPI_WORD_BYTES, access->data, access->bytes);
        } else {
            cor_gspi_emit(op->block + COR_GSPI_WORD_BYTES, access->value, word_order(chip));
        }
    } else {
        op->xfer.in = op->block + COR_GSPI_WORD_BYTES;
        op->xfer.in_bytes = (uint16_t)clocked_bytes;
        op->xfer.skip_bytes = access->space == CYW43_BUS ? 0 : BUS_F1_DELAY_BYTES;
    }
    cor_cyw43_op_append(chip, op);
}

void cor_cyw43_access(struct cor_cyw43 *chip, const struct cyw43_access *access) {
    uint32_t address = access->address;

    if (access->space == CYW43_BACKPLANE) {
        uint32_t window = address & ~(BP_WINDOW_BYTES - 1u);

        if (window != chip->window) {
            // All three bytes of the window in one write, as PicoWi does; the lowest byte has
            // only its bit 7.
            enum cyw43_op_kind kind = access->kind == CYW43_OP_LOG ? CYW43_OP_LOG : CYW43_OP_WINDOW;
            const struct cyw43_access move = {
                kind, CYW43_DEVICE, true, REG_DEV_WINDOW, 3, window >> 8, NULL};

            access_emit(chip, &move, REG_DEV_WINDOW);
            chip->window = window;
        }
        address &= BP_WINDOW_BYTES - 1u;
        if (access->kind == CYW43_OP_REGISTER && access->bytes == 4) {
            address |= BP_ACCESS_32;
        }
    }
    access_emit(chip, access, address);
}

uint32_t cor_cyw43_xfer_bits(const struct cor_bus_xfer *xfer) {
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < xfer->out_count; i++) {
        bytes += xfer->out[i].size_bytes;
    }
    bytes = cor_gspi_round(bytes) + xfer->skip_bytes + cor_gspi_round(xfer->in_bytes);
    bytes += xfer->status_appended ? COR_GSPI_WORD_BYTES : 0;
    return 8u * bytes + xfer->extra_clocks;
}

uint32_t cor_cyw43_ops_bits(const struct cor_cyw43 *chip) {
    uint32_t bits = 0;

    for (uint32_t i = 0; i < chip->op_issued; i++) {
        bits += cor_cyw43_xfer_bits(&chip->ops[chip->op_order[i]].xfer);
    }
    return bits;
}

void cor_cyw43_tally(
    struct cor_cyw43 *chip,
    const struct cor_bus_xfer *xfer,
    enum cor_meter_purpose rest,
    uint32_t payload_bytes) {
    struct cor_bus_tally *tally = &chip->config.meter->bus;
    uint32_t command_bits = 8u * COR_GSPI_WORD_BYTES + xfer->extra_clocks;
    uint32_t status_bits = xfer->status_appended ? 8u * COR_GSPI_WORD_BYTES : 0;
    uint32_t payload_bits = 8u * payload_bytes;
    uint32_t rest_bits = cor_cyw43_xfer_bits(xfer) - command_bits - status_bits;

    COR_ASSERT(payload_bits <= rest_bits);
    tally->transfers++;
    tally->bits[COR_METER_PURPOSE_command] += command_bits;
    tally->bits[COR_METER_PURPOSE_status] += status_bits;
    tally->bits[COR_METER_PURPOSE_payload] += payload_bits;
    tally->bits[rest] += rest_bits - payload_bits;
}

static void tx_data_complete(struct cor_cyw43 *chip, struct cor_cyw43_op *op) {
    struct cor_frame_source *frames = chip->config.frames;

    chip->tx_data_ops--;
    chip->tx_data_issued--;
    cor_cyw43_pace_free(chip, COR_METER_STATE_no_buffer, op->xfer.completed_us);
    frames->ops->sent(frames, chip->now_us, op->token);
}

// The result of one transfer goes to whoever asked for it.
static void op_dispatch(struct cor_cyw43 *chip, struct cor_cyw43_op *op) {
    enum cor_meter_purpose rest = COR_METER_PURPOSE_control;
    uint32_t payload_bytes = 0;

    switch ((enum cyw43_op_kind)op->kind) {
    case CYW43_OP_REGISTER:
        cor_cyw43_script_register(chip, op);
        break;
    case CYW43_OP_BLOCK_WRITE:
    case CYW43_OP_BLOCK_READ:
        cor_cyw43_load_block(chip, op);
        break;
    case CYW43_OP_LOG:
        rest = COR_METER_PURPOSE_log;
        if (op->xfer.in != NULL) {
            cor_cyw43_console_input(chip, op);
        }
        break;
    case CYW43_OP_CHECK:
        cor_cyw43_check_input(chip, op);
        rest = COR_METER_PURPOSE_status;
        break;
    case CYW43_OP_STATUS:
    case CYW43_OP_CLEAR:
        rest = COR_METER_PURPOSE_status;
        break;
    case CYW43_OP_TX_DATA:
        rest = COR_METER_PURPOSE_header;
        payload_bytes = op->xfer.payload_bytes;
        tx_data_complete(chip, op);
        break;
    case CYW43_OP_RX:
        cor_cyw43_frame_input(chip, op);  // and its bits, which only the frame's reader knows
        return;
    case CYW43_OP_WINDOW:
    case CYW43_OP_LEFT:
    case CYW43_OP_RESYNC:
    case CYW43_OP_TX_CONTROL:
    case CYW43_OP_ORPHAN:
        break;
    }
    cor_cyw43_tally(chip, &op->xfer, rest, payload_bytes);
}

// At most twice the bus's queue in one call; poll() comes back for more.
bool cor_cyw43_ops_complete(struct cor_cyw43 *chip) {
    bool any = false;

    for (uint32_t bound = 2 * COR_CYW43_OPS; bound > 0 && chip->op_issued > 0; bound--) {
        if (cor_bus_poll(chip->config.bus) != COR_OK) {
            break;
        }
        struct cor_cyw43_op *op = op_at(chip, 0);

        any = true;
        chip->op_count--;
        chip->op_issued--;
        memmove(&chip->op_order[0], &chip->op_order[1], chip->op_count);
        if (op->xfer.completed_us > chip->now_us) {
            chip->now_us = op->xfer.completed_us;
        }
        chip->progress_us = chip->now_us;
        if (op->xfer.result != COR_OK) {
            chip->counters.bus_errors++;
        }
        cor_cyw43_pace_complete(chip, &op->xfer);
        // The next read is queued before this frame is looked at.
        cor_cyw43_status_input(chip, op);
        op_dispatch(chip, op);
        chip->op_used &= (uint8_t) ~(1u << (op - chip->ops));
        ops_issue(chip);
    }
    return any;
}

void cor_cyw43_ops_abandon(struct cor_cyw43 *chip) {
    struct cor_frame_source *frames = chip->config.frames;
    uint32_t count = chip->op_count;

    chip->op_count = chip->op_issued;
    for (uint32_t i = 0; i < count; i++) {
        struct cor_cyw43_op *op = op_at(chip, i);
        bool data = op->kind == CYW43_OP_TX_DATA;

        if (!data) {
            op->kind = CYW43_OP_ORPHAN;
        }
        if (i < chip->op_issued) {
            continue;
        }
        chip->op_used &= (uint8_t) ~(1u << (op - chip->ops));
        if (data) {
            chip->tx_data_ops--;
            frames->ops->sent(frames, chip->now_us, op->token);
        }
    }
}
