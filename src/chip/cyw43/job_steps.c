// SPDX-License-Identifier: MIT
// Job steps: the scripts of what can be asked for while the chip is up, and what comes back.
#include "chip/cyw43/driver.h"
#include "chip/cyw43/requests.h"

#include <string.h>

#include "coradio/bytes.h"

#define GROUPS_BYTES (4u + 6u * COR_CYW43_GROUPS_MAX)
// GET_PKTCNTS: good and bad, received and sent, and one more.
#define PKTCNTS_BYTES 20u
// "counters": u16 version, u16 length, then u32 each; these two by their place (read from public
// code: WHD whd_wlioctl.h). UNSURE: whether every firmware keeps the order.
#define COUNTERS_BYTES      (4u + 4u * 38u)
#define COUNTERS_TX_RETRIES 2u
#define COUNTERS_RX_NO_ROOM 19u
#define RATE_UNIT_BPS       500000u
// How long monitor mode is on when it is probed; public reports tell of some 16 frames, then
// silence.
#define RAW_US 500000u

// Looks in a row that found nothing acknowledged.
#define LIVENESS_BAD_MAX 2u
// Read from public code: WHD whd_wlioctl.h, BCME_NOTASSOCIATED.
#define CHIP_STATUS_NOT_ASSOCIATED (-17)

// ---- power save

const struct cor_cyw43_step cor_cyw43_pm_steps[] = {
    TRY_SET_FILL("pm2_sleep_ret", cor_cyw43_sleep_fill),
    TRY_SET_FILL("bcn_li_bcn", cor_cyw43_beacons_fill),
    TRY_SET_FILL("bcn_li_dtim", cor_cyw43_dtims_fill),
    TRY_SET_FILL("assoc_listen", cor_cyw43_associate_fill),
    {.kind = CYW43_STEP_CONTROL, .set = true, .command = WLC_SET_PM, .fill = cor_cyw43_pm_fill},
    TRY_GET_NUMBER(WLC_GET_PM, 4, cor_cyw43_pm_take),
    TRY_GET("pm2_sleep_ret", 4, cor_cyw43_sleep_take),
    TRY_GET("bcn_li_bcn", 4, cor_cyw43_beacons_take),
    TRY_GET("bcn_li_dtim", 4, cor_cyw43_dtims_take),
    TRY_GET("assoc_listen", 4, cor_cyw43_associate_take),
    END,
};

// ---- multicast

static uint16_t groups_fill(struct cor_cyw43 *chip, uint8_t *at) {
    const struct cor_cyw43_kept *kept = &chip->kept;

    memset(at, 0, GROUPS_BYTES);
    cor_put_le32(at, kept->group_count);
    memcpy(at + 4, kept->groups, (size_t)6 * kept->group_count);
    return GROUPS_BYTES;
}

static uint16_t groups_room(struct cor_cyw43 *chip, uint8_t *at) {
    (void)chip;
    memset(at, 0, GROUPS_BYTES);
    return GROUPS_BYTES;
}

static enum cor_status groups_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    const struct cor_cyw43_kept *kept = &chip->kept;
    uint32_t count = reply_bytes >= GROUPS_BYTES ? cor_get_le32(reply) : UINT32_MAX;
    bool same = count == kept->group_count &&
                memcmp(reply + 4, kept->groups, (size_t)6 * kept->group_count) == 0;

    chip->effective.multicast = count <= COR_CYW43_GROUPS_MAX ? (uint8_t)count : 0;
    chip->groups_differ = !same;
    chip->counters.settings_differ += !same;
    return COR_OK;
}

// A filter that is not what was asked for must not hold anything back.
static uint16_t all_fill(struct cor_cyw43 *chip, uint8_t *at) {
    cor_put_le32(at, chip->kept.groups_all || chip->groups_differ);
    return 4;
}

static enum cor_status all_take(
    struct cor_cyw43 *chip, const uint8_t *reply, uint16_t reply_bytes) {
    bool asked = chip->kept.groups_all || chip->groups_differ;

    chip->effective.multicast_all = reply_bytes >= 4 && cor_get_le32(reply) != 0;
    chip->counters.settings_differ += chip->effective.multicast_all != asked;
    return COR_OK;
}

static enum cor_status groups_begin(struct cor_cyw43 *chip) {
    chip->groups_differ = true;  // until it is read back
    return COR_OK;
}

// All groups first where they are wanted, so that none is missed in between.
const struct cor_cyw43_step cor_cyw43_groups_steps[] = {
    CALL(groups_begin, 0, COR_E_STATE),
    TRY_SET_FILL("mcast_list", groups_fill),
    {.kind = CYW43_STEP_CONTROL,
     .command = WLC_GET_VAR,
     .name = "mcast_list",
     .fill = groups_room,
     .take = groups_take},
    TRY_SET_FILL("allmulti", all_fill),
    TRY_GET("allmulti", 4, all_take),
    END,
};

// ---- pins

static uint16_t gpio_fill(struct cor_cyw43 *chip, uint8_t *at) {
    cor_put_le32(at, chip->kept.gpio_mask);
    cor_put_le32(at + 4, chip->kept.gpio_levels);
    return 8;
}

const struct cor_cyw43_step cor_cyw43_gpio_steps[] = {
    TRY_SET_FILL("gpioout", gpio_fill),
    END,
};

// ---- measure

static enum cor_status rssi_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    chip->link.rssi_dbm = bytes >= 4 ? (int16_t)(int32_t)cor_get_le32(reply) : 0;
    return COR_OK;
}

