// SPDX-License-Identifier: MIT
#include "test.h"

#include <stdlib.h>

#include "coradio/checksum.h"

// RFC 1071 as it is written: one 16-bit word after the other.
static uint16_t plain_sum(const uint8_t *data, uint32_t size) {
    uint32_t sum = 0;

    for (uint32_t i = 0; i + 1 < size; i += 2) {
        sum += (uint32_t)data[i] * 256 + data[i + 1];
    }
    if (size % 2 != 0) {
        sum += (uint32_t)data[size - 1] * 256;
    }
    while (sum > 0xFFFF) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return (uint16_t)sum;
}

static void fill(uint8_t *data, uint32_t size, uint32_t seed) {
    for (uint32_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        // Many bytes of all ones, so that carries run through.
        data[i] = seed >> 30 == 0 ? 0xFF : (uint8_t)(seed >> 24);
    }
}

TEST(scenario_25_the_example_of_rfc_1071_section_3) {
    const uint8_t data[] = {0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7};

    CHECK_EQ(cor_sum_bytes(data, sizeof(data)), 0xDDF2);
}

// Each block lies in memory of just its size, so that the sanitizer sees a byte too far.
TEST(scenario_25_every_alignment_and_length) {
    for (uint32_t skew = 0; skew < 16; skew++) {
        for (uint32_t size = 0; size < 100; size++) {
            uint8_t *memory = malloc(skew + size + 1);

            fill(memory, skew + size, skew * 1000 + size);
            uint8_t *exact = memory + skew;
            CHECK_EQ(cor_sum_bytes(exact, size), plain_sum(exact, size));
            free(memory);
            uint8_t *ends = malloc(size != 0 ? size : 1);
            fill(ends, size, size);
            CHECK_EQ(cor_sum_bytes(ends, size), plain_sum(ends, size));
            free(ends);
        }
    }
}

TEST(full_segments_of_ones_and_zeros) {
    uint8_t data[1460];

    memset(data, 0xFF, sizeof(data));
    CHECK_EQ(cor_sum_bytes(data, sizeof(data)), 0xFFFF);
    memset(data, 0, sizeof(data));
    CHECK_EQ(cor_sum_bytes(data, sizeof(data)), 0);
    fill(data, sizeof(data), 1);
    CHECK_EQ(cor_sum_bytes(data, sizeof(data)), plain_sum(data, sizeof(data)));
}

TEST(scenario_25_a_block_may_be_cut_anywhere) {
    uint8_t data[64];

    fill(data, sizeof(data), 7);
    for (uint32_t cut = 0; cut <= sizeof(data); cut++) {
        uint16_t first = cor_sum_bytes(data, cut);
        uint16_t second = cor_sum_bytes(data + cut, (uint32_t)sizeof(data) - cut);

        second = cut % 2 != 0 ? cor_sum_odd(second) : second;
        CHECK_EQ(cor_sum_fold((uint32_t)first + second), plain_sum(data, sizeof(data)));
    }
}

TEST(copying_sums_what_it_copies) {
    for (uint32_t from = 0; from < 8; from++) {
        for (uint32_t to = 0; to < 8; to++) {
            for (uint32_t size = 0; size < 70; size++) {
                uint8_t *source = malloc(from + size + 1);
                uint8_t target[96];

                fill(source, from + size, size);
                memset(target, 0xAA, sizeof(target));
                uint16_t sum = cor_sum_copy(target + to, source + from, size);
                CHECK_EQ(sum, plain_sum(source + from, size));
                CHECK_BYTES(target + to, source + from, size);
                CHECK_EQ(target[to + size], 0xAA);
                free(source);
            }
        }
    }
}

TEST(folding_keeps_what_carries) {
    CHECK_EQ(cor_sum_fold(0), 0);
    CHECK_EQ(cor_sum_fold(0xFFFF), 0xFFFF);
    CHECK_EQ(cor_sum_fold(0x10000), 1);
    CHECK_EQ(cor_sum_fold(0xFFFFFFFF), 0xFFFF);
    CHECK_EQ(cor_sum_fold(cor_sum_u32(0x12345678)), 0x68AC);
}

TEST_MAIN(
    CASE(scenario_25_the_example_of_rfc_1071_section_3),
    CASE(scenario_25_every_alignment_and_length),
    CASE(full_segments_of_ones_and_zeros),
    CASE(scenario_25_a_block_may_be_cut_anywhere),
    CASE(copying_sums_what_it_copies),
    CASE(folding_keeps_what_carries))
