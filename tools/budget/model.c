// SPDX-License-Identifier: MIT
#include "budget/model.h"

#include "budget/overhead.h"

#include <stddef.h>
#include <string.h>

#define ETHERNET_BYTES  14u
#define IP_BYTES        20u
#define TCP_BYTES       20u
#define TIMESTAMP_BYTES 12u
#define UDP_BYTES       8u
#define MTU_BYTES       1500u

// Specified: a beacon interval of 100 TU of 1024 us, hostapd's default.
#define BEACON_US 102400.0
// Read from public code: cyw43-driver, CYW43_PERFORMANCE_PM returns to sleep after 200 ms.
#define SLEEP_AFTER_US 200000.0
// UNSURE: a frame that only carries credit for as many datagrams as the credit window holds.
#define CREDIT_EVERY 8u
#define WINDOW_16BIT 65535.0
// How near to a bound a measured rate is full, or too good.
#define FULL  0.95
#define ABOVE 1.02

static uint32_t tcp_payload(const struct budget *budget) {
    return budget->mss - (budget->timestamps ? TIMESTAMP_BYTES : 0);
}

static uint32_t tcp_header(const struct budget *budget) {
    return TCP_BYTES + (budget->timestamps ? TIMESTAMP_BYTES : 0);
}

void budget_set_stack(struct budget *budget, enum budget_stack stack) {
    const struct budget_stack_row *row = budget_stack_row(stack);

    budget->stack = stack;
    budget->engine = row->engine;
    if (budget->board->family == BUDGET_FAMILY_PICO) {
        budget->wire.status = row->status;
        budget->send_buffer = row->pico_send_buffer;
    }
    // The published sequences of the other two were counted without such frames.
    budget->credit_every = row->status == BUDGET_STATUS_APPENDED ? CREDIT_EVERY : 0;
}

void budget_set_transport(struct budget *budget, const struct budget_transport *transport) {
    budget->wire = transport->wire;
    budget->chip_frame_us = transport->frame_us;
    budget->chip_source = transport->frame_source;
}

void budget_init(struct budget *budget, const struct budget_board *board) {
    *budget = (struct budget){
        .board = board,
        .wire = board->wire,
        .air =
            {
                .format = board->format,
                .mcs = 7,
                .gi = AIRTIME_GI_SHORT,
                .ccmp = true,
                .response_mbps = 24,
            },
        .ampdu = board->ampdu,
        .ap_ampdu = board->ap_ampdu,
        .mss = board->mss,
        .datagram_bytes = 1472,
        .ack_every = 2,
        .send_buffer = board->send_buffer,
        .peer_window = WINDOW_16BIT,
        .rtt_us = board->rtt_us,
        .wake_beacons = 1,
        .sleep_after_us = SLEEP_AFTER_US,
        .cpu_mhz = board->cpu_mhz,
        .chip_frame_us = board->chip_frame_us,
        .chip_source = board->chip_source,
        .capture_bytes = 300,
    };
    budget_set_stack(budget, board->stack);
}

static const char *check_phy(const struct budget *budget) {
    const struct budget_board *board = budget->board;

    if (budget->air.format == AIRTIME_HT40 && !board->has_ht40) {
        return "the CYW43439 has no channels of 40 MHz; use --phy ht20";
    }
    if (budget->air.format == AIRTIME_HE20 && !board->has_he) {
        return "this chip has no 802.11ax (HE); use --phy ht20";
    }
    if (budget->air.format == AIRTIME_HE20 && budget->air.mcs > board->he_mcs_max) {
        return "this chip ends at HE MCS9 (114.7 Mbit/s); use --mcs 9 or less";
    }
    return airtime_check(&budget->air);
}

