// SPDX-License-Identifier: MIT
#include "budget/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_16BIT  65535.0
#define GAIN_MIN      0.01  // of a step
#define ACK_EVERY_MAX 8u    // UNSURE: beyond it a lost ACK hurts; Linux thins out to about that

// Makes the change and tells from and to. False: it does not apply here.
typedef bool (*change_fn)(struct budget *budget, struct budget_change *change);

static void tell(struct budget_change *change, const char *from, const char *to) {
    snprintf(change->from, sizeof(change->from), "%s", from);
    snprintf(change->to, sizeof(change->to), "%s", to);
}

#define TELL_NUMBERS(change, format, a, b)                                                         \
    do {                                                                                           \
        snprintf((change)->from, sizeof((change)->from), format, a);                               \
        snprintf((change)->to, sizeof((change)->to), format, b);                                   \
    } while (0)

static bool has_bus(const struct budget *budget) {
    return budget->wire.bus != BUDGET_BUS_NONE;
}

static bool aggregates(const struct budget *budget) {
    return budget->air.format >= AIRTIME_HT20;
}

// ---- bus

static bool bus_clock(struct budget *budget, struct budget_change *change) {
    double next = budget_bus_next_hz(budget->wire.bus, budget->wire.clock_hz);

    if (next == 0) {
        return false;
    }
    TELL_NUMBERS(change, "%g MHz", budget->wire.clock_hz / 1e6, next / 1e6);
    change->allowed = next <= budget_bus_max_hz(budget->wire.bus);
    if (!change->allowed) {
        change->remark = "out of specification";
    } else if (budget->wire.bus == BUDGET_BUS_GSPI && next >= 50e6) {
        change->remark = "edge of the specification; prove the sampling point";
    } else if (budget->wire.bus == BUDGET_BUS_SDIO) {
        change->remark = "watch for CRC errors";
    }
    budget->wire.clock_hz = next;
    return true;
}

static bool bus_width(struct budget *budget, struct budget_change *change) {
    unsigned lines = budget->wire.lines;

    if (budget->wire.bus == BUDGET_BUS_SDIO && lines == 1) {
        budget->wire.lines = 4;
    } else if (budget->wire.bus == BUDGET_BUS_SPI_HD && lines < 4) {
        budget->wire.lines = 2 * lines;
    } else {
        return false;
    }
    TELL_NUMBERS(change, "%u lines", lines, budget->wire.lines);
    return true;
}

static bool status_appended(struct budget *budget, struct budget_change *change) {
    if (budget->wire.bus != BUDGET_BUS_GSPI || budget->wire.status == BUDGET_STATUS_APPENDED) {
        return false;
    }
    tell(change, budget_status_name(budget->wire.status), "appended");
    budget->wire.status = BUDGET_STATUS_APPENDED;
    return true;
}

static bool sdio_aggregate(struct budget *budget, struct budget_change *change) {
    if (budget->wire.bus != BUDGET_BUS_SDIO || budget->wire.sdio_mode == BUDGET_SDIO_AGGREGATE) {
        return false;
    }
    tell(change, budget_sdio_mode_name(budget->wire.sdio_mode), "aggregate");
    change->remark = "ESP-Hosted 3.x on both sides, the co-processor first";
    budget->wire.sdio_mode = BUDGET_SDIO_AGGREGATE;
    return true;
}

static bool engine_queued(struct budget *budget, struct budget_change *change) {
    if (!has_bus(budget) || budget->engine == BUDGET_ENGINE_QUEUED) {
        return false;
    }
    tell(change, "serial", "queued");
    budget->engine = BUDGET_ENGINE_QUEUED;
    return true;
}

static bool free_channel(struct budget *budget, struct budget_change *change) {
    if (budget->rpc_rate <= 0 && budget->capture_rate <= 0) {
        return false;
    }
    TELL_NUMBERS(change, "%.0f a second", budget->rpc_rate + budget->capture_rate, 0.0);
    budget->rpc_rate = 0;
    budget->capture_rate = 0;
    return true;
}

// ---- air

static bool ampdu(struct budget *budget, struct budget_change *change) {
    uint32_t now = budget->ampdu;
    uint32_t most = budget->board->ampdu_max;

    if (!aggregates(budget) || now >= most) {
        return false;
    }
    budget->ampdu = 2 * now < most ? 2 * now : most;
    snprintf(change->from, sizeof(change->from), "%u", now);
    snprintf(change->to, sizeof(change->to), "%u frames", budget->ampdu);
    change->remark = "if so many frames wait in the radio";
    return true;
}

