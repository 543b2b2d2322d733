// SPDX-License-Identifier: MIT
// Channel: CSMA/CA. Who transmits next, and the three phases of an exchange.
//
// A MAC with s slots of back-off left transmits at t0 + AIFS + s slots, t0 being the instant at
// which the channel became idle. So no event a slot is needed: the earliest of these times is the
// next event, all MACs with that very time transmit (two or more: collision), and the others have
// lost as many slots as have passed. A MAC draws a new back-off after each exchange of its own, and
// it counts down whether or not there is something to send; when it has run out and the channel is
// idle, a frame goes at once; when it has run out and the channel is busy, a new one is drawn.
#include "air/air_state.h"
#include "sim/alloc.h"

void twin_channel_draw(struct twin_mac *mac) {
    mac->slots = twin_rng_below(&mac->backoff, mac->cw + 1u);
}

static uint64_t later(uint64_t one_ns, uint64_t other_ns) {
    return one_ns > other_ns ? one_ns : other_ns;
}

// Beacons, and group frames behind a DTIM, do not contend.
static uint64_t burst_access_ns(const struct twin_mac *mac) {
    uint64_t at_ns = mac->air->idle_since_ns + TWIN_AIR_PIFS_NS;

    if (mac->beacon_due) {
        return later(at_ns, mac->beacon_at_ns);
    }
    return mac->group_release > 0 ? at_ns : TWIN_NEVER;
}

// When the MAC will transmit, if the channel stays idle.
static uint64_t access_ns(const struct twin_mac *mac) {
    uint64_t burst_ns = burst_access_ns(mac);
    uint64_t data_ns = TWIN_NEVER;

    if (mac->contending) {
        data_ns = mac->air->idle_since_ns + TWIN_AIR_AIFS_NS + mac->slots * TWIN_AIR_SLOT_NS;
        data_ns = later(data_ns, mac->ready_ns);
    }
    return burst_ns < data_ns ? burst_ns : data_ns;
}

static void look(struct twin_mac *mac) {
    bool wanted;

    if (mac->sending) {
        return;
    }
    wanted = twin_exchange_wanted(mac);
    if (wanted && !mac->contending) {
        mac->ready_ns = twin_now_ns(mac->air->config.sim);
        if (mac->air->channel != TWIN_CHANNEL_IDLE && mac->slots == 0) {
            twin_channel_draw(mac);
        }
    }
    mac->contending = wanted;
}

void twin_channel_contend(struct twin_air *air) {
    uint64_t at_ns = TWIN_NEVER;

    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        struct twin_mac *mac = air->macs[i];

        if (mac != NULL) {
            uint64_t mac_ns;

            look(mac);
            mac_ns = access_ns(mac);
            at_ns = mac_ns < at_ns ? mac_ns : at_ns;
        }
    }
    if (air->channel != TWIN_CHANNEL_IDLE) {
        return;
    }
    if (at_ns == TWIN_NEVER) {
        twin_cancel(air->config.sim, &air->step);
    } else if (!twin_event_queued(&air->step) || air->step.at_ns != at_ns) {
        twin_at(air->config.sim, &air->step, at_ns);
    }
}

// The slots that have passed on the idle channel are lost to a MAC that does not transmit.
static void freeze(struct twin_mac *mac, uint64_t now_ns) {
    uint64_t counted_from_ns = mac->air->idle_since_ns + TWIN_AIR_AIFS_NS;
    uint64_t passed;

    if (now_ns <= counted_from_ns) {
        return;
    }
    passed = (now_ns - counted_from_ns) / TWIN_AIR_SLOT_NS;
    mac->slots -= passed < mac->slots ? (uint32_t)passed : mac->slots;
}

