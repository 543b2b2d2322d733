// SPDX-License-Identifier: MIT
#include "options.h"

#include "common/options.h"
#include "common/units.h"
#include "on_lwip.h"
#include "options_network.h"
#include "outside.h"
#include "run_lwip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coradio/ip4.h"
#include "coradio/tcp.h"

static const char *const app_names[] = {
    "tcp-tx", "udp-tx", "ping", "tcp-rx", "udp-rx", "tcp-both", "iperf", NULL};
static const char *const pm_names[] = {"none", "performance", "aggressive", NULL};
static const char *const engine_names[] = {"queued", "serial", NULL};
static const char *const stack_names[] = {"coradio", "lwip", NULL};
static const char *const address_names[] = {"static", "dhcp", NULL};
static const char *const gi_names[] = {"long", "short", NULL};

#define AT(member)    .at = OPTION_AT(struct run_options, member)
#define GIVEN(member) .given = OPTION_AT(struct run_options, member)
#define SECOND_NS     1e9

// clang-format off
static const struct option_row rows[] = {
    {.kind = OPTION_HEADING, .help = "What runs"},
    {"board", OPTION_TEXT, "NAME", "the virtual board: pico2w", AT(board)},
    {"app", OPTION_CHOICE, "APP", "tcp-tx, udp-tx, ping, tcp-rx, udp-rx, tcp-both or iperf "
     "(default tcp-tx)", AT(app),
     .choices = app_names},
    {"source", OPTION_TEXT, "FILE", "the file to send (default: a test pattern)", AT(source)},
    {"bytes", OPTION_SIZE, "N", "how much to send (default: the whole file, or 16MiB of pattern)",
     AT(bytes), GIVEN(bytes_given), .min = 1},
    {"duration", OPTION_TIME, "T", "stop so long after the first payload bit on the bus",
     AT(duration_ns), .min = 1e6},
    {"payload-bytes", OPTION_SIZE, "N", "payload of a datagram or ping (default 1472, ping 56)",
     AT(payload_bytes), .min = 16, .max = 1472},
    {"offered", OPTION_RATE, "RATE", "pace of udp-tx (default: as fast as it goes) or udp-rx "
     "(default 30M)",
     AT(offered_bps), .min = 1000},
    {"count", OPTION_COUNT, "N", "pings to send (default 10)", AT(count), GIVEN(count_given),
     .min = 1, .max = 1e6},
    {"interval", OPTION_TIME, "T", "time between two pings (default 1s)", AT(interval_ns),
     GIVEN(interval_given), .min = 1e6},

    {.kind = OPTION_HEADING, .help = "Where to"},
    {"to", OPTION_TEXT, "HOST:PORT", "where the bytes go, HOST as this machine sees it "
     "(default 127.0.0.1:5001)", AT(to)},
    {"virtual", OPTION_FLAG, "", "the peer is inside the twin and time runs as fast as it can; "
     "without it the board keeps to the wall clock and reaches the real network", AT(in_virtual)},

    {"forward", OPTION_TEXT, "[HOST:]HOSTPORT:PORT", "connections and datagrams to HOSTPORT "
     "of HOST (default 127.0.0.1, so that only this machine gets in) go to PORT of the board; "
     "without --virtual", AT(forward)},

    {"peer", OPTION_TEXT, "tap:NAME|dgram:PATH", "the far side is a program outside, on a TAP "
     "device or a datagram socket, at the address of --to", AT(peer)},

    {.kind = OPTION_HEADING, .help = "The board"},
    {"bus-mhz", OPTION_REAL, "MHZ", "clock of the gSPI bus (default 37.5)", AT(bus_mhz),
     .min = 1, .max = 75},
    {"out-of-spec", OPTION_FLAG, NULL, "bus clocks above the chip's 50 MHz are meant",
     AT(out_of_spec)},
    {"cpu-mhz", OPTION_REAL, "MHZ", "clock of the processor (default 150)", AT(cpu_mhz),
     .min = 12, .max = 400},
    {"engine", OPTION_CHOICE, "KIND", "queued: the bus walks a queue of transfers; serial: the "
     "processor waits for each (default queued)", AT(engine), .choices = engine_names},
    {"segment-us", OPTION_REAL, "US", "one cost for each segment in place of the cost table",
     AT(segment_us), .max = 1e6},
    {"chip-frame-us", OPTION_REAL, "US", "time inside the chip for each frame (default 0)",
     AT(chip_frame_us), GIVEN(chip_frame_given), .max = 1e6},
    {"credit-window", OPTION_COUNT, "N", "frames the chip takes in advance (default 8)",
     AT(credit_window), GIVEN(credit_window_given), .min = 1, .max = 20},
    {"ring", OPTION_SIZE, "N", "send ring of the application (default 64KiB)", AT(ring_bytes),
     GIVEN(ring_given), .min = 4096, .max = COR_TCP_RING_BYTES_MAX},
    {"receive-ring", OPTION_SIZE, "N", "receive ring of the application (default 23360, "
     "16 segments: what the chip can hold)",
     AT(receive_ring_bytes), .min = 2920, .max = 16777216},
    {"stack", OPTION_CHOICE, "NAME", "coradio, or lwip: lwIP 2.1.3 over the same driver and chip "
     "(default coradio)", AT(stack), .choices = stack_names},
    {"lwip-mem", OPTION_SIZE, "N", "heap of lwIP (default 4000, as the Pico examples have it)",
     AT(lwip_mem_bytes), GIVEN(lwip_mem_given), .min = RUN_LWIP_MEM_MIN, .max = RUN_LWIP_MEM_MAX},
    {"tcp-wnd", OPTION_SIZE, "N", "receive window and send queue of lwIP (default 11680, 8 "
     "segments, as they have them)", AT(tcp_wnd_bytes), GIVEN(tcp_wnd_given),
     .min = RUN_LWIP_WINDOW_MIN, .max = RUN_LWIP_WINDOW_MAX},
    {"host-loss", OPTION_REAL, "P", "chance 0..1 that a frame with payload is lost between stack "
     "and driver, as in a driver that drops (default 0)", AT(host_loss), .max = 1},
    {"ack-segments", OPTION_COUNT, "N", "acknowledge every N segments at once (default 2, as the "
     "standard asks)", AT(ack_segments), .min = 1, .max = 64},
    {"pm", OPTION_CHOICE, "MODE", "power save: none, performance or aggressive (default none)",
     AT(pm), .choices = pm_names},
    {"listen", OPTION_COUNT, "N", "beacons between two wake-ups (default: as the mode says)",
     AT(listen), .min = 1, .max = 15},

    {.kind = OPTION_HEADING, .help = "The radio's driver"},
    {"no-irq", OPTION_FLAG, NULL, "leave the chip's line alone and look for frames each 1ms",
     AT(no_irq)},
    {"firmware", OPTION_TEXT, "FILE", "the chip's firmware: a *_combined.h or a .bin (default: a "
     "synthetic image)", AT(firmware)},
    {"nvram", OPTION_TEXT, "FILE", "its NVRAM: .h, .txt or .bin", AT(nvram)},
    {"clm", OPTION_TEXT, "FILE", "its regulatory data, where the firmware's file has none",
     AT(clm)},
    {"firmware-sha256", OPTION_TEXT, "HEX", "the firmware must have this hash",
     AT(firmware_sha256)},
    {"country", OPTION_TEXT, "CC", "two letters (default XX, the world)", AT(country)},
    {"fw-log", OPTION_TEXT, "FILE", "read the chip's own console over the bus into a file",
     AT(fw_log)},
    {"fw-log-every", OPTION_TIME, "T", "how often (default 10ms)", AT(fw_log_every_ns),
     .min = 100e3},

    {.kind = OPTION_HEADING, .help = "The network"},
    {"ap", OPTION_TEXT, "ssid=S,key=K,auth=A", "the access point; auth is wpa2, wpa3, wpa2-wpa3 "
     "or open "
     "(default ssid=coradio,key=recording,auth=wpa2)", AT(ap)},
    {"address", OPTION_CHOICE, "HOW", "where the board's address comes from: static or dhcp "
     "(default static)", AT(address), .choices = address_names},
    {"mcs", OPTION_COUNT, "N", "rate on the air, 0..7 (default 7)", AT(mcs), .max = 7},
    {"gi", OPTION_CHOICE, "GI", "guard interval: long or short (default short)", AT(gi),
     .choices = gi_names},
    {"ampdu", OPTION_COUNT, "N", "frames the board puts in one aggregate; 1: none (default 8, "
     "the most the chip takes)",
     AT(ampdu), .min = 1, .max = 32},
    {"ap-ampdu", OPTION_COUNT, "N", "the same of the access point; 1: it sends each ACK alone "
     "(default 8)", AT(ap_ampdu), GIVEN(ap_ampdu_given), .min = 1, .max = 32},
    {"dtim", OPTION_COUNT, "N", "beacons between two DTIMs (default 1)", AT(dtim), .min = 1,
     .max = 255},
    {"loss", OPTION_REAL, "P", "chance 0..1 that an MPDU is not received", AT(loss), .max = 1},
    {"neighbours", OPTION_COUNT, "N", "stations of other networks on the channel (default 0)",
     AT(neighbours), .max = 8},
    {"busy", OPTION_REAL, "P", "share 0..1 of the time they want together (default 0.3)", AT(busy),
     .max = 1},
    {"rssi", OPTION_TEXT, "DBM", "signal, -95 to -30: decides rate and losses (default: --mcs and "
     "--loss alone)", AT(rssi)},
    {"drift", OPTION_REAL, "DB", "how far the signal strays (default 0)", AT(drift_db), .max = 20},
    {"path-loss", OPTION_REAL, "P", "chance 0..1 that a packet is lost between access point and "
     "peer", AT(path_loss), .max = 1},
    {"wire-delay", OPTION_TIME, "T", "delay each way between access point and peer "
     "(default 200us)", AT(wire_delay_ns), .max = 10 * SECOND_NS},
    {"peer-window", OPTION_SIZE, "N", "receive window of the peer, with --virtual "
     "(default 65535)", AT(peer_window), .min = 536, .max = 65535},
    {"seed", OPTION_COUNT, "N", "seed of everything random (default 1)", AT(seed)},

    {"faults", OPTION_TEXT, "FILE", "a script of what goes wrong, one fault a line "
     "(docs/reference/faults.md)", AT(faults)},
    {"fault", OPTION_TEXT, "LINE", "lines of such a script, between semicolons", AT(fault)},
    {"start-time", OPTION_TIME, "T", "virtual time at the start (default 0); 4294s is just before "
     "32 bits of microseconds wrap", AT(start_ns), .max = 1e18},

    {"twin-set", OPTION_LIST, "NAME=VALUE", "another value for a constant of the twin that nobody "
     "is sure of, which changes the model (docs/reference/constants.md lists them); may be "
     "given again",
     AT(twin_set)},

    {.kind = OPTION_HEADING, .help = "What comes out"},
    {"watch", OPTION_FLAG, NULL, "show rate, waits and bus while it runs, on stderr", AT(watch)},
    {"samples", OPTION_TIME, "T", "put a sample of the meter every T into the JSON",
     AT(samples_ns), .min = 1e6},
    {"json", OPTION_TEXT_OR_DASH, "FILE", "the result as JSON: to stdout in place of the table, "
     "or to a file beside it",
     AT(json)},
    {"bus-log", OPTION_TEXT, "FILE", "one line for each bus transaction", AT(bus_log)},
    {"air-log", OPTION_TEXT, "FILE", "one line for each exchange on the air", AT(air_log)},
    {"chip-log", OPTION_TEXT, "FILE", "what the chip's model has to say", AT(chip_log)},
    {"pcap", OPTION_TEXT, "FILE", "what the far side sees, for Wireshark", AT(pcap)},
    {"power-trace", OPTION_TEXT, "FILE", "voltage, current and power over time as CSV",
     AT(power_trace)},
};
// clang-format on

