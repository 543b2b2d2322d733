// SPDX-License-Identifier: MIT
// UDP: datagrams to one peer from the caller's memory, pulled by the radio, and datagrams received.
//
// Datagrams wait in equal slots of the caller's memory until the radio has sent them; a host whose
// hardware address is unknown therefore delays at most slot_count datagrams, and when nobody
// answers ARP they are dropped and counted. Nothing is copied; the checksum is computed at
// cor_udp_send_ack().
#ifndef CORADIO_UDP_H
#define CORADIO_UDP_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    X(unreachable,         "1", "ICMP errors that named a datagram of this socket")         \
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

// What is kept of a datagram that waits or is being sent.
struct cor_udp_slot {
    uint16_t size_bytes;
    uint16_t sum;
};

struct cor_udp_config {
    uint8_t *memory;             // 4-aligned, slot_count times slot_bytes
    uint16_t slot_bytes;         // largest payload of a datagram, a multiple of 4; at most 1472
    uint16_t slot_count;         // datagrams that can wait
    struct cor_udp_slot *slots;  // slot_count of them
    uint16_t local_port;         // 0: a random one
    cor_udp_receive_fn receive;  // NULL: datagrams received are counted and discarded
    void *context;
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

// Datagrams that have not yet left.
uint32_t cor_udp_pending(const struct cor_udp *udp);

const struct cor_udp_counters *cor_udp_get_counters(const struct cor_udp *udp);
const struct cor_counter_info *cor_udp_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
