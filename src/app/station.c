// SPDX-License-Identifier: MIT
#include <stddef.h>

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
    station->dhcp = NULL;
    station->join = *join;
    station->state = COR_STATION_OFF;
    station->status = COR_OK;
    station->keep = false;
    station->started = false;
    station->give_up_us = COR_NET_NEVER;
}

void cor_station_use_dhcp(struct cor_station *station, struct cor_dhcp *dhcp) {
    station->dhcp = dhcp;
}

void cor_station_keep(struct cor_station *station) {
    station->keep = true;
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

// Joined: the address is there, or is asked for.
static void joined(struct cor_station *station, uint64_t now_us) {
    cor_cyw43_set_keep(station->radio, station->keep || station->join.keep);
    if (station->dhcp == NULL) {
        station->state = COR_STATION_UP;
        return;
    }
    station->state = COR_STATION_ADDRESS;
    station->give_up_us = now_us + COR_STATION_ADDRESS_US_MAX;
    cor_dhcp_start(station->dhcp, now_us);
}

// Joined and with DHCP: goes between ADDRESS and UP as the lease comes and goes.
static uint64_t poll_address(struct cor_station *station, uint64_t now_us) {
    uint64_t deadline_us = cor_dhcp_poll(station->dhcp, now_us);
    bool has_address = cor_dhcp_lease(station->dhcp) != NULL;

    if (has_address) {
        station->state = COR_STATION_UP;
        return deadline_us;
    }
    if (station->state == COR_STATION_UP) {
        station->state = COR_STATION_ADDRESS;
        station->give_up_us = now_us + COR_STATION_ADDRESS_US_MAX;
    }
    if (now_us >= station->give_up_us) {
        cor_dhcp_stop(station->dhcp, now_us);
        fail(station, COR_E_TIMEOUT);
        return COR_NET_NEVER;
    }
    return deadline_us < station->give_up_us ? deadline_us : station->give_up_us;
}

uint64_t cor_station_poll(struct cor_station *station, uint64_t now_us) {
    enum cor_radio_state radio = cor_cyw43_state(station->radio);

    if (station->state == COR_STATION_OFF || station->state == COR_STATION_FAILED) {
        return COR_NET_NEVER;
    }
    if (radio == COR_RADIO_FAILED) {
        fail(station, cor_cyw43_error(station->radio));
        return COR_NET_NEVER;
    }
    switch (station->state) {
    case COR_STATION_STARTING:
        if (radio == COR_RADIO_READY) {
            join(station, now_us);
        }
        break;
    case COR_STATION_JOINING:
        if (radio == COR_RADIO_JOINED) {
            joined(station, now_us);
        } else if (radio == COR_RADIO_READY) {
            fail(station, cor_cyw43_error(station->radio));
        }
        break;
    default:
        if (radio != COR_RADIO_JOINED && radio != COR_RADIO_READY) {
            station->state = COR_STATION_JOINING;  // the driver is at it
        } else if (radio != COR_RADIO_JOINED) {
            fail(station, COR_E_LINK_DOWN);
        }
        break;
    }
    bool up = station->state == COR_STATION_ADDRESS || station->state == COR_STATION_UP;
    return up && station->dhcp != NULL ? poll_address(station, now_us) : COR_NET_NEVER;
}
