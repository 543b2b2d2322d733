// SPDX-License-Identifier: MIT
// Data: Ethernet frames between function 2 and the MAC.
//
// From the host: a buffer is taken, config.frame_ns passes inside the chip (one frame at a time,
// and F2 takes nothing meanwhile), the MAC gets the frame, the buffer is free when the MAC is done
// with it. To the host: address filter, then the FIFO, whose tail is dropped when it is full.
#include "cyw43/parts.h"

#include <string.h>

// ---- from the host

void twin_cyw43_release(struct twin_cyw43 *chip, struct twin_frame *frame) {
    twin_frame_put(chip->config.frames, frame);
    chip->credit.free_buffers++;
}

void twin_cyw43_hand_on(struct twin_cyw43 *chip, struct twin_frame *frame) {
    uint32_t size_bytes = frame->size_bytes;

    if (chip->join.state == JOIN_DONE && twin_mac_send(chip->mac, frame)) {
        chip->transmit.in_mac++;
        chip->transmit.bytes += size_bytes;
    } else {
        // The MAC has room for all buffers: it refuses only without an association.
        chip->counters.dropped_not_joined++;
        twin_cyw43_release(chip, frame);
    }
}

void twin_cyw43_data_inside(void *context) {
    struct twin_cyw43 *chip = context;
    struct twin_frame *frame = chip->transmit.inside;

    chip->transmit.inside = NULL;
    twin_cyw43_hand_on(chip, frame);
    twin_cyw43_credit_review(chip);
}

static const char *frame_fault(struct twin_cyw43 *chip, uint32_t size_bytes) {
    if (size_bytes < ETHERNET_BYTES_MIN) {
        chip->counters.dropped_header++;
        return "data-runt";
    }
    if (size_bytes > ETHERNET_BYTES_MAX) {
        chip->counters.dropped_oversize++;
        return "data-oversize";
    }
    return NULL;
}

void twin_cyw43_data_input(
    struct twin_cyw43 *chip, const struct wire_data *data, uint32_t offset, uint32_t size_bytes) {
    uint8_t bdc[BDC_BYTES] = {0};
    uint32_t tail = 0;
    uint32_t frame_bytes;
    struct twin_frame *frame;
    const char *fault;

    (void)twin_cyw43_copy(data, offset, bdc, sizeof(bdc));
    if (offset < SDPCM_PADDED_BYTES) {
        twin_cyw43_deviate(chip, "data-without-pad");
        tail = UNPADDED_TAIL_BYTES;
    }
    offset += BDC_BYTES + 4u * bdc[3];
    frame_bytes = size_bytes > offset ? size_bytes - offset + tail : 0;
    fault = frame_fault(chip, frame_bytes);
    if (fault != NULL) {
        twin_cyw43_deviate(chip, fault);
        return;
    }
    if (chip->credit.free_buffers == 0) {
        // Only a host that was told too much, or sends beyond its credit, gets here.
        chip->bus.interrupt |= INTERRUPT_OVERFLOW;
        twin_cyw43_deviate(chip, "data-without-buffer");
        return;
    }
    frame = twin_frame_get(chip->config.frames);
    frame->size_bytes = frame_bytes;
    memset(frame->data + frame_bytes - tail, 0, tail);
    (void)twin_cyw43_copy(data, offset, frame->data, frame_bytes - tail);
    chip->credit.free_buffers--;
    chip->counters.data_in++;
    if (chip->config.faults != NULL && twin_cyw43_fault_data(chip, frame)) {
        return;
    }
    if (chip->config.frame_ns == 0) {
        twin_cyw43_hand_on(chip, frame);
        return;
    }
    chip->transmit.inside = frame;
    twin_after(chip->config.sim, &chip->transmit.done, chip->config.frame_ns);
}

void twin_cyw43_data_sent(void *context, struct twin_frame *frame, bool acked) {
    struct twin_cyw43 *chip = context;

    if (acked) {
        chip->counters.tx_acked++;
    } else {
        chip->counters.tx_failed++;
        twin_loss_tell(&chip->config.on_given_up, frame);
    }
    if (chip->transmit.in_mac_stale != 0) {
        chip->transmit.in_mac_stale--;
        twin_frame_put(chip->config.frames, frame);
        return;
    }
    chip->transmit.in_mac--;
    twin_cyw43_release(chip, frame);
    twin_cyw43_credit_review(chip);
}

// Frames inside are lost; those in the MAC come back in their own time and free no buffer then.
void twin_cyw43_drop_data(struct twin_cyw43 *chip) {
    struct transmit *transmit = &chip->transmit;

    twin_cancel(chip->config.sim, &transmit->done);
    if (transmit->inside != NULL) {
        twin_frame_put(chip->config.frames, transmit->inside);
        transmit->inside = NULL;
    }
    transmit->in_mac_stale += transmit->in_mac;
    transmit->in_mac = 0;
}

// ---- to the host

static bool group_wanted(const struct twin_cyw43 *chip, const uint8_t *address) {
    static const uint8_t broadcast[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    uint32_t count = get32(chip->mcast_list);

    if (memcmp(address, broadcast, 6) == 0 || chip->iovars[IOVAR_ALLMULTI][0] != 0) {
        return true;
    }
    for (uint32_t i = 0; i < count && 4 + 6 * i + 6 <= sizeof(chip->mcast_list); i++) {
        if (memcmp(chip->mcast_list + 4 + (size_t)6 * i, address, 6) == 0) {
            return true;
        }
    }
    return false;
}

static bool wanted(const struct twin_cyw43 *chip, const struct twin_frame *frame) {
    if (frame->size_bytes < ETHERNET_BYTES_MIN) {
        return false;
    }
    if ((frame->data[0] & 1u) != 0) {
        return group_wanted(chip, frame->data);
    }
    return memcmp(frame->data, chip->address, 6) == 0;
}

static uint32_t fifo_frames(const struct twin_cyw43 *chip) {
    const struct twin_fault_what *what = twin_faults_active(chip->config.faults, TWIN_RX_FIFO);

    return what != NULL ? (uint32_t)what->value : chip->config.rx_fifo_frames;
}

void twin_cyw43_data_received(void *context, struct twin_frame *frame) {
    struct twin_cyw43 *chip = context;

    if (chip->join.state != JOIN_DONE || !wanted(chip, frame)) {
        chip->counters.dropped_filter++;
    } else if (frame->size_bytes > ETHERNET_BYTES_MAX) {
        chip->counters.dropped_oversize++;
    } else if (chip->fifo.queue.count >= fifo_frames(chip)) {
        chip->counters.dropped_rx_fifo++;
    } else {
        chip->rx_frames++;
        chip->rx_bytes += frame->size_bytes;
        twin_cyw43_push(chip, frame, CHANNEL_DATA);
        return;
    }
    twin_frame_put(chip->config.frames, frame);
}
