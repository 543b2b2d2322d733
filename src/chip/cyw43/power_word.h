// SPDX-License-Identifier: MIT
// Power-save words of the SDK: 0x00adbrrm, one nibble a letter. m is the mode (PM 0, 1, 2), rr the
// time of silence before sleep in 10 ms, b the wake-up interval in beacons, d in DTIMs, a the
// listen interval told to the access point.
//
// Read from public code: pico-sdk cyw43_driver's documentation of cyw43_wifi_pm() and the fact
// sheet's table: none 0x000010, performance 0xA11142, aggressive 0x000011.
#ifndef CYW43_POWER_WORD_H
#define CYW43_POWER_WORD_H

#include <stdint.h>

#include "coradio/radio.h"

static inline uint32_t cor_pm_word(enum cor_pm pm) {
    switch (pm) {
    case COR_PM_PERFORMANCE:
        return 0xA11142u;
    case COR_PM_AGGRESSIVE:
        return 0x000011u;
    case COR_PM_NONE:
        break;
    }
    return 0x000010u;
}

static inline uint32_t cor_pm_word_mode(uint32_t word) {
    return word & 0xFu;
}

static inline uint32_t cor_pm_word_sleep_ms(uint32_t word) {
    return ((word >> 4) & 0xFFu) * 10u;
}

static inline uint32_t cor_pm_word_beacons(uint32_t word) {
    return (word >> 12) & 0xFu;
}

static inline uint32_t cor_pm_word_dtims(uint32_t word) {
    return (word >> 16) & 0xFu;
}

static inline uint32_t cor_pm_word_associate(uint32_t word) {
    return (word >> 20) & 0xFu;
}

// The word with one of its fields replaced; a value too large for its field becomes the largest.
static inline uint32_t cor_pm_word_with(
    uint32_t word, uint32_t shift, uint32_t bits, uint32_t value) {
    uint32_t mask = (1u << bits) - 1u;

    return (word & ~(mask << shift)) | ((value > mask ? mask : value) << shift);
}

#endif
