// SPDX-License-Identifier: MIT
// The DHCP client's states (RFC 2131 figure 5), with the probing of RFC 5227 between the
// acknowledgement and the use of an address:
//
//     INIT -> SELECTING -> REQUESTING -> PROBING -> BOUND -> RENEWING -> REBINDING -> INIT
//     INIT_REBOOT -> REBOOTING ----------^           ^----------+-----------+
//
// A state has one time at which it does its next thing, due_us; a reply may change the state
// before.
#include "coradio/dhcp.h"

#include "net/dhcp_parts.h"
#include "net/net_parts.h"

#include <string.h>

#include "coradio/assert.h"

#define SECOND_US 1000000U

// Retransmission, specified (RFC 2131 4.1): 4 s, then twice as long up to 64 s, each 1 s more or
// less by chance.
#define WAIT_FIRST_S   4U
#define WAIT_DOUBLINGS 4U
#define WAIT_CHANCE_US SECOND_US
// Requests for an offer until we begin again, so 60 s (RFC 2131 3.1 (5)).
#define REQUESTS_MAX 4
// Requests for the last address until we go on without an answer, so 28 s; our choice.
#define REBOOTS_MAX 3
// The shortest wait between two renewals, specified (RFC 2131 4.4.5).
#define RENEW_GAP_US (60U * SECOND_US)
// After a conflict, specified (RFC 2131 3.1 (5); RFC 5227 1.1 for the other two).
#define DECLINE_WAIT_US   (10U * SECOND_US)
#define CONFLICTS_MAX     10
#define CONFLICTS_WAIT_US (60U * SECOND_US)
// Probing and announcing, specified (RFC 5227 1.1).
#define PROBES              3
#define PROBE_WAIT_US       SECOND_US
#define PROBE_GAP_MIN_US    SECOND_US
#define PROBE_GAP_CHANCE_US SECOND_US
#define ANNOUNCE_WAIT_US    (2U * SECOND_US)
#define ANNOUNCE_GAP_US     (2U * SECOND_US)
// Quick probing; our choice.
#define QUICK_GAP_US 200000U
// How long a release may take to leave, and how soon a message that could not be written is tried
// again; our choice.
#define RELEASE_WAIT_US SECOND_US
#define BUSY_WAIT_US    10000U
// Steps in one poll: the longest way through states that are due at once.
#define STEPS_MAX 4

static const char *const state_texts[COR_DHCP_STATE_COUNT] = {
#define X(name, text) [COR_DHCP_##name] = text,
    COR_DHCP_STATES(X)
#undef X
};

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_DHCP_COUNTERS(X)
#undef X
};

void cor_dhcp_enter(struct cor_dhcp *dhcp, enum cor_dhcp_state state, uint64_t due_us) {
    dhcp->state = state;
    dhcp->due_us = due_us;
    dhcp->tries = 0;
    dhcp->net->probe_address = 0;
}

static void count_up(uint8_t *count) {
    if (*count < UINT8_MAX) {
        (*count)++;
    }
}

static uint64_t chance_us(const struct cor_dhcp *dhcp, uint32_t below_us) {
    return cor_net_random_below(dhcp->net, below_us);
}

// --- Messages ---

static uint64_t retransmit_us(const struct cor_dhcp *dhcp, uint64_t now_us) {
    uint32_t doublings = dhcp->tries < WAIT_DOUBLINGS ? dhcp->tries : WAIT_DOUBLINGS;
    uint64_t wait_us = (uint64_t)(WAIT_FIRST_S << doublings) * SECOND_US;

    return now_us + wait_us - WAIT_CHANCE_US + chance_us(dhcp, 2U * WAIT_CHANCE_US + 1U);
}

static void set_secs(struct cor_dhcp *dhcp, uint64_t now_us) {
    uint64_t seconds = (now_us - dhcp->start_us) / SECOND_US;

    dhcp->secs = (uint16_t)(seconds < UINT16_MAX ? seconds : UINT16_MAX);
}

