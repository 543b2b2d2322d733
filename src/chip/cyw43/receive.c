// SPDX-License-Identifier: MIT
// Receive: the chip's line, its status word, and the frames it gives.
//
// The status word behind every transfer tells whether a frame waits and how long it is, so nothing
// is polled while transfers run: the read is queued behind what is queued already. A status word
// of a transfer that was queued before the read still shows the same frame; it is not believed.
// The line is looked at only while nothing is in flight, because it shares its wire with the data.
#include "bus/bus.h"
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"
#include "wire/sdpcm.h"

#include <string.h>

// A line that calls this often in a row with nothing to read is ignored for a while, which
// doubles each time up to the largest.
#define LINE_EMPTY_MAX   8u
#define LINE_MUTE_US     1000u
#define LINE_MUTE_SHIFTS 6u
// A dead status word is asked again each millisecond; after this long the chip is given up. With a
// check of an idle bus before it this is within 200 ms.
#define DEAD_PERIOD_US 1000u
#define DEAD_BOUND_US  80000u
// The chip's error record is cleared no more often than this.
#define CLEAR_PERIOD_US 1000u

static enum cor_status header_parse(
    const struct cor_cyw43 *chip, const struct cor_cyw43_op *op, struct cor_sdpcm *sdpcm) {
    if (op->xfer.result != COR_OK) {
        return COR_E_BUS;
    }
    return cor_sdpcm_parse(chip->rx[op->rx_buffer], op->frame_bytes, sdpcm);
}

// Whether the next read may be queued behind this one. The header is looked at twice because its
// frame is given away only after that.
static bool frame_intact(const struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    struct cor_sdpcm sdpcm;

    return header_parse(chip, op, &sdpcm) == COR_OK;
}

static bool quiet(const struct cor_cyw43 *chip) {
    return chip->op_count == 0;
}

static void status_dead(struct cor_cyw43 *chip, uint64_t at_us) {
    chip->counters.status_dead++;
    chip->status_us = at_us;
    if (chip->dead_since_us == 0) {
        chip->dead_since_us = at_us == 0 ? 1 : at_us;
    }
}

static void line_answered(struct cor_cyw43 *chip) {
    chip->line_asked = false;
    if ((chip->status & COR_GSPI_STATUS_F2_WAITING) != 0) {
        chip->line_empty = 0;
        return;
    }
    chip->counters.line_empty++;
    if (++chip->line_empty >= LINE_EMPTY_MAX) {
        uint32_t shifts = chip->line_empty - LINE_EMPTY_MAX;

        if (shifts > LINE_MUTE_SHIFTS) {
            shifts = LINE_MUTE_SHIFTS;
            chip->line_empty--;
        }
        chip->line_muted_until_us = chip->now_us + ((uint64_t)LINE_MUTE_US << shifts);
        chip->counters.line_muted++;
    }
}

static void resync_access(
    struct cor_cyw43 *chip, enum cyw43_op_kind kind, uint32_t address, bool write) {
    const struct cyw43_access access = {
        kind, CYW43_DEVICE, write, address, 1, DEV_FRAME_READ_TERM, NULL};

    cor_cyw43_access(chip, &access);
}

// The frame at the head of the chip's queue is dropped unread.
static void resync_drop(struct cor_cyw43 *chip) {
    chip->counters.rx_resyncs++;
    chip->status &= ~COR_GSPI_STATUS_F2_WAITING;
    chip->rx_resyncing = true;
    chip->resync_due = false;
    resync_access(chip, CYW43_OP_RESYNC, REG_DEV_FRAME, true);
}

// A frame was damaged. Where the damage was in the length that was read, a rest of it is left;
// where it was not, the frame is gone, and terminating the read would cost the next one.
static void resync_ask(struct cor_cyw43 *chip) {
    chip->status &= ~COR_GSPI_STATUS_F2_WAITING;
    chip->rx_resyncing = true;
    chip->resync_due = false;
    chip->rx_left = 0;
    chip->rx_left_reads = 2;
    resync_access(chip, CYW43_OP_LEFT, REG_DEV_LEFT_LOW, false);
    resync_access(chip, CYW43_OP_LEFT, REG_DEV_LEFT_HIGH, false);
}

