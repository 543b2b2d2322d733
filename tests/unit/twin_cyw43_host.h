// SPDX-License-Identifier: MIT
// Host: a world with the chip model in it, and the least host that can talk to it, in the manner of
// three public drivers. Facts from the public notes on those drivers; nothing is shared with the
// driver in src/. Frames and control requests stand in twin_cyw43_link.h.
#ifndef TWIN_CYW43_HOST_H
#define TWIN_CYW43_HOST_H

#include "coradio_twin/cyw43.h"
#include "test.h"

#include <stdlib.h>

#define HOST_BYTES 4096u
#define BIT_NS     27u  // 37.5 MHz
#define MS         UINT64_C(1000000)

enum host_order { HOST_HALVES, HOST_LITTLE, HOST_BIG };

// How a driver sets the bus up.
struct host_style {
    uint32_t control;       // first word written to 0x00
    enum host_order order;  // after it
    uint32_t delay;         // bytes, written to 0x1D
    bool counts_delay;      // in the length of F1 reads
    bool takes_status;
    bool exact;  // clocks exact bytes on F1, else whole words
};

static const struct host_style host_sdk = {0x000204B3, HOST_BIG, 16, false, false, false};
static const struct host_style host_embassy = {0x000304B1, HOST_LITTLE, 4, false, true, false};
static const struct host_style host_picowi = {0x000200B3, HOST_BIG, 4, true, false, true};
// Memory order with the status word.
static const struct host_style host_queued = {0x000304B3, HOST_BIG, 4, false, true, false};

struct host {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_faults *faults;
    struct twin_air *air;
    struct twin_ap *ap;
    struct twin_cyw43 *chip;
    struct twin_gspi_chip pins;
    struct host_style style;
    enum host_order order;
    uint32_t window;
    uint32_t status;  // last appended word
    uint8_t sequence;
    uint8_t credit;
    uint8_t chip_sequence;   // of the last frame read
    uint8_t first_sequence;  // of the chip
    uint16_t id;
    uint8_t out[HOST_BYTES];
    uint8_t in[HOST_BYTES];
    uint8_t frame[2048];  // last frame read
    uint32_t frame_bytes;
    uint32_t wire_frames;  // came out at the far end
    uint8_t wire_last[2048];
    uint32_t wire_last_bytes;
    uint32_t irq_changes;
    bool irq_level;
};

struct host_world {
    enum twin_auth auth;
    bool no_ap;
    const char *faults;  // a script; NULL: none
    uint32_t mpdu_error;
    struct twin_cyw43_config chip;
};

static inline struct host_world host_world_new(void) {
    struct host_world world = {.auth = TWIN_AUTH_OPEN};

    twin_cyw43_config_init(&world.chip);
    return world;
}

static inline void host_far_end(void *context, struct twin_frame *frame) {
    struct host *host = context;

    host->wire_frames++;
    host->wire_last_bytes = frame->size_bytes;
    memcpy(host->wire_last, frame->data, frame->size_bytes);
    twin_frame_put(host->frames, frame);
}

static inline void host_irq_changed(void *context, bool level) {
    struct host *host = context;

    host->irq_changes++;
    host->irq_level = level;
}

static inline struct host *host_new(const struct host_style *style, struct host_world world) {
    struct host *host = calloc(1, sizeof(*host));
    struct twin_air_config air = {.mcs = 7, .gi = TWIN_GI_SHORT, .mpdu_error = world.mpdu_error};
    struct twin_ap_config ap = {
        .ssid = "net",
        .key = "correct horse",
        .auth = world.auth,
        .bssid = {0x02, 0, 0, 0, 0, 0xA9},
        .channel = 6,
        .rssi_dbm = -47,
        .ampdu_max = 16,
        .dtim_period = 1,
        .wire = {host_far_end, host},
    };

    host->style = *style;
    host->credit = 1;
    host->sim = twin_sim_new(1, 0);
    host->frames = twin_frames_new();
    if (world.faults != NULL) {
        char error[256];

        host->faults = ap.faults = world.chip.faults = twin_faults_new(host->sim);
        CHECK(twin_faults_script(host->faults, world.faults, error));
    }
    air.sim = ap.sim = world.chip.sim = host->sim;
    air.frames = ap.frames = world.chip.frames = host->frames;
    host->air = ap.air = world.chip.air = twin_air_new(&air);
    host->ap = world.chip.ap = world.no_ap ? NULL : twin_ap_new(&ap);
    host->chip = twin_cyw43_new(&world.chip);
    host->pins = twin_cyw43_gspi(host->chip);
    twin_cyw43_on_irq(host->chip, host_irq_changed, host);
    return host;
}

