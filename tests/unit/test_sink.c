// SPDX-License-Identifier: MIT
// The sink over loopback: many connections at once, and whose fault it is when one stands still.
#include "sink_world.h"

#include <fcntl.h>
#include <poll.h>

// The instrumented build copies and checks so much that it gets a sixteenth.
#ifdef __SANITIZE_ADDRESS__
#    define CROWD_BYTES (UINT64_C(64) << 20)
#else
#    define CROWD_BYTES (UINT64_C(1) << 30)
#endif

enum { CROWD = 200, SILENT = 20, CHUNK_BYTES = 1 << 16 };

// --- many at once

struct sender {
    int socket;
    unsigned port;
    uint64_t total;
    uint64_t left;
};

static void open_crowd(struct sender *crowd) {
    uint64_t given = 0;

    for (int i = 0; i < CROWD; i++) {
        crowd[i].socket = client(SOCK_STREAM);
        crowd[i].port = port_of(crowd[i].socket);
        // All different, and together exactly CROWD_BYTES.
        crowd[i].total = CROWD_BYTES / CROWD - CROWD / 2 + (uint64_t)i;
        if (i == CROWD - 1) {
            crowd[i].total = CROWD_BYTES - given;
        }
        crowd[i].left = crowd[i].total;
        given += crowd[i].total;
        CHECK_EQ(fcntl(crowd[i].socket, F_SETFL, O_NONBLOCK), 0);
    }
}

// One chunk to a sender whose socket takes something; closes it after its last byte.
static void serve_one(struct sender *sender) {
    static char chunk[CHUNK_BYTES];
    size_t size = sender->left < CHUNK_BYTES ? (size_t)sender->left : CHUNK_BYTES;
    ssize_t sent = send(sender->socket, chunk, size, MSG_NOSIGNAL);

    CHECK(sent > 0);
    sender->left -= (uint64_t)sent;
    if (sender->left == 0) {
        close(sender->socket);
        sender->socket = -1;
    }
}

// Sends to whoever takes something, until all have sent everything and closed.
static void serve_crowd(struct sender *crowd) {
    struct pollfd polls[CROWD];
    int open = CROWD;

    while (open > 0) {
        open = 0;
        for (int i = 0; i < CROWD; i++) {
            polls[i] = (struct pollfd){.fd = crowd[i].socket, .events = POLLOUT};
            open += crowd[i].socket >= 0 ? 1 : 0;
        }
        CHECK(open == 0 || poll(polls, CROWD, 5000) > 0);
        for (int i = 0; i < CROWD && open > 0; i++) {
            if (crowd[i].socket >= 0 && (polls[i].revents & POLLOUT) != 0) {
                serve_one(&crowd[i]);
            }
        }
    }
}

TEST(a_crowd_is_counted_to_the_byte_beside_silent_ones) {
    static struct sender crowd[CROWD];
    int silent[SILENT];

    fresh_config()->count = CROWD;
    config.idle_timeout_ns = 0;
    start();
    for (int i = 0; i < SILENT; i++) {
        silent[i] = client(SOCK_STREAM);
    }
    open_crowd(crowd);
    serve_crowd(crowd);
    join();
    CHECK_EQ(sink.bytes, CROWD_BYTES);
    CHECK_EQ(sink.finished, CROWD);
    CHECK_EQ(sink.ends[SINK_END_closed], CROWD);
    CHECK_EQ(sink.ends[SINK_END_stopped], SILENT);
    for (int i = 0; i < CROWD; i++) {
        CHECK_EQ(stream_of_port(crowd[i].port)->bytes, crowd[i].total);
    }
    CHECK_EQ(sink_exit_code(&sink), 0);
    for (int i = 0; i < SILENT; i++) {
        close(silent[i]);
    }
    finish();
}

TEST(a_connection_that_never_sends_is_reaped_and_not_counted) {
    fresh_config()->count = 1;
    config.idle_timeout_ns = 300 * MS;
    start();
    int silent = client(SOCK_STREAM);
    char byte = 0;
    CHECK_EQ(recv(silent, &byte, 1, 0), 0);  // the sink closes
    int real = client(SOCK_STREAM);
    send_all(real, "abc", 3);
    close(real);
    join();
    CHECK_EQ(sink.ends[SINK_END_idle], 1);
    CHECK_EQ(sink.bytes, 3);
    CHECK_EQ(sink_exit_code(&sink), 0);
    expect_log("it never sent a byte (--idle-timeout)");
    close(silent);
    finish();
}

