// SPDX-License-Identifier: MIT
// Join: the requests of a join, and the events that say how it ended. What becomes of it then
// stands in link.c.
//
// A join is a burst of events whose order varies: AUTH, ASSOC, LINK (flag: up), JOIN, SET_SSID,
// and with a key PSK_SUP with status 6 once the keys are set. Open networks count as joined with
// LINK up and SET_SSID good, others with LINK up and the keys set. Read from public code:
// embassy-rs/embassy cyw43/src/control.rs and runner.rs, soypat/cyw43439 wifi.go.
#include "chip/cyw43/driver.h"
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
#define WPA_AUTH_WPA3_SAE 0x40000u
#define AUTH_OPEN_SYSTEM  0u
#define AUTH_SAE          3u
#define MFP_NONE          0u
#define MFP_CAPABLE       1u
#define MFP_REQUIRED      2u
#define PMK_BYTES         68u
// u16 length and 128 bytes (read from public code: WHD, embassy).
#define SAE_BYTES  130u
#define SSID_BYTES 36u
// The variable "join": name, scan parameters, BSSID, channels (read from public code: WHD).
#define JOIN_BYTES        70u
#define JOIN_SCAN_OFFSET  40u
#define JOIN_BSSID_OFFSET 56u
#define JOIN_COUNT_OFFSET 64u
#define JOIN_CHAN_OFFSET  68u
#define CHANSPEC_20MHZ    0x1000u
// IEEE 802.11 table 9-80 (specified): the access point has no room for another station.
#define STATUS_CODE_AP_FULL 17u
// PRUNE reasons: the network's security is another (read from public code: embassy, WHD).
#define PRUNE_ENCRYPTION 1u
#define PRUNE_RSN        8u

// ---- values

static bool keyed_auth(const struct cor_cyw43 *chip) {
    return chip->join.auth != COR_AUTH_OPEN;
}

static bool wants_sae(const struct cor_cyw43 *chip) {
    return chip->join.auth == COR_AUTH_WPA3 || chip->join.auth == COR_AUTH_WPA2_WPA3;
}

static uint16_t number_fill(uint8_t *at, uint32_t value) {
    cor_put_le32(at, value);
    return 4;
}

static uint16_t wsec_fill(struct cor_cyw43 *chip, uint8_t *at) {
    return number_fill(at, keyed_auth(chip) ? WSEC_AES : 0);
}

// Interface 0, and whether the firmware makes the keys itself.
static uint16_t supplicant_fill(struct cor_cyw43 *chip, uint8_t *at) {
    cor_put_le32(at, 0);
    cor_put_le32(at + 4, keyed_auth(chip));
    return 8;
}

static uint16_t auth_fill(struct cor_cyw43 *chip, uint8_t *at) {
    return number_fill(at, chip->join.sae ? AUTH_SAE : AUTH_OPEN_SYSTEM);
}

static uint16_t mfp_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint32_t mfp = chip->join.auth == COR_AUTH_WPA3 ? MFP_REQUIRED : MFP_CAPABLE;

    return number_fill(at, keyed_auth(chip) ? mfp : MFP_NONE);
}

static uint16_t wpa_auth_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint32_t wpa_auth = chip->join.sae ? WPA_AUTH_WPA3_SAE : WPA_AUTH_WPA2_PSK;

    return number_fill(at, keyed_auth(chip) ? wpa_auth : 0);
}

static uint16_t key_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint32_t bytes = cor_cyw43_text_bytes(chip->join.key, COR_KEY_BYTES_MAX);

    memset(at, 0, PMK_BYTES);
    cor_put_le16(at, (uint16_t)bytes);
    // The flag: 64 characters are the key itself in hex (0), fewer a passphrase (1).
    cor_put_le16(at + 2, bytes < COR_KEY_BYTES_MAX);
    memcpy(at + 4, chip->join.key, bytes);
    return PMK_BYTES;
}

