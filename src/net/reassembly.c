// SPDX-License-Identifier: MIT
// RFC 791 3.2 with the hole descriptors of RFC 815.
//
// A slot's memory is a frame, so that what has become whole is handed on in place:
//
//     0      2          16          36
//     | pad  | Ethernet | IP header | payload ...
//
// A hole is a run of missing bytes. Its first bytes in the payload say where it ends and where the
// next hole is. Holes begin and end at multiples of 8 bytes, as fragments do; until the last
// fragment has come, the last hole ends where the slot does.
#include "coradio/reassembly.h"

#include "net/net_parts.h"
#include "wire/ethernet.h"

#include <stddef.h>
#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"
#include "coradio/checksum.h"

#define PAYLOAD_BYTES_MAX (65535U - COR_IPV4_BYTES)
// No further hole.
#define NO_HOLE 0xFFFFU

// Of a slot. Those from OVERLAP on are packets that are dropped for this reason, as are their
// fragments still to come; the slot is kept in mind until its time is over or it is needed.
enum state { FREE, OPEN, OVERLAP, TOO_LARGE };

// Of a fragment.
enum verdict { TAKEN, REPEATED, CONTRADICTS };

struct hole {
    uint16_t end;
    uint16_t next;
};

struct place {
    uint32_t first;
    uint32_t end;
    bool last;
};

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_REASSEMBLY_COUNTERS(X)
#undef X
};

static uint8_t *frame_of(
    const struct cor_reassembly *reassembly, const struct cor_reassembly_slot *slot) {
    size_t index = (size_t)(slot - reassembly->config.slots);

    return reassembly->config.memory + COR_REASSEMBLY_BYTES(index, reassembly->config.slot_bytes) +
           COR_NET_PAD;
}

static struct hole get_hole(const uint8_t *payload, uint32_t at) {
    return (struct hole){
        .end = cor_get_be16(payload + at),
        .next = cor_get_be16(payload + at + 2),
    };
}

static void put_hole(uint8_t *payload, uint32_t at, uint32_t end, uint32_t next) {
    cor_put_be16(payload + at, (uint16_t)end);
    cor_put_be16(payload + at + 2, (uint16_t)next);
}

// --- Slots ---

static struct cor_reassembly_slot *find(
    const struct cor_reassembly *reassembly, const struct cor_ipv4 *ip) {
    for (uint32_t i = 0; i < reassembly->config.slot_count; i++) {
        struct cor_reassembly_slot *slot = &reassembly->config.slots[i];

        if (slot->state != FREE && slot->id == ip->id && slot->from == ip->from &&
            slot->to == ip->to && slot->protocol == ip->protocol) {
            return slot;
        }
    }
    return NULL;
}

// A free slot, else one whose packet is lost anyway, else the oldest.
static struct cor_reassembly_slot *choose(const struct cor_reassembly *reassembly) {
    struct cor_reassembly_slot *best = &reassembly->config.slots[0];

    for (uint32_t i = 1; i < reassembly->config.slot_count && best->state != FREE; i++) {
        struct cor_reassembly_slot *slot = &reassembly->config.slots[i];
        bool better = slot->state == FREE || (slot->state != OPEN && best->state == OPEN);
        bool alike = (slot->state == OPEN) == (best->state == OPEN);

        if (better || (alike && slot->until_us < best->until_us)) {
            best = slot;
        }
    }
    return best;
}

static struct cor_reassembly_slot *open_slot(
    struct cor_net *net, uint64_t now_us, const struct cor_ipv4 *ip) {
    struct cor_reassembly *reassembly = net->config.reassembly;
    struct cor_reassembly_slot *slot = choose(reassembly);

    reassembly->counters.drop_evicted += slot->fragment_count;
    *slot = (struct cor_reassembly_slot){
        .until_us = now_us + reassembly->config.timeout_us,
        .from = ip->from,
        .to = ip->to,
        .id = ip->id,
        .protocol = ip->protocol,
        .state = OPEN,
    };
    put_hole(
        frame_of(reassembly, slot) + COR_NET_TRANSPORT, 0, reassembly->config.slot_bytes, NO_HOLE);
    cor_net_wake(net, slot->until_us);
    return slot;
}

static uint64_t *drop_counter(struct cor_reassembly *reassembly, uint32_t state) {
    return state == OVERLAP ? &reassembly->counters.drop_overlap : &reassembly->counters.drop_size;
}

static void drop_packet(
    struct cor_reassembly *reassembly, struct cor_reassembly_slot *slot, enum state reason) {
    *drop_counter(reassembly, reason) += slot->fragment_count;
    slot->fragment_count = 0;
    slot->state = (uint8_t)reason;
}

// --- Fragments ---

