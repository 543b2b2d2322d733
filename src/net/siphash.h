// SPDX-License-Identifier: MIT
// SipHash-2-4: a keyed hash of a short block, for sequence numbers (RFC 6528) and ports (RFC 6056).
//
// Specified: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
#ifndef CORADIO_NET_SIPHASH_H
#define CORADIO_NET_SIPHASH_H

#include <stdint.h>

// At most 64 bytes.
uint64_t cor_siphash(const uint64_t key[2], const uint8_t *data, uint32_t size_bytes);

#endif
