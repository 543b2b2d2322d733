// SPDX-License-Identifier: MIT
// Ioctl: control requests on channel 0, one at a time.
//
//   0 u32 command | 4 u16 outlen | 6 u16 inlen | 8 u16 flags | 10 u16 id | 12 u32 status | buffer
//
// The reply echoes command and id and carries the whole buffer back: unchanged after SET or an
// error, overwritten from its front by GET.
#include "cyw43/parts.h"

#include <string.h>

// Request numbers. Read from public code.
enum ioctl_number {
    IOCTL_UP = 2,
    IOCTL_DOWN = 3,
    IOCTL_GET_RATE = 12,
    IOCTL_GET_BSSID = 23,
    IOCTL_GET_SSID = 25,
    IOCTL_SET_SSID = 26,
    IOCTL_GET_CHANNEL = 29,
    IOCTL_DISASSOC = 52,
    IOCTL_GET_REVINFO = 98,
    IOCTL_GET_RSSI = 127,
    IOCTL_GET_PKTCNTS = 137,
    IOCTL_GET_WSEC = 133,
    IOCTL_SET_WSEC = 134,
    IOCTL_GET_ASSOCLIST = 159,
    IOCTL_GET_WPA_AUTH = 164,
    IOCTL_SET_WPA_AUTH = 165,
    IOCTL_GET_VAR = 262,
    IOCTL_SET_VAR = 263,
    IOCTL_SET_WSEC_PMK = 268,
};

#define FLAG_ERROR     0x0001u
#define FLAG_SET       0x0002u
#define PMK_BYTES_MAX  64u
#define PMK_HEADER     4u
#define SSID_BYTES_MAX 32u

// Numbers that only hold a value.
struct stored {
    uint16_t get;
    uint16_t set;
    uint8_t slot;
    uint32_t highest;
};

static const struct stored stored_numbers[] = {
    {19, 20, IOCTL_INFRA, UINT32_MAX},
    {21, 22, IOCTL_AUTH, UINT32_MAX},
    {0, 30, IOCTL_CHANNEL, 14},
    {63, 64, IOCTL_ANTDIV, UINT32_MAX},
    {75, 76, IOCTL_BEACON_PERIOD, UINT32_MAX},
    {77, 78, IOCTL_DTIM_PERIOD, UINT32_MAX},
    {85, 86, IOCTL_PM, 2},
    {107, 108, IOCTL_MONITOR, UINT32_MAX},
    {109, 110, IOCTL_GMODE, UINT32_MAX},
    {117, 118, IOCTL_AP, 1},
    {141, 142, IOCTL_BAND, 2},
    {184, 185, IOCTL_SCAN_CHANNEL_TIME, UINT32_MAX},
};

// ---- results at the front of the buffer

static int32_t give(struct request *request, const void *value, uint32_t size_bytes) {
    if (request->size_bytes < size_bytes) {
        return BCME_SHORT;
    }
    memcpy(request->buffer, value, size_bytes);
    return 0;
}

static int32_t give32(struct request *request, uint32_t value) {
    uint8_t bytes[4];

    put32(bytes, value);
    return give(request, bytes, sizeof(bytes));
}

static uint32_t taken32(const struct request *request) {
    return request->size_bytes >= 4 ? get32(request->buffer) : 0;
}

// ---- the requests

// The rate of the air in units of 500 kbit/s, from the time that a long PSDU takes more than a
// short one.
static uint32_t rate_500k(const struct twin_cyw43 *chip) {
    uint64_t ns =
        twin_air_ppdu_ns(chip->config.air, 46000) - twin_air_ppdu_ns(chip->config.air, 10000);

    return (uint32_t)((UINT64_C(8) * 36000 * 2000 + ns / 2) / ns);
}

static int32_t get_ssid(const struct twin_cyw43 *chip, struct request *request) {
    uint8_t value[4 + SSID_BYTES_MAX] = {0};
    uint32_t length = (uint32_t)strlen(chip->join.ssid);

    put32(value, length);
    memcpy(value + 4, chip->join.ssid, length);
    return give(request, value, sizeof(value));
}

static int32_t get_channel(const struct twin_cyw43 *chip, struct request *request) {
    uint8_t value[12] = {0};
    uint32_t channel = chip->ioctls[IOCTL_CHANNEL];

    if (chip->join.state == JOIN_DONE) {
        channel = twin_ap_channel(chip->config.ap);
    }
    put32(value, channel);
    put32(value + 4, channel);
    return give(request, value, sizeof(value));
}

static int32_t get_packet_counts(const struct twin_cyw43 *chip, struct request *request) {
    uint8_t value[20] = {0};

    put32(value, (uint32_t)chip->rx_frames);
    put32(value + 4, (uint32_t)chip->counters.dropped_rx_fifo);
    put32(value + 8, (uint32_t)chip->counters.tx_acked);
    put32(value + 12, (uint32_t)chip->counters.tx_failed);
    return give(request, value, sizeof(value));
}

