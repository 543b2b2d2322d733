// SPDX-License-Identifier: MIT
#include "coradio/meter.h"

#include <string.h>

#include "coradio/assert.h"

static const char *const state_names[COR_METER_STATE_COUNT] = {
#define X(name, text) [COR_METER_STATE_##name] = #name,
    COR_METER_STATES(X)
#undef X
};

static const char *const purpose_names[COR_METER_PURPOSE_COUNT] = {
#define X(name, text) [COR_METER_PURPOSE_##name] = #name,
    COR_METER_PURPOSES(X)
#undef X
};

void cor_meter_init(struct cor_meter *meter, uint64_t now_us) {
    memset(meter, 0, sizeof(*meter));
    meter->chronograph.since_us = now_us;
    meter->chronograph.state = COR_METER_STATE_source;
}

void cor_chronograph_set(
    struct cor_chronograph *chronograph, enum cor_meter_state state, uint64_t at_us) {
    COR_ASSERT(state < COR_METER_STATE_COUNT);
    if (at_us > chronograph->since_us) {
        chronograph->us[chronograph->state] += at_us - chronograph->since_us;
        chronograph->since_us = at_us;
    }
    chronograph->state = state;
}

struct cor_chronograph cor_chronograph_snapshot(
    const struct cor_chronograph *chronograph, uint64_t now_us) {
    struct cor_chronograph copy = *chronograph;

    cor_chronograph_set(&copy, copy.state, now_us);
    return copy;
}

const char *cor_meter_state_name(enum cor_meter_state state) {
    return state < COR_METER_STATE_COUNT ? state_names[state] : "unknown";
}

const char *cor_meter_purpose_name(enum cor_meter_purpose purpose) {
    return purpose < COR_METER_PURPOSE_COUNT ? purpose_names[purpose] : "unknown";
}