// Sends the message to one server or to all. The address is ours to send from only with `owned`.
// False: the last one still stands in the queue of the bus; it is tried again soon.
static bool send_message(
    struct cor_dhcp *dhcp,
    struct cor_dhcp_request *request,
    uint32_t to,
    bool owned,
    uint64_t now_us) {
    uint8_t *room;

    cor_udp_cancel(&dhcp->udp);
    if (cor_udp_pending(&dhcp->udp) != 0) {
        dhcp->due_us = now_us + BUSY_WAIT_US;
        return false;
    }
    cor_udp_set_unaddressed(&dhcp->udp, !owned);
    count_up(&dhcp->tries);
    // A server that cannot be reached is as good as a message lost: time goes on.
    if (cor_udp_connect(&dhcp->udp, to, COR_DHCP_SERVER_PORT, now_us) != COR_OK ||
        cor_udp_send_buf(&dhcp->udp, &room) <= 0) {
        return true;
    }
    request->xid = dhcp->xid;
    request->secs = dhcp->secs;
    request->identity = dhcp->config.identity;
    memcpy(request->mac, dhcp->net->config.mac, sizeof(request->mac));
    if (dhcp->config.host_name != NULL) {
        request->host_name.data = (const uint8_t *)dhcp->config.host_name;
        request->host_name.size_bytes = (uint32_t)strlen(dhcp->config.host_name);
    }
    cor_udp_send_ack(&dhcp->udp, cor_dhcp_emit(request, room), now_us);
    return true;
}

static void discover(struct cor_dhcp *dhcp, uint64_t now_us) {
    struct cor_dhcp_request request = {.type = COR_DHCP_DISCOVER, .requested = dhcp->offered};

    set_secs(dhcp, now_us);
    dhcp->due_us = retransmit_us(dhcp, now_us);
    dhcp->counters.discovers_sent += send_message(dhcp, &request, UINT32_MAX, false, now_us);
}

// For an offer (names its server), or for the last address (does not); RFC 2131 4.3.2.
static void request_new(struct cor_dhcp *dhcp, bool offer, uint64_t now_us) {
    struct cor_dhcp_request request = {
        .type = COR_DHCP_REQUEST,
        .requested = dhcp->offered,
        .server = offer ? dhcp->server : 0,
    };

    if (dhcp->tries == 0) {
        dhcp->asked_us = now_us;
    }
    dhcp->due_us = retransmit_us(dhcp, now_us);
    dhcp->counters.requests_sent += send_message(dhcp, &request, UINT32_MAX, false, now_us);
}

// For more time; RFC 2131 4.3.2, 4.4.5. The next one goes after half of the time left.
static void request_more(struct cor_dhcp *dhcp, uint32_t to, uint64_t until_us, uint64_t now_us) {
    struct cor_dhcp_request request = {
        .type = COR_DHCP_REQUEST,
        .client_address = dhcp->lease.address,
    };
    uint64_t wait_us = (until_us - now_us) / 2;

    if (dhcp->tries == 0) {
        dhcp->asked_us = now_us;
        dhcp->start_us = now_us;
        dhcp->xid = cor_net_random(dhcp->net);
    }
    set_secs(dhcp, now_us);
    dhcp->due_us = now_us + (wait_us > RENEW_GAP_US ? wait_us : RENEW_GAP_US);
    dhcp->due_us = dhcp->due_us < until_us ? dhcp->due_us : until_us;
    dhcp->counters.requests_sent += send_message(dhcp, &request, to, true, now_us);
}

// --- Having an address ---

void cor_dhcp_withdraw(struct cor_dhcp *dhcp, uint64_t now_us) {
    if (!dhcp->in_use) {
        return;
    }
    dhcp->in_use = false;
    cor_net_set_address(dhcp->net, 0, 0, 0, now_us);
    if (dhcp->config.changed != NULL) {
        dhcp->config.changed(dhcp->config.context, NULL);
    }
}

// As withdraw, and the lease is over.
static void lose(struct cor_dhcp *dhcp, uint64_t now_us) {
    dhcp->counters.leases_lost += dhcp->in_use;
    cor_dhcp_withdraw(dhcp, now_us);
    dhcp->lease.address = 0;
}

void cor_dhcp_restart(struct cor_dhcp *dhcp, uint64_t now_us, uint64_t wait_us) {
    lose(dhcp, now_us);
    cor_dhcp_enter(dhcp, COR_DHCP_INIT, now_us + wait_us);
}

static uint64_t bound_due_us(const struct cor_dhcp *dhcp) {
    return dhcp->announce_us < dhcp->lease.renew_us ? dhcp->announce_us : dhcp->lease.renew_us;
}

