// SPDX-License-Identifier: MIT
#include "coradio/dns.h"

#include "net/dns_parts.h"
#include "net/net_parts.h"
#include "net/siphash.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"
#include "coradio/ip4.h"

#define SECOND_US 1000000U
// Waits for an answer, server after server; together 11 s. Our choice.
static const uint8_t waits_s[] = {1, 2, 4, 4};
#define TRIES (sizeof(waits_s) / sizeof(waits_s[0]))
// All of it together, when aliases have to be asked for.
#define END_US (15U * SECOND_US)
// How soon a message that could not be written is tried again.
#define BUSY_WAIT_US 10000U
// Ports are drawn from all that are not reserved (RFC 6056 3.2, RFC 5452 9.2).
#define PORT_FIRST 1024U
#define PORT_COUNT (65536U - PORT_FIRST)

_Static_assert(
    COR_DNS_ROOM_BYTES >= COR_DNS_HEADER_BYTES + COR_DNS_NAME_BYTES_MAX + 4,
    "the room takes any question");

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_DNS_COUNTERS(X)
#undef X
};

// --- Cache ---

// The name as a number under the net's secret, so that nobody can make two names meet. SipHash
// takes 64 bytes at a time; each step puts the one before in front.
static uint64_t key_of(const struct cor_net *net, const uint8_t *name) {
    uint32_t left = cor_dns_name_bytes(name);
    uint64_t key = left;

    while (left > 0) {
        uint32_t part = left < 48 ? left : 48;
        uint8_t block[9 + 48];

        block[0] = 'n';
        cor_put_be32(block + 1, (uint32_t)(key >> 32));
        cor_put_be32(block + 5, (uint32_t)key);
        for (uint32_t i = 0; i < part; i++) {
            block[9 + i] = cor_dns_lower(name[i]);
        }
        key = cor_siphash(net->config.secret, block, 9 + part);
        name += part;
        left -= part;
    }
    return key;
}

static const struct cor_dns_entry *recall(
    const struct cor_dns *dns, uint64_t key, uint64_t now_us) {
    for (uint32_t i = 0; i < dns->config.entry_count; i++) {
        const struct cor_dns_entry *entry = &dns->config.entries[i];

        if (entry->key == key && now_us < entry->until_us) {
            return entry;
        }
    }
    return NULL;
}

// In place of what was known of the name, or of what is over or over soonest.
static void keep(const struct cor_dns_query *query, uint64_t now_us) {
    const struct cor_dns *dns = query->dns;
    struct cor_dns_entry *best = NULL;

    if (query->result.ttl_s == 0) {
        return;
    }
    for (uint32_t i = 0; i < dns->config.entry_count; i++) {
        struct cor_dns_entry *entry = &dns->config.entries[i];

        if (entry->key == query->key && entry->until_us != 0) {
            best = entry;
            break;
        }
        if (best == NULL || entry->until_us < best->until_us) {
            best = entry;
        }
    }
    if (best != NULL) {
        best->key = query->key;
        best->until_us = now_us + (uint64_t)query->result.ttl_s * SECOND_US;
        best->count = query->result.count;
        memcpy(best->addresses, query->result.addresses, sizeof(best->addresses));
    }
}

// --- Questions ---

static void close_socket(struct cor_dns_query *query) {
    cor_udp_disconnect(&query->udp);
    enum cor_status status = cor_udp_bind(&query->udp, 0);
    (void)status;  // COR_E_STATE: a frame is in the queue of the bus; the port stays, unheard
}

void cor_dns_finish(struct cor_dns_query *query, enum cor_status status) {
    query->result.status = status;
    query->state = COR_DNS_READY;
    close_socket(query);
    if (status == COR_OK || status == COR_E_NO_NAME) {
        query->dns->server_first = query->server_index;
    }
}

void cor_dns_next_server(struct cor_dns_query *query, enum cor_status status, uint64_t now_us) {
    query->result.status = status;
    query->due_us = now_us;
}

void cor_dns_ask_again(struct cor_dns_query *query, uint64_t now_us) {
    query->tries = 0;
    query->due_us = now_us;
}

static bool choose_port(struct cor_dns_query *query) {
    struct cor_net *net = query->dns->net;

    for (uint32_t i = 0; i <= net->socket_count; i++) {
        uint16_t port = (uint16_t)(PORT_FIRST + cor_net_random_below(net, PORT_COUNT));

        if (cor_net_find(net, COR_NET_UDP, port) == NULL) {
            return cor_udp_bind(&query->udp, port) == COR_OK;
        }
    }
    return false;
}

