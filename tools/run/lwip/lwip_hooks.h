// SPDX-License-Identifier: MIT
// Included by lwIP where it calls a hook; what the hooks call is declared in lwipopts.h.
#ifndef RUN_LWIP_HOOKS_H
#define RUN_LWIP_HOOKS_H

#include "lwipopts.h"

#endif
