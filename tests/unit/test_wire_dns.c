// SPDX-License-Identifier: MIT
// DNS and IGMP messages: those of real programs read, and what an attacker would make of them.
#include "golden.h"
#include "test.h"
#include "wire/dns.h"
#include "wire/igmp.h"

#include "coradio/bytes.h"
#include "coradio/ip4.h"

static const struct {
    const char *file;
    const char *name;
} vectors[] = {
    {"dns.vec", "dns_query"},
    {"dns.vec", "dns_a"},
    {"dns.vec", "dns_two"},
    {"dns.vec", "dns_cname"},
    {"dns.vec", "dns_nxdomain"},
    {"dns.vec", "dns_refused"},
    {"dns.vec", "dns_soa"},
    {"mdns.vec", "mdns_probe_host"},
    {"mdns.vec", "mdns_probe_service"},
    {"mdns.vec", "mdns_announce"},
    {"mdns.vec", "mdns_query_ptr"},
    {"mdns.vec", "mdns_answer_a"},
    {"mdns.vec", "mdns_goodbye"},
};

static uint8_t bytes_[GOLDEN_BYTES_MAX];

static struct cor_dns_message read_message(const char *file, const char *name) {
    struct cor_dns_message message;
    uint32_t size = golden_read(file, name, bytes_);

    CHECK_EQ(cor_dns_parse(&message, bytes_, size), COR_OK);
    return message;
}

static bool name_is(const struct cor_dns_message *message, uint32_t at, const char *text) {
    uint8_t name[COR_DNS_NAME_BYTES_MAX];
    uint8_t read[COR_DNS_NAME_BYTES_MAX];
    int32_t size = cor_dns_name_from_text(text, name);
    bool is = cor_dns_name_is(message, at, name);

    CHECK(size > 0);
    CHECK_EQ(cor_dns_name_bytes(name), size);
    // Both ways to look at a name agree.
    CHECK(cor_dns_name_read(message, at, read) > 0);
    CHECK_EQ(cor_dns_name_equal(read, name), is);
    return is;
}

TEST(an_answer_with_a_chain_is_read) {
    struct cor_dns_message message = read_message("dns.vec", "dns_cname");
    struct cor_dns_question question;
    struct cor_dns_record record;

    CHECK_EQ(message.header.id, 0xE84F);
    CHECK_EQ(message.header.flags, 0x8580);
    CHECK_EQ(message.header.question_count, 1);
    CHECK_EQ(message.header.answer_count, 3);
    CHECK_EQ(cor_dns_parse_question(&message, &question), COR_OK);
    CHECK(name_is(&message, question.name, "alias.example"));
    CHECK(name_is(&message, question.name, "ALIAS.example."));
    CHECK(!name_is(&message, question.name, "alias.exampl"));
    CHECK(!name_is(&message, question.name, "alias.example.com"));
    CHECK_EQ(question.type, COR_DNS_A);
    CHECK_EQ(question.class, COR_DNS_IN);
    CHECK_EQ(cor_dns_parse_record(&message, &record), COR_OK);
    CHECK(name_is(&message, record.name, "alias.example"));
    CHECK_EQ(record.type, COR_DNS_CNAME);
    CHECK_EQ(record.ttl_s, 120);
    CHECK(name_is(&message, record.data, "middle.example"));
    CHECK_EQ(cor_dns_parse_record(&message, &record), COR_OK);
    CHECK(name_is(&message, record.name, "middle.example"));
    CHECK(name_is(&message, record.data, "board.example"));
    CHECK_EQ(cor_dns_parse_record(&message, &record), COR_OK);
    CHECK(name_is(&message, record.name, "board.example"));
    CHECK_EQ(record.type, COR_DNS_A);
    CHECK_EQ(record.data_bytes, 4);
    CHECK_EQ(cor_get_be32(bytes_ + record.data), COR_IP4(10, 0, 0, 42));
    CHECK_EQ(message.at, message.size_bytes);
    CHECK_EQ(cor_dns_parse_record(&message, &record), COR_E_PROTO);
}

