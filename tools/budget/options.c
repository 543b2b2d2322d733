// SPDX-License-Identifier: MIT
#include "budget/options.h"

#include "common/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const app_names[] = {"tcp-tx", "udp-tx", NULL};
static const char *const stack_names[] = {"coradio", "lwip", "embassy", "vendor", NULL};
static const char *const engine_names[] = {"queued", "serial", NULL};
static const char *const bus_names[] = {"none", "gspi", "sdio", "spi-fd", "spi-hd", "uart", NULL};
static const char *const status_names[] = {"appended", "polled", "sdk", NULL};
static const char *const sdio_names[] = {"packet", "stream", "aggregate", NULL};
static const char *const phy_names[] = {"b", "g", "ht20", "ht40", "he20", NULL};
static const char *const gi_names[] = {"long", "short", NULL};
static const char *const auth_names[] = {"wpa2", "open", NULL};
static const char *const protection_names[] = {
    "none", "cts", "rts", "rts-6", "cts-11", "cts-1", NULL};
static const char *const access_names[] = {"be", "vi", NULL};
static const char *const pm_names[] = {"none", "performance", "aggressive", NULL};

#define AT(member)    .at = OPTION_AT(struct budget_arguments, member)
#define GIVEN(member) .given = OPTION_AT(struct budget_arguments, member)

