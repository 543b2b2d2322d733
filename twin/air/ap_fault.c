// SPDX-License-Identifier: MIT
// Access point, where the faults of a script strike: gone, forgetful, unwilling, short of room.
//
// A station that was forgotten goes on believing that it is joined: what it sends is acknowledged
// by the receiver's hardware and goes no further; nothing is sent to it. An access point that has
// lost its memory answers such frames with a deauthentication, one that removes silently does not.
#include "air/ap_state.h"
#include "sim/alloc.h"

#define AGEING_LOOKS 8u  // in one ageing time

static struct twin_ap_watcher *watcher_of(struct twin_ap *ap, const struct twin_mac *station) {
    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX; i++) {
        if (ap->watchers[i].station == station) {
            return &ap->watchers[i];
        }
    }
    return NULL;
}

static void tell(struct twin_ap_watcher *watcher, enum twin_ap_notice notice, uint32_t reason) {
    watcher->told(watcher->context, notice, reason);
}

static void answer(void *context) {
    struct twin_ap_watcher *watcher = context;

    if (watcher->forgotten && !watcher->ap->off) {
        tell(watcher, TWIN_AP_DEAUTHENTICATED, TWIN_AP_REASON_CLASS_3);
    }
}

void twin_ap_watch(
    struct twin_ap *ap, struct twin_mac *station, twin_ap_notice_fn told, void *context) {
    struct twin_ap_watcher *watcher = watcher_of(ap, station);

    if (told == NULL) {
        if (watcher != NULL) {
            twin_cancel(ap->config.sim, &watcher->answer);
            *watcher = (struct twin_ap_watcher){0};
        }
        return;
    }
    if (watcher == NULL) {
        watcher = watcher_of(ap, NULL);
    }
    TWIN_CHECK(watcher != NULL);  // as many as an air has stations
    *watcher =
        (struct twin_ap_watcher){.station = station, .told = told, .context = context, .ap = ap};
    twin_event_init(&watcher->answer, answer, watcher);
}

bool twin_ap_forgot(const struct twin_ap *ap, const struct twin_mac *station) {
    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX; i++) {
        if (ap->watchers[i].station == station) {
            return ap->watchers[i].forgotten;
        }
    }
    return false;
}

void twin_ap_remember(struct twin_ap *ap, struct twin_mac *station) {
    struct twin_ap_watcher *watcher = watcher_of(ap, station);

    if (watcher != NULL) {
        watcher->forgotten = false;
        watcher->heard_ns = twin_now_ns(ap->config.sim);
    }
}

static void forget(struct twin_ap *ap, struct twin_ap_watcher *watcher, bool silent) {
    watcher->forgotten = true;
    watcher->silent = silent;
    ap->counters.forgotten++;
    twin_mac_flush_down(watcher->station);
}

static bool joined(const struct twin_ap_watcher *watcher) {
    return watcher->station != NULL && watcher->station->associated && !watcher->forgotten;
}

// ---- frames

bool twin_ap_fault_heard(struct twin_ap *ap, const uint8_t *address) {
    struct twin_mac *station = twin_mac_station(ap->config.air, address);
    struct twin_ap_watcher *watcher = station == NULL ? NULL : watcher_of(ap, station);

    if (watcher == NULL) {
        return false;
    }
    watcher->heard_ns = twin_now_ns(ap->config.sim);
    if (!watcher->forgotten) {
        return false;
    }
    ap->counters.dropped_forgotten++;
    if (!watcher->silent) {
        twin_after(ap->config.sim, &watcher->answer, TWIN_AP_AUTH_NS / 2);
    }
    return true;
}

bool twin_ap_fault_full(struct twin_ap *ap, const struct twin_frame *frame) {
    const struct twin_fault_what *what = twin_faults_peek(ap->config.faults, TWIN_AP_BUFFER);
    const struct twin_mac *station;

    if (what == NULL || (frame->data[0] & 1u) != 0) {
        return false;
    }
    station = twin_mac_station(ap->config.air, frame->data);
    if (station == NULL || (int64_t)twin_flow_count(&station->down) < what->value) {
        return false;
    }
    return twin_faults_active(ap->config.faults, TWIN_AP_BUFFER) != NULL;
}

// ---- joins

