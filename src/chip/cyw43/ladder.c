// SPDX-License-Identifier: MIT
// Ladder: what is done about a chip that stops working, rung by rung.
//
//     100 ms  the status is read once; a line may have been missed              (transmit.c)
//       1 s   stall: told; the next credit is believed even if it goes back
//       2 s   flush: the stream is resynchronised, the error record cleared
//       5 s   rebuild: power cycle, everything anew, the network joined again
//
// A bus that reads what cannot be true is proved on its test register and given up within 200 ms; a
// chip that leaves three requests in a row without a reply is given up too. A rebuild that fails is
// tried again with pauses that double up to a minute, for as long as the driver is on.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"

#include <stddef.h>

#define STALL_US   1000000u
#define FLUSH_US   2000000u
#define FLUSH_2_US 3500000u
#define REBUILD_US 5000000u

// The test register is read when nothing was heard for so long, then this much sooner.
#define CHECK_US       100000u
#define CHECK_AGAIN_US 10000u
#define CHECKS_BAD_MAX 3u

#define UNANSWERED_MAX 3u

#define PAUSE_MIN_US 1000000u
#define PAUSE_MAX_US 60000000u

enum rung { RUNG_NONE, RUNG_STALL, RUNG_FLUSH, RUNG_FLUSH_2, RUNG_REBUILD };

static const uint32_t rung_us[] = {STALL_US, FLUSH_US, FLUSH_2_US, REBUILD_US};

// ---- stalls

static bool gate_shut(const struct cor_cyw43 *chip) {
    bool waits = chip->state == COR_RADIO_JOINED || chip->control.phase == CYW43_CONTROL_WAITING;
    bool open = cor_cyw43_credit(chip) > 0 && chip->flow_mask == 0 && chip->dead_since_us == 0 &&
                (chip->status & COR_GSPI_STATUS_F2_READY) != 0;

    return chip->frames_on && waits && !open;
}

static int32_t stalled_ms(const struct cor_cyw43 *chip) {
    return (int32_t)((chip->now_us - chip->ladder.stall_since_us) / 1000u);
}

static void flush(struct cor_cyw43 *chip) {
    chip->counters.flushes++;
    chip->status |= COR_GSPI_STATUS_ERROR;  // its record is cleared, then the status read
    chip->resync_due = true;
    chip->status_due_us = chip->now_us;
    cor_cyw43_tell(chip, COR_CYW43_NOTICE_flush, stalled_ms(chip));
}

static void climb(struct cor_cyw43 *chip) {
    struct cor_cyw43_ladder *ladder = &chip->ladder;

    switch ((enum rung)++ ladder->rung) {
    case RUNG_STALL:
        chip->counters.stalls++;
        ladder->credit_anew = true;
        chip->status_due_us = chip->now_us;
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_stall, stalled_ms(chip));
        if (chip->config.hooks.log != NULL) {
            cor_cyw43_job_want(chip, CYW43_JOB_LOG);
        }
        break;
    case RUNG_FLUSH:
    case RUNG_FLUSH_2:
        flush(chip);
        break;
    case RUNG_REBUILD:
    case RUNG_NONE:
        ladder->rebuild_due = true;
        ladder->why = COR_E_TIMEOUT;
        break;
    }
}

static void stall_end(struct cor_cyw43 *chip) {
    struct cor_cyw43_ladder *ladder = &chip->ladder;

    if (ladder->rung != RUNG_NONE) {
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_stall_over, stalled_ms(chip));
    }
    ladder->stall_since_us = 0;
    ladder->rung = RUNG_NONE;
    ladder->credit_anew = false;
}

// ---- rebuild

static void pause_before(struct cor_cyw43_ladder *ladder, uint64_t now_us) {
    ladder->retry_due_us = now_us + ladder->pause_us;
    ladder->pause_us = ladder->pause_us < PAUSE_MIN_US        ? PAUSE_MIN_US
                       : ladder->pause_us < PAUSE_MAX_US / 2u ? 2u * ladder->pause_us
                                                              : PAUSE_MAX_US;
}

static bool wants_network(const struct cor_cyw43 *chip) {
    return chip->state == COR_RADIO_JOINED || chip->state == COR_RADIO_JOINING ||
           chip->state == COR_RADIO_WAITING;
}

void cor_cyw43_fail(struct cor_cyw43 *chip, enum cor_status status) {
    struct cor_cyw43_ladder *ladder = &chip->ladder;
    bool again = ladder->was_ready && chip->config.recovery == COR_CYW43_REBUILD;

    chip->start_failed = true;
    ladder->rebuild_due = false;
    if (!again) {
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_start_failed, (int32_t)status);
        chip->error = status;
        cor_cyw43_power_down(chip, COR_RADIO_FAILED);
        return;
    }
    if (chip->state != COR_RADIO_RECOVERING) {
        chip->counters.rebuilds++;
        ladder->attempt = 0;
        ladder->rejoin = wants_network(chip);
        ladder->pause_us = chip->now_us - ladder->ready_us < PAUSE_MAX_US ? ladder->pause_us : 0;
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_rebuild, (int32_t)status);
    } else if (ladder->attempt == 1) {
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_start_failed, (int32_t)status);
    }
    if (chip->state == COR_RADIO_OFF || chip->state == COR_RADIO_FAILED) {
        return;  // a hook has switched it off
    }
    chip->error = status;
    pause_before(ladder, chip->now_us);
    cor_cyw43_power_down(chip, COR_RADIO_RECOVERING);
}

