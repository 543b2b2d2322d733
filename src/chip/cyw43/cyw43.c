// SPDX-License-Identifier: MIT
#include "coradio/cyw43.h"

#include "bus/bus.h"
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"

#include <stddef.h>
#include <string.h>

#include "coradio/assert.h"
#include "coradio/bus_clock.h"

// Rounds of one poll; with work left it asks to be called again at once.
#define ROUNDS_BOUND 16
// The bus completes something in this time or has failed.
#define BUS_BOUND_US 100000u
// A watchdog is fed at least this often.
#define FEED_US 100000u

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

static const struct {
    const char *name;
    const char *text;
    uint8_t level;
} notices[] = {
#define X(name, level, text) {#name, text, level},
    COR_CYW43_NOTICES(X)
#undef X
};

static const char *const raw_names[] = {
#define X(name, text) #name,
    COR_CYW43_RAWS(X)
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

void cor_cyw43_run_reset(struct cor_cyw43 *chip) {
    enum cor_cyw43_raw raw = chip->effective.raw;

    memset(&chip->effective, 0, sizeof(chip->effective));
    memset(&chip->proof, 0, sizeof(chip->proof));
    memset(&chip->console, 0, sizeof(chip->console));
    memset(&chip->link, 0, sizeof(chip->link));
    chip->effective.raw = raw;
    chip->ladder.stall_since_us = 0;
    chip->ladder.rung = 0;
    chip->ladder.checks_bad = 0;
    chip->ladder.timeouts = 0;
    chip->ladder.checking = false;
    chip->ladder.rebuild_due = false;
    chip->ladder.credit_anew = false;
    chip->credit_backs = 0;
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
    cor_cyw43_pm_ask(chip);
    chip->effective.ampdu_window_asked =
        chip->config.ampdu_window != 0 ? chip->config.ampdu_window : AMPDU_WINDOW_DEFAULT;
    chip->effective.ampdu_mpdu_asked =
        chip->config.ampdu_mpdu != 0 ? chip->config.ampdu_mpdu : AMPDU_MPDU_DEFAULT;
}

static bool image_ok(const struct cor_span *image, uint32_t max_bytes) {
    return image->data != NULL && image->size_bytes > 0 && image->size_bytes <= max_bytes;
}

static bool clock_ok(const struct cor_cyw43_config *config, int32_t clock_hz) {
    return clock_hz > 0 && (config->out_of_spec || clock_hz <= COR_BUS_CLOCK_HZ_MAX);
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
    if (!clock_ok(config, config->bringup_hz) || !clock_ok(config, config->data_hz) ||
        config->country[0] == '\0' || config->country[1] == '\0' || config->ampdu_rx_factor > 4u) {
        return COR_E_ARG;
    }
    chip->now_us = now_us > chip->now_us ? now_us : chip->now_us;
    cor_cyw43_run_reset(chip);
    memset(&chip->ladder, 0, sizeof(chip->ladder));
    chip->error = COR_OK;
    chip->state = COR_RADIO_STARTING;
    chip->progress_us = chip->now_us;
    chip->counters.starts++;
    cor_cyw43_script_start(chip, CYW43_SCRIPT_START, cor_cyw43_bringup_steps);
    return COR_OK;
}

uint32_t cor_cyw43_text_bytes(const char *text, uint32_t max_bytes) {
    uint32_t bytes = 0;

    while (bytes <= max_bytes && text[bytes] != '\0') {
        bytes++;
    }
    return bytes;
}

void cor_cyw43_tell(struct cor_cyw43 *chip, enum cor_cyw43_notice notice, int32_t value) {
    const struct cor_cyw43_hooks *hooks = &chip->config.hooks;

    if (hooks->notice != NULL) {
        hooks->notice(hooks->context, chip->now_us, notice, value);
    }
}

void cor_cyw43_power_down(struct cor_cyw43 *chip, enum cor_radio_state state) {
    struct cor_frame_source *frames = chip->config.frames;
    bool joined = chip->state == COR_RADIO_JOINED;

    chip->state = state;
    chip->script.step = NULL;
    chip->control.phase = CYW43_CONTROL_IDLE;
    chip->frames_on = false;
    chip->bus_failed = false;
    chip->join.link_up = false;
    chip->join.due = false;
    chip->join.leaving = false;
    cor_cyw43_ops_abandon(chip);
    cor_bus_set_power(chip->config.bus, false);
    if (joined) {
        chip->join.cause = state == COR_RADIO_OFF ? COR_LINK_CAUSE_asked : COR_LINK_CAUSE_chip;
        chip->join.cause_code = 0;
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_link_down, (int32_t)chip->join.cause);
        frames->ops->link(frames, chip->now_us, false);
    }
    cor_cyw43_jobs_abort(chip);
}