// All bytes of this place are there. The same again is harmless, other bytes are not.
static enum verdict compare(
    const struct cor_reassembly_slot *slot,
    const uint8_t *payload,
    const struct place *place,
    const uint8_t *data) {
    bool ends_alike = place->last == (slot->total_bytes != 0 && place->end == slot->total_bytes);

    return ends_alike && memcmp(payload + place->first, data, place->end - place->first) == 0
               ? REPEATED
               : CONTRADICTS;
}

// Takes the place out of the hole that begins at `at`; `link` is the hole before, or NO_HOLE.
static void fill(
    struct cor_reassembly_slot *slot,
    uint8_t *payload,
    uint32_t link,
    uint32_t at,
    const struct place *place) {
    struct hole hole = get_hole(payload, at);
    uint32_t next = hole.next;

    if (place->last) {
        slot->total_bytes = (uint16_t)place->end;
    } else if (place->end < hole.end) {
        put_hole(payload, place->end, hole.end, next);
        next = place->end;
    }
    if (place->first > at) {
        put_hole(payload, at, place->first, next);
    } else if (link == NO_HOLE) {
        slot->first_hole = (uint16_t)next;
    } else {
        put_hole(payload, link, get_hole(payload, link).end, next);
    }
}

// The fragment goes into the hole that it lies in. One that lies in a hole with a part of it only
// overlaps, and so does a last one with bytes behind it.
static enum verdict place_fragment(
    const struct cor_reassembly *reassembly,
    struct cor_reassembly_slot *slot,
    uint8_t *payload,
    const struct place *place,
    const uint8_t *data) {
    uint32_t link = NO_HOLE;
    uint32_t at = slot->first_hole;

    if (slot->total_bytes != 0 && place->end > slot->total_bytes) {
        return CONTRADICTS;
    }
    while (at != NO_HOLE && at < place->end) {
        struct hole hole = get_hole(payload, at);

        if (place->first < hole.end) {
            if (place->first < at || place->end > hole.end ||
                (place->last && hole.end != reassembly->config.slot_bytes)) {
                return CONTRADICTS;
            }
            fill(slot, payload, link, at, place);
            memcpy(payload + place->first, data, place->end - place->first);
            return TAKEN;
        }
        link = at;
        at = hole.next;
    }
    return compare(slot, payload, place, data);
}

// The header of the first fragment, without its options, is the header of the packet (RFC 791 3.2).
static void put_header(uint8_t *frame, uint32_t payload_bytes, uint16_t fragment) {
    uint8_t *ip = frame + COR_NET_IP;

    ip[0] = 0x45;
    cor_put_be16(ip + COR_IPV4_LENGTH, (uint16_t)(COR_IPV4_BYTES + payload_bytes));
    cor_put_be16(ip + COR_IPV4_FRAGMENT, fragment);
    cor_put_be16(ip + COR_IPV4_CHECKSUM, 0);
    cor_put_be16(ip + COR_IPV4_CHECKSUM, (uint16_t)~cor_sum_bytes(ip, COR_IPV4_BYTES));
}

static void keep_header(uint8_t *frame, const struct cor_net_packet *packet) {
    const uint8_t *ip = packet->data - packet->ip.header_bytes;

    memcpy(frame, packet->mac - COR_ETHERNET_FROM, COR_ETHERNET_BYTES);
    memcpy(frame + COR_NET_IP, ip, COR_IPV4_BYTES);
    put_header(frame, packet->size_bytes, cor_get_be16(ip + COR_IPV4_FRAGMENT));
}

// What a slot holds as a packet, whole or not.
static struct cor_net_packet packet_of(
    const struct cor_reassembly_slot *slot, const uint8_t *frame) {
    const uint8_t *ip = frame + COR_NET_IP;
    uint16_t total_bytes = cor_get_be16(ip + COR_IPV4_LENGTH);

    return (struct cor_net_packet){
        .ip =
            {
                .from = slot->from,
                .to = slot->to,
                .total_bytes = total_bytes,
                .header_bytes = COR_IPV4_BYTES,
                .protocol = slot->protocol,
                .id = slot->id,
            },
        .mac = frame + COR_ETHERNET_FROM,
        .data = frame + COR_NET_TRANSPORT,
        .size_bytes = (uint32_t)total_bytes - COR_IPV4_BYTES,
        .group = slot->group,
    };
}

// Only lengths and places that a packet can have: all but the last are multiples of 8 bytes.
static bool is_possible(const struct cor_net_packet *packet) {
    uint32_t size = packet->size_bytes;

    return size != 0 && (!packet->ip.more_fragments || (size & 7) == 0) &&
           packet->ip.offset_bytes + size <= PAYLOAD_BYTES_MAX;
}

