// SPDX-License-Identifier: MIT
// DHCP messages: those of a real server read, ours written and read by code of its own.
#include "golden.h"
#include "test.h"
#include "wire/dhcp.h"

#include "coradio/bytes.h"
#include "coradio/ip4.h"

static const uint8_t client_mac[6] = {0x02, 0, 0, 0, 0, 0x02};

static const char *const names[] = {
    "dhcp_discover",
    "dhcp_offer",
    "dhcp_request",
    "dhcp_ack",
    "dhcp_nak",
    "dhcp_ack_overload",
    "dhcp_ack_reversed",
};

static uint8_t bytes_[GOLDEN_BYTES_MAX];

static struct cor_dhcp_reply read_reply(const char *name) {
    struct cor_dhcp_reply reply;
    uint32_t size = golden_read("dhcp.vec", name, bytes_);

    CHECK_EQ(cor_dhcp_parse(&reply, bytes_, size), COR_OK);
    CHECK_BYTES(reply.mac, client_mac, 6);
    CHECK_EQ(reply.ignored, 0);
    return reply;
}

static void check_lease(const struct cor_dhcp_reply *reply) {
    CHECK_EQ(reply->xid, 0xAB313553);
    CHECK_EQ(reply->address, COR_IP4(10, 0, 0, 104));
    CHECK_EQ(reply->server, COR_IP4(10, 0, 0, 1));
    CHECK_EQ(reply->netmask, 0xFFFFFF00);
    CHECK_EQ(reply->router_count, 1);
    CHECK_EQ(reply->routers[0], COR_IP4(10, 0, 0, 1));
    CHECK_EQ(reply->dns_count, 2);
    CHECK_EQ(reply->dns[0], COR_IP4(10, 0, 0, 1));
    CHECK_EQ(reply->dns[1], COR_IP4(10, 0, 0, 3));
    CHECK_EQ(reply->ntp_count, 1);
    CHECK_EQ(reply->ntp[0], COR_IP4(10, 0, 0, 4));
    CHECK(reply->lease_given);
    CHECK_EQ(reply->lease_s, 7200);
    CHECK_EQ(reply->renew_s, 3600);
    CHECK_EQ(reply->rebind_s, 6300);
    CHECK_EQ(reply->domain.size_bytes, 11);
    CHECK_BYTES(reply->domain.data, "lab.example", 11);
}

TEST(an_offer_and_an_ack_are_read) {
    struct cor_dhcp_reply reply = read_reply("dhcp_offer");

    CHECK_EQ(reply.type, COR_DHCP_OFFER);
    check_lease(&reply);
    reply = read_reply("dhcp_ack");
    CHECK_EQ(reply.type, COR_DHCP_ACK);
    check_lease(&reply);
}

TEST(a_nak_is_read) {
    struct cor_dhcp_reply reply = read_reply("dhcp_nak");

    CHECK_EQ(reply.type, COR_DHCP_NAK);
    CHECK_EQ(reply.xid, 0x11223344);
    CHECK_EQ(reply.address, 0);
    CHECK_EQ(reply.server, COR_IP4(10, 0, 0, 1));
    CHECK(!reply.lease_given);
}

TEST(scenario_20_options_come_in_any_order_and_any_field) {
    struct cor_dhcp_reply reply = read_reply("dhcp_ack_reversed");

    CHECK_EQ(reply.type, COR_DHCP_ACK);
    check_lease(&reply);
    reply = read_reply("dhcp_ack_overload");
    CHECK_EQ(reply.type, COR_DHCP_ACK);
    check_lease(&reply);
}

TEST(a_clients_message_is_not_a_reply) {
    struct cor_dhcp_reply reply;
    uint32_t size = golden_read("dhcp.vec", "dhcp_discover", bytes_);

    CHECK_EQ(cor_dhcp_parse(&reply, bytes_, size), COR_E_PROTO);
}

// --- Messages made here ---

// A reply with nothing but its options.
struct made {
    uint8_t bytes[600];
    uint32_t size;
};

static struct made make(const void *options, uint32_t size) {
    struct made made = {{0}, COR_DHCP_FIXED_BYTES + size};

    memcpy(made.bytes, "\2\1\6", 3);
    memcpy(made.bytes + 28, client_mac, 6);
    memcpy(made.bytes + 236, "\x63\x82\x53\x63", 4);
    memcpy(made.bytes + COR_DHCP_FIXED_BYTES, options, size);
    return made;
}

