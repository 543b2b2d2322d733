// SPDX-License-Identifier: MIT
// World: the stack under test, a clock that only the script moves, and the frames it has sent.
//
// The radio takes every frame the moment the stack has it, and each is kept with its time, so that
// "too early" and "too late" are told apart to the microsecond. While the radio is busy nothing is
// taken, as on a bus without credit.
#ifndef CONFORMANCE_WORLD_H
#define CONFORMANCE_WORLD_H

#include "script.h"
#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

#include "coradio/net.h"
#include "coradio/tcp.h"
#include "coradio/tcp_listen.h"

#define WORLD_FRAMES     512
#define WORLD_RING_BYTES 131072
#define WORLD_SEGMENTS   256
#define WORLD_TEXT_BYTES 768

// Memory for a connection.
struct world_block {
    struct cor_tcp tcp;
    struct cor_tcp_segment segments[WORLD_SEGMENTS];
    uint32_t ring[WORLD_RING_BYTES / 4];
    uint8_t receive_ring[WORLD_RING_BYTES];
    struct world *world;
    bool begun;  // tcp is initialised
};

// One connection: our end of it, and what the script knows of the peer's.
struct world_end {
    struct cor_tcp *tcp;  // NULL: not connected and not accepted
    struct cor_tcp_config config;
    struct segment_ends ends;
    bool fresh;           // our first sequence number is not known
    bool received_wrong;  // a byte differed from what the peer sent
    uint32_t written_bytes;
    uint32_t received_bytes;
    uint32_t time_value;  // the last of our timestamps
};

struct world_frame {
    uint64_t at_us;
    uint32_t size_bytes;
    uint8_t bytes[1600];
};

struct world {
    struct cor_net net;
    struct cor_net_config net_config;
    uint64_t start_us;
    uint64_t now_us;
    bool running;
    bool radio_busy;
    bool arp_by_hand;
    bool iss_wanted;
    uint32_t iss;
    uint32_t first;  // oldest frame not yet looked at
    uint32_t count;
    struct world_frame frames[WORLD_FRAMES];
    struct world_end ends[SCRIPT_ENDS];
    struct world_block blocks[SCRIPT_ENDS];
    struct cor_tcp *block_list[SCRIPT_ENDS];  // for the listener
    struct cor_tcp_listener listener;
    struct cor_tcp_listen_config listen_config;
    int32_t listen_status;
    bool listening;
    char wrong[WORLD_TEXT_BYTES];  // what went wrong, for the report
};

void world_init(struct world *world);

// All of these return false when something went wrong, with the text in world->wrong.
bool world_wrong(struct world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Settings are taken before the first step that is none.
bool world_set(struct world *world, uint32_t end, const char *name, int64_t value);
bool world_run(struct world *world);
bool world_begin(struct world *world, struct world_end *end);
// Gives all blocks that are not used to a listener on the end's port; world->listen_status is what
// the call returned.
bool world_listen(struct world *world, struct world_end *end);
// The connection of an end: its own, or the one that a listener has with its peer. NULL: none.
struct cor_tcp *world_tcp(struct world *world, const struct world_end *end);
// Compares what the application got with what the peer sent.
void world_received(struct world_end *end, const uint8_t *data, uint32_t size_bytes);
bool world_settle(struct world *world);
// Moves the clock, and runs what is due on the way at its time. Stops at the first frame where
// until_frame is set.
bool world_advance(struct world *world, uint64_t to_us, bool until_frame);
bool world_give(struct world *world, const struct world_end *end, const struct segment *segment);

struct world_frame *world_oldest(struct world *world);
void world_drop_oldest(struct world *world);
// The connection whose peer a frame goes to, or NULL.
struct world_end *world_end_of(struct world *world, const struct world_frame *frame);
// Learns what a frame tells of our side, takes it apart and checks the general rules. Returns NULL,
// or what is wrong.
const char *world_parse(
    struct world_end *end, const struct world_frame *frame, struct segment *segment);

#endif
