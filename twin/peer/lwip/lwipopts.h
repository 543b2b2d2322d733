// SPDX-License-Identifier: MIT
// How lwIP is built for the host inside the twin: without threads, raw API, IPv4 only.
//
// The host stands for a machine with plenty of memory, so that what limits a transfer is never a
// pool in here; its behaviour on the wire (delayed ACK, window updates, timers, SACK) is lwIP's.
#ifndef TWIN_LWIPOPTS_H
#define TWIN_LWIPOPTS_H

#include <stdint.h>

// ---- system
#define NO_SYS                 1
#define SYS_LIGHTWEIGHT_PROT   0
#define LWIP_NETCONN           0
#define LWIP_SOCKET            0
#define MEM_ALIGNMENT          8
#define LWIP_RAND()            twin_lwip_random()
#define LWIP_CHKSUM            twin_lwip_checksum
#define LWIP_HOOK_FILENAME     "twin_lwip_hooks.h"
#define LWIP_HOOK_TCP_ISN(...) twin_lwip_random()

// ---- memory: segments out of order of a window of a few megabytes, and what waits for ARP
#define MEM_SIZE                 (1024 * 1024)
#define MEMP_NUM_TCP_PCB         64
#define MEMP_NUM_TCP_SEG         4096
#define MEMP_NUM_SYS_TIMEOUT     16
#define MEMP_NUM_REASSDATA       16
#define IP_REASS_MAX_PBUFS       256
#define PBUF_POOL_SIZE           16
#define LWIP_SUPPORT_CUSTOM_PBUF 1

// ---- network
#define LWIP_IPV4     1
#define LWIP_IPV6     0
#define LWIP_ARP      1
#define ARP_QUEUEING  1
#define LWIP_ETHERNET 1
#define LWIP_ICMP     1
#define LWIP_UDP      1
// A DHCP server hears hosts that have no address.
#define LWIP_IP_ACCEPT_UDP_PORT(port) ((port) == PP_NTOHS(67))
#define LWIP_RAW                      0
#define LWIP_DHCP                     0
#define LWIP_DNS                      0
#define IP_REASSEMBLY                 1
#define LWIP_SINGLE_NETIF             1
#define LWIP_NETIF_LOOPBACK           0

// ---- TCP
#define LWIP_TCP          1
#define TCP_MSS           1460
#define TCP_SND_BUF       (128 * 1024)
#define TCP_QUEUE_OOSEQ   1
#define LWIP_TCP_SACK_OUT 1
#define LWIP_WND_SCALE    1
// The window is the config's (struct twin_peer_config.receive_window), fixed before the first
// connection. The receive buffers are the twin's frames, so pools do not bound it.
#define LWIP_DISABLE_TCP_SANITY_CHECKS 1
#ifdef TWIN_LWIP_CHECKS_OPTIONS
#    define TCP_WND       65535
#    define TCP_RCV_SCALE 0
#else
#    define TCP_WND       twin_lwip_window
#    define TCP_RCV_SCALE twin_lwip_window_scale
#endif

// ---- statistics: only the wrong checksums are read
#define LWIP_STATS         1
#define LWIP_STATS_LARGE   1
#define LWIP_STATS_DISPLAY 0
#define MEM_STATS          0
#define MEMP_STATS         0
#define SYS_STATS          0

// ---- provided by twin/peer/lwip_port.c
extern uint32_t twin_lwip_window;
extern uint8_t twin_lwip_window_scale;
uint32_t twin_lwip_random(void);
uint16_t twin_lwip_checksum(const void *data, int size_bytes);

#endif
