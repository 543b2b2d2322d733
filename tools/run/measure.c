// SPDX-License-Identifier: MIT
// Measure: the result of a run, from the two snapshots at the ends of the measuring interval.
#include "bound.h"
#include "common/sha256.h"
#include "limit.h"
#include "rx.h"
#include "world_state.h"

#include <string.h>

#include "coradio/datagram.h"

// One counter of the two snapshots, as a difference.
#define SINCE(member) (world->last.member - world->first.member)

static double ratio(double part, double whole) {
    return whole > 0.0 ? part / whole : 0.0;
}

static uint64_t per_second(uint64_t bytes, uint64_t interval_ns) {
    return interval_ns == 0 ? 0 : (uint64_t)((double)bytes * 8e9 / (double)interval_ns);
}

// ---- bounds and limit

// IP and UDP headers in a datagram.
#define UDP_IP_BYTES 28u

// The chip aggregates up to the smaller of its two settings. 0: not read back.
static uint32_t ampdu_effective(const struct world *world) {
    const struct cor_cyw43_effective *chip = cor_cyw43_get_effective(&world->radio);
    uint32_t window = chip->ampdu_window;

    return window != 0 && window < chip->ampdu_mpdu ? window : chip->ampdu_mpdu;
}

uint32_t world_ampdu(const struct world *world) {
    uint32_t ampdu = ampdu_effective(world);
    uint64_t ppdus = SINCE(air.ppdus);

    if (ampdu == 0 && ppdus != 0) {
        ampdu = (uint32_t)((SINCE(air.mpdus) + ppdus - 1) / ppdus);
    }
    return ampdu != 0 ? ampdu : 1;
}

// What the air could carry at most, at the aggregates the chip and the access point send.
static uint64_t air_bound_bps(const struct world *world) {
    uint32_t ampdu = world_ampdu(world);
    uint32_t ip_bytes = world->app.config.payload_bytes + UDP_IP_BYTES;
    uint32_t fit;

    if (world->options->app != RUN_APP_UDP_TX) {
        return twin_air_tcp_bound_bps(world->air, ampdu, twin_ap_ampdu(world->ap) > 1);
    }
    fit = twin_air_fit(world->air, ip_bytes, ampdu);
    return per_second(
        (uint64_t)fit * world->app.config.payload_bytes,
        twin_air_exchange_ns(world->air, ip_bytes, fit));
}

static void fill_bounds(const struct world *world, struct result *result) {
    uint32_t bus_hz = twin_board_bus_clock_hz(world->board);
    uint32_t mss = cor_tcp_mss_bytes(&world->tcp);

    if (world->options->app == RUN_APP_UDP_TX) {
        result->bound_bus_bps = bound_udp_bps(
            bus_hz,
            world->app.config.payload_bytes,
            SINCE(radio.rx_credit_frames),
            SINCE(segments));
    } else {
        result->bound_bus_bps = bound_tcp_bps(bus_hz, mss == 0 ? 1460 : mss);
    }
    result->bound_air_bps = air_bound_bps(world);
    result->bound_bps = result->bound_bus_bps < result->bound_air_bps ? result->bound_bus_bps
                                                                      : result->bound_air_bps;
}

// How busy the air was, of its own bound: the time it would have needed for the MPDUs it sent,
// repeated ones included, had they gone in full aggregates, over the time there was. What it spent
// on short aggregates because the chip had no more frames is not the air's limit but the chip's.
// What other networks take is not there to be used.
static double air_busy(const struct world *world, const struct result *result) {
    double mpdu_payload_bytes = ratio(
        (double)result->payload_bytes, (double)(SINCE(chip.tx_acked) + SINCE(chip.tx_failed)));
    double needed_ns =
        (double)SINCE(air.mpdus) * ratio(mpdu_payload_bytes * 8e9, (double)result->bound_air_bps);
    // The bound is that of the highest rate; what went at lower ones needed more.
    double slower = ratio(
        (double)SINCE(air.mpdus) * twin_air_dbps(twin_air_mcs_highest(world->air)),
        (double)SINCE(air.mpdu_dbps));

    return ratio(
        needed_ns * slower + (double)SINCE(air.collision_ns) + (double)SINCE(air.neighbour_ns),
        (double)result->interval_ns);
}

