// SPDX-License-Identifier: MIT
// Fuzz: the DHCP client, the resolver and the mDNS responder with their states. The input is a
// script: what is said to them, with the numbers a real peer would know put in, what time passes,
// and how the link is. What must hold is checked after each step.
#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/dhcp.h"
#include "coradio/dns.h"
#include "coradio/igmp.h"
#include "coradio/ip4.h"
#include "coradio/mdns.h"

#define SERVER COR_IP4(10, 0, 0, 1)
#define OURS   COR_IP4(10, 0, 0, 2)
#define MDNS   COR_IP4(224, 0, 0, 251)
#define STEPS  64u

static const uint8_t our_mac[6] = {0x02, 0, 0, 0, 0, 0x02};
static const uint8_t server_mac[6] = {0x02, 0, 0, 0, 0, 0x01};

static struct {
    struct cor_net net;
    struct cor_dhcp dhcp;
    struct cor_igmp igmp;
    struct cor_igmp_group groups[2];
    struct cor_mdns mdns;
    struct cor_dns dns;
    struct cor_dns_query queries[2];
    struct cor_dns_entry entries[2];
    uint64_t now_us;
    bool use_dhcp;
    bool up;
    uint32_t results;
    // Of the last frames sent.
    uint8_t sent[2048];
    uint32_t xid;
    uint16_t dns_id;
    uint16_t dns_port;
    // The input.
    const uint8_t *at;
    const uint8_t *end;
} f;

static uint8_t next(void) {
    return f.at < f.end ? *f.at++ : 0;
}

static void done(void *context, const struct cor_dns_result *result) {
    (void)context;
    FUZZ_CHECK(result->count <= COR_DNS_ADDRESSES);
    FUZZ_CHECK((result->status == COR_OK) == (result->count != 0));
    f.results++;
}

static void ask(void) {
    static const char *const names[] = {"a.b", "board.example", "a0.example", "x.local"};
    int32_t number = cor_dns_ask(&f.dns, names[next() & 3], done, NULL, f.now_us);

    if ((next() & 7) == 0) {
        cor_dns_cancel(&f.dns, number);
    }
}

static void note_sent(uint32_t size) {
    const uint8_t *udp = f.sent + 34;

    if (size < 42 + 12 || f.sent[23] != 17) {
        return;
    }
    if (cor_get_be16(udp) == 68) {
        f.xid = cor_get_be32(udp + 8 + 4);
    } else if (cor_get_be16(udp + 2) == 53) {
        f.dns_port = cor_get_be16(udp);
        f.dns_id = cor_get_be16(udp + 8);
    }
}

static void pull_all(void) {
    static uint32_t room[(2 + COR_FRAME_HEAD_BYTES_MAX + 2) / 4];
    struct cor_frame_source *source = cor_net_frames(&f.net);

    for (uint32_t i = 0; i < 64; i++) {
        struct cor_frame_tx tx = {
            .head = (uint8_t *)room + 2, .head_room_bytes = COR_FRAME_HEAD_BYTES_MAX};

        if (source->ops->pull(source, f.now_us, &tx) != COR_OK) {
            return;
        }
        uint32_t size = tx.head_bytes;
        memcpy(f.sent, tx.head, size);
        for (uint32_t k = 0; k < tx.piece_count; k++) {
            memcpy(f.sent + size, tx.pieces[k].data, tx.pieces[k].size_bytes);
            size += tx.pieces[k].size_bytes;
        }
        FUZZ_CHECK(size <= COR_FRAME_BYTES_MAX);
        note_sent(size);
        source->ops->sent(source, f.now_us, tx.token);
    }
    FUZZ_CHECK(false);  // a stack that never has enough
}

static uint64_t poll_all(void) {
    uint64_t due_us = cor_dns_poll(&f.dns, f.now_us);
    uint64_t others_us[] = {
        f.use_dhcp ? cor_dhcp_poll(&f.dhcp, f.now_us) : COR_NET_NEVER,
        cor_mdns_poll(&f.mdns, f.now_us),
        cor_net_poll(&f.net, f.now_us),
    };

    for (uint32_t i = 0; i < sizeof(others_us) / sizeof(others_us[0]); i++) {
        due_us = others_us[i] < due_us ? others_us[i] : due_us;
    }
    return due_us;
}

