// SPDX-License-Identifier: MIT
// The inside of run_lwip, shared by the files that are compiled with the board's lwIP.
#ifndef RUN_LWIP_STACK_H
#define RUN_LWIP_STACK_H

#include "cor_lwip.h"
#include "run_lwip.h"

#include <lwip/tcp.h>
#include <lwip/udp.h>
#include <stdbool.h>
#include <stdint.h>

#define RUN_LWIP_PIECE_BYTES 1460u  // given to TCP in one call, as lwiperf does
#define RUN_LWIP_DATAGRAM    1472u

struct run_lwip {
    struct cor_lwip port;
    struct cor_frame_source frames;  // the port's, seen and counted
    uint64_t now_us;
    bool in_use;
    // Segments that were sent before are told by their numbers.
    bool seq_known;
    uint32_t seq_max;
    uint8_t retries;  // as TCP counted them at the last look
    struct run_lwip_work work;
    struct cor_tcp_counters tcp;
    struct cor_udp_counters udp;
    uint32_t mss_bytes;
    uint32_t peer_window_bytes;
    uint32_t peer_window_max;
    // The application that runs.
    struct tcp_pcb *pcb;  // NULL: none, or it is gone
    struct tcp_pcb *listener;
    struct udp_pcb *datagrams;
    struct cor_app_rx *receiver;
    enum cor_status ended;  // why the connection is gone
    bool connected;
    bool refused;          // a datagram was answered by ICMP
    uint32_t piece_bytes;  // of the piece that TCP has not taken yet
    bool source_ended;
    uint8_t piece[RUN_LWIP_PIECE_BYTES];
};

// stack.c: of err_t, what the core would say.
enum cor_status run_lwip_status(err_t error);
// True: the connection is still one of lwIP's and may be looked at.
bool run_lwip_alive(const struct run_lwip *lwip);

#endif
