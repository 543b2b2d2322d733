// SPDX-License-Identifier: MIT
// Access point, inside: what its two files share. ap.c joins and bridges, ap_fault.c is what the
// faults of a script make of it.
#ifndef TWIN_AIR_AP_STATE_H
#define TWIN_AIR_AP_STATE_H

#include "air/air_state.h"
#include "coradio_twin/ap.h"

// A question that has no answer yet.
struct join {
    struct twin_ap *ap;
    struct twin_mac *station;  // NULL: free
    enum twin_join outcome;
    twin_join_fn report;
    void *context;
    struct twin_event event;
};

// Who is told what happens to a station, and what the access point knows of it.
struct twin_ap_watcher {
    struct twin_mac *station;  // NULL: free
    twin_ap_notice_fn told;
    void *context;
    bool forgotten;  // the station does not know it, or not yet
    bool silent;     // its frames are not answered
    uint64_t heard_ns;
    struct twin_ap *ap;
    struct twin_event answer;  // a deauthentication on its way
};

struct twin_ap {
    struct twin_ap_config config;
    struct twin_mac *mac;
    struct join joins[TWIN_AP_STATIONS_MAX];
    struct twin_ap_counters counters;
    struct twin_ap_watcher watchers[TWIN_AP_STATIONS_MAX];
    bool off;
    uint32_t refusal;
    uint32_t mpdu_error;  // of the air, before a fault changed it
    uint8_t mcs;
    struct twin_event ageing;
};

// ---- ap_fault.c

void twin_ap_faults_init(struct twin_ap *ap);
void twin_ap_faults_free(struct twin_ap *ap);
// The station believes that it is joined, and the access point does not.
bool twin_ap_forgot(const struct twin_ap *ap, const struct twin_mac *station);
void twin_ap_remember(struct twin_ap *ap, struct twin_mac *station);
// A frame has come from the station of this address. True: it is one that is forgotten.
bool twin_ap_fault_heard(struct twin_ap *ap, const uint8_t *address);
// True: there is no room for this frame towards a station.
bool twin_ap_fault_full(struct twin_ap *ap, const struct twin_frame *frame);
// What the policies make of a join that would succeed; returns the time it takes.
uint64_t twin_ap_fault_join(struct twin_ap *ap, enum twin_join *outcome, uint64_t delay_ns);

#endif
