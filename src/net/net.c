// SPDX-License-Identifier: MIT
#include "coradio/net.h"

#include "net/net_parts.h"
#include "net/siphash.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/igmp.h"
#include "wire/udp.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/ip4.h"
#include "coradio/reassembly.h"

// Dynamic ports, specified (RFC 6335 6).
#define PORT_FIRST 49152U
#define PORT_COUNT 16384U

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_NET_COUNTERS(X)
#undef X
};

static struct cor_net *net_of(struct cor_frame_source *source) {
    // The source is the first member.
    return (struct cor_net *)source;
}

// --- Frames out ---

static bool pull_control(struct cor_net *net, uint64_t now_us, struct cor_frame_tx *tx) {
    return (net->requests_waiting != 0 && cor_neighbour_pull(net, now_us, tx)) ||
           cor_control_pull(net, tx);
}

// One pass over the sockets, beginning with the one whose turn it is. The verdict of a pass without
// a frame is that of the first socket that has data.
static bool pull_sockets(
    struct cor_net *net, uint64_t now_us, struct cor_frame_tx *tx, uint8_t pass) {
    enum cor_meter_state verdict = COR_METER_STATE_source;
    struct cor_net_socket *socket = net->turn;

    for (uint32_t i = net->socket_count; i > 0; i--) {
        if (socket == NULL) {
            socket = net->sockets;
        }
        if ((socket->wants & pass) != 0) {
            tx->blocked = COR_METER_STATE_source;
            if (socket->ops->pull(socket, now_us, tx, pass) == COR_OK) {
                net->turn = socket->next;
                return true;
            }
            verdict = verdict == COR_METER_STATE_source ? tx->blocked : verdict;
        }
        socket = socket->next;
    }
    tx->blocked = verdict;
    return false;
}

// What any socket wants.
static uint8_t wanted(const struct cor_net *net) {
    uint8_t wants = 0;

    for (const struct cor_net_socket *socket = net->sockets; socket != NULL;
         socket = socket->next) {
        wants |= socket->wants;
    }
    return wants;
}

// In the steady state of a transfer nobody wants anything but to send data. False: look closer.
static inline bool pull_steady(struct cor_net *net, uint64_t now_us, struct cor_frame_tx *tx) {
    struct cor_net_socket *socket = net->turn != NULL ? net->turn : net->sockets;

    if ((net->requests_waiting | net->control_count | net->echo_state) != 0 ||
        wanted(net) != COR_NET_PASS_DATA || socket->wants == 0 || socket->ops->pull_data == NULL ||
        socket->ops->pull_data(socket, now_us, tx) != COR_OK) {
        return false;
    }
    net->turn = socket->next;
    return true;
}

// Everything that can go, in the order of its urgency.
static bool pull_any(struct cor_net *net, uint64_t now_us, struct cor_frame_tx *tx) {
    COR_ASSERT(tx->head_room_bytes >= COR_FRAME_HEAD_BYTES_MAX);
    tx->piece_count = 0;
    tx->payload_bytes = 0;
    tx->token = 0;
    tx->blocked = COR_METER_STATE_source;
    bool pulled = (net->requests_waiting | net->control_count | net->echo_state) != 0 &&
                  pull_control(net, now_us, tx);
    uint32_t wants = wanted(net);
    for (uint32_t pass = COR_NET_PASS_CONTROL; pass <= COR_NET_PASS_DATA && !pulled; pass <<= 1) {
        pulled = (wants & pass) != 0 && pull_sockets(net, now_us, tx, (uint8_t)pass);
    }
    return pulled;
}

static enum cor_status net_pull(
    struct cor_frame_source *source, uint64_t now_us, struct cor_frame_tx *tx) {
    struct cor_net *net = net_of(source);

    if (pull_steady(net, now_us, tx) || pull_any(net, now_us, tx)) {
        net->counters.frames_sent++;
        return COR_OK;
    }
    return COR_AGAIN;
}

static void net_sent(struct cor_frame_source *source, uint64_t now_us, uint32_t token) {
    struct cor_net *net = net_of(source);

    if (token == 0) {
        return;
    }
    if (token == COR_NET_TOKEN_ECHO) {
        cor_control_echo_sent(net);
        return;
    }
    for (struct cor_net_socket *socket = net->sockets; socket != NULL; socket = socket->next) {
        if (socket->id == token >> COR_NET_TOKEN_SHIFT) {
            socket->ops->sent(socket, now_us, token & ((1U << COR_NET_TOKEN_SHIFT) - 1));
            return;
        }
    }
}

