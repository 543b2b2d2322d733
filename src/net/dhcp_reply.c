// SPDX-License-Identifier: MIT
// What a DHCP server says: whether it is for us, whether it is possible, and what follows from it.
#include "net/dhcp_parts.h"
#include "net/net_parts.h"

#include <string.h>

#include "coradio/ip4.h"

#define SECOND_US 1000000U
// After refusals in a row the next attempt waits 1, 2, 4 .. 64 s, so that a server that offers and
// refuses makes no storm; our choice, after the back-off of RFC 2131 4.1.
#define REFUSALS_MAX 7

_Static_assert(COR_DHCP_ROOM_BYTES == COR_DHCP_MESSAGE_BYTES_MAX, "the room takes any message");
_Static_assert(
    COR_DHCP_ADDRESSES == COR_DHCP_LIST_MAX, "the lists of a lease are those of a reply");

bool cor_dhcp_is_host(uint32_t address) {
    uint32_t network = address >> 24;

    return network != 0 && network != 127 && network < 224;
}

static bool is_netmask(uint32_t netmask) {
    uint32_t hosts = ~netmask;

    return netmask != 0 && (hosts & (hosts + 1)) == 0;
}

// Where the server says none: by the class of the address, specified (RFC 791 3.2).
static uint32_t class_netmask(uint32_t address) {
    if (address >> 31 == 0) {
        return 0xFF000000;
    }
    return address >> 30 == 2 ? 0xFFFF0000 : 0xFFFFFF00;
}

// For us, in this transaction? A server that sends back a client identifier sends ours (RFC 6842).
static bool is_ours(const struct cor_dhcp *dhcp, const struct cor_dhcp_reply *reply) {
    uint8_t client_id[COR_DHCP_CLIENT_ID_BYTES];

    if (reply->xid != dhcp->xid ||
        memcmp(reply->mac, dhcp->net->config.mac, sizeof(reply->mac)) != 0) {
        return false;
    }
    cor_dhcp_client_id(reply->mac, dhcp->config.identity, client_id);
    return reply->client_id.size_bytes == 0 ||
           (reply->client_id.size_bytes == sizeof(client_id) &&
            memcmp(reply->client_id.data, client_id, sizeof(client_id)) == 0);
}

// An address that a host can have, a lease that lasts, and a server that can be asked again.
static bool is_usable(const struct cor_dhcp_reply *reply) {
    uint32_t netmask = is_netmask(reply->netmask) ? reply->netmask : class_netmask(reply->address);
    uint32_t host = reply->address & ~netmask;

    return cor_dhcp_is_host(reply->address) && cor_dhcp_is_host(reply->server) &&
           reply->lease_given && reply->lease_s != 0 &&
           (~netmask <= 1 || (host != 0 && host != ~netmask));
}

static uint64_t later(uint64_t from_us, uint32_t seconds) {
    return from_us + (uint64_t)seconds * SECOND_US;
}

// T1 and T2: what the server says if it is in order, else a half and seven eighths of the lease,
// less up to 1/64 of it, so that hosts that came together do not ask together (RFC 2131 4.4.5).
static void set_times(struct cor_dhcp *dhcp, const struct cor_dhcp_reply *reply) {
    struct cor_dhcp_lease *lease = &dhcp->lease;
    uint32_t lease_s = reply->lease_s;
    uint32_t renew_s = reply->renew_s;
    uint32_t rebind_s = reply->rebind_s;

    lease->lease_s = lease_s;
    lease->renew_us = COR_NET_NEVER;
    lease->rebind_us = COR_NET_NEVER;
    lease->end_us = COR_NET_NEVER;
    if (lease_s == COR_DHCP_FOREVER) {
        return;
    }
    if (rebind_s == 0 || rebind_s >= lease_s) {
        rebind_s = lease_s - lease_s / 8 - cor_net_random_below(dhcp->net, lease_s / 64 + 1);
    }
    if (renew_s == 0 || renew_s >= rebind_s) {
        renew_s = lease_s / 2 - cor_net_random_below(dhcp->net, lease_s / 64 + 1);
        renew_s = renew_s < rebind_s ? renew_s : rebind_s;
    }
    lease->renew_us = later(dhcp->asked_us, renew_s);
    lease->rebind_us = later(dhcp->asked_us, rebind_s);
    lease->end_us = later(dhcp->asked_us, lease_s);
}

// Addresses a host can have, in the order they came.
static uint8_t copy_hosts(uint32_t *to, const uint32_t *from, uint8_t count) {
    uint8_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (cor_dhcp_is_host(from[i])) {
            to[kept++] = from[i];
        }
    }
    return kept;
}

