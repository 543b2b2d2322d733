// SPDX-License-Identifier: MIT
// CYW43 control: what is asked of the chip while it is up: scans, filters, power save, pins,
// measurements, and any request of its firmware.
//
// Every function here returns at once and may be called from the driver's hooks and from those of
// the frame source; what it starts goes on in poll(), which is to be called soon after. One thing
// is done at a time, in a fixed order. Settings are kept and set again when the chip has been
// started anew.
#ifndef CORADIO_CYW43_CONTROL_H
#define CORADIO_CYW43_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/cyw43_state.h"
#include "coradio/radio.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- scan

struct cor_cyw43_scan {
    const char *ssid;  // look for this name, also where it is hidden; NULL: for all
    uint8_t channel;   // 0: all
    bool passive;      // listen only
    // Called for each network heard; one may be heard more than once.
    void (*found)(void *context, const struct cor_network *network);
    // The scan is over: COR_OK, COR_E_CHIP, COR_E_TIMEOUT, COR_E_ABORTED.
    void (*done)(void *context, enum cor_status status);
    void *context;
};

// COR_E_STATE: the chip is not up. COR_AGAIN: a scan is under way. COR_E_ARG: the name is too long.
COR_MUST_CHECK enum cor_status cor_cyw43_scan(
    struct cor_cyw43 *chip, const struct cor_cyw43_scan *scan);

// ---- settings

// The groups received, which replace those before; more than COR_CYW43_GROUPS_MAX, or `all`, makes
// it all groups. Broadcasts always come.
void cor_cyw43_set_multicast(
    struct cor_cyw43 *chip, const uint8_t (*groups)[6], uint32_t count, bool all);

// Power save from the next join on, or at once in a network; listen_beacons as in the config.
void cor_cyw43_set_pm(struct cor_cyw43 *chip, enum cor_pm pm, uint8_t listen_beacons);

// Output pins of the chip: those in mask get the level of their bit in levels. On Pico W pin 0 is
// the LED, 1 the mode of the power supply, 2 (an input) tells whether USB power is there.
void cor_cyw43_set_gpio(struct cor_cyw43 *chip, uint32_t mask, uint32_t levels);

// ---- questions

// Asks the chip for signal, rate and counters; get_link() has them when its `valid` is true.
void cor_cyw43_measure(struct cor_cyw43 *chip);
const struct cor_cyw43_link *cor_cyw43_get_link(const struct cor_cyw43 *chip);

// Reads what is new in the chip's console and gives it to the log hook.
void cor_cyw43_read_log(struct cor_cyw43 *chip);

// Finds out whether the firmware gives raw 802.11 frames; the result is in `raw` of the effective
// settings. Stock firmware may stop working under it, after which the chip is started anew.
// COR_E_STATE: only while READY.
COR_MUST_CHECK enum cor_status cor_cyw43_probe_raw(struct cor_cyw43 *chip);

// The caller knows that nobody answers any more though the chip says joined: the link is given up,
// and joined again where join.keep says so.
void cor_cyw43_link_silent(struct cor_cyw43 *chip, uint64_t now_us);

// ---- any request

struct cor_cyw43_request {
    uint16_t command;  // number of the firmware's command; 262 reads a variable, 263 sets one
    bool set;
    const char *name;   // of the variable, where it is one
    const void *value;  // copied; NULL with value_bytes 0
    uint16_t value_bytes;
    uint16_t reply_bytes;  // expected; the request is made that long
    // Called once. COR_OK; COR_E_CHIP: refused with chip_status; COR_E_TIMEOUT; COR_E_ABORTED: the
    // chip was switched off. The reply is valid during the call only.
    void (*done)(void *context, enum cor_status status, int32_t chip_status, struct cor_span reply);
    void *context;
};

// COR_AGAIN: one is under way, of this kind; nothing was queued. COR_E_STATE: the chip is not up.
// COR_E_ARG: larger than COR_CYW43_REQUEST_BYTES_MAX, name included.
COR_MUST_CHECK enum cor_status cor_cyw43_request(
    struct cor_cyw43 *chip, const struct cor_cyw43_request *request);

#ifdef __cplusplus
}
#endif

#endif
