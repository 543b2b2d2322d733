// SPDX-License-Identifier: MIT
// The messages of the mDNS responder. Names are shortened by pointers to where they, or their ends,
// stand already.
#include "net/mdns_parts.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"

// Places in a message where a name starts and that a pointer may go to.
#define PLACES_MAX 24

const uint8_t cor_mdns_services[] = "\x09_services\x07_dns-sd\x04_udp\x05local";

struct writer {
    const struct cor_mdns *mdns;
    const struct cor_mdns_out *out;
    uint8_t *data;
    uint32_t used;
    uint32_t place_count;
    uint16_t places[PLACES_MAX];
};

static void put16(struct writer *writer, uint32_t value) {
    COR_ASSERT(writer->used + 2 <= COR_MDNS_ROOM_BYTES);
    cor_put_be16(writer->data + writer->used, (uint16_t)value);
    writer->used += 2;
}

static void put_bytes(struct writer *writer, const uint8_t *bytes, uint32_t size) {
    COR_ASSERT(writer->used + size <= COR_MDNS_ROOM_BYTES);
    if (size != 0) {
        memcpy(writer->data + writer->used, bytes, size);
        writer->used += size;
    }
}

// Where this name, or the end of one, stands already; 0: nowhere.
static uint16_t place_of(const struct writer *writer, const uint8_t *name) {
    struct cor_dns_message message = {.data = writer->data, .size_bytes = writer->used};

    for (uint32_t i = 0; i < writer->place_count; i++) {
        if (cor_dns_name_is(&message, writer->places[i], name)) {
            return writer->places[i];
        }
    }
    return 0;
}

static void put_name(struct writer *writer, const uint8_t *name) {
    for (; name[0] != 0; name += 1U + name[0]) {
        uint16_t place = place_of(writer, name);

        if (place != 0) {
            put16(writer, 0xC000U | place);
            return;
        }
        if (writer->place_count < PLACES_MAX) {
            writer->places[writer->place_count++] = (uint16_t)writer->used;
        }
        put_bytes(writer, name, 1U + name[0]);
    }
    put_bytes(writer, name, 1);
}

static void put_question(
    struct writer *writer, const uint8_t *name, uint16_t type, uint16_t class) {
    put_name(writer, name);
    put16(writer, type);
    put16(writer, class);
}

uint32_t cor_mdns_ttl_s(uint8_t record) {
    bool host = (record & (COR_MDNS_A | COR_MDNS_SRV | COR_MDNS_NSEC_HOST)) != 0;

    return host ? COR_MDNS_HOST_TTL_S : COR_MDNS_OTHER_TTL_S;
}

uint32_t cor_mdns_data(const struct cor_mdns *mdns, uint8_t record, uint8_t *at) {
    const struct cor_mdns_config *config = &mdns->config;
    uint32_t size;

    switch (record) {
    case COR_MDNS_A:
        cor_put_be32(at, mdns->address);
        return 4;
    case COR_MDNS_SRV:
        // Priority and weight 0 (RFC 2782).
        memset(at, 0, 4);
        cor_put_be16(at + 4, config->port);
        size = cor_dns_name_bytes(mdns->host);
        memcpy(at + 6, mdns->host, size);
        return 6 + size;
    default:
        // Nothing to say is one empty text (RFC 6763 6.1).
        at[0] = 0;
        if (config->txt_bytes != 0) {
            memcpy(at, config->txt, config->txt_bytes);
        }
        return config->txt_bytes != 0 ? config->txt_bytes : 1;
    }
}

static void put_data(struct writer *writer, uint8_t record) {
    const struct cor_mdns *mdns = writer->mdns;
    // Window 0 with the bits of type 1; of types 16 and 33 (RFC 4034 4.1.2).
    static const uint8_t only_a[] = {0, 1, 0x40};
    static const uint8_t txt_srv[] = {0, 5, 0x00, 0x00, 0x80, 0x00, 0x40};
    uint8_t data[COR_MDNS_TXT_BYTES_MAX];
    uint32_t size;

    switch (record) {
    case COR_MDNS_PTR:
        put_name(writer, mdns->instance);
        break;
    case COR_MDNS_TYPES:
        put_name(writer, mdns->type);
        break;
    case COR_MDNS_NSEC_HOST:
        put_name(writer, mdns->host);
        put_bytes(writer, only_a, sizeof(only_a));
        break;
    case COR_MDNS_NSEC_SERVICE:
        put_name(writer, mdns->instance);
        put_bytes(writer, txt_srv, sizeof(txt_srv));
        break;
    case COR_MDNS_SRV:
        (void)cor_mdns_data(mdns, record, data);
        put_bytes(writer, data, 6);
        put_name(writer, mdns->host);
        break;
    default:
        size = cor_mdns_data(mdns, record, data);
        put_bytes(writer, data, size);
        break;
    }
}

