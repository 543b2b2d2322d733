// SPDX-License-Identifier: MIT
// Fault: where the faults of a script strike in the chip (include/coradio_twin/faults.h).
//
// On the bus they change what is clocked; a damaged header counts as heard where its check passes,
// so that "beyond the credit" means beyond what really stood on the wire. Frames and events are
// dropped, doubled, held back or damaged on their way into the queue for the host.
#include "cyw43/parts.h"
#include "sim/alloc.h"

#include <stdlib.h>
#include <string.h>

// ---- frames and events that wait

struct held {
    struct held *next;
    struct twin_cyw43 *chip;
    struct twin_frame *frame;
    uint32_t channel;
    enum held_kind kind;
    struct twin_event due;
};

static void unlink_held(struct held *held) {
    struct held **at = &held->chip->faults.held;

    while (*at != held) {
        at = &(*at)->next;
    }
    *at = held->next;
}

static void held_due(void *context) {
    struct held *held = context;
    struct twin_cyw43 *chip = held->chip;

    unlink_held(held);
    switch (held->kind) {
    case HELD_TO_HOST:
        twin_cyw43_enqueue(chip, held->frame, held->channel);
        break;
    case HELD_EVENT:
        twin_frame_push(&chip->events.queue, held->frame);
        twin_cyw43_event_arm(chip);
        break;
    case HELD_TO_AIR:
        twin_cyw43_hand_on(chip, held->frame);
        break;
    }
    free(held);
}

void twin_cyw43_hold(
    struct twin_cyw43 *chip, struct twin_frame *frame, enum held_kind kind, uint64_t time_ns) {
    struct held *held = twin_alloc(1, sizeof(*held));

    held->next = chip->faults.held;
    held->chip = chip;
    held->frame = frame;
    held->channel = frame->tag;
    held->kind = kind;
    twin_event_init(&held->due, held_due, held);
    chip->faults.held = held;
    twin_after(chip->config.sim, &held->due, time_ns);
}

void twin_cyw43_faults_reset(struct twin_cyw43 *chip) {
    while (chip->faults.held != NULL) {
        struct held *held = chip->faults.held;

        chip->faults.held = held->next;
        twin_cancel(chip->config.sim, &held->due);
        twin_frame_put(chip->config.frames, held->frame);
        free(held);
    }
    chip->faults.hung_buffers = 0;
    chip->faults.hung = false;
}

struct twin_frame *twin_cyw43_copy_frame(struct twin_cyw43 *chip, const struct twin_frame *frame) {
    struct twin_frame *copy = twin_frame_get(chip->config.frames);

    copy->size_bytes = frame->size_bytes;
    copy->note = frame->note;
    memcpy(copy->data, frame->data, frame->size_bytes);
    return copy;
}

// ---- the bus

static struct twin_fault_what transaction_of(
    const struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer) {
    struct twin_fault_what at = twin_fault_any();
    uint8_t word[4] = {0};
    uint32_t filled = 0;
    struct gspi_command command;

    for (uint32_t i = 0; i < xfer->out_count; i++) {
        for (uint32_t k = 0; k < xfer->out[i].size_bytes && filled < 4; k++) {
            word[filled++] = xfer->out[i].data[k];
        }
    }
    twin_cyw43_reorder(chip->bus.order, word, 4);
    command = twin_cyw43_command(get32(word));
    at.function = command.function;
    at.direction = command.write ? 1 : 0;
    return at;
}

// All of the input moves by so many bits; what comes in from the side is low.
static void shift_late(uint8_t *bytes, uint32_t size_bytes, uint32_t bits) {
    for (uint32_t bit = 0; bit < bits; bit++) {
        uint8_t carry = 0;

        for (uint32_t i = 0; i < size_bytes; i++) {
            uint8_t last = bytes[i] & 1u;

            bytes[i] = (uint8_t)(bytes[i] >> 1 | carry << 7);
            carry = last;
        }
    }
}

static void shift_early(uint8_t *bytes, uint32_t size_bytes, uint32_t bits) {
    for (uint32_t bit = 0; bit < bits; bit++) {
        for (uint32_t i = 0; i < size_bytes; i++) {
            uint32_t next = i + 1 < size_bytes ? bytes[i + 1] >> 7 : 0;

            bytes[i] = (uint8_t)((uint32_t)bytes[i] << 1 | next);
        }
    }
}

