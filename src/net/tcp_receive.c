// SPDX-License-Identifier: MIT
// The receive ring: what is kept, what is offered, what is told.
//
//     ring:    | to be read | hole | kept | hole | kept | free |
//              read_seq     rcv_nxt                            read_seq + ring_bytes
//
// The byte with sequence number n is always at head + (n - read_seq), so data that arrives out of
// order goes to its place at once and is never moved. Which runs are there stands in ranges[], the
// one that changed last in front, which is the order RFC 2018 4 wants to see them in.
#include "net/tcp_parts.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"

// At most 0.5 s, specified (RFC 9293 MUST-40); 40 ms as Linux has it.
#define ACK_DELAY_US 40000U
// Times an open window is told again when nothing comes, at growing gaps; our choice. The peer's
// own probes (RFC 9293 3.8.6.1) find it in the end, but may be a minute apart by then.
#define REOPEN_TRIES_MAX 5

// SACK option: kind 5 and length behind two NOPs, specified (RFC 2018 3).
#define SACK_HEAD_BYTES  4
#define SACK_BLOCK_BYTES 8

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t unread_bytes(const struct cor_tcp *tcp) {
    return tcp->rcv_nxt - tcp->receive.fin_taken - tcp->receive.read_seq;
}

// --- The window ---

// Where the window may end: what the ring holds, or in place of a ring what was configured.
static uint32_t edge_max(const struct cor_tcp *tcp) {
    // A scaled window is told in steps and rounded up, which must fit as well.
    uint32_t slack = (1U << tcp->receive.shift) - 1;

    return tcp->receive.read_seq + tcp->config.receive_ring_bytes - slack;
}

// What is left of the window as last told, and how far its edge could move.
static uint32_t left_bytes(const struct cor_tcp *tcp) {
    int32_t left = (int32_t)(tcp->receive.announced - tcp->rcv_nxt);

    return left > 0 ? (uint32_t)left : 0;
}

static uint32_t growth_bytes(const struct cor_tcp *tcp) {
    int32_t growth = (int32_t)(edge_max(tcp) - tcp->receive.announced);

    return growth > 0 ? (uint32_t)growth : 0;
}

// Silly-window avoidance: the edge moves by a segment or half the ring (RFC 9293 MUST-39).
static uint32_t step_bytes(const struct cor_tcp *tcp) {
    return least(tcp->mss_bytes, tcp->config.receive_ring_bytes / 2);
}

void cor_tcp_receive_init(struct cor_tcp *tcp, uint32_t first_seq, bool scaled) {
    struct cor_tcp_receive *receive = &tcp->receive;

    tcp->rcv_nxt = first_seq;
    receive->read_seq = first_seq;
    receive->head = 0;
    if (tcp->config.receive_ring == NULL) {
        receive->announced = first_seq + tcp->window_bytes;
        return;
    }
    receive->shift = scaled ? cor_tcp_receive_shift(tcp) : 0;
    receive->announced = first_seq + least(tcp->config.receive_ring_bytes, UINT16_MAX);
}

uint8_t cor_tcp_receive_shift(const struct cor_tcp *tcp) {
    uint8_t shift = 0;

    if (tcp->config.receive_ring == NULL) {
        return 0;
    }
    while (tcp->config.receive_ring_bytes >> shift > UINT16_MAX) {
        shift++;
    }
    return shift;
}

uint16_t cor_tcp_syn_window(const struct cor_tcp *tcp) {
    return tcp->config.receive_ring == NULL
               ? tcp->window_bytes
               : (uint16_t)least(tcp->config.receive_ring_bytes, UINT16_MAX);
}

uint16_t cor_tcp_announce(struct cor_tcp *tcp) {
    struct cor_tcp_receive *receive = &tcp->receive;

    if (tcp->config.receive_ring == NULL) {
        receive->announced = tcp->rcv_nxt + tcp->window_bytes;
        return tcp->window_bytes;
    }
    uint32_t before = left_bytes(tcp);
    uint32_t growth = growth_bytes(tcp);
    // What was told once stays told (RFC 9293 SHLD-14).
    uint32_t window = before + (growth >= step_bytes(tcp) ? growth : 0);
    uint32_t room = receive->read_seq + tcp->config.receive_ring_bytes - tcp->rcv_nxt;
    uint32_t told = (window + (1U << receive->shift) - 1) >> receive->shift;
    if (told << receive->shift > room) {
        told = room >> receive->shift;
    }
    told = least(told, UINT16_MAX);
    window = told << receive->shift;
    receive->announced = tcp->rcv_nxt + window;
    tcp->counters.windows_closed += window == 0 && !receive->closed;
    receive->closed = window == 0;
    return (uint16_t)told;
}

