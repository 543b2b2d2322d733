// SPDX-License-Identifier: MIT
// Exchange: what goes into a PPDU, what arrives of it, and what its sender is told.
#include "air/air_state.h"
#include "sim/alloc.h"

#include <inttypes.h>

// ---- what is there to send

static bool down_wanted(const struct twin_mac *station) {
    return station->associated && twin_flow_count(&station->down) > 0 &&
           (!station->ps.told || station->ps.serving > 0);
}

static bool group_wanted(const struct twin_mac *access_point) {
    return access_point->group.count > 0 && !twin_ps_buffers(access_point->air);
}

static bool null_wanted(const struct twin_mac *station) {
    return station->ps.trigger || station->ps.keep || station->ps.wanted != station->ps.told;
}

bool twin_exchange_wanted(const struct twin_mac *mac) {
    if (mac->neighbour != NULL) {
        return twin_neighbour_wanted(mac);
    }
    if (!mac->config.access_point) {
        // A station that asks an access point gone for its frames goes on waiting.
        return mac->associated &&
               (twin_flow_count(&mac->up) > 0 || (null_wanted(mac) && !mac->air->silent));
    }
    if (mac->air->silent) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF_MACS(mac->air); i++) {
        if (mac->air->macs[i] != NULL && down_wanted(mac->air->macs[i])) {
            return true;
        }
    }
    return group_wanted(mac);
}

// ---- building

static void build_data(struct twin_mac *mac, struct twin_flow *flow, uint32_t count_max) {
    struct twin_air_counters *counters = &mac->air->counters;
    struct twin_ppdu *ppdu = &mac->ppdu;

    if (count_max > mac->config.ampdu_max) {
        count_max = mac->config.ampdu_max;
    }
    ppdu->kind = TWIN_PPDU_DATA;
    ppdu->flow = flow;
    twin_flow_take(flow, ppdu, count_max);
    ppdu->air_ns = twin_air_ppdu_ns(mac->air, ppdu->psdu_bytes);
    counters->retries += ppdu->retried;
    if (mac->config.access_point) {
        counters->downlink_ppdus++;
        counters->downlink_mpdus += ppdu->count;
    } else {
        counters->ppdus++;
        counters->mpdus += ppdu->count;
        counters->mpdu_dbps += (uint64_t)ppdu->count * mac->air->dbps;
        counters->station_tx_ns += ppdu->air_ns;
    }
}

static void build_group(struct twin_mac *mac) {
    struct twin_ppdu *ppdu = &mac->ppdu;
    uint32_t size_bytes;

    ppdu->kind = TWIN_PPDU_GROUP;
    ppdu->flow = NULL;
    ppdu->group = twin_frame_pop(&mac->group);
    size_bytes = ppdu->group->size_bytes;
    size_bytes -= size_bytes < TWIN_AIR_ETHERNET_BYTES ? size_bytes : TWIN_AIR_ETHERNET_BYTES;
    ppdu->psdu_bytes = twin_air_mpdu_bytes(mac->air, size_bytes);
    ppdu->count = 1;
    ppdu->retried = 0;
    ppdu->air_ns = twin_timing_dsss_ns(mac->air, ppdu->psdu_bytes);
    mac->air->counters.downlink_ppdus++;
    mac->air->counters.downlink_mpdus++;
}

static void build_null(struct twin_mac *station) {
    struct twin_ppdu *ppdu = &station->ppdu;

    ppdu->kind = TWIN_PPDU_NULL;
    ppdu->flow = NULL;
    ppdu->count = 0;
    ppdu->retried = 0;
    ppdu->psdu_bytes = TWIN_AIR_NULL_BYTES;
    ppdu->air_ns = station->air->null_ns;
    ppdu->trigger = station->ps.trigger;
    station->ps.keep = false;
    station->air->counters.null_frames++;
    station->air->counters.station_tx_ns += ppdu->air_ns;
}

// The stations take turns.
static struct twin_mac *next_receiver(struct twin_mac *access_point) {
    const struct twin_air *air = access_point->air;

    for (uint32_t i = 1; i <= COUNT_OF_MACS(air); i++) {
        uint32_t index = (access_point->turn + i) % (uint32_t)COUNT_OF_MACS(air);

        if (air->macs[index] != NULL && down_wanted(air->macs[index])) {
            access_point->turn = index;
            return air->macs[index];
        }
    }
    return NULL;
}

