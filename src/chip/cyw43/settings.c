// SPDX-License-Identifier: MIT
// Settings of a start: regulatory data, country, aggregation, events, power save. Each is read
// back; what the chip really has stands in struct cor_cyw43_effective next to what was asked.
//
// The order is read from public code: embassy-rs/embassy cyw43/src/control.rs (init) and the
// iovars of Infineon/wifi-host-driver whd_wlioctl.h.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/requests.h"

#include <string.h>

#include "coradio/bytes.h"

// The regulatory data goes in chunks: "clmload", flags, type, size, checksum (unused), data
// (read from public code: WHD whd_clm.c, embassy cyw43/src/control.rs).
#define CLM_CHUNK_BYTES  512u
#define CLM_HEADER_BYTES 12u
#define CLM_FLAG_VERSION 0x1000u
#define CLM_FLAG_BEGIN   0x0002u
#define CLM_FLAG_END     0x0004u
#define CLM_TYPE         2u

#define COUNTRY_BYTES 12u
// The firmware refuses requests for a while after the country (read from public code: the C
// driver pauses 50 ms, embassy 100 ms).
#define COUNTRY_PAUSE_US 50000u
#define EVENTS_PAUSE_US  50000u
#define UP_PAUSE_US      50000u
// Event mask: bits by event number, for interface 0 (read from public code: embassy events.rs).
#define EVENT_MASK_BYTES  19u
#define EVENT_VALUE_BYTES (4u + EVENT_MASK_BYTES)

static uint16_t clm_fill(struct cor_cyw43 *chip, uint8_t *at) {
    const struct cor_span *clm = &chip->config.clm;
    uint32_t left_bytes = clm->size_bytes - chip->clm_offset;
    uint32_t bytes = left_bytes < CLM_CHUNK_BYTES ? left_bytes : CLM_CHUNK_BYTES;
    uint32_t flags = CLM_FLAG_VERSION;

    flags |= chip->clm_offset == 0 ? CLM_FLAG_BEGIN : 0;
    flags |= bytes == left_bytes ? CLM_FLAG_END : 0;
    cor_put_le16(at, (uint16_t)flags);
    cor_put_le16(at + 2, CLM_TYPE);
    cor_put_le32(at + 4, bytes);
    cor_put_le32(at + 8, 0);
    memcpy(at + CLM_HEADER_BYTES, clm->data + chip->clm_offset, bytes);
    return (uint16_t)(CLM_HEADER_BYTES + bytes);
}

static enum cor_status clm_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    (void)reply;
    (void)reply_bytes;
    chip->clm_offset += CLM_CHUNK_BYTES;
    return chip->clm_offset < chip->config.clm.size_bytes ? COR_AGAIN : COR_OK;
}

static enum cor_status clm_status_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    (void)chip;
    return reply_bytes >= 4 && cor_get_le32(reply) == 0 ? COR_OK : COR_E_FIRMWARE;
}

static uint16_t country_fill(struct cor_cyw43 *chip, uint8_t *at) {
    // Abbreviation, revision -1 (the firmware's own), code.
    memset(at, 0, COUNTRY_BYTES);
    memcpy(at, chip->config.country, 2);
    cor_put_le32(at + 4, UINT32_MAX);
    memcpy(at + 8, chip->config.country, 2);
    return COUNTRY_BYTES;
}

static enum cor_status country_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    if (reply_bytes < COUNTRY_BYTES) {
        return COR_OK;
    }
    memcpy(chip->effective.country, reply + 8, 2);
    chip->effective.country[2] = '\0';
    if (memcmp(chip->effective.country, chip->config.country, 2) != 0) {
        chip->counters.settings_differ++;
    }
    return COR_OK;
}

static enum cor_status address_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    static const uint8_t none[6] = {0};

    // A group address, or none, is no address of a station.
    if (reply_bytes < sizeof(chip->address) || (reply[0] & 1u) != 0 ||
        memcmp(reply, none, sizeof(none)) == 0) {
        return COR_E_PROTO;
    }
    memcpy(chip->address, reply, sizeof(chip->address));
    return COR_OK;
}

// A setting of one number reads back.
static enum cor_status number_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes, uint32_t asked) {
    if (reply_bytes < 4 || cor_get_le32(reply) != asked) {
        chip->counters.settings_differ++;
    }
    return COR_OK;
}

static uint8_t byte_of(const uint8_t *reply, uint16_t reply_bytes) {
    uint32_t value = reply_bytes >= 4 ? cor_get_le32(reply) : 0;

    return value > UINT8_MAX ? UINT8_MAX : (uint8_t)value;
}

static enum cor_status glom_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    chip->effective.txglom = byte_of(reply, reply_bytes);
    return number_take(chip, reply, reply_bytes, 0);
}

static uint16_t window_fill(struct cor_cyw43 *chip, uint8_t *at) {
    cor_put_le32(at, chip->effective.ampdu_window_asked);
    return 4;
}

static enum cor_status window_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    chip->effective.ampdu_window = byte_of(reply, reply_bytes);
    return number_take(chip, reply, reply_bytes, chip->effective.ampdu_window_asked);
}

static uint16_t mpdu_fill(struct cor_cyw43 *chip, uint8_t *at) {
    cor_put_le32(at, chip->effective.ampdu_mpdu_asked);
    return 4;
}

static enum cor_status mpdu_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    chip->effective.ampdu_mpdu = byte_of(reply, reply_bytes);
    return number_take(chip, reply, reply_bytes, chip->effective.ampdu_mpdu_asked);
}

