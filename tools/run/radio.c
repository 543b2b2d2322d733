// SPDX-License-Identifier: MIT
#include "radio.h"

#include "common/chip_images.h"
#include "common/json.h"
#include "world_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "coradio/bus_clock.h"

// The chip is proved to come up at 25 MHz; the data phase goes at the clock asked for.
// *measured* on a Pico 2 W, write-up: bring-up at 37.5 MHz joined, but bulk data did not flow.
#define BRINGUP_HZ_MAX 25000000
// Without the line the chip is looked at this often.
#define POLLING_US   1000u
#define NOTICES_KEPT 64u

struct run_radio {
    struct chip_images images;
    bool given;  // images come from files
    FILE *log;
    bool measured;
    // The first notices, for the JSON; all of them are counted.
    struct {
        uint64_t at_us;
        enum cor_cyw43_notice notice;
        int32_t value;
    } notices[NOTICES_KEPT];
    uint64_t notice_count;
};

static bool images_init(struct world *world, struct run_radio *radio, char error[256]) {
    const struct run_options *options = world->options;
    const struct chip_images_files files = {
        .firmware = options->firmware,
        .nvram = options->nvram,
        .clm = options->clm,
        .sha256 = options->firmware_sha256,
    };

    if (options->firmware == NULL) {
        return true;
    }
    radio->given = chip_images_load(&radio->images, &files, error);
    return radio->given;
}

bool run_radio_new(struct world *world, char error[256]) {
    struct run_radio *radio = calloc(1, sizeof(*radio));

    world->radio_side = radio;
    if (radio == NULL) {
        snprintf(error, 256, "not enough memory");
        return false;
    }
    if (!images_init(world, radio, error)) {
        return false;
    }
    if (world->options->fw_log != NULL) {
        radio->log = fopen(world->options->fw_log, "wb");
        if (radio->log == NULL) {
            snprintf(error, 256, "--fw-log: %.150s: %s", world->options->fw_log, strerror(errno));
            return false;
        }
    }
    return true;
}

void run_radio_free(struct world *world) {
    struct run_radio *radio = world->radio_side;

    if (radio == NULL) {
        return;
    }
    chip_images_free(&radio->images);
    if (radio->log != NULL) {
        (void)fclose(radio->log);
    }
    free(radio);
}

// ---- what the driver tells

static void notice(void *context, uint64_t now_us, enum cor_cyw43_notice notice, int32_t value) {
    struct run_radio *radio = ((struct world *)context)->radio_side;

    if (radio->notice_count < NOTICES_KEPT) {
        radio->notices[radio->notice_count].at_us = now_us;
        radio->notices[radio->notice_count].notice = notice;
        radio->notices[radio->notice_count].value = value;
    }
    radio->notice_count++;
}

static void log_text(void *context, const uint8_t *text, uint32_t size_bytes) {
    struct run_radio *radio = ((struct world *)context)->radio_side;

    (void)fwrite(text, 1, size_bytes, radio->log);
}

// ---- config

static enum cor_pm pm_of(int pm) {
    static const enum cor_pm modes[] = {
        [RUN_PM_NONE] = COR_PM_NONE,
        [RUN_PM_PERFORMANCE] = COR_PM_PERFORMANCE,
        [RUN_PM_AGGRESSIVE] = COR_PM_AGGRESSIVE,
    };

    return modes[pm];
}

static struct cor_span span_of(const struct chip_image *image) {
    return (struct cor_span){image->data, (uint32_t)image->size_bytes};
}

void run_radio_config(struct world *world, struct cor_cyw43_config *config) {
    const struct run_options *options = world->options;
    struct run_radio *radio = world->radio_side;
    int32_t data_hz = (int32_t)(options->bus_mhz * 1e6 + 0.5);

    if (radio->given) {
        config->firmware = span_of(&radio->images.firmware);
        config->nvram = span_of(&radio->images.nvram);
        config->clm = span_of(&radio->images.clm);
    }
    memcpy(config->country, options->country, 2);
    config->bringup_hz = data_hz < BRINGUP_HZ_MAX ? data_hz : BRINGUP_HZ_MAX;
    config->data_hz = data_hz;
    config->out_of_spec = options->out_of_spec;
    config->pm = pm_of(options->pm);
    config->listen_beacons = (uint8_t)options->listen;
    config->ampdu_mpdu = (uint8_t)options->ampdu;  // the window stays at the chip's largest, 8
    config->polling_us = options->no_irq ? POLLING_US : 0;
    config->hooks.context = world;
    config->hooks.notice = notice;
    if (radio->log != NULL) {
        config->hooks.log = log_text;
        config->log_us = (uint32_t)(options->fw_log_every_ns / 1000);
    }
}

