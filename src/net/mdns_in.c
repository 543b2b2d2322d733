// SPDX-License-Identifier: MIT
// What others say by mDNS: questions to answer, and records that show that somebody has our names.
#include "net/mdns_parts.h"
#include "net/net_parts.h"

#include <string.h>

#include "coradio/bytes.h"

#define MS_US     1000U
#define SECOND_US 1000000U
// Waits before an answer, specified (RFC 6762 6, 7.2): for a record that others may have too, and
// when more known answers are to come.
#define SHARED_MIN_US    (20U * MS_US)
#define SHARED_CHANCE_US (100U * MS_US)
#define MORE_MIN_US      (400U * MS_US)
#define MORE_CHANCE_US   (100U * MS_US)
// No record goes to all twice in a second, and in a quarter of that to a host that probes for our
// names; specified (RFC 6762 6).
#define AGAIN_US       SECOND_US
#define AGAIN_PROBE_US (250U * MS_US)
// Records of a probe that are compared, a host's and a service's at most.
#define PROPOSALS_MAX 4
// Data of a record, with a name of full length behind the numbers of an SRV record.
#define DATA_BYTES_MAX (6 + COR_DNS_NAME_BYTES_MAX)

// --- Our records and theirs ---

// The data of a record without shortened names; false: too long to be compared, or damaged.
static bool read_data(
    const struct cor_dns_message *message,
    const struct cor_dns_record *record,
    uint8_t *data,
    uint32_t *size) {
    const uint8_t *at = message->data + record->data;

    if (record->type == COR_DNS_SRV) {
        if (record->data_bytes < 7) {
            return false;
        }
        int32_t name = cor_dns_name_read(message, record->data + 6, data + 6);
        memcpy(data, at, 6);
        *size = 6U + (uint32_t)name;
        return name > 0;
    }
    if (record->data_bytes > DATA_BYTES_MAX) {
        return false;
    }
    memcpy(data, at, record->data_bytes);
    *size = record->data_bytes;
    return true;
}

// Names compare by their letters in any case, everything else by its bytes. An SRV record of ours
// never has a capital in front of its name.
static bool data_equal(uint16_t type, const uint8_t *left, const uint8_t *right, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        bool equal = type == COR_DNS_SRV && i >= 6
                         ? cor_dns_lower(left[i]) == cor_dns_lower(right[i])
                         : left[i] == right[i];

        if (!equal) {
            return false;
        }
    }
    return true;
}

// Which of our records A, SRV and TXT has this name and type; 0: none.
static uint8_t ours(
    const struct cor_mdns *mdns,
    const struct cor_dns_message *message,
    const struct cor_dns_record *record) {
    if (record->type == COR_DNS_A) {
        return cor_dns_name_is(message, record->name, mdns->host) ? COR_MDNS_A : 0;
    }
    if ((record->type == COR_DNS_SRV || record->type == COR_DNS_TXT) &&
        cor_mdns_has_service(mdns) && cor_dns_name_is(message, record->name, mdns->instance)) {
        return record->type == COR_DNS_SRV ? COR_MDNS_SRV : COR_MDNS_TXT;
    }
    return 0;
}

static bool same_data(
    const struct cor_mdns *mdns,
    const struct cor_dns_message *message,
    const struct cor_dns_record *record,
    uint8_t which) {
    uint8_t data[COR_MDNS_TXT_BYTES_MAX];
    uint8_t theirs[DATA_BYTES_MAX];
    uint32_t size = cor_mdns_data(mdns, which, data);
    uint32_t their_size = 0;

    return read_data(message, record, theirs, &their_size) && size == their_size &&
           data_equal(record->type, data, theirs, size);
}

