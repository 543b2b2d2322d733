// SPDX-License-Identifier: MIT
// TCP: take connections at once, read each on its own, find out who is to blame when one is still.
#include "common/clock.h"
#include "common/units.h"
#include "parts.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ACCEPTS_A_TURN = 64,
    KEEPALIVE_S = 5,  // until the first probe, and between probes
    KEEPALIVE_PROBES = 3,
    VANISHED_MS = 15000,  // an unanswered peer is given up then
    INFO_BYTES_MAX = 512,
};

// tcpi_rcv_wnd follows tcpi_snd_wnd since Linux 6.2 (read from public code: include/uapi/linux/
// tcp.h); headers older than that do not name it, so it is taken by its place.
enum { RCV_WND_OFFSET = offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof(uint32_t) };

static uint32_t unread_bytes(int socket) {
    int queued = 0;

    if (ioctl(socket, SIOCINQ, &queued) != 0 || queued < 0) {
        return 0;
    }
    return (uint32_t)queued;
}

void sink_tcp_look(struct sink_stream *stream) {
    // The kernel may know fewer or more fields than our header: it says how many it gave.
    union {
        struct tcp_info info;
        uint8_t bytes[INFO_BYTES_MAX];
    } answer = {0};
    socklen_t size = sizeof(answer);
    struct sink_tcp_state *state = &stream->tcp;

    if (stream->socket < 0 ||
        getsockopt(stream->socket, IPPROTO_TCP, TCP_INFO, &answer, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_data_segs_out)) {
        return;
    }
    state->known = true;
    state->bytes_received = answer.info.tcpi_bytes_received;
    state->rtt_us = answer.info.tcpi_rtt;
    state->rcv_rtt_us = answer.info.tcpi_rcv_rtt;
    state->rcv_mss_bytes = answer.info.tcpi_rcv_mss;
    state->rcv_space_bytes = answer.info.tcpi_rcv_space;
    state->ato_us = answer.info.tcpi_ato;
    state->last_data_ms = answer.info.tcpi_last_data_recv;
    state->data_segments_in = answer.info.tcpi_data_segs_in;
    state->segments_out = answer.info.tcpi_segs_out;
    state->out_of_order_segments = answer.info.tcpi_rcv_ooopack;
    state->queued_bytes = unread_bytes(stream->socket);
    state->rcv_window_known = size >= RCV_WND_OFFSET + sizeof(uint32_t);
    if (state->rcv_window_known) {
        memcpy(&state->rcv_window_bytes, answer.bytes + RCV_WND_OFFSET, sizeof(uint32_t));
    }
}

// Probes after 5 s of silence; a peer that has answered nothing for 15 s is gone. Failing to set
// one of these leaves a connection that is reaped later or never, which the summary shows as open.
static void set_keepalive(int socket) {
    static const int on = 1;
    static const int idle_s = KEEPALIVE_S;
    static const int probes = KEEPALIVE_PROBES;
    static const unsigned timeout_ms = VANISHED_MS;

    (void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &idle_s, sizeof(idle_s));
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
}

// A new connection from a host that has an older one open and silent: the board most likely began
// again, and the old one is a leftover. Parallel connections that are busy are none of this.
static void warn_of_superseded(struct sink *sink, const struct sink_stream *fresh) {
    char silent[UNITS_TEXT_SIZE];

    for (struct sink_stream *old = sink->live; old != NULL; old = old->next) {
        uint64_t heard_ns = old->first_ns != 0 ? old->last_ns : old->start_ns;

        if (old == fresh || old->kind != SINK_TCP || old->superseded_by != 0 ||
            fresh->start_ns < heard_ns + SINK_STALL_NS ||
            !sink_address_same_host(&old->peer, &fresh->peer) || unread_bytes(old->socket) > 0) {
            continue;
        }
        old->superseded_by = fresh->id;
        sink->superseded++;
        sink_say(
            sink,
            "warning: #%u %s supersedes #%u, which is still open and silent for %s; if the board "
            "began anew, the older one is half open",
            fresh->id,
            fresh->name,
            old->id,
            units_format_time(silent, fresh->start_ns - heard_ns));
    }
}

