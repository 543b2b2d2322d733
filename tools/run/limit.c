// SPDX-License-Identifier: MIT
#include "limit.h"

static enum cor_meter_state longest(const struct limit_time *time) {
    enum cor_meter_state state = (enum cor_meter_state)0;

    for (int i = 1; i < COR_METER_STATE_COUNT; i++) {
        if (time->us[i] > time->us[state]) {
            state = (enum cor_meter_state)i;
        }
    }
    return state;
}

const char *limit_name(const struct limit_time *time) {
    enum cor_meter_state state = longest(time);

    if (state != COR_METER_STATE_credit) {
        return cor_meter_state_name(state);
    }
    if (time->air_permille >= LIMIT_AIR_PERMILLE_MIN) {
        return "air";
    }
    if (time->air_permille < LIMIT_COPROCESSOR_PERMILLE_MAX) {
        return "coprocessor";
    }
    return "credit";
}
