// SPDX-License-Identifier: MIT
// The loop: wait, read what is ready, look at the clock; and the life of a sink around it.
#include "common/clock.h"
#include "common/exit_code.h"
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EVENTS = 512, LAST_READS_MAX = 64 };

// As many connections as the system allows this process.
static void raise_descriptor_limit(void) {
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);  // without it there are just fewer connections
    }
}

static int complain(const struct sink *sink, const char *what, const char *name, int error) {
    fprintf(sink->config.log, "%s: %s%s: %s\n", sink->config.command, what, name, strerror(error));
    return EXIT_CODE_ENVIRONMENT;
}

static int open_store(struct sink *sink) {
    const struct sink_config *config = &sink->config;

    if (config->store_path == NULL) {
        return 0;
    }
    int error = sink_store_open(&sink->store, config->store_path);
    if (error != 0) {
        sink->store.path = NULL;
        fprintf(
            config->log,
            "%s: cannot store in '%s': %s; give --store a folder that can be written\n",
            config->command,
            config->store_path,
            strerror(error));
        return EXIT_CODE_ENVIRONMENT;
    }
    sink->store.file_bytes_max = config->file_bytes_max;
    sink->store.total_bytes_max = config->total_bytes_max;
    return 0;
}

static int watch_all(struct sink *sink) {
    const int sockets[] = {sink->listener, sink->udp, sink->config.stop_socket};
    // cppcheck-suppress constVariable
    void *const marks[] = {&sink->listener, &sink->udp, &sink->config.stop_socket};

    for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++) {
        struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = marks[i]}};

        if (sockets[i] >= 0 && epoll_ctl(sink->epoll, EPOLL_CTL_ADD, sockets[i], &event) != 0) {
            return complain(sink, "cannot watch a socket", "", errno);
        }
    }
    return 0;
}

int sink_open(struct sink *sink, const struct sink_config *config) {
    memset(sink, 0, sizeof(*sink));
    sink->config = *config;
    sink->epoll = -1;
    sink->listener = -1;
    sink->udp = -1;
    sink->store.folder = -1;
    raise_descriptor_limit();
    int code = open_store(sink);
    if (code != 0) {
        return code;
    }
    sink->buffer = malloc(SINK_READ_BYTES);
    sink->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (sink->buffer == NULL || sink->epoll < 0) {
        return complain(sink, "cannot start", "", errno);
    }
    code = sink_listen(sink);
    if (code == 0) {
        int error = sink_udp_open(sink);

        code = error == 0 ? watch_all(sink) : complain(sink, "cannot set up UDP", "", error);
    }
    if (code != 0) {
        return code;
    }
    clock_gettime(CLOCK_REALTIME, &sink->start_utc);
    sink->start_ns = clock_now_ns();
    sink_host_look(&sink->host_begin);
    sink_watch_init(&sink->watch, sink->start_ns);
    sink->tick_due_ns = sink->start_ns + SINK_TICK_NS;
    sink->bin_begin_ns = sink->start_ns;
    sink->interval_begin_ns = sink->start_ns;
    sink->interval_due_ns = sink->start_ns + SINK_INTERVAL_NS;
    sink->shown_ns = sink->start_ns;
    sink->stall_lines_left = SINK_STALL_LINES;
    sink->show_due_ns = sink->start_ns + config->interval_ns;
    fprintf(config->ready, "listening on %s\n", sink->host);
    fflush(config->ready);
    if (!config->quiet) {
        sink_print_advice(sink);
    }
    return 0;
}

static void tick(struct sink *sink, uint64_t now_ns) {
    struct sink_stream *next = NULL;

    for (struct sink_stream *each = sink->live; each != NULL; each = next) {
        next = each->next;
        if (each->kind == SINK_TCP) {
            sink_tcp_tick(sink, each, now_ns);
        } else {
            sink_udp_tick(sink, each, now_ns);
        }
    }
    sink_interval_tick(sink, now_ns);
    while (sink->tick_due_ns <= now_ns) {
        sink->tick_due_ns += SINK_TICK_NS;
    }
}

