// SPDX-License-Identifier: MIT
// Talk: our stack as a program that foreign programs talk to, for the interop scripts.
//
//     talk --tap tap0 --address 10.77.0.2/24 --app pipe --listen 5001 --in A --out B
//     talk --tap tap0 --address 10.77.0.2/24 --app iperf-server
//
// `pipe` sends one file and writes what comes into another, both at once, over a connection that it
// takes or opens. Its own direction ends with the file, or, without one, when the peer has ended.
// The iperf apps are those of the core. Writes a report of "name value" lines. Exit 0: every
// connection came to its end without an error; 1: one did not.
#include "common/exit_code.h"
#include "common/options.h"
#include "common/signals.h"
#include "device.h"
#include "loop.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "coradio/app_iperf.h"
#include "coradio/app_rx.h"
#include "coradio/app_tx.h"
#include "coradio/reassembly.h"
#include "coradio/tcp_listen.h"

#define RING_BYTES_MAX 262140u
#define DATAGRAM_BYTES 1472u
#define DATAGRAM_SLOTS 8u
#define PACKET_SLOTS   2u
#define PACKET_BYTES   4096u
#define TURN_BYTES_MAX 65536u  // written to the file in one turn

enum app { APP_PIPE, APP_IPERF_SERVER, APP_IPERF_CLIENT };

static const char *const app_names[] = {"pipe", "iperf-server", "iperf-client", NULL};

struct values {
    struct device_values device;
    int app;
    uint64_t listen;
    const char *to;
    const char *in;
    const char *out;
    uint64_t connections;
    uint64_t bytes;
    uint64_t ring_bytes;
    uint64_t receive_ring_bytes;
    uint64_t pause_after_bytes;
    uint64_t pause_ns;
    uint64_t duration_ns;
    bool sack_off;
    const char *report;
};

struct talk {
    struct values values;
    struct cor_net net;
    struct cor_tap tap;
    struct cor_tcp tcp;
    struct cor_udp udp;
    struct cor_tcp_listener listener;
    struct cor_tcp *blocks[1];
    struct cor_app_rx rx;
    struct cor_app_tx tx;
    struct cor_iperf_source source;
    struct cor_reassembly reassembly;
    uint32_t to_address;
    uint16_t to_port;
    int in;
    int out;
    bool taken;     // the connection has been accepted, or was opened by us
    bool in_ended;  // our direction is closed
    bool out_ended;
    bool done;
    enum cor_status status;
    uint64_t connection_count;
    uint64_t received_bytes;
    uint64_t first_us;  // when the first and the last byte came
    uint64_t last_us;
    uint64_t gap_us_max;
    uint64_t pause_until_us;  // nothing is read before; 0: the pause has not begun
    _Alignas(4) uint8_t ring[RING_BYTES_MAX];
    _Alignas(4) uint8_t receive_ring[RING_BYTES_MAX];
    _Alignas(4) uint8_t udp_memory[DATAGRAM_SLOTS * DATAGRAM_BYTES];
    _Alignas(4) uint8_t packet_memory[COR_REASSEMBLY_BYTES(PACKET_SLOTS, PACKET_BYTES)];
    struct cor_udp_slot udp_slots[DATAGRAM_SLOTS];
    struct cor_reassembly_slot packet_slots[PACKET_SLOTS];
    struct cor_tcp_segment segments[COR_TCP_SEGMENTS_FOR(RING_BYTES_MAX)];
};

#define AT(member) OPTION_AT(struct values, member)

// clang-format off
static const struct option_row rows[] = {
    DEVICE_ROWS(struct values, device),
    {"app", OPTION_CHOICE, "NAME", "pipe, iperf-server or iperf-client", .at = AT(app),
     .choices = app_names},
    {"listen", OPTION_COUNT, "PORT", "where connections are taken; default 5001",
     .at = AT(listen), .min = 1, .max = 65535},
    {"to", OPTION_TEXT, "HOST:PORT", "open the connection instead", .at = AT(to)},
    {"in", OPTION_TEXT, "FILE", "pipe: what to send; default nothing", .at = AT(in)},
    {"out", OPTION_TEXT, "FILE", "pipe: where to write what comes; default nowhere",
     .at = AT(out)},
    {"connections", OPTION_COUNT, "N", "pipe: taken one after the other; default 1",
     .at = AT(connections), .min = 1},
    {"bytes", OPTION_SIZE, "N", "iperf-client: how much to send; default 4MiB", .at = AT(bytes),
     .min = 24, .max = INT32_MAX},
    {"ring", OPTION_SIZE, "N", "send ring; default 64KiB", .at = AT(ring_bytes),
     .min = 2 * 1460, .max = RING_BYTES_MAX},
    {"receive-ring", OPTION_SIZE, "N", "receive ring; default 64KiB",
     .at = AT(receive_ring_bytes), .min = 1460, .max = RING_BYTES_MAX},
    {"pause-after", OPTION_SIZE, "N", "pipe: do not read for a while once N bytes have come",
     .at = AT(pause_after_bytes)},
    {"pause", OPTION_TIME, "T", "pipe: how long; default 1s", .at = AT(pause_ns)},
    {"duration", OPTION_TIME, "T", "end after this time; default never", .at = AT(duration_ns)},
    {"sack-off", OPTION_FLAG, NULL, "do not offer SACK", .at = AT(sack_off)},
    {"report", OPTION_TEXT, "FILE", "where the report goes; default stdout", .at = AT(report)},
};
// clang-format on

