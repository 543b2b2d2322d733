// SPDX-License-Identifier: MIT
#include "test.h"

#include "coradio/app_pattern.h"

TEST(reads_of_any_size_give_the_same_bytes) {
    struct cor_pattern whole;
    struct cor_pattern parts;
    uint8_t expected[2000];
    uint8_t bytes[2000];
    uint32_t at = 0;

    cor_pattern_init(&whole, sizeof(expected));
    cor_pattern_init(&parts, sizeof(expected));
    CHECK_EQ(whole.source.ops->read(&whole.source, expected, 5000), 2000);
    for (uint32_t room = 1; at < sizeof(bytes); room += 37) {
        int32_t got = parts.source.ops->read(&parts.source, bytes + at, room);

        CHECK(got > 0);
        at += (uint32_t)got;
    }
    CHECK_EQ(at, 2000);
    CHECK_BYTES(bytes, expected, 2000);
    CHECK_EQ(parts.source.ops->read(&parts.source, bytes, 100), 0);
}

TEST(a_wrong_byte_and_a_shifted_piece_are_seen) {
    struct cor_pattern sender;
    struct cor_pattern receiver;
    uint8_t bytes[1460];

    cor_pattern_init(&sender, UINT64_MAX);
    cor_pattern_init(&receiver, UINT64_MAX);
    for (int i = 0; i < 50; i++) {
        CHECK_EQ(sender.source.ops->read(&sender.source, bytes, sizeof(bytes)), 1460);
        CHECK(cor_pattern_check(&receiver, bytes, sizeof(bytes)));
    }
    bytes[700] ^= 1;
    CHECK(!cor_pattern_check(&receiver, bytes, sizeof(bytes)));
    CHECK_EQ(sender.source.ops->read(&sender.source, bytes, 1024), 1024);
    CHECK(!cor_pattern_check(&receiver, bytes, 1024));
}

TEST_MAIN(
    CASE(reads_of_any_size_give_the_same_bytes), CASE(a_wrong_byte_and_a_shifted_piece_are_seen))
