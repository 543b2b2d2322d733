// SPDX-License-Identifier: MIT
// IGMP: the multicast groups this host has joined (RFC 1112, RFC 2236 version 2).
//
// Groups are counted: each join needs a leave. Routers and access points that listen in learn of
// them by reports; the radio learns of them by a callback with the exact list of hardware addresses
// its filter has to let through, or the word that the filter is too small and has to let all
// through. The caller owns the struct and its tables; the net polls it. Without one, a net receives
// no multicast at all. All hosts (224.0.0.1) is always joined and never reported.
#ifndef CORADIO_IGMP_H
#define CORADIO_IGMP_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// name, unit, what it counts
// clang-format off
#define COR_IGMP_COUNTERS(X)                                                          \
    X(reports_sent,       "1", "reports sent")                                        \
    X(leaves_sent,        "1", "leave messages sent")                                 \
    X(queries_received,   "1", "queries received")                                    \
    X(reports_suppressed, "1", "reports not sent: another host sent one")             \
    X(filter_overflows,   "1", "times the radio's filter was too small for the list") \
    X(drop_message,       "1", "messages dropped: nothing that a host listens to")
// clang-format on

struct cor_igmp_counters {
#define X(name, unit, text) uint64_t name;
    COR_IGMP_COUNTERS(X)
#undef X
};

// What the radio has to let through. macs is valid during the call only.
struct cor_igmp_filter {
    const uint8_t (*macs)[6];  // each once
    uint32_t count;
    bool all;  // the list does not fit: every multicast frame; count is 0
};

typedef void (*cor_igmp_filter_fn)(void *context, const struct cor_igmp_filter *filter);

// A group. Private to the stack.
struct cor_igmp_group {
    uint32_t address;  // 0: the entry is free
    uint16_t users;    // 0: a leave message waits to be sent
    uint8_t reports;   // unasked reports still to be sent
    bool ready;        // a report or the leave waits to be pulled
    bool reporter;     // the last report came from us
    uint64_t due_us;   // of the next report
};

struct cor_igmp_config {
    struct cor_igmp_group *groups;  // group_count of them, for as long as the net lives
    uint16_t group_count;
    uint8_t (*macs)[6];  // filter_count of them: how many the radio's filter takes; at least 1
    uint16_t filter_count;
    cor_igmp_filter_fn filter;  // NULL: the radio lets everything through
    void *context;
};

struct cor_igmp {
    struct cor_net_socket socket;
    struct cor_igmp_config config;
    uint32_t link_ups;            // of the net, as last seen
    uint64_t version_1_until_us;  // a router of version 1 was heard: reports are of version 1
    struct cor_igmp_counters counters;
};

// Fills the caller's memory, puts it on the net's list, where it stays, and programs the filter.
// Asserts that the net has no other.
void cor_igmp_init(
    struct cor_igmp *igmp, struct cor_net *net, const struct cor_igmp_config *config);

// From now on datagrams to this group are received. COR_E_ARG: not a group's address. COR_E_NOMEM:
// no entry is free.
COR_MUST_CHECK enum cor_status cor_igmp_join(
    struct cor_igmp *igmp, uint32_t address, uint64_t now_us);

// Undoes one join. COR_E_ARG: not joined.
COR_MUST_CHECK enum cor_status cor_igmp_leave(
    struct cor_igmp *igmp, uint32_t address, uint64_t now_us);

// Programs the filter again, for a radio that has been restarted.
void cor_igmp_refresh(struct cor_igmp *igmp);

const struct cor_igmp_counters *cor_igmp_get_counters(const struct cor_igmp *igmp);
const struct cor_counter_info *cor_igmp_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
