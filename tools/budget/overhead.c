// SPDX-License-Identifier: MIT
#include "budget/overhead.h"

#include <math.h>

// ESP-Hosted 2.x, SDIO; clocks as in bus.c.
#define BLOCK_BYTES     512.0
#define BLOCK_CLOCKS    28.0    // start, CRC, end, gap
#define COMMAND_CLOCKS  112.0   // UNSURE
#define REGISTER_BYTES  24.0    // read of cause and length, clear of the cause
#define RPC_BYTES       128.0   // UNSURE: header 12, TLV 16, a protobuf message of up to 100
#define CAPTURE_HEAD    56.0    // packed header 32, about 24 of protobuf and TLV
#define FRAGMENT_BYTES  1500.0  // read from public code: larger events travel in fragments
#define HOSTED_HEAD     12.0
#define CAPTURE_CHIP_US 85.0  // measured, write-up: 8.5 % of the C6 at 1000 frames a second
#define SHARE_MAX       0.99

static double transfer_us(const struct budget_wire *wire, double bytes) {
    double blocks = ceil(bytes / BLOCK_BYTES);
    double clocks = COMMAND_CLOCKS + blocks * (BLOCK_BYTES * 8 / wire->lines + BLOCK_CLOCKS);

    return clocks * 1e6 / wire->clock_hz;
}

// Reading a batch begins with the registers.
static double read_us(const struct budget_wire *wire, double bytes) {
    double clocks = 2 * COMMAND_CLOCKS + REGISTER_BYTES * 8 / wire->lines + 2 * BLOCK_CLOCKS;

    return clocks * 1e6 / wire->clock_hz + transfer_us(wire, bytes);
}

double budget_rpc_us(const struct budget_wire *wire) {
    return transfer_us(wire, RPC_BYTES) + read_us(wire, RPC_BYTES);
}

double budget_capture_us(const struct budget_wire *wire, uint32_t frame_bytes) {
    double event = frame_bytes + CAPTURE_HEAD;
    double fragments = ceil(event / FRAGMENT_BYTES);

    return read_us(wire, event + fragments * HOSTED_HEAD);
}

double budget_capture_chip_us(void) {
    return CAPTURE_CHIP_US;
}

static double limited(double share) {
    return share < SHARE_MAX ? share : SHARE_MAX;
}

double budget_bus_share(const struct budget *budget) {
    double us;

    if (budget->board->family != BUDGET_FAMILY_HOSTED) {
        return 0;
    }
    us = budget->rpc_rate * budget_rpc_us(&budget->wire) +
         budget->capture_rate * budget_capture_us(&budget->wire, budget->capture_bytes);
    return limited(us / 1e6);
}

double budget_chip_share(const struct budget *budget) {
    if (budget->board->family != BUDGET_FAMILY_HOSTED) {
        return 0;
    }
    return limited(budget->capture_rate * CAPTURE_CHIP_US / 1e6);
}
