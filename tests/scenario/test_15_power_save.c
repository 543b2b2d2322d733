// SPDX-License-Identifier: MIT
// Scenario 15: each power-save profile is read back after being set; added delay and idle current
// follow the order the names promise; power save is held off while joining and while data is
// outstanding.
#include "fault_world.h"
#include "path.h"

static struct path path;

struct profile {
    const char *words;
    uint32_t word;  // the SDK's
    double delay_us;
    double power_mw;
};

// Pings a second apart: the chip is idle in between.
static void measure(struct profile *profile) {
    char words[128];

    memset(&path, 0, sizeof(path));
    snprintf(words, sizeof(words), "--app=ping --count=40 --interval=1s %s", profile->words);
    path_run(&path, words);
    profile->delay_us = (double)path.result.latency_mean_us;
    profile->power_mw = path.result.avg_mw;
    CHECK_EQ(path.effective.pm_word, profile->word);
}

TEST(delay_and_current_follow_the_names) {
    struct profile none = {.words = "--pm=none", .word = 0x10};
    struct profile performance = {.words = "--pm=performance", .word = 0xA11142};
    struct profile aggressive = {.words = "--pm=aggressive", .word = 0x11};

    measure(&none);
    measure(&performance);
    measure(&aggressive);
    printf(
        "     none %.1f ms %.0f mW, performance %.1f ms %.0f mW, aggressive %.1f ms %.0f mW\n",
        none.delay_us / 1e3,
        none.power_mw,
        performance.delay_us / 1e3,
        performance.power_mw,
        aggressive.delay_us / 1e3,
        aggressive.power_mw);
    CHECK(none.delay_us < 5000);
    CHECK(performance.delay_us <= aggressive.delay_us);
    CHECK(none.delay_us <= performance.delay_us);
    CHECK(none.power_mw > performance.power_mw);
    CHECK(performance.power_mw > aggressive.power_mw);
}

static uint64_t slept_ns(const struct world *world) {
    struct twin_air_counters air;

    twin_air_get_counters(world->air, &air);
    return air.station_sleep_ns;
}

TEST(each_profile_is_read_back_and_held_off_while_joining) {
    static const enum cor_pm modes[] = {COR_PM_NONE, COR_PM_PERFORMANCE, COR_PM_AGGRESSIVE};

    for (size_t i = 0; i < 3; i++) {
        struct options options = fault_options("");

        options.pm = modes[i];
        struct world *world = fault_open(&options);
        const struct cor_cyw43_effective *effective = cor_cyw43_get_effective(&world->driver);

        CHECK_EQ(world_start(world), COR_RADIO_READY);
        CHECK_EQ(world_join(world), COR_RADIO_JOINED);
        CHECK(slept_ns(world) < 50 * MS);
        CHECK_EQ(effective->pm_word, effective->pm_word_asked);
        world_run_ns(world, 5 * S);
        CHECK_EQ(slept_ns(world) > 3 * S, modes[i] != COR_PM_NONE);
        CHECK_EQ(counters(world)->settings_differ, 0);
        world_close(world);
    }
}

// A setting that the chip does not take is seen.
TEST(a_setting_that_reads_back_otherwise_is_counted) {
    struct options options = fault_options("reply-status name=bcn_li_dtim value=-2 for=1h");

    options.pm = COR_PM_PERFORMANCE;
    struct world *world = fault_open(&options);

    CHECK_EQ(world_start(world), COR_RADIO_READY);
    (void)world_join(world);
    CHECK(
        counters(world)->settings_differ + counters(world)->control_refused > 0 ||
        cor_cyw43_state(&world->driver) != COR_RADIO_JOINED);
    check_struck(world);
    world_close(world);
}

TEST_MAIN(
    CASE(delay_and_current_follow_the_names),
    CASE(each_profile_is_read_back_and_held_off_while_joining),
    CASE(a_setting_that_reads_back_otherwise_is_counted))
