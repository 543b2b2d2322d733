// SPDX-License-Identifier: MIT
// RX: a run in which the board receives: the peer's sending side, the phases, and what is measured.
//
// Before the transfer the round trip is measured on the idle path, and then again under load.
#ifndef RUN_RX_H
#define RUN_RX_H

#include <stdbool.h>
#include <stdint.h>

struct world;
struct result;
struct snapshot;

void rx_init(struct world *world);
void rx_start(struct world *world, uint64_t now_us);
uint64_t rx_poll(struct world *world, uint64_t now_us);
// A round trip was measured.
void rx_ping(struct world *world, uint64_t rtt_us);
// Payload over the whole interval, and the parts of the result that differ from a sender's.
uint64_t rx_payload_since(const struct world *world, const struct snapshot *now);
void rx_fill_bounds(const struct world *world, struct result *result);
void rx_fill_result(struct world *world, struct result *result);
void rx_free(struct world *world);

#endif
