// SPDX-License-Identifier: MIT
#include "budget/change.h"
#include "budget/report.h"
#include "common/json.h"

// A bound that does not exist is null, so that each key is always there.
static void add_bps(cJSON *to, const char *name, double bps) {
    if (bps > 0) {
        json_add_real(to, name, bps, 0);
    } else {
        json_add_null(to, name);
    }
}

static void json_bounds(
    cJSON *to,
    const struct budget *budget,
    const struct budget_result *tcp,
    const struct budget_result *udp) {
    json_add_real(to, "phy_bps", airtime_phy_bps(&budget->air), 0);
    add_bps(
        to,
        "bus_line_bps",
        budget->wire.bus == BUDGET_BUS_NONE ? 0 : budget_bus_line_bps(&budget->wire));
    add_bps(to, "bus_tcp_bps", tcp->stages[BUDGET_BUS].bps);
    add_bps(to, "bus_udp_bps", udp->stages[BUDGET_BUS].bps);
    add_bps(to, "air_tcp_bps", tcp->stages[BUDGET_AIR].bps);
    add_bps(to, "air_udp_bps", udp->stages[BUDGET_AIR].bps);
    add_bps(to, "cpu_tcp_bps", tcp->stages[BUDGET_CPU].bps);
    add_bps(to, "cpu_udp_bps", udp->stages[BUDGET_CPU].bps);
    add_bps(to, "coprocessor_tcp_bps", tcp->stages[BUDGET_COPROCESSOR].bps);
    add_bps(to, "coprocessor_udp_bps", udp->stages[BUDGET_COPROCESSOR].bps);
    add_bps(to, "window_bps", tcp->stages[BUDGET_WINDOW].bps);
    add_bps(to, "source_bps", budget->source_bps);
    add_bps(to, "pipelined_tcp_bps", tcp->pipelined_bps);
    add_bps(to, "pipelined_udp_bps", udp->pipelined_bps);
    add_bps(to, "serial_tcp_bps", tcp->serial_bps);
    add_bps(to, "serial_udp_bps", udp->serial_bps);
    add_bps(to, "tcp_bps", tcp->bps);
    add_bps(to, "udp_bps", udp->bps);
}

static void json_terms(cJSON *to, const struct budget_terms *terms) {
    for (size_t i = 0; i < terms->count; i++) {
        cJSON *row = json_append_object(to);

        json_add_text(row, "name", terms->rows[i].name);
        json_add_real(row, "amount", terms->rows[i].amount, 3);
        json_add_real(row, "us", terms->rows[i].us, 4);
        json_add_text(row, "source", terms->rows[i].source);
    }
}

static void json_stages(cJSON *to, const struct budget_result *result) {
    for (int i = 0; i < BUDGET_STAGES; i++) {
        const struct budget_limit *limit = &result->stages[i];
        cJSON *stage;

        if (limit->us <= 0) {
            json_add_null(to, budget_stage_name((enum budget_stage)i));
            continue;
        }
        stage = json_add_object(to, budget_stage_name((enum budget_stage)i));
        json_add_real(stage, "us", limit->us, 4);
        json_add_real(stage, "bps", limit->bps, 0);
        json_add_text(stage, "unit", limit->terms.unit);
        json_add_real(stage, "amount", limit->terms.amount, 3);
        json_terms(json_add_array(stage, "terms"), &limit->terms);
    }
}

static void json_air_exchange(cJSON *to, const struct budget_result *result) {
    const struct airtime_exchange *data = &result->air.data;

    json_add_u64(to, "frames", result->air.count);
    json_add_real(to, "packets", result->air.packets, 4);
    json_add_u64(to, "acks", result->air.acks);
    json_add_real(to, "ack_exchanges", result->air.ack_exchanges, 4);
    json_add_real(to, "ack_us", result->air.ack_ns / 1e3, 4);
    json_add_real(to, "aifs_us", (double)data->aifs_ns / 1e3, 4);
    json_add_real(to, "backoff_us", (double)data->backoff_ns / 1e3, 4);
    json_add_real(to, "protection_us", (double)data->protection_ns / 1e3, 4);
    json_add_real(to, "preamble_us", (double)data->preamble_ns / 1e3, 4);
    json_add_real(to, "data_us", (double)data->data_ns / 1e3, 4);
    json_add_real(to, "extension_us", (double)data->extension_ns / 1e3, 4);
    json_add_real(to, "sifs_us", (double)data->sifs_ns / 1e3, 4);
    json_add_real(to, "response_us", (double)data->response_ns / 1e3, 4);
    json_add_real(to, "retry_us", (double)data->retry_ns / 1e3, 4);
    json_add_real(to, "total_us", (double)data->total_ns / 1e3, 4);
}

