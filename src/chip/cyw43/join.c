// SPDX-License-Identifier: MIT
// Join: the requests of a join, and the events that say how it ended.
//
// A join is a burst of events whose order varies: AUTH, ASSOC, LINK (flag: up), JOIN, SET_SSID,
// and with WPA2 PSK_SUP with status 6 once the keys are set. Open networks count as joined with
// LINK up and SET_SSID good, WPA2 with LINK up and the keys set. Read from public code:
// embassy-rs/embassy cyw43/src/control.rs and runner.rs, soypat/cyw43439 wifi.go.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/power_word.h"
#include "chip/cyw43/requests.h"

#include <string.h>

#include "coradio/bytes.h"

// Scan, authentication, association and keys; a network that is not there takes 1 to 3 s.
#define JOIN_BOUND_US 10000000u
// Read from public code: embassy waits 3 ms before the key.
#define KEY_PAUSE_US 3000u
// Supplicant time-out, in ms (read from public code: embassy, PicoWi).
#define SUP_TIMEOUT_MS 2500u
// Read from public code: security words of whd_wlioctl.h.
#define WSEC_AES          4u
#define WPA_AUTH_WPA2_PSK 0x80u
#define MFP_CAPABLE       1u
#define PMK_BYTES         68u
#define SSID_BYTES        36u
// IEEE 802.11 table 9-80 (specified): the access point has no room for another station.
#define STATUS_CODE_AP_FULL 17u
// PRUNE reasons: the network's security is another (read from public code: embassy, WHD).
#define PRUNE_ENCRYPTION 1u
#define PRUNE_RSN        8u

static uint32_t text_bytes(const char *text, uint32_t max_bytes) {
    uint32_t bytes = 0;

    while (bytes < max_bytes && text[bytes] != '\0') {
        bytes++;
    }
    return bytes;
}

static uint16_t key_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint32_t bytes = text_bytes(chip->key, COR_KEY_BYTES_MAX);

    memset(at, 0, PMK_BYTES);
    cor_put_le16(at, (uint16_t)bytes);
    // The flag: 64 characters are the key itself in hex (0), fewer a passphrase (1).
    cor_put_le16(at + 2, bytes < COR_KEY_BYTES_MAX);
    memcpy(at + 4, chip->key, bytes);
    return PMK_BYTES;
}

static uint16_t ssid_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint32_t bytes = text_bytes(chip->ssid, COR_SSID_BYTES_MAX);

    memset(at, 0, SSID_BYTES);
    cor_put_le32(at, bytes);
    memcpy(at + 4, chip->ssid, bytes);
    return SSID_BYTES;
}

static enum cor_status join_begin(struct cor_cyw43 *chip) {
    chip->link_up = false;
    chip->associated = false;
    chip->ssid_set = false;
    chip->keyed = false;
    chip->join_result = COR_OK;
    chip->join_hint = COR_OK;
    return COR_OK;
}

// Waits for the events.
static enum cor_status join_outcome(struct cor_cyw43 *chip) {
    if (chip->join_result != COR_OK) {
        return chip->join_result;
    }
    if (chip->link_up && (chip->auth == COR_AUTH_OPEN ? chip->ssid_set : chip->keyed)) {
        return COR_OK;
    }
    if (chip->now_us >= chip->script.deadline_us && chip->join_hint != COR_OK) {
        return chip->join_hint;
    }
    return COR_AGAIN;
}

static uint16_t pm_fill(struct cor_cyw43 *chip, uint8_t *at) {
    cor_put_le32(at, cor_pm_word_mode(chip->effective.pm_word_asked));
    return 4;
}

static void pm_field(
    struct cor_cyw43 *chip, uint32_t shift, uint32_t bits, const uint8_t *reply, uint16_t bytes) {
    if (bytes >= 4) {
        chip->effective.pm_word =
            cor_pm_word_with(chip->effective.pm_word, shift, bits, cor_get_le32(reply));
    }
}

static enum cor_status pm_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    chip->effective.pm_word = 0;
    pm_field(chip, 0, 4, reply, bytes);
    return COR_OK;
}

