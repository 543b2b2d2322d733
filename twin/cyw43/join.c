// SPDX-License-Identifier: MIT
// Join: the station joins and leaves a network, and sleeps in it.
//
// Whether it may, and how long that takes, is the access point's affair; here the outcome becomes
// the events the firmware would send. They stand in the table of outcomes of the public notes;
// where a wrong key is concerned those are not sure of the exact mix. Ours ends with the report of
// the supplicant and the loss of the link. No failed SET_SSID follows: drivers take the last word
// they hear, and would report a failure of another kind.
#include "cyw43/parts.h"

#include <stdio.h>
#include <string.h>

// Event numbers, states of the supplicant and reasons. Read from public code.
enum event_type {
    EVENT_SET_SSID = 0,
    EVENT_JOIN = 1,
    EVENT_AUTH = 3,
    EVENT_ASSOC = 7,
    EVENT_DEAUTH_IND = 6,
    EVENT_DISASSOC = 11,
    EVENT_DISASSOC_IND = 12,
    EVENT_LINK = 16,
    EVENT_PRUNE = 23,
    EVENT_BEACON_LOST = 31,
    EVENT_PSK_SUP = 46,
};

#define STATUS_SUCCESS            0u
#define STATUS_FAIL               1u
#define STATUS_NO_NETWORKS        3u
#define SUPPLICANT_KEYED          6u
#define SUPPLICANT_WAIT_M3        8u
#define SUPPLICANT_REASON_DEAUTH  14u
#define PRUNE_ENCRYPTION_MISMATCH 1u
#define PRUNE_RSN_MISMATCH        8u
#define LINK_UP                   1u
#define LINK_REASON_SIGNAL_LOSS   1u
#define LINK_REASON_CONTROLLED    2u
// Specified (IEEE 802.11, status codes of an association response).
#define ASSOC_DENIED_FULL 17u

// Read from public code: how the event of an SAE authentication says so, and that it failed.
#define AUTH_TYPE_SAE   3u
#define AUTH_REASON_SAE 16u

#define WPA_AUTH_PSK  0x04u
#define WPA_AUTH_PSK2 0x80u
#define WPA_AUTH_SAE  0x40000u

struct step {
    uint32_t type;
    uint32_t status;
    uint32_t reason;
    uint16_t flags;
    uint32_t auth_type;
};

#define STEPS_MAX 7
#define STEPS_END UINT32_MAX

static void emit(struct twin_cyw43 *chip, const struct step *steps) {
    for (uint32_t i = 0; i < STEPS_MAX && steps[i].type != STEPS_END; i++) {
        struct chip_event event = {
            .type = steps[i].type,
            .status = steps[i].status,
            .reason = steps[i].reason,
            .flags = steps[i].flags,
            .auth_type = steps[i].auth_type,
        };

        if (chip->config.ap != NULL) {
            memcpy(event.address, twin_ap_bssid(chip->config.ap), 6);
        }
        twin_cyw43_event(chip, &event, NULL, 0);
    }
}

// The key is proved by SAE: both sides have it.
static bool by_sae(const struct twin_cyw43 *chip) {
    return chip->config.ap != NULL &&
           (twin_auth_common(chip->join.auth, twin_ap_auth(chip->config.ap)) & TWIN_AUTH_WPA3) != 0;
}