// clang-format off
static const struct option_row rows[] = {
    {.kind = OPTION_HEADING, .help = "Board and stack"},
    {"board", OPTION_TEXT, "NAME", "preset to start from; --boards lists them (default pico2w)",
     AT(board)},
    {"app", OPTION_CHOICE, "APP", "whose limit to explain: tcp-tx or udp-tx (default tcp-tx); "
     "the bounds of both are always there", AT(app), .choices = app_names},
    {"stack", OPTION_CHOICE, "NAME", "coradio, lwip, embassy (as in the write-up) or vendor; sets "
     "engine, bus sequence and send buffer too (default: of the board)", AT(stack),
     GIVEN(stack_given), .choices = stack_names},
    {"engine", OPTION_CHOICE, "KIND", "queued: bus and processor work at the same time; serial: "
     "one waits for the other (default: of the stack)", AT(engine), GIVEN(engine_given),
     .choices = engine_names},
    {"cpu-mhz", OPTION_REAL, "MHZ", "clock of the processor (default: of the board)", AT(cpu_mhz),
     GIVEN(cpu_mhz_given), .min = 1, .max = 1000},
    {"segment-us", OPTION_REAL, "US", "processor time of a segment or datagram, in place of the "
     "stack's count", AT(segment_us), .max = 1e6},
    {"chip-frame-us", OPTION_REAL, "US", "time of the co-processor and its transport software for "
     "each frame, in series with the bus (default: of the board)", AT(chip_frame_us),
     GIVEN(chip_frame_given), .max = 1e6},
    {"source-rate", OPTION_RATE, "RATE", "rate of the source, an SD card for example (default: no "
     "limit)", AT(source_bps), .min = 1000},

    {.kind = OPTION_HEADING, .help = "Bus"},
    {"bus", OPTION_CHOICE, "KIND", "gspi, sdio, spi-fd, spi-hd, uart or none (default: of the "
     "board)", AT(bus), GIVEN(bus_given), .choices = bus_names},
    {"bus-mhz", OPTION_REAL, "MHZ", "clock; of uart the baud rate in millions (default: of the "
     "board)", AT(bus_mhz), GIVEN(bus_mhz_given), .min = 0.001, .max = 200},
    {"bus-width", OPTION_COUNT, "N", "data lines: sdio 1 or 4, spi-hd 1, 2 or 4", AT(bus_width),
     GIVEN(bus_width_given), .min = 1, .max = 4},
    {"status", OPTION_CHOICE, "KIND", "gSPI sequence: appended (the minimum), polled (an older "
     "embassy) or sdk (pico-sdk 2.2) (default: of the stack)", AT(status), GIVEN(status_given),
     .choices = status_names},
    {"sdio-mode", OPTION_CHOICE, "KIND", "packet, stream (ESP-Hosted 2.x) or aggregate (3.x) "
     "(default stream)", AT(sdio_mode), GIVEN(sdio_mode_given), .choices = sdio_names},
    {"gap-us", OPTION_REAL, "US", "between two gSPI transactions (default 0)", AT(gap_us),
     .max = 1000},
    {"credit-every", OPTION_COUNT, "N", "datagrams for one gSPI frame that only carries credit; "
     "0: none (default 8 with --status appended, else 0)", AT(credit_every),
     GIVEN(credit_every_given), .max = 1000},
    {"rpc-rate", OPTION_REAL, "N", "control requests a second on the co-processor's channel",
     AT(rpc_rate), .max = 1e5},
    {"capture-rate", OPTION_REAL, "N", "captured frames a second on it", AT(capture_rate),
     .max = 1e5},
    {"capture-bytes", OPTION_SIZE, "N", "of a captured frame (default 300)", AT(capture_bytes),
     .min = 10, .max = 4000},

    {.kind = OPTION_HEADING, .help = "Air"},
    {"phy", OPTION_CHOICE, "PHY", "b, g, ht20, ht40 or he20 (default: of the board)", AT(phy),
     GIVEN(phy_given), .choices = phy_names},
    {"mcs", OPTION_COUNT, "N", "ht20, ht40: 0..7; he20: 0..11 (default 7)", AT(mcs),
     GIVEN(mcs_given), .max = 11},
    {"rate", OPTION_REAL, "MBPS", "b: 1, 2, 5.5, 11 (default 11); g: 6 to 54 (default 54)",
     AT(rate_mbps), GIVEN(rate_given), .max = 54},
    {"gi", OPTION_CHOICE, "GI", "guard interval: long or short (default short)", AT(gi),
     .choices = gi_names},
    {"ampdu", OPTION_COUNT, "N", "frames in one transmission; 1: no aggregation (default: of the "
     "board)", AT(ampdu), GIVEN(ampdu_given), .min = 1, .max = 64},
    {"ap-ampdu", OPTION_COUNT, "N", "ACKs the access point sends together; 1: each alone (default: "
     "the board's receive window)", AT(ap_ampdu), GIVEN(ap_ampdu_given),
     .min = 1, .max = 64},
    {"amsdu", OPTION_COUNT, "N", "packets in one frame (default 1)", AT(amsdu), .min = 1,
     .max = 5},
    {"auth", OPTION_CHOICE, "AUTH", "wpa2 or open (default wpa2)", AT(auth),
     .choices = auth_names},
    {"response", OPTION_COUNT, "MBPS", "rate of ACK and BlockAck: 6, 12, 24; with b 1, 2, 5, 11 "
     "(default 24; with b 11)", AT(response), GIVEN(response_given), .max = 24},
    {"protection", OPTION_CHOICE, "KIND", "none, cts, rts (24 Mbit/s), rts-6, cts-11, cts-1 "
     "(default none)", AT(protection), .choices = protection_names},
    {"access", OPTION_CHOICE, "AC", "access category: be or vi (default be)", AT(access),
     .choices = access_names},
    {"short-preamble", OPTION_FLAG, "", "with b", AT(short_preamble)},
    {"backoff-overlaps", OPTION_FLAG, "", "access point and board count down at the same time",
     AT(backoff_overlaps)},
    {"loss", OPTION_REAL, "P", "chance 0..1 that an MPDU is not received", AT(loss), .max = 0.99},
    {"air-busy", OPTION_REAL, "P", "share 0..1 of the channel that others take", AT(air_busy),
     .max = 0.99},

    {.kind = OPTION_HEADING, .help = "Connection"},
    {"mss", OPTION_SIZE, "N", "TCP bytes a segment (default 1460, ESP 1440)", AT(mss),
     GIVEN(mss_given), .min = 64, .max = 1460},
    {"payload-bytes", OPTION_SIZE, "N", "UDP bytes a datagram (default 1472)", AT(payload_bytes),
     .min = 16, .max = 1472},
    {"timestamps", OPTION_FLAG, "", "TCP timestamps: 12 bytes less of each segment",
     AT(timestamps)},
    {"ack-every", OPTION_COUNT, "N", "segments for one ACK (default 2)", AT(ack_every), .min = 1,
     .max = 64},
    {"send-buffer", OPTION_SIZE, "N", "bytes the sender keeps in flight at most (default: of the "
     "stack)", AT(send_buffer), GIVEN(send_buffer_given), .min = 1},
    {"peer-window", OPTION_SIZE, "N", "receive window of the peer (default 65535)",
     AT(peer_window), .min = 1},
    {"rtt", OPTION_TIME, "T", "round trip under load (default 4ms, ESP 3ms)", AT(rtt_ns),
     GIVEN(rtt_given), .min = 1000},
    {"pm", OPTION_CHOICE, "MODE", "power save: none, performance or aggressive (default none)",
     AT(pm), .choices = pm_names},
    {"dtim", OPTION_COUNT, "N", "beacons between two DTIMs (default 1)", AT(dtim), .min = 1,
     .max = 255},
    {"listen", OPTION_COUNT, "N", "beacons between two wake-ups (default: every DTIM)",
     AT(listen), .min = 1, .max = 255},
    {"sleep-after", OPTION_TIME, "T", "silence before the radio sleeps, with performance "
     "(default 200ms)", AT(sleep_after_ns)},

    {.kind = OPTION_HEADING, .help = "What comes out"},
    {"measured", OPTION_RATE, "RATE", "a goodput you measured: how far the stages overlap, and "
     "what holds it back", AT(measured_bps), .min = 1},
    {"advise", OPTION_FLAG, "", "settings to change, by computed gain", AT(advise)},
    {"transports", OPTION_FLAG, "", "ways to connect an ESP32-C6 and what each carries",
     AT(transports)},
    {"cascade", OPTION_FLAG, "", "the cascade 143.4 to 36 of the ESP32-C6, step by step",
     AT(cascade)},
    {"features", OPTION_TEXT, "CHIP", "Wi-Fi features: claim, fact, effect; CHIP is c6",
     AT(features)},
    {"overhead", OPTION_FLAG, "", "requests and captures on the shared SDIO channel",
     AT(overhead)},
    {"boards", OPTION_FLAG, "", "the presets, with what was measured on each", AT(boards)},
    {"sources", OPTION_FLAG, "", "the source of each term beside it", AT(sources)},
    {"json", OPTION_TEXT_OR_DASH, "FILE", "the result as JSON: in place of the tables, or to a "
     "file beside them", AT(json)},
};
// clang-format on

