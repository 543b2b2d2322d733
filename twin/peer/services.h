// SPDX-License-Identifier: MIT
// What the files of the peer's services share.
#ifndef TWIN_PEER_SERVICES_H
#define TWIN_PEER_SERVICES_H

#include "coradio_twin/services.h"

#include <lwip/udp.h>

// The longest message of either service.
#define SERVICE_BYTES_MAX 1024u
// Clients the DHCP server remembers.
#define CLIENTS_MAX 32u

struct client {
    uint8_t address[6];  // MAC
    uint32_t ip;
};

// An answer on its way, in a list.
struct parcel {
    struct parcel *next;
    struct twin_services *services;
    struct twin_event event;
    bool dns;
    // DHCP: where the frame goes. DNS: where lwIP sends the datagram.
    uint8_t frame_to[6];
    uint32_t ip;  // host order
    uint16_t port;
    uint32_t size_bytes;
    uint8_t data[SERVICE_BYTES_MAX];
};

struct twin_services {
    struct twin_peer_config peer;
    struct twin_dhcp_script dhcp;
    struct twin_dns_script dns;
    struct udp_pcb *dhcp_pcb;
    struct udp_pcb *dns_pcb;
    struct parcel *parcels;
    struct client clients[CLIENTS_MAX];
    uint32_t client_count;
    uint32_t next_address;  // index into the addresses of the script
    struct twin_services_counters counters;
};

static inline void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value & 0xFFFF);
}

static inline uint32_t get16(const uint8_t *at) {
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t get32(const uint8_t *at) {
    return get16(at) << 16 | get16(at + 2);
}

// A fresh parcel, sent by services_send() after the delay.
struct parcel *services_parcel(struct twin_services *services);
void services_send(struct parcel *parcel, uint64_t delay_ns);

// What the ports hear; data is the whole datagram.
void services_dhcp_input(struct twin_services *services, const uint8_t *data, uint32_t size_bytes);
void services_dns_input(
    struct twin_services *services,
    uint32_t ip,
    uint16_t port,
    const uint8_t *data,
    uint32_t size_bytes);

#endif