const char *budget_check(const struct budget *budget) {
    const struct budget_board *board = budget->board;
    enum budget_bus bus = budget->wire.bus;

    if (!budget_board_has_stack(board, budget->stack)) {
        return board->family == BUDGET_FAMILY_PICO
                   ? "the stacks of this board are coradio, lwip and embassy"
               : board->family == BUDGET_FAMILY_HOSTED
                   ? "the stacks of this board are coradio and lwip"
                   : "this chip has its vendor's stack only";
    }
    if ((bus == BUDGET_BUS_GSPI) != (board->family == BUDGET_FAMILY_PICO) ||
        (bus == BUDGET_BUS_NONE) != (board->family == BUDGET_FAMILY_ESP)) {
        return "this board does not have that bus; --boards tells which it has";
    }
    if (bus == BUDGET_BUS_SDIO && budget->wire.lines == 2) {
        return "SDIO has 1 or 4 data lines";
    }
    if ((bus == BUDGET_BUS_GSPI || bus == BUDGET_BUS_SPI_FD || bus == BUDGET_BUS_UART) &&
        budget->wire.lines != 1) {
        return "this bus has one data line a direction; leave --bus-width out";
    }
    if (budget->mss + IP_BYTES + TCP_BYTES > MTU_BYTES ||
        budget->datagram_bytes + IP_BYTES + UDP_BYTES > MTU_BYTES) {
        return "a packet of 1500 bytes carries 1460 bytes of TCP or 1472 of UDP at most";
    }
    return check_phy(budget);
}

// ---- the stages

static void set_us(struct budget_limit *limit, double us, double payload_bytes) {
    limit->us = us;
    limit->bps = us > 0 ? 8e6 * payload_bytes / us : 0;
}

static void evaluate_source(const struct budget *budget, struct budget_result *result) {
    struct budget_limit *limit = &result->stages[BUDGET_SOURCE];

    limit->terms.unit = "us";
    if (budget->source_bps > 0) {
        double us = 8e6 * result->payload_bytes / budget->source_bps;

        budget_terms_add(&limit->terms, "reading one segment", us, us, "as given by --source-rate");
        set_us(limit, us, result->payload_bytes);
    }
}

// The round trip as power save makes it: ACKs reach a sleeping radio at its wake-ups only.
static double round_trip_us(const struct budget *budget) {
    double wake_us = budget->wake_beacons * BEACON_US;
    bool sleeps = budget->pm == BUDGET_PM_AGGRESSIVE ||
                  (budget->pm == BUDGET_PM_PERFORMANCE && budget->sleep_after_us < budget->rtt_us);

    return sleeps && wake_us > budget->rtt_us ? wake_us : budget->rtt_us;
}

static void evaluate_window(const struct budget *budget, struct budget_result *result) {
    struct budget_limit *limit = &result->stages[BUDGET_WINDOW];
    bool sender = budget->send_buffer <= budget->peer_window;
    double bytes = sender ? budget->send_buffer : budget->peer_window;
    double rtt_us = round_trip_us(budget);

    limit->terms.unit = "us";
    if (rtt_us <= 0 || bytes <= 0) {
        return;
    }
    double us = rtt_us * result->payload_bytes / bytes;
    budget_terms_add(
        &limit->terms,
        sender ? "round trip shared by the send buffer" : "round trip shared by the peer's window",
        us,
        us,
        "specified: RFC 9293, at most one window for each round trip");
    set_us(limit, us, result->payload_bytes);
}

static void evaluate_cpu(
    const struct budget *budget, enum budget_app app, struct budget_result *result) {
    struct budget_limit *limit = &result->stages[BUDGET_CPU];
    const struct budget_stack_row *row = budget_stack_row(budget->stack);
    const struct budget_board *board = budget->board;
    bool tcp = app == BUDGET_TCP;
    const char *source = tcp ? row->tcp_source : row->udp_source;
    double cycles = (tcp ? row->tcp_amount : row->udp_amount) *
                    (row->in_cycles ? 1.0 : board->cycles_per_instruction);

    limit->terms.unit = "cycle";
    if (budget->segment_us > 0) {
        cycles = budget->segment_us * budget->cpu_mhz;
        source = "as given by --segment-us";
    } else if (budget->stack == BUDGET_STACK_VENDOR) {
        double bytes = tcp ? board->mss : 1472;

        cycles = 8 * bytes / board->vendor_mbps[tcp ? 0 : 1] * board->cpu_mhz;
    }
    budget_terms_add(&limit->terms, "stack and driver", cycles, cycles / budget->cpu_mhz, source);
    set_us(limit, limit->terms.us, result->payload_bytes);
}