static enum cor_status parse(struct cor_dhcp_reply *reply, const struct made *made) {
    struct guard guard = guard_open();
    enum cor_status status =
        cor_dhcp_parse(reply, guard_copy(&guard, made->bytes, made->size), made->size);

    guard_close(&guard);
    return status;
}

#define PARSE(reply, text) parse(reply, &(struct made[]){make(text, sizeof(text) - 1)}[0])

TEST(wrong_fixed_fields_are_refused) {
    static const struct {
        uint32_t at;
        uint8_t value;
    } faults[] = {{0, 1}, {0, 3}, {1, 6}, {2, 5}, {2, 16}, {236, 0}, {239, 0x64}};
    struct cor_dhcp_reply reply;
    struct made good = make("\x35\1\5\xFF", 4);

    CHECK_EQ(parse(&reply, &good), COR_OK);
    for (uint32_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct made bad = good;

        bad.bytes[faults[i].at] = faults[i].value;
        CHECK_EQ(parse(&reply, &bad), COR_E_PROTO);
    }
}

TEST(an_option_beyond_its_field_is_refused) {
    struct cor_dhcp_reply reply;

    CHECK_EQ(PARSE(&reply, "\x35\1\5\1\4\xFF\xFF\xFF"), COR_E_PROTO);
    CHECK_EQ(PARSE(&reply, "\x35\1\5\1"), COR_E_PROTO);
    CHECK_EQ(PARSE(&reply, "\x35\1\5\x37\xFF"), COR_E_PROTO);
    // A message without an end mark, or with nothing in it.
    CHECK_EQ(PARSE(&reply, "\x35\1\5"), COR_OK);
    CHECK_EQ(PARSE(&reply, ""), COR_E_PROTO);
    CHECK_EQ(PARSE(&reply, "\xFF\x35\1\5"), COR_E_PROTO);
}

TEST(an_option_of_impossible_length_is_ignored_and_counted) {
    struct cor_dhcp_reply reply;

    CHECK_EQ(PARSE(&reply, "\x35\1\5\1\3\1\2\3\3\0\6\5\1\2\3\4\5\x33\5\0\0\0\0\1\xFF"), COR_OK);
    CHECK_EQ(reply.ignored, 4);
    CHECK_EQ(reply.netmask, 0);
    CHECK_EQ(reply.router_count, 0);
    CHECK_EQ(reply.dns_count, 0);
    CHECK(!reply.lease_given);
    CHECK_EQ(PARSE(&reply, "\x35\2\5\5\xFF"), COR_E_PROTO);
}

TEST(a_list_parted_over_options_comes_together_and_is_cut_at_its_limit) {
    struct cor_dhcp_reply reply;

    CHECK_EQ(PARSE(&reply, "\x35\1\2\6\4\1\1\1\1\0\0\6\x0C\2\2\2\2\3\3\3\3\4\4\4\4\xFF"), COR_OK);
    CHECK_EQ(reply.dns_count, 3);
    CHECK_EQ(reply.dns[0], 0x01010101);
    CHECK_EQ(reply.dns[2], 0x03030303);
}

TEST(overload_is_believed_only_in_the_options_field) {
    struct cor_dhcp_reply reply;
    // file says that sname holds options too; sname holds a broken one.
    struct made made = make("\x34\1\1\xFF", 4);

    memcpy(made.bytes + 108, "\x35\1\5\x34\1\3\xFF", 7);
    memset(made.bytes + 44, 1, 64);
    CHECK_EQ(parse(&reply, &made), COR_OK);
    CHECK_EQ(reply.type, COR_DHCP_ACK);
    // An option that runs out of file does not run into the options.
    memcpy(made.bytes + 108, "\x35\1\5\x0C\x7B", 5);
    CHECK_EQ(parse(&reply, &made), COR_OK);
    made.bytes[112] = 0x7C;
    CHECK_EQ(parse(&reply, &made), COR_E_PROTO);
}

TEST(every_prefix_of_a_vector_fails_cleanly_or_ends_behind_an_option) {
    struct guard guard = guard_open();
    struct cor_dhcp_reply reply;

    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint32_t size = golden_read("dhcp.vec", names[i], bytes_);
        uint32_t end = COR_DHCP_FIXED_BYTES;  // of the last option that is whole

        for (uint32_t n = 0; n < size; n++) {
            enum cor_status status = cor_dhcp_parse(&reply, guard_copy(&guard, bytes_, n), n);
            bool whole = n >= end && (bytes_[end] == 0 || bytes_[end] == 255);

            if (whole || (n > end + 1 && n == end + 2 + bytes_[end + 1])) {
                end = whole ? end : n;
            } else {
                CHECK(n <= end || status == COR_E_PROTO);
            }
        }
    }
    guard_close(&guard);
}