TEST(the_names_of_rfc_1035_are_read) {
    struct cor_dns_message message = read_message("dns.vec", "dns_rfc1035");
    uint8_t name[COR_DNS_NAME_BYTES_MAX];

    CHECK(name_is(&message, 20, "F.ISI.ARPA"));
    CHECK(name_is(&message, 40, "FOO.F.ISI.ARPA"));
    CHECK(name_is(&message, 40, "foo.f.isi.arpa"));
    CHECK(name_is(&message, 64, "ARPA"));
    CHECK_EQ(cor_dns_name_read(&message, 92, name), 1);
    CHECK_EQ(name[0], 0);
}

TEST(an_announcement_of_mdns_is_read) {
    struct cor_dns_message message = read_message("mdns.vec", "mdns_announce");
    static const uint16_t types[] = {COR_DNS_TXT, COR_DNS_PTR, COR_DNS_SRV, COR_DNS_A, COR_DNS_PTR};
    struct cor_dns_record record;

    CHECK_EQ(message.header.flags, COR_DNS_RESPONSE | COR_DNS_AUTHORITATIVE);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_EQ(cor_dns_parse_record(&message, &record), COR_OK);
        CHECK_EQ(record.type, types[i]);
        CHECK_EQ(record.class & COR_DNS_CLASS_MASK, COR_DNS_IN);
        CHECK_EQ((record.class & COR_DNS_CLASS_FLAG) != 0, types[i] != COR_DNS_PTR);
        if (types[i] == COR_DNS_SRV) {
            CHECK_EQ(cor_get_be16(bytes_ + record.data + 4), 5001);
            CHECK(name_is(&message, record.data + 6, "pico.local"));
        }
    }
    CHECK(name_is(&message, record.name, "_services._dns-sd._udp.local"));
    CHECK_EQ(message.at, message.size_bytes);
}

// Reads everything; what for, does not matter.
static enum cor_status read_all(const uint8_t *data, uint32_t size) {
    struct cor_dns_message message;
    struct cor_dns_question question;
    struct cor_dns_record record;
    enum cor_status status = cor_dns_parse(&message, data, size);
    uint8_t name[COR_DNS_NAME_BYTES_MAX];

    for (uint32_t i = 0; status == COR_OK && i < message.header.question_count; i++) {
        status = cor_dns_parse_question(&message, &question);
    }
    uint32_t records = (uint32_t)message.header.answer_count + message.header.authority_count +
                       message.header.additional_count;
    for (uint32_t i = 0; status == COR_OK && i < records; i++) {
        status = cor_dns_parse_record(&message, &record);
        if (status == COR_OK && record.type == COR_DNS_PTR) {
            CHECK(cor_dns_name_read(&message, record.data, name) > 0);
        }
    }
    return status;
}

TEST(every_prefix_of_a_vector_fails_cleanly) {
    struct guard guard = guard_open();

    for (uint32_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        uint32_t size = golden_read(vectors[i].file, vectors[i].name, bytes_);

        CHECK_EQ(read_all(guard_copy(&guard, bytes_, size), size), COR_OK);
        for (uint32_t n = 0; n < size; n++) {
            CHECK_EQ(read_all(guard_copy(&guard, bytes_, n), n), COR_E_PROTO);
        }
    }
    guard_close(&guard);
}

static int32_t read_name(const void *tail, uint32_t size, uint32_t at) {
    uint8_t data[1024] = {0};
    uint8_t name[COR_DNS_NAME_BYTES_MAX];
    struct cor_dns_message message;
    struct guard guard = guard_open();

    memcpy(data + COR_DNS_HEADER_BYTES, tail, size);
    size += COR_DNS_HEADER_BYTES;
    CHECK_EQ(cor_dns_parse(&message, guard_copy(&guard, data, size), size), COR_OK);
    int32_t result = cor_dns_name_read(&message, at, name);
    guard_close(&guard);
    return result;
}

