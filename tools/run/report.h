// SPDX-License-Identifier: MIT
// Report: a result as JSON with the fields of the reference page, or as a table for people.
#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include "options.h"
#include "result.h"

#include <cjson/cJSON.h>
#include <stdio.h>

// What the run really worked with, read back from the chip, the air and the board.
struct report_effective {
    uint32_t bus_hz;
    uint32_t cpu_hz;
    uint32_t pm_word;      // as the SDK packs it
    uint32_t listen;       // beacons between two wake-ups
    uint32_t ampdu;        // MPDUs in one PPDU the driver settled on; 0: unknown
    uint32_t ba_window;    // block-ack window the driver settled on; 0: unknown
    uint32_t peer_window;  // largest window the peer offered, bytes; 0: not TCP
    uint32_t mss;          // bytes a segment; 0: not TCP
    uint32_t address;      // of the board, host order
};

#define REPORT_SCHEMA 1

struct world;

// The result as a tree, to be freed with cJSON_Delete(). The world holds the samples.
cJSON *report_tree(
    const struct run_options *asked,
    const struct report_effective *effective,
    const struct result *result,
    const struct world *world);

// To the file named, "-" is stdout. The world holds the samples. Returns 0 or an errno.
int report_json(
    const char *path,
    const struct run_options *asked,
    const struct report_effective *effective,
    const struct result *result,
    const struct world *world);

void report_table(
    FILE *out,
    const struct run_options *asked,
    const struct report_effective *effective,
    const struct result *result);

#endif
