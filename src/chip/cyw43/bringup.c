// SPDX-License-Identifier: MIT
// Bring-up: power, proof of the bus, cores, images, clocks, settings, and the final clock.
//
// The order and the waits are read from public code: embassy-rs/embassy cyw43/src/runner.rs
// (init) and bus code, soypat/cyw43439 device.go; bounds are ours and generous.
#include "bus/bus.h"
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"

#include "coradio/bus_clock.h"

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

// Reads of one sampling that are wrong: while the chip may be waking up; and after that, where the
// first may be a single error.
#define WAKE_FAILURES_MAX  4u
#define PROOF_FAILURES_MAX 2u
// Each slower rate is three quarters of the one before.
#define PROOF_RATES_MAX 6u
#define PROOF_HZ_MIN    3000000
#define SAMPLINGS_ALL   ((1u << COR_BUS_SAMPLING_COUNT) - 1u)

static enum cor_status power_off(struct cor_cyw43 *chip) {
    if (chip->op_count > 0) {
        return COR_AGAIN;  // of a run before this one
    }
    cor_bus_set_power(chip->config.bus, false);
    chip->power_due_us = chip->now_us + (chip->start_failed ? POWER_LOW_RETRY_US : POWER_LOW_US);
    return COR_OK;
}

// ---- the proof: clock and sampling, and others where they fail

// The best sampling for the clock that was not tried yet.
static enum cor_bus_sampling sampling_next(const struct cor_cyw43 *chip) {
    enum cor_bus_sampling best = COR_BUS_SAMPLING_COUNT;
    int32_t hz = chip->effective.bus_hz;

    for (uint32_t i = 0; i < COR_BUS_SAMPLING_COUNT; i++) {
        enum cor_bus_sampling sampling = (enum cor_bus_sampling)i;
        bool better = best == COR_BUS_SAMPLING_COUNT || cor_bus_sampling_margin_ps(sampling, hz) >
                                                            cor_bus_sampling_margin_ps(best, hz);

        if ((chip->proof.tried & 1u << i) == 0 && better) {
            best = sampling;
        }
    }
    return best;
}

// Where a proof begins: no transfer is in flight, so chip select is idle. The same step again is
// the same proof, with what cor_cyw43_proof_failed() has changed.
static enum cor_status proof_begin(struct cor_cyw43 *chip, int32_t clock_hz) {
    struct cor_cyw43_proof *proof = &chip->proof;

    if (chip->op_count > 0) {
        return COR_AGAIN;
    }
    if (proof->step != chip->script.step) {
        *proof = (struct cor_cyw43_proof){
            .step = chip->script.step,
            .hz = clock_hz,
            .until_us = chip->now_us + WAKE_BOUND_US,
            .fallbacks_before = chip->counters.bus_fallbacks,
        };
    }
    int32_t set_hz = cor_bus_set_clock_hz(chip->config.bus, proof->hz);

    if (set_hz <= 0) {
        return set_hz < 0 ? (enum cor_status)set_hz : COR_E_BUS;
    }
    chip->effective.bus_hz = set_hz;
    chip->effective.sampling = sampling_next(chip);
    if (!cor_bus_set_sampling(chip->config.bus, chip->effective.sampling)) {
        // The port has one way.
        chip->effective.sampling = cor_bus_sampling_for(set_hz);
        proof->tried = UINT8_MAX;
    }
    cor_cyw43_pace_clock(chip);
    return COR_OK;
}

static enum cor_status proof_bringup(struct cor_cyw43 *chip) {
    return proof_begin(chip, chip->config.bringup_hz);
}

// The pattern was read: from now on an error is one.
static enum cor_status proof_awake(struct cor_cyw43 *chip) {
    chip->proof.awake = true;
    return COR_OK;
}

