// SPDX-License-Identifier: MIT
// The impairments of the interop bridge, in virtual time: a wrong path would make every figure
// that is measured over it wrong.
#include "impair.h"
#include "test.h"

#define MS UINT64_C(1000000)

static struct impair *impair;
static uint8_t frame[1514];

static void begin(const struct impair_config *config) {
    impair_free(impair);
    impair = impair_new(config);
    CHECK(impair != NULL);
    memset(frame, 0, sizeof(frame));
    frame[12] = 0x08;  // IPv4
}

static void input(uint64_t now_ns, uint32_t number, uint32_t size_bytes) {
    memcpy(frame + 100, &number, sizeof(number));
    impair_input(impair, now_ns, frame, size_bytes);
}

// The number of the next frame due at now_ns, -1: none.
static int64_t take(uint64_t now_ns) {
    uint32_t size_bytes;
    uint32_t number;
    const uint8_t *due = impair_frame(impair, now_ns, &size_bytes);

    if (due == NULL) {
        return -1;
    }
    memcpy(&number, due + 100, sizeof(number));
    impair_take(impair);
    return number;
}

TEST(a_clean_path_passes_frames_at_once_and_in_order) {
    begin(&(struct impair_config){.seed = 1});
    for (uint32_t i = 0; i < 100; i++) {
        input(5, i, 1514);
    }
    for (uint32_t i = 0; i < 100; i++) {
        CHECK_EQ(take(5), i);
    }
    CHECK_EQ(take(5), -1);
    CHECK_EQ(impair_due_ns(impair), IMPAIR_NEVER);
}

TEST(the_delay_is_exact) {
    begin(&(struct impair_config){.delay_ns = 2 * MS});
    input(7, 1, 60 + 100);
    CHECK_EQ(impair_due_ns(impair), 2 * MS + 7);
    CHECK_EQ(take(2 * MS + 6), -1);
    CHECK_EQ(take(2 * MS + 7), 1);
}

TEST(the_rate_is_exact_over_many_frames) {
    uint64_t last_ns = 0;

    // 33 Mbit/s: 1514 bytes take 367030.30 ns.
    begin(&(struct impair_config){.rate_bps = 33000000, .queue_frames = 4000});
    for (uint32_t i = 0; i < 3300; i++) {
        input(0, i, 1514);
    }
    for (uint32_t i = 0; i < 3300; i++) {
        last_ns = impair_due_ns(impair);
        CHECK_EQ(take(last_ns), i);
    }
    CHECK_EQ(last_ns, UINT64_C(3300) * 1514 * 8 * 1000 / 33);
}

TEST(a_path_that_was_idle_owes_nothing) {
    begin(&(struct impair_config){.rate_bps = 1000000, .queue_frames = 10});
    input(0, 1, 125);
    CHECK_EQ(impair_due_ns(impair), MS);
    CHECK_EQ(take(MS), 1);
    input(5 * MS, 2, 125);
    CHECK_EQ(impair_due_ns(impair), 6 * MS);
}

TEST(a_full_queue_drops_the_last_to_come) {
    begin(&(struct impair_config){.rate_bps = 1000000, .queue_frames = 3});
    for (uint32_t i = 0; i < 5; i++) {
        input(0, i, 125);
    }
    CHECK_EQ(impair_get_counters(impair)->drop_queue, 2);
    CHECK_EQ(impair_get_counters(impair)->queue_frames_max, 3);
    input(MS, 5, 125);  // one has left
    CHECK_EQ(impair_get_counters(impair)->drop_queue, 2);
    CHECK_EQ(take(10 * MS), 0);
    CHECK_EQ(take(10 * MS), 1);
    CHECK_EQ(take(10 * MS), 2);
    CHECK_EQ(take(10 * MS), 5);
}

// Sends 100000 frames one by one through a path with these chances.
static void pass_many(const struct impair_config *config) {
    begin(config);
    for (uint32_t i = 0; i < 100000; i++) {
        input(i * MS, i, 1514);
        while (take(i * MS) >= 0) {
        }
    }
}

TEST(chances_are_as_asked) {
    const struct impair_counters *counters;

    pass_many(&(struct impair_config){
        .loss = 0.02, .twice = 0.01, .damage = 0.03, .reorder = 0.05, .seed = 42});
    counters = impair_get_counters(impair);
    // Three standard deviations.
    CHECK_BETWEEN(counters->lost, 2000 - 133, 2000 + 133);
    CHECK_BETWEEN(counters->doubled, 980 - 94, 980 + 94);
    CHECK_BETWEEN(counters->damaged, 2940 - 162, 2940 + 162);
    CHECK_BETWEEN(counters->held, 4900 - 207, 4900 + 207);
    CHECK_EQ(counters->frames_out, 100000 - counters->lost + counters->doubled);
}

