// SPDX-License-Identifier: MIT
// Sink world: a sink over loopback for tests; its loop runs in a thread, the clients are sockets
// of the test.
//
// Each case listens on a port of its own, so that cases and other tests do not meet. A case calls
// fresh_config, changes what it wants, then start; join or stop; looks; finish.
#ifndef TESTS_SINK_WORLD_H
#define TESTS_SINK_WORLD_H

#include "sink/sink.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "coradio/datagram.h"

#define MS UINT64_C(1000000)

static struct sink sink;
static struct sink_config config;
static pthread_t thread;
static bool running;
static char *log_text;
static size_t log_size;
static FILE *log_file;
static char folder[64];

static inline void sleep_ms(unsigned ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    while (nanosleep(&time, &time) != 0) {
    }
}

static inline void *loop(void *unused) {
    (void)unused;
    sink_run(&sink);
    return NULL;
}

static inline void start(void) {
    CHECK_EQ(sink_open(&sink, &config), 0);
    CHECK_EQ(pthread_create(&thread, NULL, loop, NULL), 0);
    running = true;
}

// Waits for the loop to end by itself.
static inline void join(void) {
    pthread_join(thread, NULL);
    running = false;
    fflush(log_file);
}

static inline void stop(void) {
    uint64_t one = 1;

    CHECK_EQ(write(config.stop_socket, &one, sizeof(one)), sizeof(one));
    join();
}

static inline void finish(void) {
    sink_close(&sink);
    close(config.stop_socket);
}

static inline struct sink_config *fresh_config(void) {
    if (running) {
        // A case before this one failed with its sink still at work.
        sink.stop_asked = true;
        pthread_join(thread, NULL);
        running = false;
        sink_close(&sink);
    }
    config = (struct sink_config){.command = "coradio sink", .host = "127.0.0.1"};
    config.idle_timeout_ns = 10000 * MS;
    config.udp_silence_ns = 400 * MS;
    config.stop_socket = eventfd(0, EFD_NONBLOCK);
    if (log_file != NULL) {
        fclose(log_file);
        free(log_text);
    }
    log_file = open_memstream(&log_text, &log_size);
    config.log = log_file;
    config.ready = log_file;
    return &config;
}

static inline void expect_log(const char *phrase) {
    fflush(log_file);
    if (strstr(log_text, phrase) == NULL) {
        printf("  log:\n%s", log_text);
    }
    CHECK(strstr(log_text, phrase) != NULL);
}

static inline int client(int type) {
    int socket_of_client = socket(AF_INET, type, 0);

    CHECK(socket_of_client >= 0);
    CHECK_EQ(
        connect(
            socket_of_client,
            (struct sockaddr *)&sink.address,
            (socklen_t)sizeof(struct sockaddr_in)),
        0);
    return socket_of_client;
}

static inline unsigned port_of(int descriptor) {
    struct sockaddr_in own = {0};
    socklen_t size = sizeof(own);

    CHECK_EQ(getsockname(descriptor, (struct sockaddr *)&own, &size), 0);
    return ntohs(own.sin_port);
}

static inline void send_all(int descriptor, const void *data, size_t size_bytes) {
    const char *at = data;

    while (size_bytes > 0) {
        ssize_t sent = send(descriptor, at, size_bytes, MSG_NOSIGNAL);

        CHECK(sent > 0);
        at += sent;
        size_bytes -= (size_t)sent;
    }
}

static inline const struct sink_stream *stream_of_port(unsigned port) {
    for (const struct sink_stream *each = sink.ended; each != NULL; each = each->next) {
        if (sink_address_port(&each->peer) == port) {
            return each;
        }
    }
    CHECK(!"a stream of that port");
    return NULL;
}

static inline void new_folder(void) {
    snprintf(folder, sizeof(folder), "/tmp/coradio-sink-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
}

static inline void fill_pattern(uint8_t *data, size_t size_bytes, uint32_t seed) {
    for (size_t i = 0; i < size_bytes; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (uint8_t)(seed >> 24);
    }
}

static inline void send_numbered(int descriptor, uint32_t stream, uint32_t number, bool last) {
    uint8_t data[COR_DATAGRAM_BYTES + 84] = {0};
    struct cor_datagram header = {.stream = stream, .sequence = number, .last = last};
    size_t size = last ? COR_DATAGRAM_BYTES : sizeof(data);

    cor_datagram_emit(&header, data);
    memset(data + COR_DATAGRAM_BYTES, (int)('a' + number % 26), sizeof(data) - COR_DATAGRAM_BYTES);
    CHECK_EQ(send(descriptor, data, size, 0), (ssize_t)size);
}

#endif
