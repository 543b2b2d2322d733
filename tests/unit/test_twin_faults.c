// SPDX-License-Identifier: MIT
// Fault scripts: what a line may say, when a fault strikes, and levers that the scenarios leave
// out.
#include "twin_cyw43_link.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct plan {
    struct twin_sim *sim;
    struct twin_faults *faults;
    char error[256];
    uint32_t begins;
    uint32_t ends;
};

static struct plan *plan_new(const char *script) {
    static struct plan plan;

    memset(&plan, 0, sizeof(plan));
    plan.sim = twin_sim_new(7, 1000000);
    plan.faults = twin_faults_new(plan.sim);
    CHECK(twin_faults_script(plan.faults, script, plan.error));
    return &plan;
}

static void plan_free(struct plan *plan) {
    twin_faults_free(plan->faults);
    twin_sim_free(plan->sim);
}

static bool hit(struct plan *plan) {
    return twin_faults_hit(plan->faults, TWIN_RX_DROP, NULL) != NULL;
}

// Which of the first 16 opportunities struck, one bit each.
static uint32_t hits(struct plan *plan) {
    uint32_t bits = 0;

    for (uint32_t i = 0; i < 16; i++) {
        bits |= hit(plan) ? 1u << i : 0;
    }
    return bits;
}

static bool told(
    void *context, enum twin_lever lever, const struct twin_fault_what *what, bool begins) {
    struct plan *plan = context;

    (void)what;
    plan->begins += begins ? 1 : 0;
    plan->ends += begins ? 0 : 1;
    return lever == TWIN_AP_DEAUTH;
}

TEST(a_wrong_line_is_named_with_what_to_write) {
    static const struct {
        const char *line;
        const char *error;
    } lines[] = {
        {"rx-drop\nnonsense", "line 2: no lever is called 'nonsense'"},
        {"rx-drop color=1", "line 1: rx-drop does not take 'color'; it takes: channel at for"},
        {"rx-drop count", "line 1: 'count' is no word=value"},
        {"rx-drop count=0", "line 1: count=0: not a value for that"},
        {"rx-drop p=1.5", "line 1: p=1.5: not a value for that"},
        {"rx-drop at=3parsec", "line 1: at=3parsec: not a value for that"},
        {"rx-drop channel=radio", "line 1: channel=radio: not a value for that"},
        {"rx-drop repeat=1s", "line 1: rx-drop does not take 'repeat'"},
        {"rx-delay", "line 1: rx-delay needs time="},
        {"rx-cut", "line 1: rx-cut needs value="},
        {"bus-flip bits=99", "line 1: bits=99: not a value for that"},
        {"bus-flip fn=3", "line 1: fn=3: not a value for that"},
        {"event type=link", "line 1: event needs at=, repeat=, after=, every= or p="},
        {"chip-hang at=1s p=0.5", "line 1: either at= and repeat=, or after=, every= and p="},
        {"reply-drop name=", "line 1: name=: not a value for that"},
    };
    struct plan *plan = plan_new("");

    for (size_t i = 0; i < COUNT(lines); i++) {
        CHECK(!twin_faults_script(plan->faults, lines[i].line, plan->error));
        if (strncmp(plan->error, lines[i].error, strlen(lines[i].error)) != 0) {
            printf("  %s\n", plan->error);
        }
        CHECK(strncmp(plan->error, lines[i].error, strlen(lines[i].error)) == 0);
    }
    plan_free(plan);
}

TEST(comments_and_semicolons_part_a_script) {
    struct plan *plan =
        plan_new("# nothing; here\n\n  rx-drop  # this; too\nbus-ones;bus-zeros ; \n\t");

    CHECK_EQ(twin_faults_count(plan->faults), 3);
    CHECK_TEXT(twin_faults_text(plan->faults, 0), "rx-drop");
    CHECK_TEXT(twin_faults_lever(plan->faults, 2), "bus-zeros");
    CHECK_EQ(twin_faults_unfired(plan->faults), 3);
    plan_free(plan);
}

TEST(a_hit_strikes_by_number) {
    static const struct {
        const char *line;
        uint32_t bits;
    } lines[] = {
        {"rx-drop", 0x0001},
        {"rx-drop after=3", 0x0008},
        {"rx-drop count=3", 0x0007},
        {"rx-drop every=4", 0x1111},
        {"rx-drop after=1 every=5 count=2", 0x0042},
        {"rx-drop for=1s", 0xFFFF},
        {"rx-drop at=1s", 0},
        {"rx-drop after=2; rx-drop after=2", 0x000C},  // the second counts what the first leaves
    };

    for (size_t i = 0; i < COUNT(lines); i++) {
        struct plan *plan = plan_new(lines[i].line);

        CHECK_EQ(hits(plan), lines[i].bits);
        plan_free(plan);
    }
}