// --- Frames in ---

static void input_icmp(struct cor_net *net, uint64_t now_us, const struct cor_net_packet *packet) {
    struct cor_icmp icmp;

    if (cor_icmp_parse(&icmp, packet->data, packet->size_bytes) != COR_OK) {
        net->counters.drop_icmp++;
        return;
    }
    switch (icmp.type) {
    case COR_ICMP_ECHO:
        cor_control_echo(net, now_us, packet, &icmp);
        break;
    case COR_ICMP_ECHO_REPLY:
        cor_ping_input(net, now_us, packet, &icmp);
        break;
    case COR_ICMP_UNREACHABLE:
    case COR_ICMP_TIME_EXCEEDED:
    case COR_ICMP_PARAMETER:
        cor_icmp_error_input(net, &icmp);
        break;
    default:
        // Source quench must be ignored (RFC 9293 MUST-55); redirects are not followed.
        net->counters.drop_icmp++;
        break;
    }
}

static uint32_t input_packet(
    struct cor_net *net, uint64_t now_us, const struct cor_net_packet *packet) {
    switch (packet->ip.protocol) {
    case COR_IPV4_ICMP:
        input_icmp(net, now_us, packet);
        return 0;
    case COR_IPV4_UDP:
        return cor_udp_input(net, now_us, packet);
    case COR_IPV4_TCP:
        return cor_tcp_input(net, now_us, packet);
    case COR_IPV4_IGMP:
        cor_igmp_input(net, now_us, packet);
        return 0;
    default:
        net->counters.drop_protocol++;
        cor_icmp_error_send(
            net, now_us, packet, COR_ICMP_UNREACHABLE, COR_ICMP_UNREACHABLE_PROTOCOL);
        return 0;
    }
}

// RFC 1122 3.2.1.3: nobody has a group's address, zero or ours as source. Sets packet->group.
static bool addresses_acceptable(const struct cor_net *net, struct cor_net_packet *packet) {
    uint32_t from = packet->ip.from;
    uint32_t to = packet->ip.to;

    if (from == 0 || from == net->config.address || cor_ip4_is_multicast(from) ||
        cor_neighbour_is_broadcast(net, from)) {
        return false;
    }
    if (cor_ip4_is_multicast(to)) {
        packet->group = true;
        return net->igmp != NULL && cor_igmp_member(net->igmp, to);
    }
    if (cor_neighbour_is_broadcast(net, to)) {
        packet->group = true;
        return true;
    }
    // A host without an address takes what is said to be for it: so a DHCP server may answer
    // (RFC 2131 4.1). UDP gives that only to sockets that ask for it.
    packet->unaddressed = net->config.address == 0;
    return to != 0 && (to == net->config.address ||
                       (packet->unaddressed && packet->ip.protocol == COR_IPV4_UDP));
}

// True: the packet is whole now.
static bool join_fragments(struct cor_net *net, uint64_t now_us, struct cor_net_packet *packet) {
    if (net->config.reassembly == NULL || packet->unaddressed) {
        net->counters.drop_fragment++;
        return false;
    }
    return net->config.reassembly->ops->input(net, now_us, packet);
}

static uint32_t input_ip(
    struct cor_net *net, uint64_t now_us, const uint8_t *frame, uint32_t size_bytes) {
    struct cor_net_packet packet = {.mac = frame + COR_ETHERNET_FROM};
    const uint8_t *data = frame + COR_NET_IP;

    packet.group = cor_ethernet_is_group(frame);
    if (cor_ipv4_parse(&packet.ip, data, size_bytes - COR_NET_IP) != COR_OK) {
        if (packet.ip.checksum_wrong) {
            net->counters.drop_ip_checksum++;
        } else {
            net->counters.drop_ip_header++;
        }
        return 0;
    }
    if (!addresses_acceptable(net, &packet)) {
        net->counters.drop_ip_address++;
        return 0;
    }
    // Source routes are refused (RFC 7126 4.3, 4.4), a declared deviation.
    if (packet.ip.source_route) {
        net->counters.drop_ip_option++;
        return 0;
    }
    packet.data = data + packet.ip.header_bytes;
    packet.size_bytes = (uint32_t)packet.ip.total_bytes - packet.ip.header_bytes;
    if (packet.ip.fragment && !join_fragments(net, now_us, &packet)) {
        return 0;
    }
    return input_packet(net, now_us, &packet);
}