// The domain goes to applications as text, so that it has letters, digits, '-' and '.' only.
static void set_domain(struct cor_dhcp_lease *lease, struct cor_span domain) {
    memset(lease->domain, 0, sizeof(lease->domain));
    if (domain.size_bytes >= sizeof(lease->domain)) {
        return;
    }
    for (uint32_t i = 0; i < domain.size_bytes; i++) {
        uint8_t byte = domain.data[i];
        uint8_t lower = (uint8_t)(byte | 0x20);

        if (byte == 0 && i + 1 == domain.size_bytes) {
            break;  // some servers count a NUL in
        }
        if (!(lower >= 'a' && lower <= 'z') && !(byte >= '0' && byte <= '9') && byte != '-' &&
            byte != '.') {
            memset(lease->domain, 0, sizeof(lease->domain));
            return;
        }
        lease->domain[i] = (char)byte;
    }
}

static void set_lease(struct cor_dhcp *dhcp, const struct cor_dhcp_reply *reply) {
    struct cor_dhcp_lease *lease = &dhcp->lease;
    uint32_t routers[COR_DHCP_LIST_MAX] = {0};

    lease->address = reply->address;
    lease->server = reply->server;
    lease->netmask = is_netmask(reply->netmask) ? reply->netmask : class_netmask(reply->address);
    (void)copy_hosts(routers, reply->routers, reply->router_count);
    lease->gateway = routers[0] != reply->address ? routers[0] : 0;
    lease->dns_count = copy_hosts(lease->dns, reply->dns, reply->dns_count);
    lease->ntp_count = copy_hosts(lease->ntp, reply->ntp, reply->ntp_count);
    set_domain(lease, reply->domain);
    set_times(dhcp, reply);
}

static bool has_lease(const struct cor_dhcp *dhcp) {
    return dhcp->state == COR_DHCP_REBOOTING || dhcp->state == COR_DHCP_RENEWING ||
           dhcp->state == COR_DHCP_REBINDING;
}

static void take_offer(struct cor_dhcp *dhcp, const struct cor_dhcp_reply *reply, uint64_t now_us) {
    if (dhcp->state != COR_DHCP_SELECTING) {
        dhcp->counters.drop_late++;
        return;
    }
    if (!is_usable(reply)) {
        dhcp->counters.drop_address++;
        return;
    }
    // The first one that can be used: a second one may never come.
    dhcp->counters.offers_taken++;
    dhcp->counters.options_ignored += reply->ignored;
    dhcp->offered = reply->address;
    dhcp->server = reply->server;
    cor_dhcp_enter(dhcp, COR_DHCP_REQUESTING, now_us);
}

static void take_ack(struct cor_dhcp *dhcp, const struct cor_dhcp_reply *reply, uint64_t now_us) {
    bool requesting = dhcp->state == COR_DHCP_REQUESTING;

    if ((!requesting && !has_lease(dhcp)) || dhcp->tries == 0) {
        dhcp->counters.drop_late++;
        return;
    }
    if (!is_usable(reply) || reply->address != dhcp->offered ||
        (requesting && reply->server != dhcp->server)) {
        dhcp->counters.drop_address++;
        return;
    }
    dhcp->counters.acks_taken++;
    dhcp->counters.options_ignored += reply->ignored;
    dhcp->failures = 0;
    set_lease(dhcp, reply);
    cor_dhcp_leased(dhcp, now_us);
}

static void take_nak(struct cor_dhcp *dhcp, const struct cor_dhcp_reply *reply, uint64_t now_us) {
    // Asked was one server, whose word counts, or all of them.
    bool one = dhcp->state == COR_DHCP_REQUESTING || dhcp->state == COR_DHCP_RENEWING;
    uint64_t wait_us = 0;

    if ((dhcp->state != COR_DHCP_REQUESTING && !has_lease(dhcp)) || dhcp->tries == 0) {
        dhcp->counters.drop_late++;
        return;
    }
    if (one && reply->server != dhcp->server) {
        dhcp->counters.drop_address++;
        return;
    }
    dhcp->counters.naks_taken++;
    if (dhcp->failures != 0) {
        wait_us = (uint64_t)SECOND_US << (dhcp->failures - 1);
    }
    if (dhcp->failures < REFUSALS_MAX) {
        dhcp->failures++;
    }
    dhcp->offered = 0;
    cor_dhcp_restart(dhcp, now_us, wait_us);
}

void cor_dhcp_receive(void *context, const struct cor_udp_datagram *datagram) {
    struct cor_dhcp *dhcp = context;
    struct cor_dhcp_reply reply;

    if (datagram->port != COR_DHCP_SERVER_PORT ||
        cor_dhcp_parse(&reply, datagram->data, datagram->size_bytes) != COR_OK) {
        dhcp->counters.drop_message++;
        return;
    }
    if (!is_ours(dhcp, &reply)) {
        dhcp->counters.drop_other++;
        return;
    }
    switch (reply.type) {
    case COR_DHCP_OFFER:
        take_offer(dhcp, &reply, datagram->now_us);
        break;
    case COR_DHCP_ACK:
        take_ack(dhcp, &reply, datagram->now_us);
        break;
    case COR_DHCP_NAK:
        take_nak(dhcp, &reply, datagram->now_us);
        break;
    default:
        dhcp->counters.drop_message++;
        break;
    }
}
