// SPDX-License-Identifier: MIT
// Iovar: variables by name. The request's buffer is the name, a NUL, and the value; with the prefix
// "bsscfg:" the value starts with the index of the interface.
#include "cyw43/parts.h"

#include <string.h>

#define COUNTERS_VERSION 10u  // UNSURE: of the stock firmware
#define COUNTERS_FIELDS  38u

struct target {
    struct twin_cyw43 *chip;
    uint32_t index;  // interface, 0 or 1
    const uint8_t *value;
    uint32_t size_bytes;
    struct request *request;
};

struct iovar {
    const char *name;
    int32_t (*get)(struct target *target);
    int32_t (*set)(struct target *target);
    // Without functions: a number that is held.
    uint8_t slot;
    int32_t lowest;
    int32_t highest;
};

static int32_t give(struct target *target, const void *value, uint32_t size_bytes) {
    if (target->request->size_bytes < size_bytes) {
        return BCME_SHORT;
    }
    memcpy(target->request->buffer, value, size_bytes);
    return 0;
}

static int32_t give32(struct target *target, uint32_t value) {
    uint8_t bytes[4];

    put32(bytes, value);
    return give(target, bytes, sizeof(bytes));
}

static int32_t refuse(struct target *target) {
    (void)target;
    return BCME_UNSUPPORTED;
}

// Taken and kept nowhere: nothing here depends on it.
static int32_t accept(struct target *target) {
    (void)target;
    return 0;
}

// ---- texts and blobs

static int32_t get_ver(struct target *target) {
    static const char text[] = "wl0: coradio twin, a simulated CYW43439, FWID 01-00000000\n";

    return give(target, text, sizeof(text));
}

static int32_t get_clmver(struct target *target) {
    static const char text[] = "API: 12.2 Data: coradio-synthetic";

    return give(target, text, sizeof(text));
}

static int32_t set_clmload(struct target *target) {
    return twin_cyw43_clm_input(target->chip, target->value, target->size_bytes);
}

static int32_t get_clmload_status(struct target *target) {
    return give32(target, target->chip->clm.status);
}

static int32_t get_country(struct target *target) {
    return give(target, target->chip->country, 12);
}

static int32_t set_country(struct target *target) {
    uint32_t size_bytes = target->size_bytes;

    if (size_bytes < 4) {
        return BCME_BAD_ARGUMENT;
    }
    if (size_bytes > sizeof(target->chip->country)) {
        size_bytes = sizeof(target->chip->country);
    }
    memcpy(target->chip->country, target->value, size_bytes);
    return 0;
}

// ---- addresses

static int32_t get_address(struct target *target) {
    return give(target, target->chip->address, 6);
}

static int32_t set_address(struct target *target) {
    if (target->chip->up) {
        return BCME_NOT_DOWN;
    }
    if (target->size_bytes < 6 || (target->value[0] & 1u) != 0) {
        return BCME_BAD_ARGUMENT;
    }
    memcpy(target->chip->address, target->value, 6);
    twin_cyw43_set_address(target->chip);
    return 0;
}

static int32_t get_mcast_list(struct target *target) {
    uint32_t size_bytes = target->request->size_bytes;

    if (size_bytes > sizeof(target->chip->mcast_list)) {
        size_bytes = sizeof(target->chip->mcast_list);
    }
    return give(target, target->chip->mcast_list, size_bytes);
}

static int32_t set_mcast_list(struct target *target) {
    uint8_t *list = target->chip->mcast_list;
    uint32_t count = target->size_bytes >= 4 ? get32(target->value) : UINT32_MAX;

    if (count > MCAST_MAX) {
        return BCME_RANGE;
    }
    if (target->size_bytes < 4 + 6 * count) {
        return BCME_SHORT;
    }
    memset(list, 0, sizeof(target->chip->mcast_list));
    memcpy(list, target->value, 4 + 6 * count);
    return 0;
}

// ---- events, scan, join

static int32_t get_event_msgs(struct target *target) {
    uint8_t *mask = target->chip->events.mask;
    uint32_t size_bytes = target->request->size_bytes;

    return give(target, mask, size_bytes < EVENT_MASK_BYTES ? size_bytes : EVENT_MASK_BYTES);
}

// There is one mask for all interfaces. Read from public code: cyw43-driver leaves the index of
// "bsscfg:event_msgs" as it was in its buffer, half of it from an earlier reply, and works.
static int32_t set_event_msgs(struct target *target) {
    uint8_t *mask = target->chip->events.mask;
    uint32_t size_bytes =
        target->size_bytes < EVENT_MASK_BYTES ? target->size_bytes : EVENT_MASK_BYTES;

    memset(mask, 0, EVENT_MASK_BYTES);
    memcpy(mask, target->value, size_bytes);
    return 0;
}

