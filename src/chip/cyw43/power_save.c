// SPDX-License-Identifier: MIT
// Power save: the five values of a mode, and what they read back as.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/power_word.h"

#include "coradio/bytes.h"

void cor_cyw43_pm_ask(struct cor_cyw43 *chip) {
    uint32_t word = cor_pm_word(chip->config.pm);
    uint8_t listen = chip->config.listen_beacons;

    if (listen != 0) {
        word = cor_pm_word_with(word, 12, 4, listen);
        word = cor_pm_word_with(word, 16, 4, 0);
        word = cor_pm_word_with(word, 20, 4, listen);
    }
    chip->effective.pm_word_asked = word;
    chip->effective.listen_beacons_asked = listen;
}

uint16_t cor_cyw43_sleep_fill(struct cor_cyw43 *chip, uint8_t *at) {
    cor_put_le32(at, cor_pm_word_sleep_ms(chip->effective.pm_word_asked));
    return 4;
}

uint16_t cor_cyw43_beacons_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint8_t listen = chip->config.listen_beacons;

    cor_put_le32(at, listen != 0 ? listen : cor_pm_word_beacons(chip->effective.pm_word_asked));
    return 4;
}

uint16_t cor_cyw43_dtims_fill(struct cor_cyw43 *chip, uint8_t *at) {
    // 0: as many as beacons (fact sheet 5.6), so that listen_beacons counts beacons.
    uint8_t listen = chip->config.listen_beacons;

    cor_put_le32(at, listen != 0 ? 0 : cor_pm_word_dtims(chip->effective.pm_word_asked));
    return 4;
}

uint16_t cor_cyw43_associate_fill(struct cor_cyw43 *chip, uint8_t *at) {
    uint8_t listen = chip->config.listen_beacons;

    cor_put_le32(at, listen != 0 ? listen : cor_pm_word_associate(chip->effective.pm_word_asked));
    return 4;
}

uint16_t cor_cyw43_pm_fill(struct cor_cyw43 *chip, uint8_t *at) {
    // Awake until the join is done; what is asked for then is set by the join itself.
    bool asleep = chip->state == COR_RADIO_JOINED || chip->join.link_up;

    cor_put_le32(at, asleep ? cor_pm_word_mode(chip->effective.pm_word_asked) : 0);
    return 4;
}

static void pm_field(
    struct cor_cyw43 *chip, uint32_t shift, uint32_t bits, const uint8_t *reply, uint16_t bytes) {
    if (bytes >= 4) {
        chip->effective.pm_word =
            cor_pm_word_with(chip->effective.pm_word, shift, bits, cor_get_le32(reply));
    }
}

enum cor_status cor_cyw43_pm_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    chip->effective.pm_word = 0;
    pm_field(chip, 0, 4, reply, bytes);
    return COR_OK;
}

enum cor_status cor_cyw43_sleep_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    if (bytes >= 4) {
        chip->effective.pm_word =
            cor_pm_word_with(chip->effective.pm_word, 4, 8, cor_get_le32(reply) / 10u);
    }
    return COR_OK;
}

enum cor_status cor_cyw43_beacons_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    if (bytes >= 4) {
        uint32_t beacons = cor_get_le32(reply);

        chip->effective.listen_beacons = beacons > UINT8_MAX ? UINT8_MAX : (uint8_t)beacons;
    }
    pm_field(chip, 12, 4, reply, bytes);
    return COR_OK;
}

enum cor_status cor_cyw43_dtims_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    pm_field(chip, 16, 4, reply, bytes);
    return COR_OK;
}

enum cor_status cor_cyw43_associate_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    pm_field(chip, 20, 4, reply, bytes);
    return COR_OK;
}