static void fill_limit(const struct world *world, struct result *result) {
    struct limit_time time;

    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        time.us[i] = result->state_us[i];
    }
    time.air_permille = (uint32_t)(air_busy(world, result) * 1000.0 + 0.5);
    result->limit = limit_name(&time);
}

// ---- the parts

static void fill_bus(const struct world *world, struct result *result) {
    uint64_t bits = SINCE(begun.clocked_bits);

    for (int i = 0; i < COR_METER_PURPOSE_COUNT; i++) {
        result->bits[i] = SINCE(bus.bits[i]);
    }
    result->clocked_bits = bits;
    result->utilization = ratio((double)SINCE(begun.busy_ns), (double)result->interval_ns);
    result->bits_per_segment = ratio((double)bits, (double)SINCE(segments));
}

static void fill_air(const struct world *world, struct result *result) {
    result->mean_ampdu = ratio((double)SINCE(air.mpdus), (double)SINCE(air.ppdus));
    result->retries = SINCE(air.retries);
    result->busy = ratio((double)SINCE(air.neighbour_ns), (double)result->interval_ns);
    result->mcs = twin_air_mcs(world->air);
    result->share = ratio(
        (double)(SINCE(air.exchange_ns) + SINCE(air.collision_ns)), (double)result->interval_ns);
    if (result->share > 1.0) {
        result->share = 1.0;  // an exchange that began before the interval
    }
}

static void fill_power(const struct world *world, struct result *result) {
    double energy_nj = (double)SINCE(energy_nj);

    result->avg_mw = ratio(energy_nj, (double)result->interval_ns) * 1e3;
    result->nj_per_bit = ratio(energy_nj, (double)result->payload_bytes * 8);
}

static void fill_counts(const struct world *world, struct result *result) {
    result->counts = (struct result_counts){
        .segments = SINCE(segments),
        .retransmissions = SINCE(tcp.retransmit_fast) + SINCE(tcp.retransmit_partial) +
                           SINCE(tcp.retransmit_sack) + SINCE(tcp.retransmit_rto),
        .timeouts = SINCE(tcp.timeouts),
        .over_credit = SINCE(chip.over_credit),
        .credit_frames = SINCE(radio.rx_credit_frames),
        .deviations = SINCE(chip.deviations),
        .collisions = SINCE(air.collisions),
        .given_up = SINCE(air.given_up),
    };
}

// Datagrams are counted over the whole run: those under way at the end of the interval have
// arrived by now, or never will.
static void fill_loss(const struct world *world, struct result *result) {
    struct twin_cyw43_counters chip;
    struct result_loss *loss = &result->loss;
    uint64_t missing = world->app.sequence - world->peer_datagrams;
    uint64_t known;

    twin_cyw43_get_counters(world->chip, &chip);
    loss->host = cor_udp_get_counters(&world->udp)->drop_unreachable + world->tap.lost;
    loss->chip =
        chip.over_credit + chip.dropped_header + chip.dropped_oversize + chip.dropped_not_joined;
    loss->air = world->losses.air;
    loss->access_point = world->losses.access_point;
    loss->path = world->losses.path;
    known = loss->host + loss->chip + loss->air + loss->access_point + loss->path;
    if (world->peer != NULL && missing > known) {
        loss->peer = missing - known;
    }
}

static void fill_datagrams(const struct world *world, struct result *result) {
    uint64_t datagrams = world->last.udp.datagrams_sent;
    uint64_t markers = datagrams > world->app.sequence ? datagrams - world->app.sequence : 0;

    result->datagrams = true;
    result->sender_bps =
        per_second(SINCE(udp.bytes_sent) - markers * COR_DATAGRAM_BYTES, result->interval_ns);
    result->receiver_bps = result->goodput_bps;
    result->datagrams_sent = world->app.sequence;
    result->datagrams_received = world->peer_datagrams;
    fill_loss(world, result);
}

