// SPDX-License-Identifier: MIT
// Address: another address at run time, and numbers that are hard to guess.
#include "net/net_parts.h"
#include "net/siphash.h"

#include <stddef.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"

void cor_net_set_address(
    struct cor_net *net, uint32_t address, uint32_t netmask, uint32_t gateway, uint64_t now_us) {
    uint32_t hosts = ~netmask;
    bool changed = net->config.address != address;

    COR_ASSERT((hosts & (hosts + 1)) == 0);
    if (!changed && net->config.netmask == netmask && net->config.gateway == gateway) {
        return;
    }
    net->config.address = address;
    net->config.netmask = netmask;
    net->config.gateway = gateway;
    // What has been learned holds for the old link only; so does the short way into TCP.
    for (struct cor_net_socket *socket = net->sockets; socket != NULL; socket = socket->next) {
        cor_neighbour_drop(socket);
    }
    cor_neighbour_forget(net);
    net->last = NULL;
    for (struct cor_net_socket *socket = net->sockets; socket != NULL; socket = socket->next) {
        socket->ops->address(socket, now_us, changed);
    }
    if (changed && address != 0 && !net->link_down) {
        cor_control_announce(net);
    }
    cor_net_wake(net, now_us);
}

uint32_t cor_net_random(struct cor_net *net) {
    uint8_t block[5];

    cor_put_be32(block, net->random_count++);
    block[4] = 'r';
    return (uint32_t)cor_siphash(net->config.secret, block, sizeof(block));
}

uint32_t cor_net_random_below(struct cor_net *net, uint32_t below) {
    return below == 0 ? 0 : cor_net_random(net) % below;
}
