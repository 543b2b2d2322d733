// SPDX-License-Identifier: MIT
// Air state: what the parts of the air share. Nothing outside twin/air includes this.
//
// channel.c decides who may transmit and when, exchange.c builds a PPDU and settles what became of
// it, flow.c is the queue, the block-ack window and the reordering between one sender and one
// receiver, power_save.c is beacons and sleep, mac.c is the outside, timing.c is arithmetic.
#ifndef TWIN_AIR_AIR_STATE_H
#define TWIN_AIR_AIR_STATE_H

#include "air/table.h"
#include "coradio_twin/air.h"
#include "coradio_twin/unsure.h"

#define TWIN_AIR_MACS_MAX (TWIN_AP_STATIONS_MAX + 1u + TWIN_AIR_NEIGHBOURS_MAX)
// Places in use or once used; the loops go no further.
#define COUNT_OF_MACS(air) ((air)->mac_places)

// One MPDU between its first transmission and its end. frame NULL: acknowledged or given up.
struct twin_mpdu {
    struct twin_frame *frame;
    uint32_t attempts;
};

// Frames from one MAC to another, both ends. Sequence numbers count on without wrapping at 4096:
// they never leave the model, and their differences are below the window.
struct twin_flow {
    struct twin_mac *from;
    struct twin_mac *to;
    // Sender: frames not yet sent, and the window [start, next) of those sent.
    struct twin_frame_queue queue;
    struct twin_mpdu window[TWIN_AIR_WINDOW_MPDUS];
    uint32_t start;
    uint32_t next;
    uint32_t outstanding;  // MPDUs in the window whose end has not come
    // Receiver: the next in order, and those that came before it.
    uint32_t expected;
    struct twin_frame *held[TWIN_AIR_WINDOW_MPDUS];
};

enum twin_ppdu_kind {
    TWIN_PPDU_DATA,
    TWIN_PPDU_GROUP,
    TWIN_PPDU_NULL,
    TWIN_PPDU_BEACON,
    TWIN_PPDU_NEIGHBOUR,
};

struct twin_ppdu {
    enum twin_ppdu_kind kind;
    struct twin_flow *flow;    // data; NULL when its station has left meanwhile
    struct twin_frame *group;  // group frame
    uint32_t count;            // MPDUs
    uint32_t psdu_bytes;
    uint32_t retried;  // MPDUs that were sent before
    uint32_t seq[TWIN_AIR_AMPDU_MPDUS_MAX];
    uint64_t arrived;  // bit i: MPDU i was received
    uint64_t air_ns;
    uint64_t contended_ns;  // idle channel that this access has cost
    bool power_save;        // the PM bit
    bool trigger;           // a null frame that asks for what is buffered
    bool burst;             // a group frame behind a DTIM
    bool dtim;              // of a beacon
};

// Power save of a station, and what its access point believes of it.
struct twin_ps {
    enum twin_pm pm;
    uint64_t sleep_return_ns;
    uint32_t wake_beacons;
    bool wanted;       // the station wants the access point to buffer
    bool told;         // the access point believes that the station sleeps
    bool listening;    // woken for a beacon that has not come yet
    bool trigger;      // has to ask for what is buffered
    bool keep;         // has to be heard
    bool service;      // asked; awake until served
    bool group_wait;   // awake for group frames behind a DTIM
    bool tim;          // the beacon on the air announces frames for it
    uint32_t serving;  // frames the access point still owes of those it had when asked
    uint64_t active_ns;
    struct twin_event timer;
    bool asleep;
    uint64_t asleep_since_ns;
};

struct twin_mac {
    struct twin_air *air;
    uint32_t index;
    struct twin_mac_config config;
    uint32_t ampdu_receive_bytes;
    // Contention.
    uint32_t cw;
    uint32_t cw_max;
    uint32_t slots;     // back-off left, counted from the last end of a busy channel
    bool contending;    // has something to send
    bool sending;       // its PPDU is on the air or waits for the response
    uint64_t ready_ns;  // since when it has something to send
    struct twin_rng backoff;
    struct twin_rng error;
    struct twin_ppdu ppdu;
    // A station: both directions.
    bool associated;
    struct twin_flow up;
    struct twin_flow down;
    struct twin_ps ps;
    struct twin_neighbour *neighbour;  // of another network; NULL: of this one
    // An access point.
    struct twin_frame_queue group;
    uint32_t group_release;  // group frames that the last DTIM has set free
    uint32_t turn;           // station served last
    bool beacon_due;
    uint64_t beacon_interval_ns;  // 0: no beacons
    uint64_t beacon_at_ns;
    uint64_t beacon_number;
    uint32_t dtim_period;
    struct twin_event tbtt;
};

enum twin_channel { TWIN_CHANNEL_IDLE, TWIN_CHANNEL_PPDU, TWIN_CHANNEL_RESPONSE };

