// SPDX-License-Identifier: MIT
// TIME_WAIT in few bytes: what a connection has still to do when its block is used again.
//
// For two segment lifetimes it answers the peer's FIN, should our acknowledgement be lost, and
// believes no reset (RFC 1337). Only a SYN with a sequence number beyond the last ends it earlier
// (RFC 9293 3.10.7.4, MAY-2).
#include "net/tcp_parts.h"

#include <string.h>

static struct cor_net_time_wait *find(
    struct cor_net *net, uint64_t now_us, uint32_t address, const struct cor_tcp_header *header) {
    for (uint32_t i = 0; i < COR_NET_TIME_WAITS; i++) {
        struct cor_net_time_wait *wait = &net->time_waits[i];

        if (wait->until_us > now_us && wait->remote_address == address &&
            wait->remote_port == header->from_port && wait->local_port == header->to_port) {
            return wait;
        }
    }
    return NULL;
}

void cor_tcp_wait_add(struct cor_tcp *tcp, uint64_t now_us) {
    struct cor_net *net = tcp->socket.net;
    struct cor_net_time_wait *wait = &net->time_waits[0];

    if (tcp->linger_us <= now_us || tcp->linger_us == COR_NET_NEVER) {
        return;
    }
    // With all in use the one that would end first gives way.
    for (uint32_t i = 1; i < COR_NET_TIME_WAITS; i++) {
        if (net->time_waits[i].until_us < wait->until_us) {
            wait = &net->time_waits[i];
        }
    }
    *wait = (struct cor_net_time_wait){
        .until_us = tcp->linger_us,
        .wait_us = 2 * tcp->config.segment_lifetime_us,
        .remote_address = tcp->socket.remote_address,
        .remote_port = tcp->socket.remote_port,
        .local_port = tcp->socket.local_port,
        .snd_nxt = cor_seq_latest(tcp->snd_nxt, tcp->snd_una),
        .rcv_nxt = tcp->rcv_nxt,
    };
}

enum cor_tcp_wait_verdict cor_tcp_wait_input(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header,
    uint32_t *beyond) {
    struct cor_net_time_wait *wait = find(net, now_us, packet->ip.from, header);
    const uint8_t asks = COR_TCP_SYN | COR_TCP_ACK | COR_TCP_RST | COR_TCP_FIN;

    if (wait == NULL) {
        return COR_TCP_WAIT_NONE;
    }
    if ((header->flags & asks) == COR_TCP_SYN && cor_seq_before(wait->rcv_nxt, header->seq)) {
        *beyond = wait->snd_nxt;
        wait->until_us = 0;
        return COR_TCP_WAIT_LEFT;
    }
    if ((header->flags & COR_TCP_RST) != 0) {
        return COR_TCP_WAIT_DONE;
    }
    if ((header->flags & COR_TCP_FIN) != 0) {
        wait->until_us = now_us + wait->wait_us;
    }
    struct cor_net_control control = {
        .kind = COR_NET_TCP_ACK,
        .flags = COR_TCP_ACK,
        .address = wait->remote_address,
        .local_port = wait->local_port,
        .remote_port = wait->remote_port,
        .seq = wait->snd_nxt,
        .ack = wait->rcv_nxt,
    };
    memcpy(control.mac, packet->mac, sizeof(control.mac));
    // Two hosts that both wait would answer each other without end.
    if (header->payload.size_bytes != 0 || (header->flags & (COR_TCP_FIN | COR_TCP_SYN)) != 0) {
        cor_control_push(net, &control);
    }
    return COR_TCP_WAIT_DONE;
}
