// SPDX-License-Identifier: MIT
#include "golden.h"
#include "wire/sdpcm.h"

static uint8_t vector[GOLDEN_BYTES_MAX];

TEST(a_request_is_emitted_like_the_vector) {
    uint32_t size = golden_read("sdpcm.vec", "set_txglom", vector);
    uint8_t frame[64] = {0};
    const struct cor_sdpcm sdpcm = {(uint16_t)size, 254, COR_SDPCM_CONTROL, 12, 0, 0};
    const struct cor_cdc cdc = {263, (uint16_t)(size - 28), 7, true, false, 0};

    cor_sdpcm_emit(frame, &sdpcm);
    cor_cdc_emit(frame + 12, &cdc);
    memcpy(frame + 28, "bus:txglom\0\0\0\0", 15);
    CHECK_BYTES(frame, vector, size);
}

TEST(a_data_frame_is_emitted_like_the_vector) {
    uint32_t size = golden_read("sdpcm.vec", "data_out", vector);
    uint8_t frame[64] = {0};
    const struct cor_sdpcm sdpcm = {(uint16_t)size, 5, COR_SDPCM_DATA, 14, 0, 0};

    cor_sdpcm_emit(frame, &sdpcm);
    cor_bdc_emit(frame + 14);
    CHECK_BYTES(frame, vector, 18);
}

TEST(a_data_frame_is_parsed) {
    uint32_t size = golden_read("sdpcm.vec", "data_in", vector);
    struct cor_sdpcm sdpcm;

    CHECK_EQ(cor_sdpcm_parse(vector, size, &sdpcm), COR_OK);
    CHECK_EQ(sdpcm.size_bytes, size);
    CHECK_EQ(sdpcm.sequence, 9);
    CHECK_EQ(sdpcm.channel, COR_SDPCM_DATA);
    CHECK_EQ(sdpcm.header_bytes, 14);
    CHECK_EQ(sdpcm.credit, 0x0C);
    CHECK_EQ(cor_bdc_parse(vector + 14, size - 14), 8);
}

TEST(a_refusal_is_parsed) {
    uint32_t size = golden_read("sdpcm.vec", "reply_refused", vector);
    struct cor_sdpcm sdpcm;
    struct cor_cdc cdc;

    CHECK_EQ(cor_sdpcm_parse(vector, size, &sdpcm), COR_OK);
    CHECK_EQ(sdpcm.channel, COR_SDPCM_CONTROL);
    CHECK_EQ(cor_cdc_parse(vector + 12, size - 12, &cdc), COR_OK);
    CHECK_EQ(cdc.command, 263);
    CHECK_EQ(cdc.id, 9);
    CHECK(cdc.error && cdc.set);
    CHECK_EQ(cdc.chip_status, -29);
    CHECK_EQ(cdc.value_bytes, size - 28);
}

TEST(credit_alone_and_nothing_at_all) {
    uint32_t size = golden_read("sdpcm.vec", "credit", vector);
    struct cor_sdpcm sdpcm;

    CHECK_EQ(cor_sdpcm_parse(vector, size, &sdpcm), COR_OK);
    CHECK_EQ(sdpcm.header_bytes, sdpcm.size_bytes);
    CHECK_EQ(sdpcm.flow, 1);
    CHECK_EQ(sdpcm.credit, 0xFF);
    size = golden_read("sdpcm.vec", "empty", vector);
    CHECK_EQ(cor_sdpcm_parse(vector, size, &sdpcm), COR_AGAIN);
}

// Each prefix of each vector, at the end of a page: refused, or parsed within its bounds.
TEST(every_prefix_fails_cleanly) {
    static const char *const names[] = {
        "set_txglom", "reply_refused", "data_out", "data_in", "credit"};
    struct guard guard = guard_open();

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint32_t size = golden_read("sdpcm.vec", names[i], vector);

        for (uint32_t part = 0; part < size; part++) {
            const uint8_t *copy = guard_copy(&guard, vector, part);
            struct cor_sdpcm sdpcm;
            struct cor_cdc cdc;

            CHECK_EQ(cor_sdpcm_parse(copy, part, &sdpcm), COR_E_PROTO);
            if (part < 12) {
                continue;
            }
            if (cor_cdc_parse(copy + 12, part - 12, &cdc) == COR_OK) {
                CHECK(cdc.value_bytes <= part - 28);
            }
            if (part >= 14) {
                CHECK(cor_bdc_parse(copy + 14, part - 14) <= (int32_t)(part - 14));
            }
        }
    }
    guard_close(&guard);
}

// Any header, whatever its bits, leads nowhere outside the frame.
TEST(every_flipped_bit_stays_inside) {
    uint32_t size = golden_read("sdpcm.vec", "data_in", vector);
    struct guard guard = guard_open();

    for (uint32_t bit = 0; bit < 8 * size; bit++) {
        uint8_t *copy = guard_copy(&guard, vector, size);
        struct cor_sdpcm sdpcm;

        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        enum cor_status status = cor_sdpcm_parse(copy, size, &sdpcm);

        CHECK(bit >= 32 || status == COR_E_PROTO);
        if (status == COR_OK) {
            CHECK(sdpcm.header_bytes >= 12 && sdpcm.header_bytes <= size);
            CHECK(
                cor_bdc_parse(copy + sdpcm.header_bytes, size - sdpcm.header_bytes) <=
                (int32_t)(size - sdpcm.header_bytes));
        }
    }
    guard_close(&guard);
}

TEST_MAIN(
    CASE(a_request_is_emitted_like_the_vector),
    CASE(a_data_frame_is_emitted_like_the_vector),
    CASE(a_data_frame_is_parsed),
    CASE(a_refusal_is_parsed),
    CASE(credit_alone_and_nothing_at_all),
    CASE(every_prefix_fails_cleanly),
    CASE(every_flipped_bit_stays_inside))