// The settings of a start are made.
void cor_cyw43_recovered(struct cor_cyw43 *chip) {
    struct cor_cyw43_ladder *ladder = &chip->ladder;
    bool recovering = chip->state == COR_RADIO_RECOVERING;

    chip->start_failed = false;
    chip->error = COR_OK;
    chip->state = COR_RADIO_READY;
    ladder->was_ready = true;
    ladder->ready_us = chip->now_us;
    cor_cyw43_jobs_replay(chip);
    if (recovering && ladder->rejoin) {
        chip->state = COR_RADIO_JOINING;
        chip->join.attempts = 0;
        chip->join.deadline_us = UINT64_MAX;
        chip->join.due = true;
        chip->join.again = false;
        chip->join.leaving = false;
    }
    ladder->rejoin = false;
    if (recovering) {
        chip->counters.recoveries++;
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_rebuilt, (int32_t)ladder->attempt);
    } else {
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_ready, 0);
    }
}

static bool rebuild_begin(struct cor_cyw43 *chip) {
    struct cor_cyw43_ladder *ladder = &chip->ladder;

    if (chip->state != COR_RADIO_RECOVERING || chip->script.step != NULL ||
        chip->now_us < ladder->retry_due_us) {
        return false;
    }
    ladder->attempt++;
    cor_cyw43_run_reset(chip);
    chip->counters.starts++;
    chip->progress_us = chip->now_us;
    cor_cyw43_script_start(chip, CYW43_SCRIPT_START, cor_cyw43_bringup_steps);
    return true;
}

bool cor_cyw43_ladder_run(struct cor_cyw43 *chip) {
    struct cor_cyw43_ladder *ladder = &chip->ladder;

    if (rebuild_begin(chip)) {
        return true;
    }
    if (!gate_shut(chip)) {
        stall_end(chip);
    } else if (ladder->stall_since_us == 0) {
        ladder->stall_since_us = chip->now_us == 0 ? 1 : chip->now_us;
    } else if (
        ladder->rung < RUNG_REBUILD &&
        chip->now_us >= ladder->stall_since_us + rung_us[ladder->rung]) {
        climb(chip);
    }
    if (ladder->rebuild_due && chip->state != COR_RADIO_RECOVERING) {
        cor_cyw43_fail(chip, ladder->why);
        return true;
    }
    return false;
}

uint64_t cor_cyw43_ladder_deadline_us(const struct cor_cyw43 *chip) {
    const struct cor_cyw43_ladder *ladder = &chip->ladder;
    uint64_t deadline_us = UINT64_MAX;

    if (chip->state == COR_RADIO_RECOVERING && chip->script.step == NULL) {
        return ladder->retry_due_us;
    }
    if (ladder->stall_since_us != 0 && ladder->rung < RUNG_REBUILD) {
        deadline_us = ladder->stall_since_us + rung_us[ladder->rung];
    }
    return deadline_us;
}

// ---- signs of life

void cor_cyw43_heard(struct cor_cyw43 *chip) {
    chip->ladder.heard_us = chip->now_us;
    chip->ladder.checks_bad = 0;
}

void cor_cyw43_unanswered(struct cor_cyw43 *chip) {
    struct cor_cyw43_ladder *ladder = &chip->ladder;

    if (++ladder->timeouts >= UNANSWERED_MAX && ladder->was_ready) {
        ladder->rebuild_due = true;
        ladder->why = COR_E_TIMEOUT;
    }
}

void cor_cyw43_bus_dead(struct cor_cyw43 *chip, enum cor_cyw43_bus_fault fault) {
    struct cor_cyw43_ladder *ladder = &chip->ladder;

    if (ladder->rebuild_due) {
        return;
    }
    chip->effective.bus_fault = fault;
    cor_cyw43_tell(chip, COR_CYW43_NOTICE_bus_dead, (int32_t)fault);
    ladder->rebuild_due = true;
    ladder->why = COR_E_BUS;
}

// When the test register is read; the caller sees to it that nothing is in flight.
uint64_t cor_cyw43_check_due_us(const struct cor_cyw43 *chip) {
    const struct cor_cyw43_ladder *ladder = &chip->ladder;
    uint32_t period_us = chip->config.check_us != 0 ? chip->config.check_us : CHECK_US;

    if (ladder->checking || ladder->rebuild_due) {
        return UINT64_MAX;
    }
    return ladder->checks_bad > 0 ? ladder->check_due_us : ladder->heard_us + period_us;
}

void cor_cyw43_check_queue(struct cor_cyw43 *chip) {
    const struct cyw43_access access = {CYW43_OP_CHECK, CYW43_BUS, false, REG_BUS_TEST, 4, 0, NULL};

    chip->counters.bus_checks++;
    chip->ladder.checking = true;
    cor_cyw43_access(chip, &access);
}

void cor_cyw43_check_input(struct cor_cyw43 *chip, const struct cor_cyw43_op *op) {
    struct cor_cyw43_ladder *ladder = &chip->ladder;
    uint32_t word = cor_gspi_parse(op->block + COR_GSPI_WORD_BYTES, COR_GSPI_ORDER_MEMORY);

    ladder->checking = false;
    chip->effective.bus_word = word;
    if (op->xfer.result == COR_OK && word == BUS_TEST_PATTERN) {
        cor_cyw43_heard(chip);
        return;
    }
    chip->counters.bus_checks_bad++;
    ladder->check_due_us = chip->now_us + CHECK_AGAIN_US;
    if (++ladder->checks_bad >= CHECKS_BAD_MAX) {
        cor_cyw43_bus_dead(
            chip, cor_cyw43_bus_fault_of(word, BUS_TEST_PATTERN, COR_GSPI_ORDER_MEMORY));
    }
}
