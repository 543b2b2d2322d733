// SPDX-License-Identifier: MIT
// What is lost: from duplicate acknowledgements (RFC 5681, 6582), from SACK blocks (RFC 6675), from
// time-outs (RFC 6298).
//
// A segment in flight is in the pipe, or lost, or selectively acknowledged. Without SACK nobody
// says which segments a duplicate stands for; departed_bytes then counts what has left the network,
// which is what RFC 6582 means by inflating the window.
#include "net/tcp_congestion.h"
#include "net/tcp_parts.h"
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

// A segment whose frame still stands in the queue of the bus is not lost.
static bool mark_lost(
    struct cor_tcp *tcp, struct cor_tcp_segment *segment, enum cor_tcp_cause cause) {
    if ((segment->flags & (COR_TCP_SEGMENT_LOST | COR_TCP_SEGMENT_SACKED)) != 0) {
        return false;
    }
    if (segment->queued != 0) {
        tcp->counters.retransmit_held++;
        return false;
    }
    leave_pipe(tcp, segment);
    segment->flags &= (uint8_t)((1U << COR_TCP_CAUSE_SHIFT) - 1);
    segment->flags |= (uint8_t)(COR_TCP_SEGMENT_LOST | (cause << COR_TCP_CAUSE_SHIFT));
    tcp->lost_count++;
    tcp->socket.wants |= COR_NET_PASS_RETRANSMIT;
    return true;
}

// --- SACK ---

static bool mark_sacked(
    struct cor_tcp *tcp, struct cor_tcp_segment *segment, const struct cor_tcp_sack *block) {
    if ((segment->flags & COR_TCP_SEGMENT_SACKED) != 0 ||
        cor_seq_before(segment->seq, block->left) ||
        cor_seq_before(block->right, cor_tcp_segment_end(segment))) {
        return false;
    }
    leave_pipe(tcp, segment);
    if ((segment->flags & COR_TCP_SEGMENT_LOST) != 0) {
        segment->flags &= (uint8_t)~COR_TCP_SEGMENT_LOST;
        tcp->lost_count--;
    }
    segment->flags |= COR_TCP_SEGMENT_SACKED;
    tcp->sacked_count++;
    if ((segment->flags & COR_TCP_SEGMENT_AGAIN) == 0) {
        tcp->rack_us = cor_seq_latest(tcp->rack_us, segment->sent_us);
    }
    return true;
}

bool cor_tcp_sacked(struct cor_tcp *tcp, const struct cor_tcp_header *header) {
    bool news = false;

    if ((tcp->flags & COR_TCP_SACK_ON) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < header->sack_count; i++) {
        const struct cor_tcp_sack *block = &header->sacks[i];
        bool named = false;

        // A block at or below the acknowledgement tells of a duplicate (RFC 2883); one beyond what
        // was sent tells nothing.
        if (!cor_seq_before(block->left, block->right) ||
            !cor_seq_before(tcp->snd_una, block->left) ||
            cor_seq_before(tcp->snd_max, block->right)) {
            continue;
        }
        for (uint32_t place = 0; place < tcp->flight_count; place++) {
            named |= mark_sacked(tcp, in_flight(tcp, place), block);
        }
        tcp->counters.sack_blocks += named;
        news |= named;
    }
    return news;
}

// RFC 6675 IsLost(): three segments above have arrived. One that was sent again is lost again when
// a segment that was first sent clearly later has arrived (the idea of RFC 8985).
static bool is_lost(
    const struct cor_tcp *tcp, const struct cor_tcp_segment *segment, uint32_t sacked_above) {
    if ((segment->flags & COR_TCP_SEGMENT_AGAIN) != 0) {
        int32_t older_us = (int32_t)(tcp->rack_us - segment->sent_us);

        return older_us > (int32_t)(tcp->rtt.srtt_us / 4);
    }
    return sacked_above >= DUPLICATES_MAX;
}

static bool mark_sacked_over(struct cor_tcp *tcp) {
    uint32_t sacked_above = tcp->sacked_count;
    bool marked = false;

    // No segment above the last that is selectively acknowledged can be found lost this way.
    for (uint32_t place = 0; place < tcp->flight_count && sacked_above > 0; place++) {
        struct cor_tcp_segment *segment = in_flight(tcp, place);

        if ((segment->flags & COR_TCP_SEGMENT_SACKED) != 0) {
            sacked_above--;
        } else if (is_lost(tcp, segment, sacked_above)) {
            marked |= mark_lost(tcp, segment, COR_TCP_SACKED_OVER);
        }
    }
    return marked;
}

