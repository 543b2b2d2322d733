// SPDX-License-Identifier: MIT
// Net: one IPv4 host over one radio: Ethernet, ARP, IPv4, ICMP echo, and the sockets on it.
//
// The radio pulls frames (frame.h); nothing is queued here but a few control frames. Time comes in
// as an argument and the next deadline goes out. All memory is the caller's: struct cor_net holds
// its tables, sockets (tcp.h, udp.h, ping.h) are structs that the caller owns and that stand in a
// list here. One context calls everything.
//
// What is not here: IPv6. Fragments are put together where the caller gives memory for it
// (reassembly.h), else dropped and counted; none are sent. Packets that ask for a source route are
// dropped (RFC 7126).
#ifndef CORADIO_NET_H
#define CORADIO_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/frame.h"
#include "coradio/net_counters.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Hosts whose hardware address is known or being asked for. A socket holds on to one of them.
#define COR_NET_NEIGHBOURS 8
// Control frames (ARP replies, resets) that wait for the radio to pull them; more are dropped.
#define COR_NET_CONTROLS 8
// Sockets on one net.
#define COR_NET_SOCKETS 64
// Connections whose block is used again while they still have to wait (TIME_WAIT).
#define COR_NET_TIME_WAITS 8
// The longest ICMP message answered: 1500 less the IP header.
#define COR_NET_ECHO_BYTES 1480
// What an ICMP error quotes: a header with up to 24 bytes of options, and 8 bytes more.
#define COR_NET_QUOTE_BYTES 52
// "Never", as a deadline.
#define COR_NET_NEVER UINT64_MAX

struct cor_reassembly;

struct cor_net_config {
    uint8_t mac[6];                     // all zero: not yet known, see cor_net_set_mac()
    uint32_t address;                   // host order, as are the two below
    uint32_t netmask;                   // ones, then zeros
    uint32_t gateway;                   // 0: none
    uint64_t secret[2];                 // from a good random source, for sequence numbers and ports
    uint16_t mtu;                       // IP bytes in a frame, 576..1500; 0: 1500
    struct cor_reassembly *reassembly;  // NULL: fragments are dropped
};

// What pull() asks a socket for, in this order over all sockets.
enum cor_net_pass {
    COR_NET_PASS_CONTROL = 1,
    COR_NET_PASS_RETRANSMIT = 2,
    COR_NET_PASS_DATA = 4,
};

enum cor_net_kind { COR_NET_TCP, COR_NET_UDP, COR_NET_PING, COR_NET_IGMP };

struct cor_net_socket;

// What each kind of socket does for the net; filled in by tcp.c, udp.c and ping.c.
struct cor_net_socket_ops {
    // As cor_frame_source_ops.pull, for one pass. Called only while the pass is in `wants`.
    enum cor_status (*pull)(
        struct cor_net_socket *socket, uint64_t now_us, struct cor_frame_tx *tx, uint8_t pass);
    // The same for data alone, where most frames come from; NULL: pull serves all passes.
    enum cor_status (*pull_data)(
        struct cor_net_socket *socket, uint64_t now_us, struct cor_frame_tx *tx);
    // The frame with this index has left; index is what pull put into the token.
    void (*sent)(struct cor_net_socket *socket, uint64_t now_us, uint32_t index);
    // Runs due timers, returns the socket's next deadline.
    uint64_t (*poll)(struct cor_net_socket *socket, uint64_t now_us);
    // The hardware address of the next hop is known or has changed; NULL: nobody answers.
    void (*neighbour)(struct cor_net_socket *socket, const uint8_t *mac);
    // The host's address (changed), netmask or gateway is another one now, and the socket holds on
    // to no neighbour any more.
    void (*address)(struct cor_net_socket *socket, uint64_t now_us, bool changed);
};

// The part that all sockets have; always their first member.
struct cor_net_socket {
    const struct cor_net_socket_ops *ops;
    struct cor_net *net;
    struct cor_net_socket *next;
    uint32_t remote_address;  // 0: none yet
    uint16_t remote_port;
    uint16_t local_port;
    uint16_t id;       // 1.., stands in the tokens of its frames
    int8_t neighbour;  // index into the net's table, -1: none
    uint8_t kind;      // enum cor_net_kind
    uint8_t wants;     // enum cor_net_pass, or-ed
};

// One host on the link. Private to the stack.
struct cor_neighbour {
    uint32_t address;  // 0: the entry is free
    uint8_t mac[6];
    uint8_t state;
    uint8_t request_count;  // requests sent since the last answer
    uint8_t request;        // a request waits to be pulled: none, broadcast, unicast
    uint8_t holders;        // sockets that use the entry
    bool wanted;            // a datagram used it since the last answer, without holding on to it
    uint64_t allowed_us;    // no further request before
    uint64_t due_us;        // when something is to be done next
    uint64_t used_us;       // for choosing which entry to give up
};

