// SPDX-License-Identifier: MIT
// A host's half of IGMP version 2 (RFC 2236 6). Of its states, "delaying member" is an entry with
// due_us set, "idle member" one without.
#include "coradio/igmp.h"

#include "net/net_parts.h"
#include "wire/ethernet.h"
#include "wire/igmp.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"
#include "coradio/checksum.h"
#include "coradio/ip4.h"

// Groups with a meaning, specified (RFC 1112 4; RFC 2236 2).
#define ALL_HOSTS   COR_IP4(224, 0, 0, 1)
#define ALL_ROUTERS COR_IP4(224, 0, 0, 2)

// Specified (RFC 2236 8.10, 8.1): unasked reports are sent twice, 10 s apart at most; a router of
// version 1 is believed for 400 s (4); its queries ask for a report within 10 s.
#define REPORTS_MORE         1
#define REPORT_GAP_US        10000000U
#define VERSION_1_US         400000000U
#define VERSION_1_WAIT_100MS 100
#define WAIT_UNIT_US         100000U

// Router alert, so that routers look at packets to groups they are not in: specified (RFC
// 2113 2.1).
static const uint8_t router_alert[4] = {0x94, 0x04, 0, 0};
#define PACKET_BYTES (COR_IPV4_BYTES + sizeof(router_alert) + COR_IGMP_BYTES)

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_IGMP_COUNTERS(X)
#undef X
};

static struct cor_igmp *igmp_of(struct cor_net_socket *socket) {
    return (struct cor_igmp *)socket;
}

static struct cor_igmp_group *find(const struct cor_igmp *igmp, uint32_t address) {
    for (uint32_t i = 0; i < igmp->config.group_count; i++) {
        if (igmp->config.groups[i].address == address) {
            return &igmp->config.groups[i];
        }
    }
    return NULL;
}

bool cor_igmp_member(const struct cor_igmp *igmp, uint32_t address) {
    const struct cor_igmp_group *group = find(igmp, address);

    return address == ALL_HOSTS || (group != NULL && group->users != 0);
}

// --- The radio's filter ---

// The list with one address more; false: it is full.
static bool add_mac(const struct cor_igmp *igmp, uint32_t *count, uint32_t address) {
    uint8_t mac[6];

    cor_neighbour_group_mac(address, mac);
    for (uint32_t i = 0; i < *count; i++) {
        if (memcmp(igmp->config.macs[i], mac, sizeof(mac)) == 0) {
            return true;  // 32 groups share a hardware address
        }
    }
    if (*count == igmp->config.filter_count) {
        return false;
    }
    memcpy(igmp->config.macs[(*count)++], mac, sizeof(mac));
    return true;
}

void cor_igmp_refresh(struct cor_igmp *igmp) {
    const struct cor_igmp_config *config = &igmp->config;
    uint32_t count = 0;

    if (config->filter == NULL) {
        return;
    }
    bool fits = add_mac(igmp, &count, ALL_HOSTS);
    for (uint32_t i = 0; i < config->group_count && fits; i++) {
        if (config->groups[i].users != 0) {
            fits = add_mac(igmp, &count, config->groups[i].address);
        }
    }
    igmp->counters.filter_overflows += !fits;
    struct cor_igmp_filter filter = {
        .macs = (const uint8_t(*)[6])config->macs,
        .count = fits ? count : 0,
        .all = !fits,
    };
    config->filter(config->context, &filter);
}

// --- Messages out ---

static void update_wants(struct cor_igmp *igmp) {
    uint8_t wants = 0;

    for (uint32_t i = 0; i < igmp->config.group_count; i++) {
        if (igmp->config.groups[i].ready) {
            wants = COR_NET_PASS_CONTROL;
        }
    }
    // Without an own address nothing is said; the address's arrival says it.
    igmp->socket.wants = igmp->socket.net->config.address != 0 ? wants : 0;
}

// A packet with TTL 1 and router alert (RFC 2236 2).
static void emit(
    const struct cor_net *net,
    const struct cor_igmp_message *message,
    uint32_t to,
    struct cor_frame_tx *tx) {
    struct cor_ipv4 ip = {.from = net->config.address, .to = to, .protocol = COR_IPV4_IGMP};
    uint8_t *at = tx->head + COR_NET_IP;
    uint8_t mac[6];

    cor_neighbour_group_mac(to, mac);
    cor_net_emit_headers(net, &ip, mac, sizeof(router_alert) + COR_IGMP_BYTES, tx->head);
    memcpy(at + COR_IPV4_BYTES, router_alert, sizeof(router_alert));
    at[0] = 0x46;
    at[COR_IPV4_TTL] = 1;
    cor_put_be16(at + COR_IPV4_CHECKSUM, 0);
    cor_put_be16(
        at + COR_IPV4_CHECKSUM,
        (uint16_t)~cor_sum_bytes(at, COR_IPV4_BYTES + sizeof(router_alert)));
    cor_igmp_emit(message, at + COR_IPV4_BYTES + sizeof(router_alert));
    tx->head_bytes = COR_NET_IP + PACKET_BYTES;
}

