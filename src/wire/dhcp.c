// SPDX-License-Identifier: MIT
#include "wire/dhcp.h"

#include <string.h>

#include "coradio/assert.h"
#include "coradio/bytes.h"

// Offsets, specified (RFC 2131 2).
enum {
    OP = 0,
    HARDWARE_TYPE = 1,
    HARDWARE_BYTES = 2,
    XID = 4,
    SECS = 8,
    CLIENT_ADDRESS = 12,
    YOUR_ADDRESS = 16,
    HARDWARE_ADDRESS = 28,
    SERVER_NAME = 44,
    FILE_NAME = 108,
    MAGIC = 236,
};

#define SERVER_NAME_BYTES 64
#define FILE_NAME_BYTES   128

// Values of op, hardware type Ethernet and its length, specified (RFC 2131 2).
enum { BOOT_REQUEST = 1, BOOT_REPLY = 2, ETHERNET = 1, MAC_BYTES = 6 };

static const uint8_t magic[4] = {99, 130, 83, 99};  // specified (RFC 2131 3)

// Options, specified (RFC 2132; 61 with RFC 4361).
enum {
    PAD = 0,
    NETMASK = 1,
    ROUTER = 3,
    DNS_SERVER = 6,
    HOST_NAME = 12,
    DOMAIN_NAME = 15,
    BROADCAST = 28,
    NTP_SERVER = 42,
    REQUESTED_ADDRESS = 50,
    LEASE_TIME = 51,
    OVERLOAD = 52,
    MESSAGE_TYPE = 53,
    SERVER = 54,
    PARAMETERS = 55,
    SIZE_MAX_BYTES = 57,
    RENEW_TIME = 58,
    REBIND_TIME = 59,
    CLIENT_ID = 61,
    END = 255,
};

// Bits of option 52, specified (RFC 2132 9.3).
enum { OVERLOAD_FILE = 1, OVERLOAD_SERVER_NAME = 2 };

// What is asked for in option 55; each of them is used or handed to the application.
static const uint8_t parameters[] = {
    NETMASK,
    ROUTER,
    DNS_SERVER,
    DOMAIN_NAME,
    BROADCAST,
    NTP_SERVER,
    LEASE_TIME,
    RENEW_TIME,
    REBIND_TIME,
};

// The largest message taken: one frame of 1500 bytes. Option 57 counts from the IP header
// (RFC 2132 9.10 with RFC 2131 2).
#define TAKEN_BYTES_MAX 1500

// --- Parse ---

struct option {
    uint8_t code;
    uint8_t size_bytes;
    const uint8_t *value;
};

static void read_u32(struct cor_dhcp_reply *reply, const struct option *option, uint32_t *value) {
    if (option->size_bytes == 4) {
        *value = cor_get_be32(option->value);
    } else {
        reply->ignored++;
    }
}

// Adds to the list, so that a list parted over several options comes together.
static void read_list(
    struct cor_dhcp_reply *reply, const struct option *option, uint32_t *list, uint8_t *count) {
    if (option->size_bytes == 0 || option->size_bytes % 4 != 0) {
        reply->ignored++;
        return;
    }
    for (uint32_t at = 0; at < option->size_bytes && *count < COR_DHCP_LIST_MAX; at += 4) {
        list[(*count)++] = cor_get_be32(option->value + at);
    }
}

static void read_span(const struct option *option, struct cor_span *span) {
    span->data = option->value;
    span->size_bytes = option->size_bytes;
}

static void read_type(struct cor_dhcp_reply *reply, const struct option *option) {
    if (option->size_bytes == 1) {
        reply->type = option->value[0];
    } else {
        reply->ignored++;
    }
}

static void read_option(struct cor_dhcp_reply *reply, const struct option *option) {
    switch (option->code) {
    case NETMASK:
        read_u32(reply, option, &reply->netmask);
        break;
    case ROUTER:
        read_list(reply, option, reply->routers, &reply->router_count);
        break;
    case DNS_SERVER:
        read_list(reply, option, reply->dns, &reply->dns_count);
        break;
    case NTP_SERVER:
        read_list(reply, option, reply->ntp, &reply->ntp_count);
        break;
    case DOMAIN_NAME:
        read_span(option, &reply->domain);
        break;
    case LEASE_TIME:
        read_u32(reply, option, &reply->lease_s);
        reply->lease_given |= option->size_bytes == 4;
        break;
    case RENEW_TIME:
        read_u32(reply, option, &reply->renew_s);
        break;
    case REBIND_TIME:
        read_u32(reply, option, &reply->rebind_s);
        break;
    case MESSAGE_TYPE:
        read_type(reply, option);
        break;
    case SERVER:
        read_u32(reply, option, &reply->server);
        break;
    case CLIENT_ID:
        read_span(option, &reply->client_id);
        break;
    default:
        break;
    }
}

// Reads one field of options. overload is NULL for the fields that overload has opened.
static bool parse_field(
    struct cor_dhcp_reply *reply, const uint8_t *at, uint32_t left, uint8_t *overload) {
    while (left > 0 && at[0] != END) {
        uint32_t used = 1;

        if (at[0] != PAD) {
            if (left < 2 || at[1] > left - 2) {
                return false;
            }
            struct option option = {.code = at[0], .size_bytes = at[1], .value = at + 2};

            used = 2U + option.size_bytes;
            if (option.code == OVERLOAD && option.size_bytes == 1 && overload != NULL) {
                *overload = option.value[0];
            } else {
                read_option(reply, &option);
            }
        }
        at += used;
        left -= used;
    }
    return true;
}