// --- What was received twice, and SACK ---

void cor_tcp_repeated(struct cor_tcp *tcp, uint32_t left, uint32_t right) {
    tcp->counters.repeated_bytes += right - left;
    tcp->receive.repeated.left = left;
    tcp->receive.repeated.right = right;
    tcp->receive.is_repeated = true;
}

static void put_block(uint8_t *at, const struct cor_tcp_range *range) {
    cor_put_be32(at, range->left);
    cor_put_be32(at + 4, range->right);
}

uint32_t cor_tcp_emit_sacks(struct cor_tcp *tcp, uint8_t *at) {
    struct cor_tcp_receive *receive = &tcp->receive;
    uint32_t count = 0;

    if ((tcp->flags & COR_TCP_SACK_ON) == 0 ||
        (receive->range_count == 0 && !receive->is_repeated)) {
        return 0;
    }
    // A repetition is told once, in front (RFC 2883 4).
    if (receive->is_repeated) {
        put_block(at + SACK_HEAD_BYTES, &receive->repeated);
        receive->is_repeated = false;
        count = 1;
    }
    // Timestamps leave room for one less (RFC 2018 3).
    uint32_t most = COR_TCP_SACKS_MAX - (tcp->doubt.times_on ? 1 : 0);
    for (uint32_t i = 0; i < receive->range_count && count < most; i++, count++) {
        put_block(at + SACK_HEAD_BYTES + count * SACK_BLOCK_BYTES, &receive->ranges[i]);
    }
    at[0] = 1;
    at[1] = 1;
    at[2] = 5;
    at[3] = (uint8_t)(2 + count * SACK_BLOCK_BYTES);
    return SACK_HEAD_BYTES + count * SACK_BLOCK_BYTES;
}

// --- Runs out of order ---

static void remove_range(struct cor_tcp_receive *receive, uint32_t index) {
    receive->range_count--;
    for (uint32_t i = index; i < receive->range_count; i++) {
        receive->ranges[i] = receive->ranges[i + 1];
    }
}

// Puts a run in front, grown by those it touches. False: there are too many.
static bool add_range(struct cor_tcp *tcp, uint32_t left, uint32_t right) {
    struct cor_tcp_receive *receive = &tcp->receive;
    struct cor_tcp_range all = {left, right};
    uint32_t i = 0;

    while (i < receive->range_count) {
        const struct cor_tcp_range *range = &receive->ranges[i];

        if (cor_seq_before(range->right, all.left) || cor_seq_before(all.right, range->left)) {
            i++;
            continue;
        }
        uint32_t from = cor_seq_latest(range->left, left);
        uint32_t to = cor_seq_before(range->right, right) ? range->right : right;
        if (cor_seq_before(from, to)) {
            cor_tcp_repeated(tcp, from, to);
        }
        all.left = cor_seq_before(range->left, all.left) ? range->left : all.left;
        all.right = cor_seq_latest(range->right, all.right);
        remove_range(receive, i);
        i = 0;  // it may touch others now
    }
    if (receive->range_count == COR_TCP_RANGES) {
        return false;
    }
    for (i = receive->range_count; i > 0; i--) {
        receive->ranges[i] = receive->ranges[i - 1];
    }
    receive->ranges[0] = all;
    receive->range_count++;
    return true;
}

// Everything up to rcv_nxt is there: runs that begin at or before it are in order now.
static void absorb_ranges(struct cor_tcp *tcp) {
    struct cor_tcp_receive *receive = &tcp->receive;
    uint32_t i = 0;

    while (i < receive->range_count) {
        const struct cor_tcp_range range = receive->ranges[i];

        if (cor_seq_before(tcp->rcv_nxt, range.left)) {
            i++;
            continue;
        }
        tcp->rcv_nxt = cor_seq_latest(tcp->rcv_nxt, range.right);
        remove_range(receive, i);
        i = 0;
    }
}

// --- Data in ---

static void put_ring(struct cor_tcp *tcp, const struct cor_tcp_arrival *arrival) {
    uint32_t ring_bytes = tcp->config.receive_ring_bytes;
    uint32_t at = tcp->receive.head + (arrival->seq - tcp->receive.read_seq);

    at -= at >= ring_bytes ? ring_bytes : 0;
    uint32_t first = least(arrival->size_bytes, ring_bytes - at);
    memcpy(tcp->config.receive_ring + at, arrival->data, first);
    memcpy(tcp->config.receive_ring, arrival->data + first, arrival->size_bytes - first);
}