static const struct options_spec spec = {
    .command = "coradio budget",
    .usage = "[--board NAME] [OPTIONS]",
    .summary = "Computes what each stage between an application and the air can carry (source, "
               "window, processor, bus, co-processor, air), term by term, which one binds, and "
               "what the next best change would give. Nothing is measured and nothing is sent.",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .epilogue = "Examples:\n"
                "  coradio budget --board pico2w\n"
                "  coradio budget --board pico2w --stack embassy --ampdu 1 --measured 19.5M\n"
                "  coradio budget --board esp32p4c6 --app udp-tx --measured 36M\n"
                "  coradio budget --board esp32p4c6 --advise\n"
                "\n"
                "Exit codes: 0 done, 2 wrong use, 3 the JSON file cannot be written.",
};

static int lookup_board(const struct budget_arguments *arguments, struct budget *budget) {
    const struct budget_board *board = budget_board_find(arguments->board);

    if (board == NULL) {
        char names[160] = "";

        for (board = budget_boards; board->name != NULL; board++) {
            size_t used = strlen(names);

            snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "", board->name);
        }
        return options_error(&spec, "--board: '%s' is none of: %s", arguments->board, names);
    }
    budget_init(budget, board);
    return OPTIONS_GO_ON;
}

static int apply_bus(const struct budget_arguments *arguments, struct budget *budget) {
    bool other = arguments->bus_given && arguments->bus != (int)budget->wire.bus;

    if (budget->board->family == BUDGET_FAMILY_HOSTED && (other || arguments->bus_width_given)) {
        enum budget_bus bus =
            arguments->bus_given ? (enum budget_bus)arguments->bus : budget->wire.bus;
        const struct budget_transport *transport =
            budget_transport_find(bus, (unsigned)arguments->bus_width);

        if (transport == NULL) {
            return options_error(
                &spec,
                "--bus-width: %s has no such width; sdio has 1 or 4 lines, spi-hd 1, 2 or 4",
                budget_bus_name(bus));
        }
        budget_set_transport(budget, transport);
    } else if (other) {
        budget->wire.bus = (enum budget_bus)arguments->bus;
    } else if (arguments->bus_width_given) {
        budget->wire.lines = (unsigned)arguments->bus_width;
    }
    if (arguments->bus_mhz_given) {
        budget->wire.clock_hz = arguments->bus_mhz * 1e6;
    }
    if (arguments->status_given) {
        budget->wire.status = (enum budget_status)arguments->status;
        budget->credit_every = budget->wire.status == BUDGET_STATUS_APPENDED ? 8 : 0;
    }
    if (arguments->sdio_mode_given) {
        budget->wire.sdio_mode = (enum budget_sdio_mode)arguments->sdio_mode;
    }
    if (arguments->credit_every_given) {
        budget->credit_every = (uint32_t)arguments->credit_every;
    }
    budget->wire.gap_us = arguments->gap_us;
    budget->rpc_rate = arguments->rpc_rate;
    budget->capture_rate = arguments->capture_rate;
    budget->capture_bytes = (uint32_t)arguments->capture_bytes;
    return OPTIONS_GO_ON;
}

