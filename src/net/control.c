// SPDX-License-Identifier: MIT
// Control frames: the few that are answers to what was received, and wait until the radio pulls
// them. Each is kept as the numbers that make it, not as a frame; only an echo reply, which repeats
// what came, has a buffer.
#include "net/net_parts.h"
#include "wire/arp.h"
#include "wire/ethernet.h"
#include "wire/tcp.h"

#include <string.h>

#include "coradio/checksum.h"

// Answers to strangers, a second and at once; our choice.
#define ECHOES_PER_SECOND 100
#define ECHOES_BURST      20

enum echo_state { ECHO_FREE, ECHO_READY, ECHO_QUEUED };

static const uint8_t mac_broadcast[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

void cor_control_push(struct cor_net *net, const struct cor_net_control *control) {
    if (net->control_count == COR_NET_CONTROLS) {
        net->counters.drop_control++;
        return;
    }
    uint32_t index = (uint32_t)net->control_first + net->control_count;
    net->controls[index % COR_NET_CONTROLS] = *control;
    net->control_count++;
}

// Tells everybody our address; a request for it, as RFC 5227 3 prefers.
void cor_control_announce(struct cor_net *net) {
    struct cor_net_control control = {
        .kind = COR_NET_ARP_ANNOUNCE,
        .address = net->config.address,
    };

    memcpy(control.mac, mac_broadcast, sizeof(control.mac));
    cor_control_push(net, &control);
}

void cor_control_probe(struct cor_net *net, uint32_t address) {
    struct cor_net_control control = {.kind = COR_NET_ARP_PROBE, .address = address};

    memcpy(control.mac, mac_broadcast, sizeof(control.mac));
    cor_control_push(net, &control);
}

static void emit_arp(
    struct cor_net *net, const struct cor_net_control *control, struct cor_frame_tx *tx) {
    bool reply = control->kind == COR_NET_ARP_REPLY;
    struct cor_arp arp = {
        .operation = reply ? COR_ARP_REPLY : COR_ARP_REQUEST,
        .sender_address = control->kind == COR_NET_ARP_PROBE ? 0 : net->config.address,
        .target_address = control->address,
    };

    memcpy(arp.sender_mac, net->config.mac, sizeof(arp.sender_mac));
    if (reply) {
        memcpy(arp.target_mac, control->mac, sizeof(arp.target_mac));
        net->counters.arp_replies_sent++;
    } else if (control->kind == COR_NET_ARP_PROBE) {
        net->counters.arp_probes_sent++;
    } else {
        net->counters.arp_announcements++;
    }
    cor_ethernet_emit(tx->head, control->mac, net->config.mac, COR_ETHERNET_TYPE_ARP);
    cor_arp_emit(&arp, tx->head + COR_ETHERNET_BYTES);
    tx->head_bytes = COR_ETHERNET_BYTES + COR_ARP_BYTES;
}

static void emit_tcp(
    struct cor_net *net, const struct cor_net_control *control, struct cor_frame_tx *tx) {
    struct cor_ipv4 ip = {
        .from = net->config.address,
        .to = control->address,
        .protocol = COR_IPV4_TCP,
    };
    struct cor_tcp_header header = {
        .from_port = control->local_port,
        .to_port = control->remote_port,
        .seq = control->seq,
        .ack = control->ack,
        .flags = control->flags,
    };

    cor_net_emit_headers(net, &ip, control->mac, COR_TCP_BYTES, tx->head);
    tx->head_bytes =
        (uint16_t)(COR_NET_TRANSPORT + cor_tcp_emit(&header, &ip, 0, tx->head + COR_NET_TRANSPORT));
    net->counters.resets_sent += control->kind == COR_NET_RESET;
}

static void emit_echo(struct cor_net *net, struct cor_frame_tx *tx) {
    struct cor_ipv4 ip = {
        .from = net->config.address,
        .to = net->echo_address,
        .protocol = COR_IPV4_ICMP,
    };

    cor_net_emit_headers(net, &ip, net->echo_mac, net->echo_bytes, tx->head);
    tx->head_bytes = COR_NET_TRANSPORT;
    tx->pieces[0].data = (const uint8_t *)net->echo_message;
    tx->pieces[0].size_bytes = net->echo_bytes;
    tx->piece_count = 1;
    tx->token = COR_NET_TOKEN_ECHO;
    net->echo_state = ECHO_QUEUED;
    net->counters.echo_replies++;
}

bool cor_control_pull(struct cor_net *net, struct cor_frame_tx *tx) {
    if (net->control_count != 0) {
        const struct cor_net_control *control = &net->controls[net->control_first];

        net->control_first = (uint8_t)((net->control_first + 1) % COR_NET_CONTROLS);
        net->control_count--;
        if (control->kind == COR_NET_RESET || control->kind == COR_NET_TCP_ACK) {
            emit_tcp(net, control, tx);
        } else if (control->kind == COR_NET_ICMP_ERROR) {
            cor_icmp_error_emit(net, control, tx);
        } else {
            emit_arp(net, control, tx);
        }
        return true;
    }
    if (net->echo_state == ECHO_READY) {
        emit_echo(net, tx);
        return true;
    }
    return false;
}

// RFC 1122 3.2.2.6: everything received is returned, as much as one packet takes. Requests to a
// group are not answered, as the same section allows.
void cor_control_echo(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_icmp *icmp) {
    uint8_t *message = (uint8_t *)net->echo_message;
    uint32_t most = (uint32_t)net->config.mtu - COR_IPV4_BYTES;
    uint32_t size = packet->size_bytes < most ? packet->size_bytes : most;
    struct cor_icmp reply = *icmp;

    if (packet->group || net->echo_state != ECHO_FREE ||
        !cor_net_limit_take(&net->echo_limit, now_us, ECHOES_PER_SECOND, ECHOES_BURST)) {
        net->counters.echo_limited++;
        return;
    }
    memcpy(message, packet->data, size);
    reply.type = COR_ICMP_ECHO_REPLY;
    reply.code = 0;
    cor_icmp_emit(&reply, cor_sum_bytes(message + COR_ICMP_BYTES, size - COR_ICMP_BYTES), message);
    memcpy(net->echo_mac, packet->mac, sizeof(net->echo_mac));
    net->echo_address = packet->ip.from;
    net->echo_bytes = (uint16_t)size;
    net->echo_state = ECHO_READY;
}

void cor_control_echo_sent(struct cor_net *net) {
    net->echo_state = ECHO_FREE;
}
