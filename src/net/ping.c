// SPDX-License-Identifier: MIT
#include "coradio/ping.h"

#include "net/net_parts.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/checksum.h"

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_PING_COUNTERS(X)
#undef X
};

static struct cor_ping *ping_of(struct cor_net_socket *socket) {
    return (struct cor_ping *)socket;
}

static uint32_t place_of(uint16_t seq) {
    return seq % COR_PING_OUTSTANDING;
}

static void report(struct cor_ping *ping, uint16_t seq, bool lost, uint32_t rtt_us) {
    struct cor_ping_result result = {.seq = seq, .lost = lost, .rtt_us = rtt_us};

    if (lost) {
        ping->counters.lost++;
    } else {
        ping->counters.replies_received++;
    }
    if (ping->config.result != NULL) {
        ping->config.result(ping->config.context, &result);
    }
}

static void lose(struct cor_ping *ping, uint32_t place) {
    if ((ping->outstanding & (1U << place)) != 0) {
        ping->outstanding &= ~(1U << place);
        report(ping, ping->seqs[place], true, 0);
    }
}

static void emit(struct cor_ping *ping, struct cor_frame_tx *tx) {
    const struct cor_net *net = ping->socket.net;
    struct cor_ipv4 ip = {
        .from = net->config.address,
        .to = ping->socket.remote_address,
        .protocol = COR_IPV4_ICMP,
    };
    struct cor_icmp icmp = {
        .type = COR_ICMP_ECHO,
        .identifier = ping->identifier,
        .sequence = ping->next_seq,
    };

    cor_net_emit_headers(
        net, &ip, ping->mac, (uint16_t)(COR_ICMP_BYTES + ping->payload_bytes), tx->head);
    cor_icmp_emit(&icmp, ping->payload_sum, tx->head + COR_NET_TRANSPORT);
    tx->head_bytes = COR_NET_TRANSPORT + COR_ICMP_BYTES;
    tx->pieces[0].data = ping->config.payload;
    tx->pieces[0].size_bytes = ping->payload_bytes;
    tx->piece_count = ping->payload_bytes != 0;
    tx->payload_bytes = ping->payload_bytes;
    tx->token = cor_net_token(&ping->socket, 0);
    ping->queued_count++;
}

// The next request becomes due when this one has gone, but is counted from when this one was due,
// so that the gaps do not add up.
static void schedule(struct cor_ping *ping, uint64_t now_us) {
    ping->due_us += ping->interval_us;
    if (ping->due_us <= now_us) {
        ping->due_us = now_us + ping->interval_us;
    }
    if (ping->left != 0 && --ping->left == 0) {
        ping->due_us = COR_NET_NEVER;
    }
    cor_net_wake(ping->socket.net, ping->due_us);
}

static enum cor_status ping_pull(
    struct cor_net_socket *socket, uint64_t now_us, struct cor_frame_tx *tx, uint8_t pass) {
    struct cor_ping *ping = ping_of(socket);
    uint32_t place = place_of(ping->next_seq);

    (void)pass;  // only ever data
    if (!ping->resolved || now_us < ping->due_us) {
        return COR_AGAIN;
    }
    lose(ping, place);
    if (now_us < ping->due_us) {
        return COR_AGAIN;  // the application stopped or restarted from its callback
    }
    emit(ping, tx);
    ping->seqs[place] = ping->next_seq;
    ping->due_us_of[place] = ping->due_us;
    ping->outstanding |= 1U << place;
    ping->next_seq++;
    ping->counters.requests_sent++;
    cor_net_wake(socket->net, ping->due_us + COR_PING_TIMEOUT_US);
    schedule(ping, now_us);
    return COR_OK;
}

static void ping_sent(struct cor_net_socket *socket, uint64_t now_us, uint32_t index) {
    struct cor_ping *ping = ping_of(socket);

    (void)now_us;
    (void)index;
    if (ping->queued_count != 0) {
        ping->queued_count--;
    }
}

static uint64_t ping_poll(struct cor_net_socket *socket, uint64_t now_us) {
    struct cor_ping *ping = ping_of(socket);
    // A request that is due waits for pull(), not for a poll.
    uint64_t deadline_us = ping->due_us > now_us ? ping->due_us : COR_NET_NEVER;

    for (uint32_t place = 0; place < COR_PING_OUTSTANDING; place++) {
        uint64_t late_us = ping->due_us_of[place] + COR_PING_TIMEOUT_US;

        if ((ping->outstanding & (1U << place)) == 0) {
            continue;
        }
        if (now_us >= late_us) {
            lose(ping, place);
        } else if (late_us < deadline_us) {
            deadline_us = late_us;
        }
    }
    return deadline_us;
}

