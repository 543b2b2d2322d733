// SPDX-License-Identifier: MIT
// Serve: our stack as a server of Linux, for the interop scripts.
//
//     serve --tap tap0 --address 10.77.0.2 --port 5001 --store GOT [--file F]
//     serve --tap tap0 --address 10.77.0.2 --port 5001 --iperf
//
// Takes one connection. Without --iperf what comes goes into the file GOT, and F is sent the other
// way at the same time, which is then closed; it ends when both directions have. With --iperf it
// serves one test of iperf 2 over TCP or UDP. Writes a report of "name value" lines.
#include "attach.h"
#include "common/exit_code.h"
#include "common/options.h"
#include "common/signals.h"
#include "loop.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coradio/app_rx.h"
#include "coradio/bytes.h"
#include "coradio/ip4.h"
#include "coradio/tcp.h"
#include "coradio/tcp_listen.h"
#include "coradio/udp.h"

#define RING_BYTES    131072u
#define RECEIVE_BYTES 262144u
#define UDP_BYTES     1472u
#define UDP_SLOTS     4u

struct values {
    const char *tap;
    const char *unix_path;
    const char *address;
    const char *store;
    const char *file;
    const char *report;
    uint64_t port;
    uint64_t duration_ns;
    uint64_t receive_ring;
    bool iperf;
};

static struct serve {
    struct values values;
    struct cor_net net;
    struct cor_tap tap;
    struct cor_tcp tcp;
    struct cor_tcp *block;
    struct cor_tcp_listener listener;
    struct cor_udp udp;
    struct cor_app_rx rx;
    struct cor_tcp_segment segments[COR_TCP_SEGMENTS_FOR(RING_BYTES)];
    uint32_t ring[RING_BYTES / 4];
    uint8_t receive_ring[RECEIVE_BYTES];
    _Alignas(4) uint8_t udp_memory[UDP_SLOTS * UDP_BYTES];
    struct cor_udp_slot udp_slots[UDP_SLOTS];
    int store;
    int file;
    bool accepted;
    bool sent_all;
    bool got_all;
    bool done;
    enum cor_status status;
    uint64_t open_us;
    uint64_t end_us;
    uint64_t got_bytes;
} serve = {.store = -1, .file = -1};

#define AT(member) OPTION_AT(struct values, member)

// clang-format off
static const struct option_row rows[] = {
    {"tap", OPTION_TEXT, "NAME", "TAP device to be on", .at = AT(tap)},
    {"unix", OPTION_TEXT, "PATH", "socket of a bridge to be on", .at = AT(unix_path)},
    {"address", OPTION_TEXT, "A", "our address; the netmask is 255.255.255.0", .at = AT(address)},
    {"port", OPTION_COUNT, "N", "to listen on; default 5001", .at = AT(port), .min = 1,
     .max = 65535},
    {"store", OPTION_TEXT, "FILE", "where what comes goes", .at = AT(store)},
    {"file", OPTION_TEXT, "FILE", "what to send", .at = AT(file)},
    {"receive-ring", OPTION_SIZE, "N", "receive ring; default 64KiB", .at = AT(receive_ring),
     .min = 2920, .max = RECEIVE_BYTES},
    {"iperf", OPTION_FLAG, NULL, "serve one test of iperf 2", .at = AT(iperf)},
    {"duration", OPTION_TIME, "T", "give up after this time; default 60s", .at = AT(duration_ns)},
    {"report", OPTION_TEXT, "FILE", "where the report goes; default stdout", .at = AT(report)},
};
// clang-format on