static bool ap_ampdu(struct budget *budget, struct budget_change *change) {
    if (budget->app != BUDGET_TCP || budget->ap_ampdu > 1 || !aggregates(budget)) {
        return false;
    }
    tell(change, "each alone", "together");
    change->remark = "a property of the access point";
    budget->ap_ampdu = budget->board->ap_ampdu;
    return true;
}

static bool ack_thinning(struct budget *budget, struct budget_change *change) {
    if (budget->app != BUDGET_TCP || budget->ack_every >= ACK_EVERY_MAX) {
        return false;
    }
    TELL_NUMBERS(change, "one for %u", budget->ack_every, 2 * budget->ack_every);
    change->remark = "a property of the receiver";
    budget->ack_every *= 2;
    return true;
}

static bool guard_interval(struct budget *budget, struct budget_change *change) {
    if (!aggregates(budget) || budget->air.gi == AIRTIME_GI_SHORT) {
        return false;
    }
    tell(change, "long", "short");
    budget->air.gi = AIRTIME_GI_SHORT;
    return true;
}

static bool next_mcs(struct budget *budget, struct budget_change *change) {
    unsigned most = airtime_mcs_max(budget->air.format);

    if (budget->air.format == AIRTIME_HE20) {
        most = budget->board->he_mcs_max;
    }
    if (budget->air.mcs >= most) {
        return false;
    }
    TELL_NUMBERS(change, "%u", budget->air.mcs, budget->air.mcs + 1);
    change->remark = "needs about 2 dB more of signal";
    budget->air.mcs++;
    return true;
}

static bool wider_channel(struct budget *budget, struct budget_change *change) {
    if (budget->air.format != AIRTIME_HT20 || !budget->board->has_ht40) {
        return false;
    }
    tell(change, "20 MHz", "40 MHz");
    change->remark = "on a crowded channel it loses; measure";
    budget->air.format = AIRTIME_HT40;
    return true;
}

static bool high_efficiency(struct budget *budget, struct budget_change *change) {
    if (budget->air.format != AIRTIME_HT20 || !budget->board->has_he) {
        return false;
    }
    tell(change, "802.11n", "802.11ax");
    change->remark = "needs an access point of 802.11ax";
    budget->air.format = AIRTIME_HE20;
    return true;
}

static bool newer_phy(struct budget *budget, struct budget_change *change) {
    if (aggregates(budget)) {
        return false;
    }
    tell(change, budget->air.format == AIRTIME_B ? "802.11b" : "802.11g", "HT20 MCS7");
    budget->air.format = AIRTIME_HT20;
    budget->air.mcs = 7;
    budget->air.gi = AIRTIME_GI_SHORT;
    budget->air.response_mbps = 24;
    return true;
}

static bool no_protection(struct budget *budget, struct budget_change *change) {
    if (budget->air.protection == AIRTIME_PROTECTION_NONE) {
        return false;
    }
    tell(change, "on", "off");
    change->remark = "keep 802.11b stations off the network";
    budget->air.protection = AIRTIME_PROTECTION_NONE;
    return true;
}

static bool faster_response(struct budget *budget, struct budget_change *change) {
    if (budget->air.format == AIRTIME_B || budget->air.response_mbps == 24) {
        return false;
    }
    TELL_NUMBERS(change, "%u Mbit/s", budget->air.response_mbps, 24u);
    change->remark = "basic rates of the access point";
    budget->air.response_mbps = 24;
    return true;
}

static bool free_air(struct budget *budget, struct budget_change *change) {
    if (budget->air.busy <= 0) {
        return false;
    }
    TELL_NUMBERS(change, "%.0f %% taken", 100 * budget->air.busy, 0.0);
    change->remark = "another channel, or another hour";
    budget->air.busy = 0;
    return true;
}

static bool no_loss(struct budget *budget, struct budget_change *change) {
    if (budget->air.loss <= 0) {
        return false;
    }
    TELL_NUMBERS(change, "%g %%", 100 * budget->air.loss, 0.0);
    change->remark = "antenna, distance, one MCS less";
    budget->air.loss = 0;
    return true;
}

// ---- connection

static bool power_save(struct budget *budget, struct budget_change *change) {
    if (budget->pm == BUDGET_PM_NONE) {
        return false;
    }
    tell(change, budget_pm_name(budget->pm), "none");
    budget->pm = BUDGET_PM_NONE;
    return true;
}

