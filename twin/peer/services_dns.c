// SPDX-License-Identifier: MIT
// The DNS server. Own decoding, after RFC 1035 4 and RFC 2308 2: it stands for a recursive server
// that knows a list of names.
#include "peer/services.h"
#include "sim/alloc.h"

#include <string.h>
#include <strings.h>

#define HEADER_BYTES 12u
#define TYPE_A       1u
#define TYPE_CNAME   5u
#define TYPE_SOA     6u
#define CLASS_IN     1u
#define TEXT_BYTES   256u
// Aliases the server follows before it thinks that they go round in circles.
#define LINKS_MAX 16u

struct writer {
    uint8_t *data;
    uint32_t used;
};

// The question's name as text; returns where it ends, 0: damaged. Questions have no pointers.
static uint32_t parse_name(const uint8_t *data, uint32_t size_bytes, uint32_t at, char *text) {
    uint32_t used = 0;

    while (at < size_bytes && data[at] != 0) {
        uint32_t label = data[at];
        if (label > 63 || at + 1 + label >= size_bytes || used + label + 2 > TEXT_BYTES) {
            return 0;
        }
        if (used != 0) {
            text[used++] = '.';
        }
        memcpy(text + used, data + at + 1, label);
        used += label;
        at += 1 + label;
    }
    text[used] = '\0';
    return at < size_bytes ? at + 1 : 0;
}

// The names are the script's: one too many is a mistake of the test.
static void put_name(struct writer *writer, const char *text) {
    TWIN_CHECK(writer->used + strlen(text) + 2 + 32 <= SERVICE_BYTES_MAX);
    while (*text != '\0') {
        size_t label = strcspn(text, ".");

        writer->data[writer->used] = (uint8_t)label;
        memcpy(writer->data + writer->used + 1, text, label);
        writer->used += 1 + (uint32_t)label;
        text += label + (text[label] == '.');
    }
    writer->data[writer->used++] = 0;
}

// A record's head; returns where its length stands.
static uint32_t put_record(struct writer *writer, const char *name, uint32_t type, uint32_t ttl_s) {
    put_name(writer, name);
    put16(writer->data + writer->used, type);
    put16(writer->data + writer->used + 2, CLASS_IN);
    put32(writer->data + writer->used + 4, ttl_s);
    writer->used += 10;
    return writer->used - 2;
}

static void end_record(struct writer *writer, uint32_t length_at) {
    put16(writer->data + length_at, writer->used - length_at - 2);
}

static void put_soa(struct writer *writer, uint32_t ttl_s) {
    uint32_t length_at = put_record(writer, "example", TYPE_SOA, ttl_s);

    put_name(writer, "ns.example");
    put_name(writer, "admin.example");
    memset(writer->data + writer->used, 0, 20);
    put32(writer->data + writer->used + 16, ttl_s);
    writer->used += 20;
    end_record(writer, length_at);
}

static const struct twin_dns_host *find(const struct twin_dns_script *script, const char *name) {
    for (uint32_t i = 0; i < script->host_count; i++) {
        if (strcasecmp(script->hosts[i].name, name) == 0) {
            return &script->hosts[i];
        }
    }
    return NULL;
}

static uint32_t put_addresses(struct writer *writer, const struct twin_dns_host *host) {
    for (uint32_t i = 0; i < host->address_count; i++) {
        uint32_t length_at = put_record(writer, host->name, TYPE_A, host->ttl_s);

        put32(writer->data + writer->used, host->addresses[i]);
        writer->used += 4;
        end_record(writer, length_at);
    }
    return host->address_count;
}

// Aliases and addresses of a name; returns how many records. *known: the name exists.
static uint32_t put_answers(
    const struct twin_dns_script *script, struct writer *writer, const char *name, bool *known) {
    const struct twin_dns_host *host = find(script, name);
    uint32_t count = 0;

    *known = host != NULL;
    for (uint32_t links = 0; host != NULL && links < LINKS_MAX; links++) {
        uint32_t length_at;

        if (host->alias == NULL) {
            return count + put_addresses(writer, host);
        }
        if (writer->used > SERVICE_BYTES_MAX / 2) {
            return count;
        }
        length_at = put_record(writer, host->name, TYPE_CNAME, host->ttl_s);
        put_name(writer, host->alias);
        end_record(writer, length_at);
        count++;
        if (script->one_link) {
            return count;
        }
        host = find(script, host->alias);
    }
    return count;
}

// An answer with everything but its records.
static struct parcel *start_answer(
    struct twin_services *services,
    uint32_t ip,
    uint16_t port,
    const uint8_t *data,
    uint32_t question_end) {
    struct parcel *parcel = services_parcel(services);

    parcel->dns = true;
    parcel->ip = ip;
    parcel->port = port;
    memcpy(parcel->data, data, question_end);
    put16(parcel->data + 2, 0x8180);  // a response, recursion wished for and there
    memset(parcel->data + 6, 0, 6);
    parcel->size_bytes = question_end;
    return parcel;
}

static void send_wrong(const struct parcel *parcel, uint64_t delay_ns) {
    struct parcel *wrong = services_parcel(parcel->services);

    wrong->dns = true;
    wrong->ip = parcel->ip;
    wrong->port = parcel->port;
    memcpy(wrong->data, parcel->data, parcel->size_bytes);
    wrong->size_bytes = parcel->size_bytes;
    wrong->data[0] ^= 0xFF;
    wrong->data[wrong->size_bytes - 1] ^= 0xFF;
    services_send(wrong, delay_ns);
}

static void answer(struct twin_services *services, struct parcel *parcel, const char *name) {
    const struct twin_dns_script *script = &services->dns;
    struct writer writer = {parcel->data, parcel->size_bytes};
    bool known;
    uint32_t count = put_answers(script, &writer, name, &known);

    if (script->truncate) {
        writer.used = parcel->size_bytes;
        count = 0;
        put16(parcel->data + 2, 0x8380);
    } else if (count == 0) {
        services->counters.unknown_names += !known;
        put16(parcel->data + 2, known ? 0x8180 : 0x8183);
        if (script->negative_ttl_s != 0) {
            put_soa(&writer, script->negative_ttl_s);
            put16(parcel->data + 8, 1);
        }
    }
    put16(parcel->data + 6, count);
    parcel->size_bytes = writer.used;
    services->counters.answers++;
    if (script->wrong_number) {
        send_wrong(parcel, script->delay_ns);
    }
    services_send(parcel, script->delay_ns);
}

void services_dns_input(
    struct twin_services *services,
    uint32_t ip,
    uint16_t port,
    const uint8_t *data,
    uint32_t size_bytes) {
    struct twin_dns_script *script = &services->dns;
    char name[TEXT_BYTES];
    uint32_t end =
        size_bytes >= HEADER_BYTES ? parse_name(data, size_bytes, HEADER_BYTES, name) : 0;
    struct parcel *parcel;

    if (end == 0 || end + 4 > size_bytes || (data[2] & 0x80) != 0 || get16(data + 4) != 1) {
        services->counters.dns_bad++;
        return;
    }
    services->counters.questions++;
    if (script->lose_first != 0) {
        script->lose_first--;
        services->counters.dns_lost++;
        return;
    }
    parcel = start_answer(services, ip, port, data, end + 4);
    if (script->fail_first != 0 || get16(data + end) != TYPE_A) {
        script->fail_first -= script->fail_first != 0;
        put16(parcel->data + 2, 0x8182);
        services_send(parcel, script->delay_ns);
        return;
    }
    answer(services, parcel, name);
}
