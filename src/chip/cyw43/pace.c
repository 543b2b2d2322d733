// SPDX-License-Identifier: MIT
// Pace: the chronograph of meter.h, kept by the driver.
//
// At any moment one thing keeps the next frame from being queued: chip->blocked, found by the last
// try to pull. When it goes away (a transfer leaves the queue, credit comes, an answer comes), time
// belongs to the processor until rest() says that the poll is over; a poll that queues nothing
// moves straight from one blocker to the next.
//
// A bus that holds one transfer runs it while the processor waits: there the time between its
// first and its last clock belongs to the bus, the rest of the poll to the processor.
//
// Power save: while data is outstanding (the source says peer_window or congestion), the chip
// sleeps between beacons, and no data frame has come for 20 ms, the time beyond those 20 ms
// belongs to power_save. A round trip on a network that is awake takes less; beacons come each
// 102.4 ms.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/power_word.h"

#define SLEEP_AFTER_US 20000u

static struct cor_chronograph *chronograph(struct cor_cyw43 *chip) {
    return &chip->config.meter->chronograph;
}

static bool answer_waited(enum cor_meter_state state) {
    return state == COR_METER_STATE_peer_window || state == COR_METER_STATE_congestion;
}

static bool radio_sleeps(const struct cor_cyw43 *chip) {
    return chip->state == COR_RADIO_JOINED && cor_pm_word_mode(chip->effective.pm_word) != 0;
}

static bool serial(const struct cor_cyw43 *chip) {
    return chip->config.bus->queue_depth == 1;
}

void cor_cyw43_pace_enter(struct cor_cyw43 *chip) {
    chip->pulled = false;
    chip->enter_us = chip->now_us;
    chip->freed_us = UINT64_MAX;
    chip->blocked_before = chip->blocked;
    if (radio_sleeps(chip) && answer_waited(chronograph(chip)->state) &&
        chip->now_us > chip->rx_data_us + SLEEP_AFTER_US) {
        cor_chronograph_set(
            chronograph(chip), COR_METER_STATE_power_save, chip->rx_data_us + SLEEP_AFTER_US);
    }
}

void cor_cyw43_pace_free(struct cor_cyw43 *chip, enum cor_meter_state state, uint64_t at_us) {
    if (chip->blocked_before == state && chip->freed_us == UINT64_MAX) {
        chip->freed_us = at_us;
    }
}

void cor_cyw43_pace_complete(struct cor_cyw43 *chip, const struct cor_bus_xfer *xfer) {
    cor_cyw43_pace_free(chip, COR_METER_STATE_bus, xfer->completed_us);
    if (serial(chip) && chip->pulled) {
        cor_chronograph_set(chronograph(chip), COR_METER_STATE_bus, xfer->started_us);
        cor_chronograph_set(chronograph(chip), COR_METER_STATE_cpu, xfer->completed_us);
    }
}

void cor_cyw43_pace_received(struct cor_cyw43 *chip, uint64_t at_us) {
    chip->rx_data_us = at_us;
    cor_cyw43_pace_free(chip, COR_METER_STATE_peer_window, at_us);
    cor_cyw43_pace_free(chip, COR_METER_STATE_congestion, at_us);
    if (chronograph(chip)->state == COR_METER_STATE_power_save) {
        cor_chronograph_set(chronograph(chip), chip->blocked_before, at_us);
    }
}

void cor_cyw43_pace_pulled(struct cor_cyw43 *chip) {
    if (!chip->pulled) {
        chip->pulled = true;
        cor_chronograph_set(
            chronograph(chip),
            COR_METER_STATE_cpu,
            chip->freed_us == UINT64_MAX ? chip->enter_us : chip->freed_us);
    }
}

void cor_cyw43_rest(struct cor_cyw43 *chip, uint64_t now_us) {
    if (chip->pulled) {
        cor_chronograph_set(chronograph(chip), chip->blocked, now_us);
        chip->pulled = false;
    } else if (chip->blocked != chip->blocked_before) {
        uint64_t from_us = chip->freed_us == UINT64_MAX ? chip->enter_us : chip->freed_us;

        cor_chronograph_set(chronograph(chip), chip->blocked, from_us);
    }
    chip->blocked_before = chip->blocked;
}

uint64_t cor_cyw43_pace_deadline_us(const struct cor_cyw43 *chip) {
    if (radio_sleeps(chip) && answer_waited(chip->blocked) &&
        chip->now_us <= chip->rx_data_us + SLEEP_AFTER_US) {
        return chip->rx_data_us + SLEEP_AFTER_US + 1u;
    }
    return UINT64_MAX;
}
