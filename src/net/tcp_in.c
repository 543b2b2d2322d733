// SPDX-License-Identifier: MIT
// Segments received: RFC 9293 3.10.7, with the checks of RFC 5961 against blind attacks.
#include "net/tcp_parts.h"
#include "wire/ethernet.h"

#include "coradio/bytes.h"
#include "coradio/checksum.h"

// Challenge ACKs, and answers to old empty segments: one in this time for a connection, never for
// all together (RFC 5961 7 and what became of it).
#define CHALLENGE_GAP_US 500000U
// Resets to strangers, a second and at once; our choice.
#define RESETS_PER_SECOND 100
#define RESETS_BURST      20

static uint32_t scaled(const struct cor_tcp *tcp, const struct cor_tcp_header *header) {
    return (uint32_t)header->window << tcp->peer_shift;
}

static void challenge(struct cor_tcp *tcp, uint64_t now_us) {
    if (now_us < tcp->challenged_us) {
        tcp->counters.challenges_limited++;
        return;
    }
    tcp->challenged_us = now_us + CHALLENGE_GAP_US;
    tcp->counters.challenge_acks++;
    cor_tcp_want_ack(tcp);
}

// --- No connection ---

// RFC 9293 3.10.7.1: a reset that the peer will believe.
static void refuse(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header) {
    struct cor_net_control control = {
        .kind = COR_NET_RESET,
        .flags = COR_TCP_RST,
        .address = packet->ip.from,
        .local_port = header->to_port,
        .remote_port = header->from_port,
        .seq = header->ack,
    };

    if ((header->flags & COR_TCP_RST) != 0) {
        return;
    }
    if (!cor_net_limit_take(&net->reset_limit, now_us, RESETS_PER_SECOND, RESETS_BURST)) {
        net->counters.resets_limited++;
        return;
    }
    if ((header->flags & COR_TCP_ACK) == 0) {
        control.flags = COR_TCP_RST | COR_TCP_ACK;
        control.seq = 0;
        control.ack = header->seq + header->payload.size_bytes +
                      ((header->flags & COR_TCP_SYN) != 0) + ((header->flags & COR_TCP_FIN) != 0);
    }
    for (uint32_t i = 0; i < sizeof(control.mac); i++) {
        control.mac[i] = packet->mac[i];
    }
    cor_control_push(net, &control);
}

// --- Opening ---

static void take_options(
    struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header) {
    cor_tcp_times_agree(tcp, now_us, header);
    cor_tcp_set_mss(tcp, header->mss_bytes);
    if (header->has_shift) {
        tcp->peer_shift = header->shift;
        tcp->flags |= COR_TCP_SHIFT_ON;
    }
    if (header->sack_permitted && !tcp->config.sack_off) {
        tcp->flags |= COR_TCP_SACK_ON;
    }
    cor_tcp_receive_init(tcp, header->seq + 1, header->has_shift);
    // The window of a SYN is never scaled (RFC 7323 2.2).
    tcp->snd_wl1 = header->seq;
    tcp->snd_wl2 = header->ack;
    tcp->snd_wnd = header->window;
    tcp->snd_wnd_max = header->window;
}

// RFC 9293 3.10.7.3. Payload in a SYN is left to be sent again.
static void input_syn_sent(
    struct cor_tcp *tcp,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header) {
    bool acked = (header->flags & COR_TCP_ACK) != 0;

    if (acked && (header->ack != tcp->iss + 1 || tcp->snd_nxt == tcp->iss)) {
        // An old connection of the peer's: a reset ends it, our SYN stays.
        tcp->counters.drop_unacceptable++;
        refuse(tcp->socket.net, now_us, packet, header);
        return;
    }
    if ((header->flags & COR_TCP_RST) != 0) {
        if (acked) {
            tcp->counters.resets_received++;
            cor_tcp_end(tcp, COR_E_REFUSED);
        } else {
            tcp->counters.resets_doubted++;
        }
        return;
    }
    if ((header->flags & COR_TCP_SYN) == 0) {
        tcp->counters.drop_unacceptable++;
        return;
    }
    take_options(tcp, now_us, header);
    if (acked) {
        tcp->snd_una = header->ack;
        cor_tcp_established(tcp, now_us);
        cor_tcp_want_ack(tcp);
    } else {
        // Both sides opened at once (RFC 9293 MUST-10).
        tcp->state = COR_TCP_SYN_RECEIVED;
        tcp->flags |= COR_TCP_SYN_DUE;
        tcp->socket.wants |= COR_NET_PASS_CONTROL;
    }
}

