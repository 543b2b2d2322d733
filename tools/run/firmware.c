// SPDX-License-Identifier: MIT
// The firmware of the virtual board: what a main loop on a real one would do, as one poll function.
#include "on_lwip.h"
#include "radio.h"
#include "run_lwip.h"
#include "rx.h"
#include "world_state.h"

#include <stddef.h>
#include <string.h>

// ---- the tap between stack and driver

#define TAP_TRIES_MAX 16u

static struct world_tap *tap_of(struct cor_frame_source *source) {
    return (struct world_tap *)source;
}

// A frame that --host-loss takes is given back as if it had left. The driver gets the next one, or
// hears of none: more than a few in a row are put off to its next look.
static enum cor_status tap_pull(
    struct cor_frame_source *source, uint64_t now_us, struct cor_frame_tx *tx) {
    struct world_tap *tap = tap_of(source);

    for (uint32_t tries = 0; tries < TAP_TRIES_MAX; tries++) {
        enum cor_status status = tap->inner->ops->pull(tap->inner, now_us, tx);

        if (status != COR_OK) {
            return status;
        }
        if (tx->payload_bytes == 0) {
            tap->control_frames++;
            return COR_OK;
        }
        tap->segments++;
        if (!twin_rng_hit(&tap->rng, tap->loss)) {
            return COR_OK;
        }
        tap->lost++;
        tap->inner->ops->sent(tap->inner, now_us, tx->token);
    }
    tx->blocked = COR_METER_STATE_source;
    return COR_AGAIN;
}

static void tap_sent(struct cor_frame_source *source, uint64_t now_us, uint32_t token) {
    struct world_tap *tap = tap_of(source);

    tap->inner->ops->sent(tap->inner, now_us, token);
}

static uint32_t tap_input(
    struct cor_frame_source *source, uint64_t now_us, uint8_t *frame, uint32_t size_bytes) {
    struct world_tap *tap = tap_of(source);

    tap->received++;
    return tap->inner->ops->input(tap->inner, now_us, frame, size_bytes);
}

static void tap_link(struct cor_frame_source *source, uint64_t now_us, bool up) {
    struct world_tap *tap = tap_of(source);

    tap->inner->ops->link(tap->inner, now_us, up);
}

static void tap_init(struct world *world, struct cor_frame_source *inner) {
    struct world_tap *tap = &world->tap;
    static const struct cor_frame_source_ops ops = {
        .pull = tap_pull, .sent = tap_sent, .input = tap_input, .link = tap_link};

    _Static_assert(offsetof(struct world_tap, source) == 0, "the seam is cast to the tap");
    tap->source.ops = &ops;
    tap->inner = inner;
    tap->loss = twin_chance(world->options->host_loss);
    twin_rng_init(&tap->rng, world->sim, "host loss");
}

// ---- the same between driver and bus

static struct cor_bus *inner_of(struct cor_bus *bus) {
    struct world *world = bus->port;

    return &world->bus.twin.bus;
}

static enum cor_status bus_start(struct cor_bus *bus, struct cor_bus_xfer *xfer) {
    return inner_of(bus)->ops->start(inner_of(bus), xfer);
}

static enum cor_status bus_poll(struct cor_bus *bus) {
    snapshot_settle(bus->port);
    return inner_of(bus)->ops->poll(inner_of(bus));
}

static int32_t bus_set_clock_hz(struct cor_bus *bus, int32_t clock_hz) {
    return inner_of(bus)->ops->set_clock_hz(inner_of(bus), clock_hz);
}

static bool bus_irq_pending(struct cor_bus *bus) {
    return inner_of(bus)->ops->irq_pending(inner_of(bus));
}

static void bus_set_sampling(struct cor_bus *bus, enum cor_bus_sampling sampling) {
    inner_of(bus)->ops->set_sampling(inner_of(bus), sampling);
}

static void bus_set_power(struct cor_bus *bus, bool on) {
    inner_of(bus)->ops->set_power(inner_of(bus), on);
}

static void bus_init(struct world *world) {
    static const struct cor_bus_ops ops = {
        .start = bus_start,
        .poll = bus_poll,
        .set_clock_hz = bus_set_clock_hz,
        .irq_pending = bus_irq_pending,
        .set_power = bus_set_power,
        .set_sampling = bus_set_sampling,
    };

    cor_bus_twin_init(&world->bus.twin, world->board);
    world->bus.bus = world->bus.twin.bus;
    world->bus.bus.ops = &ops;
    world->bus.bus.port = world;
}

