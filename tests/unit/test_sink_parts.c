// SPDX-License-Identifier: MIT
// Parts of the sink that need no network: whose a gap is, datagram counts, addresses, the store.
#include "common/sha256.h"
#include "sink/address.h"
#include "sink/sequence.h"
#include "sink/store.h"
#include "sink/watch.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

// --- watch

// One turn of a loop: works, then waits until due, but comes back only after `late`.
static uint64_t turn(struct sink_watch *watch, uint64_t now, uint64_t work, uint64_t late) {
    sink_watch_wait(watch, now + work, now + work + 100 * MS);
    now += work + 100 * MS + late;
    sink_watch_wake(watch, now);
    return now;
}

static enum sink_cause blame(
    const struct sink_watch *watch, uint64_t begin, uint64_t now, bool out_of_order) {
    struct sink_absence none = {0};
    struct sink_absence end = sink_watch_absence(watch, now);

    return sink_watch_blame(now - begin, &none, &end, out_of_order);
}

TEST(a_gap_while_the_sink_looks_is_the_senders) {
    struct sink_watch watch;
    uint64_t now = 0;

    sink_watch_init(&watch, 0);
    for (int i = 0; i < 30; i++) {
        now = turn(&watch, now, 2 * MS, 3 * MS);
    }
    CHECK_EQ(blame(&watch, 0, now, false), SINK_CAUSE_sender);
    CHECK_EQ(blame(&watch, 0, now, true), SINK_CAUSE_path);
    CHECK_EQ(watch.longest_ns, 0);
}

TEST(a_gap_in_a_long_turn_is_the_sinks) {
    struct sink_watch watch;

    sink_watch_init(&watch, 0);
    CHECK_EQ(blame(&watch, 0, 900 * MS, false), SINK_CAUSE_busy);
    uint64_t now = turn(&watch, 0, 900 * MS, 0);
    CHECK_EQ(blame(&watch, 0, now, false), SINK_CAUSE_busy);
    CHECK_EQ(watch.longest_ns, 900 * MS);
    CHECK_EQ(watch.longest_cause, SINK_CAUSE_busy);
    CHECK_EQ(watch.absence.busy_ns, 900 * MS);
}

TEST(a_gap_in_a_slow_write_is_the_stores) {
    struct sink_watch watch;

    sink_watch_init(&watch, 0);
    watch.store_ns += 800 * MS;
    uint64_t now = turn(&watch, 0, 900 * MS, 0);
    CHECK_EQ(blame(&watch, 0, now, true), SINK_CAUSE_store);
    CHECK_EQ(watch.absence.store_ns, 800 * MS);
    CHECK_EQ(watch.absence.busy_ns, 100 * MS);
}

TEST(a_gap_while_the_process_stood_still_is_the_sinks) {
    struct sink_watch watch;

    sink_watch_init(&watch, 0);
    uint64_t now = turn(&watch, 0, MS, 3000 * MS);
    CHECK_EQ(blame(&watch, 0, now, false), SINK_CAUSE_halted);
    CHECK_EQ(watch.longest_ns, 3000 * MS);
}

TEST(the_larger_part_of_a_gap_decides) {
    struct sink_watch watch;
    uint64_t now = 0;

    sink_watch_init(&watch, 0);
    now = turn(&watch, now, MS, 400 * MS);
    for (int i = 0; i < 10; i++) {
        now = turn(&watch, now, MS, 0);
    }
    CHECK_EQ(blame(&watch, 0, now, false), SINK_CAUSE_sender);
    CHECK_EQ(blame(&watch, 0, 700 * MS, false), SINK_CAUSE_halted);
}

TEST(short_gaps_have_no_cause) {
    struct sink_watch watch;

    sink_watch_init(&watch, 0);
    CHECK_EQ(blame(&watch, 0, 99 * MS, false), SINK_CAUSE_none);
}

TEST(absences_before_a_gap_do_not_count_in_it) {
    struct sink_watch watch;

    sink_watch_init(&watch, 0);
    uint64_t now = turn(&watch, 0, MS, 5000 * MS);
    struct sink_absence begin = sink_watch_absence(&watch, now);
    uint64_t gap_begin = now;
    for (int i = 0; i < 5; i++) {
        now = turn(&watch, now, MS, 0);
    }
    struct sink_absence end = sink_watch_absence(&watch, now);
    CHECK_EQ(sink_absence_between(&begin, &end), 0);
    CHECK_EQ(sink_watch_blame(now - gap_begin, &begin, &end, false), SINK_CAUSE_sender);
}

