// SPDX-License-Identifier: MIT
// The power model. Three of the figures are the ones it is fitted to: these cases keep the fit and
// show no more than that.
#include "coradio_twin/power.h"
#include "test.h"

#include <stdlib.h>

#define SECOND_NS 1000000000u
#define CPU_HZ    150000000u

static double mw(const struct twin_power_activity *activity, uint32_t cpu_hz, uint32_t core_mv) {
    return (double)twin_power_nj_for(activity, cpu_hz, core_mv) * 1000.0 /
           (double)activity->elapsed_ns;
}

static struct twin_power_activity idle(void) {
    return (struct twin_power_activity){.elapsed_ns = SECOND_NS, .radio_on_ns = SECOND_NS};
}

// A second of frames without aggregation at MCS 7, short guard interval: PPDU 218 us, ACK 34 us;
// with TCP half as many ACK packets back (PPDU 54 us). Serial board: so much processor a frame.
static struct twin_power_activity upload(
    double goodput_bps, double payload_bytes, bool tcp, double cpu_us, double bus_bits) {
    struct twin_power_activity activity = idle();
    double frames = goodput_bps / (payload_bytes * 8);
    double acks = tcp ? frames / 2 : 0;

    activity.radio_tx_ns = (uint64_t)((frames * 218 + acks * 34) * 1000);
    activity.radio_rx_ns = (uint64_t)((frames * 34 + acks * 54) * 1000);
    activity.cpu_busy_ns = (uint64_t)(frames * cpu_us * 1000);
    activity.bus_bits = (uint64_t)(frames * bus_bits);
    return activity;
}

TEST(the_calibration_points_are_met) {
    struct twin_power_activity activity = idle();

    CHECK_BETWEEN(mw(&activity, CPU_HZ, 1100), 339.9, 340.1);
    activity = upload(19.5e6, 1460, true, 250, 12656);
    CHECK_BETWEEN(mw(&activity, CPU_HZ, 1100), 825 * 0.96, 825 * 1.04);
    activity = upload(24.3e6, 1472, false, 156, 12320);
    CHECK_BETWEEN(mw(&activity, CPU_HZ, 1100), 948 * 0.96, 948 * 1.04);
}

TEST(energy_a_bit_falls_with_the_rate) {
    // E/bit = 25 + 340/R of the fact sheet, for rates between and beyond the two points.
    for (double rate = 5; rate <= 30; rate += 5) {
        struct twin_power_activity activity = upload(rate * 1e6, 1472, false, 10, 12320);
        double nj_per_bit = mw(&activity, CPU_HZ, 1100) / rate;

        CHECK_BETWEEN(nj_per_bit, (25 + 340 / rate) * 0.94, (25 + 340 / rate) * 1.06);
    }
}

TEST(a_sleeping_radio_saves_what_it_does_not_listen) {
    struct twin_power_activity awake = idle();
    struct twin_power_activity asleep = idle();
    struct twin_power_activity off = idle();

    asleep.radio_sleep_ns = SECOND_NS;
    off.radio_on_ns = 0;
    // 34 mA at 3.3 V behind a regulator of 87 %
    CHECK_BETWEEN(mw(&awake, CPU_HZ, 0) - mw(&asleep, CPU_HZ, 0), 127, 131);
    CHECK(mw(&off, CPU_HZ, 0) < mw(&asleep, CPU_HZ, 0));
    // More told than the radio was on, as an interval's edges can cut it: never below zero.
    asleep.radio_tx_ns = SECOND_NS;
    CHECK_BETWEEN(mw(&asleep, CPU_HZ, 0), 1500, 1700);
}

TEST(the_processor_goes_with_clock_voltage_and_work) {
    struct twin_power_activity waiting = idle();
    struct twin_power_activity busy = idle();
    double step_mw;

    busy.cpu_busy_ns = SECOND_NS;
    step_mw = mw(&busy, CPU_HZ, 1100) - mw(&waiting, CPU_HZ, 1100);
    CHECK_BETWEEN(step_mw, 7.4, 7.6);
    CHECK_BETWEEN(
        mw(&busy, 2 * CPU_HZ, 1100) - mw(&waiting, 2 * CPU_HZ, 1100), 2 * step_mw, 2 * step_mw);
    CHECK_BETWEEN(mw(&busy, CPU_HZ, 2200) - mw(&waiting, CPU_HZ, 2200), 4 * step_mw, 4 * step_mw);
    CHECK_EQ(twin_power_core_mv(150000000), 1100);
    CHECK_EQ(twin_power_core_mv(150000001), 1150);
    CHECK_EQ(twin_power_core_mv(300000000), 1200);
    CHECK_EQ(twin_power_core_mv(375000000), 1300);
    // The other stack's points: 451 mW at 3.7 Mbit/s, 699 mW at 12.7 Mbit/s with 375 MHz.
    busy = upload(3.7e6, 1460, true, 0, 12800);
    busy.cpu_busy_ns = SECOND_NS;
    CHECK_BETWEEN(mw(&busy, CPU_HZ, 0), 451 * 0.95, 451 * 1.05);
    busy = upload(12.7e6, 1460, true, 0, 12800);
    busy.cpu_busy_ns = SECOND_NS;
    CHECK_BETWEEN(mw(&busy, 375000000, 0), 699 * 0.95, 699 * 1.05);
}

