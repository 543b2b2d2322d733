// SPDX-License-Identifier: MIT
// The ground lwIP stands on in the twin: virtual time, a seeded random stream, and a state that is
// put back to that of a fresh program for each world.
//
// lwIP keeps its state in file-scope variables. The build gives the sections that hold them names
// of their own (sources.cmake), so that all of it, whatever its names, can be set back at once: a
// world then cannot depend on the worlds that ran before it in the same process.
#ifndef TWIN_PEER_LWIP_PORT_H
#define TWIN_PEER_LWIP_PORT_H

#include "coradio_twin/sim.h"

#include <stdbool.h>
#include <stdint.h>

// Takes lwIP into use, as fresh as at program start. False: it is in use already.
bool twin_lwip_start(const struct twin_sim *sim, uint32_t window_bytes);
void twin_lwip_stop(void);

// lwIP's clock, in milliseconds since the beginning of virtual time, without wrap.
uint64_t twin_lwip_now_ms(void);

#endif
