// SPDX-License-Identifier: MIT
// Link: frames, control requests and events of the test's host.
#ifndef TWIN_CYW43_LINK_H
#define TWIN_CYW43_LINK_H

#include "twin_cyw43_start.h"

#define HOST_NO_REPLY INT32_MIN

static inline uint32_t host_be32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// ---- frames

static inline uint32_t host_live_status(struct host *host) {
    return host_read(host, 0, 0x08, 4);
}

// Reads the frame at the head into host->frame. False: there is none.
static inline bool host_receive(struct host *host) {
    uint32_t status = host_live_status(host);

    if ((status & 0x100u) == 0) {
        return false;
    }
    host->frame_bytes = status >> 9 & 0x7FFu;
    host_block_read(host, 2, 0, host->frame, host->frame_bytes);
    CHECK_EQ(host->frame[0] | host->frame[1] << 8, host->frame_bytes);
    CHECK_EQ((host->frame[0] ^ host->frame[2]) & (host->frame[1] ^ host->frame[3]), 0xFF);
    CHECK_EQ(host->frame[4], host->chip_sequence);
    host->chip_sequence++;
    host->credit = host->frame[9];
    return true;
}

static inline bool host_poll(struct host *host, uint64_t up_to_ns) {
    uint64_t end_ns = twin_now_ns(host->sim) + up_to_ns;

    while (twin_now_ns(host->sim) <= end_ns) {
        if (host_receive(host)) {
            return true;
        }
        host_wait(host, 50000);
    }
    return false;
}

// How many frames the host may still send.
static inline int host_left(const struct host *host) {
    return (int8_t)(uint8_t)(host->credit - host->sequence);
}

// header: 12 or 14 bytes. extra: what the command's length has beyond the SDPCM size.
static inline void host_send(
    struct host *host,
    uint8_t channel,
    uint32_t header,
    const uint8_t *payload,
    uint32_t size_bytes,
    uint32_t extra) {
    uint8_t frame[2048] = {0};
    uint32_t total = header + size_bytes;

    frame[0] = (uint8_t)total;
    frame[1] = (uint8_t)(total >> 8);
    frame[2] = (uint8_t)~total;
    frame[3] = (uint8_t)(~total >> 8);
    frame[4] = host->sequence++;
    frame[5] = channel;
    frame[7] = (uint8_t)header;
    memcpy(frame + header, payload, size_bytes);
    host_block_write(host, 2, 0, frame, total + extra);
}

static inline void host_send_data(
    struct host *host, const uint8_t *ethernet, uint32_t size_bytes, uint32_t extra) {
    uint8_t payload[2048] = {0x20, 0, 0, 0};

    memcpy(payload + 4, ethernet, size_bytes);
    host_send(host, 2, 14, payload, 4 + size_bytes, extra);
}

// ---- control

static inline void host_request(
    struct host *host, uint32_t command, bool set, const uint8_t *buffer, uint32_t length) {
    uint8_t payload[2048] = {0};

    host_put32(payload, command);
    host_put32(payload + 4, length);
    payload[8] = set ? 2 : 0;
    payload[10] = (uint8_t)++host->id;
    payload[11] = (uint8_t)(host->id >> 8);
    memcpy(payload + 16, buffer, length);
    host_send(host, 0, 12, payload, 16 + length, 0);
}

// Status of the reply. The buffer is sent, and what comes back stands in it. Frames of other
// channels are thrown away.
static inline int32_t host_ioctl(
    struct host *host, uint32_t command, bool set, uint8_t *buffer, uint32_t length) {
    host_request(host, command, set, buffer, length);
    while (host_poll(host, 100 * MS)) {
        const uint8_t *cdc = host->frame + 12;

        if (host->frame[5] != 0 || host->frame_bytes < 28) {
            continue;
        }
        CHECK_EQ(host->frame[7], 12);
        CHECK_EQ(host_le32(cdc), command);
        CHECK_EQ(cdc[10] | cdc[11] << 8, host->id);
        CHECK_EQ(host_le32(cdc + 4), length);
        CHECK_EQ(host->frame_bytes, 28 + length);
        CHECK_EQ(cdc[8] & 1, host_le32(cdc + 12) != 0);
        memcpy(buffer, host->frame + 28, length);
        return (int32_t)host_le32(cdc + 12);
    }
    return HOST_NO_REPLY;
}

static inline int32_t host_ioctl32(struct host *host, uint32_t command, uint32_t value) {
    uint8_t buffer[4];

    host_put32(buffer, value);
    return host_ioctl(host, command, true, buffer, sizeof(buffer));
}