static void json_conditions(cJSON *to, const struct budget *budget) {
    char text[BUDGET_BUS_TEXT_SIZE];
    char phy[AIRTIME_TEXT_SIZE];

    json_add_text(to, "stack", budget_stack_row(budget->stack)->name);
    json_add_text(to, "engine", budget->engine == BUDGET_ENGINE_SERIAL ? "serial" : "queued");
    json_add_real(to, "cpu_mhz", budget->cpu_mhz, 6);
    json_add_real(to, "segment_us", budget->segment_us, 6);
    json_add_real(to, "chip_frame_us", budget->chip_frame_us, 6);
    json_add_text(
        to,
        "bus",
        budget->wire.bus == BUDGET_BUS_NONE ? "none" : budget_bus_text(text, &budget->wire));
    json_add_real(to, "bus_mhz", budget->wire.clock_hz / 1e6, 6);
    json_add_u64(to, "bus_width", budget->wire.lines);
    json_add_text(to, "status", budget_status_name(budget->wire.status));
    json_add_text(to, "sdio_mode", budget_sdio_mode_name(budget->wire.sdio_mode));
    json_add_u64(to, "credit_every", budget->credit_every);
    json_add_text(to, "phy", airtime_text(phy, &budget->air));
    json_add_u64(to, "mcs", budget->air.mcs);
    json_add_text(to, "gi", budget->air.gi == AIRTIME_GI_SHORT ? "short" : "long");
    json_add_text(to, "auth", budget->air.ccmp ? "wpa2" : "open");
    json_add_u64(to, "ampdu", budget->ampdu);
    json_add_u64(to, "ap_ampdu", budget->ap_ampdu);
    json_add_u64(to, "response_mbps", budget->air.response_mbps);
    json_add_real(to, "loss", budget->air.loss, 6);
    json_add_real(to, "air_busy", budget->air.busy, 6);
    json_add_u64(to, "mss", budget->mss);
    json_add_u64(to, "payload_bytes", budget->datagram_bytes);
    json_add_u64(to, "ack_every", budget->ack_every);
    json_add_real(to, "send_buffer", budget->send_buffer, 0);
    json_add_real(to, "peer_window", budget->peer_window, 0);
    json_add_real(to, "rtt_us", budget->rtt_us, 3);
    json_add_text(to, "pm", budget_pm_name(budget->pm));
    json_add_u64(to, "wake_beacons", budget->wake_beacons);
    json_add_real(to, "rpc_rate", budget->rpc_rate, 3);
    json_add_real(to, "capture_rate", budget->capture_rate, 3);
    json_add_u64(to, "capture_bytes", budget->capture_bytes);
}

static void json_measured(
    cJSON *root, const struct budget *budget, const struct budget_result *result, double bps) {
    struct budget_measured measured;
    cJSON *to = json_add_object(root, "measured");
    cJSON *busy;

    budget_measure(result, bps, &measured);
    json_add_real(to, "goodput_bps", bps, 0);
    json_add_real(to, "us", measured.us, 4);
    json_add_real(to, "overlap", measured.overlap, 4);
    json_add_text(to, "verdict", budget_verdict_name(measured.verdict));
    json_add_text(to, "limit", budget_stage_name(measured.binds));
    json_add_real(to, "alone_us", measured.alone_us[measured.binds], 4);
    json_add_real(to, "outside_us", measured.outside_us, 4);
    json_add_real(to, "mean_ampdu", budget_mean_ampdu(budget, budget->app, bps), 3);
    busy = json_add_object(to, "busy");
    for (int i = 0; i < BUDGET_STAGES; i++) {
        json_add_real(busy, budget_stage_name((enum budget_stage)i), measured.busy[i], 4);
    }
}

