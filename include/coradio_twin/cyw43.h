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
#include "coradio_twin/faults.h"
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

// A network in reach: an air (a channel of its own) and its access point.
struct twin_cyw43_network {
    struct twin_air *air;
    struct twin_ap *ap;
};

#define TWIN_CYW43_OTHERS_MAX 3

struct twin_cyw43_config {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_air *air;
    struct twin_ap *ap;                                       // the network in reach; NULL: none
    struct twin_cyw43_network others[TWIN_CYW43_OTHERS_MAX];  // more of them; ap NULL: none
    struct twin_log *log;        // chip log (deviations, joins), may be NULL
    struct twin_faults *faults;  // what goes wrong, NULL: nothing
    uint8_t address[6];          // MAC address in OTP
    uint8_t credit_window;       // frames it takes beyond the last one accepted, 1..20
    uint8_t tx_buffers;          // frames it can hold for the air; 0: as many as credit_window
    uint8_t rx_fifo_frames;      // frames towards the host before the tail is dropped; 0: 16
    // Time inside the chip for each data frame, which overlaps with nothing on the bus: no other
    // frame is granted meanwhile, whatever the credit window.
    uint64_t frame_ns;
    uint64_t wake_ns;         // from power on to the first answer on the bus
    uint64_t ht_ns;           // from firmware start to the HT clock
    uint64_t f2_ready_ns;     // from the HT clock to F2 ready
    uint32_t listen_beacons;  // wake-up interval where the host sets none; 0: the DTIM period
    bool strict;              // counted deviations also stop the run (abort)
    bool credit_frames;       // sends frames of 12 bytes when no other frame carries the credit
    enum twin_over_credit over_credit;
    struct twin_loss on_given_up;  // frames of the host that tx_failed counts
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

// Totals since the chip was made; readers subtract snapshots. Name, unit, what it counts.
// clang-format off
#define TWIN_CYW43_COUNTERS(X)                                                                     \
    X(clocked_bits,       "bit", "all clocks seen, extra ones included")                           \
    X(transactions,       "1",   "chip select low to high, powered or not")                        \
    X(data_in,            "1",   "data frames taken from the host")                                \
    X(data_out,           "1",   "data frames read by the host")                                   \
    X(credit_frames,      "1",   "frames sent only to carry credit")                               \
    X(over_credit,        "1",   "frames beyond the credit the host was told")                     \
    X(sequence_gaps,      "1",   "frames from the host out of sequence")                           \
    X(dropped_rx_fifo,    "1",   "frames from the air that found no room")                         \
    X(deviations,         "1",   "breaches of the bus's or the protocol's rules")                  \
    X(ioctls,             "1",   "control requests answered")                                      \
    X(events,             "1",   "events sent to the host")                                        \
    X(not_ready_writes,   "1",   "F2 writes while F2 was not ready: dropped")                      \
    X(dropped_header,     "1",   "frames from the host whose SDPCM or BDC header is none")         \
    X(dropped_oversize,   "1",   "frames from the host longer than Ethernet allows")               \
    X(dropped_not_joined, "1",   "frames from the host while not associated")                      \
    X(dropped_filter,     "1",   "frames from the air that the address filter stopped")            \
    X(dropped_unread,     "1",   "frames towards the host that it aborted")                        \
    X(dropped_events,     "1",   "events that found no room")                                      \
    X(tx_acked,           "1",   "frames acknowledged on the air")                                 \
    X(tx_failed,          "1",   "frames given up on the air")                                     \
    X(dropped_hung,       "1",   "frames of either side lost in a firmware that stands still")
// clang-format on

struct twin_cyw43_counters {
#define X(name, unit, text) uint64_t name;
    TWIN_CYW43_COUNTERS(X)
#undef X
};

void twin_cyw43_get_counters(const struct twin_cyw43 *chip, struct twin_cyw43_counters *counters);

// The output pins of the chip, bit 0 first (the board's LED is bit 0): as set by `gpioout`, and by
// the registers of the ChipCommon core, which one public driver uses.
uint32_t twin_cyw43_gpio(const struct twin_cyw43 *chip);

// The name of the last deviation ("f1-over-length", ...), NULL when there was none.
const char *twin_cyw43_last_deviation(const struct twin_cyw43 *chip);

#ifdef __cplusplus
}
#endif

#endif