// Bit n of data is on the input from 2nT + d to 2(n + 1)T + d after the edge, T being half a clock
// and d the delay of the loop.
void twin_cyw43_sample(struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer) {
    const struct twin_fault_what *what;
    int64_t half_ps;
    int64_t late_ps;
    int64_t bits;

    if (xfer->sample_half_clocks == 0 || xfer->clock_hz == 0 || xfer->in_bytes == 0) {
        return;
    }
    what = twin_faults_active(chip->config.faults, TWIN_BUS_DELAY);
    half_ps = INT64_C(500000000000) / xfer->clock_hz;
    late_ps = (int64_t)xfer->sample_half_clocks * half_ps -
              1000 * (int64_t)(what != NULL ? what->time_ns : LOOP_DELAY_NS);
    // Rounded down: what is sampled before the first bit is on the wire is none of its bits.
    bits = late_ps >= 0 ? late_ps / (2 * half_ps) : -((2 * half_ps - 1 - late_ps) / (2 * half_ps));
    if (bits > 0) {
        shift_early(xfer->in, xfer->in_bytes, (uint32_t)bits);
    } else if (bits < 0) {
        shift_late(xfer->in, xfer->in_bytes, (uint32_t)-bits);
    }
}

static void shift(
    struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer, const struct twin_fault_what *at) {
    const struct twin_fault_what *what;
    const struct twin_fault_what *set;

    if (xfer->in_bytes == 0 || at->direction != 0) {
        return;
    }
    // The rate is looked at before the opportunity counts.
    set = twin_faults_next(chip->config.faults, TWIN_BUS_SHIFT);
    if (set == NULL || xfer->clock_hz < set->above_hz) {
        return;
    }
    what = twin_faults_hit(chip->config.faults, TWIN_BUS_SHIFT, at);
    if (what == NULL) {
        return;
    }
    if (what->value < 0) {
        shift_early(xfer->in, xfer->in_bytes, (uint32_t)-what->value);
    } else {
        shift_late(xfer->in, xfer->in_bytes, (uint32_t)what->value);
    }
}

// What the host now believes of its credit, if the header passed its check on the way.
static void hear_header(struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer) {
    uint8_t header[SDPCM_HEADER_BYTES];

    if (!chip->faults.header_read || xfer->in_bytes < sizeof(header)) {
        return;
    }
    memcpy(header, xfer->in, sizeof(header));
    twin_cyw43_reorder(chip->bus.order, header, sizeof(header));
    if ((get16(header) ^ get16(header + 2)) == 0xFFFFu) {
        twin_cyw43_credit_heard(chip, header[9]);
    }
}

// The transaction with the host's bits as they arrive.
static void transact_damaged(
    struct twin_cyw43 *chip,
    const struct twin_gspi_xfer *xfer,
    const struct twin_fault_what *what) {
    struct twin_gspi_xfer damaged = *xfer;
    uint8_t *out = chip->faults.out;
    uint32_t size_bytes = 0;

    for (uint32_t i = 0; i < xfer->out_count; i++) {
        uint32_t part = xfer->out[i].size_bytes;

        if (part > sizeof(chip->faults.out) - size_bytes) {
            part = (uint32_t)sizeof(chip->faults.out) - size_bytes;
        }
        memcpy(out + size_bytes, xfer->out[i].data, part);
        size_bytes += part;
    }
    twin_fault_flip(chip->config.faults, what, out, size_bytes);
    damaged.out[0] = (struct twin_bytes){out, size_bytes};
    damaged.out_count = 1;
    twin_cyw43_transact(chip, &damaged);
}

static bool stuck(
    struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer, const struct twin_fault_what *at) {
    struct twin_faults *faults = chip->config.faults;
    bool ones = twin_faults_hit(faults, TWIN_BUS_ONES, at) != NULL;

    if (!ones && twin_faults_active(faults, TWIN_ABSENT) == NULL &&
        twin_faults_hit(faults, TWIN_BUS_ZEROS, at) == NULL) {
        return false;
    }
    if (xfer->in_bytes != 0) {
        memset(xfer->in, ones ? 0xFF : 0, xfer->in_bytes);
    }
    return true;
}

void twin_cyw43_fault_transfer(struct twin_cyw43 *chip, const struct twin_gspi_xfer *xfer) {
    struct twin_faults *faults = chip->config.faults;
    struct twin_fault_what at;
    const struct twin_fault_what *what = NULL;

    chip->faults.header_read = false;
    if (!chip->powered) {
        twin_cyw43_transact(chip, xfer);
        return;
    }
    twin_faults_tick(faults);
    at = transaction_of(chip, xfer);
    if (stuck(chip, xfer, &at)) {
        return;
    }
    if (at.direction != 0) {
        what = twin_faults_hit(faults, TWIN_BUS_FLIP, &at);
    }
    if (what != NULL) {
        transact_damaged(chip, xfer, what);
    } else {
        twin_cyw43_transact(chip, xfer);
    }
    twin_cyw43_sample(chip, xfer);
    shift(chip, xfer, &at);
    if (at.direction == 0 && xfer->in_bytes != 0) {
        what = twin_faults_hit(faults, TWIN_BUS_FLIP, &at);
    }
    if (at.direction == 0 && what != NULL) {
        twin_fault_flip(faults, what, xfer->in, xfer->in_bytes);
    }
    hear_header(chip, xfer);
}

