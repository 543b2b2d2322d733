// SPDX-License-Identifier: MIT
// TCP block: the structs of a connection, which the caller owns. Use them through tcp.h; the
// members of struct cor_tcp are shown only so that the compiler knows its size.
#ifndef CORADIO_TCP_BLOCK_H
#define CORADIO_TCP_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/status.h"
#include "coradio/tcp_congestion.h"
#include "coradio/tcp_counters.h"
#include "coradio/tcp_loss.h"
#include "coradio/tcp_receive.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fewest descriptors that make progress in every case.
#define COR_TCP_SEGMENTS_MIN 4
// Ring offsets are kept in words of 4 bytes, in 16 bits.
#define COR_TCP_RING_BYTES_MAX 262140U
// Descriptors that fill a ring with full segments, with a few for short ones.
#define COR_TCP_SEGMENTS_FOR(ring_bytes) ((ring_bytes) / 1460 + 8)

// RFC 9293 3.3.2. name, text
// clang-format off
#define COR_TCP_STATES(X)                                                      \
    X(CLOSED,       "closed")                                                  \
    X(SYN_SENT,     "syn_sent")                                                \
    X(SYN_RECEIVED, "syn_received")                                            \
    X(ESTABLISHED,  "established")                                             \
    X(FIN_WAIT_1,   "fin_wait_1")                                              \
    X(FIN_WAIT_2,   "fin_wait_2")                                              \
    X(CLOSE_WAIT,   "close_wait")                                              \
    X(CLOSING,      "closing")                                                 \
    X(LAST_ACK,     "last_ack")                                                \
    X(TIME_WAIT,    "time_wait")
// clang-format on

enum cor_tcp_state {
#define X(name, text) COR_TCP_##name,
    COR_TCP_STATES(X)
#undef X
        COR_TCP_STATE_COUNT,
};

// Payload received in order; valid during the call only.
typedef void (*cor_tcp_receive_fn)(void *context, const uint8_t *data, uint32_t size_bytes);

// One segment of the ring.
struct cor_tcp_segment {
    uint32_t seq;
    uint32_t sent_us;       // when it was pulled last, low half of the time
    uint16_t size_bytes;    // payload
    uint16_t offset_words;  // where it starts in the ring
    uint16_t sum;           // of the payload, see checksum.h
    uint8_t flags;
    uint8_t queued;  // how many of its frames are in the queue of the bus
};

// RFC 7323. Off is the default: round trips are measured without, and a path below 70 Mbit/s has
// no old duplicates to fear.
enum cor_tcp_timestamps {
    COR_TCP_TIMESTAMPS_OFF,
    COR_TCP_TIMESTAMPS_ACCEPT,  // if the peer offers them
    COR_TCP_TIMESTAMPS_OFFER,
};

struct cor_tcp_config {
    uint8_t *ring;        // 4-aligned
    uint32_t ring_bytes;  // a multiple of 4, two full segments at least
    struct cor_tcp_segment *segments;
    uint16_t segment_count;         // see COR_TCP_SEGMENTS_FOR
    uint16_t mss_bytes;             // largest segment sent and asked for; 0: what the MTU allows
    uint16_t receive_window_bytes;  // offered to the peer; 0: 5840
    bool nagle_off;                 // send a short segment although others are not acknowledged
    bool rto_strict;                // RTO of 1 s at least (RFC 6298 2.4) in place of 200 ms
    bool sack_off;                  // do not offer SACK
    uint8_t ttl;                    // time to live; 0: 64
    uint8_t dscp;                   // differentiated services code point, 0..63
    uint64_t user_timeout_us;       // give up when nothing is acknowledged; 0: 100 s
    uint64_t connect_timeout_us;    // give up an unanswered SYN; 0: 180 s (RFC 9293 MUST-23)
    uint64_t segment_lifetime_us;   // MSL; TIME_WAIT lasts two of them; 0: 30 s
    uint64_t fin_wait_us;           // bound of a silent FIN_WAIT_2; 0: 60 s
    cor_tcp_receive_fn receive;     // NULL: payload is discarded, acknowledged and counted
    void *context;                  // of receive and event
    // Receiving into a ring (tcp_receive.h); receive and receive_window_bytes are then not used.
    uint8_t *receive_ring;  // NULL: none
    uint32_t receive_ring_bytes;
    uint8_t ack_segments;        // acknowledge every so many segments at once; 0: 2
    bool keepalive;              // probe a silent peer (RFC 9293 3.8.4)
    uint16_t keepalive_count;    // probes without an answer that end the connection; 0: 9
    uint64_t keepalive_idle_us;  // silence before the first; 0: 2 hours
    uint64_t keepalive_gap_us;   // between two; 0: 75 s
    cor_tcp_event_fn event;      // NULL: the application looks by itself
    uint8_t timestamps;          // COR_TCP_TIMESTAMPS_*: 12 bytes of each segment
    const struct cor_tcp_controller *controller;  // of the congestion window; NULL: cor_tcp_reno
};

// Whose a block of a listener is. Private to the stack.
enum cor_tcp_slot {
    COR_TCP_SLOT_FREE,       // the listener's, for the next connection, once it is closed
    COR_TCP_SLOT_HALF_OPEN,  // the handshake is under way
    COR_TCP_SLOT_READY,      // open, not yet accepted
    COR_TCP_SLOT_TAKEN,      // the application's; also every block without a listener
};