static const struct options_spec spec = {
    .command = "serve",
    .usage = "--tap NAME|--unix PATH --address A [...]",
    .summary = "Our stack as a server, for the interop scripts.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

static void finish(enum cor_status status) {
    serve.done = true;
    serve.status = status;
    serve.end_us = cor_linux_now_us();
}

// --- One connection, both ways ---

static void take(uint64_t now_us) {
    const uint8_t *data;
    int32_t there;

    while (!serve.got_all && (there = cor_tcp_receive_buf(&serve.tcp, &data)) != 0) {
        if (there < 0) {
            serve.got_all = true;
            if (there != COR_E_CLOSED) {
                finish((enum cor_status)there);
            }
            return;
        }
        if (serve.store >= 0 && write(serve.store, data, (size_t)there) != there) {
            finish(COR_E_SOURCE);
            return;
        }
        serve.got_bytes += (uint32_t)there;
        cor_tcp_receive_ack(&serve.tcp, (uint32_t)there, now_us);
    }
}

static void give(uint64_t now_us) {
    uint8_t *room;
    int32_t size;

    while (!serve.sent_all && (size = cor_tcp_send_buf(&serve.tcp, &room)) > 0) {
        ssize_t got = serve.file >= 0 ? read(serve.file, room, (size_t)size) : 0;

        cor_tcp_send_ack(&serve.tcp, got > 0 ? (uint32_t)got : 0, now_us);
        if (got <= 0) {
            serve.sent_all = true;
            (void)cor_tcp_close(&serve.tcp, now_us);
        }
    }
}

static void run_raw(uint64_t now_us) {
    if (!serve.accepted) {
        serve.accepted = cor_tcp_accept(&serve.listener) != NULL;
        serve.open_us = now_us;
    }
    if (!serve.accepted) {
        return;
    }
    take(now_us);
    give(now_us);
    enum cor_tcp_state state = cor_tcp_state(&serve.tcp);
    bool over = state == COR_TCP_CLOSED || state == COR_TCP_TIME_WAIT;
    if (over && serve.got_all && !serve.done) {
        finish(cor_tcp_error(&serve.tcp));
    }
}

// --- Start ---

static void init_sockets(void) {
    struct cor_tcp_config tcp = {
        .ring = (uint8_t *)serve.ring,
        .ring_bytes = sizeof(serve.ring),
        .segments = serve.segments,
        .segment_count = sizeof(serve.segments) / sizeof(serve.segments[0]),
        .receive_ring = serve.receive_ring,
        .receive_ring_bytes = (uint32_t)serve.values.receive_ring,
    };
    struct cor_udp_config udp = {
        .memory = serve.udp_memory,
        .slot_bytes = UDP_BYTES,
        .slot_count = UDP_SLOTS,
        .slots = serve.udp_slots,
        .receive = cor_app_rx_datagram,
        .context = &serve.rx,
    };

    cor_tcp_init(&serve.tcp, &serve.net, &tcp);
    cor_udp_init(&serve.udp, &serve.net, &udp);
}

static enum cor_status start(uint64_t now_us) {
    struct cor_tcp_listen_config listen = {
        .port = (uint16_t)serve.values.port, .blocks = &serve.block, .block_count = 1};
    struct cor_app_rx_config rx = {
        .net = &serve.net,
        .port = (uint16_t)serve.values.port,
        .tcp = &serve.tcp,
        .udp = &serve.udp,
        .iperf = true,
    };

    init_sockets();
    if (serve.values.iperf) {
        cor_app_rx_init(&serve.rx, &rx);
        cor_app_rx_start(&serve.rx, now_us);
        return COR_OK;
    }
    serve.block = &serve.tcp;
    return cor_tcp_listen(&serve.listener, &serve.net, &listen);
}

static uint64_t step(uint64_t now_us) {
    uint64_t until_us = COR_NET_NEVER;

    if (!serve.values.iperf) {
        run_raw(now_us);
        return until_us;
    }
    until_us = cor_app_rx_poll(&serve.rx, now_us);
    if (cor_app_rx_over(&serve.rx)) {
        serve.got_bytes = serve.rx.received_bytes;
        finish(serve.rx.status);
    }
    return until_us;
}

static void run(void) {
    uint64_t end_us = cor_linux_now_us() + serve.values.duration_ns / 1000;
    struct pollfd stop = {.fd = signals_fd(), .events = POLLIN};
    enum cor_status status;

    cor_tap_start(&serve.tap, cor_linux_now_us());
    status = start(cor_linux_now_us());
    if (status != COR_OK) {
        finish(status);
    }
    printf("serving\n");
    fflush(stdout);
    while (!serve.done && !signals_stop_asked()) {
        uint64_t until_us = step(cor_linux_now_us());

        if (cor_linux_now_us() >= end_us) {
            finish(COR_E_TIMEOUT);
        }
        until_us = until_us < end_us ? until_us : end_us;
        if (!serve.done && cor_linux_poll(&serve.tap, &serve.net, until_us, &stop, 1) != COR_OK) {
            finish(COR_E_LINK_DOWN);
        }
    }
    // The last acknowledgement, and those of what the peer sends again.
    end_us = cor_linux_now_us() + 300000;
    while (serve.status == COR_OK && cor_linux_now_us() < end_us &&
           cor_linux_poll(&serve.tap, &serve.net, end_us, NULL, 0) == COR_OK) {
    }
}

static int report(void) {
    FILE *file = serve.values.report != NULL ? fopen(serve.values.report, "w") : stdout;
    const struct cor_counter_info *list;
    const uint64_t *values = (const uint64_t *)cor_tcp_get_counters(&serve.tcp);
    uint64_t us = serve.end_us - serve.open_us;
    uint32_t count;

    if (file == NULL) {
        fprintf(stderr, "serve: cannot write '%s': %s\n", serve.values.report, strerror(errno));
        return EXIT_CODE_ENVIRONMENT;
    }
    fprintf(file, "result %s\n", serve.done ? cor_status_name(serve.status) : "interrupted");
    fprintf(file, "got_bytes %" PRIu64 "\n", serve.got_bytes);
    fprintf(file, "goodput_bps %.0f\n", us > 0 ? (double)serve.got_bytes * 8e6 / (double)us : 0.0);
    list = cor_tcp_counter_list(&count);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "tcp_%s %" PRIu64 "\n", list[i].name, values[i]);
    }
    values = (const uint64_t *)cor_net_get_counters(&serve.net);
    list = cor_net_counter_list(&count);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "net_%s %" PRIu64 "\n", list[i].name, values[i]);
    }
    if (serve.values.report != NULL) {
        fclose(file);
    }
    return serve.done && serve.status == COR_OK ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}

