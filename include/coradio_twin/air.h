// SPDX-License-Identifier: MIT
// Air: one 20 MHz channel at 2.4 GHz with CSMA/CA, and the MACs that contend for it.
//
// One access point and its stations: EDCA best effort with slot-accurate back-off, HT-mixed PPDUs,
// ACK and BlockAck, A-MPDU, MPDU errors with MAC retries, collisions, beacons, and legacy power
// save with a wake-up interval in beacons. All times are in nanoseconds. The constants and their
// sources stand in one table, twin/air/table.h.
//
// What the model leaves out: ACK and BlockAck are never lost; null frames, group frames and beacons
// are lost to collisions only (they go at robust rates); carrier sense is immediate, so only MACs
// that start at the same instant collide; there is no protection and no hidden station;
// moving the receiver's window past a given-up MPDU takes no time.
//
// The air log has one line a PPDU, written when its exchange has ended:
//
//     SECONDS apN|staN data|group|null|beacon bytes= mpdus= retries= lost= wait_ns= air_ns= pm=
//     RESULT
//
// N is the MAC's number, bytes the PSDU, retries the MPDUs sent before, lost those not received,
// wait_ns the idle channel that the access has cost, pm the power save bit; RESULT is ok, partly
// (some MPDUs lost), no-response (all lost), collision, or left (the station was gone).
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
    uint8_t ampdu_max;      // MPDUs in one PPDU, 1..32; a lone MPDU goes with a normal ACK
    uint32_t queue_frames;  // frames it holds towards one receiver; more are refused; 0: 256
    uint32_t retries_max;   // attempts beyond the first before a frame is given up; 0: 7
    void *context;
    // A frame given to send() is done: acknowledged on the air or given up. Ownership comes back.
    // Called when the response has ended. May call twin_mac_send().
    void (*sent)(void *context, struct twin_frame *frame, bool acked);
    // A frame from the other side, in order, no duplicates. Ownership passes. Called when the PPDU
    // has ended, before the response. May call twin_mac_send().
    void (*received)(void *context, struct twin_frame *frame);
    // Of an access point: a station of this address has sent a frame without data. May be NULL.
    void (*heard)(void *context, const uint8_t *address);
};

struct twin_mac *twin_mac_new(struct twin_air *air, const struct twin_mac_config *config);
void twin_mac_free(struct twin_mac *mac);

// Queues a frame for the air. A station sends everything to its access point; an access point
// sends to the station of the destination address, or to all when it is a group address. False:
// the queue is full or the receiver is not associated, and the frame stays with the caller.
bool twin_mac_send(struct twin_mac *mac, struct twin_frame *frame);
// Frames held, those on the air included.
uint32_t twin_mac_queued(const struct twin_mac *mac);
// Gives the MAC another address; while not associated.
void twin_mac_set_address(struct twin_mac *mac, const uint8_t *address);
void twin_mac_set_ampdu(struct twin_mac *mac, uint8_t ampdu_max);
// The longest A-MPDU this MAC can receive, 2^(13+e)-1 with e = 0..3 (the HT capability; the chip's
// "ampdu_rx_factor" is e). 65535 until set.
void twin_mac_set_ampdu_receive_bytes(struct twin_mac *mac, uint32_t size_bytes);

// Association is decided by the access point (ap.h); the air only carries data of associated pairs
// and beacons. Frames queued at the moment of leaving are given back as not acknowledged, to both
// sides. An access point must exist.
void twin_mac_set_associated(struct twin_mac *station, bool associated);

// Power save of a station. wake_beacons: wakes for every n-th beacon, at least 1. A station asleep
// may send at once. In TWIN_PM_LEGACY it tells the AP with every frame that it sleeps: what comes
// for it waits for the next beacon it wakes for; then it fetches all that was buffered when it
// asked, and sleeps again. In TWIN_PM_FAST it tells the AP that it is awake, and stays so until
// sleep_return_ns have passed without data; sleep_return_ns 0 means the table's 200 ms.
void twin_mac_set_pm(
    struct twin_mac *station, enum twin_pm pm, uint64_t sleep_return_ns, uint32_t wake_beacons);
bool twin_mac_asleep(const struct twin_mac *station);
// Sends a frame without data, so that the access point hears the station.
void twin_mac_send_null(struct twin_mac *station);

// Starts the access point's beacons. interval in units of 1024 us, dtim_period in beacons.
void twin_mac_start_beacons(
    struct twin_mac *access_point, uint32_t interval_tu, uint32_t dtim_period);

