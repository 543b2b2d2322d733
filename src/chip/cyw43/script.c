// SPDX-License-Identifier: MIT
// Script: a table of steps, run from poll(), one at a time. A start, a join and a leave are such
// tables, so that what is done to the chip can be read off in one place, and each wait in it has a
// bound next to it.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"
#include "wire/gspi.h"

#include <stddef.h>

#include "coradio/bytes.h"

// Steps done in one poll at most.
#define STEPS_BOUND 8
// A request that the firmware answers with "busy" is sent again so often, after so long: it
// refuses requests for a while after the country is set (read from public code: mongoose
// src/drivers/cyw.c retries up to 100 times).
#define BUSY_TRIES    20
#define BUSY_PAUSE_US 10000u
// Read from public code: WHD whd_wlioctl.h, BCME_BUSY.
#define CHIP_STATUS_BUSY (-16)

enum script_phase {
    PHASE_ENTER,  // the step is new
    PHASE_READY,  // do it at due_us
    PHASE_WAIT,   // for its register access or reply
    PHASE_DONE,   // the register access is complete
};

static void script_next(struct cor_cyw43 *chip, uint32_t steps) {
    chip->script.step = chip->script.cancelled ? NULL : chip->script.step + steps;
    chip->script.phase = PHASE_ENTER;
    chip->script.tries = 0;
}

static void script_fail(struct cor_cyw43 *chip, enum cor_status status) {
    enum cyw43_script_kind kind = (enum cyw43_script_kind)chip->script.kind;

    chip->script.step = NULL;
    if (chip->script.cancelled) {
        return;
    }
    switch (kind) {
    case CYW43_SCRIPT_START:
        cor_cyw43_fail(chip, status);
        break;
    case CYW43_SCRIPT_JOIN:
        cor_cyw43_join_failed(chip, status);
        break;
    case CYW43_SCRIPT_LEAVE:
        cor_cyw43_join_left(chip);
        break;
    case CYW43_SCRIPT_JOB:
        cor_cyw43_job_failed(chip, status);
        break;
    }
}

void cor_cyw43_script_start(
    struct cor_cyw43 *chip, enum cyw43_script_kind kind, const struct cor_cyw43_step *steps) {
    chip->script.kind = (uint8_t)kind;
    chip->script.step = steps;
    chip->script.phase = PHASE_ENTER;
    chip->script.tries = 0;
    chip->script.cancelled = false;
}

void cor_cyw43_script_register(struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    if (chip->script.step == NULL || chip->script.phase != PHASE_WAIT) {
        return;
    }
    chip->script.phase = PHASE_DONE;
    if (op->xfer.result != COR_OK) {
        chip->script.value = COR_GSPI_STATUS_DEAD;
        return;
    }
    chip->script.value = cor_gspi_parse(
        op->block + COR_GSPI_WORD_BYTES,
        chip->words_swapped ? COR_GSPI_ORDER_RESET : COR_GSPI_ORDER_MEMORY);
}

static bool step_access(struct cor_cyw43 *chip, const struct cor_cyw43_step *step) {
    if (!cor_cyw43_ops_room(chip, 2)) {
        return false;
    }
    const struct cyw43_access access = {
        .kind = CYW43_OP_REGISTER,
        .space = (enum cyw43_space)step->space,
        .write = step->kind == CYW43_STEP_WRITE,
        .address = step->address,
        .bytes = step->bytes,
        .value = step->value,
    };

    chip->script.phase = PHASE_WAIT;
    cor_cyw43_access(chip, &access);
    return true;
}

// A word of the bus's own test.
static bool is_test(const struct cor_cyw43_step *step) {
    return step->space == CYW43_BUS && step->mask == UINT32_MAX;
}

// It did not read as it must. True: it is tried in another way.
static bool step_bus_fault(struct cor_cyw43 *chip, const struct cor_cyw43_step *step) {
    chip->effective.bus_word = chip->script.value;
    chip->effective.bus_fault = cor_cyw43_bus_fault_of(
        chip->script.value,
        step->value,
        chip->words_swapped ? COR_GSPI_ORDER_RESET : COR_GSPI_ORDER_MEMORY);
    if (!cor_cyw43_proof_failed(chip, chip->effective.bus_fault)) {
        return false;
    }
    chip->script.step = chip->proof.step;
    chip->script.phase = PHASE_ENTER;
    return true;
}

static enum cor_status step_failure(
    const struct cor_cyw43 *chip, const struct cor_cyw43_step *step) {
    bool silent = chip->effective.bus_fault == COR_CYW43_BUS_FAULT_zeros ||
                  chip->effective.bus_fault == COR_CYW43_BUS_FAULT_ones;

    enum cor_status failure = (enum cor_status)step->failure;

    return is_test(step) && failure == COR_E_ABSENT && !silent ? COR_E_BUS : failure;
}

static bool step_register(struct cor_cyw43 *chip, const struct cor_cyw43_step *step) {
    struct cor_cyw43_script *script = &chip->script;

    if (script->phase == PHASE_READY) {
        return step_access(chip, step);
    }
    if (script->phase != PHASE_DONE) {
        return false;
    }
    bool hit = (script->value & step->mask) == step->value;

    if (step->kind == CYW43_STEP_WRITE) {
        script_next(chip, 1);
    } else if (step->kind == CYW43_STEP_SKIP) {
        script_next(chip, hit ? 1u + step->skip : 1u);
    } else if (hit) {
        chip->effective.bus_word = script->value;
        script_next(chip, 1);
    } else if (is_test(step) && step_bus_fault(chip, step)) {
        chip->counters.wait_reads++;
    } else if (chip->now_us >= script->deadline_us) {
        script_fail(chip, step_failure(chip, step));
    } else {
        chip->counters.wait_reads++;
        script->phase = PHASE_READY;
        script->due_us = chip->now_us + step->period_us;
    }
    return true;
}