#define READ_NAME(text, at) read_name(text, sizeof(text) - 1, at)

TEST(pointers_that_do_not_go_back_are_refused) {
    CHECK_EQ(READ_NAME("\1a\0", 12), 3);
    CHECK_EQ(READ_NAME("\1a\0\1b\xC0\x0C", 15), 5);
    CHECK_EQ(READ_NAME("\xC0\x0C", 12), COR_E_PROTO);                  // itself
    CHECK_EQ(READ_NAME("\1a\xC0\x0C", 12), COR_E_PROTO);               // its own start
    CHECK_EQ(READ_NAME("\xC0\x0E\1a\0", 12), COR_E_PROTO);             // forwards
    CHECK_EQ(READ_NAME("\xC0\x10\xC0\x0C\xC0\x0E", 16), COR_E_PROTO);  // a ring of three
    CHECK_EQ(READ_NAME("\1a\0\xC0\x02", 15), COR_E_PROTO);             // into the header
    CHECK_EQ(READ_NAME("\1a\0\xC0", 15), COR_E_PROTO);                 // half a pointer
    CHECK_EQ(READ_NAME("\1a\0\xFF\xFF", 15), COR_E_PROTO);
    CHECK_EQ(READ_NAME("\x40z\0", 12), COR_E_PROTO);  // reserved kinds of label
    CHECK_EQ(READ_NAME("\x80z\0", 12), COR_E_PROTO);
    CHECK_EQ(READ_NAME("\1a", 12), COR_E_PROTO);  // no end
    CHECK_EQ(READ_NAME("\2a", 12), COR_E_PROTO);
    CHECK_EQ(READ_NAME("", 12), COR_E_PROTO);
}

TEST(a_name_may_have_255_bytes_and_not_one_more) {
    uint8_t data[600];
    uint32_t at = 0;

    // 126 labels of one letter and the zero are 253; one label of two more makes 255 with the zero.
    for (; at < 2 * 126; at += 2) {
        memcpy(data + at, "\1a", 2);
    }
    memcpy(data + at, "\1b\0", 3);
    CHECK_EQ(read_name(data, at + 3, 12), 255);
    memcpy(data + at, "\2bb\0", 4);
    CHECK_EQ(read_name(data, at + 4, 12), COR_E_PROTO);
    // The same length put together with a pointer.
    memcpy(data + at, "\1b\0\1c\xC0\x0C", 7);
    CHECK_EQ(read_name(data, at + 7, 12 + at + 3), COR_E_PROTO);
    CHECK_EQ(read_name(data, at + 7, 12), 255);
}

TEST(texts_become_wire_names_or_are_refused) {
    uint8_t name[COR_DNS_NAME_BYTES_MAX];
    char text[300];

    CHECK_EQ(cor_dns_name_from_text("board.example", name), 15);
    CHECK_BYTES(name, "\5board\7example", 15);
    CHECK_EQ(cor_dns_name_from_text("board.example.", name), 15);
    CHECK_EQ(cor_dns_name_from_text("a", name), 3);
    CHECK_EQ(cor_dns_name_from_text("", name), COR_E_ARG);
    CHECK_EQ(cor_dns_name_from_text(".", name), COR_E_ARG);
    CHECK_EQ(cor_dns_name_from_text(".a", name), COR_E_ARG);
    CHECK_EQ(cor_dns_name_from_text("a..b", name), COR_E_ARG);
    CHECK_EQ(cor_dns_name_from_text("a..", name), COR_E_ARG);
    memset(text, 'x', sizeof(text));
    text[63] = '\0';
    CHECK_EQ(cor_dns_name_from_text(text, name), 65);
    text[63] = 'x';
    text[64] = '\0';
    CHECK_EQ(cor_dns_name_from_text(text, name), COR_E_ARG);
    for (uint32_t i = 0; i < sizeof(text); i++) {
        text[i] = i % 2 == 0 ? 'x' : '.';
    }
    text[253] = '\0';  // 127 labels
    CHECK_EQ(cor_dns_name_from_text(text, name), 255);
    text[253] = '.';
    text[254] = '\0';
    CHECK_EQ(cor_dns_name_from_text(text, name), 255);
    text[254] = 'x';
    text[255] = '\0';
    CHECK_EQ(cor_dns_name_from_text(text, name), COR_E_ARG);
}

