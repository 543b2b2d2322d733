// SPDX-License-Identifier: MIT
// Pull: what may go now. The tests stand in the order in which they fail in the steady state of a
// long transfer, and nothing else is evaluated there.
#include "net/tcp_parts.h"
#include "net/tcp_rtt.h"
#include "wire/ethernet.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"
#include "coradio/checksum.h"

#define HEAD_BYTES (COR_NET_TRANSPORT + COR_TCP_BYTES)

static enum cor_status pull_data(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx);
static enum cor_status pull_probe(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx);

// What a header says beside the template.
struct mark {
    uint32_t seq;
    uint8_t flags;  // beside ACK, which is always set
    uint16_t size_bytes;
    uint16_t sum;  // of the payload
};

// The template has its IP header at a multiple of 4, and so has the block the driver lends.
COR_HOT_INLINE void copy_template(const struct cor_tcp *tcp, uint8_t *head) {
    memcpy(head, (const uint8_t *)tcp->template_words + COR_NET_PAD, COR_NET_PAD);
    memcpy(
        COR_ALIGNED(head + COR_NET_PAD, uint32_t),
        COR_ALIGNED(tcp->template_words + 1, uint32_t),
        HEAD_BYTES - COR_NET_PAD);
}

// Puts into the template what seldom changes from one segment to the next.
static void complete_template(struct cor_tcp *tcp, uint32_t size_bytes) {
    uint8_t *ip = (uint8_t *)tcp->template_words + COR_NET_PAD + COR_NET_IP;
    uint8_t *at = (uint8_t *)tcp->template_words + COR_NET_PAD + COR_NET_TRANSPORT;
    uint32_t size = COR_TCP_BYTES + size_bytes;
    uint32_t total = COR_IPV4_BYTES + size;
    uint16_t window = cor_tcp_announce(tcp);

    cor_put_be16(ip + COR_IPV4_LENGTH, (uint16_t)total);
    cor_put_be16(ip + COR_IPV4_CHECKSUM, (uint16_t)~cor_sum_fold(tcp->ip_sum + total));
    cor_put_be32(at + COR_TCP_ACKED, tcp->rcv_nxt);
    cor_put_be16(at + COR_TCP_WINDOW, window);
    tcp->template_sum = tcp->tcp_sum + size + cor_sum_u32(tcp->rcv_nxt) + window;
    tcp->template_bytes = size_bytes;
    tcp->template_key = tcp->rcv_nxt + tcp->receive.read_seq;
}

COR_HOT_INLINE void emit_head_inline(
    struct cor_tcp *tcp, struct cor_frame_tx *tx, const struct mark *mark) {
    // Both only grow: their sum stands still when both do.
    if (tcp->template_bytes != mark->size_bytes ||
        tcp->template_key != tcp->rcv_nxt + tcp->receive.read_seq) {
        complete_template(tcp, mark->size_bytes);
    }
    uint8_t *at = tx->head + COR_NET_TRANSPORT;
    uint32_t sum = tcp->template_sum + mark->flags + mark->sum + cor_sum_u32(mark->seq);
    copy_template(tcp, tx->head);
    cor_put_be32(at + COR_TCP_SEQ, mark->seq);
    if (mark->flags != 0) {
        at[COR_TCP_FLAGS] = (uint8_t)(COR_TCP_ACK | mark->flags);
    }
    cor_put_be16(at + COR_TCP_CHECKSUM, (uint16_t)~cor_sum_fold(sum));
    tx->head_bytes = HEAD_BYTES;
    tcp->counters.segments_sent++;
    // Every segment acknowledges. A delayed acknowledgement waits only for what was received.
    if (tcp->unacked_received != 0) {
        tcp->unacked_received = 0;
        tcp->ack_us = COR_NET_NEVER;
    }
}

static void emit_head(struct cor_tcp *tcp, struct cor_frame_tx *tx, const struct mark *mark) {
    emit_head_inline(tcp, tx, mark);
    tcp->flags &= (uint16_t)~COR_TCP_ACK_DUE;
}

