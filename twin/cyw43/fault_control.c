// SPDX-License-Identifier: MIT
// Fault, the control side: what a script does to requests, replies and events.
#include "cyw43/parts.h"

#include <string.h>

// ---- control requests

// Request numbers. Read from public code.
#define REQUEST_SET_MONITOR 108u
#define REQUEST_GET_VAR     262u
#define REQUEST_SET_VAR     263u

static struct twin_fault_what request_of(const struct request *request) {
    struct twin_fault_what at = twin_fault_any();

    at.type = request->command;
    if (request->command == REQUEST_GET_VAR || request->command == REQUEST_SET_VAR) {
        size_t bytes = strnlen((const char *)request->buffer, sizeof(at.name) - 1);

        memcpy(at.name, request->buffer, bytes);
    }
    return at;
}

int32_t twin_cyw43_fault_status(
    struct twin_cyw43 *chip, const struct request *request, int32_t status) {
    struct twin_faults *faults = chip->config.faults;
    struct twin_fault_what at;
    const struct twin_fault_what *what;

    if (faults == NULL) {
        return status;
    }
    at = chip->faults.request = request_of(request);
    if (strcmp(at.name, "sae_password") == 0 && twin_faults_active(faults, TWIN_NO_SAE) != NULL) {
        return BCME_UNSUPPORTED;
    }
    if (request->command == REQUEST_SET_MONITOR &&
        twin_faults_active(faults, TWIN_NO_MONITOR) != NULL) {
        return BCME_UNSUPPORTED;
    }
    what = twin_faults_hit(faults, TWIN_REPLY_STATUS, &at);
    return what != NULL ? (int32_t)what->value : status;
}

bool twin_cyw43_fault_reply(
    struct twin_cyw43 *chip, const struct request *request, struct twin_frame *frame) {
    struct twin_faults *faults = chip->config.faults;
    // The reply to a GET has overwritten the name by now.
    struct twin_fault_what at =
        request == &chip->request ? chip->faults.request : request_of(request);
    const struct twin_fault_what *what;

    if (twin_faults_hit(faults, TWIN_REPLY_DROP, &at) != NULL) {
        twin_frame_put(chip->config.frames, frame);
        return true;
    }
    what = twin_faults_hit(faults, TWIN_REPLY_ID, &at);
    if (what != NULL) {
        put16(frame->data + 10, get16(frame->data + 10) + (uint32_t)what->value);
    }
    what = twin_faults_hit(faults, TWIN_REPLY_CUT, &at);
    if (what != NULL && what->value > 0) {
        frame->size_bytes -= what->value < frame->size_bytes ? (uint32_t)what->value : 0;
    }
    if (twin_faults_hit(faults, TWIN_REPLY_DOUBLE, &at) != NULL) {
        twin_cyw43_push(chip, twin_cyw43_copy_frame(chip, frame), CHANNEL_CONTROL);
    }
    what = twin_faults_hit(faults, TWIN_REPLY_DELAY, &at);
    if (what != NULL) {
        frame->tag = CHANNEL_CONTROL;
        twin_cyw43_hold(chip, frame, HELD_TO_HOST, what->time_ns);
        return true;
    }
    return false;
}

// ---- events

static struct twin_fault_what event_of(uint32_t type) {
    struct twin_fault_what at = twin_fault_any();

    at.type = type;
    return at;
}

static void replace(struct chip_event *event, const struct twin_fault_what *what) {
    event->status = what->status_given ? what->status : event->status;
    event->reason = what->reason_given ? what->reason : event->reason;
    event->flags = what->flags_given ? (uint16_t)what->flags : event->flags;
}

void twin_cyw43_fault_change(struct twin_cyw43 *chip, struct chip_event *event) {
    struct twin_fault_what at = event_of(event->type);
    const struct twin_fault_what *what =
        twin_faults_hit(chip->config.faults, TWIN_EVENT_CHANGE, &at);

    if (what != NULL) {
        replace(event, what);
    }
}

bool twin_cyw43_fault_event(struct twin_cyw43 *chip, uint32_t type, struct twin_frame *frame) {
    struct twin_faults *faults = chip->config.faults;
    struct twin_fault_what at = event_of(type);
    const struct twin_fault_what *what;

    if (twin_faults_hit(faults, TWIN_EVENT_DROP, &at) != NULL) {
        twin_frame_put(chip->config.frames, frame);
        return true;
    }
    if (twin_faults_hit(faults, TWIN_EVENT_DOUBLE, &at) != NULL) {
        twin_frame_push(&chip->events.queue, twin_cyw43_copy_frame(chip, frame));
    }
    what = twin_faults_hit(faults, TWIN_EVENT_DELAY, &at);
    if (what != NULL) {
        twin_cyw43_hold(chip, frame, HELD_EVENT, what->time_ns);
        return true;
    }
    return false;
}

bool twin_cyw43_fault_send_event(struct twin_cyw43 *chip, const struct twin_fault_what *what) {
    struct chip_event event = {.type = what->type == TWIN_FAULT_ANY ? 0 : what->type};

    if (!chip->plane.firmware_running) {
        return false;
    }
    if (chip->config.ap != NULL) {
        memcpy(event.address, twin_ap_bssid(chip->config.ap), 6);
    }
    replace(&event, what);
    twin_cyw43_event(chip, &event, NULL, 0);
    return true;
}