static uint16_t sae_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint32_t bytes = cor_cyw43_text_bytes(chip->join.key, COR_KEY_BYTES_MAX);

    memset(at, 0, SAE_BYTES);
    cor_put_le16(at, (uint16_t)bytes);
    memcpy(at + 2, chip->join.key, bytes);
    return SAE_BYTES;
}

static uint16_t ssid_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint32_t bytes = cor_cyw43_text_bytes(chip->join.ssid, COR_SSID_BYTES_MAX);

    memset(at, 0, SSID_BYTES);
    cor_put_le32(at, bytes);
    memcpy(at + 4, chip->join.ssid, bytes);
    return SSID_BYTES;
}

// One access point: scan as the firmware likes, and its BSSID, on one channel if that is known.
static uint16_t pinned_fill(struct cor_cyw43 *chip, uint8_t *at) {
    memset(at, 0, JOIN_BYTES);
    (void)ssid_fill(chip, at);  // its size is known
    memset(at + JOIN_SCAN_OFFSET, 0xFF, 16);
    memcpy(at + JOIN_BSSID_OFFSET, chip->join.bssid, sizeof(chip->join.bssid));
    if (chip->join.channel != 0) {
        cor_put_le32(at + JOIN_COUNT_OFFSET, 1);
        cor_put_le16(at + JOIN_CHAN_OFFSET, (uint16_t)(CHANSPEC_20MHZ | chip->join.channel));
    }
    return JOIN_BYTES;
}

// ---- which way

static enum cor_status when(bool condition) {
    return condition ? COR_OK : COR_AGAIN;
}

static enum cor_status is_open(struct cor_cyw43 *chip) {
    return when(!keyed_auth(chip));
}

static enum cor_status is_wpa3_only(struct cor_cyw43 *chip) {
    return when(chip->join.auth == COR_AUTH_WPA3);
}

static enum cor_status is_without_sae(struct cor_cyw43 *chip) {
    return when(!wants_sae(chip));
}

static enum cor_status is_pinned(struct cor_cyw43 *chip) {
    return when(chip->join.pinned);
}

static enum cor_status always(struct cor_cyw43 *chip) {
    (void)chip;
    return COR_OK;
}

// A firmware without SAE refuses its password.
static enum cor_status sae_taken(struct cor_cyw43 *chip) {
    chip->join.sae = chip->control.chip_status == 0;
    chip->effective.sae = chip->join.sae;
    return !chip->join.sae && chip->join.auth == COR_AUTH_WPA3 ? COR_E_UNSUPPORTED : COR_OK;
}

static enum cor_status join_begin(struct cor_cyw43 *chip) {
    struct cor_cyw43_joining *join = &chip->join;

    join->link_up = false;
    join->associated = false;
    join->ssid_set = false;
    join->keyed = false;
    join->sae = false;
    join->result = COR_OK;
    join->hint = COR_OK;
    chip->effective.sae = false;
    return COR_OK;
}

// Waits for the events.
static enum cor_status join_outcome(struct cor_cyw43 *chip) {
    const struct cor_cyw43_joining *join = &chip->join;

    if (join->result != COR_OK) {
        return join->result;
    }
    if (join->link_up && (keyed_auth(chip) ? join->keyed : join->ssid_set)) {
        return COR_OK;
    }
    if (chip->now_us >= chip->script.deadline_us && join->hint != COR_OK) {
        return join->hint;
    }
    return COR_AGAIN;
}

// Null frames in a while without traffic: {1, 11, period in ms, 0, 0} (read from public code:
// embassy cyw43/src/control.rs).
static uint16_t keep_alive_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint32_t period_us = chip->config.keep_alive_us;

    memset(at, 0, 11);
    cor_put_le16(at, 1);
    cor_put_le16(at + 2, 11);
    cor_put_le32(at + 4, (period_us != 0 ? period_us : 30000000u) / 1000u);
    return 11;
}