static void evaluate_bus(
    const struct budget *budget, enum budget_app app, struct budget_result *result) {
    struct budget_limit *limit = &result->stages[BUDGET_BUS];
    struct budget_frames frames = {
        .payload_bytes = result->payload_bytes,
        .header_bytes = ETHERNET_BYTES + IP_BYTES + UDP_BYTES,
    };

    if (app == BUDGET_TCP) {
        frames.header_bytes = ETHERNET_BYTES + IP_BYTES + tcp_header(budget);
        frames.ack_every = budget->ack_every;
        frames.ack_header_bytes = frames.header_bytes;
        frames.ack_batch = result->air.acks;
    } else {
        frames.credit_every = budget->credit_every;
    }
    limit->terms = budget_bus_terms(&budget->wire, &frames);
    double share = budget_bus_share(budget);
    if (share > 0) {
        budget_terms_add(
            &limit->terms,
            "requests and captures",
            0,
            limit->terms.us * share / (1 - share),
            "computed: --rpc-rate and --capture-rate on the same channel, served first");
    }
    set_us(limit, limit->terms.us, result->payload_bytes);
}

static void evaluate_chip(const struct budget *budget, struct budget_result *result) {
    struct budget_limit *limit = &result->stages[BUDGET_COPROCESSOR];
    const char *source = budget->chip_source;
    double share = budget_chip_share(budget);

    limit->terms.unit = "us";
    budget_terms_add(
        &limit->terms, "each frame", budget->chip_frame_us, budget->chip_frame_us, source);
    if (share > 0) {
        double us = budget->chip_frame_us * share / (1 - share);

        budget_terms_add(
            &limit->terms, "captured frames", us, us, "measured, write-up: 85 us of the C6 each");
    }
    set_us(limit, limit->terms.us, result->payload_bytes);
}