static int32_t set_escan(struct target *target) {
    return twin_cyw43_scan(target->chip, target->value, target->size_bytes);
}

// u16 length, text.
static int32_t set_sae_password(struct target *target) {
    struct join *join = &target->chip->join;
    uint32_t length = target->size_bytes >= 2 ? get16(target->value) : UINT32_MAX;

    if (length > SAE_PASSWORD_BYTES_MAX || target->size_bytes < 2 + length) {
        return BCME_BAD_ARGUMENT;
    }
    if (target->index == 0) {
        memset(join->sae_key, 0, sizeof(join->sae_key));
        memcpy(join->sae_key, target->value + 2, length);
        join->sae_key_set = length != 0;
    }
    return 0;
}

// u32 length, 32 bytes of name, scan parameters of 20 bytes, BSSID, pad 2, channel count, channels.
static int32_t set_join(struct target *target) {
    uint32_t length = target->size_bytes >= 36 ? get32(target->value) : 0;

    if (!target->chip->up) {
        return BCME_NOT_UP;
    }
    if (length == 0 || length > 32) {
        return BCME_BAD_ARGUMENT;
    }
    twin_cyw43_join(
        target->chip,
        target->value + 4,
        length,
        target->size_bytes >= 62 ? target->value + 56 : NULL);
    return 0;
}

// ---- power save, aggregation

static int32_t hold(
    struct target *target, enum iovar_slot slot, uint32_t lowest, uint32_t highest) {
    uint32_t value = target->size_bytes >= 4 ? get32(target->value) : 0;

    if (target->size_bytes < 4) {
        return BCME_SHORT;
    }
    if (value < lowest || value > highest) {
        return BCME_RANGE;
    }
    target->chip->iovars[slot][target->index] = value;
    return 0;
}

// The station's aggregate is limited by both numbers, as far as they are set.
void twin_cyw43_apply_aggregation(struct twin_cyw43 *chip) {
    uint32_t window = chip->iovars[IOVAR_AMPDU_BA_WSIZE][0];
    uint32_t mpdus = chip->iovars[IOVAR_AMPDU_MPDU][0];
    uint32_t least = AMPDU_DEFAULT;

    if (window != 0 || mpdus != 0) {
        least = window == 0 || (mpdus != 0 && mpdus < window) ? mpdus : window;
    }
    if (chip->mac != NULL) {
        twin_mac_set_ampdu(chip->mac, (uint8_t)least);
        twin_mac_set_ampdu_receive_bytes(
            chip->mac, (0x2000u << chip->iovars[IOVAR_AMPDU_RX_FACTOR][0]) - 1u);
    }
}

static int32_t set_ba_wsize(struct target *target) {
    int32_t status = hold(target, IOVAR_AMPDU_BA_WSIZE, 1, AMPDU_WINDOW_MAX);

    twin_cyw43_apply_aggregation(target->chip);
    return status;
}

static int32_t set_mpdu(struct target *target) {
    int32_t status = hold(target, IOVAR_AMPDU_MPDU, 1, AMPDU_MPDU_MAX);

    twin_cyw43_apply_aggregation(target->chip);
    return status;
}

static int32_t set_rx_factor(struct target *target) {
    int32_t status = hold(target, IOVAR_AMPDU_RX_FACTOR, 0, 3);

    twin_cyw43_apply_aggregation(target->chip);
    return status;
}

// u16 version | u16 length | u32 period in ms | u16 0 | u8 id. Read from public code (embassy).
#define KEEP_ALIVE_BYTES 11u

static int32_t set_keep_alive(struct target *target) {
    if (target->size_bytes < KEEP_ALIVE_BYTES) {
        return BCME_SHORT;
    }
    twin_cyw43_keep_alive(target->chip, get32(target->value + 4));
    return 0;
}

static int32_t set_sleep_ret(struct target *target) {
    int32_t status = hold(target, IOVAR_PM2_SLEEP_RET, 1, 65535);

    twin_cyw43_apply_power_save(target->chip);
    return status;
}

static int32_t set_li_bcn(struct target *target) {
    int32_t status = hold(target, IOVAR_BCN_LI_BCN, 0, 255);

    twin_cyw43_apply_power_save(target->chip);
    return status;
}

