// SPDX-License-Identifier: MIT
// The board against a chip and a firmware of a few lines each.
#include "coradio_twin/board.h"
#include "test.h"

#include <stdlib.h>

#define XFERS 12

struct world {
    struct twin_sim *sim;
    struct twin_board *board;
    struct twin_board_config config;
    // The chip.
    bool line;
    bool power;
    int transfers;
    uint64_t transfer_ns[64];
    // The firmware.
    struct twin_work work;
    void (*on_poll)(void);
    uint64_t deadline_us;
    int polls;
    uint64_t poll_ns[64];
    uint64_t poll_us[64];
    int firsts;
    uint64_t first_ns;
};

static struct world w;
static struct twin_board_xfer xfers[XFERS];
static uint8_t out[2048];
static uint8_t in[2048];

static void chip_transfer(void *context, const struct twin_gspi_xfer *wire) {
    (void)context;
    w.transfer_ns[w.transfers++ % 64] = twin_now_ns(w.sim);
    if (wire->in_bytes > 0) {
        memset(wire->in, 0x5a, wire->in_bytes);
    }
}

static bool chip_irq(void *context) {
    (void)context;
    return w.line;
}

static void chip_power(void *context, bool on) {
    (void)context;
    w.power = on;
}

static uint64_t firmware_poll(void *context, uint64_t now_us) {
    (void)context;
    w.poll_ns[w.polls % 64] = twin_now_ns(w.sim);
    w.poll_us[w.polls % 64] = now_us;
    w.polls++;
    if (w.on_poll != NULL) {
        w.on_poll();
    }
    return w.deadline_us;
}

static void firmware_work(void *context, struct twin_work *work) {
    (void)context;
    *work = w.work;
}

static void first_payload(void *context) {
    (void)context;
    w.firsts++;
    w.first_ns = twin_now_ns(w.sim);
}

// segment_ns of 1 switches the cost table off where a test wants bare bus times.
static void build(enum twin_engine engine, uint64_t segment_ns) {
    struct twin_firmware firmware = {NULL, firmware_poll, firmware_work};

    memset(&w, 0, sizeof(w));
    memset(xfers, 0, sizeof(xfers));
    w.deadline_us = UINT64_MAX;
    w.sim = twin_sim_new(1, 0);
    w.config.sim = w.sim;
    w.config.chip.transfer = chip_transfer;
    w.config.chip.irq = chip_irq;
    w.config.chip.power = chip_power;
    w.config.engine = engine;
    w.config.cpu_hz = 150000000;
    w.config.core_mv = 1100;
    w.config.segment_ns = segment_ns;
    w.config.queue_depth = 8;
    w.board = twin_board_new(&w.config);
    twin_board_set_firmware(w.board, &firmware);
}

static void scrap(void) {
    twin_board_free(w.board);
    twin_sim_free(w.sim);
}

// A frame of 1514 bytes to the chip with its status word: 32 + 8 x 1532 + 32 = 12 320 clocks.
static bool start_frame(int i) {
    xfers[i].wire.out[0] = (struct twin_bytes){out, 76};
    xfers[i].wire.out[1] = (struct twin_bytes){out + 76, 1460};
    xfers[i].wire.out_count = 2;
    xfers[i].wire.in = in;
    xfers[i].wire.in_bytes = 4;
    xfers[i].payload_bytes = 1460;
    return twin_board_bus_start(w.board, &xfers[i]);
}

static struct twin_board_counters counters(void) {
    struct twin_board_counters now;

    twin_board_get_counters(w.board, &now);
    return now;
}

// ---- bus clock and bits

