// SPDX-License-Identifier: MIT
// Scan: "escan" and its results, one event for each network and one at the end.
#include "cyw43/parts.h"

#include <string.h>

// Parameters: u32 version | u16 action | u16 sync id | u32 name length | name 32 | bssid 6 |
// type | scan type | i32 x 4 | u32 channel count | u16 channels. Read from public code.
#define PARAMETERS_BYTES   72u
#define ACTION_START       1u
#define ACTION_CONTINUE    2u
#define EVENT_ESCAN_RESULT 69u
#define STATUS_PARTIAL     8u
#define STATUS_DONE        0u
#define STATUS_ABORT       4u

// The result: u32 length | u32 version | u16 sync id | u16 count | bss_info.
#define RESULT_HEADER 12u
#define BSS_VERSION   109u
#define BSS_BYTES     128u  // fixed part; UNSURE: the offset of the elements in real results
#define IES_BYTES_MAX 64u

// Suites of a pre-shared key and of SAE. Specified (IEEE 802.11, table 9-151).
#define AKM_PSK 2u
#define AKM_SAE 8u

#define CAPABILITY_ESS       0x0001u
#define CAPABILITY_PRIVACY   0x0010u
#define FLAG_RSSI_ON_CHANNEL 0x04u

// The suites by which the network takes its key.
static uint32_t put_akms(enum twin_auth auth, uint8_t *akms) {
    static const uint8_t oui[] = {0x00, 0x0F, 0xAC};
    uint32_t count = 0;

    for (uint32_t bit = 0; bit < 2; bit++) {
        if (((uint32_t)auth >> bit & 1u) != 0) {
            memcpy(akms + 2 + 4 * count, oui, sizeof(oui));
            akms[2 + 4 * count + 3] = bit == 0 ? AKM_PSK : AKM_SAE;
            count++;
        }
    }
    put16(akms, count);
    return 2 + 4 * count;
}

// Name, and RSN with CCMP and how the key is proved. Specified (IEEE 802.11, 9.4.2).
static uint32_t put_elements(const struct twin_ap *ap, const char *name, uint8_t *ies) {
    static const uint8_t rsn[] = {48, 0, 1, 0, 0x00, 0x0F, 0xAC, 4, 1, 0, 0x00, 0x0F, 0xAC, 4};
    uint32_t name_bytes = (uint32_t)strlen(name);
    uint8_t *at = ies + 2 + name_bytes;
    uint32_t rsn_bytes = sizeof(rsn);

    ies[0] = 0;
    ies[1] = (uint8_t)name_bytes;
    memcpy(ies + 2, name, name_bytes);
    if (twin_ap_auth(ap) == TWIN_AUTH_OPEN) {
        return 2 + name_bytes;
    }
    memcpy(at, rsn, sizeof(rsn));
    rsn_bytes += put_akms(twin_ap_auth(ap), at + rsn_bytes);
    put16(at + rsn_bytes, 0);  // capabilities
    rsn_bytes += 2;
    at[1] = (uint8_t)(rsn_bytes - 2);
    return 2 + name_bytes + rsn_bytes;
}

static uint32_t put_bss(const struct twin_ap *ap, const char *name, uint8_t *bss) {
    static const uint8_t rates[] = {
        0x82, 0x84, 0x8B, 0x96, 0x0C, 0x12, 0x18, 0x24, 0x30, 0x48, 0x60, 0x6C};
    bool privacy = twin_ap_auth(ap) != TWIN_AUTH_OPEN;
    uint32_t name_bytes = (uint32_t)strlen(name);
    uint32_t ies_bytes;

    memset(bss, 0, BSS_BYTES);
    ies_bytes = put_elements(ap, name, bss + BSS_BYTES);
    put32(bss, BSS_VERSION);
    put32(bss + 4, BSS_BYTES + ies_bytes);
    memcpy(bss + 8, twin_ap_bssid(ap), 6);
    put16(bss + 14, 100);
    put16(bss + 16, CAPABILITY_ESS | (privacy ? CAPABILITY_PRIVACY : 0));
    bss[18] = (uint8_t)name_bytes;
    memcpy(bss + 19, name, name_bytes);
    put32(bss + 52, sizeof(rates));
    memcpy(bss + 56, rates, sizeof(rates));
    put16(bss + 72, 0x1000u | twin_ap_channel(ap));
    bss[76] = (uint8_t)twin_ap_dtim_period(ap);
    put16(bss + 78, (uint32_t)(int32_t)twin_ap_rssi_dbm(ap));
    bss[80] = (uint8_t)NOISE_DBM;
    bss[81] = 1;
    bss[88] = twin_ap_channel(ap);
    bss[96] = FLAG_RSSI_ON_CHANNEL;
    bss[100] = 0xFF;  // MCS 0 to 7
    put16(bss + 116, BSS_BYTES);
    put32(bss + 120, ies_bytes);
    put16(bss + 124, (uint32_t)(twin_ap_rssi_dbm(ap) - NOISE_DBM));
    return BSS_BYTES + ies_bytes;
}

