// SPDX-License-Identifier: MIT
#include "coradio_twin/attach.h"

#include "board/internal.h"
#include "coradio_twin/board.h"
#include "coradio_twin/cyw43.h"
#include "coradio_twin/peer.h"
#include "coradio_twin/services.h"
#include "sim/alloc.h"

#include <stdlib.h>
#include <string.h>

// What pico-sdk's port clocks: 125 MHz by 4 (read from public code).
#define BUS_HZ_DEFAULT 31250000u
#define NETMASK        0xFFFFFF00u
#define LEASE_S        3600u
#define NS_PER_S       1000000000u

static const uint8_t bssid[6] = {0x02, 0xC0, 0x7A, 0xD1, 0x00, 0x02};
static const uint8_t host_address[6] = {0x52, 0x55, 0x0A, 0x00, 0x02, 0x02};

struct twin_attach {
    struct twin_attach_config config;
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_faults *faults;
    struct twin_log bus_log;
    struct twin_log chip_log;
    struct twin_air *air;
    struct twin_wire *wire;
    struct twin_ap *ap;
    struct twin_cyw43 *chip;
    struct twin_gspi_chip pins;
    struct twin_peer *peer;
    struct twin_services *services;
    struct twin_peer_sender *sender;
    uint64_t send_left;
    uint8_t send_next;
    uint64_t frames_out;
};

// ---- the far side

static void far_end(void *context, struct twin_frame *frame) {
    struct twin_attach *attach = context;

    attach->frames_out++;
    if (attach->config.frames != NULL) {
        attach->config.frames(attach->config.context, frame->data, frame->size_bytes);
        twin_frame_put(attach->frames, frame);
    } else {
        struct twin_port host = twin_peer_port(attach->peer);

        host.input(host.context, frame);
    }
}

static void received(void *context, const uint8_t *data, uint32_t size_bytes) {
    struct twin_attach *attach = context;

    if (attach->config.received != NULL) {
        attach->config.received(attach->config.context, data, size_bytes);
    }
}

static bool host_init(struct twin_attach *attach) {
    struct twin_peer_config peer = {
        .sim = attach->sim,
        .frames = attach->frames,
        .wire = twin_wire_far(attach->wire),
        .ip = TWIN_ATTACH_HOST,
        .netmask = NETMASK,
        .port = TWIN_ATTACH_PORT,
        .received = received,
        .context = attach,
    };
    struct twin_dhcp_script dhcp = {
        .first = TWIN_ATTACH_GIVE,
        .count = 1,
        .netmask = NETMASK,
        .gateway = TWIN_ATTACH_HOST,
        .dns = {TWIN_ATTACH_HOST},
        .lease_s = LEASE_S,
    };

    memcpy(peer.address, host_address, sizeof(host_address));
    attach->peer = twin_peer_new(&peer);
    if (attach->peer == NULL) {
        return false;
    }
    attach->services = twin_services_new(&peer, &dhcp, NULL);
    return true;
}

static void network_init(struct twin_attach *attach) {
    const struct twin_attach_config *config = &attach->config;
    struct twin_air_config air = {
        .sim = attach->sim,
        .frames = attach->frames,
        .mcs = 7,
        .gi = TWIN_GI_SHORT,
        .ccmp = config->key != NULL,
    };
    struct twin_wire_config wire = {
        .sim = attach->sim,
        .frames = attach->frames,
        .delay_ns = 200000,
        .faults = attach->faults,
    };
    struct twin_ap_config ap = {
        .sim = attach->sim,
        .frames = attach->frames,
        .faults = attach->faults,
        .auth = config->key == NULL ? TWIN_AUTH_OPEN : config->auth,
        .channel = 6,
        .rssi_dbm = -57,
        .ampdu_max = 8,
    };

    attach->air = twin_air_new(&air);
    attach->wire = twin_wire_new(&wire);
    twin_wire_connect_far(attach->wire, (struct twin_port){far_end, attach});
    if (config->ssid == NULL) {
        return;
    }
    ap.air = attach->air;
    ap.wire = twin_wire_near(attach->wire);
    memcpy(ap.bssid, bssid, sizeof(bssid));
    snprintf(ap.ssid, sizeof(ap.ssid), "%s", config->ssid);
    snprintf(ap.key, sizeof(ap.key), "%s", config->key == NULL ? "" : config->key);
    attach->ap = twin_ap_new(&ap);
    twin_wire_connect_near(attach->wire, twin_ap_port(attach->ap));
}

static void chip_init(struct twin_attach *attach) {
    struct twin_cyw43_config chip;

    twin_cyw43_config_init(&chip);
    chip.sim = attach->sim;
    chip.frames = attach->frames;
    chip.air = attach->air;
    chip.ap = attach->ap;
    chip.faults = attach->faults;
    chip.log = attach->config.chip_log == NULL ? NULL : &attach->chip_log;
    chip.strict = attach->config.strict;
    attach->chip = twin_cyw43_new(&chip);
    attach->pins = twin_cyw43_gspi(attach->chip);
}

// ---- life

struct twin_attach *twin_attach_new(const struct twin_attach_config *config, char error[256]) {
    struct twin_attach *attach = twin_alloc(1, sizeof(*attach));