static const struct options_spec spec = {
    .command = "talk",
    .usage = "--tap NAME|--unix PATH --address A/BITS --app NAME [...]",
    .summary = "Our stack as a program that foreign programs talk to, for the interop scripts.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static void end(struct talk *talk, enum cor_status status) {
    talk->done = true;
    talk->status = status;
}

// --- Pipe ---

static int open_files(struct talk *talk) {
    if (talk->values.in != NULL) {
        talk->in = open(talk->values.in, O_RDONLY | O_CLOEXEC);
        if (talk->in < 0) {
            return options_error(&spec, "--in %s: %s", talk->values.in, strerror(errno));
        }
    }
    if (talk->values.out != NULL) {
        talk->out = open(talk->values.out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (talk->out < 0) {
            return options_error(&spec, "--out %s: %s", talk->values.out, strerror(errno));
        }
    }
    return OPTIONS_GO_ON;
}

// From the file into the room the ring lends; without a file our direction ends with the peer's.
static void give(struct talk *talk, uint64_t now_us) {
    while (!talk->in_ended) {
        uint8_t *room;
        int32_t size = talk->in >= 0 ? cor_tcp_send_buf(&talk->tcp, &room) : 0;
        ssize_t got = 0;

        if (talk->in >= 0 ? size <= 0 : !talk->out_ended) {
            return;
        }
        if (talk->in >= 0) {
            got = read(talk->in, room, (size_t)size);
            cor_tcp_send_ack(&talk->tcp, got > 0 ? (uint32_t)got : 0, now_us);
        }
        if (got <= 0) {
            talk->in_ended = true;
            (void)cor_tcp_close(&talk->tcp, now_us);  // its end is seen by the state
        }
    }
}

static void note_received(struct talk *talk, uint32_t size_bytes, uint64_t now_us) {
    uint64_t gap_us = now_us - talk->last_us;

    if (talk->first_us == 0) {
        talk->first_us = now_us;
    } else if (gap_us > talk->gap_us_max) {
        talk->gap_us_max = gap_us;
    }
    talk->last_us = now_us;
    talk->received_bytes += size_bytes;
}

// True while the application does not want to read.
static bool paused(struct talk *talk, uint64_t now_us) {
    if (talk->values.pause_after_bytes == 0 ||
        talk->received_bytes < talk->values.pause_after_bytes) {
        return false;
    }
    if (talk->pause_until_us == 0) {
        talk->pause_until_us = now_us + talk->values.pause_ns / 1000;
    }
    return now_us < talk->pause_until_us;
}

// What has come goes into the file. Returns true when it stopped for its bound.
static bool take(struct talk *talk, uint64_t now_us) {
    uint32_t taken = 0;

    while (!paused(talk, now_us)) {
        const uint8_t *data;
        int32_t size = cor_tcp_receive_buf(&talk->tcp, &data);

        if (size <= 0) {
            talk->out_ended |= size == COR_E_CLOSED;
            return false;
        }
        if (talk->out >= 0 && write(talk->out, data, (size_t)size) != size) {
            end(talk, COR_E_SOURCE);
            return false;
        }
        note_received(talk, (uint32_t)size, now_us);
        cor_tcp_receive_ack(&talk->tcp, (uint32_t)size, now_us);
        taken += (uint32_t)size;
        if (taken >= TURN_BYTES_MAX) {
            return true;
        }
    }
    return false;
}

// The connection is over: the next one, or the end.
static void next_connection(struct talk *talk, uint64_t now_us) {
    enum cor_status status = cor_tcp_error(&talk->tcp);

    talk->connection_count++;
    if (status != COR_OK || talk->values.to != NULL ||
        talk->connection_count == talk->values.connections) {
        end(talk, status);
        return;
    }
    cor_tcp_give(&talk->tcp, now_us);
    talk->taken = false;
    talk->in_ended = false;
    talk->out_ended = false;
    if (talk->in >= 0) {
        (void)lseek(talk->in, 0, SEEK_SET);
    }
}

static uint64_t poll_pipe(struct talk *talk, uint64_t now_us) {
    enum cor_tcp_state state = cor_tcp_state(&talk->tcp);

    if (!talk->taken) {
        talk->taken = talk->values.to != NULL ? state != COR_TCP_SYN_SENT
                                              : cor_tcp_accept(&talk->listener) != NULL;
        if (!talk->taken) {
            return COR_NET_NEVER;
        }
    }
    give(talk, now_us);
    bool more = take(talk, now_us);
    give(talk, now_us);  // what ends when the peer has
    state = cor_tcp_state(&talk->tcp);
    // What was received before the end may still wait to be read.
    if (!talk->done && (state == COR_TCP_TIME_WAIT || state == COR_TCP_CLOSED) &&
        cor_tcp_readable_bytes(&talk->tcp) == 0) {
        next_connection(talk, now_us);
    }
    if (more) {
        return now_us;
    }
    return paused(talk, now_us) ? talk->pause_until_us : COR_NET_NEVER;
}

static enum cor_status start_pipe(struct talk *talk, uint64_t now_us) {
    struct cor_tcp_listen_config listen = {
        .port = (uint16_t)talk->values.listen,
        .blocks = talk->blocks,
        .block_count = 1,
    };

    if (talk->values.to != NULL) {
        return cor_tcp_connect(&talk->tcp, talk->to_address, talk->to_port, now_us);
    }
    talk->blocks[0] = &talk->tcp;
    return cor_tcp_listen(&talk->listener, &talk->net, &listen);
}

// --- iperf ---

static enum cor_status start_iperf(struct talk *talk, uint64_t now_us) {
    struct cor_app_rx_config rx = {
        .net = &talk->net,
        .port = (uint16_t)talk->values.listen,
        .tcp = &talk->tcp,
        .udp = &talk->udp,
        .iperf = true,
    };
    struct cor_app_tx_config tx = {
        .source = &talk->source.source,
        .address = talk->to_address,
        .port = talk->to_port,
        .tcp = &talk->tcp,
    };

    if (talk->values.app == APP_IPERF_SERVER) {
        cor_app_rx_init(&talk->rx, &rx);
        cor_app_rx_start(&talk->rx, now_us);
        return talk->rx.status;
    }
    cor_iperf_source_init(&talk->source, talk->values.bytes);
    cor_app_tx_init(&talk->tx, &tx);
    cor_app_tx_start(&talk->tx, now_us);
    return talk->tx.status;
}

static uint64_t poll_iperf(struct talk *talk, uint64_t now_us) {
    uint64_t due_us;

    if (talk->values.app == APP_IPERF_SERVER) {
        due_us = cor_app_rx_poll(&talk->rx, now_us);
        if (cor_app_rx_over(&talk->rx)) {
            end(talk, talk->rx.status);
        }
        return due_us;
    }
    due_us = cor_app_tx_poll(&talk->tx, now_us);
    if (cor_app_tx_over(&talk->tx)) {
        end(talk, talk->tx.status);
    }
    return due_us;
}

// --- The whole ---

static void init(struct talk *talk, struct cor_net_config *config, uint64_t now_us) {
    struct cor_reassembly_config reassembly = {
        .memory = talk->packet_memory,
        .slots = talk->packet_slots,
        .slot_count = PACKET_SLOTS,
        .slot_bytes = PACKET_BYTES,
    };
    struct cor_tcp_config tcp = {
        .ring = talk->ring,
        .ring_bytes = (uint32_t)talk->values.ring_bytes & ~3u,
        .receive_ring = talk->receive_ring,
        .receive_ring_bytes = (uint32_t)talk->values.receive_ring_bytes,
        .segments = talk->segments,
        .segment_count = sizeof(talk->segments) / sizeof(talk->segments[0]),
        .sack_off = talk->values.sack_off,
        // A new connection of the same ends shall not have to wait.
        .segment_lifetime_us = 500000,
    };
    struct cor_udp_config udp = {
        .memory = talk->udp_memory,
        .slot_bytes = DATAGRAM_BYTES,
        .slot_count = DATAGRAM_SLOTS,
        .slots = talk->udp_slots,
        .receive = cor_app_rx_datagram,
        .context = &talk->rx,
    };

    cor_reassembly_init(&talk->reassembly, &reassembly);
    config->reassembly = &talk->reassembly;
    cor_net_init(&talk->net, config, now_us);
    cor_tcp_init(&talk->tcp, &talk->net, &tcp);
    cor_udp_init(&talk->udp, &talk->net, &udp);
}

static void run(struct talk *talk) {
    bool pipe_wanted = talk->values.app == APP_PIPE;
    uint64_t begin_us = cor_linux_now_us();
    uint64_t end_us =
        talk->values.duration_ns != 0 ? begin_us + talk->values.duration_ns / 1000 : COR_NET_NEVER;
    struct pollfd stop = {.fd = signals_fd(), .events = POLLIN};

    cor_tap_start(&talk->tap, begin_us);
    enum cor_status status = pipe_wanted ? start_pipe(talk, begin_us) : start_iperf(talk, begin_us);
    if (status != COR_OK) {
        end(talk, status);
    }
    printf("ready\n");
    while (!talk->done && !signals_stop_asked()) {
        uint64_t now_us = cor_linux_now_us();
        uint64_t until_us = pipe_wanted ? poll_pipe(talk, now_us) : poll_iperf(talk, now_us);

        if (!talk->done && now_us >= end_us) {
            end(talk, COR_E_TIMEOUT);
        }
        until_us = until_us < end_us ? until_us : end_us;
        if (!talk->done && cor_linux_poll(&talk->tap, &talk->net, until_us, &stop, 1) != COR_OK) {
            end(talk, COR_E_LINK_DOWN);
        }
    }
    // The last acknowledgement, which ends the peer.
    if (cor_linux_poll(&talk->tap, &talk->net, cor_linux_now_us(), NULL, 0) != COR_OK) {
        talk->tap.gone = true;
    }
}

static int report(const struct talk *talk) {
    const char *path = talk->values.report;
    FILE *file = path != NULL ? fopen(path, "w") : stdout;
    const struct cor_counter_info *list;
    uint32_t count;
    uint64_t us = talk->last_us - talk->first_us;
    bool pipe_wanted = talk->values.app == APP_PIPE;

    if (file == NULL) {
        fprintf(stderr, "talk: cannot write '%s': %s\n", path, strerror(errno));
        return EXIT_CODE_ENVIRONMENT;
    }
    fprintf(file, "result %s\n", talk->done ? cor_status_name(talk->status) : "interrupted");
    fprintf(file, "connections %" PRIu64 "\n", talk->connection_count);
    fprintf(
        file,
        "received_bytes %" PRIu64 "\n",
        pipe_wanted ? talk->received_bytes : talk->rx.received_bytes);
    fprintf(file, "datagrams %" PRIu64 "\n", talk->rx.datagrams);
    fprintf(file, "datagrams_missing %" PRIu64 "\n", talk->rx.missing);
    fprintf(file, "receive_us %" PRIu64 "\n", us);
    fprintf(
        file, "receive_bps %.0f\n", us > 0 ? (double)talk->received_bytes * 8e6 / (double)us : 0);
    fprintf(file, "receive_gap_us_max %" PRIu64 "\n", talk->gap_us_max);
    list = cor_tcp_counter_list(&count);
    device_print_counters(file, "tcp", list, count, cor_tcp_get_counters(&talk->tcp));
    list = cor_udp_counter_list(&count);
    device_print_counters(file, "udp", list, count, cor_udp_get_counters(&talk->udp));
    list = cor_reassembly_counter_list(&count);
    device_print_counters(
        file, "reassembly", list, count, cor_reassembly_get_counters(&talk->reassembly));
    device_print(file, &talk->net, &talk->tap);
    if (path != NULL) {
        fclose(file);
    }
    return EXIT_CODE_DONE;
}

static int read_values(struct talk *talk, int argc, char **argv, struct cor_net_config *config) {
    struct values *values = &talk->values;
    uint64_t port = 0;
    int code = options_parse(&spec, argc, argv, values);

    if (code == OPTIONS_GO_ON) {
        code = device_config(&spec, &values->device, config);
    }
    if (code == OPTIONS_GO_ON) {
        code = open_files(talk);
    }
    if (code == OPTIONS_GO_ON && (values->to != NULL || values->app == APP_IPERF_CLIENT) &&
        (values->to == NULL || !device_split(values->to, ':', &talk->to_address, &port) ||
         port == 0 || port > 65535)) {
        return options_error(&spec, "--to must be an address and a port, as 10.77.0.1:5001");
    }
    talk->to_port = (uint16_t)port;
    return code;
}

int main(int argc, char **argv) {
    static struct talk talk = {
        .values =
            {.listen = 5001,
             .connections = 1,
             .bytes = 4 << 20,
             .ring_bytes = 65536,
             .receive_ring_bytes = 65536,
             .pause_ns = 1000000000},
        .in = -1,
        .out = -1,
    };
    struct cor_net_config config = {0};
    int code = read_values(&talk, argc, argv, &config);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (signals_catch() != 0) {
        return EXIT_CODE_ENVIRONMENT;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    init(&talk, &config, cor_linux_now_us());
    code = device_open(&spec, &talk.values.device, &talk.tap, &talk.net);
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    run(&talk);
    code = report(&talk);
    cor_tap_close(&talk.tap, cor_linux_now_us());
    if (code != EXIT_CODE_DONE) {
        return code;
    }
    return talk.done && talk.status == COR_OK ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}
