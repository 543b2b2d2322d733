// SPDX-License-Identifier: MIT
#include "outside.h"

#include "world_state.h"

#include <stdio.h>
#include <string.h>

#define NETMASK 0xFFFFFF00u
#define BOARD   15u

static const char *rest_of(const char *text, const char *prefix) {
    size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 && text[length] != '\0' ? text + length : NULL;
}

const char *run_outside_fault(const struct run_options *options) {
    if (options->peer == NULL) {
        return NULL;
    }
    if (rest_of(options->peer, "tap:") == NULL && rest_of(options->peer, "dgram:") == NULL) {
        return "--peer is tap:NAME or dgram:SOCKET or dgram:SOCKET,SOCKET-OF-THE-OTHER";
    }
    if (options->in_virtual) {
        return "--peer is a program outside, which keeps to the wall clock: not with --virtual";
    }
    return options->forward != NULL ? "--forward is for libslirp's network: not with --peer" : NULL;
}

void run_outside_addresses(struct world *world, uint32_t host) {
    world->network = host & NETMASK;
    world->target = host;
    world->gateway = host;
    world->address = world->network | BOARD;
    if (world->address == host) {
        world->address++;
    }
}

bool run_outside_init(struct world *world, char error[256]) {
    struct twin_outside_config config = {
        .sim = world->sim,
        .frames = world->frames,
        .wire = twin_wire_far(world->wire),
        .tap = rest_of(world->options->peer, "tap:"),
    };
    const char *paths = rest_of(world->options->peer, "dgram:");
    char local[256];

    if (paths != NULL) {
        size_t length = strcspn(paths, ",");

        snprintf(local, sizeof(local), "%.*s", (int)length, paths);
        config.local = local;
        config.remote = paths[length] == ',' ? paths + length + 1 : NULL;
    }
    world->outside = twin_outside_new(&config, error);
    if (world->outside == NULL) {
        return false;
    }
    twin_wire_connect_far(world->wire, twin_outside_port(world->outside));
    return true;
}
