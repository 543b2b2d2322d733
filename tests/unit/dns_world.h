// SPDX-License-Identifier: MIT
// A resolver between two servers played by hand, for the tests of DNS.
#ifndef TESTS_DNS_WORLD_H
#define TESTS_DNS_WORLD_H

#include "service_host.h"

#include "coradio/dns.h"

#define SERVER_A COR_IP4(10, 0, 0, 1)
#define SERVER_B COR_IP4(10, 0, 0, 3)
#define QUERIES  2
#define ENTRIES  3
#define BOARD    COR_IP4(10, 0, 0, 42)

enum { TYPE_A = 1, TYPE_CNAME = 5, TYPE_SOA = 6 };

static struct {
    struct host h;
    struct cor_dns dns;
    struct cor_dns_query queries[QUERIES];
    struct cor_dns_entry entries[ENTRIES];
    // The question read last.
    uint16_t id;
    uint16_t port;
    uint32_t server;
    uint8_t question[260];
    uint32_t question_bytes;
    // The results.
    uint32_t done_count;
    struct cor_dns_result result;
    const char *ask_again;
} w;

static inline uint64_t poll_dns(struct host *h) {
    return cor_dns_poll(&w.dns, h->now_us);
}

static inline void done(void *context, const struct cor_dns_result *result) {
    CHECK(context == &w);
    w.done_count++;
    w.result = *result;
    if (w.ask_again != NULL) {
        const char *name = w.ask_again;

        w.ask_again = NULL;
        CHECK(cor_dns_ask(&w.dns, name, done, &w, w.h.now_us) >= 0);
    }
}

static inline int32_t ask(const char *name) {
    return cor_dns_ask(&w.dns, name, done, &w, w.h.now_us);
}

static inline struct host *begin(void) {
    static const uint32_t servers[] = {SERVER_A, SERVER_B};

    memset(&w, 0, sizeof(w));
    start_net(&w.h);
    cor_dns_init(
        &w.dns,
        &w.h.net,
        &(struct cor_dns_config){
            .queries = w.queries,
            .query_count = QUERIES,
            .entries = w.entries,
            .entry_count = ENTRIES,
        });
    cor_dns_set_servers(&w.dns, servers, 2);
    return &w.h;
}

// The next frame is a question; ARP requests before it are answered.
static inline void expect_question(struct host *h, uint32_t server, uint64_t within_us) {
    uint64_t until_us = h->now_us + within_us;

    for (;;) {
        CHECK(next_frame(h, poll_dns, until_us));
        if (!is_arp(h)) {
            break;
        }
        give_arp(h, 2, peer_mac, get32(h->frame + 38), OUR_ADDRESS);
    }
    struct dgram d = read_udp(h);
    CHECK_EQ(d.to, server);
    CHECK_EQ(d.to_port, 53);
    CHECK(d.from_port >= 1024);
    CHECK_BYTES(d.data + 2, "\1\0\0\1\0\0\0\0\0\0", 10);
    CHECK_BYTES(d.data + d.size - 4, "\0\1\0\1", 4);
    w.id = (uint16_t)get16(d.data);
    w.port = d.from_port;
    w.server = d.to;
    w.question_bytes = d.size - 12;
    memcpy(w.question, d.data + 12, w.question_bytes);
}

static inline bool asked_for(const char *wire, uint32_t size) {
    return w.question_bytes == size + 4 && memcmp(w.question, wire, size) == 0;
}

// --- Answers ---

struct answer {
    uint16_t flags;  // 0: 0x8180
    uint32_t count;  // records
    uint32_t authority_count;
    uint8_t data[1024];
    uint32_t size;
    uint32_t from;  // 0: the server asked
    uint16_t from_port;
    uint16_t id_change;
    uint16_t port;            // 0: that of the question
    const uint8_t *question;  // NULL: as asked
    uint32_t question_bytes;
    bool no_question;
};

// Appends a record whose name is given as wire bytes, "\xC0\x0C" for that of the question.
static inline void add(
    struct answer *a,
    const char *name,
    uint32_t name_bytes,
    uint16_t type,
    uint32_t ttl_s,
    const void *data,
    uint32_t data_bytes) {
    uint8_t *at = a->data + a->size;

    memcpy(at, name, name_bytes);
    at += name_bytes;
    put16(at, type);
    put16(at + 2, 1);
    put32(at + 4, ttl_s);
    put16(at + 8, data_bytes);
    memcpy(at + 10, data, data_bytes);
    a->size += name_bytes + 10 + data_bytes;
}

#define NAME(text) text, sizeof(text) - 1
#define ASKED      NAME("\xC0\x0C")

static inline void add_a(struct answer *a, uint32_t ttl_s, uint32_t address) {
    uint8_t data[4];

    put32(data, address);
    add(a, ASKED, TYPE_A, ttl_s, data, 4);
    a->count++;
}

static inline void send_answer(struct host *h, const struct answer *a) {
    uint8_t data[1400] = {0};
    const uint8_t *question = a->question != NULL ? a->question : w.question;
    uint32_t question_bytes = a->question != NULL ? a->question_bytes : w.question_bytes;

    put16(data, w.id + (uint32_t)a->id_change);
    put16(data + 2, a->flags != 0 ? a->flags : 0x8180);
    put16(data + 4, a->no_question ? 0 : 1);
    put16(data + 6, a->count);
    put16(data + 8, a->authority_count);
    question_bytes = a->no_question ? 0 : question_bytes;
    memcpy(data + 12, question, question_bytes);
    memcpy(data + 12 + question_bytes, a->data, a->size);
    give_udp(
        h,
        &(struct dgram){
            .from = a->from != 0 ? a->from : w.server,
            .to = OUR_ADDRESS,
            .from_port = a->from_port != 0 ? a->from_port : 53,
            .to_port = a->port != 0 ? a->port : w.port,
            .data = data,
            .size = 12 + question_bytes + a->size,
        });
}

static inline void send_address(struct host *h, uint32_t ttl_s, uint32_t address) {
    struct answer a = {0};

    add_a(&a, ttl_s, address);
    send_answer(h, &a);
}

// The result comes at the next poll.
static inline void expect_result(struct host *h, enum cor_status status) {
    uint32_t count = w.done_count;

    (void)poll_dns(h);
    CHECK_EQ(w.done_count, count + 1);
    CHECK_EQ(w.result.status, status);
}

static inline void expect_address(struct host *h, uint32_t address) {
    expect_result(h, COR_OK);
    CHECK_EQ(w.result.count, 1);
    CHECK_EQ(w.result.addresses[0], address);
}

static inline void add_alias(struct answer *a, uint32_t from, uint32_t to, uint32_t ttl_s) {
    uint8_t name[] = "\2a0\7example\0";
    uint8_t target[] = "\2a0\7example\0";

    name[2] = (uint8_t)('0' + from);
    target[2] = (uint8_t)('0' + to);
    add(a, (const char *)name, 12, TYPE_CNAME, ttl_s, target, 12);
    a->count++;
}

static inline void add_end(struct answer *a, uint32_t at) {
    uint8_t name[] = "\2a0\7example\0";
    uint8_t data[4];

    name[2] = (uint8_t)('0' + at);
    put32(data, BOARD);
    add(a, (const char *)name, 12, TYPE_A, 300, data, 4);
    a->count++;
}

#endif
