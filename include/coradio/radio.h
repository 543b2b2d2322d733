// SPDX-License-Identifier: MIT
// Radio: the words that both radios share, whatever chip and bus carry them.
#ifndef CORADIO_RADIO_H
#define CORADIO_RADIO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// An SSID has at most 32 bytes; a WPA2 passphrase 8 to 63 characters, a raw key 64 hex digits
// (specified: IEEE 802.11 9.4.2.2 and annex J.4).
#define COR_SSID_BYTES_MAX 32
#define COR_KEY_BYTES_MIN  8
#define COR_KEY_BYTES_MAX  64

// How the radio sleeps. Performance sleeps after 200 ms of silence and wakes for every beacon
// with news; aggressive sleeps whenever nothing is going on.
enum cor_pm { COR_PM_NONE, COR_PM_PERFORMANCE, COR_PM_AGGRESSIVE };

// How the network proves the key. WPA2_WPA3 takes what the network offers, WPA3 first; where the
// chip's firmware has no WPA3 it takes WPA2.
enum cor_auth { COR_AUTH_OPEN, COR_AUTH_WPA2, COR_AUTH_WPA3, COR_AUTH_WPA2_WPA3 };

// What to join. Both texts end with a NUL and are copied; key is not read with COR_AUTH_OPEN.
struct cor_join {
    const char *ssid;  // also that of a network that hides it
    const char *key;
    enum cor_auth auth;
    const uint8_t *bssid;  // the one access point that will do, 6 bytes; NULL: the strongest
    uint8_t channel;       // with bssid: look there only; 0: everywhere
    // Goes on wanting this network: joins again, with growing pauses, when it is not there yet or
    // the link is lost, until leave(), stop() or another join().
    bool keep;
};

enum cor_radio_state {
    COR_RADIO_OFF,
    COR_RADIO_STARTING,  // power, bus, firmware, settings
    COR_RADIO_READY,     // up, in no network; the error tells why a join ended here
    COR_RADIO_JOINING,
    COR_RADIO_JOINED,      // frames go both ways
    COR_RADIO_FAILED,      // the error tells why; start() tries again
    COR_RADIO_WAITING,     // joins again in a while; the error tells why it has to
    COR_RADIO_RECOVERING,  // the chip is started anew by itself; the error tells why
};

// Why the link went down.
// name, text
// clang-format off
#define COR_LINK_CAUSES(X)                                             \
    X(none,           "it did not")                                    \
    X(asked,          "this side left or switched off")                \
    X(deauthenticated, "the access point ended the authentication")    \
    X(disassociated,  "the access point ended the association")        \
    X(beacons_lost,   "the access point is not heard any more")        \
    X(silent,         "the access point has forgotten this station")   \
    X(keys,           "the keys were not renewed")                     \
    X(chip,           "the chip is started anew")
// clang-format on

enum cor_link_cause {
#define X(name, text) COR_LINK_CAUSE_##name,
    COR_LINK_CAUSES(X)
#undef X
        COR_LINK_CAUSE_COUNT,
};

// How a network that was heard protects itself.
// name, text
// clang-format off
#define COR_SECURITIES(X)                                                   \
    X(open,       "none")                                                   \
    X(wep,        "WEP, broken long ago; not supported")                    \
    X(wpa,        "WPA with TKIP; not supported")                           \
    X(wpa2,       "WPA2, pre-shared key")                                   \
    X(wpa3,       "WPA3, SAE")                                              \
    X(wpa2_wpa3,  "WPA2 or WPA3")                                           \
    X(enterprise, "802.1X: a name and a server; not supported")             \
    X(unknown,    "something else; not supported")
// clang-format on

enum cor_security {
#define X(name, text) COR_SECURITY_##name,
    COR_SECURITIES(X)
#undef X
        COR_SECURITY_COUNT,
};

// A network that was heard.
struct cor_network {
    char ssid[COR_SSID_BYTES_MAX + 1];  // empty where it hides its name
    uint8_t ssid_bytes;                 // a name may hold NULs
    uint8_t bssid[6];
    uint8_t channel;
    int16_t rssi_dbm;
    enum cor_security security;
};

// "deauthenticated", ...; "wpa2", ...
const char *cor_link_cause_name(enum cor_link_cause cause);
const char *cor_security_name(enum cor_security security);

#ifdef __cplusplus
}
#endif

#endif
