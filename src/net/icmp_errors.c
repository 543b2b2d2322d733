// SPDX-License-Identifier: MIT
// ICMP errors: those received go to the socket whose packet they quote; those we send are about a
// packet for us that nobody takes, or that did not become whole.
//
// RFC 1122 3.2.2: never about an ICMP error, a packet to a group, a fragment but the first, or a
// source that is no single host. One error waits to be pulled at a time, and so many go a second;
// the others are counted and not sent.
#include "net/net_parts.h"

#include <string.h>

#include "coradio/checksum.h"

// Errors to strangers, a second and at once; our choice.
#define ERRORS_PER_SECOND 50
#define ERRORS_BURST      10
// Of the payload, this much is quoted: specified (RFC 792).
#define QUOTE_PAYLOAD_BYTES 8

void cor_icmp_error_input(struct cor_net *net, const struct cor_icmp *icmp) {
    struct cor_ipv4 ip;

    net->counters.icmp_errors++;
    // 8 bytes behind the quoted header are always there (RFC 792).
    if (cor_ipv4_parse_quoted(&ip, icmp->payload.data, icmp->payload.size_bytes) != COR_OK ||
        icmp->payload.size_bytes < ip.header_bytes + 8U || ip.from != net->config.address) {
        net->counters.drop_icmp++;
        return;
    }
    const uint8_t *quoted = icmp->payload.data + ip.header_bytes;
    if (ip.protocol == COR_IPV4_TCP) {
        cor_tcp_icmp_error(net, icmp, &ip, quoted);
    } else if (ip.protocol == COR_IPV4_UDP) {
        cor_udp_icmp_error(net, icmp, &ip, quoted);
    }
}

static bool is_allowed(const struct cor_net *net, const struct cor_net_packet *packet) {
    // A source that is no host does not come this far.
    if (packet->group || packet->unaddressed || packet->ip.to != net->config.address) {
        return false;
    }
    return packet->ip.protocol != COR_IPV4_ICMP ||
           (packet->size_bytes > 0 && packet->data[0] == COR_ICMP_ECHO);
}

void cor_icmp_error_send(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    uint8_t type,
    uint8_t code) {
    struct cor_net_control control = {
        .kind = COR_NET_ICMP_ERROR,
        .flags = type,
        .local_port = code,
        .address = packet->ip.from,
    };
    uint32_t payload =
        packet->size_bytes < QUOTE_PAYLOAD_BYTES ? packet->size_bytes : QUOTE_PAYLOAD_BYTES;
    uint32_t quote = packet->ip.header_bytes + payload;

    if (!is_allowed(net, packet)) {
        return;
    }
    // A header with more options than fit is not quoted.
    if (net->quote_bytes != 0 || quote > COR_NET_QUOTE_BYTES ||
        net->control_count == COR_NET_CONTROLS ||
        !cor_net_limit_take(&net->error_limit, now_us, ERRORS_PER_SECOND, ERRORS_BURST)) {
        net->counters.icmp_errors_limited++;
        return;
    }
    memcpy(net->quote, packet->data - packet->ip.header_bytes, quote);
    net->quote_bytes = (uint8_t)quote;
    memcpy(control.mac, packet->mac, sizeof(control.mac));
    cor_control_push(net, &control);
}

void cor_icmp_error_emit(
    struct cor_net *net, const struct cor_net_control *control, struct cor_frame_tx *tx) {
    struct cor_ipv4 ip = {
        .from = net->config.address,
        .to = control->address,
        .protocol = COR_IPV4_ICMP,
    };
    struct cor_icmp icmp = {.type = control->flags, .code = (uint8_t)control->local_port};
    uint16_t size = (uint16_t)(COR_ICMP_BYTES + net->quote_bytes);
    uint8_t *at = tx->head + COR_NET_TRANSPORT;

    cor_net_emit_headers(net, &ip, control->mac, size, tx->head);
    cor_icmp_emit(&icmp, cor_sum_bytes(net->quote, net->quote_bytes), at);
    memcpy(at + COR_ICMP_BYTES, net->quote, net->quote_bytes);
    tx->head_bytes = (uint16_t)(COR_NET_TRANSPORT + size);
    net->quote_bytes = 0;
    net->counters.icmp_errors_sent++;
}
