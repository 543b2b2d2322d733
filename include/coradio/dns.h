// SPDX-License-Identifier: MIT
// DNS: the address of a host from its name, by asking recursive servers (RFC 1035, 5452).
//
// Several names can be looked up at once, as many as the caller gives queries; each has a socket of
// its own, open only while it asks. An answer counts when it comes from the server asked, to the
// port and with the number chosen by chance for this one message, and repeats the question. What
// was learned stays in the caller's cache as long as it may. Poll it after the driver has taken
// frames in.
//
// Answers by UDP only, addresses of IPv4 only, and no names of the local link (".local").
#ifndef CORADIO_DNS_H
#define CORADIO_DNS_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/status.h"
#include "coradio/udp.h"

#ifdef __cplusplus
extern "C" {
#endif

// Servers asked in turn.
#define COR_DNS_SERVERS 3
// Addresses kept of a name.
#define COR_DNS_ADDRESSES 4
// The longest question: header, name, type and class.
#define COR_DNS_ROOM_BYTES 272

// name, unit, what it counts
// clang-format off
#define COR_DNS_COUNTERS(X)                                                                  \
    X(queries_sent,   "1", "questions sent")                                                 \
    X(answers_taken,  "1", "answers taken, of whatever kind")                                \
    X(cache_hits,     "1", "names answered from the cache")                                  \
    X(failed,         "1", "names that got no answer in time")                               \
    X(servers_failed, "1", "answers by which a server said that it cannot or will not")      \
    X(drop_other,     "1", "messages dropped: wrong server, number or question")             \
    X(drop_message,   "1", "messages dropped: damaged, cut short or going round in circles")
// clang-format on

struct cor_dns_counters {
#define X(name, unit, text) uint64_t name;
    COR_DNS_COUNTERS(X)
#undef X
};

struct cor_dns_result {
    // COR_OK. COR_E_NO_NAME: the name does not exist or has no address. COR_E_TIMEOUT: no server
    // answered. COR_E_REFUSED: the servers would not. COR_E_PROTO: what they said made no sense.
    // COR_E_UNREACHABLE: no way to a server.
    enum cor_status status;
    uint32_t addresses[COR_DNS_ADDRESSES];
    uint8_t count;
    uint32_t ttl_s;  // how long it holds from now
};

// Called from cor_dns_poll() only, never from within cor_dns_ask(); it may ask again.
typedef void (*cor_dns_result_fn)(void *context, const struct cor_dns_result *result);

struct cor_dns;

// One name being looked up. Private to the resolver.
struct cor_dns_query {
    struct cor_udp udp;
    struct cor_udp_slot slot;
    struct cor_dns *dns;
    cor_dns_result_fn done;
    void *context;
    struct cor_dns_result result;
    uint64_t key;      // of the name asked for, in the cache
    uint64_t due_us;   // when the next server is asked
    uint64_t end_us;   // when to give up
    uint64_t refused;  // of the socket's counters, as last seen
    uint32_t server;   // asked now
    uint32_t ttl_s;    // the shortest so far
    uint16_t serial;
    uint16_t id;
    uint16_t message_bytes;
    uint8_t state;
    uint8_t tries;  // of the present question
    uint8_t links;  // aliases followed
    uint8_t server_index;
    uint32_t message[COR_DNS_ROOM_BYTES / 4];
};

// What is known of one name. Private to the resolver.
struct cor_dns_entry {
    uint64_t key;       // keyed hash of the name
    uint64_t until_us;  // 0: free
    uint32_t addresses[COR_DNS_ADDRESSES];
    uint8_t count;  // 0: it is known that there is none
};

struct cor_dns_config {
    struct cor_dns_query *queries;  // names that can be looked up at once
    uint8_t query_count;            // each takes a socket of the net
    struct cor_dns_entry *entries;  // the cache
    uint8_t entry_count;            // may be 0
};

struct cor_dns {
    struct cor_net *net;
    struct cor_dns_config config;
    uint32_t servers[COR_DNS_SERVERS];
    uint8_t server_count;
    uint8_t server_first;  // the one that answered last is asked first
    uint16_t serial;
    struct cor_dns_counters counters;
};

// Fills the caller's memory and puts the queries' sockets on the net's list. Memory stays lent.
void cor_dns_init(struct cor_dns *dns, struct cor_net *net, const struct cor_dns_config *config);

// The servers to ask, as those of a lease; more than COR_DNS_SERVERS are left out. If they are not
// the same as before, the cache is emptied.
void cor_dns_set_servers(struct cor_dns *dns, const uint32_t *servers, uint8_t count);

// Starts to look a name up; "10.0.0.1" is its own answer. Returns a number for cor_dns_cancel(), or
// COR_E_ARG: not a name. COR_E_STATE: no servers. COR_E_NOMEM: all queries are in use.
// COR_E_UNSUPPORTED: a name of the local link.
COR_MUST_CHECK int32_t cor_dns_ask(
    struct cor_dns *dns, const char *name, cor_dns_result_fn done, void *context, uint64_t now_us);

// Forgets a question; done() is not called. A number that is no longer in use does nothing.
void cor_dns_cancel(struct cor_dns *dns, int32_t number);

// Delivers results and asks the next server where one was silent. Returns when it wants to be
// called even if nothing happens, COR_NET_NEVER for never.
uint64_t cor_dns_poll(struct cor_dns *dns, uint64_t now_us);

const struct cor_dns_counters *cor_dns_get_counters(const struct cor_dns *dns);
const struct cor_counter_info *cor_dns_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