void twin_exchange_build(struct twin_mac *mac) {
    struct twin_mac *receiver;

    mac->ppdu.arrived = 0;
    mac->ppdu.trigger = false;
    mac->ppdu.burst = false;
    mac->ppdu.power_save = mac->ps.wanted;
    if (mac->neighbour != NULL) {
        twin_neighbour_build(mac);
        return;
    }
    if (!mac->config.access_point) {
        if (mac->ps.trigger || twin_flow_count(&mac->up) == 0) {
            build_null(mac);
        } else {
            build_data(mac, &mac->up, UINT32_MAX);
        }
        return;
    }
    if (group_wanted(mac)) {
        build_group(mac);
        return;
    }
    receiver = next_receiver(mac);
    TWIN_CHECK(receiver != NULL);
    build_data(mac, &receiver->down, receiver->ps.told ? receiver->ps.serving : UINT32_MAX);
}

void twin_exchange_build_burst(struct twin_mac *mac) {
    if (mac->beacon_due) {
        mac->beacon_due = false;
        twin_ps_beacon_build(mac);
        return;
    }
    TWIN_CHECK(mac->group.count > 0);
    build_group(mac);
    mac->ppdu.burst = true;
}

// ---- the end of the PPDU

static uint64_t end_data(struct twin_mac *mac) {
    struct twin_air *air = mac->air;
    struct twin_ppdu *ppdu = &mac->ppdu;
    uint64_t response_ns = ppdu->count == 1 ? air->ack_ns : air->block_ack_ns;

    ppdu->arrived = 0;
    for (uint32_t i = 0; i < ppdu->count && ppdu->flow != NULL; i++) {
        if (!twin_rng_hit(&mac->error, air->config.mpdu_error) && !air->silent) {
            ppdu->arrived |= UINT64_C(1) << i;
        }
    }
    if (mac->config.access_point) {
        air->counters.station_rx_ns += ppdu->air_ns;
    }
    air->counters.exchange_ns += ppdu->contended_ns + ppdu->air_ns;
    air->counters.occupied_ns += ppdu->air_ns;
    if (ppdu->arrived == 0) {
        uint64_t wait_ns = twin_sim_unsure(air->config.sim)->air_ack_timeout_ns;

        air->counters.exchange_ns += wait_ns;
        return wait_ns;
    }
    if (mac->config.access_point) {
        air->counters.station_tx_ns += response_ns;
    } else {
        air->counters.station_rx_ns += response_ns;
    }
    air->counters.exchange_ns += TWIN_AIR_SIFS_NS + response_ns;
    air->counters.occupied_ns += TWIN_AIR_SIFS_NS + response_ns;
    return TWIN_AIR_SIFS_NS + response_ns;
}

uint64_t twin_exchange_end(struct twin_mac *mac) {
    struct twin_air_counters *counters = &mac->air->counters;

    switch (mac->ppdu.kind) {
    case TWIN_PPDU_DATA:
        return end_data(mac);
    case TWIN_PPDU_NULL:
        counters->station_rx_ns += mac->air->ack_ns;
        return TWIN_AIR_SIFS_NS + mac->air->ack_ns;
    case TWIN_PPDU_GROUP:
        counters->exchange_ns += mac->ppdu.contended_ns + mac->ppdu.air_ns;
        counters->occupied_ns += mac->ppdu.air_ns;
        return 0;
    case TWIN_PPDU_BEACON:
    case TWIN_PPDU_NEIGHBOUR:  // its response is in its time
        return 0;
    }
    return 0;
}

void twin_exchange_deliver(struct twin_mac *mac) {
    struct twin_ppdu *ppdu = &mac->ppdu;

    if (ppdu->kind == TWIN_PPDU_NULL) {
        const struct twin_mac *access_point = mac->air->access_point;

        twin_ps_heard(mac, ppdu);
        if (access_point != NULL && access_point->config.heard != NULL) {
            access_point->config.heard(access_point->config.context, mac->config.address);
        }
    } else if (ppdu->kind == TWIN_PPDU_DATA && ppdu->arrived != 0) {
        if (mac->config.access_point) {
            twin_ps_active(ppdu->flow->to);
        } else {
            twin_ps_heard(mac, ppdu);
        }
        twin_flow_deliver(ppdu->flow, ppdu);
    }
}

// ---- the end of the exchange