static enum cor_status sleep_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    if (bytes >= 4) {
        chip->effective.pm_word =
            cor_pm_word_with(chip->effective.pm_word, 4, 8, cor_get_le32(reply) / 10u);
    }
    return COR_OK;
}

static enum cor_status beacons_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    if (bytes >= 4) {
        uint32_t beacons = cor_get_le32(reply);

        chip->effective.listen_beacons = beacons > UINT8_MAX ? UINT8_MAX : (uint8_t)beacons;
    }
    pm_field(chip, 12, 4, reply, bytes);
    return COR_OK;
}

static enum cor_status dtims_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    pm_field(chip, 16, 4, reply, bytes);
    return COR_OK;
}

static enum cor_status associate_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    pm_field(chip, 20, 4, reply, bytes);
    return COR_OK;
}

static enum cor_status join_done(struct cor_cyw43 *chip) {
    struct cor_frame_source *frames = chip->config.frames;

    if (!chip->link_up) {
        return COR_E_LINK_DOWN;  // lost while power save was being set
    }
    if (chip->effective.pm_word != chip->effective.pm_word_asked) {
        chip->counters.settings_differ++;
    }
    chip->state = COR_RADIO_JOINED;
    chip->error = COR_OK;
    chip->counters.joins++;
    frames->ops->link(frames, chip->now_us, true);
    return COR_OK;
}

static enum cor_status leave_done(struct cor_cyw43 *chip) {
    chip->state = COR_RADIO_READY;
    return COR_OK;
}

// clang-format off
// Power save is held off while joining; then it is set and all of it read back.
#define JOIN_OUTCOME                                                  \
    CALL(join_outcome, JOIN_BOUND_US, COR_E_TIMEOUT),                 \
    COMMAND_FILL(WLC_SET_PM, pm_fill),                                \
    TRY_GET_NUMBER(WLC_GET_PM, 4, pm_take),                           \
    TRY_GET("pm2_sleep_ret", 4, sleep_take),                          \
    TRY_GET("bcn_li_bcn", 4, beacons_take),                           \
    TRY_GET("bcn_li_dtim", 4, dtims_take),                            \
    TRY_GET("assoc_listen", 4, associate_take),                       \
    CALL(join_done, 0, COR_E_LINK_DOWN),                              \
    END
// clang-format on

const struct cor_cyw43_step cor_cyw43_join_open_steps[] = {
    CALL(join_begin, 0, COR_E_STATE),
    COMMAND(WLC_SET_PM, 4, 0),
    COMMAND(WLC_SET_WSEC, 4, 0),
    SET("bsscfg:sup_wpa", 8, 0),
    COMMAND(WLC_SET_INFRA, 4, 1),
    COMMAND(WLC_SET_AUTH, 4, 0),
    TRY_SET("mfp", 4, 0),
    COMMAND(WLC_SET_WPA_AUTH, 4, 0),
    COMMAND_FILL(WLC_SET_SSID, ssid_fill),
    JOIN_OUTCOME,
};

const struct cor_cyw43_step cor_cyw43_join_wpa2_steps[] = {
    CALL(join_begin, 0, COR_E_STATE),
    COMMAND(WLC_SET_PM, 4, 0),
    COMMAND(WLC_SET_WSEC, 4, WSEC_AES),
    SET("bsscfg:sup_wpa", 8, 1),
    SET("bsscfg:sup_wpa2_eapver", 8, UINT32_MAX),
    SET("bsscfg:sup_wpa_tmo", 8, SUP_TIMEOUT_MS),
    PAUSE(KEY_PAUSE_US),
    COMMAND_FILL(WLC_SET_WSEC_PMK, key_fill),
    COMMAND(WLC_SET_INFRA, 4, 1),
    COMMAND(WLC_SET_AUTH, 4, 0),
    TRY_SET("mfp", 4, MFP_CAPABLE),
    COMMAND(WLC_SET_WPA_AUTH, 4, WPA_AUTH_WPA2_PSK),
    COMMAND_FILL(WLC_SET_SSID, ssid_fill),
    JOIN_OUTCOME,
};

