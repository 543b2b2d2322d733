// SPDX-License-Identifier: MIT
#include "coradio_twin/log.h"
#include "coradio_twin/sim.h"
#include "test.h"

#include <stdlib.h>

#define EVENTS 64

struct trace {
    struct twin_sim *sim;
    uint64_t at_ns[4096];
    int who[4096];
    int count;
};

struct mark {
    struct twin_event event;
    struct trace *trace;
    int who;
};

static void mark_run(void *context) {
    struct mark *mark = context;
    struct trace *trace = mark->trace;

    trace->at_ns[trace->count] = twin_now_ns(trace->sim);
    trace->who[trace->count] = mark->who;
    trace->count++;
}

static struct trace trace;
static struct mark marks[EVENTS];

static struct twin_sim *world(uint64_t seed, uint64_t start_ns) {
    memset(&trace, 0, sizeof(trace));
    trace.sim = twin_sim_new(seed, start_ns);
    for (int i = 0; i < EVENTS; i++) {
        marks[i].trace = &trace;
        marks[i].who = i;
        twin_event_init(&marks[i].event, mark_run, &marks[i]);
    }
    return trace.sim;
}

TEST(events_run_in_order_of_time) {
    struct twin_sim *sim = world(1, 0);

    for (int i = 0; i < EVENTS; i++) {
        twin_at(sim, &marks[i].event, (uint64_t)(i * 37 % EVENTS) * 10);
    }
    CHECK_EQ(twin_next_ns(sim), 0);
    while (twin_step(sim)) {
    }
    CHECK_EQ(trace.count, EVENTS);
    for (int i = 0; i < EVENTS; i++) {
        CHECK_EQ(trace.at_ns[i], i * 10);
        CHECK_EQ(trace.who[i] * 37 % EVENTS, i);
    }
    CHECK_EQ(twin_now_ns(sim), (EVENTS - 1) * 10);
    CHECK_EQ(twin_events_run(sim), EVENTS);
    CHECK_EQ(twin_next_ns(sim) == TWIN_NEVER, 1);
    twin_sim_free(sim);
}

TEST(events_of_one_instant_run_in_the_order_they_were_queued) {
    struct twin_sim *sim = world(1, 0);

    // Others before and after, taken away again, so that the heap is stirred.
    for (int i = 0; i < EVENTS; i++) {
        int who = i * 29 % EVENTS;

        twin_at(sim, &marks[who].event, who % 2 == 0 ? 500 : 100);
    }
    for (int i = 0; i < EVENTS; i++) {
        int who = i * 29 % EVENTS;

        if (who % 2 == 1) {
            twin_cancel(sim, &marks[who].event);
        }
    }
    while (twin_step(sim)) {
    }
    CHECK_EQ(trace.count, EVENTS / 2);
    for (int i = 0, next = 0; i < EVENTS; i++) {
        int who = i * 29 % EVENTS;

        if (who % 2 == 0) {
            CHECK_EQ(trace.who[next++], who);
        }
    }
    twin_sim_free(sim);
}

TEST(moving_an_event_puts_it_behind_others_of_the_same_instant) {
    struct twin_sim *sim = world(1, 0);

    twin_at(sim, &marks[0].event, 10);
    twin_at(sim, &marks[1].event, 10);
    twin_at(sim, &marks[2].event, 5);
    twin_at(sim, &marks[0].event, 10);  // again, same time
    twin_at(sim, &marks[2].event, 20);  // later
    twin_at(sim, &marks[3].event, 30);
    twin_at(sim, &marks[3].event, 1);  // earlier
    while (twin_step(sim)) {
    }
    CHECK_EQ(trace.count, 4);
    CHECK_EQ(trace.who[0], 3);
    CHECK_EQ(trace.who[1], 1);
    CHECK_EQ(trace.who[2], 0);
    CHECK_EQ(trace.who[3], 2);
    CHECK_EQ(trace.at_ns[3], 20);
    twin_sim_free(sim);
}

