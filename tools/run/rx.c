// SPDX-License-Identifier: MIT
#include "rx.h"

#include "bound.h"
#include "on_lwip.h"
#include "world_state.h"

#include <string.h>

#include "coradio/datagram.h"

// Round trips on the idle path, and how far apart those under load are.
#define IDLE_PINGS         20
#define IDLE_INTERVAL_US   20000
#define LOADED_INTERVAL_US 20000
// Pace of the peer's datagrams where none is asked for: about what the bus can take.
#define OFFERED_DEFAULT_BPS 30000000u
// Numbers of a receiver's limit.
#define BUSY_MIN 0.9

#define SINCE(member) (world->last.member - world->first.member)

static bool datagrams(const struct world *world) {
    return world->options->app == RUN_APP_UDP_RX;
}

static bool serves_iperf(const struct world *world) {
    return world->options->app == RUN_APP_IPERF;
}

static bool sends_too(const struct world *world) {
    return world->options->app == RUN_APP_TCP_BOTH;
}

// ---- the peer's application, inside the twin

static uint32_t fill_datagram(struct world *world, uint8_t *into, uint32_t room_bytes) {
    struct cor_datagram header = {.stream = 1, .sequence = world->rx_sequence};
    struct cor_source *source = &world->rx_pattern.source;
    int32_t got =
        source->ops->read(source, into + COR_DATAGRAM_BYTES, room_bytes - COR_DATAGRAM_BYTES);

    if (got <= 0) {
        world->rx_sent = true;
        header.last = true;
        got = 0;
        if (world->rx_closing++ == COR_DATAGRAM_LAST_COUNT) {
            return 0;
        }
    } else {
        world->rx_sequence++;
    }
    cor_datagram_emit(&header, into);
    return COR_DATAGRAM_BYTES + (uint32_t)got;
}

static uint32_t fill(void *context, uint8_t *into, uint32_t room_bytes) {
    struct world *world = context;
    struct cor_source *source = &world->rx_pattern.source;

    if (twin_now_ns(world->sim) >= world->rx_stop_ns) {
        world->rx_pattern.left_bytes = 0;
        world->rx_iperf.left_bytes = 0;
    }
    if (serves_iperf(world)) {
        source = &world->rx_iperf.source;
    }
    if (datagrams(world)) {
        return fill_datagram(world, into, room_bytes);
    }
    return (uint32_t)source->ops->read(source, into, room_bytes);
}

static void start_sending(void *context) {
    struct world *world = context;
    const struct run_options *options = world->options;
    uint64_t offered_bps = options->offered_bps != 0 ? options->offered_bps : OFFERED_DEFAULT_BPS;
    struct twin_peer_send_config config = {
        .ip = world->address,
        .port = options->port,
        .fill = fill,
        .received = far_side_received,
        .closed = far_side_closed,
        .context = world,
    };

    if (datagrams(world)) {
        config.datagram_bytes = (uint32_t)options->payload_bytes;
        config.interval_ns = options->payload_bytes * 8000000000u / offered_bps;
    }
    world->sender = twin_peer_send(world->peer, &config);
}

// ---- the phases: the idle path, the load, the end

void rx_init(struct world *world) {
    struct cor_app_rx_config config = {
        .net = &world->net,
        .port = world->options->port,
        .tcp = datagrams(world) ? NULL : &world->tcp,
        .udp = datagrams(world) || serves_iperf(world) ? &world->udp : NULL,
        .verify = world->peer != NULL && !serves_iperf(world),
        .iperf = serves_iperf(world),
        .source = sends_too(world) ? world->source : NULL,
    };
    uint64_t bytes = world->options->bytes;

    cor_app_rx_init(&world->rx, &config);
    cor_pattern_init(&world->rx_pattern, bytes == 0 ? UINT64_MAX : bytes);
    cor_iperf_source_init(&world->rx_iperf, bytes == 0 ? UINT64_MAX : bytes);
    world->rx_stop_ns = UINT64_MAX;
    twin_event_init(&world->rx_begin, start_sending, world);
}

static void start_pings(
    struct world *world, uint32_t count, uint64_t interval_us, uint64_t now_us) {
    struct cor_ping_plan plan = {.payload_bytes = 56, .count = count, .interval_us = interval_us};

    // Without an answer there is no figure, and nothing else.
    if (cor_ping_start(&world->ping, world->gateway, &plan, now_us) != COR_OK) {
        world->pings_lost++;
    }
}

static void begin(struct world *world, uint64_t now_us) {
    world->rx_loaded = true;
    if (world->lwip != NULL) {
        on_lwip_start_app(world, now_us);
    } else {
        cor_app_rx_start(&world->rx, now_us);
    }
    if (world->peer != NULL) {
        twin_after(world->sim, &world->rx_begin, 0);
    }
}

// lwIP's own ping is not one of its core: on it, no round trips are measured.
void rx_start(struct world *world, uint64_t now_us) {
    if (world->lwip != NULL) {
        begin(world, now_us);
        return;
    }
    start_pings(world, IDLE_PINGS, IDLE_INTERVAL_US, now_us);
}

static void first_bytes(struct world *world, uint64_t now_us) {
    snapshot_take(world, &world->first);
    samples_begin(world);
    world->stage = WORLD_TRANSFER;
    if (world->options->duration_ns != 0) {
        world->rx_stop_ns = world->first.at_ns + world->options->duration_ns;
    }
    if (world->lwip == NULL) {
        start_pings(world, 0, LOADED_INTERVAL_US, now_us);
    }
}

