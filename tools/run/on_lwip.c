// SPDX-License-Identifier: MIT
#include "on_lwip.h"

#include "run_lwip.h"
#include "world_state.h"

#include <stdio.h>
#include <string.h>

const char *on_lwip_fault(const struct run_options *options) {
    bool lwip = options->stack == RUN_STACK_LWIP;

    if (!lwip) {
        return options->lwip_mem_given || options->tcp_wnd_given
                   ? "--lwip-mem and --tcp-wnd are lwIP's: give --stack lwip"
                   : NULL;
    }
    if (options->app != RUN_APP_TCP_TX && options->app != RUN_APP_UDP_TX &&
        options->app != RUN_APP_TCP_RX) {
        return "--stack lwip runs tcp-tx, udp-tx and tcp-rx";
    }
    if (options->address == RUN_ADDRESS_DHCP) {
        return "--stack lwip has a static address";
    }
    if (options->ring_given) {
        return "--ring is the ring of our own stack; lwIP's queue is --tcp-wnd, its memory "
               "--lwip-mem";
    }
    return NULL;
}

bool on_lwip_init(struct world *world) {
    const struct run_options *options = world->options;
    struct run_lwip_config config = {
        .mem_bytes = (uint32_t)options->lwip_mem_bytes & ~7u,
        .window_bytes = (uint32_t)options->tcp_wnd_bytes,
        .address = world->address,
        .netmask = 0xFFFFFF00,
        .gateway = world->gateway,
        .now_us = options->start_ns / 1000,
    };
    struct twin_rng rng;

    if (options->stack != RUN_STACK_LWIP) {
        return true;
    }
    twin_rng_init(&rng, world->sim, "lwip on the board");
    config.seed = twin_rng_next(&rng);
    world->lwip = run_lwip_new(&config);
    return world->lwip != NULL;
}

void on_lwip_free(struct world *world) {
    run_lwip_free(world->lwip);
}

void on_lwip_start_app(struct world *world, uint64_t now_us) {
    if (run_app_receives(world->options->app)) {
        run_lwip_rx_start(world->lwip, &world->rx, now_us);
    } else {
        run_lwip_tx_start(world->lwip, &world->app, now_us);
    }
}

uint64_t on_lwip_poll_app(struct world *world, uint64_t now_us) {
    uint64_t due_us = run_app_receives(world->options->app)
                          ? run_lwip_rx_poll(world->lwip, &world->rx, now_us)
                          : run_lwip_tx_poll(world->lwip, &world->app, now_us);

    on_lwip_mirror(world);
    return due_us;
}

uint64_t on_lwip_poll(struct world *world, uint64_t now_us) {
    run_lwip_set_mac(world->lwip, cor_cyw43_address(&world->radio));
    return run_lwip_poll(world->lwip, now_us);
}

void on_lwip_work(const struct world *world, struct twin_work *work) {
    struct run_lwip_work done;

    run_lwip_work(world->lwip, &done);
    *work = (struct twin_work){
        .control_frames = done.control_frames,
        .copied_bytes = done.copied_bytes,
        .lwip_segments = done.segments,
        .lwip_received = done.received,
        .lwip_summed_bytes = done.summed_bytes,
    };
}

void on_lwip_mirror(struct world *world) {
    if (world->lwip != NULL) {
        run_lwip_mirror(world->lwip, &world->tcp, &world->udp);
    }
}
