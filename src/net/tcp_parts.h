// SPDX-License-Identifier: MIT
// TCP parts: what the files of TCP share and nobody else sees.
//
//     tcp.c           begin and end of a connection, what the application reads
//     tcp_ring.c      ring and descriptors
//     tcp_out.c       pull: what may go now
//     tcp_fast.c      plain acknowledgements
//     tcp_in.c        segments received: states
//     tcp_receive.c   the receive ring, the window we offer, SACK blocks
//     tcp_listen.c    connections others open
//     tcp_wait.c      TIME_WAIT without a block
//     tcp_ack.c       acknowledgements
//     tcp_recovery.c  duplicates, SACK, time-outs: what is lost
//     tcp_rack.c      what is lost, by the time it was sent
//     tcp_tlp.c       loss probes
//     tcp_pmtu.c      the size of segments
//     tcp_timestamps.c  the option of RFC 7323
//     tcp_icmp.c      ICMP errors about segments
//     tcp_timer.c     deadlines
#ifndef CORADIO_TCP_PARTS_H
#define CORADIO_TCP_PARTS_H

#include "net/net_parts.h"
#include "wire/tcp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "coradio/tcp.h"
#include "coradio/tcp_listen.h"

// struct cor_tcp, flags.
enum cor_tcp_flag {
    COR_TCP_RESOLVED = 1,       // the next hop's hardware address is in the template
    COR_TCP_SYN_DUE = 2,        // a SYN is to be sent
    COR_TCP_ACK_DUE = 4,        // an acknowledgement is to be sent at once
    COR_TCP_PROBE_DUE = 8,      // a window probe is to be sent
    COR_TCP_END_OPEN = 16,      // the last descriptor takes more bytes
    COR_TCP_CLOSE_WANTED = 32,  // the application has closed
    COR_TCP_FIN_CUT = 64,       // the FIN has its descriptor
    COR_TCP_SACK_ON = 128,      // both sides permit SACK
    COR_TCP_SHIFT_ON = 256,     // both sides scale windows
    COR_TCP_LOST_FIRST = 512,   // the next retransmission does not wait for the congestion window
    COR_TCP_FORCED = 1024,      // the silly-window override: send what fits
};

// struct cor_tcp_segment, flags.
enum cor_tcp_segment_flag {
    COR_TCP_SEGMENT_FIN = 1,     // a FIN stands behind the payload
    COR_TCP_SEGMENT_PIPE = 2,    // counted in pipe_bytes
    COR_TCP_SEGMENT_LOST = 4,    // to be sent again
    COR_TCP_SEGMENT_SACKED = 8,  // the peer has it
    COR_TCP_SEGMENT_AGAIN = 16,  // was sent more than once
};

// Why a segment is lost, in the three high bits of its flags.
#define COR_TCP_CAUSE_SHIFT 5
enum cor_tcp_cause {
    COR_TCP_FAST,
    COR_TCP_PARTIAL,
    COR_TCP_OVERTAKEN,
    COR_TCP_TIMED_OUT,
    COR_TCP_TOO_BIG,
};

enum cor_tcp_recovery { COR_TCP_NO_RECOVERY, COR_TCP_FAST_RECOVERY, COR_TCP_TIMEOUT_RECOVERY };

// Longest gap between window probes, specified (as RFC 6298 2.5 bounds the RTO).
#define COR_TCP_PROBE_GAP_MAX_US 60000000U

// Sequence numbers wrap; RFC 9293 3.4.
static inline bool cor_seq_before(uint32_t a, uint32_t b) {
    return (int32_t)(a - b) < 0;
}

static inline uint32_t cor_seq_latest(uint32_t a, uint32_t b) {
    return cor_seq_before(a, b) ? b : a;
}

// The descriptor `count` places after `index`.
static inline uint16_t cor_tcp_index(const struct cor_tcp *tcp, uint32_t index, uint32_t count) {
    uint32_t sum = index + count;

    return (uint16_t)(sum >= tcp->config.segment_count ? sum - tcp->config.segment_count : sum);
}

static inline uint32_t cor_tcp_segments_used(const struct cor_tcp *tcp) {
    return (uint32_t)tcp->doubt.kept_count + tcp->flight_count + tcp->unsent_count;
}

// The sequence number behind a segment.
static inline uint32_t cor_tcp_segment_end(const struct cor_tcp_segment *segment) {
    return segment->seq + segment->size_bytes + (segment->flags & COR_TCP_SEGMENT_FIN);
}