static double doubled(double bytes) {
    return bytes >= WINDOW_16BIT ? 2 * bytes : fmin(2 * bytes, WINDOW_16BIT);
}

// Raises whichever side is below twice the smaller one.
static bool window(struct budget *budget, struct budget_change *change) {
    double now = fmin(budget->send_buffer, budget->peer_window);
    double target = doubled(now);
    bool send = budget->send_buffer < target;
    bool peer = budget->peer_window < target;

    if (budget->app != BUDGET_TCP) {
        return false;
    }
    snprintf(change->from, sizeof(change->from), "%.0f B", now);
    snprintf(
        change->to,
        sizeof(change->to),
        "%.0f B%s",
        target,
        send && peer ? " on both sides"
        : send       ? " to send"
                     : " at the peer");
    budget->send_buffer = fmax(budget->send_buffer, target);
    budget->peer_window = fmax(budget->peer_window, target);
    if (target > WINDOW_16BIT) {
        change->remark = "beyond 65535: window scaling on both sides";
    }
    return true;
}

static bool window_full(struct budget *budget, struct budget_change *change) {
    double now = fmin(budget->send_buffer, budget->peer_window);

    if (budget->app != BUDGET_TCP || 2 * now >= WINDOW_16BIT) {
        return false;
    }
    TELL_NUMBERS(change, "%.0f B", now, WINDOW_16BIT);
    budget->send_buffer = fmax(budget->send_buffer, WINDOW_16BIT);
    budget->peer_window = fmax(budget->peer_window, WINDOW_16BIT);
    return true;
}

static bool round_trip(struct budget *budget, struct budget_change *change) {
    if (budget->app != BUDGET_TCP) {
        return false;
    }
    TELL_NUMBERS(change, "%g ms", budget->rtt_us / 1e3, budget->rtt_us / 2e3);
    change->remark = "path and queues";
    budget->rtt_us /= 2;
    return true;
}

// ---- processors and source

static bool cpu_cost(struct budget *budget, struct budget_change *change) {
    struct budget_result result;

    budget_evaluate(budget, budget->app, &result);
    budget->segment_us = result.stages[BUDGET_CPU].us / 2;
    TELL_NUMBERS(change, "%.1f us", 2 * budget->segment_us, budget->segment_us);
    change->remark = "fewer copies, or twice the clock";
    return true;
}

static bool own_stack(struct budget *budget, struct budget_change *change) {
    if (budget->stack == BUDGET_STACK_CORADIO || budget->stack == BUDGET_STACK_VENDOR) {
        return false;
    }
    tell(change, budget_stack_row(budget->stack)->name, "coradio");
    change->remark = "with its driver, queued bus, send ring";
    budget_set_stack(budget, BUDGET_STACK_CORADIO);
    budget->send_buffer = fmax(budget->send_buffer, WINDOW_16BIT + 1);
    return true;
}

static bool chip_time(struct budget *budget, struct budget_change *change) {
    if (budget->chip_frame_us <= 0) {
        return false;
    }
    TELL_NUMBERS(change, "%.1f us", budget->chip_frame_us, budget->chip_frame_us / 2);
    change->remark = "a leaner host side of the transport";
    budget->chip_frame_us /= 2;
    return true;
}

static bool source_rate(struct budget *budget, struct budget_change *change) {
    if (budget->source_bps <= 0) {
        return false;
    }
    TELL_NUMBERS(change, "%.1f Mbit/s", budget->source_bps / 1e6, budget->source_bps / 5e5);
    change->remark = "larger reads, contiguous files, 4-bit card bus";
    budget->source_bps *= 2;
    return true;
}