static void bind_address(struct cor_dhcp *dhcp, uint64_t now_us) {
    const struct cor_dhcp_lease *lease = &dhcp->lease;

    cor_udp_disconnect(&dhcp->udp);
    // A new address is announced twice (RFC 5227 2.3), the first time by the net.
    dhcp->announce_us = dhcp->in_use ? COR_NET_NEVER : now_us + ANNOUNCE_GAP_US;
    dhcp->conflicts = 0;
    dhcp->in_use = true;
    dhcp->offered = lease->address;
    dhcp->server = lease->server;
    cor_dhcp_enter(dhcp, COR_DHCP_BOUND, bound_due_us(dhcp));
    cor_net_set_address(dhcp->net, lease->address, lease->netmask, lease->gateway, now_us);
    if (dhcp->config.changed != NULL) {
        dhcp->config.changed(dhcp->config.context, lease);
    }
}

void cor_dhcp_leased(struct cor_dhcp *dhcp, uint64_t now_us) {
    uint64_t wait_us = 0;

    if (dhcp->in_use || dhcp->config.check == COR_DHCP_CHECK_NONE) {
        bind_address(dhcp, now_us);
        return;
    }
    if (dhcp->config.check == COR_DHCP_CHECK_FULL) {
        wait_us = chance_us(dhcp, PROBE_WAIT_US);
    }
    cor_dhcp_enter(dhcp, COR_DHCP_PROBING, now_us + wait_us);
    dhcp->probes = 0;
    dhcp->net->probe_address = dhcp->lease.address;
}

static void probe(struct cor_dhcp *dhcp, uint64_t now_us) {
    bool quick = dhcp->config.check == COR_DHCP_CHECK_QUICK;
    uint64_t gap_us =
        quick ? QUICK_GAP_US : PROBE_GAP_MIN_US + chance_us(dhcp, PROBE_GAP_CHANCE_US);

    if (now_us >= dhcp->lease.end_us) {
        cor_dhcp_restart(dhcp, now_us, 0);
        return;
    }
    if (dhcp->probes == PROBES) {
        bind_address(dhcp, now_us);
        return;
    }
    dhcp->probes++;
    cor_control_probe(dhcp->net, dhcp->lease.address);
    if (dhcp->probes == PROBES && !quick) {
        gap_us = ANNOUNCE_WAIT_US;
    }
    dhcp->due_us = now_us + gap_us;
}

// The address is somebody else's: the server is told, and we wait before asking again.
static void conflict(void *context, uint64_t now_us) {
    struct cor_dhcp *dhcp = context;
    struct cor_dhcp_request request = {
        .type = COR_DHCP_DECLINE,
        .requested = dhcp->lease.address,
        .server = dhcp->lease.server,
    };

    if (dhcp->state != COR_DHCP_PROBING && !dhcp->in_use) {
        return;
    }
    dhcp->counters.conflicts++;
    count_up(&dhcp->conflicts);
    dhcp->offered = 0;
    lose(dhcp, now_us);
    cor_dhcp_enter(
        dhcp,
        COR_DHCP_DECLINED,
        now_us + (dhcp->conflicts > CONFLICTS_MAX ? CONFLICTS_WAIT_US : DECLINE_WAIT_US));
    uint64_t due_us = dhcp->due_us;
    set_secs(dhcp, now_us);
    dhcp->counters.declines_sent += send_message(dhcp, &request, UINT32_MAX, false, now_us);
    dhcp->due_us = due_us;  // one that could not be sent is not sent later
}

// --- States ---

static void begin(struct cor_dhcp *dhcp, enum cor_dhcp_state state, uint64_t now_us) {
    dhcp->xid = cor_net_random(dhcp->net);
    dhcp->start_us = now_us;
    dhcp->secs = 0;
    cor_dhcp_enter(dhcp, state, now_us);
}

static void requesting(struct cor_dhcp *dhcp, uint64_t now_us) {
    if (dhcp->tries == REQUESTS_MAX) {
        dhcp->offered = 0;
        cor_dhcp_restart(dhcp, now_us, 0);
    } else {
        request_new(dhcp, true, now_us);
    }
}

// Without an answer the last address may be used as long as its lease goes (RFC 2131 3.2 (4)).
static void rebooting(struct cor_dhcp *dhcp, uint64_t now_us) {
    if (dhcp->tries < REBOOTS_MAX) {
        request_new(dhcp, false, now_us);
    } else if (dhcp->lease.address != 0) {
        cor_dhcp_leased(dhcp, now_us);
    } else {
        cor_dhcp_restart(dhcp, now_us, 0);
    }
}

static void bound(struct cor_dhcp *dhcp, uint64_t now_us) {
    if (now_us >= dhcp->announce_us) {
        dhcp->announce_us = COR_NET_NEVER;
        cor_control_announce(dhcp->net);
    }
    if (now_us >= dhcp->lease.renew_us) {
        cor_dhcp_enter(dhcp, COR_DHCP_RENEWING, now_us);
    } else {
        dhcp->due_us = bound_due_us(dhcp);
    }
}

