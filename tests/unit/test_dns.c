// SPDX-License-Identifier: MIT
// DNS: names to addresses, message by message at stated times.
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

static uint64_t poll_dns(struct host *h) {
    return cor_dns_poll(&w.dns, h->now_us);
}

static void done(void *context, const struct cor_dns_result *result) {
    CHECK(context == &w);
    w.done_count++;
    w.result = *result;
    if (w.ask_again != NULL) {
        const char *name = w.ask_again;

        w.ask_again = NULL;
        CHECK(cor_dns_ask(&w.dns, name, done, &w, w.h.now_us) >= 0);
    }
}

static int32_t ask(const char *name) {
    return cor_dns_ask(&w.dns, name, done, &w, w.h.now_us);
}

static struct host *begin(void) {
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
static void expect_question(struct host *h, uint32_t server, uint64_t within_us) {
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

static bool asked_for(const char *wire, uint32_t size) {
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
static void add(
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

static void add_a(struct answer *a, uint32_t ttl_s, uint32_t address) {
    uint8_t data[4];

    put32(data, address);
    add(a, ASKED, TYPE_A, ttl_s, data, 4);
    a->count++;
}

static void send_answer(struct host *h, const struct answer *a) {
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

static void send_address(struct host *h, uint32_t ttl_s, uint32_t address) {
    struct answer a = {0};

    add_a(&a, ttl_s, address);
    send_answer(h, &a);
}

// The result comes at the next poll.
static void expect_result(struct host *h, enum cor_status status) {
    uint32_t count = w.done_count;

    (void)poll_dns(h);
    CHECK_EQ(w.done_count, count + 1);
    CHECK_EQ(w.result.status, status);
}

static void expect_address(struct host *h, uint32_t address) {
    expect_result(h, COR_OK);
    CHECK_EQ(w.result.count, 1);
    CHECK_EQ(w.result.addresses[0], address);
}

TEST(a_name_is_asked_for_and_answered) {
    struct host *h = begin();

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    CHECK(asked_for(NAME("\5board\7example\0")));
    CHECK_EQ(w.done_count, 0);
    send_address(h, 120, BOARD);
    CHECK_EQ(w.done_count, 0);  // never from within the radio's input
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 120);
    // The port is closed and the server no neighbour to be kept.
    send_address(h, 120, BOARD);
    CHECK_EQ(h->net.counters.drop_udp_port, 1);
    CHECK(cor_dns_poll(&w.dns, h->now_us) == COR_NET_NEVER);
}

TEST(several_addresses_come_in_order_up_to_the_limit) {
    struct host *h = begin();
    struct answer a = {0};

    CHECK(ask("many.example") >= 0);
    expect_question(h, SERVER_A, 0);
    for (uint32_t i = 0; i < 6; i++) {
        add_a(&a, 300 - i, BOARD + i);
    }
    send_answer(h, &a);
    expect_result(h, COR_OK);
    CHECK_EQ(w.result.count, COR_DNS_ADDRESSES);
    for (uint32_t i = 0; i < COR_DNS_ADDRESSES; i++) {
        CHECK_EQ(w.result.addresses[i], BOARD + i);
    }
    CHECK_EQ(w.result.ttl_s, 295);
}

// Waits of 1, 2, 4 and 4 s over the servers in turn.
TEST(silent_servers_are_asked_in_turn_and_given_up_after_11_seconds) {
    struct host *h = begin();
    uint64_t from_us = h->now_us;

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    uint16_t id = w.id;
    uint16_t port = w.port;
    expect_question(h, SERVER_B, SECOND);
    CHECK_EQ(h->now_us - from_us, SECOND);
    CHECK(w.id != id && w.port != port);
    expect_question(h, SERVER_A, 2 * SECOND);
    CHECK_EQ(h->now_us - from_us, 3 * SECOND);
    expect_question(h, SERVER_B, 4 * SECOND);
    CHECK_EQ(h->now_us - from_us, 7 * SECOND);
    CHECK(!next_frame(h, poll_dns, from_us + 11 * SECOND - 1));
    CHECK_EQ(w.done_count, 0);
    h->now_us++;
    expect_result(h, COR_E_TIMEOUT);
    CHECK_EQ(w.dns.counters.queries_sent, 4);
    CHECK_EQ(w.dns.counters.failed, 1);
}

TEST(the_server_that_answered_is_asked_first_next_time) {
    struct host *h = begin();

    CHECK(ask("one.example") >= 0);
    expect_question(h, SERVER_A, 0);
    expect_question(h, SERVER_B, SECOND);
    send_address(h, 10, BOARD);
    expect_address(h, BOARD);
    CHECK(ask("two.example") >= 0);
    expect_question(h, SERVER_B, 0);
    // An answer to the first message comes too late: its port is closed.
    expect_question(h, SERVER_A, SECOND);
}

TEST(numbers_and_ports_differ_and_hardly_repeat) {
    struct host *h = begin();
    uint16_t ids[64];
    uint16_t ports[64];
    uint32_t same = 0;

    for (uint32_t i = 0; i < 64; i++) {
        int32_t number = ask("board.example");

        expect_question(h, SERVER_A, 0);
        ids[i] = w.id;
        ports[i] = w.port;
        for (uint32_t k = 0; k < i; k++) {
            same += ids[k] == ids[i];
            same += ports[k] == ports[i];
            CHECK(k + 1 != i || (uint16_t)(ids[i] - ids[k]) > 1);
        }
        cor_dns_cancel(&w.dns, number);
    }
    CHECK(same < 4);
}

TEST(only_the_answer_to_the_question_counts) {
    static const uint8_t other[] = "\5board\7exampl3\0\0\1\0\1";
    static const uint8_t other_type[] = "\5board\7example\0\0\x1C\0\1";
    static const uint8_t other_class[] = "\5board\7example\0\0\1\0\3";
    struct answer wrong[] = {
        {.id_change = 1},
        {.from = SERVER_B},
        {.from = COR_IP4(10, 0, 0, 66)},
        {.from_port = 5353},
        {.flags = 0x0100},
        {.flags = 0xA180},
        {.no_question = true},
        {.question = other, .question_bytes = sizeof(other) - 1},
        {.question = other_type, .question_bytes = sizeof(other_type) - 1},
        {.question = other_class, .question_bytes = sizeof(other_class) - 1},
    };
    struct host *h = begin();

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        add_a(&wrong[i], 300, COR_IP4(6, 6, 6, 6));
        send_answer(h, &wrong[i]);
        (void)poll_dns(h);
        CHECK_EQ(w.done_count, 0);
        CHECK_EQ(w.dns.counters.drop_other, i + 1);
    }
    struct answer wrong_port = {.port = (uint16_t)(w.port ^ 1)};
    add_a(&wrong_port, 300, COR_IP4(6, 6, 6, 6));
    send_answer(h, &wrong_port);
    CHECK_EQ(h->net.counters.drop_udp_port, 1);
    // A question sent back in capitals is the same question.
    struct answer good = {
        .question = (const uint8_t *)"\5BOARD\7exAMPle\0\0\1\0\1", .question_bytes = 19};
    add_a(&good, 300, BOARD);
    send_answer(h, &good);
    expect_address(h, BOARD);
}

TEST(records_of_other_names_types_and_classes_are_not_the_answer) {
    struct host *h = begin();
    struct answer a = {0};

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    add(&a, NAME("\4evil\7example\0"), TYPE_A, 300, "\6\6\6\6", 4);
    add(&a, ASKED, 28, 300, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
    add(&a, ASKED, TYPE_A, 300, "\6\6\6", 3);
    a.count = 3;
    add_a(&a, 300, BOARD);
    send_answer(h, &a);
    expect_address(h, BOARD);
}

// --- Aliases ---

static void add_alias(struct answer *a, uint32_t from, uint32_t to, uint32_t ttl_s) {
    uint8_t name[] = "\2a0\7example\0";
    uint8_t target[] = "\2a0\7example\0";

    name[2] = (uint8_t)('0' + from);
    target[2] = (uint8_t)('0' + to);
    add(a, (const char *)name, 12, TYPE_CNAME, ttl_s, target, 12);
    a->count++;
}

static void add_end(struct answer *a, uint32_t at) {
    uint8_t name[] = "\2a0\7example\0";
    uint8_t data[4];

    name[2] = (uint8_t)('0' + at);
    put32(data, BOARD);
    add(a, (const char *)name, 12, TYPE_A, 300, data, 4);
    a->count++;
}

TEST(a_chain_of_eight_aliases_is_followed_in_any_order) {
    struct host *h = begin();
    struct answer a = {0};

    CHECK(ask("a0.example") >= 0);
    expect_question(h, SERVER_A, 0);
    add_end(&a, 8);
    for (uint32_t i = 8; i > 0; i--) {
        add_alias(&a, i - 1, i, 100 + i);
    }
    send_answer(h, &a);
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 101);
}

TEST(nine_aliases_and_rings_are_refused) {
    struct host *h = begin();
    struct answer nine = {0};
    struct answer ring = {0};
    struct answer self = {0};

    CHECK(ask("a0.example") >= 0);
    expect_question(h, SERVER_A, 0);
    for (uint32_t i = 0; i < 9; i++) {
        add_alias(&nine, i, i + 1, 300);
    }
    add_end(&nine, 9);
    send_answer(h, &nine);
    expect_question(h, SERVER_B, 0);
    add_alias(&ring, 0, 1, 300);
    add_alias(&ring, 1, 0, 300);
    send_answer(h, &ring);
    expect_question(h, SERVER_A, 0);
    add_alias(&self, 0, 0, 300);
    send_answer(h, &self);
    expect_question(h, SERVER_B, 0);
    send_answer(h, &ring);
    expect_result(h, COR_E_PROTO);
    CHECK_EQ(w.dns.counters.drop_message, 4);
}

TEST(an_alias_without_an_address_is_asked_for) {
    struct host *h = begin();
    struct answer first = {0};
    struct answer second = {0};

    CHECK(ask("a0.example") >= 0);
    expect_question(h, SERVER_A, 0);
    add_alias(&first, 0, 1, 50);
    add_alias(&first, 1, 2, 60);
    send_answer(h, &first);
    expect_question(h, SERVER_A, 0);
    CHECK(asked_for(NAME("\2a2\7example\0")));
    add_end(&second, 2);
    send_answer(h, &second);
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 50);
    // Kept under the name that was asked for.
    CHECK(ask("A0.example") >= 0);
    expect_address(h, BOARD);
    CHECK_EQ(w.dns.counters.cache_hits, 1);
}

// A server that gives one alias at a time is followed eight times, not for ever.
TEST(aliases_over_several_answers_count_together) {
    struct host *h = begin();

    CHECK(ask("a0.example") >= 0);
    for (uint32_t i = 0; i < 8; i++) {
        struct answer a = {0};

        expect_question(h, SERVER_A, 0);
        add_alias(&a, i, i + 1, 300);
        send_answer(h, &a);
    }
    expect_question(h, SERVER_A, 0);
    struct answer last = {0};
    add_alias(&last, 8, 9, 300);
    send_answer(h, &last);
    expect_question(h, SERVER_B, 0);  // that one was refused
    CHECK(asked_for(NAME("\2a8\7example\0")));
}

// --- Lack, failure, cuts ---

TEST(a_name_that_does_not_exist_is_said_so_and_kept_as_the_soa_says) {
    struct host *h = begin();
    struct answer a = {.flags = 0x8183, .authority_count = 1};
    uint8_t soa[24] = {0};

    CHECK(ask("gone.example") >= 0);
    expect_question(h, SERVER_A, 0);
    put32(soa + 18, 45);
    add(&a, ASKED, TYPE_SOA, 900, soa, 22);
    send_answer(h, &a);
    expect_result(h, COR_E_NO_NAME);
    CHECK_EQ(w.result.count, 0);
    CHECK_EQ(w.result.ttl_s, 45);
    h->now_us += 44 * SECOND;
    CHECK(ask("gone.example") >= 0);
    expect_result(h, COR_E_NO_NAME);
    h->now_us += SECOND;
    CHECK(ask("gone.example") >= 0);
    expect_question(h, SERVER_A, 0);
    // At most a minute.
    put32(soa + 18, 86400);
    a.size = 0;
    add(&a, ASKED, TYPE_SOA, 900, soa, 22);
    send_answer(h, &a);
    expect_result(h, COR_E_NO_NAME);
    CHECK_EQ(w.result.ttl_s, 60);
}

TEST(a_lack_without_an_soa_is_not_kept) {
    struct host *h = begin();
    struct answer none = {0};

    CHECK(ask("empty.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_answer(h, &none);
    expect_result(h, COR_E_NO_NAME);
    CHECK_EQ(w.result.ttl_s, 0);
    CHECK(ask("empty.example") >= 0);
    expect_question(h, SERVER_A, 0);
}

TEST(a_server_that_fails_is_left_for_the_next_at_once) {
    struct host *h = begin();
    struct answer fail = {.flags = 0x8182};
    struct answer refuse = {.flags = 0x8185};
    uint64_t from_us = h->now_us;

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_answer(h, &fail);
    expect_question(h, SERVER_B, 0);
    send_answer(h, &refuse);
    expect_question(h, SERVER_A, 0);
    send_answer(h, &fail);
    expect_question(h, SERVER_B, 0);
    send_answer(h, &refuse);
    expect_result(h, COR_E_REFUSED);
    CHECK_EQ(h->now_us, from_us);
}

TEST(a_cut_answer_serves_if_it_holds_an_address) {
    struct host *h = begin();
    struct answer with = {.flags = 0x8380};
    struct answer without = {.flags = 0x8380};

    CHECK(ask("long.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_answer(h, &without);
    expect_question(h, SERVER_B, 0);
    add_a(&with, 300, BOARD);
    send_answer(h, &with);
    expect_address(h, BOARD);
}

TEST(an_unreachable_port_and_a_server_without_hardware_address_are_left_soon) {
    struct host *h = begin();
    uint64_t from_us = h->now_us;

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    // ICMP: port unreachable, with our header and the first bytes behind it.
    uint8_t *frame = new_frame(34 + 8 + 28);
    put_ip(frame, 1, 36);
    memset(frame + 34, 0, 8);
    frame[34] = 3;
    frame[35] = 3;
    memcpy(frame + 42, h->frame + 14, 28);
    put16(frame + 36, ~plain_sum(frame + 34, 36, 0));
    (void)give(h, frame, 34 + 36);
    // The second server has no hardware address; nobody answers for 4 s of ARP, and the third try
    // comes before that.
    CHECK(next_frame_within(h, poll_dns, 0));
    CHECK(is_arp(h));
    CHECK_EQ(get32(h->frame + 38), SERVER_B);
    do {
        CHECK(next_frame(h, poll_dns, from_us + 2 * SECOND));
    } while (is_arp(h) && get32(h->frame + 38) == SERVER_B);
    CHECK_EQ(h->now_us - from_us, 2 * SECOND);
    struct dgram d = read_udp(h);
    CHECK_EQ(d.to, SERVER_A);
    w.id = (uint16_t)get16(d.data);
    w.port = d.from_port;
    w.server = d.to;
    send_address(h, 10, BOARD);
    expect_address(h, BOARD);
}

TEST(without_a_way_to_the_servers_the_result_is_unreachable) {
    static const uint32_t far_away[] = {COR_IP4(8, 8, 8, 8)};
    struct host *h = begin();

    h->net.config.gateway = 0;
    cor_dns_set_servers(&w.dns, far_away, 1);
    CHECK(ask("board.example") >= 0);
    CHECK(!next_frame_within(h, poll_dns, 11 * SECOND));
    CHECK_EQ(w.done_count, 1);
    CHECK_EQ(w.result.status, COR_E_UNREACHABLE);
}

TEST(damaged_answers_lead_to_the_next_server) {
    struct host *h = begin();
    struct answer lies = {.count = 9};
    struct answer half = {0};

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    add(&lies, ASKED, TYPE_A, 300, "\6\6\6\6", 4);
    send_answer(h, &lies);
    expect_question(h, SERVER_B, 0);
    add_a(&half, 300, COR_IP4(6, 6, 6, 6));
    half.size -= 2;
    send_answer(h, &half);
    expect_question(h, SERVER_A, 0);
    struct answer loop = {.count = 1};
    add(&loop, ASKED, TYPE_CNAME, 300, "\xC0\x2B", 2);  // the alias's target points at itself
    send_answer(h, &loop);
    expect_question(h, SERVER_B, 0);
    send_address(h, 300, BOARD);
    expect_address(h, BOARD);
}

// --- Cache and bounds ---

TEST(the_cache_answers_as_long_as_it_may) {
    struct host *h = begin();

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_address(h, 100, BOARD);
    expect_address(h, BOARD);
    for (uint32_t i = 0; i < 1000; i++) {
        h->now_us += 99 * MS;
        CHECK(ask("Board.Example.") >= 0);
        expect_address(h, BOARD);
    }
    CHECK_EQ(w.result.ttl_s, 1);
    h->now_us += SECOND;
    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_address(h, 0, BOARD + 1);
    expect_address(h, BOARD + 1);
    // A time of zero, or with the top bit set, is for this once.
    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    send_address(h, 0x80000000, BOARD);
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 0);
    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    // A day at most.
    send_address(h, 0x7FFFFFFF, BOARD);
    expect_address(h, BOARD);
    CHECK_EQ(w.result.ttl_s, 86400);
}

static void learn(struct host *h, const char *name, uint32_t ttl_s) {
    CHECK(ask(name) >= 0);
    expect_question(h, SERVER_A, 0);
    send_address(h, ttl_s, BOARD);
    expect_address(h, BOARD);
}

TEST(what_ends_soonest_makes_room_and_new_servers_empty_the_cache) {
    static const uint32_t servers[] = {SERVER_B};
    struct host *h = begin();

    learn(h, "a.example", 300);
    learn(h, "b.example", 100);
    learn(h, "c.example", 200);
    learn(h, "d.example", 50);
    CHECK(ask("a.example") >= 0);
    expect_address(h, BOARD);
    CHECK(ask("c.example") >= 0);
    expect_address(h, BOARD);
    CHECK(ask("d.example") >= 0);
    expect_address(h, BOARD);
    int32_t number = ask("b.example");
    expect_question(h, SERVER_A, 0);
    cor_dns_cancel(&w.dns, number);
    cor_dns_set_servers(&w.dns, servers, 1);
    CHECK(ask("a.example") >= 0);
    expect_question(h, SERVER_B, 0);
}

TEST(as_many_names_at_once_as_there_are_queries) {
    struct host *h = begin();

    int32_t first = ask("one.example");
    int32_t second = ask("two.example");
    CHECK(first >= 0 && second >= 0 && first != second);
    CHECK_EQ(ask("three.example"), COR_E_NOMEM);
    // Both are on their way; the second is answered first.
    expect_question(h, SERVER_A, 0);
    expect_question(h, SERVER_A, 0);
    CHECK(asked_for(NAME("\3two\7example\0")) || asked_for(NAME("\3one\7example\0")));
    send_address(h, 100, BOARD);
    expect_address(h, BOARD);
    CHECK(ask("three.example") >= 0);
    // A number that has gone round is nobody's.
    cor_dns_cancel(&w.dns, first + 1000);
    cor_dns_cancel(&w.dns, -1);
    cor_dns_cancel(&w.dns, 0x7FFFFFFF);
    cor_dns_cancel(&w.dns, first);
    cor_dns_cancel(&w.dns, second);
    uint32_t count = w.done_count;
    CHECK(!next_frame_within(h, poll_dns, 0) || !is_arp(h));
    CHECK_EQ(w.done_count, count);
}

TEST(a_result_may_ask_again) {
    struct host *h = begin();

    learn(h, "a.example", 300);
    CHECK(ask("a.example") >= 0);
    w.ask_again = "a.example";
    uint32_t count = w.done_count;
    (void)poll_dns(h);
    CHECK_EQ(w.done_count, count + 2);
    CHECK(cor_dns_poll(&w.dns, h->now_us) == COR_NET_NEVER);
}

TEST(texts_that_are_no_names_are_refused_and_numbers_answer_themselves) {
    struct host *h = begin();

    CHECK_EQ(ask(""), COR_E_ARG);
    CHECK_EQ(ask("a..b"), COR_E_ARG);
    CHECK_EQ(ask("pico.local"), COR_E_UNSUPPORTED);
    CHECK_EQ(ask("pico.LOCAL."), COR_E_UNSUPPORTED);
    CHECK(ask("10.0.0.9") >= 0);
    expect_address(h, COR_IP4(10, 0, 0, 9));
    cor_dns_set_servers(&w.dns, NULL, 0);
    CHECK_EQ(ask("board.example"), COR_E_STATE);
    CHECK(ask("10.0.0.9") >= 0);
    expect_address(h, COR_IP4(10, 0, 0, 9));
}

TEST(servers_taken_away_in_mid_question_end_it) {
    struct host *h = begin();

    CHECK(ask("board.example") >= 0);
    expect_question(h, SERVER_A, 0);
    cor_dns_set_servers(&w.dns, NULL, 0);
    CHECK(!next_frame_within(h, poll_dns, SECOND));
    CHECK_EQ(w.done_count, 1);
    CHECK_EQ(w.result.status, COR_E_TIMEOUT);
}

// The bus holds the question: the message is not written over by the next one.
TEST(a_question_in_the_queue_of_the_bus_stays_as_it_is) {
    struct host *h = begin();

    learn(h, "a.example", 0);
    h->hold = true;
    int32_t number = ask("one.example");
    expect_question(h, SERVER_A, 0);
    cor_dns_cancel(&w.dns, number);
    CHECK(ask("two.example") >= 0);
    CHECK_EQ(ask("three.example"), COR_E_NOMEM);
    sent_all(h);
    CHECK(ask("three.example") >= 0);
}

TEST_MAIN(
    CASE(a_name_is_asked_for_and_answered),
    CASE(several_addresses_come_in_order_up_to_the_limit),
    CASE(silent_servers_are_asked_in_turn_and_given_up_after_11_seconds),
    CASE(the_server_that_answered_is_asked_first_next_time),
    CASE(numbers_and_ports_differ_and_hardly_repeat),
    CASE(only_the_answer_to_the_question_counts),
    CASE(records_of_other_names_types_and_classes_are_not_the_answer),
    CASE(a_chain_of_eight_aliases_is_followed_in_any_order),
    CASE(nine_aliases_and_rings_are_refused),
    CASE(an_alias_without_an_address_is_asked_for),
    CASE(aliases_over_several_answers_count_together),
    CASE(a_name_that_does_not_exist_is_said_so_and_kept_as_the_soa_says),
    CASE(a_lack_without_an_soa_is_not_kept),
    CASE(a_server_that_fails_is_left_for_the_next_at_once),
    CASE(a_cut_answer_serves_if_it_holds_an_address),
    CASE(an_unreachable_port_and_a_server_without_hardware_address_are_left_soon),
    CASE(without_a_way_to_the_servers_the_result_is_unreachable),
    CASE(damaged_answers_lead_to_the_next_server),
    CASE(the_cache_answers_as_long_as_it_may),
    CASE(what_ends_soonest_makes_room_and_new_servers_empty_the_cache),
    CASE(as_many_names_at_once_as_there_are_queries),
    CASE(a_result_may_ask_again),
    CASE(texts_that_are_no_names_are_refused_and_numbers_answer_themselves),
    CASE(servers_taken_away_in_mid_question_end_it),
    CASE(a_question_in_the_queue_of_the_bus_stays_as_it_is))