static void finish(struct world *world) {
    cor_ping_stop(&world->ping);
    if (world->last.at_ns == 0) {
        snapshot_take(world, &world->last);
    }
    world->damaged = world->damaged || world->rx.damaged_at != UINT64_MAX;
    world->over = true;
    world->status = world->rx.status;
    if (world->rx.state == COR_APP_RX_DONE) {
        world->stage = WORLD_DONE;
    }
}

uint64_t rx_poll(struct world *world, uint64_t now_us) {
    struct cor_app_rx *app = &world->rx;

    if (!world->rx_loaded) {
        if (cor_ping_busy(&world->ping)) {
            return UINT64_MAX;
        }
        begin(world, now_us);
    }
    if (sends_too(world) && twin_now_ns(world->sim) >= world->rx_stop_ns) {
        app->config.source = &world->rx_nothing.source;
    }
    uint64_t before = app->received_bytes;
    uint64_t deadline_us =
        world->lwip != NULL ? on_lwip_poll_app(world, now_us) : cor_app_rx_poll(app, now_us);
    if (app->received_bytes != 0 && world->first.at_ns == 0) {
        first_bytes(world, now_us);
    }
    // Both ways at once ends where one of the two does; of datagrams the last one tells.
    bool ended = app->state >= COR_APP_RX_CLOSING || (sends_too(world) && app->source_ended);
    if (world->first.at_ns != 0 && ended && world->last.at_ns == 0) {
        snapshot_take(world, &world->last);
    } else if (datagrams(world) && world->rx_sent && app->received_bytes != before) {
        snapshot_take(world, &world->last);
    }
    if (cor_app_rx_over(app)) {
        finish(world);
        return UINT64_MAX;
    }
    return deadline_us;
}

void rx_ping(struct world *world, uint64_t rtt_us) {
    latency_add(world->rx_loaded ? &world->latency : &world->idle, rtt_us);
}

// ---- the result

uint64_t rx_payload_since(const struct world *world, const struct snapshot *now) {
    uint64_t sent_bytes = now->tcp.bytes_acked - world->first.tcp.bytes_acked;

    return now->rx_bytes - world->first.rx_bytes + (sends_too(world) ? sent_bytes : 0);
}

void rx_fill_bounds(const struct world *world, struct result *result) {
    uint32_t bus_hz = twin_board_bus_clock_hz(world->board);
    uint32_t mss = cor_tcp_mss_bytes(&world->tcp);
    uint32_t ip_bytes = (uint32_t)world->options->payload_bytes + 28;
    uint32_t ap_ampdu = twin_ap_ampdu(world->ap);

    mss = mss != 0 ? mss : 1460;
    if (datagrams(world)) {
        uint32_t fit = twin_air_fit(world->air, ip_bytes, ap_ampdu);

        result->bound_bus_bps = bound_udp_rx_bps(bus_hz, (uint32_t)world->options->payload_bytes);
        result->bound_air_bps = (uint64_t)(
            (double)fit * (double)world->options->payload_bytes * 8e9 /
            (double)twin_air_exchange_ns(world->air, ip_bytes, fit));
    } else {
        result->bound_bus_bps =
            sends_too(world) ? bound_tcp_both_bps(bus_hz, mss) : bound_tcp_rx_bps(bus_hz, mss);
        result->bound_air_bps =
            twin_air_tcp_bound_bps(world->air, ap_ampdu, world_ampdu(world) > 1);
    }
    result->bound_bps = result->bound_bus_bps < result->bound_air_bps ? result->bound_bus_bps
                                                                      : result->bound_air_bps;
}

// What holds a receiver back is seen from outside: the bus is full, or the air, or our window was
// shut; else the peer sends no faster.
static const char *limit_of(const struct world *world, const struct result *result) {
    if (result->utilization >= BUSY_MIN) {
        return "bus";
    }
    if (result->share >= BUSY_MIN) {
        return "air";
    }
    return SINCE(tcp.windows_closed) != 0 ? "no_buffer" : "peer";
}

void rx_fill_result(struct world *world, struct result *result) {
    struct latency *idle = &world->idle;

    result->limit = limit_of(world, result);
    result->idle_count = idle->count;
    result->idle_p50_us = latency_quantile(idle, 0.50);
    result->idle_p99_us = latency_quantile(idle, 0.99);
    result->receives = true;
    result->acks_sent = SINCE(tcp.acks_sent);
    result->acks_on_data = SINCE(tcp.acks_on_data);
    result->received = SINCE(rx_bytes);
    result->segments_received = SINCE(tcp.segments_received);
    if (datagrams(world)) {
        uint64_t missing = world->rx.missing;
        uint64_t known = twin_wire_lost(world->wire);

        result->datagrams = true;
        result->receiver_bps = result->goodput_bps;
        result->sender_bps =
            world->options->offered_bps != 0 ? world->options->offered_bps : OFFERED_DEFAULT_BPS;
        result->loss.path = known < missing ? known : missing;
        result->loss.access_point = missing - result->loss.path;
    }
}

void rx_free(struct world *world) {
    twin_peer_sender_free(world->sender);
    latency_free(&world->idle);
}