void cor_cyw43_stop(struct cor_cyw43 *chip, uint64_t now_us) {
    if (chip->polling) {
        chip->stop_due = true;
        return;
    }
    chip->now_us = now_us > chip->now_us ? now_us : chip->now_us;
    chip->error = COR_OK;
    chip->ladder.rejoin = false;
    cor_cyw43_power_down(chip, COR_RADIO_OFF);
}

static bool on(const struct cor_cyw43 *chip) {
    return chip->state != COR_RADIO_OFF && chip->state != COR_RADIO_FAILED;
}

// Between two attempts of a rebuild nothing is expected of the bus.
static bool bus_expected(const struct cor_cyw43 *chip) {
    return chip->op_issued > 0 &&
           (chip->state != COR_RADIO_RECOVERING || chip->script.step != NULL);
}

static uint64_t next_deadline_us(const struct cor_cyw43 *chip) {
    const uint64_t deadlines_us[] = {
        bus_expected(chip) ? chip->progress_us + BUS_BOUND_US : UINT64_MAX,
        cor_cyw43_script_deadline_us(chip),
        cor_cyw43_jobs_deadline_us(chip),
        cor_cyw43_link_deadline_us(chip),
        cor_cyw43_receive_deadline_us(chip),
        cor_cyw43_transmit_deadline_us(chip),
        cor_cyw43_ladder_deadline_us(chip),
        cor_cyw43_pace_deadline_us(chip),
        chip->config.hooks.feed != NULL ? chip->now_us + FEED_US : UINT64_MAX,
    };
    uint64_t next_us = UINT64_MAX;

    for (uint32_t i = 0; on(chip) && i < sizeof(deadlines_us) / sizeof(deadlines_us[0]); i++) {
        next_us = deadlines_us[i] < next_us ? deadlines_us[i] : next_us;
    }
    return next_us;
}

// One round of everything. True: there may be more to do at once.
static bool poll_round(struct cor_cyw43 *chip) {
    bool busy = cor_cyw43_ops_complete(chip);

    if (!on(chip)) {
        return false;
    }
    if (bus_expected(chip) && chip->now_us >= chip->progress_us + BUS_BOUND_US) {
        chip->counters.bus_timeouts++;
        chip->bus_failed = true;
    }
    if (chip->bus_failed) {
        cor_cyw43_fail(chip, COR_E_BUS);
        return on(chip);
    }
    busy |= cor_cyw43_jobs_run(chip);
    busy |= cor_cyw43_script_run(chip);
    busy |= cor_cyw43_receive(chip);
    busy |= cor_cyw43_transmit(chip);
    busy |= cor_cyw43_ladder_run(chip);
    return busy && on(chip);
}

uint64_t cor_cyw43_poll(struct cor_cyw43 *chip, uint64_t now_us) {
    bool busy = true;

    if (chip->polling) {
        return now_us;  // from a hook: the poll that is running does it all
    }
    chip->now_us = now_us > chip->now_us ? now_us : chip->now_us;
    chip->polling = true;
    if (chip->config.hooks.feed != NULL) {
        chip->config.hooks.feed(chip->config.hooks.context);
    }
    cor_cyw43_pace_enter(chip);
    for (uint32_t bound = ROUNDS_BOUND; bound > 0 && busy && !chip->stop_due; bound--) {
        busy = poll_round(chip);
    }
    chip->polling = false;
    if (chip->stop_due) {
        chip->stop_due = false;
        cor_cyw43_stop(chip, chip->now_us);
    }
    if (!on(chip)) {
        chip->blocked = COR_METER_STATE_source;
        return UINT64_MAX;
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

const char *cor_cyw43_notice_name(enum cor_cyw43_notice notice) {
    return notice < COR_CYW43_NOTICE_COUNT ? notices[notice].name : "unknown";
}

const char *cor_cyw43_notice_text(enum cor_cyw43_notice notice) {
    return notice < COR_CYW43_NOTICE_COUNT ? notices[notice].text : "unknown";
}

uint8_t cor_cyw43_notice_level(enum cor_cyw43_notice notice) {
    return notice < COR_CYW43_NOTICE_COUNT ? notices[notice].level : 0;
}

const char *cor_cyw43_raw_name(enum cor_cyw43_raw raw) {
    return raw < COR_CYW43_RAW_COUNT ? raw_names[raw] : "unknown";
}

const char *cor_cyw43_bus_fault_name(enum cor_cyw43_bus_fault fault) {
    return fault < COR_CYW43_BUS_FAULT_COUNT ? fault_names[fault] : "unknown";
}
