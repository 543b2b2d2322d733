// SPDX-License-Identifier: MIT
// TCP listen: a port that takes connections into blocks the caller provides.
//
// Every block is initialised by cor_tcp_init() with memory of its own, and belongs to the listener
// until a connection in it is open and has been accepted. The application then works with it as
// with one it had connected, and hands it back with cor_tcp_give(). Slots in which a handshake
// stands still are used again, the oldest first, so that SYNs from nowhere cannot hold a port.
// RFC 9293 3.10.7.2, RFC 4987 (recycling), RFC 6191 in its form without timestamps.
#ifndef CORADIO_TCP_LISTEN_H
#define CORADIO_TCP_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/status.h"
#include "coradio/tcp_block.h"

#ifdef __cplusplus
extern "C" {
#endif

// name, unit, what it counts
// clang-format off
#define COR_TCP_LISTEN_COUNTERS(X)                                                              \
    X(syns,            "1", "connections asked for")                                            \
    X(opened,          "1", "handshakes completed")                                             \
    X(accepted,        "1", "connections taken by the application")                             \
    X(recycled,        "1", "half-open connections given up for newer ones")                    \
    X(closing_ended,   "1", "connections that were closing, given up for newer ones")           \
    X(no_neighbour,    "1", "opened without a neighbour entry: a changed address is not learned") \
    X(full,            "1", "connections refused or not answered: no slot was free")            \
    X(time_wait_left,  "1", "waiting states ended by a new connection of the same two ends")
// clang-format on

struct cor_tcp_listen_counters {
#define X(name, unit, text) uint64_t name;
    COR_TCP_LISTEN_COUNTERS(X)
#undef X
};

// Called from cor_net_poll(): the connection is open and now the application's.
typedef void (*cor_tcp_accept_fn)(void *context, struct cor_tcp *tcp);

struct cor_tcp_listen_config {
    uint16_t port;
    struct cor_tcp *const *blocks;  // stay lent until cor_tcp_unlisten()
    uint16_t block_count;
    uint16_t half_open_max;    // handshakes under way at once; 0: all blocks
    uint64_t half_open_us;     // how long one may take; 0: 30 s
    bool silent;               // with no slot free, do not answer; else by a reset
    cor_tcp_accept_fn accept;  // NULL: the application asks cor_tcp_accept()
    void *context;
};

struct cor_tcp_listener {
    struct cor_net *net;
    struct cor_tcp_listener *next;
    struct cor_tcp_listen_config config;
    uint32_t order;  // counts connections, to know the oldest
    struct cor_tcp_listen_counters counters;
};

// COR_E_ARG: port 0. COR_E_STATE: another listener has the port.
COR_MUST_CHECK enum cor_status cor_tcp_listen(
    struct cor_tcp_listener *listener,
    struct cor_net *net,
    const struct cor_tcp_listen_config *config);

// Takes no more connections. Those not accepted are reset; those accepted go on, and the caller
// has them as if it had connected them.
void cor_tcp_unlisten(struct cor_tcp_listener *listener, uint64_t now_us);

// The connection that has been open longest without being accepted; NULL: none.
struct cor_tcp *cor_tcp_accept(struct cor_tcp_listener *listener);

// The application is done with an accepted connection. If it is open, it is closed in order, both
// ways (see cor_tcp_finish()). The listener uses the block again when it is over.
void cor_tcp_give(struct cor_tcp *tcp, uint64_t now_us);

const struct cor_tcp_listen_counters *cor_tcp_listen_get_counters(
    const struct cor_tcp_listener *listener);
const struct cor_counter_info *cor_tcp_listen_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
