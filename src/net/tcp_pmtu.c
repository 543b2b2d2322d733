// SPDX-License-Identifier: MIT
// Path MTU: how large a segment may be on the way to the peer (RFC 1191, 4821), and which ICMP
// message about it is believed (RFC 5927 7.2).
//
// Segments are cut when bytes are committed, so that those that are there already are too large
// when the size shrinks. Each is cut again when it is sent; without a free descriptor it goes whole
// and routers may cut it.
#include "net/tcp_parts.h"

#include "coradio/bytes.h"
#include "coradio/checksum.h"

#define HEADERS_BYTES (COR_IPV4_BYTES + COR_TCP_BYTES)
// No smaller packet is believed: every host must take this one (specified, RFC 791 3.1 and RFC 5927
// 7.2). For a path below, routers have to cut.
#define MTU_MIN 576
// Without a word from any router (RFC 4821 in miniature): after so many unanswered time-outs of a
// larger segment, twice as many where such have arrived before, a packet of the smallest IPv6 MTU
// is tried, then the smallest; our choice.
#define SILENT_TIMEOUTS 3
#define MTU_SILENT      1280
// Specified (RFC 1191 6.3): a larger size is tried again ten minutes after it shrank. A guess may
// be wrong, as a path that was down for a while looks the same: the first is soon tried again; our
// choice.
#define RAISE_US       600000000ULL
#define RAISE_FIRST_US 10000000ULL

// Specified (RFC 1191 7.1), as far as they are not above our own MTU: what to try when a router
// does not say how large the next hop is.
static const uint16_t plateaus[] = {1492, 1006, MTU_MIN};

static void use(struct cor_tcp *tcp, uint16_t mtu) {
    uint16_t mss = (uint16_t)(mtu - HEADERS_BYTES);

    tcp->mss_bytes = mss < tcp->pmtu.mss_max ? mss : tcp->pmtu.mss_max;
    tcp->cut_bytes = (uint16_t)((tcp->mss_bytes - cor_tcp_option_bytes(tcp)) & ~3U);
    tcp->congestion.mss_bytes = tcp->cut_bytes;
    tcp->pmtu.whole_bytes = tcp->cut_bytes;
    tcp->pmtu.acked_bytes = tcp->counters.bytes_acked;
    tcp->pmtu.claimed_mtu = 0;
}

void cor_tcp_pmtu_init(struct cor_tcp *tcp) {
    tcp->pmtu = (struct cor_tcp_pmtu){
        .mss_max = tcp->mss_bytes,
        .whole_bytes = tcp->cut_bytes,
        .acked_bytes = tcp->counters.bytes_acked,
    };
}

// Has a packet of this size arrived?
static bool is_proven(const struct cor_tcp *tcp) {
    return tcp->counters.bytes_acked - tcp->pmtu.acked_bytes > tcp->mss_bytes;
}

// What is in flight and too large was dropped on the way, which is no sign of congestion.
static void send_again(struct cor_tcp *tcp) {
    for (uint32_t place = 0; place < tcp->flight_count; place++) {
        struct cor_tcp_segment *segment =
            &tcp->config.segments[cor_tcp_index(tcp, tcp->una, place)];

        if (segment->size_bytes > tcp->cut_bytes) {
            (void)cor_tcp_mark_lost(tcp, segment, COR_TCP_TOO_BIG);
        }
    }
    if (tcp->doubt.lost_count != 0) {
        tcp->flags |= COR_TCP_LOST_FIRST;
    }
}

static void shrink(struct cor_tcp *tcp, uint16_t mtu, uint64_t raise_us) {
    uint16_t least = mtu > MTU_MIN ? mtu : MTU_MIN;

    if (least - HEADERS_BYTES < tcp->mss_bytes) {
        use(tcp, least);
        tcp->counters.mtu_shrunk++;
    }
    if (mtu < MTU_MIN) {
        tcp->pmtu.whole_bytes = 0;
    }
    tcp->pmtu.raise_us = raise_us;
    cor_net_wake(tcp->socket.net, raise_us);
    send_again(tcp);
}

static uint16_t plateau_below(uint16_t total_bytes) {
    for (uint32_t i = 0; i < sizeof(plateaus) / sizeof(plateaus[0]); i++) {
        if (plateaus[i] < total_bytes) {
            return plateaus[i];
        }
    }
    return MTU_MIN;
}