// RFC 9293 3.10.7.2, third. What comes with the SYN is left to be sent again.
void cor_tcp_open_passive(
    struct cor_tcp *tcp,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header,
    const uint32_t *beyond) {
    cor_tcp_reset_block(tcp);
    tcp->socket.remote_address = packet->ip.from;
    tcp->socket.remote_port = header->from_port;
    tcp->socket.local_port = header->to_port;
    tcp->error = COR_OK;
    cor_tcp_begin(tcp, now_us, beyond);
    take_options(tcp, now_us, header);
    // The answer goes where the SYN came from: no ARP for a host that may not exist.
    cor_tcp_set_hop(tcp, packet->mac);
    tcp->state = COR_TCP_SYN_RECEIVED;
    tcp->flags |= COR_TCP_SYN_DUE;
    tcp->socket.wants = COR_NET_PASS_CONTROL;
}

// --- Checks of RFC 9293 3.10.7.4, in its order ---

// Cuts a segment to what is new and within the window; false: nothing of it is.
static bool cut(const struct cor_tcp *tcp, struct cor_tcp_arrival *arrival) {
    const struct cor_tcp_header *header = arrival->header;
    uint32_t length = header->payload.size_bytes + ((header->flags & COR_TCP_SYN) != 0) +
                      ((header->flags & COR_TCP_FIN) != 0);
    uint32_t ahead = header->seq - tcp->rcv_nxt;

    arrival->seq = header->seq;
    arrival->data = header->payload.data;
    arrival->size_bytes = header->payload.size_bytes;
    arrival->fin = (header->flags & COR_TCP_FIN) != 0;
    if ((int32_t)ahead < 0) {
        uint32_t old = tcp->rcv_nxt - header->seq;

        if (length <= old) {
            return false;
        }
        // A SYN, if any, was the first of what is old; it is answered before this matters.
        old -= (header->flags & COR_TCP_SYN) != 0;
        old = old < arrival->size_bytes ? old : arrival->size_bytes;
        arrival->seq = tcp->rcv_nxt;
        arrival->data += old;
        arrival->size_bytes -= old;
        ahead = 0;
    }
    int32_t window = (int32_t)(tcp->receive.announced - tcp->rcv_nxt);
    uint32_t left = window > 0 ? (uint32_t)window : 0;
    if (ahead > left || (ahead == left && ahead != 0)) {
        return false;
    }
    // With the window closed no data is taken, but acknowledgements and resets are (MUST-66).
    if (arrival->size_bytes > left - ahead) {
        arrival->size_bytes = left - ahead;
        arrival->fin = false;
    }
    return true;
}

static void answer_unacceptable(
    struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header) {
    if ((header->flags & COR_TCP_RST) != 0) {
        tcp->counters.resets_doubted++;
        return;
    }
    tcp->counters.drop_out_of_window++;
    if (tcp->state == COR_TCP_TIME_WAIT && (header->flags & COR_TCP_FIN) != 0) {
        // The peer did not hear our last acknowledgement.
        tcp->linger_us = now_us + 2 * tcp->config.segment_lifetime_us;
    }
    if (header->payload.size_bytes != 0 ||
        (header->flags & (COR_TCP_FIN | COR_TCP_SYN)) == COR_TCP_FIN) {
        cor_tcp_want_ack(tcp);
    } else {
        challenge(tcp, now_us);
    }
}

// True: the segment is dealt with.
static bool check_reset(struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_header *header) {
    if ((header->flags & COR_TCP_RST) != 0) {
        if (tcp->state == COR_TCP_TIME_WAIT) {
            tcp->counters.resets_doubted++;  // RFC 1337 3
        } else if (header->seq != tcp->rcv_nxt) {
            tcp->counters.resets_doubted++;  // RFC 5961 3.2
            challenge(tcp, now_us);
        } else {
            bool opening = tcp->state == COR_TCP_SYN_RECEIVED;

            tcp->counters.resets_received++;
            cor_tcp_end(tcp, opening ? COR_E_REFUSED : COR_E_RESET);
        }
        return true;
    }
    if ((header->flags & COR_TCP_SYN) != 0) {
        if (tcp->state == COR_TCP_SYN_RECEIVED && tcp->slot == COR_TCP_SLOT_HALF_OPEN) {
            cor_tcp_end(tcp, COR_E_REFUSED);  // back to LISTEN: opened passively
        } else {
            challenge(tcp, now_us);  // RFC 5961 4.2
        }
        return true;
    }
    return false;
}

