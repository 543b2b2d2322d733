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
#include "coradio/cyw43_control.h"
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

// Joins a network; goes on in poll(). Without join.keep it ends JOINED or READY with the reason in
// error(), within 20 s. A failure that may be one of the moment is tried again inside. With
// join.keep it goes on, but for a wrong key or security at the first time. COR_E_STATE: neither
// READY nor WAITING. COR_E_ARG: length of name or key.
//
// COR_E_NO_NETWORK: not heard. COR_E_WRONG_KEY. COR_E_REFUSED: by the access point, with
// join_code(). COR_E_FULL: it takes no more stations. COR_E_UNSUPPORTED: its security is another,
// or this firmware does not have it. COR_E_TIMEOUT: no end.
COR_MUST_CHECK enum cor_status cor_cyw43_join(
    struct cor_cyw43 *chip, const struct cor_join *join, uint64_t now_us);

// Sets join.keep of the running join anew.
void cor_cyw43_set_keep(struct cor_cyw43 *chip, bool keep);

// Leaves the network, or gives up joining; READY at once.
void cor_cyw43_leave(struct cor_cyw43 *chip, uint64_t now_us);

// Power off, from any state; from a hook, when the poll is over. Transfers in flight still come
// back through poll(); the frames of the source among them are given back by sent() as ever.
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

// The status code of 802.11 with which the access point has refused last, 0: none.
uint32_t cor_cyw43_join_code(const struct cor_cyw43 *chip);

// Why the link went down last, and the reason code of 802.11 where there was one, else 0.
enum cor_link_cause cor_cyw43_down_cause(const struct cor_cyw43 *chip);
uint32_t cor_cyw43_down_code(const struct cor_cyw43 *chip);

// Six bytes, the chip's MAC address; zeros before it is known.
const uint8_t *cor_cyw43_address(const struct cor_cyw43 *chip);

const struct cor_cyw43_counters *cor_cyw43_get_counters(const struct cor_cyw43 *chip);

// What the settings really are, next to what was asked for.
const struct cor_cyw43_effective *cor_cyw43_get_effective(const struct cor_cyw43 *chip);

#ifdef __cplusplus
}
#endif

#endif
