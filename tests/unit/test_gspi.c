// SPDX-License-Identifier: MIT
#include "golden.h"
#include "wire/gspi.h"

static void check_word(const char *name, uint32_t word, enum cor_gspi_order order) {
    uint8_t expected[GOLDEN_BYTES_MAX];
    uint8_t emitted[4];

    CHECK(golden_read("gspi.vec", name, expected) >= 4);
    cor_gspi_emit(emitted, word, order);
    CHECK_BYTES(emitted, expected, 4);
    CHECK_EQ(cor_gspi_parse(expected, order), word);
}

TEST(commands_are_those_of_the_vectors) {
    check_word(
        "read_test_reset", cor_gspi_command(false, COR_GSPI_BUS, 0x14, 4), COR_GSPI_ORDER_RESET);
    check_word(
        "write_control_reset", cor_gspi_command(true, COR_GSPI_BUS, 0, 4), COR_GSPI_ORDER_RESET);
    check_word(
        "read_test_memory", cor_gspi_command(false, COR_GSPI_BUS, 0x14, 4), COR_GSPI_ORDER_MEMORY);
    check_word(
        "write_window_memory",
        cor_gspi_command(true, COR_GSPI_BACKPLANE, 0x1000A, 3),
        COR_GSPI_ORDER_MEMORY);
    check_word(
        "write_block_memory",
        cor_gspi_command(true, COR_GSPI_BACKPLANE, 0x7FC0, 64),
        COR_GSPI_ORDER_MEMORY);
    check_word(
        "write_frame_memory",
        cor_gspi_command(true, COR_GSPI_WLAN, 0, 1532),
        COR_GSPI_ORDER_MEMORY);
    check_word(
        "read_longest_memory",
        cor_gspi_command(false, COR_GSPI_WLAN, 0, 2048),
        COR_GSPI_ORDER_MEMORY);
}

TEST(words_are_in_the_order_of_the_port) {
    check_word("test_pattern_reset", 0xFEEDBEAD, COR_GSPI_ORDER_RESET);
    check_word("test_pattern_memory", 0xFEEDBEAD, COR_GSPI_ORDER_MEMORY);
}

TEST(the_status_word_tells_what_waits) {
    uint8_t bytes[GOLDEN_BYTES_MAX];

    (void)golden_read("gspi.vec", "status_waiting_memory", bytes);
    uint32_t status = cor_gspi_parse(bytes, COR_GSPI_ORDER_MEMORY);

    CHECK_EQ(cor_gspi_waiting_bytes(status), 80);
    CHECK((status & COR_GSPI_STATUS_F2_READY) != 0);
    CHECK_EQ(cor_gspi_waiting_bytes(status & ~COR_GSPI_STATUS_F2_WAITING), 0);
    CHECK_EQ(cor_gspi_waiting_bytes(0xFFFFFFFF), 2047);
}

TEST_MAIN(
    CASE(commands_are_those_of_the_vectors),
    CASE(words_are_in_the_order_of_the_port),
    CASE(the_status_word_tells_what_waits))
