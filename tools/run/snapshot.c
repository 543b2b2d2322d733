// SPDX-License-Identifier: MIT
#include "snapshot.h"

#include "on_lwip.h"
#include "world_state.h"

// The chronograph at this instant. A poll's slice is charged to the processor as a whole when the
// poll ends, which may lie in the future of an event in its middle; that part is taken back.
static void chronograph_take(struct world *world, struct snapshot *snapshot, uint64_t now_us) {
    struct cor_chronograph now = cor_chronograph_snapshot(&world->meter.chronograph, now_us);

    for (int i = 0; i < COR_METER_STATE_COUNT; i++) {
        snapshot->state_us[i] = now.us[i];
    }
    if (now.since_us > now_us) {
        snapshot->state_us[COR_METER_STATE_cpu] -= now.since_us - now_us;
    }
}

void snapshot_take(struct world *world, struct snapshot *snapshot) {
    on_lwip_mirror(world);
    snapshot->at_ns = twin_now_ns(world->sim);
    chronograph_take(world, snapshot, snapshot->at_ns / 1000);
    snapshot->bus_settled = false;
    twin_air_get_counters(world->air, &snapshot->air);
    twin_board_get_counters(world->board, &snapshot->board);
    twin_cyw43_get_counters(world->chip, &snapshot->chip);
    snapshot->radio = *cor_cyw43_get_counters(&world->radio);
    snapshot->tcp = *cor_tcp_get_counters(&world->tcp);
    snapshot->udp = *cor_udp_get_counters(&world->udp);
    snapshot->energy_nj = twin_power_energy_nj(world->power);
    snapshot->wire_lost = twin_wire_lost(world->wire);
    twin_board_get_begun(world->board, &snapshot->begun);
    snapshot->segments = snapshot->begun.payload_transfers;
    snapshot->rx_bytes = world->rx.received_bytes;
    snapshot->peer_bytes = world->peer_bytes;
    snapshot->source_bytes = world->app.source_bytes;
    snapshot->payload_bytes = world->app.payload_bytes;
    snapshot_settle(world);
}

static void settle(const struct world *world, struct snapshot *snapshot) {
    if (snapshot->at_ns != 0 && !snapshot->bus_settled) {
        snapshot->bus = world->meter.bus;
        snapshot->bus_settled = snapshot->bus.transfers >= snapshot->begun.transfers;
    }
}

void snapshot_settle(struct world *world) {
    settle(world, &world->first);
    settle(world, &world->last);
}