static void emit_group(
    struct cor_igmp *igmp, struct cor_igmp_group *group, uint64_t now_us, struct cor_frame_tx *tx) {
    bool version_1 = now_us < igmp->version_1_until_us;
    struct cor_igmp_message message = {
        .type = version_1 ? COR_IGMP_REPORT_V1 : COR_IGMP_REPORT,
        .group = group->address,
    };

    group->ready = false;
    if (group->users == 0) {
        message.type = COR_IGMP_LEAVE;
        emit(igmp->socket.net, &message, ALL_ROUTERS, tx);
        igmp->counters.leaves_sent++;
        memset(group, 0, sizeof(*group));
    } else {
        emit(igmp->socket.net, &message, group->address, tx);
        igmp->counters.reports_sent++;
        group->reporter = true;
    }
}

static enum cor_status igmp_pull(
    struct cor_net_socket *socket, uint64_t now_us, struct cor_frame_tx *tx, uint8_t pass) {
    struct cor_igmp *igmp = igmp_of(socket);

    (void)pass;  // only ever control
    for (uint32_t i = 0; i < igmp->config.group_count; i++) {
        struct cor_igmp_group *group = &igmp->config.groups[i];

        if (group->ready) {
            emit_group(igmp, group, now_us, tx);
            update_wants(igmp);
            return COR_OK;
        }
    }
    return COR_AGAIN;
}

static void igmp_sent(struct cor_net_socket *socket, uint64_t now_us, uint32_t index) {
    (void)socket;
    (void)now_us;
    (void)index;
}

// --- Timers ---

static void set_due(struct cor_igmp *igmp, struct cor_igmp_group *group, uint64_t due_us) {
    group->due_us = due_us;
    cor_net_wake(igmp->socket.net, due_us);
}

// A report now, and one more later, in case the first is lost.
static void report_unasked(struct cor_igmp *igmp, struct cor_igmp_group *group, uint64_t now_us) {
    group->reports = REPORTS_MORE + 1;
    set_due(igmp, group, now_us);
}

static void poll_group(struct cor_igmp *igmp, struct cor_igmp_group *group, uint64_t now_us) {
    group->due_us = COR_NET_NEVER;
    group->ready = true;
    if (group->reports != 0) {
        group->reports--;
    }
    if (group->reports != 0) {
        // Between 0 and the gap by chance (RFC 2236 3), and not at once.
        group->due_us = now_us + 1 + cor_net_random_below(igmp->socket.net, REPORT_GAP_US);
    }
}

static uint64_t igmp_poll(struct cor_net_socket *socket, uint64_t now_us) {
    struct cor_igmp *igmp = igmp_of(socket);
    bool relink = igmp->link_ups != socket->net->link_ups;
    uint64_t deadline_us = COR_NET_NEVER;

    igmp->link_ups = socket->net->link_ups;
    for (uint32_t i = 0; i < igmp->config.group_count; i++) {
        struct cor_igmp_group *group = &igmp->config.groups[i];

        if (group->address == 0 || group->users == 0) {
            continue;
        }
        if (relink) {
            // Whoever listens in now has not heard of us.
            report_unasked(igmp, group, now_us);
        }
        if (now_us >= group->due_us) {
            poll_group(igmp, group, now_us);
        }
        deadline_us = group->due_us < deadline_us ? group->due_us : deadline_us;
    }
    update_wants(igmp);
    return deadline_us;
}

static void igmp_neighbour(struct cor_net_socket *socket, const uint8_t *mac) {
    (void)socket;  // sends to groups only
    (void)mac;
}

static void igmp_address(struct cor_net_socket *socket, uint64_t now_us, bool changed) {
    struct cor_igmp *igmp = igmp_of(socket);

    for (uint32_t i = 0; i < igmp->config.group_count && changed; i++) {
        if (igmp->config.groups[i].users != 0) {
            report_unasked(igmp, &igmp->config.groups[i], now_us);
        }
    }
    update_wants(igmp);
}

static const struct cor_net_socket_ops igmp_ops = {
    .pull = igmp_pull,
    .sent = igmp_sent,
    .poll = igmp_poll,
    .neighbour = igmp_neighbour,
    .address = igmp_address,
};

// --- Messages in ---