static const struct options_spec spec = {
    .command = "coradio run",
    .usage = "--board pico2w [OPTIONS]",
    .summary = "Runs an application on a virtual board, from its source of bytes through the radio "
               "chip and the air to a peer, and says how fast it went and which limit held. All "
               "numbers are simulated.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .epilogue = "Examples:\n"
                "  coradio run --board pico2w --app tcp-tx --bytes 64MiB --virtual\n"
                "  coradio run --board pico2w --app tcp-tx --source take.wav --to 127.0.0.1:5001\n"
                "\n"
                "Exit codes: 0 done, 1 the transfer failed its check or a fault never struck, 2 "
                "wrong use, 3 environment (file,\n"
                "network, nobody listens), 4 interrupted with partial results printed.",
};

void run_options_init(struct run_options *options) {
    *options = (struct run_options){
        .interval_ns = 1000000000,
        .to = "127.0.0.1:5001",
        .bus_mhz = 37.5,
        .country = "XX",
        .fw_log_every_ns = 10000000,
        .cpu_mhz = 150,
        .credit_window = 8,
        .ring_bytes = 65536,
        .receive_ring_bytes = 23360,
        .lwip_mem_bytes = RUN_LWIP_MEM_BYTES,
        .tcp_wnd_bytes = RUN_LWIP_WINDOW_BYTES,
        .ack_segments = 2,
        .ap = "ssid=coradio,key=recording,auth=wpa2",
        .mcs = 7,
        .gi = RUN_GI_SHORT,
        .ampdu = 8,
        .ap_ampdu = 8,
        .dtim = 1,
        .busy = 0.3,
        .wire_delay_ns = 200000,
        .peer_window = 65535,
        .seed = 1,
    };
    twin_unsure_init(&options->unsure);
}