static inline int32_t host_set(
    struct host *host, const char *name, const void *value, uint32_t size_bytes) {
    uint8_t buffer[1500] = {0};
    uint32_t name_bytes = (uint32_t)strlen(name) + 1;

    memcpy(buffer, name, name_bytes);
    memcpy(buffer + name_bytes, value, size_bytes);
    return host_ioctl(host, 263, true, buffer, name_bytes + size_bytes);
}

static inline int32_t host_set32(struct host *host, const char *name, uint32_t value) {
    uint8_t bytes[4];

    host_put32(bytes, value);
    return host_set(host, name, bytes, sizeof(bytes));
}

// The buffer is as long as the answer may be; the name has to fit it as well.
static inline int32_t host_get(
    struct host *host, const char *name, uint8_t *buffer, uint32_t length) {
    memset(buffer, 0, length);
    memcpy(buffer, name, strlen(name) + 1);
    return host_ioctl(host, 262, false, buffer, length);
}

static inline uint32_t host_get32(struct host *host, const char *name) {
    uint8_t buffer[32];

    CHECK_EQ(host_get(host, name, buffer, sizeof(buffer)), 0);
    return host_le32(buffer);
}

static inline bool host_load_clm(struct host *host, const uint8_t *clm, uint32_t clm_bytes) {
    uint8_t value[12 + 512];

    for (uint32_t at = 0; at < clm_bytes; at += 512) {
        uint32_t part = clm_bytes - at < 512 ? clm_bytes - at : 512;
        uint32_t flags = 0x1000u | (at == 0 ? 2u : 0) | (at + part == clm_bytes ? 4u : 0);

        host_put32(value, flags | 2u << 16);
        host_put32(value + 4, part);
        host_put32(value + 8, 0);
        memcpy(value + 12, clm + at, part);
        CHECK_EQ(host_set(host, "clmload", value, 12 + part), 0);
    }
    return host_get32(host, "clmload_status") == 0;
}

// ---- from nothing to a network

static inline void host_bring_up(struct host *host) {
    struct host_images *images = host_images_new();
    uint8_t events[4 + 19];

    CHECK(host_bus_up(host));
    host->chip_sequence = host->first_sequence;
    host_download(host, images);
    CHECK(host_start(host));
    CHECK(host_load_clm(host, images->clm, images->clm_bytes));
    free(images);
    memset(events, 0xFF, sizeof(events));
    host_put32(events, 0x6C6F0000);  // one driver leaves half of the index to chance
    CHECK_EQ(host_set(host, "bsscfg:event_msgs", events, sizeof(events)), 0);
    CHECK_EQ(host_ioctl(host, 2, true, events, 0), 0);
}

static inline void host_join(struct host *host, const char *name, const char *key) {
    uint8_t pmk[68] = {0};
    uint8_t ssid[36] = {0};

    CHECK_EQ(host_ioctl32(host, 134, key != NULL ? 4 : 0), 0);
    CHECK_EQ(host_ioctl32(host, 165, key != NULL ? 0x80 : 0), 0);
    if (key != NULL) {
        pmk[0] = (uint8_t)strlen(key);
        pmk[2] = 1;
        memcpy(pmk + 4, key, strlen(key));
        CHECK_EQ(host_ioctl(host, 268, true, pmk, sizeof(pmk)), 0);
    }
    host_put32(ssid, (uint32_t)strlen(name));
    memcpy(ssid + 4, name, strlen(name));
    CHECK_EQ(host_ioctl(host, 26, true, ssid, sizeof(ssid)), 0);
}

// Reads events for so long and writes them down: type.status.reason.flags, spaces between.
static inline void host_events(struct host *host, uint64_t for_ns, char *text, size_t room) {
    uint64_t end_ns = twin_now_ns(host->sim) + for_ns;

    text[0] = 0;
    while (twin_now_ns(host->sim) < end_ns) {
        const uint8_t *message = host->frame + 22;
        size_t used = strlen(text);

        if (!host_poll(host, end_ns - twin_now_ns(host->sim)) || host->frame[5] != 1) {
            continue;
        }
        CHECK_EQ(message[12] << 8 | message[13], 0x886C);
        snprintf(
            text + used,
            room - used,
            "%s%u.%u.%u.%d",
            used != 0 ? " " : "",
            host_be32(message + 28),
            host_be32(message + 32),
            host_be32(message + 36),
            message[26] << 8 | message[27]);
    }
}

static inline struct host *host_online(const struct host_style *style, struct host_world world) {
    struct host *host = host_new(style, world);
    char text[256];

    host_bring_up(host);
    host_join(host, "net", world.auth == TWIN_AUTH_WPA2 ? "correct horse" : NULL);
    host_events(host, 3000 * MS, text, sizeof(text));
    CHECK(strstr(text, "0.0.0.0") != NULL);
    return host;
}

#endif
