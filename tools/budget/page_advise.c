// SPDX-License-Identifier: MIT
// Advise: settings of the stacks in use, ordered by what the model computes that they gain.
//
// Names of settings: read from public code (pico-sdk, pico-examples, embassy, ESP-IDF, esp-hosted-
// mcu, esp-wifi-remote) and the write-ups. What is marked as without effect under ESP-Hosted: the
// host has no Wi-Fi driver, so the options of one are compiled into nothing.
#include "budget/report.h"
#include "common/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_FULL 65535.0
#define GAIN_SHOWN  0.005

// Where a setting works.
enum reach {
    WORKS,
    WITHOUT_EFFECT,  // under ESP-Hosted
    NOT_COMPUTED,    // the model has no term for it: measure
};

enum audience { PICO_LWIP = 1, PICO_EMBASSY = 2, PICO_CORADIO = 4, ESP = 8, HOSTED = 16 };

typedef void (*setting_fn)(struct budget *budget);

struct setting {
    unsigned audience;
    const char *place;
    const char *text;
    setting_fn make;  // NULL: nothing that this direction feels
    enum reach reach;
    const char *note;
};

static void pm_none(struct budget *budget) {
    budget->pm = BUDGET_PM_NONE;
}

static void send_buffer_40_mss(struct budget *budget) {
    budget->send_buffer = fmax(budget->send_buffer, 40.0 * budget->mss);
}

static void send_buffer_full(struct budget *budget) {
    budget->send_buffer = fmax(budget->send_buffer, WINDOW_FULL);
}

static void bus_50(struct budget *budget) {
    budget->wire.clock_hz = fmax(budget->wire.clock_hz, 50e6);
}

// The bus keeps its divider of four.
static void system_200(struct budget *budget) {
    budget->cpu_mhz = fmax(budget->cpu_mhz, 200);
    budget->wire.clock_hz = fmax(budget->wire.clock_hz, 50e6);
}

static void queued(struct budget *budget) {
    budget->engine = BUDGET_ENGINE_QUEUED;
}

static void whole_coradio(struct budget *budget) {
    budget_set_stack(budget, BUDGET_STACK_CORADIO);
    send_buffer_full(budget);
}

static void appended(struct budget *budget) {
    budget->wire.status = BUDGET_STATUS_APPENDED;
}

static void tx_ba_32(struct budget *budget) {
    budget->ampdu = budget->ampdu > 32 ? budget->ampdu : 32;
}

static void rx_ba_32(struct budget *budget) {
    budget->ap_ampdu = budget->ap_ampdu > 32 ? budget->ap_ampdu : 32;
}

static void ht40(struct budget *budget) {
    budget->air.format = AIRTIME_HT40;
    budget->air.mcs = 7;
}

static void four_lines(struct budget *budget) {
    budget->wire.lines = 4;
}

static void streaming(struct budget *budget) {
    if (budget->wire.sdio_mode == BUDGET_SDIO_PACKET) {
        budget->wire.sdio_mode = BUDGET_SDIO_STREAM;
    }
}

static void aggregate(struct budget *budget) {
    budget->wire.sdio_mode = BUDGET_SDIO_AGGREGATE;
}

static void mss_1460(struct budget *budget) {
    budget->mss = budget->mss > 1460 ? budget->mss : 1460;
}

static void no_captures(struct budget *budget) {
    budget->capture_rate = 0;
    budget->rpc_rate = 0;
}

