// SPDX-License-Identifier: MIT
// Airtime: how long exchanges take on a 2.4 GHz channel, in closed form, term by term.
//
// One spatial stream, EDCA, mean back-off of each attempt, control responses at one rate. It is a
// bound for one sender: no collisions, no hidden stations. The tools' own arithmetic; the twin's
// air has its own, and a test compares the two.
#ifndef TOOLS_BUDGET_AIRTIME_H
#define TOOLS_BUDGET_AIRTIME_H

#include <stdbool.h>
#include <stdint.h>

enum airtime_format {
    AIRTIME_B,  // DSSS and CCK
    AIRTIME_G,  // non-HT OFDM
    AIRTIME_HT20,
    AIRTIME_HT40,
    AIRTIME_HE20,
};

enum airtime_gi {
    AIRTIME_GI_LONG,   // HT 0.8 us; HE 1.6 us
    AIRTIME_GI_SHORT,  // HT 0.4 us; HE 0.8 us
};

// What is sent before each exchange to keep older stations off the channel.
enum airtime_protection {
    AIRTIME_PROTECTION_NONE,
    AIRTIME_PROTECTION_CTS_24,  // CTS-to-self at 24 Mbit/s
    AIRTIME_PROTECTION_RTS_24,  // RTS and CTS at 24 Mbit/s
    AIRTIME_PROTECTION_RTS_6,
    AIRTIME_PROTECTION_CTS_11,  // CTS-to-self at 11 Mbit/s, short preamble
    AIRTIME_PROTECTION_CTS_1,   // CTS-to-self at 1 Mbit/s, long preamble
};

enum airtime_access {
    AIRTIME_BEST_EFFORT,
    AIRTIME_VIDEO,
};

struct airtime {
    enum airtime_format format;
    unsigned mcs;  // HT 0..7, HE 0..11; G: 0..7 is 6..54 Mbit/s; B: 0..3 is 1, 2, 5.5, 11 Mbit/s
    enum airtime_gi gi;      // HT and HE
    bool ccmp;               // WPA2: 16 bytes more a frame
    unsigned response_mbps;  // of ACK and BlockAck: 6, 12 or 24; with B 1, 2, 5 (is 5.5) or 11
    enum airtime_protection protection;
    enum airtime_access access;
    unsigned amsdu;            // IP packets in one MPDU; 0 is 1
    bool short_preamble;       // B only
    double loss;               // chance that an MPDU is not received, 0 <= loss < 1
    double busy;               // share of the channel that others take, 0 <= busy < 1
    uint32_t ampdu_bytes_max;  // longest A-MPDU the receiver takes; 0: the standard's
};

// The terms of one exchange, in nanoseconds; they sum to total_ns.
struct airtime_exchange {
    uint64_t aifs_ns;
    uint64_t backoff_ns;
    uint64_t protection_ns;
    uint64_t preamble_ns;
    uint64_t data_ns;
    uint64_t extension_ns;
    uint64_t sifs_ns;
    uint64_t response_ns;
    uint64_t retry_ns;  // expected time of failed attempts of a lone MPDU, their back-off included
    uint64_t total_ns;
};

// A stream of equal packets and, with TCP, of the ACKs that come back.
struct airtime_load {
    uint32_t ip_bytes;      // of a data packet
    uint32_t count;         // MPDUs in one PPDU, cut down to what fits
    uint32_t ack_every;     // packets for one TCP ACK; 0: none (UDP)
    uint32_t ack_ip_bytes;  // 40, or 52 with timestamps
    uint32_t ack_count;     // ACKs the access point sends in one PPDU at most; 1: each alone
    bool backoff_overlaps;  // the two sides count down at the same time
};

// What the stream costs for each PPDU of data.
struct airtime_cost {
    uint32_t count;                // MPDUs in it, after cutting
    double packets;                // IP packets that arrive by it: count * amsdu, less what is lost
    struct airtime_exchange data;  // the PPDU of data and its response
    struct airtime_exchange ack;   // one PPDU of TCP ACKs and its response
    uint32_t acks;                 // TCP ACKs in `ack`
    double ack_exchanges;          // how many such for one PPDU of data
    double ack_ns;                 // what they add to it
    double packet_ns;  // all of it, for one IP packet, on a channel shared as `busy` says
};

// NULL when the combination exists, else what is wrong with it.
const char *airtime_check(const struct airtime *air);

// The PHY's rate in bit/s.
double airtime_phy_bps(const struct airtime *air);

// The highest value of mcs in this format.
unsigned airtime_mcs_max(enum airtime_format format);

// "HT20 MCS7 short GI", "802.11g 54 Mbit/s".
#define AIRTIME_TEXT_SIZE 48
char *airtime_text(char text[AIRTIME_TEXT_SIZE], const struct airtime *air);

// Bytes of the MPDU that carries air->amsdu IP packets of ip_bytes.
uint32_t airtime_mpdu_bytes(const struct airtime *air, uint32_t ip_bytes);

// One PPDU of `count` equal MPDUs and its response; 1 is a single MPDU with a normal ACK.
struct airtime_exchange airtime_exchange(
    const struct airtime *air, uint32_t ip_bytes, uint32_t count);

// The largest count up to `wanted` that the limits of a PPDU allow; at least 1.
uint32_t airtime_fit(const struct airtime *air, uint32_t ip_bytes, uint32_t wanted);

struct airtime_cost airtime_cost(const struct airtime *air, const struct airtime_load *load);

// Goodput bound in bit/s when each packet carries payload_bytes.
double airtime_goodput_bps(
    const struct airtime *air, const struct airtime_load *load, uint32_t payload_bytes);

#endif
