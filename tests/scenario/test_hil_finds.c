// SPDX-License-Identifier: MIT
// A second twin in the board's place, one constant altered: the study must name it.
//
// How the constants move the rows is measured once; each altered twin is then held against it. The
// boards run on other seeds than the twin.
#include "hil/report.h"
#include "hil/study.h"
#include "test.h"

#include <math.h>

static const char *const rows = "default bytes=512KiB\n"
                                "row serial        engine=serial bus-mhz=37.5 cpu-mhz=75\n"
                                "row tcp-50        bus-mhz=50\n"
                                "row tcp-50-single bus-mhz=50 ampdu=1\n"
                                "row udp-50        app=udp-tx bus-mhz=50\n"
                                "row udp-slow      app=udp-tx offered=8M bytes=256KiB\n"
                                "row tcp-rx        app=tcp-rx bus-mhz=50\n"
                                "row ping          app=ping count=5 interval=50ms\n";

static struct plan plan;
static struct study study;
static char error[CONTROL_ERROR_BYTES];

static struct control_link *open_board(const char *address) {
    struct control_link *link = control_open(&(struct control_setup){.address = address}, error);

    if (link == NULL) {
        printf("  %s\n", error);
    }
    CHECK(link != NULL);
    return link;
}

TEST(the_twin_is_measured_once) {
    CHECK(plan_parse(&plan, rows, error));
    CHECK(study_init(&study, &plan));
    study.twin = open_board("twin");
    CHECK(study_twin(&study, error));
    CHECK(study_sensitivity(&study, error));
    // Every constant was tried at the ends of its range.
    for (size_t i = 0; i < study.constant_count; i++) {
        CHECK(study.constants[i].failure[0] == '\0');
        CHECK(study.constants[i].try_count >= 2);
    }
}

// Holds a board against the twin that was measured, and keeps what was learned.
static enum hil_finding hold(const char *address) {
    enum hil_finding finding;

    study.board = open_board(address);
    CHECK(study_board(&study, error));
    CHECK(study_rank(&study, error));
    finding = hil_judge(&study, true);
    control_close(study.board);
    return finding;
}

TEST(the_same_twin_has_no_gap) {
    CHECK_EQ(hold("twin"), HIL_NO_GAP);
    CHECK_EQ(hold("twin:seed=77"), HIL_NO_GAP);
}

static void finds(const char *name, uint64_t value) {
    char address[128];
    enum hil_finding finding;

    snprintf(address, sizeof(address), "twin:twin-set=%s=%llu", name, (unsigned long long)value);
    finding = hold(address);
    printf(
        "  %s=%llu: %s at %.0f explains %.1f %%, next %s %.1f %%\n",
        name,
        (unsigned long long)value,
        study.constants[0].name,
        study.constants[0].best,
        100 * study.constants[0].explained,
        study.constants[1].name,
        100 * study.constants[1].explained);
    CHECK_EQ(finding, HIL_ONE);
    CHECK_TEXT(study.constants[0].name, name);
    CHECK(study.constants[0].explained > 0.8);
}

TEST(it_finds_the_credit_window) {
    finds("chip.credit_window", 4);
    CHECK_BETWEEN(study.constants[0].best, 3.5, 4.5);
    finds("chip.credit_window", 14);
}

TEST(it_finds_time_inside_the_chip) {
    finds("chip.frame_ns", 120000);
    CHECK_BETWEEN(study.constants[0].best, 110000, 130000);
}

TEST(it_finds_an_access_point_that_does_not_aggregate) {
    finds("ap.ampdu", 1);
}

TEST(it_finds_slow_responses) {
    finds("air.response_dbps", 24);
}

TEST(it_finds_a_slow_processor) {
    finds("board.segment_cost", 1800000);
    finds("board.cycles_per_kilo_instruction", 2400);
}

TEST(it_finds_the_threshold_of_credit_frames) {
    finds("chip.credit_low", 4);
}

// Answers to control requests and the exchange of keys both only make the start longer, and no row
// tells them apart: it must say so, and not name one of them.
TEST(it_says_when_it_cannot_tell_constants_apart) {
    bool named = false;

    CHECK_EQ(hold("twin:twin-set=chip.ioctl_ns=3000000"), HIL_SEVERAL);
    CHECK(hil_alike(&study) >= 2);
    for (size_t i = 0; i < hil_alike(&study); i++) {
        printf("  %s", study.constants[i].name);
        named = named || strcmp(study.constants[i].name, "chip.ioctl_ns") == 0;
    }
    printf("\n");
    CHECK(named);
}

// A gap of a few clocks is less than the scatter: it must not be blamed on anything.
TEST(it_blames_nothing_for_what_it_cannot_see) {
    CHECK_EQ(hold("twin:twin-set=board.gap_cycles=90"), HIL_NO_GAP);
}

// What no constant can do: an air that loses frames.
TEST(it_says_when_no_constant_explains_the_gap) {
    enum hil_finding finding = hold("twin:loss=0.3");

    printf(
        "  loss: %s explains %.1f %%\n",
        study.constants[0].name,
        100 * study.constants[0].explained);
    CHECK(finding == HIL_UNEXPLAINED || study.constants[0].explained < 0.9);
}

TEST(it_ends) {
    control_close(study.twin);
    study_free(&study);
}

TEST_MAIN(
    CASE(the_twin_is_measured_once),
    CASE(the_same_twin_has_no_gap),
    CASE(it_finds_the_credit_window),
    CASE(it_finds_time_inside_the_chip),
    CASE(it_finds_an_access_point_that_does_not_aggregate),
    CASE(it_finds_slow_responses),
    CASE(it_finds_a_slow_processor),
    CASE(it_finds_the_threshold_of_credit_frames),
    CASE(it_says_when_it_cannot_tell_constants_apart),
    CASE(it_blames_nothing_for_what_it_cannot_see),
    CASE(it_says_when_no_constant_explains_the_gap),
    CASE(it_ends))
