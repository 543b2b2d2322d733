// SPDX-License-Identifier: MIT
// CYW43 config: what the driver in cyw43.h is given, what it counts, and what the chip's settings
// really are.
#ifndef CORADIO_CYW43_CONFIG_H
#define CORADIO_CYW43_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/bus.h"
#include "coradio/frame.h"
#include "coradio/meter.h"
#include "coradio/radio.h"
#include "coradio/span.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cor_cyw43_config {
    struct cor_bus *bus;
    struct cor_frame_source *frames;
    struct cor_meter *meter;
    struct cor_span firmware, nvram, clm;  // the caller's memory, read during start
    char country[3];                       // two letters and a NUL; "XX" is the world
    int32_t bringup_hz;                    // clock until the settings are made
    int32_t data_hz;                       // clock from then on
    enum cor_pm pm;
    uint8_t listen_beacons;  // wake for every n-th beacon; 0: as pm says
    uint8_t ampdu_window;    // block-ack window; 0: 8
    uint8_t ampdu_mpdu;      // frames in one aggregate; 0: 8
};

// name, unit, what it counts
// clang-format off
#define COR_CYW43_COUNTERS(X)                                                                  \
    X(tx_frames,          "1",  "data frames given to the chip")                               \
    X(tx_bytes,           "B",  "Ethernet bytes in them")                                      \
    X(rx_frames,          "1",  "data frames given to the frame source")                       \
    X(rx_bytes,           "B",  "Ethernet bytes in them")                                      \
    X(rx_events,          "1",  "events of the chip")                                          \
    X(rx_credit_frames,   "1",  "frames that carried nothing but credit")                      \
    X(rx_damaged,         "1",  "frames dropped: header check failed or length impossible")    \
    X(rx_empty,           "1",  "frames dropped: nothing but zeros")                           \
    X(rx_bad_data,        "1",  "frames dropped: data header wrong or too short")              \
    X(rx_bad_event,       "1",  "frames dropped: not an event of this chip")                   \
    X(rx_bad_reply,       "1",  "frames dropped: reply too short")                             \
    X(rx_stale_reply,     "1",  "frames dropped: reply to a request no longer waited for")     \
    X(rx_unknown_channel, "1",  "frames dropped: channel of no known use")                     \
    X(rx_not_joined,      "1",  "frames dropped: data while in no network")                    \
    X(rx_moved,           "1",  "frames moved in memory because their lead was unusual")       \
    X(rx_sequence_gaps,   "1",  "received frames whose number did not follow the last")        \
    X(rx_resyncs,         "1",  "times the chip was told to drop the frame at its head")       \
    X(credit_rejected,    "1",  "credit values that could not be true")                        \
    X(credit_stalls,      "1",  "times sending stopped for want of credit")                    \
    X(credit_timeouts,    "1",  "times no credit came for 100 ms and the status was read")     \
    X(flow_stops,         "1",  "times the chip stopped the data priority by its flow mask")   \
    X(not_ready,          "1",  "status words that said not ready while a frame waited")       \
    X(status_reads,       "1",  "reads of the status register")                                \
    X(status_dead,        "1",  "status words of nothing but ones")                            \
    X(status_errors,      "1",  "status words with an error bit; the chip's record is cleared") \
    X(line_empty,         "1",  "times the line called and nothing waited")                    \
    X(line_muted,         "1",  "times the line was ignored for a while for that reason")      \
    X(bus_errors,         "1",  "transfers that ended in COR_E_BUS")                           \
    X(bus_timeouts,       "1",  "times the bus completed nothing for 100 ms")                  \
    X(control_requests,   "1",  "control requests sent")                                       \
    X(control_timeouts,   "1",  "control requests without a reply in 500 ms")                  \
    X(control_refused,    "1",  "control requests answered with an error status")              \
    X(control_retries,    "1",  "control requests sent again because the chip was busy")       \
    X(settings_differ,    "1",  "settings that read back otherwise than asked")                \
    X(wait_reads,         "1",  "register reads while waiting for the chip to get ready")      \
    X(loaded_bytes,       "B",  "bytes of images written to the chip")                         \
    X(verify_reread,      "1",  "blocks read again because they read back wrong")              \
    X(verify_rewritten,   "1",  "blocks written again because they stayed wrong")              \
    X(starts,             "1",  "times the chip was started")                                  \
    X(joins,              "1",  "times a join succeeded")                                      \
    X(join_failures,      "1",  "times a join failed")                                         \
    X(links_lost,         "1",  "times the link went down by itself")
// clang-format on

struct cor_cyw43_counters {
#define X(name, unit, text) uint64_t name;
    COR_CYW43_COUNTERS(X)
#undef X
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
    uint8_t txglom;   // 0 asked
    char country[3];  // as the chip has it
    bool event_mask_ok;
    int32_t bringup_hz;
    int32_t bus_hz;
    int32_t chip_status;    // last error status of a control request, 0: none yet
    uint16_t chip_command;  // the command that was answered with it
    uint16_t chip_id;       // 0xA9AF
    uint32_t bus_word;      // last word read of the test register
    enum cor_cyw43_bus_fault bus_fault;
};

#ifdef __cplusplus
}
#endif

#endif
