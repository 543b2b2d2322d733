// SPDX-License-Identifier: MIT
// SHA-256, by OpenSSL's libcrypto, which uses the processor's instructions for it.
#ifndef TOOLS_COMMON_SHA256_H
#define TOOLS_COMMON_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES     32
#define SHA256_TEXT_SIZE 65  // 64 hexadecimal digits and the end

struct sha256;

// NULL when there is no memory.
struct sha256 *sha256_new(void);
void sha256_add(struct sha256 *sha256, const void *data, size_t size_bytes);
// The digest of what was added so far; more may be added after it. Returns text.
char *sha256_text(const struct sha256 *sha256, char text[SHA256_TEXT_SIZE]);
void sha256_free(struct sha256 *sha256);

// The digest of a whole file. Returns 0 or an errno.
int sha256_file(const char *path, char text[SHA256_TEXT_SIZE]);

#endif