TEST(a_chance_is_a_stream_of_its_own) {
    struct plan *alone = plan_new("rx-drop p=0.3");
    uint32_t bits = hits(alone);
    struct plan *pair;
    uint32_t fired = 0;

    for (uint32_t i = 0; i < 10000; i++) {
        fired += hit(alone);
    }
    CHECK_BETWEEN(fired, 2800, 3200);
    plan_free(alone);
    pair = plan_new("rx-drop p=0.3; tx-drop p=0.5; rx-double p=0.5");
    for (uint32_t i = 0; i < 16; i++) {
        (void)twin_faults_hit(pair->faults, TWIN_RX_DOUBLE, NULL);
    }
    CHECK_EQ(hits(pair), bits);
    plan_free(pair);
}

TEST(time_counts_from_the_start_of_the_world) {
    struct plan *plan = plan_new("rx-drop at=1ms for=2ms");

    CHECK(!hit(plan));
    twin_run_until(plan->sim, 1999999);
    CHECK(!hit(plan));
    twin_run_until(plan->sim, 2000000);
    CHECK(hit(plan) && hit(plan));
    twin_run_until(plan->sim, 4000000);
    CHECK(!hit(plan));
    CHECK_EQ(twin_faults_fired(plan->faults, 0), 2);
    CHECK_EQ(twin_faults_end_ns(plan->faults), 4000000);
    plan_free(plan);
}

TEST(a_state_begins_ends_and_comes_again) {
    struct plan *plan = plan_new("credit-hold at=1ms for=1ms repeat=5ms count=3");

    twin_faults_listen(plan->faults, told, plan);
    for (uint32_t i = 0; i < 4; i++) {
        twin_run_until(plan->sim, (i * 5 + 2) * MS + 1);
        CHECK_EQ(twin_faults_active(plan->faults, TWIN_CREDIT_HOLD) != NULL, i < 3);
        twin_run_until(plan->sim, (i * 5 + 3) * MS + 1);
        CHECK(twin_faults_active(plan->faults, TWIN_CREDIT_HOLD) == NULL);
    }
    CHECK_EQ(plan->begins, 3);
    CHECK_EQ(plan->ends, 3);
    CHECK_EQ(twin_faults_fired(plan->faults, 0), 3);
    CHECK_EQ(twin_faults_end_ns(plan->faults), 13 * MS);
    plan_free(plan);
}

TEST(a_look_does_not_count_as_having_struck) {
    struct plan *plan = plan_new("credit-hold");

    CHECK(twin_faults_peek(plan->faults, TWIN_CREDIT_HOLD) != NULL);
    CHECK_EQ(twin_faults_unfired(plan->faults), 1);
    CHECK(twin_faults_active(plan->faults, TWIN_CREDIT_HOLD) != NULL);
    CHECK(twin_faults_active(plan->faults, TWIN_CREDIT_HOLD) != NULL);
    CHECK_EQ(twin_faults_fired(plan->faults, 0), 1);
    CHECK_EQ(twin_faults_end_ns(plan->faults), TWIN_NEVER);
    plan_free(plan);
}

TEST(an_action_that_nobody_minds_has_not_struck) {
    struct plan *plan = plan_new("ap-deauth at=1ms; ap-forget at=1ms");

    twin_faults_listen(plan->faults, told, plan);
    twin_run_until(plan->sim, 5 * MS);
    CHECK_EQ(twin_faults_fired(plan->faults, 0), 1);
    CHECK_EQ(twin_faults_fired(plan->faults, 1), 0);
    CHECK_EQ(plan->ends, 0);
    plan_free(plan);
}

TEST(a_state_may_begin_by_number_of_transactions) {
    struct plan *plan = plan_new("chip-hang after=2 for=1ms count=2 every=1");

    twin_faults_listen(plan->faults, told, plan);
    twin_faults_tick(plan->faults);
    twin_faults_tick(plan->faults);
    CHECK_EQ(plan->begins, 0);
    twin_faults_tick(plan->faults);
    twin_faults_tick(plan->faults);
    CHECK_EQ(plan->begins, 1);
    twin_run_until(plan->sim, 3 * MS);
    CHECK_EQ(plan->ends, 1);
    twin_faults_tick(plan->faults);
    CHECK_EQ(plan->begins, 2);
    plan_free(plan);
}

