// SPDX-License-Identifier: MIT
#include "report.h"

#include "common/json.h"
#include "faults.h"
#include "radio.h"
#include "samples.h"

#include "coradio/ip4.h"

static void json_result(cJSON *to, const struct result *result) {
    json_add_u64(to, "goodput_bps", result->goodput_bps);
    json_add_u64(to, "bound_bps", result->bound_bps);
    json_add_text(to, "limit", result->limit);
    if (result->datagrams) {
        cJSON *loss;

        json_add_u64(to, "sender_bps", result->sender_bps);
        json_add_u64(to, "receiver_bps", result->receiver_bps);
        loss = json_add_object(to, "loss");
#define X(name, text) json_add_u64(loss, #name, result->loss.name);
        RESULT_LOSS_PLACES(X)
#undef X
    }
}

static void json_time(cJSON *to, const struct result *result) {
    json_add_real(to, "virtual_s", result->virtual_s, 6);
    json_add_real(to, "wall_s", result->wall_s, 6);
    json_add_real(to, "bringup_s", result->bringup_s, 6);
}

static void json_bus(cJSON *to, const struct result *result) {
    cJSON *bits = json_add_object(to, "bits");

    for (int i = 0; i < COR_METER_PURPOSE_COUNT; i++) {
        json_add_u64(bits, cor_meter_purpose_name((enum cor_meter_purpose)i), result->bits[i]);
    }
    json_add_real(to, "utilization", result->utilization, 6);
}

static void json_latency(cJSON *to, const struct result *result) {
    if (result->idle_count != 0) {
        json_add_u64(to, "idle_p50", result->idle_p50_us);
        json_add_u64(to, "idle_p99", result->idle_p99_us);
    }
    if (result->latency_count == 0) {
        json_add_null(to, "p50");
        json_add_null(to, "p99");
        return;
    }
    json_add_u64(to, "p50", result->latency_p50_us);
    json_add_u64(to, "p99", result->latency_p99_us);
}

static void json_receive(cJSON *to, const struct result *result) {
    json_add_u64(to, "bytes", result->received);
    json_add_u64(to, "segments", result->segments_received);
    json_add_u64(to, "acks_sent", result->acks_sent);
    json_add_u64(to, "acks_on_data", result->acks_on_data);
}

// Constants of the model that were given other values.
static void json_constants(cJSON *to, const struct run_options *asked) {
    cJSON *part = asked->twin_set.count == 0 ? NULL : json_add_object(to, "twin_set");

    for (size_t i = 0; part != NULL && i < twin_unsure_count(); i++) {
        const struct twin_unsure_row *row = twin_unsure_row(i);
        uint64_t value = twin_unsure_get(&asked->unsure, i);

        if (value != row->value) {
            json_add_u64(part, row->name, value);
        }
    }
}

