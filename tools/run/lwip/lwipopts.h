// SPDX-License-Identifier: MIT
// lwIP as the stack of the virtual board: the options of the Pico examples, *read from public code*
// (pico-examples, pico_w/wifi/lwipopts_examples_common.h), but for heap and windows, which are
// those of the run, and for what this file says.
#ifndef RUN_LWIPOPTS_H
#define RUN_LWIPOPTS_H

#include <stdint.h>

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_SOCKET          0
#define LWIP_NETCONN         0
#define MEM_LIBC_MALLOC      0
#define MEM_ALIGNMENT        8  // pointers of this machine; 4 on the board
#define MEMP_NUM_ARP_QUEUE   10

// Heap and windows of the run. The preprocessor, which chooses types and checks the options, takes
// a variable for 0 and so sees the largest that a run may ask for; the compiler sees the run's.
#define RUN_LWIP_MEM_BYTES_MAX    1048576L
#define RUN_LWIP_WINDOW_BYTES_MAX 65535
#define MEM_SIZE                  (RUN_LWIP_MEM_BYTES_MAX - run_lwip_mem_less)
#define TCP_WND                   (RUN_LWIP_WINDOW_BYTES_MAX - run_lwip_window_less)
#define TCP_SND_BUF               (RUN_LWIP_WINDOW_BYTES_MAX - run_lwip_window_less)
#define LWIP_RAM_HEAP_POINTER     run_lwip_heap
// As many as the largest window needs; the examples have 32 and 24, enough for theirs.
#define MEMP_NUM_TCP_SEG 256
#define PBUF_POOL_SIZE   64

#define LWIP_ARP                  1
#define LWIP_ETHERNET             1
#define LWIP_ICMP                 1
#define LWIP_RAW                  0
#define TCP_MSS                   1460
#define TCP_SND_QUEUELEN          ((4 * (TCP_SND_BUF) + (TCP_MSS - 1)) / (TCP_MSS))
#define MEM_STATS                 0
#define SYS_STATS                 0
#define MEMP_STATS                0
#define LINK_STATS                0
#define LWIP_STATS                0
#define LWIP_DHCP                 0
#define LWIP_IPV4                 1
#define LWIP_IPV6                 0
#define LWIP_TCP                  1
#define LWIP_UDP                  1
#define LWIP_DNS                  0
#define LWIP_NETIF_TX_SINGLE_PBUF 1

// The sum of RFC 1071 is the run's, which counts the bytes; its cost is that of lwIP's own.
#define LWIP_CHKSUM            run_lwip_checksum
#define LWIP_RAND()            run_lwip_random()
#define LWIP_HOOK_FILENAME     "lwip_hooks.h"
#define LWIP_HOOK_TCP_ISN(...) run_lwip_random()

extern long run_lwip_mem_less;
extern int run_lwip_window_less;
extern uint8_t run_lwip_heap[];
uint32_t run_lwip_random(void);
uint16_t run_lwip_checksum(const void *data, int size_bytes);

#endif
