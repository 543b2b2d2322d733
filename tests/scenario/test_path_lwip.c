// SPDX-License-Identifier: MIT
// lwIP as the stack over the driver: byte-exact, nothing lost between the two, and what its heap,
// its windows and a loss in the host make of it.
#include "path.h"
#include "run/world_state.h"
#include "run_lwip.h"

static struct path path;
static struct run_lwip_port port;

static void look(const struct world *world) {
    run_lwip_port(world->lwip, &port);
}

static double run(const char *words) {
    char all[256];

    memset(&path, 0, sizeof(path));
    path.look = look;
    snprintf(all, sizeof(all), "--stack=lwip %s", words);
    path_run(&path, all);
    CHECK_EQ(port.dropped, 0);
    return (double)path.result.goodput_bps / 1e6;
}

// The board receives: without the sum of the chronograph, whose first look lies within a poll.
static double receive(const char *words) {
    char all[256];

    memset(&path, 0, sizeof(path));
    path.look = look;
    snprintf(all, sizeof(all), "--stack=lwip --app=tcp-rx %s", words);
    path_try(&path, all);
    path_show(&path, all);
    CHECK_EQ(path.outcome.status, COR_OK);
    CHECK(path.result.complete && !path.outcome.damaged);
    CHECK_EQ(path.result.counts.over_credit + path.result.counts.deviations, 0);
    CHECK_EQ(port.dropped, 0);
    return (double)path.result.goodput_bps / 1e6;
}

// The steps of a Pico W user's tuning; the bound of the bus is 34.61 Mbit/s.
TEST(heap_and_windows_decide_what_lwip_sends) {
    double shipped = run("--bytes=1MiB");
    CHECK_TEXT(path.result.limit, "no_buffer");
    double heap = run("--bytes=1MiB --lwip-mem=32000");
    double windows = run("--bytes=4MiB --lwip-mem=32000 --tcp-wnd=46720");
    double both = run("--bytes=4MiB --lwip-mem=128000 --tcp-wnd=58400");

    CHECK_BETWEEN(shipped, 10, 20);  // two segments at a time
    CHECK_BETWEEN(heap, shipped * 1.5, 34.61);
    CHECK_BETWEEN(windows, heap, 34.61);
    CHECK_BETWEEN(both, 33, 34.61);
    CHECK_EQ(path.result.counts.retransmissions, 0);
}

TEST(the_driver_pulls_and_lwip_is_told_to_wait) {
    (void)run("--bytes=4MiB --lwip-mem=128000 --tcp-wnd=58400");
    CHECK(port.refused > 1000);
    CHECK_BETWEEN(port.kept_max, 8, 12);
    CHECK_EQ(port.copied_frames, 0);
}

TEST(no_datagram_is_lost_in_the_host) {
    (void)run("--app=udp-tx --bytes=2MiB");
    CHECK_EQ(path.result.datagrams_received, path.result.datagrams_sent);
    CHECK_EQ(path.result.loss.host, 0);
    CHECK_BETWEEN(path.result.goodput_bps, 34e6, 35.76e6);
    (void)run("--app=udp-tx --bytes=2MiB --lwip-mem=32000");
    CHECK_EQ(path.result.datagrams_received, path.result.datagrams_sent);
    CHECK(port.refused > 100);
    (void)run("--app=udp-tx --bytes=500000 --offered=4M --payload-bytes=400");
    CHECK_EQ(path.result.datagrams_received, path.result.datagrams_sent);
    CHECK_BETWEEN(path.result.goodput_bps, 3.9e6, 4.1e6);
}

TEST(it_receives) {
    CHECK_BETWEEN(receive("--bytes=2MiB"), 25, 34.56);
    CHECK_EQ(path.outcome.peer_bytes, 2097152);
}

TEST(what_is_lost_is_sent_again_until_it_is_there) {
    (void)run("--bytes=1MiB --lwip-mem=32000 --path-loss=0.01");
    CHECK(path.result.counts.retransmissions > 0);
    (void)run("--bytes=1MiB --lwip-mem=32000 --loss=0.2");
    (void)receive("--bytes=500000 --path-loss=0.01");
    CHECK_EQ(path.outcome.peer_bytes, 500000);
}

// What two frames in a hundred cost that never reach the driver: lwIP recovers by time-outs of a
// second and more, our stack by time and SACK.
TEST(a_loss_in_the_host_costs_lwip_most_of_it) {
    double ours = 0;
    double lost = run("--bytes=1MiB --lwip-mem=128000 --tcp-wnd=58400 --host-loss=0.02");

    CHECK_BETWEEN(lost, 0.5, 8);
    CHECK(path.result.counts.timeouts > 0);
    CHECK(path.result.counts.retransmissions > 5);
    memset(&path, 0, sizeof(path));
    path_run(&path, "--bytes=4MiB --host-loss=0.02");
    ours = (double)path.result.goodput_bps / 1e6;
    CHECK(ours > 3 * lost && ours > 15);
}

// lwIP's variables are as at program start each time.
TEST(a_run_repeats_whatever_ran_before) {
    uint64_t first_ns;

    (void)run("--bytes=500000 --lwip-mem=32000 --path-loss=0.02 --seed=5");
    first_ns = path.result.interval_ns;
    (void)run("--app=udp-tx --bytes=100000");
    (void)receive("--bytes=100000 --tcp-wnd=20000");
    (void)run("--bytes=500000 --lwip-mem=32000 --path-loss=0.02 --seed=5");
    CHECK_EQ(path.result.interval_ns, first_ns);
}

// The access point throws the board out in the middle: the driver joins again, and lwIP goes on.
TEST(a_link_that_goes_and_comes_ends_nothing) {
    memset(&path, 0, sizeof(path));
    path.fault = "ap-deauth reason=2 at=1300ms";
    path.look = look;
    path_run(&path, "--stack=lwip --bytes=2MiB --lwip-mem=32000");
    CHECK_EQ(port.dropped, 0);
}

static int parse(const char *one, const char *two) {
    char *argv[] = {
        (char *)(uintptr_t) "run",
        (char *)(uintptr_t) "--board=pico2w",
        (char *)(uintptr_t) "--virtual",
        (char *)(uintptr_t)one,
        (char *)(uintptr_t)two,
    };
    struct run_options options;

    run_options_init(&options);
    return run_options_parse(&options, 5, argv);
}

TEST(options_without_effect_are_refused) {
    CHECK_EQ(parse("--lwip-mem=32000", "--bytes=1M"), 2);
    CHECK_EQ(parse("--tcp-wnd=32000", "--bytes=1M"), 2);
    CHECK_EQ(parse("--stack=lwip", "--ring=64KiB"), 2);
    CHECK_EQ(parse("--stack=lwip", "--app=ping"), 2);
    CHECK_EQ(parse("--stack=lwip", "--address=dhcp"), 2);
    CHECK_EQ(parse("--stack=lwip", "--tcp-wnd=65536"), 2);
    CHECK_EQ(parse("--stack=lwip", "--tcp-wnd=46720"), OPTIONS_GO_ON);
}

TEST_MAIN(
    CASE(heap_and_windows_decide_what_lwip_sends),
    CASE(the_driver_pulls_and_lwip_is_told_to_wait),
    CASE(no_datagram_is_lost_in_the_host),
    CASE(it_receives),
    CASE(what_is_lost_is_sent_again_until_it_is_there),
    CASE(a_loss_in_the_host_costs_lwip_most_of_it),
    CASE(a_run_repeats_whatever_ran_before),
    CASE(a_link_that_goes_and_comes_ends_nothing),
    CASE(options_without_effect_are_refused))