// vendor, device, radio, chip revision, core revision, board: as the public blobs' text names them;
// the rest is 0.
static int32_t get_revision(struct request *request) {
    uint8_t value[68] = {0};

    put32(value, 0x14E4);
    put32(value + 4, 0x43E2);
    put32(value + 16, 0x2B);
    put32(value + 20, 0x0887);
    put32(value + 48, CHIP_ID & 0xFFFFu);
    return give(
        request, value, request->size_bytes < sizeof(value) ? request->size_bytes : sizeof(value));
}

// What only a station in a network can answer.
static int32_t run_associated(struct twin_cyw43 *chip, struct request *request) {
    if (chip->join.state != JOIN_DONE) {
        return BCME_NOT_ASSOCIATED;
    }
    switch (request->command) {
    case IOCTL_GET_RATE:
        return give32(request, rate_500k(chip));
    case IOCTL_GET_BSSID:
        return give(request, twin_ap_bssid(chip->config.ap), 6);
    case IOCTL_GET_SSID:
        return get_ssid(chip, request);
    default:
        return give32(request, (uint32_t)(int32_t)twin_ap_rssi_dbm(chip->config.ap));
    }
}

static int32_t set_ssid(struct twin_cyw43 *chip, const struct request *request) {
    uint32_t length = taken32(request);

    if (!chip->up) {
        return BCME_NOT_UP;
    }
    if (length == 0 || length > SSID_BYTES_MAX || request->size_bytes < 4 + length) {
        return BCME_BAD_ARGUMENT;
    }
    twin_cyw43_join(chip, request->buffer + 4, length, NULL);
    return 0;
}

// u16 length, u16 flags (1: passphrase, 0: key in hexadecimal digits), text.
static int32_t set_key(struct twin_cyw43 *chip, const struct request *request, uint32_t interface) {
    uint32_t length = request->size_bytes >= PMK_HEADER ? get16(request->buffer) : 0;

    if (length > PMK_BYTES_MAX || request->size_bytes < PMK_HEADER + length) {
        return BCME_BAD_ARGUMENT;
    }
    if (interface == 0) {
        memset(chip->join.key, 0, sizeof(chip->join.key));
        memcpy(chip->join.key, request->buffer + PMK_HEADER, length);
        chip->join.key_set = length != 0;
    }
    return 0;
}

static int32_t run_stored(struct twin_cyw43 *chip, struct request *request, uint32_t interface) {
    for (size_t i = 0; i < sizeof(stored_numbers) / sizeof(stored_numbers[0]); i++) {
        const struct stored *stored = &stored_numbers[i];

        if (request->command == stored->get && stored->get != 0) {
            return give32(request, chip->ioctls[stored->slot]);
        }
        if (request->command != stored->set) {
            continue;
        }
        if (request->size_bytes < 4) {
            return BCME_SHORT;
        }
        if (taken32(request) > stored->highest) {
            return BCME_RANGE;
        }
        if (interface == 0) {
            chip->ioctls[stored->slot] = taken32(request);
        }
        if (stored->slot == IOCTL_PM) {
            twin_cyw43_apply_power_save(chip);
        }
        return 0;
    }
    return BCME_UNSUPPORTED;
}

static int32_t run_per_bss(struct twin_cyw43 *chip, struct request *request, uint32_t interface) {
    bool wsec = request->command == IOCTL_GET_WSEC || request->command == IOCTL_SET_WSEC;
    uint32_t *value = &chip->iovars[wsec ? IOVAR_WSEC : IOVAR_WPA_AUTH][interface];

    if (request->command == IOCTL_GET_WSEC || request->command == IOCTL_GET_WPA_AUTH) {
        return give32(request, *value);
    }
    if (request->size_bytes < 4) {
        return BCME_SHORT;
    }
    *value = taken32(request);
    return 0;
}

