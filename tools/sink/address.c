// SPDX-License-Identifier: MIT
#include "address.h"

#include "common/units.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *parse_port(const char *text, uint16_t *port) {
    uint64_t value = 0;

    if (units_parse_count(text, &value) != NULL || value > 65535) {
        return "has no good port; give 0 to 65535 (0 takes any free one)";
    }
    *port = (uint16_t)value;
    return NULL;
}

static const char *copy_host(const char *text, size_t length, char host[SINK_HOST_SIZE]) {
    if (length == 0) {
        return NULL;
    }
    if (length >= SINK_HOST_SIZE) {
        return "has too long a host";
    }
    memcpy(host, text, length);
    host[length] = '\0';
    return NULL;
}

const char *sink_address_split(const char *text, char host[SINK_HOST_SIZE], uint16_t *port) {
    const char *colon = strrchr(text, ':');

    if (text[0] == '[') {
        const char *end = strchr(text, ']');

        if (end == NULL || (end[1] != '\0' && end[1] != ':')) {
            return "is no address; IPv6 is written [ADDRESS]:PORT";
        }
        const char *wrong = copy_host(text + 1, (size_t)(end - text - 1), host);
        return wrong != NULL || end[1] == '\0' ? wrong : parse_port(end + 2, port);
    }
    if (colon != NULL && strchr(text, ':') != colon) {
        return copy_host(text, strlen(text), host);  // a bare IPv6 address
    }
    if (colon == NULL) {
        if (strspn(text, "0123456789") == strlen(text)) {
            return parse_port(text, port);
        }
        return copy_host(text, strlen(text), host);
    }
    const char *wrong = copy_host(text, (size_t)(colon - text), host);
    return wrong != NULL ? wrong : parse_port(colon + 1, port);
}

const char *sink_address_find(
    const char *host, uint16_t port, struct sockaddr_storage *address, socklen_t *size) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *list = NULL;
    const char *name = strcmp(host, "*") == 0 ? "0.0.0.0" : host;

    int code = getaddrinfo(name, NULL, &hints, &list);
    if (code != 0 || list == NULL) {
        return code == 0 ? "has no address" : gai_strerror(code);
    }
    const struct addrinfo *best = list;
    while (best != NULL && best->ai_family != AF_INET) {
        best = best->ai_next;
    }
    if (best == NULL) {
        best = list;
    }
    memset(address, 0, sizeof(*address));
    memcpy(address, best->ai_addr, best->ai_addrlen);
    *size = best->ai_addrlen;
    sink_address_set_port(address, port);
    freeaddrinfo(list);
    return NULL;
}

// The views of a socket address; struct sockaddr_storage is made to be seen as either.
static struct sockaddr_in *as_v4(struct sockaddr_storage *address) {
    return (struct sockaddr_in *)address;
}

static struct sockaddr_in6 *as_v6(struct sockaddr_storage *address) {
    return (struct sockaddr_in6 *)address;
}

static struct sockaddr_storage unmapped(const struct sockaddr_storage *address) {
    struct sockaddr_storage plain = *address;

    if (address->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&as_v6(&plain)->sin6_addr)) {
        struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = as_v6(&plain)->sin6_port};

        memcpy(&v4.sin_addr, &as_v6(&plain)->sin6_addr.s6_addr[12], sizeof(v4.sin_addr));
        memset(&plain, 0, sizeof(plain));
        memcpy(&plain, &v4, sizeof(v4));
    }
    return plain;
}

uint16_t sink_address_port(const struct sockaddr_storage *address) {
    struct sockaddr_storage copy = *address;

    return ntohs(address->ss_family == AF_INET6 ? as_v6(&copy)->sin6_port : as_v4(&copy)->sin_port);
}

void sink_address_set_port(struct sockaddr_storage *address, uint16_t port) {
    if (address->ss_family == AF_INET6) {
        as_v6(address)->sin6_port = htons(port);
    } else {
        as_v4(address)->sin_port = htons(port);
    }
}