// --- sequence

static struct sink_sequence seen(const uint32_t *numbers, size_t count) {
    struct sink_sequence sequence;

    sink_sequence_init(&sequence, 0);
    for (size_t i = 0; i < count; i++) {
        (void)sink_sequence_add(&sequence, numbers[i]);
    }
    return sequence;
}

TEST(numbers_in_order_lose_nothing) {
    struct sink_sequence sequence = seen((const uint32_t[]){0, 1, 2, 3}, 4);

    CHECK_EQ(sequence.unique, 4);
    CHECK_EQ(sink_sequence_expected(&sequence), 4);
    CHECK_EQ(sink_sequence_lost(&sequence), 0);
}

TEST(a_late_number_takes_its_loss_back) {
    struct sink_sequence sequence = seen((const uint32_t[]){0, 3, 1}, 3);

    CHECK_EQ(sink_sequence_lost(&sequence), 1);
    CHECK_EQ(sequence.reordered, 1);
    CHECK(sink_sequence_add(&sequence, 2));
    CHECK_EQ(sink_sequence_lost(&sequence), 0);
    CHECK_EQ(sequence.reordered, 2);
}

TEST(repetitions_are_counted_apart) {
    struct sink_sequence sequence = seen((const uint32_t[]){0, 0, 1, 3, 3, 1}, 6);

    CHECK_EQ(sequence.duplicates, 3);
    CHECK_EQ(sequence.unique, 3);
    CHECK_EQ(sink_sequence_lost(&sequence), 1);
}

TEST(loss_at_both_ends_is_known) {
    struct sink_sequence sequence = seen((const uint32_t[]){5, 6}, 2);

    CHECK_EQ(sink_sequence_lost(&sequence), 5);
    sink_sequence_last(&sequence, 10);
    sink_sequence_last(&sequence, 99);
    CHECK_EQ(sink_sequence_expected(&sequence), 10);
    CHECK_EQ(sink_sequence_lost(&sequence), 8);
}

TEST(a_last_marker_below_what_came_is_not_believed) {
    struct sink_sequence sequence = seen((const uint32_t[]){0, 1, 2}, 3);

    sink_sequence_last(&sequence, 1);
    CHECK(!sequence.last_seen);
    sink_sequence_last(&sequence, 3);
    CHECK(sequence.last_seen);
    CHECK_EQ(sink_sequence_lost(&sequence), 0);
}

TEST(numbers_wrap_at_32_bits) {
    struct sink_sequence sequence;
    uint64_t first = (UINT64_C(1) << 32) - 3;

    sink_sequence_init(&sequence, first);
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(sink_sequence_add(&sequence, (uint32_t)(first + i)));
    }
    CHECK(!sink_sequence_add(&sequence, 0xFFFFFFFFu));
    CHECK_EQ(sequence.duplicates, 1);
    CHECK_EQ(sequence.next, first + 6);
    CHECK_EQ(sink_sequence_lost(&sequence), 0);
}

TEST(numbers_beyond_the_window_are_neither_new_nor_repeated) {
    struct sink_sequence sequence = seen((const uint32_t[]){0, SINK_SEQUENCE_WINDOW + 1}, 2);

    CHECK(!sink_sequence_add(&sequence, 1));
    CHECK_EQ(sequence.too_late, 1);
    CHECK(sink_sequence_add(&sequence, 2));
    CHECK_EQ(sequence.duplicates, 0);
    CHECK_EQ(sink_sequence_lost(&sequence), SINK_SEQUENCE_WINDOW + 2 - 3);
}

TEST(marks_of_an_older_round_of_the_window_are_forgotten) {
    struct sink_sequence sequence;

    sink_sequence_init(&sequence, 0);
    for (uint32_t i = 0; i < 3 * SINK_SEQUENCE_WINDOW; i += 2) {
        CHECK(sink_sequence_add(&sequence, i));
    }
    for (uint32_t i = 2 * SINK_SEQUENCE_WINDOW + 1; i < 3 * SINK_SEQUENCE_WINDOW; i += 2) {
        CHECK(sink_sequence_add(&sequence, i));
    }
    CHECK_EQ(sink_sequence_lost(&sequence), SINK_SEQUENCE_WINDOW);
}

