// SPDX-License-Identifier: MIT
// Access point: decides who joins, and bridges between the air and a wire.
#ifndef CORADIO_TWIN_AP_H
#define CORADIO_TWIN_AP_H

#include "coradio_twin/air.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum twin_auth { TWIN_AUTH_OPEN, TWIN_AUTH_WPA2 };

struct twin_ap;

struct twin_ap_config {
    struct twin_sim *sim;
    struct twin_air *air;
    struct twin_frames *frames;
    char ssid[33];
    char key[65];  // passphrase, with WPA2
    enum twin_auth auth;
    uint8_t bssid[6];
    uint8_t channel;
    int8_t rssi_dbm;    // as the station hears it
    uint8_t ampdu_max;  // what the AP puts in one PPDU towards the station; 1: does not aggregate
    uint32_t dtim_period;
    struct twin_port wire;  // where frames from the air go; ownership passes
};

struct twin_ap *twin_ap_new(const struct twin_ap_config *config);
void twin_ap_free(struct twin_ap *ap);

// The AP's end of the wire: frames given here go to the air (or are dropped and counted).
struct twin_port twin_ap_port(struct twin_ap *ap);

// What a station hears of the AP, and whether it may join.
enum twin_join {
    TWIN_JOIN_OK,
    TWIN_JOIN_NO_NETWORK,  // no such SSID
    TWIN_JOIN_WRONG_KEY,
    TWIN_JOIN_REFUSED,  // wrong security or a policy of the AP
    TWIN_JOIN_FULL,
};

// Asks to join. The outcome is called back after the time that scan, authentication, association
// and key exchange take. With TWIN_JOIN_OK the station's MAC is associated from then on.
typedef void (*twin_join_fn)(void *context, enum twin_join outcome);
void twin_ap_join(
    struct twin_ap *ap,
    struct twin_mac *station,
    const char *ssid,
    const char *key,
    enum twin_auth auth,
    twin_join_fn outcome,
    void *context);
// The station leaves.
void twin_ap_leave(struct twin_ap *ap, struct twin_mac *station);

const uint8_t *twin_ap_bssid(const struct twin_ap *ap);
int8_t twin_ap_rssi_dbm(const struct twin_ap *ap);
uint8_t twin_ap_channel(const struct twin_ap *ap);

struct twin_ap_counters {
    uint64_t to_wire;
    uint64_t to_air;
    uint64_t dropped_queue_full;  // towards the air
    uint64_t dropped_not_joined;
    uint64_t joins;
};

void twin_ap_get_counters(const struct twin_ap *ap, struct twin_ap_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