static void air_terms(struct budget_terms *terms, const struct airtime_cost *cost) {
    const struct airtime_exchange *data = &cost->data;
    const struct {
        const char *name;
        uint64_t ns;
        const char *source;
    } rows[] = {
        {"AIFS", data->aifs_ns, "specified: 802.11; hostapd's EDCA defaults"},
        {"mean back-off", data->backoff_ns, "specified: half of the contention window"},
        {"protection", data->protection_ns, "specified: 802.11, as given by --protection"},
        {"preamble", data->preamble_ns, "specified: 802.11 clauses 17, 19, 27"},
        {"data", data->data_ns, "specified: 802.11, whole symbols; HE: UNSURE packet extension 8"},
        {"signal extension", data->extension_ns, "specified: 2.4 GHz"},
        {"SIFS", data->sifs_ns, "specified: 2.4 GHz"},
        {"ACK or BlockAck", data->response_ns, "UNSURE: its rate, by default 24 Mbit/s"},
        {"failed attempts", data->retry_ns, "computed: --loss, with growing back-off"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double us = (double)rows[i].ns / 1e3;

        budget_terms_add(terms, rows[i].name, us, us / cost->packets, rows[i].source);
    }
}

static void evaluate_air(
    const struct budget *budget, enum budget_app app, struct budget_result *result) {
    struct budget_limit *limit = &result->stages[BUDGET_AIR];
    struct airtime_load load = {
        .ip_bytes = result->payload_bytes + IP_BYTES + UDP_BYTES,
        .count = budget->ampdu,
        .ack_ip_bytes = IP_BYTES + tcp_header(budget),
        .ack_count = budget->ap_ampdu,
        .backoff_overlaps = budget->backoff_overlaps,
    };

    if (app == BUDGET_TCP) {
        load.ip_bytes = result->payload_bytes + IP_BYTES + tcp_header(budget);
        load.ack_every = budget->ack_every;
    }
    result->air = airtime_cost(&budget->air, &load);
    limit->terms.unit = "us a PPDU";
    air_terms(&limit->terms, &result->air);
    double acks_us = result->air.ack_ns / 1e3 / result->air.packets;
    budget_terms_add(
        &limit->terms,
        "TCP ACKs of the access point",
        result->air.ack_ns / 1e3,
        acks_us,
        "computed: exchanges with their own AIFS and back-off");
    double others_us = result->air.packet_ns / 1e3 * budget->air.busy;
    budget_terms_add(
        &limit->terms,
        "other stations",
        others_us * result->air.packets,
        others_us,
        "as given by --air-busy");
    set_us(limit, limit->terms.us, result->payload_bytes);
}

// ---- together

static bool in_path(const struct budget_result *result, enum budget_stage stage) {
    return stage == BUDGET_BUS || stage == BUDGET_COPROCESSOR ||
           (stage == BUDGET_CPU && result->cpu_in_path);
}

// The longest of what is side by side, leaving out one stage, or the path when that is its.
static double longest(
    const struct budget_result *result, int without, enum budget_stage *which, bool *path) {
    double us = 0;

    *path = false;
    *which = BUDGET_AIR;
    for (int i = 0; i < BUDGET_STAGES; i++) {
        if (i != without && !in_path(result, (enum budget_stage)i) && result->stages[i].us > us) {
            us = result->stages[i].us;
            *which = (enum budget_stage)i;
        }
    }
    if (without >= 0 && in_path(result, (enum budget_stage)without)) {
        return us;
    }
    if (result->path_us > us) {
        us = result->path_us;
        *path = true;
        *which = BUDGET_BUS;
        for (int i = BUDGET_CPU; i <= BUDGET_COPROCESSOR; i++) {
            if (in_path(result, (enum budget_stage)i) &&
                result->stages[i].us > result->stages[*which].us) {
                *which = (enum budget_stage)i;
            }
        }
    }
    return us;
}

static void combine(const struct budget *budget, struct budget_result *result) {
    double payload_bits = 8.0 * result->payload_bytes;
    bool path;

    result->cpu_in_path =
        budget->engine == BUDGET_ENGINE_SERIAL && result->stages[BUDGET_BUS].us > 0;
    for (int i = 0; i < BUDGET_STAGES; i++) {
        double us = result->stages[i].us;

        result->pipelined_us = us > result->pipelined_us ? us : result->pipelined_us;
        if (i != BUDGET_WINDOW) {
            result->serial_us += us;
        }
        if (in_path(result, (enum budget_stage)i)) {
            result->path_us += us;
        }
    }
    // A window is a bound on a round trip, not a place where time passes.
    if (result->stages[BUDGET_WINDOW].us > result->serial_us) {
        result->serial_us = result->stages[BUDGET_WINDOW].us;
    }
    result->us = longest(result, -1, &result->binds, &result->path_binds);
    double next_us = longest(result, (int)result->binds, &result->next, &path);
    result->next_bps = next_us > 0 ? payload_bits * 1e6 / next_us : 0;
    result->bps = payload_bits * 1e6 / result->us;
    result->pipelined_bps = payload_bits * 1e6 / result->pipelined_us;
    result->serial_bps = payload_bits * 1e6 / result->serial_us;
}

void budget_evaluate(
    const struct budget *budget, enum budget_app app, struct budget_result *result) {
    memset(result, 0, sizeof(*result));
    result->payload_bytes = app == BUDGET_TCP ? tcp_payload(budget) : budget->datagram_bytes;
    evaluate_source(budget, result);
    if (app == BUDGET_TCP) {
        evaluate_window(budget, result);
    }
    evaluate_cpu(budget, app, result);
    evaluate_air(budget, app, result);
    evaluate_bus(budget, app, result);
    evaluate_chip(budget, result);
    combine(budget, result);
}

double budget_bps(const struct budget *budget) {
    struct budget_result result;

    budget_evaluate(budget, budget->app, &result);
    return result.bps;
}

void budget_measure(
    const struct budget_result *result, double bps, struct budget_measured *measured) {
    double us = 8e6 * result->payload_bytes / bps;
    double room_us = result->serial_us - result->pipelined_us;
    double hidden_us = result->serial_us > us ? result->serial_us - us : 0;

    *measured = (struct budget_measured){.bps = bps, .us = us, .binds = result->binds};
    measured->overlap = room_us > 0 ? (result->serial_us - us) / room_us : 1.0;
    measured->outside_us = us > result->serial_us ? us - result->serial_us : 0;
    for (int i = 0; i < BUDGET_STAGES; i++) {
        double stage_us = result->stages[i].us;

        measured->busy[i] = stage_us / us;
        // All that overlaps may have done so with this stage; what is left did not.
        if (i != BUDGET_WINDOW && stage_us > hidden_us) {
            measured->alone_us[i] = stage_us - hidden_us;
        }
        if (measured->alone_us[i] > measured->alone_us[measured->binds]) {
            measured->binds = (enum budget_stage)i;
        }
    }
    if (bps > result->bps * ABOVE) {
        measured->verdict = BUDGET_ABOVE;
    } else if (bps >= result->bps * FULL) {
        measured->verdict = BUDGET_FULL;
        measured->binds = result->binds;
    } else if (measured->outside_us > 0) {
        measured->verdict = BUDGET_UNEXPLAINED;
    } else {
        measured->verdict = measured->overlap < 0.5 ? BUDGET_SERIALISED : BUDGET_PIPELINED;
    }
}

const char *budget_verdict_name(enum budget_verdict verdict) {
    static const char *const names[] = {"above", "full", "pipelined", "serialised", "unexplained"};

    return names[verdict];
}

// The rate grows with the size; between two whole sizes the time of a PPDU grows evenly.
double budget_mean_ampdu(const struct budget *budget, enum budget_app app, double bps) {
    struct budget at = *budget;
    struct budget_result low;
    struct budget_result high;

    at.ampdu = 1;
    budget_evaluate(&at, app, &low);
    if (bps <= low.stages[BUDGET_AIR].bps) {
        return 1.0;
    }
    for (at.ampdu = 2; at.ampdu <= 64; at.ampdu++) {
        budget_evaluate(&at, app, &high);
        if (bps <= high.stages[BUDGET_AIR].bps) {
            double packet_us = 8e6 * low.payload_bytes / bps;
            double low_us = low.stages[BUDGET_AIR].us * (at.ampdu - 1);
            double slope_us = high.stages[BUDGET_AIR].us * at.ampdu - low_us;

            // n packets take low_us + (n - k) slope_us, which is n packet_us.
            return (low_us - (at.ampdu - 1) * slope_us) / (packet_us - slope_us);
        }
        if (high.air.count < at.ampdu) {
            break;
        }
        low = high;
    }
    return low.air.count;
}

const char *budget_stage_name(enum budget_stage stage) {
    static const char *const names[] = {"source", "window", "cpu", "bus", "coprocessor", "air"};

    return names[stage];
}

const char *budget_app_name(enum budget_app app) {
    return app == BUDGET_TCP ? "tcp-tx" : "udp-tx";
}

const char *budget_pm_name(enum budget_pm pm) {
    static const char *const names[] = {"none", "performance", "aggressive"};

    return names[pm];
}