// clang-format off
static const struct setting settings[] = {
    {PICO_LWIP, "after joining", "cyw43_wifi_pm(&cyw43_state, CYW43_NONE_PM)", pm_none, WORKS,
     "the default is CYW43_PERFORMANCE_PM; the driver resets it at set-up"},
    {PICO_LWIP, "lwipopts.h", "MEM_SIZE 128000, TCP_SND_BUF and TCP_WND (40 * TCP_MSS), "
     "TCP_SND_QUEUELEN and MEMP_NUM_TCP_SEG to match", send_buffer_40_mss, WORKS,
     "the stock heap of 4000 bytes holds two segments"},
    {PICO_LWIP, "CMakeLists.txt", "CYW43_PIO_CLOCK_DIV_INT=1, CYW43_PIO_CLOCK_DIV_FRAC=128 (50 "
     "MHz of 150)", bus_50, WORKS,
     "1.5 is an uneven divider, which corrupted reads in the write-up; 200 MHz needs none"},
    {PICO_LWIP, "main()", "set_sys_clock_khz(200000, true)", system_200, WORKS,
     "the bus follows to 50 MHz; rated on the RP2040, above the RP2350's 150 MHz"},
    {PICO_LWIP, "lwipopts.h", "LWIP_CHECKSUM_ON_COPY 1", NULL, NOT_COMPUTED,
     "counted: 6070 in place of 5956 instructions a segment, no gain"},
    {PICO_LWIP, "stack", "a driver that queues transfers instead of waiting for each", queued,
     WORKS, "the SDK's waits in place"},
    {PICO_LWIP | PICO_EMBASSY, "stack", "coradio's stack and driver", whole_coradio, WORKS,
     "queued bus, appended status, ring of 64 KiB"},
    {PICO_EMBASSY, "after control.init()", "control.set_power_management("
     "PowerManagementMode::None)", pm_none, WORKS, NULL},
    {PICO_EMBASSY, "Cargo.toml", "cyw43 without the feature \"firmware-logs\"", NULL, NOT_COMPUTED,
     "measured: 14.6 to 15.3 Mbit/s"},
    {PICO_EMBASSY, "Cargo.toml", "cyw43 and cyw43-pio of 2026: status appended to each transfer",
     appended, WORKS, "and the sampling program chosen by clock"},
    {PICO_EMBASSY | PICO_CORADIO, "bus", "50 MHz", bus_50, WORKS,
     "edge of the specification; prove the sampling point"},
    {PICO_EMBASSY, "source", "a task that fills the next frame while one is on the bus",
     queued, WORKS, "encode frame n+1 while frame n is clocked"},
    {PICO_CORADIO, "radio", "power save none", pm_none, WORKS, NULL},
    {PICO_CORADIO, "ring", "64 KiB of send ring", send_buffer_full, WORKS, NULL},
    {ESP | HOSTED, "sdkconfig", "CONFIG_LWIP_TCP_SND_BUF_DEFAULT=65535", send_buffer_full, WORKS,
     "for sending this one counts; the default is 5760"},
    {ESP | HOSTED, "sdkconfig", "CONFIG_LWIP_TCP_WND_DEFAULT=65535", NULL, WORKS,
     "receiving only"},
    {ESP | HOSTED, "sdkconfig", "CONFIG_LWIP_TCP_RECVMBOX_SIZE=64, "
     "CONFIG_LWIP_TCPIP_RECVMBOX_SIZE=64", NULL, WORKS, "receiving, and ACKs of large windows"},
    {ESP | HOSTED, "sdkconfig", "CONFIG_LWIP_TCP_SACK_OUT=y", NULL, WORKS, "receiving only"},
    {ESP | HOSTED, "sdkconfig", "CONFIG_LWIP_TCP_MSS=1460", mss_1460, WORKS, "the default is 1440"},
    {ESP | HOSTED, "after start", "esp_wifi_set_ps(WIFI_PS_NONE)", pm_none, WORKS, NULL},
    {ESP, "sdkconfig", "CONFIG_ESP_WIFI_TX_BA_WIN=32", tx_ba_32, WORKS, "more buffers with it"},
    {ESP, "sdkconfig", "CONFIG_ESP_WIFI_RX_BA_WIN=32", rx_ba_32, WORKS,
     "lets the access point send more ACKs together"},
    {ESP | HOSTED, "after start", "esp_wifi_set_bandwidth(WIFI_IF_STA, WIFI_BW_HT40)", ht40, WORKS,
     "802.11n on 40 MHz; on a crowded channel it loses"},
    {ESP | HOSTED, "sdkconfig", "CONFIG_LWIP_IRAM_OPTIMIZATION=y", NULL, NOT_COMPUTED,
     "processor time; A/B it with coradio compare"},
    {HOSTED, "sdkconfig of the host", "CONFIG_ESP_WIFI_TX_BA_WIN=32", NULL, WITHOUT_EFFECT,
     "the host has no Wi-Fi driver; build it into the co-processor"},
    {HOSTED, "sdkconfig of the host", "CONFIG_ESP_WIFI_RX_BA_WIN=32", NULL, WITHOUT_EFFECT,
     "the same; the window for receiving stays at 6"},
    {HOSTED, "sdkconfig of the host", "CONFIG_ESP_WIFI_*_BUFFER_NUM", NULL, WITHOUT_EFFECT,
     "derived, not settable; the names with WIFI_RMT_ are"},
    {HOSTED, "sdkconfig of the host", "CONFIG_WIFI_RMT_RX_BA_WIN=32", NULL, WITHOUT_EFFECT,
     "not forwarded: it stays at 6; read it back"},
    {HOSTED, "sdkconfig of the host", "CONFIG_WIFI_RMT_DYNAMIC_TX_BUFFER_NUM=64, "
     "CONFIG_WIFI_RMT_DYNAMIC_RX_BUFFER_NUM=64, CONFIG_WIFI_RMT_STATIC_RX_BUFFER_NUM=16", NULL,
     NOT_COMPUTED, "what lets frames queue in the C6, and so aggregate"},
    {HOSTED, "co-processor's build", "CONFIG_ESP_WIFI_TX_BA_WIN=32", tx_ba_32, WORKS,
     "the co-processor's own default; older firmware has 6"},
    {HOSTED, "sdkconfig of the host", "CONFIG_ESP_HOSTED_SDIO_CLOCK_FREQ_KHZ=50000", bus_50, WORKS,
     "watch for CRC errors; pull-ups on CMD and D0 to D3"},
    {HOSTED, "sdkconfig of the host", "CONFIG_ESP_HOSTED_SDIO_BUS_WIDTH=4", four_lines, WORKS,
     NULL},
    {HOSTED, "sdkconfig of the host", "CONFIG_ESP_HOSTED_SDIO_OPTIMIZATION_RX_STREAMING_MODE=y",
     streaming, WORKS, "both sides must agree from 2.12 on"},
    {HOSTED, "sdkconfig of the host", "CONFIG_ESP_HOSTED_SDIO_TX_Q_SIZE=64", NULL, NOT_COMPUTED,
     "receiving: raw 54, 70, 76, 80, 82, 84 Mbit/s with 5, 10 ... 30"},
    {HOSTED, "both sides", "ESP-Hosted 3.x: ten frames a transfer", aggregate, WORKS,
     "update the co-processor first; an ACK then comes alone"},
    {HOSTED, "sdkconfig of the host", "CONFIG_LWIP_TCPIP_TASK_AFFINITY_CPU1=y", NULL, NOT_COMPUTED,
     "processor time; A/B it"},
    {HOSTED, "application", "no promiscuous mode and few requests while data flows", no_captures,
     WORKS, "they go before the data on the same channel"},
    {HOSTED, "host software", "a transport that prepares the next frame during a transfer", queued,
     WORKS, "the stock host waits for each"},
};
// clang-format on

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