uint32_t cor_net_input_any(
    struct cor_net *net, uint64_t now_us, const uint8_t *frame, uint32_t size_bytes) {
    if (size_bytes < COR_ETHERNET_BYTES) {
        net->counters.drop_ethernet++;
        return 0;
    }
    if (!cor_ethernet_is_group(frame) &&
        memcmp(frame, net->config.mac, COR_ETHERNET_MAC_BYTES) != 0) {
        net->counters.drop_not_ours++;
        return 0;
    }
    switch (cor_get_be16(frame + COR_ETHERNET_TYPE)) {
    case COR_ETHERNET_TYPE_IPV4:
        return input_ip(net, now_us, frame, size_bytes);
    case COR_ETHERNET_TYPE_ARP:
        cor_neighbour_input(
            net, now_us, frame + COR_ETHERNET_BYTES, size_bytes - COR_ETHERNET_BYTES);
        return 0;
    default:
        net->counters.drop_type++;
        return 0;
    }
}

static void net_link(struct cor_frame_source *source, uint64_t now_us, bool up) {
    struct cor_net *net = net_of(source);

    net->link_down = !up;
    if (up) {
        net->link_ups++;
        if (net->config.address != 0) {
            cor_control_announce(net);
        }
        cor_neighbour_link_up(net, now_us);
    }
}

static const struct cor_frame_source_ops frame_ops = {
    .pull = net_pull,
    .sent = net_sent,
    .input = cor_tcp_input_first,
    .link = net_link,
};

// --- For the application ---

void cor_net_init(struct cor_net *net, const struct cor_net_config *config, uint64_t now_us) {
    uint32_t hosts = ~config->netmask;

    COR_ASSERT((hosts & (hosts + 1)) == 0);
    COR_ASSERT(config->mtu == 0 || (config->mtu >= 576 && config->mtu <= 1500));
    memset(net, 0, sizeof(*net));
    net->frames.ops = &frame_ops;
    net->config = *config;
    net->config.mtu = config->mtu != 0 ? config->mtu : 1500;
    net->next_id = 1;
    net->deadline_us = COR_NET_NEVER;
    net->echo_limit.since_us = now_us;
    net->echo_limit.left = UINT32_MAX;
    net->reset_limit = net->echo_limit;
    net->error_limit = net->echo_limit;
    for (uint32_t i = 0; i < COR_NET_NEIGHBOURS; i++) {
        net->neighbours[i].due_us = COR_NET_NEVER;
    }
}

void cor_net_set_mac(struct cor_net *net, const uint8_t mac[6]) {
    memcpy(net->config.mac, mac, sizeof(net->config.mac));
    for (struct cor_net_socket *socket = net->sockets; socket != NULL; socket = socket->next) {
        uint8_t hop[6];

        if (cor_neighbour_mac(socket, hop)) {
            socket->ops->neighbour(socket, hop);
        }
    }
}

struct cor_frame_source *cor_net_frames(struct cor_net *net) {
    return &net->frames;
}

uint64_t cor_net_poll(struct cor_net *net, uint64_t now_us) {
    if (now_us < net->deadline_us) {
        return net->deadline_us;
    }
    uint64_t deadline_us = COR_NET_NEVER;
    net->woken_us = COR_NET_NEVER;
    cor_neighbour_poll(net, now_us);
    if (net->config.reassembly != NULL) {
        deadline_us = net->config.reassembly->ops->poll(net, now_us);
    }
    for (struct cor_net_socket *socket = net->sockets; socket != NULL; socket = socket->next) {
        uint64_t at_us = socket->ops->poll(socket, now_us);

        deadline_us = at_us < deadline_us ? at_us : deadline_us;
    }
    // Sockets may have asked for a neighbour again, so that its deadlines are looked at last.
    uint64_t at_us = cor_neighbour_deadline(net, now_us);
    net->deadline_us = at_us < deadline_us ? at_us : deadline_us;
    cor_net_wake(net, net->woken_us);
    return net->deadline_us;
}

const struct cor_net_counters *cor_net_get_counters(const struct cor_net *net) {
    return &net->counters;
}

const struct cor_counter_info *cor_net_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}

// --- For the sockets ---