TEST(the_clock_is_the_nearest_that_is_not_faster) {
    build(TWIN_ENGINE_QUEUED, 0);
    CHECK_EQ(twin_board_bus_set_clock_hz(w.board, 37500000), 37500000);
    CHECK_EQ(twin_board_bus_set_clock_hz(w.board, 25000000), 25000000);
    CHECK_EQ(twin_board_bus_set_clock_hz(w.board, 50000000), 50000000);
    CHECK_EQ(twin_board_bus_set_clock_hz(w.board, 49999999), 37500000);
    CHECK_EQ(twin_board_bus_set_clock_hz(w.board, 36000000), 30000000);
    CHECK_EQ(twin_board_bus_set_clock_hz(w.board, 500000000), 75000000);
    CHECK_EQ(twin_board_bus_clock_hz(w.board), 75000000);
    CHECK_EQ(twin_board_bus_set_clock_hz(w.board, 0), 0);
    CHECK_EQ(twin_board_bus_set_clock_hz(w.board, 1000), 0);
    CHECK_EQ(twin_board_bus_clock_hz(w.board), 75000000);
    scrap();
    build(TWIN_ENGINE_QUEUED, 0);
    CHECK(start_frame(0));
    CHECK_EQ(twin_board_bus_set_clock_hz(w.board, 25000000), 0);  // in flight
    scrap();
}

TEST(a_queued_burst_takes_its_bits_and_the_gaps_and_nothing_else) {
    struct twin_board_counters now;
    const uint64_t frame_ns = 328533;  // 12 320 / 37.5 MHz = 328 533.3 ns
    const uint64_t gap_ns = 300;       // 45 cycles of 150 MHz

    build(TWIN_ENGINE_QUEUED, 1);
    twin_board_bus_set_clock_hz(w.board, 37500000);
    for (int i = 0; i < 8; i++) {
        CHECK(start_frame(i));
    }
    CHECK(!start_frame(8));
    twin_run_until(w.sim, 10000000);
    CHECK_EQ(w.transfers, 8);
    for (int i = 0; i < 8; i++) {
        uint64_t start_ns = (uint64_t)i * (frame_ns + gap_ns);

        CHECK_EQ(xfers[i].started_ns, start_ns);
        CHECK_EQ(xfers[i].completed_ns, start_ns + frame_ns);
        CHECK_EQ(w.transfer_ns[i], start_ns + frame_ns);
        CHECK(xfers[i].complete);
        CHECK(twin_board_bus_poll(w.board));
    }
    CHECK(!twin_board_bus_poll(w.board));
    now = counters();
    CHECK_EQ(now.transfers, 8);
    CHECK_EQ(now.clocked_bits, 8 * 12320);
    CHECK_EQ(now.bus_busy_ns, 8 * frame_ns);
    scrap();
}

TEST(out_and_in_are_each_rounded_up_to_words_and_extra_clocks_count) {
    build(TWIN_ENGINE_QUEUED, 1);
    twin_board_bus_set_clock_hz(w.board, 25000000);
    xfers[0].wire.out[0] = (struct twin_bytes){out, 5};
    xfers[0].wire.out_count = 1;
    xfers[0].wire.in = in;
    xfers[0].wire.in_bytes = 6;
    xfers[0].wire.extra_clocks = 1;
    CHECK(twin_board_bus_start(w.board, &xfers[0]));
    twin_run_until(w.sim, 1000000);
    CHECK_EQ(counters().clocked_bits, 64 + 64 + 1);
    CHECK_EQ(xfers[0].completed_ns - xfers[0].started_ns, 129 * 40);
    scrap();
}

TEST(a_transfer_that_waits_for_a_free_slot_completes_in_order) {
    build(TWIN_ENGINE_QUEUED, 1);
    twin_board_bus_set_clock_hz(w.board, 50000000);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 3; i++) {
            CHECK(start_frame(i));
        }
        CHECK(!twin_board_bus_poll(w.board));
        twin_run_until(w.sim, twin_now_ns(w.sim) + 2000000);
        for (int i = 0; i < 3; i++) {
            CHECK(twin_board_bus_poll(w.board));
        }
    }
    for (int i = 1; i < w.transfers; i++) {
        CHECK(w.transfer_ns[i] > w.transfer_ns[i - 1]);
    }
    CHECK_EQ(w.transfers, 15);
    scrap();
}

