// SPDX-License-Identifier: MIT
// Header prediction: a plain acknowledgement of an open connection, the frame a sender receives
// most. Everything that makes it plain is looked at, and both checksums; what is not plain goes the
// whole way. Words are compared as they lie in memory.
#include "net/tcp_parts.h"
#include "net/tcp_rtt.h"
#include "wire/ethernet.h"

#include "coradio/bytes.h"
#include "coradio/checksum.h"

// Of a frame: do these bytes, under a mask, stand there?
COR_HOT_INLINE bool stands(const uint8_t *at, const uint8_t mask[4], const uint8_t bytes[4]) {
    return (cor_get_native32(at) & cor_get_native32(mask)) == cor_get_native32(bytes);
}

// IPv4 without options, 40 bytes, not a fragment, TCP without options, ACK and perhaps PSH.
COR_HOT_INLINE bool is_plain_ack(const uint8_t *frame) {
    static const uint8_t type_mask[4] = {0xFF, 0xFF, 0xFF, 0};
    static const uint8_t type[4] = {0x08, 0x00, 0x45, 0};
    static const uint8_t size_mask[4] = {0xFF, 0xFF, 0, 0};
    static const uint8_t size[4] = {0, COR_IPV4_BYTES + COR_TCP_BYTES, 0, 0};
    static const uint8_t fragment_mask[4] = {0x3F, 0xFF, 0, 0xFF};
    static const uint8_t fragment[4] = {0, 0, 0, COR_IPV4_TCP};
    static const uint8_t flags_mask[4] = {0xFF, (uint8_t)~COR_TCP_PSH, 0, 0};
    static const uint8_t flags[4] = {0x50, COR_TCP_ACK, 0, 0};
    const uint8_t *ip = frame + COR_NET_IP;

    return stands(frame + COR_ETHERNET_TYPE, type_mask, type) &&
           stands(ip + COR_IPV4_LENGTH, size_mask, size) &&
           stands(ip + COR_IPV4_FRAGMENT, fragment_mask, fragment) &&
           stands(frame + COR_NET_TRANSPORT + COR_TCP_OFFSET, flags_mask, flags);
}

// Addresses and ports are those of our template, the other way round.
COR_HOT_INLINE bool is_between(const struct cor_tcp *tcp, const uint8_t *ip) {
    const uint8_t *ours = (const uint8_t *)tcp->template_words + COR_NET_PAD + COR_NET_IP;
    uint32_t ports = cor_get_native32(ip + COR_IPV4_BYTES);

    return cor_get_native32(ip + COR_IPV4_FROM) == cor_get_native32(ours + COR_IPV4_TO) &&
           cor_get_native32(ip + COR_IPV4_TO) == cor_get_native32(ours + COR_IPV4_FROM) &&
           ((ports << 16) | (ports >> 16)) == cor_get_native32(ours + COR_IPV4_BYTES);
}

COR_HOT_INLINE uint32_t sum_word(const uint8_t *at) {
    return cor_sum_u32(cor_get_native32(at));
}

void cor_tcp_fast_init(struct cor_tcp *tcp) {
    static const uint8_t protocol_and_size[4] = {0, COR_IPV4_TCP, 0, COR_TCP_BYTES};
    const uint8_t *ip = (const uint8_t *)tcp->template_words + COR_NET_PAD + COR_NET_IP;

    tcp->address_sum = sum_word(ip + COR_IPV4_FROM) + sum_word(ip + COR_IPV4_TO);
    tcp->answer_sum =
        tcp->address_sum + sum_word(protocol_and_size) + sum_word(ip + COR_IPV4_BYTES);
}

// Both checksums, of a frame that is_plain_ack() and is_between() have passed. A total that is all
// ones is so in any byte order.
COR_HOT_INLINE bool sums_are_right(const struct cor_tcp *tcp, const uint8_t *ip) {
    const uint8_t *at = ip + COR_IPV4_BYTES;

    return cor_sum_is_right(
               tcp->address_sum + sum_word(ip) + sum_word(ip + 4) + sum_word(ip + 8)) &&
           cor_sum_is_right(
               tcp->answer_sum + sum_word(at + 4) + sum_word(at + 8) + sum_word(at + 12) +
               sum_word(at + 16));
}

