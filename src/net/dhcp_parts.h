// SPDX-License-Identifier: MIT
// DHCP parts: what the two files of the client share.
#ifndef CORADIO_DHCP_PARTS_H
#define CORADIO_DHCP_PARTS_H

#include "wire/dhcp.h"

#include "coradio/dhcp.h"

// --- dhcp.c ---

// Begins again from the start, `wait_us` from now, without an address.
void cor_dhcp_restart(struct cor_dhcp *dhcp, uint64_t now_us, uint64_t wait_us);
// Has a lease: probes for its address, or uses it.
void cor_dhcp_leased(struct cor_dhcp *dhcp, uint64_t now_us);
void cor_dhcp_enter(struct cor_dhcp *dhcp, enum cor_dhcp_state state, uint64_t due_us);
// Takes the address from the net, if it has it, and says so.
void cor_dhcp_withdraw(struct cor_dhcp *dhcp, uint64_t now_us);

// --- dhcp_reply.c ---

// Is this an address that a host can have?
bool cor_dhcp_is_host(uint32_t address);
// A datagram for port 68.
void cor_dhcp_receive(void *context, const struct cor_udp_datagram *datagram);

#endif
