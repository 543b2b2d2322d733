// SPDX-License-Identifier: MIT
// Acknowledgements that say something new, the peer's window, and the retransmission deadline.
#include "net/tcp_parts.h"
#include "net/tcp_rtt.h"

#include "coradio/assert.h"

void cor_tcp_want_ack(struct cor_tcp *tcp) {
    tcp->flags |= COR_TCP_ACK_DUE;
    tcp->socket.wants |= COR_NET_PASS_CONTROL;
}

void cor_tcp_arm(struct cor_tcp *tcp, uint64_t now_us) {
    tcp->retransmit_us = now_us + cor_tcp_rtt_timeout_us(&tcp->rtt);
    cor_net_wake(tcp->socket.net, tcp->retransmit_us);
    if (tcp->loss_us == COR_NET_NEVER) {
        cor_tcp_tlp_arm(tcp);
    }
}

void cor_tcp_set_window(struct cor_tcp *tcp, uint32_t seq, uint32_t ack, uint32_t window_bytes) {
    // Only from segments that are not older than the last that told it (RFC 9293 3.10.7.4).
    if (cor_seq_before(seq, tcp->snd_wl1) ||
        (seq == tcp->snd_wl1 && cor_seq_before(ack, tcp->snd_wl2))) {
        return;
    }
    if (window_bytes == 0) {
        tcp->counters.zero_windows += tcp->snd_wnd != 0;
    } else {
        tcp->probes = 0;
    }
    tcp->snd_wnd = window_bytes;
    tcp->snd_wl1 = seq;
    tcp->snd_wl2 = ack;
    if (window_bytes > tcp->snd_wnd_max) {
        tcp->snd_wnd_max = window_bytes;
    }
}

// Takes the first descriptor out of flight.
static void retire_first(struct cor_tcp *tcp) {
    struct cor_tcp_segment *segment = &tcp->config.segments[tcp->una];

    if ((segment->flags & COR_TCP_SEGMENT_PIPE) != 0) {
        tcp->pipe_bytes -= segment->size_bytes;
    }
    if ((segment->flags & COR_TCP_SEGMENT_LOST) != 0) {
        tcp->doubt.lost_count--;
    }
    if ((segment->flags & COR_TCP_SEGMENT_SACKED) != 0) {
        tcp->doubt.sacked_count--;
        tcp->sacked_bytes -= segment->size_bytes;
    }
    tcp->una = cor_tcp_index(tcp, tcp->una, 1);
    tcp->flight_count--;
    tcp->doubt.kept_count++;
}

// The byte of a window probe may have been all that the next segment holds.
static void retire_probed(struct cor_tcp *tcp, uint32_t ack) {
    if (tcp->flight_count != 0 || tcp->unsent_count == 0) {
        return;
    }
    const struct cor_tcp_segment *segment = &tcp->config.segments[tcp->next];
    uint32_t end = cor_tcp_segment_end(segment);
    if (cor_seq_before(ack, end)) {
        return;
    }
    if (tcp->unsent_count == 1 && (tcp->flags & COR_TCP_END_OPEN) != 0 && !cor_tcp_cut_end(tcp)) {
        return;  // room behind it is lent: it goes out, and is acknowledged again
    }
    tcp->next = cor_tcp_index(tcp, tcp->next, 1);
    tcp->unsent_count--;
    tcp->flight_count++;
    tcp->snd_nxt = end;
    retire_first(tcp);
}

// What was sent again is measured by what comes back of our clock (RFC 7323 4.1).
static void sample_times(struct cor_tcp *tcp, uint64_t now_us) {
    uint32_t age_us = cor_tcp_times_age_us(tcp, now_us);

    if (age_us != 0) {
        tcp->counters.rtt_samples++;
        cor_tcp_rtt_sample(&tcp->rtt, age_us);
    }
}

