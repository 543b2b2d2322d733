// SPDX-License-Identifier: MIT
#include "wire/cyw43_scan.h"

#include <string.h>

#include "coradio/bytes.h"

#define RESULT_HEADER_BYTES 12u
#define BSS_VERSION         109u
#define BSS_BYTES_MIN       124u
#define CAPABILITY_PRIVACY  0x0010u
#define ACTION_START        1u
#define BSS_TYPE_ANY        2u

// Elements and suites (specified: IEEE 802.11 9.4.2.24, tables 9-149 and 9-151; the vendor's of
// WPA, read from public code).
#define ELEMENT_RSN    48u
#define ELEMENT_VENDOR 221u
#define AKM_1X         1u
#define AKM_PSK        2u
#define AKM_1X_SHA256  5u
#define AKM_PSK_SHA256 6u
#define AKM_SAE        8u

enum found { FOUND_WPA = 1, FOUND_PSK = 2, FOUND_SAE = 4, FOUND_1X = 8, FOUND_OTHER = 16 };

void cor_cyw43_scan_emit(uint8_t *at, const struct cor_cyw43_scan_parameters *scan) {
    uint32_t ssid_bytes = 0;

    memset(at, 0, COR_CYW43_SCAN_BYTES);
    while (ssid_bytes < COR_SSID_BYTES_MAX && scan->ssid[ssid_bytes] != '\0') {
        ssid_bytes++;
    }
    cor_put_le32(at, 1);  // version
    cor_put_le16(at + 4, ACTION_START);
    cor_put_le16(at + 6, scan->sync);
    cor_put_le32(at + 8, ssid_bytes);
    memcpy(at + 12, scan->ssid, ssid_bytes);
    memset(at + 44, 0xFF, 6);  // any BSSID
    at[50] = BSS_TYPE_ANY;
    at[51] = scan->passive;
    memset(at + 52, 0xFF, 16);  // probes and times as the firmware likes
    if (scan->channel != 0) {
        cor_put_le32(at + 68, 1);
        cor_put_le16(at + 72, scan->channel);
    }
}

static uint32_t akm_found(uint8_t type) {
    switch (type) {
    case AKM_PSK:
    case AKM_PSK_SHA256:
        return FOUND_PSK;
    case AKM_SAE:
        return FOUND_SAE;
    case AKM_1X:
    case AKM_1X_SHA256:
        return FOUND_1X;
    default:
        return FOUND_OTHER;
    }
}

// The body of an RSN element: version 2, group cipher 4, count and ciphers, count and suites.
static uint32_t rsn_found(const uint8_t *body, uint32_t size_bytes) {
    static const uint8_t oui[] = {0x00, 0x0F, 0xAC};
    uint32_t at = 6;
    uint32_t found = 0;

    if (size_bytes < at + 2) {
        return FOUND_OTHER;
    }
    at += 2u + 4u * cor_get_le16(body + at);
    if (size_bytes < at + 2) {
        return FOUND_OTHER;
    }
    uint32_t count = cor_get_le16(body + at);

    at += 2;
    for (uint32_t i = 0; i < count && size_bytes - at >= 4; i++) {
        found |= memcmp(body + at, oui, sizeof(oui)) == 0 ? akm_found(body[at + 3]) : FOUND_OTHER;
        at += 4;
    }
    return found;
}

static uint32_t elements_found(const uint8_t *elements, uint32_t size_bytes) {
    static const uint8_t wpa[] = {0x00, 0x50, 0xF2, 0x01};
    uint32_t found = 0;
    uint32_t at = 0;

    while (size_bytes - at >= 2 && size_bytes - at - 2 >= elements[at + 1]) {
        const uint8_t *body = elements + at + 2;
        uint32_t body_bytes = elements[at + 1];

        if (elements[at] == ELEMENT_RSN) {
            found |= rsn_found(body, body_bytes);
        } else if (
            elements[at] == ELEMENT_VENDOR && body_bytes >= sizeof(wpa) &&
            memcmp(body, wpa, sizeof(wpa)) == 0) {
            found |= FOUND_WPA;
        }
        at += 2u + body_bytes;
    }
    return found;
}

static enum cor_security security_of(uint32_t found, bool privacy) {
    bool psk = (found & FOUND_PSK) != 0;
    bool sae = (found & FOUND_SAE) != 0;

    if (psk || sae) {
        return psk && sae ? COR_SECURITY_wpa2_wpa3 : psk ? COR_SECURITY_wpa2 : COR_SECURITY_wpa3;
    }
    if ((found & FOUND_1X) != 0) {
        return COR_SECURITY_enterprise;
    }
    if ((found & FOUND_OTHER) != 0) {
        return COR_SECURITY_unknown;
    }
    if ((found & FOUND_WPA) != 0) {
        return COR_SECURITY_wpa;
    }
    return privacy ? COR_SECURITY_wep : COR_SECURITY_open;
}

enum cor_status cor_cyw43_scan_parse(
    const uint8_t *data, uint32_t size_bytes, uint16_t *sync, struct cor_network *network) {
    if (size_bytes < RESULT_HEADER_BYTES + BSS_BYTES_MIN) {
        return COR_E_PROTO;
    }
    const uint8_t *bss = data + RESULT_HEADER_BYTES;
    uint32_t there_bytes = size_bytes - RESULT_HEADER_BYTES;
    uint32_t bss_bytes = cor_get_le32(bss + 4);
    uint32_t elements_at = cor_get_le16(bss + 116);
    uint32_t elements_bytes = cor_get_le32(bss + 120);

    if (cor_get_le32(bss) != BSS_VERSION || bss_bytes > there_bytes || bss_bytes < BSS_BYTES_MIN ||
        bss[18] > COR_SSID_BYTES_MAX || elements_at > bss_bytes ||
        elements_bytes > bss_bytes - elements_at) {
        return COR_E_PROTO;
    }
    memset(network, 0, sizeof(*network));
    *sync = cor_get_le16(data + 8);
    memcpy(network->bssid, bss + 8, sizeof(network->bssid));
    network->ssid_bytes = bss[18];
    memcpy(network->ssid, bss + 19, bss[18]);
    network->rssi_dbm = (int16_t)cor_get_le16(bss + 78);
    network->channel = bss[88] != 0 ? bss[88] : bss[72];
    network->security = security_of(
        elements_found(bss + elements_at, elements_bytes),
        (cor_get_le16(bss + 16) & CAPABILITY_PRIVACY) != 0);
    return COR_OK;
}
