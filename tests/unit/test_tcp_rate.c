// SPDX-License-Identifier: MIT
// The rate controller, played round trip by round trip over a path of a fixed rate, and the seam of
// controllers.
#include "net_host.h"

#define S 1460U  // a full segment

// A path that holds rate * round trip; what is beyond stands in its queue.
struct path {
    struct cor_tcp_congestion congestion;
    uint64_t now_us;
    uint32_t bytes_us;  // a millisecond's worth is 1000 of them
    uint32_t rtt_us;
};

static void start_path(struct path *path, uint32_t bytes_us, uint32_t rtt_us) {
    memset(path, 0, sizeof(*path));
    path->now_us = SECOND;
    path->bytes_us = bytes_us;
    path->rtt_us = rtt_us;
    cor_tcp_rate.init(&path->congestion, S, false);
}

// One round trip with the whole window in flight, acknowledged in ten parts; of 1000 bytes
// `lost` are lost. limited: only so many bytes are in flight, 0: as many as the window allows.
static void round_trip(struct path *path, uint32_t lost, uint32_t limited) {
    uint32_t window = path->congestion.window_bytes;
    uint32_t flight = limited != 0 && limited < window ? limited : window;
    uint32_t holds = path->bytes_us * path->rtt_us;
    uint32_t took_us = flight > holds ? flight / path->bytes_us : path->rtt_us;

    for (uint32_t i = 0; i < 10; i++) {
        struct cor_tcp_delivery delivery = {
            .arrived_bytes = flight / 10 - flight / 10 * lost / 1000,
            .lost_bytes = flight / 10 * lost / 1000,
            .pipe_bytes = flight - flight / 10,
            .rtt_us = took_us,
            .round_over = i == 9,
            .limited = i == 9 && limited != 0 && limited < window,
        };

        path->now_us += took_us / 10;
        delivery.now_us = path->now_us;
        cor_tcp_rate.delivered(&path->congestion, &delivery);
    }
}

static void round_trips(struct path *path, uint32_t count, uint32_t lost, uint32_t limited) {
    for (uint32_t i = 0; i < count; i++) {
        round_trip(path, lost, limited);
    }
}

TEST(the_first_window_is_that_of_everyone) {
    struct path path;

    start_path(&path, 4, 10000);
    CHECK_EQ(path.congestion.window_bytes, 10 * S);
    cor_tcp_rate.init(&path.congestion, S, true);
    CHECK_EQ(path.congestion.window_bytes, S);
}

TEST(the_window_doubles_until_the_path_is_full_and_is_then_twice_what_it_holds) {
    struct path path;

    start_path(&path, 20, 10000);  // 160 Mbit/s, 200 kB
    round_trip(&path, 0, 0);
    CHECK_BETWEEN(path.congestion.window_bytes, 19 * S, 20 * S);
    round_trip(&path, 0, 0);
    CHECK_BETWEEN(path.congestion.window_bytes, 37 * S, 40 * S);
    round_trips(&path, 60, 0, 0);
    CHECK_BETWEEN(path.congestion.window_bytes, 380000, 420000);
}

TEST(random_loss_leaves_the_window_alone) {
    struct path path;

    start_path(&path, 20, 10000);
    round_trips(&path, 60, 0, 0);
    uint32_t window = path.congestion.window_bytes;
    cor_tcp_rate.loss(&path.congestion, window);
    cor_tcp_rate.recovered(&path.congestion, window);
    CHECK_EQ(path.congestion.window_bytes, window);
    round_trips(&path, 100, 100, 0);
    CHECK(path.congestion.window_bytes >= window / 10 * 8);
}

TEST(a_queue_that_overflows_takes_the_window_down) {
    struct path path;

    start_path(&path, 20, 10000);
    round_trips(&path, 60, 0, 0);
    uint32_t window = path.congestion.window_bytes;
    round_trip(&path, 400, 0);
    CHECK(path.congestion.window_bytes <= window / 4 * 3);
    round_trip(&path, 400, 0);
    CHECK(path.congestion.window_bytes <= window / 16 * 9 + S);
    // Without it the window comes back, segment by segment.
    uint32_t low = path.congestion.window_bytes;
    round_trips(&path, 3, 0, 0);
    CHECK(path.congestion.window_bytes <= low + 4 * S);
    round_trips(&path, 400, 0, 0);
    CHECK(path.congestion.window_bytes > window / 10 * 9);
}

TEST(a_path_that_becomes_slower_is_believed_after_two_cycles) {
    struct path path;

    start_path(&path, 20, 10000);
    round_trips(&path, 60, 0, 0);
    path.bytes_us = 5;
    round_trips(&path, 12, 0, 0);
    CHECK_BETWEEN(path.congestion.window_bytes, 95000, 120000);
}

TEST(a_path_that_becomes_faster_is_found) {
    struct path path;

    start_path(&path, 5, 10000);
    round_trips(&path, 60, 0, 0);
    CHECK_BETWEEN(path.congestion.window_bytes, 95000, 120000);
    path.bytes_us = 20;
    round_trips(&path, 30, 0, 0);
    CHECK_BETWEEN(path.congestion.window_bytes, 380000, 420000);
}

// No growth where something else is the limit, and no loss of what is known.
TEST(a_sender_that_is_held_by_something_else_learns_nothing_wrong) {
    struct path path;

    start_path(&path, 20, 10000);
    round_trips(&path, 60, 0, 0);
    uint32_t window = path.congestion.window_bytes;
    round_trips(&path, 100, 0, 30000);
    CHECK_BETWEEN(path.congestion.window_bytes, window - 2 * S, window + 2 * S);
    start_path(&path, 20, 10000);
    round_trips(&path, 100, 0, 5000);
    CHECK_EQ(path.congestion.window_bytes, 10 * S);
}