static uint16_t events_fill(struct cor_cyw43 *chip, uint8_t *at) {
    static const uint8_t wanted[] = {
        COR_CYW43_EVENT_SET_SSID,
        COR_CYW43_EVENT_JOIN,
        COR_CYW43_EVENT_AUTH,
        COR_CYW43_EVENT_DEAUTH,
        COR_CYW43_EVENT_DEAUTH_IND,
        COR_CYW43_EVENT_ASSOC,
        COR_CYW43_EVENT_DISASSOC,
        COR_CYW43_EVENT_DISASSOC_IND,
        COR_CYW43_EVENT_LINK,
        COR_CYW43_EVENT_BEACONS_LOST,
        COR_CYW43_EVENT_ESCAN_RESULT,
        COR_CYW43_EVENT_PRUNE,
        COR_CYW43_EVENT_PSK_SUP,
    };

    (void)chip;
    memset(at, 0, EVENT_VALUE_BYTES);
    for (uint32_t i = 0; i < sizeof(wanted); i++) {
        at[4 + wanted[i] / 8u] |= (uint8_t)(1u << (wanted[i] % 8u));
    }
    return EVENT_VALUE_BYTES;
}

static uint16_t interface_fill(struct cor_cyw43 *chip, uint8_t *at) {
    (void)chip;
    memset(at, 0, EVENT_VALUE_BYTES);
    return EVENT_VALUE_BYTES;
}

static enum cor_status events_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    uint8_t asked[EVENT_VALUE_BYTES];

    (void)events_fill(chip, asked);  // its size is known
    // The reply to a variable of an interface is the value alone; some firmware keeps the index.
    chip->effective.event_mask_ok =
        reply_bytes >= EVENT_VALUE_BYTES && (memcmp(reply, asked + 4, EVENT_MASK_BYTES) == 0 ||
                                             memcmp(reply, asked, EVENT_VALUE_BYTES) == 0);
    if (!chip->effective.event_mask_ok) {
        chip->counters.settings_differ++;
    }
    return COR_OK;
}

// An address of the application's own; SKIP where it has none.
static enum cor_status address_default(struct cor_cyw43 *chip) {
    static const uint8_t none[6] = {0};

    return memcmp(chip->config.address, none, sizeof(none)) == 0 ? COR_OK : COR_AGAIN;
}

static uint16_t address_fill(struct cor_cyw43 *chip, uint8_t *at) {
    memcpy(at, chip->config.address, sizeof(chip->config.address));
    return sizeof(chip->config.address);
}

static enum cor_status rx_factor_default(struct cor_cyw43 *chip) {
    return chip->config.ampdu_rx_factor == 0 ? COR_OK : COR_AGAIN;
}

static uint16_t rx_factor_fill(struct cor_cyw43 *chip, uint8_t *at) {
    cor_put_le32(at, chip->config.ampdu_rx_factor - 1u);
    return 4;
}

static enum cor_status rx_factor_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    chip->effective.ampdu_rx_factor = byte_of(reply, reply_bytes);
    return number_take(chip, reply, reply_bytes, chip->config.ampdu_rx_factor - 1u);
}

static enum cor_status settings_done(struct cor_cyw43 *chip) {
    cor_cyw43_recovered(chip);
    return COR_OK;
}

const struct cor_cyw43_step cor_cyw43_settings_steps[] = {
    {.kind = CYW43_STEP_CONTROL,
     .set = true,
     .command = WLC_SET_VAR,
     .name = "clmload",
     .fill = clm_fill,
     .take = clm_take,
     .failure = COR_E_FIRMWARE},
    GET("clmload_status", 4, clm_status_take),
    SET("bus:txglom", 4, 0),
    TRY_GET("bus:txglom", 4, glom_take),
    TRY_SET("apsta", 4, 1),
    BRANCH(address_default, 1),
    SET_FILL("cur_etheraddr", address_fill),
    GET("cur_etheraddr", 6, address_take),
    SET_FILL("country", country_fill),
    PAUSE(COUNTRY_PAUSE_US),
    TRY_GET("country", COUNTRY_BYTES, country_take),
    COMMAND(WLC_SET_ANTDIV, 4, 0),
    TRY_SET_FILL("ampdu_ba_wsize", window_fill),
    TRY_GET("ampdu_ba_wsize", 4, window_take),
    TRY_SET_FILL("ampdu_mpdu", mpdu_fill),
    TRY_GET("ampdu_mpdu", 4, mpdu_take),
    BRANCH(rx_factor_default, 2),
    TRY_SET_FILL("ampdu_rx_factor", rx_factor_fill),
    TRY_GET("ampdu_rx_factor", 4, rx_factor_take),
    SET_FILL("bsscfg:event_msgs", events_fill),
    PAUSE(EVENTS_PAUSE_US),
    {.kind = CYW43_STEP_CONTROL,
     .command = WLC_GET_VAR,
     .name = "bsscfg:event_msgs",
     .fill = interface_fill,
     .take = events_take},
    COMMAND(WLC_UP, 0, 0),
    PAUSE(UP_PAUSE_US),
    TRY_SET_FILL("pm2_sleep_ret", cor_cyw43_sleep_fill),
    TRY_SET_FILL("bcn_li_bcn", cor_cyw43_beacons_fill),
    TRY_SET_FILL("bcn_li_dtim", cor_cyw43_dtims_fill),
    TRY_SET_FILL("assoc_listen", cor_cyw43_associate_fill),
    // Power save waits until the join is done.
    COMMAND(WLC_SET_PM, 4, 0),
    COMMAND(WLC_SET_GMODE, 4, 1),
    COMMAND(WLC_SET_BAND, 4, 0),
    CALL(settings_done, 0, COR_E_STATE),
    END,
};