static void renewing(struct cor_dhcp *dhcp, uint64_t now_us) {
    if (now_us >= dhcp->lease.rebind_us) {
        cor_dhcp_enter(dhcp, COR_DHCP_REBINDING, now_us);
    } else {
        request_more(dhcp, dhcp->lease.server, dhcp->lease.rebind_us, now_us);
    }
}

static void rebinding(struct cor_dhcp *dhcp, uint64_t now_us) {
    request_more(dhcp, UINT32_MAX, dhcp->lease.end_us, now_us);
}

static void releasing(struct cor_dhcp *dhcp, uint64_t now_us) {
    if (cor_udp_pending(&dhcp->udp) == 0 || now_us >= dhcp->start_us + RELEASE_WAIT_US) {
        cor_dhcp_stop(dhcp, now_us);
        dhcp->lease.address = 0;
    } else {
        dhcp->due_us = now_us + BUSY_WAIT_US;
    }
}

static void step(struct cor_dhcp *dhcp, uint64_t now_us) {
    switch (dhcp->state) {
    case COR_DHCP_INIT:
    case COR_DHCP_DECLINED:
        begin(dhcp, COR_DHCP_SELECTING, now_us);
        break;
    case COR_DHCP_INIT_REBOOT:
        begin(dhcp, COR_DHCP_REBOOTING, now_us);
        break;
    case COR_DHCP_SELECTING:
        discover(dhcp, now_us);
        break;
    case COR_DHCP_REQUESTING:
        requesting(dhcp, now_us);
        break;
    case COR_DHCP_REBOOTING:
        rebooting(dhcp, now_us);
        break;
    case COR_DHCP_PROBING:
        probe(dhcp, now_us);
        break;
    case COR_DHCP_BOUND:
        bound(dhcp, now_us);
        break;
    case COR_DHCP_RENEWING:
        renewing(dhcp, now_us);
        break;
    case COR_DHCP_REBINDING:
        rebinding(dhcp, now_us);
        break;
    case COR_DHCP_RELEASING:
        releasing(dhcp, now_us);
        break;
    default:
        dhcp->due_us = COR_NET_NEVER;
        break;
    }
}

// --- Polling ---

// The link came back: what was being asked is asked again at once, and a lease is confirmed.
static void relink(struct cor_dhcp *dhcp, uint64_t now_us) {
    dhcp->link_ups = dhcp->net->link_ups;
    if (dhcp->state == COR_DHCP_OFF || dhcp->state == COR_DHCP_DECLINED ||
        dhcp->state == COR_DHCP_RELEASING) {
        return;
    }
    dhcp->failures = 0;
    if (dhcp->lease.address != 0 || dhcp->state == COR_DHCP_INIT_REBOOT ||
        dhcp->state == COR_DHCP_REBOOTING) {
        cor_dhcp_enter(dhcp, COR_DHCP_INIT_REBOOT, now_us);
    } else {
        cor_dhcp_enter(dhcp, COR_DHCP_INIT, now_us);
    }
}

// A lease ends whatever the state, and with or without a link.
static uint64_t end_us(const struct cor_dhcp *dhcp) {
    bool counts = dhcp->lease.address != 0 && dhcp->state != COR_DHCP_OFF &&
                  dhcp->state != COR_DHCP_RELEASING;

    return counts ? dhcp->lease.end_us : COR_NET_NEVER;
}

// Without a link there is nobody to ask; but a release does not wait for one.
static bool is_due(const struct cor_dhcp *dhcp, uint64_t now_us) {
    return now_us >= dhcp->due_us && (!dhcp->net->link_down || dhcp->state == COR_DHCP_RELEASING);
}

uint64_t cor_dhcp_poll(struct cor_dhcp *dhcp, uint64_t now_us) {
    if (dhcp->link_ups != dhcp->net->link_ups) {
        relink(dhcp, now_us);
    }
    if (now_us >= end_us(dhcp)) {
        dhcp->offered = 0;
        cor_dhcp_restart(dhcp, now_us, 0);
    }
    for (uint32_t i = 0; i < STEPS_MAX && is_due(dhcp, now_us); i++) {
        step(dhcp, now_us);
    }
    uint64_t deadline_us = end_us(dhcp);
    bool waits = dhcp->net->link_down && dhcp->state != COR_DHCP_RELEASING;
    return dhcp->due_us < deadline_us && !waits ? dhcp->due_us : deadline_us;
}

