// SPDX-License-Identifier: MIT
// World: one virtual Pico 2 W from the source of its bytes to the peer, and the run over it.
//
// What is put together here: sim, air, access point, chip model, board, wire and peer from the
// twin; driver, stack and application from the core. The two meet at the bus seam only.
#ifndef RUN_WORLD_H
#define RUN_WORLD_H

#include "options.h"
#include "report.h"
#include "result.h"

#include <stdbool.h>
#include <stdint.h>

#include "coradio/source.h"
#include "coradio/status.h"

struct world;

// How far a run got.
enum world_stage {
    WORLD_BRINGUP,  // the radio comes up
    WORLD_JOIN,
    WORLD_ADDRESS,  // joined, without an address
    WORLD_CONNECT,
    WORLD_TRANSFER,
    WORLD_DONE,
};

// What is wrong with the far side; for tests, all false in a run.
struct world_faults {
    bool peer_absent;  // no host there: ARP stays unanswered
    bool peer_silent;  // answers ARP and nothing else
    bool peer_refuses;
    uint32_t dhcp_lost;     // so many messages of the board the DHCP server does not hear
    const char *wrong_key;  // what the board believes the key to be
    const char *wrong_ssid;
    uint64_t stop_reading_ns;  // the peer's application stops reading then; 0: never
    uint64_t silent_air_ns;    // from then on no frame gets through; 0: never
};

struct world_setup {
    const struct run_options *options;
    struct cor_source *source;  // what the application sends
    uint64_t source_bytes;      // how much that is; 0: not known
    bool pattern;               // the source is the pattern: the peer checks it byte by byte
    const struct world_faults *faults;  // NULL: none
};

// NULL: error[] holds one line that says why.
struct world *world_new(const struct world_setup *setup, char error[256]);
void world_free(struct world *world);

// Called now and then while the world runs, with its own time; false stops it.
typedef bool (*world_watch_fn)(void *context, uint64_t done_bytes, uint64_t now_ns);

// Runs to the end of the transfer, or until it fails or is stopped. With --virtual as fast as it
// can, else in step with the wall clock.
void world_run(struct world *world, world_watch_fn watch, void *context);

struct world_outcome {
    enum world_stage stage;  // WORLD_DONE, or where it ended
    enum cor_status status;
    bool stopped;         // by the watcher
    bool damaged;         // the peer received other bytes than were sent
    bool cut_short;       // the pings' duration was over before any answer or time-out
    bool window_shut;     // the peer's receive window was, at the end
    uint64_t sent_bytes;  // taken from the source
    uint64_t peer_bytes;  // that are known to have arrived
};

void world_outcome(const struct world *world, struct world_outcome *outcome);
void world_result(struct world *world, struct result *result);
void world_effective(const struct world *world, struct report_effective *effective);
// Logs and captures are in their files. false: error[] names the first that is not whole.
bool world_files_flush(struct world *world, char error[256]);

#endif