static bool is_duplicate(
    const struct cor_tcp *tcp, const struct cor_tcp_header *header, bool sack_news) {
    return header->ack == tcp->snd_una && tcp->flight_count != 0 &&
           header->payload.size_bytes == 0 && (header->flags & COR_TCP_FIN) == 0 &&
           // With SACK a duplicate names something new (RFC 6675 section 2).
           (sack_news ||
            ((tcp->flags & COR_TCP_SACK_ON) == 0 && scaled(tcp, header) == tcp->snd_wnd));
}

// RFC 9293 3.10.7.4, fifth. False: the segment is dealt with.
static bool check_ack(
    struct cor_tcp *tcp,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header) {
    if ((header->flags & COR_TCP_ACK) == 0) {
        tcp->counters.drop_unacceptable++;
        return false;
    }
    if (tcp->state == COR_TCP_SYN_RECEIVED) {
        if (header->ack != tcp->iss + 1) {
            tcp->counters.drop_unacceptable++;
            refuse(tcp->socket.net, now_us, packet, header);
            return false;
        }
        tcp->snd_una = header->ack;
        tcp->snd_wnd_max = scaled(tcp, header);
        cor_tcp_established(tcp, now_us);
    }
    // RFC 5961 5.2: not older than a window, not newer than what was sent.
    if (cor_seq_before(tcp->snd_max, header->ack) ||
        cor_seq_before(header->ack, tcp->snd_una - tcp->snd_wnd_max)) {
        tcp->counters.drop_unacceptable++;
        challenge(tcp, now_us);
        return false;
    }
    if (scaled(tcp, header) == 0 || tcp->snd_wnd == 0) {
        tcp->progress_us = now_us;  // it answers
    }
    cor_tcp_weigh_before(tcp);
    bool sack_news = header->sack_count != 0 && cor_tcp_sacked(tcp, now_us, header);
    if (cor_seq_before(tcp->snd_una, header->ack)) {
        cor_tcp_set_window(tcp, header->seq, header->ack, scaled(tcp, header));
        cor_tcp_acked(tcp, now_us, header->ack);
    } else {
        bool duplicate = is_duplicate(tcp, header, sack_news);

        if (header->ack == tcp->snd_una) {
            cor_tcp_set_window(tcp, header->seq, header->ack, scaled(tcp, header));
        }
        if (duplicate) {
            cor_tcp_duplicate(tcp, now_us);
        }
        bool bare = header->ack == tcp->snd_una && header->sack_count == 0 &&
                    header->payload.size_bytes == 0;
        cor_tcp_weigh(tcp, now_us, bare ? COR_TCP_NEWS_BARE : 0);
    }
    return true;
}

// --- After the acknowledgement ---

static bool fin_acked(const struct cor_tcp *tcp) {
    return (tcp->flags & COR_TCP_FIN_CUT) != 0 && tcp->snd_una == tcp->snd_end;
}

static void enter_time_wait(struct cor_tcp *tcp, uint64_t now_us) {
    tcp->state = COR_TCP_TIME_WAIT;
    tcp->socket.wants &= (uint8_t) ~(COR_NET_PASS_DATA | COR_NET_PASS_RETRANSMIT);
    tcp->retransmit_us = COR_NET_NEVER;
    tcp->loss_us = COR_NET_NEVER;
    tcp->linger_us = now_us + 2 * tcp->config.segment_lifetime_us;
    cor_net_wake(tcp->socket.net, tcp->linger_us);
}

// Our FIN is acknowledged. False: the connection is over.
static bool advance_closing(struct cor_tcp *tcp, uint64_t now_us) {
    if (!fin_acked(tcp)) {
        return true;
    }
    switch (tcp->state) {
    case COR_TCP_FIN_WAIT_1:
        tcp->state = COR_TCP_FIN_WAIT_2;
        tcp->linger_us = now_us + tcp->config.fin_wait_us;
        cor_net_wake(tcp->socket.net, tcp->linger_us);
        return true;
    case COR_TCP_CLOSING:
        enter_time_wait(tcp, now_us);
        return true;
    case COR_TCP_LAST_ACK:
        cor_tcp_end(tcp, COR_OK);
        return false;
    default:
        return true;
    }
}

// Without a ring.
static void deliver(struct cor_tcp *tcp, uint64_t now_us, const struct cor_tcp_arrival *arrival) {
    tcp->rcv_nxt += arrival->size_bytes;
    tcp->counters.bytes_received += arrival->size_bytes;
    cor_tcp_ack_soon(tcp, now_us);
    // Last, because the application may abort the connection from here.
    if (tcp->config.receive != NULL) {
        tcp->config.receive(tcp->config.context, arrival->data, arrival->size_bytes);
    } else {
        tcp->counters.bytes_discarded += arrival->size_bytes;
    }
}

