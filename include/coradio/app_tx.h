// SPDX-License-Identifier: MIT
// TX: sends what a source gives, over TCP or as UDP datagrams, and knows why it stopped.
//
// The source writes straight into the memory the radio sends from. Nothing here waits: poll it
// after the driver has taken frames in and before it pulls the next ones. A failure is kept as the
// status: COR_E_UNREACHABLE (no answer to ARP), COR_E_REFUSED (nobody listens there),
// COR_E_TIMEOUT (no answer at all), COR_E_RESET (the peer has gone), COR_E_SOURCE (the source
// failed or ended early; what it gave before is still delivered).
#ifndef CORADIO_APP_TX_H
#define CORADIO_APP_TX_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/source.h"
#include "coradio/status.h"
#include "coradio/tcp.h"
#include "coradio/udp.h"

#ifdef __cplusplus
extern "C" {
#endif

// Most bytes taken from the source in one poll, so that a poll stays short.
#define COR_APP_TX_POLL_BYTES_MAX 16384
// How soon a source that had nothing is asked again.
#define COR_APP_TX_SOURCE_RETRY_US 1000
// Between two of the datagrams that close a UDP stream.
#define COR_APP_TX_LAST_INTERVAL_US 20000

enum cor_app_tx_state {
    COR_APP_TX_IDLE,
    COR_APP_TX_CONNECTING,
    COR_APP_TX_SENDING,
    COR_APP_TX_CLOSING,  // the source has ended; what it gave is on its way
    COR_APP_TX_DONE,     // all delivered (TCP: acknowledged) and closed; the status may still be
                         // COR_E_SOURCE
    COR_APP_TX_FAILED,   // the connection is gone, the status says why
};

struct cor_app_tx_config {
    struct cor_source *source;
    uint32_t address;  // of the peer, host order
    uint16_t port;
    uint64_t duration_us;  // stop so long after the first payload bit; 0: when the source ends
    // One of the two is set.
    struct cor_tcp *tcp;
    struct cor_udp *udp;
    // UDP only.
    uint16_t payload_bytes;  // of a datagram, header included; a multiple of 4
    uint32_t stream;         // stands in the datagrams, different from run to run
    uint64_t offered_bps;    // payload bits a second; 0: as fast as it goes
};

struct cor_app_tx {
    struct cor_app_tx_config config;
    enum cor_app_tx_state state;
    enum cor_status status;
    uint64_t source_bytes;   // taken from the source
    uint64_t payload_bytes;  // given to the stack: for UDP with the datagram headers
    uint64_t stop_us;        // end by duration, UINT64_MAX: not set
    bool source_waits;       // the source had nothing at the last poll
    // UDP only.
    uint32_t sequence;     // of the next datagram
    uint64_t interval_ns;  // between two datagrams
    uint64_t due_ns;       // of the next one
    uint64_t last_due_us;  // of the next closing datagram
    uint8_t last_count;    // closing datagrams sent
};

void cor_app_tx_init(struct cor_app_tx *app, const struct cor_app_tx_config *config);

// Connects; the network must be up. From then on the state tells.
void cor_app_tx_start(struct cor_app_tx *app, uint64_t now_us);

// Moves bytes and looks at the connection. Returns when it wants to be polled again even if nothing
// happens, UINT64_MAX for never.
uint64_t cor_app_tx_poll(struct cor_app_tx *app, uint64_t now_us);

// The first payload bit has been clocked: the duration counts from here.
void cor_app_tx_first_payload(struct cor_app_tx *app, uint64_t now_us);

// Takes no more from the source and closes in order.
void cor_app_tx_stop(struct cor_app_tx *app, uint64_t now_us);

// True when it is over, one way or the other.
bool cor_app_tx_over(const struct cor_app_tx *app);

#ifdef __cplusplus
}
#endif

#endif
