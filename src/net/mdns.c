// SPDX-License-Identifier: MIT
// The mDNS responder's states: names are probed for, announced, and then answered for.
#include "coradio/mdns.h"

#include "net/mdns_parts.h"
#include "net/net_parts.h"

#include <string.h>

#include "coradio/assert.h"

#define MS_US     1000U
#define SECOND_US 1000000U
// Specified (RFC 6762 8.1, 8.2, 8.3): a first wait of up to 250 ms, three probes 250 ms apart; who
// goes behind another waits 1 s; two announcements 1 s apart.
#define PROBES          3
#define PROBE_GAP_US    (250U * MS_US)
#define DEFER_US        SECOND_US
#define ANNOUNCEMENTS   2
#define ANNOUNCE_GAP_US SECOND_US
// After 15 conflicts in 10 s, 5 s between attempts; specified (RFC 6762 8.1).
#define CONFLICTS_MAX       15
#define CONFLICTS_WITHIN_US (10U * SECOND_US)
#define CONFLICTS_WAIT_US   (5U * SECOND_US)
// Messages come from this link only, which shows in the TTL; specified (RFC 6762 11).
#define TTL 255
// How soon a message that could not be written is tried again.
#define BUSY_WAIT_US (10U * MS_US)
// Letters that a number and what is around it take at most: " (65535)".
#define NUMBER_BYTES 8

static const char *const state_texts[COR_MDNS_STATE_COUNT] = {
#define X(name, text) [COR_MDNS_##name] = text,
    COR_MDNS_STATES(X)
#undef X
};

static const struct cor_counter_info counter_list[] = {
#define X(name, unit, text) {#name, unit, text},
    COR_MDNS_COUNTERS(X)
#undef X
};

// --- Names ---

static uint32_t put_number(uint8_t *at, uint32_t number) {
    uint32_t digits = 1;

    for (uint32_t rest = number / 10; rest != 0; rest /= 10) {
        digits++;
    }
    for (uint32_t i = digits; i > 0; i--) {
        at[i - 1] = (uint8_t)('0' + number % 10);
        number /= 10;
    }
    return digits;
}

// The label "pico", "pico-2", "Bench (2)" with its length; returns where it ends.
static uint8_t *put_label(uint8_t *at, const char *text, uint16_t number, bool host) {
    size_t size = strlen(text);
    uint32_t used;

    if (number != 0 && size > COR_MDNS_LABEL_BYTES_MAX - NUMBER_BYTES) {
        size = COR_MDNS_LABEL_BYTES_MAX - NUMBER_BYTES;
    }
    memcpy(at + 1, text, size);
    used = 1 + (uint32_t)size;
    if (number != 0) {
        used += (uint32_t)(host ? 1 : 2);
        memcpy(at + 1 + size, host ? "-" : " (", host ? 1 : 2);
        used += put_number(at + used, number);
        if (!host) {
            at[used++] = ')';
        }
    }
    at[0] = (uint8_t)(used - 1);
    return at + used;
}

static const uint8_t local[] = "\x05local";

// The wire names as the texts and numbers say.
static void set_names(struct cor_mdns *mdns) {
    uint8_t *at = put_label(mdns->host, mdns->config.host, mdns->host_number, true);

    memcpy(at, local, sizeof(local));
    if (cor_mdns_has_service(mdns)) {
        at = put_label(mdns->instance, mdns->config.instance, mdns->instance_number, false);
        memcpy(at, mdns->type, cor_dns_name_bytes(mdns->type));
    }
}

// --- Sending ---

// Room for a message to all; NULL: the last one stands in the queue of the bus.
static uint8_t *group_room(struct cor_mdns *mdns, uint64_t now_us) {
    uint8_t *room = NULL;

    cor_udp_cancel(&mdns->group);
    if (cor_udp_pending(&mdns->group) != 0 ||
        cor_udp_connect(&mdns->group, COR_MDNS_GROUP, COR_MDNS_PORT, now_us) != COR_OK ||
        cor_udp_send_buf(&mdns->group, &room) <= 0) {
        return NULL;
    }
    return room;
}

