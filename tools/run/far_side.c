// SPDX-License-Identifier: MIT
// The far side: the peer's application inside the twin, and the end of the measuring interval.
#include "common/sha256.h"
#include "world_state.h"

#include "coradio/datagram.h"

// What is known to have arrived: with --virtual what the peer's application has received, with the
// real network what the other side has acknowledged.
static uint64_t arrived(const struct world *world) {
    return world->peer != NULL ? world->peer_bytes : cor_tcp_get_counters(&world->tcp)->bytes_acked;
}

// Has a datagram with payload left since the end was put? Last markers come behind all of those.
static bool datagram_left(const struct world *world) {
    uint64_t sent = cor_udp_get_counters(&world->udp)->datagrams_sent;

    return sent > world->last.udp.datagrams_sent && sent <= world->app.sequence;
}

void far_side_look(struct world *world) {
    if (world->app.state < COR_APP_TX_CLOSING) {
        return;
    }
    if (world->options->app == RUN_APP_TCP_TX) {
        if (world->last.at_ns == 0 && arrived(world) >= world->app.payload_bytes) {
            snapshot_take(world, &world->last);
        }
        return;
    }
    // Of datagrams nobody says which is the last to arrive. The end is first put where the source
    // ended; then what arrives moves it on, or, on the real network, what leaves.
    if (world->last.at_ns == 0 || (world->peer == NULL && datagram_left(world))) {
        snapshot_take(world, &world->last);
    }
}

static void check(struct world *world, const uint8_t *data, uint32_t size_bytes) {
    if (world->check_pattern && !cor_pattern_check(&world->pattern, data, size_bytes)) {
        world->damaged = true;
    }
    if (world->peer_digest != NULL) {
        sha256_add(world->peer_digest, data, size_bytes);
    }
}

static void received_datagram(struct world *world, const uint8_t *data, uint32_t size_bytes) {
    struct cor_datagram datagram;

    if (!cor_datagram_parse(&datagram, data, size_bytes) || datagram.last) {
        return;
    }
    world->peer_bytes += size_bytes;
    world->peer_datagrams++;
    latency_received(
        &world->latency, (uint64_t)datagram.sequence + 1, twin_now_ns(world->sim) / 1000);
    if (world->check_pattern) {
        // Datagrams may be lost, so each is checked at the place its number gives it.
        uint64_t part = (world->options->payload_bytes & ~3u) - COR_DATAGRAM_BYTES;

        world->pattern.phase = (uint32_t)(datagram.sequence * part % COR_PATTERN_PERIOD_BYTES);
    }
    check(world, data + COR_DATAGRAM_BYTES, size_bytes - COR_DATAGRAM_BYTES);
    if (world->app.state >= COR_APP_TX_CLOSING) {
        snapshot_take(world, &world->last);
    }
}

void far_side_received(void *context, const uint8_t *data, uint32_t size_bytes) {
    struct world *world = context;

    if (world->options->app == RUN_APP_UDP_TX) {
        received_datagram(world, data, size_bytes);
        return;
    }
    world->peer_bytes += size_bytes;
    if (run_app_receives(world->options->app)) {
        check(world, data, size_bytes);
        return;
    }
    latency_received(&world->latency, world->peer_bytes, twin_now_ns(world->sim) / 1000);
    check(world, data, size_bytes);
    far_side_look(world);
}

void far_side_closed(void *context, bool orderly) {
    struct world *world = context;

    world->peer_closed = true;
    world->peer_reset = !orderly;
}
