// SPDX-License-Identifier: MIT
// A DHCP client under test and a server played by hand.
#ifndef CORADIO_TESTS_DHCP_HOST_H
#define CORADIO_TESTS_DHCP_HOST_H

#include "service_host.h"

#include "coradio/dhcp.h"

#define SERVER  COR_IP4(10, 0, 0, 1)
#define LEASED  COR_IP4(10, 0, 0, 104)
#define GATEWAY COR_IP4(10, 0, 0, 254)
#define LEASE_S 7200

enum { DISCOVER = 1, OFFER, REQUEST, DECLINE, ACKNOWLEDGE, REFUSE, RELEASE };

static struct {
    struct host h;
    struct cor_dhcp dhcp;
    uint32_t changes;
    bool has_lease;
    struct cor_dhcp_lease lease;
    // Of the message read last.
    uint32_t xid;
    uint32_t secs;
} d_;

static inline void changed(void *context, const struct cor_dhcp_lease *lease) {
    (void)context;
    d_.changes++;
    d_.has_lease = lease != NULL;
    if (lease != NULL) {
        d_.lease = *lease;
    }
}

static inline uint64_t poll_dhcp(struct host *h) {
    return cor_dhcp_poll(&d_.dhcp, h->now_us);
}

static inline struct host *start_dhcp_with(struct cor_dhcp_config config) {
    memset(&d_, 0, sizeof(d_));
    start_bare_net(&d_.h);
    config.changed = changed;
    cor_dhcp_init(&d_.dhcp, &d_.h.net, &config);
    return &d_.h;
}

static inline struct host *start_dhcp(enum cor_dhcp_check check) {
    struct host *h = start_dhcp_with(
        (struct cor_dhcp_config){.host_name = "pico", .identity = 0x01020304, .check = check});

    cor_dhcp_start(&d_.dhcp, h->now_us);
    return h;
}

// --- What the client says ---

// The value of an option of the message in d, NULL: not there.
static inline const uint8_t *option(const struct dgram *d, uint8_t code, uint32_t size) {
    for (const uint8_t *at = d->data + 240; *at != 255; at += 2 + at[1]) {
        CHECK(at + 2 + at[1] < d->data + d->size);
        if (at[0] == code) {
            CHECK_EQ(at[1], size);
            return at + 2;
        }
    }
    return NULL;
}

static inline uint32_t option32(const struct dgram *d, uint8_t code) {
    const uint8_t *value = option(d, code, 4);

    return value != NULL ? get32(value) : 0;
}

// The frame pulled last is a message of the client of this type; what all of them have in common is
// checked here.
static inline struct dgram check_message(const struct host *h, uint8_t type) {
    struct dgram d = read_udp(h);

    CHECK_EQ(d.from_port, 68);
    CHECK_EQ(d.to_port, 67);
    CHECK(d.size >= 300);
    CHECK_BYTES(d.data, "\1\1\6\0", 4);
    CHECK_EQ(get16(d.data + 10), 0);  // the broadcast flag is not needed
    CHECK_BYTES(d.data + 28, our_mac, 6);
    CHECK_BYTES(d.data + 236, "\x63\x82\x53\x63", 4);
    CHECK_EQ(*option(&d, 53, 1), type);
    CHECK_BYTES(option(&d, 61, 15), "\xFF\1\2\3\4\0\3\0\1\2\0\0\0\0\2", 15);
    d_.xid = get32(d.data + 4);
    d_.secs = get16(d.data + 8);
    return d;
}

static inline void check_broadcast(const struct dgram *d, uint32_t from) {
    CHECK_BYTES(d->mac, all_mac, 6);
    CHECK_EQ(d->from, from);
    CHECK_EQ(d->to, ALL_ADDRESS);
}

// The next frame is a message of this type, within the time.
static inline struct dgram expect_message(struct host *h, uint8_t type, uint64_t within_us) {
    CHECK(next_frame_within(h, poll_dhcp, within_us));
    return check_message(h, type);
}

static inline void expect_discover(struct host *h, uint64_t within_us) {
    struct dgram d = expect_message(h, DISCOVER, within_us);

    check_broadcast(&d, 0);
    CHECK_EQ(get32(d.data + 12), 0);
    CHECK(option(&d, 54, 4) == NULL);
    CHECK_BYTES(option(&d, 12, 4), "pico", 4);
}

static inline void expect_request(struct host *h, uint64_t within_us) {
    struct dgram d = expect_message(h, REQUEST, within_us);

    check_broadcast(&d, 0);
    CHECK_EQ(get32(d.data + 12), 0);
    CHECK_EQ(option32(&d, 50), LEASED);
    CHECK_EQ(option32(&d, 54), SERVER);
}

