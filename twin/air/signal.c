// SPDX-License-Identifier: MIT
// Signal: what the strength of the signal makes of the rate and of the losses.
//
// Rate control takes the highest MCS whose sensitivity lies a margin below the signal. Losses of an
// MPDU follow from what is left: 10 % at the sensitivity, falling by a factor of ten in some dB. A
// drifting signal is a random walk that is drawn back to where it began.
#include "air/air_state.h"
#include "sim/alloc.h"

#include <math.h>
#include <stdlib.h>

#define ERROR_AT_SENSITIVITY 0.1
#define MCS_COUNT            8

struct twin_signal {
    struct twin_air *air;
    struct twin_rng rng;
    struct twin_event step;
    double rssi_dbm;
    double drift_db;
    double stray_db;
    uint32_t base_error;
    uint8_t mcs_max;
};

static void apply(struct twin_signal *signal) {
    static const int8_t sensitivity_dbm[MCS_COUNT] = TWIN_AIR_SENSITIVITY_DBM;
    struct twin_air *air = signal->air;
    double dbm = signal->rssi_dbm + signal->stray_db;
    double base = (double)signal->base_error / 4294967296.0;
    double error;
    uint8_t mcs = signal->mcs_max;

    while (mcs > 0 && dbm - TWIN_AIR_MARGIN_DB < sensitivity_dbm[mcs]) {
        mcs--;
    }
    error = ERROR_AT_SENSITIVITY * pow(10, (sensitivity_dbm[mcs] - dbm) / TWIN_AIR_DECADE_DB);
    error = error > 1 ? 1 : error;
    twin_air_set_mcs(air, mcs);
    twin_air_set_mpdu_error(air, twin_chance(1 - (1 - error) * (1 - base)));
}

// A sum of uniform draws is close enough to a normal one.
static double draw(struct twin_rng *rng) {
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        sum += (double)twin_rng_below(rng, 1u << 24) / (1u << 24);
    }
    return sum;
}

static void step(void *context) {
    struct twin_signal *signal = context;
    double fresh = sqrt(1 - TWIN_AIR_DRIFT_KEEP * TWIN_AIR_DRIFT_KEEP);

    signal->stray_db =
        TWIN_AIR_DRIFT_KEEP * signal->stray_db + fresh * signal->drift_db * draw(&signal->rng);
    apply(signal);
    twin_after(signal->air->config.sim, &signal->step, TWIN_AIR_DRIFT_NS);
}

void twin_air_set_signal(struct twin_air *air, double rssi_dbm, double drift_db) {
    struct twin_signal *signal = air->signal;

    if (signal == NULL) {
        signal = air->signal = twin_alloc(1, sizeof(*signal));
        signal->air = air;
        signal->mcs_max = air->config.mcs;
        signal->base_error = air->config.mpdu_error;
        twin_rng_init(&signal->rng, air->config.sim, "air.signal");
        twin_event_init(&signal->step, step, signal);
    }
    signal->rssi_dbm = rssi_dbm;
    signal->drift_db = drift_db;
    signal->stray_db = 0;
    air->mcs_highest = 0;  // the config's rate was none of this air's
    apply(signal);
    twin_cancel(air->config.sim, &signal->step);
    if (drift_db > 0) {
        twin_after(air->config.sim, &signal->step, TWIN_AIR_DRIFT_NS);
    }
}

uint8_t twin_air_mcs(const struct twin_air *air) {
    return air->config.mcs;
}

uint8_t twin_air_mcs_highest(const struct twin_air *air) {
    return air->mcs_highest;
}

void twin_signal_free(struct twin_air *air) {
    if (air->signal != NULL) {
        twin_cancel(air->config.sim, &air->signal->step);
        free(air->signal);
        air->signal = NULL;
    }
}
