// SPDX-License-Identifier: MIT
// Net parts: what the files of the stack share and nobody else sees.
#ifndef CORADIO_NET_PARTS_H
#define CORADIO_NET_PARTS_H

#include "wire/icmp.h"
#include "wire/ipv4.h"

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"

// Where things stand in a frame without IP options.
#define COR_NET_IP        14
#define COR_NET_TRANSPORT 34
// Templates begin with this padding, so that the IP header behind Ethernet is 4-aligned.
#define COR_NET_PAD 2

// The address is known to be a multiple of the type's size; a compiler that can be told copies
// whole words then.
#if defined(__GNUC__)
#    define COR_ALIGNED(at, type) __builtin_assume_aligned((at), sizeof(type))
// For the one or two places a frame goes through where a call costs more than what is called.
#    define COR_HOT_INLINE static inline __attribute__((always_inline))
#else
#    define COR_ALIGNED(at, type) (at)
#    define COR_HOT_INLINE        static inline
#endif

// Tokens of frames: the socket's identifier above, its own index below. Frames nobody waits for
// have token 0.
#define COR_NET_TOKEN_SHIFT 16
#define COR_NET_TOKEN_ECHO  0xFFFF0000U

static inline uint32_t cor_net_token(const struct cor_net_socket *socket, uint32_t index) {
    return ((uint32_t)socket->id << COR_NET_TOKEN_SHIFT) | index;
}

// An IPv4 packet that was received and is addressed to us.
struct cor_net_packet {
    struct cor_ipv4 ip;
    const uint8_t *mac;   // who sent the frame
    const uint8_t *data;  // the packet's payload
    uint32_t size_bytes;
    bool group;        // to a broadcast or multicast address, of Ethernet or of IP
    bool unaddressed;  // to some address, received while we have none
};

enum cor_net_control_kind {
    COR_NET_ARP_REPLY,
    COR_NET_ARP_ANNOUNCE,
    COR_NET_ARP_PROBE,
    COR_NET_RESET,
    COR_NET_TCP_ACK,
    COR_NET_ICMP_ERROR
};

// How net.c reaches reassembly.c, so that a host without it does not contain it.
struct cor_reassembly_ops {
    // Takes a fragment. True: the packet is whole, and described by *packet until the next call.
    bool (*input)(struct cor_net *net, uint64_t now_us, struct cor_net_packet *packet);
    // Drops what is too old; returns when to look again.
    uint64_t (*poll)(struct cor_net *net, uint64_t now_us);
};

// --- net.c ---

// Any frame. Returns how many of its bytes are the application's.
uint32_t cor_net_input_any(
    struct cor_net *net, uint64_t now_us, const uint8_t *frame, uint32_t size_bytes);

// Puts a socket on the list; COR_NET_SOCKETS at most.
void cor_net_attach(
    struct cor_net *net,
    struct cor_net_socket *socket,
    const struct cor_net_socket_ops *ops,
    enum cor_net_kind kind);
void cor_net_detach(struct cor_net_socket *socket);

// A deadline that may be earlier than those known.
static inline void cor_net_wake(struct cor_net *net, uint64_t at_us) {
    if (at_us < net->deadline_us) {
        net->deadline_us = at_us;
    }
}

// A local port that no socket of this kind has; hard to guess (RFC 6056 3.3.3). 0: none is free.
uint16_t cor_net_port(struct cor_net *net, const struct cor_net_socket *socket);
// The first sequence number of a connection (RFC 6528).
uint32_t cor_net_sequence(
    struct cor_net *net, const struct cor_net_socket *socket, uint64_t now_us);

// The socket of this kind and local port; 0 as port matches no socket.
struct cor_net_socket *cor_net_find(
    const struct cor_net *net, enum cor_net_kind kind, uint16_t local_port);

// Takes one from a budget of so many a second with a burst of `burst`; false when it is used up.
bool cor_net_limit_take(
    struct cor_net_limit *limit, uint64_t now_us, uint32_t per_second, uint32_t burst);

// Fills Ethernet and IP header of a template or frame; at is where the Ethernet header starts.
void cor_net_emit_headers(
    const struct cor_net *net,
    const struct cor_ipv4 *ip,
    const uint8_t *mac,
    uint16_t payload_bytes,
    uint8_t *at);
// The unfolded sum of an IP header of this template without its length and checksum.
uint32_t cor_net_ip_sum(const uint8_t *ip_header);

// --- address.c ---