struct advice {
    const struct setting *setting;
    double alone_bps;    // with this one changed
    double without_bps;  // with all the others changed
    bool in_force;       // it changes nothing in the description
};

static unsigned audience(const struct budget *budget) {
    switch (budget->board->family) {
    case BUDGET_FAMILY_PICO:
        return budget->stack == BUDGET_STACK_LWIP      ? PICO_LWIP
               : budget->stack == BUDGET_STACK_EMBASSY ? PICO_EMBASSY
                                                       : PICO_CORADIO;
    case BUDGET_FAMILY_HOSTED:
        return HOSTED;
    case BUDGET_FAMILY_ESP:
    default:
        return ESP;
    }
}

// HT40 and another stack are ways of their own, not part of "all of it together".
static bool joins(const struct setting *setting) {
    return setting->make != NULL && setting->make != ht40 && setting->make != whole_coradio &&
           setting->make != system_200;
}

static void make_all(struct budget *budget, const struct setting *but) {
    unsigned mine = audience(budget);

    for (size_t i = 0; i < SETTINGS; i++) {
        if ((settings[i].audience & mine) != 0 && joins(&settings[i]) && &settings[i] != but) {
            settings[i].make(budget);
        }
    }
}

static int by_gain(const void *left, const void *right) {
    const struct advice *a = left;
    const struct advice *b = right;
    long alone_a = lround(a->alone_bps / 1e4);
    long alone_b = lround(b->alone_bps / 1e4);
    long without_a = lround(a->without_bps / 1e4);
    long without_b = lround(b->without_bps / 1e4);

    if (alone_a != alone_b) {
        return alone_a < alone_b ? 1 : -1;
    }
    if (without_a != without_b) {
        return without_a < without_b ? -1 : 1;
    }
    return a->setting < b->setting ? -1 : a->setting > b->setting;
}

