// SPDX-License-Identifier: MIT
#include "coradio/tcp.h"

#include "net/tcp_parts.h"
#include "net/tcp_rtt.h"
#include "wire/ethernet.h"

#include <stddef.h>
#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/ip4.h"

// Defaults. The first two are specified (RFC 9293 MUST-23, SHLD-11), the floors of the RTO too
// (RFC 6298 2.4) or as Linux has it; the rest is our choice.
#define CONNECT_TIMEOUT_US  180000000U
#define USER_TIMEOUT_US     100000000U
#define RTO_FLOOR_STRICT_US 1000000U
#define RTO_FLOOR_US        200000U
#define SEGMENT_LIFETIME_US 30000000U
#define FIN_WAIT_US         60000000U
#define WINDOW_BYTES        5840
#define KEEPALIVE_IDLE_US   7200000000ULL  // specified (RFC 9293 MUST-28)
#define KEEPALIVE_GAP_US    75000000U      // as Linux has it, and the count as well
#define KEEPALIVE_COUNT     9
// Between the numbers of two connections of the same ends; our choice: a full window.
#define SEQUENCE_GAP 0x10000U

// Segment size where the peer does not say, specified (RFC 9293 MUST-15), and the smallest we
// believe: less would be an attack on our processor.
#define MSS_DEFAULT 536
#define MSS_MIN     64

static const char *const state_names[COR_TCP_STATE_COUNT] = {
#define X(name, text) [COR_TCP_##name] = text,
    COR_TCP_STATES(X)
#undef X
};

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_TCP_COUNTERS(X)
#undef X
};

static struct cor_tcp *tcp_of(struct cor_net_socket *socket) {
    return (struct cor_tcp *)socket;
}

static uint16_t mss_limit(const struct cor_tcp *tcp) {
    uint16_t limit = (uint16_t)(tcp->socket.net->config.mtu - COR_IPV4_BYTES - COR_TCP_BYTES);

    return tcp->config.mss_bytes != 0 && tcp->config.mss_bytes < limit ? tcp->config.mss_bytes
                                                                       : limit;
}

void cor_tcp_set_mss(struct cor_tcp *tcp, uint16_t peer_mss_bytes) {
    uint16_t mss = mss_limit(tcp);
    uint16_t peer = peer_mss_bytes != 0 ? peer_mss_bytes : MSS_DEFAULT;

    mss = peer < mss ? peer : mss;
    tcp->mss_bytes = mss > MSS_MIN ? mss : MSS_MIN;
    tcp->cut_bytes = (uint16_t)((tcp->mss_bytes - cor_tcp_option_bytes(tcp)) & ~3U);
}

// The headers of a segment with nothing in it, and the sums of what never changes.
void cor_tcp_set_hop(struct cor_tcp *tcp, const uint8_t *mac) {
    const struct cor_net *net = tcp->socket.net;
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
        .flags = COR_TCP_ACK,
    };
    uint8_t *at = (uint8_t *)tcp->template_words + COR_NET_PAD;
    uint8_t *transport = at + COR_NET_TRANSPORT;

    cor_net_emit_headers(net, &ip, mac, COR_TCP_BYTES, at);
    (void)cor_tcp_emit(&header, &ip, 0, transport);  // always COR_TCP_BYTES
    tcp->ip_sum = cor_net_ip_sum(at + COR_NET_IP);
    tcp->tcp_sum = cor_ipv4_pseudo_sum(ip.from, ip.to, COR_IPV4_TCP, 0) +
                   cor_sum_bytes(transport, COR_TCP_CHECKSUM);
    tcp->template_bytes = UINT32_MAX;
    cor_tcp_fast_init(tcp);
    tcp->flags |= COR_TCP_RESOLVED;
}

static void tcp_neighbour(struct cor_net_socket *socket, const uint8_t *mac) {
    struct cor_tcp *tcp = tcp_of(socket);

    if (mac == NULL) {
        // An open connection goes on trying with the address it knows; its time-out is the bound.
        if (cor_tcp_is_opening(tcp)) {
            cor_tcp_end(tcp, COR_E_UNREACHABLE);
        }
        return;
    }
    cor_tcp_set_hop(tcp, mac);
}

static void tcp_address(struct cor_net_socket *socket, uint64_t now_us, bool changed) {
    struct cor_tcp *tcp = tcp_of(socket);

    if (tcp->state == COR_TCP_CLOSED || socket->remote_address == 0) {
        return;
    }
    // A connection is bound to both its addresses.
    enum cor_status status = changed ? COR_E_ABORTED : cor_neighbour_hold(socket, now_us);
    if (status != COR_OK) {
        cor_tcp_end(tcp, status);
    }
}

