// SPDX-License-Identifier: MIT
// Scenario 16: after 15 idle minutes an inbound connection is answered within 1 s, or the link has
// been reported down.
#include "fault_world.h"

#define IDLE_NS (15 * 60 * S)

// A frame from the other side comes in within a second, or it is known that none can.
static void check_reachable_or_known(struct world *world) {
    uint32_t inputs = world->inputs;

    if (!world->link) {
        return;
    }
    send_down(world, world_board, 0);
    world_run_ns(world, S);
    CHECK(world->inputs > inputs);
}

static void idle(const char *faults, enum cor_pm pm, bool stays) {
    struct options options = fault_options(faults);

    options.pm = pm;
    struct world *world = fault_joined(&options);

    world_run_ns(world, IDLE_NS);
    CHECK(!stays || world->link);
    CHECK(!stays || counters(world)->links_lost == 0);
    check_reachable_or_known(world);
    check_well(world, 40 * S);
    world_close(world);
}

TEST(an_idle_station_stays_reachable) {
    idle("", COR_PM_NONE, true);
    idle("", COR_PM_PERFORMANCE, true);
    idle("", COR_PM_AGGRESSIVE, true);
}

// Access points that forget silent stations after five minutes, or after one, with and without a
// word: null frames keep the station in their memory.
TEST(an_access_point_that_forgets_the_silent_is_reminded) {
    idle("ap-age time=300s", COR_PM_NONE, true);
    idle("ap-age time=60s", COR_PM_PERFORMANCE, true);
    idle("ap-age time=60s reason=4", COR_PM_AGGRESSIVE, true);
}

TEST(lost_events_and_reboots_in_between_are_noticed) {
    idle("ap-off at=300s for=60s", COR_PM_NONE, false);
    idle("ap-off at=300s for=2s", COR_PM_NONE, false);
    idle("ap-deauth reason=2 at=400s; event-drop type=deauth-ind for=1h", COR_PM_NONE, false);
    idle(
        "ap-deauth reason=2 at=400s; event-drop type=deauth-ind for=1h; event-drop type=link "
        "at=399s for=3s",
        COR_PM_NONE,
        false);
    idle("chip-hang at=300s", COR_PM_NONE, false);
}

TEST_MAIN(
    CASE(an_idle_station_stays_reachable),
    CASE(an_access_point_that_forgets_the_silent_is_reminded),
    CASE(lost_events_and_reboots_in_between_are_noticed))
