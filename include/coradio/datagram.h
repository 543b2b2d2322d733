// SPDX-License-Identifier: MIT
// Datagram: the header in front of each UDP payload of a throughput run.
//
// It lets a receiver count what is missing, tell a new run from an old one on the same port, and
// end the run when the sender says so. Our own format; all fields big-endian:
//
//     0        4        8          12      14        16
//     | magic  | stream | sequence | flags | reserved | payload ...
//
// The sequence counts the datagrams of a stream from 0. A datagram with COR_DATAGRAM_LAST carries
// no payload and closes the stream: its sequence is the number of datagrams sent before it. It is
// sent COR_DATAGRAM_LAST_COUNT times, since nothing answers it; a receiver counts it once and
// never as data.
#ifndef CORADIO_DATAGRAM_H
#define CORADIO_DATAGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COR_DATAGRAM_BYTES      16
#define COR_DATAGRAM_MAGIC      0xC07AD10Du
#define COR_DATAGRAM_LAST       0x0001u
#define COR_DATAGRAM_LAST_COUNT 5

struct cor_datagram {
    uint32_t stream;    // chosen by the sender, different from run to run
    uint32_t sequence;  // from 0, wraps at 2^32
    bool last;
};

// Writes COR_DATAGRAM_BYTES bytes.
static inline void cor_datagram_emit(const struct cor_datagram *datagram, uint8_t *at) {
    cor_put_be32(at, COR_DATAGRAM_MAGIC);
    cor_put_be32(at + 4, datagram->stream);
    cor_put_be32(at + 8, datagram->sequence);
    cor_put_be16(at + 12, datagram->last ? COR_DATAGRAM_LAST : 0);
    cor_put_be16(at + 14, 0);
}

// False where the bytes are not a datagram of ours; `datagram` is then left alone.
static inline bool cor_datagram_parse(
    struct cor_datagram *datagram, const uint8_t *at, uint32_t size_bytes) {
    if (size_bytes < COR_DATAGRAM_BYTES || cor_get_be32(at) != COR_DATAGRAM_MAGIC) {
        return false;
    }
    datagram->stream = cor_get_be32(at + 4);
    datagram->sequence = cor_get_be32(at + 8);
    datagram->last = (cor_get_be16(at + 12) & COR_DATAGRAM_LAST) != 0;
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
