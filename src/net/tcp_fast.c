// SPDX-License-Identifier: MIT
// Header prediction: a plain acknowledgement of an open connection, the frame a sender receives
// most. Everything that makes it plain is looked at, and both checksums; what is not plain goes the
// whole way. Words are compared and summed as they lie in memory.
#include "net/tcp_parts.h"
#include "net/tcp_rtt.h"
#include "wire/ethernet.h"

#include "coradio/bytes.h"
#include "coradio/checksum.h"

#define ACK_BYTES (COR_NET_TRANSPORT + COR_TCP_BYTES)

// What a plain acknowledgement says.
struct plain {
    uint32_t ack;
    uint32_t window_bytes;
};

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

// Do these bytes, under a mask, stand in a word of a frame?
COR_HOT_INLINE bool stands(uint32_t word, const uint8_t mask[4], const uint8_t bytes[4]) {
    return (word & cor_get_native32(mask)) == cor_get_native32(bytes);
}

// IPv4 without options, of 40 bytes, not a fragment, TCP, and the header's checksum: the first
// three words of a header whose addresses are ours.
COR_HOT_INLINE bool is_plain_ip(const struct cor_tcp *tcp, const uint8_t *ip) {
    static const uint8_t size_mask[4] = {0xFF, 0, 0xFF, 0xFF};
    static const uint8_t size[4] = {0x45, 0, 0, COR_IPV4_BYTES + COR_TCP_BYTES};
    static const uint8_t fragment_mask[4] = {0, 0, 0x3F, 0xFF};
    static const uint8_t fragment[4] = {0, 0, 0, 0};
    static const uint8_t protocol_mask[4] = {0, 0xFF, 0, 0};
    static const uint8_t protocol[4] = {0, COR_IPV4_TCP, 0, 0};
    uint32_t first = cor_get_native32(ip);
    uint32_t second = cor_get_native32(ip + 4);
    uint32_t third = cor_get_native32(ip + 8);

    return stands(first, size_mask, size) && stands(second, fragment_mask, fragment) &&
           stands(third, protocol_mask, protocol) &&
           cor_sum_is_right(
               tcp->address_sum + cor_sum_u32(first) + cor_sum_u32(second) + cor_sum_u32(third));
}

// Addresses and ports are those of our template, the other way round.
COR_HOT_INLINE bool is_between(const struct cor_tcp *tcp, const uint8_t *ip) {
    const uint8_t *ours = (const uint8_t *)tcp->template_words + COR_NET_PAD + COR_NET_IP;
    uint32_t ports = cor_get_native32(ip + COR_IPV4_BYTES);

    return cor_get_native32(ip + COR_IPV4_FROM) == cor_get_native32(ours + COR_IPV4_TO) &&
           cor_get_native32(ip + COR_IPV4_TO) == cor_get_native32(ours + COR_IPV4_FROM) &&
           ((ports << 16) | (ports >> 16)) == cor_get_native32(ours + COR_IPV4_BYTES);
}

// TCP without options, ACK and perhaps PSH, nothing but an acknowledgement of something new behind
// what we have received, the window open, and the checksum. A total that is all ones is so in any
// byte order.
COR_HOT_INLINE bool read_plain(const struct cor_tcp *tcp, const uint8_t *at, struct plain *plain) {
    static const uint8_t flags_mask[4] = {0xFF, (uint8_t)~COR_TCP_PSH, 0, 0};
    static const uint8_t flags[4] = {0x50, COR_TCP_ACK, 0, 0};
    uint32_t seq = cor_get_native32(at + COR_TCP_SEQ);
    uint32_t ack = cor_get_native32(at + COR_TCP_ACKED);
    uint32_t offset = cor_get_native32(at + COR_TCP_OFFSET);
    uint32_t sum = tcp->answer_sum + cor_sum_u32(seq) + cor_sum_u32(ack) + cor_sum_u32(offset) +
                   sum_word(at + COR_TCP_CHECKSUM);

    plain->ack = cor_get_be32(at + COR_TCP_ACKED);
    plain->window_bytes = (uint32_t)cor_get_be16(at + COR_TCP_WINDOW) << tcp->peer_shift;
    return stands(offset, flags_mask, flags) && cor_sum_is_right(sum) &&
           cor_get_be32(at + COR_TCP_SEQ) == tcp->rcv_nxt && plain->window_bytes != 0 &&
           plain->ack - tcp->snd_una - 1 < tcp->snd_max - tcp->snd_una &&
           !cor_seq_before(tcp->rcv_nxt, tcp->snd_wl1);
}

// --- What it acknowledges ---

// The first segment that an acknowledgement leaves in flight.
struct left {
    const struct cor_tcp_segment *segment;
    uint32_t count;    // of segments in flight, with it
    uint32_t sent_us;  // of the one before it
};