// ---- processor

static void start_two(void) {
    if (w.polls == 1) {
        w.work.segments++;
        start_frame(0);
        w.work.segments++;
        start_frame(1);
    }
}

TEST(a_transfer_reaches_the_bus_when_its_work_is_paid) {
    build(TWIN_ENGINE_QUEUED, 0);
    twin_board_bus_set_clock_hz(w.board, 37500000);
    w.on_poll = start_two;
    twin_board_start(w.board);
    twin_run_until(w.sim, 100000);
    // (poll 120 + segment 463 + set-up 100) x 1.25 cycles = 853.75 cycles of 6.667 ns
    CHECK_EQ(xfers[0].started_ns, 5691);
    CHECK_EQ(xfers[1].started_ns, xfers[0].completed_ns + 300);
    // The second one's work falls into the first one's bus time: (463 + 100) x 1.25 more cycles.
    CHECK_EQ(counters().cpu_busy_ns, 10383);
    scrap();
}

TEST(every_kind_of_work_has_its_price) {
    uint64_t before_ns;

    build(TWIN_ENGINE_QUEUED, 0);
    twin_board_start(w.board);
    twin_run_until(w.sim, 1000000);
    before_ns = counters().cpu_busy_ns;
    CHECK_EQ(before_ns, 1000);  // one empty poll: 120 x 1.25 / 150 MHz
    w.work.acks = 1000;
    twin_board_interrupt(w.board);
    twin_run_until(w.sim, 20000000);
    // 1000 ACKs of 557, an interrupt of 80 and a poll of 120
    CHECK_EQ(counters().cpu_busy_ns - before_ns, (557000 + 200) * 125 / 15);
    before_ns = counters().cpu_busy_ns;
    w.work.copied_bytes = 1460 * 100;
    w.work.summed_bytes = 1460 * 100;
    w.work.control_frames = 3;
    twin_board_interrupt(w.board);
    twin_run_until(w.sim, 40000000);
    CHECK_BETWEEN(
        counters().cpu_busy_ns - before_ns,
        (80008 + 62050 + 1800 + 200) * 125 / 15 - 8,
        (80008 + 62050 + 1800 + 200) * 125 / 15 + 8);
    scrap();
}

static void build_segments(void) {
    if (w.polls == 1) {
        CHECK_EQ(twin_board_clock_ns(w.board), 0);
        w.work.segments = 1;
        w.work.acks = 50;
        w.work.copied_bytes = 100000;
        CHECK_EQ(twin_board_clock_ns(w.board), 250000);
        w.work.segments = 2;
        start_frame(0);
        CHECK_EQ(twin_board_clock_ns(w.board), 500000);
    }
}

TEST(segment_ns_replaces_the_cost_table) {
    build(TWIN_ENGINE_QUEUED, 250000);
    twin_board_bus_set_clock_hz(w.board, 37500000);
    w.on_poll = build_segments;
    twin_board_start(w.board);
    twin_run_until(w.sim, 10000000);
    CHECK_EQ(xfers[0].started_ns, 500000);
    CHECK_EQ(xfers[0].completed_ns, 828533);
    CHECK_EQ(counters().cpu_busy_ns, 500000);
    CHECK_EQ(w.polls, 2);  // the second for the completion
    CHECK_EQ(w.poll_ns[1], 828533);
    scrap();
}

static void pump_serial(void) {
    while (twin_board_bus_poll(w.board)) {
    }
    if (w.polls <= 5) {
        w.work.segments++;
        CHECK(start_frame(0));
        CHECK(!start_frame(1));  // the serial engine holds one
    }
}

