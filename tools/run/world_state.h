// SPDX-License-Identifier: MIT
// The inside of a world, shared by the files that make it, run it and read it.
#ifndef RUN_WORLD_STATE_H
#define RUN_WORLD_STATE_H

#include "bus_twin.h"
#include "coradio_twin/air.h"
#include "coradio_twin/ap.h"
#include "coradio_twin/board.h"
#include "coradio_twin/cyw43.h"
#include "coradio_twin/faults.h"
#include "coradio_twin/frame.h"
#include "coradio_twin/log.h"
#include "coradio_twin/outside.h"
#include "coradio_twin/peer.h"
#include "coradio_twin/power.h"
#include "coradio_twin/services.h"
#include "coradio_twin/sim.h"
#include "latency.h"
#include "losses.h"
#include "samples.h"
#include "snapshot.h"
#include "world.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "coradio/app_pattern.h"
#include "coradio/app_rx.h"
#include "coradio/app_station.h"
#include "coradio/app_tx.h"
#include "coradio/cyw43.h"
#include "coradio/net.h"
#include "coradio/ping.h"
#include "coradio/tcp.h"
#include "coradio/udp.h"

#define WORLD_FIRMWARE_ROOM (512u << 10)
#define WORLD_NVRAM_ROOM    4096u
#define WORLD_CLM_ROOM      16384u
#define WORLD_UDP_SLOTS     8u

// Counts what the stack builds, between the stack and the driver.
struct world_tap {
    struct cor_frame_source source;  // the driver pulls from here
    struct cor_frame_source *inner;
    struct twin_rng rng;
    uint32_t loss;  // chance that a frame with payload is lost here, --host-loss
    uint64_t lost;
    uint64_t segments;
    uint64_t control_frames;
    uint64_t received;
};

// Stands between driver and bus, and sees each completion before the driver does.
struct world_bus {
    struct cor_bus bus;  // its port is the world
    struct cor_bus_twin twin;
};

struct world_files {
    FILE *bus_log;
    FILE *air_log;
    FILE *chip_log;
    FILE *pcap;
    FILE *power_trace;
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in groups by meaning
struct world {
    const struct run_options *options;
    struct world_faults faults;
    struct cor_source *source;
    uint64_t source_bytes;
    bool check_pattern;

    // The twin.
    struct twin_sim *sim;
    struct twin_frames *frames;
    struct twin_faults *script;
    struct world_files files;
    struct twin_log bus_log;
    struct twin_log air_log;
    struct twin_log chip_log;
    struct twin_air *air;
    struct twin_ap *ap;
    struct twin_cyw43 *chip;
    struct twin_board *board;
    struct twin_power *power;
    struct twin_wire *wire;
    struct twin_peer *peer;          // with --virtual
    struct twin_services *services;  // with --virtual and --address dhcp
    struct twin_slirp *slirp;        // without
    struct twin_outside *outside;    // with --peer
    uint32_t network, address, gateway, target;
    struct twin_event stop_reading;
    struct twin_event silent_air;

    // The firmware.
    uint8_t *images[3];
    struct world_bus bus;
    struct cor_meter meter;
    struct cor_cyw43 radio;
    struct run_radio *radio_side;  // radio.c
    struct world_tap tap;
    struct cor_net net;
    struct run_lwip *lwip;  // with --stack lwip: the stack in its place
    struct cor_dhcp dhcp;
    struct cor_tcp tcp;
    struct cor_udp udp;
    struct cor_ping ping;
    uint8_t *ring;
    uint32_t ping_payload[1472 / 4 + 2];  // the bus clocks whole words
    struct cor_tcp_segment *segments;
    struct cor_udp_slot udp_slots[WORLD_UDP_SLOTS];
    struct cor_station station;
    struct cor_app_tx app;
    bool app_started;
    // Where the board receives, see rx.c.
    struct cor_app_rx rx;
    uint8_t *receive_ring;
    struct twin_peer_sender *sender;
    struct twin_event rx_begin;
    struct cor_pattern rx_pattern;  // what the peer sends
    struct cor_iperf_source rx_iperf;
    struct cor_pattern rx_nothing;  // a source at its end
    uint64_t rx_stop_ns;
    uint32_t rx_sequence;  // of the peer's next datagram
    uint32_t rx_closing;   // closing datagrams sent
    bool rx_sent;          // the peer has sent its last payload
    bool rx_loaded;        // the idle path has been measured
    struct latency idle;
    uint64_t ping_stop_us;
    bool ping_cut_short;

    // The peer's side.
    struct cor_pattern pattern;  // what it should receive
    bool damaged;
    struct sha256 *peer_digest;  // where the source is a file
    uint64_t peer_bytes;         // payload received
    uint64_t peer_datagrams;
    bool peer_closed;
    bool peer_reset;

    // The measurement.
    struct snapshot first;  // at the first payload bit on the bus
    struct snapshot last;   // at the last payload byte at the peer
    struct latency latency;
    struct samples samples;
    uint64_t pings_lost;
    struct losses losses;  // of datagrams with payload
    uint64_t joined_ns;
    uint64_t wall_start_ns;
    uint64_t wall_ns;
    enum world_stage stage;
    enum cor_status status;
    uint64_t progress;  // see pace.c
    uint64_t progress_ns;
    bool over;
    bool stopped;
};

// firmware.c: the poll function and the account of its work.
void firmware_init(struct world *world);

// measure.c: frames the board puts in one aggregate at most, as the chip reads it back; where it
// does not, as it was measured. Never as it was asked for.
uint32_t world_ampdu(const struct world *world);
// measure.c: payload that arrived between the start of the measuring interval and a later look.
uint64_t world_payload_since(const struct world *world, const struct snapshot *now);

// far_side.c: what the peer's application does with what arrives.
void far_side_received(void *context, const uint8_t *data, uint32_t size_bytes);
void far_side_closed(void *context, bool orderly);
// Looks whether the last byte of payload has arrived, and takes the last snapshot then.
void far_side_look(struct world *world);

#endif
