// SPDX-License-Identifier: MIT
// The rate controller: the window follows what the path delivers, not what it loses.
//
// Once a round trip the bytes that arrived in it, over its time, are a sample of the delivery rate.
// The highest of the last two cycles, times the shortest round trip, is what the path holds; the
// window is twice that, so that a path that becomes faster is noticed. There is no pacing: the
// radio's credit paces the frames.
//
//     startup    the window grows by what arrives, until the rate has stopped growing
//     cruise     the window is twice what the path holds
//     look       now and then the window is small for two round trips, to see the shortest one
//
// The idea is that of BBR (draft-ietf-ccwg-bbr), much reduced. Loss counts only where a part of all
// that is sent is lost which random loss does not explain: then a queue overflows.
#include "net/tcp_congestion.h"

#include "coradio/tcp_congestion.h"

// Read from the draft: a rate that grows by less than a quarter in three round trips is the path's;
// the shortest round trip is looked for each 10 s; two times what the path holds.
#define FULL_ROUNDS     3
#define LOOK_AFTER_US   10000000U
#define GAIN            2U
#define LOOK_WINDOW_MSS 4U
// Our choice: round trips in a cycle; what the peer's delayed and the radio's bundled
// acknowledgements need on top; the part that may be lost (of 256), above any air worth using.
#define CYCLE_ROUNDS  5
#define LOOK_ROUNDS   2
#define SPARE_MSS     3U
#define LOSS_PART     40U
#define LOSS_MSS      8U
#define WINDOW_MAX    (1U << 30)
#define RATE_MAX      UINT32_MAX
#define US_PER_SECOND 1000000U

enum phase { STARTUP, CRUISE, LOOK };

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static void rate_init(struct cor_tcp_congestion *congestion, uint32_t mss_bytes, bool syn_lost) {
    cor_tcp_congestion_init(congestion, mss_bytes, syn_lost);
    congestion->rate = (struct cor_tcp_rate_state){.phase = STARTUP};
}

static void rate_acked(
    struct cor_tcp_congestion *congestion,
    uint32_t acked_bytes,
    uint32_t flight_bytes,
    uint32_t growth_max) {
    (void)congestion;
    (void)acked_bytes;
    (void)flight_bytes;
    (void)growth_max;
}

static void rate_loss(struct cor_tcp_congestion *congestion, uint32_t flight_bytes) {
    (void)congestion;
    (void)flight_bytes;
}

// The path may be gone or another: one segment (RFC 5681 3.1), and from there by what arrives.
static void rate_timeout(struct cor_tcp_congestion *congestion, uint32_t flight_bytes, bool again) {
    (void)flight_bytes;
    congestion->window_bytes = congestion->mss_bytes;
    if (again) {
        congestion->rate.rate_bytes_s[0] = 0;
        congestion->rate.rate_bytes_s[1] = 0;
        congestion->rate.full_bytes_s = 0;
        congestion->rate.full_rounds = 0;
        congestion->rate.phase = STARTUP;
    }
}

static void rate_recovered(struct cor_tcp_congestion *congestion, uint32_t flight_bytes) {
    (void)congestion;
    (void)flight_bytes;
}

static void rate_idle(struct cor_tcp_congestion *congestion) {
    congestion->window_bytes =
        least(congestion->window_bytes, cor_tcp_congestion_first(congestion->mss_bytes));
    congestion->rate.round_us = 0;  // a sample over the silence would tell nothing
}

// --- Measures ---

static void note_round_trip(struct cor_tcp_rate_state *rate, const struct cor_tcp_delivery *d) {
    if (d->rtt_us == 0) {
        return;
    }
    if (rate->round_trip_us == 0 || d->rtt_us <= rate->round_trip_us) {
        rate->round_trip_us = d->rtt_us;
        rate->found_us = d->now_us;
    }
    if (rate->phase == LOOK) {
        rate->found_rtt_us =
            rate->found_rtt_us != 0 ? least(rate->found_rtt_us, d->rtt_us) : d->rtt_us;
    }
}

// The rate of the round trip that is over; 0: it tells nothing.
static uint32_t sample(const struct cor_tcp_rate_state *rate, uint64_t now_us) {
    uint64_t took_us = now_us - rate->round_us;

    if (rate->round_us == 0 || took_us == 0 || rate->round_trip_us == 0) {
        return 0;
    }
    // Acknowledgements that come bundled make a round trip seem shorter than any can be.
    took_us = took_us > rate->round_trip_us ? took_us : rate->round_trip_us;
    uint64_t bytes_s = (uint64_t)rate->arrived_bytes * US_PER_SECOND / took_us;
    return bytes_s < RATE_MAX ? (uint32_t)bytes_s : RATE_MAX;
}

static uint32_t highest(const struct cor_tcp_rate_state *rate) {
    return most(rate->rate_bytes_s[0], rate->rate_bytes_s[1]);
}

