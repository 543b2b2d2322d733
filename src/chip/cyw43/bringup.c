// SPDX-License-Identifier: MIT
// Bring-up: power, proof of the bus, cores, images, clocks, settings, and the final clock.
//
// The order and the waits are read from public code: embassy-rs/embassy cyw43/src/runner.rs
// (init) and bus code, soypat/cyw43439 device.go; bounds are ours and generous.
#include "bus/bus.h"
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"

// WL_REG_ON low this long; longer where the last start failed, because supply dips are a known
// cause (measured by others: micropython issue 11247 needed 125 ms).
#define POWER_LOW_US       20000u
#define POWER_LOW_RETRY_US 100000u
// An absent chip is reported within 1 s of start, the longer power-off included.
#define WAKE_BOUND_US   850000u
#define WAKE_PERIOD_US  2000u
#define ALP_BOUND_US    100000u
#define HT_BOUND_US     1000000u
#define F2_BOUND_US     1000000u
#define READY_PERIOD_US 1000u
#define LOAD_BOUND_US   20000000u
#define CLOCK_BOUND_US  100000u
#define CORE_PAUSE_US   1000u

static enum cor_status power_off(struct cor_cyw43 *chip) {
    if (chip->op_count > 0) {
        return COR_AGAIN;  // of a run before this one
    }
    cor_bus_set_power(chip->config.bus, false);
    chip->power_due_us = chip->now_us + (chip->start_failed ? POWER_LOW_RETRY_US : POWER_LOW_US);
    return COR_OK;
}

static enum cor_status clock_set(struct cor_cyw43 *chip, int32_t clock_hz) {
    if (chip->op_count > 0) {
        return COR_AGAIN;
    }
    int32_t set_hz = cor_bus_set_clock_hz(chip->config.bus, clock_hz);

    if (set_hz <= 0) {
        return set_hz < 0 ? (enum cor_status)set_hz : COR_E_BUS;
    }
    chip->effective.bus_hz = set_hz;
    cor_cyw43_pace_clock(chip);
    return COR_OK;
}

static enum cor_status clock_bringup(struct cor_cyw43 *chip) {
    enum cor_status status = clock_set(chip, chip->config.bringup_hz);

    chip->effective.bringup_hz = chip->effective.bus_hz;
    return status;
}

static enum cor_status clock_data(struct cor_cyw43 *chip) {
    return clock_set(chip, chip->config.data_hz);
}

static enum cor_status power_on(struct cor_cyw43 *chip) {
    if (chip->now_us < chip->power_due_us) {
        chip->script.due_us = chip->power_due_us;
        return COR_AGAIN;
    }
    cor_bus_set_power(chip->config.bus, true);
    return COR_OK;
}

// The control word is written: from the next transfer on words are in memory order.
static enum cor_status words_plain(struct cor_cyw43 *chip) {
    chip->words_swapped = false;
    return COR_OK;
}

static enum cor_status chip_found(struct cor_cyw43 *chip) {
    chip->effective.chip_id = (uint16_t)chip->script.value;
    return COR_OK;
}

static enum cor_status frames_on(struct cor_cyw43 *chip) {
    chip->frames_on = true;
    return COR_OK;
}

static enum cor_status settings(struct cor_cyw43 *chip) {
    cor_cyw43_script_start(chip, cor_cyw43_settings_steps);
    return COR_AGAIN;
}

enum cor_cyw43_bus_fault cor_cyw43_bus_fault_of(
    uint32_t word, uint32_t expected, enum cor_gspi_order order) {
    uint8_t bytes[COR_GSPI_WORD_BYTES];

    cor_gspi_emit(bytes, word, order);
    uint32_t seen = cor_gspi_stream(bytes);

    cor_gspi_emit(bytes, expected, order);
    uint32_t sent = cor_gspi_stream(bytes);

    if (seen == sent) {
        return COR_CYW43_BUS_FAULT_none;
    }
    if (seen == 0) {
        return COR_CYW43_BUS_FAULT_zeros;
    }
    if (seen == UINT32_MAX) {
        return COR_CYW43_BUS_FAULT_ones;
    }
    if ((seen & 0x7FFFFFFFu) == sent >> 1) {
        return COR_CYW43_BUS_FAULT_early;
    }
    if ((seen & ~1u) == sent << 1) {
        return COR_CYW43_BUS_FAULT_late;
    }
    return COR_CYW43_BUS_FAULT_bits;
}

