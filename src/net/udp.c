// SPDX-License-Identifier: MIT
#include "coradio/udp.h"

#include "net/net_parts.h"
#include "net/udp_parts.h"
#include "wire/udp.h"

#include <stddef.h>
#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/ip4.h"

#define HEAD_BYTES (COR_NET_TRANSPORT + COR_UDP_BYTES)

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_UDP_COUNTERS(X)
#undef X
};

static uint16_t advance(const struct cor_udp *udp, uint16_t index) {
    return (uint16_t)(index + 1U == udp->config.slot_count ? 0 : index + 1U);
}

static enum cor_status udp_pull(
    struct cor_net_socket *socket, uint64_t now_us, struct cor_frame_tx *tx, uint8_t pass) {
    struct cor_udp *udp = cor_udp_of(socket);

    (void)now_us;
    (void)pass;  // only ever data
    if (udp->to_any) {
        return cor_udp_any_pull(udp, tx);
    }
    if (udp->waiting == 0 || !udp->resolved) {
        tx->blocked = udp->count == udp->config.slot_count && udp->waiting == 0
                          ? COR_METER_STATE_no_buffer
                          : COR_METER_STATE_source;
        return COR_AGAIN;
    }
    const struct cor_udp_slot *slot = &udp->config.slots[udp->next];
    uint32_t size = COR_UDP_BYTES + (uint32_t)slot->size_bytes;
    uint32_t total = COR_IPV4_BYTES + size;
    uint8_t *ip = tx->head + COR_NET_IP;
    uint8_t *at = tx->head + COR_NET_TRANSPORT;

    memcpy(tx->head, (const uint8_t *)udp->template_words + COR_NET_PAD, HEAD_BYTES);
    cor_put_be16(ip + COR_IPV4_LENGTH, (uint16_t)total);
    cor_put_be16(ip + COR_IPV4_CHECKSUM, (uint16_t)~cor_sum_fold(udp->ip_sum + total));
    cor_put_be16(at + 4, (uint16_t)size);
    // The length counts twice: in the pseudo header and in the header.
    uint16_t checksum = (uint16_t)~cor_sum_fold(udp->udp_sum + 2 * size + slot->sum);
    cor_put_be16(at + 6, checksum == 0 ? 0xFFFF : checksum);
    tx->head_bytes = HEAD_BYTES;
    tx->pieces[0].data = cor_udp_slot_memory(udp, udp->next);
    tx->pieces[0].size_bytes = slot->size_bytes;
    tx->piece_count = slot->size_bytes != 0;
    tx->payload_bytes = udp->config.service ? 0 : slot->size_bytes;
    tx->token = cor_net_token(socket, udp->next);
    udp->next = advance(udp, udp->next);
    udp->waiting--;
    return COR_OK;
}

// Frames leave in the order in which they were pulled.
static void udp_sent(struct cor_net_socket *socket, uint64_t now_us, uint32_t index) {
    struct cor_udp *udp = cor_udp_of(socket);

    (void)now_us;
    if (udp->to_any) {
        cor_udp_any_sent(udp, index);
        return;
    }
    if (udp->count == udp->waiting || index != udp->first) {
        return;  // not one of ours
    }
    udp->counters.datagrams_sent++;
    udp->counters.bytes_sent += udp->config.slots[index].size_bytes;
    udp->first = advance(udp, udp->first);
    udp->count--;
}

static uint64_t udp_poll(struct cor_net_socket *socket, uint64_t now_us) {
    struct cor_udp *udp = cor_udp_of(socket);

    (void)now_us;
    if (udp->to_any) {
        cor_udp_any_poll(udp);
    }
    return COR_NET_NEVER;
}

static void drop_waiting(struct cor_udp *udp, uint64_t *counter) {
    if (udp->to_any) {
        cor_udp_any_cancel(udp, counter);
        return;
    }
    *counter += udp->waiting;
    udp->count = (uint16_t)(udp->count - udp->waiting);
    udp->waiting = 0;
    udp->end = udp->next;
}