static void resync_step(struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    if (op->kind == CYW43_OP_RESYNC) {
        chip->rx_resyncing = false;
        return;
    }
    chip->rx_left |= op->block[COR_GSPI_WORD_BYTES];
    if (--chip->rx_left_reads == 0) {
        if (chip->rx_left != 0) {
            resync_drop(chip);
        } else {
            chip->rx_resyncing = false;
        }
    }
}

void cor_cyw43_status_input(struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    uint32_t status = cor_gspi_parse(op->xfer.status, COR_GSPI_ORDER_MEMORY);
    bool newest = true;  // nothing after this transfer has read a frame

    if (chip->words_swapped) {
        return;
    }
    if (op->kind == CYW43_OP_RX) {
        chip->rx_reading = false;
        chip->resync_due |= !frame_intact(chip, op);
    } else if (op->kind == CYW43_OP_LEFT || op->kind == CYW43_OP_RESYNC) {
        resync_step(chip, op);
    } else if (op->kind == CYW43_OP_STATUS) {
        chip->status_reading = false;
    } else if (op->kind == CYW43_OP_CLEAR) {
        chip->clearing = false;
    }
    newest = !chip->rx_reading && !chip->rx_resyncing;
    if (op->xfer.result != COR_OK || status == COR_GSPI_STATUS_DEAD) {
        // What is known of the head of the chip's queue may be a frame that is read by now.
        chip->status &= ~COR_GSPI_STATUS_F2_WAITING;
        status_dead(chip, op->xfer.completed_us);
        return;
    }
    chip->dead_since_us = 0;
    chip->status_us = op->xfer.completed_us;
    chip->status = newest ? status : status & ~COR_GSPI_STATUS_F2_WAITING;
    if ((status & COR_GSPI_STATUS_F2_READY) != 0) {
        chip->not_ready_backoff_us = 0;
        cor_cyw43_pace_free(chip, COR_METER_STATE_credit, op->xfer.completed_us);
    }
    if (op->kind == CYW43_OP_STATUS && chip->line_asked) {
        line_answered(chip);
    }
    if (op->kind == CYW43_OP_CHECK && !chip->check_line && chip->config.polling_us == 0) {
        chip->counters.line_missed += (chip->status & COR_GSPI_STATUS_F2_WAITING) != 0;
    }
    if (chip->frames_on) {
        (void)cor_cyw43_receive(chip);  // whether it did something matters to nobody here
    }
}

static void status_queue(struct cor_cyw43 *chip) {
    const struct cyw43_access access = {
        CYW43_OP_STATUS, CYW43_BUS, false, REG_BUS_STATUS, 4, 0, NULL};

    chip->counters.status_reads++;
    chip->status_reading = true;
    cor_cyw43_access(chip, &access);
}

static void clear_queue(struct cor_cyw43 *chip) {
    const struct cyw43_access access = {
        CYW43_OP_CLEAR, CYW43_BUS, true, REG_BUS_INTERRUPT, 2, BUS_INTERRUPT_FAULTS, NULL};

    chip->counters.status_errors++;
    if ((chip->status & COR_GSPI_STATUS_UNDERFLOW) != 0) {
        chip->resync_due = true;
    }
    chip->status &= ~COR_GSPI_STATUS_FAULTS;
    chip->clearing = true;
    chip->clear_due_us = chip->now_us + CLEAR_PERIOD_US;
    cor_cyw43_access(chip, &access);
}

static void read_queue(struct cor_cyw43 *chip, uint16_t bytes) {
    struct cor_cyw43_op *op = cor_cyw43_op_next(chip, CYW43_OP_RX);

    cor_gspi_emit(
        op->block, cor_gspi_command(false, COR_GSPI_WLAN, 0, bytes), COR_GSPI_ORDER_MEMORY);
    op->xfer.out[0] = (struct cor_span){op->block, COR_GSPI_WORD_BYTES};
    op->xfer.out_count = 1;
    op->rx_buffer = chip->rx_next;
    op->frame_bytes = bytes;
    op->xfer.in = chip->rx[op->rx_buffer];
    op->xfer.in_bytes = bytes;
    chip->rx_next = (uint8_t)((chip->rx_next + 1u) % COR_CYW43_RX_BUFFERS);
    chip->status &= ~COR_GSPI_STATUS_F2_WAITING;
    chip->rx_reading = true;
    cor_cyw43_op_append(chip, op);
}

