// SPDX-License-Identifier: MIT
// What is lost, and what follows from it. With SACK that is told by the times of what has arrived
// (RFC 8985, tcp_rack.c) and the window in recovery is that of RFC 6937; without, by duplicate
// acknowledgements (RFC 5681, 6582). Behind both stands the time-out (RFC 6298).
//
// A segment in flight is in the pipe, or lost, or selectively acknowledged. Without SACK nobody
// says which segments a duplicate stands for; departed_bytes then counts what has left the network,
// which is what RFC 6582 means by inflating the window.
#include "net/tcp_parts.h"
#include "net/tcp_prr.h"
#include "net/tcp_rtt.h"

#include "coradio/assert.h"

// Specified (RFC 5681 3.2).
#define DUPLICATES_MAX 3

static struct cor_tcp_segment *in_flight(const struct cor_tcp *tcp, uint32_t place) {
    return &tcp->config.segments[cor_tcp_index(tcp, tcp->una, place)];
}

static void leave_pipe(struct cor_tcp *tcp, struct cor_tcp_segment *segment) {
    if ((segment->flags & COR_TCP_SEGMENT_PIPE) != 0) {
        segment->flags &= (uint8_t)~COR_TCP_SEGMENT_PIPE;
        tcp->pipe_bytes -= segment->size_bytes;
        if (tcp->departed_bytes > tcp->pipe_bytes) {
            tcp->departed_bytes = tcp->pipe_bytes;
        }
    }
}

static bool sack_on(const struct cor_tcp *tcp) {
    return (tcp->flags & COR_TCP_SACK_ON) != 0;
}

// A segment whose frame still stands in the queue of the bus is not lost.
bool cor_tcp_mark_lost(
    struct cor_tcp *tcp, struct cor_tcp_segment *segment, enum cor_tcp_cause cause) {
    if ((segment->flags & (COR_TCP_SEGMENT_LOST | COR_TCP_SEGMENT_SACKED)) != 0) {
        return false;
    }
    if (segment->queued != 0) {
        tcp->counters.retransmit_held++;
        return false;
    }
    leave_pipe(tcp, segment);
    tcp->lost_bytes += segment->size_bytes;
    if ((segment->flags & COR_TCP_SEGMENT_AGAIN) != 0) {
        tcp->counters.losses_repeated++;
    }
    segment->flags &= (uint8_t)((1U << COR_TCP_CAUSE_SHIFT) - 1);
    segment->flags |= (uint8_t)(COR_TCP_SEGMENT_LOST | (cause << COR_TCP_CAUSE_SHIFT));
    tcp->doubt.lost_count++;
    tcp->socket.wants |= COR_NET_PASS_RETRANSMIT;
    return true;
}

// --- SACK ---

static bool mark_sacked(
    struct cor_tcp *tcp,
    uint64_t now_us,
    struct cor_tcp_segment *segment,
    const struct cor_tcp_sack *block) {
    if ((segment->flags & COR_TCP_SEGMENT_SACKED) != 0 ||
        cor_seq_before(segment->seq, block->left) ||
        cor_seq_before(block->right, cor_tcp_segment_end(segment))) {
        return false;
    }
    leave_pipe(tcp, segment);
    if ((segment->flags & COR_TCP_SEGMENT_LOST) != 0) {
        segment->flags &= (uint8_t)~COR_TCP_SEGMENT_LOST;
        tcp->doubt.lost_count--;
    }
    segment->flags |= COR_TCP_SEGMENT_SACKED;
    tcp->doubt.sacked_count++;
    tcp->sacked_bytes += segment->size_bytes;
    if ((segment->flags & COR_TCP_SEGMENT_AGAIN) == 0) {
        tcp->sample_us = (uint32_t)now_us - segment->sent_us;
    }
    cor_tcp_rack_arrived(tcp, now_us, segment);
    return true;
}

// What was sent again was not lost after all, as far as is told: as if nothing had been.
static void undo(struct cor_tcp *tcp) {
    for (uint32_t place = 0; place < tcp->flight_count; place++) {
        struct cor_tcp_segment *segment = in_flight(tcp, place);

        if ((segment->flags & COR_TCP_SEGMENT_LOST) != 0) {
            segment->flags &= (uint8_t)~COR_TCP_SEGMENT_LOST;
            segment->flags |= COR_TCP_SEGMENT_PIPE;
            tcp->pipe_bytes += segment->size_bytes;
            tcp->doubt.lost_count--;
        }
    }
    tcp->flags &= (uint16_t)~COR_TCP_LOST_FIRST;
    tcp->congestion.threshold_bytes = tcp->undo.threshold_bytes;
    if (tcp->congestion.window_bytes < tcp->undo.window_bytes) {
        tcp->congestion.window_bytes = tcp->undo.window_bytes;
    }
    tcp->undo.window_bytes = 0;
    tcp->doubt.recovery = COR_TCP_NO_RECOVERY;
    tcp->counters.recoveries_undone++;
}