// --- Emit ---

// The option's value in a message of ours, NULL: it is not there.
static const uint8_t *option(const uint8_t *message, uint8_t code, uint32_t size) {
    for (const uint8_t *at = message + 240; *at != 255; at += 2 + at[1]) {
        if (at[0] == code) {
            CHECK_EQ(at[1], size);
            return at + 2;
        }
    }
    return NULL;
}

TEST(a_discover_says_who_we_are_and_what_we_want) {
    uint8_t message[COR_DHCP_MESSAGE_BYTES_MAX];
    struct cor_dhcp_request request = {
        .type = COR_DHCP_DISCOVER,
        .xid = 0x01020304,
        .secs = 0x0506,
        .identity = 0x11121314,
        .host_name = {(const uint8_t *)"pico", 4},
    };

    memcpy(request.mac, client_mac, 6);
    CHECK_EQ(cor_dhcp_emit(&request, message), 300);
    CHECK_BYTES(message, "\1\1\6\0\1\2\3\4\5\6\0\0\0\0\0\0\0\0\0\0", 20);
    CHECK_BYTES(message + 28, client_mac, 6);
    CHECK_BYTES(message + 236, "\x63\x82\x53\x63", 4);
    CHECK_EQ(*option(message, 53, 1), 1);
    CHECK_BYTES(option(message, 61, 15), "\xFF\x11\x12\x13\x14\0\3\0\1\2\0\0\0\0\2", 15);
    CHECK_BYTES(option(message, 57, 2), "\x05\xDC", 2);
    CHECK_BYTES(option(message, 12, 4), "pico", 4);
    CHECK_BYTES(option(message, 55, 9), "\1\3\6\x0F\x1C\x2A\x33\x3A\x3B", 9);
    CHECK(option(message, 50, 4) == NULL);
    CHECK(option(message, 54, 4) == NULL);
}

TEST(a_decline_carries_no_wishes_and_a_long_name_fits) {
    uint8_t message[COR_DHCP_MESSAGE_BYTES_MAX];
    uint8_t name[63];
    struct cor_dhcp_request request = {
        .type = COR_DHCP_DECLINE,
        .requested = COR_IP4(10, 0, 0, 104),
        .server = COR_IP4(10, 0, 0, 1),
        .client_address = COR_IP4(1, 2, 3, 4),
        .host_name = {name, sizeof(name)},
    };

    memset(name, 'n', sizeof(name));
    CHECK_EQ(cor_dhcp_emit(&request, message), 300);
    CHECK_BYTES(message + 12, "\1\2\3\4", 4);
    CHECK_BYTES(option(message, 50, 4), "\x0A\0\0\x68", 4);
    CHECK_BYTES(option(message, 54, 4), "\x0A\0\0\1", 4);
    CHECK(option(message, 12, 63) == NULL);
    CHECK(option(message, 55, 9) == NULL);
    CHECK(option(message, 57, 2) == NULL);
    request.type = COR_DHCP_REQUEST;
    CHECK_EQ(cor_dhcp_emit(&request, message), 353);
    CHECK_BYTES(option(message, 12, 63), name, 63);
    CHECK_EQ(message[352], 255);
}

TEST_MAIN(
    CASE(an_offer_and_an_ack_are_read),
    CASE(a_nak_is_read),
    CASE(scenario_20_options_come_in_any_order_and_any_field),
    CASE(a_clients_message_is_not_a_reply),
    CASE(wrong_fixed_fields_are_refused),
    CASE(an_option_beyond_its_field_is_refused),
    CASE(an_option_of_impossible_length_is_ignored_and_counted),
    CASE(a_list_parted_over_options_comes_together_and_is_cut_at_its_limit),
    CASE(overload_is_believed_only_in_the_options_field),
    CASE(every_prefix_of_a_vector_fails_cleanly_or_ends_behind_an_option),
    CASE(a_discover_says_who_we_are_and_what_we_want),
    CASE(a_decline_carries_no_wishes_and_a_long_name_fits))