// Every second segment is acknowledged at once, the others soon (RFC 9293 3.8.6.3).
void cor_tcp_ack_soon(struct cor_tcp *tcp, uint64_t now_us) {
    uint32_t every = tcp->config.ack_segments != 0 ? tcp->config.ack_segments : 2;

    cor_tcp_count(&tcp->unacked_received);
    if (tcp->unacked_received >= every) {
        cor_tcp_want_ack(tcp);
    } else if (tcp->ack_us == COR_NET_NEVER) {
        tcp->ack_us = now_us + ACK_DELAY_US;
        cor_net_wake(tcp->socket.net, tcp->ack_us);
    }
}

// A gap is told at once, and so is its filling (RFC 5681 4.2).
static uint32_t keep(struct cor_tcp *tcp, const struct cor_tcp_arrival *arrival) {
    cor_tcp_want_ack(tcp);
    if (arrival->size_bytes == 0) {
        return 0;
    }
    if (!add_range(tcp, arrival->seq, arrival->seq + arrival->size_bytes)) {
        tcp->counters.drop_out_of_order++;
        return 0;
    }
    put_ring(tcp, arrival);
    tcp->counters.kept_out_of_order++;
    return arrival->size_bytes;
}

static uint32_t append(
    struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_arrival *arrival) {
    uint32_t before = tcp->rcv_nxt;
    bool gaps = tcp->receive.range_count != 0;

    put_ring(tcp, arrival);
    tcp->rcv_nxt += arrival->size_bytes;
    if (gaps) {
        absorb_ranges(tcp);
        cor_tcp_want_ack(tcp);
    } else {
        cor_tcp_ack_soon(tcp, now_us);
    }
    tcp->counters.bytes_received += tcp->rcv_nxt - before;
    tcp->receive.reopen_us = COR_NET_NEVER;
    cor_tcp_note(tcp, COR_TCP_EVENT_READABLE);
    return arrival->size_bytes;
}

// Nothing stands behind the FIN, whatever the peer may have sent there.
static void note_fin(struct cor_tcp *tcp, uint32_t fin_seq) {
    struct cor_tcp_receive *receive = &tcp->receive;

    if (receive->fin_known) {
        return;
    }
    receive->fin_known = true;
    receive->fin_seq = fin_seq;
    for (uint32_t i = receive->range_count; i > 0; i--) {
        if (cor_seq_before(fin_seq, receive->ranges[i - 1].right)) {
            remove_range(receive, i - 1);
        }
    }
}

uint32_t cor_tcp_store(struct cor_tcp *tcp, uint64_t now_us, struct cor_tcp_arrival *arrival) {
    struct cor_tcp_receive *receive = &tcp->receive;
    uint32_t stored = 0;

    if (arrival->fin) {
        note_fin(tcp, arrival->seq + arrival->size_bytes);
    }
    if (receive->fin_known) {
        int32_t left = (int32_t)(receive->fin_seq - arrival->seq);

        if (left < 0) {
            cor_tcp_want_ack(tcp);
            return 0;
        }
        arrival->size_bytes = least(arrival->size_bytes, (uint32_t)left);
    }
    if (arrival->seq != tcp->rcv_nxt) {
        stored = keep(tcp, arrival);
    } else if (arrival->size_bytes != 0) {
        stored = append(tcp, now_us, arrival);
    }
    arrival->fin = receive->fin_known && tcp->rcv_nxt == receive->fin_seq;
    return stored;
}

// --- Data out ---

int32_t cor_tcp_receive_buf(struct cor_tcp *tcp, const uint8_t **data) {
    const struct cor_tcp_receive *receive = &tcp->receive;
    uint32_t unread = unread_bytes(tcp);

    *data = NULL;
    if (tcp->config.receive_ring == NULL) {
        return COR_E_STATE;
    }
    if (unread != 0) {
        *data = tcp->config.receive_ring + receive->head;
        return (int32_t)least(unread, tcp->config.receive_ring_bytes - receive->head);
    }
    if (tcp->state == COR_TCP_CLOSED) {
        return tcp->error != COR_OK ? tcp->error : COR_E_CLOSED;
    }
    return receive->fin_taken || receive->deaf ? COR_E_CLOSED : 0;
}