// Compares what the settings above can change.
static bool same(const struct budget *a, const struct budget *b) {
    return a->pm == b->pm && a->send_buffer == b->send_buffer && a->mss == b->mss &&
           a->wire.clock_hz == b->wire.clock_hz && a->wire.lines == b->wire.lines &&
           a->wire.status == b->wire.status && a->wire.sdio_mode == b->wire.sdio_mode &&
           a->engine == b->engine && a->stack == b->stack && a->cpu_mhz == b->cpu_mhz &&
           a->ampdu == b->ampdu && a->ap_ampdu == b->ap_ampdu && a->air.format == b->air.format &&
           a->rpc_rate == b->rpc_rate && a->capture_rate == b->capture_rate;
}

// Ordered by gain alone, then by what is lost when all is changed but this. Returns how many.
static size_t collect(
    const struct budget *budget, struct advice advices[SETTINGS], double *together_bps) {
    unsigned mine = audience(budget);
    double now_bps = budget_bps(budget);
    struct budget all = *budget;
    size_t count = 0;

    make_all(&all, NULL);
    *together_bps = budget_bps(&all);
    for (size_t i = 0; i < SETTINGS; i++) {
        struct advice *advice = &advices[count];
        struct budget alone = *budget;
        struct budget without = *budget;

        if ((settings[i].audience & mine) == 0) {
            continue;
        }
        *advice = (struct advice){&settings[i], now_bps, *together_bps, false};
        if (settings[i].make != NULL) {
            settings[i].make(&alone);
            advice->in_force = same(&alone, budget);
            advice->alone_bps = budget_bps(&alone);
        }
        if (joins(&settings[i])) {
            make_all(&without, &settings[i]);
            advice->without_bps = budget_bps(&without);
        }
        count++;
    }
    qsort(advices, count, sizeof(advices[0]), by_gain);
    return count;
}

static bool matters(const struct advice *advice, double now_bps, double together_bps) {
    return advice->alone_bps > now_bps * (1 + GAIN_SHOWN) ||
           advice->without_bps < together_bps * (1 - GAIN_SHOWN);
}

static void print_setting(FILE *out, const struct advice *advice, const char *before) {
    const struct setting *setting = advice->setting;
    char first[64];
    char second[256];

    snprintf(first, sizeof(first), "    %s", before);
    budget_wrap(out, (int)strlen(first), first, setting->text);
    snprintf(
        second,
        sizeof(second),
        "%s%s%s",
        setting->place,
        setting->note != NULL ? ": " : "",
        setting->note != NULL ? setting->note : "");
    snprintf(first, sizeof(first), "%*s", (int)strlen(before) + 6, "");
    budget_wrap(out, (int)strlen(first), first, second);
}

