// SPDX-License-Identifier: MIT
// Power save: beacons, what the access point keeps for sleeping stations, and when a radio sleeps.
//
// A station tells the access point by a bit in each of its frames whether it sleeps. For a station
// that does, frames wait until a beacon announces them and the station, if it wakes for that
// beacon, asks for them with a null frame. In TWIN_PM_LEGACY the answer is all that was buffered
// when the null frame came, and the station sleeps again; what comes while it is being served waits
// for the next beacon. UNSURE: an access point may go on as long as frames come ("more data"); the
// fact sheet's W / (L * B) for uploads is true only where it does not.
#include "air/air_state.h"
#include "sim/alloc.h"

static uint64_t now(const struct twin_mac *mac) {
    return twin_now_ns(mac->air->config.sim);
}

// ---- the station

static void timer(void *context) {
    struct twin_mac *station = context;
    struct twin_ps *ps = &station->ps;
    uint64_t due_ns = ps->active_ns + ps->sleep_return_ns;

    if (ps->pm != TWIN_PM_FAST || !station->associated) {
        return;
    }
    if (twin_flow_count(&station->up) > 0) {
        due_ns = now(station) + ps->sleep_return_ns;
    }
    if (due_ns > now(station)) {
        twin_at(station->air->config.sim, &ps->timer, due_ns);
        return;
    }
    ps->wanted = true;
    twin_channel_contend(station->air);
}

void twin_ps_init(struct twin_mac *station) {
    station->ps.pm = TWIN_PM_AWAKE;
    station->ps.sleep_return_ns = TWIN_AIR_SLEEP_RETURN_NS;
    station->ps.wake_beacons = 1;
    twin_event_init(&station->ps.timer, timer, station);
}

void twin_ps_active(struct twin_mac *station) {
    struct twin_ps *ps = &station->ps;

    if (ps->pm != TWIN_PM_FAST) {
        return;
    }
    ps->active_ns = now(station);
    ps->wanted = false;
    // The timer is not moved with each frame; it looks at active_ns when it is due.
    if (!twin_event_queued(&ps->timer)) {
        twin_after(station->air->config.sim, &ps->timer, ps->sleep_return_ns);
    }
}

void twin_ps_update(struct twin_mac *station) {
    struct twin_ps *ps = &station->ps;
    bool asleep = station->associated && ps->wanted && ps->told && !ps->listening && !ps->trigger &&
                  !ps->service && !ps->group_wait && !station->sending &&
                  twin_flow_count(&station->up) == 0;

    if (asleep == ps->asleep) {
        return;
    }
    ps->asleep = asleep;
    if (asleep) {
        ps->asleep_since_ns = now(station);
    } else {
        station->air->counters.station_sleep_ns += now(station) - ps->asleep_since_ns;
    }
}

static void want(struct twin_mac *station) {
    station->ps.wanted = station->ps.pm == TWIN_PM_LEGACY;
    twin_ps_active(station);
    twin_ps_update(station);
}

void twin_ps_associated(struct twin_mac *station) {
    want(station);
}

void twin_ps_left(struct twin_mac *station) {
    struct twin_ps *ps = &station->ps;

    twin_cancel(station->air->config.sim, &ps->timer);
    ps->wanted = false;
    ps->told = false;
    ps->listening = false;
    ps->trigger = false;
    ps->keep = false;
    ps->service = false;
    ps->group_wait = false;
    ps->serving = 0;
    twin_ps_update(station);
}

void twin_mac_set_pm(
    struct twin_mac *station, enum twin_pm pm, uint64_t sleep_return_ns, uint32_t wake_beacons) {
    struct twin_ps *ps = &station->ps;

    TWIN_CHECK(!station->config.access_point);
    ps->pm = pm;
    ps->sleep_return_ns = sleep_return_ns == 0 ? TWIN_AIR_SLEEP_RETURN_NS : sleep_return_ns;
    ps->wake_beacons = wake_beacons == 0 ? 1 : wake_beacons;
    if (station->associated) {
        twin_cancel(station->air->config.sim, &ps->timer);
        want(station);
        twin_channel_contend(station->air);
    }
}

void twin_mac_send_null(struct twin_mac *station) {
    if (station->associated) {
        station->ps.keep = true;
        twin_channel_contend(station->air);
    }
}

bool twin_mac_asleep(const struct twin_mac *station) {
    return station->ps.asleep;
}

// ---- what the access point knows

