// SPDX-License-Identifier: MIT
// Transmit: the credit gate, and frames pulled through it.
//
// The gate stands before pull(): a frame the stack commits to has its credit and its place in the
// bus's queue. A control request that waits goes first.
#include "chip/cyw43/driver.h"
#include "wire/sdpcm.h"

#include <string.h>

#include "coradio/assert.h"

// A credit that jumps further than this cannot be true (read from public code: embassy and
// soypat use 0x40).
#define CREDIT_AHEAD_MAX 0x40u
#define CREDIT_BACKS_MAX 2u
// Without credit for this long the status is read once; the chip's line may have been missed.
#define CREDIT_BOUND_US 100000u
// A chip that is not ready is asked again after this, then after twice as long, ...
#define NOT_READY_US     32u
#define NOT_READY_MAX_US 1024u
// Data goes out with priority 0, best effort.
#define DATA_PRIORITY_BIT 0x01u
// Data frames at a time: one that is being clocked, and these behind it.
#define TX_READY_MAX 2u

int32_t cor_cyw43_credit(const struct cor_cyw43 *chip) {
    int32_t ahead = (uint8_t)(chip->tx_max - chip->tx_sequence);

    return ahead >= 0x80 ? ahead - 0x100 : ahead;
}

// A value that goes back cannot be true, unless the one before was not: two in a row say so, and
// after a stall one does.
static bool credit_believed(struct cor_cyw43 *chip, uint8_t credit) {
    uint8_t forward = (uint8_t)(credit - chip->tx_max);
    uint8_t ahead = (uint8_t)(credit - chip->tx_sequence);

    if (ahead > CREDIT_AHEAD_MAX) {
        return false;
    }
    if (forward < 0x80u) {
        chip->credit_backs = 0;
        return true;
    }
    bool believed = chip->ladder.credit_anew || ++chip->credit_backs >= CREDIT_BACKS_MAX;

    if (believed) {
        chip->credit_backs = 0;
    }
    return believed;
}

void cor_cyw43_credit_input(struct cor_cyw43 *chip, const struct cor_sdpcm *sdpcm, uint64_t at_us) {
    if (sdpcm->channel > COR_SDPCM_DATA) {
        return;
    }
    if ((sdpcm->flow & DATA_PRIORITY_BIT) != 0 && (chip->flow_mask & DATA_PRIORITY_BIT) == 0) {
        chip->counters.flow_stops++;
    }
    chip->flow_mask = sdpcm->flow;
    if (!credit_believed(chip, sdpcm->credit)) {
        chip->counters.credit_rejected++;
        return;
    }
    chip->tx_max = sdpcm->credit;
    if (cor_cyw43_credit(chip) > 0) {
        chip->credit_short = false;
        cor_cyw43_pace_free(chip, COR_METER_STATE_credit, at_us);
    }
}

// How many data frames may be queued. The one place where this is decided; ops.c decides how late
// the bus gets them. A bus that holds one transfer has none ready: making the next frame while one
// is being clocked is not possible there.
static uint32_t tx_frames_max(const struct cor_cyw43 *chip) {
    return chip->config.bus->queue_depth == 1 ? 1u : 1u + TX_READY_MAX;
}

static bool chip_ready(struct cor_cyw43 *chip) {
    if (chip->dead_since_us == 0 && (chip->status & COR_GSPI_STATUS_F2_READY) != 0) {
        return true;
    }
    // Transfers in flight bring the next status word by themselves.
    if (chip->op_count == 0 && chip->status_due_us == 0 && chip->dead_since_us == 0) {
        uint64_t backoff_us = 2u * chip->not_ready_backoff_us;

        backoff_us = backoff_us < NOT_READY_US ? NOT_READY_US : backoff_us;
        chip->not_ready_backoff_us = backoff_us < NOT_READY_MAX_US ? backoff_us : NOT_READY_MAX_US;
        chip->status_due_us = chip->now_us + chip->not_ready_backoff_us;
        chip->counters.not_ready++;
    }
    return false;
}

static bool credit_left(struct cor_cyw43 *chip, int32_t reserve) {
    if (cor_cyw43_credit(chip) > reserve) {
        return true;
    }
    if (!chip->credit_short) {
        chip->credit_short = true;
        chip->credit_since_us = chip->now_us;
        chip->counters.credit_stalls++;
    } else if (chip->now_us >= chip->credit_since_us + CREDIT_BOUND_US && chip->op_count == 0) {
        chip->credit_since_us = chip->now_us;
        chip->status_due_us = chip->now_us;
        chip->counters.credit_timeouts++;
    }
    return false;
}

static void command_emit(uint8_t *block, uint32_t size_bytes) {
    cor_gspi_emit(
        block, cor_gspi_command(true, COR_GSPI_WLAN, 0, size_bytes), COR_GSPI_ORDER_MEMORY);
}