static void fill_latency(struct world *world, struct result *result) {
    struct latency *latency = &world->latency;

    result->latency_count = latency->count;
    result->latency_mean_us = latency_mean(latency);
    result->latency_p50_us = latency_quantile(latency, 0.50);
    result->latency_p99_us = latency_quantile(latency, 0.99);
    result->latency_lost = world->pings_lost;
}

uint64_t world_payload_since(const struct world *world, const struct snapshot *now) {
    const struct snapshot *first = &world->first;

    if (run_app_receives(world->options->app)) {
        return rx_payload_since(world, now);
    }
    if (world->peer != NULL) {
        return now->peer_bytes - first->peer_bytes;
    }
    return world->options->app == RUN_APP_TCP_TX ? now->tcp.bytes_acked - first->tcp.bytes_acked
                                                 : now->udp.bytes_sent - first->udp.bytes_sent;
}

void world_result(struct world *world, struct result *result) {
    memset(result, 0, sizeof(*result));
    result->app = run_app_name(world->options->app);
    result->complete = world->stage == WORLD_DONE && world->status == COR_OK && !world->stopped;
    result->virtual_s = (double)(twin_now_ns(world->sim) - world->options->start_ns) / 1e9;
    result->wall_s = (double)world->wall_ns / 1e9;
    result->bringup_s =
        world->joined_ns == 0 ? 0.0 : (double)(world->joined_ns - world->options->start_ns) / 1e9;
    result->limit = "none";
    if (world->first.at_ns == 0 || world->last.at_ns <= world->first.at_ns) {
        return;
    }
    result->interval_ns = world->last.at_ns - world->first.at_ns;
    result->payload_bytes = world_payload_since(world, &world->last);
    result->goodput_bps = per_second(result->payload_bytes, result->interval_ns);
    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        int64_t us = (int64_t)SINCE(state_us[i]);

        // A snapshot in the midst of a poll may have taken back a little too much.
        result->state_us[i] = us > 0 ? (uint64_t)us : 0;
    }
    fill_bus(world, result);
    fill_air(world, result);
    fill_power(world, result);
    fill_counts(world, result);
    fill_latency(world, result);
    if (run_app_receives(world->options->app)) {
        rx_fill_bounds(world, result);
        rx_fill_result(world, result);
        return;
    }
    fill_bounds(world, result);
    fill_limit(world, result);
    if (world->options->app == RUN_APP_UDP_TX) {
        fill_datagrams(world, result);
    }
    if (world->peer_digest != NULL) {
        sha256_text(world->peer_digest, result->peer_sha256);
    }
}

void world_outcome(const struct world *world, struct world_outcome *outcome) {
    outcome->stage = world->stage;
    outcome->status = world->status;
    outcome->stopped = world->stopped;
    outcome->damaged = world->damaged;
    outcome->cut_short = world->ping_cut_short;
    outcome->window_shut = world->tcp.snd_wnd == 0;
    outcome->sent_bytes = world->app.source_bytes;
    if (run_app_receives(world->options->app)) {
        outcome->sent_bytes = world->rx.source_bytes;
        outcome->peer_bytes = world->rx.received_bytes;
        return;
    }
    outcome->peer_bytes =
        world->peer != NULL ? world->peer_bytes : cor_tcp_get_counters(&world->tcp)->bytes_acked;
}

void world_effective(const struct world *world, struct report_effective *effective) {
    const struct cor_cyw43_effective *chip = cor_cyw43_get_effective(&world->radio);
    bool tcp = world->options->app == RUN_APP_TCP_TX || world->options->app == RUN_APP_TCP_BOTH;

    *effective = (struct report_effective){
        .bus_hz = twin_board_bus_clock_hz(world->board),
        .cpu_hz = (uint32_t)(world->options->cpu_mhz * 1e6 + 0.5),
        .pm_word = chip->pm_word,
        .listen = chip->listen_beacons,
        .ampdu = ampdu_effective(world),
        .ba_window = chip->ampdu_window,
        .peer_window = tcp ? world->tcp.snd_wnd_max : 0,
        .mss = tcp ? cor_tcp_mss_bytes(&world->tcp) : 0,
        .address = world->net.config.address,
    };
}