static bool is_reply(const uint8_t *data, uint32_t size_bytes) {
    return size_bytes >= COR_DHCP_FIXED_BYTES && data[OP] == BOOT_REPLY &&
           data[HARDWARE_TYPE] == ETHERNET && data[HARDWARE_BYTES] == MAC_BYTES &&
           memcmp(data + MAGIC, magic, sizeof(magic)) == 0;
}

enum cor_status cor_dhcp_parse(
    struct cor_dhcp_reply *reply, const uint8_t *data, uint32_t size_bytes) {
    uint8_t overload = 0;

    memset(reply, 0, sizeof(*reply));
    if (!is_reply(data, size_bytes)) {
        return COR_E_PROTO;
    }
    reply->xid = cor_get_be32(data + XID);
    reply->address = cor_get_be32(data + YOUR_ADDRESS);
    memcpy(reply->mac, data + HARDWARE_ADDRESS, MAC_BYTES);
    if (!parse_field(
            reply, data + COR_DHCP_FIXED_BYTES, size_bytes - COR_DHCP_FIXED_BYTES, &overload)) {
        return COR_E_PROTO;
    }
    // In this order, specified (RFC 2131 4.1).
    if ((overload & OVERLOAD_FILE) != 0 &&
        !parse_field(reply, data + FILE_NAME, FILE_NAME_BYTES, NULL)) {
        return COR_E_PROTO;
    }
    if ((overload & OVERLOAD_SERVER_NAME) != 0 &&
        !parse_field(reply, data + SERVER_NAME, SERVER_NAME_BYTES, NULL)) {
        return COR_E_PROTO;
    }
    return reply->type != 0 ? COR_OK : COR_E_PROTO;
}

// --- Emit ---

static uint8_t *put_u32(uint8_t *at, uint8_t code, uint32_t value) {
    if (value == 0) {
        return at;
    }
    at[0] = code;
    at[1] = 4;
    cor_put_be32(at + 2, value);
    return at + 6;
}

static uint8_t *put_bytes(uint8_t *at, uint8_t code, const uint8_t *value, uint32_t size_bytes) {
    if (size_bytes == 0) {
        return at;
    }
    at[0] = code;
    at[1] = (uint8_t)size_bytes;
    memcpy(at + 2, value, size_bytes);
    return at + 2 + size_bytes;
}

void cor_dhcp_client_id(const uint8_t mac[6], uint32_t identity, uint8_t *at) {
    at[0] = 255;
    cor_put_be32(at + 1, identity);
    cor_put_be16(at + 5, 3);  // DUID-LL
    cor_put_be16(at + 7, ETHERNET);
    memcpy(at + 9, mac, MAC_BYTES);
}

// Which messages carry which options: RFC 2131 table 5.
static uint8_t *put_wishes(uint8_t *at) {
    uint8_t size[2];

    cor_put_be16(size, TAKEN_BYTES_MAX);
    at = put_bytes(at, SIZE_MAX_BYTES, size, sizeof(size));
    return put_bytes(at, PARAMETERS, parameters, sizeof(parameters));
}

uint32_t cor_dhcp_emit(const struct cor_dhcp_request *request, uint8_t *start) {
    uint8_t client_id[COR_DHCP_CLIENT_ID_BYTES];
    bool wishes = request->type == COR_DHCP_DISCOVER || request->type == COR_DHCP_REQUEST;
    uint8_t *at = start + COR_DHCP_FIXED_BYTES;

    COR_ASSERT(request->host_name.size_bytes <= COR_DHCP_HOST_NAME_BYTES_MAX);
    memset(start, 0, COR_DHCP_MESSAGE_BYTES_MIN);
    start[OP] = BOOT_REQUEST;
    start[HARDWARE_TYPE] = ETHERNET;
    start[HARDWARE_BYTES] = MAC_BYTES;
    cor_put_be32(start + XID, request->xid);
    cor_put_be16(start + SECS, request->secs);
    cor_put_be32(start + CLIENT_ADDRESS, request->client_address);
    memcpy(start + HARDWARE_ADDRESS, request->mac, MAC_BYTES);
    memcpy(start + MAGIC, magic, sizeof(magic));
    at = put_bytes(at, MESSAGE_TYPE, &request->type, 1);
    cor_dhcp_client_id(request->mac, request->identity, client_id);
    at = put_bytes(at, CLIENT_ID, client_id, sizeof(client_id));
    at = put_u32(at, REQUESTED_ADDRESS, request->requested);
    at = put_u32(at, SERVER, request->server);
    if (wishes) {
        at = put_wishes(at);
        at = put_bytes(at, HOST_NAME, request->host_name.data, request->host_name.size_bytes);
    }
    *at++ = END;
    uint32_t size_bytes = (uint32_t)(at - start);
    return size_bytes > COR_DHCP_MESSAGE_BYTES_MIN ? size_bytes : COR_DHCP_MESSAGE_BYTES_MIN;
}
