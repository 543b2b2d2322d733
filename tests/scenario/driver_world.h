// SPDX-License-Identifier: MIT
// World for scenarios of the CYW43 driver alone: virtual board, chip, air and access point of the
// twin, the driver on them, and in place of a stack a source that sends numbered frames and counts
// what comes back. Behind the access point an echo answers each n-th frame with a short one, as a
// TCP receiver would.
#ifndef DRIVER_WORLD_H
#define DRIVER_WORLD_H

#include "bus_twin.h"
#include "coradio_twin/air.h"
#include "coradio_twin/ap.h"
#include "coradio_twin/board.h"
#include "coradio_twin/cyw43.h"
#include "coradio_twin/frame.h"
#include "test.h"

#include <stddef.h>
#include <stdlib.h>

#include "coradio/cyw43.h"

#define WORLD_SSID      "twin"
#define WORLD_KEY       "secret-key"
#define HEAD_BYTES      54u
#define PAYLOAD_BYTES   1460u
#define ANSWER_BYTES    54u
#define ETHER_TYPE_TEST 0x88B5u

struct options {
    int32_t bringup_hz;
    int32_t data_hz;
    uint8_t credit_window;
    uint8_t queue_depth;
    uint8_t ap_ampdu;
    uint8_t listen_beacons;
    enum twin_engine engine;
    uint64_t segment_ns;
    uint64_t wake_ns;      // 0: the model's
    uint32_t answer_each;  // frames for one answer; 0: none
    uint32_t mpdu_error;
    enum cor_pm pm;
    enum twin_auth auth;
    bool keep;         // of the join
    const char *ssid;  // what is joined
    const char *key;
    bool no_network;
    bool damage_firmware;
    bool tolerant;             // of answers that are damaged
    uint32_t outstanding_max;  // frames without an answer; 0: any
    // For the scenarios with faults.
    const char *faults;  // a script; NULL: none, and none later
    uint32_t cpu_hz;     // 0: 150 MHz
    bool out_of_spec;
    uint32_t polling_us;
    struct cor_cyw43_hooks hooks;
    // More networks in reach of the chip, made by the scenario.
    struct twin_cyw43_network others[TWIN_CYW43_OTHERS_MAX];
    bool hidden;
    uint8_t channel;  // 0: 1
    int8_t rssi_dbm;  // 0: -50
};

struct world {
    struct options options;
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_faults *faults;
    struct twin_air *air;
    struct twin_ap *ap;
    struct twin_cyw43 *chip;
    struct twin_board *board;
    struct cor_bus_twin bus;
    struct cor_meter meter;
    struct cor_frame_source source;
    struct cor_cyw43 driver;
    struct twin_port far;
    // Source.
    uint32_t to_send;
    uint32_t pulled;
    uint32_t sent;
    uint32_t answers;
    uint32_t answered;  // frames the answers speak for
    bool link;
    uint32_t links;
    uint32_t inputs;
    void (*on_input)(struct world *world, const uint8_t *frame, uint32_t size_bytes);
    void (*on_sent)(struct world *world, uint32_t token);
    struct twin_work work;
    // Echo.
    uint32_t arrived;
    void (*check_frame)(const struct twin_frame *frame);
    uint32_t out_of_order;
    uint64_t first_ns;
    uint64_t last_ns;
    uint8_t payload[PAYLOAD_BYTES];
    uint32_t firmware_bytes, nvram_bytes, clm_bytes;
    uint8_t firmware[256 * 1024];
    uint8_t nvram[4096];
    uint8_t clm[4096];
};

static const uint8_t world_board[6] = {0x02, 0x43, 0x43, 0x90, 0x00, 0x01};
static const uint8_t world_bssid[6] = {0x02, 0xAA, 0x00, 0x00, 0x00, 0x01};
static const uint8_t world_peer[6] = {0x02, 0xBB, 0x00, 0x00, 0x00, 0x01};

static inline struct options options_default(void) {
    return (struct options){
        .bringup_hz = 25000000,
        .data_hz = 37500000,
        .credit_window = 8,
        .queue_depth = 4,
        .ap_ampdu = 8,
        .engine = TWIN_ENGINE_QUEUED,
        .answer_each = 2,
        .pm = COR_PM_NONE,
        .auth = TWIN_AUTH_WPA2,
        .ssid = WORLD_SSID,
        .key = WORLD_KEY,
    };
}