static void json_asked(cJSON *to, const struct run_options *asked) {
    static const char *const auths[] = {
        [RUN_AUTH_OPEN] = "open",
        [RUN_AUTH_WPA2] = "wpa2",
        [RUN_AUTH_WPA3] = "wpa3",
        [RUN_AUTH_WPA2_WPA3] = "wpa2-wpa3",
    };

    json_add_text(to, "app", run_app_name(asked->app));
    json_add_text(to, "to", asked->to);
    json_add_text(to, "ssid", asked->ssid);
    json_add_u64(to, "count", asked->count);
    json_add_real(to, "interval_s", (double)asked->interval_ns / 1e9, 6);
    json_add_real(to, "bus_mhz", asked->bus_mhz, 6);
    json_add_real(to, "cpu_mhz", asked->cpu_mhz, 6);
    json_add_text(to, "engine", asked->engine == RUN_ENGINE_SERIAL ? "serial" : "queued");
    json_add_text(to, "stack", asked->stack == RUN_STACK_LWIP ? "lwip" : "coradio");
    if (asked->stack == RUN_STACK_LWIP) {
        json_add_u64(to, "lwip_mem", asked->lwip_mem_bytes);
        json_add_u64(to, "tcp_wnd", asked->tcp_wnd_bytes);
    }
    json_add_real(to, "host_loss", asked->host_loss, 6);
    json_add_real(to, "segment_us", asked->segment_us, 6);
    json_add_real(to, "chip_frame_us", asked->chip_frame_us, 6);
    json_add_u64(to, "credit_window", asked->credit_window);
    json_add_u64(to, "mcs", asked->mcs);
    json_add_text(to, "gi", asked->gi == RUN_GI_SHORT ? "short" : "long");
    json_add_u64(to, "ampdu", asked->ampdu);
    json_add_u64(to, "ap_ampdu", asked->ap_ampdu);
    json_add_text(to, "pm", run_pm_name(asked->pm));
    json_add_u64(to, "dtim", asked->dtim);
    json_add_u64(to, "listen", asked->listen);
    json_add_real(to, "loss", asked->loss, 6);
    json_add_u64(to, "neighbours", asked->neighbours);
    json_add_real(to, "busy", asked->neighbours == 0 ? 0.0 : asked->busy, 6);
    if (asked->rssi != NULL) {
        json_add_real(to, "rssi_dbm", asked->rssi_dbm, 6);
        json_add_real(to, "drift_db", asked->drift_db, 6);
    }
    json_add_real(to, "path_loss", asked->path_loss, 6);
    json_add_real(to, "wire_delay_us", (double)asked->wire_delay_ns / 1e3, 6);
    json_add_u64(to, "peer_window", asked->peer_window);
    json_add_u64(to, "ring_bytes", asked->ring_bytes);
    json_add_u64(to, "receive_ring_bytes", asked->receive_ring_bytes);
    json_add_u64(to, "ack_segments", asked->ack_segments);
    json_add_u64(to, "bytes", asked->bytes);
    json_add_u64(to, "payload_bytes", asked->payload_bytes);
    json_add_u64(to, "offered_bps", asked->offered_bps);
    json_add_real(to, "duration_s", (double)asked->duration_ns / 1e9, 6);
    json_add_u64(to, "seed", asked->seed);
    json_add_real(to, "start_time_s", (double)asked->start_ns / 1e9, 6);
    json_add_text(to, "auth", auths[asked->auth]);
    json_add_bool(to, "no_irq", asked->no_irq);
    json_add_text(to, "address", asked->address == RUN_ADDRESS_DHCP ? "dhcp" : "static");
    json_add_bool(to, "virtual", asked->in_virtual);
    json_constants(to, asked);
}

static void json_effective(cJSON *to, const struct report_effective *effective) {
    char address[COR_IP4_TEXT_BYTES];
    char word[16];

    json_add_real(to, "bus_mhz", effective->bus_hz / 1e6, 6);
    json_add_real(to, "cpu_mhz", effective->cpu_hz / 1e6, 6);
    snprintf(word, sizeof(word), "0x%x", effective->pm_word);
    json_add_text(to, "pm", word);
    json_add_u64(to, "listen", effective->listen);
    json_add_u64(to, "ampdu", effective->ampdu);
    json_add_u64(to, "ba_window", effective->ba_window);
    json_add_u64(to, "peer_window", effective->peer_window);
    json_add_u64(to, "mss", effective->mss);
    json_add_text(to, "address", cor_ip4_text(effective->address, address));
}

static void json_samples(cJSON *to, const struct world *world) {
    size_t count = samples_count(world);

    for (size_t i = 0; i < count; i++) {
        struct sample sample = samples_at(world, i);
        cJSON *row = json_append_object(to);
        cJSON *states;

        json_add_real(row, "t_s", (double)sample.end_ns / 1e9, 6);
        json_add_u64(row, "bytes", sample.payload_bytes);
        json_add_real(
            row,
            "goodput_bps",
            sample.length_ns == 0 ? 0.0
                                  : (double)sample.payload_bytes * 8e9 / (double)sample.length_ns,
            0);
        states = json_add_object(row, "chronograph_us");
        for (int j = 0; j < COR_METER_STATE_COUNT; j++) {
            json_add_u64(states, cor_meter_state_name((enum cor_meter_state)j), sample.state_us[j]);
        }
        json_add_real(row, "bus_utilization", sample.bus_utilization, 6);
        json_add_u64(row, "retransmissions", sample.retransmissions);
        json_add_real(row, "power_mw", sample.power_mw, 3);
    }
}

