// SPDX-License-Identifier: MIT
// An mDNS responder under test, and messages of others built and read by hand. What the responder
// says is turned into lines of text, one a record, by code of its own.
#ifndef CORADIO_TESTS_MDNS_HOST_H
#define CORADIO_TESTS_MDNS_HOST_H

#include "golden.h"
#include "service_host.h"

#include "coradio/mdns.h"

#define MDNS_GROUP COR_IP4(224, 0, 0, 251)
#define ASKER      COR_IP4(10, 0, 0, 9)

enum { TYPE_A = 1, TYPE_PTR = 12, TYPE_TXT = 16, TYPE_AAAA = 28, TYPE_SRV = 33, TYPE_ANY = 255 };
enum { UNICAST = 0x8000, FLUSH = 0x8000 };

static struct {
    struct host h;
    struct cor_igmp igmp;
    struct cor_igmp_group groups[2];
    struct cor_mdns mdns;
    char said[4096];    // the last message as text
    uint8_t out[1400];  // a message to be given
    uint32_t out_bytes;
} m;

static const uint8_t asker_mac[6] = {0x02, 0, 0, 0, 0, 0x09};

static inline uint64_t poll_mdns(struct host *h) {
    return cor_mdns_poll(&m.mdns, h->now_us);
}

// --- Reading ---

// Appends the name at `at` as text; returns where it ends in the message.
static inline uint32_t say_name(const uint8_t *data, uint32_t size, uint32_t at, char *text) {
    uint32_t end = 0;
    uint32_t turns = 0;

    for (;;) {
        CHECK(at < size && turns++ < 200);
        if (data[at] >= 0xC0) {
            CHECK(at + 1 < size);
            end = end == 0 ? at + 2 : end;
            at = (get16(data + at)) & 0x3FFF;
            continue;
        }
        if (data[at] == 0) {
            break;
        }
        CHECK(at + 1 + data[at] <= size);
        (void)snprintf(
            text + strlen(text),
            300,
            "%s%.*s",
            text[0] != '\0' ? "." : "",
            data[at],
            (const char *)data + at + 1);
        at += 1U + data[at];
    }
    return end != 0 ? end : at + 1;
}

static inline void say_data(
    const uint8_t *data, uint32_t size, uint32_t at, uint32_t type, uint32_t bytes, char *line) {
    char name[600] = "";
    char *end = line + strlen(line);

    if (type == TYPE_A) {
        CHECK_EQ(bytes, 4);
        (void)snprintf(
            end, 64, " A %d.%d.%d.%d", data[at], data[at + 1], data[at + 2], data[at + 3]);
    } else if (type == TYPE_PTR) {
        CHECK_EQ(say_name(data, size, at, name), at + bytes);
        (void)snprintf(end, 400, " PTR %s", name);
    } else if (type == TYPE_SRV) {
        CHECK_EQ(say_name(data, size, at + 6, name), at + bytes);
        CHECK_EQ(get32(data + at), 0);
        (void)snprintf(end, 400, " SRV %u %s", get16(data + at + 4), name);
    } else if (type == TYPE_TXT) {
        (void)snprintf(end, 400, " TXT %u", bytes);
    } else {
        uint32_t bits = say_name(data, size, at, name);
        (void)snprintf(end, 400, " %u %s", type, name);
        for (; bits < at + bytes; bits++) {
            (void)snprintf(end + strlen(end), 8, " %02x", data[bits]);
        }
    }
}

