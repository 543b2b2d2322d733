// SPDX-License-Identifier: MIT
// Link: what becomes of a join: an attempt repeated, a network joined, lost, and joined again.
//
// A failure that may be one of the moment is tried again inside the join; the application sees the
// last one. With join.keep the driver goes on wanting the network, with pauses that double each
// time. A link that lasted shortens them again.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/registers.h"

#include <string.h>

// Attempts of one join, in this time; one attempt has a bound of its own in join.c.
#define ATTEMPTS_MAX         3u
#define ATTEMPTS_MAX_UNHEARD 2u
#define ATTEMPTS_BOUND_US    8000000u
// Pauses before the driver joins by itself.
#define PAUSE_MIN_US 100000u
#define PAUSE_MAX_US 30000000u
// A link that was up this long was a good one.
#define LASTING_US 10000000u
// IEEE 802.11 table 9-80 (specified): not now; and refused without saying why.
#define STATUS_CODE_UNSPECIFIED 1u
#define STATUS_CODE_LATER       30u

enum cor_status cor_cyw43_join(
    struct cor_cyw43 *chip, const struct cor_join *join, uint64_t now_us) {
    struct cor_cyw43_joining *joining = &chip->join;
    uint32_t ssid_bytes = cor_cyw43_text_bytes(join->ssid, COR_SSID_BYTES_MAX);
    uint32_t key_bytes = 0;

    if (chip->state != COR_RADIO_READY && chip->state != COR_RADIO_WAITING) {
        return COR_E_STATE;
    }
    if (ssid_bytes == 0 || ssid_bytes > COR_SSID_BYTES_MAX) {
        return COR_E_ARG;
    }
    if (join->auth != COR_AUTH_OPEN) {
        key_bytes = cor_cyw43_text_bytes(join->key, COR_KEY_BYTES_MAX);
        if (key_bytes < COR_KEY_BYTES_MIN || key_bytes > COR_KEY_BYTES_MAX) {
            return COR_E_ARG;
        }
    }
    enum cor_link_cause cause = joining->cause;
    uint32_t cause_code = joining->cause_code;

    memset(joining, 0, sizeof(*joining));
    memcpy(joining->ssid, join->ssid, ssid_bytes);
    if (key_bytes > 0) {
        memcpy(joining->key, join->key, key_bytes);
    }
    joining->auth = join->auth;
    joining->channel = join->channel;
    joining->keep = join->keep;
    joining->cause = cause;
    joining->cause_code = cause_code;
    if (join->bssid != NULL) {
        joining->pinned = true;
        memcpy(joining->bssid, join->bssid, sizeof(joining->bssid));
    }
    chip->now_us = now_us > chip->now_us ? now_us : chip->now_us;
    joining->due = true;
    joining->deadline_us = chip->now_us + ATTEMPTS_BOUND_US;
    chip->error = COR_OK;
    chip->state = COR_RADIO_JOINING;
    return COR_OK;
}

void cor_cyw43_leave(struct cor_cyw43 *chip, uint64_t now_us) {
    struct cor_frame_source *frames = chip->config.frames;
    bool joined = chip->state == COR_RADIO_JOINED;

    chip->now_us = now_us > chip->now_us ? now_us : chip->now_us;
    chip->join.keep = false;
    chip->ladder.rejoin = false;
    if (!joined && chip->state != COR_RADIO_JOINING && chip->state != COR_RADIO_WAITING) {
        return;
    }
    if (chip->script.kind == CYW43_SCRIPT_JOIN || chip->script.kind == CYW43_SCRIPT_LEAVE) {
        chip->script.cancelled = true;
    }
    chip->join.due = false;
    chip->join.leaving = false;
    chip->join.link_up = false;
    chip->state = COR_RADIO_READY;
    chip->error = COR_OK;
    cor_cyw43_job_want(chip, CYW43_JOB_LEAVE);
    if (joined) {
        chip->join.cause = COR_LINK_CAUSE_asked;
        chip->join.cause_code = 0;
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_link_down, COR_LINK_CAUSE_asked);
        frames->ops->link(frames, chip->now_us, false);
    }
}

void cor_cyw43_set_keep(struct cor_cyw43 *chip, bool keep) {
    chip->join.keep = keep;
    if (!keep && chip->state == COR_RADIO_WAITING) {
        chip->state = COR_RADIO_READY;
    }
}

// Whether the same join is worth another attempt at once.
static bool of_the_moment(const struct cor_cyw43 *chip, enum cor_status status) {
    const struct cor_cyw43_joining *join = &chip->join;
    uint32_t attempts_max = ATTEMPTS_MAX;

    switch (status) {
    case COR_E_NO_NETWORK:  // a beacon was missed
        attempts_max = ATTEMPTS_MAX_UNHEARD;
        break;
    case COR_E_WRONG_KEY:  // the exchange ran out of time: a message of it was lost
        if (join->code != COR_CYW43_SUP_TIMEOUT) {
            return false;
        }
        attempts_max = ATTEMPTS_MAX_UNHEARD;
        break;
    case COR_E_REFUSED:
        if (join->code > STATUS_CODE_UNSPECIFIED && join->code != STATUS_CODE_LATER) {
            return false;
        }
        break;
    case COR_E_LINK_DOWN:
        break;
    case COR_E_TIMEOUT:  // of the authentication; one without any event has used its time up
        break;
    default:
        return false;
    }
    return join->attempts + 1u < attempts_max && chip->now_us < join->deadline_us;
}