static int32_t run(struct twin_cyw43 *chip, struct request *request) {
    uint32_t interface = request->flags >> 12 == 0 ? 0 : 1;

    switch (request->command) {
    case IOCTL_UP:
        chip->up = true;
        return 0;
    case IOCTL_DOWN:
        twin_cyw43_leave(chip, true);
        chip->up = false;
        return 0;
    case IOCTL_GET_RATE:
    case IOCTL_GET_BSSID:
    case IOCTL_GET_SSID:
    case IOCTL_GET_RSSI:
        return run_associated(chip, request);
    case IOCTL_GET_CHANNEL:
        return get_channel(chip, request);
    case IOCTL_SET_SSID:
        return set_ssid(chip, request);
    case IOCTL_DISASSOC:
        twin_cyw43_leave(chip, true);
        return 0;
    case IOCTL_GET_REVINFO:
        return get_revision(request);
    case IOCTL_GET_PKTCNTS:
        return get_packet_counts(chip, request);
    case IOCTL_GET_ASSOCLIST:
        return give32(request, 0);
    case IOCTL_GET_WSEC:
    case IOCTL_SET_WSEC:
    case IOCTL_GET_WPA_AUTH:
    case IOCTL_SET_WPA_AUTH:
        return run_per_bss(chip, request, interface);
    case IOCTL_SET_WSEC_PMK:
        return set_key(chip, request, interface);
    case IOCTL_GET_VAR:
    case IOCTL_SET_VAR:
        return twin_cyw43_iovar(chip, request, request->command == IOCTL_SET_VAR);
    default:
        return run_stored(chip, request, interface);
    }
}

// ---- request and reply

static void reply(struct twin_cyw43 *chip, const struct request *request, int32_t status) {
    struct twin_frame *frame = twin_frame_get(chip->config.frames);
    uint8_t *cdc = frame->data;

    put32(cdc, request->command);
    put32(cdc + 4, request->size_bytes);
    put16(cdc + 8, request->flags | (status != 0 ? FLAG_ERROR : 0));
    put16(cdc + 10, request->id);
    put32(cdc + 12, (uint32_t)status);
    memcpy(cdc + CDC_BYTES, request->buffer, request->size_bytes);
    frame->size_bytes = CDC_BYTES + request->size_bytes;
    chip->counters.ioctls++;
    if (chip->config.faults == NULL || !twin_cyw43_fault_reply(chip, request, frame)) {
        twin_cyw43_push(chip, frame, CHANNEL_CONTROL);
    }
}

void twin_cyw43_ioctl_run(void *context) {
    struct twin_cyw43 *chip = context;
    struct request *request = &chip->request;
    int32_t status;

    if (chip->faults.hung) {
        return;  // goes on when the firmware does
    }
    status = twin_cyw43_fault_status(chip, request, 0);
    status = status != 0 ? status : run(chip, request);
    request->pending = false;
    if (status != 0) {
        twin_log(
            chip->config.log,
            "chip ioctl %u \"%.31s\" status %d",
            request->command,
            request->command >= IOCTL_GET_VAR && request->command <= IOCTL_SET_VAR
                ? (const char *)request->buffer
                : "",
            status);
    }
    reply(chip, request, status);
}

static void parse(
    const struct wire_data *data,
    uint32_t offset,
    uint32_t size_bytes,
    const uint8_t *cdc,
    struct request *request) {
    uint32_t there = size_bytes - offset;

    request->command = get32(cdc);
    request->outlen = get16(cdc + 4);
    request->flags = (uint16_t)(get16(cdc + 8) & ~FLAG_ERROR);
    request->id = get16(cdc + 10);
    request->size_bytes =
        request->outlen < IOCTL_REPLY_BYTES_MAX ? request->outlen : IOCTL_REPLY_BYTES_MAX;
    if (there > request->size_bytes) {
        there = request->size_bytes;
    }
    there = twin_cyw43_copy(data, offset, request->buffer, there);
    // The rest of the buffer, and a NUL behind the longest name.
    memset(request->buffer + there, 0, request->size_bytes - there + 1);
}

static uint64_t run_ns(const struct twin_cyw43 *chip, const struct request *request) {
    bool country =
        request->command == IOCTL_SET_VAR && strcmp((const char *)request->buffer, "country") == 0;

    return country ? COUNTRY_NS : twin_sim_unsure(chip->config.sim)->chip_ioctl_ns;
}

void twin_cyw43_ioctl_input(
    struct twin_cyw43 *chip, const struct wire_data *data, uint32_t offset, uint32_t size_bytes) {
    uint8_t cdc[CDC_BYTES] = {0};

    if (offset + CDC_BYTES > size_bytes) {
        chip->counters.dropped_header++;
        twin_cyw43_deviate(chip, "cdc-cut");
        return;
    }
    (void)twin_cyw43_copy(data, offset, cdc, sizeof(cdc));
    if (chip->request.pending) {
        // One at a time: the second is told so, with its buffer left out.
        struct request busy = {
            .command = get32(cdc),
            .flags = (uint16_t)(get16(cdc + 8) & ~FLAG_ERROR),
            .id = get16(cdc + 10),
        };

        twin_cyw43_deviate(chip, "ioctl-overlap");
        reply(chip, &busy, BCME_BUSY);
        return;
    }
    parse(data, offset + CDC_BYTES, size_bytes, cdc, &chip->request);
    chip->request.pending = true;
    twin_after(chip->config.sim, &chip->request.run, run_ns(chip, &chip->request));
}
