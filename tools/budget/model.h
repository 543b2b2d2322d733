// SPDX-License-Identifier: MIT
// Model: from a description of board, radio and connection to the limit of each stage.
//
// A stage is a place where each segment takes time. Stages that work at the same time limit by the
// longest of them; stages that wait for each other by the sum. Neither multiplies percentages.
#ifndef TOOLS_BUDGET_MODEL_H
#define TOOLS_BUDGET_MODEL_H

#include "budget/airtime.h"
#include "budget/board.h"
#include "budget/bus.h"
#include "budget/terms.h"

#include <stdbool.h>
#include <stdint.h>

enum budget_app { BUDGET_TCP, BUDGET_UDP };

enum budget_pm { BUDGET_PM_NONE, BUDGET_PM_PERFORMANCE, BUDGET_PM_AGGRESSIVE };

enum budget_stage {
    BUDGET_SOURCE,
    BUDGET_WINDOW,
    BUDGET_CPU,
    BUDGET_BUS,
    BUDGET_COPROCESSOR,
    BUDGET_AIR,
    BUDGET_STAGES,
};

struct budget {
    const struct budget_board *board;
    enum budget_app app;
    enum budget_stack stack;
    enum budget_engine engine;
    struct budget_wire wire;
    uint32_t credit_every;
    // Air.
    struct airtime air;
    uint32_t ampdu;
    uint32_t ap_ampdu;
    bool backoff_overlaps;
    // Connection.
    uint32_t mss;
    uint32_t datagram_bytes;  // payload of a UDP datagram
    bool timestamps;          // 12 of the MSS go into TCP's option
    uint32_t ack_every;
    double send_buffer;  // bytes
    double peer_window;
    double rtt_us;
    enum budget_pm pm;
    uint32_t wake_beacons;  // beacons between two wake-ups
    double sleep_after_us;  // silence before the radio sleeps, with BUDGET_PM_PERFORMANCE
    // Processor, co-processor, source.
    double cpu_mhz;
    double segment_us;  // in place of the stack's count; 0: that
    double chip_frame_us;
    const char *chip_source;
    double source_bps;  // 0: no limit
    // Other users of the SDIO channel, ESP-Hosted only.
    double rpc_rate;      // requests a second
    double capture_rate;  // captured frames a second
    uint32_t capture_bytes;
};

struct budget_limit {
    double us;   // for one segment or datagram; 0: this stage does not exist
    double bps;  // goodput if nothing else took time
    struct budget_terms terms;
};

struct budget_result {
    uint32_t payload_bytes;
    struct budget_limit stages[BUDGET_STAGES];
    struct airtime_cost air;
    double path_us;  // stages in series on the way to the radio: bus, co-processor, processor
    bool cpu_in_path;
    double pipelined_us;  // the longest of all stages
    double serial_us;     // the sum of all stages that work on a segment
    double us;            // what this engine allows: path and the other stages side by side
    double pipelined_bps;
    double serial_bps;
    double bps;
    enum budget_stage binds;  // the stage that holds `us`; within the path its longest
    bool path_binds;          // `us` is that of the path
    enum budget_stage next;   // the stage (or the path) that would hold if `binds` vanished
    double next_bps;
};

// A description with the board's and its stack's defaults.
void budget_init(struct budget *budget, const struct budget_board *board);
// Changes the stack and what comes with it: engine, bus sequence, send buffer.
void budget_set_stack(struct budget *budget, enum budget_stack stack);

// Connects the co-processor another way: clock, lines and what its software adds to a frame. Only
// for boards with ESP-Hosted.
void budget_set_transport(struct budget *budget, const struct budget_transport *transport);

// NULL, or what cannot be.
const char *budget_check(const struct budget *budget);

void budget_evaluate(
    const struct budget *budget, enum budget_app app, struct budget_result *result);

// Goodput of budget->app, with nothing else kept.
double budget_bps(const struct budget *budget);

// What a measured goodput says about the stages.
enum budget_verdict {
    BUDGET_ABOVE,        // faster than the bound: a condition is not as described
    BUDGET_FULL,         // within 5 % of the bound: the stage that binds is full
    BUDGET_PIPELINED,    // most of the time overlaps, the rest is lost somewhere
    BUDGET_SERIALISED,   // less than half of what could overlap does
    BUDGET_UNEXPLAINED,  // slower than the sum of all stages: time passes outside of them
};

struct budget_measured {
    double bps;
    double us;                       // for one segment
    double overlap;                  // 0: nothing overlaps, 1: as much as can
    double busy[BUDGET_STAGES];      // share of the time that a stage works; the window: its use
    double alone_us[BUDGET_STAGES];  // at least so much of a stage's time passed with no other
    double outside_us;               // beyond the sum of all stages
    enum budget_stage binds;         // the stage with the most time alone
    enum budget_verdict verdict;
};

void budget_measure(
    const struct budget_result *result, double bps, struct budget_measured *measured);

// Mean size of an A-MPDU at which the air alone would give this goodput.
double budget_mean_ampdu(const struct budget *budget, enum budget_app app, double bps);

const char *budget_verdict_name(enum budget_verdict verdict);
const char *budget_stage_name(enum budget_stage stage);
const char *budget_app_name(enum budget_app app);
const char *budget_pm_name(enum budget_pm pm);

#endif