void twin_ps_heard(struct twin_mac *station, const struct twin_ppdu *ppdu) {
    struct twin_ps *ps = &station->ps;

    if (!station->associated) {
        return;  // it has left while the frame was on the air
    }
    ps->told = ppdu->power_save;
    if (ppdu->trigger) {
        ps->trigger = false;
        ps->serving = twin_flow_count(&station->down);
        ps->service = ps->serving > 0;
    }
}

void twin_ps_served(struct twin_mac *station, uint32_t count) {
    struct twin_ps *ps = &station->ps;

    ps->serving -= count < ps->serving ? count : ps->serving;
    ps->service = ps->service && ps->serving > 0;
}

bool twin_ps_buffers(const struct twin_air *air) {
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        if (air->macs[i] != NULL && air->macs[i]->associated && air->macs[i]->ps.told) {
            return true;
        }
    }
    return false;
}

// ---- beacons

void twin_mac_start_beacons(
    struct twin_mac *access_point, uint32_t interval_tu, uint32_t dtim_period) {
    access_point->beacon_interval_ns = interval_tu * TWIN_AIR_TU_NS;
    access_point->dtim_period = dtim_period == 0 ? TWIN_AP_DTIM_COUNT : dtim_period;
    twin_after(
        access_point->air->config.sim, &access_point->tbtt, access_point->beacon_interval_ns);
}

void twin_ps_tbtt(void *context) {
    struct twin_mac *access_point = context;
    struct twin_air *air = access_point->air;

    access_point->beacon_number++;
    access_point->beacon_due = true;
    access_point->beacon_at_ns = now(access_point);
    twin_after(air->config.sim, &access_point->tbtt, access_point->beacon_interval_ns);
    if (air->silent) {
        access_point->beacon_due = false;
        return;
    }
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        struct twin_mac *station = air->macs[i];

        if (station != NULL && station->associated && station->ps.told &&
            access_point->beacon_number % station->ps.wake_beacons == 0) {
            station->ps.listening = true;
            twin_ps_update(station);
        }
    }
    twin_channel_contend(air);
}

void twin_ps_beacon_build(struct twin_mac *access_point) {
    struct twin_air *air = access_point->air;
    struct twin_ppdu *ppdu = &access_point->ppdu;

    ppdu->kind = TWIN_PPDU_BEACON;
    ppdu->flow = NULL;
    ppdu->count = 0;
    ppdu->retried = 0;
    ppdu->power_save = false;
    ppdu->psdu_bytes = (uint32_t)twin_sim_unsure(air->config.sim)->air_beacon_bytes;
    ppdu->air_ns = twin_timing_dsss_ns(air, ppdu->psdu_bytes);
    ppdu->dtim = access_point->beacon_number % access_point->dtim_period == 0;
    air->counters.beacons++;
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        struct twin_mac *station = air->macs[i];

        if (station != NULL) {
            station->ps.tim = station->associated && twin_flow_count(&station->down) > 0;
        }
    }
}

static void hear_beacon(struct twin_mac *station, bool group_follows) {
    struct twin_ps *ps = &station->ps;

    if (!ps->asleep) {
        const struct twin_air *air = station->air;
        uint64_t size_bytes = twin_sim_unsure(air->config.sim)->air_beacon_bytes;

        station->air->counters.station_rx_ns += twin_timing_dsss_ns(air, (uint32_t)size_bytes);
    }
    if (!ps->listening) {
        return;
    }
    ps->group_wait = group_follows;
    if (ps->tim && ps->pm == TWIN_PM_LEGACY && !ps->service) {
        ps->trigger = true;
    } else if (ps->tim && ps->pm == TWIN_PM_FAST) {
        twin_ps_active(station);
    }
}

void twin_ps_beacon_end(struct twin_mac *access_point, bool heard) {
    struct twin_air *air = access_point->air;

    if (access_point->ppdu.dtim && twin_ps_buffers(air)) {
        access_point->group_release = access_point->group.count;
    }
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        struct twin_mac *station = air->macs[i];

        if (station == NULL || !station->associated) {
            continue;
        }
        if (heard) {
            hear_beacon(station, access_point->group_release > 0);
        }
        station->ps.listening = false;
        twin_ps_update(station);
    }
}

void twin_ps_group_end(struct twin_mac *access_point) {
    struct twin_air *air = access_point->air;

    access_point->group_release--;
    if (access_point->group_release > 0) {
        return;
    }
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        if (air->macs[i] != NULL) {
            air->macs[i]->ps.group_wait = false;
            twin_ps_update(air->macs[i]);
        }
    }
}
