// SPDX-License-Identifier: MIT
// The bus seam on the virtual board: what a driver gets for what it asks.
#include "bus_twin.h"
#include "test.h"

#define DEPTH 4

struct seen {
    uint8_t out[2100];
    uint32_t out_bytes;
    uint32_t in_bytes;
    uint32_t extra_clocks;
};

static struct twin_sim *sim;
static struct twin_board *board;
static struct cor_bus_twin twin;
static struct cor_bus *bus;
static struct seen seen[8];
static int transfers;
static bool line;
static bool power;

// Answers with 1, 2, 3, ... so that every byte can be told from its neighbours.
static void chip_transfer(void *context, const struct twin_gspi_xfer *wire) {
    struct seen *one = &seen[transfers++ % 8];

    (void)context;
    one->out_bytes = 0;
    for (uint32_t i = 0; i < wire->out_count; i++) {
        memcpy(one->out + one->out_bytes, wire->out[i].data, wire->out[i].size_bytes);
        one->out_bytes += wire->out[i].size_bytes;
    }
    one->in_bytes = wire->in_bytes;
    one->extra_clocks = wire->extra_clocks;
    for (uint32_t i = 0; i < wire->in_bytes; i++) {
        wire->in[i] = (uint8_t)(i + 1);
    }
}

static bool chip_irq(void *context) {
    (void)context;
    return line;
}

static void chip_power(void *context, bool on) {
    (void)context;
    power = on;
}

static void build(enum twin_engine engine, uint8_t depth) {
    struct twin_board_config config = {0};

    memset(seen, 0, sizeof(seen));
    transfers = 0;
    line = false;
    sim = twin_sim_new(1, 0);
    config.sim = sim;
    config.chip.transfer = chip_transfer;
    config.chip.irq = chip_irq;
    config.chip.power = chip_power;
    config.engine = engine;
    config.cpu_hz = 150000000;
    config.segment_ns = 1;
    config.queue_depth = depth;
    board = twin_board_new(&config);
    cor_bus_twin_init(&twin, board);
    bus = &twin.bus;
}

static void scrap(void) {
    twin_board_free(board);
    twin_sim_free(sim);
}

static void run_us(uint64_t us) {
    twin_run_until(sim, twin_now_ns(sim) + us * 1000);
}

TEST(pieces_go_out_in_order_and_are_padded_with_the_bytes_behind_them) {
    _Alignas(4) uint8_t head[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    _Alignas(4) uint8_t tail[8] = {9, 10, 11, 12, 13, 14, 15, 16};
    struct cor_bus_xfer xfer = {.out = {{head, 8}, {tail, 5}}, .out_count = 2, .payload_bytes = 5};

    build(TWIN_ENGINE_QUEUED, DEPTH);
    CHECK_EQ(bus->ops->set_clock_hz(bus, 37500000), 37500000);
    CHECK_EQ(bus->ops->start(bus, &xfer), COR_OK);
    CHECK_EQ(bus->ops->poll(bus), COR_AGAIN);
    run_us(100);
    CHECK_EQ(bus->ops->poll(bus), COR_OK);
    CHECK_EQ(bus->ops->poll(bus), COR_AGAIN);
    CHECK_EQ(seen[0].out_bytes, 16);
    for (int i = 0; i < 16; i++) {
        CHECK_EQ(seen[0].out[i], i + 1);
    }
    CHECK_EQ(seen[0].in_bytes, 0);
    CHECK_EQ(xfer.extra_clocks, 0);
    CHECK_EQ(xfer.result, COR_OK);
    scrap();
}

TEST(filler_data_and_status_are_told_apart) {
    _Alignas(4) uint8_t command[4] = {0};
    uint8_t in[12];
    struct cor_bus_xfer xfer = {
        .out = {{command, 4}},
        .out_count = 1,
        .in = in,
        .in_bytes = 6,
        .skip_bytes = 4,
        .status_appended = true,
    };

    build(TWIN_ENGINE_QUEUED, DEPTH);
    bus->ops->set_clock_hz(bus, 37500000);
    memset(in, 0xee, sizeof(in));
    CHECK_EQ(bus->ops->start(bus, &xfer), COR_OK);
    run_us(100);
    CHECK_EQ(bus->ops->poll(bus), COR_OK);
    CHECK_EQ(seen[0].in_bytes, 4 + 8 + 4);
    CHECK_EQ(seen[0].extra_clocks, 1);
    CHECK_EQ(xfer.extra_clocks, 1);
    for (int i = 0; i < 8; i++) {
        CHECK_EQ(in[i], 5 + i);
    }
    CHECK_EQ(in[8], 0xee);  // the room is in_bytes rounded up, and no more
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(xfer.status[i], 13 + i);
    }
    scrap();
}

TEST(a_write_with_its_status_word_has_the_time_of_its_bits) {
    _Alignas(4) static uint8_t frame[1536];
    struct cor_bus_xfer xfer = {
        .out = {{frame, 76}, {frame + 76, 1460}},
        .out_count = 2,
        .status_appended = true,
        .payload_bytes = 1460,
    };

    build(TWIN_ENGINE_QUEUED, DEPTH);
    bus->ops->set_clock_hz(bus, 37500000);
    run_us(1000);
    CHECK_EQ(bus->ops->start(bus, &xfer), COR_OK);
    run_us(1000);
    CHECK_EQ(bus->ops->poll(bus), COR_OK);
    CHECK_EQ(xfer.started_us, 1000);
    CHECK_EQ(xfer.completed_us, 1328);  // 12 320 bits and the sampling clock at 37.5 MHz
    CHECK_EQ(seen[0].in_bytes, 4);
    CHECK_EQ(xfer.status[0], 1);
    CHECK_EQ(xfer.status[3], 4);
    scrap();
}