// One record or question; returns where it ends.
static inline uint32_t say_line(
    const uint8_t *data, uint32_t size, uint32_t at, char mark, char *line) {
    char name[600] = "";
    uint32_t end = say_name(data, size, at, name);
    uint32_t type = get16(data + end);
    uint32_t class = get16(data + end + 2);

    CHECK_EQ(class & 0x7FFF, 1);
    (void)snprintf(line, 700, "%c %s", mark, name);
    if (mark == '?') {
        (void)snprintf(line + strlen(line), 32, " %u%s", type, class != 1 ? " unicast" : "");
        return end + 4;
    }
    uint32_t bytes = get16(data + end + 8);
    CHECK(end + 10 + bytes <= size);
    say_data(data, size, end + 10, type, bytes, line);
    (void)snprintf(
        line + strlen(line), 32, " %u%s", get32(data + end + 4), class != 1 ? " flush" : "");
    return end + 10 + bytes;
}

// Turns a message into text: "? question", "= answer", "^ authority", "+ additional".
static inline void say(const uint8_t *data, uint32_t size) {
    static const char marks[] = "?=^+";
    uint32_t at = 12;

    m.said[0] = '\0';
    CHECK(size >= 12);
    for (uint32_t section = 0; section < 4; section++) {
        for (uint32_t i = 0; i < get16(data + 4 + 2 * section); i++) {
            char line[1000];

            at = say_line(data, size, at, marks[section], line);
            CHECK(strlen(m.said) + strlen(line) + 2 < sizeof(m.said));
            (void)snprintf(m.said + strlen(m.said), 1002, "%s\n", line);
        }
    }
    CHECK_EQ(at, size);
}

// The next frame that is none of IGMP or ARP, within the time; ARP requests are answered.
static inline struct dgram next_message(struct host *h, uint64_t within_us) {
    uint64_t until_us = h->now_us + within_us;

    for (;;) {
        CHECK(next_frame(h, poll_mdns, until_us));
        if (is_arp(h)) {
            give_arp(h, 2, asker_mac, get32(h->frame + 38), OUR_ADDRESS);
        } else if (h->frame[14 + 9] == 17) {
            break;
        }
    }
    struct dgram d = read_udp(h);
    CHECK_EQ(d.from_port, 5353);
    CHECK_EQ(h->frame[14 + 8], 255);
    say(d.data, d.size);
    return d;
}

// The next message goes to all and is this text.
static inline void expect_group(struct host *h, uint64_t within_us, const char *text) {
    struct dgram d = next_message(h, within_us);

    CHECK_BYTES(d.mac, "\x01\0\x5E\0\0\xFB", 6);
    CHECK_EQ(d.to, MDNS_GROUP);
    CHECK_EQ(d.to_port, 5353);
    CHECK_EQ(get16(d.data), 0);
    CHECK_TEXT(m.said, text);
}

// No message within the time.
static inline void expect_silence(struct host *h, uint64_t wait_us) {
    uint64_t until_us = h->now_us + wait_us;

    while (next_frame(h, poll_mdns, until_us)) {
        CHECK(is_arp(h) || h->frame[14 + 9] == 2);
    }
}

// --- Saying ---

static inline void out_start(uint16_t flags) {
    memset(m.out, 0, 12);
    put16(m.out + 2, flags);
    m.out_bytes = 12;
}

static inline void out_name(const char *text) {
    while (*text != '\0') {
        size_t size = strcspn(text, ".");

        m.out[m.out_bytes] = (uint8_t)size;
        memcpy(m.out + m.out_bytes + 1, text, size);
        m.out_bytes += 1 + (uint32_t)size;
        text += size + (text[size] == '.');
    }
    m.out[m.out_bytes++] = 0;
}

static inline void out_count(uint32_t section) {
    put16(m.out + 4 + 2 * section, get16(m.out + 4 + 2 * section) + 1);
}

static inline void out_question(const char *name, uint32_t type, uint32_t class) {
    out_name(name);
    put16(m.out + m.out_bytes, type);
    put16(m.out + m.out_bytes + 2, class);
    m.out_bytes += 4;
    out_count(0);
}

