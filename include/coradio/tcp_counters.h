// SPDX-License-Identifier: MIT
// TCP counters: what a connection counts. Read them by cor_tcp_get_counters() and
// cor_tcp_counter_list().
#ifndef CORADIO_TCP_COUNTERS_H
#define CORADIO_TCP_COUNTERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
// name, unit, what it counts
#define COR_TCP_COUNTERS(X)                                                                       \
    X(segments_sent,        "1", "segments sent, of every kind")                                  \
    X(segments_received,    "1", "segments received")                                             \
    X(acks_sent,            "1", "segments sent that carry nothing but an acknowledgement")       \
    X(acks_fast,            "1", "acknowledgements that took the short path")                     \
    X(bytes_sent,           "B", "payload sent for the first time")                               \
    X(bytes_acked,          "B", "payload acknowledged by the peer")                              \
    X(bytes_retransmitted,  "B", "payload sent again, for every cause")                           \
    X(retransmit_fast,      "1", "segments sent again after duplicate acknowledgements")          \
    X(retransmit_partial,   "1", "segments sent again after a partial acknowledgement")           \
    X(retransmit_sack,      "1", "segments sent again because later ones had arrived")            \
    X(retransmit_rto,       "1", "segments sent again after a time-out")                          \
    X(retransmit_smaller,   "1", "segments sent again in parts: the path takes no larger")        \
    X(retransmit_probe,     "1", "segments sent again as a loss probe (RFC 8985)")                \
    X(retransmit_syn,       "1", "SYN segments sent again")                                       \
    X(retransmit_held,      "1", "retransmissions not done: the frame still waits for the bus") \
    X(timeouts,             "1", "retransmission time-outs")                                      \
    X(recoveries,           "1", "fast recoveries begun")                                         \
    X(loss_probes,          "1", "loss probes sent, of new data or again")                        \
    X(probes_repaired,      "1", "losses that a loss probe has repaired")                         \
    X(dsacks,               "1", "segments that the peer says it received twice")                 \
    X(recoveries_undone,    "1", "recoveries undone: all they sent again was in vain")            \
    X(mtu_shrunk,           "1", "times segments became smaller for the path")                    \
    X(mtu_guessed,          "1", "of these, without an ICMP message")                             \
    X(mtu_doubted,          "1", "ICMP messages about the size not believed, or not yet")         \
    X(mtu_raised,           "1", "times the full size was tried again")                           \
    X(losses_repeated,      "1", "segments lost that were sent again before")                     \
    X(limited_transmits,    "1", "new segments sent on a first or second duplicate (RFC 3042)")   \
    X(dup_acks,             "1", "duplicate acknowledgements received")                           \
    X(sack_blocks,          "1", "SACK blocks received that named something in flight")           \
    X(rtt_samples,          "1", "round-trip times measured")                                     \
    X(idle_restarts,        "1", "congestion windows reset after an idle time (RFC 5681 4.1)")    \
    X(zero_windows,         "1", "times the peer closed its window")                              \
    X(zero_window_probes,   "1", "probes of a closed or too small window")                        \
    X(splits,               "1", "segments cut in two to fit a small window or a lent ring end")  \
    X(summed_bytes,         "B", "payload summed")                                                \
    X(copied_bytes,         "B", "payload copied into the ring by cor_tcp_write()")               \
    X(bytes_received,       "B", "payload received in order")                                     \
    X(bytes_discarded,      "B", "payload received in order that nobody wanted")                  \
    X(drop_out_of_order,    "1", "segments dropped: something before them is missing")            \
    X(kept_out_of_order,    "1", "segments kept in the receive ring until the gap is filled")     \
    X(repeated_bytes,       "B", "payload received that was there already")                       \
    X(windows_closed,       "1", "times we had to close our window")                              \
    X(windows_reopened,     "1", "closed windows opened by the application's reading")            \
    X(windows_told_again,   "1", "open windows told again: nothing came")                         \
    X(acks_on_data,         "1", "acknowledgements due that rode on data")                        \
    X(keepalives,           "1", "keep-alive probes sent")                                        \
    X(drop_out_of_window,   "1", "segments outside the window, answered by an ACK")               \
    X(drop_old_times,       "1", "old duplicates, known by their timestamp (PAWS)")               \
    X(drop_no_times,        "1", "segments without the timestamp that was agreed on")             \
    X(drop_unacceptable,    "1", "segments dropped: ACK flag missing or ACK number impossible")   \
    X(challenge_acks,       "1", "challenge ACKs (RFC 5961)")                                     \
    X(challenges_limited,   "1", "challenge ACKs not sent: one was sent a moment ago")            \
    X(soft_errors,          "1", "ICMP errors about what is in flight that end nothing")          \
    X(resets_received,      "1", "resets that ended the connection")                              \
    X(resets_doubted,       "1", "resets not believed: sequence number not the next")
// clang-format on

struct cor_tcp_counters {
#define X(name, unit, text) uint64_t name;
    COR_TCP_COUNTERS(X)
#undef X
};

#ifdef __cplusplus
}
#endif

#endif
