// SPDX-License-Identifier: MIT
// World for the numbered scenarios of bus, chip and joining: the driver's world with a script of
// faults that grows while it runs, and with everything the driver tells on record.
//
// Each scenario is safety first: while the fault lasts nothing wrong reaches anybody, no frame goes
// beyond the credit, everything is counted. Then the fault ends, and within a bound all is well.
#ifndef FAULT_WORLD_H
#define FAULT_WORLD_H

#include "driver_world.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

#define NOTICES_MAX 4096

struct notice {
    uint64_t at_us;
    enum cor_cyw43_notice notice;
    int32_t value;
};

// What the driver has told; one world at a time.
static struct notice notices[NOTICES_MAX];
static uint32_t notice_count;
static uint64_t fed_us;
static uint64_t unfed_us_max;

static inline void take_notice(
    void *context, uint64_t now_us, enum cor_cyw43_notice notice, int32_t value) {
    (void)context;
    if (notice_count < NOTICES_MAX) {
        notices[notice_count++] = (struct notice){now_us, notice, value};
    }
}

static inline void take_feed(void *context) {
    const struct world *const *world = context;
    uint64_t now_us = *world == NULL ? 0 : world_now_us(*world);

    if (now_us - fed_us > unfed_us_max && fed_us != 0) {
        unfed_us_max = now_us - fed_us;
    }
    fed_us = now_us;
}

static struct world *fed_world;

static inline struct options fault_options(const char *faults) {
    struct options options = options_default();

    options.faults = faults;
    options.tolerant = true;
    options.keep = true;
    options.hooks =
        (struct cor_cyw43_hooks){.context = &fed_world, .notice = take_notice, .feed = take_feed};
    return options;
}

static inline struct world *fault_open(const struct options *options) {
    notice_count = 0;
    fed_us = 0;
    unfed_us_max = 0;
    fed_world = NULL;
    fed_world = world_open(options);
    return fed_world;
}

static inline struct world *fault_joined(const struct options *options) {
    struct world *world = fault_open(options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    CHECK_EQ(world_join(world), COR_RADIO_JOINED);
    return world;
}

// Adds a line that begins now.
static inline void fault_now(struct world *world, const char *line) {
    char text[256];
    char error[256] = "";

    snprintf(text, sizeof(text), "%s at=%lluns", line, (unsigned long long)twin_now_ns(world->sim));
    CHECK_TEXT(twin_faults_add(world->faults, text, error) ? "" : error, "");
}

static inline uint32_t told(enum cor_cyw43_notice notice) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < notice_count; i++) {
        count += notices[i].notice == notice ? 1 : 0;
    }
    return count;
}

// The n-th notice of this kind, NULL: there was none.
static inline const struct notice *told_at(enum cor_cyw43_notice notice, uint32_t n) {
    for (uint32_t i = 0; i < notice_count; i++) {
        if (notices[i].notice == notice && n-- == 0) {
            return &notices[i];
        }
    }
    return NULL;
}

static inline const struct cor_cyw43_counters *counters(const struct world *world) {
    return cor_cyw43_get_counters(&world->driver);
}

// Until the driver is in this state, at most bound_ns.
static inline bool reaches(struct world *world, enum cor_radio_state state, uint64_t bound_ns) {
    uint64_t end_ns = twin_now_ns(world->sim) + bound_ns;

    while (cor_cyw43_state(&world->driver) != state && twin_next_ns(world->sim) <= end_ns) {
        (void)twin_step(world->sim);
    }
    return cor_cyw43_state(&world->driver) == state;
}

// What must hold at every moment, whatever went wrong.
static inline void check_safe(const struct world *world) {
    struct twin_cyw43_counters chip;

    twin_cyw43_get_counters(world->chip, &chip);
    CHECK_EQ(chip.over_credit, 0);
    CHECK(world->sent <= world->pulled);
    CHECK(world->driver.op_count < COR_CYW43_OPS);
}

// Joined again within the bound, and then frames go both ways as if nothing had been.
static inline void check_well(struct world *world, uint64_t bound_ns) {
    uint32_t wrong;
    uint32_t answers;

    CHECK(reaches(world, COR_RADIO_JOINED, bound_ns));
    world_run_ns(world, 200 * MS);
    CHECK_EQ(cor_cyw43_state(&world->driver), COR_RADIO_JOINED);
    CHECK(world->link);
    // Frames that went missing are gone; from here on none does.
    world->to_send = 0;
    world_run_ns(world, 500 * MS);
    world->arrived = world->pulled;
    wrong = world->out_of_order;
    answers = world->answers;
    (void)world_upload(world, 200, 5 * S);
    world_run_ns(world, 300 * MS);
    CHECK_EQ(world->out_of_order, wrong);
    CHECK_BETWEEN(world->answers - answers, 99, 101);
    CHECK_EQ(world->sent, world->pulled);
    check_safe(world);
}

static inline void check_struck(const struct world *world) {
    for (uint32_t i = 0; i < twin_faults_count(world->faults); i++) {
        if (twin_faults_fired(world->faults, i) == 0) {
            printf("     never struck: %s\n", twin_faults_text(world->faults, i));
        }
    }
    CHECK_EQ(twin_faults_unfired(world->faults), 0);
}

// A frame from behind the access point to the board.
static inline void send_down(struct world *world, const uint8_t *target, uint32_t number) {
    struct twin_frame *frame = twin_frame_get(world->frames);
    struct twin_port port = twin_ap_port(world->ap);

    memset(frame->data, 0, ANSWER_BYTES);
    memcpy(frame->data, target, 6);
    memcpy(frame->data + 6, world_peer, 6);
    frame->data[12] = ETHER_TYPE_TEST >> 8;
    frame->data[13] = ETHER_TYPE_TEST & 0xFF;
    memcpy(frame->data + 14, &number, sizeof(number));
    frame->size_bytes = ANSWER_BYTES;
    port.input(port.context, frame);
}

#endif