static void json_payload(cJSON *root, const struct result *result) {
    cJSON *payload = json_add_object(root, "payload");

    json_add_u64(payload, "bytes", result->payload_bytes);
    if (result->sha256[0] != '\0') {
        json_add_text(payload, "sha256", result->sha256);
    }
    if (result->peer_sha256[0] != '\0') {
        json_add_text(payload, "peer_sha256", result->peer_sha256);
    }
}

cJSON *report_tree(
    const struct run_options *asked,
    const struct report_effective *effective,
    const struct result *result,
    const struct world *world) {
    cJSON *root = json_new_object();
    cJSON *states;
    cJSON *part;

    json_add_u64(root, "schema", REPORT_SCHEMA);
    json_add_bool(root, "simulated", true);
    json_add_text(root, "board", asked->board);
    json_add_text(root, "app", result->app);
    json_add_bool(root, "complete", result->complete);
    json_result(json_add_object(root, "result"), result);
    states = json_add_object(root, "chronograph_us");
    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        json_add_u64(states, cor_meter_state_name((enum cor_meter_state)i), result->state_us[i]);
    }
    json_bus(json_add_object(root, "bus"), result);
    part = json_add_object(root, "air");
    json_add_real(part, "mean_ampdu", result->mean_ampdu, 6);
    json_add_u64(part, "retries", result->retries);
    json_add_real(part, "share", result->share, 6);
    json_add_real(part, "busy", result->busy, 6);
    json_add_u64(part, "mcs", result->mcs);
    json_latency(json_add_object(root, "latency_us"), result);
    part = json_add_object(root, "power");
    json_add_real(part, "avg_mw", result->avg_mw, 6);
    json_add_real(part, "nj_per_bit", result->nj_per_bit, 6);
    json_time(json_add_object(root, "time"), result);
    part = json_add_object(root, "conditions");
    json_asked(json_add_object(part, "asked"), asked);
    json_effective(json_add_object(part, "effective"), effective);
    json_payload(root, result);
    part = json_add_object(root, "counts");
#define X(name, unit, text) json_add_u64(part, #name, result->counts.name);
    RESULT_COUNTS(X)
#undef X
    run_radio_json(json_add_object(root, "radio"), world);
    if (result->receives) {
        json_receive(json_add_object(root, "receive"), result);
    }
    if (asked->faults != NULL || asked->fault != NULL) {
        run_faults_json(json_add_array(root, "faults"), world);
    }
    if (asked->samples_ns != 0) {
        json_samples(json_add_array(root, "samples"), world);
    }
    return root;
}

int report_json(
    const char *path,
    const struct run_options *asked,
    const struct report_effective *effective,
    const struct result *result,
    const struct world *world) {
    cJSON *root = report_tree(asked, effective, result, world);
    int code = json_write(path, root);

    cJSON_Delete(root);
    return code;
}

// ---- for people

static double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole;
}

static void table_chronograph(FILE *out, const struct result *result) {
    uint64_t whole = 0;

    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        whole += result->state_us[i];
    }
    fprintf(out, "  time by what kept the next frame back\n");
    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        if (result->state_us[i] != 0) {
            fprintf(
                out,
                "    %-12s %10.3f s  %5.1f %%\n",
                cor_meter_state_name((enum cor_meter_state)i),
                (double)result->state_us[i] / 1e6,
                percent(result->state_us[i], whole));
        }
    }
}

static void table_bus(FILE *out, const struct result *result) {
    uint64_t whole = 0;

    for (int i = 0; i < COR_METER_PURPOSE_COUNT; i++) {
        whole += result->bits[i];
    }
    fprintf(out, "  bus %.1f %% busy; bits by purpose\n", 100.0 * result->utilization);
    for (int i = 0; i < COR_METER_PURPOSE_COUNT; i++) {
        fprintf(
            out,
            "    %-12s %14llu  %5.1f %%\n",
            cor_meter_purpose_name((enum cor_meter_purpose)i),
            (unsigned long long)result->bits[i],
            percent(result->bits[i], whole));
    }
    if (result->bits_per_segment > 0.0) {
        fprintf(out, "    %.0f bits for each frame with payload\n", result->bits_per_segment);
    }
}