// --- address

static void split(const char *text, const char *host, unsigned port) {
    char got[SINK_HOST_SIZE] = "default";
    uint16_t got_port = 5001;

    CHECK(sink_address_split(text, got, &got_port) == NULL);
    CHECK_TEXT(got, host);
    CHECK_EQ(got_port, port);
}

TEST(listen_addresses_come_in_many_forms) {
    split("0.0.0.0:7000", "0.0.0.0", 7000);
    split("0.0.0.0", "0.0.0.0", 5001);
    split(":7000", "default", 7000);
    split("7000", "default", 7000);
    split("localhost:0", "localhost", 0);
    split("[::1]:7000", "::1", 7000);
    split("[::1]", "::1", 5001);
    split("::1", "::1", 5001);
}

TEST(bad_listen_addresses_are_refused) {
    static const char *const bad[] = {
        "a:",
        "a:x",
        "a:65536",
        "a:-1",
        "[::1",
        "[::1]x",
        "[::1]:",
        "99999",
    };
    char host[SINK_HOST_SIZE] = "";
    uint16_t port = 0;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(sink_address_split(bad[i], host, &port) != NULL);
    }
}

static struct sockaddr_storage address(const char *host, uint16_t port) {
    struct sockaddr_storage found;
    socklen_t size = 0;

    CHECK(sink_address_find(host, port, &found, &size) == NULL);
    return found;
}

TEST(addresses_are_shown_and_compared) {
    char text[SINK_ADDRESS_SIZE];
    struct sockaddr_storage v4 = address("198.51.100.7", 5001);
    struct sockaddr_storage other_port = address("198.51.100.7", 5002);
    struct sockaddr_storage mapped = address("::ffff:198.51.100.7", 5001);
    struct sockaddr_storage v6 = address("2001:db8::7", 80);

    CHECK_TEXT(sink_address_text(&v4, text), "198.51.100.7:5001");
    CHECK_TEXT(sink_address_text(&mapped, text), "198.51.100.7:5001");
    CHECK_TEXT(sink_address_text(&v6, text), "[2001:db8::7]:80");
    CHECK(sink_address_equal(&v4, &mapped));
    CHECK(!sink_address_equal(&v4, &other_port));
    CHECK(sink_address_same_host(&v4, &other_port));
    CHECK(!sink_address_same_host(&v4, &v6));
    struct sockaddr_storage loopback = address("127.9.9.9", 1);
    struct sockaddr_storage any = address("*", 1);
    CHECK(sink_address_is_loopback(&loopback));
    CHECK(!sink_address_is_loopback(&v4));
    CHECK(sink_address_is_any(&any));
    CHECK(sink_address_is_on_link(&loopback));
    // source: RFC 5737, TEST-NET-2 is on no link
    CHECK(!sink_address_is_on_link(&v4));
}

// --- store

static char folder[64];
static char path[256];

static struct sink_store new_store(void) {
    struct sink_store store = {.folder = -1};

