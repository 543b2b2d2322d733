// SPDX-License-Identifier: MIT
// CYW43 events: what the firmware tells of the radio, in an Ethernet frame of Broadcom's own type.
//
//     0    6    12      14    16    18 19   22    24   26     28    32      36      40    44    48
//     dst  src  0x886C  0x8001 len  0  OUI  0x0001 ver flags  type  status  reason  auth  size addr
//     54 interface name   70 interface   71 BSS   72 data
//
// Fields are big-endian. Read from public code: embassy-rs/embassy cyw43/src/structs.rs and
// events.rs, Linux brcmfmac fweh.h.
#ifndef WIRE_CYW43_EVENT_H
#define WIRE_CYW43_EVENT_H

#include <stdint.h>

#include "coradio/span.h"
#include "coradio/status.h"

#define COR_CYW43_EVENT_BYTES 72

enum cor_cyw43_event_type {
    COR_CYW43_EVENT_SET_SSID = 0,
    COR_CYW43_EVENT_JOIN = 1,
    COR_CYW43_EVENT_AUTH = 3,
    COR_CYW43_EVENT_DEAUTH = 5,
    COR_CYW43_EVENT_DEAUTH_IND = 6,
    COR_CYW43_EVENT_ASSOC = 7,
    COR_CYW43_EVENT_DISASSOC = 11,
    COR_CYW43_EVENT_DISASSOC_IND = 12,
    COR_CYW43_EVENT_LINK = 16,
    COR_CYW43_EVENT_ROAM = 19,
    COR_CYW43_EVENT_PRUNE = 23,
    COR_CYW43_EVENT_BEACONS_LOST = 31,
    COR_CYW43_EVENT_RADIO = 40,
    COR_CYW43_EVENT_PROBREQ = 44,
    COR_CYW43_EVENT_PSK_SUP = 46,
    COR_CYW43_EVENT_IF = 54,
    COR_CYW43_EVENT_ESCAN_RESULT = 69,
    COR_CYW43_EVENT_PROBRESP = 71,
};

enum cor_cyw43_event_status {
    COR_CYW43_EVENT_OK = 0,
    COR_CYW43_EVENT_FAIL = 1,
    COR_CYW43_EVENT_TIMED_OUT = 2,
    COR_CYW43_EVENT_NO_NETWORKS = 3,
    COR_CYW43_EVENT_ABORTED = 4,
    COR_CYW43_EVENT_NO_ACK = 5,
    COR_CYW43_EVENT_UNSOLICITED = 6,
    COR_CYW43_EVENT_PARTIAL = 8,
};

// LINK: the link is up.
#define COR_CYW43_EVENT_FLAG_LINK 0x0001u
// LINK down: the access point is not heard any more.
#define COR_CYW43_LINK_LOST_SIGNAL 1u
// AUTH: by SAE.
#define COR_CYW43_AUTH_SAE 3u
// PSK_SUP: status is a state of the key exchange; this one is its good end.
#define COR_CYW43_SUP_KEYED 6u
// PSK_SUP reasons: deauthenticated in mid exchange, exchange timed out.
#define COR_CYW43_SUP_DEAUTH  14u
#define COR_CYW43_SUP_TIMEOUT 15u

struct cor_cyw43_event {
    uint32_t type;
    uint32_t status;
    uint32_t reason;
    uint32_t auth_type;
    uint16_t flags;
    uint8_t interface;
    uint8_t address[6];
    struct cor_span data;  // inside the frame
};

// COR_E_PROTO: too short, another Ethernet type, another vendor, or data beyond the end.
COR_MUST_CHECK enum cor_status cor_cyw43_event_parse(
    const uint8_t *frame, uint32_t size_bytes, struct cor_cyw43_event *event);

#endif