// A control frame that waits. Private to the stack.
struct cor_net_control {
    uint8_t kind;
    uint8_t flags;
    uint8_t mac[6];
    uint32_t address;
    uint32_t seq;
    uint32_t ack;
    uint16_t local_port;
    uint16_t remote_port;
};

// So many a second, with bursts. Private to the stack.
struct cor_net_limit {
    uint64_t since_us;
    uint32_t left;
};

// What is left of a connection in TIME_WAIT whose block is used again. Private to the stack.
struct cor_net_time_wait {
    uint64_t until_us;  // 0: free
    uint64_t wait_us;   // how long it starts again for
    uint32_t remote_address;
    uint16_t remote_port;
    uint16_t local_port;
    uint32_t snd_nxt;
    uint32_t rcv_nxt;
};

struct cor_tcp_listener;

// Another host has the address that is being probed for, or does not give up the one in use.
typedef void (*cor_net_conflict_fn)(void *context, uint64_t now_us);

struct cor_igmp;

struct cor_net {
    struct cor_frame_source frames;  // hand this to the chip driver: cor_net_frames()
    struct cor_net_config config;
    struct cor_net_socket *sockets;
    struct cor_net_socket *turn;  // the socket asked first for data
    struct cor_net_socket *last;  // the socket of the last segment received
    uint64_t deadline_us;         // nothing is due before
    uint64_t woken_us;            // the same, of what applications do in the midst of a poll
    uint64_t defended_us;
    uint16_t socket_count;
    uint16_t next_id;
    uint16_t port_counter;  // RFC 6056
    uint8_t control_count;
    uint8_t control_first;
    uint8_t requests_waiting;  // neighbours with a request to be pulled
    bool link_down;
    uint32_t link_ups;       // times the link came up
    uint32_t random_count;   // numbers drawn from the secret
    uint32_t probe_address;  // asked for before its use (RFC 5227), 0: none
    cor_net_conflict_fn conflict;
    void *conflict_context;
    struct cor_igmp *igmp;  // NULL: no multicast is received
    struct cor_neighbour neighbours[COR_NET_NEIGHBOURS];
    struct cor_net_control controls[COR_NET_CONTROLS];
    struct cor_net_time_wait time_waits[COR_NET_TIME_WAITS];
    struct cor_tcp_listener *listeners;
    struct cor_net_limit echo_limit;
    struct cor_net_limit reset_limit;
    struct cor_net_limit error_limit;
    struct cor_net_counters counters;
    // What the one ICMP error that can be waiting quotes; 0 bytes: none is.
    uint8_t quote[COR_NET_QUOTE_BYTES];
    uint8_t quote_bytes;
    // The one echo reply that can be on its way.
    uint8_t echo_mac[6];
    uint8_t echo_state;
    uint16_t echo_bytes;
    uint32_t echo_address;
    uint32_t echo_message[COR_NET_ECHO_BYTES / 4];
};

// Fills the caller's memory. Asserts that the netmask and the MTU are in range.
void cor_net_init(struct cor_net *net, const struct cor_net_config *config, uint64_t now_us);

// The hardware address, known once the radio is up. Open connections take it over.
void cor_net_set_mac(struct cor_net *net, const uint8_t mac[6]);

// Another address, in host order; address 0: none. Connections of TCP end with COR_E_ABORTED when
// the address changes, all else goes on from the new one. A new address is announced. Asserts that
// the netmask is ones, then zeros.
void cor_net_set_address(
    struct cor_net *net, uint32_t address, uint32_t netmask, uint32_t gateway, uint64_t now_us);

// Whom to tell when another host does not give up our address: one conflict in 10 s is answered by
// an announcement, the next is told (RFC 5227 2.4 (b)). The address is to be given up then. NULL:
// nobody. A DHCP client puts itself here.
void cor_net_set_conflict(struct cor_net *net, cor_net_conflict_fn conflict, void *context);

// What the chip driver pulls from and gives received frames to.
struct cor_frame_source *cor_net_frames(struct cor_net *net);

// Runs due timers and returns when it is to be called again, COR_NET_NEVER if there is no need.
// That time is never later than the next deadline, and may be earlier when a deadline has moved.
// Call it then, and after anything that may have changed it; calling it more often is cheap.
uint64_t cor_net_poll(struct cor_net *net, uint64_t now_us);

const struct cor_net_counters *cor_net_get_counters(const struct cor_net *net);

// Name, unit and text of each counter, in the order of the struct; count is set to how many.
const struct cor_counter_info *cor_net_counter_list(uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