static void emit(struct cor_dns_query *query) {
    struct cor_dns_header header = {
        .id = query->id,
        .flags = COR_DNS_RECURSE,
        .question_count = 1,
    };

    cor_dns_header_emit(&header, (uint8_t *)query->message);
}

// Asks the server whose turn it is.
static void ask_server(struct cor_dns_query *query, uint64_t now_us) {
    struct cor_dns *dns = query->dns;
    uint8_t *room;

    cor_udp_disconnect(&query->udp);
    if (cor_udp_pending(&query->udp) != 0 || !choose_port(query)) {
        query->due_us = now_us + BUSY_WAIT_US;
        return;
    }
    query->server_index = (uint8_t)((dns->server_first + query->tries) % dns->server_count);
    query->server = dns->servers[query->server_index];
    query->due_us = now_us + waits_s[query->tries] * (uint64_t)SECOND_US;
    query->tries++;
    query->id = (uint16_t)cor_net_random(dns->net);
    query->refused = query->udp.counters.unreachable + query->udp.counters.drop_unreachable;
    enum cor_status status = cor_udp_connect(&query->udp, query->server, COR_DNS_PORT, now_us);
    if (status != COR_OK || cor_udp_send_buf(&query->udp, &room) < query->message_bytes) {
        // The net may still come up: time goes on as if nobody answered.
        query->result.status = COR_E_UNREACHABLE;
        return;
    }
    query->result.status = COR_E_TIMEOUT;
    emit(query);
    cor_udp_send_ack(&query->udp, query->message_bytes, now_us);
    dns->counters.queries_sent++;
}

static void poll_asking(struct cor_dns_query *query, uint64_t now_us) {
    struct cor_dns *dns = query->dns;
    uint64_t refused = query->udp.counters.unreachable + query->udp.counters.drop_unreachable;

    if (query->tries != 0 && refused != query->refused) {
        query->refused = refused;
        cor_dns_next_server(query, COR_E_UNREACHABLE, now_us);
    }
    if (now_us < query->due_us && now_us < query->end_us) {
        return;
    }
    if (query->tries == TRIES || now_us >= query->end_us || dns->server_count == 0) {
        dns->counters.failed++;
        cor_dns_finish(query, query->result.status);
    } else {
        ask_server(query, now_us);
    }
}

static void deliver(struct cor_dns_query *query, uint64_t now_us) {
    struct cor_dns_result result = query->result;

    // What came from the cache, or from nowhere, is not kept.
    if (query->tries != 0 && (result.status == COR_OK || result.status == COR_E_NO_NAME)) {
        keep(query, now_us);
    }
    query->state = COR_DNS_FREE;
    query->done(query->context, &result);
}

// One look at each query. True: there is a result to be delivered.
static bool poll_queries(struct cor_dns *dns, uint64_t now_us) {
    bool ready = false;

    for (uint32_t i = 0; i < dns->config.query_count; i++) {
        struct cor_dns_query *query = &dns->config.queries[i];

        if (query->state == COR_DNS_ASKING) {
            poll_asking(query, now_us);
        }
        if (query->state == COR_DNS_READY) {
            deliver(query, now_us);
        }
    }
    for (uint32_t i = 0; i < dns->config.query_count; i++) {
        ready |= dns->config.queries[i].state == COR_DNS_READY;
    }
    return ready;
}

uint64_t cor_dns_poll(struct cor_dns *dns, uint64_t now_us) {
    uint64_t deadline_us = COR_NET_NEVER;

    // A result may lead to the next question, whose answer may be in the cache.
    for (uint32_t i = 0; i < dns->config.query_count && poll_queries(dns, now_us); i++) {
    }
    for (uint32_t i = 0; i < dns->config.query_count; i++) {
        const struct cor_dns_query *query = &dns->config.queries[i];
        uint64_t at_us = query->state == COR_DNS_READY ? now_us : COR_NET_NEVER;

        if (query->state == COR_DNS_ASKING) {
            at_us = query->due_us < query->end_us ? query->due_us : query->end_us;
        }
        deadline_us = at_us < deadline_us ? at_us : deadline_us;
    }
    return deadline_us;
}

// --- For the application ---

void cor_dns_init(struct cor_dns *dns, struct cor_net *net, const struct cor_dns_config *config) {
    memset(dns, 0, sizeof(*dns));
    dns->net = net;
    dns->config = *config;
    for (uint32_t i = 0; i < config->entry_count; i++) {
        memset(&config->entries[i], 0, sizeof(config->entries[i]));
    }
    for (uint32_t i = 0; i < config->query_count; i++) {
        struct cor_dns_query *query = &config->queries[i];
        struct cor_udp_config udp = {
            .memory = (uint8_t *)query->message,
            .slot_bytes = COR_DNS_ROOM_BYTES,
            .slot_count = 1,
            .slots = &query->slot,
            .receive = cor_dns_receive,
            .context = query,
            .service = true,
        };

        memset(query, 0, sizeof(*query));
        query->dns = dns;
        cor_udp_init(&query->udp, net, &udp);
        close_socket(query);
    }
}

