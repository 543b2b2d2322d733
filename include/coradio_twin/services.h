// SPDX-License-Identifier: MIT
// Services of the peer: a DHCP server and a DNS server on the host inside the twin, which do what a
// test tells them to: lose, refuse, delay, answer in any legal form, and lie.
//
// They stand on the peer's lwIP (peer.h) and live no longer than it. A script is copied and may be
// replaced at any time; its counts (lose_first ..) begin anew then.
#ifndef CORADIO_TWIN_SERVICES_H
#define CORADIO_TWIN_SERVICES_H

#include "coradio_twin/peer.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// How a DHCP answer is addressed (RFC 2131 4.1). All four occur on real networks.
enum twin_dhcp_form {
    TWIN_DHCP_AS_ASKED,      // by the client's broadcast flag
    TWIN_DHCP_TO_ALL,        // to 255.255.255.255, in a frame to all
    TWIN_DHCP_TO_ADDRESS,    // to the new address, in a frame to the client
    TWIN_DHCP_FRAME_TO_ONE,  // to 255.255.255.255, in a frame to the client
};

// In which order and where the options stand.
enum twin_dhcp_order {
    TWIN_DHCP_USUAL,     // message type first
    TWIN_DHCP_REVERSED,  // message type last
    TWIN_DHCP_OVERLOAD,  // in the fields for file and server name, message type last
};

struct twin_dhcp_script {
    uint32_t first;  // the first address given, host order; further hosts get the next ones
    uint32_t count;  // how many addresses there are
    uint32_t netmask, gateway;
    uint32_t dns[2], ntp;  // 0: none
    const char *domain;    // NULL: none; lives as long as the script
    uint32_t lease_s;      // UINT32_MAX: for ever
    uint32_t renew_s;      // 0: left out, as is the next
    uint32_t rebind_s;
    uint32_t lose_first;    // so many DISCOVERs and REQUESTs are not heard
    uint32_t refuse_first;  // so many REQUESTs are refused
    uint64_t delay_ns;      // between question and answer
    enum twin_dhcp_form form;
    enum twin_dhcp_order order;
    bool wrong_transaction;  // each answer is preceded by one with another number
    bool no_client_id;       // the client identifier is not sent back (before RFC 6842)
};

// What the DNS server knows of one name.
struct twin_dns_host {
    const char *name;
    const char *alias;  // another name; NULL: it has addresses
    uint32_t addresses[8];
    uint32_t address_count;
    uint32_t ttl_s;
};

struct twin_dns_script {
    const struct twin_dns_host *hosts;  // live as long as the script
    uint32_t host_count;
    uint32_t lose_first;      // so many questions are not heard
    uint32_t fail_first;      // so many are answered by "server failure"
    uint64_t delay_ns;        // between question and answer
    uint32_t negative_ttl_s;  // with an unknown name, in an SOA record; 0: none
    bool one_link;            // one alias at a time
    bool truncate;            // answers are cut behind the question, and say so
    bool wrong_number;        // each answer is preceded by one with another number and address
};

struct twin_services_counters {
    uint64_t discovers, requests, declines, releases;  // heard
    uint64_t offers, acks, naks;                       // said
    uint64_t dhcp_lost, dhcp_bad;                      // not heard; not understood
    uint64_t questions, answers, unknown_names;        // DNS
    uint64_t dns_lost, dns_bad;
};

struct twin_services;

// Opens the ports that a script is given for; NULL: that service is not there. The config is that
// of the peer, which must be there.
struct twin_services *twin_services_new(
    const struct twin_peer_config *peer,
    const struct twin_dhcp_script *dhcp,
    const struct twin_dns_script *dns);
// Before the peer goes.
void twin_services_free(struct twin_services *services);
void twin_services_set_dhcp(struct twin_services *services, const struct twin_dhcp_script *dhcp);
void twin_services_set_dns(struct twin_services *services, const struct twin_dns_script *dns);
void twin_services_get_counters(
    const struct twin_services *services, struct twin_services_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
