# SPDX-License-Identifier: MIT
set(RING_SOURCES
    control.c
    neighbour.c
    net.c
    ping.c
    siphash.c
    tcp.c
    tcp_ack.c
    tcp_congestion.c
    tcp_in.c
    tcp_out.c
    tcp_recovery.c
    tcp_ring.c
    tcp_rtt.c
    tcp_timer.c
    udp.c)