static enum cor_status rate_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    uint32_t units = bytes >= 4 ? cor_get_le32(reply) : 0;

    chip->link.rate_bps = units < UINT16_MAX / 8u ? units * RATE_UNIT_BPS : 0;
    return COR_OK;
}

static enum cor_status channel_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    chip->link.channel = bytes >= 4 ? reply[0] : 0;
    return COR_OK;
}

static enum cor_status bssid_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    if (bytes >= sizeof(chip->link.bssid)) {
        memcpy(chip->link.bssid, reply, sizeof(chip->link.bssid));
    }
    return COR_OK;
}

static enum cor_status packets_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    if (bytes >= PKTCNTS_BYTES) {
        chip->link.rx_good = cor_get_le32(reply);
        chip->link.rx_bad = cor_get_le32(reply + 4);
        chip->link.tx_good = cor_get_le32(reply + 8);
        chip->link.tx_bad = cor_get_le32(reply + 12);
    }
    return COR_OK;
}

static enum cor_status counters_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    uint32_t there = bytes >= 4 ? cor_get_le16(reply + 2) : 0;

    if (there > 4u + 4u * COUNTERS_RX_NO_ROOM && bytes > 4u + 4u * COUNTERS_RX_NO_ROOM + 3u) {
        chip->link.counters_valid = true;
        chip->link.tx_retries = cor_get_le32(reply + 4 + 4u * COUNTERS_TX_RETRIES);
        chip->link.rx_no_buffer = cor_get_le32(reply + 4 + 4u * COUNTERS_RX_NO_ROOM);
    }
    return COR_OK;
}

static enum cor_status measure_begin(struct cor_cyw43 *chip) {
    memset(&chip->link, 0, sizeof(chip->link));
    return COR_OK;
}

static enum cor_status measure_done(struct cor_cyw43 *chip) {
    chip->link.valid = true;
    return COR_OK;
}

const struct cor_cyw43_step cor_cyw43_measure_steps[] = {
    CALL(measure_begin, 0, COR_E_STATE),
    TRY_GET_NUMBER(WLC_GET_RSSI, 4, rssi_take),
    TRY_GET_NUMBER(WLC_GET_RATE, 4, rate_take),
    TRY_GET_NUMBER(WLC_GET_CHANNEL, 12, channel_take),
    TRY_GET_NUMBER(WLC_GET_BSSID, 6, bssid_take),
    TRY_GET_NUMBER(WLC_GET_PKTCNTS, PKTCNTS_BYTES, packets_take),
    TRY_GET("counters", COUNTERS_BYTES - 9u, counters_take),
    CALL(measure_done, 0, COR_E_STATE),
    END,
};

// ---- liveness

// The chip is in no network any more, and its event was lost. A busy chip, or one that does not
// know the question, says nothing about it.
static enum cor_status still_there(struct cor_cyw43 *chip) {
    if (chip->control.chip_status == CHIP_STATUS_NOT_ASSOCIATED) {
        cor_cyw43_link_lost(chip, COR_LINK_CAUSE_silent, 0);
    }
    return COR_OK;
}

// Frames go out and none is acknowledged: the access point has forgotten this station, or is gone.
static enum cor_status traffic_take(struct cor_cyw43 *chip, const uint8_t *reply, uint16_t bytes) {
    struct cor_cyw43_joining *join = &chip->join;

    if (bytes < PKTCNTS_BYTES) {
        return COR_OK;
    }
    uint32_t good = cor_get_le32(reply + 8);
    uint32_t bad = cor_get_le32(reply + 12);
    bool dead = join->counted && good == join->tx_good && bad != join->tx_bad;

    join->bad_checks = dead ? (uint8_t)(join->bad_checks + 1u) : 0;
    join->counted = true;
    join->tx_good = good;
    join->tx_bad = bad;
    return COR_OK;
}

static enum cor_status traffic_judge(struct cor_cyw43 *chip) {
    if (chip->join.bad_checks >= LIVENESS_BAD_MAX) {
        cor_cyw43_link_lost(chip, COR_LINK_CAUSE_silent, 0);
    }
    return COR_OK;
}

const struct cor_cyw43_step cor_cyw43_liveness_steps[] = {
    TRY_GET_NUMBER(WLC_GET_BSSID, 6, bssid_take),
    CALL(still_there, 0, COR_E_STATE),
    TRY_GET_NUMBER(WLC_GET_PKTCNTS, PKTCNTS_BYTES, traffic_take),
    CALL(traffic_judge, 0, COR_E_STATE),
    END,
};

// ---- raw frames

static enum cor_status raw_refused(struct cor_cyw43 *chip) {
    chip->raw_before = chip->counters.rx_not_joined;
    if (chip->control.chip_status == 0) {
        return COR_AGAIN;
    }
    chip->effective.raw = COR_CYW43_RAW_refused;
    return COR_OK;
}

// Frames that came while it was on; the end shows whether the chip has survived it.
static enum cor_status raw_count(struct cor_cyw43 *chip) {
    bool any = chip->counters.rx_not_joined != chip->raw_before;

    chip->effective.raw = any ? COR_CYW43_RAW_works : COR_CYW43_RAW_silent;
    return COR_OK;
}

const struct cor_cyw43_step cor_cyw43_raw_steps[] = {
    TRY_COMMAND(WLC_SET_MONITOR, 4, 1),
    BRANCH(raw_refused, 3),
    PAUSE(RAW_US),
    TRY_COMMAND(WLC_SET_MONITOR, 4, 0),
    CALL(raw_count, 0, COR_E_STATE),
    END,
};
