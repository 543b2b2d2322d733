// SPDX-License-Identifier: MIT
#include "budget/airtime.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

// Specified, unless said otherwise: IEEE 802.11-2020 clauses 15 to 19 (PPDUs), 10.3 and 10.23
// (access), 9.4.2.28 (EDCA), 10.12 (A-MPDU); 802.11ax clause 27 (HE). 2.4 GHz.
#define SIFS_NS             10000u
#define SLOT_NS             9000u   // short slot
#define SLOT_LONG_NS        20000u  // 802.11b
#define DIFS_SLOTS          2u
#define AIFS_BE_SLOTS       3u  // read from public code: hostapd.conf, wmm_ac_be_aifs
#define AIFS_VI_SLOTS       2u  // read from public code: hostapd.conf, wmm_ac_vi_aifs
#define CW_MIN_BE           15u
#define CW_MIN_VI           7u
#define CW_MIN_B            31u
#define CW_MAX              1023u
#define RETRIES_MAX         7u      // dot11ShortRetryLimit
#define RX_START_DELAY_NS   25000u  // UNSURE: makes the ACK time-out 44 us; 40 to 55 are said
#define SIGNAL_EXTENSION_NS 6000u
#define PPDU_NS_MAX         5484000u  // aPPDUMaxTime, without the signal extension
#define HT_AMPDU_BYTES_MAX  65535u
#define HE_AMPDU_BYTES_MAX  1048575u  // exponent of VHT; HE extends further
#define HT_MPDU_BYTES_MAX   4095u     // inside an A-MPDU
#define HT_WINDOW           64u
#define HE_WINDOW           256u
#define HT_PREAMBLE_NS      36000u  // mixed format, one stream
#define HT_SYMBOL_NS        4000u
#define HT_SYMBOL_SHORT_NS  3600u
#define HE_PREAMBLE_NS      36000u  // legacy 20, RL-SIG 4, HE-SIG-A 8, HE-STF 4
#define HE_LTF_NS           6400u   // 2x LTF, plus the guard interval
#define HE_SYMBOL_NS        12800u
#define HE_GI_SHORT_NS      800u
#define HE_GI_LONG_NS       1600u
#define HE_EXTENSION_NS     8000u  // UNSURE: 0 to 16 us; moves a frame by 8 us at most
#define OFDM_PREAMBLE_NS    20000u
#define OFDM_SYMBOL_NS      4000u
#define DSSS_LONG_NS        192000u
#define DSSS_SHORT_NS       96000u
#define SERVICE_BITS        16u
#define TAIL_BITS           6u

#define QOS_HEADER_BYTES 26u
#define CCMP_BYTES       16u
#define LLC_SNAP_BYTES   8u
#define FCS_BYTES        4u
#define AMSDU_HEAD_BYTES 14u
#define DELIMITER_BYTES  4u
#define ACK_BYTES        14u
#define RTS_BYTES        20u
#define BLOCK_ACK_BYTES  32u

// Data bits a symbol, one spatial stream.
static const unsigned g_bits[] = {24, 36, 48, 72, 96, 144, 192, 216};
static const unsigned ht20_bits[] = {26, 52, 78, 104, 156, 208, 234, 260};
static const unsigned ht40_bits[] = {54, 108, 162, 216, 324, 432, 486, 540};
static const unsigned he20_bits[] = {
    117, 234, 351, 468, 702, 936, 1053, 1170, 1404, 1560, 1755, 1950};
static const unsigned b_kbps[] = {1000, 2000, 5500, 11000};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool aggregates(const struct airtime *air) {
    return air->format >= AIRTIME_HT20;
}

static uint64_t ceil_div(uint64_t value, uint64_t divisor) {
    return (value + divisor - 1) / divisor;
}

static unsigned symbol_bits(const struct airtime *air) {
    switch (air->format) {
    case AIRTIME_G:
        return g_bits[air->mcs];
    case AIRTIME_HT40:
        return ht40_bits[air->mcs];
    case AIRTIME_HE20:
        return he20_bits[air->mcs];
    case AIRTIME_B:
    case AIRTIME_HT20:
    default:
        return ht20_bits[air->mcs];
    }
}

unsigned airtime_mcs_max(enum airtime_format format) {
    switch (format) {
    case AIRTIME_B:
        return COUNT(b_kbps) - 1;
    case AIRTIME_HE20:
        return COUNT(he20_bits) - 1;
    case AIRTIME_G:
    case AIRTIME_HT20:
    case AIRTIME_HT40:
    default:
        return COUNT(ht20_bits) - 1;
    }
}