// What may still be sent beyond `seq`, by the peer's window; negative when it has shrunk.
static inline int32_t cor_tcp_window_left(const struct cor_tcp *tcp, uint32_t seq) {
    return (int32_t)(tcp->snd_una + tcp->snd_wnd - seq);
}

static inline uint32_t cor_tcp_in_flight(const struct cor_tcp *tcp) {
    return tcp->pipe_bytes - tcp->departed_bytes;
}

// Is the transfer as it should be? Then nothing has departed without an acknowledgement, either.
static inline bool cor_tcp_is_steady(const struct cor_tcp *tcp) {
    uint32_t doubt[3];

    _Static_assert(sizeof(tcp->doubt) == sizeof(doubt), "looked at as three words");
    memcpy(doubt, COR_ALIGNED(&tcp->doubt, uint32_t), sizeof(doubt));
    return (doubt[0] | doubt[1] | doubt[2]) == 0;
}

// May payload go, in this state?
static inline bool cor_tcp_is_open(const struct cor_tcp *tcp) {
    return tcp->state == COR_TCP_ESTABLISHED || tcp->state == COR_TCP_CLOSE_WAIT;
}

static inline bool cor_tcp_is_opening(const struct cor_tcp *tcp) {
    return tcp->state == COR_TCP_SYN_SENT || tcp->state == COR_TCP_SYN_RECEIVED;
}

// States in which the peer may still send.
static inline bool cor_tcp_receives(const struct cor_tcp *tcp) {
    return tcp->state == COR_TCP_ESTABLISHED || tcp->state == COR_TCP_FIN_WAIT_1 ||
           tcp->state == COR_TCP_FIN_WAIT_2;
}

// Tells the application at the next poll, if it wants to be told.
static inline void cor_tcp_note(struct cor_tcp *tcp, enum cor_tcp_event event) {
    tcp->receive.events |= (uint8_t)event;
    if (tcp->config.event != NULL) {
        tcp->socket.net->deadline_us = 0;
    }
}

// A segment's data, cut to what is new and within the window.
struct cor_tcp_arrival {
    const struct cor_tcp_header *header;
    uint32_t seq;
    const uint8_t *data;
    uint32_t size_bytes;
    bool fin;  // stands behind the data
};

// Counts up to 255 and stays there.
static inline void cor_tcp_count(uint8_t *counter) {
    if (*counter < UINT8_MAX) {
        (*counter)++;
    }
}

// --- tcp.c ---

// Ends the connection: COR_OK or the sticky error. With a reset where the peer may know of it.
void cor_tcp_end(struct cor_tcp *tcp, enum cor_status error);
void cor_tcp_end_reset(struct cor_tcp *tcp, enum cor_status error);
// The handshake is complete.
void cor_tcp_established(struct cor_tcp *tcp, uint64_t now_us);
// Everything of an earlier connection but configuration, place in the list and counters goes.
void cor_tcp_reset_block(struct cor_tcp *tcp);
// Our first sequence number, beyond the last of a connection of the same two ends (NULL: none),
// and what goes with a connection that begins.
void cor_tcp_begin(struct cor_tcp *tcp, uint64_t now_us, const uint32_t *beyond);
// The header template, with the hardware address of the next hop.
void cor_tcp_set_hop(struct cor_tcp *tcp, const uint8_t *mac);
// The segment size, from what the peer asks for (0: it did not say).
void cor_tcp_set_mss(struct cor_tcp *tcp, uint16_t peer_mss_bytes);

// --- tcp_ring.c ---

// Gives a FIN its place behind what is committed; later, if no descriptor is free now.
void cor_tcp_cut_fin(struct cor_tcp *tcp);
// Closes the last descriptor, so that it can be sent, skipping to a multiple of 4. Where room is
// lent, the ragged rest becomes a descriptor of its own. False: nothing of it can be sent now.
bool cor_tcp_cut_end(struct cor_tcp *tcp);
// Cuts a descriptor behind size_bytes, a multiple of 4; place counts from the first in flight, on
// through those not yet sent. False: none is free, or frames of those in flight are in the queue of
// the bus.
bool cor_tcp_split(struct cor_tcp *tcp, uint32_t place, uint32_t size_bytes);
// Frees what is acknowledged and not in the queue of the bus.
void cor_tcp_free_acked(struct cor_tcp *tcp);

// --- tcp_out.c ---

enum cor_status cor_tcp_pull(
    struct cor_net_socket *socket, uint64_t now_us, struct cor_frame_tx *tx, uint8_t pass);
