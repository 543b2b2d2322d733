// SPDX-License-Identifier: MIT
// SDPCM: frames on function 2, both ways.
//
//   0 u16 size | 2 u16 ~size | 4 sequence | 5 channel (low nibble) | 6 next length |
//   7 header length | 8 flow control | 9 credit | 10 u16 0
//
//   channel 0:     CDC request or reply, at the header length
//   channel 1, 2:  BDC { flags, priority, interface, data offset in words }, then Ethernet
#include "cyw43/parts.h"

#include <string.h>

// ---- from the host

bool twin_cyw43_f2_takes(const struct twin_cyw43 *chip) {
    return twin_cyw43_f2_up(chip) && chip->transmit.inside == NULL &&
           chip->credit.free_buffers != 0 &&
           twin_faults_active(chip->config.faults, TWIN_NOT_READY) == NULL;
}

// A write while not ready is lost and shows as an overflow.
static bool ready(struct twin_cyw43 *chip) {
    if (twin_cyw43_f2_up(chip) && chip->transmit.inside == NULL &&
        twin_faults_active(chip->config.faults, TWIN_NOT_READY) == NULL) {
        return true;
    }
    chip->counters.not_ready_writes++;
    chip->bus.interrupt |= INTERRUPT_OVERFLOW;
    twin_cyw43_deviate(chip, "f2-not-ready");
    return false;
}

static const char *header_fault(const uint8_t *header, uint32_t size_bytes, uint32_t clocked) {
    uint32_t size = get16(header);

    if (size_bytes < SDPCM_HEADER_BYTES || clocked < size_bytes) {
        return "f2-frame-cut";
    }
    if ((size ^ get16(header + 2)) != 0xFFFFu) {
        return "sdpcm-check";
    }
    if (size > size_bytes) {
        return "sdpcm-size";
    }
    if (header[7] < SDPCM_HEADER_BYTES || header[7] > size) {
        return "sdpcm-header-length";
    }
    return NULL;
}

void twin_cyw43_f2_write(
    struct twin_cyw43 *chip, const struct wire_data *data, uint32_t size_bytes) {
    uint8_t header[SDPCM_HEADER_BYTES] = {0};
    const char *fault;

    if (twin_cyw43_asleep(chip)) {
        twin_cyw43_deviate(chip, "f2-asleep");
        return;
    }
    if (!ready(chip)) {
        return;
    }
    (void)twin_cyw43_copy(data, 0, header, sizeof(header));
    fault = header_fault(header, size_bytes, data->size_bytes);
    if (fault != NULL) {
        chip->counters.dropped_header++;
        twin_cyw43_deviate(chip, fault);
        return;
    }
    if (!twin_cyw43_credit_input(chip, header[4])) {
        return;
    }
    switch (header[5] & 0x0Fu) {
    case CHANNEL_CONTROL:
        twin_cyw43_ioctl_input(chip, data, header[7], size_bytes);
        break;
    case CHANNEL_DATA:
        // The length of the command decides how long the frame on the air is.
        if (get16(header) != size_bytes) {
            twin_cyw43_deviate(chip, "f2-length-padded");
        }
        twin_cyw43_data_input(chip, data, header[7], size_bytes);
        break;
    default:
        chip->counters.dropped_header++;
        twin_cyw43_deviate(chip, "sdpcm-channel");
        break;
    }
    twin_cyw43_credit_review(chip);
}

// ---- to the host

static uint32_t header_bytes(uint32_t channel) {
    return channel == CHANNEL_DATA || channel == CHANNEL_EVENT ? ETHERNET_OFFSET
                                                               : SDPCM_HEADER_BYTES;
}

uint32_t twin_cyw43_head_bytes(const struct twin_cyw43 *chip) {
    const struct twin_frame *frame = chip->fifo.queue.head;

    if (frame == NULL) {
        return 0;
    }
    return header_bytes(frame->tag) + frame->size_bytes - chip->fifo.read_bytes;
}

void twin_cyw43_enqueue(struct twin_cyw43 *chip, struct twin_frame *frame, uint32_t channel) {
    frame->tag = channel;
    twin_frame_push(&chip->fifo.queue, frame);
    twin_cyw43_update_irq(chip);
}