static void print_gains(
    FILE *out, const struct advice *advices, size_t count, double now_bps, double together_bps) {
    bool any = false;

    fprintf(
        out,
        "\n  Settings by computed gain (alone: only this changed; left out: all changed but this)\n"
        "       alone  left out\n");
    for (size_t i = 0; i < count; i++) {
        char before[64];
        double last = advices[i].without_bps / together_bps - 1;

        if (!matters(&advices[i], now_bps, together_bps)) {
            continue;
        }
        any = true;
        snprintf(
            before,
            sizeof(before),
            "%+8.1f %%  %+7.1f %%   ",
            100 * (advices[i].alone_bps / now_bps - 1),
            100 * last);
        print_setting(out, &advices[i], before);
    }
    if (!any) {
        fprintf(out, "    none\n");
    }
}

static void print_reach(
    FILE *out, const struct advice *advices, size_t count, enum reach reach, const char *title) {
    bool first = true;

    for (size_t i = 0; i < count; i++) {
        if (advices[i].setting->reach != reach) {
            continue;
        }
        if (first) {
            fprintf(out, "\n  %s\n", title);
            first = false;
        }
        print_setting(out, &advices[i], "");
    }
}

static void print_rest(
    FILE *out, const struct advice *advices, size_t count, double now_bps, double together_bps) {
    bool first = true;

    for (size_t i = 0; i < count; i++) {
        const struct advice *advice = &advices[i];

        if (advice->setting->reach != WORKS || matters(advice, now_bps, together_bps)) {
            continue;
        }
        if (first) {
            fprintf(out, "\n  No gain for this transfer\n");
            first = false;
        }
        print_setting(out, advice, advice->in_force ? "[as it is] " : "");
    }
}

void budget_advise_text(FILE *out, const struct budget *budget) {
    struct advice advices[SETTINGS];
    double together_bps;
    double now_bps = budget_bps(budget);
    struct budget all = *budget;
    struct budget_result result;
    size_t count = collect(budget, advices, &together_bps);

    fprintf(
        out,
        "%s, %s: %s upload, %.1f Mbit/s as described\n",
        budget->board->title,
        budget_stack_row(budget->stack)->title,
        budget->app == BUDGET_TCP ? "TCP" : "UDP",
        now_bps / 1e6);
    print_gains(out, advices, count, now_bps, together_bps);
    print_reach(out, advices, count, WITHOUT_EFFECT, "Without effect under ESP-Hosted");
    print_reach(out, advices, count, NOT_COMPUTED, "Not computed: measure them");
    print_rest(out, advices, count, now_bps, together_bps);
    make_all(&all, NULL);
    budget_evaluate(&all, all.app, &result);
    fprintf(
        out,
        "\n  All of them together: %.1f Mbit/s (HT40 and other stacks left out); then the %s "
        "binds.\n",
        together_bps / 1e6,
        budget_stage_name(result.binds));
}

static const char *reach_name(enum reach reach) {
    static const char *const names[] = {"works", "no_effect_under_esp_hosted", "not_computed"};

    return names[reach];
}

void budget_advise_json(cJSON *root, const struct budget *budget) {
    struct advice advices[SETTINGS];
    double together_bps;
    double now_bps = budget_bps(budget);
    size_t count = collect(budget, advices, &together_bps);
    cJSON *to = json_add_object(root, "advise");
    cJSON *array;

    json_add_real(to, "now_bps", now_bps, 0);
    json_add_real(to, "together_bps", together_bps, 0);
    array = json_add_array(to, "settings");
    for (size_t i = 0; i < count; i++) {
        cJSON *row = json_append_object(array);

        json_add_text(row, "setting", advices[i].setting->text);
        json_add_text(row, "place", advices[i].setting->place);
        json_add_text(row, "reach", reach_name(advices[i].setting->reach));
        json_add_bool(row, "in_force", advices[i].in_force);
        json_add_real(row, "goodput_bps", advices[i].alone_bps, 0);
        json_add_real(row, "gain_bps", advices[i].alone_bps - now_bps, 0);
        json_add_real(row, "loss_if_left_out_bps", together_bps - advices[i].without_bps, 0);
        json_add_text(row, "note", advices[i].setting->note);
    }
}
