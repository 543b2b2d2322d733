// SPDX-License-Identifier: MIT
// RACK (RFC 8985 6): a segment is lost when one that was sent later has arrived and the time that
// the path may have reordered them by has passed.
//
//     sent:     1   2   3   4        arrived: 4 at T. 1, 2, 3 are lost at
//               |---|---|---|        sent + rtt of 4 + reordering window
//
// The window is a quarter of the shortest round trip, and nothing once three segments have
// arrived out of order on a path that was never seen to reorder; each round trip with a DSACK,
// which tells of a segment sent again in vain, widens it, up to the smoothed round trip.
#include "net/tcp_parts.h"

// Specified (RFC 8985 6.2: DupThresh, persist, and the parts of the window).
#define OUT_OF_ORDER_MAX 3
#define PERSIST          16
#define WINDOW_PARTS     4
#define MULTIPLIER_MAX   250
// Steps of the clock of timestamps, by which an answer is known to be to an earlier sending.
#define CLOCK_US 2048U
// A frame that waits for the bus is looked at again; our choice.
#define HELD_US 1000

// Was a segment sent after another? What was sent at the same time goes by its place.
static bool sent_after(uint32_t a_us, uint32_t a_end, uint32_t b_us, uint32_t b_end) {
    return cor_seq_before(b_us, a_us) || (a_us == b_us && cor_seq_before(b_end, a_end));
}

void cor_tcp_rack_init(struct cor_tcp *tcp) {
    tcp->rack.rtt_us = 0;
    tcp->rack.farthest = tcp->snd_una;
}

void cor_tcp_rack_arrived(
    struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_segment *segment) {
    struct cor_tcp_rack *rack = &tcp->rack;
    uint32_t end = cor_tcp_segment_end(segment);
    uint32_t rtt_us = (uint32_t)now_us - segment->sent_us;

    if ((segment->flags & COR_TCP_SEGMENT_AGAIN) != 0) {
        // Too fast an answer is one to what was sent before.
        if (rtt_us < tcp->rtt.min_us || cor_tcp_times_age_us(tcp, now_us) > rtt_us + CLOCK_US) {
            return;
        }
        tcp->doubt.again_arrived = true;
    } else {
        // By what was known before this acknowledgement: it may tell of several in any order.
        rack->reordered |= cor_seq_before(end, rack->farthest_told);
    }
    rack->farthest = cor_seq_latest(rack->farthest, end);
    if (rack->rtt_us == 0 || sent_after(segment->sent_us, end, rack->sent_us, rack->end_seq)) {
        rack->sent_us = segment->sent_us;
        rack->end_seq = end;
        rack->rtt_us = rtt_us != 0 ? rtt_us : 1;
    }
}

void cor_tcp_rack_dsack(struct cor_tcp *tcp) {
    struct cor_tcp_rack *rack = &tcp->rack;

    rack->reordered = true;
    if (rack->dsack_open && cor_seq_before(tcp->snd_una, rack->dsack_round)) {
        return;
    }
    rack->dsack_open = true;
    rack->dsack_round = tcp->snd_nxt;
    if (rack->multiplier < MULTIPLIER_MAX) {
        rack->multiplier++;
    }
    rack->persist = PERSIST;
}

void cor_tcp_rack_recovered(struct cor_tcp *tcp) {
    struct cor_tcp_rack *rack = &tcp->rack;

    if (rack->persist != 0 && --rack->persist == 0) {
        rack->multiplier = 0;
    }
}

static uint32_t window_us(const struct cor_tcp *tcp) {
    const struct cor_tcp_rack *rack = &tcp->rack;

    if (!rack->reordered && (tcp->doubt.recovery != COR_TCP_NO_RECOVERY ||
                             tcp->doubt.sacked_count >= OUT_OF_ORDER_MAX)) {
        return 0;
    }
    uint32_t window = tcp->rtt.min_us / WINDOW_PARTS * (rack->multiplier + 1U);
    return window < tcp->rtt.srtt_us ? window : tcp->rtt.srtt_us;
}

int32_t cor_tcp_rack_left_us(
    const struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_segment *segment) {
    return (int32_t)(segment->sent_us + tcp->rack.rtt_us + window_us(tcp) - (uint32_t)now_us);
}

bool cor_tcp_rack_detect(struct cor_tcp *tcp, uint64_t now_us) {
    struct cor_tcp_rack *rack = &tcp->rack;
    int32_t wait_us = 0;
    bool marked = false;

    tcp->doubt.again_arrived = false;
    for (uint32_t place = 0; rack->rtt_us != 0 && place < tcp->flight_count; place++) {
        struct cor_tcp_segment *segment =
            &tcp->config.segments[cor_tcp_index(tcp, tcp->una, place)];
        uint32_t end = cor_tcp_segment_end(segment);

        if ((segment->flags & (COR_TCP_SEGMENT_SACKED | COR_TCP_SEGMENT_LOST)) != 0 ||
            !sent_after(rack->sent_us, rack->end_seq, segment->sent_us, end)) {
            continue;
        }
        int32_t left_us = cor_tcp_rack_left_us(tcp, now_us, segment);
        if (left_us > 0) {
            wait_us = left_us > wait_us ? left_us : wait_us;
        } else if (cor_tcp_mark_lost(tcp, segment, COR_TCP_OVERTAKEN)) {
            marked = true;
        } else {
            wait_us = wait_us > HELD_US ? wait_us : HELD_US;
        }
    }
    tcp->doubt.reordering = wait_us != 0;
    if (tcp->doubt.reordering) {
        tcp->loss_us = now_us + (uint32_t)wait_us;
        cor_net_wake(tcp->socket.net, tcp->loss_us);
    } else {
        tcp->loss_us = COR_NET_NEVER;
    }
    return marked;
}