TEST(the_serial_engine_never_overlaps_bus_and_processor) {
    const uint64_t frame_ns = 328533;

    build(TWIN_ENGINE_SERIAL, 250000);
    CHECK_EQ(twin_board_queue_depth(w.board), 1);
    twin_board_bus_set_clock_hz(w.board, 37500000);
    w.on_poll = pump_serial;
    twin_board_start(w.board);
    twin_run_until(w.sim, 20000000);
    CHECK_EQ(w.transfers, 5);
    CHECK_EQ(w.polls, 6);
    for (uint64_t i = 0; i < 5; i++) {
        CHECK_EQ(w.transfer_ns[i], (i + 1) * (250000 + frame_ns));
        CHECK_EQ(w.poll_ns[i], i * (250000 + frame_ns));
    }
    // Busy all the time up to the last clock, waiting included.
    CHECK_EQ(counters().cpu_busy_ns, 5 * (250000 + frame_ns));
    CHECK_EQ(counters().cpu_wait_ns, 5 * frame_ns);
    CHECK_EQ(counters().bus_busy_ns, 5 * frame_ns);
    scrap();
}

static void work_after_start(void) {
    if (w.polls == 1) {
        start_frame(0);
        CHECK_EQ(twin_board_clock_ns(w.board), xfers[0].completed_ns);
        w.work.segments = 1;  // work behind a transfer is done when the transfer is over
        CHECK_EQ(twin_board_clock_ns(w.board), xfers[0].completed_ns + 250000);
        CHECK_EQ(twin_board_worked_ns(w.board), 250000);
    }
}

TEST(serial_work_behind_a_transfer_comes_after_it) {
    build(TWIN_ENGINE_SERIAL, 250000);
    w.on_poll = work_after_start;
    twin_board_start(w.board);
    twin_run_until(w.sim, 10000000);
    CHECK_EQ(w.transfer_ns[0], xfers[0].completed_ns);
    CHECK_EQ(w.polls, 2);
    CHECK_EQ(w.poll_ns[1], xfers[0].completed_ns + 250000);
    scrap();
}

// ---- polls

TEST(the_firmware_is_polled_at_its_deadline_and_never_without_a_reason) {
    build(TWIN_ENGINE_QUEUED, 1);
    w.deadline_us = 500;
    twin_board_start(w.board);
    twin_run_until(w.sim, 400000);
    CHECK_EQ(w.polls, 1);
    twin_run_until(w.sim, 500000);
    CHECK_EQ(w.polls, 2);
    CHECK_EQ(w.poll_ns[1], 500000);
    CHECK_EQ(w.poll_us[1], 500);
    w.deadline_us = UINT64_MAX;
    twin_run_until(w.sim, 501000);  // a deadline in the past: 1 us later
    CHECK_EQ(w.polls, 3);
    CHECK_EQ(w.poll_ns[2], 501000);
    twin_run_until(w.sim, 1000000000);
    CHECK_EQ(w.polls, 3);
    CHECK(twin_next_ns(w.sim) == TWIN_NEVER);
    scrap();
}

TEST(a_firmware_that_asks_for_the_past_is_polled_once_a_microsecond) {
    build(TWIN_ENGINE_QUEUED, 1);
    w.deadline_us = 0;
    twin_board_start(w.board);
    twin_run_until(w.sim, 20000);
    CHECK_EQ(w.polls, 21);
    scrap();
}

TEST(an_interrupt_brings_a_poll_after_its_own_cost) {
    build(TWIN_ENGINE_QUEUED, 0);
    twin_board_interrupt(w.board);  // not started: ignored
    twin_board_start(w.board);
    twin_run_until(w.sim, 1000000);
    CHECK_EQ(w.polls, 1);
    twin_board_interrupt(w.board);
    twin_board_interrupt(w.board);  // both pay, one poll serves both
    twin_run_until(w.sim, 2000000);
    CHECK_EQ(w.polls, 2);
    // 2 x 80 x 1.25 cycles; the second one's third of a nanosecond is carried on
    CHECK_EQ(w.poll_ns[1], 1000000 + 1333);
    CHECK_EQ(counters().interrupts, 2);
    scrap();
}

