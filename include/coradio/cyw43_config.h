// SPDX-License-Identifier: MIT
// CYW43 config: what the driver in cyw43.h is given, and what the chip's settings really are.
#ifndef CORADIO_CYW43_CONFIG_H
#define CORADIO_CYW43_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/bus.h"
#include "coradio/cyw43_counters.h"
#include "coradio/frame.h"
#include "coradio/meter.h"
#include "coradio/radio.h"
#include "coradio/span.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is done about a chip or bus that has stopped working after it was once ready.
enum cor_cyw43_recovery {
    COR_CYW43_REBUILD,  // power cycle, everything anew, join again; as often as it takes
    COR_CYW43_GIVE_UP,  // FAILED
};

// What the driver calls; each may be NULL. They are called from poll(), join(), leave() and stop();
// in them every function of the driver may be called: what cannot be done at once is queued or
// refused with a status.
struct cor_cyw43_hooks {
    void *context;
    // Something has happened, see COR_CYW43_NOTICES.
    void (*notice)(void *context, uint64_t now_us, enum cor_cyw43_notice notice, int32_t value);
    // Text of the chip's own console, where it is read.
    void (*log)(void *context, const uint8_t *text, uint32_t size_bytes);
    // Feeds a watchdog: called in each poll(), and poll() asks to be called every 100 ms.
    void (*feed)(void *context);
};

struct cor_cyw43_config {
    struct cor_bus *bus;
    struct cor_frame_source *frames;
    struct cor_meter *meter;
    struct cor_span firmware, nvram, clm;  // the caller's memory, read during start
    char country[3];                       // two letters and a NUL; "XX" is the world
    int32_t bringup_hz;                    // clock until the settings are made
    int32_t data_hz;                       // clock from then on
    bool out_of_spec;                      // clocks above COR_BUS_CLOCK_HZ_MAX are meant
    enum cor_pm pm;
    uint8_t listen_beacons;   // wake for every n-th beacon; 0: as pm says
    uint8_t ampdu_window;     // block-ack window; 0: 8
    uint8_t ampdu_mpdu;       // frames in one aggregate; 0: 8
    uint8_t ampdu_rx_factor;  // longest aggregate received: 1..4 for 8, 16, 32, 64 KiB; 0: as it is
    uint8_t address[6];       // MAC address to set; zeros: the chip's own
    enum cor_cyw43_recovery recovery;
    // The bus is proved on the test register when nothing was heard for so long; 0: 100 ms. A chip
    // whose line was missed is found then too.
    uint32_t check_us;
    // In a network, nothing received for so long: the chip is asked whether it is still in it;
    // 0: 5 s.
    uint32_t liveness_us;
    // Null frames that keep the access point from forgetting a silent station; 0: every 30 s.
    uint32_t keep_alive_us;
    // Looks for frames every so often and leaves the chip's line alone; 0: by the line.
    uint32_t polling_us;
    // Reads the chip's console every so often, where there is a hook for it; 0: only before a
    // rebuild and on demand.
    uint32_t log_us;
    struct cor_cyw43_hooks hooks;
};

// How a bus that fails its proof fails.
// name, what was read instead of the pattern
// clang-format off
#define COR_CYW43_BUS_FAULTS(X)                              \
    X(none,  "the pattern")                                  \
    X(zeros, "nothing but zeros")                            \
    X(ones,  "nothing but ones")                             \
    X(early, "the pattern, one clock too early")             \
    X(late,  "the pattern, one clock too late")              \
    X(bits,  "something else: single bits are wrong")
// clang-format on

enum cor_cyw43_bus_fault {
#define X(name, text) COR_CYW43_BUS_FAULT_##name,
    COR_CYW43_BUS_FAULTS(X)
#undef X
        COR_CYW43_BUS_FAULT_COUNT,
};

// Whether the firmware gives raw 802.11 frames, as far as it was probed.
// name, text
// clang-format off
#define COR_CYW43_RAWS(X)                                                  \
    X(unknown, "not probed")                                               \
    X(refused, "the firmware refuses monitor mode")                        \
    X(silent,  "monitor mode is accepted and delivers nothing")            \
    X(stalls,  "some frames come, then the chip stops")                    \
    X(works,   "frames come as long as it is on")
// clang-format on

enum cor_cyw43_raw {
#define X(name, text) COR_CYW43_RAW_##name,
    COR_CYW43_RAWS(X)
#undef X
        COR_CYW43_RAW_COUNT,
};

// Settings as asked for and as read back from the chip (or as the bus granted them).
struct cor_cyw43_effective {
    uint32_t pm_word_asked;  // the SDK's word 0x00adbrrm
    uint32_t pm_word;
    uint8_t listen_beacons_asked;
    uint8_t listen_beacons;
    uint8_t ampdu_window_asked;
    uint8_t ampdu_window;
    uint8_t ampdu_mpdu_asked;
    uint8_t ampdu_mpdu;
    uint8_t ampdu_rx_factor;  // as the chip has it, 0..3
    uint8_t txglom;           // 0 asked
    char country[3];          // as the chip has it
    bool event_mask_ok;
    bool sae;            // the last join with WPA3 in it: the firmware took the password
    uint8_t multicast;   // groups in the chip's filter
    bool multicast_all;  // the filter lets every group through
    int32_t bringup_hz;
    int32_t bus_hz;
    enum cor_bus_sampling sampling;
    int32_t chip_status;    // last error status of a control request, 0: none yet
    uint16_t chip_command;  // the command that was answered with it
    uint16_t chip_id;       // 0xA9AF
    uint32_t bus_word;      // last word read of the test register
    enum cor_cyw43_bus_fault bus_fault;
    enum cor_cyw43_raw raw;
};

// What the chip knows of the link, where `valid`; read by cor_cyw43_measure().
struct cor_cyw43_link {
    bool valid;
    int16_t rssi_dbm;
    uint32_t rate_bps;  // of the last frame sent
    uint8_t channel;
    uint8_t bssid[6];
    uint32_t rx_good, rx_bad, tx_good, tx_bad;  // frames, since power on
    bool counters_valid;                        // the two below; not every firmware has them
    uint32_t tx_retries;
    uint32_t rx_no_buffer;
};

// "early", "ones", ...: how the bus fails its proof. "silent", ...
const char *cor_cyw43_bus_fault_name(enum cor_cyw43_bus_fault fault);
const char *cor_cyw43_raw_name(enum cor_cyw43_raw raw);

#ifdef __cplusplus
}
#endif

#endif
