// SPDX-License-Identifier: MIT
// Deadlines of a connection: retransmission or window probe, delayed acknowledgement, and the end
// of waiting states.
#include "net/tcp_parts.h"
#include "net/tcp_rtt.h"

// Retransmissions after which the network layer is told that something is wrong, which here means
// that the next hop is asked for again; specified (RFC 9293 3.8.3, R1 is at least 3).
#define RETRANSMISSIONS_R1 3

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

// The SYN, or our answer to one, was not acknowledged.
static void opening_timed_out(struct cor_tcp *tcp) {
    tcp->retransmit_us = COR_NET_NEVER;  // armed again when it is pulled
    cor_tcp_count(&tcp->rtt.backoff);
    tcp->flags |= COR_TCP_SYN_DUE;
    tcp->socket.wants |= COR_NET_PASS_CONTROL;
    if (tcp->syn_tries == RETRANSMISSIONS_R1) {
        cor_neighbour_refresh(&tcp->socket);
    }
}

static void probe_due(struct cor_tcp *tcp) {
    uint32_t seq = tcp->config.segments[tcp->next].seq;

    tcp->retransmit_us = COR_NET_NEVER;  // armed again by pull() while the window stays too small
    cor_tcp_count(&tcp->probes);
    if (cor_tcp_window_left(tcp, seq) >= 4) {
        tcp->flags |= COR_TCP_FORCED;
    } else {
        tcp->flags |= COR_TCP_PROBE_DUE;
        tcp->socket.wants |= COR_NET_PASS_CONTROL;
    }
}

static void retransmit_due(struct cor_tcp *tcp, uint64_t now_us) {
    if (cor_tcp_is_opening(tcp)) {
        opening_timed_out(tcp);
        return;
    }
    // A closed window is waited for without end while the peer answers (RFC 9293 MUST-37): its
    // silence begins with the first probe that has no answer, and the gaps between probes do not
    // count.
    if ((tcp->flight_count == 0 || tcp->snd_wnd == 0) && tcp->progress_us > tcp->sent_us) {
        tcp->progress_us = now_us;
    }
    if (now_us - tcp->progress_us >= tcp->config.user_timeout_us) {
        cor_tcp_end_reset(tcp, COR_E_TIMEOUT);
        return;
    }
    if (tcp->flight_count != 0) {
        cor_tcp_timed_out(tcp, now_us);
        if (tcp->rtt.backoff == RETRANSMISSIONS_R1) {
            cor_neighbour_refresh(&tcp->socket);
        }
    } else if (tcp->unsent_count != 0) {
        probe_due(tcp);
    } else {
        tcp->retransmit_us = COR_NET_NEVER;
    }
}

static void linger_due(struct cor_tcp *tcp) {
    if (cor_tcp_is_opening(tcp)) {
        bool resolved = (tcp->flags & COR_TCP_RESOLVED) != 0;

        cor_tcp_end(tcp, resolved ? COR_E_TIMEOUT : COR_E_UNREACHABLE);
    } else if (tcp->state == COR_TCP_TIME_WAIT) {
        cor_tcp_end(tcp, COR_OK);
    } else {
        // The peer never closed its side; everything of ours has arrived.
        cor_tcp_end_reset(tcp, COR_E_TIMEOUT);
    }
}

// --- Keep-alive (RFC 9293 3.8.4) ---

// Only while nothing is in flight or waits for a window: those have probes of their own.
static bool keeps_alive(const struct cor_tcp *tcp) {
    return tcp->config.keepalive && tcp->state >= COR_TCP_ESTABLISHED &&
           tcp->state != COR_TCP_TIME_WAIT && tcp->flight_count == 0 && tcp->unsent_count == 0;
}

static uint64_t latest(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

// Counted from what was heard last, so that no segment has to set the deadline.
static uint64_t keepalive_deadline(const struct cor_tcp *tcp) {
    const struct cor_tcp_receive *receive = &tcp->receive;

    if (!keeps_alive(tcp)) {
        return COR_NET_NEVER;
    }
    return receive->keepalives != 0
               ? receive->keepalive_us + tcp->config.keepalive_gap_us
               : latest(receive->heard_us, tcp->progress_us) + tcp->config.keepalive_idle_us;
}

static void keepalive_due(struct cor_tcp *tcp, uint64_t now_us) {
    struct cor_tcp_receive *receive = &tcp->receive;

    // One unanswered probe is no proof (MUST-29).
    if (receive->keepalives >= tcp->config.keepalive_count) {
        cor_tcp_end_reset(tcp, COR_E_TIMEOUT);
        return;
    }
    cor_tcp_count(&receive->keepalives);
    receive->keepalive_us = now_us;
    receive->keepalive_due = true;
    tcp->socket.wants |= COR_NET_PASS_CONTROL;
}

// --- The application ---

// Last in a poll, because everything may be done from here. True: the block is still on a net.
static bool tell(struct cor_tcp *tcp) {
    struct cor_net *net = tcp->socket.net;

    if (tcp->slot != COR_TCP_SLOT_READY &&
        (tcp->config.event == NULL || tcp->receive.events == 0)) {
        return true;
    }
    // What they do may bring deadlines to sockets that have been polled already.
    net->deadline_us = COR_NET_NEVER;
    cor_tcp_slot_poll(tcp);
    if (tcp->config.event != NULL && tcp->slot == COR_TCP_SLOT_TAKEN && tcp->receive.events != 0 &&
        tcp->socket.net != NULL) {
        tcp->config.event(tcp->config.context, tcp, cor_tcp_take_events(tcp));
    }
    net->woken_us = least(net->woken_us, net->deadline_us);
    return tcp->socket.net != NULL;
}

uint64_t cor_tcp_poll(struct cor_net_socket *socket, uint64_t now_us) {
    struct cor_tcp *tcp = (struct cor_tcp *)socket;

    if (now_us >= tcp->linger_us) {
        linger_due(tcp);
    }
    if (now_us >= tcp->ack_us) {
        tcp->ack_us = COR_NET_NEVER;
        cor_tcp_want_ack(tcp);
    }
    if (tcp->pmtu.raise_us != 0) {
        cor_tcp_pmtu_poll(tcp, now_us);
    }
    // Before the time-out: a probe puts that off.
    if (now_us >= tcp->loss_us) {
        cor_tcp_loss_due(tcp, now_us);
    }
    if (now_us >= tcp->retransmit_us) {
        retransmit_due(tcp, now_us);
    }
    if (now_us >= tcp->receive.reopen_us) {
        cor_tcp_reopen_due(tcp, now_us);
    }
    if (now_us >= keepalive_deadline(tcp)) {
        keepalive_due(tcp, now_us);
    }
    if (!tell(tcp)) {
        return COR_NET_NEVER;
    }
    uint64_t deadline_us = least(tcp->linger_us, least(tcp->ack_us, tcp->retransmit_us));
    deadline_us = least(deadline_us, tcp->loss_us);
    if (tcp->pmtu.raise_us != 0) {
        deadline_us = least(deadline_us, tcp->pmtu.raise_us);
    }
    return least(deadline_us, least(tcp->receive.reopen_us, keepalive_deadline(tcp)));
}
