// SPDX-License-Identifier: MIT
// Jobs: what is asked of the chip while it is up. Each is a script of job_steps.c; one runs at a
// time, in the order of their numbers, and never beside a start or a join. The functions of
// cyw43_control.h only note what is wanted, so that they may be called from anywhere.
#include "chip/cyw43/driver.h"

#include <string.h>

#include "coradio/cyw43_control.h"

// A request's own bound is that of control.c.
#define REQUEST_BOUND_US 2000000u
#define LIVENESS_US      5000000u
// After a look that was not answered, or was bad, the next comes sooner.
#define LIVENESS_AGAIN_US 1000000u

static bool is_up(const struct cor_cyw43 *chip) {
    return chip->state == COR_RADIO_READY || chip->state == COR_RADIO_JOINING ||
           chip->state == COR_RADIO_JOINED || chip->state == COR_RADIO_WAITING;
}

void cor_cyw43_job_want(struct cor_cyw43 *chip, enum cyw43_job job) {
    chip->jobs.wanted |= 1u << (uint32_t)job;
}

// ---- the caller's request

static enum cor_status request_run(struct cor_cyw43 *chip);

static const struct cor_cyw43_step request_steps[] = {
    {.kind = CYW43_STEP_CALL,
     .call = request_run,
     .bound_us = REQUEST_BOUND_US,
     .failure = COR_E_TIMEOUT},
    {.kind = CYW43_STEP_END},
};

enum cor_status cor_cyw43_request(struct cor_cyw43 *chip, const struct cor_cyw43_request *request) {
    struct cor_cyw43_jobs *jobs = &chip->jobs;
    uint32_t name_bytes = 0;

    if (request->name != NULL) {
        name_bytes = cor_cyw43_text_bytes(request->name, COR_CYW43_REQUEST_BYTES_MAX) + 1u;
    }
    uint32_t bytes = name_bytes + request->value_bytes;

    bytes = bytes < request->reply_bytes ? request->reply_bytes : bytes;
    if (!is_up(chip)) {
        return COR_E_STATE;
    }
    if (bytes > COR_CYW43_REQUEST_BYTES_MAX) {
        return COR_E_ARG;
    }
    if (jobs->request_taken) {
        return COR_AGAIN;
    }
    memset(jobs->request, 0, sizeof(jobs->request));
    if (name_bytes > 0) {
        memcpy(jobs->request, request->name, name_bytes);
    }
    if (request->value_bytes > 0) {
        memcpy(jobs->request + name_bytes, request->value, request->value_bytes);
    }
    jobs->request_bytes = (uint16_t)bytes;
    jobs->request_command = request->command;
    jobs->request_set = request->set;
    jobs->request_done = request->done;
    jobs->request_context = request->context;
    jobs->request_sent = false;
    jobs->request_taken = true;
    cor_cyw43_job_want(chip, CYW43_JOB_REQUEST);
    return COR_OK;
}

// The caller may ask for the next in its callback.
static void request_end(struct cor_cyw43 *chip, enum cor_status status) {
    struct cor_cyw43_jobs *jobs = &chip->jobs;
    bool replied = status == COR_OK || status == COR_E_CHIP;
    int32_t chip_status = status == COR_E_CHIP ? chip->control.chip_status : 0;
    struct cor_span reply = {chip->control.reply, status == COR_OK ? chip->control.reply_bytes : 0};

    jobs->request_taken = false;
    if (replied && status == COR_E_CHIP) {
        chip->counters.control_refused++;
        chip->effective.chip_status = chip_status;
        chip->effective.chip_command = jobs->request_command;
    }
    if (jobs->request_done != NULL) {
        jobs->request_done(jobs->request_context, status, chip_status, reply);
    }
}

static enum cor_status request_run(struct cor_cyw43 *chip) {
    struct cor_cyw43_jobs *jobs = &chip->jobs;

    if (!jobs->request_sent) {
        memcpy(cor_cyw43_control_value(chip), jobs->request, jobs->request_bytes);
        cor_cyw43_control_start(
            chip, jobs->request_command, jobs->request_set, jobs->request_bytes);
        jobs->request_sent = true;
        return COR_AGAIN;
    }
    enum cor_status status = cor_cyw43_control_result(chip);

