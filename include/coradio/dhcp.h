// SPDX-License-Identifier: MIT
// DHCP: a client that asks the network for an address and keeps it (RFC 2131), and that makes sure
// that nobody else has it (RFC 5227).
//
// The caller owns the struct and polls it after the driver has taken frames in; it gives the net
// its address and takes it away again. Everything it hears is checked: the transaction, the
// hardware address, the server, and that the address is one a host can have. A net with a fixed
// address has no struct cor_dhcp and sends no DHCP at all.
//
// When the link comes back, the address stays in use while its lease is confirmed (INIT-REBOOT), so
// that connections outlive a short loss of the link; a NAK takes it away at once.
#ifndef CORADIO_DHCP_H
#define CORADIO_DHCP_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/status.h"
#include "coradio/udp.h"

#ifdef __cplusplus
extern "C" {
#endif

// Routers, DNS and NTP servers kept of a lease.
#define COR_DHCP_ADDRESSES 3
// The domain of a lease, its NUL included; a longer one is left out.
#define COR_DHCP_DOMAIN_BYTES 64
// Room for the one message on its way.
#define COR_DHCP_ROOM_BYTES 356

// name, text
// clang-format off
#define COR_DHCP_STATES(X)                                                          \
    X(OFF,         "off")                                                           \
    X(INIT,        "waiting to ask for an address")                                 \
    X(SELECTING,   "asking for an address")                                         \
    X(REQUESTING,  "asking for the address offered")                                \
    X(INIT_REBOOT, "waiting to ask whether the last address is still good")         \
    X(REBOOTING,   "asking whether the last address is still good")                 \
    X(PROBING,     "making sure that nobody has the address")                       \
    X(BOUND,       "has an address")                                                \
    X(RENEWING,    "has an address and asks its server for more time")              \
    X(REBINDING,   "has an address and asks any server for more time")              \
    X(DECLINED,    "somebody had the address; waiting before asking again")         \
    X(RELEASING,   "giving the address back")

// name, unit, what it counts
#define COR_DHCP_COUNTERS(X)                                                                \
    X(discovers_sent,   "1", "DISCOVER messages sent")                                      \
    X(requests_sent,    "1", "REQUEST messages sent, renewals included")                    \
    X(declines_sent,    "1", "DECLINE messages sent")                                       \
    X(releases_sent,    "1", "RELEASE messages sent")                                       \
    X(offers_taken,     "1", "offers taken")                                                \
    X(acks_taken,       "1", "acknowledgements taken")                                      \
    X(naks_taken,       "1", "refusals taken")                                              \
    X(conflicts,        "1", "times that somebody else had our address")                    \
    X(leases_lost,      "1", "addresses given up: lease over, refused or in conflict")      \
    X(drop_message,     "1", "messages dropped: damaged or not a server's")                 \
    X(drop_other,       "1", "messages dropped: for another client or transaction")         \
    X(drop_late,        "1", "messages dropped: of a kind nobody waits for now")            \
    X(drop_address,     "1", "messages dropped: address, lease or server impossible")       \
    X(options_ignored,  "1", "options of impossible length in messages taken")
// clang-format on

enum cor_dhcp_state {
#define X(name, text) COR_DHCP_##name,
    COR_DHCP_STATES(X)
#undef X
        COR_DHCP_STATE_COUNT,
};

struct cor_dhcp_counters {
#define X(name, unit, text) uint64_t name;
    COR_DHCP_COUNTERS(X)
#undef X
};

// How an address is tried before it is used. As RFC 5227 says takes 4 to 7 s; quick takes 0.6 s and
// finds the same hosts unless they sleep; none is for networks whose server does it.
enum cor_dhcp_check { COR_DHCP_CHECK_FULL, COR_DHCP_CHECK_QUICK, COR_DHCP_CHECK_NONE };

struct cor_dhcp_lease {
    uint32_t address;
    uint32_t netmask;
    uint32_t gateway;  // 0: none
    uint32_t server;
    uint32_t dns[COR_DHCP_ADDRESSES];
    uint32_t ntp[COR_DHCP_ADDRESSES];
    uint8_t dns_count;
    uint8_t ntp_count;
    char domain[COR_DHCP_DOMAIN_BYTES];  // empty: none
    uint32_t lease_s;                    // UINT32_MAX: for ever
    uint64_t renew_us;                   // when to ask the server, COR_NET_NEVER: not needed
    uint64_t rebind_us;                  // when to ask any server
    uint64_t end_us;                     // when the address is given up
};

// The net has this address now; NULL: it has none. Not called from within another function of this
// header but cor_dhcp_poll(), cor_dhcp_release() and cor_dhcp_stop(), or from the radio's input.
typedef void (*cor_dhcp_changed_fn)(void *context, const struct cor_dhcp_lease *lease);

struct cor_dhcp_config {
    const char *host_name;  // a label of 1 to 63 bytes that lives as long as the client; NULL: none
    uint32_t identity;      // of this interface among those of the device; any number that stays
    enum cor_dhcp_check check;
    cor_dhcp_changed_fn changed;  // may be NULL
    void *context;
};

struct cor_dhcp {
    struct cor_udp udp;
    struct cor_udp_slot slot;
    struct cor_net *net;
    struct cor_dhcp_config config;
    enum cor_dhcp_state state;
    struct cor_dhcp_lease lease;  // address 0: none; kept while the client is off
    uint64_t due_us;              // when the state does its next thing
    uint64_t start_us;            // when this attempt began
    uint64_t asked_us;            // when the request was first sent: the lease counts from here
    uint64_t announce_us;         // when the address is announced again
    uint32_t xid;
    uint32_t offered;   // the address asked for, of an offer or the last lease
    uint32_t server;    // who offered it
    uint32_t link_ups;  // of the net, as last seen
    uint16_t secs;
    uint8_t tries;      // messages of this kind sent
    uint8_t probes;     // sent
    uint8_t failures;   // refusals in a row
    uint8_t conflicts;  // in a row
    bool in_use;        // the net has the lease's address
    struct cor_dhcp_counters counters;
    uint32_t message[COR_DHCP_ROOM_BYTES / 4];
};

// Fills the caller's memory and opens port 68 on the net. Asserts that the host name is a label.
void cor_dhcp_init(
    struct cor_dhcp *dhcp, struct cor_net *net, const struct cor_dhcp_config *config);

// An address of an earlier life, kept by the caller, to ask for first. Allowed while off.
void cor_dhcp_remember(struct cor_dhcp *dhcp, uint32_t address);

// Asks for an address; for the last one, if its lease may still hold. From then on the state tells.
// There is no end to trying.
void cor_dhcp_start(struct cor_dhcp *dhcp, uint64_t now_us);

// Takes the next step when it is due. Returns when it wants to be called even if nothing happens,
// COR_NET_NEVER for never.
uint64_t cor_dhcp_poll(struct cor_dhcp *dhcp, uint64_t now_us);

// Tells the server that the address is free again, then is off: after the message has left, or 1 s
// later.
void cor_dhcp_release(struct cor_dhcp *dhcp, uint64_t now_us);

// Takes the address from the net and is off, without a message. The next start asks for the same
// address if its lease holds.
void cor_dhcp_stop(struct cor_dhcp *dhcp, uint64_t now_us);

// Closes port 68 and leaves the net; allowed while off. COR_AGAIN: a frame is in the queue of the
// bus; call again.
COR_MUST_CHECK enum cor_status cor_dhcp_close(struct cor_dhcp *dhcp);

enum cor_dhcp_state cor_dhcp_state(const struct cor_dhcp *dhcp);
const char *cor_dhcp_state_text(enum cor_dhcp_state state);

// The lease whose address the net has, NULL when it has none.
const struct cor_dhcp_lease *cor_dhcp_lease(const struct cor_dhcp *dhcp);

const struct cor_dhcp_counters *cor_dhcp_get_counters(const struct cor_dhcp *dhcp);
const struct cor_counter_info *cor_dhcp_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