static void udp_neighbour(struct cor_net_socket *socket, const uint8_t *mac) {
    struct cor_udp *udp = cor_udp_of(socket);

    if (mac == NULL) {
        udp->resolved = false;
        drop_waiting(udp, &udp->counters.drop_unreachable);
        cor_udp_tell_unreachable(udp, socket->remote_address, socket->remote_port);
        return;
    }
    const struct cor_net *net = socket->net;
    struct cor_ipv4 ip = {
        .from = udp->unaddressed ? 0 : net->config.address,
        .to = socket->remote_address,
        .protocol = COR_IPV4_UDP,
    };
    uint8_t *at = (uint8_t *)udp->template_words + COR_NET_PAD;

    cor_net_emit_headers(net, &ip, mac, 0, at);
    if (udp->ttl != 0) {
        at[COR_NET_IP + COR_IPV4_TTL] = udp->ttl;
    } else if (cor_ip4_is_multicast(ip.to)) {
        at[COR_NET_IP + COR_IPV4_TTL] = 1;  // specified (RFC 1112 6.1)
    }
    cor_put_be16(at + COR_NET_TRANSPORT, socket->local_port);
    cor_put_be16(at + COR_NET_TRANSPORT + 2, socket->remote_port);
    udp->ip_sum = cor_net_ip_sum(at + COR_NET_IP);
    udp->udp_sum = cor_ipv4_pseudo_sum(ip.from, ip.to, COR_IPV4_UDP, 0) + socket->local_port +
                   socket->remote_port;
    udp->resolved = true;
}

static void udp_address(struct cor_net_socket *socket, uint64_t now_us, bool changed) {
    struct cor_udp *udp = cor_udp_of(socket);

    (void)changed;  // the template is filled again either way
    udp->resolved = false;
    if (udp->to_any) {
        cor_udp_any_address(udp, now_us);
        return;
    }
    if (socket->remote_address != 0 && cor_neighbour_hold(socket, now_us) != COR_OK) {
        drop_waiting(udp, &udp->counters.drop_unreachable);
    }
}

static const struct cor_net_socket_ops udp_ops = {
    .pull = udp_pull,
    .sent = udp_sent,
    .poll = udp_poll,
    .neighbour = udp_neighbour,
    .address = udp_address,
};

void cor_udp_init(struct cor_udp *udp, struct cor_net *net, const struct cor_udp_config *config) {
    COR_ASSERT(((uintptr_t)config->memory & 3) == 0);
    COR_ASSERT((config->slot_bytes & 3) == 0 && config->slot_count > 0);
    COR_ASSERT(config->slot_bytes + COR_IPV4_BYTES + COR_UDP_BYTES <= net->config.mtu);
    memset(udp, 0, sizeof(*udp));
    cor_net_attach(net, &udp->socket, &udp_ops, COR_NET_UDP);
    udp->config = *config;
    udp->socket.local_port =
        config->local_port != 0 ? config->local_port : cor_net_port(net, &udp->socket);
}

enum cor_status cor_udp_release(struct cor_udp *udp) {
    cor_udp_cancel(udp);
    udp->socket.wants = 0;
    udp->socket.local_port = 0;
    if (udp->count != 0) {
        return COR_AGAIN;
    }
    cor_net_detach(&udp->socket);
    return COR_OK;
}

enum cor_status cor_udp_connect(
    struct cor_udp *udp, uint32_t address, uint16_t port, uint64_t now_us) {
    if (address == 0 || port == 0 || address == udp->socket.net->config.address) {
        return COR_E_ARG;
    }
    if (udp->count != 0) {
        return COR_E_STATE;
    }
    cor_neighbour_drop(&udp->socket);
    udp->to_any = false;
    udp->next = udp->first;
    udp->end = udp->first;
    udp->resolved = false;
    udp->socket.remote_address = address;
    udp->socket.remote_port = port;
    enum cor_status status = cor_neighbour_hold(&udp->socket, now_us);
    if (status != COR_OK) {
        udp->socket.remote_port = 0;
    }
    udp->socket.wants = status == COR_OK ? COR_NET_PASS_DATA : 0;
    return status;
}

enum cor_status cor_udp_bind(struct cor_udp *udp, uint16_t port) {
    if (udp->count != 0) {
        return COR_E_STATE;
    }
    udp->socket.local_port = port;
    return COR_OK;
}

void cor_udp_set_ttl(struct cor_udp *udp, uint8_t ttl) {
    udp->ttl = ttl;
}

void cor_udp_set_unaddressed(struct cor_udp *udp, bool unaddressed) {
    udp->unaddressed = unaddressed;
}

void cor_udp_cancel(struct cor_udp *udp) {
    drop_waiting(udp, &udp->counters.cancelled);
}

void cor_udp_disconnect(struct cor_udp *udp) {
    cor_udp_cancel(udp);
    cor_neighbour_drop(&udp->socket);
    udp->resolved = false;
    udp->socket.remote_address = 0;
    udp->socket.remote_port = 0;
    udp->socket.wants = 0;
}

int32_t cor_udp_send_buf(struct cor_udp *udp, uint8_t **room) {
    *room = NULL;
    if (udp->socket.remote_port == 0) {
        return COR_E_STATE;
    }
    if (udp->count == udp->config.slot_count) {
        return 0;
    }
    *room = cor_udp_slot_memory(udp, udp->end);
    return udp->config.slot_bytes;
}