    if (status == COR_AGAIN) {
        return COR_AGAIN;
    }
    request_end(chip, status);
    return COR_OK;
}

// ---- running

static const struct cor_cyw43_step *steps_of(enum cyw43_job job) {
    switch (job) {
    case CYW43_JOB_LEAVE:
        return cor_cyw43_leave_steps;
    case CYW43_JOB_PM:
        return cor_cyw43_pm_steps;
    case CYW43_JOB_GROUPS:
        return cor_cyw43_groups_steps;
    case CYW43_JOB_GPIO:
        return cor_cyw43_gpio_steps;
    case CYW43_JOB_LOG:
        return cor_cyw43_console_steps;
    case CYW43_JOB_REQUEST:
        return request_steps;
    case CYW43_JOB_SCAN:
        return cor_cyw43_scan_steps;
    case CYW43_JOB_LIVENESS:
        return cor_cyw43_liveness_steps;
    case CYW43_JOB_MEASURE:
        return cor_cyw43_measure_steps;
    case CYW43_JOB_RAW:
        return cor_cyw43_raw_steps;
    case CYW43_JOB_NONE:
    case CYW43_JOB_COUNT:
        break;
    }
    return NULL;
}

static uint64_t liveness_due_us(const struct cor_cyw43 *chip) {
    uint32_t period_us = chip->config.liveness_us != 0 ? chip->config.liveness_us : LIVENESS_US;
    uint64_t heard_us = chip->rx_data_us;

    if (chip->state != COR_RADIO_JOINED) {
        return UINT64_MAX;
    }
    if (chip->ladder.timeouts > 0 || chip->join.bad_checks > 0) {
        period_us = LIVENESS_AGAIN_US < period_us ? LIVENESS_AGAIN_US : period_us;
    }
    heard_us = heard_us < chip->join.checked_us ? chip->join.checked_us : heard_us;
    return heard_us + period_us;
}

static uint64_t log_due_us(const struct cor_cyw43 *chip) {
    bool read = chip->config.log_us != 0 && chip->config.hooks.log != NULL;

    return read && chip->frames_on ? chip->console.due_us : UINT64_MAX;
}

// What comes by time alone.
static void want_due(struct cor_cyw43 *chip) {
    if (chip->now_us >= liveness_due_us(chip)) {
        chip->join.checked_us = chip->now_us;
        chip->counters.liveness_checks++;
        cor_cyw43_job_want(chip, CYW43_JOB_LIVENESS);
    }
    if (chip->now_us >= log_due_us(chip)) {
        chip->console.due_us = chip->now_us + chip->config.log_us;
        cor_cyw43_job_want(chip, CYW43_JOB_LOG);
    }
    if (chip->scan.started && chip->now_us >= chip->scan.deadline_us) {
        cor_cyw43_scan_end(chip, COR_E_TIMEOUT);
    }
}

static bool job_start(struct cor_cyw43 *chip, enum cyw43_job job) {
    uint32_t bit = 1u << (uint32_t)job;

    if ((chip->jobs.wanted & bit) == 0) {
        return false;
    }
    chip->jobs.wanted &= ~bit;
    chip->jobs.running = (uint8_t)job;
    cor_cyw43_script_start(chip, CYW43_SCRIPT_JOB, steps_of(job));
    return true;
}

bool cor_cyw43_jobs_run(struct cor_cyw43 *chip) {
    if (chip->frames_on) {
        want_due(chip);
    }
    if (chip->script.step != NULL || !is_up(chip)) {
        return false;
    }
    // A leave stands before a join that was asked for after it.
    if (job_start(chip, CYW43_JOB_LEAVE) || cor_cyw43_link_run(chip)) {
        return true;
    }
    // They take turns, so that one which is wanted all the time keeps no other waiting.
    for (uint32_t i = 0; i < CYW43_JOB_COUNT; i++) {
        if (job_start(chip, (enum cyw43_job)((chip->jobs.running + 1u + i) % CYW43_JOB_COUNT))) {
            return true;
        }
    }
    return false;
}