char *sink_address_host(const struct sockaddr_storage *address, char text[SINK_HOST_SIZE]) {
    struct sockaddr_storage plain = unmapped(address);
    socklen_t size =
        plain.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);

    if (getnameinfo(
            (struct sockaddr *)&plain, size, text, SINK_HOST_SIZE, NULL, 0, NI_NUMERICHOST) != 0) {
        snprintf(text, SINK_HOST_SIZE, "unknown");
    }
    return text;
}

char *sink_address_text(const struct sockaddr_storage *address, char text[SINK_ADDRESS_SIZE]) {
    char host[SINK_HOST_SIZE];
    bool v6 = strchr(sink_address_host(address, host), ':') != NULL;

    snprintf(
        text,
        SINK_ADDRESS_SIZE,
        v6 ? "[%.60s]:%u" : "%.60s:%u",
        host,
        (unsigned)sink_address_port(address));
    return text;
}

bool sink_address_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b) {
    struct sockaddr_storage plain_a = unmapped(a);
    struct sockaddr_storage plain_b = unmapped(b);

    if (plain_a.ss_family != plain_b.ss_family) {
        return false;
    }
    if (plain_a.ss_family == AF_INET6) {
        return memcmp(
                   &as_v6(&plain_a)->sin6_addr,
                   &as_v6(&plain_b)->sin6_addr,
                   sizeof(struct in6_addr)) == 0;
    }
    return as_v4(&plain_a)->sin_addr.s_addr == as_v4(&plain_b)->sin_addr.s_addr;
}

bool sink_address_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b) {
    return sink_address_port(a) == sink_address_port(b) && sink_address_same_host(a, b);
}

bool sink_address_is_loopback(const struct sockaddr_storage *address) {
    struct sockaddr_storage plain = unmapped(address);

    if (plain.ss_family == AF_INET6) {
        return IN6_IS_ADDR_LOOPBACK(&as_v6(&plain)->sin6_addr);
    }
    return (ntohl(as_v4(&plain)->sin_addr.s_addr) >> 24) == 127;
}

bool sink_address_is_any(const struct sockaddr_storage *address) {
    struct sockaddr_storage copy = *address;

    if (copy.ss_family == AF_INET6) {
        return IN6_IS_ADDR_UNSPECIFIED(&as_v6(&copy)->sin6_addr);
    }
    return as_v4(&copy)->sin_addr.s_addr == htonl(INADDR_ANY);
}

// True when the two agree in every bit that the mask has.
static bool masked_equal(const uint8_t *a, const uint8_t *b, const uint8_t *mask, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (((a[i] ^ b[i]) & mask[i]) != 0) {
            return false;
        }
    }
    return true;
}

static bool in_subnet(struct sockaddr_storage *peer, const struct ifaddrs *each) {
    struct sockaddr_storage own = {0};
    struct sockaddr_storage mask = {0};
    bool v6 = peer->ss_family == AF_INET6;
    size_t size = v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);

    if (each->ifa_addr == NULL || each->ifa_netmask == NULL ||
        each->ifa_addr->sa_family != peer->ss_family) {
        return false;
    }
    memcpy(&own, each->ifa_addr, size);
    memcpy(&mask, each->ifa_netmask, size);
    if (v6) {
        return masked_equal(
            as_v6(peer)->sin6_addr.s6_addr,
            as_v6(&own)->sin6_addr.s6_addr,
            as_v6(&mask)->sin6_addr.s6_addr,
            sizeof(struct in6_addr));
    }
    return ((as_v4(peer)->sin_addr.s_addr ^ as_v4(&own)->sin_addr.s_addr) &
            as_v4(&mask)->sin_addr.s_addr) == 0;
}

bool sink_address_is_on_link(const struct sockaddr_storage *address) {
    struct sockaddr_storage peer = unmapped(address);
    struct ifaddrs *list = NULL;
    bool found = false;

    if (getifaddrs(&list) != 0) {
        return true;  // not known, so nothing to warn of
    }
    for (const struct ifaddrs *each = list; each != NULL && !found; each = each->ifa_next) {
        found = in_subnet(&peer, each);
    }
    freeifaddrs(list);
    return found;
}