// --- Control: SYN, window probe, acknowledgement ---

static void emit_syn(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx) {
    const struct cor_net *net = tcp->socket.net;
    bool answer = tcp->state == COR_TCP_SYN_RECEIVED;
    struct cor_ipv4 ip = {
        .from = net->config.address,
        .to = tcp->socket.remote_address,
        .protocol = COR_IPV4_TCP,
        .ttl = tcp->config.ttl,
        .service = (uint8_t)(tcp->config.dscp << 2),
    };
    struct cor_tcp_header header = {
        .from_port = tcp->socket.local_port,
        .to_port = tcp->socket.remote_port,
        .seq = tcp->iss,
        .ack = answer ? tcp->rcv_nxt : 0,
        .window = cor_tcp_syn_window(tcp),
        .shift = cor_tcp_receive_shift(tcp),
        .flags = (uint8_t)(answer ? COR_TCP_SYN | COR_TCP_ACK : COR_TCP_SYN),
        .has_shift = !answer || (tcp->flags & COR_TCP_SHIFT_ON) != 0,
        .sack_permitted = !tcp->config.sack_off && (!answer || (tcp->flags & COR_TCP_SACK_ON) != 0),
        // What we can receive, whatever we send (RFC 9293 MUST-67).
        .mss_bytes = (uint16_t)(net->config.mtu - COR_IPV4_BYTES - COR_TCP_BYTES),
    };
    const uint8_t *mac = (const uint8_t *)tcp->template_words + COR_NET_PAD;
    cor_tcp_times_fill(tcp, now_us, &header);
    uint32_t size = cor_tcp_emit(&header, &ip, 0, tx->head + COR_NET_TRANSPORT);

    cor_net_emit_headers(net, &ip, mac, (uint16_t)size, tx->head);
    tx->head_bytes = (uint16_t)(COR_NET_TRANSPORT + size);
    tcp->snd_nxt = tcp->iss + 1;
    tcp->snd_max = tcp->snd_nxt;
    tcp->sent_us = now_us;
    tcp->counters.segments_sent++;
    tcp->counters.retransmit_syn += tcp->syn_tries > 0;
    cor_tcp_count(&tcp->syn_tries);
    tcp->flags &= (uint16_t) ~(COR_TCP_SYN_DUE | COR_TCP_ACK_DUE);
    cor_tcp_arm(tcp, now_us);
}

// One byte of new data beyond the window (RFC 9293 3.8.6.1), copied behind the header. The byte is
// sent again with its segment when the window opens; snd_max knows that it may be acknowledged.
static void emit_probe(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx) {
    const struct cor_tcp_segment *segment = &tcp->config.segments[tcp->next];
    uint32_t skip = cor_seq_before(segment->seq, tcp->snd_una) ? tcp->snd_una - segment->seq : 0;
    struct mark mark = {.seq = segment->seq, .flags = 0, .size_bytes = 0, .sum = 0};

    if (segment->size_bytes != 0) {
        skip = skip < segment->size_bytes ? skip : segment->size_bytes - 1U;
        uint32_t at = (segment->offset_words * 4U + skip) % tcp->config.ring_bytes;

        tx->head[HEAD_BYTES] = tcp->config.ring[at];
        mark.seq = segment->seq + skip;
        mark.size_bytes = 1;
        mark.sum = (uint16_t)(tcp->config.ring[at] << 8);
    }
    emit_head(tcp, tx, &mark);
    tx->head_bytes = (uint16_t)(HEAD_BYTES + mark.size_bytes);
    tx->payload_bytes = mark.size_bytes;
    tcp->snd_max = cor_seq_latest(tcp->snd_max, mark.seq + mark.size_bytes);
    tcp->sent_us = now_us;
    tcp->counters.zero_window_probes++;
}