void cor_udp_send_ack(struct cor_udp *udp, uint32_t size_bytes, uint64_t now_us) {
    struct cor_udp_slot *slot = &udp->config.slots[udp->end];

    (void)now_us;
    COR_ASSERT(size_bytes <= udp->config.slot_bytes && udp->count < udp->config.slot_count);
    slot->size_bytes = (uint16_t)size_bytes;
    slot->sum = cor_sum_bytes(cor_udp_slot_memory(udp, udp->end), size_bytes);
    udp->counters.summed_bytes += size_bytes;
    udp->end = advance(udp, udp->end);
    udp->count++;
    udp->waiting++;
    if (!udp->resolved) {
        cor_neighbour_refresh(&udp->socket);  // asks again where nobody had answered
    }
}

enum cor_status cor_udp_send(
    struct cor_udp *udp, const void *data, uint32_t size_bytes, uint64_t now_us) {
    uint8_t *room;

    if (size_bytes > udp->config.slot_bytes) {
        return COR_E_SIZE;
    }
    int32_t got = cor_udp_send_buf(udp, &room);
    if (got <= 0) {
        return got == 0 ? COR_AGAIN : (enum cor_status)got;
    }
    if (size_bytes != 0) {
        memcpy(room, data, size_bytes);
    }
    cor_udp_send_ack(udp, size_bytes, now_us);
    return COR_OK;
}

uint32_t cor_udp_pending(const struct cor_udp *udp) {
    return udp->count;
}

const struct cor_udp_counters *cor_udp_get_counters(const struct cor_udp *udp) {
    return &udp->counters;
}

const struct cor_counter_info *cor_udp_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}

uint32_t cor_udp_input(struct cor_net *net, uint64_t now_us, const struct cor_net_packet *packet) {
    struct cor_udp_header header;

    if (cor_udp_parse(&header, &packet->ip, packet->data, packet->size_bytes) != COR_OK) {
        net->counters.drop_udp++;
        return 0;
    }
    struct cor_net_socket *socket = cor_net_find(net, COR_NET_UDP, header.to_port);
    if (socket == NULL || (packet->unaddressed && !cor_udp_of(socket)->unaddressed)) {
        net->counters.drop_udp_port++;
        cor_icmp_error_send(net, now_us, packet, COR_ICMP_UNREACHABLE, COR_ICMP_UNREACHABLE_PORT);
        return 0;
    }
    struct cor_udp *udp = cor_udp_of(socket);
    uint32_t size = header.payload.size_bytes;
    udp->counters.datagrams_received++;
    udp->counters.bytes_received += size;
    if (udp->config.receive == NULL) {
        udp->counters.datagrams_discarded++;
        return size;
    }
    struct cor_udp_datagram datagram = {
        .address = packet->ip.from,
        .port = header.from_port,
        .size_bytes = size,
        .data = header.payload.data,
        .to = packet->ip.to,
        .now_us = now_us,
    };
    udp->config.receive(udp->config.context, &datagram);
    return udp->config.service ? 0 : size;
}

static struct cor_udp_error error_of(const struct cor_icmp *icmp) {
    struct cor_udp_error error = {
        .status = COR_E_UNREACHABLE,
        .soft = true,
        .icmp = true,
        .type = icmp->type,
        .code = icmp->code,
    };

    if (icmp->type != COR_ICMP_UNREACHABLE) {
        return error;
    }
    switch (icmp->code) {
    case COR_ICMP_UNREACHABLE_PROTOCOL:
    case COR_ICMP_UNREACHABLE_PORT:
        error.status = COR_E_REFUSED;
        error.soft = false;
        break;
    case COR_ICMP_UNREACHABLE_TOO_BIG:
        error.status = COR_E_SIZE;
        error.soft = false;
        error.mtu = icmp->sequence;
        break;
    default:
        break;
    }
    return error;
}

void cor_udp_icmp_error(
    struct cor_net *net,
    const struct cor_icmp *icmp,
    const struct cor_ipv4 *ip,
    const uint8_t *quoted) {
    struct cor_net_socket *socket = cor_net_find(net, COR_NET_UDP, cor_get_be16(quoted));
    struct cor_udp_error error = error_of(icmp);

    error.address = ip->to;
    error.port = cor_get_be16(quoted + 2);
    // With a peer only what was sent to it is believed.
    if (socket == NULL || (socket->remote_port != 0 && (socket->remote_address != ip->to ||
                                                        socket->remote_port != error.port))) {
        return;
    }
    struct cor_udp *udp = cor_udp_of(socket);
    udp->counters.unreachable += icmp->type == COR_ICMP_UNREACHABLE;
    udp->counters.soft_errors += icmp->type != COR_ICMP_UNREACHABLE;
    if (udp->config.error != NULL) {
        udp->config.error(udp->config.context, &error);
    }
}