// The first segment that an acknowledgement leaves in flight, and when the one before it was sent.
// NULL: one of those it takes is not plain (sent once, its frame has left), it ends inside one, or
// none but a FIN is left behind, which may lie at the same place of a full ring.
COR_HOT_INLINE const struct cor_tcp_segment *first_left(
    const struct cor_tcp *tcp, uint32_t ack, uint32_t *sent_us) {
    const struct cor_tcp_segment *segments = tcp->config.segments;
    const struct cor_tcp_segment *end = &segments[tcp->config.segment_count];
    const struct cor_tcp_segment *segment = &segments[tcp->una];
    int32_t beyond;

    for (uint32_t left = tcp->flight_count; left > 1; left--) {
        if (segment->flags != COR_TCP_SEGMENT_PIPE || segment->queued != 0) {
            return NULL;
        }
        *sent_us = segment->sent_us;
        segment = segment + 1 == end ? segments : segment + 1;
        beyond = (int32_t)(ack - segment->seq);
        if (beyond <= 0) {
            return beyond == 0 && segment->size_bytes != 0 ? segment : NULL;
        }
    }
    return NULL;
}

// May an acknowledgement be taken here at all? Nothing is lost, doubted, probed or repaired, and
// nobody wants to hear more of it than that bytes arrived.
COR_HOT_INLINE bool is_steady(const struct cor_tcp *tcp, uint32_t ack) {
    return (tcp->kept_count | tcp->sacked_count | tcp->lost_count) == 0 && !tcp->tlp.outstanding &&
           !tcp->rack.reordering && !tcp->rack.again_arrived &&
           tcp->config.controller->delivered == NULL && !cor_seq_before(ack, tcp->rack.farthest);
}

// cor_tcp_rack_arrived() for a segment that was sent once and arrived in order.
COR_HOT_INLINE void note_arrival(
    struct cor_tcp *tcp, uint32_t sent_us, uint32_t rtt_us, uint32_t end) {
    struct cor_tcp_rack *rack = &tcp->rack;

    if (rack->rtt_us == 0 || !cor_seq_before(sent_us, rack->sent_us)) {
        rack->sent_us = sent_us;
        rack->end_seq = end;
        rack->rtt_us = rtt_us != 0 ? rtt_us : 1;
    }
}

// The end of a round trip is where it is measured: RFC 6298 asks for one sample each, and more
// would only make the mean forget faster (RFC 7323, appendix G).
COR_HOT_INLINE void note_round(
    struct cor_tcp *tcp, uint32_t in_flight, uint32_t flight, uint32_t rtt_us) {
    tcp->flight_before_bytes = flight;
    tcp->flight_max_bytes = in_flight;
    tcp->flight_mark = tcp->snd_nxt;
    tcp->counters.rtt_samples++;
    cor_tcp_rtt_sample(&tcp->rtt, rtt_us);
}