static void emit_ack(struct cor_tcp *tcp, struct cor_frame_tx *tx) {
    // Behind a window probe that was taken, the peer expects what it has acknowledged.
    struct mark mark = {.seq = cor_seq_latest(tcp->snd_nxt, tcp->snd_una)};
    uint8_t *options = tx->head + HEAD_BYTES;
    uint32_t size = cor_tcp_emit_sacks(tcp, options);

    // Options count like payload in lengths and sum; the offset stands in the high bits.
    mark.size_bytes = (uint16_t)size;
    mark.sum = cor_sum_fold((uint32_t)cor_sum_bytes(options, size) + (size << 10));
    emit_head(tcp, tx, &mark);
    tx->head[COR_NET_TRANSPORT + COR_TCP_OFFSET] += (uint8_t)(size << 2);
    tx->head_bytes = (uint16_t)(HEAD_BYTES + size);
    tcp->counters.acks_sent++;
}

// A segment that the peer has had already, without data (RFC 9293 3.8.4, SHLD-12).
static void emit_keepalive(struct cor_tcp *tcp, struct cor_frame_tx *tx) {
    struct mark mark = {.seq = tcp->snd_una - 1};

    tcp->receive.keepalive_due = false;
    emit_head(tcp, tx, &mark);
    tcp->counters.keepalives++;
}

// Data that may go now carries the acknowledgement; SACK blocks need one of their own.
static bool ack_rides(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx) {
    if (tcp->unsent_count == 0 || tcp->receive.range_count != 0 || tcp->receive.is_repeated ||
        (tcp->socket.wants & COR_NET_PASS_DATA) == 0 || pull_data(tcp, now_us, tx) != COR_OK) {
        return false;
    }
    tcp->counters.acks_on_data++;
    return true;
}

static enum cor_status pull_control(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx) {
    if ((tcp->flags & COR_TCP_RESOLVED) == 0) {
        return COR_AGAIN;
    }
    if (tcp->unsent_count == 0) {
        tcp->flags &= (uint16_t)~COR_TCP_PROBE_DUE;  // what it was for has gone meanwhile
    }
    if ((tcp->flags & COR_TCP_SYN_DUE) != 0) {
        emit_syn(tcp, now_us, tx);
    } else if ((tcp->flags & COR_TCP_ACK_DUE) != 0) {
        if (!ack_rides(tcp, now_us, tx)) {
            emit_ack(tcp, tx);
        }
    } else if ((tcp->flags & COR_TCP_PROBE_DUE) != 0) {
        tcp->flags &= (uint16_t)~COR_TCP_PROBE_DUE;
        emit_probe(tcp, now_us, tx);
    } else if (tcp->receive.keepalive_due) {
        emit_keepalive(tcp, tx);
    } else {
        tcp->socket.wants &= (uint8_t)~COR_NET_PASS_CONTROL;
        return COR_AGAIN;
    }
    if ((tcp->flags & (COR_TCP_SYN_DUE | COR_TCP_ACK_DUE | COR_TCP_PROBE_DUE)) == 0 &&
        !tcp->receive.keepalive_due) {
        tcp->socket.wants &= (uint8_t)~COR_NET_PASS_CONTROL;
    }
    return COR_OK;
}

// --- Segments ---

// Points tx at the payload of a descriptor; a ring that wraps makes two pieces.
COR_HOT_INLINE void point(
    const struct cor_tcp *tcp, const struct cor_tcp_segment *segment, struct cor_frame_tx *tx) {
    uint32_t offset = segment->offset_words * 4U;
    uint32_t size = segment->size_bytes;
    uint32_t before_wrap = tcp->config.ring_bytes - offset;

    tx->payload_bytes = segment->size_bytes;
    tx->pieces[0].data = tcp->config.ring + offset;
    tx->pieces[0].size_bytes = size;
    tx->piece_count = size != 0;
    if (size > before_wrap) {
        tx->pieces[0].size_bytes = before_wrap;
        tx->pieces[1].data = tcp->config.ring;
        tx->pieces[1].size_bytes = size - before_wrap;
        tx->piece_count = 2;
    }
}