void twin_cyw43_push(struct twin_cyw43 *chip, struct twin_frame *frame, uint32_t channel) {
    if (chip->config.faults == NULL || !twin_cyw43_fault_push(chip, frame, channel)) {
        twin_cyw43_enqueue(chip, frame, channel);
    }
}

// The header is made when the frame is read, so that its credit is the newest there is.
static void start_head(struct twin_cyw43 *chip, const struct twin_frame *frame) {
    struct host_fifo *fifo = &chip->fifo;
    uint8_t *header = fifo->header;
    uint32_t size_bytes = header_bytes(frame->tag) + frame->size_bytes + NOTE_CUT(frame->note);

    memset(header, 0, sizeof(fifo->header));
    put16(header, size_bytes);
    put16(header + 2, ~size_bytes);
    header[4] = fifo->sequence++;
    header[5] = frame->tag == CHANNEL_CREDIT ? CHANNEL_CONTROL : (uint8_t)frame->tag;
    header[7] = SDPCM_HEADER_BYTES;
    header[9] = twin_cyw43_credit_tell(chip);
    if (header_bytes(frame->tag) == ETHERNET_OFFSET) {
        header[7] = SDPCM_PADDED_BYTES;
        header[SDPCM_PADDED_BYTES] = BDC_VERSION_FLAGS;
        header[SDPCM_PADDED_BYTES + 3] = 1;  // one word of data offset
    }
    fifo->head_started = true;
    chip->faults.header_read = true;
    if (chip->config.faults != NULL) {
        twin_cyw43_fault_header(chip, frame, header);
    }
}

static void drop_head(struct twin_cyw43 *chip) {
    struct twin_frame *frame = twin_frame_pop(&chip->fifo.queue);

    if (frame->tag == CHANNEL_CREDIT) {
        chip->fifo.credit_frame = false;
    }
    twin_frame_put(chip->config.frames, frame);
    chip->fifo.head_started = false;
    chip->fifo.read_bytes = 0;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

void twin_cyw43_f2_read(
    struct twin_cyw43 *chip, uint32_t length, uint8_t *target, uint32_t clocked_bytes) {
    struct host_fifo *fifo = &chip->fifo;
    struct twin_frame *frame = fifo->queue.head;
    uint32_t wanted = least(length, clocked_bytes);
    uint32_t left = twin_cyw43_head_bytes(chip);
    uint32_t part = 0;
    uint32_t head;

    chip->bus.data_unavailable = frame == NULL;
    if (frame == NULL || twin_cyw43_asleep(chip)) {
        memset(target, 0, clocked_bytes);
        chip->bus.interrupt |= INTERRUPT_DATA_UNAVAILABLE | INTERRUPT_UNDERFLOW;
        twin_cyw43_deviate(chip, frame == NULL ? "f2-read-empty" : "f2-asleep");
        return;
    }
    if (!fifo->head_started) {
        start_head(chip, frame);
    }
    if (length > left + 3) {
        chip->bus.interrupt |= INTERRUPT_UNDERFLOW;
        twin_cyw43_deviate(chip, "f2-read-over-length");
    }
    wanted = least(wanted, left);
    head = header_bytes(frame->tag);
    if (fifo->read_bytes < head) {
        part = least(head - fifo->read_bytes, wanted);
        memcpy(target, fifo->header + fifo->read_bytes, part);
    }
    if (wanted > part) {
        memcpy(target + part, frame->data + fifo->read_bytes + part - head, wanted - part);
    }
    memset(target + wanted, 0, clocked_bytes - wanted);
    fifo->read_bytes += wanted;
    if (wanted == left) {
        chip->counters.data_out += frame->tag == CHANNEL_DATA;
        drop_head(chip);
        twin_cyw43_credit_review(chip);
    }
}

void twin_cyw43_abort_read(struct twin_cyw43 *chip) {
    if (chip->fifo.queue.count == 0) {
        return;
    }
    chip->counters.dropped_unread += chip->fifo.queue.head->tag != CHANNEL_CREDIT;
    drop_head(chip);
    twin_cyw43_credit_review(chip);
}