// The index of a rate of 802.11b or g; --mcs belongs to the newer ones.
static int apply_rate(const struct budget_arguments *arguments, struct airtime *air) {
    if (air->format >= AIRTIME_HT20) {
        if (arguments->rate_given) {
            return options_error(&spec, "--rate is for --phy b and g; give --mcs");
        }
        if (arguments->mcs_given) {
            air->mcs = (unsigned)arguments->mcs;
        }
        return OPTIONS_GO_ON;
    }
    if (arguments->mcs_given) {
        return options_error(&spec, "--mcs is for --phy ht20, ht40 and he20; give --rate");
    }
    air->mcs = airtime_mcs_max(air->format);
    if (!arguments->rate_given) {
        return OPTIONS_GO_ON;
    }
    for (unsigned i = 0; i <= airtime_mcs_max(air->format); i++) {
        air->mcs = i;
        if (fabs(airtime_phy_bps(air) - arguments->rate_mbps * 1e6) < 1.0) {
            return OPTIONS_GO_ON;
        }
    }
    return options_error(
        &spec,
        air->format == AIRTIME_B ? "--rate: 802.11b has 1, 2, 5.5 and 11 Mbit/s"
                                 : "--rate: 802.11g has 6, 9, 12, 18, 24, 36, 48 and 54 Mbit/s");
}

static int apply_air(const struct budget_arguments *arguments, struct budget *budget) {
    struct airtime *air = &budget->air;

    if (arguments->phy_given) {
        air->format = (enum airtime_format)arguments->phy;
    }
    air->response_mbps = air->format == AIRTIME_B ? 11 : 24;
    if (arguments->response_given) {
        air->response_mbps = (unsigned)arguments->response;
    }
    air->gi = (enum airtime_gi)arguments->gi;
    air->ccmp = arguments->auth == 0;
    air->protection = (enum airtime_protection)arguments->protection;
    air->access = (enum airtime_access)arguments->access;
    air->amsdu = (unsigned)arguments->amsdu;
    air->short_preamble = arguments->short_preamble;
    air->loss = arguments->loss;
    air->busy = arguments->air_busy;
    budget->backoff_overlaps = arguments->backoff_overlaps;
    if (arguments->ampdu_given) {
        budget->ampdu = (uint32_t)arguments->ampdu;
    }
    if (arguments->ap_ampdu_given) {
        budget->ap_ampdu = (uint32_t)arguments->ap_ampdu;
    }
    return apply_rate(arguments, air);
}

