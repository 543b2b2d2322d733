// SPDX-License-Identifier: MIT
// Air: one 20 MHz channel at 2.4 GHz with CSMA/CA, and the MACs that contend for it.
//
// Two MACs in the first slice, a station and an access point: EDCA best effort with slot-accurate
// back-off, HT-mixed PPDUs, ACK and BlockAck, A-MPDU, MPDU errors with MAC retries, collisions,
// beacons, and legacy power save with a wake-up interval in beacons. All times are in nanoseconds.
// The constants and their sources stand in one table, twin/air_table.h.
#ifndef CORADIO_TWIN_AIR_H
#define CORADIO_TWIN_AIR_H

#include "coradio_twin/frame.h"
#include "coradio_twin/log.h"
#include "coradio_twin/sim.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twin_air;
struct twin_mac;

enum twin_gi { TWIN_GI_LONG, TWIN_GI_SHORT };

enum twin_pm {
    TWIN_PM_AWAKE,   // never sleeps
    TWIN_PM_LEGACY,  // PM1: sleeps as soon as it has nothing to do
    TWIN_PM_FAST,    // PM2: sleeps after sleep_return_ns of silence
};

struct twin_air_config {
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_log *log;  // air log, may be NULL
    uint8_t mcs;           // 0..7
    enum twin_gi gi;
    bool ccmp;            // WPA2: 16 bytes more a frame
    uint32_t mpdu_error;  // chance in parts per 2^32 (twin_chance()) that an MPDU is not received
};

struct twin_air *twin_air_new(const struct twin_air_config *config);
void twin_air_free(struct twin_air *air);

struct twin_mac_config {
    bool access_point;
    uint8_t address[6];
    uint8_t ampdu_max;      // MPDUs in one PPDU, 1..32; 1 sends single MPDUs with a normal ACK
    uint32_t queue_frames;  // frames it holds; more are refused by twin_mac_send()
    uint32_t retries_max;   // attempts beyond the first before a frame is given up
    void *context;
    // A frame given to send() is done: acknowledged on the air or given up. Ownership comes back.
    void (*sent)(void *context, struct twin_frame *frame, bool acked);
    // A frame from the other side, in order, no duplicates. Ownership passes.
    void (*received)(void *context, struct twin_frame *frame);
};

struct twin_mac *twin_mac_new(struct twin_air *air, const struct twin_mac_config *config);
void twin_mac_free(struct twin_mac *mac);

// Queues a frame for the air. False: the queue is full, and the frame stays with the caller.
bool twin_mac_send(struct twin_mac *mac, struct twin_frame *frame);
uint32_t twin_mac_queued(const struct twin_mac *mac);
void twin_mac_set_ampdu(struct twin_mac *mac, uint8_t ampdu_max);

// Association is decided by the access point (ap.h); the air only carries data of associated pairs
// and beacons. Frames queued at the moment of leaving are given back as not acknowledged.
void twin_mac_set_associated(struct twin_mac *station, bool associated);

// Power save of a station. wake_beacons: wakes for every n-th beacon, at least 1.
void twin_mac_set_pm(
    struct twin_mac *station, enum twin_pm pm, uint64_t sleep_return_ns, uint32_t wake_beacons);
bool twin_mac_asleep(const struct twin_mac *station);

// Starts the access point's beacons. interval in units of 1024 us, dtim_period in beacons.
void twin_mac_start_beacons(
    struct twin_mac *access_point, uint32_t interval_tu, uint32_t dtim_period);

// Totals since the start; readers subtract snapshots.
struct twin_air_counters {
    uint64_t ppdus;     // data PPDUs sent by stations (uplink)
    uint64_t mpdus;     // data MPDUs in them, retries included
    uint64_t retries;   // MPDUs sent again, both directions
    uint64_t given_up;  // MPDUs dropped after the last attempt, both directions
    uint64_t collisions;
    uint64_t downlink_ppdus;
    uint64_t downlink_mpdus;
    uint64_t beacons;
    uint64_t exchange_ns;       // time taken by data exchanges of both sides: AIFS, back-off, PPDU,
                                // SIFS, response
    uint64_t occupied_ns;       // PPDU, SIFS and response alone
    uint64_t station_tx_ns;     // time the station's transmitter was on (for the power model)
    uint64_t station_rx_ns;     // time the station received frames meant for it or beacons
    uint64_t station_sleep_ns;  // time the station's radio slept
};

void twin_air_get_counters(const struct twin_air *air, struct twin_air_counters *counters);

// The closed-form times of the fact sheet, term by term, for tests and for bounds.
// All in nanoseconds, mean back-off of the first attempt.
uint64_t twin_air_ppdu_ns(const struct twin_air *air, uint32_t psdu_bytes);
// Bytes of an MPDU that carries an IP packet of ip_bytes.
uint32_t twin_air_mpdu_bytes(const struct twin_air *air, uint32_t ip_bytes);
// A-MPDU of count equal MPDUs, or a single MPDU with a normal ACK where count is 1.
uint64_t twin_air_exchange_ns(const struct twin_air *air, uint32_t ip_bytes, uint32_t count);
// Goodput bounds in bit/s: UDP of 1472 bytes; TCP of 1460 bytes with one ACK for two segments.
// Count is cut down to what fits the longest PPDU.
uint64_t twin_air_udp_bound_bps(const struct twin_air *air, uint32_t count);
uint64_t twin_air_tcp_bound_bps(const struct twin_air *air, uint32_t count, bool ap_aggregates);

#ifdef __cplusplus
}
#endif

#endif