// ---- far side

static inline void world_arrive(void *context, struct twin_frame *frame) {
    struct world *world = context;
    uint32_t number = 0;

    memcpy(&number, frame->data + 14, sizeof(number));
    if (world->check_frame != NULL) {
        world->check_frame(frame);
    }
    world->out_of_order += number != world->arrived;
    if (world->arrived++ == 0) {
        world->first_ns = twin_now_ns(world->sim);
    }
    world->last_ns = twin_now_ns(world->sim);
    if (frame->size_bytes != HEAD_BYTES + PAYLOAD_BYTES) {
        world->out_of_order++;
    }
    if (world->options.answer_each != 0 && world->arrived % world->options.answer_each == 0) {
        struct twin_port back = twin_ap_port(world->ap);

        memset(frame->data, 0, ANSWER_BYTES);
        memcpy(frame->data, world_board, 6);
        memcpy(frame->data + 6, world_peer, 6);
        frame->data[12] = ETHER_TYPE_TEST >> 8;
        frame->data[13] = ETHER_TYPE_TEST & 0xFF;
        memcpy(frame->data + 14, &world->arrived, sizeof(world->arrived));
        frame->size_bytes = ANSWER_BYTES;
        back.input(back.context, frame);
    } else {
        twin_frame_put(world->frames, frame);
    }
}

// ---- source

static inline struct world *world_of(struct cor_frame_source *source) {
    return (struct world *)(void *)((uint8_t *)source - offsetof(struct world, source));
}

static inline enum cor_status world_pull(
    struct cor_frame_source *source, uint64_t now_us, struct cor_frame_tx *tx) {
    struct world *world = world_of(source);

    (void)now_us;
    if (world->to_send == 0) {
        tx->blocked = COR_METER_STATE_source;
        return COR_AGAIN;
    }
    if (world->options.outstanding_max != 0 &&
        world->pulled - world->answered >= world->options.outstanding_max) {
        tx->blocked = COR_METER_STATE_congestion;
        return COR_AGAIN;
    }
    memset(tx->head, 0, HEAD_BYTES);
    memcpy(tx->head, world_peer, 6);
    memcpy(tx->head + 6, world_board, 6);
    tx->head[12] = ETHER_TYPE_TEST >> 8;
    tx->head[13] = ETHER_TYPE_TEST & 0xFF;
    memcpy(tx->head + 14, &world->pulled, sizeof(world->pulled));
    tx->head_bytes = HEAD_BYTES;
    tx->pieces[0] = (struct cor_span){world->payload, PAYLOAD_BYTES};
    tx->piece_count = 1;
    tx->payload_bytes = PAYLOAD_BYTES;
    tx->token = world->pulled++;
    world->to_send--;
    world->work.segments++;
    return COR_OK;
}

static inline void world_sent(struct cor_frame_source *source, uint64_t now_us, uint32_t token) {
    struct world *world = world_of(source);

    (void)now_us;
    // Frames that are given back unsent, as the radio goes off, come in any order.
    CHECK(token == world->sent || world->options.tolerant);
    world->sent++;
    if (world->on_sent != NULL) {
        world->on_sent(world, token);
    }
}

static inline uint32_t world_input(
    struct cor_frame_source *source, uint64_t now_us, uint8_t *frame, uint32_t size_bytes) {
    struct world *world = world_of(source);

    (void)now_us;
    world->inputs++;
    if (world->on_input != NULL) {
        world->on_input(world, frame, size_bytes);
    }
    if (size_bytes != ANSWER_BYTES) {
        CHECK(world->options.tolerant);
        return 0;
    }
    memcpy(&world->answered, frame + 14, sizeof(world->answered));
    world->answers++;
    world->work.acks++;
    return 0;
}

static inline void world_link(struct cor_frame_source *source, uint64_t now_us, bool up) {
    struct world *world = world_of(source);

    (void)now_us;
    world->link = up;
    world->links++;
}

static inline uint64_t world_poll(void *context, uint64_t now_us) {
    struct world *world = context;
    uint64_t next_us = cor_cyw43_poll(&world->driver, now_us);

    cor_cyw43_rest(&world->driver, twin_board_worked_ns(world->board) / 1000u);
    return next_us;
}

