// SPDX-License-Identifier: MIT
#include "coradio/app_station.h"

static void fail(struct cor_station *station, enum cor_status status) {
    station->state = COR_STATION_FAILED;
    station->status = status;
}

void cor_station_init(
    struct cor_station *station,
    struct cor_cyw43 *radio,
    struct cor_net *net,
    const struct cor_join *join) {
    station->radio = radio;
    station->net = net;
    station->join = *join;
    station->state = COR_STATION_OFF;
    station->status = COR_OK;
    station->started = false;
}

void cor_station_start(struct cor_station *station, uint64_t now_us) {
    enum cor_status status = cor_cyw43_start(station->radio, now_us);

    station->state = COR_STATION_STARTING;
    if (status != COR_OK) {
        fail(station, status);
    }
}

// The radio is up: its address goes to the stack, then it joins.
static void join(struct cor_station *station, uint64_t now_us) {
    enum cor_status status;

    cor_net_set_mac(station->net, cor_cyw43_address(station->radio));
    station->started = true;
    station->state = COR_STATION_JOINING;
    status = cor_cyw43_join(station->radio, &station->join, now_us);
    if (status != COR_OK) {
        fail(station, status);
    }
}

void cor_station_poll(struct cor_station *station, uint64_t now_us) {
    enum cor_radio_state radio = cor_cyw43_state(station->radio);

    if (station->state == COR_STATION_OFF || station->state == COR_STATION_FAILED) {
        return;
    }
    if (radio == COR_RADIO_FAILED) {
        fail(station, cor_cyw43_error(station->radio));
        return;
    }
    switch (station->state) {
    case COR_STATION_STARTING:
        if (radio == COR_RADIO_READY) {
            join(station, now_us);
        }
        break;
    case COR_STATION_JOINING:
        if (radio == COR_RADIO_JOINED) {
            station->state = COR_STATION_UP;
        } else if (radio == COR_RADIO_READY) {
            fail(station, cor_cyw43_error(station->radio));
        }
        break;
    case COR_STATION_UP:
        if (radio != COR_RADIO_JOINED) {
            fail(station, COR_E_LINK_DOWN);
        }
        break;
    default:
        break;
    }
}
