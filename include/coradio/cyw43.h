// SPDX-License-Identifier: MIT
// CYW43: the driver of the CYW43439 on its gSPI bus, as on Pico W and Pico 2 W.
//
// The caller owns the struct, calls poll() when the bus has completed a transfer, when the chip's
// line asks for service or when the deadline it returned has come, and rest() right after it.
// Nothing here waits, nothing is allocated; all functions but none other are called from the one
// context that polls. The radio pulls: poll() asks the frame source for the next frame when the
// chip has granted credit for it and the bus is about to be free.
#ifndef CORADIO_CYW43_H
#define CORADIO_CYW43_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/bus.h"
#include "coradio/cyw43_state.h"
#include "coradio/frame.h"
#include "coradio/meter.h"
#include "coradio/radio.h"
#include "coradio/span.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills the caller's memory. Bus, frame source, meter and the images live as long as the driver;
// the images are read during start(). The chip is off afterwards.
void cor_cyw43_init(struct cor_cyw43 *chip, const struct cor_cyw43_config *config, uint64_t now_us);

// Power, bus proof, firmware, CLM and settings; goes on in poll(). Allowed while off or failed.
// COR_E_STATE: already on. COR_E_FIRMWARE: an image is missing or too large. COR_E_ARG: a clock or
// the country is out of its range.
COR_MUST_CHECK enum cor_status cor_cyw43_start(struct cor_cyw43 *chip, uint64_t now_us);

// Joins a network; goes on in poll(), ends JOINED or READY with the reason in error(), within
// 12 s. COR_E_STATE: not ready. COR_E_ARG: length of name or key.
COR_MUST_CHECK enum cor_status cor_cyw43_join(
    struct cor_cyw43 *chip, const struct cor_join *join, uint64_t now_us);

// Power off, from any state. Transfers in flight still come back through poll(); the frames of
// the source among them are given back by sent() as ever.
void cor_cyw43_stop(struct cor_cyw43 *chip, uint64_t now_us);

// Does all that can be done now. Returns the time when it wants to be called even if nothing
// happens; UINT64_MAX: only after an interrupt.
uint64_t cor_cyw43_poll(struct cor_cyw43 *chip, uint64_t now_us);

// The poll is over at now_us, read from a fresh clock: ends the chronograph's processor slice and
// starts that of whatever keeps the next frame from being queued.
void cor_cyw43_rest(struct cor_cyw43 *chip, uint64_t now_us);

enum cor_radio_state cor_cyw43_state(const struct cor_cyw43 *chip);

// Why the last start, join or link ended as it did; COR_OK while all is well.
enum cor_status cor_cyw43_error(const struct cor_cyw43 *chip);

// Six bytes, the chip's MAC address; zeros before it is known.
const uint8_t *cor_cyw43_address(const struct cor_cyw43 *chip);

const struct cor_cyw43_counters *cor_cyw43_get_counters(const struct cor_cyw43 *chip);

// What the settings really are, next to what was asked for.
const struct cor_cyw43_effective *cor_cyw43_get_effective(const struct cor_cyw43 *chip);

// The name of a counter by its place in COR_CYW43_COUNTERS, NULL past the end.
const char *cor_cyw43_counter_name(uint32_t index);

// "early", "ones", ...: how the bus fails its proof.
const char *cor_cyw43_bus_fault_name(enum cor_cyw43_bus_fault fault);

#ifdef __cplusplus
}
#endif

#endif
