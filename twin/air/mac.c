// SPDX-License-Identifier: MIT
// The outside of the air and its MACs: made and freed, frames in, association.
#include "air/air_state.h"
#include "sim/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- air

struct twin_air *twin_air_new(const struct twin_air_config *config) {
    struct twin_air *air = twin_alloc(1, sizeof(*air));

    TWIN_CHECK(config->mcs < 8);
    air->config = *config;
    air->idle_since_ns = twin_now_ns(config->sim);
    twin_timing_init(air);
    twin_event_init(&air->step, twin_channel_step, air);
    return air;
}

void twin_air_free(struct twin_air *air) {
    if (air == NULL) {
        return;
    }
    twin_neighbours_free(air);
    twin_signal_free(air);
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        TWIN_CHECK(air->macs[i] == NULL);  // MACs are freed before their air
    }
    twin_cancel(air->config.sim, &air->step);
    free(air);
}

void twin_air_set_mpdu_error(struct twin_air *air, uint32_t mpdu_error) {
    air->config.mpdu_error = mpdu_error;
}

void twin_air_set_mcs(struct twin_air *air, uint8_t mcs) {
    TWIN_CHECK(mcs < 8);
    air->config.mcs = mcs;
    twin_timing_init(air);
}

void twin_air_set_silent(struct twin_air *air, bool silent) {
    air->silent = silent;
    twin_channel_contend(air);
}

void twin_air_get_counters(const struct twin_air *air, struct twin_air_counters *counters) {
    *counters = air->counters;
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        const struct twin_mac *mac = air->macs[i];

        if (mac != NULL && mac->ps.asleep) {
            counters->station_sleep_ns += twin_now_ns(air->config.sim) - mac->ps.asleep_since_ns;
        }
    }
}

struct twin_frame *twin_mac_copy(struct twin_air *air, const struct twin_frame *frame) {
    struct twin_frame *copy = twin_frame_get(air->config.frames);

    copy->size_bytes = frame->size_bytes;
    memcpy(copy->data, frame->data, frame->size_bytes);
    return copy;
}

// ---- MAC

static void init_rng(struct twin_mac *mac) {
    char name[32];

    (void)snprintf(name, sizeof(name), "air.backoff.%u", (unsigned)mac->index);
    twin_rng_init(&mac->backoff, mac->air->config.sim, name);
    (void)snprintf(name, sizeof(name), "air.error.%u", (unsigned)mac->index);
    twin_rng_init(&mac->error, mac->air->config.sim, name);
}

static void enter(struct twin_air *air, struct twin_mac *mac) {
    uint32_t index = 0;

    while (index < TWIN_AIR_MACS_MAX && air->macs[index] != NULL) {
        index++;
    }
    TWIN_CHECK(index < TWIN_AIR_MACS_MAX);
    air->mac_places = index + 1u > air->mac_places ? index + 1u : air->mac_places;
    mac->index = index;
    air->macs[index] = mac;
    if (mac->config.access_point) {
        TWIN_CHECK(air->access_point == NULL);
        air->access_point = mac;
    }
}

struct twin_mac *twin_mac_new(struct twin_air *air, const struct twin_mac_config *config) {
    struct twin_mac *mac = twin_alloc(1, sizeof(*mac));

    mac->air = air;
    mac->config = *config;
    if (config->queue_frames == 0) {
        mac->config.queue_frames = (uint32_t)twin_sim_unsure(air->config.sim)->air_queue_frames;
    }
    if (config->retries_max == 0) {
        mac->config.retries_max = TWIN_AIR_RETRIES_MAX;
    }
    mac->ampdu_receive_bytes = TWIN_AIR_AMPDU_BYTES_MAX;
    mac->cw = TWIN_AIR_CW_MIN;
    mac->cw_max = config->access_point ? TWIN_AIR_AP_CW_MAX : TWIN_AIR_STATION_CW_MAX;
    twin_mac_set_ampdu(mac, config->ampdu_max);
    enter(air, mac);
    init_rng(mac);
    twin_flow_init(&mac->up, mac, NULL);
    twin_flow_init(&mac->down, NULL, mac);
    twin_ps_init(mac);
    twin_event_init(&mac->tbtt, twin_ps_tbtt, mac);
    return mac;
}

// Takes the flow off the air if a PPDU of it is under way.
static void detach(struct twin_air *air, const struct twin_flow *flow) {
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        if (air->macs[i] != NULL && air->macs[i]->ppdu.flow == flow) {
            air->macs[i]->ppdu.flow = NULL;
            air->macs[i]->ppdu.arrived = 0;
        }
    }
}

static void part(struct twin_mac *station) {
    station->associated = false;
    twin_ps_left(station);
    detach(station->air, &station->up);
    detach(station->air, &station->down);
}

static void drop(struct twin_mac *station) {
    if (station->associated) {
        part(station);
        twin_flow_drop(&station->up);
        twin_flow_drop(&station->down);
    }
}