// A row that is nobody's to change alone is still told: it says whom to ask.
static const struct {
    const char *key;
    const char *what;
    change_fn make;
} rows[] = {
    {"bus_clock", "next bus clock", bus_clock},
    {"bus_width", "more data lines", bus_width},
    {"bus_status", "status word appended", status_appended},
    {"bus_aggregate", "several frames a transfer", sdio_aggregate},
    {"engine", "bus and processor overlap", engine_queued},
    {"channel", "no requests and captures", free_channel},
    {"ampdu", "larger A-MPDU", ampdu},
    {"ap_ampdu", "access point aggregates ACKs", ap_ampdu},
    {"ack_every", "fewer ACKs", ack_thinning},
    {"gi", "short guard interval", guard_interval},
    {"mcs", "next MCS", next_mcs},
    {"ht40", "wider channel", wider_channel},
    {"he", "802.11ax", high_efficiency},
    {"ht20", "802.11n", newer_phy},
    {"protection", "no protection frames", no_protection},
    {"response", "faster ACK rate", faster_response},
    {"air_busy", "an empty channel", free_air},
    {"loss", "no losses on the air", no_loss},
    {"pm", "power save off", power_save},
    {"window_full", "windows of 64 KiB", window_full},
    {"window", "windows doubled", window},
    {"rtt", "half the round trip", round_trip},
    {"cpu", "half the processor's time", cpu_cost},
    {"chip", "half the co-processor's time", chip_time},
    {"source", "source twice as fast", source_rate},
    {"stack", "another stack", own_stack},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool make(
    const struct budget *budget, size_t row, struct budget *changed, struct budget_change *change) {
    *changed = *budget;
    *change = (struct budget_change){
        .key = rows[row].key, .what = rows[row].what, .allowed = true, .order = row};
    if (!rows[row].make(changed, change)) {
        return false;
    }
    change->bps = budget_bps(changed);
    change->gain_bps = change->bps - budget_bps(budget);
    return true;
}

// Gains are compared as they are printed, in 10 kbit/s; equal ones go by the order of the table.
static int by_gain(const void *left, const void *right) {
    const struct budget_change *a = left;
    const struct budget_change *b = right;
    long gain_a = lround(a->gain_bps / 1e4);
    long gain_b = lround(b->gain_bps / 1e4);

    if (gain_a != gain_b) {
        return gain_a < gain_b ? 1 : -1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

size_t budget_changes(
    const struct budget *budget, struct budget_change changes[BUDGET_CHANGES_MAX]) {
    size_t count = 0;

    for (size_t row = 0; row < ROWS; row++) {
        struct budget changed;

        if (make(budget, row, &changed, &changes[count])) {
            count++;
        }
    }
    qsort(changes, count, sizeof(changes[0]), by_gain);
    return count;
}

// ---- steps

// What the owner of the board can turn; the rest depends on others, or is no setting at all.
static bool is_step(const struct budget_change *change) {
    static const char *const keys[] = {
        "bus_clock",
        "bus_width",
        "bus_status",
        "bus_aggregate",
        "engine",
        "channel",
        "ampdu",
        "ap_ampdu",
        "gi",
        "he",
        "ht20",
        "pm",
        "window",
        "window_full",
        "stack",
        "protection"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(change->key, keys[i]) == 0) {
            return change->allowed;
        }
    }
    return false;
}

static bool better(double bps, double best_bps) {
    return bps > best_bps * (1 + GAIN_MIN);
}

// The best single change from `from`; the step stays empty when none gains.
static void try_single(const struct budget *from, struct budget_step *step, struct budget *best) {
    for (size_t row = 0; row < ROWS; row++) {
        struct budget changed;
        struct budget_change change;

        if (make(from, row, &changed, &change) && is_step(&change) &&
            better(change.bps, step->bps)) {
            step->first = change;
            step->bps = change.bps;
            *best = changed;
        }
    }
}

static void try_pairs(const struct budget *from, struct budget_step *step, struct budget *best) {
    for (size_t row = 0; row < ROWS; row++) {
        struct budget half;
        struct budget_change first;

        if (!make(from, row, &half, &first) || !is_step(&first)) {
            continue;
        }
        for (size_t other = row + 1; other < ROWS; other++) {
            struct budget changed;
            struct budget_change second;

            if (make(&half, other, &changed, &second) && is_step(&second) &&
                better(second.bps, step->bps)) {
                step->first = first;
                step->second = second;
                step->bps = second.bps;
                *best = changed;
            }
        }
    }
}

size_t budget_ladder(const struct budget *budget, struct budget_step steps[BUDGET_STEPS_MAX]) {
    struct budget at = *budget;
    size_t count = 0;

    for (; count < BUDGET_STEPS_MAX; count++) {
        struct budget_step *step = &steps[count];
        struct budget best;

        *step = (struct budget_step){.bps = budget_bps(&at)};
        try_single(&at, step, &best);
        if (step->first.key == NULL) {
            try_pairs(&at, step, &best);
        }
        if (step->first.key == NULL) {
            break;
        }
        at = best;
        budget_evaluate(&at, at.app, &step->result);
    }
    return count;
}