// A query: each group it asks about reports within the time given, at a moment by chance.
static void take_query(
    struct cor_igmp *igmp, const struct cor_igmp_message *query, uint64_t now_us) {
    uint32_t wait_100ms = query->response_100ms;

    igmp->counters.queries_received++;
    if (wait_100ms == 0) {
        wait_100ms = VERSION_1_WAIT_100MS;
        igmp->version_1_until_us = now_us + VERSION_1_US;
    }
    for (uint32_t i = 0; i < igmp->config.group_count; i++) {
        struct cor_igmp_group *group = &igmp->config.groups[i];
        uint32_t wait_us = wait_100ms * WAIT_UNIT_US;

        if (group->users == 0 || (query->group != 0 && query->group != group->address)) {
            continue;
        }
        // A report that is to come sooner stays as it is (RFC 2236 3).
        if (group->due_us > now_us + wait_us) {
            uint64_t due_us = now_us + 1 + cor_net_random_below(igmp->socket.net, wait_us);

            set_due(igmp, group, due_us);
        }
    }
}

// Another host's report: one is enough (RFC 2236 3).
static void take_report(struct cor_igmp *igmp, uint32_t address) {
    struct cor_igmp_group *group = find(igmp, address);

    if (group == NULL || group->users == 0) {
        return;
    }
    if (group->due_us != COR_NET_NEVER || group->ready) {
        igmp->counters.reports_suppressed++;
    }
    group->due_us = COR_NET_NEVER;
    group->ready = false;
    group->reports = 0;
    group->reporter = false;
    update_wants(igmp);
}

void cor_igmp_input(struct cor_net *net, uint64_t now_us, const struct cor_net_packet *packet) {
    struct cor_igmp *igmp = net->igmp;
    struct cor_igmp_message message;

    if (igmp == NULL || cor_igmp_parse(&message, packet->data, packet->size_bytes) != COR_OK) {
        net->counters.drop_igmp++;
        return;
    }
    bool group = cor_ip4_is_multicast(message.group) && message.group != ALL_HOSTS;
    if (message.type == COR_IGMP_QUERY && (group || message.group == 0)) {
        take_query(igmp, &message, now_us);
    } else if (
        (message.type == COR_IGMP_REPORT || message.type == COR_IGMP_REPORT_V1) && group &&
        packet->ip.to == message.group) {
        take_report(igmp, message.group);
    } else {
        igmp->counters.drop_message++;
    }
}

// --- For the application ---

void cor_igmp_init(
    struct cor_igmp *igmp, struct cor_net *net, const struct cor_igmp_config *config) {
    COR_ASSERT(net->igmp == NULL);
    COR_ASSERT(config->filter == NULL || config->filter_count > 0);
    memset(igmp, 0, sizeof(*igmp));
    memset(config->groups, 0, config->group_count * sizeof(config->groups[0]));
    cor_net_attach(net, &igmp->socket, &igmp_ops, COR_NET_IGMP);
    igmp->config = *config;
    igmp->link_ups = net->link_ups;
    net->igmp = igmp;
    cor_igmp_refresh(igmp);
}

enum cor_status cor_igmp_join(struct cor_igmp *igmp, uint32_t address, uint64_t now_us) {
    if (!cor_ip4_is_multicast(address)) {
        return COR_E_ARG;
    }
    if (address == ALL_HOSTS) {
        return COR_OK;
    }
    struct cor_igmp_group *group = find(igmp, address);
    if (group == NULL) {
        group = find(igmp, 0);
    }
    if (group == NULL || group->users == UINT16_MAX) {
        return COR_E_NOMEM;
    }
    group->users++;
    if (group->users == 1) {
        group->address = address;
        group->ready = false;  // a leave that was to be sent is not
        group->reporter = false;
        report_unasked(igmp, group, now_us);
        cor_igmp_refresh(igmp);
    }
    return COR_OK;
}

enum cor_status cor_igmp_leave(struct cor_igmp *igmp, uint32_t address, uint64_t now_us) {
    struct cor_igmp_group *group = find(igmp, address);

    if (address == ALL_HOSTS) {
        return COR_OK;
    }
    if (address == 0 || group == NULL || group->users == 0) {
        return COR_E_ARG;
    }
    group->users--;
    if (group->users != 0) {
        return COR_OK;
    }
    group->due_us = COR_NET_NEVER;
    group->reports = 0;
    // Who did not report last need not tell that it goes, and a router of version 1 would not
    // understand (RFC 2236 3, 4).
    group->ready = group->reporter && now_us >= igmp->version_1_until_us;
    if (!group->ready) {
        memset(group, 0, sizeof(*group));
    }
    update_wants(igmp);
    cor_igmp_refresh(igmp);
    return COR_OK;
}

const struct cor_igmp_counters *cor_igmp_get_counters(const struct cor_igmp *igmp) {
    return &igmp->counters;
}

const struct cor_counter_info *cor_igmp_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}
