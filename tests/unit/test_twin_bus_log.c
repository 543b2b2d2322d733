// SPDX-License-Identifier: MIT
// What the bus log makes of the first four bytes of a transfer.
#include "coradio_twin/board.h"
#include "test.h"

static uint8_t in[2200];

static void chip_transfer(void *context, const struct twin_gspi_xfer *wire) {
    (void)context;
    for (uint32_t i = 0; i < wire->in_bytes; i++) {
        wire->in[i] = (uint8_t)(0x10 + i);
    }
}

// The line of one transfer at 25 MHz from 5 s and 1 ns on. `split`: the command in two pieces.
static const char *log_of(
    const uint8_t command[4], uint32_t out_bytes, uint32_t in_bytes, bool split) {
    static char line[200];
    static uint8_t out[2048];
    struct twin_sim *sim = twin_sim_new(1, 5000000001);
    struct twin_log log = {sim, tmpfile()};
    struct twin_board *board = twin_board_new(&(struct twin_board_config){
        .sim = sim,
        .chip = {.transfer = chip_transfer},
        .bus_log = &log,
        .cpu_hz = 150000000,
        .segment_ns = 1,
        .queue_depth = 1});
    struct twin_board_xfer xfer = {
        .wire = {.out = {{out, out_bytes}}, .out_count = 1, .in = in, .in_bytes = in_bytes}};
    bool read;

    memcpy(out, command, 4);
    if (split) {
        xfer.wire.out[0].size_bytes = 3;
        xfer.wire.out[1] = (struct twin_bytes){out + 3, out_bytes - 3};
        xfer.wire.out_count = 2;
    }
    twin_board_bus_set_clock_hz(board, 25000000);
    twin_board_bus_start(board, &xfer);
    twin_run_until(sim, 6000000000);
    rewind(log.file);
    read = fgets(line, sizeof(line), log.file) != NULL;
    fclose(log.file);
    twin_board_free(board);
    twin_sim_free(sim);
    CHECK(read);
    return line;
}

TEST(a_read_is_told_in_each_byte_order) {
    // read, incrementing, F0, address 0x14, 4 bytes: 0x4000a004
    const uint8_t msb[4] = {0x40, 0x00, 0xa0, 0x04};
    const uint8_t lsb[4] = {0x04, 0xa0, 0x00, 0x40};
    const uint8_t half[4] = {0xa0, 0x04, 0x40, 0x00};

    CHECK_TEXT(
        log_of(msb, 4, 4, false),
        "5.000000001 r0+00014:4 out=4 in=4 payload=0 clocks=64 status=10111213\n");
    CHECK_TEXT(
        log_of(lsb, 4, 4, false),
        "5.000000001 r0+00014:4 out=4 in=4 payload=0 clocks=64 status=13121110\n");
    CHECK_TEXT(
        log_of(half, 4, 4, false),
        "5.000000001 r0+00014:4 out=4 in=4 payload=0 clocks=64 status=12131011\n");
}

TEST(a_write_is_told_by_its_padded_length) {
    // write, incrementing, F2, address 0, 1530 bytes, with the status word behind it
    const uint8_t frame[4] = {0xe0, 0x00, 0x05, 0xfa};
    // write, fixed, F1, address 0x1000e, 1 byte: 0x98007001, in memory order
    const uint8_t reg[4] = {0x01, 0x70, 0x00, 0x98};
    // length 0 stands for 2048
    const uint8_t longest[4] = {0x60, 0x00, 0x00, 0x00};

    CHECK_TEXT(
        log_of(frame, 1536, 4, false),
        "5.000000001 w2+00000:1530 out=1536 in=4 payload=0 clocks=12320 status=10111213\n");
    CHECK_TEXT(
        log_of(frame, 1536, 4, true),
        "5.000000001 w2+00000:1530 out=1536 in=4 payload=0 clocks=12320 status=10111213\n");
    CHECK_TEXT(log_of(reg, 8, 0, false), "5.000000001 w1=1000e:1 out=8 in=0 payload=0 clocks=64\n");
    CHECK_TEXT(
        log_of(longest, 4, 2052, false),
        "5.000000001 r2+00000:2048 out=4 in=2052 payload=0 clocks=16448 status=10111213\n");
}

TEST(a_command_that_fits_no_order_is_shown_as_it_is) {
    const uint8_t ones[4] = {0xff, 0xff, 0xff, 0xff};
    const uint8_t resync[4] = {0, 0, 0, 0};

    CHECK_TEXT(log_of(ones, 8, 0, false), "5.000000001 ?ffffffff out=8 in=0 payload=0 clocks=64\n");
    CHECK_TEXT(
        log_of(resync, 4, 0, false), "5.000000001 ?00000000 out=4 in=0 payload=0 clocks=32\n");
}

TEST_MAIN(
    CASE(a_read_is_told_in_each_byte_order),
    CASE(a_write_is_told_by_its_padded_length),
    CASE(a_command_that_fits_no_order_is_shown_as_it_is))
