// SPDX-License-Identifier: MIT
// UDP without a peer: datagrams to any host. Each slot is on its own, since a datagram whose host
// is not known yet must not stop those behind it; a number gives the order.
#include "net/udp_parts.h"
#include "wire/udp.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/checksum.h"
#include "coradio/ip4.h"

enum slot_state { FREE, WAITING, QUEUED };

static bool comes_before(const struct cor_udp_slot *a, const struct cor_udp_slot *b) {
    return (int16_t)(uint16_t)(a->order - b->order) < 0;
}

static void free_slot(struct cor_udp *udp, struct cor_udp_slot *slot) {
    udp->waiting = (uint16_t)(udp->waiting - (slot->state == WAITING));
    udp->count--;
    slot->state = FREE;
    if (udp->waiting == 0) {
        udp->socket.wants = 0;
    }
}

// --- Frames out ---

static void emit(
    const struct cor_udp *udp,
    const struct cor_udp_slot *slot,
    const uint8_t *mac,
    struct cor_frame_tx *tx) {
    const struct cor_net *net = udp->socket.net;
    uint32_t index = (uint32_t)(slot - udp->config.slots);
    struct cor_ipv4 ip = {
        .from = udp->unaddressed ? 0 : net->config.address,
        .to = slot->address,
        .protocol = COR_IPV4_UDP,
        .ttl = udp->ttl,
    };
    struct cor_udp_header header = {
        .from_port = udp->socket.local_port,
        .to_port = slot->port,
        .payload = {.data = cor_udp_slot_memory(udp, index), .size_bytes = slot->size_bytes},
    };

    if (ip.ttl == 0 && cor_ip4_is_multicast(ip.to)) {
        ip.ttl = 1;  // specified (RFC 1112 6.1)
    }
    cor_net_emit_headers(net, &ip, mac, (uint16_t)(COR_UDP_BYTES + slot->size_bytes), tx->head);
    cor_udp_emit(&header, &ip, slot->sum, tx->head + COR_NET_TRANSPORT);
    tx->head_bytes = COR_NET_TRANSPORT + COR_UDP_BYTES;
    tx->pieces[0] = header.payload;
    tx->piece_count = slot->size_bytes != 0;
    tx->payload_bytes = udp->config.service ? 0 : slot->size_bytes;
    tx->token = cor_net_token(&udp->socket, index);
}

// The oldest that can go.
enum cor_status cor_udp_any_pull(struct cor_udp *udp, struct cor_frame_tx *tx) {
    struct cor_udp_slot *best = NULL;
    uint8_t best_mac[6];

    for (uint32_t i = 0; i < udp->config.slot_count && udp->waiting != 0; i++) {
        struct cor_udp_slot *slot = &udp->config.slots[i];
        uint8_t mac[6];

        if (slot->state == WAITING && (best == NULL || comes_before(slot, best)) &&
            cor_neighbour_look(udp->socket.net, slot->address, mac) == COR_OK) {
            best = slot;
            memcpy(best_mac, mac, sizeof(mac));
        }
    }
    if (best == NULL) {
        tx->blocked = COR_METER_STATE_source;
        return COR_AGAIN;
    }
    emit(udp, best, best_mac, tx);
    best->state = QUEUED;
    udp->waiting--;
    if (udp->waiting == 0) {
        udp->socket.wants = 0;
    }
    return COR_OK;
}

void cor_udp_any_sent(struct cor_udp *udp, uint32_t index) {
    if (index >= udp->config.slot_count || udp->config.slots[index].state != QUEUED) {
        return;  // not one of ours
    }
    udp->counters.datagrams_sent++;
    udp->counters.bytes_sent += udp->config.slots[index].size_bytes;
    free_slot(udp, &udp->config.slots[index]);
}

void cor_udp_tell_unreachable(const struct cor_udp *udp, uint32_t address, uint16_t port) {
    struct cor_udp_error error = {
        .status = COR_E_UNREACHABLE,
        .address = address,
        .port = port,
        .soft = true,
    };

    if (udp->config.error != NULL) {
        udp->config.error(udp->config.context, &error);
    }
}

void cor_udp_any_poll(struct cor_udp *udp) {
    for (uint32_t i = 0; i < udp->config.slot_count && udp->waiting != 0; i++) {
        struct cor_udp_slot *slot = &udp->config.slots[i];
        uint8_t mac[6];

        if (slot->state == WAITING &&
            cor_neighbour_look(udp->socket.net, slot->address, mac) == COR_E_UNREACHABLE) {
            udp->counters.drop_unreachable++;
            free_slot(udp, slot);
            cor_udp_tell_unreachable(udp, slot->address, slot->port);
        }
    }
}

