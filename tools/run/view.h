// SPDX-License-Identifier: MIT
// View: `coradio run --watch`, a transfer on the terminal while it goes on.
#ifndef RUN_VIEW_H
#define RUN_VIEW_H

#include "common/live.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

struct view {
    struct live live;
    uint64_t total_bytes;  // 0: not known
    uint64_t drawn_ns;     // wall clock
    size_t shown;          // samples that were there at the last drawing
};

void view_init(struct view *view, uint64_t total_bytes, uint64_t wall_ns);
// Draws when there are new samples and the last drawing is old enough. wall_ns is the host's clock.
void view_update(struct view *view, const struct world *world, uint64_t wall_ns);

#endif