// A number that is hard to guess: SipHash of a count under the net's secret.
uint32_t cor_net_random(struct cor_net *net);
// The same, 0 to below.
uint32_t cor_net_random_below(struct cor_net *net, uint32_t below);

// --- neighbour.c ---

// Finds the next hop to socket->remote_address and holds on to it. The socket's neighbour() is
// called, now if the hardware address is known or a group's, else later.
COR_MUST_CHECK enum cor_status cor_neighbour_hold(struct cor_net_socket *socket, uint64_t now_us);
void cor_neighbour_drop(struct cor_net_socket *socket);
// The hardware address of the next hop to any host, or of a group, without holding on to it; asks
// for it if it has to. COR_AGAIN: it is being asked for. COR_E_UNREACHABLE: there is no way.
// COR_E_NOMEM: all neighbours are in use.
COR_MUST_CHECK enum cor_status cor_neighbour_ask(
    struct cor_net *net, uint32_t address, uint64_t now_us, uint8_t *mac);
// The same without asking. COR_E_UNREACHABLE: nobody has answered, or nobody was asked.
COR_MUST_CHECK enum cor_status cor_neighbour_look(
    struct cor_net *net, uint32_t address, uint8_t *mac);
// Asks again, because the host has not answered for a while.
void cor_neighbour_refresh(const struct cor_net_socket *socket);
// The hardware address of the next hop as it is known now; false: it is not known.
bool cor_neighbour_mac(const struct cor_net_socket *socket, uint8_t *mac);
void cor_neighbour_input(
    struct cor_net *net, uint64_t now_us, const uint8_t *data, uint32_t size_bytes);
bool cor_neighbour_pull(struct cor_net *net, uint64_t now_us, struct cor_frame_tx *tx);
void cor_neighbour_poll(struct cor_net *net, uint64_t now_us);
uint64_t cor_neighbour_deadline(const struct cor_net *net, uint64_t now_us);
void cor_neighbour_link_up(struct cor_net *net, uint64_t now_us);
// Forgets all hosts; nobody may hold on to one.
void cor_neighbour_forget(struct cor_net *net);
// The hardware address of a multicast group.
void cor_neighbour_group_mac(uint32_t address, uint8_t *mac);
// Is this a broadcast address on our link?
bool cor_neighbour_is_broadcast(const struct cor_net *net, uint32_t address);

// --- control.c ---

void cor_control_push(struct cor_net *net, const struct cor_net_control *control);
bool cor_control_pull(struct cor_net *net, struct cor_frame_tx *tx);
void cor_control_announce(struct cor_net *net);
// Asks whether anybody has an address, without an own one (RFC 5227 1.1).
void cor_control_probe(struct cor_net *net, uint32_t address);
void cor_control_echo(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_icmp *icmp);
void cor_control_echo_sent(struct cor_net *net);

// --- icmp_errors.c ---

// An ICMP error received: told to the socket whose packet it quotes.
void cor_icmp_error_input(struct cor_net *net, const struct cor_icmp *icmp);
// Sends an ICMP error about a packet, where that is allowed and not too often.
void cor_icmp_error_send(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    uint8_t type,
    uint8_t code);
void cor_icmp_error_emit(
    struct cor_net *net, const struct cor_net_control *control, struct cor_frame_tx *tx);

// --- sockets; each returns how many bytes of the packet are the application's ---

uint32_t cor_tcp_input(struct cor_net *net, uint64_t now_us, const struct cor_net_packet *packet);
// The frame source's input(): plain acknowledgements of an open connection are dealt with here, all
// other frames go to cor_net_input_any().
uint32_t cor_tcp_input_first(
    struct cor_frame_source *source, uint64_t now_us, uint8_t *frame, uint32_t size_bytes);
bool cor_tcp_is_listening(const struct cor_net *net, uint16_t port);
uint32_t cor_udp_input(struct cor_net *net, uint64_t now_us, const struct cor_net_packet *packet);
void cor_ping_input(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_icmp *icmp);
void cor_igmp_input(struct cor_net *net, uint64_t now_us, const struct cor_net_packet *packet);
// Has this host joined the group?
bool cor_igmp_member(const struct cor_igmp *igmp, uint32_t address);
// An ICMP error that quotes `ip` and the first bytes behind it.
void cor_tcp_icmp_error(
    struct cor_net *net,
    const struct cor_icmp *icmp,
    const struct cor_ipv4 *ip,
    const uint8_t *quoted);
void cor_udp_icmp_error(
    struct cor_net *net,
    const struct cor_icmp *icmp,
    const struct cor_ipv4 *ip,
    const uint8_t *quoted);

#endif