static bool watch_socket(struct sink *sink, int socket, void *what) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data = {.ptr = what}};

    return epoll_ctl(sink->epoll, EPOLL_CTL_ADD, socket, &event) == 0;
}

// Without descriptors the listener would wake the loop for ever; it rests until one is free.
static void pause_accept(struct sink *sink, int error) {
    if (!sink->accept_paused) {
        sink_say(
            sink,
            "warning: cannot take more connections: %s; new ones wait until one ends (ulimit -n "
            "sets how many can be open)",
            strerror(error));
        (void)epoll_ctl(sink->epoll, EPOLL_CTL_DEL, sink->listener, NULL);
        sink->accept_paused = true;
    }
}

void sink_tcp_resume_accept(struct sink *sink) {
    if (sink->accept_paused && watch_socket(sink, sink->listener, &sink->listener)) {
        sink->accept_paused = false;
    }
}

// True while more may be waiting.
static bool accept_one(struct sink *sink, uint64_t now_ns) {
    struct sockaddr_storage peer = {0};
    socklen_t size = sizeof(peer);
    int socket =
        accept4(sink->listener, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (socket < 0) {
        bool gone = errno == ECONNABORTED || errno == EINTR || errno == EPROTO;

        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            pause_accept(sink, errno);
        }
        return gone;
    }
    struct sink_stream *stream = sink_stream_new(sink, SINK_TCP, &peer, now_ns);
    if (stream == NULL) {
        close(socket);
        pause_accept(sink, ENOMEM);
        return false;
    }
    stream->socket = socket;
    set_keepalive(socket);
    sink_say(sink, "#%u %s connected", stream->id, stream->name);
    warn_of_superseded(sink, stream);
    if (!watch_socket(sink, socket, stream)) {
        sink_stream_end(sink, stream, SINK_END_error, now_ns);
    }
    return true;
}

void sink_tcp_accept(struct sink *sink, uint64_t now_ns) {
    for (int i = 0; i < ACCEPTS_A_TURN && !sink->accept_paused; i++) {
        if (!accept_one(sink, now_ns)) {
            return;
        }
    }
}

static enum sink_end end_of_error(int error) {
    switch (error) {
    case ECONNRESET:
    case EPIPE:
        return SINK_END_reset;
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EHOSTDOWN:
        return SINK_END_vanished;
    default:
        return SINK_END_error;
    }
}

void sink_tcp_read(struct sink *sink, struct sink_stream *stream) {
    // Where nobody looks at the bytes the kernel may drop them uncopied (tcp(7), MSG_TRUNC). The
    // first ones are always looked at, since they tell the protocol.
    bool looked_at = sink->config.hash || sink->store.path != NULL || sink->config.copy ||
                     stream->protocol == NULL;
    ssize_t got = recv(
        stream->socket,
        looked_at ? sink->buffer : NULL,
        SINK_READ_BYTES,
        looked_at ? 0 : MSG_TRUNC);
    int error = errno;
    uint64_t now_ns = clock_now_ns();

    if (got > 0) {
        if (stream->protocol == NULL) {
            stream->protocol = sink_protocol_of(sink->buffer, (size_t)got);
        }
        sink_stream_take(sink, stream, looked_at ? sink->buffer : NULL, (size_t)got, 0, now_ns);
    } else if (got == 0) {
        sink_stream_end(sink, stream, SINK_END_closed, now_ns);
    } else if (error != EAGAIN && error != EINTR) {
        sink_stream_end(sink, stream, end_of_error(error), now_ns);
    }
}

void sink_tcp_tick(struct sink *sink, struct sink_stream *stream, uint64_t now_ns) {
    const struct sink_config *config = &sink->config;

    if (stream->first_ns == 0) {
        if (config->idle_timeout_ns > 0 && now_ns >= stream->start_ns + config->idle_timeout_ns &&
            unread_bytes(stream->socket) == 0) {
            sink_stream_end(sink, stream, SINK_END_idle, now_ns);
        }
        return;
    }
    if (config->stall_timeout_ns > 0 && now_ns >= stream->last_ns + config->stall_timeout_ns &&
        unread_bytes(stream->socket) == 0) {
        sink_stream_end(sink, stream, SINK_END_stalled, now_ns);
        return;
    }
    sink_stream_watch_silence(sink, stream, now_ns);
}