// Sends records to all; false: it has to be tried again.
static bool send_group(struct cor_mdns *mdns, const struct cor_mdns_out *out, uint64_t now_us) {
    uint8_t *room = group_room(mdns, now_us);

    if (room == NULL) {
        return false;
    }
    cor_udp_send_ack(&mdns->group, cor_mdns_emit_response(mdns, out, room), now_us);
    for (uint32_t i = 0; i < COR_MDNS_RECORDS; i++) {
        if (((out->answers | out->more) & (1U << i)) != 0) {
            mdns->sent_us[i] = now_us;
        }
    }
    return true;
}

void cor_mdns_send_direct(
    struct cor_mdns *mdns, const struct cor_mdns_out *out, const struct cor_udp_datagram *to) {
    uint8_t *room;

    if (cor_udp_pending(&mdns->direct) != 0) {
        mdns->counters.drop_busy++;
        return;
    }
    if (cor_udp_connect(&mdns->direct, to->address, to->port, to->now_us) != COR_OK ||
        cor_udp_send_buf(&mdns->direct, &room) <= 0) {
        return;
    }
    cor_udp_send_ack(&mdns->direct, cor_mdns_emit_response(mdns, out, room), to->now_us);
    mdns->counters.direct_sent++;
}

void cor_mdns_schedule(struct cor_mdns *mdns, const struct cor_mdns_out *out, uint64_t at_us) {
    mdns->answers |= out->answers;
    mdns->more |= out->more;
    mdns->response_us = at_us < mdns->response_us ? at_us : mdns->response_us;
}

static void send_response(struct cor_mdns *mdns, uint64_t now_us) {
    struct cor_mdns_out out = {.answers = mdns->answers, .more = mdns->more};

    if (out.answers != 0) {
        if (!send_group(mdns, &out, now_us)) {
            mdns->response_us = now_us + BUSY_WAIT_US;
            return;
        }
        mdns->counters.responses_sent++;
    }
    mdns->answers = 0;
    mdns->more = 0;
    mdns->response_us = COR_NET_NEVER;
}

// --- States ---

static void begin_probing(struct cor_mdns *mdns, uint64_t at_us) {
    mdns->state = COR_MDNS_PROBING;
    mdns->steps = 0;
    mdns->due_us = at_us;
    mdns->answers = 0;
    mdns->more = 0;
    mdns->response_us = COR_NET_NEVER;
    memset(mdns->sent_us, 0, sizeof(mdns->sent_us));
}

void cor_mdns_defer(struct cor_mdns *mdns, uint64_t now_us) {
    begin_probing(mdns, now_us + DEFER_US);
}

void cor_mdns_conflict(struct cor_mdns *mdns, bool host, bool instance, uint64_t now_us) {
    bool probing = mdns->state == COR_MDNS_PROBING;

    mdns->counters.conflicts++;
    // Once there have been so many, it stays slow until the names are in use.
    if (mdns->conflict_count == 0 || (mdns->conflict_count < CONFLICTS_MAX &&
                                      now_us - mdns->conflicts_from_us > CONFLICTS_WITHIN_US)) {
        mdns->conflicts_from_us = now_us;
        mdns->conflict_count = 0;
    }
    if (mdns->conflict_count < UINT8_MAX) {
        mdns->conflict_count++;
    }
    // Names in use are probed for again first (RFC 6762 9); only then does one of us give way.
    if (probing && host) {
        mdns->host_number = (uint16_t)(mdns->host_number == 0 ? 2 : mdns->host_number + 1);
    }
    if (probing && instance) {
        mdns->instance_number =
            (uint16_t)(mdns->instance_number == 0 ? 2 : mdns->instance_number + 1);
    }
    set_names(mdns);
    begin_probing(mdns, now_us + (mdns->conflict_count >= CONFLICTS_MAX ? CONFLICTS_WAIT_US : 0));
}