// RFC 2883: the first block names what was received twice if it stands at or below the
// acknowledgement, or within the second.
static bool is_dsack(const struct cor_tcp_header *header) {
    const struct cor_tcp_sack *block = &header->sacks[0];

    if (!cor_seq_before(header->ack, block->right)) {
        return true;
    }
    return header->sack_count > 1 && !cor_seq_before(block->left, header->sacks[1].left) &&
           !cor_seq_before(header->sacks[1].right, block->right);
}

static void take_dsack(struct cor_tcp *tcp, const struct cor_tcp_sack *block) {
    // Nobody can have received twice what was never sent, or before the oldest we remember.
    if (!cor_seq_before(block->left, block->right) || cor_seq_before(tcp->snd_max, block->right) ||
        cor_seq_before(block->left, tcp->snd_una - tcp->snd_wnd_max)) {
        return;
    }
    tcp->counters.dsacks++;
    // A loss probe is sent again on suspicion: that it was in vain tells nothing of the order.
    if (tcp->doubt.probe_outstanding && tcp->tlp.again && block->right == tcp->tlp.end_seq) {
        tcp->tlp.acknowledged = true;
        return;
    }
    cor_tcp_rack_dsack(tcp);
    if (tcp->undo.window_bytes == 0 || tcp->undo.again_count == 0 ||
        cor_seq_before(block->left, tcp->undo.from_seq)) {
        return;
    }
    tcp->undo.again_count--;
    if (tcp->undo.again_count == 0) {
        undo(tcp);
    }
}

bool cor_tcp_sacked(struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header) {
    bool news = false;

    if (!sack_on(tcp)) {
        return false;
    }
    for (uint32_t i = 0; i < header->sack_count; i++) {
        const struct cor_tcp_sack *block = &header->sacks[i];
        bool named = false;

        if (i == 0 && is_dsack(header)) {
            take_dsack(tcp, block);
            continue;
        }
        // A block at or below the acknowledgement, or beyond what was sent, tells nothing.
        if (!cor_seq_before(block->left, block->right) ||
            !cor_seq_before(tcp->snd_una, block->left) ||
            cor_seq_before(tcp->snd_max, block->right)) {
            continue;
        }
        for (uint32_t place = 0; place < tcp->flight_count; place++) {
            named |= mark_sacked(tcp, now_us, in_flight(tcp, place), block);
        }
        tcp->counters.sack_blocks += named;
        news |= named;
    }
    return news;
}

// --- Duplicates ---

