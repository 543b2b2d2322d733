// SPDX-License-Identifier: MIT
// Listening: SYNs into slots, and open connections to the application.
//
//     free -> half-open -> ready -> taken -> free
//        ^________|___________|  (failed before the application knew of it)
#include "coradio/tcp_listen.h"

#include "net/tcp_parts.h"

#include <string.h>

#include "coradio/assert.h"

// Our choice: three SYN-ACKs at 1, 2 and 4 s and time for the last to be answered.
#define HALF_OPEN_US 30000000U

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_TCP_LISTEN_COUNTERS(X)
#undef X
};

struct cor_tcp_listener *cor_tcp_listener_find(const struct cor_net *net, uint16_t port) {
    for (struct cor_tcp_listener *at = net->listeners; at != NULL; at = at->next) {
        if (at->config.port == port) {
            return at;
        }
    }
    return NULL;
}

bool cor_tcp_is_listening(const struct cor_net *net, uint16_t port) {
    return cor_tcp_listener_find(net, port) != NULL;
}

enum cor_status cor_tcp_listen(
    struct cor_tcp_listener *listener,
    struct cor_net *net,
    const struct cor_tcp_listen_config *config) {
    if (config->port == 0) {
        return COR_E_ARG;
    }
    if (cor_tcp_listener_find(net, config->port) != NULL) {
        return COR_E_STATE;
    }
    memset(listener, 0, sizeof(*listener));
    listener->net = net;
    listener->config = *config;
    if (listener->config.half_open_us == 0) {
        listener->config.half_open_us = HALF_OPEN_US;
    }
    if (listener->config.half_open_max == 0) {
        listener->config.half_open_max = config->block_count;
    }
    for (uint32_t i = 0; i < config->block_count; i++) {
        struct cor_tcp *tcp = config->blocks[i];

        COR_ASSERT(tcp->socket.net == net && tcp->listener == NULL);
        COR_ASSERT(tcp->state == COR_TCP_CLOSED);
        tcp->listener = listener;
        tcp->slot = COR_TCP_SLOT_FREE;
    }
    listener->next = net->listeners;
    net->listeners = listener;
    return COR_OK;
}

void cor_tcp_unlisten(struct cor_tcp_listener *listener, uint64_t now_us) {
    struct cor_tcp_listener **link = &listener->net->listeners;

    for (uint32_t i = 0; i < listener->config.block_count; i++) {
        struct cor_tcp *tcp = listener->config.blocks[i];

        tcp->listener = NULL;
        if (tcp->slot != COR_TCP_SLOT_TAKEN) {
            tcp->slot = COR_TCP_SLOT_TAKEN;
            cor_tcp_abort(tcp, now_us);
        }
    }
    while (*link != listener) {
        COR_ASSERT(*link != NULL);
        link = &(*link)->next;
    }
    *link = listener->next;
}

// --- Slots ---

static bool is_over(const struct cor_tcp *tcp) {
    return tcp->state == COR_TCP_CLOSED || tcp->state == COR_TCP_TIME_WAIT;
}

// The oldest slot of this kind whose block no frame of ours still points into.
static struct cor_tcp *oldest(
    const struct cor_tcp_listener *listener, enum cor_tcp_slot slot, bool over) {
    struct cor_tcp *found = NULL;

    for (uint32_t i = 0; i < listener->config.block_count; i++) {
        struct cor_tcp *tcp = listener->config.blocks[i];

        if (tcp->slot == slot && is_over(tcp) == over && tcp->queued_count == 0 &&
            (found == NULL || cor_seq_before(tcp->slot_order, found->slot_order))) {
            found = tcp;
        }
    }
    return found;
}

static uint32_t half_open_count(const struct cor_tcp_listener *listener) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < listener->config.block_count; i++) {
        count += listener->config.blocks[i]->slot == COR_TCP_SLOT_HALF_OPEN;
    }
    return count;
}

// A slot for a new connection: a free one, the oldest handshake, the oldest that is still closing.
static struct cor_tcp *take_slot(struct cor_tcp_listener *listener) {
    struct cor_tcp *tcp = NULL;