struct twin_air {
    struct twin_air_config config;
    struct twin_mac *macs[TWIN_AIR_MACS_MAX];  // NULL: free
    size_t mac_places;
    struct twin_mac *neighbours[TWIN_AIR_NEIGHBOURS_MAX];
    struct twin_signal *signal;  // NULL: the rate and the errors of the config
    struct twin_mac *access_point;
    uint32_t dbps;
    uint8_t mcs_highest;
    uint32_t psdu_bytes_max;  // what fits the longest PPDU
    uint64_t ack_ns;
    uint64_t block_ack_ns;
    uint64_t null_ns;
    enum twin_channel channel;
    uint64_t idle_since_ns;
    bool collided;
    bool silent;
    struct twin_event step;
    struct twin_air_counters counters;
};

// ---- timing.c
void twin_timing_init(struct twin_air *air);
uint64_t twin_timing_ofdm_ns(const struct twin_air *air, uint32_t size_bytes);
uint64_t twin_timing_dsss_ns(const struct twin_air *air, uint32_t size_bytes);
uint32_t twin_timing_subframe_bytes(uint32_t mpdu_bytes);  // padded

// ---- channel.c
// To be called after anything that may change who has something to send.
void twin_channel_contend(struct twin_air *air);
void twin_channel_step(void *context);
void twin_channel_draw(struct twin_mac *mac);

// ---- exchange.c
bool twin_exchange_wanted(const struct twin_mac *mac);
void twin_exchange_build(struct twin_mac *mac);
void twin_exchange_build_burst(struct twin_mac *mac);
// The PPDU has ended undisturbed. Returns how long the channel stays busy with the response or
// with the wait for one. Delivers nothing yet.
uint64_t twin_exchange_end(struct twin_mac *mac);
void twin_exchange_deliver(struct twin_mac *mac);
// The exchange has ended; the channel is idle. Success and failure are told to the sender.
void twin_exchange_settle(struct twin_mac *mac, bool collided);

// ---- flow.c
void twin_flow_init(struct twin_flow *flow, struct twin_mac *from, struct twin_mac *to);
uint32_t twin_flow_count(const struct twin_flow *flow);
// Takes up to count_max MPDUs into the PPDU; at least one where the flow is not empty.
void twin_flow_take(struct twin_flow *flow, struct twin_ppdu *ppdu, uint32_t count_max);
// Whether this attempt is the last one for an MPDU of the PPDU.
bool twin_flow_exhausted(const struct twin_flow *flow, const struct twin_ppdu *ppdu);
// Gives copies of the MPDUs that arrived to the receiver, in order.
void twin_flow_deliver(struct twin_flow *flow, const struct twin_ppdu *ppdu);
// Ends what was acknowledged (bits of `acked`) or has failed too often. Returns how many ended.
uint32_t twin_flow_settle(struct twin_flow *flow, struct twin_ppdu *ppdu, uint64_t acked);
// Gives everything back to its sender, and what the receiver held to the receiver.
void twin_flow_flush(struct twin_flow *flow);
// Gives everything to the pool, telling nobody.
void twin_flow_drop(struct twin_flow *flow);

// ---- mac.c
struct twin_frame *twin_mac_copy(struct twin_air *air, const struct twin_frame *frame);
struct twin_mac *twin_mac_station(const struct twin_air *air, const uint8_t *address);
// The access point drops what it holds for a station.
void twin_mac_flush_down(struct twin_mac *station);

// ---- neighbour.c
bool twin_neighbour_wanted(const struct twin_mac *mac);
void twin_neighbour_build(struct twin_mac *mac);
// True: the exchange is the last of its frame.
bool twin_neighbour_settle(struct twin_mac *mac, bool collided);
void twin_neighbours_free(struct twin_air *air);

// ---- signal.c
void twin_signal_free(struct twin_air *air);

// ---- power_save.c
void twin_ps_init(struct twin_mac *station);
void twin_ps_associated(struct twin_mac *station);
void twin_ps_left(struct twin_mac *station);
// Data has gone or come: the timer starts anew, and in TWIN_PM_FAST the station stays awake.
void twin_ps_active(struct twin_mac *station);
// Puts the radio to sleep or wakes it, as the state demands.
void twin_ps_update(struct twin_mac *station);
// The access point has heard a frame of the station.
void twin_ps_heard(struct twin_mac *station, const struct twin_ppdu *ppdu);
// Frames of the service the station asked for have ended.
void twin_ps_served(struct twin_mac *station, uint32_t count);
bool twin_ps_buffers(const struct twin_air *air);  // group frames wait for a DTIM
void twin_ps_tbtt(void *context);
void twin_ps_beacon_build(struct twin_mac *access_point);
void twin_ps_beacon_end(struct twin_mac *access_point, bool heard);
void twin_ps_group_end(struct twin_mac *access_point);

#endif