// The same proof in the words that hold from now on.
static enum cor_status proof_words(struct cor_cyw43 *chip) {
    if (chip->op_count > 0) {
        return COR_AGAIN;
    }
    if (chip->proof.step == chip->script.step) {
        return proof_begin(chip, chip->proof.hz);
    }
    chip->proof.step = chip->script.step;
    return COR_OK;
}

static enum cor_status proof_data(struct cor_cyw43 *chip) {
    return proof_begin(chip, chip->config.data_hz);
}

static enum cor_status proof_end(struct cor_cyw43 *chip) {
    if (chip->proof.rates > 0) {
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_bus_slower, chip->effective.bus_hz);
    }
    if (chip->effective.bringup_hz == 0) {
        chip->effective.bringup_hz = chip->effective.bus_hz;
    }
    chip->proof.step = NULL;
    return COR_OK;
}

// Another sampling, or a slower clock with all of them. False: there is none.
static bool proof_next(struct cor_cyw43 *chip) {
    struct cor_cyw43_proof *proof = &chip->proof;
    int32_t slower_hz = proof->hz / 4 * 3;

    proof->failures = 0;
    proof->tried |= (uint8_t)(1u << chip->effective.sampling);
    if ((proof->tried & SAMPLINGS_ALL) == SAMPLINGS_ALL) {
        if (proof->rates >= PROOF_RATES_MAX || slower_hz < PROOF_HZ_MIN) {
            proof->exhausted = true;
            return false;
        }
        proof->tried = 0;
        proof->rates++;
        proof->hz = slower_hz;
    }
    if (chip->counters.bus_fallbacks++ == chip->proof.fallbacks_before) {
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_bus_fault, (int32_t)chip->effective.bus_fault);
    }
    return true;
}

bool cor_cyw43_proof_failed(struct cor_cyw43 *chip, enum cor_cyw43_bus_fault fault) {
    struct cor_cyw43_proof *proof = &chip->proof;
    bool silent = fault == COR_CYW43_BUS_FAULT_zeros || fault == COR_CYW43_BUS_FAULT_ones;
    bool waking = chip->words_swapped && chip->proof.step != NULL && !proof->awake;

    if (proof->step == NULL || proof->exhausted) {
        return false;
    }
    if (waking && (silent || chip->now_us >= proof->until_us)) {
        return false;  // it may be asleep yet: the same again
    }
    if (++proof->failures < (waking ? WAKE_FAILURES_MAX : PROOF_FAILURES_MAX)) {
        return !waking;
    }
    return proof_next(chip);
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
    cor_cyw43_heard(chip);
    return COR_OK;
}

static enum cor_status settings(struct cor_cyw43 *chip) {
    cor_cyw43_script_start(chip, CYW43_SCRIPT_START, cor_cyw43_settings_steps);
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
    CALL(power_on, 2u * POWER_LOW_RETRY_US, COR_E_BUS),
    CALL(proof_bringup, CLOCK_BOUND_US, COR_E_BUS),
    // The first transfers after power-up are often corrupt; so is all before the chip is awake.
    UNTIL(CYW43_BUS, REG_BUS_TEST, 4, UINT32_MAX, BUS_TEST_PATTERN, WAKE_PERIOD_US,
          WAKE_BOUND_US, COR_E_ABSENT),
    CALL(proof_awake, 0, COR_E_BUS),
    ECHO(0x12345678u),
    WRITE(CYW43_BUS, REG_BUS_CONTROL, 4, BUS_CONTROL_WORD),
    CALL(words_plain, 0, COR_E_BUS),
    CALL(proof_words, 0, COR_E_BUS),
    PROVE,
    CALL(proof_end, 0, COR_E_BUS),
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
    CALL(proof_data, CLOCK_BOUND_US, COR_E_BUS),
    PROVE,
    CALL(proof_end, 0, COR_E_BUS),
    CALL(frames_on, 0, COR_E_BUS),
    CALL(settings, 0, COR_E_BUS),
    {.kind = CYW43_STEP_END},
};
// clang-format on
