// SPDX-License-Identifier: MIT
// Vectors: appendix A of the paper, and the first of the reference implementation's list
// (key 00 01 .. 0f, message 00 01 .. of each length).
#include "net/siphash.h"
#include "test.h"

static const uint64_t key[2] = {0x0706050403020100U, 0x0F0E0D0C0B0A0908U};

TEST(the_example_of_the_paper) {
    uint8_t message[15];

    for (uint32_t i = 0; i < sizeof(message); i++) {
        message[i] = (uint8_t)i;
    }
    CHECK(cor_siphash(key, message, 15) == 0xA129CA6149BE45E5U);
}

TEST(short_messages) {
    const uint8_t message[8] = {0, 1, 2, 3, 4, 5, 6, 7};

    CHECK(cor_siphash(key, message, 0) == 0x726FDB47DD0E0E31U);
    CHECK(cor_siphash(key, message, 1) == 0x74F839C593DC67FDU);
    CHECK(cor_siphash(key, message, 7) == 0xAB0200F58B01D137U);
    CHECK(cor_siphash(key, message, 8) == 0x93F5F5799A932462U);
}

TEST_MAIN(CASE(the_example_of_the_paper), CASE(short_messages))