static enum cor_status join_done(struct cor_cyw43 *chip) {
    if (!chip->join.link_up) {
        return COR_E_LINK_DOWN;  // lost while power save was being set
    }
    if (chip->effective.pm_word != chip->effective.pm_word_asked) {
        chip->counters.settings_differ++;
    }
    cor_cyw43_join_succeeded(chip);
    return COR_OK;
}

static enum cor_status leave_done(struct cor_cyw43 *chip) {
    cor_cyw43_join_left(chip);
    return COR_OK;
}

// Power save is held off while joining; then it is set and all of it read back.
const struct cor_cyw43_step cor_cyw43_join_steps[] = {
    CALL(join_begin, 0, COR_E_STATE),
    COMMAND(WLC_SET_PM, 4, 0),
    COMMAND_FILL(WLC_SET_WSEC, wsec_fill),
    SET_FILL("bsscfg:sup_wpa", supplicant_fill),
    BRANCH(is_open, 8),
    SET("bsscfg:sup_wpa2_eapver", 8, UINT32_MAX),
    SET("bsscfg:sup_wpa_tmo", 8, SUP_TIMEOUT_MS),
    PAUSE(KEY_PAUSE_US),
    BRANCH(is_wpa3_only, 1),
    COMMAND_FILL(WLC_SET_WSEC_PMK, key_fill),
    BRANCH(is_without_sae, 2),
    TRY_SET_FILL("sae_password", sae_fill),
    CALL(sae_taken, 0, COR_E_UNSUPPORTED),
    COMMAND(WLC_SET_INFRA, 4, 1),
    COMMAND_FILL(WLC_SET_AUTH, auth_fill),
    TRY_SET_FILL("mfp", mfp_fill),
    COMMAND_FILL(WLC_SET_WPA_AUTH, wpa_auth_fill),
    BRANCH(is_pinned, 2),
    COMMAND_FILL(WLC_SET_SSID, ssid_fill),
    BRANCH(always, 1),
    SET_FILL("join", pinned_fill),
    CALL(join_outcome, JOIN_BOUND_US, COR_E_TIMEOUT),
    COMMAND_FILL(WLC_SET_PM, cor_cyw43_pm_fill),
    TRY_GET_NUMBER(WLC_GET_PM, 4, cor_cyw43_pm_take),
    TRY_GET("pm2_sleep_ret", 4, cor_cyw43_sleep_take),
    TRY_GET("bcn_li_bcn", 4, cor_cyw43_beacons_take),
    TRY_GET("bcn_li_dtim", 4, cor_cyw43_dtims_take),
    TRY_GET("assoc_listen", 4, cor_cyw43_associate_take),
    TRY_SET_FILL("mkeep_alive", keep_alive_fill),
    CALL(join_done, 0, COR_E_LINK_DOWN),
    END,
};

// The chip goes on trying until it is told to leave.
const struct cor_cyw43_step cor_cyw43_leave_steps[] = {
    TRY_COMMAND(WLC_DISASSOC, 0, 0),
    CALL(leave_done, 0, COR_E_STATE),
    END,
};

// ---- events

static void refused(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    struct cor_cyw43_joining *join = &chip->join;

    join->code = event->reason;
    if (event->auth_type == COR_CYW43_AUTH_SAE && event->status == COR_CYW43_EVENT_FAIL) {
        join->hint = COR_E_WRONG_KEY;  // SAE proves the password before anything else
    } else if (
        event->status == COR_CYW43_EVENT_TIMED_OUT || event->status == COR_CYW43_EVENT_NO_ACK) {
        join->hint = COR_E_TIMEOUT;
    } else {
        join->hint = event->reason == STATUS_CODE_AP_FULL ? COR_E_FULL : COR_E_REFUSED;
    }
}

// The end of the chip's attempt. What came before tells more than this event does.
static void ssid_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    struct cor_cyw43_joining *join = &chip->join;

    if (event->status == COR_CYW43_EVENT_OK) {
        join->ssid_set = true;
    } else if (join->hint != COR_OK) {
        join->result = join->hint;
    } else if (event->status == COR_CYW43_EVENT_NO_NETWORKS) {
        join->result = COR_E_NO_NETWORK;
    } else {
        join->result = COR_E_REFUSED;
    }
}