// clang-format off
#define PAUSE(us)             {.kind = CYW43_STEP_PAUSE, .bound_us = (us)}
#define CALL(function, us, f) {.kind = CYW43_STEP_CALL, .call = (function), .bound_us = (us),    \
                               .failure = (f)}
#define WRITE(where, at, n, v) {.kind = CYW43_STEP_WRITE, .space = (where), .address = (at),     \
                                .bytes = (n), .value = (v)}
#define READ(where, at, n)    {.kind = CYW43_STEP_SKIP, .space = (where), .address = (at),       \
                               .bytes = (n)}
#define UNTIL(where, at, n, m, v, period, bound, f)                                              \
    {.kind = CYW43_STEP_UNTIL, .space = (where), .address = (at), .bytes = (n), .mask = (m),     \
     .value = (v), .period_us = (period), .bound_us = (bound), .failure = (f)}
#define SKIP_IF(where, at, n, m, v, count)                                                       \
    {.kind = CYW43_STEP_SKIP, .space = (where), .address = (at), .bytes = (n), .mask = (m),      \
     .value = (v), .skip = (count)}

// A word that must read back at once.
#define EXPECT(at, v)  UNTIL(CYW43_BUS, at, 4, UINT32_MAX, v, 0, 0, COR_E_BUS)
#define ECHO(v)        WRITE(CYW43_BUS, REG_BUS_SCRATCH, 4, v), EXPECT(REG_BUS_SCRATCH, v)
// Each bit and each pair of neighbours in both states.
#define PROVE          EXPECT(REG_BUS_TEST, BUS_TEST_PATTERN), ECHO(0x5AA5C33Cu),                \
                       ECHO(0xA55A3CC3u), ECHO(0x0000FFFFu), ECHO(0x80000001u)
#define WRAP_WRITE(core, reg, v) WRITE(CYW43_BACKPLANE, (core) + (reg), 1, v)
#define WRAP_READ(core, reg)     READ(CYW43_BACKPLANE, (core) + (reg), 1)
// Into reset, where it is not there already.
#define CORE_DISABLE(core)                                                                       \
    SKIP_IF(CYW43_BACKPLANE, (core) + WRAP_RESET, 1, WRAP_RESET_ACTIVE, WRAP_RESET_ACTIVE, 5),   \
    WRAP_WRITE(core, WRAP_IO_CONTROL, 0), WRAP_READ(core, WRAP_IO_CONTROL),                      \
    PAUSE(CORE_PAUSE_US), WRAP_WRITE(core, WRAP_RESET, WRAP_RESET_ACTIVE), PAUSE(CORE_PAUSE_US)
// Out of reset, with its clock on.
#define CORE_RESET(core)                                                                         \
    CORE_DISABLE(core), WRAP_WRITE(core, WRAP_IO_CONTROL, WRAP_IO_CLOCK | WRAP_IO_GATED),        \
    WRAP_READ(core, WRAP_IO_CONTROL), WRAP_WRITE(core, WRAP_RESET, 0), PAUSE(CORE_PAUSE_US),     \
    WRAP_WRITE(core, WRAP_IO_CONTROL, WRAP_IO_CLOCK), WRAP_READ(core, WRAP_IO_CONTROL),          \
    PAUSE(CORE_PAUSE_US),                                                                        \
    UNTIL(CYW43_BACKPLANE, (core) + WRAP_IO_CONTROL, 1, WRAP_IO_CLOCK | WRAP_IO_GATED,           \
          WRAP_IO_CLOCK, 0, 0, COR_E_FIRMWARE),                                                  \
    UNTIL(CYW43_BACKPLANE, (core) + WRAP_RESET, 1, WRAP_RESET_ACTIVE, 0, 0, 0, COR_E_FIRMWARE)

