// SPDX-License-Identifier: MIT
// What lwIP wants to know of compiler and machine: a hosted C library gives nearly all of it.
#ifndef RUN_LWIP_ARCH_CC_H
#define RUN_LWIP_ARCH_CC_H

#include <endian.h>
#include <stdlib.h>

// A broken promise inside lwIP is a bug of ours or of lwIP's: say where and stop.
__attribute__((noreturn)) void run_lwip_assert(const char *what, const char *file, int line);

#define LWIP_PLATFORM_ASSERT(what) run_lwip_assert((what), __FILE__, __LINE__)
#define LWIP_PLATFORM_DIAG(text)

#endif
