// SPDX-License-Identifier: MIT
// The DHCP server. Own decoding, after RFC 2131 2 and 4.3, RFC 2132 and RFC 6842: it stands for the
// server of an access point, with one address for each client that asks.
#include "peer/services.h"

#include <string.h>

// Where things stand in a message, specified (RFC 2131 2).
enum {
    AT_XID = 4,
    AT_FLAGS = 10,
    AT_CIADDR = 12,
    AT_YIADDR = 16,
    AT_SIADDR = 20,
    AT_CHADDR = 28,
    AT_SNAME = 44,
    AT_FILE = 108,
    AT_MAGIC = 236,
    AT_OPTIONS = 240,
};

#define SNAME_BYTES 64u
#define FILE_BYTES  128u
#define MAGIC       0x63825363u  // specified (RFC 2131 3)
#define FLAG_TO_ALL 0x8000u

// Message types, specified (RFC 2132 9.6).
enum { DISCOVER = 1, OFFER, REQUEST, DECLINE, ACK, NAK, RELEASE };

struct request {
    const uint8_t *data;
    uint8_t type;
    uint32_t wanted;  // option 50
    uint32_t server;  // option 54
    const uint8_t *client_id;
    uint8_t client_id_bytes;
};

// ---- what the client says

static bool parse_options(struct request *request, const uint8_t *at, const uint8_t *end) {
    while (at < end && *at != 255) {
        if (*at == 0) {
            at++;
            continue;
        }
        if (end - at < 2 || end - at < 2 + at[1]) {
            return false;
        }
        if (at[0] == 53 && at[1] == 1) {
            request->type = at[2];
        } else if (at[0] == 50 && at[1] == 4) {
            request->wanted = get32(at + 2);
        } else if (at[0] == 54 && at[1] == 4) {
            request->server = get32(at + 2);
        } else if (at[0] == 61) {
            request->client_id = at + 2;
            request->client_id_bytes = at[1];
        }
        at += 2 + at[1];
    }
    // A client's message ends with the end mark (RFC 2131 4.1).
    return at < end && request->type != 0;
}

static bool parse(struct request *request, const uint8_t *data, uint32_t size_bytes) {
    memset(request, 0, sizeof(*request));
    request->data = data;
    return size_bytes > AT_OPTIONS && data[0] == 1 && data[1] == 1 && data[2] == 6 &&
           get32(data + AT_MAGIC) == MAGIC &&
           parse_options(request, data + AT_OPTIONS, data + size_bytes);
}

// ---- who has which address

static uint32_t take_address(struct twin_services *services) {
    uint32_t index = services->next_address++;

    return services->dhcp.first +
           (services->dhcp.count != 0 ? index % services->dhcp.count : index);
}

// The client's entry, made at the first question; NULL: the table is full.
static struct client *client_of(struct twin_services *services, const struct request *request) {
    struct client *client;

    for (uint32_t i = 0; i < services->client_count; i++) {
        client = &services->clients[i];
        if (memcmp(client->address, request->data + AT_CHADDR, 6) == 0) {
            return client;
        }
    }
    if (services->client_count == CLIENTS_MAX) {
        return NULL;
    }
    client = &services->clients[services->client_count++];
    memcpy(client->address, request->data + AT_CHADDR, 6);
    client->ip = take_address(services);
    return client;
}

// ---- what the server says

// Options to be written, in a row.
struct options {
    uint8_t bytes[512];
    uint32_t used;
    uint32_t starts[24];
    uint32_t count;
};

static void add(struct options *options, uint8_t code, const void *value, uint8_t size_bytes) {
    options->starts[options->count++] = options->used;
    options->bytes[options->used] = code;
    options->bytes[options->used + 1] = size_bytes;
    memcpy(options->bytes + options->used + 2, value, size_bytes);
    options->used += 2u + size_bytes;
}

static void add32(struct options *options, uint8_t code, uint32_t value) {
    uint8_t bytes[4];

    put32(bytes, value);
    add(options, code, bytes, sizeof(bytes));
}

static void add_lease(struct options *options, const struct twin_dhcp_script *script) {
    uint8_t dns[8];
    uint8_t dns_bytes = 0;

    add32(options, 51, script->lease_s);
    if (script->renew_s != 0) {
        add32(options, 58, script->renew_s);
    }
    if (script->rebind_s != 0) {
        add32(options, 59, script->rebind_s);
    }
    add32(options, 1, script->netmask);
    if (script->gateway != 0) {
        add32(options, 3, script->gateway);
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (script->dns[i] != 0) {
            put32(dns + dns_bytes, script->dns[i]);
            dns_bytes = (uint8_t)(dns_bytes + 4);
        }
    }
    if (dns_bytes != 0) {
        add(options, 6, dns, dns_bytes);
    }
    if (script->ntp != 0) {
        add32(options, 42, script->ntp);
    }
    if (script->domain != NULL) {
        add(options, 15, script->domain, (uint8_t)strlen(script->domain));
    }
}

// Copies one option; returns where the next one goes.
static uint8_t *copy_option(const struct options *options, uint32_t index, uint8_t *at) {
    const uint8_t *option = options->bytes + options->starts[index];

    memcpy(at, option, 2u + option[1]);
    return at + 2 + option[1];
}