// ---- frames to the host

static struct twin_fault_what channel_of(uint32_t channel) {
    struct twin_fault_what at = twin_fault_any();

    at.channel = channel;
    return at;
}

static uint32_t front_bytes(uint32_t channel) {
    return channel == CHANNEL_DATA || channel == CHANNEL_EVENT ? ETHERNET_OFFSET
                                                               : SDPCM_HEADER_BYTES;
}

static void damage(
    struct twin_cyw43 *chip, struct twin_frame *frame, const struct twin_fault_what *at) {
    struct twin_faults *faults = chip->config.faults;
    const struct twin_fault_what *what = twin_faults_hit(faults, TWIN_RX_DAMAGE, at);
    uint32_t cut = 0;
    uint32_t announced = 0;

    if (what != NULL) {
        twin_fault_flip(faults, what, frame->data, frame->size_bytes);
    }
    what = twin_faults_hit(faults, TWIN_RX_CUT, at);
    if (what != NULL && what->value > 0) {
        cut = what->value < frame->size_bytes ? (uint32_t)what->value : frame->size_bytes;
        announced = front_bytes(at->channel) + frame->size_bytes;
        frame->size_bytes -= cut;
    }
    what = twin_faults_hit(faults, TWIN_RX_LENGTH, at);
    if (what != NULL) {
        announced = (uint32_t)what->value & 0x7FFu;
    }
    frame->note = cut << 16 | announced;
}

static void lose_frame(struct twin_cyw43 *chip, struct twin_frame *frame, uint32_t channel) {
    if (channel == CHANNEL_CREDIT) {
        chip->fifo.credit_frame = false;
    }
    twin_frame_put(chip->config.frames, frame);
}

bool twin_cyw43_fault_push(struct twin_cyw43 *chip, struct twin_frame *frame, uint32_t channel) {
    struct twin_faults *faults = chip->config.faults;
    struct twin_fault_what at = channel_of(channel);
    const struct twin_fault_what *what;

    frame->note = 0;
    frame->tag = channel;
    if (chip->faults.hung) {
        chip->counters.dropped_hung++;
        lose_frame(chip, frame, channel);
        return true;
    }
    if (twin_faults_hit(faults, TWIN_RX_DROP, &at) != NULL) {
        lose_frame(chip, frame, channel);
        return true;
    }
    damage(chip, frame, &at);
    if (twin_faults_hit(faults, TWIN_RX_DOUBLE, &at) != NULL) {
        twin_cyw43_enqueue(chip, twin_cyw43_copy_frame(chip, frame), channel);
    }
    what = twin_faults_hit(faults, TWIN_RX_DELAY, &at);
    if (what != NULL) {
        twin_cyw43_hold(chip, frame, HELD_TO_HOST, what->time_ns);
        return true;
    }
    return false;
}

void twin_cyw43_fault_header(
    struct twin_cyw43 *chip, const struct twin_frame *frame, uint8_t *header) {
    struct twin_faults *faults = chip->config.faults;
    struct twin_fault_what at = channel_of(frame->tag);
    const struct twin_fault_what *what = twin_faults_hit(faults, TWIN_CREDIT_VALUE, NULL);

    if (what != NULL) {
        header[9] = (uint8_t)(chip->credit.expected + what->value);
        twin_cyw43_credit_heard(chip, header[9]);
    }
    what = twin_faults_active(faults, TWIN_FLOW);
    if (what != NULL) {
        header[8] = (uint8_t)what->value;
    }
    what = twin_faults_hit(faults, TWIN_RX_FIELD, &at);
    if (what != NULL && what->field < 4) {
        put16(header + what->field, (uint32_t)what->value);
    } else if (what != NULL) {
        header[what->field] = (uint8_t)what->value;
    }
}

// ---- frames from the host