TEST(a_selection_leaves_the_rest_alone) {
    struct plan *plan = plan_new("rx-drop channel=event for=1s; reply-drop name=country for=1s");
    struct twin_fault_what at = twin_fault_any();

    at.channel = 2;
    CHECK(twin_faults_hit(plan->faults, TWIN_RX_DROP, &at) == NULL);
    at.channel = 1;
    CHECK(twin_faults_hit(plan->faults, TWIN_RX_DROP, &at) != NULL);
    memcpy(at.name, "ver", sizeof("ver"));
    CHECK(twin_faults_hit(plan->faults, TWIN_REPLY_DROP, &at) == NULL);
    memcpy(at.name, "country", sizeof("country"));
    CHECK(twin_faults_hit(plan->faults, TWIN_REPLY_DROP, &at) != NULL);
    plan_free(plan);
}

// ---- levers

static struct host *faulty(const char *script) {
    struct host_world world = host_world_new();

    world.faults = script;
    return host_new(&host_queued, world);
}

TEST(a_firmware_variant_refuses_what_it_cannot) {
    struct host *host = faulty("no-sae; no-monitor");

    host_bring_up(host);
    CHECK_EQ(host_set32(host, "sae_password", 0), -23);
    CHECK_EQ(host_ioctl32(host, 108, 1), -23);
    CHECK_EQ(twin_faults_unfired(host->faults), 0);
    host_free(host);
}

TEST(numbers_of_frames_start_where_asked) {
    struct host *host = faulty("sequence-start value=250");

    host->first_sequence = 250;  // each frame read is held to it
    host_bring_up(host);
    CHECK_EQ(twin_faults_unfired(host->faults), 0);
    host_free(host);
}

TEST(a_reply_can_be_refused_lost_or_of_another_id) {
    struct host *host = faulty("reply-status name=apsta value=-5; reply-drop name=ver");
    uint8_t buffer[32] = "ver";

    host_bring_up(host);
    CHECK_EQ(host_set32(host, "apsta", 1), -5);
    CHECK_EQ(host_set32(host, "apsta", 1), 0);
    host_request(host, 262, false, buffer, sizeof(buffer));
    CHECK(!host_poll(host, 50 * MS));
    CHECK_EQ(twin_faults_unfired(host->faults), 0);
    host_free(host);
}

// A wrong credit that the host has read is what it was told.
TEST(credit_that_was_told_by_mistake_is_no_breach) {
    struct host *host = faulty("credit-value value=19 after=8");
    struct twin_cyw43_counters counters;
    uint8_t ethernet[100] = {0};

    host_bring_up(host);
    for (uint32_t i = 0; i < 8; i++) {
        CHECK_EQ(host_set32(host, "apsta", 1), 0);
    }
    while (host_left(host) > 0) {
        host_send_data(host, ethernet, sizeof(ethernet), 0);
    }
    counters = host_counters(host);
    CHECK_EQ(counters.over_credit, 0);
    CHECK_EQ(twin_faults_unfired(host->faults), 0);
    host_free(host);
}

TEST(a_hung_firmware_takes_frames_and_gives_none_until_it_goes_on) {
    struct host *host = faulty("chip-hang at=2s for=1s");
    uint8_t buffer[32] = "ver";

    host_bring_up(host);
    host_wait(host, 2100 * MS - twin_now_ns(host->sim));
    host_request(host, 262, false, buffer, sizeof(buffer));
    CHECK(!host_poll(host, 500 * MS));
    CHECK(host_poll(host, 1000 * MS));
    host_free(host);
}

TEST_MAIN(
    CASE(a_wrong_line_is_named_with_what_to_write),
    CASE(comments_and_semicolons_part_a_script),
    CASE(a_hit_strikes_by_number),
    CASE(a_chance_is_a_stream_of_its_own),
    CASE(time_counts_from_the_start_of_the_world),
    CASE(a_state_begins_ends_and_comes_again),
    CASE(a_look_does_not_count_as_having_struck),
    CASE(an_action_that_nobody_minds_has_not_struck),
    CASE(a_state_may_begin_by_number_of_transactions),
    CASE(a_selection_leaves_the_rest_alone),
    CASE(a_firmware_variant_refuses_what_it_cannot),
    CASE(numbers_of_frames_start_where_asked),
    CASE(a_reply_can_be_refused_lost_or_of_another_id),
    CASE(credit_that_was_told_by_mistake_is_no_breach),
    CASE(a_hung_firmware_takes_frames_and_gives_none_until_it_goes_on))