// The chip goes on trying until it is told to leave.
static const struct cor_cyw43_step leave_steps[] = {
    {.kind = CYW43_STEP_CONTROL, .set = true, .command = WLC_DISASSOC},
    CALL(leave_done, 0, COR_E_STATE),
    END,
};

void cor_cyw43_join_failed(struct cor_cyw43 *chip, enum cor_status status) {
    if (chip->leaving) {
        // Not even leaving works: what the join failed with is still what to tell.
        chip->state = COR_RADIO_READY;
        return;
    }
    chip->counters.join_failures++;
    chip->error = status;
    chip->leaving = true;
    cor_cyw43_script_start(chip, leave_steps);
}

static void link_lost(struct cor_cyw43 *chip) {
    struct cor_frame_source *frames = chip->config.frames;

    chip->link_up = false;
    if (chip->state == COR_RADIO_JOINED) {
        chip->state = COR_RADIO_READY;
        chip->error = COR_E_LINK_DOWN;
        chip->counters.links_lost++;
        frames->ops->link(frames, chip->now_us, false);
    } else if (chip->auth == COR_AUTH_WPA2 && chip->associated && !chip->keyed) {
        // Sent away in the middle of the key exchange.
        chip->join_hint = COR_E_WRONG_KEY;
    }
}

static void join_refused(struct cor_cyw43 *chip, uint32_t code) {
    chip->join_hint = code == STATUS_CODE_AP_FULL ? COR_E_FULL : COR_E_REFUSED;
}

// The end of the chip's attempt. What came before tells more than this event does.
static void ssid_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    if (event->status == COR_CYW43_EVENT_OK) {
        chip->ssid_set = true;
    } else if (chip->join_hint != COR_OK) {
        chip->join_result = chip->join_hint;
    } else if (event->status == COR_CYW43_EVENT_NO_NETWORKS) {
        chip->join_result = COR_E_NO_NETWORK;
    } else {
        chip->join_result = COR_E_REFUSED;
    }
}

static void key_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    if (event->status == COR_CYW43_SUP_KEYED) {
        chip->keyed = true;
    } else if (
        chip->auth == COR_AUTH_WPA2 && !chip->keyed &&
        (event->reason == COR_CYW43_SUP_DEAUTH || event->reason == COR_CYW43_SUP_TIMEOUT)) {
        // Other states are steps of an exchange that goes on.
        chip->join_result = COR_E_WRONG_KEY;
    }
}

static void link_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    if ((event->flags & COR_CYW43_EVENT_FLAG_LINK) != 0) {
        chip->link_up = true;
        chip->associated = true;
    } else {
        link_lost(chip);
    }
}

void cor_cyw43_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    bool joining = chip->state == COR_RADIO_JOINING && !chip->leaving;

    if (event->interface != 0 || (!joining && chip->state != COR_RADIO_JOINED)) {
        return;
    }
    switch (event->type) {
    case COR_CYW43_EVENT_SET_SSID:
        ssid_event(chip, event);
        break;
    case COR_CYW43_EVENT_AUTH:
        if (event->status == COR_CYW43_EVENT_OK) {
            chip->join_hint = COR_OK;
        } else if (event->status != COR_CYW43_EVENT_UNSOLICITED) {
            join_refused(chip, event->reason);
        }
        break;
    case COR_CYW43_EVENT_ASSOC:
        if (event->status == COR_CYW43_EVENT_OK) {
            chip->associated = true;
        } else {
            join_refused(chip, event->reason);
        }
        break;
    case COR_CYW43_EVENT_LINK:
        link_event(chip, event);
        break;
    case COR_CYW43_EVENT_PSK_SUP:
        key_event(chip, event);
        break;
    case COR_CYW43_EVENT_PRUNE:
        if (event->reason == PRUNE_RSN || event->reason == PRUNE_ENCRYPTION) {
            chip->join_hint = COR_E_UNSUPPORTED;
        }
        break;
    case COR_CYW43_EVENT_DEAUTH:
    case COR_CYW43_EVENT_DEAUTH_IND:
    case COR_CYW43_EVENT_DISASSOC:
    case COR_CYW43_EVENT_DISASSOC_IND:
        link_lost(chip);
        break;
    default:
        break;
    }
}