static int parse_to(struct run_options *options) {
    const char *colon = strrchr(options->to, ':');
    char *end = NULL;
    unsigned long port;

    if (colon == NULL || colon == options->to || colon[1] == '\0') {
        return options_error(
            &spec, "--to: '%s' is not HOST:PORT, such as 127.0.0.1:5001", options->to);
    }
    port = strtoul(colon + 1, &end, 10);
    if (*end != '\0' || port == 0 || port > 65535) {
        return options_error(&spec, "--to: '%s' is no port; give 1 to 65535", colon + 1);
    }
    if ((size_t)(colon - options->to) >= sizeof(options->host)) {
        return options_error(&spec, "--to: the name of the host is too long");
    }
    memcpy(options->host, options->to, (size_t)(colon - options->to));
    options->host[colon - options->to] = '\0';
    options->port = (uint16_t)port;
    return OPTIONS_GO_ON;
}

bool run_app_receives(int app) {
    return app >= RUN_APP_TCP_RX;
}

// Without a way in, the board is iperf's client.
static void choose_iperf_side(struct run_options *options) {
    if (options->app == RUN_APP_IPERF && !options->in_virtual && options->forward == NULL &&
        options->peer == NULL && options->source == NULL) {
        options->app = RUN_APP_TCP_TX;
        options->iperf_client = true;
    }
}