static void take_fin(struct cor_tcp *tcp, uint64_t now_us) {
    tcp->rcv_nxt++;
    tcp->receive.fin_taken = true;
    tcp->receive.reopen_us = COR_NET_NEVER;
    cor_tcp_want_ack(tcp);
    cor_tcp_note(tcp, COR_TCP_EVENT_PEER_CLOSED);
    switch (tcp->state) {
    case COR_TCP_ESTABLISHED:
        tcp->state = COR_TCP_CLOSE_WAIT;
        break;
    case COR_TCP_FIN_WAIT_1:
        tcp->state = COR_TCP_CLOSING;  // ours is not acknowledged yet
        break;
    case COR_TCP_FIN_WAIT_2:
        enter_time_wait(tcp, now_us);
        break;
    default:
        break;
    }
}

// In place: what is out of order is not kept, the duplicate acknowledgement tells what is missing.
static uint32_t pass_on(struct cor_tcp *tcp, uint64_t now_us, struct cor_tcp_arrival *arrival) {
    if (arrival->seq != tcp->rcv_nxt) {
        tcp->counters.drop_out_of_order++;
        cor_tcp_want_ack(tcp);
        arrival->fin = false;
        return 0;
    }
    if (arrival->size_bytes != 0) {
        deliver(tcp, now_us, arrival);
    }
    return arrival->size_bytes;
}

static uint32_t input_payload(
    struct cor_tcp *tcp, uint64_t now_us, struct cor_tcp_arrival *arrival) {
    uint32_t arrived = arrival->header->payload.size_bytes;

    if ((arrived == 0 && !arrival->fin) || !cor_tcp_receives(tcp)) {
        return 0;
    }
    if (arrived != 0 && tcp->receive.deaf) {
        // Nobody reads it, and the peer must not believe so (RFC 9293 3.6.1, SHLD-3).
        tcp->counters.bytes_discarded += arrived;
        cor_tcp_end_reset(tcp, COR_E_ABORTED);
        return 0;
    }
    if (arrival->size_bytes == 0 && !arrival->fin) {
        cor_tcp_want_ack(tcp);  // a probe of our closed window
        return 0;
    }
    if (tcp->state == COR_TCP_FIN_WAIT_2) {
        tcp->linger_us = now_us + tcp->config.fin_wait_us;
    }
    uint32_t taken = tcp->config.receive_ring != NULL ? cor_tcp_store(tcp, now_us, arrival)
                                                      : pass_on(tcp, now_us, arrival);
    if (arrival->fin && cor_tcp_receives(tcp)) {
        take_fin(tcp, now_us);
    }
    return taken;
}

// Payload that is there already is told to a peer that understands it (RFC 2883).
static void note_repeated(struct cor_tcp *tcp, const struct cor_tcp_header *header) {
    uint32_t end = header->seq + header->payload.size_bytes;

    if (header->payload.size_bytes != 0 && (header->flags & COR_TCP_SYN) == 0 &&
        cor_seq_before(header->seq, tcp->rcv_nxt)) {
        cor_tcp_repeated(tcp, header->seq, cor_seq_before(end, tcp->rcv_nxt) ? end : tcp->rcv_nxt);
    }
}

static uint32_t input_synchronized(
    struct cor_tcp *tcp,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header) {
    struct cor_tcp_arrival arrival = {.header = header};

    if (tcp->doubt.times_on && !cor_tcp_times_check(tcp, now_us, header)) {
        return 0;
    }
    note_repeated(tcp, header);
    if (!cut(tcp, &arrival)) {
        answer_unacceptable(tcp, now_us, header);
        return 0;
    }
    if (tcp->doubt.times_on) {
        cor_tcp_times_note(tcp, now_us, header);
    }
    if (check_reset(tcp, now_us, header) || !check_ack(tcp, now_us, packet, header) ||
        !advance_closing(tcp, now_us)) {
        return 0;
    }
    if ((header->flags & COR_TCP_URG) != 0) {
        cor_tcp_take_urgent(tcp, header->seq, header->urgent);
    }
    return input_payload(tcp, now_us, &arrival);
}