static const struct cor_net_socket_ops tcp_ops = {
    .pull = cor_tcp_pull,
    .pull_data = cor_tcp_pull_data,
    .sent = cor_tcp_sent,
    .poll = cor_tcp_poll,
    .neighbour = tcp_neighbour,
    .address = tcp_address,
};

static void set_default(uint64_t *value, uint64_t otherwise) {
    *value = *value != 0 ? *value : otherwise;
}

static void set_timers_off(struct cor_tcp *tcp) {
    tcp->retransmit_us = COR_NET_NEVER;
    tcp->loss_us = COR_NET_NEVER;
    tcp->ack_us = COR_NET_NEVER;
    tcp->linger_us = COR_NET_NEVER;
    tcp->receive.reopen_us = COR_NET_NEVER;
}

void cor_tcp_init(struct cor_tcp *tcp, struct cor_net *net, const struct cor_tcp_config *config) {
    memset(tcp, 0, sizeof(*tcp));
    cor_net_attach(net, &tcp->socket, &tcp_ops, COR_NET_TCP);
    tcp->config = *config;
    set_default(&tcp->config.connect_timeout_us, CONNECT_TIMEOUT_US);
    set_default(&tcp->config.user_timeout_us, USER_TIMEOUT_US);
    set_default(&tcp->config.segment_lifetime_us, SEGMENT_LIFETIME_US);
    set_default(&tcp->config.fin_wait_us, FIN_WAIT_US);
    set_default(&tcp->config.keepalive_idle_us, KEEPALIVE_IDLE_US);
    set_default(&tcp->config.keepalive_gap_us, KEEPALIVE_GAP_US);
    if (tcp->config.keepalive_count == 0) {
        tcp->config.keepalive_count = KEEPALIVE_COUNT;
    }
    if (tcp->config.controller == NULL) {
        tcp->config.controller = &cor_tcp_reno;
    }
    tcp->slot = COR_TCP_SLOT_TAKEN;
    tcp->window_bytes =
        config->receive_window_bytes != 0 ? config->receive_window_bytes : WINDOW_BYTES;
    COR_ASSERT(((uintptr_t)config->ring & 3) == 0 && (config->ring_bytes & 3) == 0);
    COR_ASSERT(config->ring_bytes >= 2U * mss_limit(tcp));
    COR_ASSERT(config->ring_bytes <= COR_TCP_RING_BYTES_MAX);
    COR_ASSERT(config->segment_count >= COR_TCP_SEGMENTS_MIN);
    COR_ASSERT(config->dscp < 64);
    COR_ASSERT(mss_limit(tcp) >= MSS_MIN);
    COR_ASSERT(config->receive_ring == NULL || config->receive_ring_bytes >= 2U * MSS_MIN);
    COR_ASSERT(config->receive_ring_bytes <= COR_TCP_RECEIVE_RING_BYTES_MAX);
    set_timers_off(tcp);
}

enum cor_status cor_tcp_release(struct cor_tcp *tcp, uint64_t now_us) {
    cor_tcp_abort(tcp, now_us);
    if (tcp->queued_count != 0) {
        return COR_AGAIN;
    }
    cor_net_detach(&tcp->socket);
    return COR_OK;
}

void cor_tcp_reset_block(struct cor_tcp *tcp) {
    const size_t from = offsetof(struct cor_tcp, state);
    const size_t to = offsetof(struct cor_tcp, counters);
    uint16_t window_bytes = tcp->window_bytes;

    memset((uint8_t *)tcp + from, 0, to - from);
    tcp->window_bytes = window_bytes;
    set_timers_off(tcp);
}

void cor_tcp_begin(struct cor_tcp *tcp, uint64_t now_us, const uint32_t *beyond) {
    tcp->iss = cor_net_sequence(tcp->socket.net, &tcp->socket, now_us);
    // RFC 9293 MAY-2: larger than any number the last connection used.
    if (beyond != NULL && !cor_seq_before(*beyond, tcp->iss)) {
        tcp->iss = *beyond + SEQUENCE_GAP;
    }
    tcp->snd_una = tcp->iss;
    tcp->snd_nxt = tcp->iss;
    tcp->snd_max = tcp->iss;
    tcp->snd_end = tcp->iss + 1;
    tcp->recover = tcp->iss;
    tcp->progress_us = now_us;
    tcp->receive.heard_us = now_us;
    cor_tcp_rtt_init(&tcp->rtt, tcp->config.rto_strict ? RTO_FLOOR_STRICT_US : RTO_FLOOR_US);
    cor_tcp_set_mss(tcp, 0);
}

