// SPDX-License-Identifier: MIT
// DHCP: messages that hand out addresses (RFC 2131 2, options RFC 2132), specified.
//
//     0    1       2      3      4     8      10      12       16       20       24
//     | op | htype | hlen | hops | xid | secs | flags | ciaddr | yiaddr | siaddr | giaddr |
//     28          44          108        236     240
//     | chaddr 16 | sname 64  | file 128 | magic | options: code, length, value ... | 255 |
//
// Option 52 says that file or sname or both hold options too. A value that does not fit into one
// option continues in the next one of the same code (RFC 3396); only lists of addresses are that
// long here.
#ifndef CORADIO_WIRE_DHCP_H
#define CORADIO_WIRE_DHCP_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/span.h"
#include "coradio/status.h"

// Ports, specified (RFC 2131 4.1).
#define COR_DHCP_SERVER_PORT 67
#define COR_DHCP_CLIENT_PORT 68

// Up to the options, the magic number included.
#define COR_DHCP_FIXED_BYTES 240
// The shortest message that every relay and server takes, specified (RFC 1542 2.1).
#define COR_DHCP_MESSAGE_BYTES_MIN 300
// The longest message emitted here.
#define COR_DHCP_MESSAGE_BYTES_MAX 356
// Addresses kept of a list.
#define COR_DHCP_LIST_MAX 3
// A client identifier: type 255, an identity of 4 bytes, and a DUID of type 3, which is the
// hardware address (RFC 4361 6.1, RFC 8415 11.4), specified.
#define COR_DHCP_CLIENT_ID_BYTES 15
// The name a host sends, a label.
#define COR_DHCP_HOST_NAME_BYTES_MAX 63
// A lease that does not end, specified (RFC 2131 3.3).
#define COR_DHCP_FOREVER UINT32_MAX

// Message types, specified (RFC 2132 9.6).
enum cor_dhcp_type {
    COR_DHCP_DISCOVER = 1,
    COR_DHCP_OFFER = 2,
    COR_DHCP_REQUEST = 3,
    COR_DHCP_DECLINE = 4,
    COR_DHCP_ACK = 5,
    COR_DHCP_NAK = 6,
    COR_DHCP_RELEASE = 7,
};

// What a server says. Numbers that were not there are 0, spans empty. Spans point into the message.
struct cor_dhcp_reply {
    uint32_t xid;
    uint8_t mac[6];
    uint8_t type;      // enum cor_dhcp_type
    uint32_t address;  // yiaddr
    uint32_t server;
    uint32_t netmask;
    uint32_t routers[COR_DHCP_LIST_MAX];
    uint32_t dns[COR_DHCP_LIST_MAX];
    uint32_t ntp[COR_DHCP_LIST_MAX];
    uint8_t router_count;
    uint8_t dns_count;
    uint8_t ntp_count;
    bool lease_given;
    uint32_t lease_s;
    uint32_t renew_s;
    uint32_t rebind_s;
    struct cor_span domain;
    struct cor_span client_id;
    uint32_t ignored;  // options whose length is impossible for their code
};

// COR_E_PROTO: too short, not a server's message to an Ethernet client, not DHCP, or an option that
// does not end within its field. A field of options that has no end mark ends where it ends.
COR_MUST_CHECK enum cor_status cor_dhcp_parse(
    struct cor_dhcp_reply *reply, const uint8_t *data, uint32_t size_bytes);

// What a client says. Addresses that are 0 and a host name that is empty are left out.
struct cor_dhcp_request {
    uint8_t type;  // enum cor_dhcp_type
    uint32_t xid;
    uint16_t secs;
    uint8_t mac[6];
    uint32_t client_address;  // ciaddr
    uint32_t requested;       // option 50
    uint32_t server;          // option 54
    uint32_t identity;        // of the interface, for the client identifier
    struct cor_span host_name;
};

// Writes at most COR_DHCP_MESSAGE_BYTES_MAX bytes and returns how many. The broadcast flag is never
// set: both radios take frames to their own address before an IP address is known.
uint32_t cor_dhcp_emit(const struct cor_dhcp_request *request, uint8_t *at);

// The client identifier that emit sends for this hardware address.
void cor_dhcp_client_id(const uint8_t mac[6], uint32_t identity, uint8_t *at);

#endif
