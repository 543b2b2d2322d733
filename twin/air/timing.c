// SPDX-License-Identifier: MIT
// Durations of PPDUs and exchanges, and the goodput bounds that follow from them.
#include "air/air_state.h"

#define MEAN_BACKOFF_NS (TWIN_AIR_CW_MIN * TWIN_AIR_SLOT_NS / 2)
#define UDP_BYTES       1472u
#define TCP_BYTES       1460u
#define IP_BYTES        1500u
#define IP_ACK_BYTES    40u
#define NS_PER_S        UINT64_C(1000000000)

static uint64_t divide_up(uint64_t amount, uint64_t by) {
    return (amount + by - 1) / by;
}

static uint64_t data_ns(const struct twin_air *air, uint32_t psdu_bytes) {
    uint64_t symbols = divide_up(TWIN_AIR_SERVICE_TAIL_BITS + UINT64_C(8) * psdu_bytes, air->dbps);

    if (air->config.gi == TWIN_GI_SHORT) {
        // Symbols of 3.6 us, the sum rounded up to 4 us: 0.9 n symbols of 4 us.
        symbols = divide_up(symbols * 9, 10);
    }
    return symbols * TWIN_AIR_SYMBOL_NS;
}

uint64_t twin_air_ppdu_ns(const struct twin_air *air, uint32_t psdu_bytes) {
    return TWIN_AIR_HT_PREAMBLE_NS + data_ns(air, psdu_bytes) + TWIN_AIR_EXTENSION_NS;
}

uint64_t twin_timing_ofdm_ns(const struct twin_air *air, uint32_t size_bytes) {
    uint64_t symbols = divide_up(
        TWIN_AIR_SERVICE_TAIL_BITS + UINT64_C(8) * size_bytes,
        twin_sim_unsure(air->config.sim)->air_response_dbps);

    return TWIN_AIR_OFDM_PREAMBLE_NS + symbols * TWIN_AIR_SYMBOL_NS + TWIN_AIR_EXTENSION_NS;
}

uint64_t twin_timing_dsss_ns(const struct twin_air *air, uint32_t size_bytes) {
    return TWIN_AIR_DSSS_PREAMBLE_NS +
           UINT64_C(8) * size_bytes * twin_sim_unsure(air->config.sim)->air_dsss_bit_ns;
}

uint32_t twin_timing_subframe_bytes(uint32_t mpdu_bytes) {
    return (TWIN_AIR_DELIMITER_BYTES + mpdu_bytes + 3u) & ~3u;
}

void twin_timing_init(struct twin_air *air) {
    static const uint16_t dbps[] = TWIN_AIR_HT20_DBPS;
    uint64_t symbols = (TWIN_AIR_PPDU_MAX_NS - TWIN_AIR_HT_PREAMBLE_NS) / TWIN_AIR_SYMBOL_NS;

    air->dbps = dbps[air->config.mcs];
    if (air->config.mcs > air->mcs_highest) {
        air->mcs_highest = air->config.mcs;
    }
    if (air->config.gi == TWIN_GI_SHORT) {
        symbols = symbols * 10 / 9;
    }
    air->psdu_bytes_max = (uint32_t)((symbols * air->dbps - TWIN_AIR_SERVICE_TAIL_BITS) / 8);
    air->ack_ns = twin_timing_ofdm_ns(air, TWIN_AIR_ACK_BYTES);
    air->block_ack_ns = twin_timing_ofdm_ns(air, TWIN_AIR_BLOCK_ACK_BYTES);
    air->null_ns = twin_timing_ofdm_ns(air, TWIN_AIR_NULL_BYTES);
}

uint32_t twin_air_mpdu_bytes(const struct twin_air *air, uint32_t ip_bytes) {
    return TWIN_AIR_QOS_HEADER_BYTES + (air->config.ccmp ? TWIN_AIR_CCMP_BYTES : 0) +
           TWIN_AIR_LLC_BYTES + ip_bytes + TWIN_AIR_FCS_BYTES;
}

static uint32_t psdu_bytes(uint32_t mpdu_bytes, uint32_t count) {
    if (count <= 1) {
        return mpdu_bytes;
    }
    return (count - 1) * twin_timing_subframe_bytes(mpdu_bytes) + TWIN_AIR_DELIMITER_BYTES +
           mpdu_bytes;
}

uint64_t twin_air_exchange_ns(const struct twin_air *air, uint32_t ip_bytes, uint32_t count) {
    uint32_t psdu = psdu_bytes(twin_air_mpdu_bytes(air, ip_bytes), count);

    return TWIN_AIR_AIFS_NS + MEAN_BACKOFF_NS + twin_air_ppdu_ns(air, psdu) + TWIN_AIR_SIFS_NS +
           (count <= 1 ? air->ack_ns : air->block_ack_ns);
}

uint32_t twin_air_fit(const struct twin_air *air, uint32_t ip_bytes, uint32_t count) {
    uint32_t mpdu = twin_air_mpdu_bytes(air, ip_bytes);

    if (count > TWIN_AIR_WINDOW_MPDUS) {
        count = TWIN_AIR_WINDOW_MPDUS;
    }
    while (count > 1 && (psdu_bytes(mpdu, count) > air->psdu_bytes_max ||
                         psdu_bytes(mpdu, count) > TWIN_AIR_AMPDU_BYTES_MAX)) {
        count--;
    }
    return count > 1 ? count : 1;
}

uint32_t twin_air_dbps(uint8_t mcs) {
    static const uint16_t dbps[] = TWIN_AIR_HT20_DBPS;

    return dbps[mcs & 7u];
}

// The rate may be a lower one at the moment.
static struct twin_air at_best(const struct twin_air *air) {
    struct twin_air best = *air;

    best.config.mcs = air->mcs_highest;
    twin_timing_init(&best);
    return best;
}

uint64_t twin_air_udp_bound_bps(const struct twin_air *air, uint32_t count) {
    struct twin_air best = at_best(air);

    count = twin_air_fit(&best, IP_BYTES, count);
    return UINT64_C(8) * UDP_BYTES * count * NS_PER_S /
           twin_air_exchange_ns(&best, IP_BYTES, count);
}

static uint64_t acks_ns(const struct twin_air *air, uint32_t count) {
    return count == 0 ? 0 : twin_air_exchange_ns(air, IP_ACK_BYTES, count);
}

uint64_t twin_air_tcp_bound_bps(const struct twin_air *air, uint32_t count, bool ap_aggregates) {
    struct twin_air best = at_best(air);
    uint64_t bits;
    uint64_t ns;

    air = &best;
    count = twin_air_fit(air, IP_BYTES, count);
    // Two PPDUs of data carry `count` ACKs in return.
    bits = UINT64_C(2) * 8 * TCP_BYTES * count;
    ns = 2 * twin_air_exchange_ns(air, IP_BYTES, count);
    if (ap_aggregates) {
        ns += acks_ns(air, count / 2) + acks_ns(air, count - count / 2);
    } else {
        ns += count * acks_ns(air, 1);
    }
    return bits * NS_PER_S / ns;
}