TEST(a_cancelled_event_does_not_run_and_can_be_queued_again) {
    struct twin_sim *sim = world(1, 0);

    twin_cancel(sim, &marks[0].event);  // not queued: nothing happens
    twin_at(sim, &marks[0].event, 10);
    CHECK(twin_event_queued(&marks[0].event));
    twin_cancel(sim, &marks[0].event);
    CHECK(!twin_event_queued(&marks[0].event));
    CHECK(!twin_step(sim));
    twin_after(sim, &marks[0].event, 7);
    CHECK(twin_step(sim));
    CHECK_EQ(trace.count, 1);
    CHECK_EQ(trace.at_ns[0], 7);
    CHECK(!twin_event_queued(&marks[0].event));
    twin_sim_free(sim);
}

TEST(a_time_in_the_past_counts_as_now) {
    struct twin_sim *sim = world(1, 1000);

    CHECK_EQ(twin_now_ns(sim), 1000);
    twin_at(sim, &marks[0].event, 3);
    CHECK_EQ(twin_next_ns(sim), 1000);
    twin_after(sim, &marks[1].event, TWIN_NEVER);  // does not wrap
    CHECK(twin_step(sim));
    CHECK_EQ(trace.who[0], 0);
    CHECK(twin_next_ns(sim) == TWIN_NEVER);
    twin_sim_free(sim);
    CHECK(!twin_event_queued(&marks[1].event));
}

TEST(run_until_includes_its_own_instant_and_leaves_time_there) {
    struct twin_sim *sim = world(1, 0);

    twin_at(sim, &marks[0].event, 99);
    twin_at(sim, &marks[1].event, 100);
    twin_at(sim, &marks[2].event, 101);
    twin_run_until(sim, 100);
    CHECK_EQ(trace.count, 2);
    CHECK_EQ(twin_now_ns(sim), 100);
    twin_run_until(sim, 100);
    CHECK_EQ(trace.count, 2);
    twin_run_until(sim, 1000);
    CHECK_EQ(trace.count, 3);
    CHECK_EQ(twin_now_ns(sim), 1000);
    twin_sim_free(sim);
}

// A slow and obvious queue beside the heap: both must agree over a long random run.
TEST(the_heap_agrees_with_a_plain_list) {
    struct twin_sim *sim = world(7, 0);
    struct twin_rng rng;
    struct {
        uint64_t at_ns, order;
        bool queued;
    } plain[EVENTS] = {{0, 0, false}};
    uint64_t order = 0;

    twin_rng_init(&rng, sim, "test");
    for (int round = 0; round < 4000; round++) {
        uint32_t who = twin_rng_below(&rng, EVENTS);
        uint32_t what = twin_rng_below(&rng, 4);
        int least = -1;

        if (what < 2) {
            uint64_t at_ns = twin_now_ns(sim) + twin_rng_below(&rng, 20);

            twin_at(sim, &marks[who].event, at_ns);
            plain[who].at_ns = at_ns;
            plain[who].order = order++;
            plain[who].queued = true;
            continue;
        }
        if (what == 2) {
            twin_cancel(sim, &marks[who].event);
            plain[who].queued = false;
            continue;
        }
        for (int i = 0; i < EVENTS; i++) {
            if (plain[i].queued &&
                (least < 0 || plain[i].at_ns < plain[least].at_ns ||
                 (plain[i].at_ns == plain[least].at_ns && plain[i].order < plain[least].order))) {
                least = i;
            }
        }
        trace.count = 0;
        CHECK_EQ(twin_step(sim), least >= 0);
        if (least >= 0) {
            CHECK_EQ(trace.who[0], least);
            CHECK_EQ(twin_now_ns(sim), plain[least].at_ns);
            plain[least].queued = false;
        }
    }
    twin_sim_free(sim);
}