// The window stands in a queue of its own making: the shortest round trip must be looked for.
TEST(every_ten_seconds_the_shortest_round_trip_is_looked_for) {
    struct path path;
    uint32_t least = UINT32_MAX;

    start_path(&path, 20, 10000);
    round_trips(&path, 60, 0, 0);
    path.rtt_us = 20000;  // the path is longer now: nothing but looking will tell
    uint64_t until_us = path.now_us + 11 * SECOND;
    while (path.now_us < until_us) {
        round_trip(&path, 0, 0);
        least = path.congestion.window_bytes < least ? path.congestion.window_bytes : least;
    }
    CHECK_EQ(least, 4 * S);
    CHECK_EQ(path.congestion.rate.round_trip_us, 20000);
    round_trips(&path, 30, 0, 0);
    CHECK_BETWEEN(path.congestion.window_bytes, 760000, 840000);
}

TEST(a_timeout_begins_with_one_segment_and_a_second_forgets_the_rate) {
    struct path path;

    start_path(&path, 20, 10000);
    round_trips(&path, 60, 0, 0);
    uint32_t window = path.congestion.window_bytes;
    cor_tcp_rate.timeout(&path.congestion, window, false);
    CHECK_EQ(path.congestion.window_bytes, S);
    round_trip(&path, 0, 0);
    CHECK(path.congestion.window_bytes < 3 * S);
    round_trips(&path, 10, 0, 0);
    CHECK(path.congestion.window_bytes > window / 10 * 9);
    cor_tcp_rate.timeout(&path.congestion, window, false);
    cor_tcp_rate.timeout(&path.congestion, window, true);
    CHECK_EQ(path.congestion.rate.rate_bytes_s[0], 0);
    CHECK_EQ(path.congestion.rate.rate_bytes_s[1], 0);
}

TEST(after_a_silence_no_more_goes_at_once_than_at_the_beginning) {
    struct path path;

    start_path(&path, 20, 10000);
    round_trips(&path, 60, 0, 0);
    cor_tcp_rate.idle(&path.congestion);
    CHECK_EQ(path.congestion.window_bytes, 10 * S);
    path.now_us += 3600 * SECOND;
    round_trip(&path, 0, 0);
    CHECK(path.congestion.window_bytes > 15 * S);
}

TEST(the_largest_numbers_do_not_overflow) {
    struct path path;

    start_path(&path, 1, 60000000);
    for (uint32_t i = 0; i < 40; i++) {
        struct cor_tcp_delivery delivery = {
            .now_us = path.now_us + i,
            .arrived_bytes = 1U << 30,
            .lost_bytes = i % 2 == 0 ? 0 : 1U << 30,
            .pipe_bytes = UINT32_MAX / 2,
            .rtt_us = i % 3 == 0 ? 1 : 60000000,
            .round_over = true,
        };

        cor_tcp_rate.delivered(&path.congestion, &delivery);
        CHECK(path.congestion.window_bytes >= 4 * S);
        CHECK(path.congestion.window_bytes <= 1U << 30);
    }
}

// --- The seam ---

static struct host h_;

static struct host *open_with(const struct cor_tcp_controller *controller) {
    struct host *h = &h_;

    start_net(h);
    struct cor_tcp_config config = default_tcp(h);
    config.controller = controller;
    start_open(h, &config, SYN_ACK(.sack_ok = true));
    (void)fill(h, 30 * S);
    return h;
}

TEST(a_connection_has_reno_if_nothing_is_said) {
    struct host *h = open_with(NULL);

    CHECK(h->tcp.config.controller == &cor_tcp_reno);
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), 10 * S);
}

TEST(a_loss_on_a_connection_with_it_leaves_the_window) {
    struct host *h = open_with(&cor_tcp_rate);
    uint32_t sent = 0;

    while (pull(h)) {
        sent++;
    }
    CHECK_EQ(sent, 10);
    after(h, 10 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1, .sacks = {1 + S, 1 + 4 * S});
    CHECK_EQ(h->tcp.counters.recoveries, 1);
    // Three have arrived: the window is 13 segments, and six of the ten are on their way.
    CHECK_EQ(cor_tcp_cwnd_bytes(&h->tcp), 13 * S);
    CHECK(pull(h));
    CHECK_EQ(get32(h->frame + 38) - h->iss, 1);
    sent = 0;
    while (pull(h)) {
        sent++;
    }
    CHECK_EQ(sent, 6);
    after(h, 10 * MS);
    SEND(h, .flags = ACK, .seq = 1, .ack = 1 + 16 * S);
    CHECK_EQ(h->tcp.doubt.recovery, 0);
    CHECK(cor_tcp_cwnd_bytes(&h->tcp) >= 20 * S);
}

TEST_MAIN(
    CASE(the_first_window_is_that_of_everyone),
    CASE(the_window_doubles_until_the_path_is_full_and_is_then_twice_what_it_holds),
    CASE(random_loss_leaves_the_window_alone),
    CASE(a_queue_that_overflows_takes_the_window_down),
    CASE(a_path_that_becomes_slower_is_believed_after_two_cycles),
    CASE(a_path_that_becomes_faster_is_found),
    CASE(a_sender_that_is_held_by_something_else_learns_nothing_wrong),
    CASE(every_ten_seconds_the_shortest_round_trip_is_looked_for),
    CASE(a_timeout_begins_with_one_segment_and_a_second_forgets_the_rate),
    CASE(after_a_silence_no_more_goes_at_once_than_at_the_beginning),
    CASE(the_largest_numbers_do_not_overflow),
    CASE(a_connection_has_reno_if_nothing_is_said),
    CASE(a_loss_on_a_connection_with_it_leaves_the_window))