// Totals since the start; readers subtract snapshots. Name, unit, what it counts. The kinds of
// time that the channel knows are exchange (data and group frames, also those lost to errors),
// collision, beacon and null frames (not summed here), and idle.
// clang-format off
#define TWIN_AIR_COUNTERS(X)                                                                       \
    X(ppdus,            "1",  "data PPDUs sent by stations (uplink)")                              \
    X(mpdus,            "1",  "data MPDUs in them, retries included")                              \
    X(retries,          "1",  "MPDUs sent again, both directions")                                 \
    X(given_up,         "1",  "MPDUs dropped after the last attempt, both directions")             \
    X(collisions,       "1",  "times that two MACs or more started at the same instant")           \
    X(downlink_ppdus,   "1",  "data PPDUs sent by the access point, group frames included")        \
    X(downlink_mpdus,   "1",  "data MPDUs in them, retries included")                              \
    X(beacons,          "1",  "beacons sent")                                                      \
    X(exchange_ns,      "ns", "data exchanges of both sides: AIFS and back-off as far as they "    \
                              "kept the channel idle, PPDU, SIFS, response or time-out; without "  \
                              "collisions")                                                        \
    X(occupied_ns,      "ns", "of these PPDU, SIFS and response alone")                            \
    X(station_tx_ns,    "ns", "stations' transmitters on: PPDUs and responses")                    \
    X(station_rx_ns,    "ns", "stations receiving frames meant for them, or beacons")              \
    X(station_sleep_ns, "ns", "stations' radios asleep")                                           \
    X(collision_ns,     "ns", "collisions: AIFS, back-off, the longest PPDU, time-out")            \
    X(null_frames,      "1",  "null frames of stations (power save)")                              \
    X(group_missed,     "1",  "group frames that a station slept through")                         \
    X(neighbour_ns,     "ns", "exchanges of other networks, responses included")                   \
    X(neighbour_ppdus,  "1",  "how many")                                                          \
    X(mpdu_dbps,        "bit", "data bits a symbol of the stations' MPDUs, summed")
// clang-format on

struct twin_air_counters {
#define X(name, unit, text) uint64_t name;
    TWIN_AIR_COUNTERS(X)
#undef X
};

void twin_air_get_counters(const struct twin_air *air, struct twin_air_counters *counters);

// Changes the chance that an MPDU is not received (twin_chance()).
void twin_air_set_mpdu_error(struct twin_air *air, uint32_t mpdu_error);

// Another rate from the next PPDU on.
void twin_air_set_mcs(struct twin_air *air, uint8_t mcs);
// Nothing the access point would send is sent, and nothing it would hear is heard.
void twin_air_set_silent(struct twin_air *air, bool silent);

// Other networks on the same channel, up to 8 stations of them, which contend like everybody and
// together want this share of the time (0..1). They get less where the channel is full.
void twin_air_add_neighbours(struct twin_air *air, uint32_t count, double share);
// The signal as the station hears the access point, and the other way round: it decides the rate
// (no higher than the config's) and, with it, how many MPDUs are lost. drift_db: how far it strays
// from there (standard deviation), 0: not at all.
void twin_air_set_signal(struct twin_air *air, double rssi_dbm, double drift_db);
// The MCS in use now, and the highest there was.
uint8_t twin_air_mcs(const struct twin_air *air);
uint8_t twin_air_mcs_highest(const struct twin_air *air);
uint32_t twin_air_dbps(uint8_t mcs);

// The closed-form times of the fact sheet, term by term, for tests and for bounds.
// All in nanoseconds, mean back-off of the first attempt.
uint64_t twin_air_ppdu_ns(const struct twin_air *air, uint32_t psdu_bytes);
// Bytes of an MPDU that carries an IP packet of ip_bytes.
uint32_t twin_air_mpdu_bytes(const struct twin_air *air, uint32_t ip_bytes);
// A-MPDU of count equal MPDUs, or a single MPDU with a normal ACK where count is 1. Without errors
// and collisions. Not cut down; see twin_air_fit().
uint64_t twin_air_exchange_ns(const struct twin_air *air, uint32_t ip_bytes, uint32_t count);
// How many of count equal MPDUs fit the longest PPDU, the longest A-MPDU and the block-ack window.
uint32_t twin_air_fit(const struct twin_air *air, uint32_t ip_bytes, uint32_t count);
// Goodput bounds in bit/s, at the highest rate there was: UDP of 1472 bytes; TCP of 1460 bytes with
// one ACK for two segments, the ACKs of one PPDU in one A-MPDU, or singly where the access point
// does not aggregate. Count is cut down to what fits. Where count is odd, PPDUs with the half ACK
// more and less alternate.
uint64_t twin_air_udp_bound_bps(const struct twin_air *air, uint32_t count);
uint64_t twin_air_tcp_bound_bps(const struct twin_air *air, uint32_t count, bool ap_aggregates);

#ifdef __cplusplus
}
#endif

#endif