static void log_ppdu(struct twin_mac *mac, bool collided) {
    static const char *const kinds[] = {"data", "group", "null", "beacon", "neighbour"};
    const struct twin_ppdu *ppdu = &mac->ppdu;
    const char *result = "ok";
    uint32_t lost = 0;

    for (uint32_t i = 0; i < ppdu->count && ppdu->kind == TWIN_PPDU_DATA; i++) {
        lost += (ppdu->arrived >> i & 1u) == 0 ? 1 : 0;
    }
    if (collided) {
        result = "collision";
    } else if (ppdu->kind == TWIN_PPDU_DATA && ppdu->flow == NULL) {
        result = "left";
    } else if (lost > 0) {
        result = lost == ppdu->count ? "no-response" : "partly";
    }
    twin_log(
        mac->air->config.log,
        "%s%" PRIu32 " %s bytes=%" PRIu32 " mpdus=%" PRIu32 " retries=%" PRIu32 " lost=%" PRIu32
        " wait_ns=%" PRIu64 " air_ns=%" PRIu64 " pm=%d %s",
        mac->config.access_point ? "ap" : "sta",
        mac->index,
        kinds[ppdu->kind],
        ppdu->psdu_bytes,
        ppdu->count,
        ppdu->retried,
        lost,
        ppdu->contended_ns,
        ppdu->air_ns,
        ppdu->power_save ? 1 : 0,
        result);
}

// A copy to each station that is awake; the sender of the frame filters its own, as all do.
static void deliver_group(struct twin_mac *access_point, const struct twin_frame *frame) {
    struct twin_air *air = access_point->air;

    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        struct twin_mac *station = air->macs[i];

        if (station == NULL || !station->associated) {
            continue;
        }
        if (station->ps.asleep) {
            air->counters.group_missed++;
            continue;
        }
        air->counters.station_rx_ns += access_point->ppdu.air_ns;
        twin_ps_active(station);
        station->config.received(station->config.context, twin_mac_copy(air, frame));
    }
}

static void settle_group(struct twin_mac *mac, bool collided) {
    struct twin_frame *frame = mac->ppdu.group;

    mac->ppdu.group = NULL;
    if (!mac->ppdu.burst) {
        mac->cw = TWIN_AIR_CW_MIN;
        twin_channel_draw(mac);
    }
    if (!collided) {
        deliver_group(mac, frame);
    }
    if (mac->ppdu.burst) {
        twin_ps_group_end(mac);
    }
    mac->config.sent(mac->config.context, frame, !collided);
}

// The contention window after an exchange, and the back-off that follows.
static void back_off(struct twin_mac *mac, bool answered, bool exhausted) {
    if (answered || exhausted) {
        mac->cw = TWIN_AIR_CW_MIN;
    } else if (mac->cw < mac->cw_max) {
        mac->cw = mac->cw * 2 + 1;
    }
    twin_channel_draw(mac);
}

static void settle_data(struct twin_mac *mac, bool collided) {
    struct twin_ppdu *ppdu = &mac->ppdu;
    struct twin_flow *flow = ppdu->flow;
    uint64_t acked = collided ? 0 : ppdu->arrived;
    struct twin_mac *station;
    uint32_t ended;

    if (flow == NULL) {
        back_off(mac, true, false);
        return;
    }
    station = mac->config.access_point ? flow->to : mac;
    back_off(mac, acked != 0, twin_flow_exhausted(flow, ppdu));
    ended = twin_flow_settle(flow, ppdu, acked);
    if (mac->config.access_point) {
        twin_ps_served(station, ended);
    }
    twin_ps_update(station);
}

void twin_exchange_settle(struct twin_mac *mac, bool collided) {
    if (mac->air->config.log != NULL) {
        log_ppdu(mac, collided);
    }
    switch (mac->ppdu.kind) {
    case TWIN_PPDU_DATA:
        settle_data(mac, collided);
        break;
    case TWIN_PPDU_GROUP:
        settle_group(mac, collided);
        break;
    case TWIN_PPDU_NULL:
        back_off(mac, !collided, false);
        twin_ps_update(mac);
        break;
    case TWIN_PPDU_BEACON:
        twin_ps_beacon_end(mac, !collided);
        break;
    case TWIN_PPDU_NEIGHBOUR:
        back_off(mac, !collided, twin_neighbour_settle(mac, collided));
        break;
    }
}
