// SPDX-License-Identifier: MIT
// Access point: joins as delays, and the bridge between its MAC and a wire.
#include "coradio_twin/ap.h"

#include "air/ap_state.h"
#include "sim/alloc.h"

#include <stdlib.h>
#include <string.h>

// ---- bridge

static void sent(void *context, struct twin_frame *frame, bool acked) {
    struct twin_ap *ap = context;

    if (!acked) {
        ap->counters.lost_on_air++;
        twin_loss_tell(&ap->config.on_given_up, frame);
    }
    twin_frame_put(ap->config.frames, frame);
}

static bool for_station(const struct twin_ap *ap, const struct twin_frame *frame) {
    const struct twin_mac *station = twin_mac_station(ap->config.air, frame->data);

    return (frame->data[0] & 1u) == 0 && station != NULL && !twin_ap_forgot(ap, station);
}

static uint32_t stations(const struct twin_ap *ap) {
    const struct twin_air *air = ap->config.air;
    uint32_t count = 0;

    for (size_t i = 0; i < TWIN_AIR_MACS_MAX; i++) {
        count +=
            air->macs[i] != NULL && air->macs[i]->associated && !twin_ap_forgot(ap, air->macs[i])
                ? 1
                : 0;
    }
    return count;
}

// Takes the frame.
static void to_air(struct twin_ap *ap, struct twin_frame *frame) {
    bool group = (frame->data[0] & 1u) != 0;
    bool joined = group ? stations(ap) > 0 : for_station(ap, frame);

    if (!joined) {
        ap->counters.dropped_not_joined++;
    } else if (twin_ap_fault_full(ap, frame) || !twin_mac_send(ap->mac, frame)) {
        ap->counters.dropped_queue_full++;
        twin_loss_tell(&ap->config.on_queue_full, frame);
    } else {
        ap->counters.to_air++;
        return;
    }
    twin_frame_put(ap->config.frames, frame);
}

// From the air. A group frame is not sent back to the air: with one station nobody would hear it.
static void received(void *context, struct twin_frame *frame) {
    struct twin_ap *ap = context;

    if (twin_ap_fault_heard(ap, frame->data + 6)) {
        twin_frame_put(ap->config.frames, frame);
        return;
    }
    if (for_station(ap, frame)) {
        to_air(ap, frame);
        return;
    }
    ap->counters.to_wire++;
    ap->config.wire.input(ap->config.wire.context, frame);
}

static void heard(void *context, const uint8_t *address) {
    (void)twin_ap_fault_heard(context, address);
}

static void from_wire(void *context, struct twin_frame *frame) {
    struct twin_ap *ap = context;

    if (frame->size_bytes < TWIN_AIR_ETHERNET_BYTES) {
        ap->counters.dropped_runt++;
        twin_frame_put(ap->config.frames, frame);
        return;
    }
    to_air(ap, frame);
}

struct twin_port twin_ap_port(struct twin_ap *ap) {
    struct twin_port port = {.input = from_wire, .context = ap};

    return port;
}

// ---- made and freed

static void end_join(void *context) {
    struct join *join = context;
    struct twin_ap *ap = join->ap;
    struct twin_mac *station = join->station;

    join->station = NULL;
    if (ap->off) {
        join->outcome = TWIN_JOIN_NO_NETWORK;
    }
    if (join->outcome == TWIN_JOIN_OK) {
        ap->counters.joins++;
        twin_mac_set_associated(station, true);
        twin_ap_remember(ap, station);
    } else {
        ap->counters.joins_failed++;
    }
    join->report(join->context, join->outcome);
}

struct twin_ap *twin_ap_new(const struct twin_ap_config *config) {
    struct twin_ap *ap = twin_alloc(1, sizeof(*ap));
    struct twin_mac_config mac = {
        .access_point = true,
        .ampdu_max = config->ampdu_max,
        .context = ap,
        .sent = sent,
        .received = received,
        .heard = heard,
    };

    ap->config = *config;
    if (ap->config.dtim_period == 0) {
        ap->config.dtim_period = TWIN_AP_DTIM_COUNT;
    }
    memcpy(mac.address, config->bssid, sizeof(mac.address));
    ap->mac = twin_mac_new(config->air, &mac);
    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX; i++) {
        ap->joins[i].ap = ap;
        twin_event_init(&ap->joins[i].event, end_join, &ap->joins[i]);
    }
    twin_mac_start_beacons(ap->mac, TWIN_AP_BEACON_TU, ap->config.dtim_period);
    twin_ap_faults_init(ap);
    return ap;
}

void twin_ap_free(struct twin_ap *ap) {
    if (ap == NULL) {
        return;
    }
    twin_ap_faults_free(ap);
    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX; i++) {
        twin_cancel(ap->config.sim, &ap->joins[i].event);
    }
    twin_mac_free(ap->mac);
    free(ap);
}

