// SPDX-License-Identifier: MIT
#include "losses.h"

#include <stdbool.h>

#include "coradio/bytes.h"
#include "coradio/datagram.h"

// *specified*: IEEE 802.3, 3.2; RFC 791, 3.1; RFC 768.
#define ETHERNET_BYTES     14u
#define ETHERNET_TYPE_AT   12u
#define ETHERNET_TYPE_IPV4 0x0800u
#define IPV4_BYTES_MIN     20u
#define IPV4_PROTOCOL_AT   9u
#define IPV4_PROTOCOL_UDP  17u
#define UDP_BYTES          8u

static bool has_payload(const struct twin_frame *frame) {
    const uint8_t *ip = frame->data + ETHERNET_BYTES;
    struct cor_datagram datagram;
    uint32_t headers_bytes;

    if (frame->size_bytes < ETHERNET_BYTES + IPV4_BYTES_MIN ||
        cor_get_be16(frame->data + ETHERNET_TYPE_AT) != ETHERNET_TYPE_IPV4 ||
        ip[IPV4_PROTOCOL_AT] != IPV4_PROTOCOL_UDP) {
        return false;
    }
    headers_bytes = ETHERNET_BYTES + 4u * (ip[0] & 0xFu) + UDP_BYTES;
    if (frame->size_bytes < headers_bytes) {
        return false;
    }
    return cor_datagram_parse(
               &datagram, frame->data + headers_bytes, frame->size_bytes - headers_bytes) &&
           !datagram.last;
}

static void count(void *context, const struct twin_frame *frame) {
    uint64_t *place = context;

    if (has_payload(frame)) {
        (*place)++;
    }
}

struct twin_loss losses_on_air(struct losses *losses) {
    return (struct twin_loss){.lost = count, .context = &losses->air};
}

struct twin_loss losses_at_access_point(struct losses *losses) {
    return (struct twin_loss){.lost = count, .context = &losses->access_point};
}

struct twin_loss losses_on_path(struct losses *losses) {
    return (struct twin_loss){.lost = count, .context = &losses->path};
}
