// SPDX-License-Identifier: MIT
// UDP: datagrams to one peer or to any host from the caller's memory, pulled by the radio, and
// datagrams received.
//
// Datagrams wait in equal slots of the caller's memory until the radio has sent them. While the
// hardware address of the host, or of the gateway to it, is unknown they wait there: with a peer
// all slot_count of them; without one the last COR_UDP_UNRESOLVED_MAX to each host, so that one
// that does not answer does not stop the others. When nobody has answered ARP for 4 s they are
// dropped, counted and told; the next datagram asks again. Nothing is copied; the checksum is
// computed when a datagram is committed. Datagrams are not cut into fragments.
#ifndef CORADIO_UDP_H
#define CORADIO_UDP_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Datagrams to one host that wait for its hardware address, of a socket without a peer; one more
// takes the place of the oldest. RFC 1122 2.3.2.2 asks for one.
#define COR_UDP_UNRESOLVED_MAX 3

// name, unit, what it counts
// clang-format off
#define COR_UDP_COUNTERS(X)                                                                 \
    X(datagrams_sent,      "1", "datagrams that have left for the radio")                   \
    X(bytes_sent,          "B", "their payload")                                            \
    X(datagrams_received,  "1", "datagrams received")                                       \
    X(bytes_received,      "B", "their payload")                                            \
    X(datagrams_discarded, "1", "datagrams received that nobody wanted")                    \
    X(drop_unreachable,    "1", "datagrams dropped: no answer to ARP")                      \
    X(cancelled,           "1", "datagrams taken back before they left")                    \
    X(drop_unresolved,     "1", "datagrams dropped: newer ones waited for ARP")             \
    X(unreachable,         "1", "ICMP: destination unreachable, for a datagram of ours")    \
    X(soft_errors,         "1", "ICMP: time exceeded or parameter problem, the same")       \
    X(summed_bytes,        "B", "payload summed")
// clang-format on

struct cor_udp_counters {
#define X(name, unit, text) uint64_t name;
    COR_UDP_COUNTERS(X)
#undef X
};

// One datagram received. data is valid during the call only.
struct cor_udp_datagram {
    uint32_t address;  // who sent it
    uint16_t port;
    uint32_t size_bytes;
    const uint8_t *data;
    uint32_t to;      // to which address: ours, a broadcast or a group
    uint64_t now_us;  // when it came
};

typedef void (*cor_udp_receive_fn)(void *context, const struct cor_udp_datagram *datagram);

// A datagram that has not arrived, as far as we are told. Anybody may forge what comes by ICMP.
struct cor_udp_error {
    // COR_E_REFUSED: nobody has the port or protocol. COR_E_SIZE: the path takes less.
    // COR_E_UNREACHABLE: all else.
    enum cor_status status;
    uint32_t address;  // where it was to go
    uint16_t port;
    uint16_t mtu;  // with COR_E_SIZE: IP bytes that the path takes, 0: not said
    bool soft;     // it may pass (RFC 1122 3.2.2.1)
    bool icmp;     // false: nobody answers ARP
    uint8_t type;  // of the ICMP error
    uint8_t code;
};

// May send and cancel, but neither connect, disconnect nor release a socket.
typedef void (*cor_udp_error_fn)(void *context, const struct cor_udp_error *error);

// What is kept of a datagram that waits or is being sent. Private to the stack.
struct cor_udp_slot {
    uint16_t size_bytes;
    uint16_t sum;
    // Of a socket without a peer.
    uint32_t address;
    uint16_t port;
    uint16_t order;
    uint8_t state;
};

struct cor_udp_config {
    uint8_t *memory;             // 4-aligned, slot_count times slot_bytes
    uint16_t slot_bytes;         // largest payload of a datagram, a multiple of 4; at most 1472
    uint16_t slot_count;         // datagrams that can wait
    struct cor_udp_slot *slots;  // slot_count of them
    uint16_t local_port;         // 0: a random one
    cor_udp_receive_fn receive;  // NULL: datagrams received are counted and discarded
    void *context;               // of both functions
    cor_udp_error_fn error;      // NULL: errors are only counted
    bool service;                // of the stack itself: its bytes are no payload for the meter
};