// A frame waits: read it, or drop it where its length cannot be.
static bool frame_wanted(struct cor_cyw43 *chip) {
    uint16_t bytes = cor_gspi_waiting_bytes(chip->status);

    if ((chip->status & COR_GSPI_STATUS_F2_WAITING) == 0) {
        return false;
    }
    if (bytes == 0 || bytes > COR_CYW43_RX_BYTES_MAX) {
        chip->counters.rx_damaged++;
        resync_drop(chip);
    } else {
        read_queue(chip, bytes);
    }
    return true;
}

// With nothing in flight the status register is read for one of these reasons.
static bool status_wanted(struct cor_cyw43 *chip) {
    if (chip->dead_since_us != 0) {
        if (chip->now_us - chip->dead_since_us >= DEAD_BOUND_US) {
            cor_cyw43_bus_dead(chip, COR_CYW43_BUS_FAULT_ones);
            return false;
        }
        return chip->now_us >= chip->status_us + DEAD_PERIOD_US;
    }
    if (chip->config.polling_us != 0 && chip->now_us >= chip->status_us + chip->config.polling_us) {
        return true;
    }
    if (chip->config.polling_us == 0 && chip->now_us >= chip->line_muted_until_us &&
        cor_bus_irq_pending(chip->config.bus)) {
        chip->line_asked = true;
        return true;
    }
    return chip->status_due_us != 0 && chip->now_us >= chip->status_due_us;
}

bool cor_cyw43_receive(struct cor_cyw43 *chip) {
    if (!chip->frames_on || chip->rx_reading || chip->rx_resyncing ||
        !cor_cyw43_ops_room(chip, 2)) {
        return false;
    }
    if (chip->resync_due) {
        resync_ask(chip);
        return true;
    }
    if ((chip->status & COR_GSPI_STATUS_FAULTS) != 0 && !chip->clearing &&
        chip->now_us >= chip->clear_due_us) {
        clear_queue(chip);
        return true;
    }
    if (frame_wanted(chip)) {
        return true;
    }
    if (!quiet(chip) || chip->status_reading) {
        return false;
    }
    if (status_wanted(chip)) {
        chip->status_due_us = 0;
        status_queue(chip);
        return true;
    }
    if (chip->now_us >= cor_cyw43_check_due_us(chip)) {
        chip->check_line = cor_bus_irq_pending(chip->config.bus);
        cor_cyw43_check_queue(chip);
        return true;
    }
    return false;
}

// An Ethernet frame inside a data or event frame; NULL where the header does not fit.
static uint8_t *ethernet_of(
    struct cor_cyw43 *chip, uint8_t *frame, const struct cor_sdpcm *sdpcm, uint32_t *size_bytes) {
    uint32_t there_bytes = (uint32_t)sdpcm->size_bytes - sdpcm->header_bytes;
    int32_t offset_bytes = cor_bdc_parse(frame + sdpcm->header_bytes, there_bytes);

    if (offset_bytes < 0) {
        return NULL;
    }
    uint32_t at = sdpcm->header_bytes + (uint32_t)offset_bytes;
    // The contract of the frame source: 2 modulo 4, so that IP is aligned.
    uint32_t moved = at - (at + 2u) % 4u;

    *size_bytes = sdpcm->size_bytes - at;
    if (moved != at) {
        memmove(frame + moved, frame + at, *size_bytes);
        chip->counters.rx_moved++;
    }
    return frame + moved;
}

static uint32_t data_input(struct cor_cyw43 *chip, uint8_t *frame, const struct cor_sdpcm *sdpcm) {
    struct cor_frame_source *frames = chip->config.frames;
    uint32_t size_bytes = 0;
    uint8_t *ethernet = ethernet_of(chip, frame, sdpcm, &size_bytes);

    if (ethernet == NULL || size_bytes < 14u || size_bytes > COR_FRAME_BYTES_MAX) {
        chip->counters.rx_bad_data++;
        return 0;
    }
    if (chip->state != COR_RADIO_JOINED) {
        chip->counters.rx_not_joined++;
        return 0;
    }
    chip->counters.rx_frames++;
    chip->counters.rx_bytes += size_bytes;
    uint32_t payload_bytes = frames->ops->input(frames, chip->now_us, ethernet, size_bytes);

    return payload_bytes < size_bytes ? payload_bytes : size_bytes;
}

