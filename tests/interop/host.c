// SPDX-License-Identifier: MIT
// Host: our stack as a program of Linux, for the interop scripts.
//
//     host --unix /run/x/socket --address 10.77.0.2/24 --app send --to 10.77.0.1:5001 --file F
//
// Writes a report of "name value" lines: the result, what was seen from outside, every counter of
// the stack. Exit 0: the application came to its end without an error; 1: it did not.
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

#include "coradio/datagram.h"
#include "coradio/ping.h"
#include "coradio/tcp.h"
#include "coradio/udp.h"

#define RING_BYTES_MAX 262140u
#define PING_BYTES_MAX 1472u
#define UDP_SLOTS      16u

enum app { APP_SEND, APP_PING, APP_UDP, APP_IDLE };

static const char *const app_names[] = {"send", "ping", "udp", "idle", NULL};

enum { CONTROLLER_RENO, CONTROLLER_RATE };

static const char *const controller_names[] = {"reno", "rate", NULL};

struct values {
    struct device_values device;
    const char *to;
    const char *file;
    const char *report;
    int app;
    uint64_t ring_bytes;
    uint64_t count;
    uint64_t payload_bytes;
    uint64_t interval_ns;
    uint64_t duration_ns;
    uint64_t connect_timeout_ns;
    bool sack_off;
    bool timestamps;
    int controller;
};

struct host {
    struct values values;
    struct cor_net net;
    struct cor_tap tap;
    struct cor_tcp tcp;
    struct cor_ping ping;
    struct cor_udp udp;
    uint32_t to_address;
    uint16_t to_port;
    enum cor_status status;  // how the application ended
    bool done;
    int file;
    bool file_ended;
    // Times of a transfer: connection open, last byte acknowledged, and the longest time without
    // one more in between.
    uint64_t open_us;
    uint64_t acked_us;
    uint64_t acked_bytes;
    uint64_t gap_us_max;
    uint64_t rtt_us_min;
    uint64_t rtt_us_max;
    uint64_t rtt_us_sum;
    // Of the datagrams: how many were committed, the closing ones included, and when the next is.
    uint64_t udp_count;
    uint64_t udp_due_us;
    _Alignas(4) uint8_t ring[RING_BYTES_MAX];
    _Alignas(4) uint8_t ping_payload[PING_BYTES_MAX];
    _Alignas(4) uint8_t udp_memory[UDP_SLOTS * PING_BYTES_MAX];
    struct cor_udp_slot udp_slots[UDP_SLOTS];
    struct cor_tcp_segment segments[COR_TCP_SEGMENTS_FOR(RING_BYTES_MAX)];
};

#define AT(member) OPTION_AT(struct values, member)

// clang-format off
static const struct option_row rows[] = {
    DEVICE_ROWS(struct values, device),
    {"app", OPTION_CHOICE, "NAME", "send, ping, udp or idle", .at = AT(app), .choices = app_names},
    {"to", OPTION_TEXT, "HOST[:PORT]", "the peer", .at = AT(to)},
    {"file", OPTION_TEXT, "FILE", "what to send", .at = AT(file)},
    {"ring", OPTION_SIZE, "N", "send ring; default 64KiB", .at = AT(ring_bytes),
     .min = 2 * 1460, .max = RING_BYTES_MAX},
    {"count", OPTION_COUNT, "N", "requests of ping, datagrams of udp; default 5",
     .at = AT(count), .min = 1},
    {"payload-bytes", OPTION_COUNT, "N", "of them; default 56", .at = AT(payload_bytes),
     .max = PING_BYTES_MAX},
    {"interval", OPTION_TIME, "T", "between two of them; default 100ms", .at = AT(interval_ns)},
    {"duration", OPTION_TIME, "T", "end after this time; default never", .at = AT(duration_ns)},
    {"connect-timeout", OPTION_TIME, "T", "for an unanswered SYN; default 180s",
     .at = AT(connect_timeout_ns)},
    {"sack-off", OPTION_FLAG, NULL, "do not offer SACK", .at = AT(sack_off)},
    {"timestamps", OPTION_FLAG, NULL, "offer timestamps", .at = AT(timestamps)},
    {"controller", OPTION_CHOICE, "NAME", "of the congestion window: reno or rate",
     .at = AT(controller), .choices = controller_names},
    {"report", OPTION_TEXT, "FILE", "where the report goes; default stdout", .at = AT(report)},
};
// clang-format on