static int32_t set_li_dtim(struct target *target) {
    int32_t status = hold(target, IOVAR_BCN_LI_DTIM, 0, 255);

    twin_cyw43_apply_power_save(target->chip);
    return status;
}

// ---- the rest

// The value asked for stands in front of the name's NUL; a station's other BSS is down.
static int32_t get_bss(struct target *target) {
    return give32(target, target->chip->iovars[IOVAR_BSS][1]);
}

static int32_t set_bss(struct target *target) {
    if (target->size_bytes < 8) {
        return BCME_SHORT;
    }
    target->chip->iovars[IOVAR_BSS][1] = get32(target->value + 4) != 0;
    return 0;
}

static int32_t set_gpioout(struct target *target) {
    struct twin_cyw43 *chip = target->chip;
    uint32_t mask;

    if (target->size_bytes < 8) {
        return BCME_SHORT;
    }
    mask = get32(target->value);
    chip->gpio = (chip->gpio & ~mask) | (get32(target->value + 4) & mask);
    return 0;
}

static void put_field(uint8_t *value, size_t index, uint64_t number) {
    put32(value + 4 + 4 * index, (uint32_t)number);
}

// u16 version, u16 length, then numbers in the order of the public header. The firmware's later
// fields are left out: their place is not known for this version.
static int32_t get_counters(struct target *target) {
    const struct twin_cyw43 *chip = target->chip;
    struct twin_air_counters air = {0};
    uint8_t value[4 + 4 * COUNTERS_FIELDS] = {0};

    if (chip->config.air != NULL) {
        twin_air_get_counters(chip->config.air, &air);
    }
    put16(value, COUNTERS_VERSION);
    put16(value + 2, sizeof(value));
    put_field(value, 0, chip->counters.tx_acked);
    put_field(value, 1, chip->transmit.bytes);
    put_field(value, 2, air.retries);
    put_field(value, 3, chip->counters.tx_failed);
    put_field(value, 7, chip->counters.over_credit);
    put_field(value, 8, chip->counters.dropped_not_joined);
    put_field(value, 15, chip->rx_frames);
    put_field(value, 16, chip->rx_bytes);
    put_field(value, 19, chip->counters.dropped_rx_fifo);
    put_field(value, 30, chip->counters.dropped_filter);
    return give(target, value, sizeof(value));
}

// ---- the table

static const struct iovar iovars[] = {
    {"clmload", refuse, set_clmload, 0, 0, 0},
    {"clmload_status", get_clmload_status, refuse, 0, 0, 0},
    {"clmver", get_clmver, refuse, 0, 0, 0},
    {"ver", get_ver, refuse, 0, 0, 0},
    {"country", get_country, set_country, 0, 0, 0},
    {"cur_etheraddr", get_address, set_address, 0, 0, 0},
    {"mcast_list", get_mcast_list, set_mcast_list, 0, 0, 0},
    {"event_msgs", get_event_msgs, set_event_msgs, 0, 0, 0},
    {"escan", refuse, set_escan, 0, 0, 0},
    {"join", refuse, set_join, 0, 0, 0},
    {"sae_password", refuse, set_sae_password, 0, 0, 0},
    {"ssid", refuse, accept, 0, 0, 0},
    {"mkeep_alive", refuse, set_keep_alive, 0, 0, 0},
    {"bss", get_bss, set_bss, 0, 0, 0},
    {"gpioout", refuse, set_gpioout, 0, 0, 0},
    {"counters", get_counters, refuse, 0, 0, 0},
    {"ampdu_ba_wsize", NULL, set_ba_wsize, IOVAR_AMPDU_BA_WSIZE, 0, 0},
    {"ampdu_mpdu", NULL, set_mpdu, IOVAR_AMPDU_MPDU, 0, 0},
    {"ampdu_rx_factor", NULL, set_rx_factor, IOVAR_AMPDU_RX_FACTOR, 0, 0},
    {"pm2_sleep_ret", NULL, set_sleep_ret, IOVAR_PM2_SLEEP_RET, 0, 0},
    {"bcn_li_bcn", NULL, set_li_bcn, IOVAR_BCN_LI_BCN, 0, 0},
    {"bcn_li_dtim", NULL, set_li_dtim, IOVAR_BCN_LI_DTIM, 0, 0},
    {"assoc_listen", NULL, NULL, IOVAR_ASSOC_LISTEN, 0, 65535},
    {"bus:txglom", NULL, NULL, IOVAR_TXGLOM, 0, 1},
    {"bus:rxglom", NULL, NULL, IOVAR_RXGLOM, 0, 1},
    {"apsta", NULL, NULL, IOVAR_APSTA, 0, 1},
    {"allmulti", NULL, NULL, IOVAR_ALLMULTI, 0, 1},
    {"sup_wpa", NULL, NULL, IOVAR_SUP_WPA, 0, 1},
    {"sup_wpa2_eapver", NULL, NULL, IOVAR_SUP_WPA2_EAPVER, INT32_MIN, INT32_MAX},
    {"sup_wpa_tmo", NULL, NULL, IOVAR_SUP_WPA_TMO, 0, INT32_MAX},
    {"mfp", NULL, NULL, IOVAR_MFP, 0, 2},
    {"wsec", NULL, NULL, IOVAR_WSEC, 0, INT32_MAX},
    {"wpa_auth", NULL, NULL, IOVAR_WPA_AUTH, 0, INT32_MAX},
    {"2g_mrate", NULL, NULL, IOVAR_2G_MRATE, 0, INT32_MAX},
    {"sae_max_pwe_loop", NULL, NULL, IOVAR_SAE_MAX_PWE_LOOP, 0, 255},
    {"maxassoc", NULL, NULL, IOVAR_MAXASSOC, 0, 255},
    {"ccgpioin", NULL, refuse, IOVAR_CCGPIOIN, 0, 0},
};