static bool response_exists(const struct airtime *air) {
    unsigned mbps = air->response_mbps;

    if (air->format == AIRTIME_B) {
        return mbps == 1 || mbps == 2 || mbps == 5 || mbps == 11;
    }
    return mbps == 6 || mbps == 12 || mbps == 24;
}

const char *airtime_check(const struct airtime *air) {
    if (air->mcs > airtime_mcs_max(air->format)) {
        return air->format == AIRTIME_HE20 ? "HE has MCS 0 to 11"
                                           : "HT with one stream has MCS 0 to 7";
    }
    if (!response_exists(air)) {
        return air->format == AIRTIME_B ? "with 802.11b the response rate is 1, 2, 5 or 11 Mbit/s"
                                        : "the response rate is 6, 12 or 24 Mbit/s";
    }
    if (!(air->loss >= 0.0 && air->loss < 1.0) || !(air->busy >= 0.0 && air->busy < 1.0)) {
        return "loss and busy share are 0 or more and less than 1";
    }
    if (air->amsdu > 1 && !aggregates(air)) {
        return "A-MSDU came with 802.11n";
    }
    return NULL;
}

static uint64_t he_gi_ns(const struct airtime *air) {
    return air->gi == AIRTIME_GI_SHORT ? HE_GI_SHORT_NS : HE_GI_LONG_NS;
}

// A symbol with its guard interval.
static uint64_t symbol_ns(const struct airtime *air) {
    switch (air->format) {
    case AIRTIME_HT20:
    case AIRTIME_HT40:
        return air->gi == AIRTIME_GI_SHORT ? HT_SYMBOL_SHORT_NS : HT_SYMBOL_NS;
    case AIRTIME_HE20:
        return HE_SYMBOL_NS + he_gi_ns(air);
    case AIRTIME_B:
    case AIRTIME_G:
    default:
        return OFDM_SYMBOL_NS;
    }
}

double airtime_phy_bps(const struct airtime *air) {
    if (air->format == AIRTIME_B) {
        return b_kbps[air->mcs] * 1e3;
    }
    return symbol_bits(air) * 1e9 / (double)symbol_ns(air);
}

char *airtime_text(char text[AIRTIME_TEXT_SIZE], const struct airtime *air) {
    static const char *const names[] = {"802.11b", "802.11g", "HT20", "HT40", "HE20"};
    const char *gi = air->gi == AIRTIME_GI_SHORT ? "short" : "long";

    if (aggregates(air)) {
        snprintf(text, AIRTIME_TEXT_SIZE, "%s MCS%u %s GI", names[air->format], air->mcs, gi);
    } else {
        double mbps = airtime_phy_bps(air) / 1e6;

        snprintf(text, AIRTIME_TEXT_SIZE, "%s %g Mbit/s", names[air->format], mbps);
    }
    return text;
}

static uint32_t round4(uint32_t bytes) {
    return (bytes + 3u) & ~3u;
}

uint32_t airtime_mpdu_bytes(const struct airtime *air, uint32_t ip_bytes) {
    uint32_t body = LLC_SNAP_BYTES + ip_bytes;

    if (air->amsdu > 1) {
        uint32_t subframe = AMSDU_HEAD_BYTES + body;

        body = (air->amsdu - 1) * round4(subframe) + subframe;
    }
    return QOS_HEADER_BYTES + (air->ccmp ? CCMP_BYTES : 0u) + body + FCS_BYTES;
}

// Bytes of the PSDU: a lone MPDU in HT travels without delimiter; in HE it never does.
static uint32_t psdu_bytes(const struct airtime *air, uint32_t mpdu_bytes, uint32_t count) {
    uint32_t subframe = DELIMITER_BYTES + mpdu_bytes;

    if (air->format == AIRTIME_HE20) {
        return count * round4(subframe);
    }
    return count == 1 ? mpdu_bytes : (count - 1) * round4(subframe) + subframe;
}

static uint64_t dsss_ns(unsigned kbps, bool brief, uint32_t bytes) {
    uint64_t preamble = brief && kbps > 1000 ? DSSS_SHORT_NS : DSSS_LONG_NS;

    return preamble + ceil_div(UINT64_C(8000000) * bytes, kbps);
}

static uint64_t ofdm_ns(unsigned mbps, uint32_t bytes) {
    uint64_t symbols = ceil_div(SERVICE_BITS + UINT64_C(8) * bytes + TAIL_BITS, UINT64_C(4) * mbps);

    return OFDM_PREAMBLE_NS + symbols * OFDM_SYMBOL_NS + SIGNAL_EXTENSION_NS;
}