// Which of our records this one is, data included; 0: none.
static uint8_t same_record(
    const struct cor_mdns *mdns,
    const struct cor_dns_message *message,
    const struct cor_dns_record *record) {
    uint8_t which = ours(mdns, message, record);

    if ((record->class & COR_DNS_CLASS_MASK) != COR_DNS_IN) {
        return 0;
    }
    if (which != 0) {
        return same_data(mdns, message, record, which) ? which : 0;
    }
    if (record->type != COR_DNS_PTR || !cor_mdns_has_service(mdns)) {
        return 0;
    }
    if (cor_dns_name_is(message, record->name, mdns->type)) {
        return cor_dns_name_is(message, record->data, mdns->instance) ? COR_MDNS_PTR : 0;
    }
    if (cor_dns_name_is(message, record->name, cor_mdns_services)) {
        return cor_dns_name_is(message, record->data, mdns->type) ? COR_MDNS_TYPES : 0;
    }
    return 0;
}

// --- Responses ---

static bool speaks(const struct cor_mdns *mdns) {
    return mdns->state == COR_MDNS_ANNOUNCING || mdns->state == COR_MDNS_RUNNING;
}

// Looks at one record of somebody else's response; says whose name is in conflict.
static void look_at(
    struct cor_mdns *mdns,
    const struct cor_dns_message *message,
    const struct cor_dns_record *record,
    bool conflict[2]) {
    uint8_t which = ours(mdns, message, record);
    bool host = cor_dns_name_is(message, record->name, mdns->host);
    bool instance =
        cor_mdns_has_service(mdns) && cor_dns_name_is(message, record->name, mdns->instance);

    if ((record->class & COR_DNS_CLASS_MASK) != COR_DNS_IN || (!host && !instance) ||
        record->ttl_s == 0) {
        return;
    }
    // While we probe, the name may have no record at all but ours; later, types that we do not have
    // are no business of ours (RFC 6762 8.1, 9).
    bool differs = which != 0 ? !same_data(mdns, message, record, which)
                              : mdns->state == COR_MDNS_PROBING && record->type != COR_DNS_NSEC;
    conflict[0] |= host && differs;
    conflict[1] |= instance && differs;
}

// A record of ours, said by another to go soon, is said again by us (RFC 6762 6.6).
static void rescue(
    struct cor_mdns *mdns,
    const struct cor_dns_message *message,
    const struct cor_dns_record *record,
    uint64_t now_us) {
    uint8_t which = same_record(mdns, message, record);

    if (which != 0 && speaks(mdns) && record->ttl_s < cor_mdns_ttl_s(which) / 2) {
        struct cor_mdns_out out = {.answers = which};

        cor_mdns_schedule(mdns, &out, now_us);
    }
}