const struct cor_cyw43_step cor_cyw43_bringup_steps[] = {
    CALL(power_off, CLOCK_BOUND_US, COR_E_BUS),
    CALL(clock_bringup, CLOCK_BOUND_US, COR_E_BUS),
    CALL(power_on, 2u * POWER_LOW_RETRY_US, COR_E_BUS),
    // The first transfers after power-up are often corrupt; so is all before the chip is awake.
    UNTIL(CYW43_BUS, REG_BUS_TEST, 4, UINT32_MAX, BUS_TEST_PATTERN, WAKE_PERIOD_US,
          WAKE_BOUND_US, COR_E_ABSENT),
    ECHO(0x12345678u),
    WRITE(CYW43_BUS, REG_BUS_CONTROL, 4, BUS_CONTROL_WORD),
    CALL(words_plain, 0, COR_E_BUS),
    PROVE,
    WRITE(CYW43_BUS, REG_BUS_F1_DELAY, 1, BUS_F1_DELAY_BYTES),
    WRITE(CYW43_BUS, REG_BUS_INTERRUPT, 2, BUS_INTERRUPT_AT_START),
    WRITE(CYW43_BUS, REG_BUS_ENABLE, 2, BUS_INTERRUPT_F2_WAITING),
    // The backplane's low-power clock.
    WRITE(CYW43_DEVICE, REG_DEV_CLOCK, 1, DEV_CLOCK_ALP_REQ),
    WRITE(CYW43_DEVICE, REG_DEV_WATERMARK, 1, DEV_WATERMARK_TRY),
    UNTIL(CYW43_DEVICE, REG_DEV_WATERMARK, 1, 0xFFu, DEV_WATERMARK_TRY, 0, 0, COR_E_BUS),
    UNTIL(CYW43_DEVICE, REG_DEV_CLOCK, 1, DEV_CLOCK_ALP_AVAIL, DEV_CLOCK_ALP_AVAIL,
          READY_PERIOD_US, ALP_BOUND_US, COR_E_TIMEOUT),
    WRITE(CYW43_DEVICE, REG_DEV_CLOCK, 1, 0),
    UNTIL(CYW43_BACKPLANE, BP_CHIP_ID, 2, 0xFFFFu, CHIP_ID_43439, 0, 0, COR_E_UNSUPPORTED),
    CALL(chip_found, 0, COR_E_UNSUPPORTED),
    // Images.
    CORE_DISABLE(BP_ARM_WRAPPER),
    CORE_RESET(BP_RAM_WRAPPER),
    WRITE(CYW43_BACKPLANE, BP_RAM_BANK_INDEX, 4, 3),
    WRITE(CYW43_BACKPLANE, BP_RAM_BANK_PDA, 4, 0),
    CALL(cor_cyw43_load_firmware, LOAD_BOUND_US, COR_E_TIMEOUT),
    CALL(cor_cyw43_load_nvram, LOAD_BOUND_US, COR_E_TIMEOUT),
    CALL(cor_cyw43_load_trailer, LOAD_BOUND_US, COR_E_TIMEOUT),
    // Firmware runs: a damaged one never raises the high-speed clock.
    CORE_RESET(BP_ARM_WRAPPER),
    UNTIL(CYW43_DEVICE, REG_DEV_CLOCK, 1, DEV_CLOCK_HT_AVAIL, DEV_CLOCK_HT_AVAIL,
          READY_PERIOD_US, HT_BOUND_US, COR_E_FIRMWARE),
    WRITE(CYW43_BACKPLANE, BP_SDIO_HOST_MASK, 4, BP_SDIO_HOST_EVENTS),
    WRITE(CYW43_BUS, REG_BUS_ENABLE, 2, BUS_INTERRUPT_F2_WAITING),
    WRITE(CYW43_DEVICE, REG_DEV_WATERMARK, 1, DEV_WATERMARK_GSPI),
    UNTIL(CYW43_BUS, REG_BUS_STATUS, 4, COR_GSPI_STATUS_F2_READY, COR_GSPI_STATUS_F2_READY,
          READY_PERIOD_US, F2_BOUND_US, COR_E_FIRMWARE),
    WRITE(CYW43_DEVICE, REG_DEV_PULL_UP, 1, 0),
    READ(CYW43_DEVICE, REG_DEV_PULL_UP, 1),
    WRITE(CYW43_DEVICE, REG_DEV_CLOCK, 1, DEV_CLOCK_HT_REQ),
    UNTIL(CYW43_DEVICE, REG_DEV_CLOCK, 1, DEV_CLOCK_HT_AVAIL, DEV_CLOCK_HT_AVAIL,
          READY_PERIOD_US, HT_BOUND_US, COR_E_FIRMWARE),
    // The clock of the data phase, proved again before anything relies on it.
    CALL(clock_data, CLOCK_BOUND_US, COR_E_BUS),
    PROVE,
    CALL(frames_on, 0, COR_E_BUS),
    CALL(settings, 0, COR_E_BUS),
    {.kind = CYW43_STEP_END},
};
// clang-format on
