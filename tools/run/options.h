// SPDX-License-Identifier: MIT
// Options of `coradio run`: one struct, filled from the command line and checked as a whole.
//
// The types are those of tools/common/options.h; times are nanoseconds, rates bits a second.
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "common/options.h"
#include "coradio_twin/unsure.h"

#include <stdbool.h>
#include <stdint.h>

enum run_app {
    RUN_APP_TCP_TX,
    RUN_APP_UDP_TX,
    RUN_APP_PING,
    RUN_APP_TCP_RX,
    RUN_APP_UDP_RX,
    RUN_APP_TCP_BOTH,
    RUN_APP_IPERF,
};
enum run_pm { RUN_PM_NONE, RUN_PM_PERFORMANCE, RUN_PM_AGGRESSIVE };
enum run_engine { RUN_ENGINE_QUEUED, RUN_ENGINE_SERIAL };
enum run_gi { RUN_GI_LONG, RUN_GI_SHORT };
enum run_auth { RUN_AUTH_OPEN, RUN_AUTH_WPA2, RUN_AUTH_WPA3, RUN_AUTH_WPA2_WPA3 };
enum run_stack { RUN_STACK_CORADIO, RUN_STACK_LWIP };
enum run_address { RUN_ADDRESS_STATIC, RUN_ADDRESS_DHCP };

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order is that of the help text
struct run_options {
    // What runs.
    const char *board;
    int app;  // enum run_app
    const char *source;
    uint64_t bytes;  // 0: no limit
    bool bytes_given;
    uint64_t duration_ns;  // from the first payload bit; 0: no limit
    uint64_t payload_bytes;
    uint64_t offered_bps;  // 0: as fast as it goes
    uint64_t count;        // pings; 0: until the duration is over
    bool count_given;
    uint64_t interval_ns;  // between two pings
    bool interval_given;
    // Where to.
    const char *to;  // HOST:PORT as written
    char host[256];
    uint16_t port;
    bool in_virtual;
    bool iperf_client;      // of tcp-tx: the bytes are those of an iperf client
    const char *peer;       // tap:NAME or dgram:PATH as written; NULL: none
    const char *forward;    // [HOST:]HOSTPORT:PORT as written; NULL: none
    uint32_t forward_host;  // address listened on, host order; 0: all of this machine
    uint16_t forward_host_port;
    uint16_t forward_port;
    // The board.
    double bus_mhz;
    double cpu_mhz;
    int engine;         // enum run_engine
    double segment_us;  // 0: the cost table
    double chip_frame_us;
    uint64_t segment_ns;  // the two above, computed
    uint64_t chip_frame_ns;
    uint64_t credit_window;
    bool credit_window_given;
    bool chip_frame_given;
    bool ap_ampdu_given;
    uint64_t ring_bytes;
    bool ring_given;
    uint64_t receive_ring_bytes;
    int stack;  // enum run_stack
    uint64_t lwip_mem_bytes;
    bool lwip_mem_given;
    uint64_t tcp_wnd_bytes;  // of lwIP: TCP_WND and TCP_SND_BUF
    bool tcp_wnd_given;
    double host_loss;
    uint64_t ack_segments;  // acknowledge every so many at once
    int pm;                 // enum run_pm
    uint64_t listen;
    // The radio's driver.
    bool out_of_spec;
    bool no_irq;
    const char *firmware;  // files; NULL: the twin's synthetic images
    const char *nvram;
    const char *clm;
    const char *firmware_sha256;
    const char *country;
    const char *fw_log;  // where the chip's console goes; NULL: it is not read
    uint64_t fw_log_every_ns;
    // The network.
    const char *ap;  // ssid=,key=,auth= as written
    char ssid[33];
    char key[65];
    char auth_text[12];
    int auth;     // enum run_auth
    int address;  // enum run_address
    uint64_t mcs;
    int gi;  // enum run_gi
    uint64_t ampdu;
    uint64_t ap_ampdu;
    uint64_t dtim;
    double loss;
    uint64_t neighbours;
    double busy;       // share of the time they want
    const char *rssi;  // as written; NULL: the rate and the losses of the options alone
    double rssi_dbm;
    double drift_db;
    double path_loss;
    uint64_t wire_delay_ns;
    uint64_t peer_window;
    uint64_t seed;
    struct option_list twin_set;  // NAME=VALUE as written
    struct twin_unsure unsure;    // the constants the twin takes
    const char *faults;           // a script; NULL: none
    const char *fault;            // lines of one, between semicolons
    uint64_t start_ns;            // virtual time at the start
    // What to print and write.
    const char *json;
    uint64_t samples_ns;  // between two samples; 0: none
    bool watch;
    const char *bus_log;
    const char *air_log;
    const char *chip_log;
    const char *pcap;
    const char *power_trace;
};

// The defaults of the reference page.
void run_options_init(struct run_options *options);

// Fills the struct from the command line and checks it. Returns OPTIONS_GO_ON or an exit code; a
// mistake has been told in one line.
int run_options_parse(struct run_options *options, int argc, char **argv);

// The board listens and the peer opens the connection or sends.
bool run_app_receives(int app);
const char *run_app_name(int app);
const char *run_pm_name(int pm);

#endif