void twin_cyw43_reset_iovars(struct twin_cyw43 *chip) {
    memset(chip->iovars, 0, sizeof(chip->iovars));
    memset(chip->ioctls, 0, sizeof(chip->ioctls));
    memset(chip->mcast_list, 0, sizeof(chip->mcast_list));
    memset(chip->country, 0, sizeof(chip->country));
    memset(chip->join.key, 0, sizeof(chip->join.key));
    chip->join.key_set = false;
    memset(chip->join.sae_key, 0, sizeof(chip->join.sae_key));
    chip->join.sae_key_set = false;
    chip->iovars[IOVAR_PM2_SLEEP_RET][0] = SLEEP_RETURN_MS;
    chip->iovars[IOVAR_MAXASSOC][0] = MAXASSOC;
    chip->iovars[IOVAR_MAXASSOC][1] = MAXASSOC;
    chip->iovars[IOVAR_AMPDU_RX_FACTOR][0] = AMPDU_RX_FACTOR;
    twin_cyw43_apply_aggregation(chip);
    twin_cyw43_apply_power_save(chip);
}

static int32_t get_number(const struct iovar *iovar, struct target *target) {
    return give32(target, target->chip->iovars[iovar->slot][target->index]);
}

static int32_t set_number(const struct iovar *iovar, struct target *target) {
    int32_t value;

    if (target->size_bytes < 4) {
        return BCME_SHORT;
    }
    value = (int32_t)get32(target->value);
    if (value < iovar->lowest || value > iovar->highest) {
        return BCME_RANGE;
    }
    target->chip->iovars[iovar->slot][target->index] = (uint32_t)value;
    return 0;
}

static const struct iovar *find(const char *name) {
    for (size_t i = 0; i < sizeof(iovars) / sizeof(iovars[0]); i++) {
        if (strcmp(iovars[i].name, name) == 0) {
            return &iovars[i];
        }
    }
    return NULL;
}

int32_t twin_cyw43_iovar(struct twin_cyw43 *chip, struct request *request, bool set) {
    static const char prefix[] = "bsscfg:";
    const char *name = (const char *)request->buffer;
    uint32_t name_bytes = (uint32_t)strlen(name) + 1;
    struct target target = {.chip = chip, .request = request};
    const struct iovar *iovar;

    target.index = request->flags >> 12 == 0 ? 0 : 1;
    if (name_bytes > request->size_bytes) {
        return BCME_BAD_ARGUMENT;
    }
    target.value = request->buffer + name_bytes;
    target.size_bytes = request->size_bytes - name_bytes;
    if (strncmp(name, prefix, sizeof(prefix) - 1) == 0) {
        name += sizeof(prefix) - 1;
        if (target.size_bytes < 4) {
            return BCME_SHORT;
        }
        target.index = get32(target.value) == 0 ? 0 : 1;
        target.value += 4;
        target.size_bytes -= 4;
    }
    iovar = find(name);
    if (iovar == NULL) {
        return BCME_UNSUPPORTED;
    }
    if (set) {
        return iovar->set != NULL ? iovar->set(&target) : set_number(iovar, &target);
    }
    return iovar->get != NULL ? iovar->get(&target) : get_number(iovar, &target);
}