static uint64_t data_ns(const struct airtime *air, uint32_t bytes) {
    if (air->format == AIRTIME_B) {
        return ceil_div(UINT64_C(8000000) * bytes, b_kbps[air->mcs]);
    }
    // LDPC of HE has no tail bits.
    uint64_t tail = air->format == AIRTIME_HE20 ? 0u : TAIL_BITS;
    uint64_t symbols = ceil_div(SERVICE_BITS + UINT64_C(8) * bytes + tail, symbol_bits(air));
    uint64_t time_ns = symbols * symbol_ns(air);

    if (air->format == AIRTIME_HE20) {
        return time_ns + HE_EXTENSION_NS;
    }
    // An HT PPDU ends on a 4 us boundary (19.4.3).
    return ceil_div(time_ns, HT_SYMBOL_NS) * HT_SYMBOL_NS;
}

static uint64_t preamble_ns(const struct airtime *air) {
    switch (air->format) {
    case AIRTIME_B:
        return air->short_preamble && air->mcs > 0 ? DSSS_SHORT_NS : DSSS_LONG_NS;
    case AIRTIME_G:
        return OFDM_PREAMBLE_NS;
    case AIRTIME_HE20:
        return HE_PREAMBLE_NS + HE_LTF_NS + he_gi_ns(air);
    case AIRTIME_HT20:
    case AIRTIME_HT40:
    default:
        return HT_PREAMBLE_NS;
    }
}

static uint64_t response_ns(const struct airtime *air, uint32_t bytes) {
    if (air->format == AIRTIME_B) {
        unsigned kbps = air->response_mbps == 5 ? 5500 : 1000 * air->response_mbps;

        return dsss_ns(kbps, air->short_preamble, bytes);
    }
    return ofdm_ns(air->response_mbps, bytes);
}

static uint64_t protection_ns(enum airtime_protection protection) {
    switch (protection) {
    case AIRTIME_PROTECTION_CTS_24:
        return ofdm_ns(24, ACK_BYTES) + SIFS_NS;
    case AIRTIME_PROTECTION_RTS_24:
        return ofdm_ns(24, RTS_BYTES) + SIFS_NS + ofdm_ns(24, ACK_BYTES) + SIFS_NS;
    case AIRTIME_PROTECTION_RTS_6:
        return ofdm_ns(6, RTS_BYTES) + SIFS_NS + ofdm_ns(6, ACK_BYTES) + SIFS_NS;
    case AIRTIME_PROTECTION_CTS_11:
        return dsss_ns(11000, true, ACK_BYTES) + SIFS_NS;
    case AIRTIME_PROTECTION_CTS_1:
        return dsss_ns(1000, false, ACK_BYTES) + SIFS_NS;
    case AIRTIME_PROTECTION_NONE:
    default:
        return 0;
    }
}

static uint64_t slot_ns(const struct airtime *air) {
    return air->format == AIRTIME_B ? SLOT_LONG_NS : SLOT_NS;
}

// Stations before 802.11n access by the older rules: DIFS.
static uint64_t aifs_ns(const struct airtime *air) {
    uint64_t slots = DIFS_SLOTS;

    if (aggregates(air)) {
        slots = air->access == AIRTIME_VIDEO ? AIFS_VI_SLOTS : AIFS_BE_SLOTS;
    }
    return SIFS_NS + slots * slot_ns(air);
}

// Mean of attempt k: half of the contention window, which doubles with each failure.
static uint64_t backoff_ns(const struct airtime *air, unsigned attempt) {
    uint64_t cw = air->access == AIRTIME_VIDEO && aggregates(air) ? CW_MIN_VI : CW_MIN_BE;

    if (air->format == AIRTIME_B) {
        cw = CW_MIN_B;
    }
    cw = ((cw + 1) << attempt) - 1;
    return (cw < CW_MAX ? cw : CW_MAX) * slot_ns(air) / 2;
}

// Expected time that failed attempts add to the successful one.
static uint64_t retry_ns(const struct airtime *air, const struct airtime_exchange *terms) {
    double ppdu = (double)(terms->preamble_ns + terms->data_ns + terms->extension_ns);
    double timeout = (double)(SIFS_NS + slot_ns(air) + RX_START_DELAY_NS);
    double chance = 1.0;
    double expected = 0.0;

    if (air->loss <= 0.0) {
        return 0;
    }
    for (unsigned attempt = 0; attempt <= RETRIES_MAX; attempt++) {
        double wait = (double)(terms->aifs_ns + terms->protection_ns + backoff_ns(air, attempt));
        double good = (double)(terms->sifs_ns + terms->response_ns);

        expected += chance * (wait + ppdu + (1.0 - air->loss) * good + air->loss * timeout);
        chance *= air->loss;
    }
    return (uint64_t)llround(expected) - terms->total_ns;
}