// Fills tx with a segment; its descriptor is then in flight and in the queue of the bus.
static void emit_segment(
    struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx, uint16_t index, bool push) {
    struct cor_tcp_segment *segment = &tcp->config.segments[index];
    uint16_t size = segment->size_bytes;
    uint8_t flags = segment->flags;
    uint8_t psh = push && size != 0 ? COR_TCP_PSH : 0;
    struct mark mark = {
        .seq = segment->seq,
        .flags = (uint8_t)(psh | (flags & COR_TCP_SEGMENT_FIN)),
        .size_bytes = size,
        .sum = segment->sum,
    };

    segment->sent_us = (uint32_t)now_us;
    segment->flags = flags | COR_TCP_SEGMENT_PIPE;
    segment->queued++;
    point(tcp, segment, tx);
    tx->token = cor_net_token(&tcp->socket, index);
    tcp->queued_count++;
    tcp->pipe_bytes += size;
    tcp->sent_us = now_us;
    emit_head(tcp, tx, &mark);
    if (size > tcp->pmtu.whole_bytes) {
        cor_tcp_pmtu_allow(tcp, tx);
    }
}

static void count_cause(struct cor_tcp *tcp, const struct cor_tcp_segment *segment) {
    tcp->counters.bytes_retransmitted += segment->size_bytes;
    switch (segment->flags >> COR_TCP_CAUSE_SHIFT) {
    case COR_TCP_FAST:
        tcp->counters.retransmit_fast++;
        break;
    case COR_TCP_PARTIAL:
        tcp->counters.retransmit_partial++;
        break;
    case COR_TCP_OVERTAKEN:
        tcp->counters.retransmit_sack++;
        break;
    case COR_TCP_TOO_BIG:
        tcp->counters.retransmit_smaller++;
        break;
    default:
        tcp->counters.retransmit_rto++;
        break;
    }
}

// The first lost segment that may be sent: within the peer's window, unless it is the first in
// flight, which probes a window that has shrunk (RFC 9293 MUST-34, 35).
static bool find_lost(const struct cor_tcp *tcp, uint32_t *place) {
    for (uint32_t i = 0; i < tcp->flight_count; i++) {
        const struct cor_tcp_segment *segment =
            &tcp->config.segments[cor_tcp_index(tcp, tcp->una, i)];

        if (i > 0 && cor_tcp_window_left(tcp, segment->seq) < segment->size_bytes) {
            return false;
        }
        if ((segment->flags & COR_TCP_SEGMENT_LOST) != 0 && segment->queued == 0) {
            *place = i;
            return true;
        }
    }
    return false;
}

static enum cor_status pull_lost(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx) {
    uint32_t place;

    if (tcp->tlp.due) {
        return pull_probe(tcp, now_us, tx);
    }
    if (tcp->doubt.lost_count == 0) {
        tcp->socket.wants &= (uint8_t)~COR_NET_PASS_RETRANSMIT;
        return COR_AGAIN;
    }
    if (!find_lost(tcp, &place) || !cor_tcp_pmtu_fit(tcp, place)) {
        return COR_AGAIN;
    }
    uint16_t index = cor_tcp_index(tcp, tcp->una, place);
    struct cor_tcp_segment *segment = &tcp->config.segments[index];
    uint32_t in_flight = cor_tcp_in_flight(tcp);
    if ((tcp->flags & COR_TCP_LOST_FIRST) == 0 && in_flight != 0 &&
        in_flight + segment->size_bytes > tcp->congestion.window_bytes) {
        return COR_AGAIN;
    }
    count_cause(tcp, segment);
    segment->flags &= (uint8_t)~COR_TCP_SEGMENT_LOST;
    segment->flags |= COR_TCP_SEGMENT_AGAIN;
    tcp->undo.again_count++;
    tcp->doubt.lost_count--;
    tcp->flags &= (uint16_t)~COR_TCP_LOST_FIRST;
    // The last that may go before an answer comes asks for one.
    bool push = tcp->doubt.lost_count == 0 ||
                in_flight + segment->size_bytes + tcp->cut_bytes > tcp->congestion.window_bytes;
    emit_segment(tcp, now_us, tx, index, push);
    if (index == tcp->una || tcp->retransmit_us == COR_NET_NEVER) {
        cor_tcp_arm(tcp, now_us);
    }
    return COR_OK;
}