static void probe(struct cor_mdns *mdns, uint64_t now_us) {
    uint8_t *room;

    if (mdns->steps == PROBES) {
        mdns->state = COR_MDNS_ANNOUNCING;
        mdns->steps = 0;
        return;
    }
    room = group_room(mdns, now_us);
    if (room == NULL) {
        mdns->due_us = now_us + BUSY_WAIT_US;
        return;
    }
    cor_udp_send_ack(&mdns->group, cor_mdns_emit_probe(mdns, room), now_us);
    mdns->counters.probes_sent++;
    mdns->steps++;
    mdns->due_us = now_us + PROBE_GAP_US;
}

static void announce(struct cor_mdns *mdns, uint64_t now_us) {
    struct cor_mdns_out out = {.answers = cor_mdns_all(mdns)};

    if (!send_group(mdns, &out, now_us)) {
        mdns->due_us = now_us + BUSY_WAIT_US;
        return;
    }
    mdns->counters.announcements_sent++;
    mdns->steps++;
    mdns->due_us = now_us + ANNOUNCE_GAP_US;
    if (mdns->steps == ANNOUNCEMENTS) {
        mdns->state = COR_MDNS_RUNNING;
        mdns->conflict_count = 0;
        mdns->due_us = COR_NET_NEVER;
    }
}

// A new address, a new link: what is known of the names there is not known (RFC 6762 8).
static void renew(struct cor_mdns *mdns, uint64_t now_us) {
    mdns->address = mdns->net->config.address;
    mdns->link_ups = mdns->net->link_ups;
    begin_probing(mdns, now_us + cor_net_random_below(mdns->net, PROBE_GAP_US));
    if (mdns->address == 0) {
        mdns->state = COR_MDNS_WAITING;
        mdns->due_us = COR_NET_NEVER;
    }
}

uint64_t cor_mdns_poll(struct cor_mdns *mdns, uint64_t now_us) {
    if (mdns->state == COR_MDNS_OFF) {
        return COR_NET_NEVER;
    }
    if (mdns->address != mdns->net->config.address || mdns->link_ups != mdns->net->link_ups) {
        renew(mdns, now_us);
    }
    if (mdns->net->link_down) {
        return COR_NET_NEVER;
    }
    if (mdns->state == COR_MDNS_PROBING && now_us >= mdns->due_us) {
        probe(mdns, now_us);
    }
    if (mdns->state == COR_MDNS_ANNOUNCING && now_us >= mdns->due_us) {
        announce(mdns, now_us);
    } else if (now_us >= mdns->response_us) {
        send_response(mdns, now_us);
    }
    return mdns->due_us < mdns->response_us ? mdns->due_us : mdns->response_us;
}

// --- For the application ---

// Texts with their length before each, to the last byte.
static bool is_txt(const uint8_t *txt, uint32_t size) {
    uint32_t used = 0;

    while (used < size) {
        used += 1U + txt[used];
    }
    return used == size;
}

static bool texts_fit(const struct cor_mdns_config *config) {
    size_t host = strlen(config->host);

    if (host == 0 || host > COR_MDNS_LABEL_BYTES_MAX ||
        config->txt_bytes > COR_MDNS_TXT_BYTES_MAX) {
        return false;
    }
    if (config->instance == NULL) {
        return true;
    }
    if (!is_txt(config->txt, config->txt_bytes)) {
        return false;
    }
    size_t instance = strlen(config->instance);
    size_t type = strlen(config->type);
    return instance != 0 && instance <= COR_MDNS_LABEL_BYTES_MAX && type != 0 &&
           type <= COR_MDNS_TYPE_BYTES_MAX && config->type[type - 1] != '.';
}

