// SPDX-License-Identifier: MIT
// CYW43 counters: what the driver in cyw43.h counts, and what it tells without being asked.
#ifndef CORADIO_CYW43_COUNTERS_H
#define CORADIO_CYW43_COUNTERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    X(line_missed,        "1",  "times a frame waited and the line had not called")            \
    X(bus_checks,         "1",  "reads of the test register to see whether the bus works")     \
    X(bus_checks_bad,     "1",  "of them, those that did not read the pattern")                \
    X(bus_errors,         "1",  "transfers that ended in COR_E_BUS")                           \
    X(bus_timeouts,       "1",  "times the bus completed nothing for 100 ms")                  \
    X(bus_fallbacks,      "1",  "other samplings or rates tried because the proof failed")     \
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
    X(join_retries,       "1",  "attempts repeated inside a join")                             \
    X(rejoins,            "1",  "joins begun by the driver itself")                            \
    X(links_lost,         "1",  "times the link went down by itself")                          \
    X(liveness_checks,    "1",  "times the chip was asked whether it is still in the network")  \
    X(scans,              "1",  "scans begun")                                                 \
    X(scan_bad,           "1",  "scan results that were none")                                 \
    X(stalls,             "1",  "first rung: the chip took nothing for 1 s")                   \
    X(flushes,            "1",  "second rung: stream resynchronised, error record cleared")    \
    X(rebuilds,           "1",  "third rung: power cycle and everything anew")                 \
    X(recoveries,         "1",  "rebuilds that ended ready")                                   \
    X(log_bytes,          "B",  "bytes of the chip's console that were read")

// What the driver tells as it happens.
// name, level (1 error, 2 warning, 3 information), text; %d is the value
#define COR_CYW43_NOTICES(X)                                                                   \
    X(bus_fault,     2, "the bus failed its proof, fault class %d")                            \
    X(bus_slower,    2, "the bus now runs at %d Hz")                                           \
    X(bus_dead,      1, "the bus reads nothing that can be true, fault class %d")              \
    X(ready,         3, "the chip is up")                                                      \
    X(joined,        3, "joined")                                                              \
    X(join_failed,   2, "a join failed with status %d")                                        \
    X(waiting,       3, "the next attempt comes in %d ms")                                     \
    X(link_down,     2, "the link is down, cause %d")                                          \
    X(stall,         2, "the chip has taken nothing for %d ms")                                \
    X(stall_over,    3, "it takes frames again after %d ms")                                   \
    X(flush,         2, "stream resynchronised, after %d ms")                                  \
    X(rebuild,       1, "the chip is started anew because of status %d")                       \
    X(rebuilt,       3, "the chip is up again, attempt %d")                                    \
    X(start_failed,  1, "a start failed with status %d")
// clang-format on

struct cor_cyw43_counters {
#define X(name, unit, text) uint64_t name;
    COR_CYW43_COUNTERS(X)
#undef X
};

enum cor_cyw43_notice {
#define X(name, level, text) COR_CYW43_NOTICE_##name,
    COR_CYW43_NOTICES(X)
#undef X
        COR_CYW43_NOTICE_COUNT,
};

// The name of a counter by its place in COR_CYW43_COUNTERS, NULL past the end.
const char *cor_cyw43_counter_name(uint32_t index);
// "stall", ...; its text with one %d; 1 to 3.
const char *cor_cyw43_notice_name(enum cor_cyw43_notice notice);
const char *cor_cyw43_notice_text(enum cor_cyw43_notice notice);
uint8_t cor_cyw43_notice_level(enum cor_cyw43_notice notice);

#ifdef __cplusplus
}
#endif

#endif