static void be_slow(void) {
    if (w.polls == 1) {
        twin_board_spend_ns(w.board, 70000);
    }
}

TEST(the_next_poll_waits_for_the_end_of_the_work) {
    build(TWIN_ENGINE_QUEUED, 1);
    w.on_poll = be_slow;
    w.deadline_us = 10;
    twin_board_start(w.board);
    twin_run_until(w.sim, 30000);
    twin_board_interrupt(w.board);
    w.deadline_us = UINT64_MAX;
    twin_run_until(w.sim, 69999);
    CHECK_EQ(w.polls, 1);
    twin_run_until(w.sim, 70000);
    CHECK_EQ(w.polls, 2);
    scrap();
}

TEST(a_completion_is_an_interrupt) {
    build(TWIN_ENGINE_QUEUED, 0);
    twin_board_bus_set_clock_hz(w.board, 37500000);
    w.on_poll = start_two;
    twin_board_start(w.board);
    twin_run_until(w.sim, 10000000);
    CHECK_EQ(w.polls, 3);
    CHECK_EQ(counters().interrupts, 2);
    // 80 x 1.25 cycles; the fractions of the charges before are carried on
    CHECK_BETWEEN(w.poll_ns[1] - xfers[0].completed_ns, 666, 667);
    CHECK_BETWEEN(w.poll_ns[2] - xfers[1].completed_ns, 666, 667);
    scrap();
}

// ---- the line that is shared with the data

TEST(the_line_interrupts_only_while_the_bus_is_idle) {
    build(TWIN_ENGINE_QUEUED, 1);
    twin_board_bus_set_clock_hz(w.board, 37500000);
    twin_board_start(w.board);
    twin_run_until(w.sim, 1000000);
    w.line = true;
    twin_board_line(w.board, true);
    twin_run_until(w.sim, 2000000);
    CHECK_EQ(w.polls, 2);
    CHECK(twin_board_bus_irq(w.board));
    w.line = false;
    twin_board_line(w.board, false);  // falling: nothing
    twin_run_until(w.sim, 3000000);
    CHECK_EQ(w.polls, 2);
    CHECK(!twin_board_bus_irq(w.board));

    CHECK(start_frame(0));
    w.line = true;
    twin_board_line(w.board, true);  // in the middle of a transfer: data
    CHECK(!twin_board_bus_irq(w.board));
    twin_run_until(w.sim, 3000000 + 328532);
    CHECK_EQ(w.polls, 2);
    twin_run_until(w.sim, 3000000 + 328533);  // the bus goes idle and the line is high
    CHECK_EQ(w.polls, 3);
    CHECK(twin_board_bus_irq(w.board));
    scrap();
}

TEST(power_is_handed_on_and_its_time_counted) {
    build(TWIN_ENGINE_QUEUED, 1);
    twin_run_until(w.sim, 1000);
    CHECK_EQ(counters().radio_on_ns, 0);
    twin_board_power(w.board, true);
    CHECK(w.power);
    twin_run_until(w.sim, 6000);
    CHECK_EQ(counters().radio_on_ns, 5000);
    twin_board_power(w.board, true);
    twin_run_until(w.sim, 8000);
    twin_board_power(w.board, false);
    CHECK(!w.power);
    twin_run_until(w.sim, 9000);
    CHECK_EQ(counters().radio_on_ns, 7000);
    scrap();
}