static void apply_connection(const struct budget_arguments *arguments, struct budget *budget) {
    if (arguments->mss_given) {
        budget->mss = (uint32_t)arguments->mss;
    }
    budget->datagram_bytes = (uint32_t)arguments->payload_bytes;
    budget->timestamps = arguments->timestamps;
    budget->ack_every = (uint32_t)arguments->ack_every;
    if (arguments->send_buffer_given) {
        budget->send_buffer = (double)arguments->send_buffer;
    }
    budget->peer_window = (double)arguments->peer_window;
    if (arguments->rtt_given) {
        budget->rtt_us = (double)arguments->rtt_ns / 1e3;
    }
    budget->pm = (enum budget_pm)arguments->pm;
    budget->wake_beacons = (uint32_t)(arguments->listen != 0 ? arguments->listen : arguments->dtim);
    budget->sleep_after_us = (double)arguments->sleep_after_ns / 1e3;
}

static void apply_processors(const struct budget_arguments *arguments, struct budget *budget) {
    if (arguments->engine_given) {
        budget->engine = (enum budget_engine)arguments->engine;
    }
    if (arguments->cpu_mhz_given) {
        budget->cpu_mhz = arguments->cpu_mhz;
    }
    budget->segment_us = arguments->segment_us;
    if (arguments->chip_frame_given) {
        budget->chip_frame_us = arguments->chip_frame_us;
        budget->chip_source = "as given by --chip-frame-us";
    }
    budget->source_bps = (double)arguments->source_bps;
}

static int choose_page(struct budget_arguments *arguments) {
    const struct {
        bool chosen;
        enum budget_page page;
    } pages[] = {
        {arguments->boards, BUDGET_PAGE_BOARDS},
        {arguments->transports, BUDGET_PAGE_TRANSPORTS},
        {arguments->cascade, BUDGET_PAGE_CASCADE},
        {arguments->features != NULL, BUDGET_PAGE_FEATURES},
        {arguments->overhead, BUDGET_PAGE_OVERHEAD},
        {arguments->advise, BUDGET_PAGE_ADVISE},
    };

    arguments->page = BUDGET_PAGE_BUDGET;
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        if (pages[i].chosen && arguments->page != BUDGET_PAGE_BUDGET) {
            return options_error(
                &spec,
                "one page at a time: --advise, --transports, --cascade, --features, --overhead "
                "or --boards");
        }
        if (pages[i].chosen) {
            arguments->page = pages[i].page;
        }
    }
    if (arguments->features != NULL && strcmp(arguments->features, "c6") != 0) {
        return options_error(&spec, "--features: '%s' is none of: c6", arguments->features);
    }
    return OPTIONS_GO_ON;
}

int budget_options_parse(
    int argc, char **argv, struct budget_arguments *arguments, struct budget *budget) {
    const char *wrong;
    int code;

    *arguments = (struct budget_arguments){
        .board = "pico2w",
        .gi = AIRTIME_GI_SHORT,
        .amsdu = 1,
        .payload_bytes = 1472,
        .ack_every = 2,
        .peer_window = 65535,
        .dtim = 1,
        .sleep_after_ns = 200000000,
        .capture_bytes = 300,
    };
    code = options_parse(&spec, argc, argv, arguments);
    if (code == OPTIONS_GO_ON) {
        code = choose_page(arguments);
    }
    if (code == OPTIONS_GO_ON) {
        code = lookup_board(arguments, budget);
    }
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    budget->app = (enum budget_app)arguments->app;
    if (arguments->stack_given) {
        budget_set_stack(budget, (enum budget_stack)arguments->stack);
    }
    code = apply_bus(arguments, budget);
    if (code == OPTIONS_GO_ON) {
        code = apply_air(arguments, budget);
    }
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    apply_connection(arguments, budget);
    apply_processors(arguments, budget);
    wrong = budget_check(budget);
    return wrong == NULL ? OPTIONS_GO_ON : options_error(&spec, "%s", wrong);
}
