// SPDX-License-Identifier: MIT
// The model is linear in the time spent in each state, so energy is one sum over counters, over any
// interval, and nothing has to run between two questions.
#include "coradio_twin/power.h"

#include "board/power_table.h"
#include "sim/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

#define NS_PER_S  1000000000u
#define UW_PER_W  1000000u
#define NS_PER_MS 1000000u

struct twin_power {
    struct twin_power_config config;
    struct twin_event trace_event;
    struct twin_power_activity start;
    struct twin_power_activity traced;  // up to the last line of the trace
};

// ---- the model

// 1 uW for 1 ms is 1 nJ.
static uint64_t nj(uint64_t uw, uint64_t ns) {
    return ns / NS_PER_MS * uw + ns % NS_PER_MS * uw / NS_PER_MS;
}

uint32_t twin_power_core_mv(uint32_t cpu_hz) {
#define X(hz, mv)                                                                                  \
    if (cpu_hz <= (hz)) {                                                                          \
        return (mv);                                                                               \
    }
    TWIN_POWER_VOLTAGES(X)
#undef X
    return TWIN_POWER_CPU_MV;
}

static uint64_t cpu_uw(uint32_t cpu_hz, uint32_t core_mv) {
    uint64_t at_clock_uw = (uint64_t)TWIN_POWER_CPU_UW * cpu_hz / TWIN_POWER_CPU_HZ;

    if (core_mv == 0) {
        core_mv = twin_power_core_mv(cpu_hz);
    }
    return at_clock_uw * core_mv / TWIN_POWER_CPU_MV * core_mv / TWIN_POWER_CPU_MV;
}

uint64_t twin_power_nj_for(
    const struct twin_power_activity *activity, uint32_t cpu_hz, uint32_t core_mv) {
    uint64_t busy_uw = cpu_uw(cpu_hz, core_mv);
    uint64_t wait_uw = busy_uw * TWIN_POWER_CPU_WAIT_PER_MILLE / 1000u;
    uint64_t told_ns = activity->radio_tx_ns + activity->radio_rx_ns + activity->radio_sleep_ns;
    uint64_t listen_ns = activity->radio_on_ns > told_ns ? activity->radio_on_ns - told_ns : 0;

    return nj(TWIN_POWER_REST_UW, activity->elapsed_ns) + nj(wait_uw, activity->elapsed_ns) +
           nj(busy_uw - wait_uw, activity->cpu_busy_ns) +
           nj(TWIN_POWER_RADIO_LISTEN_UW, listen_ns) +
           nj(TWIN_POWER_RADIO_TX_UW, activity->radio_tx_ns) +
           nj(TWIN_POWER_RADIO_RX_UW, activity->radio_rx_ns) +
           nj(TWIN_POWER_RADIO_SLEEP_UW, activity->radio_sleep_ns) +
           activity->bus_bits * TWIN_POWER_BUS_PJ_PER_BIT / 1000u;
}

// ---- what has been done

// Since the start of the sim.
static struct twin_power_activity activity_now(const struct twin_power *power) {
    struct twin_power_activity activity = {0};
    struct twin_board_counters board = {0};
    struct twin_air_counters air = {0};

    activity.elapsed_ns = twin_now_ns(power->config.sim);
    if (power->config.board != NULL) {
        twin_board_get_counters(power->config.board, &board);
    }
    if (power->config.air != NULL) {
        twin_air_get_counters(power->config.air, &air);
    }
    activity.radio_on_ns = board.radio_on_ns;
    activity.cpu_busy_ns = board.cpu_busy_ns;
    activity.bus_bits = board.clocked_bits;
    activity.radio_tx_ns = air.station_tx_ns;
    activity.radio_rx_ns = air.station_rx_ns;
    activity.radio_sleep_ns = air.station_sleep_ns;
    return activity;
}

static struct twin_power_activity difference(
    const struct twin_power_activity *after, const struct twin_power_activity *before) {
    return (struct twin_power_activity){
        .elapsed_ns = after->elapsed_ns - before->elapsed_ns,
        .radio_on_ns = after->radio_on_ns - before->radio_on_ns,
        .radio_tx_ns = after->radio_tx_ns - before->radio_tx_ns,
        .radio_rx_ns = after->radio_rx_ns - before->radio_rx_ns,
        .radio_sleep_ns = after->radio_sleep_ns - before->radio_sleep_ns,
        .cpu_busy_ns = after->cpu_busy_ns - before->cpu_busy_ns,
        .bus_bits = after->bus_bits - before->bus_bits,
    };
}

static uint64_t energy_nj(const struct twin_power *power, const struct twin_power_activity *since) {
    struct twin_power_activity now = activity_now(power);
    struct twin_power_activity delta = difference(&now, since);

    return twin_power_nj_for(&delta, power->config.cpu_hz, power->config.core_mv);
}

uint64_t twin_power_energy_nj(struct twin_power *power) {
    return energy_nj(power, &power->start);
}

// ---- trace

// One line: the mean since the line before, at the end of that time.
static void write_line(struct twin_power *power) {
    uint64_t now_ns = twin_now_ns(power->config.sim);
    uint64_t interval_ns = now_ns - power->traced.elapsed_ns;
    uint64_t uw;
    uint64_t ua;

    if (interval_ns == 0) {
        return;
    }
    uw = energy_nj(power, &power->traced) * NS_PER_MS / interval_ns;
    ua = uw * 1000u / TWIN_POWER_SUPPLY_MV;
    (void)fprintf(
        power->config.trace,
        "%" PRIu64 ".%09" PRIu64 ",%u.%03u,%" PRIu64 ".%06" PRIu64 ",%" PRIu64 ".%06" PRIu64 "\n",
        now_ns / NS_PER_S,
        now_ns % NS_PER_S,
        TWIN_POWER_SUPPLY_MV / 1000u,
        TWIN_POWER_SUPPLY_MV % 1000u,
        ua / UW_PER_W,
        ua % UW_PER_W,
        uw / UW_PER_W,
        uw % UW_PER_W);
    power->traced = activity_now(power);
}

static void run_trace(void *context) {
    struct twin_power *power = context;

    write_line(power);
    twin_after(power->config.sim, &power->trace_event, power->config.interval_ns);
}

// ---- life

struct twin_power *twin_power_new(const struct twin_power_config *config) {
    struct twin_power *power = twin_alloc(1, sizeof(*power));

    TWIN_CHECK(config->sim != NULL);
    power->config = *config;
    if (power->config.interval_ns == 0) {
        power->config.interval_ns = TWIN_POWER_INTERVAL_NS;
    }
    power->start = activity_now(power);
    power->traced = power->start;
    twin_event_init(&power->trace_event, run_trace, power);
    if (config->trace != NULL) {
        (void)fputs("time_s,voltage_v,current_a,power_w\n", config->trace);
        twin_after(config->sim, &power->trace_event, power->config.interval_ns);
    }
    return power;
}

void twin_power_free(struct twin_power *power) {
    if (power == NULL) {
        return;
    }
    if (power->config.trace != NULL) {
        write_line(power);
        twin_cancel(power->config.sim, &power->trace_event);
    }
    free(power);
}