static void emit_success(struct twin_cyw43 *chip) {
    struct step steps[STEPS_MAX] = {
        {EVENT_AUTH, STATUS_SUCCESS, 0, 0, by_sae(chip) ? AUTH_TYPE_SAE : 0},
        {EVENT_ASSOC, STATUS_SUCCESS, 0, 0, 0},
        {EVENT_LINK, STATUS_SUCCESS, 0, LINK_UP, 0},
        {EVENT_JOIN, STATUS_SUCCESS, 0, 0, 0},
        {EVENT_SET_SSID, STATUS_SUCCESS, 0, 0, 0},
        {EVENT_PSK_SUP, SUPPLICANT_KEYED, 0, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };

    if (chip->join.auth == TWIN_AUTH_OPEN) {
        steps[STEPS_MAX - 2].type = STEPS_END;
    }
    emit(chip, steps);
}

// With SAE the authentication itself fails; the report is that of the public notes.
static void emit_wrong_key(struct twin_cyw43 *chip) {
    static const struct step psk[STEPS_MAX] = {
        {EVENT_AUTH, STATUS_SUCCESS, 0, 0, 0},
        {EVENT_ASSOC, STATUS_SUCCESS, 0, 0, 0},
        {EVENT_LINK, STATUS_SUCCESS, 0, LINK_UP, 0},
        {EVENT_PSK_SUP, SUPPLICANT_WAIT_M3, SUPPLICANT_REASON_DEAUTH, 0, 0},
        {EVENT_LINK, STATUS_SUCCESS, LINK_REASON_CONTROLLED, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };
    static const struct step sae[STEPS_MAX] = {
        {EVENT_AUTH, STATUS_FAIL, AUTH_REASON_SAE, 0, AUTH_TYPE_SAE},
        {EVENT_SET_SSID, STATUS_FAIL, 0, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };

    emit(chip, by_sae(chip) ? sae : psk);
}

// A refused authentication: the code stands in the event's reason.
static void emit_auth_denied(struct twin_cyw43 *chip, uint32_t code) {
    struct step steps[STEPS_MAX] = {
        {EVENT_AUTH, STATUS_FAIL, code, 0, 0},
        {EVENT_SET_SSID, STATUS_FAIL, 0, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };

    emit(chip, steps);
}

static void emit_denied(struct twin_cyw43 *chip, uint32_t reason) {
    struct step steps[STEPS_MAX] = {
        {EVENT_AUTH, STATUS_SUCCESS, 0, 0, 0},
        {EVENT_ASSOC, STATUS_FAIL, reason, 0, 0},
        {EVENT_SET_SSID, STATUS_FAIL, 0, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };

    emit(chip, steps);
}

// The firmware drops candidates whose security is another one before it asks them.
static void emit_pruned(struct twin_cyw43 *chip) {
    uint32_t wpa_auth = chip->iovars[IOVAR_WPA_AUTH][0];
    uint32_t reason = wpa_auth == WPA_AUTH_PSK ? PRUNE_RSN_MISMATCH : PRUNE_ENCRYPTION_MISMATCH;
    struct step steps[STEPS_MAX] = {
        {EVENT_PRUNE, STATUS_SUCCESS, reason, 0, 0},
        {EVENT_SET_SSID, STATUS_FAIL, 0, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };

    emit(chip, steps);
}

static void emit_no_network(struct twin_cyw43 *chip) {
    static const struct step steps[STEPS_MAX] = {
        {EVENT_SET_SSID, STATUS_NO_NETWORKS, 0, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };

    emit(chip, steps);
}

static bool security_shared(const struct twin_cyw43 *chip) {
    enum twin_auth offered = twin_ap_auth(chip->config.ap);

    return offered == chip->join.auth || twin_auth_common(offered, chip->join.auth) != 0;
}

static const char *outcome_text(enum twin_join outcome) {
    switch (outcome) {
    case TWIN_JOIN_OK:
        return "ok";
    case TWIN_JOIN_NO_NETWORK:
        return "no-network";
    case TWIN_JOIN_WRONG_KEY:
        return "wrong-key";
    case TWIN_JOIN_REFUSED:
        return "refused";
    case TWIN_JOIN_FULL:
        return "full";
    case TWIN_JOIN_AUTH_REFUSED:
        return "auth-refused";
    }
    return "?";
}

static void outcome_known(void *context, enum twin_join outcome) {
    struct twin_cyw43 *chip = context;
    char line[64];

    snprintf(line, sizeof(line), "wl0: join %s", outcome_text(outcome));
    twin_cyw43_console(chip, line);
    twin_log(chip->config.log, "chip join %s", outcome_text(outcome));
    chip->join.state = outcome == TWIN_JOIN_OK ? JOIN_DONE : JOIN_NONE;
    switch (outcome) {
    case TWIN_JOIN_OK:
        memcpy(chip->join.ssid, chip->join.asked_ssid, sizeof(chip->join.ssid));
        twin_cyw43_apply_power_save(chip);
        emit_success(chip);
        break;
    case TWIN_JOIN_NO_NETWORK:
        emit_no_network(chip);
        break;
    case TWIN_JOIN_WRONG_KEY:
        emit_wrong_key(chip);
        break;
    case TWIN_JOIN_REFUSED:
        if (chip->join.pruned || !security_shared(chip)) {
            emit_pruned(chip);
        } else {
            emit_denied(chip, twin_ap_refusal(chip->config.ap));
        }
        break;
    case TWIN_JOIN_FULL:
        emit_denied(chip, ASSOC_DENIED_FULL);
        break;
    case TWIN_JOIN_AUTH_REFUSED:
        emit_auth_denied(chip, twin_ap_refusal(chip->config.ap));
        break;
    }
}

void twin_cyw43_join_found_none(void *context) {
    struct twin_cyw43 *chip = context;

    outcome_known(chip, chip->join.pruned ? TWIN_JOIN_REFUSED : TWIN_JOIN_NO_NETWORK);
}

// What the host has set up: SAE wants its own password; with a passphrase for WPA2 as well it means
// either (read from public code: drivers set SAE and both for a mixed network).
static enum twin_auth asked_auth(const struct twin_cyw43 *chip) {
    uint32_t wpa_auth = chip->iovars[IOVAR_WPA_AUTH][0];
    uint32_t auth = 0;

    if ((wpa_auth & WPA_AUTH_SAE) != 0) {
        auth |= chip->join.sae_key_set ? TWIN_AUTH_WPA3 : 0;
        auth |= chip->join.key_set ? TWIN_AUTH_WPA2 : 0;
    }
    auth |= (wpa_auth & WPA_AUTH_PSK2) != 0 ? TWIN_AUTH_WPA2 : 0;
    return (enum twin_auth)auth;
}

// Something else than none that comes to none: WPA without WPA2, SAE without a password.
static bool security_known(const struct twin_cyw43 *chip) {
    return chip->iovars[IOVAR_WPA_AUTH][0] == 0 || asked_auth(chip) != TWIN_AUTH_OPEN;
}

static const char *key_of(const struct twin_cyw43 *chip) {
    if (chip->join.auth == TWIN_AUTH_OPEN) {
        return "";
    }
    return by_sae(chip) ? chip->join.sae_key : chip->join.key;
}

// Specified: the world's rules forbid to transmit first on channels 12 and 13, so that a network
// that hides its name cannot be asked for there.
#define CHANNEL_ACTIVE_MAX 11

static bool is_it(
    const struct twin_cyw43 *chip, const struct network *network, const uint8_t *bssid) {
    static const uint8_t any[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

    if (network->ap == NULL || !twin_ap_there(network->ap) ||
        strcmp(chip->join.asked_ssid, twin_ap_ssid(network->ap)) != 0) {
        return false;
    }
    return bssid == NULL || memcmp(bssid, any, 6) == 0 ||
           memcmp(bssid, twin_ap_bssid(network->ap), 6) == 0;
}

// Of all networks of that name (and BSSID) the one heard best is in use from now on.
static void choose(struct twin_cyw43 *chip, const uint8_t *bssid) {
    const struct network *best = NULL;

    for (size_t i = 0; i < NETWORKS_MAX; i++) {
        const struct network *network = &chip->networks[i];

        if (is_it(chip, network, bssid) &&
            (best == NULL || twin_ap_rssi_dbm(network->ap) > twin_ap_rssi_dbm(best->ap))) {
            best = network;
        }
    }
    if (best == NULL) {
        best = &chip->networks[0];  // which says that it is none
    }
    if (best->mac != chip->mac || best->ap != chip->config.ap) {
        chip->mac = best->mac;
        chip->config.ap = best->ap;
        chip->config.air = best->air;
        twin_cyw43_apply_aggregation(chip);
        twin_cyw43_apply_power_save(chip);
    }
}

// None in reach, no channel allowed without a CLM, or another BSSID than the one asked for.
static bool in_reach(const struct twin_cyw43 *chip, const uint8_t *bssid) {
    static const uint8_t any[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    const struct twin_fault_what *what;

    if (chip->config.ap == NULL || !chip->clm.loaded) {
        return false;
    }
    what = twin_faults_active(chip->config.faults, TWIN_CHANNELS);
    if (what != NULL && twin_ap_channel(chip->config.ap) > what->value) {
        return false;
    }
    if (twin_ap_hidden(chip->config.ap) && twin_ap_channel(chip->config.ap) > CHANNEL_ACTIVE_MAX) {
        return false;
    }
    return bssid == NULL || memcmp(bssid, any, 6) == 0 ||
           memcmp(bssid, twin_ap_bssid(chip->config.ap), 6) == 0;
}

void twin_cyw43_join(
    struct twin_cyw43 *chip, const uint8_t *ssid, uint32_t ssid_bytes, const uint8_t *bssid) {
    struct join *join = &chip->join;

    twin_cyw43_leave(chip, false);
    memset(join->asked_ssid, 0, sizeof(join->asked_ssid));
    memcpy(join->asked_ssid, ssid, ssid_bytes);
    choose(chip, bssid);
    join->auth = asked_auth(chip);
    join->pruned = in_reach(chip, bssid) && !security_known(chip) &&
                   strcmp(join->asked_ssid, twin_ap_ssid(chip->config.ap)) == 0;
    join->state = JOIN_ASKED;
    twin_log(chip->config.log, "chip join \"%s\"", join->asked_ssid);
    if (join->pruned || !in_reach(chip, bssid)) {
        twin_after(chip->config.sim, &join->found_none, NO_NETWORK_NS);
        return;
    }
    twin_ap_join(
        chip->config.ap,
        chip->mac,
        join->asked_ssid,
        key_of(chip),
        join->auth,
        outcome_known,
        chip);
}

void twin_cyw43_leave(struct twin_cyw43 *chip, bool tell_host) {
    static const struct step steps[STEPS_MAX] = {
        {EVENT_DISASSOC, STATUS_SUCCESS, 0, 0, 0},
        {EVENT_LINK, STATUS_SUCCESS, LINK_REASON_CONTROLLED, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };
    enum join_state state = chip->join.state;

    twin_cancel(chip->config.sim, &chip->join.found_none);
    twin_cancel(chip->config.sim, &chip->join.beacons_lost);
    chip->join.state = JOIN_NONE;
    if (state == JOIN_NONE) {
        return;
    }
    if (chip->config.ap != NULL) {
        twin_ap_leave(chip->config.ap, chip->mac);
    }
    twin_log(chip->config.log, "chip leave");
    twin_cyw43_console(chip, "wl0: leave");
    if (tell_host) {
        emit(chip, steps);
    }
}

// ---- what the access point does by itself

static void lose(struct twin_cyw43 *chip, uint32_t type, uint32_t reason, uint32_t link_reason) {
    const struct step steps[STEPS_MAX] = {
        {type, STATUS_SUCCESS, reason, 0, 0},
        {EVENT_LINK, STATUS_SUCCESS, link_reason, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };

    twin_cyw43_leave(chip, false);
    emit(chip, steps);
}

void twin_cyw43_keep_alive(struct twin_cyw43 *chip, uint32_t period_ms) {
    chip->join.keep_alive_ns = period_ms * UINT64_C(1000000);
    twin_cancel(chip->config.sim, &chip->join.keep_alive);
    if (period_ms != 0) {
        twin_after(chip->config.sim, &chip->join.keep_alive, chip->join.keep_alive_ns);
    }
}

void twin_cyw43_keep_alive_due(void *context) {
    struct twin_cyw43 *chip = context;

    if (chip->join.state == JOIN_DONE && !chip->faults.hung) {
        twin_mac_send_null(chip->mac);
    }
    twin_after(chip->config.sim, &chip->join.keep_alive, chip->join.keep_alive_ns);
}

void twin_cyw43_beacons_lost(void *context) {
    struct twin_cyw43 *chip = context;

    twin_log(chip->config.log, "chip beacons-lost");
    lose(chip, EVENT_BEACON_LOST, 0, LINK_REASON_SIGNAL_LOSS);
}

// The exchange of the group key goes on between firmware and access point; the host hears that the
// station is keyed.
static void rekeyed(struct twin_cyw43 *chip) {
    static const struct step steps[STEPS_MAX] = {
        {EVENT_PSK_SUP, SUPPLICANT_KEYED, 0, 0, 0},
        {STEPS_END, 0, 0, 0, 0},
    };

    emit(chip, steps);
}

void twin_cyw43_ap_notice(void *context, enum twin_ap_notice notice, uint32_t reason) {
    const struct network *network = context;
    struct twin_cyw43 *chip = network->chip;

    if (chip->join.state != JOIN_DONE || network->mac != chip->mac) {
        return;
    }
    switch (notice) {
    case TWIN_AP_DEAUTHENTICATED:
        lose(chip, EVENT_DEAUTH_IND, reason, LINK_REASON_CONTROLLED);
        break;
    case TWIN_AP_DISASSOCIATED:
        lose(chip, EVENT_DISASSOC_IND, reason, LINK_REASON_CONTROLLED);
        break;
    case TWIN_AP_GONE:
        twin_after(chip->config.sim, &chip->join.beacons_lost, BEACONS_LOST_NS);
        break;
    case TWIN_AP_BACK:
        twin_cancel(chip->config.sim, &chip->join.beacons_lost);
        break;
    case TWIN_AP_REKEYED:
        rekeyed(chip);
        break;
    }
}

// ---- power save

// How often the station wakes, in beacons: for every bcn_li_dtim-th DTIM; where that is 0, for
// every bcn_li_bcn-th beacon; where that is 0 too, as the config says, else for every DTIM.
// assoc_listen only tells the access point how long to keep frames.
static uint32_t wake_beacons(const struct twin_cyw43 *chip) {
    uint32_t dtim_period = chip->config.ap != NULL ? twin_ap_dtim_period(chip->config.ap) : 1;
    uint32_t li_dtim = chip->iovars[IOVAR_BCN_LI_DTIM][0];
    uint32_t li_bcn = chip->iovars[IOVAR_BCN_LI_BCN][0];

    if (li_dtim != 0) {
        return li_dtim * dtim_period;
    }
    if (li_bcn != 0) {
        return li_bcn;
    }
    return chip->config.listen_beacons != 0 ? chip->config.listen_beacons : dtim_period;
}

void twin_cyw43_apply_power_save(struct twin_cyw43 *chip) {
    static const enum twin_pm modes[] = {TWIN_PM_AWAKE, TWIN_PM_LEGACY, TWIN_PM_FAST};
    uint64_t sleep_return_ns = chip->iovars[IOVAR_PM2_SLEEP_RET][0] * UINT64_C(1000000);

    if (chip->mac != NULL) {
        twin_mac_set_pm(
            chip->mac, modes[chip->ioctls[IOCTL_PM]], sleep_return_ns, wake_beacons(chip));
    }
}
