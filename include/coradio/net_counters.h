// SPDX-License-Identifier: MIT
// Net counters: what a net counts, and how a list of counters is described.
#ifndef CORADIO_NET_COUNTERS_H
#define CORADIO_NET_COUNTERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// name, unit, what it counts
// clang-format off
#define COR_NET_COUNTERS(X)                                                                      \
    X(frames_received,      "1", "frames given to the stack")                                    \
    X(frames_sent,          "1", "frames the radio pulled")                                      \
    X(drop_ethernet,        "1", "dropped: shorter than an Ethernet header")                     \
    X(drop_not_ours,        "1", "dropped: unicast frame for another hardware address")          \
    X(drop_type,            "1", "dropped: neither ARP nor IPv4")                                \
    X(drop_arp,             "1", "dropped: damaged ARP packet")                                  \
    X(drop_ip_header,       "1", "dropped: IPv4 version or length impossible")                   \
    X(drop_ip_checksum,     "1", "dropped: IPv4 header checksum wrong")                          \
    X(drop_ip_address,      "1", "dropped: source or destination address not acceptable")        \
    X(drop_ip_option,       "1", "dropped: source route asked for")                              \
    X(drop_fragment,        "1", "dropped: fragments, without memory to put them together")       \
    X(drop_protocol,        "1", "dropped: not ICMP, UDP or TCP")                                \
    X(drop_icmp,            "1", "dropped: ICMP length or checksum wrong, or type not known")    \
    X(drop_udp,             "1", "dropped: UDP length or checksum wrong")                        \
    X(drop_udp_port,        "1", "dropped: datagram for a port nobody has")                      \
    X(drop_tcp,             "1", "dropped: TCP length, options or checksum wrong")               \
    X(drop_tcp_socket,      "1", "segments for a connection nobody has (answered by a reset)")   \
    X(drop_igmp,            "1", "dropped: IGMP length or checksum wrong, or nobody to take it") \
    X(drop_control,         "1", "control frames dropped: COR_NET_CONTROLS were waiting")        \
    X(arp_requests_sent,    "1", "ARP requests sent")                                            \
    X(arp_replies_sent,     "1", "ARP requests of others answered")                              \
    X(arp_announcements,    "1", "own address announced or defended")                            \
    X(arp_probes_sent,      "1", "ARP probes sent for an address before its use")                \
    X(arp_learned,          "1", "hardware addresses learned")                                   \
    X(arp_changed,          "1", "known hosts that changed their hardware address")              \
    X(arp_failed,           "1", "hosts that answered no ARP request")                           \
    X(arp_conflicts,        "1", "ARP packets of another host with our address")                 \
    X(echo_replies,         "1", "echo requests answered")                                       \
    X(echo_limited,         "1", "echo requests not answered: too many, or one is being sent")   \
    X(resets_sent,          "1", "resets sent")                                                  \
    X(resets_limited,       "1", "resets not sent: too many a second")                           \
    X(icmp_errors,          "1", "ICMP errors received")                                         \
    X(icmp_errors_sent,     "1", "ICMP errors sent: no such port or protocol, fragments missing") \
    X(icmp_errors_limited,  "1", "ICMP errors not sent: too many, or one is waiting")
// clang-format on

struct cor_net_counters {
#define X(name, unit, text) uint64_t name;
    COR_NET_COUNTERS(X)
#undef X
};

// One counter of a list.
struct cor_counter_info {
    const char *name;
    const char *unit;
    const char *text;
};

#ifdef __cplusplus
}
#endif

#endif