static void table_ping(FILE *out, const struct result *result) {
    fprintf(
        out,
        "  ping: %llu answers, %llu lost; mean %.1f ms, p50 %.1f ms, p99 %.1f ms\n",
        (unsigned long long)result->latency_count,
        (unsigned long long)result->latency_lost,
        (double)result->latency_mean_us / 1e3,
        (double)result->latency_p50_us / 1e3,
        (double)result->latency_p99_us / 1e3);
}

static void table_receive(FILE *out, const struct result *result) {
    fprintf(
        out,
        "  received %llu bytes in %llu segments; %llu ACKs of their own, %llu on data\n"
        "  round trip: idle p50 %.1f ms, p99 %.1f ms; under load p50 %.1f ms, p99 %.1f ms\n",
        (unsigned long long)result->received,
        (unsigned long long)result->segments_received,
        (unsigned long long)result->acks_sent,
        (unsigned long long)result->acks_on_data,
        (double)result->idle_p50_us / 1e3,
        (double)result->idle_p99_us / 1e3,
        (double)result->latency_p50_us / 1e3,
        (double)result->latency_p99_us / 1e3);
}

static void table_goodput(FILE *out, const struct result *result) {
    fprintf(
        out,
        "  goodput %.2f Mbit/s (simulated), %.1f %% of the bound of %.2f Mbit/s\n"
        "  limit: %s\n"
        "  bounds: bus %.2f, air %.2f Mbit/s\n",
        (double)result->goodput_bps / 1e6,
        percent(result->goodput_bps, result->bound_bps),
        (double)result->bound_bps / 1e6,
        result->limit,
        (double)result->bound_bus_bps / 1e6,
        (double)result->bound_air_bps / 1e6);
    if (result->datagrams) {
        fprintf(
            out,
            "  sender %.2f, receiver %.2f Mbit/s; datagrams lost:",
            (double)result->sender_bps / 1e6,
            (double)result->receiver_bps / 1e6);
#define X(name, text) fprintf(out, " %s %llu", #name, (unsigned long long)result->loss.name);
        RESULT_LOSS_PLACES(X)
#undef X
        fprintf(out, "\n");
    }
}

void report_table(
    FILE *out,
    const struct run_options *asked,
    const struct report_effective *effective,
    const struct result *result) {
    fprintf(
        out,
        "%s, %s%s, %.1f MHz bus, %.0f MHz processor, %s engine%s\n",
        asked->board,
        result->app,
        asked->stack == RUN_STACK_LWIP ? " on lwIP" : "",
        effective->bus_hz / 1e6,
        effective->cpu_hz / 1e6,
        asked->engine == RUN_ENGINE_SERIAL ? "serial" : "queued",
        result->complete ? "" : " (not complete)");
    for (size_t i = 0; i < asked->twin_set.count; i++) {
        fprintf(out, "  another model: %s\n", asked->twin_set.items[i]);
    }
    if (asked->app == RUN_APP_PING) {
        table_ping(out, result);
    } else {
        table_goodput(out, result);
        table_chronograph(out, result);
        table_bus(out, result);
    }
    if (result->receives) {
        table_receive(out, result);
    }
    fprintf(
        out,
        "  air: %.2f MPDUs a PPDU, %llu retries, busy %.1f %%, other networks %.1f %%\n",
        result->mean_ampdu,
        (unsigned long long)result->retries,
        100.0 * result->share,
        100.0 * result->busy);
    fprintf(out, "  power: %.0f mW", result->avg_mw);
    if (result->nj_per_bit > 0.0) {
        fprintf(out, ", %.1f nJ a bit (mW per Mbit/s)", result->nj_per_bit);
    }
    fprintf(
        out,
        "\n  sent %llu retransmissions, %llu frames beyond credit\n"
        "  %llu bytes in %.3f s of virtual time; bring-up and join %.3f s; wall clock %.2f s\n",
        (unsigned long long)result->counts.retransmissions,
        (unsigned long long)result->counts.over_credit,
        (unsigned long long)result->payload_bytes,
        (double)result->interval_ns / 1e9,
        result->bringup_s,
        result->wall_s);
    if (result->sha256[0] != '\0') {
        fprintf(out, "  sha256 of what was sent     %s\n", result->sha256);
    }
    if (result->peer_sha256[0] != '\0') {
        fprintf(out, "  sha256 of what the peer got %s\n", result->peer_sha256);
    }
}