// Retires what is acknowledged whole, and measures the round trip on the last of it that was sent
// only once (Karn's rule).
static void retire(struct cor_tcp *tcp, uint64_t now_us, uint32_t ack) {
    const struct cor_tcp_segment *sampled = NULL;

    while (tcp->flight_count != 0) {
        const struct cor_tcp_segment *segment = &tcp->config.segments[tcp->una];

        if (cor_seq_before(ack, cor_tcp_segment_end(segment))) {
            break;
        }
        if ((segment->flags & (COR_TCP_SEGMENT_AGAIN | COR_TCP_SEGMENT_SACKED)) == 0) {
            sampled = segment;
        }
        // As long as all comes in order, the last tells it all.
        if ((tcp->doubt.sacked_count | tcp->doubt.recovery) != 0 &&
            (segment->flags & COR_TCP_SEGMENT_SACKED) == 0) {
            cor_tcp_rack_arrived(tcp, now_us, segment);
        }
        retire_first(tcp);
    }
    if (sampled != NULL) {
        tcp->counters.rtt_samples++;
        tcp->sample_us = (uint32_t)now_us - sampled->sent_us;
        cor_tcp_rtt_sample(&tcp->rtt, tcp->sample_us);
        cor_tcp_rack_arrived(tcp, now_us, sampled);
    }
    if (sampled == NULL && tcp->doubt.times_on) {
        sample_times(tcp, now_us);
    }
    retire_probed(tcp, ack);
}

// What a new acknowledgement does to the congestion window and to recovery.
static void adjust(struct cor_tcp *tcp, uint32_t ack, uint32_t acked_bytes, uint32_t flight_bytes) {
    switch (tcp->doubt.recovery) {
    case COR_TCP_NO_RECOVERY:
        tcp->config.controller->acked(&tcp->congestion, acked_bytes, flight_bytes, 2);
        tcp->departed_bytes = 0;
        tcp->limited_bytes = 0;
        break;
    case COR_TCP_FAST_RECOVERY:
        if (cor_seq_before(ack, tcp->recover)) {
            cor_tcp_partial(tcp, acked_bytes);
        } else {
            cor_tcp_recovered(tcp);
        }
        break;
    default:
        tcp->config.controller->acked(&tcp->congestion, acked_bytes, flight_bytes, 1);
        // Beyond what was in flight at the time-out: duplicates of what was sent again cannot be
        // mistaken for losses any more (RFC 6582 4).
        if (cor_seq_before(tcp->recover, ack) || tcp->flight_count == 0) {
            tcp->doubt.recovery = COR_TCP_NO_RECOVERY;
        }
        break;
    }
}

void cor_tcp_acked(struct cor_tcp *tcp, uint64_t now_us, uint32_t ack) {
    uint32_t acked = ack - tcp->snd_una;
    uint32_t in_flight = cor_tcp_in_flight(tcp);
    // Only an acknowledgement ends the growth of what is in flight: its highest is here.
    uint32_t flight = in_flight > tcp->flight_max_bytes ? in_flight : tcp->flight_max_bytes;
    uint32_t news = COR_TCP_NEWS_ADVANCED;

    tcp->flight_max_bytes = flight;
    if (!cor_seq_before(ack, tcp->flight_mark)) {
        bool limited = flight + tcp->cut_bytes <= tcp->congestion.window_bytes;

        news |= limited ? COR_TCP_NEWS_ROUND | COR_TCP_NEWS_LIMITED : COR_TCP_NEWS_ROUND;
        // A round trip is over. What was in flight in it, not at this moment, tells whether the
        // window was the limit: acknowledgements come in bursts.
        tcp->flight_before_bytes = flight;
        tcp->flight_max_bytes = in_flight;
        tcp->flight_mark = tcp->snd_nxt;
    }
    tcp->snd_una = ack;
    tcp->progress_us = now_us;
    tcp->doubt.duplicates = 0;
    tcp->rtt.backoff = 0;
    retire(tcp, now_us, ack);
    // The FIN takes a sequence number and is no byte.
    acked -= (tcp->flags & COR_TCP_FIN_CUT) != 0 && ack == tcp->snd_end;
    tcp->counters.bytes_acked += acked;
    adjust(tcp, ack, acked, flight);
    cor_tcp_free_acked(tcp);
    cor_tcp_weigh(tcp, now_us, news);
    if (tcp->flight_count == 0) {
        COR_ASSERT(tcp->pipe_bytes == 0 && tcp->doubt.lost_count == 0);
        tcp->retransmit_us = COR_NET_NEVER;
        // Its low half of the clock says nothing to what is sent long after.
        tcp->rack.rtt_us = 0;
    } else {
        cor_tcp_arm(tcp, now_us);
    }
}