TEST(counts_that_lie_end_with_the_message) {
    uint32_t size = golden_read("dns.vec", "dns_a", bytes_);

    bytes_[6] = 0xFF;
    bytes_[7] = 0xFF;
    CHECK_EQ(read_all(bytes_, size), COR_E_PROTO);
}

// --- IGMP ---

static struct cor_igmp_message read_igmp(const char *name) {
    struct cor_igmp_message message;
    struct guard guard = guard_open();
    uint32_t size = golden_read("igmp.vec", name, bytes_);
    uint32_t head = 14 + (bytes_[14] & 15U) * 4;

    size = 14U + cor_get_be16(bytes_ + 16) - head;
    CHECK_EQ(cor_igmp_parse(&message, guard_copy(&guard, bytes_ + head, size), size), COR_OK);
    for (uint32_t n = 0; n < size; n++) {
        struct cor_igmp_message cut;

        CHECK_EQ(cor_igmp_parse(&cut, guard_copy(&guard, bytes_ + head, n), n), COR_E_PROTO);
    }
    guard_close(&guard);
    if (size == COR_IGMP_BYTES) {
        uint8_t again[COR_IGMP_BYTES];

        cor_igmp_emit(&message, again);
        CHECK_BYTES(again, bytes_ + head, COR_IGMP_BYTES);
    }
    return message;
}

TEST(igmp_messages_of_a_real_kernel_are_read_and_written) {
    struct cor_igmp_message message = read_igmp("igmp_query");

    CHECK_EQ(message.type, COR_IGMP_QUERY);
    CHECK_EQ(message.response_100ms, 100);
    CHECK_EQ(message.group, 0);
    message = read_igmp("igmp_query_group");
    CHECK_EQ(message.response_100ms, 10);
    CHECK_EQ(message.group, COR_IP4(239, 1, 2, 3));
    message = read_igmp("igmp_report");
    CHECK_EQ(message.type, COR_IGMP_REPORT);
    CHECK_EQ(message.group, COR_IP4(239, 1, 2, 3));
    message = read_igmp("igmp_leave");
    CHECK_EQ(message.type, COR_IGMP_LEAVE);
    message = read_igmp("igmp_report_v3");
    CHECK(message.type != COR_IGMP_REPORT && message.type != COR_IGMP_QUERY);
}

TEST(a_long_wait_of_igmp_3_is_cut) {
    uint8_t query[12] = {0x11, 0x80};
    struct cor_igmp_message message;

    cor_put_be16(query + 2, (uint16_t)~0x1180);
    CHECK_EQ(cor_igmp_parse(&message, query, sizeof(query)), COR_OK);
    CHECK_EQ(message.response_100ms, 128);
    query[1] = 0x9F;
    cor_put_be16(query + 2, (uint16_t)~0x119F);
    CHECK_EQ(cor_igmp_parse(&message, query, sizeof(query)), COR_OK);
    CHECK_EQ(message.response_100ms, 255);
}

TEST_MAIN(
    CASE(an_answer_with_a_chain_is_read),
    CASE(the_names_of_rfc_1035_are_read),
    CASE(an_announcement_of_mdns_is_read),
    CASE(every_prefix_of_a_vector_fails_cleanly),
    CASE(pointers_that_do_not_go_back_are_refused),
    CASE(a_name_may_have_255_bytes_and_not_one_more),
    CASE(texts_become_wire_names_or_are_refused),
    CASE(counts_that_lie_end_with_the_message),
    CASE(igmp_messages_of_a_real_kernel_are_read_and_written),
    CASE(a_long_wait_of_igmp_3_is_cut))