static inline void world_work(void *context, struct twin_work *work) {
    const struct world *world = context;

    *work = world->work;
}

// ---- life

static inline void world_chip(struct world *world) {
    struct twin_cyw43_config config;

    twin_cyw43_config_init(&config);
    config.sim = world->sim;
    config.frames = world->frames;
    config.air = world->air;
    config.ap = world->ap;
    config.faults = world->faults;
    memcpy(config.others, world->options.others, sizeof(config.others));
    config.credit_window = world->options.credit_window;
    if (world->options.wake_ns != 0) {
        config.wake_ns = world->options.wake_ns;
    }
    memcpy(config.address, world_board, 6);
    world->chip = twin_cyw43_new(&config);
}

static inline void world_line(void *context, bool level) {
    struct world *world = context;

    twin_board_line(world->board, level);
}

static inline void world_driver(struct world *world) {
    static const struct cor_frame_source_ops source_ops = {
        world_pull, world_sent, world_input, world_link};

    world->firmware_bytes = twin_cyw43_image_firmware(world->firmware, sizeof(world->firmware));
    world->nvram_bytes = twin_cyw43_image_nvram(world->nvram, sizeof(world->nvram));
    world->clm_bytes = twin_cyw43_image_clm(world->clm, sizeof(world->clm));
    if (world->options.damage_firmware) {
        world->firmware[world->firmware_bytes / 2] ^= 0x04;
    }
    world->source.ops = &source_ops;
    cor_meter_init(&world->meter, 0);
    const struct cor_cyw43_config config = {
        .bus = &world->bus.bus,
        .frames = &world->source,
        .meter = &world->meter,
        .firmware = {world->firmware, world->firmware_bytes},
        .nvram = {world->nvram, world->nvram_bytes},
        .clm = {world->clm, world->clm_bytes},
        .country = "XX",
        .bringup_hz = world->options.bringup_hz,
        .data_hz = world->options.data_hz,
        .pm = world->options.pm,
        .listen_beacons = world->options.listen_beacons,
        .out_of_spec = world->options.out_of_spec,
        .polling_us = world->options.polling_us,
        .hooks = world->options.hooks,
    };

    cor_cyw43_init(&world->driver, &config, 0);
}

// The board around the chip, with the driver on it, powered up.
static inline void world_board_new(struct world *world) {
    world->board = twin_board_new(&(struct twin_board_config){
        .sim = world->sim,
        .chip = twin_cyw43_gspi(world->chip),
        .engine = world->options.engine,
        .cpu_hz = world->options.cpu_hz != 0 ? world->options.cpu_hz : 150000000,
        .core_mv = 1100,
        .segment_ns = world->options.segment_ns,
        .queue_depth = world->options.queue_depth,
    });
    twin_cyw43_on_irq(world->chip, world_line, world);
    cor_bus_twin_init(&world->bus, world->board);
    world_driver(world);
    twin_board_set_firmware(
        world->board,
        &(struct twin_firmware){.context = world, .poll = world_poll, .work = world_work});
    twin_board_start(world->board);
}

static inline struct world *world_open(const struct options *options) {
    struct world *world = calloc(1, sizeof(*world));

    world->options = *options;
    world->sim = twin_sim_new(1, 0);
    world->frames = twin_frames_new();
    if (options->faults != NULL) {
        char error[256] = "";

        world->faults = twin_faults_new(world->sim);
        CHECK_TEXT(twin_faults_script(world->faults, options->faults, error) ? "" : error, "");
    }
    world->air = twin_air_new(&(struct twin_air_config){
        .sim = world->sim,
        .frames = world->frames,
        .mcs = 7,
        .gi = TWIN_GI_SHORT,
        .ccmp = options->auth != TWIN_AUTH_OPEN,
        .mpdu_error = options->mpdu_error,
    });
    struct twin_ap_config ap = {
        .sim = world->sim,
        .air = world->air,
        .frames = world->frames,
        .faults = world->faults,
        .hidden = options->hidden,
        .ssid = WORLD_SSID,
        .key = WORLD_KEY,
        .auth = options->auth,
        .channel = options->channel != 0 ? options->channel : 1,
        .rssi_dbm = (int8_t)(options->rssi_dbm != 0 ? options->rssi_dbm : -50),
        .ampdu_max = options->ap_ampdu,
        .dtim_period = 1,
        .wire = {world_arrive, world},
    };

    memcpy(ap.bssid, world_bssid, 6);
    world->ap = options->no_network ? NULL : twin_ap_new(&ap);
    world_chip(world);
    world_board_new(world);
    return world;
}

