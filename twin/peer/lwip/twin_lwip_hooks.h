// SPDX-License-Identifier: MIT
// Included by lwIP where it calls a hook; what the hooks call is declared in lwipopts.h.
#ifndef TWIN_LWIP_HOOKS_H
#define TWIN_LWIP_HOOKS_H

#include "lwipopts.h"

#endif