static bool take_fragment(
    struct cor_reassembly *reassembly,
    struct cor_reassembly_slot *slot,
    const struct cor_net_packet *packet) {
    uint8_t *frame = frame_of(reassembly, slot);
    struct place place = {
        .first = packet->ip.offset_bytes,
        .end = packet->ip.offset_bytes + packet->size_bytes,
        .last = !packet->ip.more_fragments,
    };

    if (place.end > reassembly->config.slot_bytes) {
        slot->fragment_count++;
        drop_packet(reassembly, slot, TOO_LARGE);
        return false;
    }
    switch (place_fragment(reassembly, slot, frame + COR_NET_TRANSPORT, &place, packet->data)) {
    case TAKEN:
        slot->fragment_count++;
        slot->group |= packet->group;
        if (place.first == 0) {
            keep_header(frame, packet);
        }
        return slot->first_hole == NO_HOLE && slot->total_bytes != 0;
    case REPEATED:
        reassembly->counters.fragments_repeated++;
        return false;
    default:
        slot->fragment_count++;
        drop_packet(reassembly, slot, OVERLAP);
        return false;
    }
}

static bool reassembly_input(struct cor_net *net, uint64_t now_us, struct cor_net_packet *packet) {
    struct cor_reassembly *reassembly = net->config.reassembly;

    reassembly->counters.fragments_received++;
    if (!is_possible(packet)) {
        reassembly->counters.drop_length++;
        return false;
    }
    struct cor_reassembly_slot *slot = find(reassembly, &packet->ip);
    if (slot == NULL) {
        slot = open_slot(net, now_us, &packet->ip);
    }
    if (slot->state != OPEN) {
        (*drop_counter(reassembly, slot->state))++;
        return false;
    }
    if (!take_fragment(reassembly, slot, packet)) {
        return false;
    }
    uint8_t *frame = frame_of(reassembly, slot);
    put_header(frame, slot->total_bytes, 0);
    *packet = packet_of(slot, frame);
    reassembly->counters.packets++;
    reassembly->counters.fragments_used += slot->fragment_count;
    // Nothing else comes before the packet has been dealt with.
    slot->fragment_count = 0;
    slot->state = FREE;
    return true;
}

// The sender is told only if the first fragment has come, which can be quoted (RFC 1122 3.3.2).
static void expire(struct cor_net *net, uint64_t now_us, struct cor_reassembly_slot *slot) {
    struct cor_reassembly *reassembly = net->config.reassembly;

    reassembly->counters.drop_timeout += slot->fragment_count;
    if (slot->state == OPEN && slot->first_hole != 0) {
        struct cor_net_packet packet = packet_of(slot, frame_of(reassembly, slot));

        cor_icmp_error_send(net, now_us, &packet, COR_ICMP_TIME_EXCEEDED, COR_ICMP_TIME_REASSEMBLY);
    }
    slot->fragment_count = 0;
    slot->state = FREE;
}

static uint64_t reassembly_poll(struct cor_net *net, uint64_t now_us) {
    struct cor_reassembly *reassembly = net->config.reassembly;
    uint64_t deadline_us = COR_NET_NEVER;

    for (uint32_t i = 0; i < reassembly->config.slot_count; i++) {
        struct cor_reassembly_slot *slot = &reassembly->config.slots[i];

        if (slot->state != FREE && now_us >= slot->until_us) {
            expire(net, now_us, slot);
        }
        if (slot->state != FREE && slot->until_us < deadline_us) {
            deadline_us = slot->until_us;
        }
    }
    return deadline_us;
}

static const struct cor_reassembly_ops reassembly_ops = {
    .input = reassembly_input,
    .poll = reassembly_poll,
};

// --- For the application ---

void cor_reassembly_init(
    struct cor_reassembly *reassembly, const struct cor_reassembly_config *config) {
    COR_ASSERT(((uintptr_t)config->memory & 3) == 0 && config->slot_count > 0);
    COR_ASSERT(config->slot_bytes >= 560 && config->slot_bytes <= 65512);
    COR_ASSERT((config->slot_bytes & 7) == 0);
    memset(reassembly, 0, sizeof(*reassembly));
    memset(config->slots, 0, config->slot_count * sizeof(config->slots[0]));
    reassembly->ops = &reassembly_ops;
    reassembly->config = *config;
    if (config->timeout_us == 0) {
        reassembly->config.timeout_us = COR_REASSEMBLY_TIMEOUT_US;
    }
}

uint32_t cor_reassembly_waiting(const struct cor_reassembly *reassembly) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < reassembly->config.slot_count; i++) {
        count += reassembly->config.slots[i].fragment_count;
    }
    return count;
}

const struct cor_reassembly_counters *cor_reassembly_get_counters(
    const struct cor_reassembly *reassembly) {
    return &reassembly->counters;
}

const struct cor_counter_info *cor_reassembly_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}