// The window is too small for the next segment. True: a part of it may go nevertheless, and has
// been cut off (RFC 9293 3.8.6.2.1: half of the largest window ever seen, or the override timer).
static bool cut_to_window(struct cor_tcp *tcp, int32_t window_left) {
    uint32_t fits = window_left > 0 ? (uint32_t)window_left & ~3U : 0;
    bool forced = (tcp->flags & COR_TCP_FORCED) != 0;

    if (fits == 0 || (!forced && (uint32_t)window_left < tcp->snd_wnd_max / 2)) {
        return false;
    }
    return cor_tcp_split(tcp, tcp->flight_count, fits);
}

// Nothing to send: because the application gave nothing, or because it could not.
static enum cor_meter_state idle_cause(const struct cor_tcp *tcp) {
    bool full = tcp->config.ring_bytes - tcp->used_bytes < tcp->cut_bytes ||
                cor_tcp_segments_used(tcp) + 1 >= tcp->config.segment_count;

    return full && cor_tcp_is_open(tcp) ? COR_METER_STATE_no_buffer : COR_METER_STATE_source;
}

// A short segment at the open end: Nagle (RFC 9293 3.7.4), and the rule of lent room.
static bool end_may_go(struct cor_tcp *tcp) {
    if (!tcp->config.nagle_off && tcp->flight_count != 0) {
        return false;
    }
    return cor_tcp_cut_end(tcp);
}

static enum cor_status blocked(struct cor_frame_tx *tx, enum cor_meter_state cause) {
    tx->blocked = cause;
    return COR_AGAIN;
}

// Blocked by the window with nothing in flight: only a probe brings news (RFC 9293 3.8.6.1). The
// first comes after the time-out, the gaps double.
static void arm_probe(struct cor_tcp *tcp, uint64_t now_us) {
    if (tcp->flight_count != 0 || tcp->retransmit_us != COR_NET_NEVER) {
        return;
    }
    uint64_t gap_us = tcp->rtt.rto_us;
    for (uint32_t i = 0; i < tcp->probes && gap_us < COR_TCP_PROBE_GAP_MAX_US; i++) {
        gap_us *= 2;
    }
    gap_us = gap_us < COR_TCP_PROBE_GAP_MAX_US ? gap_us : COR_TCP_PROBE_GAP_MAX_US;
    tcp->retransmit_us = now_us + gap_us;
    cor_net_wake(tcp->socket.net, tcp->retransmit_us);
}

// Is this the last segment that goes before the sender stalls? Then it asks for an answer (PSH).
static bool stalls_after(
    const struct cor_tcp *tcp, uint32_t next, uint32_t size_bytes, int32_t window_left) {
    if (tcp->unsent_count == 1) {
        return true;
    }
    uint32_t both = size_bytes + tcp->config.segments[next].size_bytes;
    bool held =
        tcp->unsent_count == 2 && (tcp->flags & COR_TCP_END_OPEN) != 0 && !tcp->config.nagle_off;

    return held || (int32_t)both > window_left ||
           cor_tcp_in_flight(tcp) + both > tcp->congestion.window_bytes;
}