static bool set_type(struct cor_mdns *mdns) {
    uint8_t name[COR_DNS_NAME_BYTES_MAX];
    int32_t size = cor_dns_name_from_text(mdns->config.type, name);

    if (size < 0) {
        return false;
    }
    memcpy(mdns->type, name, (uint32_t)size - 1);
    memcpy(mdns->type + size - 1, local, sizeof(local));
    return true;
}

static void open_socket(struct cor_mdns *mdns, struct cor_udp *udp, uint32_t index) {
    struct cor_udp_config config = {
        .memory = (uint8_t *)mdns->messages[index],
        .slot_bytes = COR_MDNS_ROOM_BYTES,
        .slot_count = 1,
        .slots = &mdns->slots[index],
        .local_port = COR_MDNS_PORT,
        .receive = cor_mdns_receive,
        .context = mdns,
        .service = true,
    };

    cor_udp_init(udp, mdns->net, &config);
    cor_udp_set_ttl(udp, TTL);
}

enum cor_status cor_mdns_init(
    struct cor_mdns *mdns,
    struct cor_net *net,
    struct cor_igmp *igmp,
    const struct cor_mdns_config *config) {
    memset(mdns, 0, sizeof(*mdns));
    mdns->net = net;
    mdns->igmp = igmp;
    mdns->config = *config;
    mdns->due_us = COR_NET_NEVER;
    mdns->response_us = COR_NET_NEVER;
    if (!texts_fit(config) || (config->instance != NULL && !set_type(mdns))) {
        return COR_E_ARG;
    }
    set_names(mdns);
    open_socket(mdns, &mdns->group, 0);
    open_socket(mdns, &mdns->direct, 1);
    return COR_OK;
}

enum cor_status cor_mdns_start(struct cor_mdns *mdns, uint64_t now_us) {
    enum cor_status status;

    if (mdns->state != COR_MDNS_OFF) {
        return COR_E_STATE;
    }
    status = cor_igmp_join(mdns->igmp, COR_MDNS_GROUP, now_us);
    if (status == COR_OK) {
        mdns->conflict_count = 0;
        renew(mdns, now_us);
    }
    return status;
}

void cor_mdns_stop(struct cor_mdns *mdns, uint64_t now_us) {
    struct cor_mdns_out out = {.answers = cor_mdns_all(mdns), .goodbye = true};
    enum cor_status status;

    if (mdns->state == COR_MDNS_OFF) {
        return;
    }
    if (mdns->state == COR_MDNS_ANNOUNCING || mdns->state == COR_MDNS_RUNNING) {
        mdns->counters.announcements_sent += send_group(mdns, &out, now_us);
    }
    mdns->state = COR_MDNS_OFF;
    status = cor_igmp_leave(mdns->igmp, COR_MDNS_GROUP, now_us);
    COR_ASSERT(status == COR_OK);
}

enum cor_mdns_state cor_mdns_state(const struct cor_mdns *mdns) {
    return mdns->state;
}

const char *cor_mdns_state_text(enum cor_mdns_state state) {
    return state < COR_MDNS_STATE_COUNT ? state_texts[state] : "unknown";
}

static char *label_text(const uint8_t *name, char *text) {
    memcpy(text, name + 1, name[0]);
    text[name[0]] = '\0';
    return text;
}

char *cor_mdns_host_text(const struct cor_mdns *mdns, char *text) {
    return label_text(mdns->host, text);
}

char *cor_mdns_instance_text(const struct cor_mdns *mdns, char *text) {
    return label_text(mdns->instance, text);
}

const struct cor_mdns_counters *cor_mdns_get_counters(const struct cor_mdns *mdns) {
    return &mdns->counters;
}

const struct cor_counter_info *cor_mdns_counter_list(uint32_t *count) {
    *count = sizeof(counter_list) / sizeof(counter_list[0]);
    return counter_list;
}
