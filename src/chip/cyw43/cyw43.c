// SPDX-License-Identifier: MIT
#include "coradio/cyw43.h"

#include "bus/bus.h"
#include "chip/cyw43/driver.h"
#include "chip/cyw43/power_word.h"
#include "chip/cyw43/registers.h"

#include <stddef.h>
#include <string.h>

#include "coradio/assert.h"

// Rounds of one poll; with work left it asks to be called again at once.
#define ROUNDS_BOUND 16
// The bus completes something in this time or has failed.
#define BUS_BOUND_US 100000u
// The chip's maximum (specified: CYW43439 data sheet, gSPI).
#define CLOCK_HZ_MAX 50000000

#define AMPDU_WINDOW_DEFAULT 8u
#define AMPDU_MPDU_DEFAULT   8u

_Static_assert(sizeof(struct cor_cyw43) <= 10240, "the driver's memory has grown");
_Static_assert(
    COR_CYW43_LEAD_BYTES + COR_FRAME_HEAD_BYTES_MAX <= COR_CYW43_BLOCK_BYTES, "headers fit");

static const char *const counter_names[] = {
#define X(name, unit, text) #name,
    COR_CYW43_COUNTERS(X)
#undef X
};

static const char *const fault_names[] = {
#define X(name, text) #name,
    COR_CYW43_BUS_FAULTS(X)
#undef X
};

void cor_cyw43_init(
    struct cor_cyw43 *chip, const struct cor_cyw43_config *config, uint64_t now_us) {
    COR_ASSERT(config->bus != NULL && config->frames != NULL && config->meter != NULL);
    COR_ASSERT(config->bus->queue_depth >= 1);
    memset(chip, 0, sizeof(*chip));
    chip->config = *config;
    chip->now_us = now_us;
    chip->blocked = COR_METER_STATE_source;
    chip->blocked_before = COR_METER_STATE_source;
    chip->freed_us = UINT64_MAX;
    cor_bus_set_power(config->bus, false);
}

static void run_reset(struct cor_cyw43 *chip) {
    memset(&chip->effective, 0, sizeof(chip->effective));
    memset(&chip->load, 0, sizeof(chip->load));
    memset(chip->address, 0, sizeof(chip->address));
    chip->words_swapped = true;
    chip->window = UINT32_MAX;
    chip->bus_failed = false;
    chip->status = 0;
    chip->rx_reading = false;
    chip->rx_resyncing = false;
    chip->resync_due = false;
    chip->status_reading = false;
    chip->status_due_us = 0;
    chip->clearing = false;
    chip->clear_due_us = 0;
    chip->rx_sequence_known = false;
    chip->line_asked = false;
    chip->line_empty = 0;
    chip->line_muted_until_us = 0;
    chip->not_ready_backoff_us = 0;
    chip->dead_since_us = 0;
    chip->tx_sequence = 0;
    // One frame may go before the first credit (read from public code: embassy, soypat).
    chip->tx_max = 1;
    chip->flow_mask = 0;
    chip->credit_short = false;
    chip->clm_offset = 0;
    chip->effective.pm_word_asked = cor_pm_word(chip->config.pm);
    chip->effective.listen_beacons_asked = chip->config.listen_beacons;
    chip->effective.ampdu_window_asked =
        chip->config.ampdu_window != 0 ? chip->config.ampdu_window : AMPDU_WINDOW_DEFAULT;
    chip->effective.ampdu_mpdu_asked =
        chip->config.ampdu_mpdu != 0 ? chip->config.ampdu_mpdu : AMPDU_MPDU_DEFAULT;
    if (chip->config.listen_beacons != 0) {
        uint32_t word = chip->effective.pm_word_asked;

        word = cor_pm_word_with(word, 12, 4, chip->config.listen_beacons);
        word = cor_pm_word_with(word, 16, 4, 0);
        word = cor_pm_word_with(word, 20, 4, chip->config.listen_beacons);
        chip->effective.pm_word_asked = word;
    }
}

static bool image_ok(const struct cor_span *image, uint32_t max_bytes) {
    return image->data != NULL && image->size_bytes > 0 && image->size_bytes <= max_bytes;
}

enum cor_status cor_cyw43_start(struct cor_cyw43 *chip, uint64_t now_us) {
    const struct cor_cyw43_config *config = &chip->config;

    if (chip->state != COR_RADIO_OFF && chip->state != COR_RADIO_FAILED) {
        return COR_E_STATE;
    }
    if (!image_ok(&config->firmware, RAM_FIRMWARE_BYTES_MAX) ||
        !image_ok(&config->nvram, RAM_NVRAM_BYTES_MAX) || !image_ok(&config->clm, UINT16_MAX)) {
        return COR_E_FIRMWARE;
    }
    if (config->bringup_hz <= 0 || config->data_hz <= 0 || config->bringup_hz > CLOCK_HZ_MAX ||
        config->data_hz > CLOCK_HZ_MAX || config->country[0] == '\0' ||
        config->country[1] == '\0') {
        return COR_E_ARG;
    }
    chip->now_us = now_us;
    run_reset(chip);
    chip->error = COR_OK;
    chip->state = COR_RADIO_STARTING;
    chip->counters.starts++;
    cor_cyw43_script_start(chip, cor_cyw43_bringup_steps);
    return COR_OK;
}

// The length of a text, or more than max_bytes.
static uint32_t text_bytes(const char *text, uint32_t max_bytes) {
    uint32_t bytes = 0;

    while (bytes <= max_bytes && text[bytes] != '\0') {
        bytes++;
    }
    return bytes;
}