static void remember(struct cor_tcp *tcp) {
    tcp->undo.window_bytes = tcp->congestion.window_bytes;
    tcp->undo.threshold_bytes = tcp->congestion.threshold_bytes;
    tcp->undo.from_seq = tcp->snd_una;
    tcp->undo.again_count = 0;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

// The flight that a loss halves (RFC 5681 equation 4), without what limited transmit added. Just
// after an acknowledgement of many segments less is in flight than the window allows; what was in
// flight in this round trip and the one before tells what the path was made to hold.
static uint32_t lost_flight(const struct cor_tcp *tcp) {
    uint32_t flight = cor_tcp_flight_bytes(tcp);
    uint32_t held = most(tcp->flight_max_bytes, tcp->flight_before_bytes);

    flight -= least(flight, tcp->limited_bytes);
    return most(flight, least(held, tcp->congestion.window_bytes));
}

static void enter_recovery(struct cor_tcp *tcp) {
    remember(tcp);
    cor_tcp_prr_init(&tcp->prr, cor_tcp_flight_bytes(tcp));
    tcp->prr.from_seq = tcp->snd_nxt;
    tcp->prr.from_again = (uint32_t)tcp->counters.bytes_retransmitted;
    tcp->config.controller->loss(&tcp->congestion, lost_flight(tcp));
    cor_tcp_tlp_forget(tcp);
    tcp->doubt.recovery = COR_TCP_FAST_RECOVERY;
    tcp->recover = tcp->snd_max;
    tcp->limited_bytes = 0;
    tcp->flags |= COR_TCP_LOST_FIRST;
    tcp->counters.recoveries++;
}

void cor_tcp_recovered(struct cor_tcp *tcp) {
    bool sack = sack_on(tcp);

    tcp->departed_bytes = 0;
    tcp->doubt.recovery = COR_TCP_NO_RECOVERY;
    // With SACK the way there was even, and the window is the threshold (RFC 6937 3).
    tcp->config.controller->recovered(
        &tcp->congestion, sack ? tcp->congestion.threshold_bytes : tcp->pipe_bytes);
    cor_tcp_rack_recovered(tcp);
}

void cor_tcp_duplicate(struct cor_tcp *tcp, uint64_t now_us) {
    (void)now_us;
    tcp->counters.dup_acks++;
    cor_tcp_count(&tcp->doubt.duplicates);
    if (tcp->doubt.recovery == COR_TCP_TIMEOUT_RECOVERY || sack_on(tcp)) {
        return;  // answers to what was sent again in vain; or judged by cor_tcp_weigh()
    }
    uint32_t departed = tcp->departed_bytes + tcp->cut_bytes;
    tcp->departed_bytes = departed < tcp->pipe_bytes ? departed : tcp->pipe_bytes;
    if (tcp->doubt.recovery == COR_TCP_NO_RECOVERY && tcp->doubt.duplicates >= DUPLICATES_MAX &&
        cor_tcp_mark_lost(tcp, in_flight(tcp, 0), COR_TCP_FAST)) {
        enter_recovery(tcp);
    }
}

// RFC 6582 3.2 (3): the acknowledgement of what was sent again stops short; what follows there is
// lost as well.
void cor_tcp_partial(struct cor_tcp *tcp, uint32_t acked_bytes) {
    if (sack_on(tcp)) {
        return;
    }
    uint32_t gone = acked_bytes > tcp->cut_bytes ? acked_bytes - tcp->cut_bytes : 0;
    tcp->departed_bytes -= gone < tcp->departed_bytes ? gone : tcp->departed_bytes;
    tcp->departed_bytes =
        tcp->departed_bytes < tcp->pipe_bytes ? tcp->departed_bytes : tcp->pipe_bytes;
    if (tcp->flight_count != 0 && cor_tcp_mark_lost(tcp, in_flight(tcp, 0), COR_TCP_PARTIAL)) {
        tcp->flags |= COR_TCP_LOST_FIRST;
    }
}

// --- With SACK ---

static bool detect(struct cor_tcp *tcp, uint64_t now_us) {
    uint64_t repeated = tcp->counters.losses_repeated;
    bool marked = cor_tcp_rack_detect(tcp, now_us);

    if (marked && tcp->doubt.recovery == COR_TCP_NO_RECOVERY) {
        enter_recovery(tcp);
    } else if (
        tcp->doubt.recovery == COR_TCP_FAST_RECOVERY && !tcp->prr.halved_again &&
        tcp->counters.losses_repeated != repeated) {
        // The loss of what was sent again is a second sign of congestion (RFC 5681 4.3).
        tcp->prr.halved_again = true;
        tcp->config.controller->loss(&tcp->congestion, tcp->congestion.threshold_bytes);
    }
    return marked;
}

static void share(struct cor_tcp *tcp, uint32_t arrived_bytes) {
    struct cor_tcp_prr *prr = &tcp->prr;

    if (tcp->doubt.recovery != COR_TCP_FAST_RECOVERY || tcp->config.controller->delivered != NULL) {
        return;
    }
    prr->arrived_bytes += arrived_bytes;
    struct cor_tcp_prr_now now = {
        .arrived_bytes = arrived_bytes,
        .sent_bytes = tcp->snd_nxt - prr->from_seq + (uint32_t)tcp->counters.bytes_retransmitted -
                      prr->from_again,
        .pipe_bytes = tcp->pipe_bytes,
        .threshold_bytes = tcp->congestion.threshold_bytes,
        .bonus_bytes = prr->halved_again ? 0 : tcp->cut_bytes,
    };
    tcp->congestion.window_bytes = cor_tcp_prr_window(prr, &now);
}

static void weigh_sack(struct cor_tcp *tcp, uint64_t now_us, uint32_t news, uint32_t arrived) {
    bool marked = false;

    if (tcp->doubt.probe_outstanding && cor_tcp_tlp_acked(tcp, (news & COR_TCP_NEWS_BARE) != 0)) {
        tcp->counters.probes_repaired++;
        tcp->config.controller->loss(&tcp->congestion, lost_flight(tcp));
    }
    if ((tcp->doubt.sacked_count | tcp->doubt.lost_count | tcp->doubt.recovery) != 0 ||
        tcp->doubt.again_arrived) {
        marked = detect(tcp, now_us);
    } else if (tcp->doubt.reordering) {
        tcp->doubt.reordering = false;
        tcp->loss_us = COR_NET_NEVER;
        cor_tcp_tlp_arm(tcp);
    }
    if (arrived != 0 || marked) {
        share(tcp, arrived);
    }
}

void cor_tcp_weigh_before(struct cor_tcp *tcp) {
    tcp->arrived_told = tcp->snd_una + tcp->sacked_bytes;
    // What came in order is not noted one by one.
    tcp->rack.farthest = cor_seq_latest(tcp->rack.farthest, tcp->snd_una);
    tcp->rack.farthest_told = tcp->rack.farthest;
}

void cor_tcp_weigh(struct cor_tcp *tcp, uint64_t now_us, uint32_t news) {
    int32_t told = (int32_t)(tcp->snd_una + tcp->sacked_bytes - tcp->arrived_told);
    uint32_t arrived = told > 0 ? (uint32_t)told : 0;  // what the peer dropped again does not count

    if (sack_on(tcp)) {
        weigh_sack(tcp, now_us, news, arrived);
    }
    if (tcp->config.controller->delivered != NULL) {
        struct cor_tcp_delivery delivery = {
            .now_us = now_us,
            .arrived_bytes = arrived,
            .lost_bytes = tcp->lost_bytes - tcp->lost_told,
            .pipe_bytes = tcp->pipe_bytes,
            .rtt_us = tcp->sample_us,
            .round_over = (news & COR_TCP_NEWS_ROUND) != 0,
            .limited = (news & COR_TCP_NEWS_LIMITED) != 0,
        };

        tcp->config.controller->delivered(&tcp->congestion, &delivery);
        tcp->lost_told = tcp->lost_bytes;
    }
    tcp->sample_us = 0;
}

void cor_tcp_loss_due(struct cor_tcp *tcp, uint64_t now_us) {
    if (!tcp->doubt.reordering) {
        cor_tcp_tlp_due(tcp, now_us);
    } else if (detect(tcp, now_us)) {
        share(tcp, 0);
    }
}

// --- Time-out ---

// The peer may drop what it had selectively acknowledged (RFC 2018 8): a first segment that was
// selectively acknowledged but is still waited for proves it.
static void forget_sacks(struct cor_tcp *tcp) {
    for (uint32_t place = 0; place < tcp->flight_count; place++) {
        in_flight(tcp, place)->flags &= (uint8_t)~COR_TCP_SEGMENT_SACKED;
    }
    tcp->doubt.sacked_count = 0;
    tcp->sacked_bytes = 0;
}

void cor_tcp_timed_out(struct cor_tcp *tcp, uint64_t now_us) {
    uint32_t flight = cor_tcp_flight_bytes(tcp);

    COR_ASSERT(tcp->flight_count != 0);
    if (in_flight(tcp, 0)->queued != 0) {
        // It waits in our own queue: that says nothing about the network.
        tcp->counters.retransmit_held++;
        cor_tcp_arm(tcp, now_us);
        return;
    }
    tcp->counters.timeouts++;
    if (tcp->doubt.recovery == COR_TCP_NO_RECOVERY) {
        remember(tcp);
    }
    tcp->config.controller->timeout(&tcp->congestion, flight, tcp->rtt.backoff != 0);
    cor_tcp_tlp_forget(tcp);
    if ((in_flight(tcp, 0)->flags & COR_TCP_SEGMENT_SACKED) != 0) {
        forget_sacks(tcp);
    }
    for (uint32_t place = 0; place < tcp->flight_count; place++) {
        struct cor_tcp_segment *segment = in_flight(tcp, place);

        // What was sent a moment ago may still be on its way (RFC 8985 6.3).
        if (place == 0 || tcp->rack.rtt_us == 0 || !sack_on(tcp) ||
            cor_tcp_rack_left_us(tcp, now_us, segment) <= 0) {
            (void)cor_tcp_mark_lost(tcp, segment, COR_TCP_TIMED_OUT);
        }
    }
    tcp->departed_bytes = 0;
    tcp->limited_bytes = 0;
    tcp->doubt.duplicates = 0;
    tcp->doubt.recovery = COR_TCP_TIMEOUT_RECOVERY;
    tcp->recover = tcp->snd_max;
    tcp->flags |= COR_TCP_LOST_FIRST;
    cor_tcp_count(&tcp->rtt.backoff);
    cor_tcp_pmtu_timed_out(tcp, now_us);
    cor_tcp_arm(tcp, now_us);
}