struct cor_udp {
    struct cor_net_socket socket;
    struct cor_udp_config config;
    uint16_t first;    // oldest slot in use
    uint16_t next;     // first slot not yet pulled
    uint16_t end;      // first free slot
    uint16_t count;    // slots in use
    uint16_t waiting;  // of them not yet pulled
    bool resolved;
    bool unaddressed;
    bool to_any;                  // the slots are not a ring but each on its own
    uint16_t order;               // of the next datagram to any host
    uint8_t ttl;                  // 0: 64, and 1 to a group
    uint32_t template_words[11];  // two bytes of padding, then Ethernet, IP, UDP
    uint32_t ip_sum;
    uint32_t udp_sum;
    struct cor_udp_counters counters;
};

// Fills the caller's struct and puts it on the net's list. Asserts that the configuration is in
// range. Memory and slots stay lent until cor_udp_release().
void cor_udp_init(struct cor_udp *udp, struct cor_net *net, const struct cor_udp_config *config);

// Takes the socket off the net's list; what waits is dropped. COR_AGAIN: frames are in the queue
// of the bus; call again.
COR_MUST_CHECK enum cor_status cor_udp_release(struct cor_udp *udp);

// Names the peer. The address may be a broadcast address. COR_E_STATE: datagrams wait.
// COR_E_UNREACHABLE, COR_E_NOMEM: as cor_tcp_connect().
COR_MUST_CHECK enum cor_status cor_udp_connect(
    struct cor_udp *udp, uint32_t address, uint16_t port, uint64_t now_us);

// Another local port, to send from since the next connect; 0: none, nothing is received.
// COR_E_STATE: datagrams wait.
COR_MUST_CHECK enum cor_status cor_udp_bind(struct cor_udp *udp, uint16_t port);

// How many routers the datagrams pass, from the next connect on; 0: 64 to a host, 1 to a group.
void cor_udp_set_ttl(struct cor_udp *udp, uint8_t ttl);

// Sends from 0.0.0.0, from the next connect on, and while the net has no address takes datagrams to
// whatever address: how a host speaks that asks for its address (RFC 2131 4.1).
void cor_udp_set_unaddressed(struct cor_udp *udp, bool unaddressed);

// Takes back the datagrams that have not been pulled.
void cor_udp_cancel(struct cor_udp *udp);

// Forgets the peer: takes back the datagrams that have not been pulled, and asks for no hardware
// address any more. Datagrams are received as before.
void cor_udp_disconnect(struct cor_udp *udp);

// Lends the next free slot. Returns its size, 0 when none is free, COR_E_STATE without a peer.
COR_MUST_CHECK int32_t cor_udp_send_buf(struct cor_udp *udp, uint8_t **room);

// Commits the slot lent as one datagram of size_bytes (0 is a datagram too).
void cor_udp_send_ack(struct cor_udp *udp, uint32_t size_bytes, uint64_t now_us);

// The same in one call that copies: a whole datagram or nothing. COR_AGAIN: no slot is free.
// COR_E_SIZE: larger than a slot. COR_E_STATE: no peer.
COR_MUST_CHECK enum cor_status cor_udp_send(
    struct cor_udp *udp, const void *data, uint32_t size_bytes, uint64_t now_us);

// --- Without a peer: each datagram to a host of its own ---

// Lends a free slot. Returns its size, 0 when none is free, COR_E_STATE with a peer or without a
// local port.
COR_MUST_CHECK int32_t cor_udp_send_to_buf(struct cor_udp *udp, uint8_t **room);

// Commits the slot lent as a datagram to a host, a broadcast address or a group. COR_E_ARG: address
// or port 0, or our own address. COR_E_UNREACHABLE: no way there. COR_E_NOMEM: COR_NET_NEIGHBOURS
// hosts are in use. COR_E_SIZE: larger than a slot. Without COR_OK nothing is sent.
COR_MUST_CHECK enum cor_status cor_udp_send_to_ack(
    struct cor_udp *udp, uint32_t address, uint16_t port, uint32_t size_bytes, uint64_t now_us);

// The same in one call that copies. COR_AGAIN: no slot is free.
COR_MUST_CHECK enum cor_status cor_udp_send_to(
    struct cor_udp *udp,
    uint32_t address,
    uint16_t port,
    const void *data,
    uint32_t size_bytes,
    uint64_t now_us);

// Datagrams that have not yet left.
uint32_t cor_udp_pending(const struct cor_udp *udp);

const struct cor_udp_counters *cor_udp_get_counters(const struct cor_udp *udp);
const struct cor_counter_info *cor_udp_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
