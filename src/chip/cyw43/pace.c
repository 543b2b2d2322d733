// SPDX-License-Identifier: MIT
// Pace: the chronograph of meter.h, kept by the driver.
//
// At any moment one thing keeps the next frame from being queued: chip->blocked, found by the last
// try to pull. When it goes away (a transfer leaves the queue, credit comes, an answer comes), the
// processor makes frames until rest() says that the poll is over. That slice belongs to the
// processor where the bus ran dry in it; where the frames were there before the bus had clocked
// what it had, a faster processor would have gained nothing, and the slice belongs to the bus. A
// poll that queues nothing moves straight from one blocker to the next.
//
// A bus that holds one transfer never has anything ready: bus and processor take turns, and the
// processor may well wait in start(). There the time between the first and the last clock of a
// transfer belongs to the bus and the rest to the processor, as the transfer's own times tell when
// it is complete.
//
// Power save: while data is outstanding (the source says peer_window or congestion), the chip
// sleeps between beacons, and no data frame has come for 20 ms, the time beyond those 20 ms
// belongs to power_save. A round trip on a network that is awake takes less; beacons come each
// 102.4 ms.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/power_word.h"

#define SLEEP_AFTER_US 20000u
#define PS_PER_S       UINT64_C(1000000000000)
#define PS_PER_US      1000000u

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
    chip->pulled = 0;
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
    chip->clocked_us = xfer->completed_us;
    if (serial(chip) && chronograph(chip)->state == COR_METER_STATE_cpu) {
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

static uint64_t slice_start_us(const struct cor_cyw43 *chip) {
    return chip->freed_us == UINT64_MAX ? chip->enter_us : chip->freed_us;
}

static uint64_t clocks_us(const struct cor_cyw43 *chip, uint32_t bits) {
    return bits * chip->bit_ps / PS_PER_US;
}

void cor_cyw43_pace_clock(struct cor_cyw43 *chip) {
    chip->bit_ps = PS_PER_S / (uint32_t)chip->effective.bus_hz;
}

void cor_cyw43_pace_pulled(struct cor_cyw43 *chip, uint32_t frame_bits) {
    if (chip->pulled == 0) {
        uint32_t queued_bits = cor_cyw43_ops_bits(chip);

        chip->dry_us = queued_bits == 0 ? 0 : chip->clocked_us + clocks_us(chip, queued_bits);
        chip->pulled_bits = 0;
        chip->handed = 0;
        if (serial(chip)) {
            cor_chronograph_set(chronograph(chip), COR_METER_STATE_cpu, slice_start_us(chip));
        }
    }
    chip->pulled++;
    chip->pulled_bits += frame_bits;
}

void cor_cyw43_pace_queued(struct cor_cyw43 *chip, bool handed) {
    chip->handed += handed;
}

// Whether the bus had nothing to clock at some time before the poll's last frame was ready. The
// poll has no clock inside; its frames are taken to have cost the same each.
static bool ran_dry(const struct cor_cyw43 *chip, uint64_t now_us) {
    uint64_t poll_us = now_us > chip->enter_us ? now_us - chip->enter_us : 0;
    uint64_t frame_us = poll_us / chip->pulled;
    uint64_t clocked_us = clocks_us(chip, chip->pulled_bits) / chip->pulled;
    uint64_t ready_us = chip->enter_us;
    uint64_t dry_us = chip->dry_us;

    for (uint32_t i = 0; i < chip->pulled; i++) {
        ready_us += frame_us;
        if (ready_us > dry_us) {
            return true;
        }
        dry_us += i < chip->handed ? clocked_us : 0;
    }
    return false;
}

// While a transfer is under way time stays with the processor until its own times part it.
static void rest_serial(struct cor_cyw43 *chip, uint64_t now_us) {
    bool working = chronograph(chip)->state == COR_METER_STATE_cpu;

    if (working && chip->op_issued == 0) {
        cor_chronograph_set(chronograph(chip), chip->blocked, now_us);
    } else if (!working && chip->blocked != chip->blocked_before) {
        cor_chronograph_set(chronograph(chip), chip->blocked, slice_start_us(chip));
    }
}

static void rest_queued(struct cor_cyw43 *chip, uint64_t now_us) {
    if (chip->pulled > 0) {
        bool dry = ran_dry(chip, now_us);

        cor_chronograph_set(
            chronograph(chip),
            dry ? COR_METER_STATE_cpu : COR_METER_STATE_bus,
            slice_start_us(chip));
        cor_chronograph_set(chronograph(chip), chip->blocked, now_us);
    } else if (chip->blocked != chip->blocked_before) {
        cor_chronograph_set(chronograph(chip), chip->blocked, slice_start_us(chip));
    }
}

void cor_cyw43_rest(struct cor_cyw43 *chip, uint64_t now_us) {
    if (serial(chip)) {
        rest_serial(chip, now_us);
    } else {
        rest_queued(chip, now_us);
    }
    chip->pulled = 0;
    chip->blocked_before = chip->blocked;
}

uint64_t cor_cyw43_pace_deadline_us(const struct cor_cyw43 *chip) {
    if (radio_sleeps(chip) && answer_waited(chip->blocked) &&
        chip->now_us <= chip->rx_data_us + SLEEP_AFTER_US) {
        return chip->rx_data_us + SLEEP_AFTER_US + 1u;
    }
    return UINT64_MAX;
}