    snprintf(folder, sizeof(folder), "/tmp/coradio-store-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    CHECK_EQ(sink_store_open(&store, folder), 0);
    return store;
}

static const char *in_folder(const char *name) {
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static long size_of(const char *name) {
    struct stat status;

    return stat(in_folder(name), &status) == 0 ? (long)status.st_size : -1;
}

TEST(a_whole_stream_becomes_a_bin_file) {
    struct sink_store store = new_store();
    struct sink_file file = {0};
    struct timespec utc = {.tv_sec = 0};

    sink_file_create(&store, &file, "tcp-198.51.100.7-5-0001", &utc);
    CHECK_EQ(file.state, SINK_FILE_OPEN);
    CHECK_TEXT(file.name, "19700101T000000Z-tcp-198.51.100.7-5-0001.part");
    sink_file_write(&store, &file, "hello", 5);
    CHECK_EQ(size_of(file.name), 5);
    sink_file_close(&store, &file, true);
    CHECK_TEXT(file.name, "19700101T000000Z-tcp-198.51.100.7-5-0001.bin");
    CHECK_EQ(size_of(file.name), 5);
    unlink(in_folder(file.name));
    sink_store_close(&store);
    CHECK_EQ(rmdir(folder), 0);
}

TEST(a_cut_stream_stays_a_part_file) {
    struct sink_store store = new_store();
    struct sink_file file = {0};
    struct timespec utc = {.tv_sec = 0};

    sink_file_create(&store, &file, "x", &utc);
    sink_file_write(&store, &file, "hello", 5);
    sink_file_close(&store, &file, false);
    CHECK_TEXT(file.name, "19700101T000000Z-x.part");
    CHECK_EQ(size_of(file.name), 5);
    unlink(in_folder(file.name));
    sink_store_close(&store);
    CHECK_EQ(rmdir(folder), 0);
}

TEST(caps_hold_for_a_file_and_for_all) {
    struct sink_store store = new_store();
    struct sink_file first = {0};
    struct sink_file second = {0};
    struct timespec utc = {.tv_sec = 0};

    store.file_bytes_max = 6;
    store.total_bytes_max = 8;
    sink_file_create(&store, &first, "a", &utc);
    sink_file_create(&store, &second, "b", &utc);
    sink_file_write(&store, &first, "12345", 5);
    CHECK_EQ(first.state, SINK_FILE_OPEN);
    sink_file_write(&store, &first, "67890", 5);
    CHECK_EQ(first.state, SINK_FILE_CAPPED);
    CHECK_EQ(first.bytes, 6);
    sink_file_write(&store, &first, "x", 1);
    CHECK_EQ(first.bytes, 6);
    sink_file_write(&store, &second, "12345", 5);
    CHECK_EQ(second.state, SINK_FILE_CAPPED);
    CHECK_EQ(second.bytes, 2);
    CHECK_EQ(store.total_bytes, 8);
    CHECK(!store.failed);
    sink_file_close(&store, &first, true);
    sink_file_close(&store, &second, true);
    CHECK_EQ(size_of("19700101T000000Z-a.part"), 6);
    CHECK_EQ(size_of("19700101T000000Z-b.part"), 2);
    unlink(in_folder(first.name));
    unlink(in_folder(second.name));
    sink_store_close(&store);
    CHECK_EQ(rmdir(folder), 0);
}

TEST(an_existing_file_is_never_written_over) {
    struct sink_store store = new_store();
    struct sink_file first = {0};
    struct sink_file second = {0};
    struct timespec utc = {.tv_sec = 0};

    sink_file_create(&store, &first, "a", &utc);
    sink_file_create(&store, &second, "a", &utc);
    CHECK_TEXT(second.name, "19700101T000000Z-a-1.part");
    sink_file_close(&store, &first, false);
    sink_file_close(&store, &second, false);
    unlink(in_folder(first.name));
    unlink(in_folder(second.name));
    sink_store_close(&store);
    CHECK_EQ(rmdir(folder), 0);
}

TEST(a_store_that_cannot_be_is_an_error) {
    struct sink_store store = {.folder = -1};

    CHECK(sink_store_open(&store, "/dev/null/folder") != 0);
    CHECK(sink_store_open(&store, "/nonexistent/folder") != 0);
    CHECK(sink_store_open(&store, "/dev/null") != 0);
}

TEST_MAIN(
    CASE(a_gap_while_the_sink_looks_is_the_senders),
    CASE(a_gap_in_a_long_turn_is_the_sinks),
    CASE(a_gap_in_a_slow_write_is_the_stores),
    CASE(a_gap_while_the_process_stood_still_is_the_sinks),
    CASE(the_larger_part_of_a_gap_decides),
    CASE(short_gaps_have_no_cause),
    CASE(absences_before_a_gap_do_not_count_in_it),
    CASE(numbers_in_order_lose_nothing),
    CASE(a_late_number_takes_its_loss_back),
    CASE(repetitions_are_counted_apart),
    CASE(loss_at_both_ends_is_known),
    CASE(a_last_marker_below_what_came_is_not_believed),
    CASE(numbers_wrap_at_32_bits),
    CASE(numbers_beyond_the_window_are_neither_new_nor_repeated),
    CASE(marks_of_an_older_round_of_the_window_are_forgotten),
    CASE(listen_addresses_come_in_many_forms),
    CASE(bad_listen_addresses_are_refused),
    CASE(addresses_are_shown_and_compared),
    CASE(a_whole_stream_becomes_a_bin_file),
    CASE(a_cut_stream_stays_a_part_file),
    CASE(caps_hold_for_a_file_and_for_all),
    CASE(an_existing_file_is_never_written_over),
    CASE(a_store_that_cannot_be_is_an_error))
