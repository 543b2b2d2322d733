// SPDX-License-Identifier: MIT
// Overhead: what control requests and captured frames take from the one SDIO channel that data,
// requests, events and captures share under ESP-Hosted.
#ifndef TOOLS_BUDGET_OVERHEAD_H
#define TOOLS_BUDGET_OVERHEAD_H

#include "budget/model.h"

// Bus time of one request with its answer, and of one captured frame of so many bytes.
double budget_rpc_us(const struct budget_wire *wire);
double budget_capture_us(const struct budget_wire *wire, uint32_t frame_bytes);

// Co-processor time of one captured frame.
double budget_capture_chip_us(void);

// Shares of bus and co-processor time that budget's requests and captures take, 0 to 0.99.
double budget_bus_share(const struct budget *budget);
double budget_chip_share(const struct budget *budget);

#endif