struct cor_tcp_listener;

// What is not as in the steady state of a transfer, where all of it is zero: one look tells.
struct cor_tcp_doubt {
    uint16_t kept_count;     // acknowledged, but a frame is still in the queue of the bus
    uint16_t lost_count;     // of those in flight
    uint16_t sacked_count;   // of those in flight
    uint8_t recovery;        // none, fast, after a time-out
    uint8_t duplicates;      // duplicate ACKs in a row
    bool reordering;         // loss_us is the end of the reordering window, not a loss probe's
    bool again_arrived;      // a segment that was sent again has arrived
    bool probe_outstanding;  // a loss probe has not been answered
    bool times_on;           // each segment has timestamps
};

struct cor_tcp {
    struct cor_net_socket socket;
    struct cor_tcp_config config;
    struct cor_tcp_listener *listener;  // NULL: none
    uint32_t slot_order;                // by the age of the connection
    enum cor_tcp_slot slot;
    enum cor_tcp_state state;
    enum cor_status error;
    uint16_t flags;
    uint16_t mss_bytes;        // in use
    uint16_t cut_bytes;        // mss_bytes rounded down to a multiple of 4
    uint16_t window_bytes;     // what we offer without a receive ring
    uint8_t unacked_received;  // segments received since our last ACK
    uint8_t peer_shift;        // RFC 7323
    uint8_t probes;            // window probes in a row, for their growing gaps
    uint8_t syn_tries;
    // Ring: bytes from the oldest descriptor's start to head, skips included.
    uint32_t head_bytes;  // offset where the next byte goes
    uint32_t used_bytes;
    uint32_t lent_bytes;
    // Descriptors, a ring in four runs: kept (acknowledged, but a frame is still in the queue of
    // the bus), in flight, not yet sent, free.
    uint16_t una;   // first in flight
    uint16_t next;  // first not yet sent
    uint16_t end;   // first free
    uint16_t flight_count;
    uint16_t unsent_count;
    uint16_t queued_count;  // frames in the queue of the bus
    // Sequence numbers, RFC 9293 3.3.1.
    uint32_t snd_una;
    uint32_t snd_nxt;
    uint32_t snd_max;  // snd_nxt, or one more after a window probe
    uint32_t snd_end;  // where the next committed byte will be
    uint32_t snd_wnd;
    uint32_t snd_wl1;
    uint32_t snd_wl2;
    uint32_t snd_wnd_max;
    uint32_t rcv_nxt;
    uint32_t iss;
    // Loss recovery.
    struct cor_tcp_doubt doubt;
    uint32_t flight_max_bytes;  // most in flight in this round trip, which ends at flight_mark
    uint32_t flight_mark;
    uint32_t flight_before_bytes;  // the same of the round trip before
    uint32_t pipe_bytes;           // in flight as far as we know
    uint32_t departed_bytes;       // what duplicate ACKs say has left the network (no SACK)
    uint32_t limited_bytes;        // sent under limited transmit
    uint32_t recover;              // RFC 6582
    uint32_t sacked_bytes;         // of those in flight
    uint32_t lost_bytes;           // found lost, in all; wraps
    uint32_t arrived_told;         // snd_una and sacked_bytes before the acknowledgement at hand
    uint32_t lost_told;
    uint32_t sample_us;  // the round trip measured by the acknowledgement at hand; 0: none
    struct cor_tcp_rack rack;
    struct cor_tcp_tlp tlp;
    struct cor_tcp_prr prr;
    struct cor_tcp_undo undo;
    struct cor_tcp_pmtu pmtu;
    struct cor_tcp_times times;
    struct cor_tcp_congestion congestion;
    struct cor_tcp_rtt rtt;
    // Deadlines, COR_NET_NEVER when off.
    uint64_t retransmit_us;  // of data, FIN or SYN; in zero-window probing: the next probe
    uint64_t loss_us;        // of a loss probe, or the end of the reordering window
    uint64_t ack_us;         // delayed ACK
    uint64_t linger_us;      // end of TIME_WAIT or FIN_WAIT_2
    uint64_t progress_us;    // when the peer last took or answered something; for the user time-out
    uint64_t challenged_us;
    uint64_t sent_us;  // last time data went out
    struct cor_tcp_receive receive;
    // Header template: two bytes of padding, then Ethernet, IP, TCP. It is complete but for
    // sequence number, flags and TCP checksum as long as the two numbers behind it stay the same.
    uint32_t template_words[14];
    uint32_t template_bytes;  // of payload; UINT32_MAX: the template is to be completed
    uint32_t template_key;    // what was received, and how far the application had read
    uint32_t template_sum;    // of pseudo header and TCP header as they stand
    uint32_t address_sum;     // of the addresses, and of pseudo header and ports of an
    uint32_t answer_sum;      // acknowledgement by the peer: as words lie in memory
    uint32_t ip_sum;          // of the IP header without its length
    uint32_t tcp_sum;         // of pseudo header and TCP header without length, numbers and payload
    struct cor_tcp_counters counters;
};

#ifdef __cplusplus
}
#endif

#endif
