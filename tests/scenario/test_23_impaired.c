// SPDX-License-Identifier: MIT
// Scenario 23: loss, duplication and reordering at 1 % each, between our stack and lwIP's, either
// of them sending; data is exact, and each kind of impairment has happened.
#include "interop/impair.h"
#include "lwip_path.h"

// A way through the impairments, in one direction.
struct way {
    struct impair *impair;
    struct twin_event due;
    struct twin_port to;
};

static struct way ways[2];

static void arm(struct way *way) {
    uint64_t due_ns = impair_due_ns(way->impair);

    if (due_ns != IMPAIR_NEVER) {
        twin_at(w.sim, &way->due, due_ns);
    }
}

static void way_due(void *context) {
    struct way *way = context;
    uint32_t size_bytes;
    const uint8_t *at;

    while ((at = impair_frame(way->impair, twin_now_ns(w.sim), &size_bytes)) != NULL) {
        struct twin_frame *frame = twin_frame_get(w.frames);

        memcpy(frame->data, at, size_bytes);
        frame->size_bytes = (uint16_t)size_bytes;
        impair_take(way->impair);
        way->to.input(way->to.context, frame);
    }
    arm(way);
}

static void way_input(void *context, struct twin_frame *frame) {
    struct way *way = context;

    impair_input(way->impair, twin_now_ns(w.sim), frame->data, frame->size_bytes);
    twin_frame_put(w.frames, frame);
    arm(way);
}

static void open_way(
    struct way *way, const struct impair_config *config, uint64_t seed, struct twin_port to) {
    struct impair_config mine = *config;

    mine.seed = seed;
    way->impair = impair_new(&mine);
    CHECK(way->impair != NULL);
    way->to = to;
    twin_event_init(&way->due, way_due, way);
}

static void close_ways(void) {
    for (uint32_t i = 0; i < 2; i++) {
        impair_free(ways[i].impair);
        ways[i].impair = NULL;
    }
}

// Everything arrives, both sides end in order, and every impairment fired.
static void transfer(const struct lwip_plan *plan, const struct impair_config *config) {
    open_path(plan);
    open_way(&ways[0], config, plan->seed * 2, (struct twin_port){.input = input});
    open_way(&ways[1], config, plan->seed * 2 + 1, twin_peer_port(w.peer));
    twin_wire_connect_near(w.wire, (struct twin_port){way_input, &ways[0]});
    twin_wire_connect_far(w.wire, (struct twin_port){way_input, &ways[1]});
    open_tcp();
    uint32_t kbit_s = run_transfer();
    CHECK_EQ(w.arrived, plan->total);
    twin_run_until(w.sim, twin_now_ns(w.sim) + 200000000000ULL);
    CHECK_EQ(w.closed_by_reset, 0);
    CHECK_EQ(cor_tcp_error(&w.tcp), COR_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const struct impair_counters *counters = impair_get_counters(ways[i].impair);

        CHECK((config->loss > 0) == (counters->lost > 0));
        CHECK((config->twice > 0) == (counters->doubled > 0));
        CHECK((config->reorder > 0) == (counters->held > 0));
        CHECK((config->damage > 0) == (counters->damaged > 0));
    }
    printf(
        "     seed %u, %s sends: %u kbit/s, %u time-outs of ours\n",
        (unsigned)plan->seed,
        plan->receive ? "lwIP" : "our stack",
        kbit_s,
        (unsigned)cor_tcp_get_counters(&w.tcp)->timeouts);
    close_path();
    close_ways();
}

static const struct impair_config one_percent_each = {
    .loss = 0.01, .twice = 0.01, .reorder = 0.01, .hold_ns = 3000000, .delay_ns = 1000000};

static void transfers(const struct impair_config *config, bool receive) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct lwip_plan plan = {
            .seed = seed,
            .delay_ns = 1000000,
            .ring_bytes = 65536,
            .total = 4 << 20,
            .receive = receive,
        };

        transfer(&plan, config);
    }
}

TEST(scenario_23_one_percent_of_each_and_we_send) {
    transfers(&one_percent_each, false);
}

TEST(scenario_23_one_percent_of_each_and_lwip_sends) {
    transfers(&one_percent_each, true);
}

TEST(scenario_23_damage_is_dropped_by_checksum_and_sent_again) {
    struct impair_config config = one_percent_each;

    config.damage = 0.01;
    transfers(&config, false);
    transfers(&config, true);
}

// lwIP goes on acknowledging what it has got, for every frame that comes doubled.
TEST(scenario_23_time_outs_come_although_acknowledgements_are_doubled) {
    struct impair_config config = {
        .loss = 0.15, .twice = 0.9, .reorder = 0.1, .hold_ns = 5000000, .delay_ns = 1000000};
    struct lwip_plan plan = {
        .seed = 7, .delay_ns = 1000000, .ring_bytes = 16384, .total = 512 << 10};

    transfer(&plan, &config);
    CHECK(w.tcp.counters.timeouts > 0);
    CHECK(w.tcp.counters.dup_acks > 20);
}

TEST_MAIN(
    CASE(scenario_23_one_percent_of_each_and_we_send),
    CASE(scenario_23_one_percent_of_each_and_lwip_sends),
    CASE(scenario_23_damage_is_dropped_by_checksum_and_sent_again),
    CASE(scenario_23_time_outs_come_although_acknowledgements_are_doubled))