// False: one of those it takes is not plain (sent once, its frame has left), it ends inside one, or
// none but a FIN is left, which may lie at the same place of a full ring.
COR_HOT_INLINE bool find_left(const struct cor_tcp *tcp, uint32_t ack, struct left *left) {
    const struct cor_tcp_segment *segments = tcp->config.segments;
    const struct cor_tcp_segment *end = &segments[tcp->config.segment_count];
    const struct cor_tcp_segment *segment = &segments[tcp->una];

    for (uint32_t count = tcp->flight_count; count > 1; count--) {
        if (segment->flags != COR_TCP_SEGMENT_PIPE || segment->queued != 0) {
            return false;
        }
        left->sent_us = segment->sent_us;
        segment++;
        segment = segment == end ? segments : segment;
        int32_t beyond = (int32_t)(ack - segment->seq);
        if (beyond <= 0) {
            left->segment = segment;
            left->count = count - 1;
            return beyond == 0 && segment->size_bytes != 0;
        }
    }
    return false;
}

// The end of a round trip is where it is measured: RFC 6298 asks for one sample each, and more
// would only make the mean forget faster (RFC 7323, appendix G). What RACK knows of the segment
// sent last may be a round trip old: whatever SACK tells of was sent after all that is taken here.
COR_HOT_INLINE void note_round(
    struct cor_tcp *tcp, uint32_t ack, uint32_t flight, uint32_t now_us, uint32_t sent_us) {
    uint32_t rtt_us = now_us - sent_us;

    tcp->flight_before_bytes = flight;
    tcp->flight_max_bytes = tcp->pipe_bytes;
    tcp->flight_mark = tcp->snd_nxt;
    tcp->counters.rtt_samples++;
    cor_tcp_rtt_sample(&tcp->rtt, rtt_us);
    tcp->rack.sent_us = sent_us;
    tcp->rack.end_seq = ack;
    tcp->rack.rtt_us = rtt_us != 0 ? rtt_us : 1;
}

// cor_tcp_acked() for an acknowledgement that only says that all is well. Without duplicates
// nothing has departed and nothing was sent under limited transmit.
COR_HOT_INLINE void take(
    struct cor_tcp *tcp, uint64_t now_us, uint32_t ack, const struct left *left) {
    const struct cor_tcp_segment *first = &tcp->config.segments[tcp->una];
    uint32_t flight =
        tcp->pipe_bytes > tcp->flight_max_bytes ? tcp->pipe_bytes : tcp->flight_max_bytes;
    uint32_t acked_bytes = ack - tcp->snd_una;
    int32_t ring_words = left->segment->offset_words - first->offset_words;

    tcp->flight_max_bytes = flight;
    if (!cor_seq_before(ack, tcp->flight_mark)) {
        note_round(tcp, ack, flight, (uint32_t)now_us, left->sent_us);
    }
    tcp->used_bytes -= (uint32_t)ring_words * 4 + (ring_words < 0 ? tcp->config.ring_bytes : 0);
    tcp->pipe_bytes -= ack - first->seq;
    tcp->flight_count = (uint16_t)left->count;
    tcp->una = (uint16_t)(left->segment - tcp->config.segments);
    tcp->snd_una = ack;
    tcp->progress_us = now_us;
    tcp->counters.bytes_acked += acked_bytes;
    cor_tcp_note(tcp, COR_TCP_EVENT_WRITABLE);
    tcp->rtt.backoff = 0;
    tcp->config.controller->acked(&tcp->congestion, acked_bytes, flight, 2);
    tcp->retransmit_us = now_us + tcp->rtt.rto_us;
    cor_net_wake(tcp->socket.net, tcp->retransmit_us);
    if (tcp->loss_us == COR_NET_NEVER) {
        cor_tcp_tlp_arm(tcp);
    }
}

// What it says of the peer's window, and it says it last: cor_tcp_set_window().
COR_HOT_INLINE void set_window(struct cor_tcp *tcp, const struct plain *plain) {
    tcp->probes = 0;
    tcp->snd_wnd = plain->window_bytes;
    tcp->snd_wl1 = tcp->rcv_nxt;
    tcp->snd_wl2 = plain->ack;
    if (plain->window_bytes > tcp->snd_wnd_max) {
        tcp->snd_wnd_max = plain->window_bytes;
    }
}

COR_HOT_INLINE bool input_ack(
    struct cor_net *net, uint64_t now_us, const uint8_t *frame, uint32_t size_bytes) {
    struct cor_tcp *tcp = (struct cor_tcp *)net->last;
    const uint8_t *ip = frame + COR_NET_IP;
    struct plain plain;
    struct left left;

    // Nothing is lost, doubted, probed or repaired, and nobody wants to hear more of what is
    // acknowledged than that it has arrived.
    if (tcp == NULL || size_bytes < ACK_BYTES || tcp->state != COR_TCP_ESTABLISHED ||
        !cor_tcp_is_steady(tcp) || tcp->config.controller->delivered != NULL ||
        cor_get_be16(frame + COR_ETHERNET_TYPE) != COR_ETHERNET_TYPE_IPV4 || !is_between(tcp, ip) ||
        !is_plain_ip(tcp, ip) || !read_plain(tcp, ip + COR_IPV4_BYTES, &plain)) {
        return false;
    }
    set_window(tcp, &plain);  // once more on the whole way, which changes nothing
    if (!find_left(tcp, plain.ack, &left)) {
        return false;
    }
    tcp->counters.segments_received++;
    tcp->counters.acks_fast++;
    take(tcp, now_us, plain.ack, &left);
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
