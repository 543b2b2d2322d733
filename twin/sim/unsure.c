// SPDX-License-Identifier: MIT
// The defaults and ranges are those of the tables of each part.
#include "coradio_twin/unsure.h"

#include "air/table.h"
#include "board/cost_table.h"
#include "cyw43/table.h"
#include "sim/alloc.h"

#include <string.h>

// Value and range of each constant of the list.
// clang-format off
#define UNSURE_board_cycles_per_kilo_instruction                                                   \
    TWIN_COST_CYCLES_PER_KILO_INSTRUCTION, TWIN_COST_CYCLES_RANGE
#define UNSURE_board_interrupt_cost TWIN_COST_MILLI_interrupt, TWIN_COST_RANGE_interrupt
#define UNSURE_board_poll_cost TWIN_COST_MILLI_poll, TWIN_COST_RANGE_poll
#define UNSURE_board_setup_queued_cost TWIN_COST_MILLI_setup_queued, TWIN_COST_RANGE_setup_queued
#define UNSURE_board_setup_serial_cost TWIN_COST_MILLI_setup_serial, TWIN_COST_RANGE_setup_serial
#define UNSURE_board_segment_cost TWIN_COST_MILLI_segment, TWIN_COST_RANGE_segment
#define UNSURE_board_ack_cost TWIN_COST_MILLI_ack, TWIN_COST_RANGE_ack
#define UNSURE_board_control_frame_cost TWIN_COST_MILLI_control_frame, TWIN_COST_RANGE_control_frame
#define UNSURE_board_gap_cycles TWIN_GAP_CYCLES, TWIN_GAP_CYCLES_RANGE
#define UNSURE_chip_credit_window CREDIT_WINDOW, CREDIT_WINDOW_RANGE
#define UNSURE_chip_frame_ns FRAME_NS, FRAME_NS_RANGE
#define UNSURE_chip_rx_fifo_frames RX_FIFO_FRAMES, RX_FIFO_FRAMES_RANGE
#define UNSURE_chip_credit_low CREDIT_LOW, CREDIT_LOW_RANGE
#define UNSURE_chip_credit_hold_ns CREDIT_HOLD_NS, CREDIT_HOLD_NS_RANGE
#define UNSURE_chip_ioctl_ns IOCTL_NS, IOCTL_NS_RANGE
#define UNSURE_chip_alp_ns ALP_NS, ALP_NS_RANGE
#define UNSURE_chip_retries_max RETRIES_MAX, RETRIES_MAX_RANGE
#define UNSURE_air_ack_timeout_ns TWIN_AIR_ACK_TIMEOUT_NS, TWIN_AIR_ACK_TIMEOUT_NS_RANGE
#define UNSURE_air_response_dbps TWIN_AIR_RESPONSE_DBPS, TWIN_AIR_RESPONSE_DBPS_RANGE
#define UNSURE_air_dsss_bit_ns TWIN_AIR_DSSS_BIT_NS, TWIN_AIR_DSSS_BIT_NS_RANGE
#define UNSURE_air_beacon_bytes TWIN_AIR_BEACON_BYTES, TWIN_AIR_BEACON_BYTES_RANGE
#define UNSURE_air_queue_frames TWIN_AIR_QUEUE_FRAMES, TWIN_AIR_QUEUE_FRAMES_RANGE
#define UNSURE_ap_ampdu TWIN_AP_AMPDU, TWIN_AP_AMPDU_RANGE
#define UNSURE_ap_scan_channel_ns TWIN_AP_SCAN_CHANNEL_NS, TWIN_AP_SCAN_CHANNEL_NS_RANGE
#define UNSURE_ap_auth_ns TWIN_AP_AUTH_NS, TWIN_AP_AUTH_NS_RANGE
#define UNSURE_ap_assoc_ns TWIN_AP_ASSOC_NS, TWIN_AP_ASSOC_NS_RANGE
#define UNSURE_ap_handshake_ns TWIN_AP_HANDSHAKE_NS, TWIN_AP_HANDSHAKE_NS_RANGE
#define UNSURE_ap_sae_ns TWIN_AP_SAE_NS, TWIN_AP_SAE_NS_RANGE
#define UNSURE_part name, text
// clang-format on

// In two steps, so that the words above become three numbers.
#define ROW(name, text, ...)    ROW_OF(name, text, __VA_ARGS__)
#define ROW_OF(name, text, ...) {name, text, __VA_ARGS__},

static const struct twin_unsure_row rows[] = {
#define X(part, name, text) ROW(#part "." #name, text, UNSURE_##part##_##name)
    TWIN_UNSURES(X)
#undef X
};

#define COUNT (sizeof(rows) / sizeof(rows[0]))

_Static_assert(sizeof(struct twin_unsure) == COUNT * sizeof(uint64_t), "a number for each row");

size_t twin_unsure_count(void) {
    return COUNT;
}

const struct twin_unsure_row *twin_unsure_row(size_t index) {
    TWIN_CHECK(index < COUNT);
    return &rows[index];
}

size_t twin_unsure_find(const char *name) {
    size_t index = 0;

    while (index < COUNT && strcmp(rows[index].name, name) != 0) {
        index++;
    }
    return index;
}

void twin_unsure_init(struct twin_unsure *unsure) {
    for (size_t i = 0; i < COUNT; i++) {
        (void)twin_unsure_set(unsure, i, rows[i].value);  // each lies in its own range
    }
}

// The struct is a row of numbers in the order of the list.
uint64_t twin_unsure_get(const struct twin_unsure *unsure, size_t index) {
    uint64_t value;

    TWIN_CHECK(index < COUNT);
    memcpy(&value, (const char *)unsure + index * sizeof(value), sizeof(value));
    return value;
}

bool twin_unsure_set(struct twin_unsure *unsure, size_t index, uint64_t value) {
    TWIN_CHECK(index < COUNT);
    if (value < rows[index].low || value > rows[index].high) {
        return false;
    }
    memcpy((char *)unsure + index * sizeof(value), &value, sizeof(value));
    return true;
}