static bool control_send(struct cor_cyw43 *chip) {
    struct cor_cyw43_control *control = &chip->control;

    if (control->phase != CYW43_CONTROL_WAITING || !cor_cyw43_ops_room(chip, 1) ||
        !chip_ready(chip) || !credit_left(chip, 0)) {
        return false;
    }
    struct cor_cyw43_op *op = cor_cyw43_op_next(chip, CYW43_OP_TX_CONTROL);
    const struct cor_sdpcm sdpcm = {
        .size_bytes = control->frame_bytes,
        .sequence = chip->tx_sequence++,
        .channel = COR_SDPCM_CONTROL,
        .header_bytes = COR_SDPCM_BYTES,
    };

    command_emit(control->frame, control->frame_bytes);
    cor_sdpcm_emit(control->frame + COR_GSPI_WORD_BYTES, &sdpcm);
    op->xfer.out[0] =
        (struct cor_span){control->frame, COR_GSPI_WORD_BYTES + (uint32_t)control->frame_bytes};
    op->xfer.out_count = 1;
    control->phase = CYW43_CONTROL_SENT;
    cor_cyw43_op_append(chip, op);
    return true;
}

static void data_emit(
    struct cor_cyw43 *chip, struct cor_cyw43_op *op, const struct cor_frame_tx *tx) {
    uint32_t frame_bytes = tx->head_bytes;

    COR_ASSERT(tx->head_bytes <= tx->head_room_bytes && tx->piece_count <= COR_FRAME_PIECES_MAX);
    op->xfer.out[0] = (struct cor_span){op->block, COR_CYW43_LEAD_BYTES + frame_bytes};
    for (uint32_t i = 0; i < tx->piece_count; i++) {
        op->xfer.out[1 + i] = tx->pieces[i];
        frame_bytes += tx->pieces[i].size_bytes;
    }
    COR_ASSERT(frame_bytes <= COR_FRAME_BYTES_MAX && tx->payload_bytes <= frame_bytes);
    op->xfer.out_count = (uint8_t)(1u + tx->piece_count);
    op->xfer.payload_bytes = tx->payload_bytes;
    op->token = tx->token;
    op->frame_bytes = (uint16_t)frame_bytes;
    const struct cor_sdpcm sdpcm = {
        .size_bytes = (uint16_t)(COR_CYW43_LEAD_BYTES - COR_GSPI_WORD_BYTES + frame_bytes),
        .sequence = chip->tx_sequence++,
        .channel = COR_SDPCM_DATA,
        .header_bytes = COR_SDPCM_BYTES + COR_SDPCM_DATA_PAD_BYTES,
    };

    // The command's length decides how long the frame on the air is, so it is the true size.
    command_emit(op->block, sdpcm.size_bytes);
    cor_sdpcm_emit(op->block + COR_GSPI_WORD_BYTES, &sdpcm);
    memset(op->block + COR_GSPI_WORD_BYTES + COR_SDPCM_BYTES, 0, COR_SDPCM_DATA_PAD_BYTES);
    cor_bdc_emit(op->block + COR_CYW43_LEAD_BYTES - COR_BDC_BYTES);
    chip->counters.tx_frames++;
    chip->counters.tx_bytes += frame_bytes;
}

// One frame through the gate. False: none may go, chip->blocked says why.
static bool data_send(struct cor_cyw43 *chip) {
    struct cor_frame_source *frames = chip->config.frames;
    // What waits of a control request has the first claim on a credit.
    int32_t reserve = chip->control.phase == CYW43_CONTROL_WAITING ? 1 : 0;

    if (chip->tx_data_ops >= tx_frames_max(chip) || !cor_cyw43_ops_room(chip, 3)) {
        chip->blocked = COR_METER_STATE_bus;
        return false;
    }
    if (!credit_left(chip, reserve) || (chip->flow_mask & DATA_PRIORITY_BIT) != 0 ||
        !chip_ready(chip)) {
        chip->blocked = COR_METER_STATE_credit;
        return false;
    }
    struct cor_cyw43_op *op = cor_cyw43_op_next(chip, CYW43_OP_TX_DATA);
    struct cor_frame_tx tx = {
        .head = op->block + COR_CYW43_LEAD_BYTES,
        .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX,
        .blocked = COR_METER_STATE_source,
    };

    if (frames->ops->pull(frames, chip->now_us, &tx) != COR_OK) {
        COR_ASSERT(tx.blocked <= COR_METER_STATE_no_buffer);
        chip->blocked = tx.blocked;
        return false;
    }
    data_emit(chip, op, &tx);
    cor_cyw43_pace_pulled(chip, cor_cyw43_xfer_bits(&op->xfer));
    cor_cyw43_op_append(chip, op);
    cor_cyw43_pace_queued(chip, chip->op_issued == chip->op_count);
    return true;
}

bool cor_cyw43_transmit(struct cor_cyw43 *chip) {
    bool any = false;

    if (!chip->frames_on) {
        chip->blocked = COR_METER_STATE_source;
        return false;
    }
    any = control_send(chip);
    if (chip->state != COR_RADIO_JOINED) {
        chip->blocked = COR_METER_STATE_source;
        return any;
    }
    for (uint32_t bound = COR_CYW43_OPS; bound > 0 && data_send(chip); bound--) {
        any = true;
    }
    return any;
}

uint64_t cor_cyw43_transmit_deadline_us(const struct cor_cyw43 *chip) {
    uint64_t deadline_us = UINT64_MAX;

    if (!chip->frames_on) {
        return UINT64_MAX;
    }
    if (chip->control.phase != CYW43_CONTROL_IDLE) {
        deadline_us = chip->control.deadline_us;
    }
    if (chip->credit_short && chip->op_count == 0 &&
        chip->credit_since_us + CREDIT_BOUND_US < deadline_us) {
        deadline_us = chip->credit_since_us + CREDIT_BOUND_US;
    }
    return deadline_us;
}
