# SPDX-License-Identifier: MIT
set(RING_SOURCES
    cyw43_event.c cyw43_scan.c
    gspi.c
    sdpcm.c
    arp.c
    checksum.c
    sum_words.c
    dhcp.c
    dns.c
    icmp.c
    igmp.c
    ipv4.c
    tcp.c
    udp.c)