// ---- the poll function

static void end(struct world *world, enum cor_status status) {
    world->over = true;
    world->status = status;
}

static void start_app(struct world *world, uint64_t now_us) {
    world->joined_ns = twin_now_ns(world->sim);
    world->app_started = true;
    world->stage = WORLD_CONNECT;
    if (world->options->app == RUN_APP_PING) {
        struct cor_ping_plan plan = {
            .payload_bytes = (uint16_t)world->options->payload_bytes,
            .count = (uint32_t)world->options->count,
            .interval_us = world->options->interval_ns / 1000,
        };
        enum cor_status status = cor_ping_start(&world->ping, world->target, &plan, now_us);

        world->ping_stop_us = world->options->duration_ns == 0
                                  ? UINT64_MAX
                                  : now_us + world->options->duration_ns / 1000;
        world->stage = WORLD_TRANSFER;
        snapshot_take(world, &world->first);
        samples_begin(world);
        if (status != COR_OK) {
            end(world, status);
        }
    } else if (run_app_receives(world->options->app)) {
        rx_start(world, now_us);
    } else if (world->lwip != NULL) {
        on_lwip_start_app(world, now_us);
    } else {
        cor_app_tx_start(&world->app, now_us);
    }
}

static uint64_t poll_ping(struct world *world, uint64_t now_us) {
    if (now_us >= world->ping_stop_us) {
        world->ping_cut_short =
            cor_ping_get_counters(&world->ping)->replies_received == 0 && world->pings_lost == 0;
        cor_ping_stop(&world->ping);
    }
    if (!cor_ping_busy(&world->ping)) {
        bool answered = cor_ping_get_counters(&world->ping)->replies_received != 0;
        bool heard = cor_net_get_counters(&world->net)->arp_learned != 0;

        snapshot_take(world, &world->last);
        world->stage = WORLD_DONE;
        end(world, answered ? COR_OK : heard ? COR_E_TIMEOUT : COR_E_UNREACHABLE);
        return UINT64_MAX;
    }
    return world->ping_stop_us;
}

static uint64_t poll_tx(struct world *world, uint64_t now_us) {
    struct cor_app_tx *app = &world->app;
    uint64_t given = app->payload_bytes;
    uint64_t deadline_us =
        world->lwip != NULL ? on_lwip_poll_app(world, now_us) : cor_app_tx_poll(app, now_us);

    if (app->payload_bytes != given && world->first.at_ns != 0) {
        bool datagrams = world->options->app == RUN_APP_UDP_TX;

        latency_given(&world->latency, datagrams ? app->sequence : app->payload_bytes, now_us);
    }
    if (app->state == COR_APP_TX_SENDING && world->stage == WORLD_CONNECT) {
        world->stage = WORLD_TRANSFER;
    }
    if (app->state == COR_APP_TX_CLOSING || app->state == COR_APP_TX_DONE) {
        far_side_look(world);
    }
    if (app->state == COR_APP_TX_DONE) {
        world->stage = WORLD_DONE;
        end(world, app->status);
    } else if (app->state == COR_APP_TX_FAILED) {
        end(world, app->status);
    }
    return deadline_us;
}

static uint64_t poll_app(struct world *world, uint64_t now_us) {
    if (!world->app_started) {
        start_app(world, now_us);
    }
    if (run_app_receives(world->options->app)) {
        return rx_poll(world, now_us);
    }
    return world->options->app == RUN_APP_PING ? poll_ping(world, now_us) : poll_tx(world, now_us);
}

static uint64_t sooner(uint64_t left, uint64_t right) {
    return left < right ? left : right;
}

// The station first; the application once there is a network. An application that has begun goes
// on without an address: its connection says what has become of it.
static uint64_t poll_station(struct world *world, uint64_t now_us) {
    uint64_t deadline_us = cor_station_poll(&world->station, now_us);

    if (world->station.state == COR_STATION_FAILED) {
        world->stage = world->station.started ? world->stage : WORLD_BRINGUP;
        end(world, world->station.status);
        return UINT64_MAX;
    }
    if (world->station.state == COR_STATION_JOINING) {
        world->stage = WORLD_JOIN;
    }
    if (world->station.state == COR_STATION_ADDRESS && !world->app_started) {
        world->stage = WORLD_ADDRESS;
    }
    if (world->station.state != COR_STATION_UP && !world->app_started) {
        return deadline_us;
    }
    return sooner(deadline_us, poll_app(world, now_us));
}