static void emit(
    struct twin_cyw43 *chip, uint32_t status, const uint8_t *data, uint32_t size_bytes) {
    struct chip_event event = {.type = EVENT_ESCAN_RESULT, .status = status};

    twin_cyw43_event(chip, &event, data, size_bytes);
}

// A network that hides its name answers when it is asked for by it, and only then says it.
static const char *name_heard(const struct twin_cyw43 *chip, const struct twin_ap *ap) {
    const char *name = twin_ap_ssid(ap);

    return twin_ap_hidden(ap) && strcmp(chip->scan.name, name) != 0 ? "" : name;
}

static bool heard(const struct twin_cyw43 *chip, const struct twin_ap *ap) {
    return twin_ap_there(ap) &&
           (chip->scan.name[0] == '\0' || strcmp(chip->scan.name, name_heard(chip, ap)) == 0);
}

void twin_cyw43_scan_result(void *context) {
    const struct network *network = context;
    struct twin_cyw43 *chip = network->chip;
    uint8_t data[RESULT_HEADER + BSS_BYTES + IES_BYTES_MAX];
    uint32_t size_bytes = RESULT_HEADER;

    if (!heard(chip, network->ap)) {
        return;
    }
    size_bytes += put_bss(network->ap, name_heard(chip, network->ap), data + RESULT_HEADER);
    put32(data, size_bytes);
    put32(data + 4, BSS_VERSION);
    put16(data + 8, chip->scan.sync_id);
    put16(data + 10, 1);
    emit(chip, STATUS_PARTIAL, data, size_bytes);
}

void twin_cyw43_scan_end(void *context) {
    struct twin_cyw43 *chip = context;

    chip->scan.running = false;
    emit(chip, STATUS_DONE, NULL, 0);
}

static void stop(struct twin_cyw43 *chip) {
    for (size_t i = 0; i < NETWORKS_MAX; i++) {
        twin_cancel(chip->config.sim, &chip->networks[i].scanned);
    }
    twin_cancel(chip->config.sim, &chip->scan.end);
    if (chip->scan.running) {
        chip->scan.running = false;
        emit(chip, STATUS_ABORT, NULL, 0);
    }
}

// The channels asked for, as bits; none valid means all.
static uint32_t channels_of(const uint8_t *value, uint32_t size_bytes) {
    uint32_t count = get32(value + 68) & 0xFFFFu;
    uint32_t channels = 0;

    for (uint32_t i = 0; i < count && PARAMETERS_BYTES + 2 * i + 2 <= size_bytes; i++) {
        uint32_t channel = value[PARAMETERS_BYTES + 2 * i];

        if (channel >= 1 && channel <= SCAN_CHANNELS) {
            channels |= 1u << channel;
        }
    }
    return channels == 0 ? (2u << SCAN_CHANNELS) - 2u : channels;
}

// A firmware that knows fewer channels leaves the others out.
static uint32_t known_channels(struct twin_cyw43 *chip, uint32_t channels) {
    const struct twin_fault_what *what = twin_faults_active(chip->config.faults, TWIN_CHANNELS);

    if (what == NULL || what->value < 0 || what->value >= (int64_t)SCAN_CHANNELS) {
        return channels;
    }
    return channels & ((2u << what->value) - 1u);
}

static uint64_t dwell_ns(const struct twin_cyw43 *chip) {
    uint32_t ms = chip->ioctls[IOCTL_SCAN_CHANNEL_TIME];

    return ms != 0 && ms < 10000 ? ms * UINT64_C(1000000) : SCAN_CHANNEL_NS;
}

static void visit(struct twin_cyw43 *chip, uint32_t channel, uint64_t at_ns) {
    for (size_t i = 0; i < NETWORKS_MAX && chip->clm.loaded; i++) {
        struct network *network = &chip->networks[i];

        if (network->ap != NULL && twin_ap_channel(network->ap) == channel) {
            twin_after(chip->config.sim, &network->scanned, at_ns);
        }
    }
}

int32_t twin_cyw43_scan(struct twin_cyw43 *chip, const uint8_t *value, uint32_t size_bytes) {
    uint64_t at_ns = 0;
    uint32_t channels;
    uint32_t name_bytes;

    if (!chip->up) {
        return BCME_NOT_UP;
    }
    if (size_bytes < PARAMETERS_BYTES) {
        return BCME_SHORT;
    }
    stop(chip);
    if (get16(value + 4) != ACTION_START && get16(value + 4) != ACTION_CONTINUE) {
        return 0;
    }
    chip->scan.running = true;
    chip->scan.sync_id = get16(value + 6);
    channels = known_channels(chip, channels_of(value, size_bytes));
    name_bytes = get32(value + 8);
    memset(chip->scan.name, 0, sizeof(chip->scan.name));
    memcpy(chip->scan.name, value + 12, name_bytes < 32 ? name_bytes : 32);
    for (uint32_t channel = 1; channel <= SCAN_CHANNELS; channel++) {
        if ((channels >> channel & 1u) == 0) {
            continue;
        }
        at_ns += dwell_ns(chip);
        visit(chip, channel, at_ns);
    }
    twin_after(chip->config.sim, &chip->scan.end, at_ns);
    return 0;
}
