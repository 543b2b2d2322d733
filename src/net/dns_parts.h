// SPDX-License-Identifier: MIT
// DNS parts: what the two files of the resolver share.
#ifndef CORADIO_DNS_PARTS_H
#define CORADIO_DNS_PARTS_H

#include "wire/dns.h"

#include "coradio/dns.h"

enum cor_dns_state { COR_DNS_FREE, COR_DNS_ASKING, COR_DNS_READY };

// Aliases followed for one name; our choice, as many as common resolvers.
#define COR_DNS_LINKS_MAX 8

// --- dns.c ---

// The result is there; it is delivered at the next poll.
void cor_dns_finish(struct cor_dns_query *query, enum cor_status status);
// This server was of no use; the next one is asked at the next poll.
void cor_dns_next_server(struct cor_dns_query *query, enum cor_status status, uint64_t now_us);
// The name in the message is another one now; asks for it.
void cor_dns_ask_again(struct cor_dns_query *query, uint64_t now_us);

static inline uint8_t *cor_dns_question(struct cor_dns_query *query) {
    return (uint8_t *)query->message + COR_DNS_HEADER_BYTES;
}

// --- dns_answer.c ---

// A datagram for the query's port.
void cor_dns_receive(void *context, const struct cor_udp_datagram *datagram);

#endif
