// SPDX-License-Identifier: MIT
// Station: brings the radio up and joins a network; the first half of every application.
//
// Poll it after the driver. It waits for nothing itself: the driver bounds the time of bring-up and
// join.
#ifndef CORADIO_APP_STATION_H
#define CORADIO_APP_STATION_H

#include <stdint.h>

#include "coradio/cyw43.h"
#include "coradio/net.h"
#include "coradio/radio.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cor_station_state {
    COR_STATION_OFF,
    COR_STATION_STARTING,  // the radio comes up
    COR_STATION_JOINING,
    COR_STATION_UP,      // frames go both ways
    COR_STATION_FAILED,  // the status says why; sticky
};

struct cor_station {
    struct cor_cyw43 *radio;
    struct cor_net *net;
    struct cor_join join;
    enum cor_station_state state;
    enum cor_status status;  // COR_OK, or why it failed
    bool started;            // the radio came up, so a failure is one of the join or the link
};

// Radio and net are initialised and live as long as the station; so do the texts of the join.
void cor_station_init(
    struct cor_station *station,
    struct cor_cyw43 *radio,
    struct cor_net *net,
    const struct cor_join *join);

// Starts the radio. From then on the state tells.
void cor_station_start(struct cor_station *station, uint64_t now_us);

// Looks at the radio and takes the next step.
void cor_station_poll(struct cor_station *station, uint64_t now_us);

#ifdef __cplusplus
}
#endif

#endif
