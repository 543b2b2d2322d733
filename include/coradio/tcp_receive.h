// SPDX-License-Identifier: MIT
// TCP receive: what the application reads, and what a connection tells it.
//
// With a receive ring (cor_tcp_config) data waits there until it is read: cor_tcp_receive_buf()
// shows what has arrived in order, cor_tcp_receive_ack() gives the room back. What arrives out of
// order lies in the same ring, at its place, so that a lost segment costs one retransmission. The
// window offered is the free part of the ring; it never shrinks and does not open in small steps.
// Without a ring a callback gets each piece where it lies in the frame, and nothing is kept out of
// order. RFC 9293 3.8.6, 2018, 2883, 7323 (window scale).
#ifndef CORADIO_TCP_RECEIVE_H
#define CORADIO_TCP_RECEIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs of data kept out of order; more are dropped and sent again.
#define COR_TCP_RANGES 8
// A window is scaled by 14 bits at most (RFC 7323 2.3).
#define COR_TCP_RECEIVE_RING_BYTES_MAX 0x3FFFC000U

struct cor_tcp;

// What has happened since the last call or look, or-ed.
enum cor_tcp_event {
    COR_TCP_EVENT_OPENED = 1,       // the handshake is complete
    COR_TCP_EVENT_READABLE = 2,     // data arrived in order
    COR_TCP_EVENT_WRITABLE = 4,     // room in the send ring became free
    COR_TCP_EVENT_PEER_CLOSED = 8,  // the peer sends no more; what it sent can still be read
    COR_TCP_EVENT_URGENT = 16,      // the urgent pointer moved on: cor_tcp_urgent_bytes()
    COR_TCP_EVENT_CLOSED = 32,      // it is over: cor_tcp_error() says how
    COR_TCP_EVENT_SOFT_ERROR = 64,  // the network reports trouble; the connection goes on trying
};

// Called from cor_net_poll(), never from within another call, so that everything may be done from
// here, cor_tcp_release() included.
typedef void (*cor_tcp_event_fn)(void *context, struct cor_tcp *tcp, uint32_t events);

// A run of sequence numbers, right not included. Private to the stack.
struct cor_tcp_range {
    uint32_t left;
    uint32_t right;
};

// The receiving half of a connection. Private to the stack.
struct cor_tcp_receive {
    uint32_t read_seq;   // the first byte the application has not read
    uint32_t head;       // where it is in the ring
    uint32_t announced;  // right edge of the window, as last told
    uint32_t fin_seq;
    uint32_t urgent_seq;                          // the first byte that is not urgent
    struct cor_tcp_range ranges[COR_TCP_RANGES];  // out of order, the latest first
    struct cor_tcp_range repeated;                // received twice, to be told (RFC 2883)
    uint8_t range_count;
    uint8_t shift;         // of the window we tell
    uint8_t reopen_tries;  // the open window was told so often in vain
    uint8_t keepalives;    // unanswered
    uint8_t events;
    bool fin_known;    // fin_seq is where the peer's FIN stands
    bool fin_taken;    // and everything before it has arrived
    bool closed;       // the window told last was none
    bool deaf;         // the application reads no more
    bool is_repeated;  // `repeated` is to be told
    bool urgent;       // urgent_seq has been heard
    bool keepalive_due;
    uint64_t reopen_us;     // when the open window is told again
    uint64_t heard_us;      // when a segment was received last
    uint64_t keepalive_us;  // when the last keep-alive was sent
};

// Shows the contiguous bytes at *data that wait to be read; they stay until cor_tcp_receive_ack(),
// and more may be there at the next call. Returns how many; 0 while there are none; COR_E_CLOSED
// after the last byte of a peer that has closed; the sticky error after the last byte of a
// connection that broke; COR_E_STATE: it has no receive ring.
COR_MUST_CHECK int32_t cor_tcp_receive_buf(struct cor_tcp *tcp, const uint8_t **data);

// Gives the room of the first used_bytes shown back. A window that was closed is opened at once.
void cor_tcp_receive_ack(struct cor_tcp *tcp, uint32_t used_bytes, uint64_t now_us);

// Copies up to size_bytes. Returns how many, or a status as cor_tcp_receive_buf().
COR_MUST_CHECK int32_t
cor_tcp_read(struct cor_tcp *tcp, uint8_t *into, uint32_t size_bytes, uint64_t now_us);

// In order, and not read.
uint32_t cor_tcp_readable_bytes(const struct cor_tcp *tcp);
// How many of the bytes to come are urgent: the data up to there is in line (RFC 9293 3.8.5). 0:
// none.
uint32_t cor_tcp_urgent_bytes(const struct cor_tcp *tcp);

// For an application without a callback: what has happened since the last call.
uint32_t cor_tcp_take_events(struct cor_tcp *tcp);

#ifdef __cplusplus
}
#endif

#endif