void cor_dns_set_servers(struct cor_dns *dns, const uint32_t *servers, uint8_t count) {
    count = count < COR_DNS_SERVERS ? count : COR_DNS_SERVERS;
    bool same = count == dns->server_count;

    for (uint32_t i = 0; i < count; i++) {
        same = same && dns->servers[i] == servers[i];
        dns->servers[i] = servers[i];
    }
    if (same) {
        return;
    }
    dns->server_count = count;
    dns->server_first = 0;
    for (uint32_t i = 0; i < dns->config.entry_count; i++) {
        dns->config.entries[i].until_us = 0;
    }
}

static struct cor_dns_query *free_query(struct cor_dns *dns, uint32_t *index) {
    for (uint32_t i = 0; i < dns->config.query_count; i++) {
        struct cor_dns_query *query = &dns->config.queries[i];

        // One whose last message stands in the queue of the bus cannot be written over.
        if (query->state == COR_DNS_FREE && cor_udp_pending(&query->udp) == 0) {
            *index = i;
            return query;
        }
    }
    return NULL;
}

// Ends in the label "local": a name of mDNS, which no server is to hear of (RFC 6762 3).
static bool is_local(const uint8_t *name) {
    const uint8_t *last = name;

    for (const uint8_t *at = name; *at != 0; at += 1U + *at) {
        last = at;
    }
    return cor_dns_name_equal(last, (const uint8_t *)"\5local");
}

// What is known without asking.
static bool answer_at_once(struct cor_dns_query *query, const char *text, uint64_t now_us) {
    const struct cor_dns_entry *entry = recall(query->dns, query->key, now_us);

    if (cor_ip4_parse(text, &query->result.addresses[0])) {
        query->result.status = COR_OK;
        query->result.count = 1;
        return true;
    }
    if (entry == NULL) {
        return false;
    }
    query->dns->counters.cache_hits++;
    query->result.status = entry->count != 0 ? COR_OK : COR_E_NO_NAME;
    query->result.count = entry->count;
    query->result.ttl_s = (uint32_t)((entry->until_us - now_us) / SECOND_US);
    memcpy(query->result.addresses, entry->addresses, sizeof(entry->addresses));
    return true;
}

int32_t cor_dns_ask(
    struct cor_dns *dns, const char *name, cor_dns_result_fn done, void *context, uint64_t now_us) {
    uint8_t wire[COR_DNS_NAME_BYTES_MAX];
    uint32_t index = 0;
    int32_t size = cor_dns_name_from_text(name, wire);

    COR_ASSERT(done != NULL);
    if (size < 0) {
        return size;
    }
    if (is_local(wire)) {
        return COR_E_UNSUPPORTED;
    }
    struct cor_dns_query *query = free_query(dns, &index);
    if (query == NULL) {
        return COR_E_NOMEM;
    }
    uint8_t *at = cor_dns_question(query);
    memset(&query->result, 0, sizeof(query->result));
    query->key = key_of(dns->net, wire);
    bool ready = answer_at_once(query, name, now_us);
    if (!ready && dns->server_count == 0) {
        return COR_E_STATE;
    }
    query->state = ready ? COR_DNS_READY : COR_DNS_ASKING;
    query->done = done;
    query->context = context;
    query->serial = ++dns->serial;
    query->tries = 0;
    query->links = 0;
    query->ttl_s = UINT32_MAX;
    query->due_us = now_us;
    query->end_us = now_us + END_US;
    memcpy(at, wire, (uint32_t)size);
    cor_put_be16(at + size, COR_DNS_A);
    cor_put_be16(at + size + 2, COR_DNS_IN);
    query->message_bytes = (uint16_t)(COR_DNS_HEADER_BYTES + size + 4);
    return (int32_t)((uint32_t)query->serial << 8 | index);
}

void cor_dns_cancel(struct cor_dns *dns, int32_t number) {
    uint32_t index = (uint32_t)number & 0xFF;

    if (number < 0 || index >= dns->config.query_count) {
        return;
    }
    struct cor_dns_query *query = &dns->config.queries[index];
    if (query->state != COR_DNS_FREE && query->serial == (uint32_t)number >> 8) {
        query->state = COR_DNS_FREE;
        close_socket(query);
    }
}

const struct cor_dns_counters *cor_dns_get_counters(const struct cor_dns *dns) {
    return &dns->counters;
}

const struct cor_counter_info *cor_dns_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}
