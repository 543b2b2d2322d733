// SPDX-License-Identifier: MIT
// Timestamps (RFC 7323 3 to 5). Each segment carries our clock and the peer's clock as last seen:
// what comes back measures a round trip also of what was sent again, and a segment with a clock
// that runs backwards is an old duplicate (PAWS).
//
//     ... header | 1 | 1 | 8 | 10 | our clock | the peer's | SACK or payload ...
//
// The option is put into a frame that is complete without it, so that a connection that does not
// use it pays one comparison a frame.
#include "net/tcp_parts.h"

#include <string.h>

#include "coradio/bytes.h"
#include "coradio/checksum.h"

#define HEAD_BYTES (COR_NET_TRANSPORT + COR_TCP_BYTES)
// A clock of 1.024 ms, specified (RFC 7323 5.4: 1 ms to 1 s).
#define CLOCK_SHIFT 10
// After so long without a segment the peer's clock may have gone half round: specified (RFC 7323
// 5.5).
#define RECENT_VALID_US (24ULL * 24 * 3600 * 1000000)
// Spreads the first sequence number, which is a keyed hash and a clock, over all bits (Knuth); our
// choice, for RFC 7323 5.4's offset for each connection.
#define SPREAD 2654435761U

static uint32_t clock_value(const struct cor_tcp *tcp, uint64_t now_us) {
    return (uint32_t)(now_us >> CLOCK_SHIFT) + tcp->iss * SPREAD;
}

bool cor_tcp_times_offer(const struct cor_tcp *tcp) {
    return tcp->state == COR_TCP_SYN_RECEIVED ? tcp->doubt.times_on
                                              : tcp->config.timestamps == COR_TCP_TIMESTAMPS_OFFER;
}

void cor_tcp_times_fill(const struct cor_tcp *tcp, uint64_t now_us, struct cor_tcp_header *header) {
    header->has_times = cor_tcp_times_offer(tcp);
    header->times_value = clock_value(tcp, now_us);
    header->times_echo = tcp->times.recent_value;
}

void cor_tcp_times_agree(
    struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header) {
    uint8_t mode = tcp->config.timestamps;
    bool asked = tcp->state == COR_TCP_SYN_SENT ? mode == COR_TCP_TIMESTAMPS_OFFER
                                                : mode != COR_TCP_TIMESTAMPS_OFF;

    tcp->times = (struct cor_tcp_times){
        .recent_value = header->times_value,
        .recent_us = now_us,
        .acked_seq = header->seq + 1,
    };
    tcp->doubt.times_on = asked && header->has_times;
}

bool cor_tcp_times_check(
    struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header) {
    struct cor_tcp_times *times = &tcp->times;

    // A reset is judged by its number alone (RFC 7323 5.2).
    if ((header->flags & COR_TCP_RST) != 0) {
        return true;
    }
    if (!header->has_times) {
        tcp->counters.drop_no_times++;
        return false;
    }
    if (cor_seq_before(header->times_value, times->recent_value) &&
        now_us - times->recent_us < RECENT_VALID_US) {
        tcp->counters.drop_old_times++;
        cor_tcp_want_ack(tcp);
        return false;
    }
    times->echo = header->times_echo;
    times->echoed = (header->flags & COR_TCP_ACK) != 0;
    return true;
}

void cor_tcp_times_note(struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header) {
    struct cor_tcp_times *times = &tcp->times;

    // Of several segments behind one acknowledgement the first counts (RFC 7323 4.3).
    if (header->has_times && !cor_seq_before(times->acked_seq, header->seq)) {
        times->recent_value = header->times_value;
        times->recent_us = now_us;
    }
}

uint32_t cor_tcp_times_age_us(const struct cor_tcp *tcp, uint64_t now_us) {
    uint32_t age = clock_value(tcp, now_us) - tcp->times.echo;

    // What we never sent, or so long ago that it cannot be an answer.
    if (!tcp->doubt.times_on || !tcp->times.echoed || age >= UINT32_MAX >> CLOCK_SHIFT) {
        return 0;
    }
    return (age << CLOCK_SHIFT) + 1;
}

void cor_tcp_times_put(struct cor_tcp *tcp, uint64_t now_us, struct cor_frame_tx *tx) {
    uint8_t *ip = tx->head + COR_NET_IP;
    uint8_t *at = tx->head + COR_NET_TRANSPORT;
    uint8_t *option = tx->head + HEAD_BYTES;

    if ((at[COR_TCP_FLAGS] & COR_TCP_SYN) != 0) {
        return;  // it was written with the other options
    }
    uint32_t total = cor_get_be16(ip + COR_IPV4_LENGTH);
    uint32_t ip_sum = (uint16_t)~cor_get_be16(ip + COR_IPV4_CHECKSUM);
    uint32_t sum = (uint16_t)~cor_get_be16(at + COR_TCP_CHECKSUM);

    memmove(option + COR_TCP_TIMES_BYTES, option, (size_t)tx->head_bytes - HEAD_BYTES);
    option[0] = 1;
    option[1] = 1;
    option[2] = 8;
    option[3] = 10;
    cor_put_be32(option + 4, clock_value(tcp, now_us));
    cor_put_be32(option + 8, tcp->times.recent_value);
    tx->head_bytes = (uint16_t)(tx->head_bytes + COR_TCP_TIMES_BYTES);
    cor_put_be16(ip + COR_IPV4_LENGTH, (uint16_t)(total + COR_TCP_TIMES_BYTES));
    ip_sum += COR_TCP_TIMES_BYTES;
    cor_put_be16(ip + COR_IPV4_CHECKSUM, (uint16_t)~cor_sum_fold(ip_sum));
    at[COR_TCP_OFFSET] = (uint8_t)(at[COR_TCP_OFFSET] + (COR_TCP_TIMES_BYTES << 2));
    // The option, the length in the pseudo header, and the offset in the high bits of its word.
    sum += (uint32_t)cor_sum_bytes(option, COR_TCP_TIMES_BYTES) + COR_TCP_TIMES_BYTES +
           (COR_TCP_TIMES_BYTES << 10);
    cor_put_be16(at + COR_TCP_CHECKSUM, (uint16_t)~cor_sum_fold(sum));
    tcp->times.acked_seq = tcp->rcv_nxt;
}