    if (half_open_count(listener) < listener->config.half_open_max) {
        tcp = oldest(listener, COR_TCP_SLOT_FREE, true);
    }
    if (tcp != NULL) {
        return tcp;
    }
    tcp = oldest(listener, COR_TCP_SLOT_HALF_OPEN, false);
    if (tcp != NULL) {
        listener->counters.recycled++;
        cor_tcp_end(tcp, COR_E_TIMEOUT);
        return tcp;
    }
    tcp = oldest(listener, COR_TCP_SLOT_FREE, false);
    if (tcp != NULL) {
        listener->counters.closing_ended++;
        cor_tcp_end_reset(tcp, COR_E_TIMEOUT);
    }
    return tcp;
}

// --- Segments for nobody ---

bool cor_tcp_listen_input(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header,
    const uint32_t *beyond) {
    struct cor_tcp_listener *listener = cor_tcp_listener_find(net, header->to_port);

    // RFC 9293 3.10.7.2: a reset is ignored, an acknowledgement refused.
    if (listener == NULL || (header->flags & COR_TCP_ACK) != 0) {
        return false;
    }
    if ((header->flags & (COR_TCP_SYN | COR_TCP_RST | COR_TCP_FIN)) != COR_TCP_SYN) {
        return true;
    }
    listener->counters.syns++;
    listener->counters.time_wait_left += beyond != NULL;
    struct cor_tcp *tcp = take_slot(listener);
    if (tcp == NULL) {
        listener->counters.full++;
        return listener->config.silent;
    }
    if (tcp->state == COR_TCP_TIME_WAIT) {
        cor_tcp_wait_add(tcp, now_us);
        cor_tcp_end(tcp, COR_OK);
    }
    tcp->slot = COR_TCP_SLOT_HALF_OPEN;
    tcp->slot_order = listener->order++;
    cor_tcp_open_passive(tcp, now_us, packet, header, beyond);
    tcp->linger_us = now_us + listener->config.half_open_us;
    cor_net_wake(net, tcp->linger_us);
    return true;
}

// --- What becomes of a slot ---

bool cor_tcp_slot_opened(struct cor_tcp *tcp, uint64_t now_us) {
    if (tcp->slot != COR_TCP_SLOT_HALF_OPEN) {
        return false;
    }
    // From now on its hardware address is kept up to date; with no entry free it stays as it is.
    if (cor_neighbour_hold(&tcp->socket, now_us) != COR_OK) {
        tcp->listener->counters.no_neighbour++;
    }
    tcp->slot = COR_TCP_SLOT_READY;
    tcp->listener->counters.opened++;
    return tcp->listener->config.accept != NULL;
}

void cor_tcp_slot_ended(struct cor_tcp *tcp) {
    if (tcp->slot == COR_TCP_SLOT_HALF_OPEN || tcp->slot == COR_TCP_SLOT_READY) {
        tcp->slot = COR_TCP_SLOT_FREE;
    }
}

void cor_tcp_slot_poll(struct cor_tcp *tcp) {
    struct cor_tcp_listener *listener = tcp->listener;

    if (tcp->slot == COR_TCP_SLOT_READY && listener->config.accept != NULL) {
        tcp->slot = COR_TCP_SLOT_TAKEN;
        listener->counters.accepted++;
        listener->config.accept(listener->config.context, tcp);
    }
}

struct cor_tcp *cor_tcp_accept(struct cor_tcp_listener *listener) {
    struct cor_tcp *found = NULL;

    for (uint32_t i = 0; i < listener->config.block_count; i++) {
        struct cor_tcp *tcp = listener->config.blocks[i];

        if (tcp->slot == COR_TCP_SLOT_READY &&
            (found == NULL || cor_seq_before(tcp->slot_order, found->slot_order))) {
            found = tcp;
        }
    }
    if (found != NULL) {
        found->slot = COR_TCP_SLOT_TAKEN;
        listener->counters.accepted++;
    }
    return found;
}

void cor_tcp_give(struct cor_tcp *tcp, uint64_t now_us) {
    COR_ASSERT(tcp->slot == COR_TCP_SLOT_TAKEN);
    (void)cor_tcp_finish(tcp, now_us);  // COR_E_STATE: it is over already
    tcp->receive.events = 0;
    if (tcp->listener != NULL) {
        tcp->slot = COR_TCP_SLOT_FREE;
    }
}

const struct cor_tcp_listen_counters *cor_tcp_listen_get_counters(
    const struct cor_tcp_listener *listener) {
    return &listener->counters;
}

const struct cor_counter_info *cor_tcp_listen_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}