// --- Duplicates ---

static void enter_recovery(struct cor_tcp *tcp) {
    uint32_t flight = cor_tcp_flight_bytes(tcp);

    // What limited transmit added does not count (RFC 5681 3.2 (2)).
    flight -= tcp->limited_bytes < flight ? tcp->limited_bytes : 0;
    cor_tcp_congestion_loss(&tcp->congestion, flight);
    tcp->recovery = COR_TCP_FAST_RECOVERY;
    tcp->recover = tcp->snd_max;
    tcp->limited_bytes = 0;
    tcp->flags |= COR_TCP_LOST_FIRST;
    tcp->counters.recoveries++;
}

void cor_tcp_duplicate(struct cor_tcp *tcp, uint64_t now_us) {
    bool sack = (tcp->flags & COR_TCP_SACK_ON) != 0;

    (void)now_us;
    tcp->counters.dup_acks++;
    cor_tcp_count(&tcp->duplicates);
    if (tcp->recovery == COR_TCP_TIMEOUT_RECOVERY) {
        return;  // answers to what was sent again in vain
    }
    if (!sack) {
        uint32_t departed = tcp->departed_bytes + tcp->cut_bytes;

        tcp->departed_bytes = departed < tcp->pipe_bytes ? departed : tcp->pipe_bytes;
    }
    bool marked = sack && mark_sacked_over(tcp);
    if (tcp->recovery == COR_TCP_FAST_RECOVERY) {
        return;
    }
    if (tcp->duplicates >= DUPLICATES_MAX && !marked) {
        marked = mark_lost(tcp, in_flight(tcp, 0), COR_TCP_FAST);
    }
    if (marked) {
        enter_recovery(tcp);
    }
}

// RFC 6582 3.2 (3): the acknowledgement of what was sent again stops short; what follows there is
// lost as well.
void cor_tcp_partial(struct cor_tcp *tcp, uint32_t acked_bytes) {
    bool sack = (tcp->flags & COR_TCP_SACK_ON) != 0;

    if (sack) {
        (void)mark_sacked_over(tcp);
    } else {
        uint32_t gone = acked_bytes > tcp->cut_bytes ? acked_bytes - tcp->cut_bytes : 0;

        tcp->departed_bytes -= gone < tcp->departed_bytes ? gone : tcp->departed_bytes;
        tcp->departed_bytes =
            tcp->departed_bytes < tcp->pipe_bytes ? tcp->departed_bytes : tcp->pipe_bytes;
    }
    if (tcp->flight_count == 0) {
        return;
    }
    struct cor_tcp_segment *first = in_flight(tcp, 0);
    bool again = (first->flags & COR_TCP_SEGMENT_AGAIN) != 0;
    // With SACK the first segment is lost only if something above it has arrived.
    bool hole = tcp->sacked_count != 0;
    if (!(sack && (again || !hole)) && mark_lost(tcp, first, COR_TCP_PARTIAL)) {
        tcp->flags |= COR_TCP_LOST_FIRST;
    }
}

// --- Time-out ---

// The peer may drop what it had selectively acknowledged (RFC 2018 8): a first segment that was
// selectively acknowledged but is still waited for proves it.
static void forget_sacks(struct cor_tcp *tcp) {
    for (uint32_t place = 0; place < tcp->flight_count; place++) {
        in_flight(tcp, place)->flags &= (uint8_t)~COR_TCP_SEGMENT_SACKED;
    }
    tcp->sacked_count = 0;
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
    cor_tcp_congestion_timeout(&tcp->congestion, flight, tcp->rtt.backoff != 0);
    if ((in_flight(tcp, 0)->flags & COR_TCP_SEGMENT_SACKED) != 0) {
        forget_sacks(tcp);
    }
    for (uint32_t place = 0; place < tcp->flight_count; place++) {
        (void)mark_lost(tcp, in_flight(tcp, place), COR_TCP_TIMED_OUT);
    }
    tcp->departed_bytes = 0;
    tcp->limited_bytes = 0;
    tcp->duplicates = 0;
    tcp->recovery = COR_TCP_TIMEOUT_RECOVERY;
    tcp->recover = tcp->snd_max;
    tcp->flags |= COR_TCP_LOST_FIRST;
    cor_tcp_count(&tcp->rtt.backoff);
    cor_tcp_arm(tcp, now_us);
}