// An access point filters what is damaged here no better than the air does: only the ends notice.
bool twin_cyw43_fault_data(struct twin_cyw43 *chip, struct twin_frame *frame) {
    struct twin_faults *faults = chip->config.faults;
    struct twin_fault_what at = channel_of(CHANNEL_DATA);
    const struct twin_fault_what *what;

    if (chip->faults.hung) {
        chip->counters.dropped_hung++;
        chip->faults.hung_buffers++;
        twin_frame_put(chip->config.frames, frame);
        return true;
    }
    if (twin_faults_hit(faults, TWIN_TX_DROP, &at) != NULL) {
        twin_cyw43_release(chip, frame);
        return true;
    }
    what = twin_faults_hit(faults, TWIN_TX_DAMAGE, NULL);
    if (what != NULL) {
        twin_fault_flip(
            faults, what, frame->data + ETHERNET_BYTES_MIN, frame->size_bytes - ETHERNET_BYTES_MIN);
    }
    what = twin_faults_hit(faults, TWIN_TX_CUT, NULL);
    if (what != NULL && what->value > 0 &&
        what->value <= (int64_t)frame->size_bytes - (int64_t)ETHERNET_BYTES_MIN) {
        frame->size_bytes -= (uint32_t)what->value;
    }
    if (chip->credit.free_buffers != 0 && twin_faults_hit(faults, TWIN_TX_DOUBLE, NULL) != NULL) {
        chip->credit.free_buffers--;
        twin_cyw43_hand_on(chip, twin_cyw43_copy_frame(chip, frame));
    }
    what = twin_faults_hit(faults, TWIN_TX_DELAY, NULL);
    if (what != NULL) {
        twin_cyw43_hold(chip, frame, HELD_TO_AIR, what->time_ns);
        return true;
    }
    return false;
}

// ---- the line

bool twin_cyw43_fault_line(const struct twin_cyw43 *chip, bool level) {
    const struct twin_faults *faults = chip->config.faults;

    if (faults == NULL) {
        return level;
    }
    if (twin_faults_peek(faults, TWIN_LINE_LOW) != NULL) {
        return false;
    }
    return level || chip->faults.storm_high || twin_faults_peek(faults, TWIN_LINE_HIGH) != NULL;
}

bool twin_cyw43_fault_rise(struct twin_cyw43 *chip) {
    return twin_faults_hit(chip->config.faults, TWIN_LINE_MISS, NULL) != NULL;
}

static void storm(void *context) {
    struct twin_cyw43 *chip = context;
    const struct twin_fault_what *what = twin_faults_active(chip->config.faults, TWIN_LINE_STORM);

    chip->faults.storm_high = what != NULL && !chip->faults.storm_high;
    twin_cyw43_update_irq(chip);
    if (what != NULL) {
        twin_after(chip->config.sim, &chip->faults.storm, what->time_ns / 2 + 1);
    }
}

// ---- the chip as a whole

uint64_t twin_cyw43_fault_time(struct twin_cyw43 *chip, enum twin_lever lever, uint64_t time_ns) {
    const struct twin_fault_what *what = twin_faults_hit(chip->config.faults, lever, NULL);

    return what != NULL ? what->time_ns : time_ns;
}

static void go_on(struct twin_cyw43 *chip) {
    chip->faults.hung = false;
    chip->credit.free_buffers += chip->faults.hung_buffers;
    chip->faults.hung_buffers = 0;
    if (chip->request.pending && !twin_event_queued(&chip->request.run)) {
        twin_after(chip->config.sim, &chip->request.run, 0);
    }
    twin_cyw43_event_arm(chip);
    twin_cyw43_credit_review(chip);
}

static bool told(
    void *context, enum twin_lever lever, const struct twin_fault_what *what, bool begins) {
    struct twin_cyw43 *chip = context;

    switch (lever) {
    case TWIN_EVENT:
        return twin_cyw43_fault_send_event(chip, what);
    case TWIN_LINE_LOW:
    case TWIN_LINE_HIGH:
        twin_cyw43_update_irq(chip);
        return chip->powered;
    case TWIN_LINE_STORM:
        chip->faults.storm_high = false;
        twin_after(chip->config.sim, &chip->faults.storm, 0);
        return chip->powered;
    case TWIN_FLOW:
        twin_cyw43_credit_tell_now(chip);
        return false;  // it strikes in the header
    case TWIN_CREDIT_HOLD:
    case TWIN_CREDIT_WINDOW:
        twin_cyw43_credit_review(chip);
        return false;  // it strikes where a header is held back
    case TWIN_CHIP_HANG:
        if (!begins) {
            go_on(chip);
        }
        chip->faults.hung = begins;
        return chip->plane.firmware_running;
    case TWIN_CHIP_RESTART:
        if (!chip->plane.firmware_running) {
            return false;
        }
        twin_cyw43_stop_firmware(chip);
        return true;
    case TWIN_CHIP_BROWNOUT:
        return chip->powered && twin_cyw43_brownout(chip);
    default:
        return false;
    }
}

void twin_cyw43_faults_init(struct twin_cyw43 *chip) {
    twin_event_init(&chip->faults.storm, storm, chip);
    twin_faults_listen(chip->config.faults, told, chip);
}

void twin_cyw43_faults_free(struct twin_cyw43 *chip) {
    twin_faults_unlisten(chip->config.faults, chip);
    twin_cancel(chip->config.sim, &chip->faults.storm);
}