    attach->config = *config;
    if (config->bus_hz == 0) {
        attach->config.bus_hz = BUS_HZ_DEFAULT;
    }
    attach->sim = twin_sim_new(config->seed, config->start_us * 1000u);
    attach->frames = twin_frames_new();
    attach->bus_log = (struct twin_log){attach->sim, config->bus_log};
    attach->chip_log = (struct twin_log){attach->sim, config->chip_log};
    if (config->faults != NULL) {
        attach->faults = twin_faults_new(attach->sim);
        if (!twin_faults_script(attach->faults, config->faults, error)) {
            twin_attach_free(attach);
            return NULL;
        }
    }
    network_init(attach);
    chip_init(attach);
    if (config->frames == NULL && !host_init(attach)) {
        snprintf(error, 256, "a process can hold one virtual host only");
        twin_attach_free(attach);
        return NULL;
    }
    return attach;
}

void twin_attach_free(struct twin_attach *attach) {
    if (attach == NULL) {
        return;
    }
    if (attach->sender != NULL) {
        twin_peer_sender_free(attach->sender);
    }
    if (attach->services != NULL) {
        twin_services_free(attach->services);
    }
    if (attach->peer != NULL) {
        twin_peer_free(attach->peer);
    }
    twin_cyw43_free(attach->chip);
    twin_ap_free(attach->ap);
    twin_air_free(attach->air);
    twin_wire_free(attach->wire);
    twin_faults_free(attach->faults);
    twin_frames_free(attach->frames);
    twin_sim_free(attach->sim);
    free(attach);
}

// ---- the wires

void twin_attach_power(struct twin_attach *attach, bool on) {
    attach->pins.power(attach->pins.context, on);
}

void twin_attach_transfer(
    struct twin_attach *attach, const void *out, size_t out_bytes, void *in, size_t in_bytes) {
    struct twin_board_xfer xfer = {
        .wire =
            {
                .out = {{out, (uint32_t)out_bytes}},
                .out_count = 1,
                .in = in,
                .in_bytes = (uint32_t)in_bytes,
                .clock_hz = attach->config.bus_hz,
            },
    };
    uint64_t clocks = 8u * ((uint64_t)out_bytes + in_bytes);

    twin_attach_wait_us(attach, attach->config.gap_us);
    xfer.started_ns = twin_now_ns(attach->sim);
    xfer.completed_ns =
        xfer.started_ns + (clocks * NS_PER_S + attach->config.bus_hz - 1) / attach->config.bus_hz;
    twin_run_until(attach->sim, xfer.completed_ns);
    attach->pins.transfer(attach->pins.context, &xfer.wire);
    if (attach->config.bus_log != NULL) {
        twin_board_log_transfer(&attach->bus_log, &xfer, clocks);
    }
}

bool twin_attach_line(struct twin_attach *attach) {
    return attach->pins.irq(attach->pins.context);
}

uint64_t twin_attach_now_us(const struct twin_attach *attach) {
    return twin_now_ns(attach->sim) / 1000u;
}

void twin_attach_wait_us(struct twin_attach *attach, uint64_t us) {
    twin_run_until(attach->sim, twin_now_ns(attach->sim) + us * 1000u);
}

// ---- from behind

bool twin_attach_frame(struct twin_attach *attach, const void *frame, size_t size_bytes) {
    struct twin_port far = twin_wire_far(attach->wire);
    struct twin_frame *copy;

    if (size_bytes > TWIN_FRAME_BYTES_MAX) {
        return false;
    }
    copy = twin_frame_get(attach->frames);
    copy->size_bytes = (uint32_t)size_bytes;
    memcpy(copy->data, frame, size_bytes);
    far.input(far.context, copy);
    return true;
}

static uint32_t fill(void *context, uint8_t *into, uint32_t room_bytes) {
    struct twin_attach *attach = context;
    uint32_t bytes = attach->send_left < room_bytes ? (uint32_t)attach->send_left : room_bytes;

    for (uint32_t i = 0; i < bytes; i++) {
        into[i] = attach->send_next++;
    }
    attach->send_left -= bytes;
    return bytes;
}

bool twin_attach_send(struct twin_attach *attach, uint32_t ip, uint16_t port, uint64_t bytes) {
    const struct twin_peer_send_config send = {
        .ip = ip, .port = port, .fill = fill, .context = attach};

    if (attach->peer == NULL || attach->sender != NULL) {
        return false;
    }
    attach->send_left = bytes;
    attach->sender = twin_peer_send(attach->peer, &send);
    return attach->sender != NULL;
}

void twin_attach_get_counters(
    const struct twin_attach *attach, struct twin_attach_counters *counters) {
    struct twin_cyw43_counters chip;
    struct twin_ap_counters ap = {0};
    struct twin_peer_counters peer = {0};

    twin_cyw43_get_counters(attach->chip, &chip);
    if (attach->ap != NULL) {
        twin_ap_get_counters(attach->ap, &ap);
    }
    if (attach->peer != NULL) {
        twin_peer_get_counters(attach->peer, &peer);
    }
    *counters = (struct twin_attach_counters){
        .transactions = chip.transactions,
        .deviations = chip.deviations,
        .over_credit = chip.over_credit,
        .joins = ap.joins,
        .to_host = attach->frames_out,
        .from_host = chip.data_out,
        .host_bytes = peer.tcp_bytes + peer.udp_bytes,
    };
}

const char *twin_attach_deviation(const struct twin_attach *attach) {
    return twin_cyw43_last_deviation(attach->chip);
}