static void key_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    struct cor_cyw43_joining *join = &chip->join;

    if (event->status == COR_CYW43_SUP_KEYED) {
        join->keyed = true;
    } else if (chip->state == COR_RADIO_JOINED) {
        // A change of keys that has run out of time; the other reasons are followed by more.
        if (event->reason == COR_CYW43_SUP_TIMEOUT) {
            cor_cyw43_link_lost(chip, COR_LINK_CAUSE_keys, 0);
        }
    } else if (
        keyed_auth(chip) && !join->keyed &&
        (event->reason == COR_CYW43_SUP_DEAUTH || event->reason == COR_CYW43_SUP_TIMEOUT)) {
        // Other states are steps of an exchange that goes on. One that ran out of time may have
        // lost a message.
        join->code = event->reason;
        join->result = COR_E_WRONG_KEY;
    }
}

static void away(
    struct cor_cyw43 *chip, enum cor_link_cause cause, const struct cor_cyw43_event *event) {
    struct cor_cyw43_joining *join = &chip->join;

    join->link_up = false;
    if (chip->state == COR_RADIO_JOINED) {
        cor_cyw43_link_lost(chip, cause, event->reason);
    } else if (keyed_auth(chip) && join->associated && !join->keyed) {
        // Sent away in the middle of the key exchange.
        join->hint = COR_E_WRONG_KEY;
    }
}

static void link_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    bool lost = event->reason == COR_CYW43_LINK_LOST_SIGNAL;

    if ((event->flags & COR_CYW43_EVENT_FLAG_LINK) != 0) {
        chip->join.link_up = true;
        chip->join.associated = true;
    } else {
        away(chip, lost ? COR_LINK_CAUSE_beacons_lost : COR_LINK_CAUSE_disassociated, event);
    }
}

static void network_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    struct cor_cyw43_joining *join = &chip->join;

    switch (event->type) {
    case COR_CYW43_EVENT_SET_SSID:
        ssid_event(chip, event);
        break;
    case COR_CYW43_EVENT_AUTH:
        if (event->status == COR_CYW43_EVENT_OK) {
            join->hint = COR_OK;
        } else if (event->status != COR_CYW43_EVENT_UNSOLICITED) {
            refused(chip, event);
        }
        break;
    case COR_CYW43_EVENT_ASSOC:
        if (event->status == COR_CYW43_EVENT_OK) {
            join->associated = true;
        } else {
            refused(chip, event);
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
            join->hint = COR_E_UNSUPPORTED;
        }
        break;
    case COR_CYW43_EVENT_DEAUTH:
    case COR_CYW43_EVENT_DEAUTH_IND:
        away(chip, COR_LINK_CAUSE_deauthenticated, event);
        break;
    case COR_CYW43_EVENT_DISASSOC:
    case COR_CYW43_EVENT_DISASSOC_IND:
        away(chip, COR_LINK_CAUSE_disassociated, event);
        break;
    case COR_CYW43_EVENT_BEACONS_LOST:
        away(chip, COR_LINK_CAUSE_beacons_lost, event);
        break;
    default:
        break;
    }
}

void cor_cyw43_event(struct cor_cyw43 *chip, const struct cor_cyw43_event *event) {
    bool joining = chip->state == COR_RADIO_JOINING && !chip->join.leaving &&
                   chip->script.kind == CYW43_SCRIPT_JOIN && chip->script.step != NULL &&
                   !chip->script.cancelled;

    if (event->interface != 0) {
        return;
    }
    if (event->type == COR_CYW43_EVENT_ESCAN_RESULT) {
        cor_cyw43_scan_event(chip, event);
    } else if (joining || chip->state == COR_RADIO_JOINED) {
        network_event(chip, event);
    }
}