// section: 1 answers, 2 authority, 3 additional.
static inline void out_record(
    uint32_t section,
    const char *name,
    uint32_t type,
    uint32_t class,
    uint32_t ttl_s,
    const void *data,
    uint32_t bytes) {
    out_name(name);
    put16(m.out + m.out_bytes, type);
    put16(m.out + m.out_bytes + 2, class);
    put32(m.out + m.out_bytes + 4, ttl_s);
    put16(m.out + m.out_bytes + 8, bytes);
    memcpy(m.out + m.out_bytes + 10, data, bytes);
    m.out_bytes += 10 + bytes;
    out_count(section);
}

// PTR of the service, as a browser knows it.
static inline void out_known_ptr(uint32_t ttl_s) {
    static const uint8_t target[] = "\5Bench\x08_coradio\4_tcp\5local";

    out_record(1, "_coradio._tcp.local", TYPE_PTR, 1, ttl_s, target, sizeof(target));
}

static inline void out_send_from(struct host *h, uint32_t from, uint16_t port, uint32_t to) {
    give_udp(
        h,
        &(struct dgram){
            .mac = to == MDNS_GROUP ? (const uint8_t *)"\x01\0\x5E\0\0\xFB" : our_mac,
            .from = from,
            .to = to,
            .from_port = port,
            .to_port = 5353,
            .data = m.out,
            .size = m.out_bytes,
        });
}

static inline void out_send(struct host *h) {
    out_send_from(h, ASKER, 5353, MDNS_GROUP);
}

static inline void give_question(struct host *h, const char *name, uint32_t type) {
    out_start(0);
    out_question(name, type, 1);
    out_send(h);
}

// --- The responder ---

static inline struct cor_mdns_config mdns_config(void) {
    return (struct cor_mdns_config){
        .host = "pico",
        .instance = "Bench",
        .type = "_coradio._tcp",
        .port = 5001,
        .txt_bytes = 7,
        .txt = (const uint8_t *)"\6path=/",
    };
}

static inline struct host *start_mdns_with(struct cor_mdns_config config) {
    memset(&m, 0, sizeof(m));
    start_net(&m.h);
    cor_igmp_init(
        &m.igmp, &m.h.net, &(struct cor_igmp_config){.groups = m.groups, .group_count = 2});
    CHECK_EQ(cor_mdns_init(&m.mdns, &m.h.net, &m.igmp, &config), COR_OK);
    CHECK_EQ(cor_mdns_start(&m.mdns, m.h.now_us), COR_OK);
    return &m.h;
}

static inline struct host *start_mdns(void) {
    return start_mdns_with(mdns_config());
}

static const char probe_text[] = "? pico.local 255 unicast\n"
                                 "? Bench._coradio._tcp.local 255 unicast\n"
                                 "^ pico.local A 10.0.0.2 120\n"
                                 "^ Bench._coradio._tcp.local SRV 5001 pico.local 120\n"
                                 "^ Bench._coradio._tcp.local TXT 7 4500\n";

static const char announcement_text[] =
    "= pico.local A 10.0.0.2 120 flush\n"
    "= _coradio._tcp.local PTR Bench._coradio._tcp.local 4500\n"
    "= Bench._coradio._tcp.local SRV 5001 pico.local 120 flush\n"
    "= Bench._coradio._tcp.local TXT 7 4500 flush\n"
    "= _services._dns-sd._udp.local PTR _coradio._tcp.local 4500\n";

static inline void pass_probes(struct host *h) {
    expect_group(h, 250 * MS, probe_text);
    expect_group(h, 250 * MS, probe_text);
    expect_group(h, 250 * MS, probe_text);
}

// Probed and announced, a minute ago.
static inline struct host *start_running(void) {
    struct host *h = start_mdns();

    pass_probes(h);
    expect_group(h, 250 * MS, announcement_text);
    expect_group(h, SECOND, announcement_text);
    CHECK_EQ(cor_mdns_state(&m.mdns), COR_MDNS_RUNNING);
    expect_silence(h, 60 * SECOND);
    return h;
}

#endif