static int open_all(struct cor_net_config *config) {
    const struct values *values = &serve.values;
    int error;

    if ((values->tap == NULL) == (values->unix_path == NULL) || values->address == NULL ||
        !cor_ip4_parse(values->address, &config->address)) {
        return options_error(&spec, "give one of --tap and --unix, and --address");
    }
    if (values->store != NULL) {
        serve.store = open(values->store, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (values->file != NULL) {
        serve.file = open(values->file, O_RDONLY | O_CLOEXEC);
    }
    if ((values->store != NULL && serve.store < 0) || (values->file != NULL && serve.file < 0)) {
        return options_error(&spec, "--store or --file cannot be opened: %s", strerror(errno));
    }
    if (cor_linux_secret(config->secret) != 0 || signals_catch() != 0) {
        return EXIT_CODE_ENVIRONMENT;
    }
    config->mac[0] = 0x02;
    cor_put_be32(config->mac + 2, config->address);
    cor_net_init(&serve.net, config, cor_linux_now_us());
    error = values->tap != NULL
                ? cor_tap_open(&serve.tap, values->tap, cor_net_frames(&serve.net))
                : attach_unix(&serve.tap, values->unix_path, cor_net_frames(&serve.net));
    if (error != 0) {
        fprintf(stderr, "serve: cannot open the device: %s\n", strerror(error));
        return EXIT_CODE_ENVIRONMENT;
    }
    return OPTIONS_GO_ON;
}

int main(int argc, char **argv) {
    struct cor_net_config config = {.mtu = 1500, .netmask = COR_IP4(255, 255, 255, 0)};
    int code;

    serve.values = (struct values){.port = 5001, .duration_ns = 60000000000, .receive_ring = 65536};
    code = options_parse(&spec, argc, argv, &serve.values);
    if (code == OPTIONS_GO_ON) {
        code = open_all(&config);
    }
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    run();
    code = report();
    cor_tap_close(&serve.tap, cor_linux_now_us());
    return code;
}