static void check(void) {
    if (f.use_dhcp) {
        const struct cor_dhcp_lease *lease = cor_dhcp_lease(&f.dhcp);

        FUZZ_CHECK(f.net.config.address == (lease != NULL ? lease->address : 0));
        FUZZ_CHECK(cor_dhcp_state(&f.dhcp) < COR_DHCP_STATE_COUNT);
        FUZZ_CHECK(lease == NULL || f.now_us < lease->end_us);
    }
    FUZZ_CHECK(cor_mdns_state(&f.mdns) < COR_MDNS_STATE_COUNT);
    FUZZ_CHECK(f.mdns.host[0] <= COR_MDNS_LABEL_BYTES_MAX && f.mdns.host[0] > 0);
}

// What is due is done until nothing is due, and that takes few turns.
static void settle(void) {
    uint32_t turns = 0;

    do {
        (void)poll_all();
        pull_all();
        FUZZ_CHECK(turns++ < 100);
    } while (poll_all() <= f.now_us);
    check();
}

static void give(
    const uint8_t *mac, uint32_t to, const uint16_t ports[2], const uint8_t *data, uint32_t size) {
    static uint32_t room[2048 / 4];
    uint8_t *frame = (uint8_t *)room + 2;
    uint8_t *ip = frame + 14;

    memcpy(frame, mac, 6);
    memcpy(frame + 6, server_mac, 6);
    cor_put_be16(frame + 12, 0x0800);
    memset(ip, 0, 28);
    ip[0] = 0x45;
    cor_put_be16(ip + 2, (uint16_t)(28 + size));
    ip[8] = 64;
    ip[9] = 17;
    cor_put_be32(ip + 12, SERVER);
    cor_put_be32(ip + 16, to);
    cor_put_be16(ip + 10, (uint16_t)~cor_sum_bytes(ip, 20));
    cor_put_be16(ip + 20, ports[0]);
    cor_put_be16(ip + 22, ports[1]);
    cor_put_be16(ip + 24, (uint16_t)(8 + size));
    memcpy(ip + 28, data, size);
    struct cor_frame_source *source = cor_net_frames(&f.net);
    (void)source->ops->input(source, f.now_us, frame, 42 + size);
}

// A piece of the input; at most 255 bytes.
static uint32_t take(uint8_t *data) {
    uint32_t size = next();
    uint32_t left = (uint32_t)(f.end - f.at);

    size = size < left ? size : left;
    memcpy(data, f.at, size);
    f.at += size;
    return size;
}

static void say_dhcp(void) {
    static const uint16_t ports[2] = {67, 68};
    uint8_t data[240 + 16 + 256] = {2, 1, 6};
    uint8_t kind = next();
    uint8_t *at = data + 240;

    cor_put_be32(data + 4, f.xid);
    cor_put_be32(data + 16, COR_IP4(10, 0, 0, 100 + (kind & 3)));
    memcpy(data + 28, our_mac, 6);
    cor_put_be32(data + 236, 0x63825363);
    // What a server must say is said most of the time; the rest is the input's.
    static const uint8_t must[] = {54, 4, 10, 0, 0, 1, 51, 4, 0, 0, 14, 16};
    *at++ = 53;
    *at++ = 1;
    *at++ = (uint8_t)(kind >> 2 & 7);
    if ((kind & 0x20) == 0) {
        memcpy(at, must, sizeof(must));
        at += sizeof(must);
    }
    at += take(at);
    give(our_mac, UINT32_MAX, ports, data, (uint32_t)(at - data));
}

static void say_dns(void) {
    uint16_t ports[2] = {53, f.dns_port};
    uint8_t data[300];
    uint32_t size = take(data + 2);

    cor_put_be16(data, f.dns_id);
    give(our_mac, f.net.config.address, ports, data, size + 2);
}

// An answer whose question is right, so that the records are looked at.
static void say_answer(void) {
    uint16_t ports[2] = {53, f.dns_port};
    const struct cor_dns_query *query = &f.queries[next() & 1];
    uint8_t data[600];
    uint32_t head = query->message_bytes;

    if (head < 12 || head > 280) {
        return;
    }
    memcpy(data, query->message, head);
    cor_put_be16(data, query->id);
    cor_put_be16(data + 2, (uint16_t)(0x8180 | (next() & 3)));
    cor_put_be16(data + 6, next() & 15);
    cor_put_be16(data + 8, next() & 3);
    ports[1] = query->udp.socket.local_port;
    uint32_t size = head + take(data + head);
    give(our_mac, f.net.config.address, ports, data, size);
}

static void say_mdns(void) {
    uint16_t ports[2] = {5353, 5353};
    static const uint8_t group_mac[6] = {0x01, 0x00, 0x5E, 0, 0, 0xFB};
    uint8_t data[300];
    uint32_t size;

    ports[0] = (next() & 7) == 0 ? 4000 : 5353;
    size = take(data);
    give(group_mac, MDNS, ports, data, size);
}