static int check_app(const struct run_options *options) {
    const char *name = app_names[options->app];
    bool udp = options->app == RUN_APP_UDP_TX || options->app == RUN_APP_UDP_RX;
    bool tcp = !udp && options->app != RUN_APP_PING;  // of iperf the client says how
    bool reads = options->app == RUN_APP_TCP_TX || options->app == RUN_APP_UDP_TX ||
                 options->app == RUN_APP_TCP_BOTH;

    if (options->source != NULL && !reads) {
        return options_error(
            &spec, "--source goes with tcp-tx, udp-tx and tcp-both, not with %s", name);
    }
    if (options->offered_bps != 0 && !udp) {
        return options_error(&spec, "--offered goes with udp-rx and udp-tx only");
    }
    if (tcp && options->payload_bytes != 0) {
        return options_error(
            &spec, "--payload-bytes goes with datagrams and ping, not with %s", name);
    }
    if (run_app_receives(options->app) && !options->in_virtual && options->forward == NULL &&
        options->peer == NULL) {
        return options_error(&spec, "%s listens: give --virtual or --forward 5001:5001", name);
    }
    if (options->forward != NULL && options->in_virtual) {
        return options_error(&spec, "--forward leads in from the real network, not with --virtual");
    }
    if (run_outside_fault(options) != NULL) {
        return options_error(&spec, "%s", run_outside_fault(options));
    }
    if (on_lwip_fault(options) != NULL) {
        return options_error(&spec, "%s", on_lwip_fault(options));
    }
    return OPTIONS_GO_ON;
}