void cor_net_attach(
    struct cor_net *net,
    struct cor_net_socket *socket,
    const struct cor_net_socket_ops *ops,
    enum cor_net_kind kind) {
    COR_ASSERT(net->socket_count < COR_NET_SOCKETS);
    memset(socket, 0, sizeof(*socket));
    socket->ops = ops;
    socket->net = net;
    socket->neighbour = -1;
    socket->kind = (uint8_t)kind;
    socket->id = net->next_id;
    // 0 and 0xFFFF are not given out; an identifier comes round after 65534 others.
    net->next_id = net->next_id == 0xFFFE ? 1 : (uint16_t)(net->next_id + 1);
    socket->next = net->sockets;
    net->sockets = socket;
    net->socket_count++;
}

void cor_net_detach(struct cor_net_socket *socket) {
    struct cor_net *net = socket->net;
    struct cor_net_socket **link = &net->sockets;

    cor_neighbour_drop(socket);
    while (*link != socket) {
        COR_ASSERT(*link != NULL);
        link = &(*link)->next;
    }
    *link = socket->next;
    net->socket_count--;
    if (net->turn == socket) {
        net->turn = socket->next;
    }
    if (net->last == socket) {
        net->last = NULL;
    }
    socket->net = NULL;
}

struct cor_net_socket *cor_net_find(
    const struct cor_net *net, enum cor_net_kind kind, uint16_t local_port) {
    for (struct cor_net_socket *socket = net->sockets; socket != NULL; socket = socket->next) {
        if (socket->kind == kind && socket->local_port == local_port && local_port != 0) {
            return socket;
        }
    }
    return NULL;
}

// The hash of the two ends of a connection; `use` keeps the uses of the secret apart.
static uint64_t hash_ends(
    const struct cor_net *net, const struct cor_net_socket *socket, uint8_t use) {
    uint8_t ends[13];

    cor_put_be32(ends, net->config.address);
    cor_put_be32(ends + 4, socket->remote_address);
    cor_put_be16(ends + 8, socket->remote_port);
    cor_put_be16(ends + 10, socket->local_port);
    ends[12] = use;
    return cor_siphash(net->config.secret, ends, sizeof(ends));
}

uint16_t cor_net_port(struct cor_net *net, const struct cor_net_socket *socket) {
    // With a peer RFC 6056 3.3.3; without one the hash would be the same for all, and the next port
    // known to whoever has seen one (3.3.1).
    uint32_t offset =
        socket->remote_address != 0 ? (uint32_t)hash_ends(net, socket, 'p') : cor_net_random(net);

    // Each socket has one port at most, so that one more try than there are sockets is enough.
    for (uint32_t i = 0; i <= net->socket_count; i++) {
        uint32_t number = (offset + net->port_counter++) % PORT_COUNT;
        uint16_t port = (uint16_t)(PORT_FIRST + number);

        if (cor_net_find(net, (enum cor_net_kind)socket->kind, port) == NULL &&
            (socket->kind != COR_NET_TCP || !cor_tcp_is_listening(net, port))) {
            return port;
        }
    }
    return 0;
}

uint32_t cor_net_sequence(
    struct cor_net *net, const struct cor_net_socket *socket, uint64_t now_us) {
    // A clock of 4 us and the hash (RFC 6528 3).
    return (uint32_t)(now_us >> 2) + (uint32_t)hash_ends(net, socket, 's');
}

bool cor_net_limit_take(
    struct cor_net_limit *limit, uint64_t now_us, uint32_t per_second, uint32_t burst) {
    uint64_t earned = (now_us - limit->since_us) / (1000000U / per_second);

    if (earned > 0) {
        limit->since_us += earned * (1000000U / per_second);
    }
    if (limit->left >= burst || earned >= burst - limit->left) {
        limit->left = burst;
    } else {
        limit->left += (uint32_t)earned;
    }
    if (limit->left == 0) {
        return false;
    }
    limit->left--;
    return true;
}

void cor_net_emit_headers(
    const struct cor_net *net,
    const struct cor_ipv4 *ip,
    const uint8_t *mac,
    uint16_t payload_bytes,
    uint8_t *at) {
    cor_ethernet_emit(at, mac, net->config.mac, COR_ETHERNET_TYPE_IPV4);
    cor_ipv4_emit(ip, payload_bytes, at + COR_NET_IP);
}

uint32_t cor_net_ip_sum(const uint8_t *ip_header) {
    uint32_t sum = cor_sum_bytes(ip_header, COR_IPV4_LENGTH);

    sum += cor_sum_bytes(ip_header + 4, COR_IPV4_CHECKSUM - 4);
    return sum + cor_sum_bytes(ip_header + COR_IPV4_FROM, 8);
}
