// SPDX-License-Identifier: MIT
// On lwIP: --stack lwip, the run's application on lwIP over the same driver and chip.
//
// The core's stack is made all the same and stands aside; what lwIP has done is put into its
// counters, so that what measures and reports reads one kind of them.
#ifndef RUN_ON_LWIP_H
#define RUN_ON_LWIP_H

#include "coradio_twin/board.h"
#include "options.h"

#include <stdbool.h>
#include <stdint.h>

struct world;

// NULL: the options go together; else what to write.
const char *on_lwip_fault(const struct run_options *options);

// Makes lwIP the stack where it is asked for. false: it is in use already.
bool on_lwip_init(struct world *world);
void on_lwip_free(struct world *world);

// All that follows is for a run on lwIP.
void on_lwip_start_app(struct world *world, uint64_t now_us);
uint64_t on_lwip_poll_app(struct world *world, uint64_t now_us);
// After the driver's poll.
uint64_t on_lwip_poll(struct world *world, uint64_t now_us);
void on_lwip_work(const struct world *world, struct twin_work *work);
void on_lwip_mirror(struct world *world);

#endif
