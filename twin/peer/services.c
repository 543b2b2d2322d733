// SPDX-License-Identifier: MIT
// The peer's services: ports, and answers on their way. DNS answers go out through lwIP; those of
// DHCP as frames made here, because they go to hosts that have no address yet and answer no ARP.
#include "peer/services.h"

#include "sim/alloc.h"

#include <lwip/pbuf.h>
#include <stdlib.h>
#include <string.h>

#define DHCP_SERVER_PORT 67u  // specified (RFC 2131 4.1)
#define DHCP_CLIENT_PORT 68u
#define DNS_PORT         53u  // specified (RFC 1035 4.2.1)
#define IP_OFFSET        14u
#define UDP_OFFSET       34u
#define DATA_OFFSET      42u

struct parcel *services_parcel(struct twin_services *services) {
    struct parcel *parcel = twin_alloc(1, sizeof(*parcel));

    parcel->services = services;
    parcel->next = services->parcels;
    services->parcels = parcel;
    return parcel;
}

static void parcel_free(struct parcel *parcel) {
    struct parcel **link = &parcel->services->parcels;

    while (*link != parcel) {
        link = &(*link)->next;
    }
    *link = parcel->next;
    free(parcel);
}

// RFC 1071.
static uint16_t checksum(const uint8_t *data, uint32_t size_bytes, uint32_t sum) {
    for (uint32_t i = 0; i < size_bytes; i++) {
        sum += (i & 1) != 0 ? data[i] : (uint32_t)data[i] << 8;
    }
    while (sum > 0xFFFF) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

static void send_frame(const struct parcel *parcel) {
    const struct twin_peer_config *peer = &parcel->services->peer;
    struct twin_frame *frame = twin_frame_get(peer->frames);
    uint8_t *ip = frame->data + IP_OFFSET;
    uint8_t *udp = frame->data + UDP_OFFSET;
    uint32_t udp_bytes = 8 + parcel->size_bytes;
    uint16_t sum;

    memcpy(frame->data, parcel->frame_to, 6);
    memcpy(frame->data + 6, peer->address, 6);
    put16(frame->data + 12, 0x0800);
    memset(ip, 0, 20);
    ip[0] = 0x45;
    put16(ip + 2, 20 + udp_bytes);
    ip[8] = 64;
    ip[9] = 17;
    put32(ip + 12, peer->ip);
    put32(ip + 16, parcel->ip);
    put16(ip + 10, checksum(ip, 20, 0));
    put16(udp, DHCP_SERVER_PORT);
    put16(udp + 2, DHCP_CLIENT_PORT);
    put16(udp + 4, udp_bytes);
    put16(udp + 6, 0);
    memcpy(frame->data + DATA_OFFSET, parcel->data, parcel->size_bytes);
    sum = checksum(ip + 12, 8 + udp_bytes, 17 + udp_bytes);
    put16(udp + 6, sum == 0 ? 0xFFFF : sum);
    frame->size_bytes = DATA_OFFSET + parcel->size_bytes;
    peer->wire.input(peer->wire.context, frame);
}

static void send_datagram(const struct parcel *parcel) {
    struct pbuf *pbuf = pbuf_alloc(PBUF_TRANSPORT, (uint16_t)parcel->size_bytes, PBUF_RAM);
    ip_addr_t to = {lwip_htonl(parcel->ip)};

    TWIN_CHECK(pbuf != NULL);
    TWIN_CHECK(pbuf_take(pbuf, parcel->data, (uint16_t)parcel->size_bytes) == ERR_OK);
    // One that cannot be sent is one lost.
    (void)udp_sendto(parcel->services->dns_pcb, pbuf, &to, parcel->port);
    pbuf_free(pbuf);
}

static void parcel_due(void *context) {
    struct parcel *parcel = context;

    if (parcel->dns) {
        send_datagram(parcel);
    } else {
        send_frame(parcel);
    }
    parcel_free(parcel);
}

void services_send(struct parcel *parcel, uint64_t delay_ns) {
    twin_event_init(&parcel->event, parcel_due, parcel);
    twin_after(parcel->services->peer.sim, &parcel->event, delay_ns);
}

// ---- ports

static void received(
    void *arg, struct udp_pcb *pcb, struct pbuf *pbuf, const ip_addr_t *address, uint16_t port) {
    struct twin_services *services = arg;
    uint8_t data[SERVICE_BYTES_MAX];
    uint32_t size_bytes = pbuf_copy_partial(pbuf, data, sizeof(data), 0);

    if (pcb == services->dns_pcb) {
        services_dns_input(services, lwip_ntohl(address->addr), port, data, size_bytes);
    } else {
        services_dhcp_input(services, data, size_bytes);
    }
    pbuf_free(pbuf);
}

static struct udp_pcb *open_port(struct twin_services *services, uint16_t port) {
    struct udp_pcb *pcb = udp_new();

    TWIN_CHECK(pcb != NULL && udp_bind(pcb, IP_ADDR_ANY, port) == ERR_OK);
    udp_recv(pcb, received, services);
    return pcb;
}

struct twin_services *twin_services_new(
    const struct twin_peer_config *peer,
    const struct twin_dhcp_script *dhcp,
    const struct twin_dns_script *dns) {
    struct twin_services *services = twin_alloc(1, sizeof(*services));

    services->peer = *peer;
    if (dhcp != NULL) {
        services->dhcp = *dhcp;
        services->dhcp_pcb = open_port(services, DHCP_SERVER_PORT);
    }
    if (dns != NULL) {
        services->dns = *dns;
        services->dns_pcb = open_port(services, DNS_PORT);
    }
    return services;
}

void twin_services_free(struct twin_services *services) {
    if (services == NULL) {
        return;
    }
    while (services->parcels != NULL) {
        twin_cancel(services->peer.sim, &services->parcels->event);
        parcel_free(services->parcels);
    }
    if (services->dhcp_pcb != NULL) {
        udp_remove(services->dhcp_pcb);
    }
    if (services->dns_pcb != NULL) {
        udp_remove(services->dns_pcb);
    }
    free(services);
}

void twin_services_set_dhcp(struct twin_services *services, const struct twin_dhcp_script *dhcp) {
    TWIN_CHECK(services->dhcp_pcb != NULL);
    services->dhcp = *dhcp;
}

void twin_services_set_dns(struct twin_services *services, const struct twin_dns_script *dns) {
    TWIN_CHECK(services->dns_pcb != NULL);
    services->dns = *dns;
}

void twin_services_get_counters(
    const struct twin_services *services, struct twin_services_counters *counters) {
    *counters = services->counters;
}