static bool is_host(const struct cor_net *net, uint32_t address) {
    return address != 0 && address != net->config.address && !cor_ip4_is_multicast(address) &&
           !cor_neighbour_is_broadcast(net, address);
}

enum cor_status cor_tcp_connect(
    struct cor_tcp *tcp, uint32_t address, uint16_t port, uint64_t now_us) {
    struct cor_net *net = tcp->socket.net;

    if (!is_host(net, address) || port == 0) {
        return COR_E_ARG;
    }
    // A block in TIME_WAIT may be used again: the new connection has another port.
    if ((tcp->state != COR_TCP_CLOSED && tcp->state != COR_TCP_TIME_WAIT) ||
        tcp->queued_count != 0) {
        return COR_E_STATE;
    }
    COR_ASSERT(tcp->listener == NULL);
    if (tcp->state == COR_TCP_TIME_WAIT) {
        cor_tcp_wait_add(tcp, now_us);
    }
    cor_tcp_end(tcp, COR_OK);
    cor_tcp_reset_block(tcp);
    tcp->socket.remote_address = address;
    tcp->socket.remote_port = port;
    tcp->socket.local_port = cor_net_port(net, &tcp->socket);
    if (tcp->socket.local_port == 0) {
        return COR_E_NOMEM;
    }
    cor_tcp_begin(tcp, now_us, NULL);
    tcp->state = COR_TCP_SYN_SENT;
    tcp->flags = COR_TCP_SYN_DUE;
    tcp->linger_us = now_us + tcp->config.connect_timeout_us;
    enum cor_status status = cor_neighbour_hold(&tcp->socket, now_us);
    if (status != COR_OK) {
        cor_tcp_end(tcp, status);
        return status;
    }
    tcp->socket.wants = COR_NET_PASS_CONTROL;
    cor_net_wake(net, tcp->linger_us);
    return COR_OK;
}

void cor_tcp_established(struct cor_tcp *tcp, uint64_t now_us) {
    bool syn_lost = tcp->syn_tries > 1;

    if (syn_lost) {
        cor_tcp_rtt_syn_lost(&tcp->rtt);
    } else {
        cor_tcp_rtt_sample(&tcp->rtt, (uint32_t)(now_us - tcp->sent_us));
        tcp->counters.rtt_samples++;
    }
    tcp->rtt.backoff = 0;
    tcp->config.controller->init(&tcp->congestion, tcp->cut_bytes, syn_lost);
    tcp->state = COR_TCP_ESTABLISHED;
    tcp->flags &= (uint16_t)~COR_TCP_SYN_DUE;
    tcp->retransmit_us = COR_NET_NEVER;
    tcp->linger_us = COR_NET_NEVER;
    tcp->progress_us = now_us;
    tcp->recover = tcp->snd_una;
    cor_tcp_rack_init(tcp);
    cor_tcp_pmtu_init(tcp);
    tcp->flight_mark = tcp->snd_una;
    tcp->socket.wants |= COR_NET_PASS_DATA;
    cor_tcp_note(tcp, COR_TCP_EVENT_OPENED);
    if (cor_tcp_slot_opened(tcp, now_us) || tcp->config.keepalive) {
        cor_net_wake(tcp->socket.net, now_us);
    }
    if ((tcp->flags & COR_TCP_CLOSE_WANTED) != 0) {
        tcp->state = COR_TCP_FIN_WAIT_1;
        cor_tcp_cut_fin(tcp);
    }
}

void cor_tcp_end(struct cor_tcp *tcp, enum cor_status error) {
    cor_neighbour_drop(&tcp->socket);
    tcp->state = COR_TCP_CLOSED;
    tcp->error = error;
    tcp->flags = 0;
    tcp->lent_bytes = 0;
    tcp->socket.wants = 0;
    tcp->socket.local_port = 0;
    tcp->socket.remote_address = 0;
    set_timers_off(tcp);
    if (tcp->socket.net->last == &tcp->socket) {
        tcp->socket.net->last = NULL;
    }
    cor_tcp_note(tcp, COR_TCP_EVENT_CLOSED);
    cor_tcp_slot_ended(tcp);
}

