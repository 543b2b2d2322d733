// SPDX-License-Identifier: MIT
// RX: takes what a peer sends, over one TCP connection or as datagrams, and counts it; if asked,
// checks that it is the pattern, and sends what a source gives at the same time.
//
// It listens: the peer opens the connection. Nothing here waits: poll it after the driver has taken
// frames in. Data is looked at where it lies in the receive ring, and its room given back at once.
#ifndef CORADIO_APP_RX_H
#define CORADIO_APP_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/app_iperf.h"
#include "coradio/app_pattern.h"
#include "coradio/source.h"
#include "coradio/status.h"
#include "coradio/tcp.h"
#include "coradio/tcp_listen.h"
#include "coradio/udp.h"

#ifdef __cplusplus
extern "C" {
#endif

// Most bytes taken in one poll, each way, so that a poll stays short.
#define COR_APP_RX_POLL_BYTES_MAX 32768
// After the last datagram of an iperf test, which is repeated until it is answered.
#define COR_APP_RX_SILENCE_US 250000
// How soon a source that had nothing is asked again.
#define COR_APP_RX_SOURCE_RETRY_US 1000

enum cor_app_rx_state {
    COR_APP_RX_IDLE,
    COR_APP_RX_LISTENING,
    COR_APP_RX_RECEIVING,
    COR_APP_RX_CLOSING,  // the peer has ended; what we send is on its way
    COR_APP_RX_DONE,
    COR_APP_RX_FAILED,  // the status says why
};

struct cor_app_rx_config {
    struct cor_net *net;
    uint16_t port;
    // One of the two is set; for iperf both may be. The TCP block has a receive ring.
    struct cor_tcp *tcp;
    struct cor_udp *udp;
    bool verify;  // what comes is the pattern
    bool iperf;   // the peer is iperf 2: its header is heeded, its last datagram answered
    // TCP only: what is sent the other way; NULL: nothing.
    struct cor_source *source;
};

struct cor_app_rx {
    struct cor_app_rx_config config;
    enum cor_app_rx_state state;
    enum cor_status status;
    struct cor_tcp_listener listener;
    struct cor_tcp *blocks[1];
    struct cor_pattern pattern;
    struct cor_iperf iperf;
    uint64_t received_bytes;  // payload; of datagrams with their headers
    uint64_t source_bytes;    // taken from the source
    uint64_t damaged_at;      // the first place where the pattern was wrong; UINT64_MAX: none
    bool source_ended;
    // UDP only.
    uint64_t close_us;  // when silence ends an iperf test
    uint32_t stream;
    uint32_t part_bytes;  // payload of a full datagram
    uint64_t datagrams;
    uint64_t missing;     // numbers skipped, less those that came late
    uint32_t expected;    // the next number
    uint32_t last_total;  // as the sender says at the end
    bool stream_known;
};

void cor_app_rx_init(struct cor_app_rx *app, const struct cor_app_rx_config *config);

// Listens; the network must be up. From then on the state tells.
void cor_app_rx_start(struct cor_app_rx *app, uint64_t now_us);

// Takes and gives bytes, and looks at the connection. Returns when it wants to be polled again even
// if nothing happens, UINT64_MAX for never.
uint64_t cor_app_rx_poll(struct cor_app_rx *app, uint64_t now_us);

// For the socket's receive callback, with the app as context.
void cor_app_rx_datagram(void *app, const struct cor_udp_datagram *datagram);

bool cor_app_rx_over(const struct cor_app_rx *app);

#ifdef __cplusplus
}
#endif

#endif