static void take_response(struct cor_mdns *mdns, struct cor_dns_message *message, uint64_t now_us) {
    uint32_t count = (uint32_t)message->header.answer_count + message->header.authority_count +
                     message->header.additional_count;
    bool conflict[2] = {false, false};

    if (mdns->state == COR_MDNS_WAITING) {
        return;
    }
    for (uint32_t i = 0; i < message->header.question_count; i++) {
        struct cor_dns_question question;

        if (cor_dns_parse_question(message, &question) != COR_OK) {
            mdns->counters.drop_message++;
            return;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct cor_dns_record record;

        if (cor_dns_parse_record(message, &record) != COR_OK) {
            mdns->counters.drop_message++;
            break;
        }
        look_at(mdns, message, &record, conflict);
        rescue(mdns, message, &record, now_us);
    }
    if (conflict[0] || conflict[1]) {
        cor_mdns_conflict(mdns, conflict[0], conflict[1], now_us);
    }
}

// --- Questions ---

// What is asked for in one message.
struct wish {
    uint8_t group;   // records to be sent to all
    uint8_t direct;  // to the asker, if he has heard them lately
    uint8_t known;   // the asker knows them
    bool probe;      // he probes for names
    bool legacy;     // and does not speak mDNS
    struct cor_dns_question first;
};

// Which records answer a question.
static uint8_t wanted(
    const struct cor_mdns *mdns,
    const struct cor_dns_message *message,
    const struct cor_dns_question *question) {
    uint16_t class = question->class & COR_DNS_CLASS_MASK;
    uint16_t type = question->type;
    bool any = type == COR_DNS_ANY;

    if (class != COR_DNS_IN && class != COR_DNS_CLASS_ANY) {
        return 0;
    }
    if (cor_dns_name_is(message, question->name, mdns->host)) {
        return any || type == COR_DNS_A ? COR_MDNS_A : COR_MDNS_NSEC_HOST;
    }
    if (!cor_mdns_has_service(mdns)) {
        return 0;
    }
    if (cor_dns_name_is(message, question->name, mdns->instance)) {
        uint8_t records = any || type == COR_DNS_SRV ? COR_MDNS_SRV : 0;

        records |= any || type == COR_DNS_TXT ? COR_MDNS_TXT : 0;

        return records != 0 ? records : COR_MDNS_NSEC_SERVICE;
    }
    if (!any && type != COR_DNS_PTR) {
        return 0;
    }
    if (cor_dns_name_is(message, question->name, mdns->type)) {
        return COR_MDNS_PTR;
    }
    return cor_dns_name_is(message, question->name, cor_mdns_services) ? COR_MDNS_TYPES : 0;
}

// Records that who asked will ask for next (RFC 6763 12).
static uint8_t companions(uint8_t records) {
    uint8_t more = 0;

    if ((records & COR_MDNS_PTR) != 0) {
        more = COR_MDNS_SRV | COR_MDNS_TXT | COR_MDNS_A;
    }
    if ((records & COR_MDNS_SRV) != 0) {
        more |= COR_MDNS_A;
    }
    return more;
}

// Records that were sent to all less than `within` of their time to live, or so many us, ago.
static uint8_t sent_within(
    const struct cor_mdns *mdns, uint8_t records, uint64_t within_us, uint64_t now_us) {
    uint8_t recent = 0;

    for (uint32_t i = 0; i < COR_MDNS_RECORDS; i++) {
        uint8_t record = (uint8_t)(1U << i);
        uint64_t limit_us =
            within_us != 0 ? within_us : cor_mdns_ttl_s(record) * (uint64_t)SECOND_US / 4;

        if ((records & record) != 0 && mdns->sent_us[i] != 0 &&
            now_us - mdns->sent_us[i] < limit_us) {
            recent |= record;
        }
    }
    return recent;
}

static bool read_questions(
    const struct cor_mdns *mdns, struct cor_dns_message *message, struct wish *wish) {
    for (uint32_t i = 0; i < message->header.question_count; i++) {
        struct cor_dns_question question;

        if (cor_dns_parse_question(message, &question) != COR_OK) {
            return false;
        }
        uint8_t records = wanted(mdns, message, &question);
        if (i == 0) {
            wish->first = question;
        }
        if ((question.class & COR_DNS_CLASS_FLAG) != 0) {
            wish->direct |= records;
        } else {
            wish->group |= records;
        }
    }
    return true;
}

// Known answers count if they are to live half of what ours do at least (RFC 6762 7.1).
static bool read_known(
    const struct cor_mdns *mdns, struct cor_dns_message *message, struct wish *wish) {
    for (uint32_t i = 0; i < message->header.answer_count; i++) {
        struct cor_dns_record record;

        if (cor_dns_parse_record(message, &record) != COR_OK) {
            return false;
        }
        uint8_t which = same_record(mdns, message, &record);
        if (which != 0 && record.ttl_s >= cor_mdns_ttl_s(which) / 2) {
            wish->known |= which;
        }
    }
    return true;
}

static void answer_all(
    struct cor_mdns *mdns,
    const struct wish *wish,
    bool more_to_come,
    uint64_t now_us,
    uint32_t asker) {
    uint8_t shared = wish->group & (COR_MDNS_PTR | COR_MDNS_TYPES);
    uint64_t again_us = wish->probe ? AGAIN_PROBE_US : AGAIN_US;
    uint8_t recent = sent_within(mdns, wish->group, again_us, now_us);
    struct cor_mdns_out out = {.answers = (uint8_t)(wish->group & ~recent)};
    uint64_t at_us = now_us;

    mdns->counters.answers_limited += recent != 0;
    if (out.answers == 0) {
        return;
    }
    out.more = companions(out.answers) & (uint8_t)~wish->known;
    if (more_to_come) {
        at_us += MORE_MIN_US + cor_net_random_below(mdns->net, MORE_CHANCE_US);
    } else if (shared != 0) {
        at_us += SHARED_MIN_US + cor_net_random_below(mdns->net, SHARED_CHANCE_US);
    }
    mdns->asker = mdns->answers == 0 || mdns->asker == asker ? asker : 0;
    cor_mdns_schedule(mdns, &out, at_us);
}

static void answer(
    struct cor_mdns *mdns,
    struct wish *wish,
    const struct cor_dns_message *message,
    const struct cor_udp_datagram *datagram) {
    uint8_t name[COR_DNS_NAME_BYTES_MAX];
    struct cor_mdns_out out = {.legacy = wish->legacy, .id = message->header.id};

    mdns->counters.answers_known += ((wish->group | wish->direct) & wish->known) != 0;
    wish->group &= (uint8_t)~wish->known;
    wish->direct &= (uint8_t)~wish->known;
    if (wish->legacy) {
        wish->direct |= wish->group;
        wish->group = 0;
        out.question = name;
        out.question_type = wish->first.type;
        // It has been read before, so that it is a name.
        if (cor_dns_name_read(message, wish->first.name, name) < 0) {
            return;
        }
    } else {
        // What all have not heard for long is sent to all even if one is enough (RFC 6762 5.4).
        uint8_t recent = sent_within(mdns, wish->direct, 0, datagram->now_us);

        wish->group |= wish->direct & (uint8_t)~recent;
        wish->direct = recent;
    }
    bool more_to_come = (message->header.flags & COR_DNS_TRUNCATED) != 0;
    answer_all(mdns, wish, more_to_come, datagram->now_us, datagram->address);
    out.answers = wish->direct;
    out.more = companions(wish->direct) & (uint8_t)~wish->known;
    if (out.answers != 0) {
        cor_mdns_send_direct(mdns, &out, datagram);
    }
}

// --- Probes of others while we probe ---

// Lexical order of two records of the same class: type, then data (RFC 6762 8.2).
static int compare(
    uint16_t type,
    const uint8_t *data,
    uint32_t size,
    const struct cor_dns_record *theirs,
    const uint8_t *their_data,
    uint32_t their_size) {
    uint32_t common = size < their_size ? size : their_size;

    if (type != theirs->type) {
        return type < theirs->type ? -1 : 1;
    }
    int order = memcmp(data, their_data, common);
    if (order != 0 || size == their_size) {
        return order;
    }
    return size < their_size ? -1 : 1;
}

// The record of the proposals for a name that comes first behind `behind` in the order of types; a
// host that proposes two records of one type is compared by the first. False: there is none.
static bool next_proposal(
    struct cor_dns_message message,
    const uint8_t *name,
    uint16_t behind,
    struct cor_dns_record *found) {
    bool any = false;

    for (uint32_t i = 0; i < message.header.authority_count; i++) {
        struct cor_dns_record record;

        if (cor_dns_parse_record(&message, &record) != COR_OK) {
            break;
        }
        if (record.type > behind && cor_dns_name_is(&message, record.name, name) &&
            (!any || record.type < found->type)) {
            *found = record;
            any = true;
        }
    }
    return any;
}

// Do their proposals for the name go before ours? Ours are the records in `mine`, in the order of
// their types. message stands at the first proposal.
static bool goes_first(
    const struct cor_mdns *mdns,
    const struct cor_dns_message *message,
    const uint8_t *name,
    const uint8_t mine[2]) {
    uint16_t behind = 0;

    for (uint32_t i = 0; i < PROPOSALS_MAX; i++) {
        uint8_t data[COR_MDNS_TXT_BYTES_MAX];
        uint8_t their_data[DATA_BYTES_MAX];
        uint32_t their_size = 0;
        struct cor_dns_record theirs = {0};
        uint8_t record = i < 2 ? mine[i] : 0;
        bool have = next_proposal(*message, name, behind, &theirs);

        if (!have || record == 0) {
            return have && i > 0;  // who has more records left goes first
        }
        uint16_t type = record == COR_MDNS_A     ? COR_DNS_A
                        : record == COR_MDNS_TXT ? COR_DNS_TXT
                                                 : COR_DNS_SRV;
        uint32_t size = cor_mdns_data(mdns, record, data);
        if (!read_data(message, &theirs, their_data, &their_size)) {
            return false;
        }
        int order = compare(type, data, size, &theirs, their_data, their_size);
        if (order != 0) {
            return order < 0;
        }
        behind = theirs.type;
    }
    return false;
}

static void compare_probe(
    struct cor_mdns *mdns, const struct cor_dns_message *message, uint64_t now_us) {
    static const uint8_t of_host[2] = {COR_MDNS_A, 0};
    static const uint8_t of_service[2] = {COR_MDNS_TXT, COR_MDNS_SRV};

    if (goes_first(mdns, message, mdns->host, of_host) ||
        (cor_mdns_has_service(mdns) && goes_first(mdns, message, mdns->instance, of_service))) {
        cor_mdns_defer(mdns, now_us);
    }
}

static void take_query(
    struct cor_mdns *mdns,
    struct cor_dns_message *message,
    const struct cor_udp_datagram *datagram) {
    struct wish wish = {
        .probe = message->header.authority_count != 0,
        .legacy = datagram->port != COR_MDNS_PORT,
    };

    if (!read_questions(mdns, message, &wish) || !read_known(mdns, message, &wish)) {
        mdns->counters.drop_message++;
        return;
    }
    if (mdns->state == COR_MDNS_PROBING && wish.probe) {
        compare_probe(mdns, message, datagram->now_us);
    }
    if (!speaks(mdns)) {
        return;
    }
    if (message->header.question_count == 0) {
        // More known answers of the one who asked (RFC 6762 7.2).
        if (mdns->answers != 0 && mdns->asker == datagram->address) {
            mdns->counters.answers_known += (mdns->answers & wish.known) != 0;
            mdns->answers &= (uint8_t)~wish.known;
            mdns->more &= (uint8_t)~wish.known;
        }
        return;
    }
    answer(mdns, &wish, message, datagram);
}

void cor_mdns_receive(void *context, const struct cor_udp_datagram *datagram) {
    struct cor_mdns *mdns = context;
    const struct cor_net_config *net = &mdns->net->config;
    struct cor_dns_message message;

    if (mdns->state == COR_MDNS_OFF) {
        return;
    }
    // From this link only (RFC 6762 11).
    bool on_link =
        datagram->to == COR_MDNS_GROUP || ((datagram->address ^ net->address) & net->netmask) == 0;
    if (!on_link || cor_dns_parse(&message, datagram->data, datagram->size_bytes) != COR_OK ||
        (message.header.flags & (COR_DNS_OPCODE | COR_DNS_CODE)) != 0) {
        mdns->counters.drop_message++;
        return;
    }
    if ((message.header.flags & COR_DNS_RESPONSE) == 0) {
        take_query(mdns, &message, datagram);
    } else if (datagram->port == COR_MDNS_PORT) {
        take_response(mdns, &message, datagram->now_us);
    } else {
        mdns->counters.drop_message++;
    }
}
