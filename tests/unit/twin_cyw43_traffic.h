// SPDX-License-Identifier: MIT
// Traffic: frames of a known pattern up and down.
#ifndef TWIN_CYW43_TRAFFIC_H
#define TWIN_CYW43_TRAFFIC_H

#include "twin_cyw43_link.h"

static const uint8_t station[6] = {0x02, 0xA0, 0x50, 0x43, 0x43, 0x90};
static const uint8_t peer[6] = {0x02, 0, 0, 0, 0, 0x01};

static inline void fill(uint8_t *ethernet, const uint8_t *target, uint32_t size_bytes) {
    for (uint32_t i = 0; i < size_bytes; i++) {
        ethernet[i] = (uint8_t)(i * 5 + 3);
    }
    memcpy(ethernet, target, 6);
    memcpy(ethernet + 6, target == station ? peer : station, 6);
    ethernet[12] = 0x08;
    ethernet[13] = 0x00;
}

static inline void send(struct host *host, uint32_t size_bytes) {
    uint8_t ethernet[1600];

    fill(ethernet, peer, size_bytes);
    host_send_data(host, ethernet, size_bytes, 0);
}

// From the far side, given to the access point at once.
static inline void send_down(struct host *host, const uint8_t *target, uint32_t size_bytes) {
    struct twin_port port = twin_ap_port(host->ap);
    struct twin_frame *frame = twin_frame_get(host->frames);

    fill(frame->data, station, size_bytes);
    memcpy(frame->data, target, 6);
    frame->size_bytes = size_bytes;
    port.input(port.context, frame);
}

static inline struct host *online(void) {
    return host_online(&host_queued, host_world_new());
}

#endif