TEST(a_live_but_silent_sender_is_kept_unless_asked) {
    fresh_config()->idle_timeout_ns = 100 * MS;
    config.stall_timeout_ns = 600 * MS;
    start();
    int pausing = client(SOCK_STREAM);
    send_all(pausing, "a", 1);
    sleep_ms(350);
    send_all(pausing, "b", 1);
    char byte = 0;
    CHECK_EQ(recv(pausing, &byte, 1, 0), 0);  // after the stall timeout
    stop();
    CHECK_EQ(sink.ended->bytes, 2);
    CHECK_EQ(sink.ended->end, SINK_END_stalled);
    CHECK_EQ(sink_exit_code(&sink), 1);
    close(pausing);
    finish();
}

TEST(a_client_that_vanishes_by_reset_frees_its_place) {
    struct linger hard = {.l_onoff = 1};

    fresh_config()->count = 2;
    start();
    int vanishing = client(SOCK_STREAM);
    send_all(vanishing, "12345", 5);
    sleep_ms(50);
    CHECK_EQ(setsockopt(vanishing, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard)), 0);
    close(vanishing);
    int good = client(SOCK_STREAM);
    send_all(good, "123", 3);
    close(good);
    join();
    CHECK_EQ(sink.ends[SINK_END_reset], 1);
    CHECK_EQ(sink.ends[SINK_END_closed], 1);
    CHECK_EQ(sink.bytes, 8);
    CHECK_EQ(sink_exit_code(&sink), 1);
    expect_log("the sender reset it");
    finish();
}

// --- whose fault

TEST(a_sender_that_pauses_is_named) {
    fresh_config()->count = 1;
    start();
    int pausing = client(SOCK_STREAM);
    send_all(pausing, "a", 1);
    sleep_ms(1300);
    send_all(pausing, "b", 1);
    close(pausing);
    join();
    const struct sink_gap *gap = &sink.ended->longest;
    CHECK_EQ(gap->cause, SINK_CAUSE_sender);
    CHECK_BETWEEN(gap->length_ns, 1200 * MS, 1900 * MS);
    CHECK(gap->ended);
    CHECK_EQ(sink.ended->own_gaps_ns, 0);
    expect_log("silent for 1.");
    expect_log("the sender sent nothing (the sink was reading); Recv-Q 0");
    expect_log("goes on after");
    CHECK_EQ(sink_exit_code(&sink), 0);
    finish();
}

static void doze(int number) {
    (void)number;
    sleep_ms(1200);
}

TEST(a_sink_that_stands_still_blames_itself) {
    struct sigaction action = {.sa_handler = doze};
    static char chunk[CHUNK_BYTES];

    sigemptyset(&action.sa_mask);
    CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    fresh_config()->count = 1;
    start();
    int steady = client(SOCK_STREAM);
    for (int i = 0; i < 50; i++) {
        if (i == 10) {
            pthread_kill(thread, SIGUSR1);
        }
        send_all(steady, chunk, 1000);
        sleep_ms(i == 11 ? 1000 : 5);
    }
    close(steady);
    join();
    const struct sink_stream *stream = sink.ended;
    CHECK(sink_cause_is_own(stream->longest.cause));
    CHECK(sink_cause_is_own(stream->own_longest.cause));
    CHECK_BETWEEN(stream->own_longest.length_ns, 900 * MS, 2500 * MS);
    CHECK(stream->own_gaps_ns >= 900 * MS);
    CHECK(sink.watch.longest_ns >= 900 * MS);
    CHECK_EQ(stream->bytes, 50 * 1000);
    CHECK_EQ(sink_exit_code(&sink), 1);
    finish();
}

TEST(a_newer_connection_supersedes_a_silent_one_only) {
    fresh_config()->count = 1;
    start();
    int old = client(SOCK_STREAM);
    send_all(old, "a", 1);
    sleep_ms(1250);
    int busy = client(SOCK_STREAM);
    send_all(busy, "b", 1);
    sleep_ms(100);
    int parallel = client(SOCK_STREAM);
    send_all(parallel, "c", 1);
    close(parallel);
    join();
    CHECK_EQ(sink.superseded, 1);
    CHECK_EQ(stream_of_port(port_of(old))->superseded_by, 2);
    CHECK_EQ(stream_of_port(port_of(busy))->superseded_by, 0);
    expect_log("supersedes #1");
    CHECK_EQ(sink_exit_code(&sink), 1);
    close(old);
    close(busy);
    finish();
}

TEST_MAIN(
    CASE(a_crowd_is_counted_to_the_byte_beside_silent_ones),
    CASE(a_connection_that_never_sends_is_reaped_and_not_counted),
    CASE(a_live_but_silent_sender_is_kept_unless_asked),
    CASE(a_client_that_vanishes_by_reset_frees_its_place),
    CASE(a_sender_that_pauses_is_named),
    CASE(a_sink_that_stands_still_blames_itself),
    CASE(a_newer_connection_supersedes_a_silent_one_only))
