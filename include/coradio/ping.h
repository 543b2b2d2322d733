// SPDX-License-Identifier: MIT
// Ping: an ICMP echo client (RFC 792) that reports each round-trip time.
#ifndef CORADIO_PING_H
#define CORADIO_PING_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Requests whose answer is waited for at the same time; when one more is sent, the oldest is lost.
#define COR_PING_OUTSTANDING 16
// An answer later than this counts as lost.
#define COR_PING_TIMEOUT_US 5000000U

// name, unit, what it counts
// clang-format off
#define COR_PING_COUNTERS(X)                                                          \
    X(requests_sent,    "1", "echo requests sent")                                    \
    X(replies_received, "1", "echo replies received in time, each once")              \
    X(lost,             "1", "echo requests without a reply in time")                 \
    X(drop_reply,       "1", "replies dropped: late, doubled, or not what was asked")
// clang-format on

struct cor_ping_counters {
#define X(name, unit, text) uint64_t name;
    COR_PING_COUNTERS(X)
#undef X
};

struct cor_ping_result {
    uint16_t seq;     // 0, 1, ..
    bool lost;        // no reply in time
    uint32_t rtt_us;  // from the request being due to the reply; 0 when lost
};

typedef void (*cor_ping_result_fn)(void *context, const struct cor_ping_result *result);

struct cor_ping_config {
    uint8_t *payload;  // 4-aligned room for the payload, filled with a pattern at start
    uint16_t payload_room_bytes;
    cor_ping_result_fn result;  // may be NULL
    void *context;
};

struct cor_ping_plan {
    uint16_t payload_bytes;
    uint32_t count;  // 0: until cor_ping_stop()
    uint64_t interval_us;
};

struct cor_ping {
    struct cor_net_socket socket;
    struct cor_ping_config config;
    uint16_t payload_bytes;
    uint16_t identifier;
    uint16_t payload_sum;
    uint16_t next_seq;
    uint16_t queued_count;
    uint32_t left;  // requests still to be sent
    uint64_t interval_us;
    uint64_t due_us;  // of the next request
    bool resolved;
    uint8_t mac[6];
    uint32_t outstanding;  // one bit for each entry below
    uint16_t seqs[COR_PING_OUTSTANDING];
    uint64_t due_us_of[COR_PING_OUTSTANDING];
    struct cor_ping_counters counters;
};

void cor_ping_init(
    struct cor_ping *ping, struct cor_net *net, const struct cor_ping_config *config);

// Sends the requests of the plan to a host, the first at once. COR_E_ARG: larger than the room or a
// frame, or an interval of 0. COR_E_STATE: frames of an earlier run are in the queue of the bus.
// COR_E_UNREACHABLE, COR_E_NOMEM: as cor_tcp_connect().
COR_MUST_CHECK enum cor_status cor_ping_start(
    struct cor_ping *ping, uint32_t address, const struct cor_ping_plan *plan, uint64_t now_us);

// Sends no more requests; answers still to come are reported.
void cor_ping_stop(struct cor_ping *ping);

// Takes the socket off the net's list. COR_AGAIN: frames are in the queue of the bus; call again.
COR_MUST_CHECK enum cor_status cor_ping_release(struct cor_ping *ping);

// True while requests are to be sent or waited for.
bool cor_ping_busy(const struct cor_ping *ping);

const struct cor_ping_counters *cor_ping_get_counters(const struct cor_ping *ping);
const struct cor_counter_info *cor_ping_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
