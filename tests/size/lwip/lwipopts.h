// SPDX-License-Identifier: MIT
// lwIP as the Pico examples build it for the CYW43, read from public code: pico-examples,
// pico_w/wifi/lwipopts_examples_common.h.
#ifndef SIZE_LWIPOPTS_H
#define SIZE_LWIPOPTS_H

#include <stdint.h>

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_SOCKET          0
#define LWIP_NETCONN         0
#define MEM_LIBC_MALLOC      0
#define MEM_ALIGNMENT        4
#define MEM_SIZE             4000
#define MEMP_NUM_TCP_SEG     32
#define MEMP_NUM_ARP_QUEUE   10
#define PBUF_POOL_SIZE       24

#define LWIP_ARP                   1
#define LWIP_ETHERNET              1
#define LWIP_ICMP                  1
#define LWIP_RAW                   1
#define TCP_WND                    (8 * TCP_MSS)
#define TCP_MSS                    1460
#define TCP_SND_BUF                (8 * TCP_MSS)
#define TCP_SND_QUEUELEN           ((4 * (TCP_SND_BUF) + (TCP_MSS - 1)) / (TCP_MSS))
#define LWIP_NETIF_STATUS_CALLBACK 1
#define LWIP_NETIF_LINK_CALLBACK   1
#define LWIP_NETIF_HOSTNAME        1
#define MEM_STATS                  0
#define SYS_STATS                  0
#define MEMP_STATS                 0
#define LINK_STATS                 0
#define LWIP_STATS                 0
#define LWIP_CHKSUM_ALGORITHM      3
#define LWIP_DHCP                  1
#define LWIP_IPV4                  1
#define LWIP_TCP                   1
#define LWIP_UDP                   1
#define LWIP_DNS                   1
#define LWIP_TCP_KEEPALIVE         1
#define LWIP_NETIF_TX_SINGLE_PBUF  1
#define DHCP_DOES_ARP_CHECK        0
#define LWIP_DHCP_DOES_ACD_CHECK   0

// Frames arrive at 2 modulo 4 behind two bytes of padding, as the driver gives them.
#define ETH_PAD_SIZE 0

#define LWIP_NOASSERT
#define LWIP_RAND() cost_random()
uint32_t cost_random(void);

#endif
