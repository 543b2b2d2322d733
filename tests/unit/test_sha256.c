// SPDX-License-Identifier: MIT
// SHA-256 and HMAC against the vectors of FIPS 180-4's examples and RFC 4231, and against OpenSSL's
// implementation over all lengths round a block.
#include "common/sha256.h"
#include "test.h"

#include <string.h>

#include "coradio/sha256.h"

static const char *hex_of(const uint8_t *bytes, size_t count) {
    static char text[2 * COR_SHA256_BYTES + 1];

    for (size_t i = 0; i < count; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    return text;
}

static const char *digest_of(const void *data, size_t size_bytes) {
    struct cor_sha256 sha256;
    uint8_t digest[COR_SHA256_BYTES];

    cor_sha256_init(&sha256);
    cor_sha256_add(&sha256, data, (uint32_t)size_bytes);
    cor_sha256_end(&sha256, digest);
    return hex_of(digest, sizeof(digest));
}

// source: NIST, "SHA-256 examples" for FIPS 180-4 (one block, two blocks), and the empty message.
TEST(digests_of_the_nist_examples) {
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    CHECK_TEXT(
        digest_of("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK_TEXT(
        digest_of(two, strlen(two)),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK_TEXT(
        digest_of("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

// source: NIST's example of a million times "a".
TEST(digest_of_a_million_letters_given_in_odd_parts) {
    struct cor_sha256 sha256;
    uint8_t digest[COR_SHA256_BYTES];
    uint8_t part[1000];
    uint32_t left = 1000000;

    memset(part, 'a', sizeof(part));
    cor_sha256_init(&sha256);
    for (uint32_t size = 1; left > 0; size = size % 997 + 1) {
        uint32_t now = size < left ? size : left;

        cor_sha256_add(&sha256, part, now);
        left -= now;
    }
    cor_sha256_end(&sha256, digest);
    CHECK_TEXT(
        hex_of(digest, sizeof(digest)),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(digests_of_all_lengths_are_those_of_openssl) {
    uint8_t data[300];

    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t)(i * 7 + 1);
    }
    for (size_t size = 0; size <= sizeof(data); size++) {
        struct sha256 *other = sha256_new();
        char text[SHA256_TEXT_SIZE];

        CHECK(other != NULL);
        sha256_add(other, data, size);
        sha256_text(other, text);
        sha256_free(other);
        CHECK_TEXT(digest_of(data, size), text);
    }
}

// source: RFC 4231, section 4, test cases 1 to 7 (5 is the truncated one).
TEST(macs_of_rfc_4231) {
    static const uint8_t counted[25] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                        14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
    uint8_t filled[131];
    uint8_t text[50];
    uint8_t mac[COR_SHA256_BYTES];
    const char *long_text =
        "This is a test using a larger than block-size key and a larger than block-size data. The "
        "key needs to be hashed before being used by the HMAC algorithm.";

#define MAC(key, key_bytes, message, message_bytes)                                                \
    (cor_hmac_sha256(key, key_bytes, (const uint8_t *)(message), (uint32_t)(message_bytes), mac),  \
     hex_of(mac, sizeof(mac)))
    memset(filled, 0x0b, sizeof(filled));
    CHECK_TEXT(
        MAC(filled, 20, "Hi There", 8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK_TEXT(
        MAC((const uint8_t *)"Jefe", 4, "what do ya want for nothing?", 28),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(filled, 0xaa, sizeof(filled));
    memset(text, 0xdd, sizeof(text));
    CHECK_TEXT(
        MAC(filled, 20, text, 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    memset(text, 0xcd, sizeof(text));
    CHECK_TEXT(
        MAC(counted, 25, text, 50),
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
    CHECK_TEXT(
        MAC(filled, 131, "Test Using Larger Than Block-Size Key - Hash Key First", 54),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    CHECK_TEXT(
        MAC(filled, 131, long_text, strlen(long_text)),
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
    memset(filled, 0x0c, 20);
    CHECK_TEXT(
        (MAC(filled, 20, "Test With Truncation", 20), hex_of(mac, 16)),
        "a3b6167473100ee06e0c796c2955552b");
}

TEST(digests_that_differ_in_one_bit_are_not_equal) {
    uint8_t left[COR_SHA256_BYTES] = {0};
    uint8_t right[COR_SHA256_BYTES] = {0};

    CHECK(cor_sha256_equal(left, right));
    for (unsigned bit = 0; bit < 8 * COR_SHA256_BYTES; bit++) {
        right[bit / 8] = (uint8_t)(1u << bit % 8);
        CHECK(!cor_sha256_equal(left, right));
        right[bit / 8] = 0;
    }
}

TEST_MAIN(
    CASE(digests_of_the_nist_examples),
    CASE(digest_of_a_million_letters_given_in_odd_parts),
    CASE(digests_of_all_lengths_are_those_of_openssl),
    CASE(macs_of_rfc_4231),
    CASE(digests_that_differ_in_one_bit_are_not_equal))