// A sample that something else than the window held down says only that the path does at least so
// much; it does not age those that say more.
static void note_rate(struct cor_tcp_rate_state *rate, uint32_t bytes_s, bool limited) {
    if (limited && bytes_s <= highest(rate)) {
        return;
    }
    rate->rate_bytes_s[0] = most(rate->rate_bytes_s[0], bytes_s);
    if (rate->phase == CRUISE && ++rate->rounds >= CYCLE_ROUNDS) {
        rate->rounds = 0;
        rate->rate_bytes_s[1] = rate->rate_bytes_s[0];
        rate->rate_bytes_s[0] = bytes_s;
    }
}

// --- The window ---

static void set_target(struct cor_tcp_congestion *congestion) {
    struct cor_tcp_rate_state *rate = &congestion->rate;
    uint64_t holds = (uint64_t)highest(rate) * rate->round_trip_us / US_PER_SECOND;
    uint64_t target = GAIN * holds + SPARE_MSS * congestion->mss_bytes;

    rate->target_bytes = target < WINDOW_MAX ? (uint32_t)target : WINDOW_MAX;
    rate->target_bytes = most(rate->target_bytes, LOOK_WINDOW_MSS * congestion->mss_bytes);
}

// Has a queue overflown in this round trip? Then not more than three quarters of what was tried;
// each round trip without gives a segment back.
static void bound(struct cor_tcp_congestion *congestion) {
    struct cor_tcp_rate_state *rate = &congestion->rate;
    uint32_t mss = congestion->mss_bytes;
    uint32_t allowed = (rate->arrived_bytes + rate->lost_bytes) / 256 * LOSS_PART;

    if (rate->lost_bytes >= LOSS_MSS * mss && rate->lost_bytes > allowed) {
        rate->bound_bytes = most(congestion->window_bytes / 4 * 3, LOOK_WINDOW_MSS * mss);
        congestion->window_bytes = least(congestion->window_bytes, rate->bound_bytes);
        if (rate->phase == STARTUP) {
            rate->phase = CRUISE;
            rate->rounds = 0;
        }
    } else if (rate->bound_bytes != 0) {
        rate->bound_bytes += mss;
        if (rate->phase == CRUISE && rate->bound_bytes >= rate->target_bytes) {
            rate->bound_bytes = 0;
        }
    }
}

static void advance(struct cor_tcp_rate_state *rate, uint64_t now_us, bool limited) {
    switch (rate->phase) {
    case STARTUP:
        if (highest(rate) >= rate->full_bytes_s / 4 * 5 + 1) {
            rate->full_bytes_s = highest(rate);
            rate->full_rounds = 0;
        } else if (!limited && ++rate->full_rounds == FULL_ROUNDS) {
            rate->phase = CRUISE;
            rate->rounds = 0;
        }
        break;
    case CRUISE:
        if (now_us - rate->found_us > LOOK_AFTER_US) {
            rate->phase = LOOK;
            rate->rounds = 0;
            rate->found_rtt_us = 0;
        }
        break;
    default:
        // The first of them still empties the queue.
        if (++rate->rounds > LOOK_ROUNDS && rate->found_rtt_us != 0) {
            rate->round_trip_us = rate->found_rtt_us;
            rate->found_us = now_us;
            rate->phase = CRUISE;
            rate->rounds = 0;
        }
        break;
    }
}

static void end_round(struct cor_tcp_congestion *congestion, const struct cor_tcp_delivery *d) {
    struct cor_tcp_rate_state *rate = &congestion->rate;
    uint32_t bytes_s = sample(rate, d->now_us);
    // While looking, the small window is the limit, and that is no news.
    bool limited = d->limited || rate->phase == LOOK;

    if (bytes_s != 0) {
        note_rate(rate, bytes_s, limited);
    }
    bound(congestion);
    if (bytes_s != 0) {
        advance(rate, d->now_us, limited);
    }
    set_target(congestion);
    rate->round_us = d->now_us;
    rate->arrived_bytes = 0;
    rate->lost_bytes = 0;
}

static void rate_delivered(
    struct cor_tcp_congestion *congestion, const struct cor_tcp_delivery *delivery) {
    struct cor_tcp_rate_state *rate = &congestion->rate;
    uint32_t window = congestion->window_bytes;

    rate->arrived_bytes += delivery->arrived_bytes;
    rate->lost_bytes += delivery->lost_bytes;
    note_round_trip(rate, delivery);
    if (delivery->round_over) {
        end_round(congestion, delivery);
        window = congestion->window_bytes;
    }
    if (rate->phase == LOOK) {
        window = least(window, LOOK_WINDOW_MSS * congestion->mss_bytes);
    } else if (rate->phase == STARTUP) {
        // What holds less than half the window in flight is no reason to grow it.
        bool used = delivery->pipe_bytes + delivery->arrived_bytes >= window / 2;

        window += used ? delivery->arrived_bytes : 0;
    } else {
        window = least(window + delivery->arrived_bytes, rate->target_bytes);
    }
    if (rate->bound_bytes != 0) {
        window = least(window, rate->bound_bytes);
    }
    congestion->window_bytes = least(window, WINDOW_MAX);
}

const struct cor_tcp_controller cor_tcp_rate = {
    .init = rate_init,
    .acked = rate_acked,
    .loss = rate_loss,
    .timeout = rate_timeout,
    .recovered = rate_recovered,
    .idle = rate_idle,
    .delivered = rate_delivered,
};