TEST(the_first_payload_is_told_once_at_its_first_clock) {
    build(TWIN_ENGINE_QUEUED, 1);
    twin_board_bus_set_clock_hz(w.board, 37500000);
    twin_board_on_first_payload(w.board, first_payload, NULL);
    xfers[9].wire.out[0] = (struct twin_bytes){out, 64};
    xfers[9].wire.out_count = 1;
    CHECK(twin_board_bus_start(w.board, &xfers[9]));  // control
    CHECK(start_frame(0));
    CHECK(start_frame(1));
    twin_run_until(w.sim, 10000000);
    while (twin_board_bus_poll(w.board)) {
    }
    CHECK(start_frame(2));
    twin_run_until(w.sim, 20000000);
    CHECK_EQ(w.firsts, 1);
    CHECK_EQ(w.first_ns, xfers[0].started_ns);
    scrap();
}

// ---- bus log

// Runs a firmware with some chance in it and gives the log it leaves.
static struct twin_rng rng;

static void play(void) {
    while (twin_board_bus_poll(w.board)) {
    }
    if (w.polls > 40) {
        w.deadline_us = UINT64_MAX;
        return;
    }
    for (uint32_t i = 0; i < 1 + twin_rng_below(&rng, 3); i++) {
        // w, incrementing, F2, address 0, 1532 bytes, in words of 32 bits
        static const uint8_t command[4] = {0xe0, 0x00, 0x05, 0xfc};

        memcpy(out, command, 4);
        w.work.segments += 1;
        w.work.acks += twin_rng_below(&rng, 2);
        start_frame((int)((uint32_t)w.polls * 3 + i) % XFERS);
    }
    w.deadline_us = twin_now_ns(w.sim) / 1000 + twin_rng_below(&rng, 700);
}

static char *logged_run(uint64_t seed) {
    char *text = NULL;
    size_t size_bytes = 0;
    struct twin_log log;

    build(TWIN_ENGINE_QUEUED, 0);
    twin_board_free(w.board);
    twin_sim_free(w.sim);
    w.sim = twin_sim_new(seed, 0);
    log.sim = w.sim;
    log.file = open_memstream(&text, &size_bytes);
    w.config.sim = w.sim;
    w.config.bus_log = &log;
    w.board = twin_board_new(&w.config);
    twin_board_set_firmware(w.board, &(struct twin_firmware){NULL, firmware_poll, firmware_work});
    twin_rng_init(&rng, w.sim, "firmware");
    w.on_poll = play;
    twin_board_start(w.board);
    twin_run_until(w.sim, 1000000000);
    fclose(log.file);
    scrap();
    return text;
}

TEST(the_same_seed_gives_the_same_bus_log) {
    char *first = logged_run(11);
    char *again = logged_run(11);
    char *other = logged_run(12);

    CHECK(strlen(first) > 1000);
    CHECK(strcmp(first, again) == 0);
    CHECK(strcmp(first, other) != 0);
    free(first);
    free(again);
    free(other);
}

TEST_MAIN(
    CASE(the_clock_is_the_nearest_that_is_not_faster),
    CASE(a_queued_burst_takes_its_bits_and_the_gaps_and_nothing_else),
    CASE(out_and_in_are_each_rounded_up_to_words_and_extra_clocks_count),
    CASE(a_transfer_that_waits_for_a_free_slot_completes_in_order),
    CASE(a_transfer_reaches_the_bus_when_its_work_is_paid),
    CASE(every_kind_of_work_has_its_price),
    CASE(segment_ns_replaces_the_cost_table),
    CASE(the_serial_engine_never_overlaps_bus_and_processor),
    CASE(serial_work_behind_a_transfer_comes_after_it),
    CASE(the_firmware_is_polled_at_its_deadline_and_never_without_a_reason),
    CASE(a_firmware_that_asks_for_the_past_is_polled_once_a_microsecond),
    CASE(an_interrupt_brings_a_poll_after_its_own_cost),
    CASE(the_next_poll_waits_for_the_end_of_the_work),
    CASE(a_completion_is_an_interrupt),
    CASE(the_line_interrupts_only_while_the_bus_is_idle),
    CASE(power_is_handed_on_and_its_time_counted),
    CASE(the_first_payload_is_told_once_at_its_first_clock),
    CASE(the_same_seed_gives_the_same_bus_log))
