// SPDX-License-Identifier: MIT
// The far side as the real network of the host: libslirp speaks TCP/IP with the board and plain
// sockets with the kernel, so no privilege is needed.
#include "coradio_twin/peer.h"
#include "sim/alloc.h"

#include <arpa/inet.h>
#include <poll.h>
#include <slirp/libslirp.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_VERSION 4u  // the first with timers by number (libslirp 4.7)
#define MTU_BYTES      1500u
#define HEADER_BYTES   14u
// Where its DHCP server begins and its name server sits, counted from the network's address.
#define DHCP_HOST        15u
#define NAME_SERVER_HOST 3u

struct twin_slirp {
    struct twin_slirp_config config;
    Slirp *slirp;
    struct pollfd *fds;
    size_t fd_count;
    size_t fd_room;
    bool kicked;  // a frame has made room: the next poll does not wait
    struct twin_slirp_counters counters;
};

struct timer {
    struct twin_event event;
    struct twin_slirp *owner;
    SlirpTimerId id;
    void *cb_opaque;
};

// ---- what libslirp calls

static ssize_t send_packet(const void *data, size_t size_bytes, void *opaque) {
    struct twin_slirp *slirp = opaque;
    struct twin_frame *frame;

    if (size_bytes > TWIN_FRAME_BYTES_MAX) {
        slirp->counters.oversize++;
        return (ssize_t)size_bytes;
    }
    frame = twin_frame_get(slirp->config.frames);
    memcpy(frame->data, data, size_bytes);
    frame->size_bytes = (uint32_t)size_bytes;
    slirp->counters.frames_out++;
    slirp->config.wire.input(slirp->config.wire.context, frame);
    return (ssize_t)size_bytes;
}

static void guest_error(const char *text, void *opaque) {
    struct twin_slirp *slirp = opaque;

    (void)text;
    slirp->counters.complaints++;
}

static int64_t clock_get_ns(void *opaque) {
    const struct twin_slirp *slirp = opaque;

    return (int64_t)twin_now_ns(slirp->config.sim);
}

static void timer_run(void *context) {
    struct timer *timer = context;

    slirp_handle_timer(timer->owner->slirp, timer->id, timer->cb_opaque);
}

static void *timer_new(SlirpTimerId id, void *cb_opaque, void *opaque) {
    struct timer *timer = twin_alloc(1, sizeof(*timer));

    timer->owner = opaque;
    timer->id = id;
    timer->cb_opaque = cb_opaque;
    twin_event_init(&timer->event, timer_run, timer);
    return timer;
}

static void timer_free(void *memory, void *opaque) {
    struct timer *timer = memory;
    struct twin_slirp *slirp = opaque;

    twin_cancel(slirp->config.sim, &timer->event);
    free(timer);
}

static void timer_mod(void *memory, int64_t expire_ms, void *opaque) {
    struct timer *timer = memory;
    struct twin_slirp *slirp = opaque;

    twin_at(slirp->config.sim, &timer->event, (uint64_t)expire_ms * 1000000u);
}

// The descriptors are gathered anew before each poll.
static void poll_fd_registered(int fd, void *opaque) {
    (void)fd;
    (void)opaque;
}

static void notify(void *opaque) {
    struct twin_slirp *slirp = opaque;

    slirp->kicked = true;
}

static const SlirpCb callbacks = {
    .send_packet = send_packet,
    .guest_error = guest_error,
    .clock_get_ns = clock_get_ns,
    .timer_new_opaque = timer_new,
    .timer_free = timer_free,
    .timer_mod = timer_mod,
    .register_poll_fd = poll_fd_registered,
    .unregister_poll_fd = poll_fd_registered,
    .notify = notify,
};

// ---- polling

static const struct {
    int slirp;
    short poll;
} poll_bits[] = {
    {SLIRP_POLL_IN, POLLIN},
    {SLIRP_POLL_OUT, POLLOUT},
    {SLIRP_POLL_PRI, POLLPRI},
    {SLIRP_POLL_ERR, POLLERR},
    {SLIRP_POLL_HUP, POLLHUP},
};