static const struct options_spec spec = {
    .command = "host",
    .usage = "--tap NAME|--unix PATH --address A/BITS --app NAME [...]",
    .summary = "Our stack as a program, for the interop scripts.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

// --- Options ---

static int read_config(struct host *host, struct cor_net_config *config) {
    const struct values *values = &host->values;
    uint64_t port = 0;
    int code = device_config(&spec, &values->device, config);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (values->app != APP_IDLE &&
        (values->to == NULL || !device_split(values->to, ':', &host->to_address, &port) ||
         port > 65535)) {
        return options_error(&spec, "--to must be given, as 10.77.0.1:5001");
    }
    host->to_port = (uint16_t)port;
    if (values->app == APP_SEND) {
        host->file = values->file != NULL ? open(values->file, O_RDONLY | O_CLOEXEC) : -1;
        if (host->file < 0) {
            return options_error(&spec, "--file must be given and readable");
        }
    }
    return OPTIONS_GO_ON;
}

// --- Applications; each returns when it wants to be polled again ---

static void end(struct host *host, enum cor_status status) {
    host->done = true;
    host->status = status;
}

// From the file into the room the ring lends.
static void fill_ring(struct host *host, uint64_t now_us) {
    while (!host->file_ended) {
        uint8_t *room;
        int32_t size = cor_tcp_send_buf(&host->tcp, &room);

        if (size <= 0) {
            return;
        }
        ssize_t got = read(host->file, room, (size_t)size);
        cor_tcp_send_ack(&host->tcp, got > 0 ? (uint32_t)got : 0, now_us);
        if (got <= 0) {
            host->file_ended = true;
            (void)cor_tcp_close(&host->tcp, now_us);  // its end is seen by the state
        }
    }
}

static void note_progress(struct host *host, uint64_t now_us) {
    uint64_t acked = cor_tcp_get_counters(&host->tcp)->bytes_acked;

    if (acked != host->acked_bytes) {
        uint64_t gap_us = now_us - host->acked_us;

        host->gap_us_max = gap_us > host->gap_us_max ? gap_us : host->gap_us_max;
        host->acked_bytes = acked;
        host->acked_us = now_us;
    }
}

static uint64_t poll_send(struct host *host, uint64_t now_us) {
    enum cor_tcp_state state = cor_tcp_state(&host->tcp);

    if (state == COR_TCP_ESTABLISHED && host->open_us == 0) {
        host->open_us = now_us;
        host->acked_us = now_us;
    }
    note_progress(host, now_us);
    if (state == COR_TCP_CLOSED || state == COR_TCP_TIME_WAIT) {
        end(host, cor_tcp_error(&host->tcp));
    } else if (state == COR_TCP_ESTABLISHED || state == COR_TCP_CLOSE_WAIT) {
        fill_ring(host, now_us);
    }
    return COR_NET_NEVER;
}

static uint64_t poll_ping(struct host *host, uint64_t now_us) {
    (void)now_us;
    if (!cor_ping_busy(&host->ping)) {
        const struct cor_ping_counters *counters = cor_ping_get_counters(&host->ping);

        end(host, counters->lost == 0 ? COR_OK : COR_E_TIMEOUT);
    }
    return COR_NET_NEVER;
}

static void note_ping(void *context, const struct cor_ping_result *result) {
    struct host *host = context;

    if (!result->lost) {
        host->rtt_us_sum += result->rtt_us;
        host->rtt_us_min = result->rtt_us < host->rtt_us_min ? result->rtt_us : host->rtt_us_min;
        host->rtt_us_max = result->rtt_us > host->rtt_us_max ? result->rtt_us : host->rtt_us_max;
    }
}

// One datagram a call, each at its time; the closing ones are behind the others.
static uint64_t poll_udp(struct host *host, uint64_t now_us) {
    uint64_t count = host->values.count;
    struct cor_datagram datagram = {.stream = (uint32_t)getpid()};
    uint32_t size_bytes = (uint32_t)host->values.payload_bytes;
    uint8_t *room;

    if (host->udp_count == count + COR_DATAGRAM_LAST_COUNT) {
        if (cor_udp_pending(&host->udp) == 0 && now_us >= host->udp_due_us) {
            end(host, COR_OK);
        }
        return host->udp_due_us;
    }
    if (now_us < host->udp_due_us) {
        return host->udp_due_us;
    }
    if (cor_udp_send_buf(&host->udp, &room) <= 0) {
        return COR_NET_NEVER;  // until one has left
    }
    datagram.last = host->udp_count >= count;
    datagram.sequence = (uint32_t)(datagram.last ? count : host->udp_count);
    size_bytes = datagram.last ? COR_DATAGRAM_BYTES : size_bytes;
    memset(room, (int)(host->udp_count & 0xFF), size_bytes);
    cor_datagram_emit(&datagram, room);
    cor_udp_send_ack(&host->udp, size_bytes, now_us);
    host->udp_count++;
    host->udp_due_us += host->values.interval_ns / 1000;
    return host->udp_due_us;
}

static enum cor_status start_send(struct host *host, uint64_t now_us) {
    struct cor_tcp_config config = {
        .ring = host->ring,
        .ring_bytes = (uint32_t)host->values.ring_bytes & ~3u,
        .segments = host->segments,
        .segment_count = sizeof(host->segments) / sizeof(host->segments[0]),
        .sack_off = host->values.sack_off,
        .timestamps = host->values.timestamps ? COR_TCP_TIMESTAMPS_OFFER : COR_TCP_TIMESTAMPS_OFF,
        .controller = host->values.controller == CONTROLLER_RATE ? &cor_tcp_rate : &cor_tcp_reno,
        .connect_timeout_us = host->values.connect_timeout_ns / 1000,
    };

    cor_tcp_init(&host->tcp, &host->net, &config);
    return cor_tcp_connect(&host->tcp, host->to_address, host->to_port, now_us);
}

static enum cor_status start_ping(struct host *host, uint64_t now_us) {
    struct cor_ping_config config = {
        .payload = host->ping_payload,
        .payload_room_bytes = sizeof(host->ping_payload),
        .result = note_ping,
        .context = host,
    };
    struct cor_ping_plan plan = {
        .payload_bytes = (uint16_t)host->values.payload_bytes,
        .count = (uint32_t)host->values.count,
        .interval_us = host->values.interval_ns / 1000,
    };

    host->rtt_us_min = UINT64_MAX;
    cor_ping_init(&host->ping, &host->net, &config);
    return cor_ping_start(&host->ping, host->to_address, &plan, now_us);
}

static enum cor_status start_udp(struct host *host, uint64_t now_us) {
    struct cor_udp_config config = {
        .memory = host->udp_memory,
        .slot_bytes = PING_BYTES_MAX,
        .slot_count = UDP_SLOTS,
        .slots = host->udp_slots,
    };

    if (host->values.payload_bytes < COR_DATAGRAM_BYTES) {
        return COR_E_ARG;
    }
    host->udp_due_us = now_us;
    cor_udp_init(&host->udp, &host->net, &config);
    return cor_udp_connect(&host->udp, host->to_address, host->to_port, now_us);
}

static void start(struct host *host, uint64_t now_us) {
    enum cor_status status = COR_OK;

    if (host->values.app == APP_SEND) {
        status = start_send(host, now_us);
    } else if (host->values.app == APP_PING) {
        status = start_ping(host, now_us);
    } else if (host->values.app == APP_UDP) {
        status = start_udp(host, now_us);
    }
    if (status != COR_OK) {
        end(host, status);
    }
}

static void run(struct host *host) {
    uint64_t begin_us = cor_linux_now_us();
    uint64_t end_us =
        host->values.duration_ns != 0 ? begin_us + host->values.duration_ns / 1000 : COR_NET_NEVER;
    struct pollfd stop = {.fd = signals_fd(), .events = POLLIN};

    cor_tap_start(&host->tap, begin_us);
    start(host, begin_us);
    while (!host->done && !signals_stop_asked()) {
        uint64_t now_us = cor_linux_now_us();
        uint64_t until_us = end_us;

        if (host->values.app == APP_SEND) {
            until_us = poll_send(host, now_us);
        } else if (host->values.app == APP_PING) {
            until_us = poll_ping(host, now_us);
        } else if (host->values.app == APP_UDP) {
            until_us = poll_udp(host, now_us);
        }
        if (host->done) {
            return;
        }
        if (now_us >= end_us) {
            end(host, host->values.app == APP_IDLE ? COR_OK : COR_E_TIMEOUT);
            return;
        }
        until_us = until_us < end_us ? until_us : end_us;
        if (cor_linux_poll(&host->tap, &host->net, until_us, &stop, 1) != COR_OK) {
            end(host, COR_E_LINK_DOWN);
        }
    }
}

// --- The report ---

static void print_send(FILE *file, const struct host *host) {
    const struct cor_counter_info *list;
    uint32_t count;
    uint64_t us = host->acked_us - host->open_us;
    double bps = us > 0 ? (double)host->acked_bytes * 8e6 / (double)us : 0;

    fprintf(file, "state %s\n", cor_tcp_state_name(cor_tcp_state(&host->tcp)));
    fprintf(file, "transfer_us %" PRIu64 "\n", us);
    fprintf(file, "goodput_bps %.0f\n", bps);
    fprintf(file, "gap_us_max %" PRIu64 "\n", host->gap_us_max);
    fprintf(file, "srtt_us %" PRIu32 "\n", cor_tcp_srtt_us(&host->tcp));
    fprintf(file, "rto_us %" PRIu32 "\n", cor_tcp_rto_us(&host->tcp));
    fprintf(file, "mss_bytes %" PRIu32 "\n", cor_tcp_mss_bytes(&host->tcp));
    list = cor_tcp_counter_list(&count);
    device_print_counters(file, "tcp", list, count, cor_tcp_get_counters(&host->tcp));
}

static void print_ping(FILE *file, const struct host *host) {
    const struct cor_ping_counters *counters = cor_ping_get_counters(&host->ping);
    uint64_t replies = counters->replies_received;
    const struct cor_counter_info *list;
    uint32_t count;

    if (replies > 0) {
        fprintf(file, "rtt_us_min %" PRIu64 "\n", host->rtt_us_min);
        fprintf(file, "rtt_us_mean %" PRIu64 "\n", host->rtt_us_sum / replies);
        fprintf(file, "rtt_us_max %" PRIu64 "\n", host->rtt_us_max);
    }
    list = cor_ping_counter_list(&count);
    device_print_counters(file, "ping", list, count, counters);
}

static int report(const struct host *host) {
    const char *path = host->values.report;
    FILE *file = path != NULL ? fopen(path, "w") : stdout;
    const struct cor_counter_info *list;
    uint32_t count;

    if (file == NULL) {
        fprintf(stderr, "host: cannot write '%s': %s\n", path, strerror(errno));
        return EXIT_CODE_ENVIRONMENT;
    }
    fprintf(file, "result %s\n", host->done ? cor_status_name(host->status) : "interrupted");
    if (host->values.app == APP_SEND) {
        print_send(file, host);
    } else if (host->values.app == APP_PING) {
        print_ping(file, host);
    } else if (host->values.app == APP_UDP) {
        list = cor_udp_counter_list(&count);
        device_print_counters(file, "udp", list, count, cor_udp_get_counters(&host->udp));
    }
    device_print(file, &host->net, &host->tap);
    if (path != NULL) {
        fclose(file);
    }
    return EXIT_CODE_DONE;
}

int main(int argc, char **argv) {
    static struct host host = {
        .values = {.ring_bytes = 65536, .count = 5, .payload_bytes = 56, .interval_ns = 100000000}};
    struct cor_net_config config = {0};
    int code = options_parse(&spec, argc, argv, &host.values);

    host.file = -1;
    if (code == OPTIONS_GO_ON) {
        code = read_config(&host, &config);
    }
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if (signals_catch() != 0) {
        return EXIT_CODE_ENVIRONMENT;
    }
    cor_net_init(&host.net, &config, cor_linux_now_us());
    code = device_open(&spec, &host.values.device, &host.tap, &host.net);
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    run(&host);
    code = report(&host);
    cor_tap_close(&host.tap, cor_linux_now_us());
    if (host.file >= 0) {
        close(host.file);
    }
    if (code != EXIT_CODE_DONE) {
        return code;
    }
    if (!host.done) {
        return host.values.app == APP_IDLE ? EXIT_CODE_DONE : EXIT_CODE_INTERRUPTED;
    }
    return host.status == COR_OK ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}