// Writes the options as the script says; returns the length of the message.
static uint32_t place(const struct options *options, enum twin_dhcp_order order, uint8_t *data) {
    uint8_t *main = data + AT_OPTIONS;
    uint8_t *file = data + AT_FILE;
    uint8_t *sname = data + AT_SNAME;

    if (order == TWIN_DHCP_OVERLOAD) {
        // As much as fits into file, then into sname; never the message type in the main field.
        memcpy(main, "\x34\x01\x03", 3);
        main += 3;
    }
    for (uint32_t i = 0; i < options->count; i++) {
        uint32_t index = order == TWIN_DHCP_USUAL ? i : options->count - 1 - i;
        uint32_t size = 2u + options->bytes[options->starts[index] + 1];

        if (order == TWIN_DHCP_OVERLOAD && file + size < data + AT_FILE + FILE_BYTES) {
            file = copy_option(options, index, file);
        } else if (order == TWIN_DHCP_OVERLOAD && sname + size < data + AT_SNAME + SNAME_BYTES) {
            sname = copy_option(options, index, sname);
        } else {
            main = copy_option(options, index, main);
        }
    }
    if (order == TWIN_DHCP_OVERLOAD) {
        *file = 255;
        *sname = 255;
    }
    *main++ = 255;
    uint32_t size_bytes = (uint32_t)(main - data);
    return size_bytes > 300 ? size_bytes : 300;  // RFC 1542 2.1
}

static void address_parcel(
    struct parcel *parcel, const struct request *request, uint8_t type, uint32_t ip) {
    const struct twin_dhcp_script *script = &parcel->services->dhcp;
    uint32_t ciaddr = get32(request->data + AT_CIADDR);
    bool asked = (get16(request->data + AT_FLAGS) & FLAG_TO_ALL) != 0;
    bool to_all = script->form == TWIN_DHCP_TO_ALL ||
                  (script->form == TWIN_DHCP_AS_ASKED && asked) || type == NAK;

    if (ciaddr != 0 && type != NAK) {
        to_all = false;
        ip = ciaddr;
    }
    memset(parcel->frame_to, 0xFF, 6);
    if (!to_all) {
        memcpy(parcel->frame_to, request->data + AT_CHADDR, 6);
    }
    parcel->ip =
        to_all || (script->form == TWIN_DHCP_FRAME_TO_ONE && ciaddr == 0) ? UINT32_MAX : ip;
}

static void say(
    struct twin_services *services, const struct request *request, uint8_t type, uint32_t ip) {
    const struct twin_dhcp_script *script = &services->dhcp;
    struct parcel *parcel = services_parcel(services);
    struct options options = {.used = 0};
    uint8_t *data = parcel->data;

    data[0] = 2;
    data[1] = 1;
    data[2] = 6;
    memcpy(data + AT_XID, request->data + AT_XID, 4);
    memcpy(data + AT_FLAGS, request->data + AT_FLAGS, 2);
    memcpy(data + AT_CHADDR, request->data + AT_CHADDR, 16);
    put32(data + AT_MAGIC, MAGIC);
    add(&options, 53, &type, 1);
    add32(&options, 54, services->peer.ip);
    if (type != NAK) {
        put32(data + AT_YIADDR, ip);
        put32(data + AT_SIADDR, services->peer.ip);
        add_lease(&options, script);
    }
    if (request->client_id != NULL && !script->no_client_id) {
        add(&options, 61, request->client_id, request->client_id_bytes);
    }
    parcel->size_bytes = place(&options, script->order, data);
    address_parcel(parcel, request, type, ip);
    if (script->wrong_transaction) {
        struct parcel *wrong = services_parcel(services);

        memcpy(wrong->data, data, parcel->size_bytes);
        wrong->data[AT_XID] ^= 0xFF;
        wrong->size_bytes = parcel->size_bytes;
        memcpy(wrong->frame_to, parcel->frame_to, 6);
        wrong->ip = parcel->ip;
        services_send(wrong, script->delay_ns);
    }
    services_send(parcel, script->delay_ns);
    services->counters.offers += type == OFFER;
    services->counters.acks += type == ACK;
    services->counters.naks += type == NAK;
}

// RFC 2131 4.3.2: for an offer, for an address of earlier, or for more time.
static void take_request(
    struct twin_services *services, const struct request *request, const struct client *client) {
    uint32_t ciaddr = get32(request->data + AT_CIADDR);
    uint32_t wanted = request->wanted != 0 ? request->wanted : ciaddr;

    if (request->server != 0 && request->server != services->peer.ip) {
        return;  // the client has chosen another server
    }
    if (services->dhcp.refuse_first != 0) {
        services->dhcp.refuse_first--;
        say(services, request, NAK, 0);
    } else {
        say(services, request, wanted == client->ip ? ACK : NAK, wanted);
    }
}

static bool is_lost(struct twin_services *services) {
    if (services->dhcp.lose_first == 0) {
        return false;
    }
    services->dhcp.lose_first--;
    services->counters.dhcp_lost++;
    return true;
}

void services_dhcp_input(struct twin_services *services, const uint8_t *data, uint32_t size_bytes) {
    struct request request;
    struct client *client;

    if (!parse(&request, data, size_bytes)) {
        services->counters.dhcp_bad++;
        return;
    }
    client = client_of(services, &request);
    if (client == NULL) {
        return;
    }
    switch (request.type) {
    case DISCOVER:
        services->counters.discovers++;
        if (!is_lost(services)) {
            say(services, &request, OFFER, client->ip);
        }
        break;
    case REQUEST:
        services->counters.requests++;
        if (!is_lost(services)) {
            take_request(services, &request, client);
        }
        break;
    case DECLINE:
        // Somebody has it: another one, next time.
        services->counters.declines++;
        client->ip = take_address(services);
        break;
    case RELEASE:
        services->counters.releases++;
        break;
    default:
        services->counters.dhcp_bad++;
        break;
    }
}
