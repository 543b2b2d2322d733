// SPDX-License-Identifier: MIT
// What a DNS server says: whether it answers our question, and the way from the name through its
// aliases to addresses.
#include "net/dns_parts.h"
#include "net/net_parts.h"

#include <string.h>

#include "coradio/bytes.h"

#define SECOND_US 1000000U
// The longest that an answer is kept, and that the lack of one is: our choice, after RFC 1034 3.6
// and RFC 2308 5.
#define TTL_MAX_S      86400U
#define NEGATIVE_MAX_S 60U
// Behind the two names of an SOA record stand five numbers, the last is the time that a lack may be
// kept: specified (RFC 1035 3.3.13, RFC 2308 4).
#define SOA_BYTES_MIN (2 + 20)

// What the answers say about one name.
struct found {
    uint32_t addresses[COR_DNS_ADDRESSES];
    uint8_t count;
    bool alias;
    uint32_t ttl_s;
    uint8_t target[COR_DNS_NAME_BYTES_MAX];
};

// A time with the top bit set is none, specified (RFC 2181 8).
static uint32_t ttl_of(const struct cor_dns_record *record) {
    if (record->ttl_s >> 31 != 0) {
        return 0;
    }
    return record->ttl_s < TTL_MAX_S ? record->ttl_s : TTL_MAX_S;
}

static void shorten(uint32_t *ttl_s, uint32_t other_s) {
    *ttl_s = other_s < *ttl_s ? other_s : *ttl_s;
}

static enum cor_status add_record(
    const struct cor_dns_message *message,
    const struct cor_dns_record *record,
    struct found *found) {
    if (record->type == COR_DNS_A && record->data_bytes == 4) {
        if (found->count < COR_DNS_ADDRESSES) {
            found->addresses[found->count++] = cor_get_be32(message->data + record->data);
        }
        shorten(&found->ttl_s, ttl_of(record));
    } else if (record->type == COR_DNS_CNAME && !found->alias) {
        if (cor_dns_name_read(message, record->data, found->target) < 0) {
            return COR_E_PROTO;
        }
        found->alias = true;
        shorten(&found->ttl_s, ttl_of(record));
    }
    return COR_OK;
}

// Looks through all answers for what they say about a name. message is a copy: it stands at the
// first answer again for the next name.
static enum cor_status look(
    struct cor_dns_message message, const uint8_t *name, struct found *found) {
    memset(found, 0, sizeof(*found));
    found->ttl_s = TTL_MAX_S;
    for (uint32_t i = 0; i < message.header.answer_count; i++) {
        struct cor_dns_record record;

        if (cor_dns_parse_record(&message, &record) != COR_OK) {
            return COR_E_PROTO;
        }
        if (record.class == COR_DNS_IN && cor_dns_name_is(&message, record.name, name) &&
            add_record(&message, &record, found) != COR_OK) {
            return COR_E_PROTO;
        }
    }
    return COR_OK;
}

// How long the lack of an address may be kept: what the SOA record says (RFC 2308 5), 0 without
// one.
static uint32_t negative_ttl_s(struct cor_dns_message message) {
    uint32_t count = (uint32_t)message.header.answer_count + message.header.authority_count;

    for (uint32_t i = 0; i < count; i++) {
        struct cor_dns_record record;

        if (cor_dns_parse_record(&message, &record) != COR_OK) {
            return 0;
        }
        if (i >= message.header.answer_count && record.type == COR_DNS_SOA &&
            record.data_bytes >= SOA_BYTES_MIN) {
            uint32_t ttl_s = ttl_of(&record);

            shorten(&ttl_s, cor_get_be32(message.data + record.data + record.data_bytes - 4));
            shorten(&ttl_s, NEGATIVE_MAX_S);
            return ttl_s;
        }
    }
    return 0;
}

static void take_addresses(struct cor_dns_query *query, const struct found *found) {
    query->result.count = found->count;
    memcpy(query->result.addresses, found->addresses, sizeof(found->addresses));
    query->result.ttl_s = query->ttl_s;
    cor_dns_finish(query, COR_OK);
}