// ---- joining

// What comes of a question, and after how long.
static uint64_t judge(
    struct twin_ap *ap,
    const char *ssid,
    const char *key,
    enum twin_auth auth,
    enum twin_join *outcome) {
    const struct twin_unsure *unsure = twin_sim_unsure(ap->config.sim);
    uint64_t scan_ns = TWIN_AP_SCAN_CHANNELS * unsure->ap_scan_channel_ns;
    uint64_t associated_ns = scan_ns + unsure->ap_auth_ns + unsure->ap_assoc_ns;

    if (ssid == NULL || strcmp(ssid, ap->config.ssid) != 0) {
        *outcome = TWIN_JOIN_NO_NETWORK;
        return TWIN_AP_SCAN_PASSES * scan_ns;
    }
    bool open = auth == TWIN_AUTH_OPEN && ap->config.auth == TWIN_AUTH_OPEN;
    uint32_t common = twin_auth_common(auth, ap->config.auth);
    bool right_key = key != NULL && strcmp(key, ap->config.key) == 0;

    if (!open && common == 0) {
        ap->refusal = TWIN_AP_DENIED_UNSPECIFIED;
        *outcome = TWIN_JOIN_REFUSED;
        return associated_ns;
    }
    if (stations(ap) >= TWIN_AP_STATIONS_MAX) {
        *outcome = TWIN_JOIN_FULL;
        return associated_ns;
    }
    *outcome = TWIN_JOIN_OK;
    if (auth == TWIN_AUTH_OPEN) {
        return associated_ns;
    }
    if ((common & TWIN_AUTH_WPA3) != 0) {
        // The key is proved in the authentication, before the association.
        *outcome = right_key ? TWIN_JOIN_OK : TWIN_JOIN_WRONG_KEY;
        scan_ns += unsure->ap_sae_ns;
        return right_key ? scan_ns + unsure->ap_assoc_ns + unsure->ap_handshake_ns : scan_ns;
    }
    if (!right_key) {
        *outcome = TWIN_JOIN_WRONG_KEY;
        return associated_ns + TWIN_AP_WRONG_KEY_NS;
    }
    return associated_ns + unsure->ap_handshake_ns;
}

// NOLINTNEXTLINE(readability-function-size): what the seam asks, and never on a frame's way
void twin_ap_join(
    struct twin_ap *ap,
    struct twin_mac *station,
    const char *ssid,
    const char *key,
    enum twin_auth auth,
    twin_join_fn outcome,
    void *context) {
    struct join *join = NULL;
    uint64_t delay_ns;

    twin_ap_leave(ap, station);
    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX && join == NULL; i++) {
        join = ap->joins[i].station == NULL ? &ap->joins[i] : NULL;
    }
    TWIN_CHECK(join != NULL);  // as many as an air has stations
    join->station = station;
    join->report = outcome;
    join->context = context;
    delay_ns = judge(ap, ssid, key, auth, &join->outcome);
    if (join->outcome != TWIN_JOIN_NO_NETWORK && join->outcome != TWIN_JOIN_REFUSED) {
        delay_ns = twin_ap_fault_join(ap, &join->outcome, delay_ns);
    }
    twin_after(ap->config.sim, &join->event, delay_ns);
}

void twin_ap_leave(struct twin_ap *ap, struct twin_mac *station) {
    for (size_t i = 0; i < TWIN_AP_STATIONS_MAX; i++) {
        if (ap->joins[i].station == station) {
            ap->joins[i].station = NULL;
            twin_cancel(ap->config.sim, &ap->joins[i].event);
        }
    }
    twin_mac_set_associated(station, false);
}

uint32_t twin_ap_refusal(const struct twin_ap *ap) {
    return ap->refusal;
}

const uint8_t *twin_ap_bssid(const struct twin_ap *ap) {
    return ap->config.bssid;
}

int8_t twin_ap_rssi_dbm(const struct twin_ap *ap) {
    return ap->config.rssi_dbm;
}

uint8_t twin_ap_channel(const struct twin_ap *ap) {
    return ap->config.channel;
}

bool twin_ap_hidden(const struct twin_ap *ap) {
    return ap->config.hidden;
}

bool twin_ap_there(const struct twin_ap *ap) {
    return !ap->off;
}

const char *twin_ap_ssid(const struct twin_ap *ap) {
    return ap->config.ssid;
}

enum twin_auth twin_ap_auth(const struct twin_ap *ap) {
    return ap->config.auth;
}

uint32_t twin_ap_dtim_period(const struct twin_ap *ap) {
    return ap->config.dtim_period;
}

uint8_t twin_ap_ampdu(const struct twin_ap *ap) {
    return ap->mac->config.ampdu_max;
}

void twin_ap_get_counters(const struct twin_ap *ap, struct twin_ap_counters *counters) {
    *counters = ap->counters;
}