// ---- the end

bool run_radio_measure(struct world *world) {
    struct run_radio *radio = world->radio_side;

    if (!radio->measured) {
        radio->measured = true;
        cor_cyw43_measure(&world->radio);
    }
    return cor_cyw43_state(&world->radio) == COR_RADIO_JOINED &&
           !cor_cyw43_get_link(&world->radio)->valid;
}

static const char *state_name(enum cor_radio_state state) {
    static const char *const names[] = {
        "off", "starting", "ready", "joining", "joined", "failed", "waiting", "recovering"};

    return names[state];
}

static void json_link(cJSON *to, const struct cor_cyw43_link *link) {
    char bssid[18];

    snprintf(
        bssid,
        sizeof(bssid),
        "%02x:%02x:%02x:%02x:%02x:%02x",
        link->bssid[0],
        link->bssid[1],
        link->bssid[2],
        link->bssid[3],
        link->bssid[4],
        link->bssid[5]);
    json_add_i64(to, "rssi_dbm", link->rssi_dbm);
    json_add_u64(to, "rate_bps", link->rate_bps);
    json_add_u64(to, "channel", link->channel);
    json_add_text(to, "bssid", bssid);
    json_add_u64(to, "rx_good", link->rx_good);
    json_add_u64(to, "rx_bad", link->rx_bad);
    json_add_u64(to, "tx_good", link->tx_good);
    json_add_u64(to, "tx_bad", link->tx_bad);
    if (link->counters_valid) {
        json_add_u64(to, "tx_retries", link->tx_retries);
        json_add_u64(to, "rx_no_buffer", link->rx_no_buffer);
    }
}

static void json_driver(cJSON *to, const struct world *world) {
    const struct cor_cyw43_counters *counters = cor_cyw43_get_counters(&world->radio);
    const struct run_radio *radio = world->radio_side;
    cJSON *part = json_add_object(to, "counters");

#define X(name, unit, text) json_add_u64(part, #name, counters->name);
    COR_CYW43_COUNTERS(X)
#undef X
    part = json_add_array(to, "notices");
    for (uint64_t i = 0; i < radio->notice_count && i < NOTICES_KEPT; i++) {
        cJSON *row = json_append_object(part);

        json_add_real(row, "t_s", (double)radio->notices[i].at_us / 1e6, 6);
        json_add_text(row, "notice", cor_cyw43_notice_name(radio->notices[i].notice));
        json_add_i64(row, "value", radio->notices[i].value);
    }
}

void run_radio_json(cJSON *to, const struct world *world) {
    const struct cor_cyw43 *chip = &world->radio;
    const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(chip);
    const struct run_radio *radio = world->radio_side;
    cJSON *part;

    json_add_text(to, "state", state_name(cor_cyw43_state(chip)));
    json_add_text(to, "down_cause", cor_link_cause_name(cor_cyw43_down_cause(chip)));
    json_add_text(to, "country", effective->country);
    json_add_bool(to, "wpa3", effective->sae);
    json_add_text(to, "sampling", cor_bus_sampling_name(effective->sampling));
    json_add_real(
        to,
        "sampling_margin_ns",
        cor_bus_sampling_margin_ps(effective->sampling, effective->bus_hz) / 1e3,
        3);
    json_add_text(to, "bus_fault", cor_cyw43_bus_fault_name(effective->bus_fault));
    if (radio->given) {
        part = json_add_object(to, "firmware");
        json_add_u64(part, "bytes", radio->images.firmware.size_bytes);
        json_add_text(part, "sha256", radio->images.firmware_sha256);
        json_add_text(part, "known", radio->images.firmware_name);
    }
    if (cor_cyw43_get_link(chip)->valid) {
        json_link(json_add_object(to, "link"), cor_cyw43_get_link(chip));
    }
    json_driver(to, world);
}
