// SPDX-License-Identifier: MIT
// Alloc: memory for the long-lived parts of the twin, zeroed; ends the program when there is none.
//
// For set-up only. Nothing on a frame's way calls it in a steady state. The check below is for what
// only a bug in our code can cause, and is on in all builds.
#ifndef TWIN_SIM_ALLOC_H
#define TWIN_SIM_ALLOC_H

#include <stddef.h>

// count elements of size_bytes each, all zero. Given back with free().
void *twin_alloc(size_t count, size_t size_bytes);
// The same for an array that grows: the old part is kept, the new part is not zeroed.
void *twin_realloc(void *memory, size_t count, size_t size_bytes);

__attribute__((noreturn)) void twin_panic(const char *file, int line, const char *what);

#define TWIN_CHECK(condition) ((condition) ? (void)0 : twin_panic(__FILE__, __LINE__, #condition))

#endif