static void json_change(cJSON *to, const struct budget_change *change) {
    json_add_text(to, "change", change->key);
    json_add_text(to, "what", change->what);
    json_add_text(to, "from", change->from);
    json_add_text(to, "to", change->to);
    json_add_text(to, "remark", change->remark);
    json_add_bool(to, "in_specification", change->allowed);
    json_add_real(to, "goodput_bps", change->bps, 0);
    json_add_real(to, "gain_bps", change->gain_bps, 0);
}

static void json_changes(cJSON *root, const struct budget *budget) {
    struct budget_change changes[BUDGET_CHANGES_MAX];
    struct budget_step steps[BUDGET_STEPS_MAX];
    cJSON *array = json_add_array(root, "changes");
    size_t count = budget_changes(budget, changes);

    for (size_t i = 0; i < count; i++) {
        json_change(json_append_object(array), &changes[i]);
    }
    array = json_add_array(root, "steps");
    count = budget_ladder(budget, steps);
    for (size_t i = 0; i < count; i++) {
        cJSON *step = json_append_object(array);
        cJSON *made = json_add_array(step, "changes");

        json_change(json_append_object(made), &steps[i].first);
        if (steps[i].second.key != NULL) {
            json_change(json_append_object(made), &steps[i].second);
        }
        json_add_real(step, "goodput_bps", steps[i].bps, 0);
        json_add_text(step, "limit", budget_stage_name(steps[i].result.binds));
    }
}

static void json_budget(
    cJSON *root, const struct budget *budget, const struct budget_arguments *arguments) {
    struct budget_result results[2];
    const struct budget_result *result = &results[budget->app];
    cJSON *part;

    budget_evaluate(budget, BUDGET_TCP, &results[BUDGET_TCP]);
    budget_evaluate(budget, BUDGET_UDP, &results[BUDGET_UDP]);
    part = json_add_object(root, "result");
    json_add_real(part, "bound_bps", result->bps, 0);
    json_add_text(part, "limit", budget_stage_name(result->binds));
    json_add_bool(
        part,
        "limit_in_series",
        result->path_binds && result->path_us > result->stages[result->binds].us);
    json_add_text(part, "next_limit", budget_stage_name(result->next));
    add_bps(part, "next_bound_bps", result->next_bps);
    json_bounds(
        json_add_object(root, "bounds"), budget, &results[BUDGET_TCP], &results[BUDGET_UDP]);
    json_add_u64(root, "payload_bytes", result->payload_bytes);
    json_stages(json_add_object(root, "stages"), result);
    json_air_exchange(json_add_object(root, "air_exchange"), result);
    if (arguments->measured_bps > 0) {
        json_measured(root, budget, result, (double)arguments->measured_bps);
    }
    json_changes(root, budget);
    json_conditions(json_add_object(root, "conditions"), budget);
}

cJSON *budget_report_json(const struct budget *budget, const struct budget_arguments *arguments) {
    cJSON *root = json_new_object();

    json_add_u64(root, "schema", BUDGET_SCHEMA);
    json_add_bool(root, "computed", true);
    json_add_text(root, "board", budget->board->name);
    json_add_text(root, "app", budget_app_name(budget->app));
    switch (arguments->page) {
    case BUDGET_PAGE_BOARDS:
        budget_boards_json(root);
        break;
    case BUDGET_PAGE_TRANSPORTS:
        budget_transports_json(root, budget);
        break;
    case BUDGET_PAGE_CASCADE:
        budget_cascade_json(root);
        break;
    case BUDGET_PAGE_FEATURES:
        budget_features_json(root);
        break;
    case BUDGET_PAGE_OVERHEAD:
        budget_overhead_json(root, budget);
        break;
    case BUDGET_PAGE_ADVISE:
        budget_advise_json(root, budget);
        json_budget(root, budget, arguments);
        break;
    case BUDGET_PAGE_BUDGET:
    default:
        json_budget(root, budget, arguments);
        break;
    }
    return root;
}