TEST(a_slow_clock_samples_without_an_extra_clock) {
    _Alignas(4) uint8_t command[4] = {0};
    uint8_t in[4];
    struct cor_bus_xfer xfer = {.out = {{command, 4}}, .out_count = 1, .in = in, .in_bytes = 4};

    build(TWIN_ENGINE_QUEUED, DEPTH);
    CHECK_EQ(bus->ops->set_clock_hz(bus, 20000000), 18750000);
    CHECK_EQ(bus->ops->start(bus, &xfer), COR_OK);
    run_us(100);
    CHECK_EQ(bus->ops->poll(bus), COR_OK);
    CHECK_EQ(xfer.extra_clocks, 0);
    scrap();
}

TEST(the_queue_holds_its_depth_and_completes_in_order) {
    _Alignas(4) uint8_t words[8][4];
    struct cor_bus_xfer xfer[8];

    build(TWIN_ENGINE_QUEUED, DEPTH);
    CHECK_EQ(bus->queue_depth, DEPTH);
    bus->ops->set_clock_hz(bus, 37500000);
    for (int round = 0; round < 3; round++) {
        transfers = 0;
        for (int i = 0; i < 8; i++) {
            memset(words[i], 16 * round + i, 4);
            memset(&xfer[i], 0, sizeof(xfer[i]));
            xfer[i].out[0] = (struct cor_span){words[i], 4};
            xfer[i].out_count = 1;
            xfer[i].result = COR_E_STATE;
            CHECK_EQ(bus->ops->start(bus, &xfer[i]), i < DEPTH ? COR_OK : COR_AGAIN);
        }
        CHECK_EQ(bus->ops->set_clock_hz(bus, 25000000), COR_E_STATE);
        run_us(100);
        for (int i = 0; i < DEPTH; i++) {
            CHECK_EQ(bus->ops->poll(bus), COR_OK);
            CHECK_EQ(xfer[i].result, COR_OK);
            CHECK_EQ(seen[i].out[0], 16 * round + i);
            if (i + 1 < DEPTH) {
                CHECK_EQ(xfer[i + 1].result, COR_E_STATE);
            }
        }
        CHECK_EQ(bus->ops->poll(bus), COR_AGAIN);
        CHECK_EQ(transfers, DEPTH);
    }
    scrap();
}

TEST(the_serial_engine_holds_one_transfer) {
    _Alignas(4) uint8_t word[4] = {0};
    struct cor_bus_xfer first = {.out = {{word, 4}}, .out_count = 1};
    struct cor_bus_xfer second = first;

    build(TWIN_ENGINE_SERIAL, DEPTH);
    CHECK_EQ(bus->queue_depth, 1);
    CHECK_EQ(bus->ops->start(bus, &first), COR_OK);
    CHECK_EQ(bus->ops->start(bus, &second), COR_AGAIN);
    run_us(100);
    CHECK_EQ(bus->ops->poll(bus), COR_OK);
    CHECK_EQ(bus->ops->start(bus, &second), COR_OK);
    scrap();
}

TEST(a_read_longer_than_any_frame_is_refused) {
    _Alignas(4) uint8_t word[4] = {0};
    static uint8_t in[4096];
    struct cor_bus_xfer xfer = {
        .out = {{word, 4}}, .out_count = 1, .in = in, .in_bytes = 2120, .status_appended = true};

    build(TWIN_ENGINE_QUEUED, DEPTH);
    CHECK_EQ(bus->ops->start(bus, &xfer), COR_E_ARG);
    xfer.in_bytes = 2048;
    xfer.skip_bytes = 64;
    CHECK_EQ(bus->ops->start(bus, &xfer), COR_OK);
    run_us(2000);
    CHECK_EQ(bus->ops->poll(bus), COR_OK);
    CHECK_EQ(in[0], 65);
    CHECK_EQ(bus->ops->set_clock_hz(bus, 0), COR_E_ARG);
    CHECK_EQ(bus->ops->set_clock_hz(bus, -5), COR_E_ARG);
    CHECK_EQ(bus->ops->set_clock_hz(bus, 10), COR_E_ARG);
    scrap();
}

TEST(power_and_line_are_those_of_the_chip) {
    build(TWIN_ENGINE_QUEUED, DEPTH);
    bus->ops->set_power(bus, true);
    CHECK(power);
    CHECK(!bus->ops->irq_pending(bus));
    line = true;
    CHECK(bus->ops->irq_pending(bus));
    bus->ops->set_power(bus, false);
    CHECK(!power);
    scrap();
}

TEST_MAIN(
    CASE(pieces_go_out_in_order_and_are_padded_with_the_bytes_behind_them),
    CASE(filler_data_and_status_are_told_apart),
    CASE(a_write_with_its_status_word_has_the_time_of_its_bits),
    CASE(a_slow_clock_samples_without_an_extra_clock),
    CASE(the_queue_holds_its_depth_and_completes_in_order),
    CASE(the_serial_engine_holds_one_transfer),
    CASE(a_read_longer_than_any_frame_is_refused),
    CASE(power_and_line_are_those_of_the_chip))
