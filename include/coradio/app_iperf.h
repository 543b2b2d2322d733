// SPDX-License-Identifier: MIT
// iperf: what iperf 2 says on the wire, for a board that serves it or is its client.
//
// Read from public code: iperf 2.1.8, include/payloads.h, Client.cpp, Listener.cpp, Server.cpp.
// All fields are big-endian. A TCP client may begin with a header, and its bytes count as data:
//
//     0       4         8      12       16       20       24
//     | flags | threads | port | buffer | window | amount | extension ...
//
// A datagram begins with its number, which is negative in the last, and the time it was sent:
//
//     0        4     8      12        16
//     | id low | sec | usec | id high | flags ...
//
// The server answers the last one with a report of 128 bytes. Neither reverse nor two-way tests nor
// keys are spoken; a client that asks for one is reset.
#ifndef CORADIO_APP_IPERF_H
#define CORADIO_APP_IPERF_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/source.h"
#include "coradio/tcp.h"
#include "coradio/udp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COR_IPERF_PORT         5001
#define COR_IPERF_HEADER_BYTES 24
// The longest header: its length has eight bits.
#define COR_IPERF_HEAD_BYTES_MAX 256
#define COR_IPERF_REPORT_BYTES   128

// The server's side of one test.
struct cor_iperf {
    uint8_t head[COR_IPERF_HEAD_BYTES_MAX];  // the first bytes of the stream
    uint32_t head_bytes;
    uint32_t need_bytes;  // of the header; 4 until its length is known
    bool head_known;      // and dealt with
    bool declined;        // the client asked for what is not spoken
    // UDP.
    bool begun;
    bool over;  // the last datagram has come
    uint64_t first_us;
    uint64_t last_us;
    int64_t expected;
    uint64_t bytes;
    uint64_t datagrams;
    uint64_t lost;
    uint64_t out_of_order;
    int64_t transit_us;
    uint64_t jitter_16;  // sixteenths of a microsecond
};

void cor_iperf_init(struct cor_iperf *iperf);

// Bytes of a TCP stream, in order. Answers a client that asks for the version, and sets `declined`.
void cor_iperf_stream(
    struct cor_iperf *iperf,
    struct cor_tcp *tcp,
    const uint8_t *data,
    uint32_t size_bytes,
    uint64_t now_us);

// A datagram. True: it was the last, or once more the last, and a report is to be sent.
bool cor_iperf_datagram(struct cor_iperf *iperf, const struct cor_udp_datagram *datagram);
// The answer to the last datagram, whose first 16 bytes are given.
void cor_iperf_report(
    const struct cor_iperf *iperf, const uint8_t *last, uint8_t into[COR_IPERF_REPORT_BYTES]);

// The client's side over TCP: a source for app_tx.h that begins with the header. size_bytes
// UINT64_MAX: until the sender stops, told as the time of 10 s that iperf itself takes.
struct cor_iperf_source {
    struct cor_source source;  // hand this one to the application
    uint64_t left_bytes;
    uint64_t at_bytes;
    uint8_t header[COR_IPERF_HEADER_BYTES];
};

void cor_iperf_source_init(struct cor_iperf_source *source, uint64_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif
