// SPDX-License-Identifier: MIT
// Play: one step of a case on its world; shared by the two files that know the verbs.
#ifndef CONFORMANCE_PLAY_H
#define CONFORMANCE_PLAY_H

#include "script.h"
#include "world.h"

#include <stdbool.h>

struct play {
    struct world *world;
    const struct script_step *step;
    struct world_end *end;
};

// app.c: what the application does and sees. False: something went wrong.
bool play_application(struct play *play);
bool play_connect(struct play *play);
bool play_accept(struct play *play);

// steps.c: what goes over the wire.
bool play_wire(struct play *play);

#endif