static void say_arp(void) {
    uint32_t room[12] = {0};
    uint8_t *frame = (uint8_t *)room + 2;
    uint8_t kind = next();
    struct cor_frame_source *source = cor_net_frames(&f.net);
    uint32_t address = f.use_dhcp ? f.dhcp.lease.address : OURS;

    memcpy(frame, our_mac, 6);
    memcpy(frame + 6, server_mac, 6);
    cor_put_be16(frame + 12, 0x0806);
    memcpy(frame + 14, "\0\1\x08\0\6\4\0", 7);
    frame[21] = (uint8_t)(1 + (kind & 1));
    memcpy(frame + 22, server_mac, 6);
    cor_put_be32(frame + 28, (kind & 2) != 0 ? address : (kind & 4) != 0 ? SERVER : 0);
    cor_put_be32(frame + 38, address);
    (void)source->ops->input(source, f.now_us, frame, 42);
}

static void set_link(void) {
    struct cor_frame_source *source = cor_net_frames(&f.net);

    f.up = !f.up;
    source->ops->link(source, f.now_us, f.up);
}

// Time: to what is due next, or by so much.
static void pass_time(void) {
    uint64_t due_us = poll_all();
    uint8_t how = next();

    if (how < 128) {
        f.now_us += (uint64_t)how * 10000;
    } else if (how < 192) {
        f.now_us += (uint64_t)(how - 127) * 60000000;
    } else if (due_us != COR_NET_NEVER && due_us > f.now_us) {
        f.now_us = due_us;
    }
}

static void control(void) {
    uint8_t which = next() & 7;

    switch (f.use_dhcp || which > 2 ? which : 7) {
    case 0:
        cor_dhcp_stop(&f.dhcp, f.now_us);
        break;
    case 1:
        cor_dhcp_release(&f.dhcp, f.now_us);
        break;
    case 2:
        cor_dhcp_start(&f.dhcp, f.now_us);
        break;
    case 3:
        cor_mdns_stop(&f.mdns, f.now_us);
        break;
    case 4: {
        enum cor_status status = cor_mdns_start(&f.mdns, f.now_us);
        (void)status;
        break;
    }
    default:
        ask();
        break;
    }
}

static void begin(uint8_t how) {
    static const uint32_t servers[] = {SERVER};
    static const uint8_t txt[] = "\6path=/";
    struct cor_net_config net = {.secret = {1, 2}};
    struct cor_dhcp_config dhcp = {
        .host_name = "pico", .check = (enum cor_dhcp_check)(how % COR_DHCP_CHECK_NONE)};
    struct cor_dns_config dns = {
        .queries = f.queries, .query_count = 2, .entries = f.entries, .entry_count = 2};
    struct cor_igmp_config igmp = {.groups = f.groups, .group_count = 2};
    struct cor_mdns_config mdns = {
        .host = "pico",
        .instance = "Bench",
        .type = "_coradio._tcp",
        .port = 5001,
        .txt = txt,
        .txt_bytes = 7};

    memset(&f, 0, sizeof(f));
    f.now_us = 1000000000;
    f.up = true;
    f.use_dhcp = (how & 0x80) != 0;
    memcpy(net.mac, our_mac, 6);
    net.address = f.use_dhcp ? 0 : OURS;
    net.netmask = f.use_dhcp ? 0 : 0xFFFFFF00;
    cor_net_init(&f.net, &net, f.now_us);
    cor_dhcp_init(&f.dhcp, &f.net, &dhcp);
    cor_dns_init(&f.dns, &f.net, &dns);
    cor_igmp_init(&f.igmp, &f.net, &igmp);
    FUZZ_CHECK(cor_mdns_init(&f.mdns, &f.net, &f.igmp, &mdns) == COR_OK);
    FUZZ_CHECK(cor_mdns_start(&f.mdns, f.now_us) == COR_OK);
    cor_dns_set_servers(&f.dns, servers, 1);
    if (f.use_dhcp) {
        cor_dhcp_start(&f.dhcp, f.now_us);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const steps[8])(void) = {
        pass_time, say_dhcp, say_dns, say_answer, say_mdns, say_arp, set_link, control};

    if (size == 0) {
        return 0;
    }
    begin(data[0]);
    f.at = data + 1;
    f.end = data + size;
    settle();
    for (uint32_t i = 0; i < STEPS && f.at < f.end; i++) {
        steps[next() & 7]();
        settle();
    }
    return 0;
}
