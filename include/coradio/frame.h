// SPDX-License-Identifier: MIT
// Frame contract: where the stack (net) and a chip driver (chip) meet.
//
// The radio pulls. When the chip has granted credit and the bus is about to be free, the driver
// asks the frame source for the next frame; the source writes the frame's headers into the block
// the driver lends and points at the application's own bytes. Nothing is queued in between, so
// nothing can overflow there, and the decision what to send is taken at the last moment.
// Frames are Ethernet II without FCS. Everything here is called from the one context that polls.
#ifndef CORADIO_FRAME_H
#define CORADIO_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/meter.h"
#include "coradio/span.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Largest Ethernet frame without FCS: 14 + 1500.
#define COR_FRAME_BYTES_MAX 1514
// Pieces of payload after the header block: a ring that wraps gives two.
#define COR_FRAME_PIECES_MAX 2
// Room a source has for the headers of one frame, Ethernet to transport with options.
#define COR_FRAME_HEAD_BYTES_MAX 96

// One frame to send, lent by the driver to pull().
struct cor_frame_tx {
    // In: room for head_room_bytes at an address that is 2 modulo 4, so that the IP header behind
    // 14 bytes of Ethernet is 4-aligned and payload behind 54 or 42+.. bytes can be word aligned.
    uint8_t *head;
    uint16_t head_room_bytes;
    // Out:
    uint16_t head_bytes;                           // bytes written to head
    struct cor_span pieces[COR_FRAME_PIECES_MAX];  // payload; see the alignment rule in bus.h
    uint8_t piece_count;                           // 0: the whole frame is in head
    uint16_t payload_bytes;                        // bytes of the application, for the meter
    uint32_t token;                                // comes back in sent()
    enum cor_meter_state blocked;                  // with COR_AGAIN: why (source .. no_buffer)
};

struct cor_frame_source;

struct cor_frame_source_ops {
    // COR_OK: tx is filled and will be sent. COR_AGAIN: nothing may go now, tx->blocked says why.
    // A frame given here stands in no queue but the bus's: its pieces stay unchanged until sent().
    enum cor_status (*pull)(
        struct cor_frame_source *source, uint64_t now_us, struct cor_frame_tx *tx);
    // The last bit of the frame has left for the chip; the pieces may change again.
    void (*sent)(struct cor_frame_source *source, uint64_t now_us, uint32_t token);
    // A received frame, valid during the call only, at an address that is 2 modulo 4 (so that IP
    // is 4-aligned). The source may change its bytes. Returns how many of them are bytes of the
    // application, for the meter.
    uint32_t (*input)(
        struct cor_frame_source *source, uint64_t now_us, uint8_t *frame, uint32_t size_bytes);
    // The radio link came up or went down.
    void (*link)(struct cor_frame_source *source, uint64_t now_us, bool up);
};

struct cor_frame_source {
    const struct cor_frame_source_ops *ops;
};

#ifdef __cplusplus
}
#endif

#endif
