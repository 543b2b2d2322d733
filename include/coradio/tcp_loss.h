// SPDX-License-Identifier: MIT
// TCP loss: the state of a connection that tells what is lost, and how large a segment may be. A
// part of struct cor_tcp, private to the stack.
#ifndef CORADIO_TCP_LOSS_H
#define CORADIO_TCP_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Round-trip time and retransmission time-out, RFC 6298.
struct cor_tcp_rtt {
    uint32_t srtt_us;  // 0: no sample yet
    uint32_t rttvar_us;
    uint32_t rto_us;  // without back-off
    uint32_t floor_us;
    uint32_t min_us;  // the shortest sample; UINT32_MAX before the first
    uint8_t backoff;  // the time-out in force is rto_us * 2^backoff, at most 60 s
};

// RFC 8985 6. Times are the low half of the clock: only those of segments in flight are compared.
struct cor_tcp_rack {
    uint32_t sent_us;  // of the segment sent last of all that have arrived
    uint32_t end_seq;
    uint32_t rtt_us;         // its round trip; 0: none has arrived
    uint32_t farthest;       // the highest sequence number that has arrived
    uint32_t farthest_told;  // and before the acknowledgement at hand
    uint32_t dsack_round;    // one DSACK a round trip widens the window, which ends here
    uint8_t multiplier;      // of the reordering window, less one
    uint8_t persist;         // recoveries until the multiplier is forgotten
    bool reordered;          // the path has been seen to reorder
    bool dsack_open;         // dsack_round holds
};

// RFC 8985 7.
struct cor_tcp_tlp {
    uint32_t end_seq;   // of what was in flight when the probe was sent
    uint32_t samples;   // round trips measured by then
    bool due;           // a probe is to be sent
    bool again;         // it was a segment sent again
    bool acknowledged;  // told by a DSACK: both arrived
};

// RFC 6937.
struct cor_tcp_prr {
    uint32_t arrived_bytes;
    uint32_t flight_bytes;  // at the beginning of recovery
    uint32_t from_seq;      // where new data began then
    uint32_t from_again;    // and what had been sent again, in bytes
    bool halved_again;      // something that was sent again was lost again
};

// What a recovery changed, in case all it sent again turns out to have been in vain.
struct cor_tcp_undo {
    uint32_t window_bytes;  // 0: nothing to undo
    uint32_t threshold_bytes;
    uint32_t from_seq;
    uint16_t again_count;  // segments sent again and not told to have arrived twice
};

// RFC 1191, 4821, 5927.
struct cor_tcp_pmtu {
    uint64_t raise_us;     // when a larger size is tried again; 0: never
    uint64_t acked_bytes;  // payload acknowledged when the size was set
    uint32_t claimed_seq;  // of the segment that claimed_mtu is about
    uint16_t mss_max;      // largest segment by both sides' MSS
    uint16_t whole_bytes;  // payload up to which routers may not cut a packet
    uint16_t claimed_mtu;  // by a doubtful ICMP message, 0: none
    uint8_t guesses;       // made without an ICMP message
};

// RFC 7323.
struct cor_tcp_times {
    uint64_t recent_us;  // when recent_value was received
    uint32_t recent_value;
    uint32_t acked_seq;  // the acknowledgement last sent
    uint32_t echo;       // ours, as it came back last
    bool echoed;
};

#ifdef __cplusplus
}
#endif

#endif
