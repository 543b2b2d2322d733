// SPDX-License-Identifier: MIT
// Radio: the words that both radios share, whatever chip and bus carry them.
#ifndef CORADIO_RADIO_H
#define CORADIO_RADIO_H

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

enum cor_auth { COR_AUTH_OPEN, COR_AUTH_WPA2 };

// What to join. Both texts end with a NUL and are copied; key is not read with COR_AUTH_OPEN.
struct cor_join {
    const char *ssid;
    const char *key;
    enum cor_auth auth;
};

enum cor_radio_state {
    COR_RADIO_OFF,
    COR_RADIO_STARTING,  // power, bus, firmware, settings
    COR_RADIO_READY,     // up, in no network; the error tells why a join ended here
    COR_RADIO_JOINING,
    COR_RADIO_JOINED,  // frames go both ways
    COR_RADIO_FAILED,  // the error tells why; start() tries again
};

#ifdef __cplusplus
}
#endif

#endif
