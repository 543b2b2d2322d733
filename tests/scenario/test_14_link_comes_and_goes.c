// SPDX-License-Identifier: MIT
// Scenario 14: the AP appears a minute after the join call; the AP reboots; the AP sends a
// deauthentication with each of several reasons. The application is told within 100 ms and the link
// rebuilds itself with growing back-off.
#include "fault_world.h"

TEST(an_access_point_that_appears_late_is_joined) {
    struct options options = fault_options("ap-off for=60s");
    struct world *world = fault_open(&options);
    int32_t pause_ms = 0;
    uint32_t pauses = 0;

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    (void)world_join(world);
    CHECK(!reaches(world, COR_RADIO_JOINED, 60 * S - twin_now_ns(world->sim)));
    for (const struct notice *at; (at = told_at(COR_CYW43_NOTICE_waiting, pauses)) != NULL;) {
        CHECK(at->value >= pause_ms);
        pause_ms = at->value;
        pauses++;
    }
    CHECK(pauses >= 4 && pause_ms >= 800);
    CHECK(reaches(world, COR_RADIO_JOINED, 35 * S));
    check_struck(world);
    check_well(world, S);
    world_close(world);
}

TEST(a_reboot_of_the_access_point_is_survived) {
    static const uint32_t off_ms[] = {500, 3000, 10000, 120000};

    for (size_t i = 0; i < sizeof(off_ms) / sizeof(off_ms[0]); i++) {
        struct options options = fault_options("");
        struct world *world = fault_joined(&options);
        char fault[64];

        snprintf(fault, sizeof(fault), "ap-off for=%ums", off_ms[i]);
        fault_now(world, fault);
        world->to_send = 100;
        twin_board_interrupt(world->board);
        world_run_ns(world, off_ms[i] * MS);
        CHECK(off_ms[i] < 6000 || !world->link);
        // One that was gone for a moment answers the next frame with a deauthentication.
        world->to_send = 1;
        twin_board_interrupt(world->board);
        world_run_ns(world, 100 * MS);
        check_struck(world);
        check_well(world, 40 * S);
        world_close(world);
    }
}

TEST(each_reason_is_told_within_a_tenth_of_a_second) {
    static const uint32_t reasons[] = {1, 2, 3, 4, 5, 6, 7, 8, 15, 34, 65535};
    struct options options = fault_options("");
    struct world *world = fault_joined(&options);

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        bool disassociated = i % 2 != 0;
        uint64_t now_us = world_now_us(world);
        const struct notice *down;
        char fault[64];

        notice_count = 0;
        snprintf(
            fault,
            sizeof(fault),
            "%s reason=%u",
            disassociated ? "ap-disassoc" : "ap-deauth",
            reasons[i]);
        fault_now(world, fault);
        world_run_ns(world, 100 * MS);
        down = told_at(COR_CYW43_NOTICE_link_down, 0);
        CHECK(down != NULL && down->at_us - now_us <= 100000);
        CHECK_EQ(
            down->value,
            disassociated ? COR_LINK_CAUSE_disassociated : COR_LINK_CAUSE_deauthenticated);
        CHECK_EQ(cor_cyw43_down_code(&world->driver), reasons[i]);
        check_well(world, 40 * S);
    }
    CHECK_EQ(counters(world)->rebuilds, 0);
    CHECK_EQ(counters(world)->links_lost, 11);
    check_struck(world);
    world_close(world);
}

// Thrown out again and again at once: pauses grow, and a link that lasted makes them short again.
TEST(pauses_grow_while_links_do_not_last) {
    struct options options = fault_options("ap-deauth reason=3 at=2s repeat=1s count=40");
    struct world *world = fault_joined(&options);
    uint32_t joins;

    world_run_ns(world, 42 * S);
    joins = (uint32_t)counters(world)->joins;
    CHECK_BETWEEN(joins, 4, 20);
    check_well(world, 35 * S);
    world_run_ns(world, 15 * S);
    fault_now(world, "ap-deauth reason=3");
    world_run_ns(world, 10 * MS);
    CHECK(reaches(world, COR_RADIO_JOINED, 3 * S));
    check_well(world, S);
    world_close(world);
}

TEST_MAIN(
    CASE(an_access_point_that_appears_late_is_joined),
    CASE(a_reboot_of_the_access_point_is_survived),
    CASE(each_reason_is_told_within_a_tenth_of_a_second),
    CASE(pauses_grow_while_links_do_not_last))
