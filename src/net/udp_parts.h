// SPDX-License-Identifier: MIT
// UDP parts: what udp.c and udp_any.c share.
#ifndef CORADIO_UDP_PARTS_H
#define CORADIO_UDP_PARTS_H

#include "net/net_parts.h"

#include <stddef.h>
#include <stdint.h>

#include "coradio/udp.h"

static inline struct cor_udp *cor_udp_of(struct cor_net_socket *socket) {
    // The socket is the first member.
    return (struct cor_udp *)socket;
}

static inline uint8_t *cor_udp_slot_memory(const struct cor_udp *udp, uint32_t index) {
    return udp->config.memory + (size_t)index * udp->config.slot_bytes;
}

// What the socket's operations do while the slots hold datagrams to any host.
enum cor_status cor_udp_any_pull(struct cor_udp *udp, struct cor_frame_tx *tx);
void cor_udp_any_sent(struct cor_udp *udp, uint32_t index);
// Drops what nobody answers for.
void cor_udp_any_poll(struct cor_udp *udp);
// The host has another address, and knows no neighbour any more.
void cor_udp_any_address(struct cor_udp *udp, uint64_t now_us);
// Takes back what has not been pulled.
void cor_udp_any_cancel(struct cor_udp *udp, uint64_t *counter);
// Nobody answers ARP for this host.
void cor_udp_tell_unreachable(const struct cor_udp *udp, uint32_t address, uint16_t port);

#endif
