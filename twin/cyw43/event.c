// SPDX-License-Identifier: MIT
// Event: messages of the firmware, sent as Ethernet frames of type 0x886C on channel 1.
//
// Fields of the message are big-endian; offsets are from the start of the Ethernet frame:
//
//   12 type 0x886C | 14 subtype 0x8001 | 16 length | 18 version 0 | 19 OUI 00 10 18 |
//   22 user subtype 1 | 24 version 2 | 26 flags | 28 event | 32 status | 36 reason |
//   40 authentication | 44 data length | 48 address | 54 interface name | 70 interface |
//   71 bss | 72 data
#include "cyw43/parts.h"

#include <string.h>

#define MESSAGE_BYTES 72u

static bool masked(const struct twin_cyw43 *chip, uint32_t type) {
    if (type / 8 >= sizeof(chip->events.mask)) {
        return true;
    }
    return ((uint32_t)chip->events.mask[type / 8] >> type % 8 & 1u) == 0;
}

static void fill_message(
    const struct twin_cyw43 *chip,
    const struct chip_event *event,
    uint8_t *message,
    uint32_t data_bytes) {
    static const uint8_t kind[] = {0x00, 0x10, 0x18, 0x00, 0x01, 0x00, 0x02};

    memset(message, 0, MESSAGE_BYTES);
    memcpy(message, chip->address, 6);
    memcpy(message + 6, chip->address, 6);
    message[6] |= 0x02u;
    put16_be(message + 12, 0x886C);
    put16_be(message + 14, 0x8001);
    put16_be(message + 16, MESSAGE_BYTES - 18u + data_bytes);
    memcpy(message + 19, kind, sizeof(kind));
    put16_be(message + 26, event->flags);
    put32_be(message + 28, event->type);
    put32_be(message + 32, event->status);
    put32_be(message + 36, event->reason);
    put32_be(message + 40, event->auth_type);
    put32_be(message + 44, data_bytes);
    memcpy(message + 48, event->address, 6);
    message[54] = 'w';
    message[55] = 'l';
    message[56] = (uint8_t)('0' + event->interface);
    message[70] = event->interface;
    message[71] = event->interface;
}

// Events leave one by one: one public driver holds only two.
void twin_cyw43_event_arm(struct twin_cyw43 *chip) {
    struct event_queue *events = &chip->events;

    if (events->queue.head != NULL && !twin_event_queued(&events->timer)) {
        twin_at(chip->config.sim, &events->timer, events->next_at_ns);
    }
}

void twin_cyw43_event(
    struct twin_cyw43 *chip,
    const struct chip_event *event,
    const uint8_t *data,
    uint32_t size_bytes) {
    struct chip_event changed = *event;
    struct twin_frame *frame;

    if (masked(chip, event->type)) {
        return;
    }
    if (chip->config.faults != NULL) {
        twin_cyw43_fault_change(chip, &changed);
    }
    if (chip->events.queue.count >= EVENT_FRAMES_MAX) {
        chip->counters.dropped_events++;
        return;
    }
    frame = twin_frame_get(chip->config.frames);
    fill_message(chip, &changed, frame->data, size_bytes);
    if (size_bytes != 0) {
        memcpy(frame->data + MESSAGE_BYTES, data, size_bytes);
    }
    frame->size_bytes = MESSAGE_BYTES + size_bytes;
    if (chip->config.faults != NULL && twin_cyw43_fault_event(chip, event->type, frame)) {
        return;
    }
    twin_frame_push(&chip->events.queue, frame);
    twin_cyw43_event_arm(chip);
}

void twin_cyw43_event_due(void *context) {
    struct twin_cyw43 *chip = context;
    struct twin_frame *frame;

    if (chip->faults.hung) {
        return;
    }
    frame = twin_frame_pop(&chip->events.queue);
    chip->events.next_at_ns = chip_now_ns(chip) + EVENT_SPACING_NS;
    if (chip->fifo.queue.count >= chip->config.rx_fifo_frames + RX_FIFO_RESERVED) {
        chip->counters.dropped_events++;
        twin_frame_put(chip->config.frames, frame);
    } else {
        chip->counters.events++;
        twin_cyw43_push(chip, frame, CHANNEL_EVENT);
    }
    twin_cyw43_event_arm(chip);
}

void twin_cyw43_drop_events(struct twin_cyw43 *chip) {
    twin_cancel(chip->config.sim, &chip->events.timer);
    while (chip->events.queue.head != NULL) {
        twin_frame_put(chip->config.frames, twin_frame_pop(&chip->events.queue));
    }
    memset(chip->events.mask, 0, sizeof(chip->events.mask));
}