// cor_tcp_acked() for an acknowledgement that only says that all is well. False: it says more.
static bool acked(struct cor_tcp *tcp, uint64_t now_us, uint32_t ack) {
    const struct cor_tcp_segment *first = &tcp->config.segments[tcp->una];
    uint32_t in_flight = cor_tcp_in_flight(tcp);
    uint32_t flight = in_flight > tcp->flight_max_bytes ? in_flight : tcp->flight_max_bytes;
    uint32_t acked_bytes = ack - tcp->snd_una;
    uint32_t sent_us = 0;
    const struct cor_tcp_segment *next;

    if (!is_steady(tcp, ack)) {
        return false;
    }
    next = first_left(tcp, ack, &sent_us);
    if (next == NULL) {
        return false;
    }
    int32_t ring_words = next->offset_words - first->offset_words;
    int32_t count = (int32_t)(next - first);
    uint32_t rtt_us = (uint32_t)now_us - sent_us;
    tcp->used_bytes -= (uint32_t)ring_words * 4 + (ring_words < 0 ? tcp->config.ring_bytes : 0);
    tcp->pipe_bytes -= ack - first->seq;
    tcp->flight_count =
        (uint16_t)(tcp->flight_count - count - (count < 0 ? tcp->config.segment_count : 0));
    tcp->una = (uint16_t)(next - tcp->config.segments);
    tcp->flight_max_bytes = flight;
    if (!cor_seq_before(ack, tcp->flight_mark)) {
        note_round(tcp, in_flight, flight, rtt_us);
    }
    tcp->snd_una = ack;
    tcp->progress_us = now_us;
    tcp->departed_bytes = 0;
    tcp->limited_bytes = 0;
    tcp->counters.bytes_acked += acked_bytes;
    cor_tcp_note(tcp, COR_TCP_EVENT_WRITABLE);
    tcp->rtt.backoff = 0;
    note_arrival(tcp, sent_us, rtt_us, ack);
    tcp->config.controller->acked(&tcp->congestion, acked_bytes, flight, 2);
    tcp->retransmit_us = now_us + tcp->rtt.rto_us;
    cor_net_wake(tcp->socket.net, tcp->retransmit_us);
    if (tcp->loss_us == COR_NET_NEVER) {
        cor_tcp_tlp_arm(tcp);
    }
    return true;
}

// What the segment says of the peer's window, which is open. Its acknowledgement is newer than the
// last that told it.
COR_HOT_INLINE void set_window(struct cor_tcp *tcp, uint32_t ack, uint32_t window_bytes) {
    tcp->probes = 0;
    tcp->snd_wnd = window_bytes;
    tcp->snd_wl1 = tcp->rcv_nxt;
    tcp->snd_wl2 = ack;
    if (window_bytes > tcp->snd_wnd_max) {
        tcp->snd_wnd_max = window_bytes;
    }
}

COR_HOT_INLINE bool input_ack(
    struct cor_net *net, uint64_t now_us, const uint8_t *frame, uint32_t size_bytes) {
    struct cor_tcp *tcp = (struct cor_tcp *)net->last;
    const uint8_t *ip = frame + COR_NET_IP;
    const uint8_t *at = frame + COR_NET_TRANSPORT;

    if (tcp == NULL || size_bytes < COR_NET_TRANSPORT + COR_TCP_BYTES ||
        tcp->state != COR_TCP_ESTABLISHED || (tcp->recovery | tcp->duplicates) != 0 ||
        tcp->times.on || !is_plain_ack(frame) || !is_between(tcp, ip)) {
        return false;
    }
    uint32_t ack = cor_get_be32(at + COR_TCP_ACKED);
    uint32_t window_bytes = (uint32_t)cor_get_be16(at + COR_TCP_WINDOW) << tcp->peer_shift;
    if (cor_get_be32(at + COR_TCP_SEQ) != tcp->rcv_nxt || window_bytes == 0 ||
        ack - tcp->snd_una - 1 >= tcp->snd_max - tcp->snd_una ||
        cor_seq_before(tcp->rcv_nxt, tcp->snd_wl1) || !sums_are_right(tcp, ip)) {
        return false;
    }
    tcp->counters.segments_received++;
    tcp->counters.acks_fast++;
    set_window(tcp, ack, window_bytes);
    if (!acked(tcp, now_us, ack)) {
        cor_tcp_weigh_before(tcp);
        cor_tcp_acked(tcp, now_us, ack);
    }
    return true;
}

uint32_t cor_tcp_input_first(
    struct cor_frame_source *source, uint64_t now_us, uint8_t *frame, uint32_t size_bytes) {
    struct cor_net *net = (struct cor_net *)source;  // its first member

    net->counters.frames_received++;
    return input_ack(net, now_us, frame, size_bytes)
               ? 0
               : cor_net_input_any(net, now_us, frame, size_bytes);
}