static void transmit(struct twin_mac *mac, uint64_t now_ns) {
    uint64_t since_ns = mac->air->idle_since_ns;

    if (burst_access_ns(mac) <= now_ns) {
        freeze(mac, now_ns);
        twin_exchange_build_burst(mac);
        since_ns = now_ns - TWIN_AIR_PIFS_NS;
    } else {
        mac->slots = 0;
        mac->contending = false;
        twin_exchange_build(mac);
        since_ns = later(since_ns, mac->ready_ns);
    }
    mac->ppdu.contended_ns = now_ns - since_ns;
    mac->sending = true;
}

static void start(struct twin_air *air) {
    uint64_t now_ns = twin_now_ns(air->config.sim);
    uint64_t longest_ns = 0;
    uint32_t senders = 0;

    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        struct twin_mac *mac = air->macs[i];

        if (mac == NULL) {
            continue;
        }
        if (access_ns(mac) > now_ns) {
            freeze(mac, now_ns);
            continue;
        }
        transmit(mac, now_ns);
        longest_ns = later(longest_ns, mac->ppdu.air_ns);
        senders++;
    }
    TWIN_CHECK(senders > 0);
    air->channel = TWIN_CHANNEL_PPDU;
    air->collided = senders > 1;
    twin_after(air->config.sim, &air->step, longest_ns);
}

// The sender when there is just one; NULL when it has been freed meanwhile, or after a collision.
static struct twin_mac *sender(const struct twin_air *air) {
    for (size_t i = 0; !air->collided && i < COUNT_OF_MACS(air); i++) {
        if (air->macs[i] != NULL && air->macs[i]->sending) {
            return air->macs[i];
        }
    }
    return NULL;
}

static void settle(struct twin_air *air) {
    bool collided = air->collided;
    uint32_t senders = 0;  // bit i: MAC i

    air->channel = TWIN_CHANNEL_IDLE;
    air->idle_since_ns = twin_now_ns(air->config.sim);
    air->collided = false;
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        if (air->macs[i] != NULL && air->macs[i]->sending) {
            air->macs[i]->sending = false;
            senders |= 1u << i;
        }
    }
    // Callbacks run from here on; the channel is already in its new state for them.
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        if ((senders >> i & 1u) != 0 && air->macs[i] != NULL) {
            twin_exchange_settle(air->macs[i], collided);
        }
    }
    twin_channel_contend(air);
}

static void count_collision(struct twin_air *air) {
    uint64_t contended_ns = 0;
    uint64_t longest_ns = 0;

    air->counters.collisions++;
    for (size_t i = 0; i < COUNT_OF_MACS(air); i++) {
        const struct twin_mac *mac = air->macs[i];

        if (mac != NULL && mac->sending) {
            contended_ns = later(contended_ns, mac->ppdu.contended_ns);
            longest_ns = later(longest_ns, mac->ppdu.air_ns);
        }
    }
    air->counters.collision_ns +=
        contended_ns + longest_ns + twin_sim_unsure(air->config.sim)->air_ack_timeout_ns;
}

static void end_ppdu(struct twin_air *air) {
    struct twin_mac *mac = sender(air);
    uint64_t busy_ns = 0;

    if (air->collided) {
        count_collision(air);
        busy_ns = twin_sim_unsure(air->config.sim)->air_ack_timeout_ns;
    } else if (mac != NULL) {
        busy_ns = twin_exchange_end(mac);
    }
    if (busy_ns == 0) {
        settle(air);
        return;
    }
    air->channel = TWIN_CHANNEL_RESPONSE;
    twin_after(air->config.sim, &air->step, busy_ns);
    if (mac != NULL) {
        twin_exchange_deliver(mac);
        twin_channel_contend(air);
    }
}

void twin_channel_step(void *context) {
    struct twin_air *air = context;

    switch (air->channel) {
    case TWIN_CHANNEL_IDLE:
        start(air);
        break;
    case TWIN_CHANNEL_PPDU:
        end_ppdu(air);
        break;
    case TWIN_CHANNEL_RESPONSE:
        settle(air);
        break;
    }
}
