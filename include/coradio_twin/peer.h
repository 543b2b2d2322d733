// SPDX-License-Identifier: MIT
// The wire and the far side: where frames go behind the access point.
//
// A wire is a full-duplex link with a delay and a loss; on its far end sits a peer: a host inside
// the twin whose TCP is lwIP (virtual time), or the real network of the host (wall-clock time,
// user-mode networking without root).
#ifndef CORADIO_TWIN_PEER_H
#define CORADIO_TWIN_PEER_H

#include "coradio_twin/faults.h"
#include "coradio_twin/frame.h"
#include "coradio_twin/sim.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- wire

struct twin_wire;

struct twin_wire_config {
    struct twin_sim *sim;
    struct twin_frames *frames;
    uint64_t delay_ns;  // each way
    uint32_t loss;      // chance in parts per 2^32 that a frame is lost, each way
    // Capture of what the far side sees: frames that reach it, when they do, and frames it sends,
    // when it does. Stamped in virtual time. NULL: none. The caller closes the file.
    FILE *pcap;
    struct twin_loss on_loss;    // by the config's loss or a fault, or because nobody was connected
    struct twin_faults *faults;  // what goes wrong, NULL: nothing
};

struct twin_wire *twin_wire_new(const struct twin_wire_config *config);
void twin_wire_free(struct twin_wire *wire);
// Where the two ends put their frames. A frame put into near comes out at the far end after the
// delay, never in the same call.
struct twin_port twin_wire_near(struct twin_wire *wire);
struct twin_port twin_wire_far(struct twin_wire *wire);
// Where frames come out. Until an end is connected, frames that reach it count as lost.
void twin_wire_connect_near(struct twin_wire *wire, struct twin_port port);
void twin_wire_connect_far(struct twin_wire *wire, struct twin_port port);

struct twin_wire_counters {
    uint64_t to_far;       // frames that came out at the far end
    uint64_t to_near;      // at the near end
    uint64_t lost_to_far;  // by the config's loss or a fault, or because nobody was connected
    uint64_t lost_to_near;
};

void twin_wire_get_counters(const struct twin_wire *wire, struct twin_wire_counters *counters);
// Lost in both directions together.
uint64_t twin_wire_lost(const struct twin_wire *wire);

// ---- peer host inside the twin, lwIP (one in a process: lwIP's state is file-scope)

struct twin_peer;

struct twin_peer_config {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_port wire;    // where its frames go
    uint8_t address[6];       // MAC
    uint32_t ip, netmask;     // host order
    uint32_t receive_window;  // bytes; 0: the default of the peer (65535)
    uint16_t port;            // TCP and UDP port it serves; everything received is counted
    bool refuse;              // nothing listens: TCP is answered by RST
    bool silent;              // answers ARP and nothing else, as a host behind a firewall does
    // The application of the peer: called with each piece received, in order (TCP) or as it comes.
    // May be NULL, and so may closed.
    void (*received)(void *context, const uint8_t *data, uint32_t size_bytes);
    // The connection ended: true after a FIN, false after a reset.
    void (*closed)(void *context, bool orderly);
    void *context;
};

// Each peer starts as in a fresh process: nothing of an earlier one shows. NULL: there is one.
struct twin_peer *twin_peer_new(const struct twin_peer_config *config);
void twin_peer_free(struct twin_peer *peer);
struct twin_port twin_peer_port(struct twin_peer *peer);

struct twin_peer_counters {
    uint64_t tcp_bytes;  // read by the application, in order
    uint64_t udp_bytes;
    uint64_t udp_datagrams;
    uint64_t connections;
    uint64_t bad_checksums;  // packets dropped for it: IP, ICMP, UDP, TCP
    uint64_t bad_frames;     // dropped: shorter than an Ethernet header, or longer than 1514 bytes
    uint64_t not_for_us;     // dropped: another MAC address
};

void twin_peer_get_counters(const struct twin_peer *peer, struct twin_peer_counters *counters);
// Stops reading (the window closes; what has arrived is kept) or reads on.
void twin_peer_set_reading(struct twin_peer *peer, bool reading);

// ---- the peer as a sender

struct twin_peer_sender;

struct twin_peer_send_config {
    uint32_t ip;  // where to, host order
    uint16_t port;
    // The next bytes to send: up to room_bytes, 0: no more. Of UDP each call makes one datagram.
    uint32_t (*fill)(void *context, uint8_t *into, uint32_t room_bytes);
    // What comes back, and how the connection ended: true after a FIN. Both may be NULL.
    void (*received)(void *context, const uint8_t *data, uint32_t size_bytes);
    void (*closed)(void *context, bool orderly);
    void *context;
    uint32_t datagram_bytes;  // 0: over TCP, else the largest datagram
    uint64_t interval_ns;     // between two datagrams
};

// Opens a connection and sends until fill() has no more, then closes that direction; or sends
// datagrams. To be freed before the peer.
struct twin_peer_sender *twin_peer_send(
    struct twin_peer *peer, const struct twin_peer_send_config *config);
void twin_peer_sender_free(struct twin_peer_sender *sender);
// Stops reading what comes back, or reads on.
void twin_peer_sender_set_reading(struct twin_peer_sender *sender, bool reading);

struct twin_peer_sender_counters {
    uint64_t bytes;           // given to lwIP
    uint64_t acked_bytes;     // TCP
    uint64_t received_bytes;  // came back
    uint64_t datagrams;       // UDP
    bool opened;
};

void twin_peer_sender_get_counters(
    const struct twin_peer_sender *sender, struct twin_peer_sender_counters *counters);

// ---- the real network of the host, by libslirp

struct twin_slirp;

struct twin_slirp_config {
    struct twin_sim *sim;  // paced to the wall clock by the caller
    struct twin_frames *frames;
    struct twin_port wire;
    // The virtual network: the board may use any address in it; the gateway is the Linux host
    // (its loopback included).
    uint32_t network, netmask, gateway;  // host order
};

// NULL: libslirp refused the config.
struct twin_slirp *twin_slirp_new(const struct twin_slirp_config *config);
void twin_slirp_free(struct twin_slirp *slirp);
struct twin_port twin_slirp_port(struct twin_slirp *slirp);
// Waits up to timeout_ms for the host's sockets and moves what is ready. Waits less when libslirp's
// own timers are due earlier, or when the last frame may have made room that sockets wait for.
void twin_slirp_poll(struct twin_slirp *slirp, uint32_t timeout_ms);

// A way in from the Linux host; addresses in host order.
struct twin_slirp_way {
    bool udp;
    uint32_t host;  // the host's address that is listened on; 0: all of them
    uint16_t host_port;
    uint32_t board;
    uint16_t board_port;
};

// Connections and datagrams to the host's address and port go to the board. False: the port cannot
// be had.
bool twin_slirp_forward(struct twin_slirp *slirp, const struct twin_slirp_way *way);

struct twin_slirp_counters {
    uint64_t frames_in;   // from the board
    uint64_t frames_out;  // to the board
    uint64_t oversize;    // dropped: larger than a frame of the twin
    uint64_t complaints;  // what libslirp calls the guest's errors
};

void twin_slirp_get_counters(const struct twin_slirp *slirp, struct twin_slirp_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
