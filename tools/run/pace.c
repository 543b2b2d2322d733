// SPDX-License-Identifier: MIT
// Pace: how virtual time goes on, as fast as it can or in step with the wall clock.
#include "common/clock.h"
#include "world_state.h"

// The watcher is asked after so many events, or so much wall time.
#define EVENTS_BETWEEN_WATCHES 8192
// In step with the wall clock, time moves in pieces of this size: shorter ones cost the host a
// processor, longer ones add delay to each round trip.
#define PIECE_MS 1
// After the application is done: for the last frames and the peer's close. With the real network
// also for libslirp to hand the last bytes to the kernel.
#define SETTLE_NS 300000000u

static uint64_t done_bytes(const struct world *world) {
    if (run_app_receives(world->options->app)) {
        return world->rx.received_bytes;
    }
    return world->peer != NULL ? world->peer_bytes
                               : cor_tcp_get_counters(&world->tcp)->bytes_acked +
                                     cor_udp_get_counters(&world->udp)->bytes_sent;
}

// A bound on a run in which nothing happens any more but beacons; the application's own time-outs
// are all shorter.
#define STUCK_NS 600000000000u

// Something that rises whenever the run gets on.
static uint64_t progress(const struct world *world) {
    return world->app.source_bytes + world->rx.received_bytes +
           cor_tcp_get_counters(&world->tcp)->bytes_acked +
           cor_ping_get_counters(&world->ping)->requests_sent + (uint64_t)world->stage;
}

static bool is_stuck(struct world *world) {
    uint64_t now_ns = twin_now_ns(world->sim);
    uint64_t bound_ns = STUCK_NS + 2 * world->options->interval_ns;

    if (progress(world) != world->progress) {
        world->progress = progress(world);
        world->progress_ns = now_ns;
    }
    return now_ns - world->progress_ns > bound_ns;
}

static void run_fast(struct world *world, world_watch_fn watch, void *context) {
    uint32_t events = 0;

    while (!world->over) {
        (void)twin_step(world->sim);  // there is always a beacon to come
        if (++events == EVENTS_BETWEEN_WATCHES) {
            events = 0;
            if (is_stuck(world)) {
                world->over = true;
                world->status = COR_E_TIMEOUT;
            }
            if (watch != NULL && !watch(context, done_bytes(world), twin_now_ns(world->sim))) {
                world->stopped = true;
                return;
            }
        }
    }
    twin_run_until(world->sim, twin_now_ns(world->sim) + SETTLE_NS);
}

// One piece of wall time: events that are due, then what the host's sockets have.
static void run_piece(struct world *world) {
    uint64_t due_ns = clock_now_ns() - world->wall_start_ns + world->options->start_ns;

    if (due_ns > twin_now_ns(world->sim)) {
        twin_run_until(world->sim, due_ns);
    }
    if (world->outside != NULL) {
        twin_outside_poll(world->outside, PIECE_MS);
    } else {
        twin_slirp_poll(world->slirp, PIECE_MS);
    }
}

static void run_paced(struct world *world, world_watch_fn watch, void *context) {
    uint64_t settled_ns;

    while (!world->over) {
        run_piece(world);
        if (watch != NULL && !watch(context, done_bytes(world), twin_now_ns(world->sim))) {
            world->stopped = true;
            return;
        }
    }
    settled_ns = clock_now_ns() + SETTLE_NS;
    while (clock_now_ns() < settled_ns) {
        run_piece(world);
    }
}

void world_run(struct world *world, world_watch_fn watch, void *context) {
    world->wall_start_ns = clock_now_ns();
    world->progress_ns = world->options->start_ns;
    twin_board_start(world->board);
    if (world->peer != NULL) {
        run_fast(world, watch, context);
    } else {
        run_paced(world, watch, context);
    }
    if (world->last.at_ns == 0) {
        snapshot_take(world, &world->last);
    }
    world->wall_ns = clock_now_ns() - world->wall_start_ns;
}