void cor_cyw43_join_failed(struct cor_cyw43 *chip, enum cor_status status) {
    struct cor_cyw43_joining *join = &chip->join;

    join->leaving = true;
    if (of_the_moment(chip, status)) {
        join->attempts++;
        join->again = true;
        chip->counters.join_retries++;
    } else {
        chip->counters.join_failures++;
        chip->error = status;
        cor_cyw43_tell(chip, COR_CYW43_NOTICE_join_failed, (int32_t)status);
    }
    // A notice may have ended the whole.
    if (chip->state == COR_RADIO_JOINING && chip->join.leaving) {
        cor_cyw43_script_start(chip, CYW43_SCRIPT_LEAVE, cor_cyw43_leave_steps);
    }
}

static void wait_for_next(struct cor_cyw43 *chip, uint32_t pause_us) {
    chip->state = COR_RADIO_WAITING;
    chip->join.retry_due_us = chip->now_us + pause_us;
    cor_cyw43_tell(chip, COR_CYW43_NOTICE_waiting, (int32_t)(pause_us / 1000u));
}

static uint32_t pause_next(struct cor_cyw43_joining *join) {
    uint32_t pause_us = join->pause_us < PAUSE_MIN_US ? PAUSE_MIN_US : join->pause_us;

    join->pause_us = pause_us < PAUSE_MAX_US / 2u ? 2u * pause_us : PAUSE_MAX_US;
    return pause_us;
}

// Worth going on: with a key that was right once it may be the access point that is confused.
static bool goes_on(const struct cor_cyw43 *chip) {
    bool final = chip->error == COR_E_WRONG_KEY || chip->error == COR_E_UNSUPPORTED;

    return chip->join.keep && (chip->join.proved || !final);
}

void cor_cyw43_join_left(struct cor_cyw43 *chip) {
    struct cor_cyw43_joining *join = &chip->join;

    if (chip->state != COR_RADIO_JOINING || !join->leaving) {
        return;  // a leave that was asked for
    }
    join->leaving = false;
    if (join->again) {
        join->again = false;
        join->due = true;
    } else if (goes_on(chip)) {
        wait_for_next(chip, pause_next(join));
    } else {
        chip->state = COR_RADIO_READY;
    }
}

void cor_cyw43_join_succeeded(struct cor_cyw43 *chip) {
    struct cor_frame_source *frames = chip->config.frames;
    struct cor_cyw43_joining *join = &chip->join;

    chip->state = COR_RADIO_JOINED;
    chip->error = COR_OK;
    chip->counters.joins++;
    join->proved = true;
    join->joined_us = chip->now_us;
    join->checked_us = chip->now_us;
    join->counted = false;
    join->bad_checks = 0;
    join->code = 0;
    cor_cyw43_tell(chip, COR_CYW43_NOTICE_joined, 0);
    frames->ops->link(frames, chip->now_us, true);
}

void cor_cyw43_link_lost(struct cor_cyw43 *chip, enum cor_link_cause cause, uint32_t code) {
    struct cor_frame_source *frames = chip->config.frames;
    struct cor_cyw43_joining *join = &chip->join;

    if (chip->state != COR_RADIO_JOINED) {
        return;
    }
    join->link_up = false;
    join->cause = cause;
    join->cause_code = code;
    chip->counters.links_lost++;
    chip->error = COR_E_LINK_DOWN;
    chip->state = join->keep ? COR_RADIO_WAITING : COR_RADIO_READY;
    if (join->keep) {
        if (chip->now_us - join->joined_us >= LASTING_US) {
            join->pause_us = 0;
        }
        join->retry_due_us = chip->now_us + pause_next(join);
    } else {
        // The firmware would go on by itself.
        cor_cyw43_job_want(chip, CYW43_JOB_LEAVE);
    }
    cor_cyw43_tell(chip, COR_CYW43_NOTICE_link_down, (int32_t)cause);
    frames->ops->link(frames, chip->now_us, false);
}

void cor_cyw43_link_silent(struct cor_cyw43 *chip, uint64_t now_us) {
    chip->now_us = now_us > chip->now_us ? now_us : chip->now_us;
    cor_cyw43_link_lost(chip, COR_LINK_CAUSE_silent, 0);
}

bool cor_cyw43_link_run(struct cor_cyw43 *chip) {
    struct cor_cyw43_joining *join = &chip->join;

    if (chip->state == COR_RADIO_WAITING && chip->now_us >= join->retry_due_us) {
        chip->counters.rejoins++;
        chip->state = COR_RADIO_JOINING;
        join->attempts = 0;
        join->deadline_us = chip->now_us + ATTEMPTS_BOUND_US;
        join->due = true;
    }
    if (chip->state != COR_RADIO_JOINING || !join->due) {
        return false;
    }
    join->due = false;
    join->leaving = false;
    cor_cyw43_script_start(chip, CYW43_SCRIPT_JOIN, cor_cyw43_join_steps);
    return true;
}

uint64_t cor_cyw43_link_deadline_us(const struct cor_cyw43 *chip) {
    return chip->state == COR_RADIO_WAITING && chip->script.step == NULL ? chip->join.retry_due_us
                                                                         : UINT64_MAX;
}

uint32_t cor_cyw43_join_code(const struct cor_cyw43 *chip) {
    return chip->join.code;
}

enum cor_link_cause cor_cyw43_down_cause(const struct cor_cyw43 *chip) {
    return chip->join.cause;
}

uint32_t cor_cyw43_down_code(const struct cor_cyw43 *chip) {
    return chip->join.cause_code;
}