enum cor_status cor_cyw43_join(
    struct cor_cyw43 *chip, const struct cor_join *join, uint64_t now_us) {
    if (chip->state != COR_RADIO_READY) {
        return COR_E_STATE;
    }
    uint32_t ssid_bytes = text_bytes(join->ssid, COR_SSID_BYTES_MAX);

    if (ssid_bytes == 0 || ssid_bytes > COR_SSID_BYTES_MAX) {
        return COR_E_ARG;
    }
    memset(chip->ssid, 0, sizeof(chip->ssid));
    memset(chip->key, 0, sizeof(chip->key));
    if (join->auth == COR_AUTH_WPA2) {
        uint32_t key_bytes = text_bytes(join->key, COR_KEY_BYTES_MAX);

        if (key_bytes < COR_KEY_BYTES_MIN || key_bytes > COR_KEY_BYTES_MAX) {
            return COR_E_ARG;
        }
        memcpy(chip->key, join->key, key_bytes);
    }
    memcpy(chip->ssid, join->ssid, ssid_bytes);
    chip->now_us = now_us;
    chip->auth = join->auth;
    chip->leaving = false;
    chip->error = COR_OK;
    chip->state = COR_RADIO_JOINING;
    cor_cyw43_script_start(
        chip, join->auth == COR_AUTH_WPA2 ? cor_cyw43_join_wpa2_steps : cor_cyw43_join_open_steps);
    return COR_OK;
}

static void power_down(struct cor_cyw43 *chip, enum cor_radio_state state) {
    struct cor_frame_source *frames = chip->config.frames;
    bool joined = chip->state == COR_RADIO_JOINED;

    chip->state = state;
    chip->script.step = NULL;
    chip->control.phase = CYW43_CONTROL_IDLE;
    chip->frames_on = false;
    chip->link_up = false;
    cor_cyw43_ops_abandon(chip);
    cor_bus_set_power(chip->config.bus, false);
    if (joined) {
        frames->ops->link(frames, chip->now_us, false);
    }
}

void cor_cyw43_stop(struct cor_cyw43 *chip, uint64_t now_us) {
    chip->now_us = now_us;
    chip->error = COR_OK;
    power_down(chip, COR_RADIO_OFF);
}

void cor_cyw43_fail(struct cor_cyw43 *chip, enum cor_status status) {
    chip->error = status;
    chip->start_failed = true;
    power_down(chip, COR_RADIO_FAILED);
}

static bool on(const struct cor_cyw43 *chip) {
    return chip->state != COR_RADIO_OFF && chip->state != COR_RADIO_FAILED;
}

static uint64_t next_deadline_us(const struct cor_cyw43 *chip) {
    const uint64_t deadlines_us[] = {
        chip->op_issued > 0 ? chip->progress_us + BUS_BOUND_US : UINT64_MAX,
        cor_cyw43_script_deadline_us(chip),
        cor_cyw43_receive_deadline_us(chip),
        cor_cyw43_transmit_deadline_us(chip),
        cor_cyw43_pace_deadline_us(chip),
    };
    uint64_t next_us = UINT64_MAX;

    for (uint32_t i = 0; on(chip) && i < sizeof(deadlines_us) / sizeof(deadlines_us[0]); i++) {
        next_us = deadlines_us[i] < next_us ? deadlines_us[i] : next_us;
    }
    return next_us;
}

uint64_t cor_cyw43_poll(struct cor_cyw43 *chip, uint64_t now_us) {
    bool busy = true;

    chip->now_us = now_us;
    cor_cyw43_pace_enter(chip);
    for (uint32_t bound = ROUNDS_BOUND; bound > 0 && busy; bound--) {
        busy = cor_cyw43_ops_complete(chip);
        if (on(chip) && chip->op_issued > 0 && chip->now_us >= chip->progress_us + BUS_BOUND_US) {
            chip->counters.bus_timeouts++;
            chip->bus_failed = true;
        }
        if (chip->bus_failed && on(chip)) {
            cor_cyw43_fail(chip, COR_E_BUS);
        }
        if (!on(chip)) {
            chip->blocked = COR_METER_STATE_source;
            return UINT64_MAX;
        }
        busy |= cor_cyw43_script_run(chip);
        busy |= cor_cyw43_receive(chip);
        busy |= cor_cyw43_transmit(chip);
    }
    return busy ? chip->now_us : next_deadline_us(chip);
}

enum cor_radio_state cor_cyw43_state(const struct cor_cyw43 *chip) {
    return chip->state;
}

enum cor_status cor_cyw43_error(const struct cor_cyw43 *chip) {
    return chip->error;
}

const uint8_t *cor_cyw43_address(const struct cor_cyw43 *chip) {
    return chip->address;
}

const struct cor_cyw43_counters *cor_cyw43_get_counters(const struct cor_cyw43 *chip) {
    return &chip->counters;
}

const struct cor_cyw43_effective *cor_cyw43_get_effective(const struct cor_cyw43 *chip) {
    return &chip->effective;
}

const char *cor_cyw43_counter_name(uint32_t index) {
    return index < sizeof(counter_names) / sizeof(counter_names[0]) ? counter_names[index] : NULL;
}

const char *cor_cyw43_bus_fault_name(enum cor_cyw43_bus_fault fault) {
    return fault < COR_CYW43_BUS_FAULT_COUNT ? fault_names[fault] : "unknown";
}
