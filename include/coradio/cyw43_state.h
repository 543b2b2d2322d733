// SPDX-License-Identifier: MIT
// CYW43 state: the memory of the driver in cyw43.h, which the caller owns.
//
// Config, counters and effective settings are for everybody; the rest of the struct is the
// driver's own. About 7 kB: transfers with their header blocks, two receive buffers and one
// control frame; no payload is ever copied in here on its way out.
#ifndef CORADIO_CYW43_STATE_H
#define CORADIO_CYW43_STATE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "coradio/bus.h"
#include "coradio/frame.h"
#include "coradio/meter.h"
#include "coradio/radio.h"
#include "coradio/span.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Transfers the driver holds, queued on the bus or waiting for room there.
#define COR_CYW43_OPS 8
// Command and headers in front of the Ethernet frame: 4 + SDPCM 12 + pad 2 + BDC 4.
#define COR_CYW43_LEAD_BYTES 22
// The block of a transfer: lead and the source's headers, or command and a backplane block.
#define COR_CYW43_BLOCK_BYTES 120
#define COR_CYW43_RX_BUFFERS  2
// Largest frame read from the chip: 22 + 1514 rounded up with room for longer leads.
#define COR_CYW43_RX_BYTES_MAX 1600
// Largest value of a control request: "clmload", its header and a chunk of the CLM.
#define COR_CYW43_CONTROL_BYTES_MAX 540
// What is kept of a reply.
#define COR_CYW43_REPLY_BYTES_MAX 64

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

// One transfer: command and headers in block, room for what is read from F0 or F1 behind them.
struct cor_cyw43_op {
    struct cor_bus_xfer xfer;
    alignas(4) uint8_t block[COR_CYW43_BLOCK_BYTES];
    uint32_t token;        // of the frame source
    uint16_t frame_bytes;  // Ethernet bytes sent, or bytes of the frame read
    uint8_t kind;
    uint8_t rx_buffer;
};

// One request to the firmware at a time.
struct cor_cyw43_control {
    alignas(4) uint8_t frame[4 + 12 + 16 + COR_CYW43_CONTROL_BYTES_MAX];
    uint8_t reply[COR_CYW43_REPLY_BYTES_MAX];
    uint16_t reply_bytes;
    uint16_t command;
    uint16_t id;
    uint16_t value_bytes;
    uint16_t frame_bytes;
    int32_t chip_status;
    uint64_t deadline_us;
    uint8_t phase;
    uint8_t tries;
    bool set;
};

struct cor_cyw43_step;

// Where a start, a join or a leave has got to: a table of steps, run from poll().
struct cor_cyw43_script {
    const struct cor_cyw43_step *step;  // NULL: none runs
    uint64_t due_us;                    // the step does nothing before
    uint64_t deadline_us;               // the step has failed after
    uint32_t value;                     // of the register read
    uint8_t phase;
    uint8_t tries;
};

struct cor_cyw43_load {
    struct cor_span image;
    uint32_t address;
    uint32_t queued_bytes;
    uint32_t done_bytes;
    uint8_t phase;
    uint8_t failures;
    uint8_t rewrites;
};

struct cor_cyw43 {
    struct cor_cyw43_config config;
    struct cor_cyw43_counters counters;
    struct cor_cyw43_effective effective;
    enum cor_radio_state state;
    enum cor_status error;
    uint8_t address[6];
    uint64_t now_us;  // of the running poll

    // Transfers, oldest first; the first `issued` of them are in the bus's queue.
    struct cor_cyw43_op ops[COR_CYW43_OPS];
    uint8_t op_head;
    uint8_t op_count;
    uint8_t op_issued;
    uint8_t tx_data_ops;   // data frames among them
    bool bus_failed;       // the bus refused a transfer
    uint64_t progress_us;  // last completion, or start out of idleness
    bool words_swapped;    // the port is in its 16-bit mode
    uint32_t window;       // backplane window set, UINT32_MAX: unknown

    // What the last valid status word said.
    uint32_t status;
    uint64_t status_us;
    bool rx_reading;    // the read of a frame is among the ops
    bool rx_resyncing;  // the frame at the chip's head is being dropped
    bool status_reading;
    bool resync_due;
    uint8_t rx_left_reads;
    uint8_t rx_left;
    uint64_t status_due_us;  // read the status then, 0: no need
    bool clearing;           // the chip's error record is being cleared
    uint64_t clear_due_us;
    uint8_t rx_next;
    uint8_t rx_sequence;
    bool rx_sequence_known;
    uint8_t line_empty;
    bool line_asked;
    uint64_t line_muted_until_us;
    uint64_t not_ready_backoff_us;
    uint64_t dead_since_us;  // first of a run of dead status words, 0: none

    // Credit: sequence numbers modulo 256.
    uint8_t tx_sequence;
    uint8_t tx_max;
    uint8_t flow_mask;
    bool credit_short;
    uint64_t credit_since_us;

    struct cor_cyw43_control control;
    struct cor_cyw43_script script;
    struct cor_cyw43_load load;
    uint32_t clm_offset;
    alignas(4) uint8_t trailer[4];
    bool start_failed;  // the power stays off longer before the next try
    uint64_t power_due_us;
    bool frames_on;  // the firmware is up: frames may be read and sent

    // Join.
    char ssid[COR_SSID_BYTES_MAX + 1];
    char key[COR_KEY_BYTES_MAX + 1];
    enum cor_auth auth;
    bool link_up;
    bool ssid_set;
    bool keyed;
    bool associated;
    bool leaving;                 // the join has failed, the chip is told to stop trying
    enum cor_status join_result;  // COR_OK: not decided
    enum cor_status join_hint;    // what the result will be if the chip ends the attempt now

    // Chronograph.
    enum cor_meter_state blocked;  // what keeps the next frame from being queued
    enum cor_meter_state blocked_before;
    uint64_t enter_us;
    bool pulled;          // this poll has queued frames
    uint64_t freed_us;    // when what kept it went away, UINT64_MAX: not in this poll
    uint64_t rx_data_us;  // last data frame received

    alignas(4) uint8_t rx[COR_CYW43_RX_BUFFERS][COR_CYW43_RX_BYTES_MAX];
};

#ifdef __cplusplus
}
#endif

#endif