// Nobody answers ARP: the requests due are lost, and the next one asks again.
static void ping_neighbour(struct cor_net_socket *socket, const uint8_t *mac) {
    struct cor_ping *ping = ping_of(socket);

    if (mac != NULL) {
        memcpy(ping->mac, mac, sizeof(ping->mac));
        ping->resolved = true;
        return;
    }
    ping->resolved = false;
    if (ping->due_us != COR_NET_NEVER) {
        uint16_t seq = ping->next_seq++;

        ping->due_us += ping->interval_us;
        if (ping->left != 0 && --ping->left == 0) {
            ping->due_us = COR_NET_NEVER;
        }
        cor_neighbour_refresh(socket);
        report(ping, seq, true, 0);
    }
}

static void ping_address(struct cor_net_socket *socket, uint64_t now_us, bool changed) {
    struct cor_ping *ping = ping_of(socket);

    (void)changed;  // each request takes the address there is
    ping->resolved = false;
    if (ping->due_us != COR_NET_NEVER && cor_neighbour_hold(socket, now_us) != COR_OK) {
        ping_neighbour(socket, NULL);
    }
}

static const struct cor_net_socket_ops ping_ops = {
    .pull = ping_pull,
    .sent = ping_sent,
    .poll = ping_poll,
    .neighbour = ping_neighbour,
    .address = ping_address,
};

void cor_ping_init(
    struct cor_ping *ping, struct cor_net *net, const struct cor_ping_config *config) {
    COR_ASSERT(((uintptr_t)config->payload & 3) == 0);
    memset(ping, 0, sizeof(*ping));
    cor_net_attach(net, &ping->socket, &ping_ops, COR_NET_PING);
    ping->config = *config;
    ping->due_us = COR_NET_NEVER;
}

enum cor_status cor_ping_release(struct cor_ping *ping) {
    cor_ping_stop(ping);
    ping->outstanding = 0;
    ping->socket.wants = 0;
    if (ping->queued_count != 0) {
        return COR_AGAIN;
    }
    cor_net_detach(&ping->socket);
    return COR_OK;
}

enum cor_status cor_ping_start(
    struct cor_ping *ping, uint32_t address, const struct cor_ping_plan *plan, uint64_t now_us) {
    struct cor_net *net = ping->socket.net;

    if (plan->payload_bytes > ping->config.payload_room_bytes ||
        plan->payload_bytes + COR_IPV4_BYTES + COR_ICMP_BYTES > net->config.mtu ||
        plan->interval_us == 0 || address == 0) {
        return COR_E_ARG;
    }
    if (ping->queued_count != 0) {
        return COR_E_STATE;
    }
    for (uint32_t i = 0; i < plan->payload_bytes; i++) {
        ping->config.payload[i] = (uint8_t)i;
    }
    ping->payload_bytes = plan->payload_bytes;
    ping->payload_sum = cor_sum_bytes(ping->config.payload, plan->payload_bytes);
    ping->left = plan->count;
    ping->interval_us = plan->interval_us;
    ping->next_seq = 0;
    ping->outstanding = 0;
    ping->resolved = false;
    cor_neighbour_drop(&ping->socket);
    ping->socket.remote_address = address;
    // A number like a port, so that runs and sockets are told apart and strangers cannot guess it.
    ping->socket.local_port = 0;
    ping->identifier = cor_net_port(net, &ping->socket);
    ping->socket.local_port = ping->identifier;
    enum cor_status status = cor_neighbour_hold(&ping->socket, now_us);
    ping->due_us = status == COR_OK ? now_us : COR_NET_NEVER;
    ping->socket.wants = COR_NET_PASS_DATA;
    return status;
}

void cor_ping_stop(struct cor_ping *ping) {
    ping->due_us = COR_NET_NEVER;
    ping->left = 0;
}

bool cor_ping_busy(const struct cor_ping *ping) {
    return ping->due_us != COR_NET_NEVER || ping->outstanding != 0;
}

const struct cor_ping_counters *cor_ping_get_counters(const struct cor_ping *ping) {
    return &ping->counters;
}

const struct cor_counter_info *cor_ping_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}

void cor_ping_input(
    struct cor_net *net,
    uint64_t now_us,
    const struct cor_net_packet *packet,
    const struct cor_icmp *icmp) {
    struct cor_net_socket *socket = cor_net_find(net, COR_NET_PING, icmp->identifier);

    if (socket == NULL) {
        net->counters.drop_icmp++;
        return;
    }
    struct cor_ping *ping = ping_of(socket);
    uint32_t place = place_of(icmp->sequence);
    if ((ping->outstanding & (1U << place)) == 0 || ping->seqs[place] != icmp->sequence ||
        packet->ip.from != socket->remote_address ||
        icmp->payload.size_bytes != ping->payload_bytes ||
        memcmp(icmp->payload.data, ping->config.payload, ping->payload_bytes) != 0) {
        ping->counters.drop_reply++;
        return;
    }
    ping->outstanding &= ~(1U << place);
    report(ping, icmp->sequence, false, (uint32_t)(now_us - ping->due_us_of[place]));
}
