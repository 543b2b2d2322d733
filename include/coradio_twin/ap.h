// SPDX-License-Identifier: MIT
// Access point: decides who joins, and bridges between the air and a wire.
//
// It owns its MAC and starts its beacons (every 102.4 ms) when it is made. Management frames of the
// join are not sent over the air: they are delays, in twin/air/table.h.
#ifndef CORADIO_TWIN_AP_H
#define CORADIO_TWIN_AP_H

#include "coradio_twin/air.h"
#include "coradio_twin/faults.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What an access point offers, or what a station is able to: open, or a key by WPA2 (PSK), by WPA3
// (SAE), or by either. Where both sides have both, SAE is taken.
enum twin_auth {
    TWIN_AUTH_OPEN = 0,
    TWIN_AUTH_WPA2 = 1,
    TWIN_AUTH_WPA3 = 2,
    TWIN_AUTH_WPA2_WPA3 = 3,
};

struct twin_ap;

struct twin_ap_config {
    struct twin_sim *sim;
    struct twin_air *air;
    struct twin_frames *frames;
    struct twin_faults *faults;  // what goes wrong, NULL: nothing
    char ssid[33];
    char key[65];  // passphrase, but for an open network
    enum twin_auth auth;
    uint8_t bssid[6];
    uint8_t channel;
    int8_t rssi_dbm;    // as the station hears it
    uint8_t ampdu_max;  // what the AP puts in one PPDU towards the station; 1: does not aggregate
    uint32_t dtim_period;            // in beacons; 0: 1
    bool hidden;                     // its beacons do not say the name
    struct twin_port wire;           // where frames from the air go; ownership passes
    struct twin_loss on_queue_full;  // frames that dropped_queue_full counts
    struct twin_loss on_given_up;    // frames that lost_on_air counts
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
    TWIN_JOIN_AUTH_REFUSED,  // at the authentication, by a policy of the AP
};

// What a station hears of an access point that acts by itself.
enum twin_ap_notice {
    TWIN_AP_DEAUTHENTICATED,
    TWIN_AP_DISASSOCIATED,
    TWIN_AP_GONE,  // no more beacons
    TWIN_AP_BACK,
    TWIN_AP_REKEYED,  // the group key is another
};

// The security two sides have in common; of a network with a key 0 where there is none.
static inline uint32_t twin_auth_common(enum twin_auth left, enum twin_auth right) {
    return (uint32_t)left & (uint32_t)right;
}

// Asks to join. The outcome is called back after the time that scan, authentication, association
// and key exchange take. With TWIN_JOIN_OK the station's MAC is associated from then on. Asking
// again before the outcome replaces the first question, whose outcome is then never called.
typedef void (*twin_join_fn)(void *context, enum twin_join outcome);
void twin_ap_join(
    struct twin_ap *ap,
    struct twin_mac *station,
    const char *ssid,
    const char *key,
    enum twin_auth auth,
    twin_join_fn outcome,
    void *context);
// The station leaves, or gives up a join that has no outcome yet. To be called before a station's
// MAC is freed.
void twin_ap_leave(struct twin_ap *ap, struct twin_mac *station);

// Tells what happens to this station from now on; NULL: no more.
typedef void (*twin_ap_notice_fn)(void *context, enum twin_ap_notice notice, uint32_t reason);
void twin_ap_watch(
    struct twin_ap *ap, struct twin_mac *station, twin_ap_notice_fn told, void *context);
// The status code of the last join refused by a policy (specified: IEEE 802.11 9.4.1.9).
uint32_t twin_ap_refusal(const struct twin_ap *ap);

const uint8_t *twin_ap_bssid(const struct twin_ap *ap);
int8_t twin_ap_rssi_dbm(const struct twin_ap *ap);
uint8_t twin_ap_channel(const struct twin_ap *ap);
bool twin_ap_hidden(const struct twin_ap *ap);
// Whether it sends beacons at the moment.
bool twin_ap_there(const struct twin_ap *ap);
// What its beacons say, for scans and for the wake-up interval of a station.
const char *twin_ap_ssid(const struct twin_ap *ap);
enum twin_auth twin_ap_auth(const struct twin_ap *ap);
uint32_t twin_ap_dtim_period(const struct twin_ap *ap);
// MPDUs it puts in one PPDU at most, as its MAC is set now.
uint8_t twin_ap_ampdu(const struct twin_ap *ap);

// Name, unit, what it counts.
// clang-format off
#define TWIN_AP_COUNTERS(X)                                                                        \
    X(to_wire,            "1", "frames from stations handed to the wire")                          \
    X(to_air,             "1", "frames from the wire queued for the air")                          \
    X(dropped_queue_full, "1", "frames towards the air that found the queue full")                 \
    X(dropped_not_joined, "1", "frames towards the air whose receiver is not joined")              \
    X(joins,              "1", "joins that succeeded")                                             \
    X(dropped_runt,       "1", "frames from the wire shorter than an Ethernet header")             \
    X(lost_on_air,        "1", "frames towards a station given up after the last attempt")         \
    X(joins_failed,       "1", "joins that failed, for any reason")                                \
    X(dropped_forgotten,  "1", "frames from a station that the access point has forgotten")        \
    X(forgotten,          "1", "stations it has forgotten, whether they were told or not")
// clang-format on

struct twin_ap_counters {
#define X(name, unit, text) uint64_t name;
    TWIN_AP_COUNTERS(X)
#undef X
};

void twin_ap_get_counters(const struct twin_ap *ap, struct twin_ap_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