// The time of the message is near that of the last frame either way.
static uint64_t about_now(const struct cor_tcp *tcp) {
    uint64_t now_us = tcp->sent_us > tcp->progress_us ? tcp->sent_us : tcp->progress_us;

    return now_us > tcp->receive.heard_us ? now_us : tcp->receive.heard_us;
}

void cor_tcp_pmtu_claimed(struct cor_tcp *tcp, uint32_t seq, uint16_t mtu, uint16_t quoted_bytes) {
    uint16_t claimed = mtu != 0 ? mtu : plateau_below(quoted_bytes);

    // We sent no packet of that size, or it would have fitted.
    if (cor_tcp_is_opening(tcp) || quoted_bytes > tcp->pmtu.mss_max + HEADERS_BYTES ||
        claimed >= quoted_bytes) {
        tcp->counters.mtu_doubted++;
        return;
    }
    // Packets of this size have arrived: it has to be true of a segment that then does not.
    if (is_proven(tcp)) {
        tcp->counters.mtu_doubted++;
        tcp->pmtu.claimed_mtu = claimed;
        tcp->pmtu.claimed_seq = seq;
        return;
    }
    shrink(tcp, claimed, about_now(tcp) + RAISE_US);
}

void cor_tcp_pmtu_timed_out(struct cor_tcp *tcp, uint64_t now_us) {
    const struct cor_tcp_segment *first = &tcp->config.segments[tcp->una];
    struct cor_tcp_pmtu *pmtu = &tcp->pmtu;

    if (pmtu->claimed_mtu != 0) {
        uint16_t claimed = pmtu->claimed_mtu;

        pmtu->claimed_mtu = 0;
        if (!cor_seq_before(pmtu->claimed_seq, tcp->snd_una)) {
            shrink(tcp, claimed, now_us + RAISE_US);
        }
        return;
    }
    // A size that has proven good is given up later: outages are more common than new paths.
    uint32_t timeouts = is_proven(tcp) ? 2 * SILENT_TIMEOUTS : SILENT_TIMEOUTS;
    uint16_t guess = first->size_bytes > MTU_SILENT - HEADERS_BYTES ? MTU_SILENT : MTU_MIN;
    if (tcp->rtt.backoff % timeouts == 0 && first->size_bytes > guess - HEADERS_BYTES) {
        shrink(tcp, guess, now_us + (pmtu->guesses < 2 ? RAISE_FIRST_US : RAISE_US));
        tcp->counters.mtu_guessed++;
        cor_tcp_count(&pmtu->guesses);
    }
}

void cor_tcp_pmtu_poll(struct cor_tcp *tcp, uint64_t now_us) {
    if (now_us < tcp->pmtu.raise_us) {
        return;
    }
    if (tcp->rtt.backoff != 0) {
        tcp->pmtu.raise_us = now_us + RAISE_FIRST_US;  // the path answers nothing at all
        return;
    }
    tcp->pmtu.raise_us = 0;
    use(tcp, (uint16_t)(tcp->pmtu.mss_max + HEADERS_BYTES));
    tcp->counters.mtu_raised++;
}

bool cor_tcp_pmtu_fit(struct cor_tcp *tcp, uint32_t place) {
    const struct cor_tcp_segment *segment =
        &tcp->config.segments[cor_tcp_index(tcp, tcp->una, place)];

    if (segment->size_bytes <= tcp->cut_bytes || cor_tcp_split(tcp, place, tcp->cut_bytes)) {
        return true;
    }
    // Frames in the queue of the bus know their descriptors by place; they leave soon. Where no
    // descriptor is free, the segment goes whole.
    return cor_tcp_segments_used(tcp) >= tcp->config.segment_count;
}

// An identification is needed then (RFC 6864 4.3): a number that does not come again soon.
void cor_tcp_pmtu_allow(const struct cor_tcp *tcp, struct cor_frame_tx *tx) {
    uint8_t *ip = tx->head + COR_NET_IP;
    uint16_t id = (uint16_t)tcp->counters.segments_sent;

    cor_put_be16(ip + COR_IPV4_ID, id);
    cor_put_be16(ip + COR_IPV4_FRAGMENT, 0);
    cor_put_be16(ip + COR_IPV4_CHECKSUM, 0);
    cor_put_be16(ip + COR_IPV4_CHECKSUM, (uint16_t)~cor_sum_bytes(ip, COR_IPV4_BYTES));
}