static uint64_t poll_radio(struct world *world, uint64_t now_us) {
    uint64_t deadline_us = cor_cyw43_poll(&world->radio, now_us);

    cor_cyw43_rest(&world->radio, twin_board_clock_ns(world->board) / 1000);
    return deadline_us;
}

static uint64_t poll_stack(struct world *world, uint64_t now_us) {
    return world->lwip != NULL ? on_lwip_poll(world, now_us) : cor_net_poll(&world->net, now_us);
}

// Frames in and timers, then the application, which sees what they have changed, then frames out
// with what it has decided.
static uint64_t firmware_poll(void *context, uint64_t now_us) {
    struct world *world = context;
    uint64_t deadline_us;

    if (world->over) {
        bool measuring = run_radio_measure(world);

        // What the last snapshot counts is still looked at.
        if (measuring || (world->last.at_ns != 0 && !world->last.bus_settled)) {
            return poll_radio(world, now_us);
        }
        return UINT64_MAX;
    }
    (void)poll_radio(world, now_us);
    (void)poll_stack(world, now_us);
    deadline_us = poll_station(world, now_us);
    deadline_us = sooner(deadline_us, poll_stack(world, now_us));
    return sooner(deadline_us, poll_radio(world, now_us));
}

// Reading the source costs the processor nothing here: on the board a card's DMA writes the ring.
static void firmware_work(void *context, struct twin_work *work) {
    struct world *world = context;

    if (world->lwip != NULL) {
        on_lwip_work(world, work);
        return;
    }
    work->segments = world->tap.segments;
    work->acks = world->tap.received;
    work->control_frames = world->tap.control_frames;
    work->copied_bytes = cor_tcp_get_counters(&world->tcp)->copied_bytes;
    work->summed_bytes = cor_tcp_get_counters(&world->tcp)->summed_bytes +
                         cor_udp_get_counters(&world->udp)->summed_bytes;
}

static void first_payload(void *context) {
    struct world *world = context;

    if (world->options->app == RUN_APP_PING || run_app_receives(world->options->app)) {
        return;
    }
    cor_app_tx_first_payload(&world->app, twin_now_ns(world->sim) / 1000);
    snapshot_take(world, &world->first);
    samples_begin(world);
}

static void ping_result(void *context, const struct cor_ping_result *result) {
    struct world *world = context;

    if (result->lost) {
        world->pings_lost++;
    } else if (run_app_receives(world->options->app)) {
        rx_ping(world, result->rtt_us);
    } else {
        latency_add(&world->latency, result->rtt_us);
    }
}

// ---- putting it together

static void radio_init(struct world *world, const uint32_t image_bytes[3]) {
    const struct run_options *options = world->options;
    struct cor_cyw43_config config = {
        .bus = &world->bus.bus,
        .frames = &world->tap.source,
        .meter = &world->meter,
        .firmware = {world->images[0], image_bytes[0]},
        .nvram = {world->images[1], image_bytes[1]},
        .clm = {world->images[2], image_bytes[2]},
    };

    run_radio_config(world, &config);
    cor_meter_init(&world->meter, options->start_ns / 1000);
    bus_init(world);
    cor_cyw43_init(&world->radio, &config, options->start_ns / 1000);
}