// A window that had become smaller than a segment is opened at once, another when it is worth an
// acknowledgement of its own; most of the time those of the data carry the news.
static void tell_window(struct cor_tcp *tcp, uint64_t now_us) {
    uint32_t step = step_bytes(tcp);
    uint32_t ring_bytes = tcp->config.receive_ring_bytes;
    bool closed = left_bytes(tcp) < step;

    if (growth_bytes(tcp) < (closed ? step : ring_bytes / 2)) {
        return;
    }
    cor_tcp_want_ack(tcp);
    if (closed) {
        tcp->counters.windows_reopened++;
        tcp->receive.reopen_tries = 0;
        tcp->receive.reopen_us = now_us + tcp->rtt.rto_us;
        cor_net_wake(tcp->socket.net, tcp->receive.reopen_us);
    }
}

void cor_tcp_receive_ack(struct cor_tcp *tcp, uint32_t used_bytes, uint64_t now_us) {
    struct cor_tcp_receive *receive = &tcp->receive;

    COR_ASSERT(used_bytes <= unread_bytes(tcp));
    receive->read_seq += used_bytes;
    receive->head += used_bytes;
    if (receive->head >= tcp->config.receive_ring_bytes) {
        receive->head -= tcp->config.receive_ring_bytes;
    }
    if (used_bytes != 0 && cor_tcp_receives(tcp)) {
        tell_window(tcp, now_us);
    }
}

int32_t cor_tcp_read(struct cor_tcp *tcp, uint8_t *into, uint32_t size_bytes, uint64_t now_us) {
    uint32_t done = 0;

    // A ring that wraps takes two turns.
    for (uint32_t turn = 0; turn < 2 && done < size_bytes; turn++) {
        const uint8_t *data;
        int32_t there = cor_tcp_receive_buf(tcp, &data);

        if (there < 0 && done == 0) {
            return there;
        }
        if (there <= 0) {
            break;
        }
        uint32_t take = least((uint32_t)there, size_bytes - done);
        memcpy(into + done, data, take);
        cor_tcp_receive_ack(tcp, take, now_us);
        done += take;
    }
    return (int32_t)done;
}

uint32_t cor_tcp_readable_bytes(const struct cor_tcp *tcp) {
    return tcp->config.receive_ring == NULL ? 0 : unread_bytes(tcp);
}

void cor_tcp_receive_drop(struct cor_tcp *tcp) {
    tcp->receive.read_seq = tcp->rcv_nxt - tcp->receive.fin_taken;
    tcp->receive.range_count = 0;
}

// --- The window, told again ---

void cor_tcp_reopen_due(struct cor_tcp *tcp, uint64_t now_us) {
    struct cor_tcp_receive *receive = &tcp->receive;

    receive->reopen_us = COR_NET_NEVER;
    if (!cor_tcp_receives(tcp) || receive->reopen_tries == REOPEN_TRIES_MAX) {
        return;
    }
    receive->reopen_tries++;
    receive->reopen_us = now_us + ((uint64_t)tcp->rtt.rto_us << receive->reopen_tries);
    tcp->counters.windows_told_again++;
    cor_tcp_want_ack(tcp);
}

// --- Urgent data, in line ---

void cor_tcp_take_urgent(struct cor_tcp *tcp, uint32_t seq, uint16_t pointer) {
    struct cor_tcp_receive *receive = &tcp->receive;
    uint32_t end = seq + pointer;

    // It names the first byte that is not urgent (RFC 9293 MUST-62), and only moves on.
    if (!cor_seq_before(tcp->rcv_nxt, end) ||
        (receive->urgent && !cor_seq_before(receive->urgent_seq, end))) {
        return;
    }
    receive->urgent = true;
    receive->urgent_seq = end;
    cor_tcp_note(tcp, COR_TCP_EVENT_URGENT);
}

uint32_t cor_tcp_urgent_bytes(const struct cor_tcp *tcp) {
    const struct cor_tcp_receive *receive = &tcp->receive;
    bool ring = tcp->config.receive_ring != NULL;
    uint32_t from = ring ? receive->read_seq : tcp->rcv_nxt;

    return receive->urgent && cor_seq_before(from, receive->urgent_seq) ? receive->urgent_seq - from
                                                                        : 0;
}

uint32_t cor_tcp_take_events(struct cor_tcp *tcp) {
    uint32_t events = tcp->receive.events;

    tcp->receive.events = 0;
    return events;
}