// --- What the server says ---

struct answer {
    uint8_t type;
    uint32_t address;  // 0: LEASED, and none in a NAK
    uint32_t server;   // 0: SERVER; NONE: left out
    uint32_t lease_s;  // 0: LEASE_S; NONE: left out
    uint32_t renew_s;
    uint32_t rebind_s;
    uint32_t xid;           // 0: of the last message
    const uint8_t *chaddr;  // NULL: our_mac
    bool to_all;            // by broadcast, else to the address
    bool mac_to_all;
    uint32_t to;          // other than the address
    const uint8_t *more;  // options
    uint32_t more_bytes;
    uint32_t netmask;    // 0: /24; NONE: left out
    uint16_t from_port;  // 0: 67
};

static inline uint8_t *put_option32(uint8_t *at, uint8_t code, uint32_t value) {
    at[0] = code;
    at[1] = 4;
    put32(at + 2, value);
    return at + 6;
}

static inline uint8_t *put_answer_options(uint8_t *at, const struct answer *a, uint32_t lease_s) {
    bool refusal = a->type == REFUSE;

    *at++ = 53;
    *at++ = 1;
    *at++ = a->type;
    if (a->server != NONE) {
        at = put_option32(at, 54, a->server != 0 ? a->server : SERVER);
    }
    if (!refusal && a->lease_s != NONE) {
        at = put_option32(at, 51, lease_s);
    }
    if (!refusal && a->netmask != NONE) {
        at = put_option32(at, 1, a->netmask != 0 ? a->netmask : 0xFFFFFF00);
    }
    if (!refusal) {
        at = put_option32(at, 3, GATEWAY);
        at = put_option32(at, 6, COR_IP4(10, 0, 0, 53));
        memcpy(at, "\x0F\3lab", 5);
        at += 5;
    }
    if (a->renew_s != 0) {
        at = put_option32(at, 58, a->renew_s);
    }
    if (a->rebind_s != 0) {
        at = put_option32(at, 59, a->rebind_s);
    }
    if (a->more_bytes != 0) {
        memcpy(at, a->more, a->more_bytes);
        at += a->more_bytes;
    }
    *at++ = 255;
    return at;
}

static inline void send_answer(struct host *h, const struct answer *a) {
    uint8_t data[600] = {2, 1, 6, 0};
    uint32_t address = a->address != 0 ? a->address : LEASED;

    put32(data + 4, a->xid != 0 ? a->xid : d_.xid);
    if (a->type != REFUSE) {
        put32(data + 16, address);
    }
    memcpy(data + 28, a->chaddr != NULL ? a->chaddr : our_mac, 6);
    memcpy(data + 236, "\x63\x82\x53\x63", 4);
    uint8_t *end = put_answer_options(data + 240, a, a->lease_s != 0 ? a->lease_s : LEASE_S);
    give_udp(
        h,
        &(struct dgram){
            .mac = a->to_all || a->mac_to_all ? all_mac : NULL,
            .from = SERVER,
            .to = a->to != 0  ? a->to
                  : a->to_all ? ALL_ADDRESS
                              : address,
            .from_port = a->from_port != 0 ? a->from_port : 67,
            .to_port = 68,
            .data = data,
            .size = (uint32_t)(end - data),
        });
}

#define ANSWER(h, ...) send_answer(h, &(struct answer){__VA_ARGS__})

// Up to the acknowledgement, which has come at the time this returns.
static inline struct host *start_leased(enum cor_dhcp_check check, struct answer ack) {
    struct host *h = start_dhcp(check);

    expect_discover(h, 0);
    ANSWER(h, .type = OFFER, .address = ack.address);
    expect_request(h, 0);
    ack.type = ACKNOWLEDGE;
    send_answer(h, &ack);
    return h;
}

// With the address in use and announced the first time.
static inline struct host *start_bound(struct answer ack) {
    struct host *h = start_leased(COR_DHCP_CHECK_NONE, ack);

    CHECK_EQ(cor_dhcp_state(&d_.dhcp), COR_DHCP_BOUND);
    CHECK(next_frame_within(h, poll_dhcp, 0));
    check_arp(h, LEASED, LEASED);
    return h;
}

// The second announcement, 2 s after the first.
static inline void pass_announcement(struct host *h) {
    CHECK(next_frame_within(h, poll_dhcp, 2 * SECOND));
    check_arp(h, LEASED, LEASED);
}

#endif