static bool step_call(struct cor_cyw43 *chip, const struct cor_cyw43_step *step) {
    enum cor_status status = step->call(chip);

    if (chip->script.step != step) {
        return true;  // the call has ended the script itself
    }
    if (chip->script.cancelled) {
        chip->script.step = NULL;
        return true;
    }
    if (status == COR_OK) {
        script_next(chip, 1);
        return true;
    }
    if (status == COR_AGAIN && chip->now_us < chip->script.deadline_us) {
        return false;
    }
    script_fail(chip, status == COR_AGAIN ? (enum cor_status)step->failure : status);
    return true;
}

static bool step_branch(struct cor_cyw43 *chip, const struct cor_cyw43_step *step) {
    script_next(chip, step->call(chip) == COR_OK ? 1u + step->skip : 1u);
    return true;
}

static void control_request(struct cor_cyw43 *chip, const struct cor_cyw43_step *step) {
    uint8_t *value = cor_cyw43_control_value(chip);
    uint16_t value_bytes = 0;

    if (step->name != NULL) {
        while (step->name[value_bytes] != '\0') {
            value[value_bytes] = (uint8_t)step->name[value_bytes];
            value_bytes++;
        }
        value[value_bytes++] = '\0';
    }
    if (step->fill != NULL) {
        value_bytes = (uint16_t)(value_bytes + step->fill(chip, value + value_bytes));
    } else {
        for (uint32_t i = 0; i < step->bytes; i++) {
            value[value_bytes + i] = 0;
        }
        if (step->set && step->bytes == 4) {
            cor_put_le32(value + value_bytes, step->value);
        } else if (step->set && step->bytes == 8) {
            cor_put_le32(value + value_bytes + 4, step->value);
        }
        value_bytes = (uint16_t)(value_bytes + step->bytes);
    }
    cor_cyw43_control_start(chip, step->command, step->set, value_bytes);
}

static bool control_ended(
    struct cor_cyw43 *chip, const struct cor_cyw43_step *step, enum cor_status status) {
    if (status == COR_E_CHIP && chip->control.chip_status == CHIP_STATUS_BUSY &&
        ++chip->script.tries < BUSY_TRIES) {
        chip->counters.control_retries++;
        chip->script.phase = PHASE_READY;
        chip->script.due_us = chip->now_us + BUSY_PAUSE_US;
        return true;
    }
    if (status == COR_OK && step->take != NULL) {
        status = step->take(chip, chip->control.reply, chip->control.reply_bytes);
        if (status == COR_AGAIN) {
            script_next(chip, 0);
            return true;
        }
    }
    if (status == COR_E_CHIP) {
        chip->counters.control_refused++;
        chip->effective.chip_status = chip->control.chip_status;
        chip->effective.chip_command = step->command;
        status = (enum cor_status)step->failure;
    }
    if (status == COR_OK) {
        script_next(chip, 1);
    } else {
        script_fail(chip, status);
    }
    return true;
}

static bool step_control(struct cor_cyw43 *chip, const struct cor_cyw43_step *step) {
    if (chip->script.phase == PHASE_READY) {
        control_request(chip, step);
        chip->script.phase = PHASE_WAIT;
        return true;
    }
    enum cor_status status = cor_cyw43_control_result(chip);

    return status == COR_AGAIN ? false : control_ended(chip, step, status);
}

static bool script_step(struct cor_cyw43 *chip) {
    struct cor_cyw43_script *script = &chip->script;
    const struct cor_cyw43_step *step = script->step;

    if (script->phase == PHASE_ENTER) {
        script->phase = PHASE_READY;
        script->due_us = chip->now_us + (step->kind == CYW43_STEP_PAUSE ? step->bound_us : 0);
        script->deadline_us = chip->now_us + step->bound_us;
    }
    if (script->phase == PHASE_READY && chip->now_us < script->due_us) {
        return false;
    }
    switch ((enum cyw43_step_kind)step->kind) {
    case CYW43_STEP_END:
        script->step = NULL;
        return true;
    case CYW43_STEP_PAUSE:
        script_next(chip, 1);
        return true;
    case CYW43_STEP_WRITE:
    case CYW43_STEP_UNTIL:
    case CYW43_STEP_SKIP:
        return step_register(chip, step);
    case CYW43_STEP_CALL:
        return step_call(chip, step);
    case CYW43_STEP_BRANCH:
        return step_branch(chip, step);
    case CYW43_STEP_CONTROL:
        return step_control(chip, step);
    }
    return false;
}

bool cor_cyw43_script_run(struct cor_cyw43 *chip) {
    bool any = false;

    for (uint32_t bound = STEPS_BOUND; bound > 0 && chip->script.step != NULL; bound--) {
        if (!script_step(chip)) {
            break;
        }
        any = true;
    }
    return any;
}

uint64_t cor_cyw43_script_deadline_us(const struct cor_cyw43 *chip) {
    const struct cor_cyw43_script *script = &chip->script;

    if (script->step == NULL) {
        return UINT64_MAX;
    }
    if (script->phase == PHASE_READY && chip->now_us < script->due_us) {
        return script->due_us;
    }
    if (script->step->kind == CYW43_STEP_CALL) {
        return script->deadline_us;
    }
    // A register access ends by itself or by the bus's own bound, a request by its reply's.
    return UINT64_MAX;
}
