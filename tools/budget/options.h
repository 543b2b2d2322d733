// SPDX-License-Identifier: MIT
// Options of `coradio budget`: the command line, and the description that it makes.
#ifndef TOOLS_BUDGET_OPTIONS_H
#define TOOLS_BUDGET_OPTIONS_H

#include "budget/model.h"

#include <stdbool.h>
#include <stdint.h>

enum budget_page {
    BUDGET_PAGE_BUDGET,
    BUDGET_PAGE_BOARDS,
    BUDGET_PAGE_TRANSPORTS,
    BUDGET_PAGE_CASCADE,
    BUDGET_PAGE_FEATURES,
    BUDGET_PAGE_OVERHEAD,
    BUDGET_PAGE_ADVISE,
};

// As written; the members with _given keep the preset when they were not.
struct budget_arguments {
    const char *board;
    int app;
    int stack;
    bool stack_given;
    int engine;
    bool engine_given;
    // Bus.
    int bus;
    bool bus_given;
    double bus_mhz;
    bool bus_mhz_given;
    uint64_t bus_width;
    bool bus_width_given;
    int status;
    bool status_given;
    int sdio_mode;
    bool sdio_mode_given;
    double gap_us;
    uint64_t credit_every;
    bool credit_every_given;
    // Air.
    int phy;
    bool phy_given;
    uint64_t mcs;
    bool mcs_given;
    double rate_mbps;
    bool rate_given;
    int gi;
    int auth;
    uint64_t ampdu;
    bool ampdu_given;
    uint64_t ap_ampdu;
    bool ap_ampdu_given;
    uint64_t amsdu;
    uint64_t response;
    bool response_given;
    int protection;
    int access;
    bool short_preamble;
    bool backoff_overlaps;
    double loss;
    double air_busy;
    // Connection.
    uint64_t mss;
    bool mss_given;
    uint64_t payload_bytes;
    bool timestamps;
    uint64_t ack_every;
    uint64_t send_buffer;
    bool send_buffer_given;
    uint64_t peer_window;
    uint64_t rtt_ns;
    bool rtt_given;
    int pm;
    uint64_t dtim;
    uint64_t listen;
    uint64_t sleep_after_ns;
    // Processor, co-processor, source.
    double cpu_mhz;
    bool cpu_mhz_given;
    double segment_us;
    double chip_frame_us;
    bool chip_frame_given;
    uint64_t source_bps;
    double rpc_rate;
    double capture_rate;
    uint64_t capture_bytes;
    // What to print.
    uint64_t measured_bps;
    bool boards;
    bool transports;
    bool cascade;
    const char *features;
    bool overhead;
    bool advise;
    bool sources;
    const char *json;
    enum budget_page page;
};

// Reads the command line and makes the description. Returns OPTIONS_GO_ON or an exit code; a
// mistake has been told in one line.
int budget_options_parse(
    int argc, char **argv, struct budget_arguments *arguments, struct budget *budget);

#endif
