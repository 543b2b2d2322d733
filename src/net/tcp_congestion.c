// SPDX-License-Identifier: MIT
#include "net/tcp_congestion.h"

// No window grows beyond this; far above any ring, and far from wrapping.
#define WINDOW_MAX_BYTES (1U << 30)

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

// Specified (RFC 6928 2): min(10 MSS, max(2 MSS, 14600)).
uint32_t cor_tcp_congestion_first(uint32_t mss_bytes) {
    return least(10 * mss_bytes, most(2 * mss_bytes, 14600));
}

void cor_tcp_congestion_init(
    struct cor_tcp_congestion *congestion, uint32_t mss_bytes, bool syn_lost) {
    congestion->mss_bytes = mss_bytes;
    congestion->window_bytes = syn_lost ? mss_bytes : cor_tcp_congestion_first(mss_bytes);
    congestion->threshold_bytes = WINDOW_MAX_BYTES;
    congestion->counted_bytes = 0;
}

void cor_tcp_congestion_acked(
    struct cor_tcp_congestion *congestion,
    uint32_t acked_bytes,
    uint32_t flight_bytes,
    uint32_t growth_max) {
    uint32_t mss = congestion->mss_bytes;

    if (congestion->window_bytes < congestion->threshold_bytes) {
        // In slow start the window doubles in a round trip; the half of it in use is reason enough.
        if (flight_bytes >= congestion->window_bytes / 2) {
            uint32_t room = congestion->threshold_bytes - congestion->window_bytes;

            congestion->window_bytes +=
                least(least(acked_bytes, growth_max * mss), most(room, mss));
        }
    } else if (flight_bytes + mss > congestion->window_bytes) {
        congestion->counted_bytes += acked_bytes;
        if (congestion->counted_bytes >= congestion->window_bytes) {
            congestion->counted_bytes -= congestion->window_bytes;
            congestion->window_bytes += mss;
        }
    }
    congestion->window_bytes = least(congestion->window_bytes, WINDOW_MAX_BYTES);
}

// Specified (RFC 5681 equation 4).
static uint32_t half(const struct cor_tcp_congestion *congestion, uint32_t flight_bytes) {
    return most(flight_bytes / 2, 2 * congestion->mss_bytes);
}

void cor_tcp_congestion_loss(struct cor_tcp_congestion *congestion, uint32_t flight_bytes) {
    congestion->threshold_bytes = half(congestion, flight_bytes);
    congestion->window_bytes = congestion->threshold_bytes;
    congestion->counted_bytes = 0;
}

void cor_tcp_congestion_timeout(
    struct cor_tcp_congestion *congestion, uint32_t flight_bytes, bool again) {
    if (!again) {
        congestion->threshold_bytes = half(congestion, flight_bytes);
    }
    congestion->window_bytes = congestion->mss_bytes;
    congestion->counted_bytes = 0;
}

void cor_tcp_congestion_recovered(struct cor_tcp_congestion *congestion, uint32_t flight_bytes) {
    uint32_t mss = congestion->mss_bytes;

    congestion->window_bytes = least(congestion->threshold_bytes, most(flight_bytes, mss) + mss);
    congestion->counted_bytes = 0;
}

void cor_tcp_congestion_idle(struct cor_tcp_congestion *congestion) {
    congestion->window_bytes =
        least(congestion->window_bytes, cor_tcp_congestion_first(congestion->mss_bytes));
    congestion->counted_bytes = 0;
}

const struct cor_tcp_controller cor_tcp_reno = {
    .init = cor_tcp_congestion_init,
    .acked = cor_tcp_congestion_acked,
    .loss = cor_tcp_congestion_loss,
    .timeout = cor_tcp_congestion_timeout,
    .recovered = cor_tcp_congestion_recovered,
    .idle = cor_tcp_congestion_idle,
};