void cor_cyw43_job_failed(struct cor_cyw43 *chip, enum cor_status status) {
    switch ((enum cyw43_job)chip->jobs.running) {
    case CYW43_JOB_REQUEST:
        request_end(chip, status);
        break;
    case CYW43_JOB_SCAN:
        cor_cyw43_scan_end(chip, status);
        break;
    case CYW43_JOB_RAW:
        // The firmware has not survived it.
        chip->effective.raw = COR_CYW43_RAW_stalls;
        break;
    default:
        break;
    }
}

void cor_cyw43_jobs_abort(struct cor_cyw43 *chip) {
    struct cor_cyw43_jobs *jobs = &chip->jobs;

    jobs->wanted = 0;
    if (jobs->request_taken) {
        request_end(chip, COR_E_ABORTED);
    }
    if (chip->scan.active) {
        cor_cyw43_scan_end(chip, COR_E_ABORTED);
    }
}

void cor_cyw43_jobs_replay(struct cor_cyw43 *chip) {
    if (chip->kept.groups_set) {
        cor_cyw43_job_want(chip, CYW43_JOB_GROUPS);
    }
    if (chip->kept.gpio_mask != 0) {
        cor_cyw43_job_want(chip, CYW43_JOB_GPIO);
    }
}

uint64_t cor_cyw43_jobs_deadline_us(const struct cor_cyw43 *chip) {
    uint64_t liveness_us = liveness_due_us(chip);
    uint64_t log_us = log_due_us(chip);
    uint64_t next_us = liveness_us < log_us ? liveness_us : log_us;

    if (chip->scan.started && chip->scan.deadline_us < next_us) {
        next_us = chip->scan.deadline_us;
    }
    return next_us;
}

// ---- what is wanted

void cor_cyw43_set_multicast(
    struct cor_cyw43 *chip, const uint8_t (*groups)[6], uint32_t count, bool all) {
    struct cor_cyw43_kept *kept = &chip->kept;

    kept->groups_all = all || count > COR_CYW43_GROUPS_MAX;
    kept->group_count = kept->groups_all ? 0 : (uint8_t)count;
    kept->groups_set = true;
    if (kept->group_count > 0) {
        memcpy(kept->groups, groups, (size_t)6 * kept->group_count);
    }
    if (is_up(chip)) {
        cor_cyw43_job_want(chip, CYW43_JOB_GROUPS);
    }
}

void cor_cyw43_set_pm(struct cor_cyw43 *chip, enum cor_pm pm, uint8_t listen_beacons) {
    chip->config.pm = pm;
    chip->config.listen_beacons = listen_beacons;
    cor_cyw43_pm_ask(chip);
    if (is_up(chip)) {
        cor_cyw43_job_want(chip, CYW43_JOB_PM);
    }
}

void cor_cyw43_set_gpio(struct cor_cyw43 *chip, uint32_t mask, uint32_t levels) {
    chip->kept.gpio_mask |= mask;
    chip->kept.gpio_levels = (chip->kept.gpio_levels & ~mask) | (levels & mask);
    if (is_up(chip)) {
        cor_cyw43_job_want(chip, CYW43_JOB_GPIO);
    }
}

void cor_cyw43_measure(struct cor_cyw43 *chip) {
    chip->link.valid = false;
    if (is_up(chip)) {
        cor_cyw43_job_want(chip, CYW43_JOB_MEASURE);
    }
}

const struct cor_cyw43_link *cor_cyw43_get_link(const struct cor_cyw43 *chip) {
    return &chip->link;
}

void cor_cyw43_read_log(struct cor_cyw43 *chip) {
    if (is_up(chip)) {
        cor_cyw43_job_want(chip, CYW43_JOB_LOG);
    }
}

enum cor_status cor_cyw43_probe_raw(struct cor_cyw43 *chip) {
    if (chip->state != COR_RADIO_READY) {
        return COR_E_STATE;
    }
    chip->effective.raw = COR_CYW43_RAW_unknown;
    cor_cyw43_job_want(chip, CYW43_JOB_RAW);
    return COR_OK;
}