// Everything goes back to the pool at the end of each test.
static inline void host_free(struct host *host) {
    uint32_t out;

    twin_cyw43_free(host->chip);
    twin_ap_free(host->ap);
    twin_air_free(host->air);
    twin_faults_free(host->faults);
    out = twin_frames_out(host->frames);
    twin_frames_free(host->frames);
    twin_sim_free(host->sim);
    free(host);
    CHECK_EQ(out, 0);
}

static inline void host_wait(struct host *host, uint64_t ns) {
    twin_run_until(host->sim, twin_now_ns(host->sim) + ns);
}

static inline struct twin_cyw43_counters host_counters(const struct host *host) {
    struct twin_cyw43_counters counters;

    twin_cyw43_get_counters(host->chip, &counters);
    return counters;
}

// ---- transactions

// Word orders are their own inverse.
static inline void host_reorder(const struct host *host, uint8_t *bytes, uint32_t size_bytes) {
    for (uint32_t i = 0; host->order != HOST_BIG && i < size_bytes; i += 4) {
        static const uint8_t places[2][4] = {{1, 0, 3, 2}, {3, 2, 1, 0}};
        uint8_t word[4];

        memcpy(word, bytes + i, 4);
        for (uint32_t k = 0; k < 4; k++) {
            bytes[i + k] = word[places[host->order][k]];
        }
    }
}

static inline uint32_t host_le32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline void host_put32(uint8_t *bytes, uint32_t value) {
    for (uint32_t i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

// Clocks host->out and then host->in, both as they are on the wire.
static inline void host_clock(struct host *host, uint32_t out_bytes, uint32_t in_bytes) {
    struct twin_gspi_xfer xfer = {
        .out = {{host->out, 4}, {host->out + 4, out_bytes > 4 ? out_bytes - 4 : 0}},
        .out_count = 2,
        .in = host->in,
        .in_bytes = in_bytes,
        .extra_clocks = in_bytes != 0 ? 1 : 0,
    };

    memset(host->in, 0xEE, sizeof(host->in));
    host_wait(host, BIT_NS * (8u * (uint64_t)(out_bytes + in_bytes) + xfer.extra_clocks));
    host->pins.transfer(host->pins.context, &xfer);
}

static inline uint32_t host_command(
    bool write, uint32_t function, uint32_t address, uint32_t length) {
    return (write ? 1u << 31 : 0) | 1u << 30 | function << 28 | address << 11 | (length & 0x7FFu);
}

static inline void host_take_status(struct host *host, uint32_t offset) {
    if (host->style.takes_status && host->order != HOST_HALVES) {
        host_reorder(host, host->in + offset, 4);
        host->status = host_le32(host->in + offset);
    }
}

static inline uint32_t host_status_bytes(const struct host *host) {
    return host->style.takes_status && host->order != HOST_HALVES ? 4 : 0;
}

static inline void host_block_read(
    struct host *host, uint32_t function, uint32_t address, uint8_t *data, uint32_t size_bytes) {
    bool f1 = function == 1;
    uint32_t delay = f1 ? host->style.delay : 0;
    uint32_t length = size_bytes + (f1 && host->style.counts_delay ? delay : 0);
    uint32_t clocked = f1 && host->style.exact ? size_bytes : (size_bytes + 3u) & ~3u;

    host_put32(host->out, host_command(false, function, address, length));
    host_reorder(host, host->out, 4);
    host_clock(host, 4, delay + clocked + host_status_bytes(host));
    host_take_status(host, delay + clocked);
    host_reorder(host, host->in + delay, (clocked + 3u) & ~3u);
    memcpy(data, host->in + delay, size_bytes);
}

static inline void host_block_write(
    struct host *host,
    uint32_t function,
    uint32_t address,
    const uint8_t *data,
    uint32_t size_bytes) {
    uint32_t clocked = (size_bytes + 3u) & ~3u;

    memset(host->out + size_bytes, 0, 8);
    host_put32(host->out, host_command(true, function, address, size_bytes));
    memcpy(host->out + 4, data, size_bytes);
    host_reorder(host, host->out, 4 + clocked);
    host_clock(host, 4 + clocked, host_status_bytes(host));
    host_take_status(host, 0);
}

// A value of up to four bytes.
static inline uint32_t host_read(
    struct host *host, uint32_t function, uint32_t address, uint32_t length) {
    uint8_t value[4] = {0};

    host_block_read(host, function, address, value, length);
    return host_le32(value);
}

static inline void host_write(
    struct host *host, uint32_t function, uint32_t address, uint32_t value, uint32_t length) {
    uint8_t bytes[4];

    host_put32(bytes, value);
    host_block_write(host, function, address, bytes, length);
}

#endif
