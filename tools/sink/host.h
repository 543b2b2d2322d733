// SPDX-License-Identifier: MIT
// Host: counters of the whole machine's network stack that tell of a receiver that cannot follow.
#ifndef TOOLS_SINK_HOST_H
#define TOOLS_SINK_HOST_H

#include <stdint.h>

// name, group and name in /proc/net/netstat or /proc/net/snmp, what it counts
// (read from public code: Linux, net/ipv4/proc.c, and its
// Documentation/networking/snmp_counter.rst)
// clang-format off
#define SINK_HOST_COUNTERS(X)                                                                \
    X(tcp_to_zero_window,    "TcpExt", "TCPToZeroWindowAdv",   "receive windows that shut")  \
    X(tcp_from_zero_window,  "TcpExt", "TCPFromZeroWindowAdv", "and that opened again")      \
    X(tcp_rcvq_drop,         "TcpExt", "TCPRcvQDrop",          "segments dropped, queue full") \
    X(tcp_backlog_drop,      "TcpExt", "TCPBacklogDrop",       "segments dropped, backlog full") \
    X(listen_overflows,      "TcpExt", "ListenOverflows",      "connections not accepted in time") \
    X(udp_rcvbuf_errors,     "Udp",    "RcvbufErrors",         "datagrams dropped, socket full")
// clang-format on

struct sink_host_counters {
#define X(name, group, key, text) uint64_t name;
    SINK_HOST_COUNTERS(X)
#undef X
};

// As they stand now; a counter this kernel does not have stays 0. Others use the machine too: the
// difference between two looks is a hint, no proof.
void sink_host_look(struct sink_host_counters *counters);

#endif