static void send_next(
    struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx, int32_t window_left) {
    const struct cor_tcp_segment *segment = &tcp->config.segments[tcp->next];
    uint32_t size = segment->size_bytes;
    uint32_t end = cor_tcp_segment_end(segment);
    uint16_t index = tcp->next;
    uint16_t next = cor_tcp_index(tcp, index, 1);

    if (tcp->doubt.duplicates != 0 && tcp->doubt.recovery == COR_TCP_NO_RECOVERY &&
        tcp->pipe_bytes + size > tcp->congestion.window_bytes) {
        tcp->limited_bytes += size;
        tcp->counters.limited_transmits++;
    }
    bool push = stalls_after(tcp, next, size, window_left);
    tcp->counters.bytes_sent += size;
    tcp->snd_nxt = end;
    tcp->snd_max = cor_seq_latest(tcp->snd_max, end);
    tcp->next = next;
    tcp->unsent_count--;
    tcp->flags &= (uint16_t)~COR_TCP_FORCED;
    if (tcp->flight_count++ == 0) {
        tcp->progress_us = now_us;
        cor_tcp_arm(tcp, now_us);
    }
    emit_segment(tcp, now_us, tx, index, push);
}

// The whole decision.
static enum cor_status pull_data(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx) {
    if (tcp->unsent_count == 0) {
        return blocked(tx, idle_cause(tcp));
    }
    if (tcp->doubt.lost_count != 0) {
        return blocked(tx, COR_METER_STATE_congestion);
    }
    const struct cor_tcp_segment *segment = &tcp->config.segments[tcp->next];
    if (segment->size_bytes > tcp->cut_bytes) {
        (void)cor_tcp_pmtu_fit(tcp, tcp->flight_count);  // or it goes whole
    }
    int32_t window_left = cor_tcp_window_left(tcp, segment->seq);
    if (segment->size_bytes > window_left && !cut_to_window(tcp, window_left)) {
        arm_probe(tcp, now_us);
        return blocked(tx, COR_METER_STATE_peer_window);
    }
    uint32_t in_flight = cor_tcp_in_flight(tcp);
    if (tcp->flight_count == 0 && now_us - tcp->sent_us > cor_tcp_rtt_timeout_us(&tcp->rtt)) {
        tcp->counters.idle_restarts++;
        tcp->config.controller->idle(&tcp->congestion);
    } else if (in_flight + segment->size_bytes > tcp->congestion.window_bytes && in_flight != 0) {
        return blocked(tx, COR_METER_STATE_congestion);
    }
    if (tcp->unsent_count == 1 && (tcp->flags & COR_TCP_END_OPEN) != 0 && !end_may_go(tcp)) {
        return blocked(tx, COR_METER_STATE_source);
    }
    send_next(tcp, now_us, tx, window_left);
    return COR_OK;
}

// A loss probe (RFC 8985 7.3): what comes next, where the peer's window has room for it, whatever
// the congestion window says; else the last segment once more.
static enum cor_status pull_probe(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx) {
    const struct cor_tcp_segment *next = &tcp->config.segments[tcp->next];
    bool held = tcp->unsent_count == 1 && (tcp->flags & COR_TCP_END_OPEN) != 0;

    tcp->tlp.due = false;
    if (tcp->doubt.recovery != COR_TCP_NO_RECOVERY || tcp->flight_count == 0) {
        return COR_AGAIN;
    }
    if (tcp->unsent_count != 0) {
        int32_t window_left = cor_tcp_window_left(tcp, next->seq);

        if (next->size_bytes <= window_left && (!held || end_may_go(tcp))) {
            send_next(tcp, now_us, tx, window_left);
            cor_tcp_tlp_sent(tcp, false);
            return COR_OK;
        }
    }
    bool fits = cor_tcp_pmtu_fit(tcp, tcp->flight_count - 1U);
    uint16_t index = cor_tcp_index(tcp, tcp->una, tcp->flight_count - 1U);
    struct cor_tcp_segment *last = &tcp->config.segments[index];
    if (last->queued != 0 || !fits) {
        tcp->counters.retransmit_held++;
        return COR_AGAIN;
    }
    if ((last->flags & COR_TCP_SEGMENT_PIPE) != 0) {
        tcp->pipe_bytes -= last->size_bytes;
    }
    last->flags |= COR_TCP_SEGMENT_AGAIN;
    tcp->counters.retransmit_probe++;
    tcp->counters.bytes_retransmitted += last->size_bytes;
    emit_segment(tcp, now_us, tx, index, true);
    cor_tcp_tlp_sent(tcp, true);
    return COR_OK;
}

