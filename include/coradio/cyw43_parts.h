// SPDX-License-Identifier: MIT
// CYW43 parts: the pieces of the driver's memory (cyw43_state.h), one for each of its concerns.
//
// For the driver only.
#ifndef CORADIO_CYW43_PARTS_H
#define CORADIO_CYW43_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "coradio/cyw43_config.h"
#include "coradio/radio.h"
#include "coradio/span.h"
#include "coradio/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Name and value of a request of the caller.
#define COR_CYW43_REQUEST_BYTES_MAX 160
// Groups the chip's filter holds (read from public code).
#define COR_CYW43_GROUPS_MAX 10

struct cor_cyw43_step;

// Which clock and sampling the bus is being proved at.
struct cor_cyw43_proof {
    const struct cor_cyw43_step *step;  // where the running proof begins, NULL: none runs
    int32_t hz;                         // asked for
    uint8_t tried;                      // samplings, one bit each
    uint8_t failures;                   // at this sampling
    uint8_t rates;                      // slower ones tried
    bool awake;                         // the chip has answered
    bool exhausted;                     // all samplings and rates have failed
    uint64_t until_us;                  // it may be waking up as long
    uint64_t fallbacks_before;
};

// What is asked of the chip outside of start and join, one thing at a time.
struct cor_cyw43_jobs {
    uint32_t wanted;  // one bit each
    uint8_t running;  // the one begun last, 0: none yet
    bool request_taken;
    bool request_sent;
    // The caller's.
    uint16_t request_command;
    uint16_t request_bytes;  // name, value, and room for the reply
    bool request_set;
    void (*request_done)(
        void *context, enum cor_status status, int32_t chip_status, struct cor_span reply);
    void *request_context;
    uint8_t request[COR_CYW43_REQUEST_BYTES_MAX];
};

struct cor_cyw43_scanning {
    bool active;
    bool passive;
    bool started;  // the chip has taken it
    uint8_t channel;
    uint16_t sync;
    uint64_t deadline_us;
    char ssid[COR_SSID_BYTES_MAX + 1];
    void (*found)(void *context, const struct cor_network *network);
    void (*done)(void *context, enum cor_status status);
    void *context;
};

// Settings that are set again after a rebuild.
struct cor_cyw43_kept {
    uint8_t groups[COR_CYW43_GROUPS_MAX][6];
    uint8_t group_count;
    bool groups_all;
    bool groups_set;
    uint32_t gpio_mask;
    uint32_t gpio_levels;
};

// The chip's console: a ring in its memory, found by way of a pointer.
struct cor_cyw43_console {
    uint32_t address;  // of what is looked at: the shared area, then the console
    uint32_t ring;
    uint32_t ring_bytes;
    uint32_t at;    // next byte to read
    uint32_t head;  // where the firmware writes next
    uint64_t due_us;
    uint16_t taken;  // bytes in this look
    uint8_t phase;
    bool found;
    bool reading;
    bool broken;  // what was read cannot be true
};

// The ladder: from the first sign of trouble to a rebuild.
struct cor_cyw43_ladder {
    uint64_t stall_since_us;  // the chip takes nothing since, 0: it does
    uint64_t heard_us;        // last frame whose check passed, or pattern read
    uint64_t check_due_us;
    uint64_t ready_us;      // last time a start succeeded
    uint64_t retry_due_us;  // the next rebuild begins
    uint32_t pause_us;      // before the one after that
    uint32_t attempt;
    enum cor_status why;  // of a rebuild that is due
    uint8_t rung;
    uint8_t checks_bad;  // in a row
    uint8_t timeouts;    // requests without reply, in a row
    bool checking;
    bool rebuild_due;
    bool was_ready;    // since start()
    bool rejoin;       // when it is up again
    bool credit_anew;  // the next credit is believed even if it goes back
};

// A join and what becomes of it.
struct cor_cyw43_joining {
    char ssid[COR_SSID_BYTES_MAX + 1];
    char key[COR_KEY_BYTES_MAX + 1];
    enum cor_auth auth;
    uint8_t bssid[6];
    uint8_t channel;
    bool pinned;
    bool keep;
    bool proved;   // it has joined with these once
    bool due;      // the script begins when the one before has ended
    bool again;    // and it is one more attempt of the same join
    bool sae;      // the firmware has taken the password
    bool leaving;  // the join has failed, the chip is told to stop trying
    bool link_up;
    bool ssid_set;
    bool keyed;
    bool associated;
    enum cor_status result;  // COR_OK: not decided
    enum cor_status hint;    // what the result will be if the chip ends the attempt now
    uint32_t code;           // 802.11 status code of the last refusal
    uint8_t attempts;
    uint32_t pause_us;  // before the attempt after the next
    uint64_t deadline_us;
    uint64_t retry_due_us;
    enum cor_link_cause cause;
    uint32_t cause_code;
    // Liveness: what the chip had counted when it was asked last.
    uint64_t joined_us;
    uint64_t checked_us;
    uint32_t tx_good, tx_bad;
    uint8_t bad_checks;
    bool counted;
};

#ifdef __cplusplus
}
#endif

#endif