TEST(streams_of_two_names_are_independent_and_repeatable) {
    struct twin_sim *sim = twin_sim_new(42, 0);
    struct twin_sim *other = twin_sim_new(43, 0);
    struct twin_rng a, b, again, seeded;
    int equal = 0;

    twin_rng_init(&a, sim, "air");
    twin_rng_init(&b, sim, "ais");
    twin_rng_init(&seeded, other, "air");
    uint64_t first_a = twin_rng_next(&a);
    for (int i = 0; i < 1000; i++) {
        uint64_t drawn_b = twin_rng_next(&b);

        equal += drawn_b == first_a;
        equal += drawn_b == twin_rng_next(&seeded);
    }
    CHECK_EQ(equal, 0);
    // However much another stream has drawn, this one goes on as if alone.
    twin_rng_init(&again, sim, "air");
    CHECK(twin_rng_next(&again) == first_a);
    for (int i = 0; i < 100; i++) {
        CHECK(twin_rng_next(&again) == twin_rng_next(&a));
    }
    twin_sim_free(sim);
    twin_sim_free(other);
}

TEST(xoshiro_gives_the_published_sequence) {
    // Read from public code: the vector in the tests of the Rust crate rand_xoshiro.
    struct twin_rng rng = {{1, 2, 3, 4}};

    CHECK_EQ(twin_rng_next(&rng), 11520);
    CHECK_EQ(twin_rng_next(&rng), 0);
    CHECK_EQ(twin_rng_next(&rng), 1509978240);
    CHECK(twin_rng_next(&rng) == 1215971899390074240u);
}

TEST(below_is_uniform) {
    struct twin_sim *sim = twin_sim_new(5, 0);
    struct twin_rng rng;
    int seen[16] = {0};

    twin_rng_init(&rng, sim, "below");
    for (int i = 0; i < 160000; i++) {
        seen[twin_rng_below(&rng, 16)]++;
    }
    for (int i = 0; i < 16; i++) {
        CHECK_BETWEEN(seen[i], 9600, 10400);
    }
    for (int i = 0; i < 100; i++) {
        CHECK_EQ(twin_rng_below(&rng, 1), 0);
        CHECK(twin_rng_below(&rng, 0xc0000001u) <= 0xc0000000u);
    }
    twin_sim_free(sim);
}

TEST(a_chance_hits_as_often_as_it_says) {
    struct twin_sim *sim = twin_sim_new(5, 0);
    struct twin_rng rng;
    int hits = 0;

    CHECK_EQ(twin_chance(0.0), 0);
    CHECK_EQ(twin_chance(-1.0), 0);
    CHECK_EQ(twin_chance(1.0), UINT32_MAX);
    CHECK_EQ(twin_chance(2.0), UINT32_MAX);
    CHECK_EQ(twin_chance(0.5), 0x80000000u);
    twin_rng_init(&rng, sim, "chance");
    for (int i = 0; i < 100000; i++) {
        hits += twin_rng_hit(&rng, twin_chance(0.1));
        CHECK(!twin_rng_hit(&rng, 0));
        CHECK(twin_rng_hit(&rng, UINT32_MAX));
    }
    CHECK_BETWEEN(hits, 9600, 10400);
    twin_sim_free(sim);
}

TEST(a_log_line_has_the_time_and_a_null_log_writes_nothing) {
    struct twin_sim *sim = twin_sim_new(1, 12000000345u);
    char *text = NULL;
    size_t size_bytes = 0;
    struct twin_log log = {sim, open_memstream(&text, &size_bytes)};

    twin_log(&log, "hello %d", 7);
    twin_log(NULL, "nothing");
    fclose(log.file);
    CHECK_TEXT(text, "12.000000345 hello 7\n");
    log.file = NULL;
    twin_log(&log, "nothing");
    free(text);
    twin_sim_free(sim);
}

TEST_MAIN(
    CASE(events_run_in_order_of_time),
    CASE(events_of_one_instant_run_in_the_order_they_were_queued),
    CASE(moving_an_event_puts_it_behind_others_of_the_same_instant),
    CASE(a_cancelled_event_does_not_run_and_can_be_queued_again),
    CASE(a_time_in_the_past_counts_as_now),
    CASE(run_until_includes_its_own_instant_and_leaves_time_there),
    CASE(the_heap_agrees_with_a_plain_list),
    CASE(streams_of_two_names_are_independent_and_repeatable),
    CASE(xoshiro_gives_the_published_sequence),
    CASE(below_is_uniform),
    CASE(a_chance_hits_as_often_as_it_says),
    CASE(a_log_line_has_the_time_and_a_null_log_writes_nothing))