static void serve(struct sink *sink, const struct epoll_event *event) {
    if (event->data.ptr == &sink->listener) {
        sink_tcp_accept(sink, clock_now_ns());
    } else if (event->data.ptr == &sink->udp) {
        sink_udp_read(sink);
    } else if (event->data.ptr == &sink->config.stop_socket) {
        sink->stop_asked = true;
    } else {
        sink_tcp_read(sink, event->data.ptr);
    }
}

// When the loop has to be back at the latest.
static uint64_t due(const struct sink *sink) {
    uint64_t due_ns = sink->tick_due_ns;

    if (sink->config.duration_ns > 0 && sink->start_ns + sink->config.duration_ns < due_ns) {
        due_ns = sink->start_ns + sink->config.duration_ns;
    }
    return due_ns;
}

static void turn(struct sink *sink) {
    struct epoll_event events[EVENTS];
    uint64_t now_ns = clock_now_ns();
    uint64_t due_ns = due(sink);
    uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;

    sink_watch_wait(&sink->watch, now_ns, due_ns);
    int count = epoll_wait(sink->epoll, events, EVENTS, (int)((left_ns + 999999) / 1000000));
    now_ns = clock_now_ns();
    sink_watch_wake(&sink->watch, now_ns);
    for (int i = 0; i < count; i++) {
        serve(sink, &events[i]);
    }
    now_ns = clock_now_ns();
    if (now_ns >= sink->tick_due_ns) {
        tick(sink, now_ns);
    }
    if (sink->config.duration_ns > 0 && now_ns >= sink->start_ns + sink->config.duration_ns) {
        sink->duration_over = true;
    }
    if (sink->config.count > 0 && sink->finished >= sink->config.count) {
        sink->count_reached = true;
    }
}

// What has arrived by now still counts: each connection is read until it is empty or ends.
static void finish(struct sink *sink) {
    struct sink_stream *next = NULL;

    sink_udp_read(sink);
    for (struct sink_stream *each = sink->live; each != NULL; each = next) {
        uint32_t live = sink->live_count;

        next = each->next;
        for (int i = 0; i < LAST_READS_MAX && each->kind == SINK_TCP; i++) {
            uint64_t before = each->reads;

            sink_tcp_read(sink, each);
            if (sink->live_count < live || each->reads == before) {
                break;
            }
        }
    }
    for (struct sink_stream *each = sink->live; each != NULL; each = next) {
        bool last = each->sequence.last_seen;

        next = each->next;
        sink_stream_end(sink, each, last ? SINK_END_last : SINK_END_stopped, clock_now_ns());
    }
    sink->end_ns = clock_now_ns();
    sink_watch_wait(&sink->watch, sink->end_ns, sink->end_ns);
    sink_interval_finish(sink, sink->end_ns);
    sink_host_look(&sink->host_end);
}

void sink_run(struct sink *sink) {
    while (!sink->stop_asked && !sink->duration_over && !sink->count_reached) {
        turn(sink);
    }
    finish(sink);
}

static void free_list(struct sink_stream *list) {
    while (list != NULL) {
        struct sink_stream *next = list->next;

        if (list->socket >= 0) {
            close(list->socket);
        }
        sink_stream_free(list);
        list = next;
    }
}

void sink_close(struct sink *sink) {
    const int descriptors[] = {sink->epoll, sink->listener, sink->udp};

    for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
        if (descriptors[i] >= 0) {
            close(descriptors[i]);
        }
    }
    free_list(sink->live);
    free_list(sink->ended);
    sink_store_close(&sink->store);
    sink_udp_close(sink);
    free(sink->intervals);
    free(sink->buffer);
    sink->live = NULL;
    sink->ended = NULL;
    sink->intervals = NULL;
    sink->buffer = NULL;
    sink->epoll = sink->listener = sink->udp = -1;
}
