// SPDX-License-Identifier: MIT
#include "wire/cyw43_event.h"

#include <string.h>

#include "coradio/bytes.h"

// Read from public code: embassy cyw43/src/structs.rs (EventHeader), brcmfmac fweh.h.
#define ETHER_TYPE_LINK_CONTROL 0x886Cu
#define SUBTYPE_VENDOR          0x8001u
#define USER_SUBTYPE_EVENT      1u

enum event_offset {
    AT_ETHER_TYPE = 12,
    AT_SUBTYPE = 14,
    AT_OUI = 19,
    AT_USER_SUBTYPE = 22,
    AT_FLAGS = 26,
    AT_TYPE = 28,
    AT_STATUS = 32,
    AT_REASON = 36,
    AT_AUTH_TYPE = 40,
    AT_DATA_SIZE = 44,
    AT_ADDRESS = 48,
    AT_INTERFACE = 70,
};

enum cor_status cor_cyw43_event_parse(
    const uint8_t *frame, uint32_t size_bytes, struct cor_cyw43_event *event) {
    static const uint8_t oui[3] = {0x00, 0x10, 0x18};

    if (size_bytes < COR_CYW43_EVENT_BYTES ||
        cor_get_be16(frame + AT_ETHER_TYPE) != ETHER_TYPE_LINK_CONTROL ||
        cor_get_be16(frame + AT_SUBTYPE) != SUBTYPE_VENDOR ||
        memcmp(frame + AT_OUI, oui, sizeof(oui)) != 0 ||
        cor_get_be16(frame + AT_USER_SUBTYPE) != USER_SUBTYPE_EVENT) {
        return COR_E_PROTO;
    }
    uint32_t data_bytes = cor_get_be32(frame + AT_DATA_SIZE);

    if (data_bytes > size_bytes - COR_CYW43_EVENT_BYTES) {
        return COR_E_PROTO;
    }
    event->flags = cor_get_be16(frame + AT_FLAGS);
    event->type = cor_get_be32(frame + AT_TYPE);
    event->status = cor_get_be32(frame + AT_STATUS);
    event->reason = cor_get_be32(frame + AT_REASON);
    event->auth_type = cor_get_be32(frame + AT_AUTH_TYPE);
    event->interface = frame[AT_INTERFACE];
    memcpy(event->address, frame + AT_ADDRESS, sizeof(event->address));
    event->data = (struct cor_span){frame + COR_CYW43_EVENT_BYTES, data_bytes};
    return COR_OK;
}