// An option that would be without effect is refused, not passed over.
static int check_effect(const struct run_options *options) {
    bool sends_tcp = options->app == RUN_APP_TCP_TX || options->app == RUN_APP_TCP_BOTH ||
                     options->app == RUN_APP_IPERF;
    const char *const logs[] = {
        options->bus_log,
        options->air_log,
        options->chip_log,
        options->pcap,
        options->power_trace,
    };

    if (options->count_given && options->app != RUN_APP_PING) {
        return options_error(&spec, "--count goes with --app ping only");
    }
    if (options->interval_given && options->app != RUN_APP_PING) {
        return options_error(&spec, "--interval goes with --app ping only");
    }
    if (options->ring_given && !sends_tcp) {
        return options_error(
            &spec, "--ring is TCP's send ring: not with %s", app_names[options->app]);
    }
    if (options->samples_ns != 0 && options->json == NULL) {
        return options_error(&spec, "--samples go into the JSON: give --json too");
    }
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
        if (logs[i] != NULL && strcmp(logs[i], "-") == 0) {
            return options_error(
                &spec, "only --json can go to stdout; a log or a trace needs the name of a file");
        }
    }
    return OPTIONS_GO_ON;
}

// Options that do not go together, and the defaults that depend on others.
static int check(struct run_options *options) {
    if (options->board == NULL) {
        return options_error(&spec, "name the board: --board pico2w");
    }
    if (strcmp(options->board, "pico2w") != 0) {
        return options_error(
            &spec, "board '%s' is not known; this version has: pico2w", options->board);
    }
    choose_iperf_side(options);
    int code = check_app(options);
    if (code == OPTIONS_GO_ON) {
        code = check_effect(options);
    }
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    if ((options->app == RUN_APP_UDP_TX || options->app == RUN_APP_UDP_RX) &&
        options->payload_bytes != 0 && options->payload_bytes < 20) {
        return options_error(
            &spec, "--payload-bytes: a datagram of %s has 20 or more", app_names[options->app]);
    }
    if (!options->bytes_given && options->source == NULL && options->duration_ns == 0) {
        options->bytes = 16u << 20;
    }
    if (!options->count_given && options->duration_ns == 0) {
        options->count = 10;
    }
    if (options->payload_bytes == 0) {
        options->payload_bytes = options->app == RUN_APP_PING ? 56 : 1472;
    }
    options->segment_ns = (uint64_t)(options->segment_us * 1000 + 0.5);
    options->chip_frame_ns = (uint64_t)(options->chip_frame_us * 1000 + 0.5);
    return OPTIONS_GO_ON;
}

static bool parse_port(const char *text, size_t length, uint16_t *port) {
    char digits[6] = "";
    uint64_t value = 0;

    if (length == 0 || length >= sizeof(digits)) {
        return false;
    }
    memcpy(digits, text, length);
    if (units_parse_count(digits, &value) != NULL || value == 0 || value > UINT16_MAX) {
        return false;
    }
    *port = (uint16_t)value;
    return true;
}

static int parse_rssi(struct run_options *options) {
    char *end = NULL;

    if (options->rssi == NULL) {
        return options->drift_db > 0 ? options_error(&spec, "--drift goes with --rssi only")
                                     : OPTIONS_GO_ON;
    }
    options->rssi_dbm = strtod(options->rssi, &end);
    if (end == options->rssi || *end != '\0' || options->rssi_dbm < -95 ||
        options->rssi_dbm > -30) {
        return options_error(
            &spec, "--rssi: '%s' is no signal; give -95 to -30, such as --rssi=-65", options->rssi);
    }
    return OPTIONS_GO_ON;
}