// --- For the application ---

static bool is_label(const char *name) {
    size_t size = strlen(name);

    return size >= 1 && size <= COR_DHCP_HOST_NAME_BYTES_MAX;
}

void cor_dhcp_init(
    struct cor_dhcp *dhcp, struct cor_net *net, const struct cor_dhcp_config *config) {
    struct cor_udp_config udp = {
        .memory = (uint8_t *)dhcp->message,
        .slot_bytes = COR_DHCP_ROOM_BYTES,
        .slot_count = 1,
        .slots = &dhcp->slot,
        .local_port = COR_DHCP_CLIENT_PORT,
        .receive = cor_dhcp_receive,
        .context = dhcp,
        .service = true,
    };

    COR_ASSERT(config->host_name == NULL || is_label(config->host_name));
    memset(dhcp, 0, sizeof(*dhcp));
    dhcp->net = net;
    dhcp->config = *config;
    dhcp->due_us = COR_NET_NEVER;
    dhcp->announce_us = COR_NET_NEVER;
    cor_udp_init(&dhcp->udp, net, &udp);
    cor_net_set_conflict(net, conflict, dhcp);
}

void cor_dhcp_remember(struct cor_dhcp *dhcp, uint32_t address) {
    COR_ASSERT(dhcp->state == COR_DHCP_OFF);
    memset(&dhcp->lease, 0, sizeof(dhcp->lease));
    dhcp->offered = cor_dhcp_is_host(address) ? address : 0;
}

void cor_dhcp_start(struct cor_dhcp *dhcp, uint64_t now_us) {
    if (dhcp->state != COR_DHCP_OFF) {
        return;
    }
    dhcp->link_ups = dhcp->net->link_ups;
    dhcp->failures = 0;
    dhcp->conflicts = 0;
    if (dhcp->lease.address != 0 && now_us >= dhcp->lease.end_us) {
        dhcp->lease.address = 0;
        dhcp->offered = 0;
    }
    cor_udp_set_unaddressed(&dhcp->udp, true);
    cor_dhcp_enter(dhcp, dhcp->offered != 0 ? COR_DHCP_INIT_REBOOT : COR_DHCP_INIT, now_us);
}

void cor_dhcp_release(struct cor_dhcp *dhcp, uint64_t now_us) {
    struct cor_dhcp_request request = {
        .type = COR_DHCP_RELEASE,
        .client_address = dhcp->lease.address,
        .server = dhcp->lease.server,
    };

    if (!dhcp->in_use) {
        cor_dhcp_stop(dhcp, now_us);
        dhcp->lease.address = 0;
        return;
    }
    begin(dhcp, COR_DHCP_RELEASING, now_us);
    dhcp->offered = 0;
    dhcp->counters.releases_sent += send_message(dhcp, &request, dhcp->lease.server, true, now_us);
    dhcp->due_us = now_us + BUSY_WAIT_US;
}

void cor_dhcp_stop(struct cor_dhcp *dhcp, uint64_t now_us) {
    if (dhcp->state == COR_DHCP_REQUESTING) {
        dhcp->offered = 0;  // an offer is not yet an address
    }
    cor_udp_disconnect(&dhcp->udp);
    cor_udp_set_unaddressed(&dhcp->udp, false);
    cor_dhcp_enter(dhcp, COR_DHCP_OFF, COR_NET_NEVER);
    cor_dhcp_withdraw(dhcp, now_us);
}

enum cor_status cor_dhcp_close(struct cor_dhcp *dhcp) {
    COR_ASSERT(dhcp->state == COR_DHCP_OFF);
    cor_net_set_conflict(dhcp->net, NULL, NULL);
    return cor_udp_release(&dhcp->udp);
}

enum cor_dhcp_state cor_dhcp_state(const struct cor_dhcp *dhcp) {
    return dhcp->state;
}

const char *cor_dhcp_state_text(enum cor_dhcp_state state) {
    return state < COR_DHCP_STATE_COUNT ? state_texts[state] : "unknown";
}

const struct cor_dhcp_lease *cor_dhcp_lease(const struct cor_dhcp *dhcp) {
    return dhcp->in_use ? &dhcp->lease : NULL;
}

const struct cor_dhcp_counters *cor_dhcp_get_counters(const struct cor_dhcp *dhcp) {
    return &dhcp->counters;
}

const struct cor_counter_info *cor_dhcp_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}