// The chip goes before the networks it is in.
static inline void world_close_chip(struct world *world) {
    if (world->board != NULL) {
        cor_cyw43_stop(&world->driver, twin_now_ns(world->sim) / 1000u);
        twin_board_free(world->board);
        twin_cyw43_free(world->chip);
        world->board = NULL;
    }
}

static inline void world_close(struct world *world) {
    world_close_chip(world);
    if (world->ap != NULL) {
        twin_ap_free(world->ap);
    }
    twin_air_free(world->air);
    twin_faults_free(world->faults);
    twin_frames_free(world->frames);
    twin_sim_free(world->sim);
    free(world);
}

static inline uint64_t world_now_us(const struct world *world) {
    return twin_now_ns(world->sim) / 1000u;
}

static inline void world_run_ns(struct world *world, uint64_t ns) {
    twin_run_until(world->sim, twin_now_ns(world->sim) + ns);
}

// Runs until the driver leaves the state, at most bound_ns.
static inline void world_leave(struct world *world, enum cor_radio_state state, uint64_t bound_ns) {
    uint64_t end_ns = twin_now_ns(world->sim) + bound_ns;

    while (cor_cyw43_state(&world->driver) == state && twin_next_ns(world->sim) <= end_ns) {
        (void)twin_step(world->sim);
    }
}

static inline enum cor_radio_state world_start(struct world *world) {
    CHECK_EQ(cor_cyw43_start(&world->driver, world_now_us(world)), COR_OK);
    twin_board_interrupt(world->board);
    world_leave(world, COR_RADIO_STARTING, UINT64_C(10000000000));
    return cor_cyw43_state(&world->driver);
}

static inline enum cor_radio_state world_join(struct world *world) {
    static const enum cor_auth auths[] = {
        COR_AUTH_OPEN, COR_AUTH_WPA2, COR_AUTH_WPA3, COR_AUTH_WPA2_WPA3};
    const struct cor_join join = {
        .ssid = world->options.ssid,
        .key = world->options.key,
        .auth = auths[world->options.auth],
        .keep = world->options.keep,
    };

    CHECK_EQ(cor_cyw43_join(&world->driver, &join, world_now_us(world)), COR_OK);
    twin_board_interrupt(world->board);
    world_leave(world, COR_RADIO_JOINING, UINT64_C(15000000000));
    return cor_cyw43_state(&world->driver);
}

static inline struct world *world_joined(const struct options *options) {
    struct world *world = world_open(options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    CHECK(world->link);
    return world;
}

// Sends count frames, at most bound_ns, and returns the goodput at the far side in bit/s.
static inline double world_upload(struct world *world, uint32_t count, uint64_t bound_ns) {
    uint64_t start_ns = twin_now_ns(world->sim);
    uint64_t end_ns = start_ns + bound_ns;
    uint32_t arrived = world->arrived;

    world->to_send = count;
    twin_board_interrupt(world->board);
    while (world->arrived < arrived + count && twin_next_ns(world->sim) <= end_ns) {
        (void)twin_step(world->sim);
    }
    return 8e9 * PAYLOAD_BYTES * (world->arrived - arrived) /
           (double)(twin_now_ns(world->sim) - start_ns);
}

static inline uint64_t world_purposes(const struct world *world) {
    uint64_t bits = 0;

    for (uint32_t i = 0; i < COR_METER_PURPOSE_COUNT; i++) {
        bits += world->meter.bus.bits[i];
    }
    return bits;
}

static inline void world_print(const struct world *world, const char *what, double bps) {
    struct twin_cyw43_counters chip;
    const struct cor_cyw43_counters *driver = cor_cyw43_get_counters(&world->driver);

    twin_cyw43_get_counters(world->chip, &chip);
    printf(
        "     %s: %.2f Mbit/s, credit stalls %llu, credit frames %llu, not ready %llu\n",
        what,
        bps / 1e6,
        (unsigned long long)driver->credit_stalls,
        (unsigned long long)chip.credit_frames,
        (unsigned long long)driver->not_ready);
}

#endif