// [HOST:]HOSTPORT:PORT; without HOST only this machine itself gets in.
static int parse_forward(struct run_options *options) {
    const char *text = options->forward;
    char host[COR_IP4_TEXT_BYTES] = "127.0.0.1";
    const char *first = text == NULL ? NULL : strchr(text, ':');
    const char *last = text == NULL ? NULL : strrchr(text, ':');
    bool good = first != NULL;

    if (text == NULL) {
        return OPTIONS_GO_ON;
    }
    if (good && first != last) {
        size_t length = (size_t)(first - text);

        good = length < sizeof(host);
        snprintf(host, sizeof(host), "%.*s", (int)(good ? length : 0), text);
        text = first + 1;
    }
    good = good && cor_ip4_parse(host, &options->forward_host) &&
           parse_port(text, (size_t)(last - text), &options->forward_host_port) &&
           parse_port(last + 1, strlen(last + 1), &options->forward_port);
    if (!good) {
        return options_error(
            &spec,
            "--forward: '%s' is not HOSTPORT:PORT, such as 5001:5001, or HOST:HOSTPORT:PORT with "
            "one of this machine's addresses or 0.0.0.0 for all",
            options->forward);
    }
    if (run_app_receives(options->app)) {
        options->port = options->forward_port;
    }
    return OPTIONS_GO_ON;
}

// ---- constants of the twin

// An option and a constant that are the same thing: the constant fills in what was not given.
static int merge_constant(
    const struct run_options *options, const char *name, bool given, uint64_t *value) {
    size_t index = twin_unsure_find(name);
    bool set = twin_unsure_get(&options->unsure, index) != twin_unsure_row(index)->value;

    if (set && given) {
        return options_error(&spec, "--twin-set %s and the option for it: give one", name);
    }
    if (set) {
        *value = twin_unsure_get(&options->unsure, index);
    }
    return OPTIONS_GO_ON;
}

static int set_constant(struct run_options *options, const char *item) {
    size_t size = strcspn(item, "=");
    const struct twin_unsure_row *row;
    uint64_t value;
    char name[64];
    size_t index;

    snprintf(name, sizeof(name), "%.*s", (int)(size < 63 ? size : 63), item);
    index = twin_unsure_find(name);
    if (index == twin_unsure_count()) {
        return options_error(
            &spec, "--twin-set: '%s' is no constant; docs/reference/constants.md lists them", name);
    }
    row = twin_unsure_row(index);
    if (item[size] != '=' || units_parse_count(item + size + 1, &value) != NULL ||
        !twin_unsure_set(&options->unsure, index, value)) {
        return options_error(
            &spec,
            "--twin-set: %s is %llu, and may be %llu to %llu: write %s=NUMBER",
            name,
            (unsigned long long)row->value,
            (unsigned long long)row->low,
            (unsigned long long)row->high,
            name);
    }
    return OPTIONS_GO_ON;
}

static int parse_constants(struct run_options *options) {
    uint64_t frame_ns = 0;
    int code = OPTIONS_GO_ON;

    for (size_t i = 0; code == OPTIONS_GO_ON && i < options->twin_set.count; i++) {
        code = set_constant(options, options->twin_set.items[i]);
    }
    if (code == OPTIONS_GO_ON) {
        code = merge_constant(
            options, "chip.credit_window", options->credit_window_given, &options->credit_window);
    }
    if (code == OPTIONS_GO_ON) {
        code = merge_constant(options, "ap.ampdu", options->ap_ampdu_given, &options->ap_ampdu);
    }
    if (code == OPTIONS_GO_ON) {
        code = merge_constant(options, "chip.frame_ns", options->chip_frame_given, &frame_ns);
    }
    if (frame_ns != 0) {
        options->chip_frame_ns = frame_ns;
        options->chip_frame_us = (double)frame_ns / 1e3;
    }
    return code;
}

int run_options_parse(struct run_options *options, int argc, char **argv) {
    int code = options_parse(&spec, argc, argv, options);

    if (code == OPTIONS_GO_ON) {
        code = check(options);
    }
    if (code == OPTIONS_GO_ON) {
        code = parse_constants(options);
    }
    if (code == OPTIONS_GO_ON) {
        code = run_options_ap(options, &spec);
    }
    if (code == OPTIONS_GO_ON) {
        code = parse_to(options);
    }
    if (code == OPTIONS_GO_ON) {
        code = parse_forward(options);
    }
    if (code == OPTIONS_GO_ON) {
        code = parse_rssi(options);
    }
    if (code == OPTIONS_GO_ON) {
        code = run_options_radio(options, &spec);
    }
    return code;
}

const char *run_app_name(int app) {
    return app_names[app];
}

const char *run_pm_name(int pm) {
    return pm_names[pm];
}
