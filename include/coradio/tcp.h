// SPDX-License-Identifier: MIT
// TCP: a connection that sends by pull from the application's ring.
//
// The ring is the application's write buffer, the send queue and the retransmission buffer at
// once: cor_tcp_send_buf() lends room in it, cor_tcp_send_ack() commits bytes and sums them once,
// the radio's DMA reads them where they lie, and the peer's acknowledgement frees them. Segments
// are cut when bytes are committed; each has a descriptor of 16 bytes.
//
// Errors are sticky: after one, cor_tcp_state() is COR_TCP_CLOSED and cor_tcp_error() says why,
// until the next cor_tcp_connect(). What arrives is read by tcp_receive.h, and tcp_listen.h takes
// connections from others. RFC 9293 with 1191, 2018, 2883, 5681, 5927, 5961, 6056, 6298, 6528,
// 6582, 6937, 7323 and 8985. Not here: ECN; urgent data is delivered in line.
#ifndef CORADIO_TCP_H
#define CORADIO_TCP_H

#include "coradio/net.h"
#include "coradio/tcp_block.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills the caller's connection block and puts it on the net's list. Ring and descriptors are the
// caller's and stay lent until cor_tcp_release(). Asserts that the configuration is in range.
void cor_tcp_init(struct cor_tcp *tcp, struct cor_net *net, const struct cor_tcp_config *config);

// Takes the block off the net's list. COR_AGAIN: frames of the connection are still in the queue
// of the bus; call again. The connection is aborted first if need be.
COR_MUST_CHECK enum cor_status cor_tcp_release(struct cor_tcp *tcp, uint64_t now_us);

// Opens a connection from a random port. COR_OK: begun; watch cor_tcp_state() for
// COR_TCP_ESTABLISHED, or COR_TCP_CLOSED and cor_tcp_error(). COR_E_ARG: not a host's address.
// COR_E_STATE: the block is in use, or frames of its last connection are still in the queue of the
// bus. COR_E_UNREACHABLE: off the subnet and no gateway is set. COR_E_NOMEM: no neighbour entry or
// port is free.
COR_MUST_CHECK enum cor_status cor_tcp_connect(
    struct cor_tcp *tcp, uint32_t address, uint16_t port, uint64_t now_us);

enum cor_tcp_state cor_tcp_state(const struct cor_tcp *tcp);
const char *cor_tcp_state_name(enum cor_tcp_state state);

// COR_OK, or why the connection ended: COR_E_UNREACHABLE (no answer to ARP), COR_E_REFUSED (reset
// in answer to the SYN), COR_E_TIMEOUT (no answer), COR_E_RESET (by the peer), COR_E_ABORTED (by
// cor_tcp_abort()). A connection that was closed in order by both sides has COR_OK.
enum cor_status cor_tcp_error(const struct cor_tcp *tcp);

// Lends contiguous room in the ring. Returns how many bytes there are at *room, 0 while there is
// none or the connection is not yet open, or the sticky error; COR_E_CLOSED after cor_tcp_close().
// The room stays lent until cor_tcp_send_ack(), which must follow, if with 0 bytes: while room is
// lent, the last 1 to 3 bytes of a ragged end may be held back.
COR_MUST_CHECK int32_t cor_tcp_send_buf(struct cor_tcp *tcp, uint8_t **room);

// Commits the first used_bytes of the room lent and gives the rest back. Their checksum is computed
// here, once.
void cor_tcp_send_ack(struct cor_tcp *tcp, uint32_t used_bytes, uint64_t now_us);

// Copies as much as fits, and sums it. Returns how many bytes were taken (0: full, or not yet
// open), or a status as cor_tcp_send_buf().
COR_MUST_CHECK int32_t
cor_tcp_write(struct cor_tcp *tcp, const uint8_t *data, uint32_t size_bytes, uint64_t now_us);

// Ends our direction: a FIN follows what is committed. The peer may go on sending. COR_E_STATE:
// not open. The same call twice is no error.
enum cor_status cor_tcp_close(struct cor_tcp *tcp, uint64_t now_us);

// Ends both directions: as cor_tcp_close(), and nothing more is read. Data that has not been read,
// or comes later, is answered by a reset, so that the peer learns it was lost (RFC 9293 SHLD-3);
// cor_tcp_error() is then COR_E_ABORTED.
enum cor_status cor_tcp_finish(struct cor_tcp *tcp, uint64_t now_us);

// Ends the connection at once, with a reset to the peer where it knows of it.
void cor_tcp_abort(struct cor_tcp *tcp, uint64_t now_us);

const struct cor_tcp_counters *cor_tcp_get_counters(const struct cor_tcp *tcp);
const struct cor_counter_info *cor_tcp_counter_list(uint32_t *count);

// Smoothed round-trip time and time-out; 0 and the initial value before the first sample.
uint32_t cor_tcp_srtt_us(const struct cor_tcp *tcp);
uint32_t cor_tcp_rto_us(const struct cor_tcp *tcp);
uint32_t cor_tcp_cwnd_bytes(const struct cor_tcp *tcp);
uint32_t cor_tcp_ssthresh_bytes(const struct cor_tcp *tcp);
// Sent and not acknowledged.
uint32_t cor_tcp_flight_bytes(const struct cor_tcp *tcp);
// Committed and not acknowledged, sent or not; 0: everything has arrived.
uint32_t cor_tcp_pending_bytes(const struct cor_tcp *tcp);
// What the peer's window allowed when it was last heard, and the segment size in use.
uint32_t cor_tcp_peer_window_bytes(const struct cor_tcp *tcp);
uint32_t cor_tcp_mss_bytes(const struct cor_tcp *tcp);

#ifdef __cplusplus
}
#endif

#endif