static void drop_group(struct twin_mac *mac) {
    struct twin_frames *frames = mac->air->config.frames;
    struct twin_frame *frame;

    while ((frame = twin_frame_pop(&mac->group)) != NULL) {
        twin_frame_put(frames, frame);
    }
    if (mac->ppdu.group != NULL) {
        twin_frame_put(frames, mac->ppdu.group);
    }
}

void twin_mac_free(struct twin_mac *mac) {
    struct twin_air *air;

    if (mac == NULL) {
        return;
    }
    air = mac->air;
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        if (air->macs[i] != NULL && (mac == air->macs[i] || mac->config.access_point)) {
            drop(air->macs[i]);
        }
    }
    drop_group(mac);
    twin_cancel(air->config.sim, &mac->ps.timer);
    twin_cancel(air->config.sim, &mac->tbtt);
    air->macs[mac->index] = NULL;
    if (mac->config.access_point) {
        air->access_point = NULL;
    }
    free(mac);
    twin_channel_contend(air);
}

struct twin_mac *twin_mac_station(const struct twin_air *air, const uint8_t *address) {
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        struct twin_mac *mac = air->macs[i];

        if (mac != NULL && mac->associated && memcmp(mac->config.address, address, 6) == 0) {
            return mac;
        }
    }
    return NULL;
}

static bool any_station(const struct twin_air *air) {
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        if (air->macs[i] != NULL && air->macs[i]->associated) {
            return true;
        }
    }
    return false;
}

static bool send_down(struct twin_mac *mac, struct twin_frame *frame) {
    struct twin_mac *station;

    if ((frame->data[0] & 1u) != 0) {
        if (mac->group.count >= mac->config.queue_frames || !any_station(mac->air)) {
            return false;
        }
        twin_frame_push(&mac->group, frame);
        return true;
    }
    station = twin_mac_station(mac->air, frame->data);
    if (station == NULL || twin_flow_count(&station->down) >= mac->config.queue_frames) {
        return false;
    }
    twin_frame_push(&station->down.queue, frame);
    return true;
}

bool twin_mac_send(struct twin_mac *mac, struct twin_frame *frame) {
    TWIN_CHECK(frame->size_bytes <= TWIN_FRAME_BYTES_MAX);
    if (mac->config.access_point) {
        if (!send_down(mac, frame)) {
            return false;
        }
    } else {
        if (!mac->associated || twin_flow_count(&mac->up) >= mac->config.queue_frames) {
            return false;
        }
        twin_frame_push(&mac->up.queue, frame);
        twin_ps_active(mac);
        twin_ps_update(mac);
    }
    twin_channel_contend(mac->air);
    return true;
}

uint32_t twin_mac_queued(const struct twin_mac *mac) {
    uint32_t count = mac->group.count + (mac->ppdu.group != NULL ? 1 : 0);

    if (!mac->config.access_point) {
        return twin_flow_count(&mac->up);
    }
    for (size_t i = 0; i < COUNT_OF_MACS(mac->air); i++) {
        if (mac->air->macs[i] != NULL) {
            count += twin_flow_count(&mac->air->macs[i]->down);
        }
    }
    return count;
}

void twin_mac_set_address(struct twin_mac *mac, const uint8_t *address) {
    memcpy(mac->config.address, address, sizeof(mac->config.address));
}

void twin_mac_set_ampdu(struct twin_mac *mac, uint8_t ampdu_max) {
    if (ampdu_max > TWIN_AIR_AMPDU_MPDUS_MAX) {
        ampdu_max = TWIN_AIR_AMPDU_MPDUS_MAX;
    }
    mac->config.ampdu_max = ampdu_max == 0 ? 1 : ampdu_max;
}

void twin_mac_set_ampdu_receive_bytes(struct twin_mac *mac, uint32_t size_bytes) {
    mac->ampdu_receive_bytes =
        size_bytes < TWIN_AIR_AMPDU_BYTES_MAX ? size_bytes : TWIN_AIR_AMPDU_BYTES_MAX;
}

void twin_mac_flush_down(struct twin_mac *station) {
    detach(station->air, &station->down);
    station->ps.serving = 0;
    station->ps.service = false;
    twin_flow_flush(&station->down);
    twin_channel_contend(station->air);
}

void twin_mac_set_associated(struct twin_mac *station, bool associated) {
    struct twin_air *air = station->air;

    TWIN_CHECK(!station->config.access_point);
    if (associated == station->associated) {
        return;
    }
    if (associated) {
        TWIN_CHECK(air->access_point != NULL);
        twin_flow_init(&station->up, station, air->access_point);
        twin_flow_init(&station->down, air->access_point, station);
        station->associated = true;
        twin_ps_associated(station);
    } else {
        part(station);
        twin_flow_flush(&station->up);
        twin_flow_flush(&station->down);
    }
    twin_channel_contend(air);
}
