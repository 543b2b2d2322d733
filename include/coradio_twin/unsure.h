// SPDX-License-Identifier: MIT
// Unsure: the twin's constants that nobody has told us, by name, with the range they may lie in.
//
// Each is marked UNSURE: in the table of its part, with its source and its range; this is the list
// that lets a run take other values, to see what hangs on them. Other values change the model: a
// figure made with them is a figure of another twin. What is not listed cannot be seen from a
// board's report (power), or is set by the host in every run.
#ifndef CORADIO_TWIN_UNSURE_H
#define CORADIO_TWIN_UNSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// part, name, what it is. The unit ends the name; costs are in thousandths of an instruction.
// clang-format off
#define TWIN_UNSURES(X)                                                                            \
    X(board, cycles_per_kilo_instruction, "cycles that 1000 instructions take")                    \
    X(board, interrupt_cost,      "entry, handler and return of an interrupt")                     \
    X(board, poll_cost,           "a poll that finds nothing to do")                               \
    X(board, setup_queued_cost,   "giving a transfer to the queued engine")                        \
    X(board, setup_serial_cost,   "giving a transfer to the serial engine")                        \
    X(board, segment_cost,        "building and sending a segment")                                \
    X(board, ack_cost,            "taking a received frame in")                                    \
    X(board, control_frame_cost,  "a frame off the fast path")                                     \
    X(board, gap_cycles,          "system clocks between two queued transfers")                    \
    X(chip,  credit_window,       "frames the chip takes in advance")                              \
    X(chip,  frame_ns,            "time inside the chip for each frame, one after the other")      \
    X(chip,  rx_fifo_frames,      "frames the chip holds towards the host")                        \
    X(chip,  credit_low,          "credit left at which a frame goes only to carry more")          \
    X(chip,  credit_hold_ns,      "longest time that more credit is kept back")                    \
    X(chip,  ioctl_ns,            "time the chip takes to answer a control request")               \
    X(chip,  alp_ns,              "from asking for the ALP clock to having it")                    \
    X(chip,  retries_max,         "attempts of the chip's MAC beyond the first")                   \
    X(air,   ack_timeout_ns,      "wait for a response that does not come")                        \
    X(air,   response_dbps,       "bits in a symbol of ACKs and BlockAcks: 24, 48, 96 for 6, 12, " \
                                  "24 Mbit/s")                                                     \
    X(air,   dsss_bit_ns,         "bit of the lowest basic rate, of beacons")                      \
    X(air,   beacon_bytes,        "length of a beacon")                                            \
    X(air,   queue_frames,        "frames the access point holds towards the board")               \
    X(ap,    ampdu,               "frames the access point puts in one aggregate")                 \
    X(ap,    scan_channel_ns,     "time on a channel of a scan")                                   \
    X(ap,    auth_ns,             "authentication")                                                \
    X(ap,    assoc_ns,            "association")                                                   \
    X(ap,    handshake_ns,        "the exchange of keys of WPA2")                                  \
    X(ap,    sae_ns,              "the exchange of WPA3 before it")
// clang-format on

struct twin_unsure {
#define X(part, name, text) uint64_t part##_##name;
    TWIN_UNSURES(X)
#undef X
};

// What stands in the tables.
struct twin_unsure_row {
    const char *name;  // "chip.credit_window"
    const char *text;
    uint64_t value;  // that the twin takes
    uint64_t low;    // range it may lie in
    uint64_t high;
};

size_t twin_unsure_count(void);
const struct twin_unsure_row *twin_unsure_row(size_t index);
// The row of that name; twin_unsure_count() when there is none.
size_t twin_unsure_find(const char *name);

void twin_unsure_init(struct twin_unsure *unsure);
uint64_t twin_unsure_get(const struct twin_unsure *unsure, size_t index);
// False: outside of the row's range; nothing is changed.
bool twin_unsure_set(struct twin_unsure *unsure, size_t index, uint64_t value);

struct twin_sim;
// The values a world is built with: to be set before its parts are made. Never set, it holds those
// of the tables. It is copied.
void twin_sim_set_unsure(struct twin_sim *sim, const struct twin_unsure *unsure);
const struct twin_unsure *twin_sim_unsure(const struct twin_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