// The steady state of a long transfer: a segment in the middle of what waits, with others in flight
// and none of them missed, that fits both windows together with the next one. It has neither PSH
// nor FIN and was never sent. False: the whole decision is needed.
COR_HOT_INLINE bool send_steady(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx) {
    struct cor_tcp_segment *segments = tcp->config.segments;
    struct cor_tcp_segment *segment = &segments[tcp->next];
    uint32_t next = tcp->next + 1U;
    uint32_t pipe = tcp->pipe_bytes;
    uint32_t size = segment->size_bytes;
    uint32_t seq = segment->seq;

    next = next == tcp->config.segment_count ? 0 : next;
    uint32_t both = size + segments[next].size_bytes;
    if (tcp->unsent_count < 3 || !cor_tcp_is_steady(tcp) || tcp->flight_count == 0 ||
        size > tcp->pmtu.whole_bytes || (int32_t)both > cor_tcp_window_left(tcp, seq) ||
        pipe + both > tcp->congestion.window_bytes) {
        return false;
    }
    segment->sent_us = (uint32_t)now_us;
    segment->flags = COR_TCP_SEGMENT_PIPE;
    segment->queued = 1;
    tx->token = cor_net_token(&tcp->socket, tcp->next);
    tcp->sent_us = now_us;
    tcp->pipe_bytes = pipe + size;
    tcp->snd_nxt = seq + size;
    tcp->snd_max = cor_seq_latest(tcp->snd_max, seq + size);
    tcp->next = (uint16_t)next;
    tcp->unsent_count--;
    tcp->flight_count++;
    tcp->queued_count++;
    // COR_TCP_FORCED is not set: it went with the first of those in flight.
    tcp->counters.bytes_sent += size;
    point(tcp, segment, tx);
    emit_head_inline(tcp, tx, &(struct mark){seq, 0, (uint16_t)size, segment->sum});
    return true;
}

enum cor_status cor_tcp_pull(
    struct cor_net_socket *socket, uint64_t now_us, struct cor_frame_tx *tx, uint8_t pass) {
    struct cor_tcp *tcp = (struct cor_tcp *)socket;
    enum cor_status status;

    if (pass == COR_NET_PASS_DATA) {
        status = pull_data(tcp, now_us, tx);
    } else if (pass == COR_NET_PASS_RETRANSMIT) {
        status = pull_lost(tcp, now_us, tx);
    } else {
        status = pull_control(tcp, now_us, tx);
    }
    if (tcp->doubt.times_on && status == COR_OK) {
        cor_tcp_times_put(tcp, now_us, tx);
    }
    return status;
}

enum cor_status cor_tcp_pull_data(
    struct cor_net_socket *socket, uint64_t now_us, struct cor_frame_tx *tx) {
    struct cor_tcp *tcp = (struct cor_tcp *)socket;

    return send_steady(tcp, now_us, tx) ? COR_OK
                                        : cor_tcp_pull(socket, now_us, tx, COR_NET_PASS_DATA);
}

void cor_tcp_sent(struct cor_net_socket *socket, uint64_t now_us, uint32_t index) {
    struct cor_tcp *tcp = (struct cor_tcp *)socket;

    (void)now_us;
    if (index >= tcp->config.segment_count || tcp->config.segments[index].queued == 0) {
        return;  // not one of ours
    }
    tcp->config.segments[index].queued--;
    tcp->queued_count--;
    if (tcp->doubt.kept_count != 0) {
        cor_tcp_free_acked(tcp);
    }
}
