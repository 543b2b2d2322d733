// SPDX-License-Identifier: MIT
// CYW43 state: the memory of the driver in cyw43.h, which the caller owns.
//
// For the driver only: everybody else goes through its functions. About 8 kB: transfers with their
// header blocks, two receive buffers and one control frame; no payload is ever copied in here on
// its way out.
#ifndef CORADIO_CYW43_STATE_H
#define CORADIO_CYW43_STATE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "coradio/bus.h"
#include "coradio/cyw43_config.h"
#include "coradio/cyw43_parts.h"
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
#define COR_CYW43_REPLY_BYTES_MAX 192

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
    uint8_t kind;                       // start, join, leave, a job
    uint8_t phase;
    uint8_t tries;
    bool cancelled;  // ends with the running step
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
    uint64_t now_us;        // of the running poll
    uint64_t power_due_us;  // the power stays off until then
    uint8_t address[6];
    bool start_failed;  // it stays off longer before the next try
    bool frames_on;     // the firmware is up: frames may be read and sent

    // Transfers; op_order names them, oldest first. The first op_issued are in the bus's queue.
    uint32_t window;  // backplane window set, UINT32_MAX: unknown
    struct cor_cyw43_op ops[COR_CYW43_OPS];
    uint64_t progress_us;  // last completion, or start out of idleness
    uint8_t op_order[COR_CYW43_OPS];
    uint8_t op_used;  // one bit each
    uint8_t op_count;
    uint8_t op_issued;
    uint8_t tx_data_ops;  // data frames among them
    uint8_t tx_data_issued;
    bool bus_failed;     // the bus refused a transfer
    bool words_swapped;  // the port is in its 16-bit mode

    // What the last valid status word said, and what is done about it.
    bool clearing;  // the chip's error record is being cleared
    uint32_t status;
    uint8_t line_empty;
    bool line_asked;
    bool check_line;  // the line called when the bus was checked last
    bool status_reading;
    uint8_t rx_left_reads;
    uint64_t status_us;
    uint64_t status_due_us;  // read the status then, 0: no need
    uint64_t clear_due_us;
    uint64_t line_muted_until_us;
    uint64_t not_ready_backoff_us;
    uint64_t dead_since_us;  // first of a run of dead status words, 0: none
    bool rx_reading;         // the read of a frame is among the ops
    bool rx_resyncing;       // the frame at the chip's head is being dropped
    bool resync_due;
    uint8_t rx_left;
    uint8_t rx_next;
    uint8_t rx_sequence;
    bool rx_sequence_known;

    // Credit: sequence numbers modulo 256.
    bool credit_short;
    uint64_t credit_since_us;
    uint8_t tx_sequence;
    uint8_t tx_max;
    uint8_t flow_mask;
    uint8_t credit_backs;  // values in a row that went back

    // Requests and images.
    alignas(4) uint8_t trailer[4];
    struct cor_cyw43_control control;
    struct cor_cyw43_script script;
    struct cor_cyw43_load load;
    uint32_t clm_offset;

    struct cor_cyw43_proof proof;
    struct cor_cyw43_jobs jobs;
    struct cor_cyw43_scanning scan;
    struct cor_cyw43_kept kept;
    struct cor_cyw43_console console;
    struct cor_cyw43_ladder ladder;
    struct cor_cyw43_joining join;
    struct cor_cyw43_link link;
    uint64_t raw_before;  // frames outside of a network before monitor mode was probed
    bool groups_differ;   // the filter is not what was asked for
    bool polling;         // inside poll()
    bool stop_due;        // asked for from a hook

    // Chronograph.
    enum cor_meter_state blocked;  // what keeps the next frame from being queued
    enum cor_meter_state blocked_before;
    uint64_t enter_us;
    uint64_t freed_us;     // when what kept it went away, UINT64_MAX: not in this poll
    uint64_t rx_data_us;   // last data frame received
    uint64_t clocked_us;   // last clock of the last transfer that is complete
    uint64_t dry_us;       // when the bus has clocked what was queued before this poll's frames
    uint64_t bit_ps;       // a clock of the bus
    uint32_t pulled;       // frames this poll has queued
    uint32_t handed;       // of these, handed to the bus
    uint32_t pulled_bits;  // of the bus, for them

    alignas(4) uint8_t rx[COR_CYW43_RX_BUFFERS][COR_CYW43_RX_BYTES_MAX];
};

#ifdef __cplusplus
}
#endif

#endif