TEST(a_day_of_full_power_does_not_overflow) {
    struct twin_power_activity day = idle();

    day.elapsed_ns = 24 * 3600ull * SECOND_NS;
    day.radio_on_ns = day.elapsed_ns;
    day.radio_tx_ns = day.elapsed_ns;
    CHECK_BETWEEN(mw(&day, CPU_HZ, 0), 1600, 1640);
}

// ---- over a board

static void chip_transfer(void *context, const struct twin_gspi_xfer *wire) {
    (void)context;
    (void)wire;
}

TEST(the_trace_and_the_sum_agree) {
    struct twin_sim *sim = twin_sim_new(1, 0);
    struct twin_board *board = twin_board_new(&(struct twin_board_config){
        .sim = sim, .chip = {.transfer = chip_transfer}, .cpu_hz = CPU_HZ, .queue_depth = 2});
    char *text = NULL;
    size_t size_bytes = 0;
    FILE *file = open_memstream(&text, &size_bytes);
    struct twin_power *power;
    double sum_j = 0;
    double before_s = 0.5;
    int lines = 0;
    uint64_t energy_nj;

    twin_run_until(sim, SECOND_NS / 2);  // bring-up is not in it
    power = twin_power_new(&(struct twin_power_config){
        .sim = sim, .board = board, .cpu_hz = CPU_HZ, .trace = file, .interval_ns = 10000000});
    twin_run_until(sim, SECOND_NS / 2 + 43000000);
    twin_board_power(board, true);
    twin_board_spend_ns(board, 20000000);
    twin_run_until(sim, SECOND_NS / 2 + 95000000);
    energy_nj = twin_power_energy_nj(power);
    twin_power_free(power);
    twin_board_free(board);
    twin_sim_free(sim);
    fclose(file);

    CHECK(strncmp(text, "time_s,voltage_v,current_a,power_w\n", 35) == 0);
    for (const char *line = strchr(text, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        double time_s, volt, amp, watt;

        CHECK_EQ(sscanf(line, "%lf,%lf,%lf,%lf", &time_s, &volt, &amp, &watt), 4);
        CHECK_BETWEEN(volt * amp, watt - 1e-5, watt + 1e-5);
        sum_j += watt * (time_s - before_s);
        before_s = time_s;
        lines++;
    }
    CHECK_EQ(lines, 10);  // nine whole ones and the rest
    CHECK_BETWEEN(before_s, 0.595 - 1e-9, 0.595 + 1e-9);
    CHECK_BETWEEN(sum_j * 1e9, (double)energy_nj * 0.9999, (double)energy_nj * 1.0001);
    CHECK_BETWEEN(energy_nj, 0.095 * 203e6 + 0.052 * 137e6, 0.095 * 204e6 + 0.054 * 140e6);
    free(text);
}

TEST(without_a_trace_there_is_no_event) {
    struct twin_sim *sim = twin_sim_new(1, 0);
    struct twin_power *power =
        twin_power_new(&(struct twin_power_config){.sim = sim, .cpu_hz = CPU_HZ});

    CHECK(twin_next_ns(sim) == TWIN_NEVER);
    CHECK_EQ(twin_power_energy_nj(power), 0);
    twin_run_until(sim, SECOND_NS);
    CHECK_BETWEEN(twin_power_energy_nj(power), 202.9e6, 203.1e6);
    twin_power_free(power);
    twin_sim_free(sim);
}

TEST_MAIN(
    CASE(the_calibration_points_are_met),
    CASE(energy_a_bit_falls_with_the_rate),
    CASE(a_sleeping_radio_saves_what_it_does_not_listen),
    CASE(the_processor_goes_with_clock_voltage_and_work),
    CASE(a_day_of_full_power_does_not_overflow),
    CASE(the_trace_and_the_sum_agree),
    CASE(without_a_trace_there_is_no_event))
