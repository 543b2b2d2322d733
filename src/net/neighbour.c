// SPDX-License-Identifier: MIT
// Neighbours: the ARP cache.
//
// An entry is made only because a socket wants to reach the address; packets that nobody asked for
// change entries but make none (RFC 5227 and common practice against spoofing). A known address is
// asked for again by unicast before it grows old, so that a running transfer never waits for ARP.
#include "net/net_parts.h"
#include "wire/arp.h"
#include "wire/ethernet.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/ip4.h"

enum state { FREE, PENDING, VALID, PROBING, FAILED };
enum request { NONE, BROADCAST, UNICAST };

// At most one request a second for one address, specified (RFC 1122 2.3.2.1).
#define REQUEST_GAP_US 1000000U
// Requests without an answer until we say that nobody is there, so 4 s; our choice.
#define REQUESTS_MAX 4
// Of those for an address already known, this many are unicast (RFC 1122 2.3.2.1 (2)).
#define UNICASTS_MAX 2
// How long an answer is believed before it is asked for again; our choice, RFC 1122 suggests
// minutes.
#define LIFETIME_US 300000000U
// How often our address is defended, specified (RFC 5227 1.1, DEFEND_INTERVAL).
#define DEFEND_GAP_US 10000000U

static const uint8_t mac_broadcast[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

static bool known(const struct cor_neighbour *entry) {
    return entry->state == VALID || entry->state == PROBING;
}

static void set_request(struct cor_net *net, struct cor_neighbour *entry, enum request request) {
    if (entry->request == NONE && request != NONE) {
        net->requests_waiting++;
    } else if (entry->request != NONE && request == NONE) {
        net->requests_waiting--;
    }
    entry->request = (uint8_t)request;
}

static void ask(struct cor_net *net, struct cor_neighbour *entry, enum state state) {
    entry->state = (uint8_t)state;
    entry->request_count = 0;
    entry->due_us = COR_NET_NEVER;
    set_request(net, entry, BROADCAST);
    cor_net_wake(net, entry->allowed_us);
}

static void give_up(struct cor_net *net, struct cor_neighbour *entry) {
    set_request(net, entry, NONE);
    memset(entry, 0, sizeof(*entry));
    entry->due_us = COR_NET_NEVER;
}

static void tell_holders(
    struct cor_net *net, const struct cor_neighbour *entry, const uint8_t *mac) {
    struct cor_net_socket *next;

    // A socket may leave the entry in its callback, but not the list.
    for (struct cor_net_socket *socket = net->sockets; socket != NULL; socket = next) {
        next = socket->next;
        if (socket->neighbour >= 0 && &net->neighbours[socket->neighbour] == entry) {
            socket->ops->neighbour(socket, mac);
        }
    }
}

static struct cor_neighbour *find(struct cor_net *net, uint32_t address) {
    for (uint32_t i = 0; i < COR_NET_NEIGHBOURS; i++) {
        if (net->neighbours[i].state != FREE && net->neighbours[i].address == address) {
            return &net->neighbours[i];
        }
    }
    return NULL;
}

// A free entry, or the one that has been without a holder the longest.
static struct cor_neighbour *make(struct cor_net *net, uint32_t address) {
    struct cor_neighbour *best = NULL;

    for (uint32_t i = 0; i < COR_NET_NEIGHBOURS; i++) {
        struct cor_neighbour *entry = &net->neighbours[i];

        if (entry->holders != 0) {
            continue;
        }
        if (best == NULL || entry->state == FREE ||
            (best->state != FREE && entry->used_us < best->used_us)) {
            best = entry;
        }
    }
    if (best != NULL) {
        give_up(net, best);
        best->address = address;
        ask(net, best, PENDING);
    }
    return best;
}

bool cor_neighbour_is_broadcast(const struct cor_net *net, uint32_t address) {
    uint32_t hosts = ~net->config.netmask;

    // A netmask of 31 or 32 bits has no broadcast address (RFC 3021).
    return address == UINT32_MAX || (hosts > 1 && (address & hosts) == hosts &&
                                     ((address ^ net->config.address) & ~hosts) == 0);
}

void cor_neighbour_group_mac(uint32_t address, uint8_t *mac) {
    // Specified (RFC 1112 6.4): the low 23 bits of the address.
    mac[0] = 0x01;
    mac[1] = 0x00;
    mac[2] = 0x5E;
    mac[3] = (uint8_t)((address >> 16) & 0x7F);
    mac[4] = (uint8_t)(address >> 8);
    mac[5] = (uint8_t)address;
}

// The hardware address of a group; false: the address is a host's.
static bool group_mac(const struct cor_net *net, uint32_t address, uint8_t *mac) {
    if (cor_neighbour_is_broadcast(net, address)) {
        memcpy(mac, mac_broadcast, sizeof(mac_broadcast));
        return true;
    }
    if (!cor_ip4_is_multicast(address)) {
        return false;
    }
    cor_neighbour_group_mac(address, mac);
    return true;
}

// The host on the link that a packet to this address goes to; 0: there is no way. Without an own
// address there is nobody to ask for: the request would be a probe (RFC 5227).
static uint32_t next_hop(const struct cor_net *net, uint32_t address) {
    if (net->config.address == 0) {
        return 0;
    }
    bool on_link = ((address ^ net->config.address) & net->config.netmask) == 0;
    return on_link ? address : net->config.gateway;
}

// The entry of the next hop, which is asked for if it has to be.
static enum cor_status use(
    struct cor_net *net, uint32_t address, uint64_t now_us, struct cor_neighbour **entry) {
    uint32_t hop = next_hop(net, address);

    if (hop == 0) {
        return COR_E_UNREACHABLE;
    }
    *entry = find(net, hop);
    if (*entry == NULL) {
        *entry = make(net, hop);
    } else if ((*entry)->state == FAILED) {
        ask(net, *entry, PENDING);
    }
    if (*entry == NULL) {
        return COR_E_NOMEM;
    }
    (*entry)->used_us = now_us;
    return COR_OK;
}

enum cor_status cor_neighbour_ask(
    struct cor_net *net, uint32_t address, uint64_t now_us, uint8_t *mac) {
    struct cor_neighbour *entry;

    if (group_mac(net, address, mac)) {
        return COR_OK;
    }
    enum cor_status status = use(net, address, now_us, &entry);
    if (status != COR_OK) {
        return status;
    }
    entry->wanted = known(entry);
    return cor_neighbour_look(net, address, mac);
}

enum cor_status cor_neighbour_look(struct cor_net *net, uint32_t address, uint8_t *mac) {
    if (group_mac(net, address, mac)) {
        return COR_OK;
    }
    uint32_t hop = next_hop(net, address);
    const struct cor_neighbour *entry = hop != 0 ? find(net, hop) : NULL;
    if (entry == NULL || entry->state == FAILED) {
        return COR_E_UNREACHABLE;
    }
    if (!known(entry)) {
        return COR_AGAIN;
    }
    memcpy(mac, entry->mac, sizeof(entry->mac));
    return COR_OK;
}

enum cor_status cor_neighbour_hold(struct cor_net_socket *socket, uint64_t now_us) {
    struct cor_net *net = socket->net;
    struct cor_neighbour *entry;
    uint8_t mac[6];

    COR_ASSERT(socket->neighbour < 0);
    if (group_mac(net, socket->remote_address, mac)) {
        socket->ops->neighbour(socket, mac);
        return COR_OK;
    }
    enum cor_status status = use(net, socket->remote_address, now_us, &entry);
    if (status != COR_OK) {
        return status;
    }
    entry->holders++;
    socket->neighbour = (int8_t)(entry - net->neighbours);
    if (known(entry)) {
        socket->ops->neighbour(socket, entry->mac);
    }
    return COR_OK;
}

void cor_neighbour_drop(struct cor_net_socket *socket) {
    if (socket->neighbour >= 0) {
        COR_ASSERT(socket->net->neighbours[socket->neighbour].holders > 0);
        socket->net->neighbours[socket->neighbour].holders--;
        socket->neighbour = -1;
    }
}

void cor_neighbour_refresh(const struct cor_net_socket *socket) {
    if (socket->neighbour >= 0) {
        struct cor_neighbour *entry = &socket->net->neighbours[socket->neighbour];

        if (entry->state == VALID) {
            ask(socket->net, entry, PROBING);
        } else if (entry->state == FAILED) {
            ask(socket->net, entry, PENDING);
        }
    }
}

bool cor_neighbour_mac(const struct cor_net_socket *socket, uint8_t *mac) {
    if (socket->neighbour < 0) {
        return socket->remote_address != 0 && group_mac(socket->net, socket->remote_address, mac);
    }
    const struct cor_neighbour *entry = &socket->net->neighbours[socket->neighbour];
    if (!known(entry)) {
        return false;
    }
    memcpy(mac, entry->mac, sizeof(entry->mac));
    return true;
}

static void learn(
    struct cor_net *net, struct cor_neighbour *entry, uint64_t now_us, const uint8_t *mac) {
    bool was_known = known(entry);
    bool changed = memcmp(entry->mac, mac, sizeof(entry->mac)) != 0;

    net->counters.arp_learned += !was_known;
    net->counters.arp_changed += was_known && changed;
    memcpy(entry->mac, mac, sizeof(entry->mac));
    entry->state = VALID;
    entry->request_count = 0;
    entry->due_us = now_us + LIFETIME_US;
    entry->wanted = false;
    set_request(net, entry, NONE);
    cor_net_wake(net, entry->due_us);
    if (!was_known || changed) {
        tell_holders(net, entry, entry->mac);
    }
}

// Somebody else uses our address (RFC 5227 2.4 (b)): defend it once in 10 s.
static void defend(struct cor_net *net, uint64_t now_us) {
    net->counters.arp_conflicts++;
    if (now_us >= net->defended_us) {
        net->defended_us = now_us + DEFEND_GAP_US;
        cor_control_announce(net);
    } else if (net->conflict != NULL) {
        net->conflict(net->conflict_context, now_us);
    }
}

// Somebody has the address we probe for, or probes for it too (RFC 5227 2.1.1).
static bool probe_fails(const struct cor_net *net, const struct cor_arp *arp) {
    bool probe = arp->sender_address == 0 && arp->operation == COR_ARP_REQUEST;

    return net->probe_address != 0 && (arp->sender_address == net->probe_address ||
                                       (probe && arp->target_address == net->probe_address));
}

void cor_neighbour_input(
    struct cor_net *net, uint64_t now_us, const uint8_t *data, uint32_t size_bytes) {
    struct cor_arp arp;

    if (cor_arp_parse(&arp, data, size_bytes) != COR_OK || cor_ethernet_is_group(arp.sender_mac)) {
        net->counters.drop_arp++;
        return;
    }
    if (memcmp(arp.sender_mac, net->config.mac, sizeof(arp.sender_mac)) == 0) {
        return;  // our own, sent back by the access point
    }
    if (probe_fails(net, &arp) && net->conflict != NULL) {
        net->counters.arp_conflicts++;
        net->conflict(net->conflict_context, now_us);
        return;
    }
    if (arp.sender_address != 0 && arp.sender_address == net->config.address) {
        defend(net, now_us);
        return;
    }
    struct cor_neighbour *entry = arp.sender_address != 0 ? find(net, arp.sender_address) : NULL;
    if (entry != NULL) {
        learn(net, entry, now_us, arp.sender_mac);
    }
    if (arp.operation == COR_ARP_REQUEST && arp.target_address == net->config.address &&
        arp.target_address != 0) {
        struct cor_net_control control = {
            .kind = COR_NET_ARP_REPLY,
            .address = arp.sender_address,
        };

        memcpy(control.mac, arp.sender_mac, sizeof(control.mac));
        cor_control_push(net, &control);
    }
}

static void emit_request(
    struct cor_net *net, const struct cor_neighbour *entry, struct cor_frame_tx *tx) {
    struct cor_arp arp = {
        .operation = COR_ARP_REQUEST,
        .sender_address = net->config.address,
        .target_address = entry->address,
    };
    const uint8_t *to = entry->request == UNICAST ? entry->mac : mac_broadcast;

    memcpy(arp.sender_mac, net->config.mac, sizeof(arp.sender_mac));
    cor_ethernet_emit(tx->head, to, net->config.mac, COR_ETHERNET_TYPE_ARP);
    cor_arp_emit(&arp, tx->head + COR_ETHERNET_BYTES);
    tx->head_bytes = COR_ETHERNET_BYTES + COR_ARP_BYTES;
}

bool cor_neighbour_pull(struct cor_net *net, uint64_t now_us, struct cor_frame_tx *tx) {
    for (uint32_t i = 0; i < COR_NET_NEIGHBOURS; i++) {
        struct cor_neighbour *entry = &net->neighbours[i];

        if (entry->request == NONE || now_us < entry->allowed_us) {
            continue;
        }
        emit_request(net, entry, tx);
        set_request(net, entry, NONE);
        entry->request_count++;
        entry->allowed_us = now_us + REQUEST_GAP_US;
        entry->due_us = entry->allowed_us;
        cor_net_wake(net, entry->due_us);
        net->counters.arp_requests_sent++;
        return true;
    }
    return false;
}

static void poll_entry(struct cor_net *net, struct cor_neighbour *entry) {
    entry->due_us = COR_NET_NEVER;
    if (entry->state == VALID) {
        if (entry->holders == 0 && !entry->wanted) {
            give_up(net, entry);
            return;
        }
        entry->state = PROBING;
        entry->request_count = 0;
        set_request(net, entry, UNICAST);
    } else if (entry->request_count < REQUESTS_MAX) {
        bool unicast = entry->state == PROBING && entry->request_count < UNICASTS_MAX;

        set_request(net, entry, unicast ? UNICAST : BROADCAST);
    } else {
        entry->state = FAILED;
        net->counters.arp_failed++;
        tell_holders(net, entry, NULL);
        if (entry->holders == 0) {
            give_up(net, entry);
        }
    }
}

void cor_neighbour_poll(struct cor_net *net, uint64_t now_us) {
    // Without a link nobody can answer: that is no reason to give up.
    for (uint32_t i = 0; i < COR_NET_NEIGHBOURS && !net->link_down; i++) {
        struct cor_neighbour *entry = &net->neighbours[i];

        if (entry->state != FREE && now_us >= entry->due_us) {
            poll_entry(net, entry);
        }
    }
}

uint64_t cor_neighbour_deadline(const struct cor_net *net, uint64_t now_us) {
    uint64_t deadline_us = COR_NET_NEVER;

    for (uint32_t i = 0; i < COR_NET_NEIGHBOURS && !net->link_down; i++) {
        const struct cor_neighbour *entry = &net->neighbours[i];

        if (entry->state != FREE && entry->due_us < deadline_us) {
            deadline_us = entry->due_us;
        }
        // A request that may go waits for pull(), not for a poll.
        if (entry->request != NONE && entry->allowed_us > now_us &&
            entry->allowed_us < deadline_us) {
            deadline_us = entry->allowed_us;
        }
    }
    return deadline_us;
}

void cor_net_set_conflict(struct cor_net *net, cor_net_conflict_fn conflict, void *context) {
    net->conflict = conflict;
    net->conflict_context = context;
}

void cor_neighbour_forget(struct cor_net *net) {
    for (uint32_t i = 0; i < COR_NET_NEIGHBOURS; i++) {
        COR_ASSERT(net->neighbours[i].holders == 0);
        give_up(net, &net->neighbours[i]);
    }
}

void cor_neighbour_link_up(struct cor_net *net, uint64_t now_us) {
    for (uint32_t i = 0; i < COR_NET_NEIGHBOURS; i++) {
        struct cor_neighbour *entry = &net->neighbours[i];

        if (entry->state == PENDING || (entry->state == FAILED && entry->holders != 0)) {
            ask(net, entry, PENDING);
            entry->allowed_us = now_us;
        }
    }
    cor_net_wake(net, now_us);
}