TEST(one_seed_loses_the_same_frames_whatever_else_is_set) {
    static bool lost[1000];
    uint32_t others = 0;

    begin(&(struct impair_config){.loss = 0.1, .seed = 9});
    for (uint32_t i = 0; i < 1000; i++) {
        input(0, i, 1514);
        lost[i] = take(0) < 0;
    }
    begin(&(struct impair_config){.loss = 0.1, .seed = 9, .twice = 0.5, .damage = 0.5});
    for (uint32_t i = 0; i < 1000; i++) {
        input(0, i, 1514);
        others += (take(0) < 0) != lost[i];
        while (take(0) >= 0) {
        }
    }
    CHECK_EQ(others, 0);
}

TEST(damage_turns_one_bit_behind_the_ethernet_header) {
    begin(&(struct impair_config){.damage = 1, .seed = 3});
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t size_bytes;
        uint32_t bits = 0;

        input(0, i, 1514);
        const uint8_t *due = impair_frame(impair, 0, &size_bytes);
        CHECK(due != NULL);
        CHECK_BYTES(due, frame, 14);
        for (uint32_t at = 14; at < size_bytes; at++) {
            bits += (uint32_t)__builtin_popcount(due[at] ^ frame[at]);
        }
        CHECK_EQ(bits, 1);
        impair_take(impair);
    }
}

TEST(arp_is_never_damaged) {
    uint32_t size_bytes;

    begin(&(struct impair_config){.damage = 1});
    frame[13] = 0x06;
    input(0, 1, 160);
    CHECK_BYTES(impair_frame(impair, 0, &size_bytes), frame, 160);
    CHECK_EQ(impair_get_counters(impair)->damaged, 0);
}

TEST(a_frame_held_back_is_overtaken_by_those_within_the_hold) {
    uint32_t overtaken = 0;
    int64_t highest = -1;

    begin(&(struct impair_config){.reorder = 0.1, .hold_ns = 3 * MS - 1, .seed = 5});
    for (uint32_t i = 0; i < 1000; i++) {
        input(i * MS, i, 1514);
        for (int64_t number = take(i * MS); number >= 0; number = take(i * MS)) {
            if (number < highest) {
                CHECK(highest - number <= 3);
                overtaken++;
            }
            highest = number > highest ? number : highest;
        }
    }
    // One in ten of those held has a held one before it and is not overtaken by all three.
    CHECK_BETWEEN(overtaken, 80, 120);
}

TEST(too_many_frames_on_their_way_are_dropped_and_counted) {
    begin(&(struct impair_config){.delay_ns = 1000 * MS});
    for (uint32_t i = 0; i < IMPAIR_FRAMES_MAX + 3; i++) {
        input(0, i, 160);
    }
    CHECK_EQ(impair_get_counters(impair)->drop_room, 3);
    for (uint32_t i = 0; i < IMPAIR_FRAMES_MAX; i++) {
        CHECK_EQ(take(1000 * MS), i);
    }
}

TEST(a_frame_too_long_is_dropped_and_counted) {
    static uint8_t giant[IMPAIR_FRAME_BYTES_MAX + 1];

    begin(&(struct impair_config){.seed = 1});
    impair_input(impair, 0, giant, sizeof(giant));
    CHECK_EQ(impair_get_counters(impair)->drop_long, 1);
    CHECK_EQ(impair_due_ns(impair), IMPAIR_NEVER);
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(a_clean_path_passes_frames_at_once_and_in_order),
        CASE(the_delay_is_exact),
        CASE(the_rate_is_exact_over_many_frames),
        CASE(a_path_that_was_idle_owes_nothing),
        CASE(a_full_queue_drops_the_last_to_come),
        CASE(chances_are_as_asked),
        CASE(one_seed_loses_the_same_frames_whatever_else_is_set),
        CASE(damage_turns_one_bit_behind_the_ethernet_header),
        CASE(arp_is_never_damaged),
        CASE(a_frame_held_back_is_overtaken_by_those_within_the_hold),
        CASE(too_many_frames_on_their_way_are_dropped_and_counted),
        CASE(a_frame_too_long_is_dropped_and_counted),
    };
    int code =
        test_run(argv[0], argc > 1 ? argv[1] : NULL, cases, sizeof(cases) / sizeof(cases[0]));

    impair_free(impair);
    return code;
}
