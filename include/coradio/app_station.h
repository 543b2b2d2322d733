// SPDX-License-Identifier: MIT
// Station: brings the radio up, joins a network and gets an address; the first half of every
// application.
//
// Poll it after the driver. The driver bounds the time of bring-up and join, the station that of
// getting an address by DHCP; without DHCP the net has its address already.
#ifndef CORADIO_APP_STATION_H
#define CORADIO_APP_STATION_H

#include <stdint.h>

#include "coradio/cyw43.h"
#include "coradio/dhcp.h"
#include "coradio/net.h"
#include "coradio/radio.h"

#ifdef __cplusplus
extern "C" {
#endif

// How long a network may take to give an address: a server that loses the first four messages is
// waited for.
#define COR_STATION_ADDRESS_US_MAX 90000000

enum cor_station_state {
    COR_STATION_OFF,
    COR_STATION_STARTING,  // the radio comes up
    COR_STATION_JOINING,
    COR_STATION_ADDRESS,  // joined, without an address
    COR_STATION_UP,       // frames go both ways
    COR_STATION_FAILED,   // the status says why; sticky
};

struct cor_station {
    struct cor_cyw43 *radio;
    struct cor_net *net;
    struct cor_dhcp *dhcp;  // NULL: the net has its address
    struct cor_join join;
    enum cor_station_state state;
    enum cor_status status;  // COR_OK, or why it failed
    bool keep;               // goes on after the link was lost
    bool started;            // the radio came up, so a failure is one of the join or the link
    uint64_t give_up_us;     // when the address is no longer waited for
};

// Radio and net are initialised and live as long as the station; so do the texts of the join.
void cor_station_init(
    struct cor_station *station,
    struct cor_cyw43 *radio,
    struct cor_net *net,
    const struct cor_join *join);

// Gets the address by DHCP; the client is initialised for the same net. Before start.
void cor_station_use_dhcp(struct cor_station *station, struct cor_dhcp *dhcp);

// Once joined, the station goes on wanting the network: when the link is lost or the chip started
// anew it is JOINING again, for as long as it takes. Before start.
void cor_station_keep(struct cor_station *station);

// Starts the radio. From then on the state tells.
void cor_station_start(struct cor_station *station, uint64_t now_us);

// Looks at the radio and takes the next step. Returns when it wants to be called even if nothing
// happens, COR_NET_NEVER for never. An address that is lost later makes the state ADDRESS again.
uint64_t cor_station_poll(struct cor_station *station, uint64_t now_us);

#ifdef __cplusplus
}
#endif

#endif
