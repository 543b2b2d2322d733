// SPDX-License-Identifier: MIT
// Limit: which stage holds the transfer back, named from measured time and nothing else.
//
// The options of the run are not visible here on purpose: a limit that is read off the settings
// would agree with whoever chose them. What comes in is the chronograph's time and how busy the
// air was measured to be.
#ifndef RUN_LIMIT_H
#define RUN_LIMIT_H

#include <stdint.h>

#include "coradio/meter.h"

// Where credit binds, the air is the cause from this share of its own bound on ...
#define LIMIT_AIR_PERMILLE_MIN 700
// ... and the co-processor below this one; between them it stays "credit".
#define LIMIT_COPROCESSOR_PERMILLE_MAX 500

struct limit_time {
    uint64_t us[COR_METER_STATE_COUNT];  // chronograph of the measuring interval
    uint32_t air_permille;               // how busy the air was, of what it can be at most
};

// "bus", "peer_window", "air", ...: the state with the most time, credit resolved. Of states with
// equal time the first in the order of COR_METER_STATES is named.
const char *limit_name(const struct limit_time *time);

#endif