uint64_t twin_ap_fault_join(struct twin_ap *ap, enum twin_join *outcome, uint64_t delay_ns) {
    struct twin_faults *faults = ap->config.faults;
    uint64_t scan_ns = TWIN_AP_SCAN_CHANNELS * TWIN_AP_SCAN_CHANNEL_NS;
    const struct twin_fault_what *what = twin_faults_hit(faults, TWIN_AP_AUTH_REFUSE, NULL);

    if (what != NULL) {
        ap->refusal = what->status_given ? what->status : TWIN_AP_DENIED_UNSPECIFIED;
        *outcome = TWIN_JOIN_AUTH_REFUSED;
        return scan_ns + TWIN_AP_AUTH_NS;
    }
    what = twin_faults_hit(faults, TWIN_AP_REFUSE, NULL);
    if (what != NULL) {
        ap->refusal = what->status_given ? what->status : TWIN_AP_DENIED_UNSPECIFIED;
        *outcome = TWIN_JOIN_REFUSED;
        return scan_ns + TWIN_AP_AUTH_NS + TWIN_AP_ASSOC_NS;
    }
    if (twin_faults_hit(faults, TWIN_AP_FULL, NULL) != NULL) {
        *outcome = TWIN_JOIN_FULL;
        return scan_ns + TWIN_AP_AUTH_NS + TWIN_AP_ASSOC_NS;
    }
    return delay_ns;
}

// ---- by the clock

// A station that was forgotten can no more be thrown out.
static bool throw_out(struct twin_ap *ap, enum twin_ap_notice notice, uint32_t reason) {
    bool any = false;

    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX; i++) {
        if (joined(&ap->watchers[i])) {
            any = true;
            tell(&ap->watchers[i], notice, reason);
        }
    }
    return any;
}

static bool forget_all(struct twin_ap *ap, bool silent) {
    bool any = false;

    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX; i++) {
        if (joined(&ap->watchers[i])) {
            any = true;
            forget(ap, &ap->watchers[i], silent);
        }
    }
    return any;
}

static void go(struct twin_ap *ap, bool off) {
    if (off) {
        (void)forget_all(ap, false);
    }
    ap->off = off;
    twin_air_set_silent(ap->config.air, off);
    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX; i++) {
        if (ap->watchers[i].station != NULL) {
            tell(&ap->watchers[i], off ? TWIN_AP_GONE : TWIN_AP_BACK, 0);
        }
    }
}

static void age(void *context) {
    struct twin_ap *ap = context;
    const struct twin_fault_what *what = twin_faults_peek(ap->config.faults, TWIN_AP_AGE);
    uint64_t now_ns = twin_now_ns(ap->config.sim);

    if (what == NULL) {
        return;
    }
    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX; i++) {
        struct twin_ap_watcher *watcher = &ap->watchers[i];

        if (!joined(watcher) || now_ns - watcher->heard_ns < what->time_ns) {
            continue;
        }
        (void)twin_faults_active(ap->config.faults, TWIN_AP_AGE);
        if (what->reason_given) {
            tell(watcher, TWIN_AP_DEAUTHENTICATED, what->reason);
        } else {
            forget(ap, watcher, true);
        }
    }
    twin_after(ap->config.sim, &ap->ageing, what->time_ns / AGEING_LOOKS + 1);
}

static bool air_changed(
    struct twin_ap *ap, enum twin_lever lever, const struct twin_fault_what *what, bool begins) {
    if (lever == TWIN_AIR_LOSS) {
        twin_air_set_mpdu_error(ap->config.air, begins ? what->chance : ap->mpdu_error);
        return true;
    }
    if (what->value < 0 || what->value > 7) {
        return false;
    }
    twin_air_set_mcs(ap->config.air, begins ? (uint8_t)what->value : ap->mcs);
    return true;
}

static bool told(
    void *context, enum twin_lever lever, const struct twin_fault_what *what, bool begins) {
    struct twin_ap *ap = context;

    switch (lever) {
    case TWIN_AP_OFF:
        go(ap, begins);
        return true;
    case TWIN_AP_DEAUTH:
        return throw_out(ap, TWIN_AP_DEAUTHENTICATED, what->reason);
    case TWIN_AP_DISASSOC:
        return throw_out(ap, TWIN_AP_DISASSOCIATED, what->reason);
    case TWIN_AP_REKEY:
        return throw_out(ap, TWIN_AP_REKEYED, 0);
    case TWIN_AP_FORGET:
        return forget_all(ap, true);
    case TWIN_AP_AGE:
        twin_after(ap->config.sim, &ap->ageing, begins ? what->time_ns / AGEING_LOOKS + 1 : 0);
        return false;  // it strikes when a station has been silent for so long
    case TWIN_AIR_LOSS:
    case TWIN_AIR_RATE:
        return air_changed(ap, lever, what, begins);
    default:
        return false;
    }
}

void twin_ap_faults_init(struct twin_ap *ap) {
    ap->mpdu_error = ap->config.air->config.mpdu_error;
    ap->mcs = ap->config.air->config.mcs;
    twin_event_init(&ap->ageing, age, ap);
    twin_faults_listen(ap->config.faults, told, ap);
}

void twin_ap_faults_free(struct twin_ap *ap) {
    twin_faults_unlisten(ap->config.faults, ap);
    twin_cancel(ap->config.sim, &ap->ageing);
}