// All three sockets stand on the net; the application uses one of them.
static void net_init(struct world *world) {
    const struct run_options *options = world->options;
    bool dhcp = options->address == RUN_ADDRESS_DHCP;
    struct cor_net_config net = {
        .address = dhcp ? 0 : world->address,
        .netmask = dhcp ? 0 : 0xFFFFFF00,
        .gateway = dhcp ? 0 : world->gateway,
    };
    struct twin_rng rng;
    struct cor_tcp_config tcp = {
        .ring = world->ring,
        .ring_bytes = (uint32_t)options->ring_bytes & ~3u,
        .segments = world->segments,
        .segment_count = (uint16_t)COR_TCP_SEGMENTS_FOR(options->ring_bytes),
        .user_timeout_us = 100000000,  // RFC 9293, 3.8.3: R2, 100 s at least
        .connect_timeout_us = 10000000,
        .receive_ring = world->receive_ring,
        .receive_ring_bytes = (uint32_t)options->receive_ring_bytes,
        .ack_segments = (uint8_t)options->ack_segments,
    };
    struct cor_udp_config udp = {
        .memory = world->ring,
        .slot_bytes = 1472,
        .slot_count = WORLD_UDP_SLOTS,
        .slots = world->udp_slots,
        .receive = run_app_receives(options->app) ? cor_app_rx_datagram : NULL,
        .context = &world->rx,
    };
    struct cor_ping_config ping = {
        .payload = (uint8_t *)world->ping_payload,
        .payload_room_bytes = 1472,
        .result = ping_result,
        .context = world,
    };

    twin_rng_init(&rng, world->sim, "secret");
    net.secret[0] = twin_rng_next(&rng);
    net.secret[1] = twin_rng_next(&rng);
    cor_net_init(&world->net, &net, options->start_ns / 1000);
    tap_init(
        world, world->lwip != NULL ? run_lwip_frames(world->lwip) : cor_net_frames(&world->net));
    cor_tcp_init(&world->tcp, &world->net, &tcp);
    cor_udp_init(&world->udp, &world->net, &udp);
    cor_ping_init(&world->ping, &world->net, &ping);
}

static void app_init(struct world *world) {
    static const enum cor_auth auths[] = {
        [RUN_AUTH_OPEN] = COR_AUTH_OPEN,
        [RUN_AUTH_WPA2] = COR_AUTH_WPA2,
        [RUN_AUTH_WPA3] = COR_AUTH_WPA3,
        [RUN_AUTH_WPA2_WPA3] = COR_AUTH_WPA2_WPA3,
    };
    const struct run_options *options = world->options;
    bool datagrams = options->app == RUN_APP_UDP_TX;
    struct twin_rng rng;
    struct cor_join join = {
        .ssid = world->faults.wrong_ssid != NULL ? world->faults.wrong_ssid : options->ssid,
        .key = world->faults.wrong_key != NULL ? world->faults.wrong_key : options->key,
        .auth = auths[options->auth],
    };
    struct cor_app_tx_config app = {
        .source = world->source,
        .address = world->target,
        .port = options->port,
        .duration_us = options->duration_ns / 1000,
        .tcp = datagrams ? NULL : &world->tcp,
        .udp = datagrams ? &world->udp : NULL,
        .payload_bytes = (uint16_t)(options->payload_bytes & ~3u),
        .offered_bps = options->offered_bps,
    };

    twin_rng_init(&rng, world->sim, "stream");
    app.stream = (uint32_t)twin_rng_next(&rng);
    cor_station_init(&world->station, &world->radio, &world->net, &join);
    cor_station_keep(&world->station);
    if (options->address == RUN_ADDRESS_DHCP) {
        struct cor_dhcp_config dhcp = {.host_name = "coradio"};

        cor_dhcp_init(&world->dhcp, &world->net, &dhcp);
        cor_station_use_dhcp(&world->station, &world->dhcp);
    }
    cor_pattern_init(&world->rx_nothing, 0);
    if (run_app_receives(options->app)) {
        rx_init(world);
    } else if (options->app != RUN_APP_PING) {
        cor_app_tx_init(&world->app, &app);
    }
}

void firmware_init(struct world *world) {
    uint32_t image_bytes[3];
    struct twin_firmware firmware = {
        .context = world, .poll = firmware_poll, .work = firmware_work};

    image_bytes[0] = twin_cyw43_image_firmware(world->images[0], WORLD_FIRMWARE_ROOM);
    image_bytes[1] = twin_cyw43_image_nvram(world->images[1], WORLD_NVRAM_ROOM);
    image_bytes[2] = twin_cyw43_image_clm(world->images[2], WORLD_CLM_ROOM);
    net_init(world);
    radio_init(world, image_bytes);
    app_init(world);
    twin_board_set_firmware(world->board, &firmware);
    twin_board_on_first_payload(world->board, first_payload, world);
    cor_station_start(&world->station, 0);
}
