// SPDX-License-Identifier: MIT
// Assertion: what only a bug in our code or the caller's can cause.
//
// On in all builds. What a peer, a chip, a file or a cable can do is a status and a counter,
// never an assertion.
#ifndef CORADIO_ASSERT_H
#define CORADIO_ASSERT_H

#ifdef __cplusplus
extern "C" {
#endif

// Given by the port; does not return.
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void cor_panic(const char *file, int line, const char *what);

#define COR_ASSERT(condition) ((condition) ? (void)0 : cor_panic(__FILE__, __LINE__, #condition))

#ifdef __cplusplus
}
#endif

#endif