enum cor_status cor_tcp_pull_data(
    struct cor_net_socket *socket, uint64_t now_us, struct cor_frame_tx *tx);
void cor_tcp_sent(struct cor_net_socket *socket, uint64_t now_us, uint32_t index);

// --- tcp_fast.c ---

// When the template is there: prepares to know the peer's plain acknowledgements.
void cor_tcp_fast_init(struct cor_tcp *tcp);

// --- tcp_ack.c ---

// ack is beyond snd_una and at most snd_max.
void cor_tcp_acked(struct cor_tcp *tcp, uint64_t now_us, uint32_t ack);
void cor_tcp_set_window(struct cor_tcp *tcp, uint32_t seq, uint32_t ack, uint32_t window_bytes);
void cor_tcp_want_ack(struct cor_tcp *tcp);
void cor_tcp_arm(struct cor_tcp *tcp, uint64_t now_us);

// --- tcp_receive.c ---

// first_seq is the first byte the peer will send; scaled: the windows after the SYN are.
void cor_tcp_receive_init(struct cor_tcp *tcp, uint32_t first_seq, bool scaled);
uint8_t cor_tcp_receive_shift(const struct cor_tcp *tcp);
uint16_t cor_tcp_syn_window(const struct cor_tcp *tcp);
// The window field of the segment that goes out now.
uint16_t cor_tcp_announce(struct cor_tcp *tcp);
// left..right was received twice.
void cor_tcp_repeated(struct cor_tcp *tcp, uint32_t left, uint32_t right);
// Writes the SACK option of the next acknowledgement, 0..36 bytes.
uint32_t cor_tcp_emit_sacks(struct cor_tcp *tcp, uint8_t *at);
// Keeps what has arrived. Returns how many bytes; arrival->fin then says whether the FIN is next.
uint32_t cor_tcp_store(struct cor_tcp *tcp, uint64_t now_us, struct cor_tcp_arrival *arrival);
// A segment of data arrived in order.
void cor_tcp_ack_soon(struct cor_tcp *tcp, uint64_t now_us);
// Nobody will read what is there.
void cor_tcp_receive_drop(struct cor_tcp *tcp);
void cor_tcp_reopen_due(struct cor_tcp *tcp, uint64_t now_us);
void cor_tcp_take_urgent(struct cor_tcp *tcp, uint32_t seq, uint16_t pointer);

// --- tcp_in.c ---

// The connection whose peer has this address and the ports of a segment it sent, or NULL.
struct cor_tcp *cor_tcp_find(
    const struct cor_net *net, const struct cor_tcp_header *header, uint32_t from);
// A SYN for a listener's block, which is closed.
void cor_tcp_open_passive(
    struct cor_tcp *tcp,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header,
    const uint32_t *beyond);

// --- tcp_listen.c ---

struct cor_tcp_listener *cor_tcp_listener_find(const struct cor_net *net, uint16_t port);
// A segment for no connection. False: it is to be refused. beyond: the last sequence number of a
// connection of the same two ends that still waited, or NULL.
bool cor_tcp_listen_input(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header,
    const uint32_t *beyond);
// The handshake is complete. True: the block wants to be polled.
bool cor_tcp_slot_opened(struct cor_tcp *tcp, uint64_t now_us);
void cor_tcp_slot_ended(struct cor_tcp *tcp);
void cor_tcp_slot_poll(struct cor_tcp *tcp);

// --- tcp_wait.c ---

enum cor_tcp_wait_verdict {
    COR_TCP_WAIT_NONE,  // no such connection waits
    COR_TCP_WAIT_DONE,  // the segment is dealt with
    COR_TCP_WAIT_LEFT,  // a new connection may begin, with numbers after *beyond
};

// The block of a connection in TIME_WAIT is needed: keeps what must be.
void cor_tcp_wait_add(struct cor_tcp *tcp, uint64_t now_us);
enum cor_tcp_wait_verdict cor_tcp_wait_input(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header,
    uint32_t *beyond);

// --- tcp_recovery.c ---

// Returns whether the blocks say something new.
bool cor_tcp_sacked(struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header);
void cor_tcp_duplicate(struct cor_tcp *tcp, uint64_t now_us);
// An acknowledgement advanced in fast recovery, and did or did not end it.
void cor_tcp_partial(struct cor_tcp *tcp, uint32_t acked_bytes);
void cor_tcp_recovered(struct cor_tcp *tcp);
void cor_tcp_timed_out(struct cor_tcp *tcp, uint64_t now_us);
// A segment leaves the pipe and will be sent again. False: not now, or it has arrived.
bool cor_tcp_mark_lost(
    struct cor_tcp *tcp, struct cor_tcp_segment *segment, enum cor_tcp_cause cause);