void cor_tcp_end_reset(struct cor_tcp *tcp, enum cor_status error) {
    if ((tcp->flags & COR_TCP_RESOLVED) != 0) {
        struct cor_net_control control = {
            .kind = COR_NET_RESET,
            .flags = COR_TCP_RST | COR_TCP_ACK,
            .address = tcp->socket.remote_address,
            .seq = cor_seq_latest(tcp->snd_nxt, tcp->snd_una),
            .ack = tcp->rcv_nxt,
            .local_port = tcp->socket.local_port,
            .remote_port = tcp->socket.remote_port,
        };
        const uint8_t *head = (const uint8_t *)tcp->template_words + COR_NET_PAD;

        memcpy(control.mac, head + COR_ETHERNET_TO, sizeof(control.mac));
        cor_control_push(tcp->socket.net, &control);
    }
    cor_tcp_end(tcp, error);
}

enum cor_status cor_tcp_close(struct cor_tcp *tcp, uint64_t now_us) {
    (void)now_us;
    tcp->lent_bytes = 0;
    switch (tcp->state) {
    case COR_TCP_CLOSED:
        return COR_E_STATE;
    case COR_TCP_SYN_SENT:
        cor_tcp_end(tcp, COR_OK);
        return COR_OK;
    case COR_TCP_SYN_RECEIVED:
        tcp->flags |= COR_TCP_CLOSE_WANTED;
        return COR_OK;
    case COR_TCP_ESTABLISHED:
        tcp->state = COR_TCP_FIN_WAIT_1;
        break;
    case COR_TCP_CLOSE_WAIT:
        tcp->state = COR_TCP_LAST_ACK;
        break;
    default:
        return COR_OK;
    }
    tcp->flags |= COR_TCP_CLOSE_WANTED;
    cor_tcp_cut_fin(tcp);
    return COR_OK;
}

enum cor_status cor_tcp_finish(struct cor_tcp *tcp, uint64_t now_us) {
    bool unread = cor_tcp_readable_bytes(tcp) != 0 || tcp->receive.range_count != 0;

    cor_tcp_receive_drop(tcp);
    tcp->receive.deaf = true;
    if (unread && tcp->state != COR_TCP_CLOSED && tcp->state != COR_TCP_TIME_WAIT) {
        cor_tcp_end_reset(tcp, COR_E_ABORTED);
        return COR_OK;
    }
    return cor_tcp_close(tcp, now_us);
}

void cor_tcp_abort(struct cor_tcp *tcp, uint64_t now_us) {
    (void)now_us;
    cor_tcp_receive_drop(tcp);
    switch (tcp->state) {
    case COR_TCP_CLOSED:
        break;
    case COR_TCP_SYN_SENT:
    case COR_TCP_TIME_WAIT:
        cor_tcp_end(tcp, COR_E_ABORTED);
        break;
    default:
        cor_tcp_end_reset(tcp, COR_E_ABORTED);
        break;
    }
}

enum cor_tcp_state cor_tcp_state(const struct cor_tcp *tcp) {
    return tcp->state;
}

const char *cor_tcp_state_name(enum cor_tcp_state state) {
    return state < COR_TCP_STATE_COUNT ? state_names[state] : "unknown";
}

enum cor_status cor_tcp_error(const struct cor_tcp *tcp) {
    return tcp->error;
}

const struct cor_tcp_counters *cor_tcp_get_counters(const struct cor_tcp *tcp) {
    return &tcp->counters;
}

const struct cor_counter_info *cor_tcp_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}

uint32_t cor_tcp_srtt_us(const struct cor_tcp *tcp) {
    return tcp->rtt.srtt_us;
}

uint32_t cor_tcp_rto_us(const struct cor_tcp *tcp) {
    return cor_tcp_rtt_timeout_us(&tcp->rtt);
}

uint32_t cor_tcp_cwnd_bytes(const struct cor_tcp *tcp) {
    return tcp->congestion.window_bytes;
}

uint32_t cor_tcp_ssthresh_bytes(const struct cor_tcp *tcp) {
    return tcp->congestion.threshold_bytes;
}

uint32_t cor_tcp_flight_bytes(const struct cor_tcp *tcp) {
    return cor_seq_before(tcp->snd_una, tcp->snd_nxt) ? tcp->snd_nxt - tcp->snd_una : 0;
}

uint32_t cor_tcp_pending_bytes(const struct cor_tcp *tcp) {
    bool fin = (tcp->flags & COR_TCP_FIN_CUT) != 0;
    uint32_t pending = tcp->snd_end - tcp->snd_una;

    return tcp->state == COR_TCP_CLOSED || cor_tcp_is_opening(tcp) || pending == 0 ? 0
                                                                                   : pending - fin;
}

uint32_t cor_tcp_peer_window_bytes(const struct cor_tcp *tcp) {
    return tcp->snd_wnd;
}

uint32_t cor_tcp_mss_bytes(const struct cor_tcp *tcp) {
    return tcp->mss_bytes;
}