struct shape {
    const uint8_t *name;
    uint16_t type;
    bool unique;
};

static struct shape shape_of(const struct cor_mdns *mdns, uint8_t record) {
    switch (record) {
    case COR_MDNS_A:
        return (struct shape){mdns->host, COR_DNS_A, true};
    case COR_MDNS_PTR:
        return (struct shape){mdns->type, COR_DNS_PTR, false};
    case COR_MDNS_SRV:
        return (struct shape){mdns->instance, COR_DNS_SRV, true};
    case COR_MDNS_TXT:
        return (struct shape){mdns->instance, COR_DNS_TXT, true};
    case COR_MDNS_TYPES:
        return (struct shape){cor_mdns_services, COR_DNS_PTR, false};
    case COR_MDNS_NSEC_HOST:
        return (struct shape){mdns->host, COR_DNS_NSEC, true};
    default:
        return (struct shape){mdns->instance, COR_DNS_NSEC, true};
    }
}

static void put_record(struct writer *writer, uint8_t record) {
    const struct cor_mdns_out *out = writer->out;
    struct shape shape = shape_of(writer->mdns, record);
    // A proposal of a probe, and what goes to a resolver of old, has no flag (RFC 6762 8.2, 6.7).
    bool flag = out != NULL && !out->legacy && shape.unique;
    uint32_t ttl_s = cor_mdns_ttl_s(record);

    if (out != NULL && out->legacy && ttl_s > COR_MDNS_LEGACY_TTL_S) {
        ttl_s = COR_MDNS_LEGACY_TTL_S;
    }
    if (out != NULL && out->goodbye) {
        ttl_s = 0;
    }
    put_question(
        writer, shape.name, shape.type, (uint16_t)(COR_DNS_IN | (flag ? COR_DNS_CLASS_FLAG : 0)));
    put16(writer, ttl_s >> 16);
    put16(writer, ttl_s & 0xFFFF);
    put16(writer, 0);
    uint32_t start = writer->used;
    put_data(writer, record);
    cor_put_be16(writer->data + start - 2, (uint16_t)(writer->used - start));
}

static uint16_t put_records(struct writer *writer, uint8_t records) {
    uint16_t count = 0;

    for (uint32_t i = 0; i < COR_MDNS_RECORDS; i++) {
        uint8_t record = (uint8_t)(1U << i);

        if ((records & record) != 0) {
            put_record(writer, record);
            count++;
        }
    }
    return count;
}

uint32_t cor_mdns_emit_response(
    const struct cor_mdns *mdns, const struct cor_mdns_out *out, uint8_t *at) {
    struct writer writer = {.mdns = mdns, .out = out, .data = at, .used = COR_DNS_HEADER_BYTES};
    struct cor_dns_header header = {.flags = COR_DNS_RESPONSE | COR_DNS_AUTHORITATIVE};

    if (out->legacy) {
        header.id = out->id;
        header.question_count = 1;
        put_question(&writer, out->question, out->question_type, COR_DNS_IN);
    }
    header.answer_count = put_records(&writer, out->answers);
    header.additional_count = put_records(&writer, out->more & (uint8_t)~out->answers);
    cor_dns_header_emit(&header, at);
    return writer.used;
}

uint32_t cor_mdns_emit_probe(const struct cor_mdns *mdns, uint8_t *at) {
    struct writer writer = {.mdns = mdns, .data = at, .used = COR_DNS_HEADER_BYTES};
    struct cor_dns_header header = {.question_count = 1};
    uint8_t records = COR_MDNS_A;

    // An answer by unicast is welcome (RFC 6762 8.1).
    put_question(&writer, mdns->host, COR_DNS_ANY, COR_DNS_IN | COR_DNS_CLASS_FLAG);
    if (cor_mdns_has_service(mdns)) {
        put_question(&writer, mdns->instance, COR_DNS_ANY, COR_DNS_IN | COR_DNS_CLASS_FLAG);
        header.question_count = 2;
        records |= COR_MDNS_SRV | COR_MDNS_TXT;
    }
    header.authority_count = put_records(&writer, records);
    cor_dns_header_emit(&header, at);
    return writer.used;
}