static void take_lack(struct cor_dns_query *query, const struct cor_dns_message *message) {
    uint32_t ttl_s = negative_ttl_s(*message);

    shorten(&ttl_s, query->ttl_s);
    query->result.ttl_s = ttl_s;
    cor_dns_finish(query, COR_E_NO_NAME);
}

// The question becomes that for the alias's target.
static void set_name(struct cor_dns_query *query, const uint8_t *name) {
    uint32_t size = cor_dns_name_bytes(name);
    uint8_t *at = cor_dns_question(query);

    memcpy(at, name, size);
    cor_put_be16(at + size, COR_DNS_A);
    cor_put_be16(at + size + 2, COR_DNS_IN);
    query->message_bytes = (uint16_t)(COR_DNS_HEADER_BYTES + size + 4);
}

static void drop(struct cor_dns_query *query, uint64_t now_us) {
    query->dns->counters.drop_message++;
    cor_dns_next_server(query, COR_E_PROTO, now_us);
}

// message stands at the first answer.
static void take_answers(
    struct cor_dns_query *query, const struct cor_dns_message *message, uint64_t now_us) {
    bool cut = (message->header.flags & COR_DNS_TRUNCATED) != 0;
    uint8_t name[COR_DNS_NAME_BYTES_MAX];
    uint32_t links = query->links;
    struct found found;

    memcpy(name, cor_dns_question(query), cor_dns_name_bytes(cor_dns_question(query)));
    for (;; links++) {
        if (look(*message, name, &found) != COR_OK || links > COR_DNS_LINKS_MAX) {
            drop(query, now_us);
            return;
        }
        if (found.count != 0 || !found.alias) {
            break;
        }
        shorten(&query->ttl_s, found.ttl_s);
        memcpy(name, found.target, sizeof(name));
    }
    shorten(&query->ttl_s, found.ttl_s);
    query->dns->counters.answers_taken++;
    if (found.count != 0) {
        take_addresses(query, &found);
    } else if (links != query->links) {
        // The aliases end in a name that the server says nothing about: it is asked about that one.
        query->links = (uint8_t)links;
        set_name(query, name);
        cor_dns_ask_again(query, now_us);
    } else if (cut) {
        drop(query, now_us);
    } else {
        take_lack(query, message);
    }
}

// An answer to this question, and nothing else (RFC 5452 4). Leaves message at the first answer.
static bool is_answer(
    struct cor_dns_query *query,
    struct cor_dns_message *message,
    const struct cor_udp_datagram *datagram) {
    struct cor_dns_question question;

    return query->state == COR_DNS_ASKING && datagram->address == query->server &&
           datagram->port == COR_DNS_PORT &&
           cor_dns_parse(message, datagram->data, datagram->size_bytes) == COR_OK &&
           message->header.id == query->id &&
           (message->header.flags & (COR_DNS_RESPONSE | COR_DNS_OPCODE)) == COR_DNS_RESPONSE &&
           message->header.question_count == 1 &&
           cor_dns_parse_question(message, &question) == COR_OK && question.type == COR_DNS_A &&
           question.class == COR_DNS_IN &&
           cor_dns_name_is(message, question.name, cor_dns_question(query));
}

void cor_dns_receive(void *context, const struct cor_udp_datagram *datagram) {
    struct cor_dns_query *query = context;
    struct cor_dns *dns = query->dns;
    struct cor_dns_message message;

    if (!is_answer(query, &message, datagram)) {
        dns->counters.drop_other++;
        return;
    }
    switch (message.header.flags & COR_DNS_CODE) {
    case COR_DNS_NO_ERROR:
        take_answers(query, &message, datagram->now_us);
        break;
    case COR_DNS_NO_NAME:
        dns->counters.answers_taken++;
        take_lack(query, &message);
        break;
    default:
        dns->counters.servers_failed++;
        cor_dns_next_server(query, COR_E_REFUSED, datagram->now_us);
        break;
    }
}