// What an acknowledgement was, or-ed.
enum cor_tcp_news {
    COR_TCP_NEWS_ADVANCED = 1,  // it acknowledged something
    COR_TCP_NEWS_ROUND = 2,     // and a round trip is over
    COR_TCP_NEWS_LIMITED = 4,   // in which the congestion window was not the limit
    COR_TCP_NEWS_BARE = 8,      // it repeated the one before, without SACK blocks
};
// First of all that an acknowledgement does: what was known before it.
void cor_tcp_weigh_before(struct cor_tcp *tcp);
// Last of all that an acknowledgement does: what is lost by it, and how much may go.
void cor_tcp_weigh(struct cor_tcp *tcp, uint64_t now_us, uint32_t news);
// The reordering window is over, or a loss probe is due.
void cor_tcp_loss_due(struct cor_tcp *tcp, uint64_t now_us);

// --- tcp_rack.c ---

void cor_tcp_rack_init(struct cor_tcp *tcp);
void cor_tcp_rack_arrived(
    struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_segment *segment);
void cor_tcp_rack_dsack(struct cor_tcp *tcp);
void cor_tcp_rack_recovered(struct cor_tcp *tcp);
// Until the segment is lost; not positive: it is, if another that was sent later has arrived.
int32_t cor_tcp_rack_left_us(
    const struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_segment *segment);
// Marks what is lost and sets the deadline for what may be. True: something was marked.
bool cor_tcp_rack_detect(struct cor_tcp *tcp, uint64_t now_us);

// --- tcp_pmtu.c ---

void cor_tcp_pmtu_init(struct cor_tcp *tcp);
// A router says that the packet of quoted_bytes with the segment seq, which is in flight, does not
// fit into mtu (0: it does not say how large may be).
void cor_tcp_pmtu_claimed(struct cor_tcp *tcp, uint32_t seq, uint16_t mtu, uint16_t quoted_bytes);
// The first in flight has timed out, and is marked as lost.
void cor_tcp_pmtu_timed_out(struct cor_tcp *tcp, uint64_t now_us);
// Only where raise_us is set: is it time for a larger size?
void cor_tcp_pmtu_poll(struct cor_tcp *tcp, uint64_t now_us);
// Cuts a segment that is too large for the path. False: not now, wait for the bus.
bool cor_tcp_pmtu_fit(struct cor_tcp *tcp, uint32_t place);
// Routers may cut this packet.
void cor_tcp_pmtu_allow(const struct cor_tcp *tcp, struct cor_frame_tx *tx);

// --- tcp_timestamps.c ---

// Is the option to be in our SYN or its answer?
bool cor_tcp_times_offer(const struct cor_tcp *tcp);
void cor_tcp_times_fill(const struct cor_tcp *tcp, uint64_t now_us, struct cor_tcp_header *header);
// The peer's SYN or its answer has come.
void cor_tcp_times_agree(struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header);
// Where times.on: false: the segment is an old one, and has been answered if need be.
bool cor_tcp_times_check(struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header);
// The segment is within the window: its clock is what we echo from now on.
void cor_tcp_times_note(struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header);
// How long ago we sent what the segment at hand answers; 0: it does not say. Up to 1.024 ms more
// than it was.
uint32_t cor_tcp_times_age_us(const struct cor_tcp *tcp, uint64_t now_us);
// Puts the option into a frame.
void cor_tcp_times_put(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx);

// How much of a segment's size its options take.
static inline uint32_t cor_tcp_option_bytes(const struct cor_tcp *tcp) {
    return tcp->doubt.times_on ? COR_TCP_TIMES_BYTES : 0;
}

// --- tcp_tlp.c ---

void cor_tcp_tlp_arm(struct cor_tcp *tcp);
void cor_tcp_tlp_due(struct cor_tcp *tcp, uint64_t now_us);
void cor_tcp_tlp_sent(struct cor_tcp *tcp, bool again);
void cor_tcp_tlp_forget(struct cor_tcp *tcp);
// bare: a repeated acknowledgement without SACK. True: the probe has repaired a loss.
bool cor_tcp_tlp_acked(struct cor_tcp *tcp, bool bare);

// --- tcp_timer.c ---

uint64_t cor_tcp_poll(struct cor_net_socket *socket, uint64_t now_us);

#endif
