// SPDX-License-Identifier: MIT
// lwIP as the stack of the virtual board, with the applications of `coradio run` on it.
//
// It stands where the core's stack stands: between the driver, which pulls frames from
// run_lwip_frames(), and the application, which is polled. The applications are the state of the
// core's own ones (app_tx.h, app_rx.h), so that whatever reads them reads these as well. No type of
// lwIP is seen here: the twin's peer is another lwIP in the same program, with other options.
//
// lwIP's state is file-scope: one at a time. It is as fresh as at program start each time.
#ifndef RUN_LWIP_H
#define RUN_LWIP_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/app_rx.h"
#include "coradio/app_tx.h"
#include "coradio/frame.h"
#include "coradio/tcp_counters.h"
#include "coradio/udp.h"

// As shipped in the Pico examples.
#define RUN_LWIP_MEM_BYTES    4000u
#define RUN_LWIP_WINDOW_BYTES (8u * 1460u)
// Bounds of what a run may ask for.
#define RUN_LWIP_MEM_MIN    3400u
#define RUN_LWIP_MEM_MAX    1048576u
#define RUN_LWIP_WINDOW_MIN (2u * 1460u)
#define RUN_LWIP_WINDOW_MAX 65535u

struct run_lwip_config {
    uint32_t mem_bytes;     // MEM_SIZE, the heap
    uint32_t window_bytes;  // TCP_WND and TCP_SND_BUF
    uint32_t address;       // host order, as are the two below
    uint32_t netmask;
    uint32_t gateway;
    uint64_t seed;
    uint64_t now_us;
};

// What it has done so far; only rises.
struct run_lwip_work {
    uint64_t segments;        // frames with payload built
    uint64_t received;        // frames received
    uint64_t control_frames;  // other frames built
    uint64_t copied_bytes;
    uint64_t summed_bytes;
};

// Of the port: whether anything was lost between lwIP and the driver.
struct run_lwip_port {
    uint64_t refused;
    uint64_t kept_max;
    uint64_t copied_frames;
    uint64_t dropped;  // sent or received, for any reason but a link that went down
};

struct run_lwip;

// NULL: one is in use already.
struct run_lwip *run_lwip_new(const struct run_lwip_config *config);
void run_lwip_free(struct run_lwip *lwip);

struct cor_frame_source *run_lwip_frames(struct run_lwip *lwip);
void run_lwip_set_mac(struct run_lwip *lwip, const uint8_t mac[6]);

// Timers, and what was refused. After the driver's poll. Returns when it wants to be called again.
uint64_t run_lwip_poll(struct run_lwip *lwip, uint64_t now_us);

// As cor_app_tx_start() and cor_app_tx_poll(); config.udp tells datagrams from TCP.
void run_lwip_tx_start(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us);
uint64_t run_lwip_tx_poll(struct run_lwip *lwip, struct cor_app_tx *app, uint64_t now_us);

// As cor_app_rx_start() and cor_app_rx_poll(), for TCP without iperf.
void run_lwip_rx_start(struct run_lwip *lwip, struct cor_app_rx *app, uint64_t now_us);
uint64_t run_lwip_rx_poll(struct run_lwip *lwip, struct cor_app_rx *app, uint64_t now_us);

void run_lwip_work(const struct run_lwip *lwip, struct run_lwip_work *work);
void run_lwip_port(const struct run_lwip *lwip, struct run_lwip_port *port);

// What it has done in the words of the core's stack, as far as lwIP knows it: segments and bytes
// sent, acknowledged and sent again, time-outs; the rest stays 0. MSS and the peer's window go into
// the block, too.
void run_lwip_mirror(struct run_lwip *lwip, struct cor_tcp *tcp, struct cor_udp *udp);

#endif