struct airtime_exchange airtime_exchange(
    const struct airtime *air, uint32_t ip_bytes, uint32_t count) {
    uint32_t mpdu = airtime_mpdu_bytes(air, ip_bytes);
    struct airtime_exchange terms = {
        .aifs_ns = aifs_ns(air),
        .backoff_ns = backoff_ns(air, 0),
        .protection_ns = protection_ns(air->protection),
        .preamble_ns = preamble_ns(air),
        .data_ns = data_ns(air, psdu_bytes(air, mpdu, count)),
        .extension_ns = air->format == AIRTIME_B ? 0 : SIGNAL_EXTENSION_NS,
        .sifs_ns = SIFS_NS,
        .response_ns = response_ns(air, count == 1 ? ACK_BYTES : BLOCK_ACK_BYTES),
    };

    terms.total_ns = terms.aifs_ns + terms.backoff_ns + terms.protection_ns + terms.preamble_ns +
                     terms.data_ns + terms.extension_ns + terms.sifs_ns + terms.response_ns;
    if (count == 1) {
        terms.retry_ns = retry_ns(air, &terms);
        terms.total_ns += terms.retry_ns;
    }
    return terms;
}

uint32_t airtime_fit(const struct airtime *air, uint32_t ip_bytes, uint32_t wanted) {
    bool he = air->format == AIRTIME_HE20;
    uint32_t window = he ? HE_WINDOW : HT_WINDOW;
    uint32_t bytes_max = he ? HE_AMPDU_BYTES_MAX : HT_AMPDU_BYTES_MAX;
    uint32_t mpdu = airtime_mpdu_bytes(air, ip_bytes);
    uint32_t count = wanted < window ? wanted : window;

    if (air->ampdu_bytes_max != 0 && air->ampdu_bytes_max < bytes_max) {
        bytes_max = air->ampdu_bytes_max;
    }
    if (!aggregates(air) || (!he && mpdu > HT_MPDU_BYTES_MAX)) {
        return 1;
    }
    for (; count > 1; count--) {
        uint32_t bytes = psdu_bytes(air, mpdu, count);
        uint64_t time_ns = preamble_ns(air) + data_ns(air, bytes);

        if (bytes <= bytes_max && time_ns <= PPDU_NS_MAX) {
            break;
        }
    }
    return count > 1 ? count : 1;
}

// `acks` of them in PPDUs of at most the size allowed. A fraction is shared between the two whole
// numbers beside it: one PPDU of data has one ACK more than the next.
static void add_acks(
    const struct airtime *air,
    const struct airtime_load *load,
    double acks,
    struct airtime_cost *cost) {
    struct airtime single = *air;
    uint32_t most = load->ack_count > 1 ? load->ack_count : 1;

    single.amsdu = 1;
    most = airtime_fit(&single, load->ack_ip_bytes, most);
    if (acks <= 1.0 || most == 1) {
        cost->acks = 1;
        cost->ack_exchanges = acks;
    } else if (acks > most) {
        cost->acks = most;
        cost->ack_exchanges = acks / most;
    } else {
        cost->acks = (uint32_t)acks;
        cost->ack_exchanges = 1.0;
    }
    cost->ack = airtime_exchange(&single, load->ack_ip_bytes, cost->acks);
    double each = (double)cost->ack.total_ns;
    double fraction = acks - cost->acks;

    if (cost->ack_exchanges == 1.0 && fraction > 0.0) {
        double next =
            (double)airtime_exchange(&single, load->ack_ip_bytes, cost->acks + 1).total_ns;

        each = (1.0 - fraction) * each + fraction * next;
    }
    if (load->backoff_overlaps) {
        each -= (double)cost->ack.backoff_ns;
    }
    cost->ack_ns = cost->ack_exchanges * each;
}

struct airtime_cost airtime_cost(const struct airtime *air, const struct airtime_load *load) {
    uint32_t amsdu = air->amsdu > 1 ? air->amsdu : 1;
    struct airtime_cost cost = {.count = airtime_fit(air, load->ip_bytes, load->count)};

    cost.data = airtime_exchange(air, load->ip_bytes, cost.count);
    cost.packets = (double)cost.count * amsdu;
    if (cost.count > 1) {
        // A BlockAck names the MPDUs that are missing; only they are sent again.
        cost.packets *= 1.0 - air->loss;
    }
    if (load->ack_every > 0) {
        add_acks(air, load, cost.packets / load->ack_every, &cost);
    }
    cost.packet_ns = ((double)cost.data.total_ns + cost.ack_ns) / cost.packets / (1.0 - air->busy);
    return cost;
}

double airtime_goodput_bps(
    const struct airtime *air, const struct airtime_load *load, uint32_t payload_bytes) {
    return 8e9 * payload_bytes / airtime_cost(air, load).packet_ns;
}