void cor_udp_any_address(struct cor_udp *udp, uint64_t now_us) {
    for (uint32_t i = 0; i < udp->config.slot_count; i++) {
        struct cor_udp_slot *slot = &udp->config.slots[i];
        uint8_t mac[6];

        if (slot->state != WAITING) {
            continue;
        }
        enum cor_status status = cor_neighbour_ask(udp->socket.net, slot->address, now_us, mac);
        if (status != COR_OK && status != COR_AGAIN) {
            udp->counters.drop_unreachable++;
            free_slot(udp, slot);
        }
    }
}

void cor_udp_any_cancel(struct cor_udp *udp, uint64_t *counter) {
    for (uint32_t i = 0; i < udp->config.slot_count; i++) {
        if (udp->config.slots[i].state == WAITING) {
            free_slot(udp, &udp->config.slots[i]);
            (*counter)++;
        }
    }
}

// --- For the application ---

// Another datagram to a host that has not answered yet: the oldest makes room.
static void bound_unresolved(struct cor_udp *udp, uint32_t address) {
    struct cor_udp_slot *oldest = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < udp->config.slot_count; i++) {
        struct cor_udp_slot *slot = &udp->config.slots[i];

        if (slot->state == WAITING && slot->address == address) {
            count++;
            oldest = oldest == NULL || comes_before(slot, oldest) ? slot : oldest;
        }
    }
    if (count >= COR_UDP_UNRESOLVED_MAX) {
        udp->counters.drop_unresolved++;
        free_slot(udp, oldest);
    }
}

static bool begin_any(struct cor_udp *udp) {
    if (!udp->to_any && udp->count == 0) {
        memset(udp->config.slots, 0, udp->config.slot_count * sizeof(udp->config.slots[0]));
        udp->to_any = true;
    }
    return udp->to_any;
}

int32_t cor_udp_send_to_buf(struct cor_udp *udp, uint8_t **room) {
    *room = NULL;
    if (udp->socket.remote_port != 0 || udp->socket.local_port == 0) {
        return COR_E_STATE;
    }
    // Datagrams to a former peer may still be in the queue of the bus.
    if (!begin_any(udp)) {
        return 0;
    }
    for (uint32_t i = 0; i < udp->config.slot_count; i++) {
        if (udp->config.slots[i].state == FREE) {
            udp->end = (uint16_t)i;
            *room = cor_udp_slot_memory(udp, i);
            return udp->config.slot_bytes;
        }
    }
    return 0;
}

enum cor_status cor_udp_send_to_ack(
    struct cor_udp *udp, uint32_t address, uint16_t port, uint32_t size_bytes, uint64_t now_us) {
    struct cor_udp_slot *slot = &udp->config.slots[udp->end];
    uint8_t mac[6];

    COR_ASSERT(udp->to_any && slot->state == FREE);
    if (size_bytes > udp->config.slot_bytes) {
        return COR_E_SIZE;
    }
    if (address == 0 || port == 0 || address == udp->socket.net->config.address) {
        return COR_E_ARG;
    }
    enum cor_status status = cor_neighbour_ask(udp->socket.net, address, now_us, mac);
    if (status == COR_AGAIN) {
        bound_unresolved(udp, address);
    } else if (status != COR_OK) {
        return status;
    }
    *slot = (struct cor_udp_slot){
        .size_bytes = (uint16_t)size_bytes,
        .sum = cor_sum_bytes(cor_udp_slot_memory(udp, udp->end), size_bytes),
        .address = address,
        .port = port,
        .order = udp->order++,
        .state = WAITING,
    };
    udp->counters.summed_bytes += size_bytes;
    udp->count++;
    udp->waiting++;
    udp->socket.wants = COR_NET_PASS_DATA;
    return COR_OK;
}

enum cor_status cor_udp_send_to(
    struct cor_udp *udp,
    uint32_t address,
    uint16_t port,
    const void *data,
    uint32_t size_bytes,
    uint64_t now_us) {
    uint8_t *room;

    if (size_bytes > udp->config.slot_bytes) {
        return COR_E_SIZE;
    }
    int32_t got = cor_udp_send_to_buf(udp, &room);
    if (got <= 0) {
        return got == 0 ? COR_AGAIN : (enum cor_status)got;
    }
    if (size_bytes != 0) {
        memcpy(room, data, size_bytes);
    }
    return cor_udp_send_to_ack(udp, address, port, size_bytes, now_us);
}