static int add_poll(int fd, int events, void *opaque) {
    struct twin_slirp *slirp = opaque;
    struct pollfd *entry;

    if (slirp->fd_count == slirp->fd_room) {
        slirp->fd_room = slirp->fd_room * 2 + 16;
        slirp->fds = twin_realloc(slirp->fds, slirp->fd_room, sizeof(slirp->fds[0]));
    }
    entry = &slirp->fds[slirp->fd_count];
    *entry = (struct pollfd){.fd = fd};
    for (size_t i = 0; i < sizeof(poll_bits) / sizeof(poll_bits[0]); i++) {
        if ((events & poll_bits[i].slirp) != 0) {
            entry->events = (short)(entry->events | poll_bits[i].poll);
        }
    }
    return (int)slirp->fd_count++;
}

static int get_revents(int index, void *opaque) {
    const struct twin_slirp *slirp = opaque;
    int events = 0;

    for (size_t i = 0; i < sizeof(poll_bits) / sizeof(poll_bits[0]); i++) {
        if ((slirp->fds[index].revents & poll_bits[i].poll) != 0) {
            events |= poll_bits[i].slirp;
        }
    }
    return events;
}

void twin_slirp_poll(struct twin_slirp *slirp, uint32_t timeout_ms) {
    int ready;

    slirp->fd_count = 0;
    if (slirp->kicked) {
        slirp->kicked = false;
        timeout_ms = 0;
    }
    slirp_pollfds_fill(slirp->slirp, &timeout_ms, add_poll, slirp);
    ready = poll(slirp->fds, slirp->fd_count, (int)timeout_ms);
    slirp_pollfds_poll(slirp->slirp, ready < 0, get_revents, slirp);
}

// ---- the board's side

static void frame_input(void *context, struct twin_frame *frame) {
    struct twin_slirp *slirp = context;

    slirp->counters.frames_in++;
    slirp_input(slirp->slirp, frame->data, (int)frame->size_bytes);
    twin_frame_put(slirp->config.frames, frame);
}

struct twin_port twin_slirp_port(struct twin_slirp *slirp) {
    return (struct twin_port){.input = frame_input, .context = slirp};
}

struct twin_slirp *twin_slirp_new(const struct twin_slirp_config *config) {
    struct twin_slirp *slirp = twin_alloc(1, sizeof(*slirp));
    SlirpConfig options = {
        .version = CONFIG_VERSION,
        .in_enabled = true,
        .vnetwork.s_addr = htonl(config->network),
        .vnetmask.s_addr = htonl(config->netmask),
        .vhost.s_addr = htonl(config->gateway),
        .vdhcp_start.s_addr = htonl(config->network + DHCP_HOST),
        .vnameserver.s_addr = htonl(config->network + NAME_SERVER_HOST),
        .if_mtu = MTU_BYTES,
        .if_mru = MTU_BYTES,
    };

    slirp->config = *config;
    slirp->slirp = slirp_new(&options, &callbacks, slirp);
    if (slirp->slirp == NULL) {
        free(slirp);
        return NULL;
    }
    return slirp;
}

void twin_slirp_free(struct twin_slirp *slirp) {
    if (slirp == NULL) {
        return;
    }
    slirp_cleanup(slirp->slirp);
    free(slirp->fds);
    free(slirp);
}

bool twin_slirp_forward(struct twin_slirp *slirp, const struct twin_slirp_way *way) {
    struct in_addr host = {.s_addr = htonl(way->host)};
    struct in_addr board = {.s_addr = htonl(way->board)};

    return slirp_add_hostfwd(
               slirp->slirp, way->udp, host, way->host_port, board, way->board_port) == 0;
}

void twin_slirp_get_counters(const struct twin_slirp *slirp, struct twin_slirp_counters *counters) {
    *counters = slirp->counters;
}
