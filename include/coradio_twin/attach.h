// SPDX-License-Identifier: MIT
// Attach: any driver of a CYW43439 on the chip model, through one call for a gSPI transaction.
//
// A world with everything a driver needs on the other side of its wires: the chip, an access point,
// and behind it a host with a DHCP server that answers ping and serves a TCP and UDP port; or
// frames in and out in place of that host. Time is virtual: it passes by the clocks of each
// transaction and by twin_attach_wait_us(), and nothing else. So a driver that waits in place is
// attached by three functions of its port (transfer, delay, time), one for the power pin and one
// for the line. docs/howto/attach-a-driver.md shows it.
//
// One context. A host (without `frames`) can be there once in a process.
#ifndef CORADIO_TWIN_ATTACH_H
#define CORADIO_TWIN_ATTACH_H

#include "coradio_twin/ap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twin_attach_config {
    uint64_t seed;
    uint64_t start_us;    // virtual time at the start
    uint32_t bus_hz;      // 0: 31.25 MHz
    uint32_t gap_us;      // of the host, before each transaction
    const char *ssid;     // NULL: no network in reach
    const char *key;      // NULL: an open network
    enum twin_auth auth;  // with key
    const char *faults;   // a script (faults.h), NULL: none
    FILE *bus_log;        // one line a transaction, NULL: none
    FILE *chip_log;       // what the model has to say: breaches of rules, joins; NULL: none
    bool strict;          // a breach of a rule ends the program
    // Frames that come out behind the access point, in place of the host; NULL: the host.
    void (*frames)(void *context, const uint8_t *frame, uint32_t size_bytes);
    // What the host's application receives on its port; may be NULL.
    void (*received)(void *context, const uint8_t *data, uint32_t size_bytes);
    void *context;
};

// The host: 10.0.2.2, serves TCP and UDP 5001, and gives 10.0.2.15 by DHCP.
#define TWIN_ATTACH_HOST 0x0A000202u
#define TWIN_ATTACH_GIVE 0x0A00020Fu
#define TWIN_ATTACH_PORT 5001

struct twin_attach;

// NULL: error says why.
struct twin_attach *twin_attach_new(const struct twin_attach_config *config, char error[256]);
void twin_attach_free(struct twin_attach *attach);

// The power pin, WL_REG_ON.
void twin_attach_power(struct twin_attach *attach, bool on);
// One transaction, chip select low to high: all of out is clocked, then in_bytes are clocked in
// (response delay, data and appended status word as they come). Bytes are in wire order, most
// significant bit first; in_bytes may be 0.
void twin_attach_transfer(
    struct twin_attach *attach, const void *out, size_t out_bytes, void *in, size_t in_bytes);
// Level of the line the chip calls with, while chip select is high.
bool twin_attach_line(struct twin_attach *attach);
uint64_t twin_attach_now_us(const struct twin_attach *attach);
void twin_attach_wait_us(struct twin_attach *attach, uint64_t us);
// A frame into the access point from behind; false: too long.
bool twin_attach_frame(struct twin_attach *attach, const void *frame, size_t size_bytes);
// The host connects to a port of the board and sends so many bytes, 0 .. 255 in turn; the
// connection's own end comes with them. false: there is no host, or it sends already.
bool twin_attach_send(struct twin_attach *attach, uint32_t ip, uint16_t port, uint64_t bytes);

struct twin_attach_counters {
    uint64_t transactions;
    uint64_t deviations;  // breaches of the bus's or the protocol's rules
    uint64_t over_credit;
    uint64_t joins;
    uint64_t to_host;     // frames that came out behind the access point
    uint64_t from_host;   // frames that were read by the driver
    uint64_t host_bytes;  // of TCP and UDP payload at the host's port
};

void twin_attach_get_counters(
    const struct twin_attach *attach, struct twin_attach_counters *counters);
// The name of the last breach, NULL: none.
const char *twin_attach_deviation(const struct twin_attach *attach);

#ifdef __cplusplus
}
#endif

#endif