// Both sides opened at once, and the peer's answer to our SYN repeats its own, which we have
// already (RFC 9293 3.5, figure 7, line 5).
static bool is_crossed_answer(const struct cor_tcp *tcp, const struct cor_tcp_header *header) {
    const uint8_t mask = COR_TCP_SYN | COR_TCP_ACK | COR_TCP_RST | COR_TCP_FIN;

    return tcp->state == COR_TCP_SYN_RECEIVED &&
           (header->flags & mask) == (COR_TCP_SYN | COR_TCP_ACK) &&
           header->seq + 1 == tcp->rcv_nxt && header->ack == tcp->iss + 1;
}

// The peer has not heard our answer to its SYN, which it alone has sent.
static bool is_syn_again(const struct cor_tcp *tcp, const struct cor_tcp_header *header) {
    const uint8_t mask = COR_TCP_SYN | COR_TCP_ACK | COR_TCP_RST | COR_TCP_FIN;

    return tcp->slot == COR_TCP_SLOT_HALF_OPEN && (header->flags & mask) == COR_TCP_SYN &&
           header->seq + 1 == tcp->rcv_nxt;
}

// --- Entry ---

struct cor_tcp *cor_tcp_find(
    const struct cor_net *net, const struct cor_tcp_header *header, uint32_t from) {
    for (struct cor_net_socket *at = net->sockets; at != NULL; at = at->next) {
        if (at->kind == COR_NET_TCP && at->local_port == header->to_port &&
            at->remote_address == from && at->remote_port == header->from_port) {
            return (struct cor_tcp *)at;
        }
    }
    return NULL;
}

// A segment for no connection: for one that waits in few bytes, for a listener, or for nobody.
static void input_stranger(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_tcp_header *header) {
    uint32_t beyond;
    enum cor_tcp_wait_verdict verdict = cor_tcp_wait_input(net, now_us, packet, header, &beyond);

    if (verdict == COR_TCP_WAIT_DONE ||
        cor_tcp_listen_input(
            net, now_us, packet, header, verdict == COR_TCP_WAIT_LEFT ? &beyond : NULL)) {
        return;
    }
    net->counters.drop_tcp_socket++;
    refuse(net, now_us, packet, header);
}

// A SYN for a listener where a connection of the same two ends waits: what waits moves out of the
// way, and says whether the new one may begin.
static bool gives_way(const struct cor_tcp *tcp, const struct cor_tcp_header *header) {
    const uint8_t asks = COR_TCP_SYN | COR_TCP_ACK | COR_TCP_RST | COR_TCP_FIN;

    return tcp->state == COR_TCP_TIME_WAIT && (header->flags & asks) == COR_TCP_SYN &&
           cor_seq_before(tcp->rcv_nxt, header->seq) &&
           cor_tcp_listener_find(tcp->socket.net, header->to_port) != NULL;
}

uint32_t cor_tcp_input(struct cor_net *net, uint64_t now_us, const struct cor_net_packet *packet) {
    struct cor_tcp_header header;

    if (cor_tcp_parse(&header, &packet->ip, packet->data, packet->size_bytes) != COR_OK) {
        net->counters.drop_tcp++;
        return 0;
    }
    // Nobody speaks TCP to a group (RFC 9293 MUST-57).
    if (packet->group) {
        net->counters.drop_tcp_socket++;
        return 0;
    }
    struct cor_tcp *tcp = cor_tcp_find(net, &header, packet->ip.from);
    if (tcp != NULL && gives_way(tcp, &header)) {
        cor_tcp_wait_add(tcp, now_us);
        cor_tcp_end(tcp, COR_OK);
        tcp = NULL;
    }
    if (tcp == NULL) {
        input_stranger(net, now_us, packet, &header);
        return 0;
    }
    net->last = &tcp->socket;
    tcp->counters.segments_received++;
    tcp->receive.heard_us = now_us;
    if (tcp->receive.keepalives != 0) {
        tcp->receive.keepalives = 0;
        // The next probe may be due earlier than the one that is not needed any more.
        cor_net_wake(net, now_us + tcp->config.keepalive_idle_us);
    }
    if (tcp->state == COR_TCP_SYN_SENT) {
        input_syn_sent(tcp, now_us, packet, &header);
        return 0;
    }
    if (is_crossed_answer(tcp, &header)) {
        tcp->snd_una = header.ack;
        cor_tcp_established(tcp, now_us);
        cor_tcp_want_ack(tcp);
        return 0;
    }
    if (is_syn_again(tcp, &header)) {
        tcp->flags |= COR_TCP_SYN_DUE;
        tcp->socket.wants |= COR_NET_PASS_CONTROL;
        return 0;
    }
    return input_synchronized(tcp, now_us, packet, &header);
}