static void event_input(struct cor_cyw43 *chip, uint8_t *frame, const struct cor_sdpcm *sdpcm) {
    struct cor_cyw43_event event;
    uint32_t size_bytes = 0;
    uint8_t *ethernet = ethernet_of(chip, frame, sdpcm, &size_bytes);

    if (ethernet == NULL || cor_cyw43_event_parse(ethernet, size_bytes, &event) != COR_OK) {
        chip->counters.rx_bad_event++;
        return;
    }
    chip->counters.rx_events++;
    cor_cyw43_event(chip, &event);
}

static void sequence_input(struct cor_cyw43 *chip, uint8_t sequence) {
    if (chip->rx_sequence_known && sequence != (uint8_t)(chip->rx_sequence + 1u)) {
        chip->counters.rx_sequence_gaps++;
    }
    chip->rx_sequence = sequence;
    chip->rx_sequence_known = true;
}

// False: the frame is none. The length from the chip is not used before its check has passed.
static bool header_input(
    struct cor_cyw43 *chip, const struct cor_cyw43_op *op, struct cor_sdpcm *sdpcm) {
    enum cor_status status = header_parse(chip, op, sdpcm);

    if (status == COR_OK) {
        return true;
    }
    if (status == COR_AGAIN) {
        chip->counters.rx_empty++;
    } else {
        chip->counters.rx_damaged++;
    }
    return false;
}

void cor_cyw43_frame_input(struct cor_cyw43 *chip, struct cor_cyw43_op *op) {
    uint8_t *frame = chip->rx[op->rx_buffer];
    enum cor_meter_purpose rest = COR_METER_PURPOSE_control;
    uint32_t payload_bytes = 0;
    struct cor_sdpcm sdpcm;

    if (!header_input(chip, op, &sdpcm)) {
        cor_cyw43_tally(chip, &op->xfer, rest, 0);
        return;
    }
    cor_cyw43_heard(chip);
    sequence_input(chip, sdpcm.sequence);
    cor_cyw43_credit_input(chip, &sdpcm, op->xfer.completed_us);
    if (sdpcm.header_bytes == sdpcm.size_bytes) {
        chip->counters.rx_credit_frames++;
    } else if (sdpcm.channel == COR_SDPCM_DATA) {
        rest = COR_METER_PURPOSE_header;
        cor_cyw43_pace_received(chip, op->xfer.completed_us);
        payload_bytes = data_input(chip, frame, &sdpcm);
    } else if (sdpcm.channel == COR_SDPCM_EVENT) {
        event_input(chip, frame, &sdpcm);
    } else if (sdpcm.channel == COR_SDPCM_CONTROL) {
        cor_cyw43_control_input(
            chip, frame + sdpcm.header_bytes, (uint32_t)sdpcm.size_bytes - sdpcm.header_bytes);
    } else {
        chip->counters.rx_unknown_channel++;
    }
    cor_cyw43_tally(chip, &op->xfer, rest, payload_bytes);
}

uint64_t cor_cyw43_receive_deadline_us(const struct cor_cyw43 *chip) {
    uint64_t deadline_us = UINT64_MAX;

    if (!chip->frames_on || !quiet(chip)) {
        return UINT64_MAX;
    }
    if (chip->dead_since_us != 0) {
        return chip->status_us + DEAD_PERIOD_US;
    }
    if (chip->line_muted_until_us > chip->now_us) {
        deadline_us = chip->line_muted_until_us;
    }
    uint64_t check_us = cor_cyw43_check_due_us(chip);

    deadline_us = check_us < deadline_us ? check_us : deadline_us;
    if (chip->config.polling_us != 0 && chip->status_us + chip->config.polling_us < deadline_us) {
        deadline_us = chip->status_us + chip->config.polling_us;
    }
    if (chip->status_due_us != 0 && chip->status_due_us < deadline_us) {
        deadline_us = chip->status_due_us;
    }
    if ((chip->status & COR_GSPI_STATUS_FAULTS) != 0 && chip->clear_due_us < deadline_us) {
        deadline_us = chip->clear_due_us;
    }
    return deadline_us;
}
