// SPDX-License-Identifier: MIT
// Attach: puts our stack on the socket of an interop bridge, in place of a TAP device.
#ifndef INTEROP_ATTACH_H
#define INTEROP_ATTACH_H

#include "tap.h"

#include "coradio/frame.h"

// Returns 0 or an errno.
int attach_unix(struct cor_tap *tap, const char *path, struct cor_frame_source *source);

#endif
