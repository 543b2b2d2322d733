// SPDX-License-Identifier: MIT
// What can be wrong on the way: each failure has its own status and stage, and loses nothing that
// had arrived.
#include "path.h"

static struct path path;

static void fresh(void) {
    memset(&path, 0, sizeof(path));
}

TEST(no_answer_to_arp_is_unreachable) {
    fresh();
    path.faults.peer_absent = true;
    path_try(&path, "--bytes=1MiB");
    CHECK_EQ(path.outcome.stage, WORLD_CONNECT);
    CHECK_EQ(path.outcome.status, COR_E_UNREACHABLE);
    path_try(&path, "--app=udp-tx --duration=1s");
    CHECK_EQ(path.outcome.status, COR_E_UNREACHABLE);
    path_try(&path, "--app=ping --count=2");
    CHECK_EQ(path.outcome.status, COR_E_UNREACHABLE);
}

TEST(a_reset_in_answer_to_the_syn_is_refused) {
    fresh();
    path.faults.peer_refuses = true;
    path_try(&path, "--bytes=1MiB");
    CHECK_EQ(path.outcome.stage, WORLD_CONNECT);
    CHECK_EQ(path.outcome.status, COR_E_REFUSED);
}

TEST(a_silent_host_is_a_time_out) {
    fresh();
    path.faults.peer_silent = true;
    path_try(&path, "--bytes=1MiB");
    CHECK_EQ(path.outcome.stage, WORLD_CONNECT);
    CHECK_EQ(path.outcome.status, COR_E_TIMEOUT);
    path_try(&path, "--app=ping --count=2");
    CHECK_EQ(path.outcome.status, COR_E_TIMEOUT);
}

TEST(a_wrong_name_and_a_wrong_key_end_in_the_join) {
    fresh();
    path.faults.wrong_ssid = "nowhere";
    path_try(&path, "--bytes=1MiB");
    CHECK_EQ(path.outcome.stage, WORLD_JOIN);
    CHECK_EQ(path.outcome.status, COR_E_NO_NETWORK);
    fresh();
    path.faults.wrong_key = "not the key";
    path_try(&path, "--bytes=1MiB");
    CHECK_EQ(path.outcome.stage, WORLD_JOIN);
    CHECK_EQ(path.outcome.status, COR_E_WRONG_KEY);
}

TEST(a_ping_stopped_before_an_answer_says_so) {
    fresh();
    path_try(&path, "--app=ping --duration=1ms --wire-delay=100ms");
    CHECK(path.outcome.cut_short);
    CHECK(path.outcome.status != COR_OK);
    path_try(&path, "--app=ping --duration=1s");
    CHECK(!path.outcome.cut_short);
    CHECK_EQ(path.outcome.status, COR_OK);
    path.faults.peer_absent = true;
    path_try(&path, "--app=ping --duration=20s");
    CHECK(!path.outcome.cut_short);
    CHECK_EQ(path.outcome.status, COR_E_UNREACHABLE);
}

TEST(a_path_that_breaks_is_not_a_shut_window) {
    fresh();
    path.faults.silent_air_ns = 2000000000;
    path_try(&path, "--bytes=64MiB");
    CHECK_EQ(path.outcome.stage, WORLD_TRANSFER);
    CHECK_EQ(path.outcome.status, COR_E_TIMEOUT);
    CHECK(path.outcome.peer_bytes > 1000000);
    CHECK(!path.outcome.window_shut);
    CHECK_BETWEEN(path.result.virtual_s, 100, 170);
}

TEST(an_open_network_is_joined) {
    fresh();
    path_run(&path, "--bytes=1MiB --ap=ssid=cafe,auth=open");
}

TEST(a_peer_that_stops_reading_is_named) {
    fresh();
    path.faults.stop_reading_ns = 2000000000;
    path_try(&path, "--bytes=64MiB");
    path_show(&path, "peer stops reading");
    CHECK_EQ(path.outcome.stage, WORLD_TRANSFER);
    CHECK(path.outcome.status != COR_OK);
    CHECK(path.outcome.peer_bytes > 1000000);
    CHECK_TEXT(path.result.limit, "peer_window");
    CHECK(path.outcome.window_shut);
    CHECK_EQ(path.result.counts.over_credit, 0);
}

// A source that promised more than it gives.
struct short_source {
    struct cor_source source;
    uint32_t left;
};

static int32_t short_read(struct cor_source *source, uint8_t *into, uint32_t room_bytes) {
    struct short_source *shorter = (struct short_source *)source;
    uint32_t part = room_bytes < shorter->left ? room_bytes : shorter->left;

    if (part == 0) {
        return COR_E_SOURCE;
    }
    memset(into, 'x', part);
    shorter->left -= part;
    return (int32_t)part;
}

TEST(what_a_source_gave_before_it_failed_is_delivered) {
    static const struct cor_source_ops ops = {.read = short_read};
    struct short_source shorter = {.source = {.ops = &ops}, .left = 777777};

    fresh();
    path.source = &shorter.source;
    path_try(&path, "--bytes=1MiB");
    CHECK_EQ(path.outcome.status, COR_E_SOURCE);
    CHECK_EQ(path.outcome.peer_bytes, 777777);
    shorter.left = 77777;
    path_try(&path, "--app=udp-tx --bytes=1MiB");
    CHECK_EQ(path.outcome.status, COR_E_SOURCE);
    CHECK_EQ(path.outcome.sent_bytes, 77777);
}

// One byte at a time now and then: the source is the limit.
struct slow_source {
    struct cor_source source;
    uint32_t turn;
    uint32_t left;
};

static int32_t slow_read(struct cor_source *source, uint8_t *into, uint32_t room_bytes) {
    struct slow_source *slow = (struct slow_source *)source;

    if (++slow->turn % 2 == 0) {
        return COR_AGAIN;
    }
    if (slow->left == 0) {
        return 0;
    }
    (void)room_bytes;
    into[0] = 'y';
    slow->left--;
    return 1;
}

TEST(a_slow_source_is_named) {
    static const struct cor_source_ops ops = {.read = slow_read};
    struct slow_source slow = {.source = {.ops = &ops}, .left = 300};

    fresh();
    path.source = &slow.source;
    path_run(&path, "--bytes=300");
    CHECK_EQ(path.outcome.peer_bytes, 300);
    CHECK_TEXT(path.result.limit, "source");
}

TEST_MAIN(
    CASE(no_answer_to_arp_is_unreachable),
    CASE(a_reset_in_answer_to_the_syn_is_refused),
    CASE(a_silent_host_is_a_time_out),
    CASE(a_wrong_name_and_a_wrong_key_end_in_the_join),
    CASE(a_ping_stopped_before_an_answer_says_so),
    CASE(a_path_that_breaks_is_not_a_shut_window),
    CASE(an_open_network_is_joined),
    CASE(a_peer_that_stops_reading_is_named),
    CASE(what_a_source_gave_before_it_failed_is_delivered),
    CASE(a_slow_source_is_named))
