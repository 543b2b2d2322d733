// SPDX-License-Identifier: MIT
// Scan: one "escan", whose results come as events.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/requests.h"
#include "wire/cyw43_scan.h"

#include <string.h>

#include "coradio/cyw43_control.h"

// All channels take about 0.6 s actively, 1.5 s passively; in a network the firmware goes home in
// between.
#define SCAN_BOUND_US 10000000u

enum cor_status cor_cyw43_scan(struct cor_cyw43 *chip, const struct cor_cyw43_scan *scan) {
    struct cor_cyw43_scanning *scanning = &chip->scan;
    uint32_t ssid_bytes =
        scan->ssid != NULL ? cor_cyw43_text_bytes(scan->ssid, COR_SSID_BYTES_MAX) : 0;

    if (chip->state != COR_RADIO_READY && chip->state != COR_RADIO_JOINED &&
        chip->state != COR_RADIO_WAITING) {
        return COR_E_STATE;
    }
    if (scanning->active) {
        return COR_AGAIN;
    }
    if (ssid_bytes > COR_SSID_BYTES_MAX) {
        return COR_E_ARG;
    }
    memset(scanning->ssid, 0, sizeof(scanning->ssid));
    if (ssid_bytes > 0) {
        memcpy(scanning->ssid, scan->ssid, ssid_bytes);
    }
    scanning->channel = scan->channel;
    scanning->passive = scan->passive;
    scanning->found = scan->found;
    scanning->done = scan->done;
    scanning->context = scan->context;
    scanning->sync++;
    scanning->active = true;
    scanning->started = false;
    cor_cyw43_job_want(chip, CYW43_JOB_SCAN);
    return COR_OK;
}

// The caller may begin the next in its callback.
void cor_cyw43_scan_end(struct cor_cyw43 *chip, enum cor_status status) {
    struct cor_cyw43_scanning *scanning = &chip->scan;

    scanning->active = false;
    scanning->started = false;
    if (scanning->done != NULL) {
        scanning->done(scanning->context, status);
    }
}

static uint16_t scan_fill(struct cor_cyw43 *chip, uint8_t *at) {
    const struct cor_cyw43_scanning *scanning = &chip->scan;
    const struct cor_cyw43_scan_parameters parameters = {
        .ssid = scanning->ssid,
        .sync = scanning->sync,
        .channel = scanning->channel,
        .passive = scanning->passive,
    };

    cor_cyw43_scan_emit(at, &parameters);
    chip->counters.scans++;
    // The end may come before the reply is looked at.
    chip->scan.started = true;
    chip->scan.deadline_us = chip->now_us + SCAN_BOUND_US;
    return COR_CYW43_SCAN_BYTES;
}

const struct cor_cyw43_step cor_cyw43_scan_steps[] = {
    SET_FILL("escan", scan_fill),
    END,
};

void cor_cyw43_scan_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    struct cor_cyw43_scanning *scanning = &chip->scan;
    struct cor_network network;
    uint16_t sync;

    if (!scanning->started) {
        return;
    }
    if (event->status != COR_CYW43_EVENT_PARTIAL) {
        cor_cyw43_scan_end(chip, event->status == COR_CYW43_EVENT_OK ? COR_OK : COR_E_ABORTED);
        return;
    }
    if (cor_cyw43_scan_parse(event->data.data, event->data.size_bytes, &sync, &network) != COR_OK) {
        chip->counters.scan_bad++;
    } else if (sync == scanning->sync && scanning->found != NULL) {
        scanning->found(scanning->context, &network);
    }
}
