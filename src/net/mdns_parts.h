// SPDX-License-Identifier: MIT
// mDNS parts: what the files of the responder share.
#ifndef CORADIO_MDNS_PARTS_H
#define CORADIO_MDNS_PARTS_H

#include "wire/dns.h"

#include <stddef.h>

#include "coradio/ip4.h"
#include "coradio/mdns.h"

// Specified (RFC 6762 3).
#define COR_MDNS_PORT  5353
#define COR_MDNS_GROUP COR_IP4(224, 0, 0, 251)

// Our records, as bits. The last two say which types a name has, for who asks for another one
// (RFC 6762 6.1).
enum {
    COR_MDNS_A = 0x01,
    COR_MDNS_PTR = 0x02,
    COR_MDNS_SRV = 0x04,
    COR_MDNS_TXT = 0x08,
    COR_MDNS_TYPES = 0x10,
    COR_MDNS_NSEC_HOST = 0x20,
    COR_MDNS_NSEC_SERVICE = 0x40,
};

// Which a host and its service have.
#define COR_MDNS_OF_HOST    COR_MDNS_A
#define COR_MDNS_OF_SERVICE (COR_MDNS_PTR | COR_MDNS_SRV | COR_MDNS_TXT | COR_MDNS_TYPES)

// Times to live: specified (RFC 6762 10) for records that name a host, and for others; and the
// longest in an answer to a resolver that is none of mDNS (6.7).
#define COR_MDNS_HOST_TTL_S   120U
#define COR_MDNS_OTHER_TTL_S  4500U
#define COR_MDNS_LEGACY_TTL_S 10U

// One message to be written.
struct cor_mdns_out {
    uint8_t answers;  // records
    uint8_t more;     // records in the additional section
    bool goodbye;     // with a time to live of 0
    // An answer to a resolver that is none of mDNS: repeats number and question.
    bool legacy;
    uint16_t id;
    const uint8_t *question;  // wire name
    uint16_t question_type;
};

// --- mdns.c ---

// Somebody else has the host's name, or the service's, or both.
void cor_mdns_conflict(struct cor_mdns *mdns, bool host, bool instance, uint64_t now_us);
// Somebody probes for our names at the same time and goes first.
void cor_mdns_defer(struct cor_mdns *mdns, uint64_t now_us);
// Joins these records to the answer to all, which leaves at at_us or before.
void cor_mdns_schedule(struct cor_mdns *mdns, const struct cor_mdns_out *out, uint64_t at_us);
// Sends to one host, now.
void cor_mdns_send_direct(
    struct cor_mdns *mdns, const struct cor_mdns_out *out, const struct cor_udp_datagram *to);

static inline bool cor_mdns_has_service(const struct cor_mdns *mdns) {
    return mdns->config.instance != NULL;
}

static inline uint8_t cor_mdns_all(const struct cor_mdns *mdns) {
    return cor_mdns_has_service(mdns) ? COR_MDNS_OF_HOST | COR_MDNS_OF_SERVICE : COR_MDNS_OF_HOST;
}

// --- mdns_out.c ---

// Write a message into COR_MDNS_ROOM_BYTES and return its length.
uint32_t cor_mdns_emit_response(
    const struct cor_mdns *mdns, const struct cor_mdns_out *out, uint8_t *at);
uint32_t cor_mdns_emit_probe(const struct cor_mdns *mdns, uint8_t *at);
// The data of one of our records A, SRV or TXT, without shortened names, as probes compare them.
// Returns the length; at has room for COR_MDNS_TXT_BYTES_MAX.
uint32_t cor_mdns_data(const struct cor_mdns *mdns, uint8_t record, uint8_t *at);
uint32_t cor_mdns_ttl_s(uint8_t record);
// "_services._dns-sd._udp.local" (RFC 6763 9).
extern const uint8_t cor_mdns_services[];

// --- mdns_in.c ---

void cor_mdns_receive(void *context, const struct cor_udp_datagram *datagram);

#endif
