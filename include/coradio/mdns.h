// SPDX-License-Identifier: MIT
// mDNS: answers on the local link for the name of this host and for one service on it (RFC 6762,
// RFC 6763).
//
//     pico.local                        A     our address
//     _coradio._tcp.local               PTR   Bench._coradio._tcp.local
//     Bench._coradio._tcp.local         SRV   port and pico.local
//     Bench._coradio._tcp.local         TXT   what the application says of it
//     _services._dns-sd._udp.local      PTR   _coradio._tcp.local
//
// Names are probed for before they are used; when somebody has one, a number is added to it. The
// caller owns the struct and polls it after the driver has taken frames in; the net needs a struct
// cor_igmp (igmp.h), because the messages come to a group.
#ifndef CORADIO_MDNS_H
#define CORADIO_MDNS_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/igmp.h"
#include "coradio/net.h"
#include "coradio/status.h"
#include "coradio/udp.h"

#ifdef __cplusplus
extern "C" {
#endif

// Limits of a name's first label, of a service type ("_coradio._tcp"), and of what a service says.
#define COR_MDNS_LABEL_BYTES_MAX 63
#define COR_MDNS_TYPE_BYTES_MAX  22
#define COR_MDNS_TXT_BYTES_MAX   256
// Room for the longest message: every record and a question, and no name shortened.
#define COR_MDNS_ROOM_BYTES 960

// name, text
// clang-format off
#define COR_MDNS_STATES(X)                                               \
    X(OFF,        "off")                                                 \
    X(WAITING,    "waiting for an address")                              \
    X(PROBING,    "asking whether anybody has the names")                \
    X(ANNOUNCING, "telling the link about the names")                    \
    X(RUNNING,    "answering")

// name, unit, what it counts
#define COR_MDNS_COUNTERS(X)                                                                   \
    X(probes_sent,        "1", "probes sent")                                                  \
    X(announcements_sent, "1", "announcements and goodbyes sent")                              \
    X(responses_sent,     "1", "answers sent to all")                                          \
    X(direct_sent,        "1", "answers sent to the one who asked")                            \
    X(answers_known,      "1", "answers not given: who asked knew them")                       \
    X(answers_limited,    "1", "answers not given: given to all less than a second ago")       \
    X(conflicts,          "1", "times that somebody else had one of the names")                \
    X(drop_message,       "1", "messages dropped: damaged or not of mDNS")                     \
    X(drop_busy,          "1", "answers to one host dropped: the one before had not yet left")
// clang-format on

enum cor_mdns_state {
#define X(name, text) COR_MDNS_##name,
    COR_MDNS_STATES(X)
#undef X
        COR_MDNS_STATE_COUNT,
};

struct cor_mdns_counters {
#define X(name, unit, text) uint64_t name;
    COR_MDNS_COUNTERS(X)
#undef X
};

// The texts are read at init and on every change of name, and live as long as the responder.
struct cor_mdns_config {
    const char *host;      // first label of the host's name
    const char *instance;  // of the service, any text of one label; NULL: no service
    const char *type;      // "_coradio._tcp"
    uint16_t port;
    uint16_t txt_bytes;  // 0: nothing to say
    const uint8_t *txt;  // texts with their length before each (RFC 6763 6)
};

// A wire name. Private to the responder.
#define COR_MDNS_HOST_BYTES     (COR_MDNS_LABEL_BYTES_MAX + 8)
#define COR_MDNS_TYPE_BYTES     (COR_MDNS_TYPE_BYTES_MAX + 8)
#define COR_MDNS_INSTANCE_BYTES (COR_MDNS_LABEL_BYTES_MAX + 1 + COR_MDNS_TYPE_BYTES)
#define COR_MDNS_RECORDS        7

struct cor_mdns {
    struct cor_udp group;   // sends to all
    struct cor_udp direct;  // sends to one
    struct cor_udp_slot slots[2];
    struct cor_net *net;
    struct cor_igmp *igmp;
    struct cor_mdns_config config;
    enum cor_mdns_state state;
    uint64_t due_us;       // of the next probe or announcement
    uint64_t response_us;  // of the answer to all, COR_NET_NEVER: none
    uint64_t conflicts_from_us;
    uint64_t sent_us[COR_MDNS_RECORDS];  // when each record was last sent to all
    uint32_t address;                    // for which the names are probed
    uint32_t link_ups;                   // of the net, as last seen
    uint32_t asker;                      // who asked for the answer to all, 0: more than one
    uint16_t host_number;                // behind the name, 0: none
    uint16_t instance_number;
    uint8_t answers;  // records of the answer to all
    uint8_t more;     // records to go with it
    uint8_t steps;    // probes or announcements sent
    uint8_t conflict_count;
    uint8_t host[COR_MDNS_HOST_BYTES];
    uint8_t type[COR_MDNS_TYPE_BYTES];
    uint8_t instance[COR_MDNS_INSTANCE_BYTES];
    struct cor_mdns_counters counters;
    uint32_t messages[2][COR_MDNS_ROOM_BYTES / 4];
};

// Fills the caller's memory and puts two sockets of port 5353 on the net's list, where they stay.
// COR_E_ARG: a name that is none, or a text that is too long.
COR_MUST_CHECK enum cor_status cor_mdns_init(
    struct cor_mdns *mdns,
    struct cor_net *net,
    struct cor_igmp *igmp,
    const struct cor_mdns_config *config);

// Joins the group and begins as soon as there is an address. COR_E_NOMEM: no room for a group.
// COR_E_STATE: not off.
COR_MUST_CHECK enum cor_status cor_mdns_start(struct cor_mdns *mdns, uint64_t now_us);

// Says goodbye and is off.
void cor_mdns_stop(struct cor_mdns *mdns, uint64_t now_us);

// Sends what is due. Returns when it wants to be called even if nothing happens, COR_NET_NEVER for
// never.
uint64_t cor_mdns_poll(struct cor_mdns *mdns, uint64_t now_us);

enum cor_mdns_state cor_mdns_state(const struct cor_mdns *mdns);
const char *cor_mdns_state_text(enum cor_mdns_state state);

// The first label of the host's name as it is now, such as "pico-2", and of the service's. text has
// room for COR_MDNS_LABEL_BYTES_MAX + 1. Returns text.
char *cor_mdns_host_text(const struct cor_mdns *mdns, char *text);
char *cor_mdns_instance_text(const struct cor_mdns *mdns, char *text);

const struct cor_mdns_counters *cor_mdns_get_counters(const struct cor_mdns *mdns);
const struct cor_counter_info *cor_mdns_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
