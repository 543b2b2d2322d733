// SPDX-License-Identifier: MIT
// CYW43439 model, seen from its gSPI port.
//
// Written from the public facts about the chip, on its own: it shares no code and no constant with
// the driver in src/chip/cyw43. Registers, backplane, firmware download, SDPCM with credits,
// ioctls, events, join, and data both ways through a MAC on the air. What is not known of the
// chip (credit window, time inside, FIFO depths) is a field of the config.
#ifndef CORADIO_TWIN_CYW43_H
#define CORADIO_TWIN_CYW43_H

#include "coradio_twin/ap.h"
#include "coradio_twin/gspi.h"
#include "coradio_twin/log.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twin_cyw43;

// What happens to a frame beyond the credit that the host was told. It is counted in any case.
enum twin_over_credit {
    TWIN_OVER_CREDIT_DROP,
    TWIN_OVER_CREDIT_ACCEPT,  // taken as long as a buffer is free
};

struct twin_cyw43_config {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_air *air;
    struct twin_ap *ap;      // the network in reach; NULL: none
    struct twin_log *log;    // chip log (deviations, joins), may be NULL
    uint8_t address[6];      // MAC address in OTP
    uint8_t credit_window;   // frames it takes beyond the last one accepted, 1..20
    uint8_t tx_buffers;      // frames it can hold for the air; 0: as many as credit_window
    uint8_t rx_fifo_frames;  // frames towards the host before the tail is dropped; 0: 16
    uint64_t frame_ns;  // time inside the chip for each data frame, during which it takes no other
    uint64_t wake_ns;   // from power on to the first answer on the bus
    uint64_t ht_ns;     // from firmware start to the HT clock
    uint64_t f2_ready_ns;     // from the HT clock to F2 ready
    uint32_t listen_beacons;  // wake-up interval where the host sets none; 0: the DTIM period
    bool strict;              // counted deviations also stop the run (abort)
    bool credit_frames;       // sends frames of 12 bytes when no other frame carries the credit
    enum twin_over_credit over_credit;
};

// Fills the config with the model's defaults; sim, frames, air and ap are left to the caller.
void twin_cyw43_config_init(struct twin_cyw43_config *config);

struct twin_cyw43 *twin_cyw43_new(const struct twin_cyw43_config *config);
void twin_cyw43_free(struct twin_cyw43 *chip);

// The chip's pins.
struct twin_gspi_chip twin_cyw43_gspi(struct twin_cyw43 *chip);
// Called whenever the level of the interrupt line changes.
void twin_cyw43_on_irq(
    struct twin_cyw43 *chip, void (*changed)(void *context, bool level), void *context);

// A synthetic firmware image, NVRAM and CLM that the model accepts. Licence free: made here.
// Each function fills `image` (room_bytes) and returns the size, 0 when the room is too small.
uint32_t twin_cyw43_image_firmware(uint8_t *image, uint32_t room_bytes);
uint32_t twin_cyw43_image_nvram(uint8_t *image, uint32_t room_bytes);
uint32_t twin_cyw43_image_clm(uint8_t *image, uint32_t room_bytes);

struct twin_cyw43_counters {
    uint64_t clocked_bits;  // all clocks seen, extra ones included
    uint64_t transactions;
    uint64_t data_in;        // data frames taken from the host
    uint64_t data_out;       // data frames given to the host
    uint64_t credit_frames;  // frames sent only to carry credit
    uint64_t over_credit;    // frames beyond the credit: dropped
    uint64_t sequence_gaps;
    uint64_t dropped_rx_fifo;  // frames from the air that found no room
    uint64_t deviations;       // each breach of the bus's or the protocol's rules
    uint64_t ioctls;
    uint64_t events;
    uint64_t not_ready_writes;    // F2 writes while not ready
    uint64_t dropped_header;      // frames from the host whose SDPCM or BDC header is not one
    uint64_t dropped_oversize;    // frames from the host longer than Ethernet allows
    uint64_t dropped_not_joined;  // frames from the host while not associated
    uint64_t dropped_filter;      // frames from the air that the address filter does not pass
    uint64_t dropped_unread;      // frames the host aborted before it had read them
    uint64_t dropped_events;      // events that found no room
    uint64_t tx_acked;            // frames acknowledged on the air
    uint64_t tx_failed;           // frames given up on the air
};

void twin_cyw43_get_counters(const struct twin_cyw43 *chip, struct twin_cyw43_counters *counters);

// The output pins of the chip as set by `gpioout`, bit 0 first (the board's LED is bit 0).
uint32_t twin_cyw43_gpio(const struct twin_cyw43 *chip);

// The name of the last deviation ("f1-over-length", ...), NULL when there was none.
const char *twin_cyw43_last_deviation(const struct twin_cyw43 *chip);

#ifdef __cplusplus
}
#endif

#endif
